"""Theorem 20's examples against quadrature, in 30 digits and with densities that the library does not use."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf
from scipy import integrate, stats

import refusals
from dpsampling.amplification import couplings
from dpsampling.privacy.accounting import to_approximate

PROMISED = 1e-9


def renyi(log_p, log_q, order, low, high):
    """R_α of two laws by their log-densities on an interval, by adaptive quadrature."""

    def integrand(x):
        return math.exp(order * log_p(x) + (1 - order) * log_q(x))

    return math.log(integrate.quad(integrand, low, high, epsabs=0, epsrel=1e-11, limit=500)[0]) / (order - 1)


@pytest.mark.parametrize(("sigma1", "sigma2"), [(1.0, 1.0), (0.5, 2.0), (3.0, 0.2)])
def test_iterated_gaussian_is_exact(sigma1, sigma2):
    curve, width = couplings.lipschitz_gaussian(0.7, sigma1, sigma2, 1.0), math.hypot(sigma1, sigma2)
    for order in (1.1, 2.0, 7.0):
        laws = (stats.norm(mean, width).logpdf for mean in (0, 0.7))
        exact = renyi(*laws, order, -12 - order - 9 * width, 12 + order + 9 * width)
        assert exact * (1 - PROMISED) <= curve.epsilon(order) <= exact * (1 + 1e-8)


@pytest.mark.parametrize("lipschitz", [0.3, 1.0, 2.5])
def test_a_lipschitz_map_between_two_gaussians(lipschitz):
    """Affine maps attain σ*² = σ₁² + σ₂²/L²; a map that bends (L tanh) stays below it; (6.2) at any w is above it."""
    delta, sigma1, sigma2 = 1.0, 0.8, 0.5
    curve = couplings.lipschitz_gaussian(delta, sigma1, sigma2, lipschitz)
    spread = math.hypot(lipschitz * sigma1, sigma2)
    x, w = np.polynomial.legendre.leggauss(400)

    def bent(mean):
        inputs = mean + 9 * sigma1 * x
        weights = 9 * sigma1 * w * stats.norm.pdf(inputs, mean, sigma1)
        return lambda y: math.log(float(weights @ stats.norm.pdf(y, lipschitz * np.tanh(inputs), sigma2)))

    for order in (1.5, 4.0):
        laws = (stats.norm(mean, spread).logpdf for mean in (0, lipschitz * delta))
        affine = renyi(*laws, order, -3 * order - 10 * spread, 12 + 10 * spread)
        assert affine * (1 - PROMISED) <= curve.epsilon(order) <= affine * (1 + 1e-8)
        assert renyi(bent(0.0), bent(delta), order, -6.0, 6.0) <= curve.epsilon(order) + PROMISED
        for t in np.linspace(-1, 2, 31):
            by_w = order / 2 * ((t / sigma1) ** 2 + (lipschitz * (delta - t) / sigma2) ** 2)
            assert by_w >= curve.epsilon(order) * (1 - 1e-11)
    assert couplings.lipschitz_gaussian(delta, sigma1, sigma2, 0.0).epsilon(2.0) == 0.0


def exact_density(x, a, b):
    """(6.3) as printed."""
    x, a, b = abs(mpf(x)), mpf(a), mpf(b)
    if a == b:
        return mp.exp(-x / a) * (a + x) / (4 * a * a)
    return ((1 / (a + b) + 1 / (a - b)) * mp.exp(-x / a) + (1 / (a + b) - 1 / (a - b)) * mp.exp(-x / b)) / 4


def exact_divergence(order, delta, a, b):
    """The integral in 30 digits, on intervals that double away from the two bends of the density."""
    with mp.workdps(30):
        large, small, delta, order = mpf(max(a, b)), mpf(min(a, b)), mpf(delta), mpf(order)
        reach = large * (60 + 8 * mp.sqrt(order * delta / large))
        steps = [small / (2 * order + 1) * 2**k for k in range(60)]
        out = [s for s in steps if s < reach] + [reach]
        inside = [s for s in steps if s < delta / 2]
        points = {mpf(0), delta, *(-s for s in out), *(delta + s for s in out), *inside, *(delta - s for s in inside)}

        def integrand(x):
            return exact_density(x, a, b) ** order * exact_density(x - delta, a, b) ** (1 - order)

        return mp.log(mpmath.quad(integrand, sorted(points), maxdegree=4)) / (order - 1)


CASES = [(1.1, 1.0, 1.0, 1.0), (100.0, 1.0, 0.1, 10.0), (2.0, 1.0, 1.0, 2.0)]
CASES += [(1.1, 1e-3, 1.0, 5.0), (100.0, 1.0, 0.1, 0.1000001), (1.001, 0.5, 7.0, 0.1)]


@pytest.mark.parametrize(("order", "delta", "a", "b"), CASES)
def test_the_exact_divergence_of_iterated_laplace_noise(order, delta, a, b):
    found = couplings.iterated_laplace_divergence(order, delta, a, b)
    assert found == pytest.approx(float(exact_divergence(order, delta, a, b)), rel=couplings.TOLERANCE)
    assert found == pytest.approx(couplings.iterated_laplace_divergence(order, delta, b, a), rel=1e-12)


def test_the_density_is_the_printed_one():
    for a, b in [(1.0, 1.0), (1.0, 3.0), (0.1, 10.0), (1.0, 1.0 + 1e-9)]:
        for x in (0.0, 1e-6, -0.5, 3.0, 40.0):
            with mp.workdps(50):
                exact = mp.log(exact_density(x, a, b))
            assert couplings.log_density(x, a, b) == pytest.approx(float(exact), rel=1e-12, abs=1e-13)


def test_the_bound_is_above_the_exact_divergence_and_below_either_noise_alone():
    """Orders 1.1 to 100 and scales .1 to 10, the whole range; a bound at half of Δ (planted) falls below."""
    scales, orders = np.geomspace(0.1, 10.0, 7), np.geomspace(1.1, 100.0, 9)
    below = 0
    for a, b, order in itertools.product(scales, scales, orders):
        exact = couplings.iterated_laplace_divergence(order, 1.0, a, b)
        bound = couplings.iterated_laplace(1.0, a, b).epsilon(order)
        assert bound >= exact * (1 - 1e-12)
        assert bound <= min(couplings.laplace(1.0, scale).epsilon(order) for scale in (a, b))
        below += couplings.iterated_laplace(0.5, a, b).epsilon(order) < exact
    assert below > 100


def test_the_best_w_is_the_best_of_a_fine_grid():
    for order, a, b in [(1.1, 1.0, 1.0), (5.0, 1.0, 2.0), (100.0, 0.1, 10.0), (30.0, 2.0, 0.3)]:
        best = couplings.iterated_laplace(1.0, a, b).epsilon(order)
        laplace = couplings.laplace_divergence
        grid = [laplace(order, t / a) + laplace(order, (1 - t) / b) for t in np.linspace(0, 1, 20_001)]
        assert min(grid) * (1 - 1e-4) <= best <= min(grid) * (1 + 1e-11)


def test_the_laplace_curve_against_many_digits():
    for order, z in itertools.product((1 + 1e-9, 1.1, 2.0, 100.0, 1e6), (1e-9, 1e-3, 0.4, 0.6, 10.0, 500.0)):
        with mp.workdps(60):
            o, x = mpf(order), mpf(z)
            g = o / (2 * o - 1) * mp.exp((o - 1) * x) + (o - 1) / (2 * o - 1) * mp.exp(-o * x)
            exact = mp.log(g) / (o - 1)
            assert exact <= couplings.laplace(z, 1.0).epsilon(order) <= exact * (1 + mpf("1e-11"))


def test_lemma_5_the_limit_of_pure_privacy_is_reached():
    for delta, a, b in [(1.0, 1.0, 1.0), (1.0, 1.0, 5.0), (2.0, 0.1, 0.1), (0.5, 10.0, 0.1)]:
        limit = delta / max(a, b)
        assert couplings.iterated_laplace_limit(delta, a, b).epsilon == pytest.approx(limit, rel=1e-11)
        orders = (10.0, 1e3, 1e5, 1e8, 1e12)
        exact = [couplings.iterated_laplace_divergence(order, delta, a, b) for order in orders]
        bound = [couplings.iterated_laplace(delta, a, b).epsilon(order) for order in orders]
        assert exact == sorted(exact)
        assert all(x <= y for x, y in zip(exact, bound, strict=True))
        assert max(bound) <= limit * (1 + 1e-11)
        assert exact[-1] == pytest.approx(limit, rel=1e-5)
        tail = couplings.log_density(1e7, a, b) - couplings.log_density(1e7 + delta, a, b)
        assert tail == pytest.approx(limit, rel=1e-5)


def test_curves_are_guarantees_that_convert():
    assert to_approximate(couplings.iterated_laplace(1.0, 1.0, 2.0), 1e-6).epsilon <= 0.5 * (1 + 1e-5)
    assert couplings.iterated_laplace(0.0, 1.0, 2.0).epsilon(3.0) == 0.0
    assert couplings.iterated_laplace_divergence(3.0, 0.0, 1.0, 2.0) == 0.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: couplings.iterated_laplace(1.0, 0.0, 1.0),
        lambda: couplings.lipschitz_gaussian(-1.0, 1.0, 1.0, 1.0),
        lambda: couplings.lipschitz_gaussian(1.0, 1.0, 1.0, math.nan),
        lambda: couplings.iterated_laplace_divergence(1.0, 1.0, 1.0, 1.0),
        lambda: couplings.laplace(1.0, math.inf),
    ],
)
def test_bad_scales_are_told(call):
    assert "\n" not in refusals.of_call(call)
