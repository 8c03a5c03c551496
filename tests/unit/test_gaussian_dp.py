"""Gaussian differential privacy against integrals of two Gaussians, and its rounding towards less privacy."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpsampling.errors import InputError
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.gaussian_dp import GaussianDP, compose, largest_mu
from dpsampling.privacy.guarantee import Relation

MUS = st.floats(1e-6, 30.0)


def by_quadrature(mu: float, epsilon: float) -> mpmath.mpf:
    """∫ (N(x; μ, 1) − e^ε N(x; 0, 1))₊ dx, from where the two cross."""
    crossing = mpmath.mpf(epsilon) / mu + mpmath.mpf(mu) / 2
    with mpmath.workdps(40):
        cuts = [crossing, crossing + 1, crossing + 5, crossing + 20, mpmath.inf]
        return mpmath.quad(lambda x: mpmath.npdf(x, mu) - mpmath.exp(epsilon) * mpmath.npdf(x), cuts)


@pytest.mark.parametrize("mu", [0.01, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0])
def test_delta_is_the_integral(mu, epsilon):
    exact = by_quadrature(mu, epsilon)
    delta = GaussianDP(mu).delta(epsilon)
    assert abs(delta - exact) <= 1e-12 * exact + mpmath.mpf(10) ** -300
    assert delta >= exact * (1 - mpmath.mpf(10) ** -25)


@settings(deadline=None, max_examples=60)
@given(mu=MUS, delta=st.floats(1e-12, 0.5))
def test_approximate_is_the_least_float_that_keeps_delta(mu, delta):
    guarantee = GaussianDP(mu)
    epsilon = guarantee.approximate(delta).epsilon
    assert guarantee.delta(epsilon) <= delta
    assert epsilon == 0.0 or guarantee.delta(math.nextafter(epsilon, 0.0)) > delta


@settings(deadline=None, max_examples=60)
@given(epsilon=st.floats(0.0, 20.0), delta=st.floats(1e-12, 0.5))
def test_largest_mu_is_the_largest_float_that_keeps_the_promise(epsilon, delta):
    mu = largest_mu(epsilon, delta)
    assert GaussianDP(mu).delta(epsilon) <= delta
    assert GaussianDP(math.nextafter(mu, math.inf)).delta(epsilon) > delta


@pytest.mark.parametrize("mu", [0.1, 1.0, 4.0])
def test_it_says_more_than_its_renyi_line(mu):
    """The line is the divergence of the two Gaussians; what it converts to is above δ(ε)."""
    guarantee, order = GaussianDP(mu), 3.5
    with mpmath.workdps(30):
        integral = mpmath.quad(
            lambda x: mpmath.npdf(x, mu, 1) ** order * mpmath.npdf(x, 0, 1) ** (1 - order),
            mpmath.linspace(mu * order - 30, mu * order + 30, 31),
        )
        level = mpmath.log(integral) / (order - 1)
    assert guarantee.renyi().epsilon(order) == pytest.approx(float(level), rel=1e-12)
    assert guarantee.approximate(1e-6).epsilon < to_approximate(guarantee.renyi(), 1e-6).epsilon


@settings(deadline=None, max_examples=60)
@given(mus=st.lists(MUS, min_size=1, max_size=5))
def test_composition_is_the_root_of_the_squares_and_not_below(mus):
    together = compose([GaussianDP(mu) for mu in mus])
    assert Fraction(together.mu) ** 2 >= sum(Fraction(mu) ** 2 for mu in mus)
    assert together.mu == pytest.approx(math.sqrt(math.fsum(mu * mu for mu in mus)), rel=1e-14)
    assert GaussianDP(0.0).delta(0.0) == GaussianDP(0.0).approximate(1e-9).epsilon == 0.0  # nothing is lost


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: GaussianDP(-1.0), "mu is -1"),
        (lambda: GaussianDP(math.inf), "mu is inf"),
        (lambda: GaussianDP(1.0).delta(-1.0), "epsilon is -1"),
        (lambda: GaussianDP(1.0).approximate(0.0), "delta is 0"),
        (lambda: largest_mu(math.inf, 0.1), "epsilon is inf"),
        (lambda: largest_mu(1e300, 0.1), "at most 100000"),
        (lambda: compose([]), "nothing to compose"),
        (lambda: compose([GaussianDP(1.0), GaussianDP(1.0, Relation.ADD_OR_REMOVE_ONE)]), "different neighbours"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
