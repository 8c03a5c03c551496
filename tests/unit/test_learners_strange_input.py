"""Input that is legal and strange: what comes of it tells nothing of other rows, or is refused in a sentence."""

import math
import warnings

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.learners import moments, rows
from dpsampling.learners.ada_ssp import AdaSSP
from dpsampling.learners.fourier_features import FourierFeatures
from dpsampling.learners.functional import FunctionalLinear, FunctionalLogistic
from dpsampling.learners.gradient_descent import GradientDescent
from dpsampling.learners.losses import Logistic
from dpsampling.learners.objective_perturbation import ObjectivePerturbation
from dpsampling.learners.output_perturbation import OutputPerturbation
from dpsampling.learners.tuning import Tuned

PLAIN = {"bound": 1.0, "records": 50, "sampling": 0.2, "steps": 5, "sigma": 2.0, "accounting": "renyi"}


@pytest.mark.parametrize("kind", [OutputPerturbation, ObjectivePerturbation])
def test_perturbed_classifiers_can_be_tuned(kind):
    rng = np.random.default_rng(1)
    one = kind(Logistic(), 30, 2, 1.0, 0.1, 1.0)
    found = Tuned((one,), 0.5, 1.0).fit(rng.standard_normal((30, 2)), rng.integers(0, 2, 30), rng)
    assert found.weights.shape == (2,)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"clip": 1e-320}, "clip is"),
        ({"bound": 1e300}, "bound is"),
        ({"clip": 1e300, "rate": 1e300}, "clip is"),
        ({"sampling": 1e-300}, "beyond all floats"),
        ({"sigma": 1e300}, "beyond all floats"),
        ({"accounting": "moments"}, "accounting is 'moments'"),
    ],
)
def test_descents_whose_weights_may_be_no_numbers_are_refused(changes, why):
    with pytest.raises(InputError, match=why):
        GradientDescent(**{**PLAIN, **changes})


@pytest.mark.parametrize("changes", [{}, {"clip": 1e-50, "bound": 1e50}, {"clip": 1e50, "rate": 1e50}])
def test_huge_rows_and_rows_of_zeros_give_numbers_without_a_word(changes):
    features = np.array([[0.0, 0.0], [0.0, 1e308], [1e308, -1e308], [1e-320, 0.0]])
    learner = GradientDescent(**{**PLAIN, "sampling": 1.0, **changes})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = learner.fit(features, [0, 1, 1, 0], np.random.default_rng(2))
    assert np.isfinite(found.weights).all()


def test_a_score_beyond_all_floats_is_not_told_in_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rows.scores(np.array([[1e308, -1e308], [1.0, 2.0]]), np.array([10.0, 10.0]))
    assert found[1] == 30.0


def test_a_promise_of_infinite_epsilon_is_none():
    with pytest.raises(InputError, match="raise it, or take accounting"):
        GradientDescent(1.0, 50, 0.2, 5, 2.0, delta=1e-300, interval=1e-2).guarantee  # noqa: B018


def test_features_of_a_row_are_the_same_beside_any_others():
    """A matrix product sums in another order where there are fewer rows; sums that must be exact would see it."""
    rng = np.random.default_rng(3)
    drawn, given = FourierFeatures.draw(9, 100, 1.0, rng), rng.standard_normal((301, 9))
    found = drawn.of(given)
    for count in (1, 2, 7, 150, 300):
        np.testing.assert_array_equal(drawn.of(given[:count]), found[:count])
        np.testing.assert_array_equal(drawn.of(given[-count:]), found[-count:])


@pytest.mark.parametrize("features", [[["a", "b"]], [[1.0, 2.0], [1.0]], 3.0, [[math.nan, 1.0]]])
def test_what_are_no_rows_is_said_by_every_learner(features):
    learners = (
        FunctionalLinear(1.0, bound=1.0, outcome_bound=1.0),
        FunctionalLogistic(1.0, 1.0),
        AdaSSP(1.0, 1e-6, 1.0, 1.0),
        OutputPerturbation(Logistic(), 1, 2, 1.0, 0.1, 1.0),
        GradientDescent(**PLAIN),
    )
    for learner in learners:
        with pytest.raises(InputError, match="features"):
            learner.release(features, [1])


def test_outcomes_that_are_no_numbers_and_more_rows_than_have_an_exact_sum_are_said(monkeypatch):
    with pytest.raises(InputError, match="outcomes are not all numbers"):
        moments.unit_outcomes(["a"], 1, 1.0)
    monkeypatch.setattr(moments, "MOST_ROWS", 2)
    with pytest.raises(InputError, match="take fewer"):
        moments.unit_rows(np.zeros((3, 1)), 1.0)
