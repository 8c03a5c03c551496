"""Every mechanism of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.foundations import fitted_audit_cases, noise_audit_cases, session_audit_cases
from dpsampling.foundations.localized_gaussian import LocalizedGaussian
from dpsampling.foundations.noise import GaussianMechanism, LaplaceMechanism
from dpsampling.foundations.query_session import QuerySession
from dpsampling.foundations.randomized_response import RandomizedChoice, RandomizedResponse
from dpsampling.foundations.robust import audit_cases as robust
from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.foundations.sample_and_aggregate import BlockMean, BlockMedian, BlockSmoothMedian
from dpsampling.foundations.smooth_noise import SmoothCauchy, SmoothGaussian, SmoothLaplace
from dpsampling.mechanisms.entry import Entry

NISSIM = "Nissim, Raskhodnikova and Smith 2007"
ENTRIES: tuple[Entry, ...] = (
    Entry("query-session", "Robust 2014 Algorithm 1", QuerySession, audit_cases=session_audit_cases.audit_cases),
    Entry("finite-posterior", "Robust 2014 Theorem 2 (i)", FinitePosterior, audit_cases=robust.audit_cases),
    Entry("randomized-bits", "DP review 2019 Definition 3.1", RandomizedResponse, audit_cases=noise_audit_cases.bits),
    Entry("randomized-choice", "DP review 2019 section 3.1", RandomizedChoice, audit_cases=noise_audit_cases.choices),
    Entry(
        "laplace-noise", "DP review 2019 Definition 3.5", LaplaceMechanism, audit_cases=noise_audit_cases.laplace_noise
    ),
    Entry(
        "gaussian-noise",
        "DP review 2019 Definition 3.14",
        GaussianMechanism,
        audit_cases=partial(noise_audit_cases.gaussian_noise, "classical"),
    ),
    Entry(
        "gaussian-noise-analytic",
        "Balle and Wang 2018",
        GaussianMechanism,
        audit_cases=partial(noise_audit_cases.gaussian_noise, "analytic"),
    ),
    Entry(
        "localized-gaussian",
        "DP review 2019 Proposition 3.19",
        LocalizedGaussian,
        audit_cases=fitted_audit_cases.localized,
    ),
    Entry("smooth-cauchy", NISSIM, SmoothCauchy, audit_cases=fitted_audit_cases.smooth_cauchy),
    Entry("smooth-laplace", NISSIM, SmoothLaplace, audit_cases=fitted_audit_cases.smooth_laplace),
    Entry("smooth-gaussian", NISSIM, SmoothGaussian, audit_cases=fitted_audit_cases.smooth_gaussian),
    Entry("block-mean", "DP review 2019 section 3.6", BlockMean, audit_cases=fitted_audit_cases.block_mean),
    Entry("block-median", "DP review 2019 section 3.6", BlockMedian, audit_cases=fitted_audit_cases.block_median),
    Entry(
        "block-smooth-median",
        "DP review 2019 section 3.6",
        BlockSmoothMedian,
        audit_cases=fitted_audit_cases.block_smooth_median,
    ),
)
