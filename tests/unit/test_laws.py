"""Prices of pairs of laws against closed forms, enumeration and mpmath, none of which the code knows."""

import dataclasses
import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from dpsampling.mechanisms import known_laws
from dpsampling.mechanisms.known_laws import clipped_laplace, coin, laplace, logit_beta, normal, response
from dpsampling.privacy import laws
from dpsampling.privacy.laws import Finite, Independent, OnLine, OnNodes

ORDERS = (1.0 + 1e-6, 1.01, 1.5, 2.0, 5.0, 32.0)


def log_beta(a, b):
    return mpmath.log(mpmath.beta(a, b))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("shift", "sigma"), [(1.0, 1.0), (0.01, 0.3), (1.0, 30.0), (3.0, 0.7)])
def test_renyi_of_gaussians_is_the_closed_form(order, shift, sigma):
    expected = order * shift**2 / (2.0 * sigma**2)
    assert laws.renyi(normal(0.0, sigma), normal(shift, sigma), order) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("scale", [0.3, 1.0, 20.0, 2000.0])
def test_renyi_of_laplace_noise_is_the_closed_form(order, scale):
    """Mironov 2017: ln[λ/(2λ−1) e^{(λ−1)/b} + (λ−1)/(2λ−1) e^{−λ/b}]/(λ−1)."""
    with mpmath.workdps(40):
        x, b = mpmath.mpf(order), mpmath.mpf(scale)
        terms = x / (2 * x - 1) * mpmath.exp((x - 1) / b) + (x - 1) / (2 * x - 1) * mpmath.exp(-x / b)
        expected = float(mpmath.log(terms) / (x - 1))
    assert laws.renyi(laplace(0.0, scale), laplace(1.0, scale), order) == pytest.approx(expected, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize(("p", "q"), [((2, 3), (1, 4)), ((0.3, 200), (0.2, 200.1)), ((1e-3, 5), (2e-3, 4))])
def test_renyi_of_logit_betas_is_the_ratio_of_beta_functions(p, q):
    """∫ P^λ Q^{1−λ} = B(L)/(B(P)^λ B(Q)^{1−λ}), infinite where a shape of L = λP + (1−λ)Q is not above 0."""
    for order in (1.1, 1.9, 1.999, 2.001, 3.5, 8.0):
        with mpmath.workdps(40):
            x = mpmath.mpf(order)
            mixed = [x * mpmath.mpf(a) + (1 - x) * mpmath.mpf(b) for a, b in zip(p, q, strict=True)]
            finite = min(mixed) > 0
            total = log_beta(*mixed) - x * log_beta(*p) - (1 - x) * log_beta(*q) if finite else mpmath.inf
            expected = float(total / (x - 1))
        found = laws.renyi(logit_beta(*p), logit_beta(*q), order)
        assert found == pytest.approx(expected, rel=1e-9) if finite else found == math.inf


@pytest.mark.parametrize("below", [1e-2, 1e-6, 1e-9, 1e-13, 2.0**-52])
def test_next_to_a_pole_the_tail_is_an_exponential_of_known_slope(below):
    """Q = Beta(2, 2), P = Beta(1, 3): the pole is at λ = 2, where 2 − λ is the slope of what is integrated."""
    order = 2.0 - below
    with mpmath.workdps(40):
        x = mpmath.mpf(order)
        mixed = (2 - x, 2 + x)
        expected = float((log_beta(*mixed) - x * log_beta(1, 3) - (1 - x) * log_beta(2, 2)) / (x - 1))
    pair = logit_beta(1.0, 3.0), logit_beta(2.0, 2.0)
    assert laws.renyi(*pair, order) == pytest.approx(expected, rel=1e-9)
    assert laws.renyi(*pair, 2.0) == laws.renyi(*pair, 2.0 + max(below, 2.0**-51)) == math.inf
    blind = [dataclasses.replace(law, tails=None) for law in pair]
    if below > 1e-10:
        assert laws.renyi(*blind, order) == pytest.approx(expected, rel=1e-5)
    if below < 1e-15:
        assert math.isnan(laws.renyi(*blind, order))


def test_supremum_of_ratios():
    assert laws.max_divergence(laplace(0.0, 7.0), laplace(1.0, 7.0)) == pytest.approx(1 / 7.0, rel=1e-9)
    assert laws.max_divergence(response(1, 0.3), response(0, 0.3)) == pytest.approx(0.3, rel=1e-12)
    assert laws.max_divergence(coin(0.5), coin(0.25)) == pytest.approx(math.log(2.0), rel=1e-12)
    assert laws.max_divergence(Finite(np.log([0.5, 0.5])), Finite(np.array([0.0, -np.inf]))) == math.inf
    both = Independent((laplace(0.0, 7.0), clipped_laplace(1.0, 7.0)))
    other = Independent((laplace(1.0, 7.0), clipped_laplace(0.0, 7.0)))
    assert laws.max_divergence(both, other) == pytest.approx(2 / 7.0, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.7, 2.0])
def test_delta_of_gaussians_and_laplace_noise(epsilon):
    m = 0.447
    gaussian = norm.cdf(m / 2 - epsilon / m) - math.exp(epsilon) * norm.cdf(-m / 2 - epsilon / m)
    assert laws.delta(normal(0.0, 1.0), normal(m, 1.0), epsilon) == pytest.approx(gaussian, rel=1e-9)
    for scale in (0.4, 3.0):
        expected = max(0.0, -math.expm1((epsilon - 1.0 / scale) / 2.0))
        found = laws.delta(laplace(0.0, scale), laplace(1.0, scale), epsilon)
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_delta_of_betas_is_that_of_their_distribution_functions():
    """Beta(2, 3) and Beta(1, 4): ln P/Q = ln ρ/(1−ρ) + ln 3 crosses ε once, at ρ = 1/(1 + 3e^{−ε})."""
    for epsilon in (0.0, 0.3, 1.5):
        with mpmath.workdps(30):
            at = 1 / (1 + 3 * mpmath.exp(-epsilon))
            upper = [mpmath.betainc(a, b, at, 1, regularized=True) for a, b in ((2, 3), (1, 4))]
            expected = float(upper[0] - mpmath.exp(epsilon) * upper[1])
        assert laws.delta(logit_beta(2.0, 3.0), logit_beta(1.0, 4.0), epsilon) == pytest.approx(expected, rel=1e-9)


def test_delta_of_products_is_never_below_the_enumerated_one():
    p = [response(1, 0.3), response(0, 0.7), response(1, 0.2)]
    q = [response(0, 0.3), response(1, 0.7), response(0, 0.2)]
    for epsilon in (0.0, 0.25, 0.6, 1.1):
        exact = 0.0
        for outputs in itertools.product((0, 1), repeat=3):
            masses = [math.exp(sum(law.log_mass[y] for law, y in zip(side, outputs, strict=True))) for side in (p, q)]
            exact += max(0.0, masses[0] - math.exp(epsilon) * masses[1])
        found = laws.delta(Independent(tuple(p)), Independent(tuple(q)), epsilon)
        assert exact * (1 - 1e-12) <= found <= exact + 1e-12
    many = [Independent(tuple(laplace(x, 4.0) for _ in range(4))) for x in (0.0, 1.0)]
    draws = many[0].sample(np.random.default_rng(1), 400_000)
    loss = many[0].log_density(draws) - many[1].log_density(draws)
    excess = np.maximum(0.0, -np.expm1(0.3 - loss))
    # The mean of 400 000 values in [0, 1]: six standard errors, an error rate below 1e-8; bins round up by 1e-3.
    assert laws.delta(*many, 0.3) == pytest.approx(excess.mean(), abs=6 * excess.std() / 632 + 2e-3)


@pytest.mark.parametrize("target", [1e-8, 1e-5, 1e-2])
def test_epsilon_at_is_the_inverse_of_delta(target):
    for pair in [(normal(0.0, 1.0), normal(1.3, 1.0)), (laplace(0.0, 0.5), laplace(1.0, 0.5))]:
        assert laws.delta(*pair, laws.epsilon_at(*pair, target)) == pytest.approx(target, rel=1e-4)
    impossible = Finite(np.log([0.5, 0.5])), Finite(np.array([0.0, -np.inf]))
    assert laws.epsilon_at(*impossible, target) == math.inf
    assert laws.epsilon_at(coin(0.5), coin(0.5), target) == 0.0


def test_kl_is_the_closed_form():
    assert laws.kl(normal(0.0, 1.0), normal(0.5, 1.0)) == pytest.approx(0.125, rel=1e-9)
    assert laws.kl(laplace(0.0, 1.0), laplace(0.0, 2.0)) == pytest.approx(math.log(2.0) - 0.5, rel=1e-9)
    assert laws.kl(coin(0.5), coin(0.25)) == pytest.approx(0.5 * math.log(4.0 / 3.0), rel=1e-12)


ALL = {
    "normal": normal(0.3, 2.0),
    "clipped normal": known_laws.clipped_normal(3.0, 2.0, 7.0),
    "laplace": laplace(0.3, 20.0),
    "clipped laplace": clipped_laplace(1.0, 20.0),
    "laplace in a range": clipped_laplace(1.0, 0.7, 3.0),
    "geometric": known_laws.clipped_geometric(2, 3.0, 300),
    "logit beta": logit_beta(0.05, 7.0),
    "coin": coin(0.2),
    "response": response(0, 1.0),
}


@pytest.mark.parametrize("name", ALL)
def test_densities_integrate_to_one_and_draws_follow_them(name):
    """Frequencies in 16 bins of 50 000 draws, each by Hoeffding: 32 e^{−2·50000·s²} < 1e-6 for s = .0133."""
    law = ALL[name]
    assert law.mass == pytest.approx(1.0, abs=1e-10)
    edges, probability = laws.bins(law, 16)
    assert probability.sum() == pytest.approx(1.0, abs=1e-9)
    index = np.searchsorted(edges, law.sample(np.random.default_rng(2), 50_000), side="left")
    shares = np.bincount(index, minlength=len(probability)) / 50_000
    assert np.max(np.abs(shares - probability)) < 0.0133


def test_draws_of_another_law_fill_the_bins_otherwise_and_a_density_that_is_none_has_another_mass():
    edges, probability = laws.bins(laplace(0.0, 1.0), 16)
    index = np.searchsorted(edges, laplace(0.0, 0.8).sample(np.random.default_rng(2), 50_000), side="left")
    assert np.max(np.abs(np.bincount(index, minlength=len(probability)) / 50_000 - probability)) > 0.0133
    law = OnLine(lambda y: normal(0.0, 1.0).log_density(y) + 0.01, lambda rng, size: rng.standard_normal(size))
    assert law.mass == pytest.approx(math.exp(0.01), rel=1e-9)


def test_nodes_of_several_dimensions():
    """A uniform law on the unit square against one that is twice as dense on its left half."""
    x, w = np.polynomial.legendre.leggauss(8)
    x, w = (x + 1) / 2, w / 2
    points = np.stack(np.meshgrid(np.concatenate([x / 2, (x + 1) / 2]), x, indexing="ij"), axis=-1).reshape(-1, 2)
    weights = np.log(np.multiply.outer(np.concatenate([w, w]) / 2, w).ravel())

    def draw(rng, size):
        return rng.random((size, 2))

    uniform = OnNodes(lambda y: np.zeros(y.shape[:-1]), draw, points, weights)
    left = OnNodes(lambda y: np.log(np.where(y[..., 0] < 0.5, 4 / 3, 2 / 3)), draw, points, weights)
    assert left.mass == pytest.approx(1.0, abs=1e-12)
    assert laws.max_divergence(uniform, left) == pytest.approx(math.log(1.5), rel=1e-12)
    assert laws.renyi(uniform, left, 2.0) == pytest.approx(math.log((3 / 4 + 3 / 2) / 2), rel=1e-12)
    assert laws.delta(uniform, left, 0.1) == pytest.approx(0.5 - math.exp(0.1) / 3, rel=1e-12)


def test_outputs_with_much_mass_are_bins_of_their_own():
    """Two outcomes, and a clipped law with an atom at either end."""
    np.testing.assert_allclose(laws.bins(coin(0.2), 16)[1], [0.8, 0.2])
    edges, probability = laws.bins(clipped_laplace(0.0, 20.0, 1.0), 16)
    np.testing.assert_allclose(probability[[0, -1]], [0.5, 0.5 * math.exp(-1 / 20)], rtol=1e-9)
    assert edges[0] > 0.0
    assert edges[-1] < 1.0


def test_what_rounding_hides_is_nan_and_not_small_and_epsilon_of_laws_far_apart_is_large():
    assert laws.max_divergence(laplace(0.0, 5e5), laplace(1.0, 5e5)) == pytest.approx(2e-6, rel=1e-6)
    assert laws.max_divergence(laplace(0.0, 5e14), laplace(1.0, 5e14)) == pytest.approx(2e-15, abs=1e-13)
    assert math.isnan(laws.renyi(normal(0.0, 1e3), normal(1e3, 1e3), 200.0))
    assert laws.max_divergence(laplace(0.0, 500.0), laplace(1.0, 500.0)) == pytest.approx(0.002, rel=1e-9)
    m = 1000.0  # N(0, s²) and N(1, s²): ln P/Q is N(m²/2, m²) with m = 1/s, so that ε is near m²/2 + z m
    found = laws.epsilon_at(normal(0.0, 1 / m), normal(1.0, 1 / m), 1e-5)
    assert found == pytest.approx(m * m / 2 + 4.26 * m, rel=1e-3)


def test_a_power_at_the_low_end_is_integrated_next_to_its_pole():
    """ρ ~ Beta(a, 2) on [0, 1] itself, with s = λ − (λ−1)b just above 0, against the same laws as logits."""

    def on_rho(a, b):
        logit = logit_beta(a, b)

        def log_density(rho):
            return logit.log_density(np.log(rho) - np.log1p(-rho)) - np.log(rho) - np.log1p(-rho)

        return OnLine(log_density, lambda rng, size: rng.beta(a, b, size), 0.0, 1.0, halvings=40, tails=(a, b))

    for order, s in ((3.0, 1e-3), (3.0, 1e-9), (8.0, 0.3)):
        b = (order - s) / (order - 1.0)
        pair, logits = ([make(1.0, 2.0), make(b, 3.0 - b)] for make in (on_rho, logit_beta))
        assert pair[1].mass == pytest.approx(1.0, abs=1e-10)
        assert laws.renyi(*pair, order) == pytest.approx(laws.renyi(*logits, order), rel=1e-8)
