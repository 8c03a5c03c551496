r"""OPS and what it draws from, against independent distribution functions; error rates as in `test_samplers`.

The references are integrals of the densities as written, incomplete Beta functions where they do not fail, and ordinary
rejection.
"""

from functools import partial

import numpy as np
import pytest
from scipy.special import betainc, gammainc

import telling_apart
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.numerics import truncated_beta, truncated_dirichlet
from telling_apart import allowed, assert_marginals, cumulated, marginal_cdf, two_sample_distance

assert_told_apart = partial(telling_apart.assert_told_apart, most=500_000)


def beta_cdf(a, b, low, high, grid):
    """F on the grid (in [low, high], its first point low), by quadrature of the density between its points."""
    edges = np.append(grid, high) if grid[-1] < high else grid
    return cumulated(lambda p: (a - 1) * np.log(p) + (b - 1) * np.log1p(-p), edges)[: len(grid)]


# -- truncated Beta ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [0.7, 1.3])
@pytest.mark.parametrize(
    ("a", "b", "low", "high", "reach"),
    [
        (2.0, 3.0, 0.2, 0.8, (0.2, 0.8)),
        (1.0, 2e5, 0.0077, 1.0, (0.0077, 0.0079)),
        (5000.0, 2.0, 1e-6, 0.2, (0.199, 0.2)),
        (3.0, 1e6, 0.05, 0.95, (0.05, 0.05003)),
        (0.05, 0.3, 0.01, 0.999, (0.01, 0.999)),
        (1.0, 1.0, 0.2, 0.8, (0.2, 0.8)),
        (0.6, 30.0, 0.2, 0.8, (0.2, 0.8)),
        (40.0, 3.0, 0.2, 0.8, (0.2, 0.8)),
    ],
)
def test_truncated_beta_has_its_law_and_not_one_of_30_percent_other_parameters(a, b, low, high, reach, factor):
    grid = np.linspace(*reach, 400)
    # What lies beyond the grid has less than e^-20 of the mass, or the grid is all of the window.
    grid = np.union1d([low, high], grid) if reach[1] - reach[0] > 0.1 else grid
    ends = (low, high) if reach[1] - reach[0] > 0.1 else reach

    def sampler(k):
        return lambda size, rng: truncated_beta.sample(a * k, b * k, low, high, rng, size)

    def cdf(k):
        return beta_cdf(a * k, b * k, *ends, grid)

    assert_told_apart(sampler(1.0), sampler(factor), cdf(1.0), cdf(factor), grid)


def test_window_of_1e_9_is_uniform_and_not_30_percent_wider():
    low, width = 0.4, 1e-9

    def sampler(k):
        return lambda size, rng: (truncated_beta.sample(3.0, 7.0, low, low + k * width, rng, size) - low) / width

    grid = np.linspace(0, 1.3, 100)
    assert_told_apart(sampler(1.0), sampler(1.3), np.minimum(grid, 1), grid / 1.3, grid)


# -- OPS ---------------------------------------------------------------------------------------------------------------

A0, N, SUCCESSES, T = 0.2, 20, 6, 2.77
GRID = np.linspace(A0, 1 - A0, 400)


def ops(t, a0=A0, s=SUCCESSES):
    mechanism = OnePosteriorSample(BetaBernoulli(), (1.0, 2.0), N, a0, t)
    return lambda size, rng: mechanism.simulate_probability(s, rng, size)


def ops_cdf(t, s=SUCCESSES):
    return beta_cdf(s / t + 1, (N - s) / t + 1, A0, 1 - A0, GRID)


@pytest.mark.parametrize("wrong", [0.7 * T, 1.3 * T, 1.0])
def test_ops_has_its_temperature_and_not_30_percent_more_or_less_or_none(wrong):
    assert_told_apart(ops(T), ops(wrong), ops_cdf(T), ops_cdf(wrong), GRID)


def test_ops_is_cut_at_one_minus_a0_and_not_at_a0_alone():
    def uncut(size, rng):
        return truncated_beta.sample(N / T + 1, 1.0, A0, 1.0, rng, size)

    wide = np.append(GRID, np.linspace(1 - A0, 1, 100)[1:])
    cdf = np.append(ops_cdf(T, N), np.ones(99))
    assert_told_apart(ops(T, s=N), uncut, cdf, beta_cdf(N / T + 1, 1.0, A0, 1.0, wide), wide)


def test_ops_tempers_the_density_in_p_and_not_in_theta():
    """Beta((s+α)/T, …), which tempers the density of θ, is another law."""

    def in_theta(size, rng):
        return truncated_beta.sample((SUCCESSES + 1) / T, (N - SUCCESSES + 1) / T, A0, 1 - A0, rng, size)

    cdf = beta_cdf((SUCCESSES + 1) / T, (N - SUCCESSES + 1) / T, A0, 1 - A0, GRID)
    assert_told_apart(ops(T), in_theta, ops_cdf(T), cdf, GRID)


# -- truncated Dirichlet -----------------------------------------------------------------------------------------------


def dirichlet(alpha, a0, j):
    return lambda size, rng: truncated_dirichlet.sample(alpha, a0, rng, size).theta[:, j]


THREE = [((3.0, 2.0, 1.0), 0.1), ((0.5, 0.5, 0.5), 0.05), ((40.0, 8.0, 2.0), 0.15), ((0.05, 3.0, 12.0), 0.01)]


@pytest.mark.parametrize("factor", [0.7, 1.3])
@pytest.mark.parametrize(("alpha", "a0"), THREE)
def test_truncated_dirichlet_has_its_marginals_and_not_those_of_30_percent_other_shapes(alpha, a0, factor):
    grid = np.linspace(a0, 1 - 2 * a0, 600)
    wrong = np.array(alpha) * factor
    cdfs = [(marginal_cdf(alpha, a0, j, grid), marginal_cdf(wrong, a0, j, grid)) for j in range(3)]
    for j, (cdf, wrong_cdf) in enumerate(cdfs):
        if np.max(np.abs(cdf - wrong_cdf)) > 0.01:  # a marginal that the scale hardly moves tells nothing about it
            assert_told_apart(dirichlet(alpha, a0, j), dirichlet(wrong, a0, j), cdf, wrong_cdf, grid)
    assert max(np.max(np.abs(cdf - wrong_cdf)) for cdf, wrong_cdf in cdfs) > 0.01


def sequential(alpha, a0, size, rng):
    """Truncated Betas one after another, without the factor Pr(the rest fits): a scheme that is wrong."""
    alpha = np.asarray(alpha)
    theta, rest = np.empty((size, len(alpha))), np.ones(size)
    for j in range(len(alpha) - 1):
        others = len(alpha) - 1 - j
        low, high = a0 / rest, 1 - others * a0 / rest
        high = np.maximum(high, low * (1 + 1e-12))
        theta[:, j] = rest * truncated_beta.sample(alpha[j], alpha[j + 1 :].sum(), low, high, rng)
        rest = rest - theta[:, j]
    theta[:, -1] = rest
    return theta


@pytest.mark.parametrize(("alpha", "a0"), [((20.0, 0.5, 0.5), 0.05), ((5.0, 1.0, 1.0), 0.1)])
def test_the_literal_sequential_scheme_is_told_from_the_truncated_dirichlet(alpha, a0):
    grid = np.linspace(a0, 1 - 2 * a0, 600)
    cdf, wrong_cdf = marginal_cdf(alpha, a0, 0, grid), beta_cdf(alpha[0], sum(alpha[1:]), a0, 1 - 2 * a0, grid)

    def literal(size, rng):
        return sequential(alpha, a0, size, rng)[:, 0]

    assert_told_apart(dirichlet(alpha, a0, 0), literal, cdf, wrong_cdf, grid)


@pytest.mark.parametrize("rate", [3.0, 9.0])
@pytest.mark.parametrize("large", [(0,), (1,), (0, 2), (0, 1, 2)])
def test_every_choice_of_blocks_and_rate_gives_the_same_law(large, rate):
    """`choose_blocks` decides the speed alone, as the derivation says."""
    alpha, a0 = np.array([3.0, 0.7, 1.5]), 0.08
    mask = np.isin(np.arange(3), large)
    rng, parts = np.random.default_rng(11), []
    while sum(map(len, parts)) < 20_000:
        parts.append(truncated_dirichlet.block_trials(alpha, a0, mask, rate, rng, 50_000))
    assert_marginals(np.concatenate(parts), alpha, a0)


def test_a_forgotten_gamma_factor_is_caught():
    """The planted bug keeps the truncated Gammas whenever the rest is large enough, without h(m)."""
    alpha, a0, rng = np.array([3.0, 0.7, 1.5]), 0.08, np.random.default_rng(12)
    small = truncated_dirichlet.truncated_gamma(alpha[1:], 6.0, a0, 1 - 2 * a0, rng, (60_000, 2))
    rest = 1 - small.sum(axis=1)
    bad = np.column_stack([rest, small])[rest >= a0]
    with pytest.raises(AssertionError):
        assert_marginals(bad, alpha, a0)


def test_six_outcomes_agree_with_plain_rejection_and_the_sequential_scheme_does_not():
    """Two samples of N differ by less than 2√(ln(4/α)/2N), each within half of that of the truth."""
    alpha, a0, size = np.array([12.0, 0.5, 1.0, 3.0, 0.8, 2.0]), 0.012, 40_000
    rng = np.random.default_rng(14)
    plain = rng.dirichlet(alpha, 1_500_000)
    plain = plain[np.all(plain >= a0, axis=1)][:size]
    drawn = truncated_dirichlet.sample(alpha, a0, rng, size).theta
    literal = sequential(alpha, a0, size, rng)
    assert len(plain) == size
    views = [*(lambda x, j=j: x[:, j] for j in range(6)), lambda x: x[:, 1:].max(axis=1), lambda x: x[:, 0] * x[:, 3]]
    apart = [max(two_sample_distance(view(x), view(plain)) for view in views) for x in (drawn, literal)]
    assert apart[0] < 2 * allowed(size, 2 * len(views)) < apart[1]


@pytest.mark.parametrize("factor", [0.7, 1.3])
def test_categorical_ops_has_its_temperature(factor):
    counts, prior, t = (10, 3, 1), (1.0, 1.0, 1.0), 4.0
    grid = np.linspace(A0 / 2, 1 - A0, 600)

    def shapes(k):
        return [n / (t * k) + 1 for n in counts]

    def sampler(k):
        mechanism = OneCategoricalSample(prior, A0 / 2, t * k)
        return lambda size, rng: mechanism.simulate(counts, rng, size).theta[:, 0]

    cdfs = [marginal_cdf(shapes(k), A0 / 2, 0, grid) for k in (1.0, factor)]
    assert_told_apart(sampler(1.0), sampler(factor), *cdfs, grid)


@pytest.mark.parametrize("factor", [0.7, 1.3])
@pytest.mark.parametrize(("shape", "rate", "low", "high"), [(0.05, 9.0, 0.01, 0.9), (30.0, 60.0, 0.2, 0.6)])
def test_truncated_gamma_has_its_rate(shape, rate, low, high, factor):
    grid = np.linspace(low, high, 400)

    def cdf(k):
        below, above = gammainc(shape, low * rate * k), gammainc(shape, high * rate * k)
        return (gammainc(shape, grid * rate * k) - below) / (above - below)

    def sampler(k):
        return lambda size, rng: truncated_dirichlet.truncated_gamma(shape, rate * k, low, high, rng, (size,))

    assert_told_apart(sampler(1.0), sampler(factor), cdf(1.0), cdf(factor), grid)


# -- the exponential mechanism -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("factor", [0.7, 1.3, 2.0])
def test_exponential_mechanism_has_its_epsilon_and_the_two_in_two_delta(factor):
    u, grid = np.array([0.0, 1.0, 2.5, -1.0]), np.arange(4)

    def sampler(k):
        return lambda size, rng: ExponentialMechanism(1.0, 1.2 * k).simulate(u, rng, size)

    def cdf(k):
        weights = np.exp(1.2 * k * u / 2)
        return np.cumsum(weights / weights.sum())

    assert_told_apart(sampler(1.0), sampler(factor), cdf(1.0), cdf(factor), grid)


def test_reference_quadrature_is_itself_right():
    grid, (low, high) = np.linspace(0.2, 0.8, 50), betainc(3.0, 5.0, [0.2, 0.8])
    exact = (betainc(3.0, 5.0, grid) - low) / (high - low)
    assert beta_cdf(3.0, 5.0, 0.2, 0.8, grid) == pytest.approx(exact, abs=1e-12)
