r"""General statements of thesis chapters 1 and 3 on small mechanisms, by enumeration.

    δ(ε) = max_U P(U) − e^ε Q(U)                    over all events U of outputs, both orders
    Z = ln P(o)/Q(o), o ~ P                         Definition 3
    R_α = ln Σ P^α Q^(1−α) / (α − 1)                eq. 3.6

Publishing a record: one of n is drawn and shown, with its number (`NAMED`) or without (`ALONE`). Two releases:
the second mechanism is another one after each output of the first. Rényi orders are converted by
ε = R_α + ln(1/δ)/(α − 1), as in Mironov (2017), whose thirteen orders `ORDERS` are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import gammaln, ndtr

from dpsampling.numerics.randomness import substream
from reproduction.experiments.foundations import preliminaries as said

Array = NDArray[np.float64]
Row = tuple[str, str, float, float, float | None, float | None]
Curve = Callable[[Array], Array]

ORDERS = np.array([1.5, 1.75, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 16.0, 32.0, 64.0, math.inf])
ALL_ORDERS = 1.0 + np.exp(np.linspace(math.log(1e-3), math.log(1e5), 20_001))  # and ∞
OUTPUTS = 5  # of random mechanisms
PRIORS = (0.01, 0.5, 0.9)
RENYI = (1.5, 2.0, 10.0)
NOISE, MUCH = 5.0, 200.0  # σ of Gaussian releases of sensitivity 1


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Every statement."""
    pairs = int(params["pairs"])
    rows: list[Row] = [
        *_deterministic(),
        *_odds(params),
        *_sufficient(params, substream(rng, "pairs"), pairs),
        *_published(params),
        *_adaptive(substream(rng, "trees"), pairs),
        *_processed(substream(rng, "kernels"), pairs),
        *_orders(params),
        *_releases(params),
    ]
    return pd.DataFrame(rows, columns=list(said.COLUMNS)).astype({"printed": float, "right": float})


def hockey_stick(p: Array, q: Array, epsilon: float) -> float:
    """max_U P(U) − e^ε Q(U), both orders, by all events."""
    events = np.array(list(itertools.product((0.0, 1.0), repeat=len(p))))
    first, second = events @ p, events @ q
    return float(max((first - math.exp(epsilon) * second).max(), (second - math.exp(epsilon) * first).max()))


def renyi(p: Array, q: Array, order: float) -> float:
    """R_α(P ‖ Q)."""
    return float(math.log(float((p**order * q ** (1.0 - order)).sum())) / (order - 1.0))


def _deterministic() -> Iterator[Row]:
    """Maps of n bits to a bit that have a finite ε: neighbours may have no output that is not both's."""
    for n in (1, 2, 3):
        data = list(itertools.product((0, 1), repeat=n))
        private_maps = {said.CONSTANT: 0, said.VARYING: 0}
        for outputs in itertools.product((0, 1), repeat=len(data)):
            private = all(
                outputs[i] == outputs[j]
                for i, j in itertools.combinations(range(len(data)), 2)
                if sum(a != b for a, b in zip(data[i], data[j], strict=True)) == 1
            )
            private_maps[said.CONSTANT if len(set(outputs)) == 1 else said.VARYING] += private
        yield said.DETERMINISTIC, said.CONSTANT, n, private_maps[said.CONSTANT], 0.0, 2.0
        yield said.DETERMINISTIC, said.VARYING, n, private_maps[said.VARYING], 0.0, 0.0


def _odds(params: Mapping[str, Any]) -> Iterator[Row]:
    """ln of the posterior odds by Bayes's rule, beside Z + ln of the prior odds, for a response that may be silent."""
    for epsilon, prior in itertools.product(sorted(map(float, params["epsilons"])), PRIORS):
        truth = math.exp(epsilon) / (1.0 + math.exp(epsilon))
        p, q = np.array([0.8 * truth, 0.8 * (1.0 - truth), 0.2]), np.array([0.8 * (1.0 - truth), 0.8 * truth, 0.2])
        for output, name in enumerate(("says so", "says not", "silent")):
            posterior = prior * p[output] / (prior * p[output] + (1.0 - prior) * q[output])
            z = math.log(p[output]) - math.log(q[output])
            odds = math.log(posterior / (1.0 - posterior))
            yield said.ODDS, f"ε = {epsilon:g}, {name}", prior, odds, z + math.log(prior / (1.0 - prior)), None
            if name == "silent":
                yield said.SILENT, f"ε = {epsilon:g}", prior, posterior, prior, None


def _sufficient(params: Mapping[str, Any], rng: np.random.Generator, pairs: int) -> Iterator[Row]:
    """δ(ε) and P(Z > ε), the larger of both orders."""
    for index in range(pairs):
        p, q = rng.dirichlet(np.ones(OUTPUTS), 2)
        for epsilon in sorted(map(float, params["epsilons"])):
            large = math.exp(epsilon)
            chance = max(float(p[p > large * q].sum()), float(q[q > large * p].sum()))
            yield said.SUFFICIENT, f"pair {index}", epsilon, max(0.0, hockey_stick(p, q, epsilon)), chance, None


def _published(params: Mapping[str, Any]) -> Iterator[Row]:
    """Over all pairs of neighbours: k ones, or k − 1; with its number only the changed record tells them apart."""
    for n in sorted(int(n) for n in params["sizes"]):
        named = np.array([[1.0 / n, 0.0, 1.0 - 1.0 / n], [0.0, 1.0 / n, 1.0 - 1.0 / n]])  # its value, or another record
        alone = [np.array([[k / n, 1.0 - k / n], [(k - 1) / n, 1.0 - (k - 1) / n]]) for k in range(1, n + 1)]
        for case, laws in ((said.NAMED, [named]), (said.ALONE, alone)):
            for epsilon in (0.0, 1.0, 5.0):
                delta = max(hockey_stick(p, q, epsilon) for p, q in laws)
                yield said.PUBLISHED, f"{case}, ε = {epsilon:g}", n, max(delta, 0.0), 1.0 / n, None
            both = [pair for p, q in laws for pair in ((p, q), (q, p))]
            still = min(float(p[p == q].sum()) for p, q in both)
            leaks = max(float(p[p > q].sum()) for p, q in both)
            yield said.NO_LOSS, case, n, still, (n - 1.0) / n, None
            yield said.LOSS, case, n, leaks, 1.0 / n, None


def _adaptive(rng: np.random.Generator, pairs: int) -> Iterator[Row]:
    """δ at ε_A + ε_B of the pair of outputs, beside δ_A + δ_B, of random mechanisms and of the worst that there are."""
    for index in range(pairs):
        first = rng.dirichlet(np.ones(3), 2)
        second = rng.dirichlet(np.ones(3), (3, 2))  # one pair of laws after each output
        yield _tree(f"tree {index}", first, second, *rng.uniform(0.0, 1.0, 2))
    for index, levels in enumerate(((0.1, 0.1), (0.1, 1.0), (1.0, 2.0))):
        first, second = (leaking(level, 0.01) for level in levels)
        yield _tree(f"leaking {index}", first, np.repeat(second[np.newaxis], 4, axis=0), *levels)


def leaking(epsilon: float, delta: float) -> Array:
    """Randomized response that tells the truth for certain with probability δ: the worst (ε, δ)-private pair."""
    truth = math.exp(epsilon) / (1.0 + math.exp(epsilon))
    kept = 1.0 - delta
    return np.array(
        [[delta, 0.0, kept * truth, kept * (1.0 - truth)], [0.0, delta, kept * (1.0 - truth), kept * truth]]
    )


def _tree(name: str, first: Array, second: Array, epsilon: float, later: float) -> Row:
    worst = max(hockey_stick(laws[0], laws[1], later) for laws in second)
    stated = max(0.0, hockey_stick(first[0], first[1], epsilon)) + max(0.0, worst)
    p, q = (np.concatenate([a * laws[side] for a, laws in zip(first[side], second, strict=True)]) for side in (0, 1))
    both = epsilon + later
    exact = max(positive_parts(p, q, both), positive_parts(q, p, both))
    return said.ADAPTIVE, name, both, exact, stated, None


def positive_parts(p: Array, q: Array, epsilon: float) -> float:
    """Σ max(0, P − e^ε Q): the same as by all events, for laws of too many outputs to list those."""
    return float(np.maximum(p - math.exp(epsilon) * q, 0.0).sum())


def _processed(rng: np.random.Generator, pairs: int) -> Iterator[Row]:
    """R_α of two laws sent through a random kernel, beside R_α before."""
    for index in range(pairs):
        p, q = rng.dirichlet(np.ones(OUTPUTS), 2)
        kernel = rng.dirichlet(0.3 * np.ones(OUTPUTS), OUTPUTS)
        for order in RENYI:
            yield said.PROCESSED, f"pair {index}", order, renyi(p @ kernel, q @ kernel, order), renyi(p, q, order), None


def curves() -> dict[str, Curve]:
    """R_α of four mechanisms, ∞ where there is none."""

    def gaussian(orders: Array, sigma: float = NOISE) -> Array:
        return orders / (2.0 * sigma**2)

    def laplace(orders: Array, scale: float = 2.0) -> Array:
        finite = np.where(np.isinf(orders), 2.0, orders)
        a, b = (finite - 1.0) / scale, -finite / scale
        log = np.logaddexp(a + np.log(finite / (2 * finite - 1)), b + np.log((finite - 1) / (2 * finite - 1)))
        return np.where(np.isinf(orders), 1.0 / scale, log / (finite - 1.0))

    def beta(orders: Array) -> Array:
        """Beta(37, 69) from Beta(36, 70): posteriors of two data sets that differ in one record."""
        with np.errstate(invalid="ignore"):
            a, b = 36.0 + orders, 70.0 - orders
            inside = b > 0

            def log(x: Array | float, y: Array | float) -> Array:
                return np.asarray(gammaln(x) + gammaln(y) - gammaln(np.add(x, y)))

            safe_a, safe_b = np.where(inside, a, 1.0), np.where(inside, b, 1.0)
            total = log(safe_a, safe_b) - orders * log(37.0, 69.0) - (1.0 - orders) * log(36.0, 70.0)
            return np.where(inside & np.isfinite(orders), total / (orders - 1.0), math.inf)

    return {
        "Gaussian": gaussian,
        said.QUIET: lambda orders: gaussian(orders, MUCH),
        "Laplace": laplace,
        "Beta posteriors": beta,
    }


def converted(curve: Curve, orders: Array, count: int, delta: float) -> float:
    """min over orders of count R_α + ln(1/δ)/(α − 1)."""
    with np.errstate(divide="ignore"):
        return float((count * curve(orders) + math.log(1.0 / delta) / (orders - 1.0)).min())


def _orders(params: Mapping[str, Any]) -> Iterator[Row]:
    delta = float(params["delta"])
    for name, curve in curves().items():
        for count in sorted(int(k) for k in params["counts"]):
            all_orders = converted(curve, np.append(ALL_ORDERS, math.inf), count, delta)
            yield said.GRID, name, count, converted(curve, ORDERS, count, delta), all_orders, None


def _releases(params: Mapping[str, Any]) -> Iterator[Row]:
    """k Gaussian releases: the least ε there is, beside the sum of k levels for δ/k each, and the converted sum."""
    delta = float(params["delta"])
    gaussian, orders = curves()["Gaussian"], ALL_ORDERS
    for count in sorted(int(k) for k in params["counts"]):
        exact = gaussian_level(math.sqrt(count) / NOISE, delta)
        yield said.SUM, "Gaussian", count, exact, count * converted(gaussian, orders, 1, delta / count), None
        yield said.WHOLE, "Gaussian", count, exact, converted(gaussian, orders, count, delta), None


def gaussian_level(mu: float, delta: float) -> float:
    """The ε at which Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) is δ."""

    def excess(epsilon: float) -> float:
        return float(ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)) - delta

    return float(brentq(excess, 0.0, 100.0 + mu**2, xtol=1e-12, rtol=1e-13)) if excess(0.0) > 0 else 0.0
