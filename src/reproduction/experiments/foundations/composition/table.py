r"""What each claim promises of k releases, the least that is true, and the δ that its level really has.

The least is that of randomized response (`foundations.composition`), of which every (ε, δ) mechanism is a
post-processing. Claim 2.30 is tried at every number of releases up to the largest, in floats; the first that fails is
certified in balls, as are all numbers of the grid. Rows about distances are of one pair of outputs each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from dpsampling.foundations.composition import advanced, basic, optimal_delta, optimal_epsilon, root
from dpsampling.foundations.distance import gaussian_delta, geometric_pair
from dpsampling.foundations.max_divergence import divergence, excess
from dpsampling.privacy.gaussian_dp import GaussianDP, compose, largest_mu
from reproduction.experiments.foundations import composition as said

NO_SIGMA = None
least_level = cache(optimal_epsilon)  # two claims are held against the same one
Row = tuple[str, int, int, float, float, float, float | None, float, float, float, float]


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each claim and setting; nothing here is random."""
    del rng
    rows: list[Row] = []
    for epsilon in params["epsilons"]:
        for count in params["counts"]:
            for delta in (0.0, params["delta"]):
                rows += _claimed(count, epsilon, delta, params["deltas"])
        for slack in params["deltas"]:
            rows += _failure(max(params["counts"]), epsilon, slack)
    for distance in params["distances"]:
        rows += _far(distance, params["epsilon"])
        sigma = 1.0 / largest_mu(params["epsilon"], params["delta"])  # exactly (ε, δ) at distance 1
        rows.append(_noise(said.AT_DISTANCE, distance, params["epsilon"], params["delta"], sigma))
        # All d samples of the difference in one cell, the furthest apart that two histograms get; ε = 1.
        rows += [_noise(said.HISTOGRAM, distance, 1.0, delta, params["sigma"]) for delta in said.HISTOGRAM_DELTAS]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _claimed(count: int, epsilon: float, delta: float, slacks: list[float]) -> Iterator[Row]:
    """Every claim at δ = 0; with δ at the smallest slack only, of Gaussian noise too."""
    if count * delta < 1.0:
        yield _row(said.BASIC, count, epsilon, delta, 0.0, basic(count, epsilon))
    for slack in slacks if delta == 0.0 else [min(slacks)]:
        if count * delta + slack >= 1.0:
            continue
        yield _row(said.ROOT, count, epsilon, delta, slack, root(count, epsilon, slack))
        yield _row(said.ADVANCED, count, epsilon, delta, slack, advanced(count, epsilon, slack))
        if delta > 0.0:
            yield _gaussian(count, epsilon, delta, slack)


def _row(claim: str, count: int, epsilon: float, delta: float, slack: float, claimed: float) -> Row:
    stated = count * delta + slack
    least = least_level(count, epsilon, delta, stated)
    true = optimal_delta(count, epsilon, delta, claimed)
    return claim, count, 1, epsilon, delta, slack, NO_SIGMA, stated, claimed, least, true


def _gaussian(count: int, epsilon: float, delta: float, slack: float) -> Row:
    """Noise that is exactly (ε, δ), so many times."""
    mu = largest_mu(epsilon, delta)
    together = compose([GaussianDP(mu)] * count) if count > 1 else GaussianDP(mu)
    stated, claimed = count * delta + slack, advanced(count, epsilon, slack)
    least, true = together.approximate(stated).epsilon, together.delta(claimed)
    return said.GAUSSIAN, count, 1, epsilon, delta, slack, 1.0 / mu, stated, claimed, least, true


def _failure(most: int, epsilon: float, slack: float) -> Iterator[Row]:
    """The first number of releases at which Claim 2.30 fails for randomized response, and the one before."""
    first = _first_failure(most, epsilon, slack)
    if first is None:
        return
    yield _row(said.FIRST_FAILURE, first, epsilon, 0.0, slack, root(first, epsilon, slack))
    if first > 1:
        yield _row(said.BEFORE_FAILURE, first - 1, epsilon, 0.0, slack, root(first - 1, epsilon, slack))


def _first_failure(most: int, epsilon: float, slack: float) -> int | None:
    """By floats, in ever longer runs of numbers."""
    start = 1
    while start <= most:
        counts = np.arange(start, min(2 * start, most + 1))
        levels = np.sqrt(counts) * epsilon * math.log(1.0 / slack)
        lies = np.ceil((counts - levels / epsilon) / 2.0) - 1.0
        lie = 1.0 / (1.0 + math.exp(epsilon))
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            deltas = binom.cdf(lies, counts, lie) - np.exp(levels + binom.logcdf(lies, counts, 1.0 - lie))
        failing = counts[np.where(lies >= 0, deltas, 0.0) > slack]
        if len(failing):
            return int(failing[0])
        start *= 2
    return None


def _far(distance: int, epsilon: float) -> Iterator[Row]:
    """Ten releases with geometric noise of values d apart, each (dε, 0)."""
    count, slack = said.FAR_COUNT, said.FAR_SLACK
    p, q = (law.tolist() for law in geometric_pair(math.exp(epsilon), distance, count))
    for claim, level, stated in (
        (said.BASIC, basic(count, epsilon), 0.0),
        (said.ROOT, root(count, epsilon, slack), slack),
        (said.ADVANCED, advanced(count, epsilon, slack), slack),
    ):
        claimed = distance * level
        least, true = divergence(p, q, stated), float(excess(p, q, math.exp(claimed)))
        used = 0.0 if claim == said.BASIC else slack
        yield said.FAR[claim], count, distance, epsilon, 0.0, used, NO_SIGMA, stated, claimed, max(least, 0.0), true


def _noise(claim: str, distance: int, epsilon: float, delta: float, sigma: float) -> Row:
    least = GaussianDP(distance / sigma).approximate(delta).epsilon
    true = gaussian_delta(sigma, epsilon, distance)
    return claim, 1, distance, epsilon, delta, 0.0, sigma, delta, distance * epsilon, least, true
