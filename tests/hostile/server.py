"""A program that has imported the package and runs each command it is told of in a fork of itself, with limits.

A request is a line of JSON on standard input, its answer a line on standard output; see forks.py, which speaks to it.
"""

from __future__ import annotations

import codecs
import gc
import importlib
import json
import os
import pkgutil
import resource
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any, NoReturn

import dpsampling
from dpsampling import project
from dpsampling.warlogs import compile as kernels

RUNS_WHEN_IMPORTED = "dpsampling.__main__"
LARGEST_FILE = 500_000_000  # bytes; standard output is one too
ENCODINGS = (
    "utf-8-sig",
    "utf-16",
    "latin-1",
    "cp437",
    "unicode-escape",
)  # are modules too, which not every child may read


def serve() -> None:
    """Answer requests until standard input ends."""
    project.experiments()
    for module in pkgutil.walk_packages(dpsampling.__path__, "dpsampling."):
        if module.name != RUNS_WHEN_IMPORTED:
            importlib.import_module(module.name)
    kernels.main()
    for name in ENCODINGS:
        codecs.lookup(name)
    gc.collect()
    gc.freeze()  # no child looks through what it was born with, and copies it by that
    for line in sys.stdin:
        print(json.dumps(attempt(json.loads(line))), flush=True)


def attempt(told: dict[str, Any]) -> dict[str, Any]:
    """One command in a child: its exit code, or the name of the signal that ended it, and what it took."""
    start = time.monotonic()
    child = os.fork()
    if not child:
        run(told)
    code: int | str = "hang"
    while time.monotonic() < start + told["wall_seconds"]:
        ended, status, used = os.wait4(child, os.WNOHANG)
        if ended:
            exited = os.waitstatus_to_exitcode(status)
            code = exited if exited >= 0 else signal.Signals(-exited).name
            break
        time.sleep(0.002)
    else:
        os.killpg(child, signal.SIGKILL)
        _, _, used = os.wait4(child, 0)
    return {"code": code, "seconds": used.ru_utime + used.ru_stime, "megabytes": used.ru_maxrss / 1024}


def run(told: dict[str, Any]) -> NoReturn:
    """Become the command."""
    code: Any = 1
    try:
        os.setsid()
        redirect(told)
        limit(told)
        become(told["user"])
        sys.argv = ["dpsampling", *told["arguments"]]
        code = importlib.import_module(told["program"]).main()
        sys.stdout.flush()
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code if isinstance(code, int) else code is not None)


def redirect(told: dict[str, Any]) -> None:
    """The child's folder and streams."""
    os.chdir(told["folder"])
    for number, (name, flags) in enumerate(
        ((os.devnull, os.O_RDONLY), *((told[n], os.O_WRONLY | os.O_CREAT | os.O_TRUNC) for n in ("out", "err")))
    ):
        opened = os.open(name, flags, 0o600)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = os.fdopen(0)  # the old one has been read from
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def limit(told: dict[str, Any]) -> None:
    """Seconds of the processor, and memory beyond what the imports have taken."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    memory = pages * resource.getpagesize() + told["megabytes"] * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (told["seconds"], told["seconds"] + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def become(user: int | None) -> None:
    """Somebody else, for good."""
    if user is not None:
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)


if __name__ == "__main__":
    serve()
