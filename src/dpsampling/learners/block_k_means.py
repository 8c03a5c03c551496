r"""k means by sample-and-aggregate (Nissim, Raskhodnikova and Smith 2007; DP review 2019 section 5.5).

A coin puts each record into one of m blocks. In every block Lloyd's iteration runs from the same public starts, and its
centres are put in order. So each of the kd coordinates has m results in [−c, c], and neighbours, who share the coins of
common records, differ in the results of one block: adding, removing or replacing a record costs the same. With e =
ε/(kd), every coordinate is released as

    mean      mean of the results + Laplace(2c/(me)), 2c/(me) = 2ckd/(mε)                       kd·e = ε
    smooth    median of the results + (2S/e) Laplace(1), S β-smooth, β = e/(2 ln(2kd/δ))        (ε, δ) as is said

(`foundations.sample_and_aggregate`, whose noise knows the δ it really has: the guarantee here is kd of them). Nothing
is asked of what runs in a block. Records and released coordinates are put into [−c, c].

**Order.** The order of centres is by the projection on a public direction, u_i = cos i, so that it hangs on where they
are and not on the starts. Along one coordinate, clusters that are equal in it change places by chance from block to
block, and the mean of their centres is in neither. On the exact u no two points tie: Σ (a_i − b_i) cos i = 0 with
rational a_i, b_i, as floats are, has only the solution a = b (e^{±i}, …, e^{±di} are linearly independent over the
algebraic numbers: Lindemann and Weierstrass). But points may be close, and the u in use is rounded: where centres of
small blocks are spread by more than their projections are apart, they change places here as well. The numbers of the
starts, which all blocks share, are an order too, by which nothing changes places that starts tell apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.foundations.blocks import by_coins, check_blocks
from dpsampling.foundations.sample_and_aggregate import BlockMean, BlockSmoothMedian
from dpsampling.foundations.smooth_noise import SmoothLaplace
from dpsampling.learners import lloyd, rows
from dpsampling.learners.lloyd import CentresModel
from dpsampling.learners.moments import check_bounds, check_relation
from dpsampling.mechanisms.calibration import check_delta, check_epsilons
from dpsampling.numerics.arrays import Array, Indices
from dpsampling.privacy.accounting import repeat
from dpsampling.privacy.guarantee import Approximate, Guarantee, Pure, Relation
from dpsampling.privacy.rounding import float_above

ROUNDS = 10  # of Lloyd's iteration in each block
CONDITIONS = ("which block a record is in hangs on its own coin alone",)


@dataclass(frozen=True, eq=False)
class BlockKMeans:
    """k means from public `starts`, each coordinate released by `each`; `direction` puts centres in order."""

    starts: Array
    each: BlockMean | BlockSmoothMedian
    rounds: int = ROUNDS
    direction: ArrayLike = ()  # cos i without one
    relation: Relation = Relation.ADD_OR_REMOVE_ONE

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", lloyd.check_starts(self.starts))
        lloyd.check_rounds(self.rounds)
        check_relation(self.relation)
        check_bounds(max(abs(self.each.low), abs(self.each.high)))  # so that no sum overflows, which would be said
        d = self.starts.shape[1]
        direction = np.asarray(self.direction, dtype=np.float64)
        direction = direction if direction.size else generic_direction(d)
        if direction.shape != (d,) or not np.isfinite(direction).all() or not direction.any():
            raise InputError(f"direction has shape {direction.shape}; give {d} finite numbers that are not all 0.")
        object.__setattr__(self, "direction", direction)

    @classmethod
    def mean(
        cls,
        starts: ArrayLike,
        *,
        bound: float,
        blocks: int,
        epsilon: float,
        relation: Relation = Relation.ADD_OR_REMOVE_ONE,
    ) -> Self:
        """Means with Laplace noise: ε-DP. `bound` is c, which no coordinate of a centre is beyond."""
        found = lloyd.check_starts(starts)
        share = _share(epsilon, found.size)
        return cls(found, BlockMean(-bound, bound, check_blocks(blocks), share), relation=relation)

    @classmethod
    def smooth(
        cls,
        starts: ArrayLike,
        *,
        bound: float,
        blocks: int,
        epsilon: float,
        delta: float,
        relation: Relation = Relation.ADD_OR_REMOVE_ONE,
    ) -> Self:
        """Medians with noise by smooth sensitivity, at the constants of the paper: said to be (ε, δ)-DP."""
        found = lloyd.check_starts(starts)
        noise = SmoothLaplace.usual(_share(epsilon, found.size), check_delta(delta) / found.size)
        return cls(found, BlockSmoothMedian(-bound, bound, check_blocks(blocks), noise), relation=relation)

    @property
    def guarantee(self) -> Pure | Approximate:
        """Return what kd coordinates keep together; of the smooth form with the δ that its noise really has."""
        return _of_all(self.each.guarantee, self.starts.size, self.relation)

    def fit(self, points: ArrayLike, rng: np.random.Generator) -> CentresModel:
        """Blocks and noise of a generator: for experiments, it protects nothing."""
        found = self._points(points)
        coins = rng.integers(self.each.blocks, size=len(found))
        return self.fit_results(self.results(found, coins), rng)

    def fit_results(self, results: Array, rng: np.random.Generator) -> CentresModel:
        """The same of blocks whose centres stand already, so that levels share one outcome of the coins."""
        return self._model(results, lambda values: self.each.simulate(values, rng))

    def release(self, points: ArrayLike) -> CentresModel:
        """Blocks and exact noise by the operating system's bits; each release costs the guarantee."""
        found = self._points(points)
        return self._model(self.results(found, by_coins(len(found), self.each.blocks)), self._released)

    def results(self, points: ArrayLike, coins: Indices) -> Array:
        """The centres of each block, in order: (blocks, k, d). They are what noise is for, and not private."""
        centres = lloyd.lloyd(self._points(points), self.starts, self.rounds, coins, self.each.blocks)
        projected = np.zeros(centres.shape[:2])
        for column, weight in zip(np.moveaxis(centres, -1, 0), np.asarray(self.direction), strict=True):
            projected += column * weight
        order = np.argsort(projected, axis=1, kind="stable")
        return np.take_along_axis(centres, order[:, :, np.newaxis], axis=1)

    def _points(self, points: ArrayLike) -> Array:
        return np.clip(rows.matrix("points", points, self.starts.shape[1]), self.each.low, self.each.high)

    def _released(self, results: Array) -> Array:
        return np.array([self.each.release(row).floats for row in results])

    def _model(self, results: Array, aggregate: Callable[[Array], Array]) -> CentresModel:
        values = aggregate(results.reshape(self.each.blocks, -1).T)
        centres = np.clip(values, self.each.low, self.each.high).reshape(self.starts.shape)
        return CentresModel(centres, self.guarantee, {"blocks": self.each.blocks, "rounds": self.rounds})


def generic_direction(dimension: int) -> Array:
    """cos 1 … cos d."""
    return np.cos(np.arange(1.0, dimension + 1.0))


def _share(epsilon: float, parts: int) -> float:
    """The largest float e with parts·e ≤ ε."""
    return -float_above(-Fraction(float(check_epsilons(epsilon)[0])) / parts)


def _of_all(one: Guarantee, parts: int, relation: Relation) -> Pure | Approximate:
    whole = repeat(one, parts)
    assert isinstance(whole, Pure | Approximate)
    return replace(whole, relation=relation, conditions=CONDITIONS)
