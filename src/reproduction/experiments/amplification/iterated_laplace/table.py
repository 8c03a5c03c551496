r"""Table of iterated Laplace noise: by the bound (6.2), exactly, and each of the two noises alone.

Beside the orders that are asked for stands one at which the limit of Lemma 5 is near. Its exact row also has

    density_error       the largest |∫ Lap(x − t; λ₁) Lap(t; λ₂) dt / (6.3) − 1|, at points on the scale of the noise
    tail_log_ratio      ln of the densities' ratio, far in the tail, from (6.3)

for these two scales.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy import integrate

from dpsampling.amplification.couplings import iterated_laplace, iterated_laplace_divergence, laplace, log_density
from reproduction.experiments.amplification.iterated_laplace import BOUND, COLUMNS, EXACT, FIRST, HIGH, SECOND, TAIL

POINTS = (0.0, 0.3, 1.0, 4.0)  # of the density, in units of the larger scale
MEDIUM = (0.1, 10.0)  # scales that quadrature over the whole line sees
CUTS = (1.0, 8.0, 60.0)  # in units of the smaller scale; e^-56 is beyond the last


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
    """Measure how far (6.3) is from the convolution that it is meant to be."""
    worst, small, large = 0.0, min(scale1, scale2), max(scale1, scale2)
    medium = MEDIUM[0] <= small and large <= MEDIUM[1]
    for x in (point * large for point in POINTS):
        # Else the narrower kernel is the one at 0, where floats are dense; the other one has its bend at x.
        scales, ends = ((scale1, scale2), _line(x)) if medium else ((large, small), _around_zero(small, x))
        by_quadrature = sum(
            integrate.quad(_product, *piece, args=(x, *scales), epsabs=0, epsrel=1e-11)[0]
            for piece in pairwise(ends)
            if piece[0] < piece[1]
        )
        worst = max(worst, abs(by_quadrature / math.exp(float(log_density(x, scale1, scale2))) - 1.0))
    return worst


def tail_log_ratio(delta: float, scale1: float, scale2: float) -> float:
    r"""ln p(x) − ln p(x + Δ) at an x far out.

    With λ the larger scale, κ = 1/λ_min − 1/λ and m(u) = (1 − e^{−u})/u, the density (6.3) is e^{−x/λ}(1 + (x/λ) m(κx))
    up to a constant, and the ratio's logarithm

        Δ/λ − ln(1 + (Δ/λ) e^{−κx} m(κΔ) / (1 + (x/λ) m(κx))),

    whose second term is at most a 1/TAIL of the first: nothing cancels.
    """
    small, large = min(scale1, scale2), max(scale1, scale2)
    x, kappa = TAIL * (large + delta), (large - small) / large / small
    growth = delta / large * math.exp(-kappa * x) * _mean(kappa * delta)
    return delta / large - math.log1p(growth / (1.0 + x / large * _mean(kappa * x)))


def _mean(u: float) -> float:
    """(1 − e^{−u})/u."""
    return -math.expm1(-u) / u if u > 0 else 1.0


def _line(x: float) -> list[float]:
    return [-math.inf, 0.0, x, math.inf]


def _around_zero(scale: float, x: float) -> list[float]:
    cuts = [sign * cut * scale for sign in (-1.0, 1.0) for cut in CUTS]
    return sorted([*cuts, 0.0, *([x] if x < cuts[-1] else [])])


def _product(t: float, x: float, a: float, b: float) -> float:
    return math.exp(-abs(x - t) / a - abs(t) / b) / (4.0 * a * b)
