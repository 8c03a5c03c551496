"""Losses, certified minimisers, and noise on them: sensitivities in exact terms, and the laws of what comes out."""

import math
from fractions import Fraction

import flint
import numpy as np
import pytest
from flint import arb
from scipy import stats

from dpsampling.errors import InputError
from dpsampling.learners import minimiser
from dpsampling.learners.losses import HuberHinge, Logistic
from dpsampling.learners.minimiser import Objective, least_ridge, minimise
from dpsampling.learners.output_perturbation import GaussianOutputPerturbation, OutputPerturbation
from dpsampling.learners.regularised import RegularisedClassifier
from dpsampling.privacy.gaussian_dp import GaussianDP
from dpsampling.privacy.guarantee import Approximate, Relation

LOSSES = [Logistic(), HuberHinge(0.5), HuberHinge(0.1)]
SURE = 1e-7  # Kolmogorov–Smirnov: six tests err with probability below 1e-6 together


def named(loss):
    return f"{loss.name} {getattr(loss, 'width', '')}"


# -- losses ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_slopes_and_bends_are_the_derivatives_and_within_their_bounds(loss):
    t = np.linspace(-30.0, 30.0, 4001) + 1e-4
    step = 1e-6
    np.testing.assert_allclose(loss.slope(t), (loss.value(t + step) - loss.value(t - step)) / (2 * step), atol=1e-8)
    np.testing.assert_allclose(loss.bend(t), (loss.slope(t + step) - loss.slope(t - step)) / (2 * step), atol=1e-8)
    assert np.all(np.abs(loss.slope(t)) <= 1.0)
    assert np.all(loss.bend(t) >= 0.0)
    assert loss.bend(t).max() <= float(loss.curvature)
    assert loss.bend(t).max() >= 0.999 * float(loss.curvature)


def exact_slope(loss, t):
    """ℓ′ in balls, or in fractions."""
    if isinstance(loss, Logistic):
        return -1 / (1 + arb(t).exp())
    inside = (1 + Fraction(loss.width) - Fraction(t)) / (2 * Fraction(loss.width))
    found = -min(max(inside, Fraction(0)), Fraction(1))
    return arb(flint.fmpq(found.numerator, found.denominator))


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_slopes_are_off_by_no_more_than_is_said(loss):
    rng = np.random.default_rng(1)
    t = np.concatenate([rng.uniform(-3, 3, 2000), rng.uniform(-70, 70, 500), [0.0, 1e-300, 1e3, -1e3]])
    with flint.ctx.workprec(200):
        exact = [exact_slope(loss, x) for x in t.tolist()]
        off = [abs(float(arb(s) - x)) for s, x in zip(loss.slope(t).tolist(), exact, strict=True)]
    assert max(off) <= loss.slope_error


# -- minimisers --------------------------------------------------------------------------------------------------------


def planted(n, d, seed, bound=1.0):
    rng = np.random.default_rng([seed, n, d])
    features = rng.standard_normal((n, d))
    features *= bound * rng.random(n)[:, None] / np.linalg.norm(features, axis=1, keepdims=True)
    return features, rng.integers(0, 2, n)


def exact_gradient(objective, w):
    """‖∇J(w)‖ of the floats as they are, in balls."""
    n, d = objective.signed.shape
    with flint.ctx.workprec(200):
        total = [arb(0)] * d
        for row in objective.signed.tolist():
            margin = sum((arb(z) * arb(x) for z, x in zip(row, w.tolist(), strict=True)), arb(0))
            if isinstance(objective.loss, Logistic):
                slope = -1 / (1 + margin.exp())
            else:
                inside = (1 + arb(objective.loss.width) - margin) / (2 * arb(objective.loss.width))
                slope = -(inside.max(arb(0))).min(arb(1))
            total = [a + slope * z for a, z in zip(total, row, strict=True)]
        parts = [a / n + arb(objective.ridge) * x for a, x in zip(total, w.tolist(), strict=True)]
        parts = [a + arb(b) for a, b in zip(parts, objective.linear.tolist(), strict=True)]
        return float(sum((p * p for p in parts), arb(0)).sqrt().upper())


@pytest.mark.parametrize("loss", LOSSES, ids=named)
@pytest.mark.parametrize(("n", "d", "ridge"), [(1, 1, 1.0), (3, 1, 0.1), (40, 3, 1e-3), (2500, 7, 1e-2)])
def test_a_gradient_is_certainly_within_its_target(loss, n, d, ridge):
    features, labels = planted(n, d, 3)
    learner = RegularisedClassifier(loss, n, d, 1.0, ridge)
    w = learner.minimiser(features, labels)
    objective = Objective(learner.signed(features, labels), loss, 1.0, ridge, np.zeros(d))
    target = float(learner.gradient_target)
    assert exact_gradient(objective, w) <= objective.certified(w, objective.gradient(w)) <= target


def test_a_planted_certificate_without_rounding_is_too_small():
    """Somewhere the computed norm of the gradient is less than the exact one: the margin is needed."""
    learner = RegularisedClassifier(Logistic(), 2500, 7, 1.0, 1e-2)
    features, labels = planted(2500, 7, 3)
    objective = Objective(learner.signed(features, labels), learner.loss, 1.0, 1e-2, np.zeros(7))
    w = minimise(objective, float(learner.gradient_target))
    for _ in range(3):
        w = w - np.linalg.solve(objective.hessian(w), objective.gradient(w))
    computed = float(np.linalg.norm(objective.gradient(w)))
    assert computed < exact_gradient(objective, w) <= objective.certified(w, objective.gradient(w))


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_where_newton_starts_moves_the_minimiser_by_no_more_than_the_certificate(loss):
    features, labels = planted(300, 4, 5)
    learner = RegularisedClassifier(loss, 300, 4, 1.0, 1e-3)
    ends = [learner.minimiser(features, labels, start) for start in (None, np.full(4, 50.0), np.full(4, -1e3))]
    limit = 2.0 * float(learner.gradient_target) / 1e-3
    assert max(np.linalg.norm(end - ends[0]) for end in ends) <= limit


def test_what_floats_do_not_tell_is_refused():
    with pytest.raises(InputError, match="raise it"):
        RegularisedClassifier(Logistic(), 10**7, 1000, 1.0, 1e-9)
    learner = RegularisedClassifier(Logistic(), 3, 1, 1.0, 0.1)
    objective = Objective(np.ones((3, 1)), learner.loss, 1.0, 0.1, np.zeros(1))
    with pytest.raises(InputError, match="no point was found"):
        minimise(objective, 1e-40)
    with pytest.raises(InputError, match="n = 3"):
        RegularisedClassifier(Logistic(), 3, 1, 1.0, 1.0).minimiser([[1.0]], [1])
    with pytest.raises(InputError, match="corner"):
        HuberHinge(0.0)


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_no_rows_have_a_hessian_without_a_factor(loss):
    """A row of zeros has one at any Λ; one long row has none below some 2⁻⁵⁰: an error would tell which."""
    with pytest.raises(InputError, match="raise it"):
        RegularisedClassifier(loss, 1, 2, 1.0, 1e-18)
    for d in (2, 30):
        least = least_ridge(loss, 3, d, 1.0) * (1.0 + 1e-12)
        alike = np.full((3, d), d**-0.5)
        flattest = RegularisedClassifier(loss, 3, d, 1.0, least)
        for rows, labels in ((np.zeros((3, d)), [0, 1, 1]), (alike, [1, 1, 1]), (alike, [0, 1, 1])):
            assert np.isfinite(flattest.minimiser(rows, labels)).all()


BAD = [("n", 0), ("n", 2.5), ("dimension", 0), ("bound", 0), ("regularisation", -1), ("epsilon", 0)]


@pytest.mark.parametrize(("name", "value"), [*BAD, ("epsilon", math.nan)])
def test_what_is_no_learner_is_said(name, value):
    good = {"loss": Logistic(), "n": 3, "dimension": 1, "bound": 1.0, "regularisation": 1.0, "epsilon": 1.0}
    with pytest.raises(InputError, match=f"{name} is {value:g}"):
        OutputPerturbation(**good | {name: value})


# -- sensitivity -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", [0.5, 1.0, 3.0])
def test_one_record_of_a_hinge_attains_the_sensitivity(bound):
    """n = 1, Λ ≥ R²/(1 − h): w* = ±R/Λ where the loss is straight."""
    learner = OutputPerturbation(HuberHinge(0.5), 1, 1, bound, 2.0 * bound**2, 1.0)
    ends = [learner.minimiser([[x]], [1])[0] for x in (bound, -bound)]
    exact = float(learner.sensitivity - 2 * learner.gradient_target / Fraction(learner.regularisation))
    assert ends[0] - ends[1] == pytest.approx(2.0 * bound / learner.regularisation, rel=1e-4)
    assert exact == pytest.approx(2.0 * bound / learner.regularisation, rel=1e-15)
    assert ends[0] - ends[1] <= float(learner.sensitivity)
    assert ends[0] - ends[1] > float(learner.sensitivity) / 2.0  # what a halved sensitivity would promise


@pytest.mark.parametrize("loss", LOSSES, ids=named)
@pytest.mark.parametrize("d", [1, 2, 3])
def test_no_neighbours_are_further_apart_than_the_sensitivity(loss, d):
    rng = np.random.default_rng([d, 8])
    best = 0.0
    for _ in range(60):
        n = int(rng.integers(1, 6))
        learner = OutputPerturbation(loss, n, d, 1.0, float(10.0 ** rng.uniform(-2, 1)), 1.0)
        features, labels = planted(n, d, int(rng.integers(10**6)))
        features[-1] = 0.0 if d == 0 else features[-1] / np.linalg.norm(features[-1])
        other = features.copy()
        other[-1] *= -1.0
        gap = np.linalg.norm(learner.minimiser(features, labels) - learner.minimiser(other, labels))
        best = max(best, gap / float(learner.sensitivity))
    assert 0.2 < best <= 1.0


def test_rows_beyond_the_bound_count_as_rows_of_that_norm():
    learner = RegularisedClassifier(Logistic(), 2, 2, 1.0, 0.5)
    near = learner.minimiser([[0.6, 0.8], [1.0, 0.0]], [1, 0])
    np.testing.assert_allclose(learner.minimiser([[6.0, 8.0], [3.0, 0.0]], [1, 0]), near, atol=1e-4)


# -- noise -------------------------------------------------------------------------------------------------------------


def drawn(learner, how, size):
    rng = np.random.default_rng(4)
    data = ([[0.4, 0.0], [-0.3, 0.9]], [1, 0])
    models = [learner.fit(*data, rng) if how == "fit" else learner.release(*data) for _ in range(size)]
    return np.array([model.weights for model in models]) - learner.minimiser(*data)


@pytest.mark.parametrize("how", ["fit", "release"])
def test_the_noise_has_the_length_that_epsilon_asks_for(how):
    lengths = np.linalg.norm(drawn(OutputPerturbation(Logistic(), 2, 2, 1.0, 0.5, 2.0), how, 1500), axis=1)
    scale = 2.0 / (2 * 0.5) / 2.0  # 2R/(nΛ)/ε
    assert stats.kstest(lengths, stats.gamma(2, scale=scale).cdf).pvalue > SURE
    assert stats.kstest(lengths, stats.gamma(2, scale=scale / 2.0).cdf).pvalue < SURE  # a halved sensitivity


@pytest.mark.parametrize("how", ["fit", "release"])
def test_gaussian_noise_has_the_sigma_of_its_promise(how):
    learner = GaussianOutputPerturbation(Logistic(), 2, 2, 1.0, 0.5, 2.0, 1e-6)
    sigma = learner.mechanism.sigma
    found = drawn(learner, how, 800).ravel()
    assert stats.kstest(found, stats.norm(0.0, sigma).cdf).pvalue > SURE
    assert stats.kstest(found, stats.norm(0.0, sigma / 2.0).cdf).pvalue < SURE
    moved = 2.0 / (2 * 0.5)
    assert GaussianDP(moved / sigma).delta(2.0) <= 1e-6 < GaussianDP(1.001 * moved / sigma).delta(2.0)


def test_a_model_says_what_it_costs_and_scores_rows():
    learner = GaussianOutputPerturbation(HuberHinge(0.5), 2, 2, 1.0, 0.5, 2.0, 1e-6)
    model = learner.fit([[0.4, 0.0], [-0.3, 0.9]], [1, 0], np.random.default_rng(1))
    assert model.guarantee == Approximate(2.0, 1e-6, Relation.REPLACE_ONE)
    assert set(model.predict(np.eye(2))) <= {0, 1}
    assert model.diagnostics["gradient_target"] == 2.0**-17
    assert learner.without_privacy([[0.4, 0.0], [-0.3, 0.9]], [1, 0]).guarantee is None


def test_gradients_are_summed_in_blocks(monkeypatch):
    features, labels = planted(50, 3, 9)
    signed = RegularisedClassifier(Logistic(), 50, 3, 1.0, 0.1).signed(features, labels)
    objective, w = Objective(signed, Logistic(), 1.0, 0.1, np.ones(3)), np.array([1.0, -2.0, 0.5])
    whole = objective.gradient(w), objective.hessian(w)
    monkeypatch.setattr(minimiser, "BLOCK", 7)
    np.testing.assert_allclose(objective.gradient(w), whole[0], rtol=1e-13)
    np.testing.assert_allclose(objective.hessian(w), whole[1], rtol=1e-12)
