"""What is released: whole numbers k = ⌊2ᵇX⌋ with their public exponent b."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError


@dataclass(frozen=True, eq=False)
class FixedPoint:
    """The numbers k·2⁻ᵇ: `integers` (Python's, of any length) and `exponent` b.

    NumPy takes it for an array of floats, each the one nearest to k·2⁻ᵇ: whatever is computed of it is free.
    """

    integers: NDArray[np.object_]
    exponent: int

    @classmethod
    def of(cls, integers: Sequence[Any] | int, exponent: int) -> FixedPoint:
        """From whole numbers, nested as deep as they are."""
        return cls(np.array(integers, dtype=object), exponent)

    @classmethod
    def below(cls, floats: NDArray[np.float64], exponent: int) -> FixedPoint:
        """⌊2ᵇx⌋ of each."""
        integers = [math.floor(Fraction(x) * 2**exponent) for x in floats.ravel().tolist()]
        return cls(np.array(integers, dtype=object).reshape(floats.shape), exponent)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the array."""
        return self.integers.shape

    @property
    def floats(self) -> NDArray[np.float64]:
        """k·2⁻ᵇ, to the nearest float."""
        return np.array([_quotient(k, self.exponent) for k in self.integers.ravel()], dtype=float).reshape(self.shape)

    @property
    def fractions(self) -> list[Fraction]:
        """k·2⁻ᵇ itself, one after the other."""
        return [Fraction(k, 1 << self.exponent) for k in self.integers.ravel()]

    def clipped(self, low: int, high: int | None) -> FixedPoint:
        """With what is below `low` or above `high` put there."""
        # Of a single number NumPy makes a plain one, and of two plain ones its own 64 bits: an array in between.
        integers = np.asarray(np.maximum(self.integers, low << self.exponent), dtype=object)
        if high is not None:
            integers = np.asarray(np.minimum(integers, high << self.exponent), dtype=object)
        return FixedPoint(integers, self.exponent)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        del copy  # floats are always made anew
        return self.floats if dtype is None else self.floats.astype(dtype)

    def __float__(self) -> float:
        if self.integers.size != 1:
            raise InputError(f"there are {self.integers.size} numbers; take one of them for a float.")
        return float(self.floats.ravel()[0])

    def __len__(self) -> int:
        return len(self.integers)

    def __getitem__(self, place: Any) -> FixedPoint:
        return FixedPoint(np.array(self.integers[place], dtype=object), self.exponent)

    def __repr__(self) -> str:
        return f"{np.array2string(self.floats, threshold=8)} = ⌊2^{self.exponent}·X⌋/2^{self.exponent}"


def _quotient(k: int, exponent: int) -> float:
    try:
        return k / (1 << exponent)  # correctly rounded
    except OverflowError:
        return float("inf") if k > 0 else float("-inf")
