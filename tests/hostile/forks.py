"""Commands in forks of a program that has imported the package: an attempt takes hundredths of a second, not one."""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

SECONDS = 5  # of the processor, where REFERENCE is what the fixed work takes
REFERENCE = 0.3
FIXED_WORK = 1_000_000
WALL_SECONDS = 20  # for what waits and computes nothing
MEGABYTES = 1000


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
    """The program that forks, as long as a test run needs it."""

    def __init__(self, folder: Path) -> None:
        self.seconds = allowed()
        self._out, self._err = folder / "out", folder / "err"
        one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("server.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **one_thread, "MPLBACKEND": "agg"},
        )

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
        told = {
            "arguments": list(arguments),
            "folder": str(folder),
            "program": program,
            "user": user,
            "out": str(self._out),
            "err": str(self._err),
            "seconds": self.seconds,
            "wall_seconds": wall_seconds,
            "megabytes": MEGABYTES,
        }
        assert self._server.stdin is not None
        assert self._server.stdout is not None
        self._server.stdin.write(json.dumps(told) + "\n")
        self._server.stdin.flush()
        answer = json.loads(self._server.stdout.readline())
        out, err = (path.read_text(encoding="utf-8", errors="replace") for path in (self._out, self._err))
        return Done(answer["code"], out, err, answer["seconds"], answer["megabytes"])

    def close(self) -> None:
        """End the program."""
        self._server.communicate()


@contextlib.contextmanager
def forks() -> Iterator[Forks]:
    """The program, and a place for what its children say."""
    with tempfile.TemporaryDirectory() as folder:
        running = Forks(Path(folder))
        try:
            yield running
        finally:
            running.close()
