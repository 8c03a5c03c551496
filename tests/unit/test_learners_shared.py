"""What learners share: rows within their bounds, sums that are exact, and noise from either source."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.learners.noise import InBits, InFloats


@pytest.mark.parametrize("columns", [1, 3, 100, 784])
@pytest.mark.parametrize("bound", [1.0, 0.3, 1e-60, 1e60])
def test_no_row_is_longer_than_its_bound_in_exact_arithmetic(columns, bound):
    rng = np.random.default_rng([columns, 5])
    directions = rng.standard_normal((60, columns))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    scales = np.concatenate([np.full(20, 1.0), 1.0 + 1e-16 * rng.integers(-9, 9, 20), rng.uniform(0.0, 5.0, 20)])
    given = directions * scales[:, None] * bound
    for row, mine in zip(given, rows.within(given, bound), strict=True):
        assert sum(Fraction(x) ** 2 for x in mine.tolist()) <= Fraction(bound) ** 2
        assert mine == pytest.approx(row / max(1.0, np.linalg.norm(row / bound)), rel=1e-12 + 1e-15 * columns)


@pytest.mark.parametrize("bound", [1.0, 1e-60, 1e60])
def test_numbers_beyond_all_squares_are_shrunk_without_a_word(bound):
    mine = rows.within(np.array([[1e308, -1e308, 0.0], [1e308, 1.0, 0.0]]), bound)
    assert mine / bound == pytest.approx(np.array([[0.5**0.5, -(0.5**0.5), 0.0], [1.0, 0.0, 0.0]]), abs=1e-12)
    assert all(sum(Fraction(x) ** 2 for x in row) <= Fraction(bound) ** 2 for row in mine.tolist())


def test_a_planted_bound_without_slack_is_exceeded_somewhere():
    given = np.random.default_rng(5).standard_normal((200, 7))
    plain = given / np.linalg.norm(given, axis=1, keepdims=True)
    assert any(sum(Fraction(x) ** 2 for x in row.tolist()) > 1 for row in plain)


def test_sums_on_the_grid_are_exact_in_every_order():
    rng = np.random.default_rng(6)
    values = rng.uniform(-1.0, 1.0, 5000)
    gridded = rows.on_grid(values)
    assert np.all(np.abs(gridded) <= np.abs(values))
    assert np.all(np.abs(gridded - values) < 2.0**-rows.GRID)
    assert Fraction(gridded.sum()) == sum(map(Fraction, gridded.tolist()))
    assert Fraction(gridded[rng.permutation(5000)].sum()) == Fraction(gridded.sum())


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda: rows.matrix("features", [1.0, 2.0], None), "shape"),
        (lambda: rows.matrix("features", [[1.0, np.nan]], None), "no finite number"),
        (lambda: rows.matrix("features", [[1.0, np.inf]], None), "no finite number"),
        (lambda: rows.matrix("features", [[1.0, 2.0]], 3), "has 2 columns; there are 3 features"),
        (lambda: rows.labels([0, 2], 2), "something else than 0 … 1"),
        (lambda: rows.labels([0], 2), "one for each of the 2 rows"),
    ],
)
def test_what_are_no_rows_and_no_labels_is_said(call, why):
    with pytest.raises(InputError, match=why):
        call()


# Kolmogorov–Smirnov at 1e-7 each: six tests err with probability below 1e-6 together.
SURE = 1e-7
DRAWS = 4000


def draws(source, kind, scale):
    centre = np.full(DRAWS, 0.75)
    if kind == "radial":
        points = np.array([source.radial(np.array([0.75, -1.0, 2.0]), 1.0 / scale) for _ in range(DRAWS // 4)])
        return np.linalg.norm(points - [0.75, -1.0, 2.0], axis=1)
    return getattr(source, kind)(centre, scale)


LAWS = {
    "laplace": lambda scale: stats.laplace(0.75, scale),
    "gaussian": lambda scale: stats.norm(0.75, scale),
    "radial": lambda scale: stats.gamma(3, scale=scale),
}


@pytest.mark.parametrize("source", ["floats", "bits"])
@pytest.mark.parametrize("kind", sorted(LAWS))
def test_noise_has_its_law_and_another_scale_is_seen(source, kind):
    drawn = draws(InFloats(np.random.default_rng(9)) if source == "floats" else InBits(), kind, 0.5)
    assert stats.kstest(drawn, LAWS[kind](0.5).cdf).pvalue > SURE
    assert stats.kstest(drawn, LAWS[kind](0.7).cdf).pvalue < SURE  # half as large again, nearly


@pytest.mark.parametrize("source", [InFloats(np.random.default_rng(9)), InBits()], ids=["floats", "bits"])
def test_noisy_whole_numbers(source):
    drawn = source.geometric(np.full(DRAWS, 7), Fraction(1, 2)) - 7
    p = np.exp(-0.5)
    expected = np.array([(1 - p) / (1 + p) * p ** abs(k) for k in range(-6, 7)])
    observed = np.array([(drawn == k).sum() for k in range(-6, 7)])
    observed = np.append(observed, DRAWS - observed.sum())
    expected = DRAWS * np.append(expected, 1.0 - expected.sum())
    assert stats.chisquare(observed, expected).pvalue > SURE


def test_a_direction_is_uniform():
    points = np.array([InBits().radial(np.zeros(2), 1.0) for _ in range(1000)])
    assert stats.kstest(np.arctan2(points[:, 1], points[:, 0]) / (2 * np.pi) + 0.5, "uniform").pvalue > SURE
