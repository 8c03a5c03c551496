"""One test for every sampler: it passes the right one and fails a planted wrong one, both with error rate ERROR_RATE.

By the Dvoretzky-Kiefer-Wolfowitz inequality the largest distance between the empirical and the true distribution
function of `size` draws exceeds d with probability at most 2 e^{−2 size d²}. With d half of the distance of the two
laws, that bounds the probability that the right sampler fails and that the wrong one passes.
"""

from __future__ import annotations

import math

import numpy as np

ERROR_RATE = 1e-6  # of each kind, a test; seeds are fixed all the same


def sample_size(distance):
    return math.ceil(2 * math.log(2 / ERROR_RATE) / distance**2)


def distance_on_grid(draws, cdf, grid):
    return np.max(np.abs(np.searchsorted(np.sort(draws), grid, side="right") / len(draws) - cdf))


def assert_told_apart(right, wrong, cdf, wrong_cdf, grid, *, seed=7, most=2_000_000):
    """`right` passes and the planted `wrong` fails, where a law is a sampler (size, rng) and its values on the grid."""
    apart = np.max(np.abs(cdf - wrong_cdf))
    size = sample_size(apart)
    assert size < most
    assert distance_on_grid(right(size, np.random.default_rng(seed)), cdf, grid) < apart / 2
    assert distance_on_grid(wrong(size, np.random.default_rng(seed + 1)), cdf, grid) > apart / 2
