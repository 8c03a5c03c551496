r"""Exact limits of thesis Theorems 4 and 5 for the Beta-Bernoulli system, p the parameter, I = 1/(p(1−p)).

By the Bernstein-von Mises theorem a posterior tends to N(θ̂, I⁻¹/N) about the estimate θ̂ of its own data, and at
temperature T to N(θ̂, T I⁻¹/N); θ̂ itself varies by I⁻¹/N about θ₀. A draw is therefore (1 + T) I⁻¹/N off θ₀, 2 I⁻¹/N
at T = 1: that is the law of a draw over all data, which Theorems 4 and 5 call the asymptotic posterior.

Expectations are sums over the binomial counts and quadratures over p; distances are total variation, on a grid.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, log_expit, logit
from scipy.stats import norm

from dpsampling.mechanisms.expected_error import (
    exact_efficiency_laplace,
    exact_efficiency_laplace_mean,
    exact_efficiency_nonprivate,
    exact_efficiency_ops,
    exact_kl_laplace,
)
from dpsampling.mechanisms.tempering import sensitivity, temperature
from dpsampling.numerics.log_concave import nodes_and_weights
from dpsampling.numerics.noisy_counts import successes
from reproduction.experiments.posteriors import posterior_limits as said

Array = NDArray[np.float64]
Row = tuple[str, str, int, float, float, float | None, float | None]

INSIDE = (0.3, 0.001)  # success probabilities within (0, 1), beside the one at its edge
BOUNDS = (1.0, 10.0, 100.0, 1000.0)  # of the records of a Gaussian, in standard deviations
DATA_SETS, GRID = 400, 4001  # counts k and values of p that the distances are summed over, at most
WIDE = 12.0  # standard deviations that a grid covers on each side
HERMITE = 64


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Every statement at every number of records."""
    del rng  # nothing here is random
    rows: list[Row] = []
    for n in sorted(int(n) for n in params["sizes"]):
        rows += [*_limits(params, n), *_divergence(params, n), *_bounded(params, n), *_useful(params, n)]
    rows += [(said.BOUNDED_SENSITIVITY, "clipped", 1, b, _clipped_sensitivity(b), None, 2.0 * b) for b in BOUNDS]
    frame = pd.DataFrame(rows, columns=list(said.COLUMNS)).astype({"printed": float, "right": float})
    return frame.sort_values(["statement", "case", "at", "n"], ignore_index=True)


def _limits(params: Mapping[str, Any], n: int) -> Iterator[Row]:
    prior, p, epsilon, a0 = params["prior"], float(params["p"]), float(params["epsilon"]), float(params["truncation"])
    t = temperature(sensitivity(a0), epsilon)
    cold, hot = _spread(params, n, 1.0), _spread(params, n, t)
    draw, hot_draw = exact_efficiency_nonprivate(prior, n, p), exact_efficiency_ops(prior, n, p, epsilon, a0)
    yield said.SPREAD, said.POSTERIOR, n, 1.0, cold, 2.0, 1.0
    yield said.SPREAD, said.TEMPERED, n, t, hot, 1.0 + t, t
    yield said.DRAW, said.POSTERIOR, n, 1.0, draw, 2.0, 2.0
    yield said.DRAW, said.LAPLACE, n, 1.0, exact_efficiency_laplace(prior, n, p, epsilon), 2.0, 2.0
    yield said.DRAW, said.TEMPERED, n, t, hot_draw, 1.0 + t, 1.0 + t
    yield said.RATIO, said.TEMPERED, n, t, hot / cold, (1.0 + t) / 2.0, t
    yield said.RATIO_OF_DRAWS, said.TEMPERED, n, t, hot_draw / draw, (1.0 + t) / 2.0, (1.0 + t) / 2.0
    for case, heat in ((said.POSTERIOR, 1.0), (said.TEMPERED, t)):
        printed, right = _distances(params, n, heat)
        yield said.DISTANCE_PRINTED, case, n, heat, printed, None, None
        yield said.DISTANCE_RIGHT, case, n, heat, right, None, None


def _shapes(params: Mapping[str, Any], n: int, k: Array, t: float) -> tuple[Array, Array]:
    """(k + α − 1)/T + 1 and (n − k + β − 1)/T + 1."""
    alpha, beta = float(params["prior"][0]), float(params["prior"][1] - params["prior"][0])
    return (k + alpha - 1.0) / t + 1.0, (n - k + beta - 1.0) / t + 1.0


def _spread(params: Mapping[str, Any], n: int, t: float) -> float:
    """N I E[Var(p̃ | data)], truncated where it is tempered."""
    p, a0 = float(params["p"]), float(params["truncation"])
    k, mass = successes(n, p)
    a, b = _shapes(params, n, k, t)
    if t == 1.0:
        variance = a * b / ((a + b) ** 2 * (a + b + 1.0))
    else:

        def log_f(theta: Array) -> Array:
            return np.asarray(a * log_expit(theta) + b * log_expit(-theta))

        low, high = (np.full(len(k), logit(end)) for end in (a0, 1.0 - a0))
        theta, weights = nodes_and_weights(log_f, low, high, panels=8)
        density = weights * np.exp(log_f(theta) - log_f(theta).max(axis=0))
        density /= density.sum(axis=0)
        away = expit(theta) - np.sum(density * expit(theta), axis=0)
        variance = np.sum(density * away**2, axis=0)
    return float(mass @ variance) * n / (p * (1.0 - p))


def _distances(params: Mapping[str, Any], n: int, t: float) -> tuple[float, float]:
    """E of the total variation from N(p, (1 + T) I⁻¹/N) and from N(k/n, T I⁻¹/N)."""
    p, a0 = float(params["p"]), float(params["truncation"])
    k, mass = successes(n, p)
    kept = np.unique(np.linspace(0, len(k) - 1, min(DATA_SETS, len(k))).round().astype(int))
    k, mass = k[kept], mass[kept] / mass[kept].sum()
    unit = math.sqrt(p * (1.0 - p) / n)
    reach = WIDE * math.sqrt(1.0 + t) * unit
    low, high = (a0, 1.0 - a0) if t > 1.0 else (0.0, 1.0)
    edges = np.linspace(max(low, p - reach), min(high, p + reach), GRID)
    x, step = (edges[1:] + edges[:-1]) / 2.0, edges[1] - edges[0]
    a, b = _shapes(params, n, k[:, np.newaxis], t)
    log = (a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x)
    density = np.exp(log - log.max(axis=1, keepdims=True))
    density /= density.sum(axis=1, keepdims=True)
    distances = []
    for centre, scale in ((np.full((len(k), 1), p), math.sqrt(1.0 + t)), (k[:, np.newaxis] / n, math.sqrt(t))):
        law = norm.pdf(x, centre, scale * unit) * step
        outside = 1.0 - law.sum(axis=1)
        distances.append(float(mass @ (0.5 * (np.abs(density - law).sum(axis=1) + np.maximum(outside, 0.0)))))
    return distances[0], distances[1]


def _divergence(params: Mapping[str, Any], n: int) -> Iterator[Row]:
    """Lemma 1 within (0, 1) and at its edge."""
    for p in (*INSIDE, said.EDGE):
        yield (
            said.DIVERGENCE,
            f"p = {p if p > said.EDGE else 0:g}",
            n,
            p,
            exact_kl_laplace(params["prior"], n, p, float(params["epsilon"])),
            None,
            None,
        )


def _bounded(params: Mapping[str, Any], n: int) -> Iterator[Row]:
    """Records of variance 1, clipped to ±b, noise of scale 2b/ε on their sum, a prior worth one record.

    The posterior is N(Σ/(n+1), 1/(n+1)); the noise shifts its mean by Y/(n+1), so KL = Y²/(2(n+1)), of mean
    (2b/ε)²/(n+1). `exact` integrates it over Y by Gauss and Laguerre.
    """
    nodes, weights = np.polynomial.laguerre.laggauss(HERMITE)
    for bound in BOUNDS:
        scale = _clipped_sensitivity(bound) / float(params["epsilon"])
        exact = float(weights @ _gaussian_kl(scale * nodes / (n + 1.0), 1.0 / (n + 1.0)))
        yield said.BOUNDED, "clipped", n, bound, exact, None, (2.0 * bound / float(params["epsilon"])) ** 2 / (n + 1.0)


def _gaussian_kl(shift: Array, variance: float) -> Array:
    """KL(N(m + s, v) ‖ N(m, v))."""
    return np.asarray(shift**2 / (2.0 * variance))


def _clipped_sensitivity(bound: float) -> float:
    """max |x − x′| over a grid of [−b, b]."""
    records = np.linspace(-bound, bound, 101)
    return float(np.abs(records[:, np.newaxis] - records).max())


def _useful(params: Mapping[str, Any], n: int) -> Iterator[Row]:
    """At the least expected count over the noise's scale; the true posterior's mean is what the private one is held to.

    `right` is the same for the prior's mean, which looks at no data.
    """
    prior, p, epsilon = params["prior"], float(params["p"]), float(params["epsilon"])
    k, mass = successes(n, p)
    centre = float(prior[0] / prior[1])
    true = float(mass @ ((prior[0] + k) / (prior[1] + n) - p) ** 2)
    private = exact_efficiency_laplace_mean(prior, n, p, epsilon) * p * (1.0 - p) / n
    yield (
        said.USEFUL,
        said.LAPLACE,
        n,
        n * min(p, 1.0 - p) * epsilon / 2.0,
        private / true,
        None,
        (centre - p) ** 2 / true,
    )
