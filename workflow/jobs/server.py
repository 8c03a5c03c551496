"""One process that has imported what all jobs import, and forks for each of them.

Half of a small job is `import numpy, scipy, pandas, matplotlib`, the same every time. Here it is done once a run: this
process imports these libraries, listens, and for every `dpsampling …` that a rule calls (see the client beside it)
forks a child, which takes over the caller's streams, folder, environment and mode mask, and runs the command. A child
that finds a source of this project changed since it was imported here begins as a process of its own instead, so that a
job is made by the sources as they are when it starts.

The server ends with the run that started it, as soon as the jobs that it has begun have ended. A job whose caller or
whose server is killed is ended too.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import json
import os
import pkgutil
import selectors
import signal
import socket
import struct
import sys
import warnings
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

# What most jobs import, in the order in which it takes long; what is not installed is left to the jobs.
LIBRARIES = (
    "numpy",
    "scipy.integrate",
    "scipy.optimize",
    "scipy.special",
    "scipy.stats",
    "pandas",
    "yaml",
    "pydantic",
    "matplotlib.figure",
    "matplotlib.dates",
    "matplotlib.layout_engine",
    "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf",
    "fontTools.subset",
    "numba",
)
# Of this project: what the jobs of an experiment import, but for the modules that compute, which one job each needs.
OWN = ("cli", "commands.job", "commands.table", "commands.figure", "commands.claims", "stages", "experiments")
COMPUTES = ".table"
CALLS = 5.0  # seconds within which a caller says what it wants
END_WITH_PARENT, SET_NAME = 1, 15  # prctl's PR_SET_PDEATHSIG and PR_SET_NAME


@dataclass(frozen=True)
class Job:
    """A child, by its number, and the connection on which its caller waits for its end."""

    number: int
    caller: socket.socket


NAME = "job of "  # and the caller's number: what a child is called, by which the engine's samples of memory find it


def caller_in(name: str) -> int:
    """The process that a child of this name works for; 0 if the name is of another kind."""
    number = name.removeprefix(NAME)
    return int(number) if number != name and number.isdecimal() else 0


def main() -> NoReturn:
    """Serve on the socket and until the end of the pipe that are handed over as file descriptors."""
    listening, run = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # from a terminal it reaches the jobs, and the engine decides
    del sys.path[0]  # this folder, where `dpsampling` is not the library
    os.environ["MPLBACKEND"] = "agg"
    for library in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(library)
    sources = import_own()
    gc.collect()
    gc.freeze()  # what is shared with the children stays shared
    warnings.filterwarnings("ignore", "This process", DeprecationWarning)  # pyarrow's allocator has a thread of its own
    serve(listening, run, sources)
    os._exit(0)


Sources = dict[str, tuple[int, int]]  # what a file was: its size, and when the system saw it changed


def stamp(path: str) -> tuple[int, int]:
    """What a file is now; nothing if it is gone."""
    try:
        found = Path(path).stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_ctime_ns


def import_own() -> Sources:
    """Import of this project what most jobs import: the sources, as they were before."""
    with suppress(ImportError):
        package = importlib.import_module("dpsampling")
        before = {str(path): stamp(str(path)) for root in package.__path__ for path in Path(root).rglob("*.py")}
        for name in OWN:
            import_with_all_in_it(f"{package.__name__}.{name}")
        files = [getattr(m, "__file__", None) for n, m in sys.modules.items() if n.split(".")[0] == package.__name__]
        return {file: before.get(file, (0, 0)) for file in files if file}
    return {}


def import_with_all_in_it(name: str) -> None:
    """A module, or a package with all modules in it; one that cannot be imported is left to the job that needs it."""
    with suppress(Exception):
        for found in pkgutil.iter_modules(getattr(importlib.import_module(name), "__path__", ())):
            if not f".{found.name}".endswith(COMPUTES):
                import_with_all_in_it(f"{name}.{found.name}")


def serve(listening: socket.socket, run: int, sources: Sources) -> None:
    """Begin jobs and tell of their ends, until the run has ended and no job is left."""
    with selectors.DefaultSelector() as events:
        events.register(listening, selectors.EVENT_READ)
        events.register(run, selectors.EVENT_READ)
        waits = True
        while waits or len(events.get_map()):
            for key, _ in events.select():
                if key.fileobj is listening:
                    begin(listening, events, sources)
                elif key.fileobj == run:
                    waits = False
                    events.unregister(run)
                    events.unregister(listening)
                    listening.close()
                elif isinstance(key.fileobj, socket.socket):
                    abandon(key, events)
                else:
                    end(key, events)


def begin(listening: socket.socket, events: selectors.BaseSelector, sources: Sources) -> None:
    """Fork for the next caller, if it is the same user's."""
    caller, _ = listening.accept()
    caller.settimeout(CALLS)
    streams: list[int] = []
    try:
        process, user, _ = struct.unpack("3i", caller.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        if user != os.getuid():
            raise PermissionError
        size, streams, _, _ = socket.recv_fds(caller, 8, 3)
        told = json.loads(received(caller, int.from_bytes(size, "big")))
    except (OSError, ValueError, EOFError):
        caller.close()
        for stream in streams:
            os.close(stream)
        return
    number = os.fork()
    if number == 0:
        for other in [caller, *(key.fileobj for key in events.get_map().values())]:
            if isinstance(other, socket.socket):
                other.close()
            elif isinstance(other, int):
                os.close(other)
        events.close()
        work(told, streams, f"{NAME}{process}", sources)
    for stream in streams:
        os.close(stream)
    job = Job(number, caller)
    events.register(caller, selectors.EVENT_READ, job)
    events.register(os.pidfd_open(number), selectors.EVENT_READ, job)


def received(caller: socket.socket, size: int) -> bytes:
    """So many bytes, or an error."""
    parts: list[bytes] = []
    while size:
        part = caller.recv(min(size, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def abandon(key: selectors.SelectorKey, events: selectors.BaseSelector) -> None:
    """A caller that is gone before its job has ended was killed, and so is the job."""
    with suppress(KeyError, ProcessLookupError):  # or it has ended at the same moment
        events.unregister(key.fileobj)
        os.kill(key.data.number, signal.SIGTERM)


def end(key: selectors.SelectorKey, events: selectors.BaseSelector) -> None:
    """Tell a caller how its job has ended."""
    job: Job = key.data
    _, status = os.waitpid(job.number, 0)
    events.unregister(key.fileobj)
    os.close(key.fd)
    with suppress(KeyError):
        events.unregister(job.caller)
    with suppress(OSError):
        job.caller.sendall(status.to_bytes(4, "big"))
    job.caller.close()


def work(told: dict[str, Any], streams: list[int], name: str, sources: Sources) -> NoReturn:
    """The command in this fork, as a process of its own would run it."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(SET_NAME, name.encode(), 0, 0, 0)
        ctypes.CDLL(None).prctl(END_WITH_PARENT, signal.SIGTERM, 0, 0, 0)
    os.chdir(told["folder"])
    os.umask(told["mask"])
    os.environ.clear()
    os.environ.update(told["environment"])
    if any(stamp(path) != before for path, before in sources.items()):
        os.execv(sys.executable, [sys.executable, "-m", "dpsampling", *told["arguments"]])
    sys.argv = ["dpsampling", *told["arguments"]]
    sys.modules["numpy"].random.seed()  # nothing here draws from it; but no two processes should share its state
    code: Any = 1
    try:
        from dpsampling.cli import main

        code = main()
    except SystemExit as ending:
        code = ending.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
        code = 1
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
    except OSError:
        code = 120  # as the interpreter says it
    os._exit(int(code or 0))  # without taking down what was imported, which takes as long as a small job


if __name__ == "__main__":
    main()
