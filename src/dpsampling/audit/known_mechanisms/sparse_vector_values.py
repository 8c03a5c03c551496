r"""Sparse vectors that release numbers with their ⊤, right and wrong, as in `sparse_vector` otherwise.

Released queries, q_i + ν_i ≥ Z (Lyu, Su and Li 2017, Algorithm 3; CheckDP's BadGapSVT). The density at (⊥ …, y, …) is
∫_{z ≤ min y} f(z) Π_⊥ F((z − q_i)/s₂) dz Π_⊤ g((y_i − q_i)/s₂)/s₂. Where every y is below all queries it is
proportional to e^{−Σ_i q_i/s₂}: moving all of them by 1 costs n/s₂. No answer costs more, since that is what all query
noises cost. The price grows with the number of queries without end, but is n/s₂ with n of them.

Fresh noise of scale s₃ on each released query (numerical sparse vector, Wang et al. 2019) costs 1/s₃ more a ⊤, met
together with the cost of the answers.

Gaps, q_i + ν_i − Z ≥ 0 (Wang et al. 2019): as for the answer ⊤, but the query noise must move by exactly a − δ_i, at
most |a| + 1, whose cost is bounded by that of a = 0 or a = 1; and a gap has the same limit as ⊤ at −Q.

The adaptive sparse vector (Ding et al. 2019) tries a wider noise first, s₃ = 2s₂, and answers ⊤ with its gap if that is
16 or more; otherwise it decides as above. Given the way it was answered, a shift by a = 1 costs 2/s₃ or 2/s₂ a ⊤ and
nothing a ⊥. Gaps below 16 can only come the second way, where F((Z + 16 − q)/s₃) → 1 at −Q: ⊤ of that kind meet the
bound. If the first way releases the query in place of the gap, then as above a release y < 0 is its own, and
(⊥, …, ⊥, y) with y below all queries costs m(1/s₂ + 1/s₃) + 1/s₃.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpsampling.audit.known_mechanisms.inputs import Pair
from dpsampling.audit.known_mechanisms.price import Price
from dpsampling.audit.known_mechanisms.sparse_vector import SparseVector
from dpsampling.audit.known_mechanisms.threshold_integrals import ABOVE, answers
from dpsampling.numerics.arrays import Array


def released_queries(vector: SparseVector, queries: int, pairs: Sequence[Pair] = ()) -> Price:
    """Algorithm 3: the noisy query that passed is released."""
    price = queries / vector.query_scale
    reached = max(released_loss(vector, x, y) for x, y in pairs) if pairs else None
    return Price(price, price, "a release below every query, all of which move by 1", reached)


def released_queries_on(vector: SparseVector, pairs: Sequence[Pair]) -> Price:
    """The same where inputs are restricted to the given pairs."""
    reached = max(released_loss(vector, x, y) for x, y in pairs)
    return Price(reached, len(pairs[0][0]) / vector.query_scale, "a release below every query", reached)


def released_loss(vector: SparseVector, x: Array, y: Array) -> float:
    """|ln ratio| of the densities at a release below the threshold and all queries."""
    return abs(float(np.sum(x - y))) / vector.query_scale


def released_beside(first: SparseVector, second: SparseVector, queries: int, pairs: Sequence[Pair]) -> Price:
    """Algorithms 3 and 4 on the same queries, both outputs released.

    The limit of the second is met by ⊥ at +Q that rise and ⊤ at −Q that fall. If the first answers alike and releases 0
    for each ⊤, its threshold is at most 0, so that each query costs 1/s₂; if all rise, its last may be a low release.
    """
    together = released_queries(first, queries).upper + second.price(queries).upper
    counts = [(queries - above, above) for above in range(min(first.cutoff, second.cutoff) + 1)]
    reached = queries / first.query_scale + max(second.least_cost(*pair) for pair in counts)
    on_pairs = max(_loss_beside(first, second, x, y) for pair in pairs for x, y in (pair, pair[::-1]))
    return Price(reached, together, "the limits of both, at once", on_pairs)


def _loss_beside(first: SparseVector, second: SparseVector, x: Array, y: Array) -> float:
    """ln ratio of x to y: a release below all queries, where it favours x, and the second's answers."""
    rows = answers(len(x), second.cutoff)
    low_release = float(np.sum(y - x)) / first.query_scale
    return max(0.0, low_release) + float(np.max(second.log_law(x, rows) - second.log_law(y, rows)))


def fresh_releases(vector: SparseVector, release_scale: float, queries: int, pairs: Sequence[Pair] = ()) -> Price:
    """The numerical sparse vector: what passed is released with noise of its own."""
    counts = [(queries - above, above) for above in range(min(vector.cutoff, queries) + 1)]
    price = max(vector.least_cost(*pair) + pair[1] / release_scale for pair in counts)
    reached = max(_fresh_loss(vector, release_scale, x, y) for x, y in pairs) if pairs else None
    return Price(price, price, "⊥ far above, ⊤ far below the threshold, releases beyond them", reached)


def _fresh_loss(vector: SparseVector, release_scale: float, x: Array, y: Array) -> float:
    rows = answers(len(x), vector.cutoff)
    answered = vector.log_law(x, rows) - vector.log_law(y, rows)
    extra = (rows == ABOVE) @ np.abs(x - y) / release_scale
    return float(np.max(np.abs(answered) + extra))


def gaps(vector: SparseVector, queries: int) -> Price:
    """The gap to the noisy threshold is released."""
    counts = [(queries - above, above) for above in range(min(vector.cutoff, queries) + 1)]
    upper = max(min(_gap_cost(vector, *pair, a) for a in (0.0, 1.0)) for pair in counts)
    reached = vector.price(queries)
    return Price(reached.lower, upper, reached.witness)


def _gap_cost(vector: SparseVector, below: int, above: int, a: float) -> float:
    return a / vector.threshold_scale + (below * (1.0 - a) + above * (1.0 + a)) / vector.query_scale


@dataclass(frozen=True)
class Adaptive:
    """The adaptive sparse vector, whose first way of answering has twice the noise and half the cost."""

    vector: SparseVector

    @property
    def wide_scale(self) -> float:
        """s₃, of the noise that is tried first."""
        return 2.0 * self.vector.query_scale

    def costs(self, queries: int) -> set[tuple[int, int]]:
        """How many ⊤ there may be each way: a ⊤ is paid for with 1 or 2 units, and one fits while 2 are left."""
        budget = 2 * self.vector.cutoff
        found: set[tuple[int, int]] = set()
        open_ends = {(0, 0)}
        while open_ends:
            found |= open_ends
            going = {(w, n) for w, n in open_ends if w + 2 * n <= budget - 2 and w + n < queries}
            open_ends = {pair for w, n in going for pair in ((w + 1, n), (w, n + 1))} - found
        return found

    def gaps(self, queries: int) -> Price:
        """As described: both ways release the gap."""
        s1, s2, s3 = self.vector.threshold_scale, self.vector.query_scale, self.wide_scale
        ways = self.costs(queries)
        upper = max(1.0 / s1 + 2.0 * wide / s3 + 2.0 * narrow / s2 for wide, narrow in ways)
        limits = [self._limit(queries - narrow, narrow) for wide, narrow in ways if wide == 0]
        return Price(max(limits), upper, "⊥ far above, ⊤ with gaps below 16 far below the threshold")

    def released(self, queries: int) -> Price:
        """As broken: the first way releases the noisy query."""
        s2, s3 = self.vector.query_scale, self.wide_scale
        lower = (queries - 1) * (1.0 / s2 + 1.0 / s3) + 1.0 / s3
        return Price(
            lower, math.inf, f"{queries - 1} ⊥, then a release below 0 and below every query, all of which move"
        )

    def _limit(self, below: int, above: int) -> float:
        """The least cost of m ⊥ at +Q and k ⊤ at −Q, where a ⊥ passes two comparisons."""
        s1, s2, s3 = self.vector.threshold_scale, self.vector.query_scale, self.wide_scale
        return min(
            abs(a) / s1 + below * max(0.0, 1.0 - a) * (1.0 / s2 + 1.0 / s3) + above * max(0.0, a + 1.0) / s2
            for a in (0.0, -1.0, 1.0)
        )


def adaptive(vector: SparseVector, queries: int) -> Price:
    """The adaptive sparse vector with these scales for its second way of answering."""
    return Adaptive(vector).gaps(queries)


def adaptive_released(vector: SparseVector, queries: int) -> Price:
    """The same, broken."""
    return Adaptive(vector).released(queries)
