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
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betaincinv, gammaincinv, logit

from dpsampling.foundations.robust import adversary, bounds, constants
from dpsampling.foundations.robust.families import Bits, Exponential, NormalPrecision
from dpsampling.foundations.robust.laws import GammaLaw
from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.numerics.randomness import substream
from reproduction.experiments.foundations import distinguish as said

Array = np.ndarray[Any, Any]

QUANTILES = (0.5, 0.9)
MANY, SMALL = 399, 0.1  # records of which one moves a little: Theorem 1 (ii) fails there
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
    log_ratios: Callable[[bool, np.random.Generator, tuple[int, int]], Array]
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
    first = pair.assumption == 1
    lipschitz, c = (pair.constant, math.nan) if first else (math.nan, pair.constant)
    for delta in deltas:
        yield {
            "family": pair.family,
            "pair": pair.pair,
            "query": query,
            "records": pair.records,
            "concentration": pair.concentration,
            "assumption": pair.assumption,
            "constant": pair.constant,
            "per_unit": bounds.kl_per_unit(lipschitz=lipschitz, c=c, kappa=kappa),
            "distance": pair.distance,
            "n": n,
            "delta": delta,
            "distance_bound": bounds.distance_lipschitz(lipschitz, n, delta)
            if first
            else bounds.distance_relaxed(c, kappa, n, delta),
            "exact_error": exact,
            "empirical_error": empirical,
            "standard_error": spread,
            "least_error": adversary.least_error(lipschitz, pair.distance, n) if first else 0.0,
        }


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
    many = Exponential(1.0)
    few, more = [0.0] * MANY, [0.0] * (MANY - 1) + [SMALL]
    yield _gammas(said.EXPONENTIAL, MANY, 1.0, 1.0, SMALL, many.posterior(few), many.posterior(more))
    for rate in params["concentrations"]:
        exponential, normal, bits = Exponential(rate), NormalPrecision(rate), Bits(rate)
        distance = exponential.distance(still, moved)
        yield _gammas(
            said.EXPONENTIAL, n, rate, rate, distance, exponential.posterior(still), exponential.posterior(moved)
        )
        distance = normal.distance(still, moved)
        yield _gammas(said.NORMAL, n, rate, normal.c, distance, normal.posterior(still), normal.posterior(moved))
        yield _betas(n, bits)


def _coins(epsilon: float, n: int, name: str, distance: float, ones: tuple[int, int]) -> Pair:
    """Two parameters ε and 1 − ε, even prior; L = ln((1−ε)/ε)."""
    mechanism = FinitePosterior.coins((epsilon, 1.0 - epsilon), (1.0, 1.0))
    laws = [mechanism.log_probabilities([n - k, k]) for k in ones]
    p, q = (float(np.exp(law[1])) for law in laws)
    ratio = laws[0] - laws[1]

    def log_ratios(first: bool, rng: np.random.Generator, size: tuple[int, int]) -> Array:
        return np.asarray(np.where(rng.random(size) < (p if first else q), ratio[1], ratio[0]))

    return Pair(
        said.COINS,
        name,
        n,
        epsilon,
        1,
        mechanism.lipschitz,
        distance,
        lambda draws: adversary.coin_error(p, q, draws),
        log_ratios,
        {"the likelier coin": (p, q)},
    )


def _gammas(family: str, n: int, rate: float, c: float, distance: float, p: GammaLaw, q: GammaLaw) -> Pair:
    edges = {"crossing": p.crossing(q)} | {
        f"quantile {share:g}": float(gammaincinv(p.shape, share)) / p.rate for share in QUANTILES
    }

    def log_ratios(first: bool, rng: np.random.Generator, size: tuple[int, int]) -> Array:
        theta = (p if first else q).simulate(rng, size)
        return np.asarray(p.shape * math.log(p.rate / q.rate) + (q.rate - p.rate) * theta)

    return Pair(
        family,
        said.CHANGED,
        n,
        rate,
        2,
        c,
        distance,
        lambda draws: adversary.gamma_error(p, q, draws),
        log_ratios,
        {f"θ ≤ {name}": (p.cdf(at), q.cdf(at)) for name, at in edges.items()},
    )


def _betas(n: int, family: Bits) -> Pair:
    """Half of the bits are 1, and one more."""
    p, q = family.counted(n // 2, n), family.counted(n // 2 + 1, n)
    t = p.crossing(q)
    edges = {"crossing": t} | {f"quantile {share:g}": float(logit(betaincinv(p.a, p.b, share))) for share in QUANTILES}

    def log_ratios(first: bool, rng: np.random.Generator, size: tuple[int, int]) -> Array:
        return (p.a - q.a) * ((p if first else q).simulate(rng, size) - t)

    def error(draws: int) -> float:
        return adversary.beta_error(p, q, draws)

    return Pair(
        said.BITS,
        said.CHANGED,
        n,
        family.alpha,
        2,
        family.c,
        1.0,
        error,
        log_ratios,
        {f"θ ≤ {name}": (p.cdf(at), q.cdf(at)) for name, at in edges.items()},
    )
