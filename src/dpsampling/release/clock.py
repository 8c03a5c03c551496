"""Answers at a public time: the first multiple of a quantum, fixed before any row is read, at which all is ready.

How long a computation took then says nothing but which multiple it was. The wait sleeps until shortly before the moment
and spins for the rest, for a sleeper wakes up late by as much as the machine likes.
"""

from __future__ import annotations

import gc
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

SPIN = 0.002  # s


@dataclass(frozen=True)
class Clock:
    """Multiples of `quantum` seconds from its start on; 0 is no clock, and answers at once."""

    quantum: float
    start: float = field(default_factory=time.perf_counter)

    def next(self) -> int:
        """Which multiple is still to come."""
        if not self.quantum:
            return 0
        return max(1, math.ceil((time.perf_counter() - self.start) / self.quantum))

    def aims(self) -> Iterator[int]:
        """Multiples to make ready for: after each that was missed one twice as far ahead.

        What is made ready says which multiple it is, and so is made anew for each; that may take longer than a quantum.
        """
        ahead = 0
        while True:
            yield self.next() + ahead
            ahead = 2 * ahead + 1

    def passed(self, at: int) -> bool:
        """Return whether this multiple is over."""
        return bool(self.quantum) and time.perf_counter() > self.start + at * self.quantum

    def moment(self, at: int) -> float:
        """This multiple, or now if there is no clock, in whole seconds since 1970 as files have them."""
        left = self.start + at * self.quantum - time.perf_counter() if self.quantum else 0.0
        return float(math.floor(time.time() + left))

    def wait(self, at: int) -> None:
        """Until this multiple."""
        moment = self.start + at * self.quantum
        if (left := moment - time.perf_counter() - SPIN) > 0:
            time.sleep(left)
        while time.perf_counter() < moment:
            pass

    @contextmanager
    def answering(self) -> Iterator[None]:
        """A block that fails ends at a public time too; who interrupts it has chosen the time."""
        try:
            yield
        except Exception:
            self.wait(self.next())
            raise


def collect_garbage() -> None:
    """Run the garbage collector now, so that its duration does not leak how many rows were read."""
    gc.collect(1)
