"""Every mechanism of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.foundations import fitted_exposures, noise_exposures, session_exposures
from dpsampling.foundations.localized_gaussian import LocalizedGaussian
from dpsampling.foundations.noise import GaussianMechanism, LaplaceMechanism
from dpsampling.foundations.query_session import QuerySession
from dpsampling.foundations.randomized_response import RandomizedChoice, RandomizedResponse
from dpsampling.foundations.robust import exposures as robust
from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.foundations.sample_and_aggregate import BlockMean, BlockMedian, BlockSmoothMedian
from dpsampling.foundations.smooth_noise import SmoothCauchy, SmoothGaussian, SmoothLaplace
from dpsampling.mechanisms.entry import Entry

NISSIM = "Nissim, Raskhodnikova and Smith 2007"
ENTRIES: tuple[Entry, ...] = (
    Entry("query-session", "Robust 2014 Algorithm 1", QuerySession, exposed=session_exposures.exposed),
    Entry("finite-posterior", "Robust 2014 Theorem 2 (i)", FinitePosterior, exposed=robust.exposed),
    Entry("randomized-bits", "DP review 2019 Definition 3.1", RandomizedResponse, exposed=noise_exposures.bits),
    Entry("randomized-choice", "DP review 2019 section 3.1", RandomizedChoice, exposed=noise_exposures.choices),
    Entry("laplace-noise", "DP review 2019 Definition 3.5", LaplaceMechanism, exposed=noise_exposures.laplace_noise),
    Entry(
        "gaussian-noise",
        "DP review 2019 Definition 3.14",
        GaussianMechanism,
        exposed=partial(noise_exposures.gaussian_noise, "classical"),
    ),
    Entry(
        "gaussian-noise-analytic",
        "Balle and Wang 2018",
        GaussianMechanism,
        exposed=partial(noise_exposures.gaussian_noise, "analytic"),
    ),
    Entry(
        "localized-gaussian", "DP review 2019 Proposition 3.19", LocalizedGaussian, exposed=fitted_exposures.localized
    ),
    Entry("smooth-cauchy", NISSIM, SmoothCauchy, exposed=fitted_exposures.smooth_cauchy),
    Entry("smooth-laplace", NISSIM, SmoothLaplace, exposed=fitted_exposures.smooth_laplace),
    Entry("smooth-gaussian", NISSIM, SmoothGaussian, exposed=fitted_exposures.smooth_gaussian),
    Entry("block-mean", "DP review 2019 section 3.6", BlockMean, exposed=fitted_exposures.block_mean),
    Entry("block-median", "DP review 2019 section 3.6", BlockMedian, exposed=fitted_exposures.block_median),
    Entry(
        "block-smooth-median",
        "DP review 2019 section 3.6",
        BlockSmoothMedian,
        exposed=fitted_exposures.block_smooth_median,
    ),
)
