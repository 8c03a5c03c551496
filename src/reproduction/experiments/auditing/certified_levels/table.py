r"""Random settings, and for each the target ε, the promised ε, and the enclosure of the exact one.

    priors      shapes from .05 to 10⁵          records    1 to 10⁶
    orders      1.01 to 200                     targets    10⁻⁶ to 50

all evenly spread in their logarithm, that of λ − 1 for orders. Promises are computed in floats, by forms that do not
cancel, and enclosures in balls, from the exact parameters: no code is common to them but the parameters themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import cycle, islice
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from dpsampling.amplification.noisy_sgd import FORMS, NoisySGD
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.families.registry import FAMILIES
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts, LaplaceStatistic
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.mechanisms.posterior import (
    ConcentratedPosterior,
    DiffusedPosterior,
    DirectPosterior,
    WeightedPosterior,
)
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.numerics.randomness import substream
from dpsampling.numerics.ties import DIGITS
from dpsampling.privacy.guarantee import Pure, Renyi
from reproduction.experiments.auditing.certified_levels import AS_IT_IS, COLUMNS, DISTORTED

TOGETHER = 8  # targets that one search for scales serves
SHAPES, ORDERS, TARGETS = (0.05, 1e5), (0.01, 199.0), (1e-6, 50.0)
RECORDS = (1.0, 1e6)


class Row(NamedTuple):
    """A mechanism at a setting; `order` is None for a pure guarantee, `target` where nothing is calibrated."""

    mechanism: str
    family: str | None
    records: float | None
    order: float | None
    target: float | None
    guarantee: Pure | Renyi
    distorted: bool = True


Settings = Iterator[Row]


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """`runs` rows, one kind of mechanism after the other."""
    sources = [source(substream(rng, number)) for number, source in enumerate(SOURCES)]
    rows = [_levels(next(source)) for source in islice(cycle(sources), params["runs"])]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _levels(row: Row) -> tuple[object, ...]:
    guarantee = row.guarantee
    promised = guarantee.epsilon if isinstance(guarantee, Pure) else guarantee.epsilon(_order(row))
    enclosure = guarantee.enclosure if isinstance(guarantee, Pure) else _enclosed(guarantee, _order(row))
    if enclosure is None:
        raise TypeError(f"{row.mechanism} has no enclosure")
    distorted = DISTORTED if row.distorted else AS_IT_IS
    return *row[:5], promised, enclosure.lower, enclosure.upper, distorted, _to_horizon(row)


def _to_horizon(row: Row) -> float:
    """(λ − 1)/(λ* − 1): how much of the way to its horizon an order is."""
    if row.order is None or isinstance(row.guarantee, Pure):
        return 0.0
    return (row.order - 1.0) / (row.guarantee.horizon - 1.0)


def _order(row: Row) -> float:
    return math.inf if row.order is None else row.order


def _enclosed(guarantee: Renyi, order: float) -> Enclosure | None:
    return None if guarantee.enclosed is None else guarantee.enclosed(order)


# -- what is drawn -----------------------------------------------------------------------------------------------------


def _spread(rng: np.random.Generator, ends: tuple[float, float]) -> float:
    """Evenly spread logarithm."""
    return _short(float(np.exp(rng.uniform(*np.log(ends)))))


def _short(value: float) -> float:
    """A number by digits that every machine agrees in: next to a horizon the last bit of a setting moves its level."""
    return float(f"{value:.{DIGITS}g}")


def _records(rng: np.random.Generator) -> float:
    return float(math.floor(_spread(rng, RECORDS)))


def _setting(rng: np.random.Generator, name: str) -> tuple[Any, tuple[float, ...]]:
    """A family and a prior of it."""
    if name == "gaussian-mean":
        family = GaussianMean(_spread(rng, (1e-3, 1e3)), _spread(rng, (1e-3, 1e3)))
        return family, (_short(rng.normal()) * _spread(rng, SHAPES), _spread(rng, SHAPES))
    of_bits = name == "beta-bernoulli"
    shapes = [_spread(rng, SHAPES) for _ in range(2 if of_bits else int(rng.integers(2, 7)))]
    return BetaBernoulli() if of_bits else DirichletCategorical(), (*shapes[:-1], math.fsum(shapes))


def _weighted(algorithm: type[WeightedPosterior], name: str, *, query: bool = False) -> Callable[..., Settings]:
    def settings(rng: np.random.Generator) -> Settings:
        while True:
            (family, prior), n, order = _setting(rng, name), _records(rng), 1.0 + _spread(rng, ORDERS)
            targets = [_spread(rng, TARGETS) for _ in range(TOGETHER)]
            scales = algorithm.calibrated_scales(family, prior, n, order=order, epsilons=targets)
            for target, scale in zip(targets, scales.tolist(), strict=True):
                posterior: Any = algorithm(family, prior, n, scale)
                mechanism = StatisticalQuery(posterior) if query else posterior
                yield Row(mechanism.name, name, n, order, target, mechanism.guarantee, scale < 1)

    return settings


def _direct(name: str) -> Callable[..., Settings]:
    def settings(rng: np.random.Generator) -> Settings:
        """Half of the orders anywhere below the horizon, half next to it."""
        for near in cycle((False, True)):
            (family, prior), n = _setting(rng, name), _records(rng)
            mechanism = DirectPosterior(family, prior, n)
            reach = min(mechanism.order_horizon - 1.0, ORDERS[1])
            order = 1.0 + reach * (1.0 - _short(10.0 ** -rng.uniform(1, 15)) if near else rng.uniform(1e-3, 1.0))
            yield Row(mechanism.name, name, n, order, None, mechanism.guarantee, distorted=False)

    return settings


def _statistic(algorithm: type[GaussianStatistic] | type[LaplaceStatistic]) -> Callable[..., Settings]:
    def settings(rng: np.random.Generator) -> Settings:
        while True:
            order, target, n = 1.0 + _spread(rng, ORDERS), _spread(rng, TARGETS), _records(rng)
            mechanism = algorithm.calibrate(BetaBernoulli(), (6, 18), n, order=order, epsilon=target)
            guarantee = mechanism.guarantee
            renyi = guarantee.renyi() if isinstance(guarantee, Pure) else guarantee
            yield Row(mechanism.name, "beta-bernoulli", n, order, target, renyi)

    return settings


def _counts(rng: np.random.Generator) -> Settings:
    while True:
        target = _spread(rng, TARGETS)
        yield Row("laplace-counts", None, None, None, target, LaplaceCounts(target).guarantee)


def _ops(rng: np.random.Generator) -> Settings:
    while True:
        target, n, truncation = _spread(rng, TARGETS), _records(rng), _spread(rng, (1e-9, 0.499))
        mechanism = OnePosteriorSample.calibrate(BetaBernoulli(), (6, 18), n, truncation, epsilon=target)
        yield Row(mechanism.name, "beta-bernoulli", n, None, target, mechanism.guarantee, mechanism.temperature > 1)


def _ops_categorical(rng: np.random.Generator) -> Settings:
    while True:
        target, outcomes = _spread(rng, TARGETS), int(rng.integers(2, 20))
        truncation = _spread(rng, (1e-9, 0.999 / outcomes))
        mechanism = OneCategoricalSample.calibrate(np.ones(outcomes), truncation, epsilon=target)
        yield Row(mechanism.name, None, None, None, target, mechanism.guarantee, mechanism.temperature > 1)


def _noisy_sgd(rng: np.random.Generator) -> Settings:
    for form in cycle(FORMS):
        smoothness = _spread(rng, (1e-3, 1e3))
        convexity, rate = smoothness * _spread(rng, (1e-9, 1.0)), rng.uniform(0, 1) / smoothness
        algorithm = NoisySGD(_spread(rng, (1e-3, 1e3)), smoothness, convexity, rate, _spread(rng, (1e-3, 1e3)))
        n, order = _records(rng), 1.0 + _spread(rng, ORDERS)
        guarantee = algorithm.worst(public_steps=int(n), form=form)
        yield Row("noisy-sgd", None, n, order, None, guarantee, distorted=False)


SOURCES: tuple[Callable[[np.random.Generator], Settings], ...] = (
    *(_direct(name) for name in FAMILIES),
    *(_weighted(DiffusedPosterior, name) for name in FAMILIES),
    *(_weighted(ConcentratedPosterior, name) for name in FAMILIES),
    _weighted(DiffusedPosterior, "beta-bernoulli", query=True),
    _weighted(ConcentratedPosterior, "beta-bernoulli", query=True),
    _statistic(GaussianStatistic),
    _statistic(LaplaceStatistic),
    _counts,
    _ops,
    _ops_categorical,
    _noisy_sgd,
)
