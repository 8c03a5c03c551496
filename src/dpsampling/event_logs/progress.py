"""How far a long reading has come: a line on standard error from time to time, where somebody looks at it."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

EVERY = 5.0  # seconds

Seen = Callable[[int], None]  # is told of rows as they are read


def nobody(_rows: int) -> None:
    """Nothing is said."""


def watched(clock: Callable[[], float] = time.monotonic) -> Seen:
    """Return what says how many rows have been read; nothing unless standard error is a terminal."""
    if not sys.stderr.isatty():
        return nobody
    begun = said = clock()
    total = 0

    def seen(rows: int) -> None:
        nonlocal said, total
        total += rows
        now = clock()
        if now - said >= EVERY:
            said = now
            sys.stderr.write(f"dpsampling: {total} rows so far, {total / (now - begun):.0f} a second.\n")
            sys.stderr.flush()

    return seen
