r"""The limits of Lemma 1, Theorems 4 and 5 and Remark 1, at finite numbers of records.

    kl           E[KL(p̃_N ‖ p_N)], the Laplace mechanism's posterior against the true one (Lemma 1: → 0 like 1/N)
    efficiency   N E‖θ̃ − θ‖² / Σ_j θ_j (1 − θ_j), the squared error in units of the Cramér-Rao bound:
                 → 2 for one draw of the Laplace mechanism's posterior (Theorem 4), → 1 for that posterior's mean
                 (Remark 1), → 1 + T for one draw of OPS (Theorem 5), → 2 for one of the posterior itself

for the Beta-Bernoulli system (`laplace`, `laplace-mean`, `ops`, `posterior`) and, under the first three of these names
with `-categorical`, for the Dirichlet-Categorical one, whose prior is uniform. `exact` is the expectation that each
mean estimates, where there is one: for the Beta-Bernoulli system, by summation and quadrature.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from dpsampling.mechanisms.expected_error import (
    exact_efficiency_laplace,
    exact_efficiency_laplace_mean,
    exact_efficiency_nonprivate,
    exact_efficiency_ops,
    exact_kl_laplace,
)
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.laplace_statistic import CountPosterior, LaplaceCounts, LaplaceStatistic
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.mechanisms.posterior import DirectPosterior
from dpsampling.numerics.randomness import substream
from reproduction.experiments.posteriors.efficiency import COLUMNS, DRAWS_A_DATA_SET

Array = NDArray[np.float64]
Cell = tuple[str, str, int, float, float]

EXACT_KL_LIMIT = 100_000  # records, up to which its sum takes seconds


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Mean, standard error and expectation of every quantity at every n."""
    rows: list[Cell] = []
    exact: dict[tuple[str, str, int], float] = {}
    for n in sorted(params["sizes"]):
        rows += _bernoulli(params, n, substream(rng, "bernoulli", n))
        rows += _categorical(params, n, substream(rng, "categorical", n))
        exact |= exact_values(params, n)
    frame = pd.DataFrame([(*row, exact.get(row[:3])) for row in rows], columns=list(COLUMNS))
    frame["exact"] = frame["exact"].astype(float)  # also where no row has one
    return frame.sort_values(["quantity", "mechanism", "n"], ignore_index=True)


def _bernoulli(params: Mapping[str, Any], n: int, rng: np.random.Generator) -> Iterator[Cell]:
    family, p, repeats = BetaBernoulli(), float(params["p"]), int(params["repeats"])
    prior, epsilon = family.check_prior(params["prior"]), float(params["epsilon"])
    successes = substream(rng, "data").binomial(n, p, repeats).astype(float)
    laplace = LaplaceStatistic(family, prior, n, epsilon)
    noisy = laplace.posterior(laplace.simulate_counts(successes, substream(rng, "noise")))
    draws = expit(family.sample(noisy, substream(rng, "laplace")))
    ops = OnePosteriorSample.calibrate(family, prior, n, params["truncation"], epsilon=epsilon)
    estimates = {
        "laplace": draws,
        "laplace-mean": noisy[:, 0] / noisy.sum(axis=1),
        "ops": expit(ops.simulate(successes, substream(rng, "ops"))),
        "posterior": expit(DirectPosterior(family, prior, n).simulate(successes, substream(rng, "posterior"))),
    }
    for name, estimate in estimates.items():
        yield "efficiency", name, n, *_summary(n * (estimate - p) ** 2 / (p * (1.0 - p)))
    yield "kl", "laplace", n, *_summary(family.kl_divergence(noisy, family.posterior(prior, successes, n)))


def _categorical(params: Mapping[str, Any], n: int, rng: np.random.Generator) -> Iterator[Cell]:
    truth, repeats = np.asarray(params["probabilities"], dtype=float), int(params["repeats"])
    epsilon, alpha, scale = float(params["epsilon"]), np.ones(len(truth)), float(np.sum(truth * (1.0 - truth)))
    counts = substream(rng, "data").multinomial(n, truth, repeats).astype(float)
    noisy = LaplaceCounts(epsilon).simulate(counts, substream(rng, "noise"))
    posterior = CountPosterior.of(alpha, noisy)

    def error(estimate: Array) -> Array:
        return n * np.sum((estimate - truth) ** 2, axis=-1) / scale

    yield "efficiency", "laplace-categorical", n, *_summary(error(posterior.sample(substream(rng, "laplace"))))
    yield "efficiency", "laplace-mean-categorical", n, *_summary(error(posterior.mean))
    family = DirichletCategorical()
    kl = family.kl_divergence(alpha + noisy, alpha + counts)
    yield "kl", "laplace-categorical", n, *_summary(kl)

    ops = OneCategoricalSample.calibrate(alpha, params["truncation"], epsilon=epsilon)
    draws = substream(rng, "ops")
    # The mean over one data set's draws is one observation: draws of the same data are not independent.
    groups = counts[: max(2, repeats // DRAWS_A_DATA_SET)]
    means = [np.mean(error(ops.simulate(group, draws, DRAWS_A_DATA_SET).theta)) for group in groups]
    yield "efficiency", "ops-categorical", n, *_summary(np.asarray(means))


def _summary(values: Array) -> tuple[float, float]:
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))


def exact_values(params: Mapping[str, Any], n: int) -> dict[tuple[str, str, int], float]:
    """The Beta-Bernoulli rows of one n."""
    prior, p, epsilon, a0 = params["prior"], float(params["p"]), float(params["epsilon"]), float(params["truncation"])
    exact = {
        ("efficiency", "laplace", n): exact_efficiency_laplace(prior, n, p, epsilon),
        ("efficiency", "laplace-mean", n): exact_efficiency_laplace_mean(prior, n, p, epsilon),
        ("efficiency", "ops", n): exact_efficiency_ops(prior, n, p, epsilon, a0),
        ("efficiency", "posterior", n): exact_efficiency_nonprivate(prior, n, p),
    }
    if n <= EXACT_KL_LIMIT:
        exact["kl", "laplace", n] = exact_kl_laplace(prior, n, p, epsilon)
    return exact
