"""Every mechanism of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.foundations import fitted_audit_cases as fitted
from dpsampling.foundations import noise_audit_cases as noise
from dpsampling.foundations import session_audit_cases as session
from dpsampling.foundations.localized_gaussian import LocalizedGaussian
from dpsampling.foundations.noise import GaussianMechanism, LaplaceMechanism
from dpsampling.foundations.query_session import QuerySession
from dpsampling.foundations.randomized_response import RandomizedChoice, RandomizedResponse
from dpsampling.foundations.robust import audit_cases as robust
from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.foundations.sample_and_aggregate import BlockMean, BlockMedian, BlockSmoothMedian
from dpsampling.foundations.smooth_noise import SmoothCauchy, SmoothGaussian, SmoothLaplace
from dpsampling.mechanisms.entry import entries

NISSIM, REVIEW = "Nissim, Raskhodnikova and Smith 2007", "DP review 2019"

ENTRIES = entries(
    ("query-session", "Robust 2014 Algorithm 1", QuerySession, session.audit_cases),
    ("finite-posterior", "Robust 2014 Theorem 2 (i)", FinitePosterior, robust.audit_cases),
    ("randomized-bits", f"{REVIEW} Definition 3.1", RandomizedResponse, noise.bits),
    ("randomized-choice", f"{REVIEW} section 3.1", RandomizedChoice, noise.choices),
    ("laplace-noise", f"{REVIEW} Definition 3.5", LaplaceMechanism, noise.laplace_noise),
    ("gaussian-noise", f"{REVIEW} Definition 3.14", GaussianMechanism, partial(noise.gaussian_noise, "classical")),
    ("gaussian-noise-analytic", "Balle and Wang 2018", GaussianMechanism, partial(noise.gaussian_noise, "analytic")),
    ("localized-gaussian", f"{REVIEW} Proposition 3.19", LocalizedGaussian, fitted.localized),
    ("smooth-cauchy", NISSIM, SmoothCauchy, fitted.smooth_cauchy),
    ("smooth-laplace", NISSIM, SmoothLaplace, fitted.smooth_laplace),
    ("smooth-gaussian", NISSIM, SmoothGaussian, fitted.smooth_gaussian),
    ("block-mean", f"{REVIEW} section 3.6", BlockMean, fitted.block_mean),
    ("block-median", f"{REVIEW} section 3.6", BlockMedian, fitted.block_median),
    ("block-smooth-median", f"{REVIEW} section 3.6", BlockSmoothMedian, fitted.block_smooth_median),
)
