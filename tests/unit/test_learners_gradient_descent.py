"""Noisy gradient descent: its pair by search and quadrature, its accountant in brackets, its sums in bits."""

import importlib
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpsampling.errors import InputError
from dpsampling.learners import accountant, loss_bracket, sampled_gaussian
from dpsampling.learners.descent_audit_cases import mixture
from dpsampling.learners.gradient_descent import GradientDescent, clipped_gradients, noise_on_each
from dpsampling.learners.noise import InBits, InFloats
from dpsampling.numerics.exact import bits
from dpsampling.privacy import laws
from dpsampling.privacy.guarantee import Relation

ADDED, REPLACED = Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE
POINTS = 1 << 14


# -- the pair ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("relation", [ADDED, REPLACED])
@pytest.mark.parametrize(("sampling", "sigma", "epsilon"), [(0.004, 1.1, 0.05), (0.7, 3.0, 0.1)])
def test_delta_of_one_step_is_that_of_quadrature(relation, sampling, sigma, epsilon):
    """∫ (p − e^ε p′)₊ in mpmath, of densities that are written out here."""

    def density(weights):
        return lambda z: mpmath.fsum(w * mpmath.npdf(z, m, sigma) for w, m in weights)

    mixed = density([(1 - sampling, 0), (sampling, 1)])
    other = density([(1 - sampling, 0), (sampling, -1)]) if relation is REPLACED else density([(1, 0)])
    found = []
    for p, q in ((mixed, other), (other, mixed)):
        edges = np.linspace(-9 * sigma, 9 * sigma + 1, 24).tolist()
        found.append(mpmath.quad(lambda z, p=p, q=q: max(p(z) - mpmath.exp(epsilon) * q(z), 0), edges))
    exact = max(pair.delta(epsilon) for pair in sampled_gaussian.pairs(sampling, sigma, relation))
    assert exact == pytest.approx(float(max(found)), rel=1e-4)


def in_a_plane(sampling, sigma, first, second, epsilon):
    """∫ (p − e^ε p′)₊ over a plane, of a record that moves the sum by `first` and another that moves it by `second`."""
    axis = np.linspace(-7 * sigma - 1, 7 * sigma + 1, 500)
    x, y = np.meshgrid(axis, axis)

    def density(shift):
        return np.exp(-((x - shift[0]) ** 2 + (y - shift[1]) ** 2) / (2 * sigma**2)) / (2 * math.pi * sigma**2)

    none = density((0.0, 0.0))
    p = none if first is None else (1 - sampling) * none + sampling * density(first)
    q = none if second is None else (1 - sampling) * none + sampling * density(second)
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)) * (axis[1] - axis[0]) ** 2)


@pytest.mark.parametrize(("sampling", "sigma", "epsilon"), [(0.2, 1.0, 0.3), (0.6, 2.0, 0.2)])
def test_no_two_gradients_in_a_plane_are_easier_to_tell_apart_than_opposite_ones(sampling, sigma, epsilon):
    """The proof by the price of a spread, looked at: the bound is attained and not exceeded."""
    (pair,) = sampled_gaussian.pairs(sampling, sigma, REPLACED)
    bound, seen = pair.delta(epsilon), []
    for angle in (0.0, math.pi / 2, 0.9 * math.pi, math.pi):
        for length in (0.0, 0.5, 1.0):
            other = (length * math.cos(angle), length * math.sin(angle))
            for one, two in (((1.0, 0.0), other), (other, (1.0, 0.0))):
                seen.append(in_a_plane(sampling, sigma, one, two, epsilon))
    assert max(seen) == pytest.approx(bound, rel=1e-3)
    assert in_a_plane(sampling, sigma, (1.2, 0.0), (-1.0, 0.0), epsilon) > 1.02 * bound  # a planted longer one is seen
    most = max(p.delta(epsilon) for p in sampled_gaussian.pairs(sampling, sigma, ADDED))
    ways = [way for x in (0.3, 0.7, 1.0) for way in (((x, 0.0), None), (None, (x, 0.0)))]
    assert max(in_a_plane(sampling, sigma, *way, epsilon) for way in ways) == pytest.approx(most, rel=1e-3)


@pytest.mark.parametrize("sigma", [0.7, 2.0])
@pytest.mark.parametrize("order", [2, 3, 7])
def test_cumulants_are_those_of_quadrature_and_the_first_way_round_is_worse(sigma, order):
    p, q = mixture(1.0, 0.1, sigma), mixture(0.0, 0.1, sigma)
    mine = sampled_gaussian.cumulant(0.1, sigma, order) / (order - 1)
    assert mine == pytest.approx(laws.renyi(p, q, float(order)), rel=1e-8)
    assert laws.renyi(q, p, float(order)) <= mine


def test_the_curve_is_above_quadrature_between_whole_orders():
    curve = sampled_gaussian.renyi(0.1, 1.3, 1, ADDED)
    for order in (1.2, 2.5, 3.7, 70.3):
        exact = laws.renyi(mixture(1.0, 0.1, 1.3), mixture(0.0, 0.1, 1.3), order)
        assert exact <= curve.epsilon(order) * (1 + 1e-9)
    assert curve.epsilon(70.3) == pytest.approx(exact, rel=0.01)


# -- the accountant ----------------------------------------------------------------------------------------------------


def test_without_sampling_the_bracket_holds_the_exact_gaussian_curve():
    for sigma, steps in ((5.0, 10), (20.0, 3)):
        exact = sampled_gaussian.without_batches(sigma, steps, ADDED).approximate(1e-5).epsilon
        found = loss_bracket.bracket(1.0, sigma, steps, 1e-5, ADDED, POINTS)
        assert found.lower <= exact <= found.upper
        assert found.upper - found.lower < 0.05


@pytest.mark.parametrize("relation", [ADDED, REPLACED])
@pytest.mark.parametrize(("sampling", "sigma", "steps"), [(0.01, 1.0, 200), (0.3, 4.0, 20), (0.05, 0.8, 1)])
def test_the_accountant_is_not_below_the_bracket_and_hardly_above(relation, sampling, sigma, steps):
    spent = accountant.epsilon(sampling, sigma, steps, 1e-5, relation, 1e-3)
    found = loss_bracket.bracket(sampling, sigma, steps, 1e-5, relation, POINTS)
    assert found.lower <= spent <= found.upper + 0.003
    halved = accountant.epsilon(sampling, 2.0 * sigma, steps, 1e-5, relation, 1e-3)
    assert halved < found.lower  # a planted σ that counts double is seen


def test_two_steps_are_those_of_a_double_integral():
    """δ(ε) of two steps on a grid of both losses."""
    sampling, sigma = 0.3, 1.0
    pair = sampled_gaussian.Pair(sampling, 0.0, sigma)
    z = np.linspace(-9.0, 10.0, 2001)
    p = (1 - sampling) * stats.norm.pdf(z, 0, sigma) + sampling * stats.norm.pdf(z, 1, sigma)
    loss, weight = pair.loss(z), p * (z[1] - z[0])
    for epsilon in (0.5, 1.5):
        total = np.add.outer(loss, loss)
        delta = float(np.sum(np.multiply.outer(weight, weight) * -np.expm1(np.minimum(0.0, epsilon - total))))
        found = loss_bracket.bracket(sampling, sigma, 2, delta, ADDED, POINTS)
        assert found.lower <= epsilon <= found.upper + 1e-3


@pytest.mark.parametrize("epsilon", [0.1, 2.0])
def test_sigma_is_the_least_that_keeps_the_promise(epsilon):
    sigma = accountant.sigma_for(epsilon, 0.05, 50, 1e-5, ADDED, 1e-3)
    assert accountant.epsilon(0.05, sigma, 50, 1e-5, ADDED, 1e-3) <= epsilon
    assert accountant.epsilon(0.05, sigma * 0.999, 50, 1e-5, ADDED, 1e-3) > epsilon


def test_a_calibrated_learner_keeps_its_promise_and_a_small_one_takes_a_finer_grid():
    public = {"bound": 1.0, "records": 32_561, "sampling": 256 / 32_561, "steps": 1271}
    made = GradientDescent.calibrate(0.01, 1e-5, **public)
    assert 0.0099 < made.guarantee.epsilon <= 0.01
    assert made.sigma < 0.95 * GradientDescent.calibrate(0.01, 1e-5, **public, interval=1e-4).sigma


def test_published_numbers():
    """q = 256/60 000, σ = 1.1, 60 epochs, δ = 1e-5."""
    setting = 256 / 60_000, 1.1, 14_062, 1e-5
    assert accountant.epsilon(*setting, ADDED, 1e-3) == pytest.approx(2.38, abs=0.02)
    assert accountant.epsilon(*setting, REPLACED, 1e-3) == pytest.approx(4.22, abs=0.02)
    assert sampled_gaussian.without_batches(1.1, 60, ADDED).approximate(1e-5).epsilon == pytest.approx(54.05, abs=0.01)
    assert sampled_gaussian.moments_epsilon(0.01, 4.0, 10_000, 1e-5) == pytest.approx(1.26, abs=0.005)
    assert noise_on_each(1.1, 256) == pytest.approx(17.6, rel=1e-12)


def test_without_dp_accounting_one_sentence_says_what_to_do(monkeypatch):
    def missing(name):
        raise ImportError(name)

    accountant._distributions.cache_clear()
    monkeypatch.setattr(importlib, "import_module", missing)
    with pytest.raises(InputError, match=r"dp-accounting is not installed.*pip install 'dpsampling\[learners\]'"):
        accountant.epsilon(0.123, 1.0, 2, 1e-5, ADDED)
    accountant._distributions.cache_clear()


# -- the learner -------------------------------------------------------------------------------------------------------


FEW = {"bound": 1.0, "records": 4, "sampling": 0.5, "steps": 2, "sigma": 1.0, "delta": 1e-5}


def learner(**changes):
    return GradientDescent(**{**FEW, **changes})


def test_clipped_gradients_are_no_longer_than_one_and_of_their_own_row_alone():
    rng = np.random.default_rng(1)
    features, labels = rng.standard_normal((500, 33)), rng.integers(0, 2, 500).astype(float)
    weights = rng.standard_normal(33)
    together = clipped_gradients(features, labels, weights, 0.3)
    for i in range(0, 500, 7):
        assert sum(Fraction(v) ** 2 for v in together[i].tolist()) <= 1
        alone = clipped_gradients(features[i : i + 1], labels[i : i + 1], weights, 0.3)[0]
        np.testing.assert_array_equal(alone, together[i])
    plain = (1 / (1 + np.exp(-features @ weights)) - labels)[:, None] * features / 0.3
    shortened = plain / np.maximum(1.0, np.linalg.norm(plain, axis=1))[:, None]
    np.testing.assert_allclose(together, shortened, atol=2.0**-25)


def test_a_record_moves_the_sum_by_one_and_no_more_in_exact_arithmetic():
    """A search over neighbours: full length is nearly attained, and never exceeded."""
    rng = np.random.default_rng(2)
    moves = []
    for _ in range(200):
        rows = rng.standard_normal((6, 3)) * rng.choice([0.1, 3.0])
        labels, weights = rng.integers(0, 2, 6).astype(float), rng.standard_normal(3)
        all_of_them = clipped_gradients(rows, labels, weights, 0.5).sum(axis=0)
        others = clipped_gradients(rows[1:], labels[1:], weights, 0.5).sum(axis=0)
        moves.append(float(sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(all_of_them, others, strict=True))))
    assert 0.999 < max(moves) <= 1.0


def test_one_record_has_the_law_that_is_priced():
    """Kolmogorov and Smirnov at 1e-6 of 4000 fits, on the noisy sum; a planted σ off by 30% is seen."""
    one = learner(records=1, sampling=0.4, steps=1, clip=0.5, accounting="renyi")
    rng = np.random.default_rng(3)
    size = one.clip * one.rate / (one.sampling * one.records)
    sums = np.array([-one.fit([[1.0]], [1], rng).weights[0] / size for _ in range(4000)])

    def law(sigma):
        return lambda z: 0.6 * stats.norm.cdf(z, 0.0, sigma) + 0.4 * stats.norm.cdf(z, -1.0, sigma)

    assert stats.kstest(sums, law(1.0)).pvalue > 1e-6
    assert stats.kstest(sums, law(1.3)).pvalue < 1e-6


def test_a_step_divides_by_a_public_number_and_never_by_the_batch():
    """Nearly without noise, twice the rows in the batch make twice the step."""
    few = learner(sampling=1.0, steps=1, sigma=1e-12, accounting="renyi")
    rng = np.random.default_rng(4)
    once = few.fit([[1.0]] * 3, [1] * 3, rng).weights
    assert few.fit([[1.0]] * 6, [1] * 6, rng).weights == pytest.approx(2.0 * once, rel=1e-6)


def test_release_learns_and_has_a_public_account():
    rows = np.random.default_rng(5).uniform(-0.5, 0.5, (300, 2))
    labels = (rows[:, 0] > 0).astype(int)
    model = learner(records=300, sampling=0.2, steps=40, sigma=0.6, rate=4.0, interval=1e-3).release(rows, labels)
    assert np.mean(model.predict(rows) == labels) > 0.8
    assert model.guarantee.conditions == ("Poisson batches, kept secret",)
    assert set(model.diagnostics) == {"sigma", "steps"}


@pytest.mark.parametrize(
    ("name", "value"),
    [("sampling", 0), ("sigma", math.inf), ("steps", 1.5), ("bound", -1), ("records", 0), ("delta", None)],
)
def test_what_is_no_learner_is_said(name, value):
    with pytest.raises(InputError, match=f"{name} is {'missing' if value is None else value}"):
        learner(**{name: value})


def test_what_cannot_be_promised_or_drawn_is_said():
    with pytest.raises(InputError, match="take that, or the privacy-loss distribution"):
        _ = learner(relation=REPLACED, accounting="renyi").guarantee
    with pytest.raises(InputError, match="take fewer steps of larger batches"):
        learner(steps=10**6).release([[1.0, 0.0]], [1])
    with pytest.raises(InputError, match="at its edge"):
        accountant.sigma_for(1e-9, 0.5, 10**6, 1e-300, ADDED)


# -- coins -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", [InFloats(np.random.default_rng(6)), InBits()])
def test_coins_show_heads_as_often_as_they_should(source):
    """Binomial tails of 20 000 coins at 1e-7 on either side; 2% more is seen."""
    heads = int(source.coins(0.3, 20_000).sum())
    low, high = stats.binom.ppf([1e-7, 1 - 1e-7], 20_000, 0.3)
    assert low <= heads <= high
    assert not low <= heads + 400 <= high or not low <= heads - 400 <= high


def test_exact_coins_look_at_more_bits_where_the_first_leave_it_open(monkeypatch):
    """p = (5 + ½)/2⁶⁴: five of 2⁶⁴ words are heads at once, and half of those that begin with the sixth."""
    words = iter([4, 5, 6, 5, (1 << 63) - 1, 1 << 63])
    monkeypatch.setattr(bits, "fresh", lambda n: b"".join(next(words).to_bytes(8, "little") for _ in range(n // 8)))
    assert InBits().coins(Fraction(11, 2**65), 4).tolist() == [True, True, False, False]
    assert InBits().coins(1, 3).all()
