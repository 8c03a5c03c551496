"""Which parameter would make a claim decidable, as a number that a reader can type."""

from __future__ import annotations

import math


def rounded_down(limit: float) -> float:
    """The largest number of one digit that is not above a positive limit."""
    exponent = math.floor(math.log10(limit))
    candidates = (float(f"{digit}e{exponent}") for digit in range(9, 0, -1))
    # A limit that is a power of 10 but for rounding may be below its own first candidate.
    return next((number for number in candidates if number <= limit), float(f"9e{exponent - 1}"))
