"""One test for every sampler: it passes the right one and fails a planted wrong one, both with error rate ERROR_RATE.

By the Dvoretzky-Kiefer-Wolfowitz inequality the largest distance between the empirical and the true distribution
function of `size` draws exceeds d with probability at most 2 e^{−2 size d²}. With d half of the distance of the two
laws, that bounds the probability that the right sampler fails and that the wrong one passes.
"""

import math

import numpy as np
from scipy.special import betainc

ERROR_RATE = 1e-6  # of each kind, a test; seeds are fixed all the same


def sample_size(distance):
    return math.ceil(2 * math.log(2 / ERROR_RATE) / distance**2)


def allowed(size, comparisons=1):
    """The distance that one of so many empirical distribution functions exceeds with probability ERROR_RATE."""
    return math.sqrt(math.log(2 * comparisons / ERROR_RATE) / (2 * size))


def distance_on_grid(draws, cdf, grid):
    return np.max(np.abs(np.searchsorted(np.sort(draws), grid, side="right") / len(draws) - cdf))


def two_sample_distance(x, y):
    grid = np.unique(np.concatenate([x, y]))
    return distance_on_grid(x, np.searchsorted(np.sort(y), grid, side="right") / len(y), grid)


def assert_told_apart(right, wrong, cdf, wrong_cdf, grid, *, seed=7, most=2_000_000):
    """`right` passes and the planted `wrong` fails, where a law is a sampler (size, rng) and its values on the grid."""
    apart = np.max(np.abs(cdf - wrong_cdf))
    size = sample_size(apart)
    assert size < most
    assert distance_on_grid(right(size, np.random.default_rng(seed)), cdf, grid) < apart / 2
    assert distance_on_grid(wrong(size, np.random.default_rng(seed + 1)), cdf, grid) > apart / 2


def cumulated(log_density, grid, nodes=12):
    """The distribution function of the density e^log_density on a grid over all of its mass, by Gauss-Legendre."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    half = np.diff(grid)[:, np.newaxis] / 2
    values = log_density(grid[:-1, np.newaxis] + half * (1 + x))
    mass = np.cumsum(np.sum(half * w * np.exp(values - values.max()), axis=1))
    return np.append(0.0, mass) / mass[-1]


def marginal_cdf(alpha, a0, j, grid):
    """K = 3: θ_j has density ∝ x^{α_j−1} (1−x)^{Σ others − 1} Pr(a₀ ≤ (1−x) φ ≤ 1−x−a₀), φ ~ Beta of the others."""
    other, last = (alpha[i] for i in range(3) if i != j)

    def log_density(x):
        low = np.minimum(a0 / (1 - x), 0.5)
        fits = betainc(other, last, 1 - low) - betainc(other, last, low)
        return (alpha[j] - 1) * np.log(x) + (other + last - 1) * np.log1p(-x) + np.log(np.maximum(fits, 1e-300))

    return cumulated(log_density, grid)


def assert_marginals(draws, alpha, a0):
    """Draws of three coordinates are of the Dirichlet with the floor a₀."""
    grid = np.linspace(a0, 1 - 2 * a0, 600)
    for j in range(3):
        assert distance_on_grid(draws[:, j], marginal_cdf(alpha, a0, j, grid), grid) < allowed(len(draws), 3)
