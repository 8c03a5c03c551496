r"""Table of Figure 4.2: E|p̃ − p| of one private draw p̃, p the true probability, against the number of records.

Each repeat draws data s ~ Binomial(n, p) and one p̃ of each mechanism; all mechanisms see the same data. The Laplace
mechanism appears with the projection of the text (`laplace`, counts at least 0) and with the public range [0, n]
(`laplace-range`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from dpsampling.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.laplace_statistic import LaplaceStatistic
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.posterior import DirectPosterior
from dpsampling.numerics.expected_error import (
    exact_l1_error_laplace,
    exact_l1_error_nonprivate,
    exact_l1_error_ops,
)
from dpsampling.randomness import substream

MECHANISMS = ("posterior", "laplace", "laplace-range", "ops")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Mean and standard error of |p̃ − p| for every mechanism and n."""
    family, p, repeats = BetaBernoulli(), float(params["p"]), int(params["repeats"])
    prior, epsilon = family.check_prior(params["prior"]), float(params["epsilon"])
    rows = []
    for n in sorted(params["sizes"]):
        successes = substream(rng, "data", n).binomial(n, p, repeats).astype(float)
        built: dict[str, Mechanism] = {
            "posterior": DirectPosterior(family, prior, n),
            "laplace": LaplaceStatistic(family, prior, n, epsilon, "zero"),
            "laplace-range": LaplaceStatistic(family, prior, n, epsilon, "range"),
            "ops": OnePosteriorSample.calibrate(family, prior, n, params["truncation"], epsilon=epsilon),
        }
        for name, mechanism in built.items():
            theta = mechanism.release(successes, substream(rng, "draws", name, n))
            error = np.abs(expit(theta) - p)
            rows.append((name, n, float(np.mean(error)), float(np.std(error, ddof=1) / np.sqrt(repeats))))
    return pd.DataFrame(rows, columns=["mechanism", "n", "mean", "sem"])


def exact_errors(params: Mapping[str, Any], sizes: list[int]) -> dict[tuple[str, int], float]:
    """E|p̃ − p| for every mechanism and n, by summation and quadrature."""
    prior, p, epsilon, a0 = params["prior"], float(params["p"]), float(params["epsilon"]), float(params["truncation"])
    exact = {}
    for n in sizes:
        exact["posterior", n] = exact_l1_error_nonprivate(prior, n, p)
        exact["laplace", n] = exact_l1_error_laplace(prior, n, p, epsilon, "zero")
        exact["laplace-range", n] = exact_l1_error_laplace(prior, n, p, epsilon, "range")
        exact["ops", n] = exact_l1_error_ops(prior, n, p, epsilon, a0)
    return exact
