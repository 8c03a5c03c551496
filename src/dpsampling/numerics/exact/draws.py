"""Draws of a law as numbers that may be released."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from flint import arb

from dpsampling.numerics.arrays import Integers
from dpsampling.numerics.exact.arguments import check_size
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.tape import BitSource, Tape, floor, system_bits

EXPONENT = 53  # as fine as floats between 1/2 and 1
Law = Callable[[Tape], arb] | Callable[[Tape], Sequence[arb]]


def numbers(
    law: Law, size: int | None = None, *, exponent: int = EXPONENT, source: BitSource = system_bits
) -> FixedPoint:
    """⌊2ᵇX⌋ of one draw X, or of `size` of them along the first axis."""

    def program(tape: Tape) -> int | list[int]:
        x = law(tape)
        return floor(x, exponent) if isinstance(x, arb) else [floor(part, exponent) for part in x]

    tape = Tape(source)
    if size is None:
        return FixedPoint.of(tape.draw(program), exponent)
    return FixedPoint.of([tape.draw(program) for _ in range(check_size(size))], exponent)


def one_each(laws: Sequence[Callable[[Tape], arb]], shape: tuple[int, ...], *, exponent: int = EXPONENT) -> FixedPoint:
    """One draw of each law, arranged in this shape."""
    drawn = [numbers(law, exponent=exponent).integers.item() for law in laws]
    return FixedPoint(np.array(drawn, dtype=object).reshape(shape), exponent)


def integers(law: Callable[[Tape], int], size: int, *, source: BitSource = system_bits) -> Integers:
    """`size` draws of a law on the whole numbers."""
    tape = Tape(source)
    return np.array([tape.draw(law) for _ in range(check_size(size))], dtype=np.int64)
