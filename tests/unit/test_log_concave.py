"""ln ∫ e^g for concave g, against closed forms."""

import math

import mpmath
import numpy as np
import pytest
from scipy.special import log_expit

import reference
from dpsampling.numerics.log_concave import log_integral, nodes_and_weights

# The module promises a relative error of 1e-12 of the integral, which is 1e-12 absolute in its logarithm.
TOLERANCE = 1e-12


def log_normal_mass(low, high):
    """ln of the standard normal mass of [low, high], without its constant."""
    with mpmath.mp.workdps(50):
        return float(mpmath.log(mpmath.sqrt(2 * mpmath.pi) * (mpmath.ncdf(high) - mpmath.ncdf(low))))


@pytest.mark.parametrize(("low", "high"), [(-40, 40), (-1, 30), (0, 3), (4, 9), (-30, -5), (-1e-3, 1e-3), (-1e7, 1e7)])
def test_gaussian_on_an_interval(low, high):
    assert log_integral(lambda x: -0.5 * x * x, low, high) == pytest.approx(log_normal_mass(low, high), abs=TOLERANCE)


@pytest.mark.parametrize("width", [1e-4, 0.1, 1.0])
@pytest.mark.parametrize("centre", [0.0, 317_811.25, 1e6])
def test_narrow_gaussian_anywhere_in_a_million(centre, width):
    value = log_integral(lambda x: -0.5 * ((x - centre) / width) ** 2, 0.0, 1e6)
    inside = 0.5 if centre in (0.0, 1e6) else 1.0
    # The width of an ulp of the centre against the width of the peak limits what any rule can do.
    tolerance = max(TOLERANCE, 4 * np.spacing(centre) / width)
    assert value == pytest.approx(math.log(inside * width * math.sqrt(2 * math.pi)), abs=tolerance)


@pytest.mark.parametrize("shape", [1.0, 3.0, 20.0, 1e4])
@pytest.mark.parametrize("high", [0.5, 30.0, 1e6])
def test_gamma_on_an_interval(shape, high):
    def log_f(x):
        return -x + ((shape - 1) * np.log(x) if shape > 1 else 0.0)

    low = 1e-9  # what lies below is less than 1e-18 of the whole, but for shape 1, where it is part of the reference
    exact = float(mpmath.log(mpmath.gammainc(shape, low, high)))
    assert log_integral(log_f, low, high) == pytest.approx(exact, abs=TOLERANCE, rel=1e-15)


def log_logit_integral(a, b, **panels):
    centre, reach = math.log(a / b), 60 + 60 / min(a, b)
    return log_integral(lambda t: a * log_expit(t) + b * log_expit(-t), centre - reach, centre + reach, **panels)


def log_beta(a, b):
    return float(reference.log_beta(mpmath.mpf(a), mpmath.mpf(b)))


@pytest.mark.parametrize(("a", "b"), [(1, 1), (1, 12), (1, 1e4), (6, 1), (6, 12), (400, 12), (38, 80), (400, 1e4)])
def test_beta_function_as_an_integral_over_the_logit(a, b):
    # Ten units of the last place of the largest log-integrand are lost before the quadrature starts.
    assert log_logit_integral(a, b) == pytest.approx(log_beta(a, b), abs=1e-11)


@pytest.mark.parametrize(("a", "b"), [(0.05, 0.05), (0.05, 12), (0.2, 50)])
def test_beta_function_with_a_small_shape_needs_panels(a, b):
    assert log_logit_integral(a, b, panels=8) == pytest.approx(log_beta(a, b), abs=1e-9)


def test_gamma_with_a_root_at_its_end_costs_what_the_module_says():
    value = log_integral(lambda x: 0.5 * np.log(x) - x, 1e-300, 30.0)
    assert value == pytest.approx(float(mpmath.log(mpmath.gammainc(1.5, 0, 30))), abs=1e-6)


@pytest.mark.parametrize("rate", [-300.0, -1.0, 0.0, 1e-9, 2.0, 1e5])
def test_exponential_has_its_peak_at_an_end(rate):
    exact = math.log(-math.expm1(-abs(rate)) / abs(rate)) + max(rate, 0.0) if rate else 0.0
    assert log_integral(lambda x: rate * x, 0.0, 1.0) == pytest.approx(exact, abs=TOLERANCE, rel=1e-15)


def test_laplace_has_a_corner_at_its_peak():
    # Golden section meets the corner within 3e-13 of the interval.
    assert log_integral(lambda x: -np.abs(x - 0.3), -50.0, 50.0) == pytest.approx(math.log(2), abs=1e-11)


def test_integrals_of_an_array_are_those_of_its_elements():
    centre, width = np.meshgrid([0.0, 3.0, 50.0, 100.0], [0.01, 1.0, 1e4])

    def log_f(x):
        return -0.5 * ((x - centre) / width) ** 2

    together = log_integral(log_f, np.zeros(centre.shape), np.full(centre.shape, 100.0))
    for index in np.ndindex(centre.shape):
        exact = log_normal_mass(-centre[index] / width[index], (100 - centre[index]) / width[index])
        assert together[index] == pytest.approx(exact + math.log(width[index]), abs=TOLERANCE)


def test_nodes_lie_inside_and_weights_are_positive():
    points, weights = nodes_and_weights(lambda x: -0.5 * x * x, -2.0, 5.0)
    assert np.all((points >= -2) & (points <= 5))
    assert np.all(weights > 0)
    assert np.sum(weights) == pytest.approx(7.0, rel=1e-12)  # nowhere 45 below the peak
