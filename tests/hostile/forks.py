"""Commands in forks of a process that has imported the package: an attempt takes hundredths of a second, not one."""

import contextlib
import importlib
import math
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing import connection, forkserver
from pathlib import Path
from typing import NoReturn

import pytest

SECONDS = 5  # of the processor, where REFERENCE is what the fixed work takes
REFERENCE = 0.3
FIXED_WORK = 1_000_000
WALL_SECONDS = 20  # for what waits and computes nothing
MEGABYTES = 1000
LARGEST_FILE = 500_000_000  # bytes; standard output is one too
CONTEXT = multiprocessing.get_context("forkserver")


@dataclass(frozen=True)
class Done:
    """What a command said and took; its code is a number, the name of a signal, or `hang`."""

    code: int | str
    out: str
    err: str
    seconds: float
    megabytes: float


def allowed() -> int:
    """SECONDS, or more of them where this machine is slower now than the reference: a ratio, measured on the spot."""
    start = time.process_time()
    sum(hash(str(i)) for i in range(FIXED_WORK))
    return math.ceil(SECONDS * max(1.0, (time.process_time() - start) / REFERENCE))


class Forks:
    """Where commands are run, and what they say is kept."""

    def __init__(self, folder: Path) -> None:
        self.seconds = allowed()
        self._out, self._err = folder / "out", folder / "err"

    def run(
        self,
        arguments: Sequence[str],
        folder: Path,
        *,
        program: str = "dpsampling.cli",
        wall_seconds: float = WALL_SECONDS,
        user: int | None = None,
    ) -> Done:
        """One command, in a folder."""
        receiver, sender = CONTEXT.Pipe(duplex=False)
        streams = (str(self._out), str(self._err))
        told = (program, [*arguments], str(folder), streams, self.seconds, user, sender)
        child = CONTEXT.Process(target=become, args=told)
        child.start()
        sender.close()
        child.join(wall_seconds)
        code: int | str = "hang"
        if child.exitcode is None:
            os.killpg(child.pid or 0, signal.SIGKILL)
            child.join()
        else:
            code = child.exitcode if child.exitcode >= 0 else signal.Signals(-child.exitcode).name
        seconds, megabytes = 0.0, 0.0
        with contextlib.suppress(EOFError):  # of what was killed
            seconds, megabytes = receiver.recv()
        receiver.close()
        child.close()
        out, err = (path.read_text(encoding="utf-8", errors="replace") for path in (self._out, self._err))
        return Done(code, out, err, seconds, megabytes)


@contextlib.contextmanager
def forks() -> Iterator[Forks]:
    """The process that forks, which ends with the tests, and a place for what its children say."""
    CONTEXT.set_forkserver_preload(["hostile.preloaded"])
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            patch.setenv(name, "1")
        patch.setenv("MPLBACKEND", "agg")
        patch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
        forkserver.ensure_running()
        yield Forks(Path(folder))


def become(
    program: str,
    arguments: Sequence[str],
    folder: str,
    streams: Sequence[str],
    seconds: int,
    user: int | None,
    sender: connection.Connection,
) -> NoReturn:
    """Be a command, somebody's perhaps, with limits; and tell what it took."""
    code: object = 1
    try:
        os.setsid()
        os.chdir(folder)
        for number, name in enumerate(streams, 1):
            opened = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            os.dup2(opened, number)
            os.close(opened)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
        limit(seconds)
        if user is not None:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
        sys.argv = ["dpsampling", *arguments]
        code = importlib.import_module(program).main()
        sys.stdout.flush()
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
    finally:
        used = resource.getrusage(resource.RUSAGE_SELF)
        sender.send((used.ru_utime + used.ru_stime, used.ru_maxrss / 1024))
        os._exit(code if isinstance(code, int) else code is not None)


def limit(seconds: int) -> None:
    """Seconds of the processor, and memory beyond what the imports have taken."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    memory = pages * resource.getpagesize() + MEGABYTES * 2**20
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
