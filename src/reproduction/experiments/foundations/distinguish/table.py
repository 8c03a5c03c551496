r"""Errors in closed form (`foundations.robust.adversary`), and of draws that are made one after another.

Each pair of data sets has n₀ records, one of which is changed. Of coins half of the records are ones, or none is; and
two data sets are in another order, at distance 2 with one posterior. Of the exponential family some have many records.
The queries beside θ are indicators: of where the densities cross, and of quantiles of the first posterior. δ runs over
its levels, for each of which Theorem 3 has a distance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betaincinv, gammaincinv, logit

from dpsampling.foundations.robust import adversary, bounds, constants
from dpsampling.foundations.robust.families import Bits, Exponential, NormalPrecision
from dpsampling.foundations.robust.laws import BetaLaw, GammaLaw
from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.numerics.randomness import substream
from reproduction.experiments.foundations import distinguish as said

Array = np.ndarray[Any, Any]
Law = GammaLaw | BetaLaw
LogRatios = Callable[[bool, np.random.Generator, tuple[int, int]], Array]  # of draws under x, or else under y

QUANTILES = (0.5, 0.9)
MANY, SMALL = 399, 0.1  # records of which one moves a little: Theorem 1 (ii) fails there
ABOUT = ("family", "pair", "records", "concentration", "assumption", "constant", "distance")  # fields and columns
BATCH = 2_000_000  # draws that are held at once


@dataclass(frozen=True)
class Pair:
    """Two posteriors, the error of the best test after n draws, and the log-ratios of draws."""

    family: str
    pair: str
    records: int
    concentration: float
    assumption: int
    constant: float
    distance: float
    error: Callable[[int], float]
    log_ratios: LogRatios
    queries: Mapping[str, tuple[float, float]]  # probabilities of an indicator under x and y


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each pair, query, number of draws and δ."""
    kappa = constants.kappa().upper
    draws, deltas, runs = sorted(params["posterior_draws"]), params["error_levels"], params["runs"]
    rows: list[dict[str, Any]] = []
    for index, pair in enumerate(_pairs(params)):
        measured = _measured(pair, draws, runs, substream(rng, index))
        for n, (empirical, spread) in zip(draws, measured, strict=True):
            rows += _rows(pair, said.THETA, pair.error(n), empirical, spread, n, deltas, kappa)
            for query, (p, q) in pair.queries.items():
                rows += _rows(pair, query, adversary.coin_error(p, q, n), math.nan, math.nan, n, deltas, kappa)
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _rows(
    pair: Pair, query: str, exact: float, empirical: float, spread: float, n: int, deltas: Sequence[float], kappa: float
) -> Iterator[dict[str, Any]]:
    first, constant = pair.assumption == 1, pair.constant
    about = {name: getattr(pair, name) for name in ABOUT}
    measured = {"exact_error": exact, "empirical_error": empirical, "standard_error": spread}
    per_unit = bounds.kl_per_unit(lipschitz=constant) if first else bounds.kl_per_unit(c=constant, kappa=kappa)
    least = adversary.least_error(constant, pair.distance, n) if first else 0.0
    for delta in deltas:
        if first:
            bound = bounds.distance_lipschitz(constant, n, delta)
        else:
            bound = bounds.distance_relaxed(constant, kappa, n, delta)
        theorem = {"per_unit": per_unit, "n": n, "delta": delta, "distance_bound": bound, "least_error": least}
        yield {**about, "query": query, **measured, **theorem}


def _measured(pair: Pair, draws: Sequence[int], runs: int, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Errors after each number of draws, of `runs` sequences under x and as many under y."""
    sums = {}
    for first in (True, False):
        reached, parts = np.zeros(runs), []
        for before, after in zip([0, *draws[:-1]], draws, strict=True):
            left = after - before
            while left:
                some = min(left, max(1, BATCH // runs))
                reached = reached + pair.log_ratios(first, rng, (runs, some)).sum(axis=1)
                left -= some
            parts.append(reached)
        sums[first] = parts
    return [adversary.simulated_error(a, b) for a, b in zip(sums[True], sums[False], strict=True)]


def _pairs(params: Mapping[str, Any]) -> Iterator[Pair]:
    n, change = params["n"], params["change"]
    still, moved = [1.0] * n, [1.0] * (n - 1) + [1.0 + change]
    for epsilon in params["least_probabilities"]:
        yield _coins(epsilon, n, said.CHANGED, 1.0, (n // 2, n // 2 + 1))
        yield _coins(epsilon, n, said.UNANIMOUS, 1.0, (0, 1))
        yield _coins(epsilon, n, said.REORDERED, 2.0, (n // 2, n // 2))
    yield _gammas(said.EXPONENTIAL, Exponential(1.0), 1.0, [0.0] * MANY, [0.0] * (MANY - 1) + [SMALL])
    for rate in params["concentrations"]:
        yield _gammas(said.EXPONENTIAL, Exponential(rate), rate, still, moved)
        yield _gammas(said.NORMAL, NormalPrecision(rate), rate, still, moved)
        yield _betas(n, Bits(rate))


def _coins(epsilon: float, n: int, name: str, distance: float, ones: tuple[int, int]) -> Pair:
    """Two parameters ε and 1 − ε, even prior; L = ln((1−ε)/ε)."""
    mechanism = FinitePosterior.coins((epsilon, 1.0 - epsilon), (1.0, 1.0))
    laws = [mechanism.log_probabilities([n - k, k]) for k in ones]
    p, q = (float(np.exp(law[1])) for law in laws)
    ratio = laws[0] - laws[1]

    def log_ratios(first: bool, rng: np.random.Generator, size: tuple[int, int]) -> Array:
        return np.asarray(np.where(rng.random(size) < (p if first else q), ratio[1], ratio[0]))

    about = said.COINS, name, n, epsilon, 1, mechanism.lipschitz, distance
    return Pair(*about, partial(adversary.coin_error, p, q), log_ratios, {"the likelier coin": (p, q)})


def _gammas(
    name: str, family: Exponential | NormalPrecision, rate: float, still: list[float], moved: list[float]
) -> Pair:
    p, q = family.posterior(still), family.posterior(moved)

    def log_ratio(theta: Array) -> Array:
        return np.asarray(p.shape * math.log(p.rate / q.rate) + (q.rate - p.rate) * theta)

    edges = [p.crossing(q), *(float(gammaincinv(p.shape, share)) / p.rate for share in QUANTILES)]
    about = name, said.CHANGED, len(still), rate, 2, family.c, family.distance(still, moved)
    return Pair(*about, partial(adversary.gamma_error, p, q), _drawn(p, q, log_ratio), _indicators(p, q, edges))


def _betas(n: int, family: Bits) -> Pair:
    """Half of the bits are 1, and one more."""
    p, q = family.counted(n // 2, n), family.counted(n // 2 + 1, n)
    crossing = p.crossing(q)

    def log_ratio(theta: Array) -> Array:
        return (p.a - q.a) * (theta - crossing)

    edges = [crossing, *(float(logit(betaincinv(p.a, p.b, share))) for share in QUANTILES)]
    about = said.BITS, said.CHANGED, n, family.alpha, 2, family.c, 1.0
    return Pair(*about, partial(adversary.beta_error, p, q), _drawn(p, q, log_ratio), _indicators(p, q, edges))


def _drawn(p: Law, q: Law, log_ratio: Callable[[Array], Array]) -> LogRatios:
    return lambda first, rng, size: log_ratio((p if first else q).simulate(rng, size))


def _indicators(p: Law, q: Law, edges: Sequence[float]) -> dict[str, tuple[float, float]]:
    """Return the probabilities that θ is at most where the densities cross, and at most each quantile."""
    names = ["crossing", *(f"quantile {share:g}" for share in QUANTILES)]
    return {f"θ ≤ {name}": (p.cdf(at), q.cdf(at)) for name, at in zip(names, edges, strict=True)}
