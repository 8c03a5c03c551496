"""Exact expected errors against enumeration with adaptive quadrature, and plain simulation."""

import math

import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.integrate import quad
from scipy.special import digamma
from scipy.stats import beta as beta_law
from scipy.stats import binom

import reference
from dpsampling.errors import InputError
from dpsampling.mechanisms import expected_error as exact
from dpsampling.numerics.noisy_counts import laplace_rule, noisy_counts

UNIFORM = (1.0, 2.0)
P, A0, EPSILON = 0.1, 0.05, 0.1


def l1(a, b, p):
    """E|X − p| by the integral of the distribution function: ∫₀^p F + ∫_p^1 (1 − F)."""
    return mp.quad(lambda x: mp.betainc(a, b, 0, x, regularized=True), [0, p]) + mp.quad(
        lambda x: 1 - mp.betainc(a, b, 0, x, regularized=True), [p, 1]
    )


@pytest.mark.parametrize(("a", "b", "p"), [(1, 1, 0.1), (1.5, 40.25, 0.1), (0.25, 3, 0.7), (11.5, 91.25, 0.1)])
def test_l1_error_of_a_beta_is_the_integral_of_its_distribution_function(a, b, p):
    with mp.workdps(20):
        assert reference.relative_error(exact.beta_l1_error(a, b, p), l1(mpf(a), mpf(b), mpf(p))) < 1e-11


def test_l1_error_of_a_large_beta_keeps_its_digits():
    # At shapes of 1e5 the error is 1e-3 and the terms are .1; a normal approximation agrees to its own 1e-3.
    a, b = 1e4 + 1.0, 9e4 + 1.0
    value = float(exact.beta_l1_error(a, b, 0.1))
    folded = math.sqrt(0.09 / 1e5) * math.sqrt(2 / math.pi)
    assert value == pytest.approx(folded, rel=1e-3)
    breaks = [0.1 + k * 0.00095 for k in (-9, -3, 0, 3, 9)]
    by_quad = reference.adaptive(lambda x: abs(x - 0.1) * beta_law.pdf(x, a, b), breaks)
    assert value == pytest.approx(by_quad, rel=1e-8)


def test_one_record_is_done_by_hand():
    # k = 0: Beta(1, 2), k = 1: Beta(2, 1); E|X − p| of each is a cubic in p.
    def first(p):
        return 2 * (p**2 - p**3 / 3) - p + 1 / 3

    expected = (1 - P) * first(P) + P * first(1 - P)
    assert exact.exact_l1_error_nonprivate(UNIFORM, 1, P) == pytest.approx(expected, rel=1e-12)


def noisy_expectation(g, k, n, b, upper):
    """E g(ŝ, t̂) given k, by nested Gauss-Legendre with breaks by hand, atoms one by one."""

    def one(count):
        breaks = [min(max(count + b * z, 0.0), upper) for z in np.arange(-40, 41, 2.0)]
        breaks = sorted({0.0, min(count, upper), *breaks})
        small = [x for x in (1.0, 3.0, 7.0, 15.0, 30.0) if x < breaks[-1]]
        nodes, weights = reference.legendre([*breaks, *small], nodes=14)
        density = weights * np.exp(-np.abs(nodes - count) / b) / (2 * b)
        atoms = [(0.0, 0.5 * math.exp(-count / b))]
        if math.isfinite(upper):
            atoms.append((upper, 0.5 * math.exp(-(upper - count) / b)))
        return np.r_[nodes, [x for x, _ in atoms]], np.r_[density, [w for _, w in atoms]]

    (s, w), (t, v) = one(k), one(n - k)
    assert w.sum() == pytest.approx(1, abs=1e-12)
    return float(w @ g(s[:, np.newaxis], t[np.newaxis, :]) @ v)


def enumerated(g, n, p, epsilon, projection, scale=2.0):
    upper = n if projection == "range" else math.inf
    return sum(binom.pmf(k, n, p) * noisy_expectation(g, float(k), n, scale / epsilon, upper) for k in range(n + 1))


def scipy_l1(a, b, p=P):
    """E|X − p| by scipy's distribution, which is not the identity under test."""
    mean = a / (a + b)
    return p * beta_law.cdf(p, a, b) * 2 - p - 2 * mean * beta_law.cdf(p, a + 1, b) + mean


@pytest.mark.parametrize("projection", ["zero", "range"])
@pytest.mark.parametrize(("n", "epsilon"), [(1, 0.1), (4, 1.0), (12, 0.3), (10, 4.0), (5, 50.0)])
def test_laplace_error_is_that_of_nested_quadrature(n, epsilon, projection):
    def g(s, t):
        return scipy_l1(1 + s, 1 + t)

    value = exact.exact_l1_error_laplace(UNIFORM, n, P, epsilon, projection)
    assert value == pytest.approx(enumerated(g, n, P, epsilon, projection), abs=1e-9)
    # Planted bugs: noise of scale 1/ε, and the other projection.
    assert abs(value - enumerated(g, n, P, epsilon, projection, scale=1.0)) > 1e-5
    if n * epsilon < 20:
        other = "zero" if projection == "range" else "range"
        assert abs(value - enumerated(g, n, P, epsilon, other)) > 1e-7


def test_laplace_errors_of_mean_and_square_are_those_of_nested_quadrature():
    n, epsilon, alpha, beta = 12, 0.5, 0.5, 2.5

    def square(s, t):
        return (beta_law.mean(alpha + s, beta + t) - P) ** 2 + beta_law.var(alpha + s, beta + t)

    def mean(s, t):
        return (beta_law.mean(alpha + s, beta + t) - P) ** 2

    prior, unit = (alpha, alpha + beta), n / (P * (1 - P))
    for projection in ("zero", "range"):
        value = exact.exact_efficiency_laplace(prior, n, P, epsilon, projection)
        assert value == pytest.approx(unit * enumerated(square, n, P, epsilon, projection), rel=1e-8)
        value = exact.exact_efficiency_laplace_mean(prior, n, P, epsilon, projection)
        assert value == pytest.approx(unit * enumerated(mean, n, P, epsilon, projection), rel=1e-8)


@pytest.mark.parametrize("projection", ["zero", "range"])
def test_kl_of_lemma_1_is_that_of_nested_quadrature(projection):
    n, epsilon, alpha, beta = 9, 0.4, 1.5, 1.0

    def kl(k):
        a0, b0 = alpha + k, beta + n - k

        def given(s, t):
            a, b = alpha + s, beta + t
            both = digamma(a + b)
            log_beta = np.vectorize(reference.log_beta_float)
            constant = reference.log_beta_float(a0, b0) - log_beta(a, b)
            return constant + (a - a0) * (digamma(a) - both) + (b - b0) * (digamma(b) - both)

        return given

    upper = n if projection == "range" else math.inf
    expected = sum(binom.pmf(k, n, P) * noisy_expectation(kl(k), float(k), n, 2 / epsilon, upper) for k in range(n + 1))
    value = exact.exact_kl_laplace((alpha, alpha + beta), n, P, epsilon, projection)
    assert value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n", "p", "prior"), [(1, 0.1, UNIFORM), (10, 0.1, UNIFORM), (15, 0.02, (0.5, 2.0))])
def test_ops_error_is_that_of_adaptive_quadrature(n, p, prior):
    temperature = 2 * math.log(0.95 / 0.05) / EPSILON
    first = second = 0.0
    for k in range(n + 1):
        x, y = (k + prior[0] - 1) / temperature, (n - k + prior[1] - prior[0] - 1) / temperature
        breaks = [A0, max(p, A0), 0.5, 1 - A0]
        share = binom.pmf(k, n, p) / reference.adaptive(lambda t, x=x, y=y: t**x * (1 - t) ** y, breaks)
        first += share * reference.adaptive(lambda t, x=x, y=y: t**x * (1 - t) ** y * abs(t - p), breaks)
        second += share * reference.adaptive(lambda t, x=x, y=y: t**x * (1 - t) ** y * (t - p) ** 2, breaks)
    assert exact.exact_l1_error_ops(prior, n, p, EPSILON, A0) == pytest.approx(first, rel=1e-9)
    unit = n / (p * (1 - p))
    assert exact.exact_efficiency_ops(prior, n, p, EPSILON, A0) == pytest.approx(unit * second, rel=1e-9)


def test_ops_at_temperature_1_is_the_posterior_without_reach_of_its_ends_and_stands_data_beyond_them():
    # ε far above 2Δ is capped: never colder than the posterior.
    for n in (400, 20_000):
        private = exact.exact_l1_error_ops(UNIFORM, n, 0.4, 1e6, 0.01)
        assert private == pytest.approx(exact.exact_l1_error_nonprivate(UNIFORM, n, 0.4), rel=1e-9)
    # All of the posterior's mass is below a₀: the draw is at a₀, up to 1/slope.
    assert 0.19 < exact.exact_l1_error_ops(UNIFORM, 100_000, 0.01, 1e6, 0.2) < 0.1901


def test_figures_parameters_give_the_numbers_of_the_text():
    at = {n: exact.exact_efficiency_laplace(UNIFORM, n, P, EPSILON) for n in (10**4, 10**5)}
    mean = {n: exact.exact_efficiency_laplace_mean(UNIFORM, n, P, EPSILON) for n in (10**4, 10**5)}
    assert [at[10**4], mean[10**4]] == pytest.approx([2.73, 1.73], abs=0.005)
    assert [at[10**5], mean[10**5]] == pytest.approx([2.073, 1.073], abs=0.0005)
    assert exact.exact_l1_error_laplace(UNIFORM, 10, P, EPSILON) == pytest.approx(0.3565, abs=5e-5)
    assert exact.exact_l1_error_ops(UNIFORM, 10, P, EPSILON, A0) == pytest.approx(0.3805, abs=5e-5)


@pytest.mark.parametrize(("projection", "last"), [("zero", 5), ("range", 2)])
def test_ops_is_better_up_to_5_records_or_2(projection, last):
    ops = {n: exact.exact_l1_error_ops(UNIFORM, n, P, EPSILON, A0) for n in range(1, 60)}
    wins = [n for n, error in ops.items() if error < exact.exact_l1_error_laplace(UNIFORM, n, P, EPSILON, projection)]
    assert wins == list(range(1, last + 1))


def test_second_order_of_the_efficiency_is_that_of_the_noise():
    # ŝ/(ŝ + t̂) has variance p(1−p)/n + 2b²((1−p)² + p²)/n² for n → ∞, and a draw adds p(1−p)/n.
    n, b = 4 * 10**5, 2 / EPSILON
    extra = 2 * b * b * ((1 - P) ** 2 + P**2) / (n * P * (1 - P))
    assert exact.exact_efficiency_laplace(UNIFORM, n, P, EPSILON) == pytest.approx(2 + extra, abs=5e-4)
    assert exact.exact_efficiency_laplace_mean(UNIFORM, n, P, EPSILON) == pytest.approx(1 + extra, abs=5e-4)
    assert exact.exact_kl_laplace(UNIFORM, n, P, EPSILON) == pytest.approx(extra / 2, rel=0.02)


def test_noise_weights_are_a_law_with_the_right_moments():
    rule = noisy_counts(50.0, 0.3, 2.0)
    assert rule.weights.sum() == pytest.approx(1, abs=1e-12)
    # E max(k + Y, 0) = k + (b/2) e^{−k/b}, over k ~ Binomial(50, .3).
    k = np.arange(51)
    expected = binom.pmf(k, 50, 0.3) @ (k + np.exp(-k / 2.0))
    assert rule.mean(rule.s[:, np.newaxis] + 0 * rule.t) == pytest.approx(expected, rel=1e-11)
    squares = quad(lambda y: max(15 + y, 0) ** 2 * math.exp(-abs(y) / 2) / 4, -60, 100, points=[-15, 0], epsabs=1e-10)
    nodes, weights = laplace_rule(np.array([15.0]), 2.0)
    assert weights[0] @ nodes[0] ** 2 == pytest.approx(squares[0], rel=1e-9)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: exact.exact_l1_error_laplace(UNIFORM, 10, P, 0.0), "epsilon is 0"),
        (lambda: exact.exact_l1_error_laplace(UNIFORM, 10, P, math.nan), "epsilon is nan"),
        (lambda: exact.exact_l1_error_laplace(UNIFORM, 10, P, 5e-324), "epsilon is"),
        (lambda: exact.exact_l1_error_laplace(UNIFORM, 10, P, 1.0, "none"), "projection is 'none'"),
        (lambda: exact.exact_l1_error_laplace(UNIFORM, 0, P, 1.0), "n is 0"),
        (lambda: exact.exact_l1_error_nonprivate((2.0, 1.0), 3, P), "prior is"),
        (lambda: exact.exact_l1_error_nonprivate(UNIFORM, 3, 1.0), "p is 1"),
        (lambda: exact.exact_l1_error_ops(UNIFORM, 3, P, 1.0, 0.0), "truncate the probabilities"),
        (lambda: exact.exact_l1_error_ops(UNIFORM, 3, P, -1.0, 0.1), "epsilon is -1"),
    ],
)
def test_what_promises_nothing_is_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()
