"""The Gaussian baseline: its noise, the mixture that θ follows, and its distance from the true posterior."""

import math
from functools import partial

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.integrate import quad

import reference
from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic, kl_from_posterior, log_mixture_ratio

FAMILY = BetaBernoulli()
PRIOR = (6.0, 18.0)
SIGMAS = partial(GaussianStatistic.calibrated_sigmas, FAMILY)


def statistic(sigma, n=100, prior=PRIOR):
    return GaussianStatistic(FAMILY, prior, n, sigma)


# -- the noise -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [1.01, 2.0, 15.0, 200.0])
@pytest.mark.parametrize("epsilon", [1e-6, 0.01, 1.0, 50.0])
def test_tight_noise_satisfies_order_and_epsilon_exactly(order, epsilon):
    mechanism = GaussianStatistic.calibrate(FAMILY, PRIOR, 100, order=order, epsilon=epsilon)
    with mp.workdps(40):
        level = mpf(order) / (2 * mpf(mechanism.sigma) ** 2)  # R_λ of N(0, σ²) and N(1, σ²)
        assert level <= epsilon
        assert level >= epsilon * (1 - 1e-11)  # two margins of 2^-40
        assert level <= mechanism.guarantee.epsilon(order) <= epsilon


def test_renyi_divergence_of_two_normals_is_order_over_twice_the_variance():
    sigma, order = 1.7, 3.0

    def integrand(x):
        exponent = -0.5 * (order * x**2 + (1 - order) * (x - 1) ** 2) / sigma**2
        return math.exp(exponent) / (sigma * math.sqrt(2 * math.pi))

    moment, _ = quad(integrand, -40, 40, epsabs=0, epsrel=1e-12, limit=200)
    assert statistic(sigma).guarantee.epsilon(order) == pytest.approx(math.log(moment) / (order - 1), rel=1e-10)


def test_printed_noise_is_the_square_root_of_two_times_the_tight_one():
    printed, tight = (SIGMAS(15.0, [0.1, 1.0], calibration=name) for name in ("printed", "tight"))
    assert printed == pytest.approx(math.sqrt(2) * tight, rel=1e-15)
    assert printed**2 == pytest.approx(np.array([150.0, 15.0]), rel=1e-11)


def test_guarantee_has_no_horizon():
    guarantee = statistic(2.0).guarantee
    assert guarantee.horizon == math.inf
    assert guarantee.epsilon(1e6) == pytest.approx(1e6 / 8, rel=1e-11)


def test_noisy_statistic_is_clipped_to_what_data_can_have_and_the_worst_pair_are_neighbours():
    noisy = statistic(1e3).simulate_statistic(32, np.random.default_rng(1), 1000)
    assert noisy.min() == 0
    assert noisy.max() == 100
    for n in (1, 2, 100):
        (s, _), (t, _) = statistic(1.0, n).worst_pair(2.0)
        assert t - s == 1
        assert 0 <= s < t <= n


# -- the mixture ---------------------------------------------------------------------------------------------------

CASES = [(32, 100), (0, 100), (100, 100), (1, 1), (3.5, 20)]


@pytest.mark.parametrize("sigma", [0.1, 1.0, 7.0, 1e4])
@pytest.mark.parametrize(("s", "n"), CASES)
def test_mixture_density_agrees_with_quadrature(s, n, sigma):
    theta = np.array([-5.0, -1.2, -0.7, 0.0, 2.0])
    value = statistic(sigma, n).log_density(theta, s)
    exact = [math.log(reference.mixture_density(6.0, 12.0, n, s, sigma, t)) for t in theta]
    # Forty Legendre nodes a piece see the normal density's middle to about 1e-12.
    assert value == pytest.approx(np.array(exact), abs=1e-10)


@pytest.mark.parametrize("sigma", [0.1, 7.0, 1e4])
@pytest.mark.parametrize(("s", "n"), CASES)
def test_mixture_density_integrates_to_one(s, n, sigma):
    mechanism = statistic(sigma, n)
    theta, weights = reference.legendre([-30, -12, *np.arange(-8, 8.5, 0.5), 12, 30], nodes=16)
    assert weights @ np.exp(mechanism.log_density(theta, s)) == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("s", [0, 10**6, 320_000])
def test_mixture_at_a_million_records(s):
    n, sigma = 10**6, 500.0
    a, b = 6.0 + s, 12.0 + n - s
    theta = math.log(a / b) + math.sqrt(1 / a + 1 / b) * np.array([-3.0, 0.0, 2.0])
    ratio = log_mixture_ratio(FAMILY, PRIOR, n, s, sigma, theta)
    with mp.workdps(30):
        for t, value in zip(theta, ratio, strict=True):
            assert value == pytest.approx(float(exact_log_ratio(mpf(float(t)), s, n, sigma)), abs=1e-8)


def exact_log_ratio(theta, s, n, sigma):
    """ln A/p_s, in 30 digits: ln B of a million loses nine of sixteen."""
    spread, here = 12 * 1000, reference.log_beta(6 + s, 12 + n - s)

    def ratio(t):
        return mpmath.exp((t - s) * theta + here - reference.log_beta(6 + t, 12 + n - t))

    low, high = max(0, s - spread), min(n, s + spread)
    edges = [low + (high - low) * mpf(k) / 16 for k in range(17)]
    inner = mpmath.quad(lambda t: ratio(t) * mpmath.npdf(t, s, sigma), edges, maxdegree=5)
    return mpmath.log(mpmath.ncdf(-mpf(s) / sigma) * ratio(0) + mpmath.ncdf(mpf(s - n) / sigma) * ratio(n) + inner)


def test_tiny_noise_leaves_the_posterior_and_huge_noise_two_atoms():
    theta = np.array([-2.0, -0.75, 0.5])
    assert log_mixture_ratio(FAMILY, PRIOR, 100, 32, 1e-3, theta) == pytest.approx(0, abs=1e-5)  # σ²/2·(…)
    shapes = (6, 112), (106, 12)
    ends = [sum(math.exp(reference.beta_logit_density(*pair, t)) for pair in shapes) / 2 for t in theta]
    density = np.exp(statistic(1e12).log_density(theta, 32))
    # Between the atoms lies a mass of 100/σ/√(2π) = 4e-11, which dominates where both ends have underflowed.
    assert density == pytest.approx(np.array(ends), rel=1e-3, abs=1e-9)


# -- KL(P‖A) -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [0.1, 1.0, 7.0, 100.0])
@pytest.mark.parametrize(
    ("prior", "s", "n"),
    [(PRIOR, 32, 100), (PRIOR, 38, 100), (PRIOR, 0, 100), (PRIOR, 100, 100), ((1.0, 2.0), 0, 20), (PRIOR, 1, 1)],
)
def test_kl_agrees_with_nested_quadrature_to_1e_8(prior, s, n, sigma):
    alpha, beta = prior[0], prior[1] - prior[0]
    exact = reference.mixture_kl(alpha, beta, n, s, sigma)
    assert kl_from_posterior(FAMILY, prior, n, s, sigma)[0] == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize("sigma", [5.0, 1e3])
@pytest.mark.parametrize(("prior", "s"), [(PRIOR, 320_000), ((1.0, 2.0), 0)])
def test_kl_at_a_million_records(prior, s, sigma):
    n = 10**6
    exact = reference.mixture_kl(prior[0], prior[1] - prior[0], n, s, sigma)
    # ln B of a million is rounded to 2e-9 by scipy and by the C library.
    assert kl_from_posterior(FAMILY, prior, n, s, sigma)[0] == pytest.approx(exact, abs=1e-8)


SMALL = [(0.6983, 182.1, 19, 10, 8377.0), (147.5, 0.733, 11, 11, 1723.0), (6.0, 12.0, 20, 0, 1e4)]
SMALL += [(0.05, 0.05, 20, 0, 5.0), (0.05, 30.0, 20, 0, 0.3)]


@pytest.mark.parametrize(("alpha", "beta", "n", "s", "sigma"), SMALL)
def test_kl_of_small_data_under_large_noise_and_of_small_shapes(alpha, beta, n, s, sigma):
    exact = reference.mixture_kl(alpha, beta, n, s, sigma)
    assert kl_from_posterior(FAMILY, (alpha, alpha + beta), n, s, sigma)[0] == pytest.approx(exact, abs=1e-8)


@pytest.mark.parametrize("sigma", [2.0, 12.0, 60.0])
def test_kl_agrees_with_monte_carlo(sigma):
    s, n, draws = 32, 100, 20_000
    rng = np.random.default_rng(11)
    rho = rng.beta(38, 80, draws)
    theta = np.log(rho / (1 - rho))
    noisy = np.clip(s + sigma * rng.standard_normal(200_000), 0, n)
    # A(θ) is estimated on a grid, from a histogram of s̃ that keeps its atoms.
    counts, edges = np.histogram(noisy[(noisy > 0) & (noisy < n)], bins=400, range=(0, n))
    centres = np.concatenate([[0], (edges[1:] + edges[:-1]) / 2, [n]])
    masses = np.concatenate([[np.sum(noisy == 0)], counts, [np.sum(noisy == n)]]) / noisy.size
    grid = np.linspace(theta.min(), theta.max(), 200)
    w = list(zip(centres, masses, strict=True))
    density = [math.fsum(m * math.exp(reference.beta_logit_density(6 + t, 12 + n - t, x)) for t, m in w) for x in grid]
    log_a = np.interp(theta, grid, np.log(density))
    values = np.array([reference.beta_logit_density(38, 80, x) for x in theta]) - log_a
    error = values.std() / math.sqrt(draws) + 1.5 / math.sqrt(noisy.size)
    assert kl_from_posterior(FAMILY, PRIOR, n, s, sigma)[0] == pytest.approx(values.mean(), abs=5 * error)


def test_kl_grows_with_the_noise_and_the_printed_noise_costs_more():
    assert np.all(np.diff(kl_from_posterior(FAMILY, PRIOR, 100, 32, np.geomspace(0.1, 1e3, 40))) > 0)
    sigmas = [SIGMAS(2.0, math.exp(-4), calibration=name) for name in ("tight", "printed")]
    tight, printed = (kl_from_posterior(FAMILY, PRIOR, 100, 32, sigma)[0] for sigma in sigmas)
    # The published figure has .2353 at ln ε = −4, to the accuracy of its digitisation.
    assert tight == pytest.approx(0.2352, abs=5e-5)
    assert printed == pytest.approx(0.4326, abs=5e-5)


@pytest.mark.parametrize("sigma", [0, -1.0, math.inf, math.nan])
def test_bad_sigma_is_refused_by_name(sigma):
    with pytest.raises(InputError, match=r"^sigma is .*\.$"):
        statistic(sigma)


LEVELS = [("order", 1), ("order", math.nan), ("epsilon", 0), ("epsilon", math.inf), ("epsilon", -1)]


@pytest.mark.parametrize(("key", "value"), [*LEVELS, ("calibration", "tigth")])
def test_calibration_refuses_bad_input_by_name(key, value):
    asked = {"order": 2.0, "epsilon": 0.1} | {key: value}
    with pytest.raises(InputError, match=rf"^{key} is .*\.$"):
        GaussianStatistic.calibrate(FAMILY, PRIOR, 100, **asked)


@pytest.mark.parametrize("sigma", [1e-200, 1e200])
def test_guarantee_of_extreme_noise_does_not_overflow(sigma):
    assert statistic(sigma).guarantee.epsilon(2.0) >= 0
