"""A program that has imported the packages of others and becomes each Python command that it is told of, in a fork.

A request is a line of JSON on standard input, its answer a line on standard output; see warm.py, which speaks to it.
Nothing of this project and nothing of the engine is imported here: a fork imports those from where its command says.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import signal
import sys
import threading
import traceback
from types import FrameType
from typing import Any, NoReturn

# What takes time to import, and looks at neither the environment nor the folder in which it is imported.
PACKAGES = (
    "concurrent.futures",
    "flint",
    "jinja2",
    "numpy",
    "pandas",
    "pydantic",
    "scipy.integrate",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "sqlmodel",
    "yaml",
)
TOO_LONG = 124  # the exit code, as of timeout(1)


def serve() -> None:
    """Answer requests until standard input ends."""
    for package in PACKAGES:
        importlib.import_module(package)
    gc.freeze()  # no fork looks through what it was born with
    for line in sys.stdin:
        told = json.loads(line)
        child = os.fork()
        if not child:
            run(told)
        print(json.dumps(end_of(child, told["seconds"])), flush=True)


def end_of(child: int, seconds: float) -> int:
    """A child's exit code as subprocess has it; after so many seconds its whole session is killed."""
    late = []

    def kill(number: int, frame: FrameType | None) -> None:
        late.append(child)
        os.killpg(child, signal.SIGKILL)

    signal.signal(signal.SIGALRM, kill)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    _, status = os.waitpid(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    return TOO_LONG if late else os.waitstatus_to_exitcode(status)


def run(told: dict[str, Any]) -> NoReturn:
    """The command and its end, without taking apart all that was imported: that would take as long as importing it."""
    code: object = None
    try:
        become(told)
    except SystemExit as error:
        code = error.code
        if not isinstance(code, int | None):
            print(code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as the interpreter does
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code & 0xFF if isinstance(code, int) else code is not None)


def become(told: dict[str, Any]) -> None:
    """The command: its session, streams, folder, environment, path and words."""
    os.setsid()
    write = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for number, (name, flags) in enumerate(((os.devnull, os.O_RDONLY), (told["out"], write), (told["err"], write))):
        opened = os.open(name, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0)  # the old one has been read from
    os.chdir(told["folder"])
    os.environ.clear()
    os.environ.update(told["environment"])
    first, *words = told["words"]
    more = [path for path in told["environment"].get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:] = [*more, *sys.path[1:]]
    if first == "-m":
        if "PYTHONSAFEPATH" not in told["environment"]:
            sys.path.insert(0, os.getcwd())  # noqa: PTH109
        sys.argv = words
        runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    elif first == "-c":
        sys.path.insert(0, "")
        sys.argv = ["-c", *words[1:]]
        exec(compile(words[0], "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.path.insert(0, os.path.dirname(os.path.realpath(first)))  # noqa: PTH120
        sys.argv = [first, *words]
        runpy.run_path(first, run_name="__main__")


if __name__ == "__main__":
    serve()
