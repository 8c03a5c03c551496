"""Every mechanism of the library, by name: what the audit visits and what a newcomer adds a line to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dpsampling.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic, UnclippedStatistic
from dpsampling.mechanisms.laplace_statistic import LaplaceStatistic
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior

PRIOR, RECORDS = (6.0, 18.0), 100  # the setting of thesis section 5.4.1
TRUNCATION = 0.05


@dataclass(frozen=True)
class Entry:
    """How to build one mechanism for a (λ, ε) that it is to satisfy; `needs_epsilon` is false where ε is what it is."""

    name: str
    source: str
    build: Callable[[float, float], Mechanism]
    needs_epsilon: bool = True


def _direct(order: float, epsilon: float) -> Mechanism:
    del order, epsilon
    return DirectPosterior(BetaBernoulli(), PRIOR, RECORDS)


def _diffused(order: float, epsilon: float) -> Mechanism:
    return DiffusedPosterior.calibrate(BetaBernoulli(), PRIOR, RECORDS, order=order, epsilon=epsilon)


def _concentrated(order: float, epsilon: float) -> Mechanism:
    return ConcentratedPosterior.calibrate(BetaBernoulli(), PRIOR, RECORDS, order=order, epsilon=epsilon)


def _gaussian(order: float, epsilon: float) -> Mechanism:
    return GaussianStatistic.calibrate(BetaBernoulli(), PRIOR, RECORDS, order=order, epsilon=epsilon)


def _gaussian_statistic(order: float, epsilon: float) -> Mechanism:
    return UnclippedStatistic(
        GaussianStatistic.calibrate(BetaBernoulli(), PRIOR, RECORDS, order=order, epsilon=epsilon)
    )


def _laplace(order: float, epsilon: float) -> Mechanism:
    return LaplaceStatistic.calibrate(BetaBernoulli(), PRIOR, RECORDS, order=order, epsilon=epsilon)


def _ops(order: float, epsilon: float) -> Mechanism:
    del order  # ε-DP is (λ, ε)-RDP at every order
    return OnePosteriorSample.calibrate(BetaBernoulli(), PRIOR, RECORDS, TRUNCATION, epsilon=epsilon)


ENTRIES = (
    Entry("direct", "thesis Algorithm 1", _direct, needs_epsilon=False),
    Entry("diffused", "thesis Algorithm 2", _diffused),
    Entry("concentrated", "thesis Algorithm 3", _concentrated),
    Entry("gaussian", "thesis section 5.4.1", _gaussian),
    Entry("gaussian-statistic", "thesis section 5.4.1", _gaussian_statistic),
    Entry("laplace", "thesis eq. (4.15)", _laplace),
    Entry("ops", "thesis eq. (4.13)", _ops),
)
