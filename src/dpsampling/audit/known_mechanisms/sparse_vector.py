r"""The sparse vector technique: which queries are above one noisy threshold (Lyu, Su and Li 2017, Alg. 1, 2, 4–6).

Threshold noise has scale s₁, query noise s₂, and the mechanism stops at its c-th ⊤. Neighbours move query i by δ_i in
[l, h], with l ≤ 0 ≤ h: [−1, 1], or [0, 1] and [−1, 0] where all move the same way.

No more than: add a to the threshold noise, and to each query noise as little as keeps its answer. An answer sequence
with m ⊥ and k ⊤ then costs at most

    cost(a) = |a|/s₁ + m max(0, h − a)/s₂ + k max(0, a − l)/s₂,

which is convex and piecewise linear, so that its least value is at a = 0, h or l.

No less than: let the ⊥ queries be at +Q and the ⊤ queries at −Q, Q → ∞. Between them the integrand of
`threshold_integrals` is e^{−|z|/s₁ + (m−k)z/s₂}. If |m − k|/s₂ < 1/s₁ its mass is in between, where moving the
queries by h and l multiplies it by e^{−cost(0)}; otherwise it is at +Q or −Q, moves along with the queries there, and
what it is multiplied by is e^{−cost(h)} or e^{−cost(l)}. In each case that is the least cost, and the bound is met:

    price = max over (m, k)  min{cost(0), cost(h), cost(l)}.

It grows with m, so that m = n − k is enough. A threshold drawn anew after each ⊤ makes the segments between them
independent, and their prices add. Without query noise (Algorithm 5) an answer says that the threshold is between two
queries; where neighbours order their queries differently, one of them cannot give the other's answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpsampling.audit.known_mechanisms.inputs import Pair
from dpsampling.audit.known_mechanisms.price import Price
from dpsampling.audit.known_mechanisms.threshold_integrals import (
    ABOVE,
    BELOW,
    NOT_ASKED,
    answers,
    log_cdf,
    log_probabilities,
)
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.ties import DIGITS, first_of_largest

UP_OR_DOWN = ((-1.0, 1.0),)
ONE_WAY = ((0.0, 1.0), (-1.0, 0.0))
SHOWN = {BELOW: "⊥", ABOVE: "⊤", NOT_ASKED: "·"}


@dataclass(frozen=True)
class SparseVector:
    """Scales of the noise, the number of ⊤ after which it stops, and whether the threshold is then drawn anew."""

    threshold_scale: float
    query_scale: float
    cutoff: int
    threshold: float = 1.0
    renewed: bool = False
    ranges: tuple[tuple[float, float], ...] = UP_OR_DOWN

    def price(self, queries: int, pairs: Sequence[Pair] = ()) -> Price:
        """The price over all inputs with so many queries, and over the given pairs."""
        most, witness = self._renewed(queries) if self.renewed else self._single(queries)
        return Price(most, most, witness, self.on_pairs(pairs)[0] if pairs else None)

    def price_on(self, pairs: Sequence[Pair], queries: int) -> Price:
        """The price where inputs are restricted: at least what these pairs reach, at most what all inputs do."""
        reached, witness = self.on_pairs(pairs)
        return Price(reached, self.price(queries).upper, witness, reached)

    def on_pairs(self, pairs: Sequence[Pair]) -> tuple[float, str]:
        """The largest |ln ratio| over all answers for the given pairs of inputs, and the answers that have it."""
        rows = answers(len(pairs[0][0]), self.cutoff)
        losses = np.array([np.abs(self.log_law(x, rows) - self.log_law(y, rows)) for x, y in pairs])
        pair, row = divmod(int(first_of_largest(losses.ravel())), len(rows))
        return float(losses[pair, row]), f"{shown(rows[row])} on {listed(pairs[pair][0])} and {listed(pairs[pair][1])}"

    def log_law(self, queries: Array, rows: NDArray[np.int_]) -> Array:
        """Ln Pr of each row of answers."""
        if not self.renewed:
            return log_probabilities(queries, rows, self.threshold, self.threshold_scale, self.query_scale)

        @cache
        def segment(start: int, end: int, last: int) -> float:
            row = np.full((1, end - start), BELOW)
            row[0, -1] = last
            scales = (self.threshold, self.threshold_scale, self.query_scale)
            return float(log_probabilities(queries[start:end], row, *scales)[0])

        def of_segments(row: NDArray[np.int_]) -> float:
            asked = row[row != NOT_ASKED]
            ends = [0, *(np.flatnonzero(asked == ABOVE) + 1), len(asked)]
            return sum(segment(int(i), int(j), int(asked[j - 1])) for i, j in pairwise(ends) if i < j)

        return np.array([of_segments(row) for row in rows])

    def _single(self, queries: int) -> tuple[float, str]:
        counts = [(queries - above, above) for above in range(min(self.cutoff, queries) + 1)]
        below, above = max(counts, key=lambda pair: self.least_cost(*pair))
        return self.least_cost(below, above), f"{below} ⊥ far above and {above} ⊤ far below the threshold"

    def _renewed(self, queries: int) -> tuple[float, str]:
        @cache
        def best(left: int, segments: int) -> tuple[float, tuple[int, ...]]:
            if left == 0 or segments == 0:
                return 0.0, ()
            options: list[tuple[float, tuple[int, ...]]] = [(self.least_cost(left, 0), (left,))]
            for size in range(1, left + 1):
                rest, sizes = best(left - size, segments - 1)
                options.append((self.least_cost(size - 1, 1) + rest, (size, *sizes)))
            return max(options)

        most, sizes = best(queries, self.cutoff)
        return most, f"segments of {', '.join(map(str, sizes))}: ⊥ far above, the last ⊤ far below the threshold"

    def least_cost(self, below: int, above: int) -> float:
        """The price of an answer sequence with so many ⊥ and ⊤: the least cost of shifting the threshold."""
        return max(
            min(
                abs(a) / self.threshold_scale
                + (below * max(0.0, high - a) + above * max(0.0, a - low)) / self.query_scale
                for a in (0.0, low, high)
            )
            for low, high in self.ranges
        )


def without_query_noise(threshold_scale: float, threshold: float, pairs: Sequence[Pair]) -> Price:
    """Algorithm 5: queries are compared with the noisy threshold as they are."""
    both_ways = [way for pair in pairs for way in (pair, pair[::-1])]
    most, _, witness = max((_between(x, y, threshold_scale, threshold) for x, y in both_ways), key=_order)
    return Price(most, math.inf, witness, most)


def _between(x: Array, y: Array, scale: float, threshold: float) -> tuple[float, float, str]:
    """The largest ln ratio of answers that x can give, infinite where y cannot, their ln probability, and which."""
    best = (0.0, 0.0, "")
    edges = [-math.inf, *np.unique(x), math.inf]
    for low, high in pairwise(edges):
        row = (x >= high).astype(int)
        low_y, high_y = max(y[row == 0], default=-math.inf), min(y[row == 1], default=math.inf)
        here = _log_mass((low - threshold) / scale, (high - threshold) / scale)
        there = _log_mass((low_y - threshold) / scale, (high_y - threshold) / scale) if low_y < high_y else -math.inf
        told = f"{shown(row)} on {listed(x)}: probability {math.exp(here):.3g}, and "
        told += f"{math.exp(there):.3g} on {listed(y)}"
        best = max(best, (here - there, here, told), key=_order)
    return best


def _order(found: tuple[float, float, str]) -> tuple[float, float, str]:
    """By the ratio, then by the probability, as far as neither is rounding; then by the words."""
    return round(found[0], DIGITS), round(found[1], DIGITS), found[2]


def _log_mass(low: float, high: float) -> float:
    """Ln of the standard Laplace probability of (low, high)."""
    if low > 0:
        low, high = -high, -low
    upper, lower = (float(log_cdf(np.array(t))) for t in (high, low))
    return float(logsumexp([upper, lower], b=[1.0, -1.0])) if lower > -math.inf else upper


def shown(row: NDArray[np.int_]) -> str:
    """Answers in a line."""
    return "".join(SHOWN[int(answer)] for answer in row)


def listed(queries: Array) -> str:
    """Queries in a line, with runs counted."""
    cuts = [0, *(np.flatnonzero(np.diff(queries)) + 1), len(queries)]
    return "(" + ", ".join(f"{j - i}×{queries[i]:g}" for i, j in pairwise(cuts)) + ")"
