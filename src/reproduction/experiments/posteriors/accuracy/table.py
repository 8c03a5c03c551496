r"""Table of Figure 4.2: E|p̃ − p| of one private draw p̃, p the true probability, against the number of records.

Each repeat draws data s ~ Binomial(n, p) and one p̃ of each mechanism; all mechanisms see the same data. The Laplace
mechanism appears with the projection of the text (`laplace`, counts at least 0) and with the public range [0, n]
(`laplace-range`). `exact` is the expectation that each mean estimates, by summation and quadrature.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.expected_error import exact_l1_error_laplace, exact_l1_error_nonprivate, exact_l1_error_ops
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.laplace_statistic import LaplaceStatistic
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.posterior import DirectPosterior
from dpsampling.numerics.randomness import substream
from reproduction.experiments.posteriors.accuracy import COLUMNS


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Mean, standard error and expectation of |p̃ − p| for every mechanism and n."""
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
        exact = exact_errors(params, n)
        for name, mechanism in built.items():
            theta = mechanism.simulate(successes, substream(rng, "draws", name, n))
            error = np.abs(expit(theta) - p)
            sem = float(np.std(error, ddof=1) / np.sqrt(repeats))
            rows.append((name, n, float(np.mean(error)), sem, exact[name]))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def exact_errors(params: Mapping[str, Any], n: int) -> dict[str, float]:
    """E|p̃ − p| for every mechanism at one n."""
    prior, p, epsilon, a0 = params["prior"], float(params["p"]), float(params["epsilon"]), float(params["truncation"])
    return {
        "posterior": exact_l1_error_nonprivate(prior, n, p),
        "laplace": exact_l1_error_laplace(prior, n, p, epsilon, "zero"),
        "laplace-range": exact_l1_error_laplace(prior, n, p, epsilon, "range"),
        "ops": exact_l1_error_ops(prior, n, p, epsilon, a0),
    }
