"""Records and targets of logistic regression: what is refused; f, its derivatives and its minimum against mpmath."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.optimize import minimize

from dpsampling.errors import InputError
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.logistic.target import REMAINDER, Target, loss, remainder
from logistic import design, records

# -- records -----------------------------------------------------------------------------------------------------------


def exact_square(row):
    return sum(Fraction(x) ** 2 for x in np.asarray(row).tolist())


@pytest.mark.parametrize("d", [1, 9, 100])
@pytest.mark.parametrize("bound", [1.0, 0.3, 7.0])
def test_rows_that_were_normalised_are_no_longer_than_the_bound_exactly(d, bound):
    rows = np.random.default_rng(d).standard_normal((15, d))
    rows *= bound / np.linalg.norm(rows, axis=1, keepdims=True)
    kept = Records(rows, np.ones(15), bound)
    assert max(map(exact_square, kept.features)) <= Fraction(bound) ** 2
    assert np.allclose(kept.features, rows, rtol=1e-11)
    assert np.array_equal(Records(kept.features, np.ones(15), bound).features, kept.features)  # and stay so


def test_some_normalised_rows_are_longer_than_1():
    """Which is why they are shrunk: the planted bug of taking them as they are."""
    rows = np.random.default_rng(1).standard_normal((200, 9))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    assert any(exact_square(row) > 1 for row in rows)


def test_shorter_rows_are_left_as_they_are_and_what_a_row_becomes_depends_on_it_alone():
    shorter = design(50, 5, seed=3) * 0.999
    assert np.array_equal(Records(shorter, np.zeros(50)).features, shorter)
    rows = design(20, 5)
    both = Records(rows, np.zeros(20)).features
    assert all(np.array_equal(Records(rows[[i]], [0]).features[0], both[i]) for i in range(20))


def test_signed_rows():
    kept = Records([[0.5, -0.25], [0.1, 0.2]], [False, True])
    assert kept.signed.tolist() == [[-0.5, 0.25], [0.1, 0.2]]
    assert kept.signed.flags.c_contiguous
    assert (kept.n, kept.d) == (2, 2)


@pytest.mark.parametrize(
    ("features", "labels", "bound", "words"),
    [
        ([[0.5], [math.nan]], [0, 1], 1, "no finite number"),
        ([[0.5], [math.inf]], [0, 1], 1, "no finite number"),
        ([[0.5], [1.0000001]], [0, 1], 1, "longer than the public bound 1"),
        ([[0.5, 0.5]], [0], 0.7, "longer than the public bound 0.7"),
        ([[1e300]], [0], 1, "longer than"),
        ([[0.5], [0.1]], [0, 2], 1, "must be 0 or 1"),
        ([[0.5], [0.1]], [0, math.nan], 1, "must be 0 or 1"),
        ([[0.5], [0.1]], [0], 1, "one label for each"),
        ([[0.5], [0.1]], [[0], [1]], 1, "one label for each"),
        ([0.5], [0], 1, "rows"),
        (np.zeros((0, 3)), [], 1, "rows"),
        (np.zeros((3, 0)), [0, 0, 0], 1, "rows"),
        ([[0.5]], [0], 0, "bound is 0"),
        ([[0.5]], [0], math.nan, "bound is nan"),
        ([[0.5]], [0], math.inf, "bound is inf"),
    ],
)
def test_bad_records_are_refused(features, labels, bound, words):
    with pytest.raises(InputError, match=words):
        Records(features, labels, bound)


# -- targets -----------------------------------------------------------------------------------------------------------


def exact_value(target, w):
    """f at the precision of the moment."""
    point = [mpmath.mpf(x) for x in w]
    total = mpmath.mpf(target.precision) * sum(x * x for x in point) / 2
    for row in target.records.signed:
        total += target.weight * mpmath.log1p(mpmath.exp(-mpmath.fdot(map(mpmath.mpf, row), point)))
    return total


@pytest.mark.parametrize("scale", [0.1, 3.0, 100.0])
def test_value_gradient_and_hessian(scale):
    target = Target(records(30, 3, seed=2), 0.7, 0.4)
    w = scale * np.random.default_rng(3).standard_normal(3)
    with mpmath.workdps(50):
        assert target.value(w) == pytest.approx(float(exact_value(target, w)), rel=1e-13)
        for j in range(3):

            def along(t, j=j):
                return exact_value(target, [mpmath.mpf(x) + (t if i == j else 0) for i, x in enumerate(w.tolist())])

            assert target.gradient(w)[j] == pytest.approx(float(mpmath.diff(along, 0)), rel=1e-10, abs=1e-12)
            assert target.hessian(w)[j, j] == pytest.approx(float(mpmath.diff(along, 0, 2)), rel=1e-10)
    assert np.allclose(target.hessian(w), target.hessian(w).T)


def test_loss_from_end_to_end():
    t = np.array([-800.0, -40.0, -1.0, 0.0, 1e-20, 1.0, 40.0, 700.0, 800.0])
    with mpmath.workdps(400):
        exact = [float(mpmath.log1p(mpmath.exp(-mpmath.mpf(x)))) for x in t]
    assert loss(t) == pytest.approx(exact, rel=1e-14, abs=0)


@pytest.mark.parametrize("separable", [False, True])
@pytest.mark.parametrize(("n", "d"), [(1, 1), (3, 40), (300, 3), (400, 50), (5000, 2)])
def test_the_mode_is_found_whatever_the_numbers(n, d, separable):
    data = records(n, d, seed=n + d, separable=separable)
    start = np.zeros(d)
    for precision in (1e-6, 1e-3, 1.0, 1e3, 1e12):
        for weight in (1e-6, 1e-2, 1.0):
            target = Target(data, precision, weight)
            for begin in (None, start, 100.0 * np.ones(d)):
                found = target.mode(begin)
                assert remainder(target, float(np.linalg.norm(target.gradient(found)))) <= REMAINDER
            start = found


def test_the_mode_is_that_of_another_method():
    target = Target(records(200, 4), 0.2)
    found = minimize(target.value, np.zeros(4), method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-12}).x
    assert target.mode() == pytest.approx(found, abs=1e-4)  # what the remainder leaves open is 3e-5


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((0.0,), "precision is 0"),
        ((-1.0,), "precision is -1"),
        ((math.inf,), "precision is inf"),
        ((math.nan,), "precision is nan"),
        ((1.0, 0.0), "weight is 0"),
        ((1.0, math.nan), "weight is nan"),
        ((1.0, 1.0, 0.0), "radius is 0"),
        ((1.0, 1.0, math.nan), "radius is nan"),
        ((1.0, 1.0, 0.01), "radius is 0.01; with precision 1 in 3 dimensions"),
    ],
)
def test_bad_targets_are_refused(arguments, words):
    with pytest.raises(InputError, match=words):
        Target(records(5, 3), *arguments)


def test_a_start_of_another_size_is_refused():
    with pytest.raises(InputError, match="start must be 3 finite numbers"):
        Target(records(5, 3), 1.0).mode([1.0, 2.0])
