r"""Uniform random numbers whose bits are revealed as they are needed, and programs that run on them.

A uniform U of which p bits are known, k = ⌊2ᵖU⌋, is the ball [k, k+1]·2⁻ᵖ. A program computes with such balls in
FLINT's `arb`, whose results enclose the exact ones. Where a comparison or a floor is not the same throughout a ball it
raises `UndecidedError`, and `Tape.draw` runs the whole program again on **the same** uniforms with twice as many of
their bits.

So what comes out is what the program gives for the real numbers U₁, U₂, … themselves: a function of them, and not of
the precision, the machine's rounding or the number of runs. An ideal U that makes a decision impossible at every
precision has probability 0.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Protocol, TypeVar

import flint
from flint import arb

from dpsampling.numerics.exact import bits
from dpsampling.numerics.exact.data_dependent import data_dependent

Value = TypeVar("Value")

PRECISION = 128  # bits to begin with: hardly one draw in 10⁵ needs more
MOST = 1 << 22  # a decision that takes more bits than that is no matter of chance
_UNIT = arb(0.5, 0.5)  # [0, 1]


class UndecidedError(ArithmeticError):
    """The bits that are known leave a decision open."""


class BitSource(Protocol):
    """Where a tape's bits come from; `place` is the number of the draw and that of the uniform in it."""

    def __call__(self, place: tuple[int, int], known: int, more: int) -> int:
        """The `more` bits that follow the `known` first ones of a uniform, as a whole number."""


def system_bits(place: tuple[int, int], known: int, more: int) -> int:
    """Bits of the operating system."""
    del place, known
    return int.from_bytes(bits.fresh((more + 7) // 8), "little") >> (-more % 8)


class Tape:
    """Draw after draw, each from uniforms of its own."""

    def __init__(self, source: BitSource = system_bits, precision: int = PRECISION) -> None:
        if not callable(source):
            raise TypeError(
                f"a release takes the operating system's bits, not a {type(source).__name__}; "
                "simulate() is what takes a generator."
            )
        self.runs = 0  # of all programs so far
        self._source = source
        self._start = precision
        self._precision = precision
        self._draws = 0
        self._revealed: list[tuple[int, int]] = []
        self._next = 0

    @data_dependent("a rejection loop's length, and how many bits decide it, depend on the data; the time does too")
    def draw(self, program: Callable[[Tape], Value]) -> Value:
        """Return what the program gives for fresh uniforms."""
        self._revealed = []
        self._precision = self._start
        before = flint.ctx.prec
        try:
            while True:
                flint.ctx.prec = self._precision
                self._next = 0
                self.runs += 1
                try:
                    return program(self)
                except UndecidedError:
                    if self._precision >= MOST:
                        raise
                    self._precision *= 2
        finally:
            flint.ctx.prec = before
            self._draws += 1

    def uniform(self) -> arb:
        """The next uniform of this draw, as the ball of what is known of it."""
        i, p = self._next, self._precision
        self._next = i + 1
        if i == len(self._revealed):
            k = self._source((self._draws, i), 0, p)
            self._revealed.append((k, p))
        else:
            k, known = self._revealed[i]
            if known < p:
                k = k << (p - known) | self._source((self._draws, i), known, p - known)
                self._revealed[i] = k, p
        return (arb(k) + _UNIT) * power_of_two(-p)


@cache
def power_of_two(exponent: int) -> arb:
    """2ᵉ."""
    return arb((1, exponent))


def positive(x: arb) -> bool:
    """Return whether x > 0."""
    if x > 0:
        return True
    if x <= 0:
        return False
    raise UndecidedError


def floor(x: arb, exponent: int = 0) -> int:
    """⌊2ᵇx⌋."""
    k = (x * power_of_two(exponent) if exponent else x).floor().unique_fmpz()
    if k is None:
        raise UndecidedError
    return int(k)
