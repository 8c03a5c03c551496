"""Fit the engine to some hundred short jobs on one machine, and start the server that makes them.

Three of the engine's habits cost more than such jobs do. It looks at all that could run once more a second after each
look, for its limit of a hundred starts a second, and so more often with every job; at each look it asks for the size of
every input of every job that could run, to begin with the largest; and it measures the children of a job's shell, among
which what the server forks is not.
"""

from __future__ import annotations

import importlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from jobs.server import caller_in

FOLDER = Path(__file__).parent
ADDRESS = "DPSAMPLING_JOB_SERVER"  # of the server; a user who sets it to `off` gets a process of its own for every job
THREADS = ("OMP", "GOTO", "OPENBLAS", "MKL", "NUMEXPR")  # what the engine sets to a rule's threads, one here


@contextmanager
def jobs() -> Iterator[None]:
    """While jobs run on this machine: the engine fitted to them, and their server if this system can have it."""
    look_seldom()
    wanted = os.environ.pop(ADDRESS, "") != "off" and hasattr(os, "pidfd_open")
    started = start() if wanted else None
    if started is None:
        yield
        return
    server, run = started
    measure(server.pid)
    try:
        yield
    finally:
        os.close(run)
        server.wait()


def start() -> tuple[subprocess.Popen[bytes], int] | None:
    """The server, and the file that keeps it while it is open; None where the system forbids the means."""
    with ExitStack() as handed:
        try:
            listening = handed.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            listening.bind("")  # the system finds a name that is free, of which no file remains
            listening.listen(64)
            until, run = os.pipe()
        except OSError:
            return None
        handed.callback(os.close, until)
        one_thread = {f"{library}_NUM_THREADS": "1" for library in THREADS} | {"VECLIB_MAXIMUM_THREADS": "1"}
        null = subprocess.DEVNULL
        try:
            server = subprocess.Popen(
                [sys.executable, str(FOLDER / "server.py"), str(listening.fileno()), str(until)],
                pass_fds=(listening.fileno(), until),
                env={**os.environ, **one_thread},
                stdin=null,
                stdout=null,
                stderr=null,
            )
        except OSError:
            os.close(run)
            return None
        os.environ[ADDRESS] = listening.getsockname()[1:].decode()
        os.environ["PATH"] = f"{FOLDER}{os.pathsep}{os.environ['PATH']}"
    return server, run


def look_seldom() -> None:
    """The engine looks for what could run when a job has ended, and begins with what the rules prefer."""
    importlib.import_module("snakemake.api")  # the engine's modules import one another, and begin with this one
    from snakemake import workflow

    class Scheduler(workflow.JobScheduler):  # type: ignore[misc]  # the engine has no types
        def __init__(self, workflow: Any, *arguments: Any, **named: Any) -> None:
            super().__init__(workflow, *arguments, **named)
            self.job_rate_limiter = None

        async def update_input_sizes(self, jobs: Iterable[Any]) -> None:
            """None is asked for where the profile says that they do not matter."""

    workflow.JobScheduler = Scheduler


def measure(server: int) -> None:
    """The engine samples a job's shell and its children: among these, what the server made for one of them."""
    import psutil
    from snakemake import benchmark

    class Shell(psutil.Process):  # type: ignore[misc]
        def children(self, recursive: bool = False) -> list[psutil.Process]:
            """All that works for it: of what the server made, for a caller that it began or has become."""
            if not recursive:
                return super().children()
            return [one for one in psutil.Process(server).children() if self._began(caller_in(one.name()))]

        def _began(self, caller: int) -> bool:
            return caller == self.pid or (caller > 0 and psutil.Process(caller).ppid() == self.pid)

    class Timer(benchmark.BenchmarkTimer):  # type: ignore[misc]
        def __init__(self, pid: int, *arguments: Any) -> None:
            super().__init__(pid, *arguments)
            self.main = Shell(pid)

    benchmark.BenchmarkTimer = Timer
