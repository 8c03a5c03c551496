r"""Table of noisy SGD: what it promises each record, and the loss of what it releases.

Beside each promise stands the exact level of Gaussians that Algorithm 5 makes of two neighbours: their means are 2ηC
apart after the record's own step, their variance is η²σ², and each of the n − i later steps x ↦ Lx has

    distance ← L · distance,      variance ← L² · variance + η²σ²,      ε = distance²/(2 variance).

The convex row has L = 1, isometries; the others have L = 1 − ηρ, the linear gradients ρx ∓ C. For the contraction of
gradient steps, every row also has the operator norm of I − ηH, where the quadratic's H has curvatures from ρ to β, and
the largest ratio of distances after and before a step of the problem that is run, over random pairs of points.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.names import CONVEX
from dpsampling.amplification.noisy_sgd import FORMS, NoisySGD
from dpsampling.numerics.randomness import substream
from reproduction.experiments.amplification.logistic import Logistic
from reproduction.experiments.amplification.losses import problem_for, public_losses
from reproduction.experiments.amplification.noisy_sgd import COLUMNS, PAIRS

CONSTANTS = ("lipschitz", "smoothness", "convexity", "rate", "sigma")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row an index and form of ε_i; the losses are for as many public steps as the record has steps behind it."""
    sgd = NoisySGD(**{name: float(params[name]) for name in CONSTANTS})
    n = int(params["n"])
    problem = problem_for(sgd, int(params["dimension"]), rng)
    losses = public_losses(sgd, problem, n, n - 1, int(params["repeats"]), rng)
    linear, isometric = (list(exact_levels(sgd, slope, n)) for slope in (1.0 - sgd.rate * sgd.convexity, 1.0))
    ratio = measured_contraction(problem, sgd.rate, PAIRS, substream(rng, "contraction"))
    contractions = operator_norm(sgd), ratio
    constants = [n, *(params[name] for name in CONSTANTS)]
    rows = [
        (*constants, n - after, form, sgd.level(after, form), *losses[after], exact[after], *contractions)
        for form in FORMS
        for exact in [isometric if form == CONVEX else linear]
        for after in range(n)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def exact_levels(sgd: NoisySGD, slope: float, n: int) -> Iterator[float]:
    """ε after 0, 1 … n − 1 later steps with this L, moment by moment."""
    distance, fresh = 2.0 * sgd.rate * sgd.lipschitz, (sgd.rate * sgd.sigma) ** 2
    variance = fresh
    for _ in range(n):
        yield distance**2 / (2.0 * variance)
        distance, variance = slope * distance, slope**2 * variance + fresh


def operator_norm(sgd: NoisySGD) -> float:
    """‖I − ηH‖ for curvatures ρ, (ρ + β)/2 and β."""
    curvatures = np.array([sgd.convexity, (sgd.convexity + sgd.smoothness) / 2.0, sgd.smoothness])
    return float(np.linalg.norm(np.diag(1.0 - sgd.rate * curvatures), 2))


def measured_contraction(problem: Logistic, rate: float, pairs: int, rng: np.random.Generator) -> float:
    """The largest ‖ψ(x) − ψ(y)‖/‖x − y‖ over random pairs of the ball, at distances over six powers of ten."""
    dimension = problem.population.shape[1]
    x = problem.project(problem.radius * rng.standard_normal((pairs, dimension)))
    step = rng.standard_normal((pairs, dimension)) * 10.0 ** rng.uniform(-6.0, 0.0, (pairs, 1)) * problem.radius
    y = problem.project(x + step)
    records = problem.sample((pairs,), rng)
    told_apart = np.linalg.norm(x - y, axis=1) > 1e-7 * problem.radius
    x, y, records = x[told_apart], y[told_apart], records[told_apart]
    x_next, y_next = (point - rate * problem.gradient(point, records) for point in (x, y))
    # Differences of numbers of size R lose digits at small distances.
    noise = 8.0 * np.finfo(float).eps * problem.radius
    moved = np.linalg.norm(x_next - y_next, axis=1) - noise
    return float(np.max(moved / np.linalg.norm(x - y, axis=1), initial=0.0))
