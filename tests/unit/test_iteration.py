"""Theorem 21: its forms in many digits, the best path against random ones, and both against exact kernels."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.stats import norm

import refusals
from dpsampling.amplification import iteration
from magnitudes import MAGNITUDES, assert_just_above

CONTRACTIONS = [1e-3, 0.3, 0.5, 0.9, 0.99, 1 - 1e-6, 1 - 1e-12, math.nextafter(1.0, 0.0), 1.0]
LENGTHS = [1, 2, 7, 100, 10_000, 1_000_000]


def exact_shares(contraction, steps):
    length, r = mpf(contraction), mpf(steps)
    if contraction == 1.0:
        return {"printed": 1 / r, "unrelaxed": 1 / r, "optimal": 1 / r}
    return {
        "printed": length ** (r + 1) / r,
        "unrelaxed": r * length ** (2 * r) * ((1 - length) / (1 - length**r)) ** 2,
        "optimal": length ** (2 * r) * (1 - length**2) / (1 - length ** (2 * r)),
    }


@pytest.mark.parametrize("contraction", CONTRACTIONS)
def test_the_three_forms_against_sixty_digits_also_next_to_one_and_for_long_iterations(contraction):
    for steps in LENGTHS:
        with mp.workdps(60):
            exact = exact_shares(contraction, steps)
            for form, share in iteration.SHARES.items():
                curve = iteration.guarantee(1.0, 1.0, contraction, steps, form)
                if exact[form] < mpf("1e-290"):
                    assert 0.0 < share(contraction, steps) < 1e-280
                    assert 0.0 < curve.epsilon(2.0) < 1e-280
                    continue
                assert float(share(contraction, steps)) == pytest.approx(float(exact[form]), rel=1e-15)
                assert exact[form] <= curve.epsilon(2.0) * (1 + mpf("1e-12"))


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    delta=MAGNITUDES,
    sigma=MAGNITUDES,
    contraction=st.one_of(MAGNITUDES.filter(lambda x: x <= 1), st.floats(-16, 0).map(lambda x: 1 - 10**x)),
    log_steps=st.floats(0, 6),
    log_order=st.floats(-15, 6),
)
@example(delta=1e-170, sigma=1.0, contraction=0.5, log_steps=0.0, log_order=0.0)  # (Δ/σ)² is below every float
@example(delta=1.0, sigma=1e200, contraction=0.9, log_steps=1.0, log_order=0.0)
@example(delta=1e300, sigma=1e-8, contraction=1e-200, log_steps=0.0, log_order=0.0)  # L² is, the level is 1e216
@example(delta=2e-162, sigma=1.0, contraction=1.0, log_steps=0.3, log_order=-0.5)  # few bits of either are left
@example(delta=1e-160, sigma=1.0, contraction=1e-300, log_steps=5.0, log_order=2.0)
def test_no_level_is_below_the_formula_however_small_its_parts_are(delta, sigma, contraction, log_steps, log_order):
    """At most 2⁻⁴⁰ above it, or a few of the least floats: so a level that underflows on the way is seen."""
    steps, order = int(10**log_steps), 1 + 10**log_order
    with mp.workdps(80):
        rate = mpf(order) * (mpf(delta) / mpf(sigma)) ** 2 / 2
        exact = {form: rate * share for form, share in exact_shares(contraction, steps).items() if contraction > 0}
        for form, level in exact.items():
            assert_just_above(iteration.guarantee(delta, sigma, contraction, steps, form).epsilon(order), level, order)
        if contraction > 0 and steps <= 30:
            paths = iteration.through(delta, [contraction] * steps, [sigma] * steps)
            assert_just_above(paths.epsilon(order), exact["optimal"], order)


def along_path(path, sigma, contraction, order):
    """(6.4) for any path, given by its steps: each is shrunk by all the maps that follow it."""
    shrunk = path * contraction ** np.arange(len(path), 0.0, -1.0)
    return order * float(shrunk @ shrunk) / (2.0 * sigma**2)


def test_the_forms_are_in_order_and_how_far_apart():
    for contraction in CONTRACTIONS:
        for steps in LENGTHS:
            shares = [float(iteration.SHARES[form](contraction, steps)) for form in ("optimal", "unrelaxed", "printed")]
            assert shares[0] <= shares[1] * (1 + 1e-12)
            assert shares[1] <= shares[2] * (1 + 1e-12)
    ratio = {key: float(iteration.printed(*key) / iteration.optimal(*key)) for key in [(0.9, 20), (0.9, 50), (0.5, 20)]}
    assert ratio == pytest.approx({(0.9, 20): 1.92, (0.9, 50): 18.4, (0.5, 20): 3.5e4}, rel=0.01)


@pytest.mark.parametrize("contraction", [0.2, 0.9, 0.999, 1.0])
@pytest.mark.parametrize("steps", [1, 2, 5, 40])
def test_no_path_is_better_than_the_best_one(contraction, steps):
    """Random paths, and small changes of the best: the sum (6.4) is a strictly convex function of the steps."""
    rng, delta, sigma = np.random.default_rng(steps), 1.7, 0.6
    weights = contraction ** (2.0 * np.arange(steps))
    best = delta * weights / weights.sum()
    value = along_path(best, sigma, contraction, 3.0)
    assert best.sum() == pytest.approx(delta, rel=1e-12)
    assert value == pytest.approx(iteration.guarantee(delta, sigma, contraction, steps).epsilon(3.0), rel=1e-11)
    for concentration in (0.1, 1.0, 10.0):
        for path in delta * rng.dirichlet(np.full(steps, concentration), 100):
            assert along_path(path, sigma, contraction, 3.0) >= value * (1 - 1e-11)
    if steps > 1:
        change = rng.standard_normal((20, steps)) * best
        change -= best * change.sum(axis=1, keepdims=True) / delta
        for path in np.maximum(best + 0.1 * change, 0.0):
            assert along_path(path * delta / path.sum(), sigma, contraction, 3.0) > value * (1 + 1e-9)


def test_the_printed_path_gives_the_unrelaxed_form():
    for contraction, steps in [(0.5, 3), (0.9, 20), (0.99, 100)]:
        path = contraction ** np.arange(1, steps + 1)
        by_sum = along_path(2.0 * path / path.sum(), 0.5, contraction, 2.0)
        closed = iteration.guarantee(2.0, 0.5, contraction, steps, "unrelaxed").epsilon(2.0)
        assert by_sum == pytest.approx(closed, rel=1e-11)


def test_affine_maps_attain_the_best_path_also_where_every_step_differs():
    rng = np.random.default_rng(1)
    for _ in range(50):
        steps = int(rng.integers(1, 12))
        lipschitz, sigmas = rng.uniform(0.2, 1.5, steps), rng.uniform(0.1, 3.0, steps)
        mean, variance = 1.3, 0.0
        for factor, sigma in zip(lipschitz, sigmas, strict=True):
            mean, variance = factor * mean, factor**2 * variance + sigma**2
        exact = 4.0 * mean**2 / (2.0 * variance)
        assert exact <= iteration.through(1.3, lipschitz, sigmas).epsilon(4.0) <= exact * (1 + 1e-11)
    for contraction, steps in [(0.5, 4), (0.97, 60), (1.0, 9)]:
        exact = iteration.affine(1.3, 0.4, contraction, steps)(4.0)
        same = iteration.through(1.3, [contraction] * steps, [0.4] * steps).epsilon(4.0)
        assert exact <= iteration.guarantee(1.3, 0.4, contraction, steps).epsilon(4.0) <= exact * (1 + 1e-11)
        assert same == pytest.approx(exact, rel=1e-11)
    assert iteration.through(1.0, [0.5, 0.0, 1.0], [1.0] * 3).epsilon(2.0) == 0.0


class Clipped:
    """Laws of Y = Π_{[−a, a]}(ψ(x) + N(0, σ²)), as values at quadrature nodes inside and two atoms at the ends."""

    def __init__(self, psi, sigma, edge, nodes=400):
        x, w = np.polynomial.legendre.leggauss(nodes)
        self.nodes, self.weights, self.psi, self.sigma, self.edge = edge * x, edge * w, psi, sigma, edge

    def point(self, x):
        """One step from x."""
        mean = self.psi(x)
        atoms = norm.cdf(-self.edge, mean, self.sigma), norm.sf(self.edge, mean, self.sigma)
        return norm.pdf(self.nodes, mean, self.sigma), np.array(atoms)

    def step(self, law):
        inside, atoms = law
        starts = np.concatenate([self.nodes, [-self.edge, self.edge]])
        masses = np.concatenate([self.weights * inside, atoms])
        means = self.psi(starts)
        density = masses @ norm.pdf(self.nodes[np.newaxis], means[:, np.newaxis], self.sigma)
        ends = masses @ norm.cdf(-self.edge, means, self.sigma), masses @ norm.sf(self.edge, means, self.sigma)
        return density, np.array(ends)

    def divergence(self, p, q, order):
        inside = self.weights @ (p[0] ** order * q[0] ** (1 - order))
        return math.log(inside + np.sum(p[1] ** order * q[1] ** (1 - order))) / (order - 1)


@pytest.mark.parametrize(
    ("psi", "contraction"),
    [(lambda x: 0.8 * x, 0.8), (lambda x: 0.5 * np.sin(x) + 0.4 * x, 0.9), (np.tanh, 1.0), (lambda x: x, 1.0)],
)
def test_no_form_is_below_projected_iterations_by_quadrature(psi, contraction):
    """From two points, with maps that bend and a projection that has atoms; without both the best is attained."""
    delta, sigma = 1.0, 0.5
    for edge in (0.8, 6.0):
        kernel = Clipped(psi, sigma, edge)
        p, q = kernel.point(-delta / 2), kernel.point(delta / 2)
        for steps in range(1, 7):
            for order in (1.5, 2.0, 8.0):
                exact = kernel.divergence(p, q, order)
                curves = [iteration.guarantee(delta, sigma, contraction, steps, form) for form in iteration.SHARES]
                bounds = [curve.epsilon(order) for curve in curves]
                assert exact <= min(bounds) + 1e-9
                if edge == 6.0 and order <= 2.0 and psi(2.0) == pytest.approx(2.0 * contraction):
                    assert exact == pytest.approx(bounds[-1], rel=1e-3)
            p, q = kernel.step(p), kernel.step(q)


def test_expanding_maps_amplify_too_along_the_best_path():
    """L > 1: the bound falls with r to αΔ²(L² − 1)/(2σ²); it does not diverge."""
    values = [iteration.through(1.0, [1.2] * r, [1.0] * r).epsilon(2.0) for r in range(1, 80)]
    assert values == sorted(values, reverse=True)
    assert values[-1] == pytest.approx(1.2**2 - 1.0, rel=1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: iteration.optimal(1.01, 3), "Lipschitz constant is 1.01"),
        (lambda: iteration.printed(-0.1, 3), "Lipschitz constant is -0.1"),
        (lambda: iteration.unrelaxed(math.nan, 3), "Lipschitz constant is nan"),
        (lambda: iteration.optimal(0.5, 0), "steps is 0"),
        (lambda: iteration.optimal(0.5, 2.5), "steps is 2.5"),
        (lambda: iteration.guarantee(1.0, 0.0, 0.5, 2), "sigma is 0"),
        (lambda: iteration.guarantee(-1.0, 1.0, 0.5, 2), "sensitivity is -1"),
        (lambda: iteration.through(1.0, [0.5], [1.0, 1.0]), "one noise for each"),
        (lambda: iteration.through(1.0, [-0.5], [1.0]), "negative"),
    ],
)
def test_bad_constants_are_told_in_one_sentence(call, words):
    said = refusals.of_call(call)
    assert words in said
    assert "\n" not in said


def test_a_map_that_forgets_everything_leaves_nothing():
    assert iteration.guarantee(1.0, 1.0, 0.0, 3).epsilon(2.0) == 0.0
