"""The functional mechanism: Δ by proof, by exact fractions of the learner's own coefficients, and what is minimised."""

from fractions import Fraction

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.learners.functional import FunctionalLinear, FunctionalLogistic, minimum
from dpsampling.learners.moments import unit_rows
from dpsampling.privacy.guarantee import Pure, Relation

ADD, REPLACE = Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE


def linear(variant="tight", relation=REPLACE, epsilon=1.0, **bounds):
    return FunctionalLinear(epsilon, bounds.get("bound", 1.0), variant, relation, outcome_bound=bounds.get("y", 1.0))


def logistic(variant="tight", relation=REPLACE, epsilon=1.0):
    return FunctionalLogistic(epsilon, 1.0, variant, relation)


@pytest.mark.parametrize(
    ("learner", "numbers"),
    [
        (linear("printed"), {1: 8.0, 5: 72.0, 13: 392.0}),
        (linear("printed", ADD), {1: 4.0, 5: 36.0}),
        (logistic("printed"), {1: 3.25, 5: 21.25, 13: 81.25}),
        (linear(), {1: 4.0}),
        (linear("tight", ADD), {1: 3.0, 4: 8.0, 9: 15.0}),  # 2√d + d
        (logistic("tight", ADD), {1: 0.625, 4: 1.5}),  # √d/2 + d/8
    ],
)
def test_sensitivities_in_closed_form(learner, numbers):
    assert {d: learner.sensitivity(d) for d in numbers} == pytest.approx(numbers, rel=1e-15)


@pytest.mark.parametrize("make", [linear, logistic])
@pytest.mark.parametrize("dimension", [2, 5, 13, 100])
def test_the_bound_for_replaced_records_is_the_largest_over_m(make, dimension):
    """Δ = max_m √(2(1 + m)) (p + q√(1 − m)), on a grid of m, and below the sum of two records."""
    p, q = (2.0, 1.0) if make is linear else (0.5, 0.125)
    m = np.linspace(0.0, 1.0, 200_001)
    over_m = np.sqrt(2.0 * (1.0 + m)) * (p * np.sqrt(dimension) + q * dimension * np.sqrt(1.0 - m))
    found = make().sensitivity(dimension)
    assert found >= over_m.max()
    assert found == pytest.approx(over_m.max(), rel=1e-9)
    assert found < 2.0 * make("tight", ADD).sensitivity(dimension) < make("printed").sensitivity(dimension)


def ends(rng, size, dimension):
    """Rows of norm 1 or more, some of them along the axes or even in all coordinates, and outcomes at the ends."""
    rows = rng.standard_normal((size, dimension))
    rows[: size // 3] = rng.choice([-1.0, 1.0], (size // 3, dimension))
    rows[size // 3 : size // 2] = np.eye(dimension)[rng.integers(dimension, size=size // 2 - size // 3)]
    rows[size // 2 :] *= rng.uniform(0.5, 3.0, (size - size // 2, 1))
    return rows


@pytest.mark.parametrize("dimension", [1, 2, 3, 6])
@pytest.mark.parametrize("make", [linear, logistic])
def test_no_neighbour_moves_the_learners_own_coefficients_by_more(make, dimension):
    """Exactly, in fractions of what is summed; with Δ of one record for replacing two, pairs exceed it."""
    rng = np.random.default_rng([dimension, make is linear])
    rows, shared = ends(rng, 120, dimension), ends(rng, 6, dimension)
    y = rng.choice([-1.0, 1.0], 120) if make is linear else rng.integers(0, 2, 120)
    common = rng.uniform(-1.0, 1.0, 6) if make is linear else rng.integers(0, 2, 6)

    def exact(place=None):
        more = ([], []) if place is None else (rows[[place]], y[[place]])
        features = np.concatenate([shared, np.reshape(more[0], (-1, dimension))])
        return [Fraction(c) for c in make().coefficients(features, np.concatenate([common, more[1]])).tolist()]

    def moved(one, other):
        return sum((abs(a - b) for a, b in zip(one, other, strict=True)), Fraction(0))

    all_of_them, none = [exact(place) for place in range(120)], exact()
    added = max(moved(one, none) for one in all_of_them)
    replaced = max(moved(one, other) for one in all_of_them for other in all_of_them[:60])
    assert added <= Fraction(make("tight", ADD).sensitivity(dimension))
    assert replaced <= Fraction(make().sensitivity(dimension))
    assert replaced > Fraction(make("tight", ADD).sensitivity(dimension))
    assert added > 0.99 * make("tight", ADD).sensitivity(dimension)


@pytest.mark.parametrize("bound", [1.0, 0.01, 300.0])
def test_rows_on_the_grid_are_no_longer_and_their_moments_exact(bound):
    given = bound * ends(np.random.default_rng(4), 60, 5)
    unit = unit_rows(given, bound)
    for row in unit.tolist():
        assert sum(Fraction(x) ** 2 for x in row) <= 1
    gram = unit.T @ unit
    assert Fraction(gram[0, 1]) == sum((Fraction(a) * Fraction(b) for a, b in unit[:, :2].tolist()), Fraction(0))
    longer = np.maximum(1.0, np.linalg.norm(given / bound, axis=1))[:, None]
    assert unit == pytest.approx(given / bound / longer, abs=2.0**-13)


def test_coefficients_are_those_of_the_loss():
    """Σ (y − x·w)² − Σ y² and Taylor's series of the logistic loss, at random w; rows on the grid have no rounding."""
    rng = np.random.default_rng(5)
    rows, w = np.round(rng.uniform(-0.5, 0.5, (20, 3)) * 64) / 64, rng.standard_normal(3)
    monomials = np.concatenate([w, [w[i] * w[j] for i in range(3) for j in range(i, 3)]])
    y = np.round(rng.uniform(-1, 1, 20) * 64) / 64
    assert linear().coefficients(rows, y) @ monomials == pytest.approx(np.sum((y - rows @ w) ** 2) - y @ y, rel=1e-12)
    labels, z = rng.integers(0, 2, 20), rows @ w
    taylor = np.sum(z / 2.0 + z * z / 8.0 - labels * z)
    assert logistic().coefficients(rows, labels) @ monomials == pytest.approx(taylor, rel=1e-12)


def test_the_minimum_is_one_and_leaves_out_what_curves_down():
    b, m = np.array([1.0, -2.0]), np.array([[3.0, 0.5], [0.5, 2.0]])
    w, kept = minimum(np.array([1.0, -2.0, 3.0, 1.0, 2.0]), 2, 0.0)
    assert b + 2.0 * m @ w == pytest.approx(0.0, abs=1e-12)
    assert kept == 2
    w, kept = minimum(np.array([1.0, 1.0, 2.0, 0.0, -5.0]), 2, 1.0)
    assert (w.tolist(), kept) == ([pytest.approx(-1.0 / 6.0), 0.0], 1)


def test_without_noise_it_is_least_squares_in_any_units():
    rng = np.random.default_rng(6)
    rows = rng.standard_normal((500, 3)) * [1.0, 2.0, 0.5]
    y = 7.0 * rows @ [1.0, -0.5, 2.0] + rng.standard_normal(500)
    bound, top = float(np.linalg.norm(rows, axis=1).max()), float(np.abs(y).max())
    weights = linear(epsilon=1e9, bound=bound, y=top).fit(rows, y, rng).weights
    assert weights == pytest.approx(np.linalg.lstsq(rows, y, rcond=None)[0], rel=5e-3)


def test_a_release_has_the_noise_of_its_scale():
    """At ε = 10⁹ the release is the fit to 5 digits; its model says what it costs."""
    rng = np.random.default_rng(7)
    rows, y = 0.5 * rng.uniform(-1, 1, (50, 2)), rng.uniform(-1, 1, 50)
    exact, mine = linear(epsilon=1e9).fit(rows, y, rng), linear(epsilon=1e9).release(rows, y)
    assert mine.weights == pytest.approx(exact.weights, rel=1e-5)
    assert mine.guarantee == Pure(1e9, REPLACE)
    assert mine.diagnostics["sensitivity"] == linear().sensitivity(2)
    labels, rich = (y > 0).astype(int), logistic(epsilon=1e9)
    assert rich.release(rows, labels).weights == pytest.approx(rich.fit(rows, labels, rng).weights, rel=1e-5)


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: linear(epsilon=0.0), "epsilon is 0"),
        (lambda: linear(epsilon=float("nan")), "epsilon is nan"),
        (lambda: linear(bound=-1.0), "bound is -1"),
        (lambda: linear(y=float("inf")), "outcome_bound is inf"),
        (lambda: linear("tightest"), "variant is 'tightest'; choose"),
        (lambda: linear("tight", Relation.ADJACENT_PROFILES), "rows are added, removed or replaced"),
        (lambda: linear().release([[1.0]], [1.0, 2.0]), "one number for each of the 1 rows"),
        (lambda: linear().release([[1.0]], [float("nan")]), "no finite number"),
        (lambda: linear().release([1.0], [1.0]), "features has shape"),
        (lambda: logistic().release([[1.0]], [2]), "labels hold something else"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(make, why):
    with pytest.raises(InputError, match=why):
        make()
