"""Every mechanism of this room, by name."""

from __future__ import annotations

from dpsampling.foundations import fitted_exposures
from dpsampling.foundations.localized_gaussian import LocalizedGaussian
from dpsampling.foundations.sample_and_aggregate import BlockMean, BlockMedian, BlockSmoothMedian
from dpsampling.foundations.smooth_noise import SmoothCauchy, SmoothGaussian, SmoothLaplace
from dpsampling.mechanisms.entry import Entry

NISSIM = "Nissim, Raskhodnikova and Smith 2007"

ENTRIES = (
    Entry(
        "localized-gaussian",
        "Gaussian noise fitted to each data set",
        "vermilion",
        "DP review 2019 Proposition 3.19",
        LocalizedGaussian,
        exposed=fitted_exposures.localized,
    ),
    Entry(
        "smooth-cauchy",
        "smooth sensitivity, Cauchy noise",
        "blue",
        NISSIM,
        SmoothCauchy,
        exposed=fitted_exposures.smooth_cauchy,
    ),
    Entry(
        "smooth-laplace",
        "smooth sensitivity, Laplace noise",
        "sky",
        NISSIM,
        SmoothLaplace,
        exposed=fitted_exposures.smooth_laplace,
    ),
    Entry(
        "smooth-gaussian",
        "smooth sensitivity, Gaussian noise",
        "green",
        NISSIM,
        SmoothGaussian,
        exposed=fitted_exposures.smooth_gaussian,
    ),
    Entry(
        "block-mean",
        "mean of blocks",
        "orange",
        "DP review 2019 section 3.6",
        BlockMean,
        exposed=fitted_exposures.block_mean,
    ),
    Entry(
        "block-median",
        "median of blocks, exponential mechanism",
        "purple",
        "DP review 2019 section 3.6",
        BlockMedian,
        exposed=fitted_exposures.block_median,
    ),
    Entry(
        "block-smooth-median",
        "median of blocks, smooth sensitivity",
        "teal",
        "DP review 2019 section 3.6",
        BlockSmoothMedian,
        exposed=fitted_exposures.block_smooth_median,
    ),
)
