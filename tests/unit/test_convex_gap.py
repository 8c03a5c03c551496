"""D[ln Γ](x, d, k) against mpmath, over everything the divergences ask of it."""

import itertools

import mpmath
import numpy as np
from mpmath import mp, mpf

import reference
from dpsampling.numerics.convex_gap import log_gamma_gap

POINTS = [0.05, 0.7, 6.0, 15.9, 16.1, 1e4, 1e6, 1e12]
# As shares of x: the step must leave x − d positive; negative steps may be large.
SHARES = [-999.0, -1.0, -0.5, -1e-3, -1e-9, 1e-12, 1e-6, 0.1, 0.5, 0.999]
WEIGHTS = [0.0, 1e-12, 1e-3, 1.0, 14.0, 199.0, 1e6]


def exact_gap(x, step, k):
    """[ln Γ(x + k d) − ln Γ(x)]/k − [ln Γ(x) − ln Γ(x − d)], at k = 0 with d·ψ(x) as its first term."""
    with mp.workdps(reference.DIGITS):
        x, step, k = mpf(x), mpf(step), mpf(k)
        if x + k * step <= 0:
            return mpf("inf")
        here = mpmath.loggamma(x)
        forward = (mpmath.loggamma(x + k * step) - here) / k if k else step * mpmath.digamma(x)
        return forward - here + mpmath.loggamma(x - step)


def test_gap_equals_its_definition_to_a_few_ulps():
    x, share, k = np.array(list(itertools.product(POINTS, SHARES, WEIGHTS))).T
    step = share * x
    gaps = log_gamma_gap(x, step, k)
    errors = [reference.relative_error(gap, exact_gap(*point)) for gap, *point in zip(gaps, x, step, k, strict=True)]
    # The terms are positive, so that their roundings do not add up to more than a few ulps.
    assert max(errors) < 1e-14


def test_gap_is_infinite_where_the_mixed_shape_is_not_positive_and_within_rounding_of_it():
    assert log_gamma_gap(6.0, -1.0, 6.0) == np.inf
    assert log_gamma_gap(6.0, -1.0, 7.0) == np.inf
    assert log_gamma_gap(6.0, -1.0, np.nextafter(6.0, 0.0)) == np.inf
    assert np.isfinite(log_gamma_gap(6.0, -1.0, 6.0 * (1 - 1e-15)))


def test_gap_is_nan_where_the_point_behind_is_outside_the_domain():
    assert np.isnan(log_gamma_gap(1.0, 1.0, 1.0))


def test_gap_is_zero_without_a_step_and_positive_with_one():
    x = np.geomspace(0.05, 1e8, 30)
    assert np.all(log_gamma_gap(x, 0.0, 3.0) == 0.0)
    assert np.all(log_gamma_gap(x, x * 1e-9, 3.0) > 0.0)


def test_gap_broadcasts_its_arguments():
    gap = log_gamma_gap(np.full((3, 1), 6.0), np.array([0.1, 0.2]), 1.0)
    assert gap.shape == (3, 2)
    assert np.all(gap[0] == gap[2])
