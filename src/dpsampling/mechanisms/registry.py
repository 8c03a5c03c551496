"""Every mechanism of this room, by name: what the audit and the figures of the comparison visit.

A new mechanism needs a line here and nothing else to be in the audit, the ledger, the trade-off and held-out figures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.mechanisms.audit_cases import accounting, noisy_numbers, posteriors, tempered
from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.entry import EVERY, Build, Entry, Setting
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.gaussian_statistic import (
    Calibration,
    GaussianStatistic,
    UnclippedStatistic,
    kl_from_posterior,
)
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts, LaplaceStatistic
from dpsampling.mechanisms.markov_chains import AnnealedImportanceSampler, MetropolisChain
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior, WeightedPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.guarantee import Pure, Renyi

BETA = ("beta-bernoulli",)
TRUNCATION = 0.05


def each(build: Callable[[Setting, float, float], Mechanism]) -> Build:
    """One mechanism after another, from what builds one of them."""

    def build_all(setting: Setting, order: float, epsilons: Sequence[float]) -> list[Mechanism]:
        return [build(setting, order, float(epsilon)) for epsilon in epsilons]

    return build_all


def _weighted(
    algorithm: type[WeightedPosterior], setting: Setting, order: float, epsilons: Sequence[float]
) -> list[Mechanism]:
    """All scales in one search."""
    scales = algorithm.calibrated_scales(setting.family, setting.prior, setting.n, order=order, epsilons=epsilons)
    return [algorithm(setting.family, setting.prior, setting.n, scale) for scale in scales.tolist()]


def _gaussians(
    calibration: Calibration, setting: Setting, order: float, epsilons: Sequence[float]
) -> list[GaussianStatistic]:
    sigmas = GaussianStatistic.calibrated_sigmas(setting.family, order, epsilons, calibration)
    return [GaussianStatistic(setting.family, setting.prior, setting.n, sigma) for sigma in sigmas.tolist()]


def _weighted_kl(mechanisms: Sequence[WeightedPosterior], statistic: ArrayLike) -> Array:
    """KL(P‖A) of members of one algorithm, from all of their scales at once."""
    first, scales = mechanisms[0], np.array([m.scale for m in mechanisms])
    return np.asarray(first.kl_from_posterior(first.family, first.prior, first.n, statistic, scales))


def _gaussian_kl(mechanisms: Sequence[GaussianStatistic], statistic: Any) -> Array:
    """The same for the noisy statistic, from all of its σ."""
    first, sigmas = mechanisms[0], np.array([m.sigma for m in mechanisms])
    return kl_from_posterior(first.family, first.prior, first.n, float(statistic), sigmas)


SECTION = "thesis section 5.4.1"
CALIBRATIONS: dict[str, Calibration] = {"gaussian": "tight", "gaussian-printed": "printed"}
ENTRIES = (
    Entry(
        "direct", "thesis Algorithm 1", DirectPosterior, EVERY,
        each(lambda s, _order, _epsilon: DirectPosterior(s.family, s.prior, s.n)),  # its privacy is what it is
        partial(posteriors.audit_cases, DirectPosterior), needs_epsilon=False, kl=_weighted_kl, scale="scale",
    ),
    *(
        Entry(
            algorithm.name, f"thesis Algorithm {number}", algorithm, EVERY, partial(_weighted, algorithm),
            partial(posteriors.audit_cases, algorithm), kl=_weighted_kl, scale="scale",
        )
        for number, algorithm in ((2, DiffusedPosterior), (3, ConcentratedPosterior))
    ),
    *(
        Entry(
            name, SECTION, GaussianStatistic, BETA, partial(_gaussians, calibration),
            partial(noisy_numbers.gaussian, calibration), kl=_gaussian_kl, scale="sigma",
        )
        for name, calibration in CALIBRATIONS.items()
    ),
    # It releases no θ.
    Entry(
        "gaussian-statistic", SECTION, UnclippedStatistic, BETA,
        lambda s, order, epsilons: [UnclippedStatistic(inner) for inner in _gaussians("tight", s, order, epsilons)],
        noisy_numbers.unclipped, compared=False,
    ),
    # The thesis compares these in its chapter 4, on other axes.
    Entry(
        "laplace", "thesis eq. (4.15)", LaplaceStatistic, BETA,
        each(lambda s, order, e: LaplaceStatistic.calibrate(s.family, s.prior, s.n, order=order, epsilon=e)),
        noisy_numbers.laplace, compared=False,
    ),
    Entry(  # ε-DP is (λ, ε)-RDP at every order
        "ops", "thesis eq. (4.13)", OnePosteriorSample, BETA,
        each(lambda s, _, e: OnePosteriorSample.calibrate(s.family, s.prior, s.n, TRUNCATION, epsilon=e)),
        tempered.ops, compared=False,
    ),
    # Mechanisms of other data than a conjugate family's statistic.
    Entry("laplace-counts", "thesis eq. (4.15)", LaplaceCounts, audit_cases=noisy_numbers.counts),
    Entry(
        "ops-categorical", "UAI 2016 supplement appendix E.2", OneCategoricalSample,
        audit_cases=tempered.ops_categorical,
    ),
    Entry("exponential", "thesis eq. (4.6)", ExponentialMechanism, audit_cases=tempered.exponential),
    Entry("statistical-query", "thesis Algorithm 4", StatisticalQuery, audit_cases=posteriors.query),
    Entry("metropolis", "UAI 2016 supplement Theorem C.1", MetropolisChain, audit_cases=tempered.metropolis),
    Entry("annealing", "UAI 2016 supplement appendix C", AnnealedImportanceSampler, audit_cases=tempered.annealing),
    # Statements about guarantees, each with a mechanism that attains it.
    Entry("gibbs", "thesis eq. (4.18)", Pure, audit_cases=tempered.gibbs),
    Entry("secret-sample", "UAI 2016 supplement appendix C", Pure, audit_cases=tempered.secret_sample),
    Entry("composition", "thesis section 2.2", Pure, audit_cases=accounting.composition),
    Entry("conversion", "thesis section 2.3", Renyi, audit_cases=accounting.conversion),
)  # fmt: skip
