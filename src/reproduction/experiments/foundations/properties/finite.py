"""Small finite laws and mechanisms in fractions: all of them with a denominator, and random ones."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from dpsampling.foundations.max_divergence import Number, excess

Law = tuple[Fraction, ...]
Mechanism = tuple[Law, ...]  # a law for 0, 1, 2, … records
DRAWN_DENOMINATOR = 12


def laws(outputs: int, denominator: int) -> list[Law]:
    """All laws whose probabilities are multiples of 1/denominator."""
    return [
        tuple(Fraction(part, denominator) for part in parts)
        for parts in product(range(denominator + 1), repeat=outputs)
        if sum(parts) == denominator
    ]


def mechanisms(records: int, denominator: int) -> list[Mechanism]:
    """All with two outputs and up to so many records, but for the names of the outputs."""
    every = product(laws(2, denominator), repeat=records + 1)
    return [mechanism for mechanism in every if mechanism[0][0] <= mechanism[0][1]]


def drawn_law(outputs: int, rng: np.random.Generator) -> Law:
    """Twelve tosses into the outputs, so that some are empty."""
    weights = rng.dirichlet(np.full(outputs, 0.7))
    return tuple(Fraction(int(part), DRAWN_DENOMINATOR) for part in rng.multinomial(DRAWN_DENOMINATOR, weights))


def drawn_mechanism(records: int, outputs: int, rng: np.random.Generator) -> Mechanism:
    """Independent laws."""
    return tuple(drawn_law(outputs, rng) for _ in range(records + 1))


def events(p: Law, q: Law) -> Iterator[tuple[Fraction, Fraction]]:
    """P(S) and Q(S) of every event."""
    for chosen in product((0, 1), repeat=len(p)):
        yield (
            sum(x for x, c in zip(p, chosen, strict=True) if c) + Fraction(0),
            sum(x for x, c in zip(q, chosen, strict=True) if c) + Fraction(0),
        )


def largest_quotient(masses: Iterator[tuple[Fraction, Fraction]], delta: Fraction) -> Number:
    """max (P(S) − δ)/Q(S) over these events with P(S) > δ, and 0 without one."""
    best: Number = Fraction(0)
    for mass, beside in masses:
        if mass > delta:
            best = max(best, math.inf if beside == 0 else (mass - delta) / beside)
    return best


def delta_at_every_distance(mechanism: Sequence[Law], t: Fraction) -> Number:
    """The least δ of Definition 2.15 at ε = ln t."""
    return max(
        excess(p, q, t ** abs(i - j)) for i, p in enumerate(mechanism) for j, q in enumerate(mechanism) if i != j
    )


def delta_of_neighbours(mechanism: Sequence[Law], t: Fraction) -> Number:
    """The least δ of the usual definition."""
    return max(excess(p, q, t) for i, p in enumerate(mechanism) for j, q in enumerate(mechanism) if abs(i - j) == 1)


@dataclass
class Tally:
    """Cases of left ≤ right: how many there are, how many fail, the first of these, and the worst case."""

    cases: int = 0
    violations: int = 0
    left: float = math.nan
    right: float = math.nan
    witness: str | None = None
    worst: float = -math.inf

    def see(self, left: Number, right: Number, witness: str) -> None:
        """One case."""
        self.cases += 1
        if left > right:
            self.violations += 1
            self.witness = self.witness or witness
        over = -math.inf if right == math.inf else float(left) - float(right)
        if over > self.worst or self.cases == 1:
            self.worst, self.left, self.right = over, float(left), float(right)


def description(law: Sequence[Fraction]) -> str:
    """Return the law as text, such as (1/2, 1/2)."""
    return f"({', '.join(map(str, law))})"
