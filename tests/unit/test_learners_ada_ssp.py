"""AdaSSP: what a row moves of its statistics, what the printed noise and the exact one promise, and what is learned."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.learners.ada_ssp import AdaSSP, printed_sigma
from dpsampling.learners.moments import least_eigenvalue
from dpsampling.privacy.guarantee import Approximate, Relation

ADD, REPLACE = Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE


def learner(variant="exact", relation=ADD, epsilon=1.0, delta=1e-6, bound=1.0, y=1.0):
    return AdaSSP(epsilon, delta, bound, y, variant, relation)


def delta_of(mu, epsilon):
    """∫ (p − e^ε q)₊ of N(μ, 1) and N(0, 1), by quadrature."""
    with mpmath.workdps(30):
        start = mpmath.mpf(epsilon) / mu + mpmath.mpf(mu) / 2
        gap = lambda x: mpmath.npdf(x, mu) - mpmath.exp(epsilon) * mpmath.npdf(x)  # noqa: E731
        return float(mpmath.quad(gap, [start, start + 2, start + 6, start + 30]))


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0])
def test_the_exact_noise_spends_all_of_delta_and_the_printed_less(epsilon):
    for relation, squares in ((ADD, 3.0), (REPLACE, 5.5)):
        mu = math.sqrt(squares) / learner(relation=relation, epsilon=epsilon).sigma
        assert delta_of(mu, epsilon) == pytest.approx(1e-6, rel=1e-9)
    assert delta_of(math.sqrt(3.0) / printed_sigma(epsilon, 1e-6), epsilon) < 1e-9


def test_the_printed_step_is_not_what_it_should_be():
    """At ε = 1, δ = 10⁻⁶ one of three steps has δ = 8.8·10⁻⁷ at ε/3, for 3.3·10⁻⁷; a third less noise than printed."""
    s = printed_sigma(1.0, 1e-6)
    assert s == pytest.approx(3.0 * math.sqrt(math.log(6e6)), rel=1e-15)
    assert delta_of(1.0 / s, 1.0 / 3.0) == pytest.approx(8.8e-7, rel=0.01)
    assert delta_of(1.0 / s, 1.0 / 3.0) > 1e-6 / 3.0
    assert s / learner().sigma == pytest.approx(1.62, abs=0.005)


def test_the_printed_noise_is_refused_where_it_no_longer_holds():
    assert delta_of(math.sqrt(3.0) / printed_sigma(28.0, 1e-6), 28.0) < 1e-6
    assert learner("printed", epsilon=28.0).guarantee == Approximate(28.0, 1e-6, ADD)
    assert delta_of(math.sqrt(3.0) / printed_sigma(40.0, 1e-6), 40.0) > 1e-6
    with pytest.raises(InputError, match=r"there the printed noise has δ = .* use the exact one"):
        learner("printed", epsilon=40.0)


def dyadic(rng, size, dimension):
    """Rows on the grid, some of norm exactly 1."""
    rows = rng.uniform(-1.0, 1.0, (size, dimension))
    rows /= np.maximum(1.0, np.linalg.norm(rows, axis=1, keepdims=True) * 1.001)
    rows = np.trunc(rows * 2**13) / 2**13
    rows[:dimension] = np.eye(dimension) * (1.0 - 2.0**-13)
    return rows


@pytest.mark.parametrize("dimension", [1, 2, 4])
@pytest.mark.parametrize("relation", [ADD, REPLACE])
def test_no_row_moves_the_statistics_by_more(dimension, relation):
    """Exactly, in fractions of the learner's own statistics; half of the squares is exceeded."""
    rng = np.random.default_rng(dimension)
    rows, y = dyadic(rng, 40, dimension), rng.choice([-1.0, 1.0], 40)
    base = np.concatenate([np.eye(dimension)[1:]] * 3)
    of = learner(relation=relation).statistics

    def exact(places):
        features, outcomes = np.concatenate([base, rows[places]]), np.concatenate([np.zeros(len(base)), y[places]])
        return [Fraction(c) for c in of(features, outcomes).tolist()]

    ones, none = [exact([place]) for place in range(40)], exact([])
    pairs = [(one, none) for one in ones] if relation is ADD else [(one, two) for one in ones for two in ones]
    most = max(sum((a - b) ** 2 for a, b in zip(one, two, strict=True)) for one, two in pairs)
    bound = 3.0 if relation is ADD else 5.5
    assert most <= bound
    assert most > (0.99 if relation is ADD else 0.7) * bound


def test_the_least_eigenvalue_is_floored_exactly():
    rng = np.random.default_rng(3)
    for dimension in (1, 2, 7):
        rows = dyadic(rng, 30, dimension)
        gram = rows.T @ rows
        found, close = least_eigenvalue(gram), np.linalg.eigvalsh(gram)[0]
        assert found <= close + 1e-9
        assert close < found + 2.0**-10 + 1e-9
        assert (found * 2**10).is_integer()
    assert least_eigenvalue(np.zeros((3, 3))) == 0.0
    assert least_eigenvalue(np.diag([5.0, 2.0, 9.0])) == 2.0
    assert least_eigenvalue(np.diag([2.0 - 2.0**-26, 9.0])) == 2.0 - 2.0**-10  # a float would not know
    assert least_eigenvalue(np.array([[2.0, 2.0], [2.0, 2.0]])) == 0.0


def test_with_much_data_it_is_least_squares_in_any_units():
    rng = np.random.default_rng(6)
    rows = 3.0 * rng.uniform(-1, 1, (40_000, 3))
    y = 7.0 * rows @ [1.0, -0.5, 0.7] + rng.standard_normal(40_000)
    model = learner(epsilon=5.0, bound=6.0, y=60.0).fit(rows, y, rng)
    assert model.weights == pytest.approx(np.linalg.lstsq(rows, y, rcond=None)[0], abs=0.15)
    assert model.diagnostics["ridge"] == 0.0  # the eigenvalue is large


def test_with_no_data_there_is_a_ridge_and_weights_are_small():
    model = learner().fit(np.zeros((0, 3)), np.zeros(0), np.random.default_rng(1))
    s, least = learner().sigma, model.diagnostics["least_eigenvalue"]
    assert model.diagnostics["ridge"] == pytest.approx(s * math.sqrt(3.0 * math.log(18.0 / 0.05)) - least)
    assert np.abs(model.weights).max() < 5.0


def test_a_release_is_the_fit_with_other_noise():
    rng = np.random.default_rng(8)
    rows, y = 0.5 * rng.uniform(-1, 1, (60, 2)), rng.uniform(-1, 1, 60)
    generous = learner(epsilon=5e4)
    assert generous.release(rows, y).weights == pytest.approx(generous.fit(rows, y, rng).weights, rel=0.05)
    assert generous.release(rows, y).guarantee == Approximate(5e4, 1e-6, ADD)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"epsilon": -1.0}, "epsilon is -1"),
        ({"delta": 0.0}, "delta is 0"),
        ({"variant": "best"}, "variant is 'best'"),
        ({"bound": 0.0}, "bound is 0"),
        ({"relation": Relation.ADJACENT_PROFILES}, "added, removed or replaced"),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence(changes, why):
    with pytest.raises(InputError, match=why):
        learner(**changes)
