"""Theorem 22 and Algorithm 5: levels in many digits, contraction on real problems, runs against a plain loop."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from dpsampling.amplification import noisy_sgd
from dpsampling.amplification.names import CONVEX, OPTIMAL, PRINTED
from dpsampling.amplification.noisy_sgd import FORMS, NoisySGD, ball, iterates, shortened
from dpsampling.errors import InputError
from dpsampling.privacy.guarantee import Renyi
from magnitudes import MAGNITUDES, assert_just_above
from reproduction.experiments.amplification.logistic import Logistic
from reproduction.experiments.amplification.noisy_sgd.table import measured_contraction

PLAIN = NoisySGD(lipschitz=1.0, smoothness=1.0, convexity=0.1, rate=1.0, sigma=4.0)


def exact_level(sgd, after, form):
    """From the formulas, in 60 digits; the contraction of the optimal form is 1 − ηρ or ηβ − 1."""
    c, beta, rho, eta, sigma = (mpf(getattr(sgd, name)) for name in sgd.__dataclass_fields__)
    own = 2 * c**2 / sigma**2
    if form == CONVEX:
        return own / after if after else mp.inf
    contraction = max(abs(1 - eta * rho), abs(1 - eta * beta))
    if form == PRINTED:
        # As far as η is at most 2/(β + ρ), the first.
        square = max(1 - 2 * eta * beta * rho / (beta + rho), contraction**2)
        return own / after * square ** (mpf(after + 1) / 2) if after else own
    if contraction == 0:
        return own if after == 0 else mpf(0)
    return own / mp.fsum(contraction ** (-2 * j) for j in range(after + 1))


OTHERS = [NoisySGD(1.3, 2.0, 1e-6, 0.5, 0.7), NoisySGD(0.2, 5.0, 4.9, 2 / 9.9, 10), NoisySGD(1.0, 1.0, 1e-15, 1, 1)]


@pytest.mark.parametrize("sgd", [PLAIN, *OTHERS])
def test_levels_are_the_formulas_rounded_up(sgd):
    for form in FORMS:
        for after in (0, 1, 2, 17, 400):
            with mp.workdps(60):
                exact = exact_level(sgd, after, form)
                found = sgd.level(after, form)
                if exact == mp.inf or exact < mpf("1e-290"):
                    assert found == math.inf or 0.0 < found < 1e-280
                    continue
                assert exact <= found <= exact * (1 + mpf("1e-12"))


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    lipschitz=MAGNITUDES,
    sigma=MAGNITUDES,
    smoothness=st.floats(-150, 150).map(lambda x: 10**x),
    log_convexity=st.one_of(st.floats(-320, 0), st.floats(-17, 0).map(lambda x: math.log10(1 - 10**x / 2))),
    reach=st.one_of(st.floats(-150, 0).map(lambda x: 10**x), st.floats(-16, -1).map(lambda x: 1 - 10**x), st.just(1.0)),
    after=st.integers(0, 5000),
    log_order=st.floats(-15, 6),
)
@example(lipschitz=1e-170, sigma=1.0, smoothness=1.0, log_convexity=-1.0, reach=0.5, after=0, log_order=0.0)
@example(lipschitz=1e-162, sigma=1.0, smoothness=1.0, log_convexity=-1.0, reach=0.5, after=3, log_order=0.0)
@example(lipschitz=1e200, sigma=1e-100, smoothness=1.0, log_convexity=0.0, reach=0.49999, after=60, log_order=0.0)
@example(lipschitz=1.0, sigma=1.0, smoothness=1.0, log_convexity=-0.01, reach=0.4999999, after=90, log_order=0.0)
@example(lipschitz=1.0, sigma=1.0, smoothness=1.0, log_convexity=-0.01, reach=3.7e-56, after=2, log_order=0.0)
@example(lipschitz=1.0, sigma=1.0, smoothness=1.0, log_convexity=-0.01, reach=1e-24, after=5000, log_order=0.0)
def test_no_level_is_below_the_formula_however_small_its_parts_are(
    lipschitz, sigma, smoothness, log_convexity, reach, after, log_order
):
    order, convexity = 1 + 10**log_order, min(smoothness, smoothness * 10**log_convexity)
    forms = {OPTIMAL: 2 / smoothness, CONVEX: 2 / smoothness, PRINTED: 2 / (smoothness + convexity)}
    for form, limit in forms.items():
        sgd = NoisySGD(lipschitz, smoothness, convexity, reach * limit, sigma)
        with mp.workdps(80):
            exact = exact_level(sgd, after, form)
            if exact == mp.inf:
                continue
            assert_just_above(sgd.level(after, form), exact)
            assert_just_above(sgd.guarantee(10, 10 + after, form=form).epsilon(order), mpf(order) * exact, order)


def test_a_rate_that_rounding_puts_above_its_limit_expands_and_is_charged_for_it():
    """0.1 · 20 is above 2 in exact arithmetic, and η = 2/(β + ρ) may be above Lemma 7's limit."""
    sgd = NoisySGD(1.0, 20.0, 1.0, 0.1, 1.0)
    assert sgd.contraction > 1.0
    assert sgd.level(10**6) > NoisySGD(1.0, 16.0, 0.0, 0.125, 1.0).level(10**6)
    assert sgd.level(10**18, CONVEX) == sgd.level(10**18) > 2e-18
    for beta in np.random.default_rng(5).uniform(1.0, 2.0, 200):
        with mp.workdps(60):
            tight = NoisySGD(1.0, beta, beta, 2.0 / (beta + beta), 1.0)
            sharp = abs(1 - mpf(tight.rate) * mpf(beta))
            assert sharp <= tight.contraction <= tight.printed_contraction * (1 + 1e-15)
            assert_just_above(tight.level(1, PRINTED), 2 * max(sharp**2, 1 - mpf(tight.rate) * mpf(beta)))


def test_the_public_steps_for_the_least_epsilon_are_finite():
    assert PLAIN.level(PLAIN.public_steps_for(math.ulp(0.0))) == math.ulp(0.0)
    convex = NoisySGD(1.0, 1.0, 0.0, 1.0, 4.0)
    assert convex.level(convex.public_steps_for(1e-322)) <= 1e-322


def test_the_best_form_is_the_path_through_the_records_own_step():
    """A map with constant 1 and the record's noise, then r contractions; at r = 0 it is the Gaussian mechanism."""
    from dpsampling.amplification.iteration import through

    for after in (0, 1, 6, 50):
        noise = PLAIN.rate * PLAIN.sigma
        path = [1.0, *[0.9] * after]
        by_path = through(2 * PLAIN.rate * PLAIN.lipschitz, path, [noise] * (after + 1)).epsilon(3.0)
        assert 3.0 * PLAIN.level(after) == pytest.approx(by_path, rel=1e-11)
    assert PLAIN.level(0) == pytest.approx(2 / 16)
    convex = NoisySGD(1.0, 1.0, 0.0, 1.0, 4.0)
    for after in (0, 1, 9):
        assert convex.level(after) == pytest.approx(2 / 16 / (after + 1), rel=1e-11)
    assert noisy_sgd.merged(Decimal(0), 3) == 0


def test_the_printed_form_is_nowhere_below_the_best_and_its_contraction_nowhere_smaller():
    rng = np.random.default_rng(6)
    for _ in range(300):
        beta = 10 ** rng.uniform(-2, 2)
        rho = beta * 10 ** rng.uniform(-6, 0)
        sgd = NoisySGD(1.0, beta, rho, rng.uniform(1e-3, 1.0) * 2 / (beta + rho), 1.0)
        assert sgd.contraction <= sgd.printed_contraction * (1 + 1e-15) + 1e-15
        for after in (0, 1, 5, 30):
            assert sgd.level(after) <= sgd.level(after, PRINTED) * (1 + 1e-11)
            assert sgd.level(after) <= sgd.level(after, CONVEX)


def test_the_sharp_contraction_is_attained_on_both_sides_of_its_bend():
    """The operator norm of 1 − ηH for curvatures from ρ to β, for η up to 2/β."""
    for eta in (0.1, 1.0, 2 / 1.1, 1.9, 2.0):
        sgd = NoisySGD(1.0, 1.0, 0.1, eta, 1.0)
        norm = max(abs(1 - eta * h) for h in np.linspace(0.1, 1.0, 50))
        assert norm <= sgd.contraction <= norm + 1e-15
    assert NoisySGD(1.0, 1.0, 0.1, 2.0, 1.0).level(4) == pytest.approx(2 / 5, rel=1e-11)


def test_guarantees_and_public_steps():
    curve = PLAIN.guarantee(97, 100)
    assert isinstance(curve, Renyi)
    assert curve.epsilon(5.0) == pytest.approx(5 * PLAIN.level(3), rel=1e-11)
    assert PLAIN.guarantee(97, 100, public_steps=4).epsilon(2.0) == pytest.approx(2 * PLAIN.level(7), rel=1e-11)
    assert PLAIN.worst(public_steps=7).epsilon(2.0) == PLAIN.guarantee(100, 100, public_steps=7).epsilon(2.0)
    assert PLAIN.guarantee(100, 100, form=CONVEX).epsilon(2.0) == math.inf
    for epsilon in (1.0, 0.125, 0.1, 1e-3, 1e-12):
        steps = PLAIN.public_steps_for(epsilon)
        assert PLAIN.level(steps) <= epsilon
        assert steps == 0 or PLAIN.level(steps - 1) > epsilon


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rate": 2.1}, "rate is 2.1; gradient steps contract only up to 2/β = 2"),
        ({"rate": 0.0}, "rate is 0"),
        ({"rate": math.nan}, "rate is nan"),
        ({"sigma": -1.0}, "sigma is -1"),
        ({"lipschitz": math.inf}, "lipschitz is inf"),
        ({"convexity": 1.5}, "convexity is 1.5"),
        ({"convexity": -0.1}, "convexity is -0.1"),
    ],
)
def test_constants_outside_their_range_are_told_in_one_sentence(changes, words):
    constants = {"lipschitz": 1.0, "smoothness": 1.0, "convexity": 0.1, "rate": 1.0, "sigma": 1.0}
    with pytest.raises(InputError, match=words.replace("(", r"\(")) as caught:
        NoisySGD(**{**constants, **changes})
    assert "\n" not in str(caught.value)


def test_lemma_7_and_indices_have_their_range_too():
    fast = NoisySGD(1.0, 1.0, 0.1, 1.9, 1.0)
    assert fast.level(3) > 0
    for call, words in [
        (lambda: fast.level(3, PRINTED), "Lemma 7"),
        (lambda: PLAIN.guarantee(0, 10), "index is 0"),
        (lambda: PLAIN.guarantee(11, 10), "index is 11"),
        (lambda: PLAIN.level(-1), "steps_after is -1"),
        (lambda: PLAIN.public_steps_for(0.0), "epsilon is 0"),
    ]:
        with pytest.raises(InputError, match=words):
            call()


# -- Algorithm 5 and the problem it is run on -----------------------------------------------------------------------


def test_a_run_is_algorithm_5():
    """Against a loop over single numbers, with the same noise."""
    problem = Logistic.draw(3, 1.0, 1.0, 0.1, np.random.default_rng(1))
    records = problem.sample((6,), np.random.default_rng(2))
    *_, last = PLAIN.simulate(np.zeros(3), records, problem.gradient, problem.project, np.random.default_rng(3))
    noise, x = np.random.default_rng(3), [0.0] * 3
    for z in records:
        weight = 1 / (1 + math.exp(sum(a * b for a, b in zip(z, x, strict=True))))
        slope = [0.1 * b - a * weight for a, b in zip(z, x, strict=True)]
        moved = [b - (s + 4.0 * e) for b, s, e in zip(x, slope, noise.standard_normal(3), strict=True)]
        length = math.hypot(*moved)
        x = [b * min(1.0, problem.radius / length) for b in moved]
    assert last == pytest.approx(x, rel=1e-12)


@pytest.mark.parametrize(("lipschitz", "smoothness", "convexity"), [(1.0, 1.0, 0.1), (3.0, 1.0, 0.5), (0.5, 2.0, 1.9)])
def test_the_problem_has_the_constants_it_is_asked_for(lipschitz, smoothness, convexity):
    """C, β and ρ over random points of the ball, by norms of gradients and eigenvalues of Hessians."""
    rng = np.random.default_rng(4)
    problem = Logistic.draw(5, lipschitz, smoothness, convexity, rng)
    x = problem.project(2 * problem.radius * rng.standard_normal((3000, 5)))
    z = problem.sample((3000,), rng)
    assert np.linalg.norm(problem.gradient(x, z), axis=1).max() <= lipschitz * (1 + 1e-12)
    weight = 1 / (1 + np.exp(np.sum(x * z, axis=1)))
    hessians = (weight * (1 - weight))[:, None, None] * z[:, :, None] * z[:, None, :] + convexity * np.eye(5)
    curvature = np.linalg.eigvalsh(hessians)
    assert curvature.min() >= convexity * (1 - 1e-12)
    assert curvature.max() <= smoothness * (1 + 1e-12)
    h = 1e-6
    point, record = x[0], z[0]

    def loss(v):
        return np.logaddexp(0.0, -(v @ record)) + convexity * v @ v / 2

    steps = np.eye(5) * h
    by_differences = [(loss(point + s) - loss(point - s)) / (2 * h) for s in steps]
    assert problem.gradient(point, record) == pytest.approx(by_differences, abs=1e-8)


def test_the_minimum_is_one():
    problem = Logistic.draw(4, 1.0, 1.0, 0.1, np.random.default_rng(9))
    best = problem.minimiser()
    assert np.linalg.norm(np.mean([problem.gradient(best, z) for z in problem.population], axis=0)) < 1e-14
    assert np.linalg.norm(best) < problem.radius
    assert problem.excess(best + 1e-3 * np.random.default_rng(1).standard_normal((50, 4))).min() > 0


@pytest.mark.parametrize("dimension", [1, 5, 40])
@pytest.mark.parametrize("rate", [0.2, 1.0, 1.8])
def test_the_measured_contraction_is_at_most_the_claimed_one(dimension, rate):
    """And is nearly attained; for a rate beyond 2/β of the problem itself (planted) it is above 1."""
    rng = np.random.default_rng(dimension)
    sgd = NoisySGD(1.0, 1.0, 0.1, rate, 1.0)
    problem = Logistic.draw(dimension, 1.0, 1.0, 0.1, rng)
    ratio = measured_contraction(problem, rate, 4000, rng)
    assert ratio <= sgd.contraction + 1e-12
    assert ratio > sgd.contraction - 0.05
    assert measured_contraction(problem, 25.0, 4000, rng) > 1.0


def test_the_ball_is_a_projection():
    rng = np.random.default_rng(0)
    project, x = ball(2.0), 3 * rng.standard_normal((500, 3))
    inside = project(x)
    assert np.linalg.norm(inside, axis=1).max() <= 2.0 * (1 + 1e-15)
    assert np.array_equal(project(inside * 0.99), inside * 0.99)
    for target in project(5 * rng.standard_normal((20, 3))):  # the projection is the nearest point
        assert np.all(np.linalg.norm(x - inside, axis=1) <= np.linalg.norm(x - target, axis=1) + 1e-12)
    assert np.array_equal(project(np.zeros(3)), np.zeros(3))


def test_without_noise_it_is_projected_gradient_descent():
    problem = Logistic.draw(3, 1.0, 1.0, 0.1, np.random.default_rng(1))
    record = problem.population[:1]
    told = record.repeat(400, axis=0), problem.gradient, problem.project
    *_, last = iterates(np.ones(3), *told, 1.0, 0.0, np.random.default_rng(1))
    assert np.linalg.norm(problem.gradient(last, record[0])) < 1e-12


def test_released_steps_are_exact_gaussians_around_gradients_that_are_short_for_certain():
    sgd = NoisySGD(lipschitz=1.0, smoothness=1.0, convexity=0.0, rate=0.5, sigma=2.0)
    shorter = shortened(np.array([3.0, -4.0, np.inf]), 1.0)
    assert sum(value**2 for value in shorter) <= 1
    assert [float(value) for value in shorter] == pytest.approx([0.6, -0.8, 0.0], abs=1e-17)
    assert shortened(np.array([0.6, -0.7]), 1.0) == [Fraction(0.6), Fraction(-0.7)]
    # One step from 0 with the gradient (30, 0): N((−½, 0), 1), whose mean of 4000 draws is off by .1 once in 10⁹.
    one = (np.zeros(2), [np.ones(1)], lambda x, z: np.array([30.0, 0.0]), lambda x: x)
    drawn = np.array([sgd.release(*one) for _ in range(4000)])
    assert drawn.mean(axis=0) == pytest.approx([-0.5, 0.0], abs=0.1)
    assert drawn.std(axis=0) == pytest.approx([1.0, 1.0], abs=0.07)
    inside = sgd.release(np.zeros(2), [np.ones(1)] * 3, lambda x, z: x, ball(0.25))
    assert np.linalg.norm(inside) <= 0.25 + 1e-15  # ⌊·⌋ may lie a grid step further out
    assert sgd.release_guarantee.epsilon(3.0) == pytest.approx(3 * 2 / 4)
