"""The one place where the operating system's random bits are read."""

from __future__ import annotations

import os


def fresh(count: int) -> bytes:
    """`count` bytes that nobody has seen.

    Nothing is read ahead: bytes that wait in memory would be there twice after a fork.
    """
    return os.urandom(count)


def below(bound: int) -> int:
    """A uniform whole number 0 ≤ k < bound, by rejection."""
    width = (bound - 1).bit_length()
    while True:
        k = int.from_bytes(fresh((width + 7) // 8), "little") >> (-width % 8)
        if k < bound:
            return k
