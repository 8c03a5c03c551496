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
    for k in (6.0, 7.0, np.nextafter(6.0, 0.0)):
        assert log_gamma_gap(6.0, -1.0, k) == np.inf
    assert np.isfinite(log_gamma_gap(6.0, -1.0, 6.0 * (1 - 1e-15)))
    assert np.isnan(log_gamma_gap(1.0, 1.0, 1.0))  # the point behind is outside the domain


def test_gap_is_zero_without_a_step_and_positive_with_one_and_broadcasts():
    x = np.geomspace(0.05, 1e8, 30)
    assert np.all(log_gamma_gap(x, 0.0, 3.0) == 0.0)
    assert np.all(log_gamma_gap(x, x * 1e-9, 3.0) > 0.0)
    gap = log_gamma_gap(np.full((3, 1), 6.0), np.array([0.1, 0.2]), 1.0)
    assert gap.shape == (3, 2)
    assert np.all(gap[0] == gap[2])


def test_a_small_point_behind_keeps_its_digits_where_it_is_given():
    for low in (1e-300, 1e-17, 1e-6, 0.05):
        for step, k in itertools.product((1e-3, 1.0, 1e6), (1e-12, 1.0, 14.0)):
            with mp.workdps(400):
                here, exact_step = mpf(low) + mpf(step), mpf(step)
                forward = (mpmath.loggamma(here + mpf(k) * exact_step) - mpmath.loggamma(here)) / mpf(k)
                exact = forward - mpmath.loggamma(here) + mpmath.loggamma(mpf(low))
            assert reference.relative_error(log_gamma_gap(low + step, step, k, behind=low), exact) < 1e-14
    # The planted bug: taken for x − step, the point is off by a part in 10¹⁰, or is 0.
    assert log_gamma_gap(1e-6 + 1.0, 1.0, 1.0) != log_gamma_gap(1e-6 + 1.0, 1.0, 1.0, behind=1e-6)
    assert np.isnan(log_gamma_gap(1e-17 + 1.0, 1.0, 1.0))


def test_steps_whose_squares_underflow_leave_the_tangent():
    """(k+1)/2 · d² · ψ₁(x), where a quotient d/x of 10⁻²⁰⁰ has the square 0."""
    for x, step, k in itertools.product((1e-5, 3.0, 1e120, 1e300), (1e-130, -1e-180, 1e-290), (0.0, 1.0, 1e6)):
        with mp.workdps(60):
            trigamma = mpmath.zeta(2, mpf(x)) if x < 1e100 else 1 / mpf(x)
            exact = (mpf(k) + 1) / 2 * mpf(step) ** 2 * trigamma
        assert abs(mpf(float(log_gamma_gap(x, step, k))) - exact) <= mpf("1e-14") * exact + mpf(5e-324)
    with mp.workdps(700):
        for x in (1e100, 1e150, 1e200):  # on both sides of the change of forms
            exact = mpmath.loggamma(mpf(x) + 1) - 2 * mpmath.loggamma(mpf(x)) + mpmath.loggamma(mpf(x) - 1)
            assert reference.relative_error(log_gamma_gap(x, 1.0, 1.0), exact) < 1e-14
