r"""δ of Gaussian noise of two calibrations, at the level dε of data sets at distance d, whose values are dκ apart.

`delta_true` is in closed form, rounded up; `delta_integral` is the integral of (p − e^{dε} q)₊ of the two densities,
which knows nothing of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.foundations.noise import GaussianMechanism, classical_limit, classical_sigma
from dpsampling.mechanisms.known_laws import normal
from dpsampling.privacy.gaussian_dp import GaussianDP
from dpsampling.privacy.laws import delta as integral
from dpsampling.privacy.rounding import float_above
from reproduction.experiments.foundations import gaussian as said

Row = tuple[str, float, float, int, float, float, float]


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Both calibrations at all ε, δ and distances, and the classical one at the last ε that it is good for."""
    del rng  # nothing here is random
    rows: list[Row] = []
    for delta in params["deltas"]:
        for epsilon in params["epsilons"]:
            for calibration, sigma in _sigmas(epsilon, delta):
                rows += [_row(calibration, epsilon, delta, distance, sigma) for distance in params["distances"]]
        last = classical_limit(delta)
        rows.append(_row(said.LIMIT, last, delta, 1, classical_sigma(1.0, last, delta)))
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _sigmas(epsilon: float, delta: float) -> Iterator[tuple[str, float]]:
    yield said.CLASSICAL, classical_sigma(1.0, epsilon, delta)
    yield said.ANALYTIC, GaussianMechanism.analytic(1.0, epsilon, delta).sigma


def _row(calibration: str, epsilon: float, delta: float, distance: int, sigma: float) -> Row:
    exact = GaussianDP(float_above(distance / Fraction(sigma))).delta(distance * epsilon)
    by_sum = integral(normal(0.0, sigma), normal(float(distance), sigma), distance * epsilon)
    return calibration, epsilon, delta, distance, sigma, exact, by_sum
