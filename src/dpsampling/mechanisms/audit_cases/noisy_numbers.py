"""Noise on counts and sums, exposed: the noisy numbers themselves, since what is made of them can only hide noise.

One record in two or three categories for Laplace and geometric noise; a bit, and a sum far from both clips, for
Gaussian noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.gaussian_statistic import Calibration, GaussianStatistic, UnclippedStatistic
from dpsampling.mechanisms.known_laws import clipped_geometric, clipped_laplace, clipped_normal, normal
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts, LaplaceStatistic
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, all_pairs, both_ways, with_less_noise
from dpsampling.privacy.guarantee import Pure
from dpsampling.privacy.laws import Finite, Independent, OnLine

UNIFORM = (1.0, 2.0)
FAR = 10.0  # standard deviations from the clips
TAIL = 80.0  # geometric noise beyond so many scales has mass e^-80
Draw = Callable[[Array, np.random.Generator, int], Array]


def gaussian(calibration: Calibration, order: float, epsilon: float) -> list[AuditCase]:
    """The clipped statistic that θ is made of, at the ends and where no clip is in reach."""
    sigma = _sigma(calibration, order, epsilon)
    half = math.ceil(FAR * sigma + order)  # the integral of order λ is carried λ steps away from the sum
    n = 2 * half + 1
    mechanism = GaussianStatistic(BetaBernoulli(), UNIFORM, n, sigma)
    values = (0, 1, half, half + 1, n - 1, n)

    def laws(factor: float, own: bool = False) -> Laws:
        draws = {s: partial(mechanism.simulate_statistic, s) if own else None for s in values}
        return {f"s = {s}": clipped_normal(s, sigma / factor, n, draws[s]) for s in values}

    pairs = both_ways(*((f"s = {a}", f"s = {b}") for a, b in zip(values[::2], values[1::2], strict=True)))
    (p, _), (q, _) = mechanism.worst_pair(order)
    named = (f"s = {p:g}", f"s = {q:g}")
    return [with_less_noise(f"the clipped sum, n = {n}", mechanism.guarantee, laws, pairs, named=named)]


def unclipped(order: float, epsilon: float) -> list[AuditCase]:
    """The statistic before it is clipped, of one bit."""
    mechanism = UnclippedStatistic(
        GaussianStatistic(BetaBernoulli(), UNIFORM, 1, sigma := _sigma("tight", order, epsilon))
    )
    laws = {
        f"s = {s}": OnLine(partial(mechanism.log_density, statistic=float(s)), partial(mechanism.simulate, s))
        for s in (0, 1)
    }
    lie = {"noise": lambda factor: {f"s = {s}": normal(s, sigma / factor) for s in (0, 1)}}
    return [AuditCase("the sum, n = 1", mechanism.guarantee, laws, all_pairs(laws), lie, named=("s = 0", "s = 1"))]


def laplace(order: float, epsilon: float) -> list[AuditCase]:
    """The two noisy counts that θ is made of, under the ε₀-DP that implies (λ, ε)."""
    mechanism = LaplaceStatistic.calibrate(BetaBernoulli(), UNIFORM, 1, order=order, epsilon=epsilon)

    def draw(counts: Array, rng: np.random.Generator, size: int) -> Array:
        return mechanism.simulate_counts(counts[0], rng, size)

    what = "both noisy counts, n = 1"
    return [_counts(what, mechanism.guarantee, 2, draw, partial(_clipped, mechanism.epsilon, math.inf))]


def counts(_order: float, epsilon: float) -> list[AuditCase]:
    """Counts of three categories, with either noise and either projection."""
    kinds: list[tuple[str, LaplaceCounts, Callable[[float, float], Finite | OnLine]]] = [
        ("clipped at 0", LaplaceCounts(epsilon), partial(_clipped, epsilon, math.inf)),
        ("clipped to [0, n]", LaplaceCounts(epsilon, "range", 1), partial(_clipped, epsilon, 1.0)),
        ("whole numbers", LaplaceCounts(epsilon, noise="discrete"), partial(_geometric, epsilon)),
    ]
    return [
        _counts(f"three noisy counts, {name}, n = 1", mechanism.guarantee, 3, mechanism.simulate, part)
        for name, mechanism, part in kinds
    ]


def _counts(
    what: str, guarantee: Pure, outcomes: int, draw: Draw, part: Callable[[float, float], Finite | OnLine]
) -> AuditCase:
    """One record that may be any of the outcomes."""
    records = {f"x = {i}": np.eye(outcomes)[i] for i in range(outcomes)}

    def laws(factor: float) -> Laws:
        return {name: Independent(tuple(part(c, factor) for c in counts)) for name, counts in records.items()}

    honest = {
        name: Independent(tuple(part(c, 1.0) for c in counts), partial(draw, counts))
        for name, counts in records.items()
    }
    return AuditCase(what, guarantee, honest, all_pairs(records), {"noise": laws})


def _clipped(epsilon: float, top: float, count: float, factor: float) -> OnLine:
    return clipped_laplace(count, 2.0 / epsilon / factor, top)


def _geometric(epsilon: float, count: float, factor: float) -> Finite:
    return clipped_geometric(int(count), 2.0 / epsilon / factor, math.ceil(TAIL * 2.0 / epsilon) + 2)


def _sigma(calibration: Calibration, order: float, epsilon: float) -> float:
    return float(GaussianStatistic.calibrated_sigmas(BetaBernoulli(), order, epsilon, calibration)[0])
