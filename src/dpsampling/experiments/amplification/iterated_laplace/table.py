r"""Table of iterated Laplace noise: by the bound (6.2), exactly, and each of the two noises alone.

Beside the orders that are asked for stands one at which the limit of Lemma 5 is near. Its exact row also has

    density_error       the largest |∫ Lap(x − t; λ₁) Lap(t; λ₂) dt / (6.3) − 1|, at points on the scale of the noise
    tail_log_ratio      ln of the densities' ratio, far in the tail

for these two scales.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy import integrate

from dpsampling.amplification.couplings import iterated_laplace, iterated_laplace_divergence, laplace, log_density
from dpsampling.experiments.amplification.iterated_laplace import BOUND, COLUMNS, EXACT, FIRST, HIGH, SECOND

POINTS = (0.0, 0.3, 1.0, 4.0)  # of the density, in units of the larger scale
TAIL = 1e4  # in units of the larger scale and the distance


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a pair of scales, order and curve."""
    del rng  # nothing here is random
    delta, scale1 = float(params["sensitivity"]), float(params["first_scale"])
    rows: list[tuple[Any, ...]] = []
    for scale2 in sorted(params["second_scales"]):
        curves = {
            BOUND: iterated_laplace(delta, scale1, scale2),
            FIRST: laplace(delta, scale1),
            SECOND: laplace(delta, scale2),
        }
        checks = {(HIGH, EXACT): (density_error(scale1, scale2), tail_log_ratio(delta, scale1, scale2))}
        for order in sorted({*params["orders"], HIGH}):
            levels = {name: curve.epsilon(order) for name, curve in curves.items()}
            levels[EXACT] = iterated_laplace_divergence(order, delta, scale1, scale2)
            rows += [
                (delta, scale1, scale2, order, name, level, *checks.get((order, name), (None, None)))
                for name, level in levels.items()
            ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def density_error(scale1: float, scale2: float) -> float:
    """How far (6.3) is from the convolution that it is meant to be."""
    worst = 0.0
    for x in (point * max(scale1, scale2) for point in POINTS):
        pieces: list[tuple[float, float]] = [(-math.inf, 0.0), (0.0, x), (x, math.inf)]
        by_quadrature = sum(
            integrate.quad(_product, *ends, args=(x, scale1, scale2), epsabs=0, epsrel=1e-11)[0]
            for ends in pieces
            if ends[0] < ends[1]
        )
        worst = max(worst, abs(by_quadrature / math.exp(float(log_density(x, scale1, scale2))) - 1.0))
    return worst


def tail_log_ratio(delta: float, scale1: float, scale2: float) -> float:
    """ln p(x) − ln p(x + Δ) at an x far out."""
    x = TAIL * (max(scale1, scale2) + delta)
    near, far = log_density(np.array([x, x + delta]), scale1, scale2)
    return float(near - far)


def _product(t: float, x: float, a: float, b: float) -> float:
    return math.exp(-abs(x - t) / a - abs(t) / b) / (4.0 * a * b)
