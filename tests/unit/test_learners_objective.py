"""Objective perturbation: what of ε its noise may take, laws on a line by two routes, and searches over neighbours."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpsampling.errors import InputError
from dpsampling.learners.exact_objective_1d import PerturbedObjective, PerturbedOutput, worst
from dpsampling.learners.losses import HuberHinge, Logistic
from dpsampling.learners.minimiser import Objective, minimise
from dpsampling.learners.objective_levels import levels, slack
from dpsampling.learners.objective_perturbation import COVER, ObjectivePerturbation
from dpsampling.learners.regularised import RegularisedClassifier
from dpsampling.privacy.guarantee import Pure, Relation
from dpsampling.privacy.laws import OnLine, max_divergence

LOSSES = [Logistic(), HuberHinge(0.5)]
SURE = 1e-7


def named(loss):
    return loss.name


def learner(loss=LOSSES[0], n=1, ridge=1.0, bound=1.0, d=1):
    return RegularisedClassifier(loss, n, d, bound, ridge)


# -- levels ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=named)
@pytest.mark.parametrize("epsilon", [0.01, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("bound", [0.1, 1.0, 10.0])
def test_noise_and_jacobian_take_no_more_than_epsilon_together(loss, epsilon, bound):
    """With ln(1 + cR²/(nΛ′)) written out anew; 2011's own sum has it twice."""
    for ridge in (1e-3, 1.0, 100.0):
        for accounting, times in (("2011", 2), ("tight", 1)):
            found = levels(accounting, learner(loss, 7, ridge, bound), Fraction(epsilon))
            jacobian = math.log1p(float(loss.curvature) * bound**2 / (7 * found.ridge))
            assert found.ridge >= ridge
            assert found.noise > 0
            total = float(found.noise) + times * jacobian
            assert epsilon * (1 - 1e-9) <= total <= epsilon * (1 + 1e-12) or found.noise == Fraction(epsilon) / 2
            assert total <= epsilon * (1 + 1e-12)
            assert slack(loss, bound, 7, found.ridge) == pytest.approx(jacobian, rel=1e-12)


def test_what_was_printed_is_what_comes_out():
    """Λ′ = c/(n(e^{ε/4} − 1)) and ε′ = ε/2 where ε − 2 ln(1 + c/(nΛ)) is below 0; tight: e^{ε/2} − 1."""
    found = levels("2011", learner(), Fraction(1, 10))
    assert (float(found.noise), found.ridge) == pytest.approx((0.05, 0.25 / math.expm1(0.025)), rel=1e-12)
    found = levels("tight", learner(), Fraction(1, 10))
    assert (float(found.noise), found.ridge) == pytest.approx((0.05, 0.25 / math.expm1(0.05)), rel=1e-12)
    assert levels("2008", learner(), Fraction(1, 10)).noise == Fraction(1, 10)
    found = levels("2011", learner(), Fraction(2))
    assert (float(found.noise), found.ridge) == pytest.approx((2.0 - math.log(1 + 0.5 + 0.0625), 1.0), rel=1e-12)


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_the_tight_form_never_has_more_noise_or_a_stronger_regulariser(loss):
    for epsilon in np.geomspace(1e-3, 20.0, 40):
        for ridge in (1e-3, 0.1, 10.0):
            one = learner(loss, 3, ridge)
            printed, tight = (levels(name, one, Fraction(epsilon)) for name in ("2011", "tight"))
            assert tight.ridge <= printed.ridge
            # Where only one of them is raised, less regularisation may be bought with more of the noise.
            assert tight.noise >= min(printed.noise, Fraction(epsilon) / 2)


# -- laws on a line ----------------------------------------------------------------------------------------------------


def law_of(signed, loss, ridge, rate):
    found = PerturbedObjective(np.array(signed), loss, ridge, rate)
    bends = [e / z for z in signed if z for e in (0.5, 1.5)] if isinstance(loss, HuberHinge) else []
    (zero,) = found.minimisers(np.zeros(1)).tolist()
    return found, OnLine(found.log_density, lambda rng, size: rng.random(size), bends=(*sorted(bends), zero))


@pytest.mark.parametrize("loss", LOSSES, ids=named)
@pytest.mark.parametrize("signed", [[1.0], [-1.0, 0.7], [0.3, -0.2, 1.0]])
def test_densities_integrate_to_the_probabilities_that_the_noise_has(loss, signed):
    """The Jacobian of the one route is the difference of the other's b."""
    found, law = law_of(signed, loss, 0.8, 0.6)
    assert law.mass == pytest.approx(1.0, abs=1e-9)
    for low, high in ((-3.0, -1.2), (-0.1, 0.3), (0.55, 0.6), (2.0, 9.0)):
        x, w = np.polynomial.legendre.leggauss(400)
        nodes = 0.5 * (low + high) + 0.5 * (high - low) * x
        inside = 0.5 * (high - low) * w @ np.exp(found.log_density(nodes))
        assert math.log(inside) == pytest.approx(found.log_probability(low, high), abs=2e-3)


def cdf(law):
    return lambda w: np.array([math.exp(law.log_probability(-1e4, x)) for x in np.ravel(w).tolist()])


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_the_density_is_that_of_fits(loss):
    """KS at 1e-7 of 1500 fits; half of the noise is seen."""
    one = ObjectivePerturbation(loss, 2, 1, 1.0, 0.1, 6.0)
    signed = [0.9, -0.4]
    rng = np.random.default_rng(3)
    drawn = np.array([one.fit([[0.9], [0.4]], [1, 0], rng).weights[0] for _ in range(1500)])
    found = one.levels

    rate = float(found.noise) / 2.0
    laws = [PerturbedObjective(np.array(signed), loss, 2 * found.ridge, r) for r in (rate, 2.0 * rate)]
    assert stats.kstest(drawn, cdf(laws[0])).pvalue > SURE
    assert stats.kstest(drawn, cdf(laws[1])).pvalue < SURE


def test_releases_have_the_law_of_fits():
    one = ObjectivePerturbation(Logistic(), 2, 1, 1.0, 0.5, 2.0)
    law = PerturbedObjective(np.array([0.9, -0.4]), Logistic(), 2 * one.levels.ridge, float(one.levels.noise) / 2.0)
    drawn = [one.release([[0.9], [0.4]], [1, 0]).weights[0] for _ in range(600)]
    assert stats.kstest(drawn, cdf(law)).pvalue > SURE


# -- searches ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", LOSSES, ids=named)
@pytest.mark.parametrize(("ridge", "epsilon"), [(1.0, 0.1), (10.0, 0.03), (3.0, 1.0), (0.5, 4.0)])
def test_no_search_exceeds_the_promise_but_of_2008(loss, ridge, epsilon):
    one = learner(loss, 1, ridge)
    for accounting in ("2011", "tight"):
        found = levels(accounting, one, Fraction(epsilon))
        for alone in (True, False):
            assert worst(loss, found.ridge, float(found.noise) / 2.0, alone=alone).epsilon <= epsilon * (1 + 1e-9)
    tight = levels("tight", one, Fraction(epsilon))
    best = worst(loss, tight.ridge, float(tight.noise) / 2.0, alone=False).epsilon
    if isinstance(loss, HuberHinge):
        assert best == pytest.approx(epsilon, rel=1e-7)  # attained


def test_the_form_of_2008_is_refuted_by_one_record():
    """nΛ = 1, ε = .1: its density is 1.26 times as high for z = 1 as for z′ = −.05 at w = .4, by either route."""
    found = worst(Logistic(), 1.0, 0.05, alone=True)
    assert found.epsilon > 0.235
    laws = [law_of([z], Logistic(), 1.0, 0.05) for z in (found.z, found.replaced)]
    width = 1e-5
    events = [one.log_probability(found.w - width, found.w + width) for one, _ in laws]
    assert events[0] - events[1] == pytest.approx(found.epsilon, abs=1e-4)
    assert max_divergence(laws[0][1], laws[1][1]) == pytest.approx(found.epsilon, abs=1e-3)


@pytest.mark.parametrize("loss", LOSSES, ids=named)
def test_random_neighbours_in_the_plane_stay_below_the_tight_bound(loss):
    """ln p/p′ with Jacobians as determinants of differences of b, which no rank-one lemma has gone into."""
    rng = np.random.default_rng(11)
    best, rate = 0.0, 0.3
    for _ in range(1500):
        n, ridge = int(rng.integers(1, 4)), float(10.0 ** rng.uniform(-1, 1))
        signed = rng.standard_normal((n, 2))
        signed /= np.linalg.norm(signed, axis=1, keepdims=True)
        other = signed.copy()
        other[-1] = -signed[-1] * rng.uniform(-1, 1)
        w = rng.standard_normal(2) * rng.uniform(0, 3)
        logs = []
        for rows in (signed, other):
            objective = Objective(rows, loss, 1.0, ridge / n, np.zeros(2))
            step = 1e-6 * np.eye(2)
            columns = [(objective.gradient(w + e) - objective.gradient(w - e)) / 2e-6 for e in step]
            jacobian = np.linalg.slogdet(n * np.array(columns))[1]
            logs.append(-rate * n * np.linalg.norm(objective.gradient(w)) + jacobian)
        spent = (logs[0] - logs[1]) / (2 * rate + math.log1p(float(loss.curvature) / ridge))
        best = max(best, spent)
    assert 0.4 < best <= 1.0 + 1e-6


# -- the learner -------------------------------------------------------------------------------------------------------


def test_what_is_released_is_within_its_cover_of_a_certified_minimiser():
    one = ObjectivePerturbation(Logistic(), 30, 3, 1.0, 0.05, 1.0)
    rate = float(COVER) * one.levels.ridge / (2.0 * float(one.gradient_target))
    assert float(one.cover_rate) == pytest.approx(rate, rel=1e-12)
    assert one.guarantee == Pure(1.0, Relation.REPLACE_ONE)
    spent = float(one.levels.noise) + slack(Logistic(), 1.0, 30, one.levels.ridge) + float(COVER)
    assert spent == pytest.approx(1.0, rel=1e-12)
    rng = np.random.default_rng(1)
    features, labels = rng.standard_normal((30, 3)), rng.integers(0, 2, 30)
    model = one.fit(features, labels, np.random.default_rng(2))
    again = one.fit(features, labels, np.random.default_rng(2), start=np.full(3, 9.0))
    np.testing.assert_allclose(model.weights, again.weights, atol=3 * float(one.gradient_target) / one.levels.ridge)


def test_the_minimiser_of_a_tilted_objective_is_found_from_anywhere():
    rows = np.array([[0.6, 0.8], [-1.0, 0.0]])
    for loss in LOSSES:
        for length in (0.0, 1.0, 1e4):
            objective = Objective(rows, loss, 1.0, 0.01, np.array([length, -length]))
            assert np.linalg.norm(objective.gradient(minimise(objective, 1e-7))) <= 1e-7


@pytest.mark.parametrize(("epsilon", "bound", "d"), [(1e-9, 1.0, 10), (1e-12, 1.0, 1), (1, 1e-30, 3), (1, 1e-11, 3)])
def test_noise_beside_which_floats_tell_nothing_is_refused_before_any_row_is_seen(epsilon, bound, d):
    with pytest.raises(InputError, match="raise epsilon, or scale"):
        ObjectivePerturbation(Logistic(), 200, d, bound, 1e-2, epsilon)


@pytest.mark.parametrize(("epsilon", "d"), [(1e-5, 10), (1e-4, 100), (1e5, 3)])
def test_what_is_not_refused_is_minimised(epsilon, d):
    rng = np.random.default_rng(5)
    rows, labels = rng.standard_normal((200, d)), rng.integers(0, 2, 200)
    for loss in LOSSES:
        one = ObjectivePerturbation(loss, 200, d, 1.0, 1e-2, epsilon)
        for features in (rows, np.zeros((200, d))):
            assert np.isfinite(one.fit(features, labels, rng).weights).all()


def test_an_accounting_that_is_false_is_refused():
    with pytest.raises(InputError, match="accounting is '2008'"):
        ObjectivePerturbation(Logistic(), 3, 1, 1.0, 1.0, 1.0, "2008")
    with pytest.raises(InputError, match="epsilon"):
        ObjectivePerturbation(Logistic(), 3, 1, 1.0, 1.0, -1.0)


def test_output_noise_on_a_line_is_laplace():
    law, exact = PerturbedOutput(0.5, 2.0), stats.laplace(0.5, 0.5)
    assert law.log_probability(0.7, 1.9) == pytest.approx(math.log(exact.cdf(1.9) - exact.cdf(0.7)), rel=1e-12)
    assert law.log_density(np.array([0.1]))[0] == pytest.approx(exact.logpdf(0.1), rel=1e-12)
