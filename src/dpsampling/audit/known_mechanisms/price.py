r"""What a mechanism costs, bracketed, and the verdict that the bracket allows.

For neighbouring inputs x, x′ and events S the price of a mechanism M is

    ε(M) = sup  ln Pr(M(x) ∈ S)/Pr(M(x′) ∈ S),      or, at a level ε,      δ(M) = sup  Pr(M(x) ∈ S) − e^ε Pr(M(x′) ∈ S).

`lower` is what some inputs and events reach or approach, `upper` what none exceed; both come from the mechanism's law
and its parameters, never from what is said of it. A mechanism is broken where `lower` exceeds its claim, right where
`upper` does not; in between nothing is decided.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dpsampling.audit.known_mechanisms.names import (
    AT_LEAST,
    AT_MOST,
    BROKEN,
    EPSILON,
    EXACT,
    INFINITE,
    RIGHT,
    UNDECIDED,
)
from dpsampling.errors import InputError

ROUNDING = 1e-11  # relative: sums of a few dozen floats, and logarithms of quadratures good to 1e-13
LEVELS = (1e-3, 10.0)  # of ε: below, rounding is in the way; above, integrals have too many pieces
ABSOLUTE = 1e-12  # what rounding does to a logarithm
MOST_QUERIES, MOST_CANDIDATES = 12, 50  # all 2^n answers are enumerated; each candidate has its integral


@dataclass(frozen=True)
class Setting:
    """ε and δ as claimed, the queries of a sparse vector, and the candidates of a noisy maximum."""

    epsilon: float = 0.1
    delta: float = 1e-5
    queries: int = 10
    candidates: int = 5

    def __post_init__(self) -> None:
        if not LEVELS[0] <= self.epsilon <= LEVELS[1]:
            told = f"epsilon is {self.epsilon:g}; prices are computed for levels from {LEVELS[0]:g} to {LEVELS[1]:g}."
            raise InputError(told)
        if not 0 < self.delta < 1:
            raise InputError(f"delta is {self.delta:g}; it must be a probability between 0 and 1.")
        if not 2 <= self.queries <= MOST_QUERIES:
            raise InputError(f"queries is {self.queries}; a sparse vector is priced on 2 to {MOST_QUERIES} of them.")
        if not 2 <= self.candidates <= MOST_CANDIDATES:
            raise InputError(f"candidates is {self.candidates}; a maximum is priced of 2 to {MOST_CANDIDATES} of them.")


@dataclass(frozen=True)
class Price:
    """A bracket of the price, how it is reached, and what the published inputs alone reach of it."""

    lower: float
    upper: float
    witness: str
    on_published: float | None = None

    def __post_init__(self) -> None:
        reached = self.lower if self.on_published is None else max(self.lower, self.on_published)
        if not 0 <= reached <= self.upper + ABSOLUTE:
            raise ValueError(f"the price is at least {reached:g} and at most {self.upper:g}; one of them is wrong.")

    @property
    def exact(self) -> bool:
        """Return whether nothing is left between the bounds."""
        return self.lower == self.upper or self.upper - self.lower <= ROUNDING * self.lower

    def verdict(self, claimed: float) -> str:
        """Broken, right, or undecided; a claim that is met to the last bit is met."""
        slack = ROUNDING * claimed
        if self.lower > claimed + slack:
            return BROKEN
        return RIGHT if self.upper <= claimed + slack else UNDECIDED

    def certified(self, claimed: float) -> tuple[float, str]:
        """The number that the verdict rests on, and which kind of number it is."""
        if math.isinf(self.lower):
            return math.inf, INFINITE
        if self.exact:
            return self.lower, EXACT
        return (self.lower, AT_LEAST) if self.verdict(claimed) == BROKEN else (self.upper, AT_MOST)


@dataclass(frozen=True)
class Specimen:
    """One mechanism of a public set: its claim, what the literature says of it, and how it is priced.

    `measure` is what claim and price are measured in: ε, or δ at the level ε of the setting.
    """

    name: str
    group: str
    source: str
    label: str
    truth: str
    claimed: Callable[[Setting], float]
    price: Callable[[Setting], Price]
    measure: str = EPSILON
