"""Laplace noise on counts: its privacy, its law, and the mixture that θ follows."""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from scipy.special import betaln, expit, log_expit

import reference
from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.laplace_statistic import REACH, CountPosterior, LaplaceCounts, LaplaceStatistic
from dpsampling.privacy.guarantee import Pure
from dpsampling.privacy.laws import OnLine, renyi

FAMILY, PRIOR, N = BetaBernoulli(), (6.0, 18.0), 100


def mechanism(epsilon=1.0, projection="zero", noise="continuous", prior=PRIOR, n=N):
    return LaplaceStatistic(FAMILY, prior, n, epsilon, projection, noise)


# -- privacy -------------------------------------------------------------------------------------------------------


def two_sided(count, q, upper):
    """Pr(ŝ = 0 … upper), from the sums of Pr(Y = y) = q^|y| (1 − q)/(1 + q)."""
    y = np.arange(-2000, 2001)
    mass = (1 - q) / (1 + q) * q ** np.abs(y)
    return np.bincount(np.clip(count + y, 0, upper), mass, minlength=upper + 1)


def greatest_loss(q, upper):
    """max ln Pr(Ŝ = (s, t))/Pr′ over neighbours (k, n − k) → (k ± 1, …), by enumeration."""
    n, worst = 3, 0.0
    law = [two_sided(k, q, upper) for k in range(n + 1)]
    for k in range(n):
        there, here = (np.outer(law[i], law[n - i]) for i in (k, k + 1))
        worst = max(worst, np.max(np.abs(np.log(here[:40, :40] / there[:40, :40]))))
    return worst


@pytest.mark.parametrize("upper", [3, 1500])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.5])
def test_discrete_noise_costs_epsilon_and_no_less(epsilon, upper):
    assert greatest_loss(math.exp(-epsilon / 2), upper) == pytest.approx(epsilon, rel=1e-9)
    # A planted bug: sensitivity 1 doubles the loss.
    assert greatest_loss(math.exp(-epsilon), upper) == pytest.approx(2 * epsilon, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1 / 3, 1.0, 7.7, 1e-300])
def test_continuous_noise_costs_at_most_epsilon(epsilon):
    counts = LaplaceCounts(epsilon)
    # (|1| + |−1|)/b ≤ ε in exact arithmetic, and not with 1e-15 less noise.
    assert Fraction(2) / Fraction(counts.scale) <= Fraction(epsilon)
    assert Fraction(2) / (Fraction(counts.scale) * (1 - Fraction(1, 10**15))) > Fraction(epsilon)
    assert counts.guarantee.epsilon == epsilon
    assert isinstance(counts.guarantee, Pure)


@pytest.mark.parametrize("order", [1.1, 3.0, 40.0])
@pytest.mark.parametrize("epsilon", [1e-4, 0.1, 2.0])
def test_calibrated_noise_satisfies_order_and_epsilon(order, epsilon):
    calibrated = LaplaceStatistic.calibrate(FAMILY, PRIOR, N, order=order, epsilon=epsilon)
    assert calibrated.guarantee.renyi().epsilon(order) <= epsilon
    larger = Pure(calibrated.epsilon * (1 + 1e-9)).renyi().epsilon(order)
    assert larger > epsilon * (1 - 1e-11) or calibrated.epsilon == epsilon


def price(subject, order):
    """R_λ of the laws of θ at the pair that the mechanism names."""
    p = [(partial(subject.log_density, statistic=s), partial(subject.release, s)) for s, _ in subject.worst_pair(order)]
    return renyi(*(OnLine(*law) for law in p), order)


@pytest.mark.parametrize(("epsilon", "projection"), [(0.1, "zero"), (1.0, "range"), (8.0, "zero")])
def test_price_of_theta_is_within_the_promise(epsilon, projection):
    subject = mechanism(epsilon, projection, prior=(1.0, 2.0))
    assert 0 < price(subject, 6.0) <= subject.guarantee.renyi().epsilon(6.0)


def test_price_catches_a_mechanism_that_forgets_its_noise():
    promise = mechanism(1.0).guarantee.renyi().epsilon(3.0)
    assert price(mechanism(50.0, prior=(1.0, 2.0)), 3.0) > promise


# -- the law of θ --------------------------------------------------------------------------------------------------


def mixture(theta, s, epsilon, projection, noise, prior=PRIOR, n=N):
    """A(θ) by summation over the atoms and by Gauss-Legendre with breaks set for this θ."""
    alpha, beta = prior[0], prior[1] - prior[0]
    upper = n if projection == "range" else math.inf
    b = 2 / epsilon

    def rule(count):
        if noise == "discrete":
            mass = two_sided(count, math.exp(-epsilon / 2), n if projection == "range" else 1500)
            return np.arange(len(mass)), mass
        likes = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 0.5, *np.arange(1, 40, 1.5) ** 2.0]
        breaks = [0.0, count, *likes, *(count + b * z for z in np.arange(-75, 75.1, 1.5))]
        nodes, weights = reference.legendre([x for x in breaks if 0 <= x <= min(upper, count + 75 * b)], nodes=12)
        atoms = [0.5 * math.exp(-count / b)], [0.5 * math.exp(-(n - count) / b)] if projection == "range" else []
        ends = [0.0], [float(n)] if projection == "range" else []
        density = weights * np.exp(-np.abs(nodes - count) / b) / (2 * b)
        return np.concatenate([nodes, *ends]), np.concatenate([density, *atoms])

    (x, w), (y, v) = rule(s), rule(n - s)
    x, y = alpha + x[:, np.newaxis], beta + y
    exponent = x * log_expit(theta) + y * log_expit(-theta) - betaln(x, y)
    top = exponent.max()
    return top + math.log(w @ np.exp(exponent - top) @ v)


@pytest.mark.parametrize("noise", ["continuous", "discrete"])
@pytest.mark.parametrize("projection", ["zero", "range"])
@pytest.mark.parametrize(("epsilon", "s"), [(0.3, 32), (1.0, 0), (5.0, 97)])
def test_density_is_the_mixture(epsilon, s, projection, noise):
    theta = np.array([-300.0, -20.0, -6.0, -2.0, -0.7, 0.0, 1.0, 2.5, 4.0, 5.0, 11.0, 90.0])
    values = mechanism(epsilon, projection, noise).log_density(theta, s)
    expected = np.array([mixture(x, s, epsilon, projection, noise) for x in theta])
    # Noise beyond 70 scales is left out, which matters below e^-50 only, or nowhere if n is within.
    stated = (expected > -50) | (REACH * 2 / epsilon >= N)
    assert values[stated] == pytest.approx(expected[stated], abs=1e-8)
    assert stated.sum() >= 4
    # Planted bug: the projection is forgotten, or is the other one.
    other = mechanism(epsilon, "range" if projection == "zero" else "zero", noise).log_density(theta, s)
    assert np.max(np.abs(other - values)) > 1e-6


def test_density_far_out_is_that_of_the_atom_and_what_is_near_it():
    # For θ → −∞ only ŝ near 0 counts: p^α times the atom, and 1/|θ| of the density beside it.
    subject = mechanism(1.0)
    theta = np.array([-1e3, -1e4, -8e4])
    near = mechanism(1.0).log_density(theta, 5)
    assert near - subject.log_density(np.array([-1e2]), 5) == pytest.approx(6 * (theta + 100), abs=0.1)
    assert near == pytest.approx([mixture(x, 5, 1.0, "zero", "continuous") for x in theta], abs=1e-8)


@pytest.mark.parametrize("noise", ["continuous", "discrete"])
@pytest.mark.parametrize("projection", ["zero", "range"])
def test_density_integrates_to_one_in_any_shape_and_order(projection, noise):
    for prior, n, epsilon in (((0.5, 1.0), 10, 0.5), ((6.0, 18.0), 100, 1.0), ((3.0, 6.0), 4000, 1.0)):
        subject = mechanism(epsilon, projection, noise, prior, n)
        s = math.floor(0.3 * n)
        theta = np.sinh(np.linspace(-6, 6, 4001)) if n < 1000 else np.linspace(-1.3, -0.4, 2001)
        slope = np.cosh(np.linspace(-6, 6, 4001)) * 12 / 4000 if n < 1000 else np.full(2001, 0.9 / 2000)
        shuffled = np.random.default_rng(1).permutation(len(theta))
        density = np.empty(len(theta))
        density[shuffled] = np.exp(subject.log_density(theta[shuffled], s))
        assert density @ slope == pytest.approx(1, abs=1e-9)
    assert subject.log_density(np.zeros((2, 3)), s).shape == (2, 3)


def test_law_is_symmetric_in_successes_and_failures():
    theta = np.linspace(-9, 5, 50)
    mirrored = mechanism(0.7, prior=(12.0, 18.0)).log_density(-theta, 68)
    assert mechanism(0.7).log_density(theta, 32) == pytest.approx(mirrored, abs=1e-10)


# -- what is released ----------------------------------------------------------------------------------------------


def test_categorical_counts_are_released_once_and_used_freely():
    rng = np.random.default_rng(3)
    noisy = LaplaceCounts(1.0, "range", 100).simulate([40, 30, 20, 10], rng)
    posterior = CountPosterior.of(1.0, noisy)
    assert posterior.mean == pytest.approx((noisy + 1) / (noisy.sum() + 4))
    draws = posterior.sample(rng, 50_000)
    assert draws.sum(axis=1) == pytest.approx(1)
    # Standard error at most .5/√50000 = .0022; 6 of them.
    assert draws.mean(axis=0) == pytest.approx(posterior.mean, abs=0.014)
    assert np.all(np.isfinite(CountPosterior.of(1e-9, [0.0, 0.0]).sample(rng, 100)))


def test_release_shapes():
    rng = np.random.default_rng(1)
    assert mechanism().simulate(32, rng).shape == ()
    assert mechanism().simulate(32, rng, 5).shape == (5,)
    assert mechanism().simulate_counts([1, 2, 3], rng, 5).shape == (5, 3, 2)
    noisy = mechanism(noise="discrete").simulate_counts(32, rng, 1000)
    assert np.array_equal(noisy, np.floor(noisy))
    assert expit(mechanism().simulate(32, rng, 1000)).mean() == pytest.approx(38 / 118, abs=0.05)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: LaplaceCounts(0.0), "epsilon is 0"),
        (lambda: LaplaceCounts(-1.0), "epsilon is -1"),
        (lambda: LaplaceCounts(math.inf), "epsilon is inf"),
        (lambda: LaplaceCounts(math.nan), "epsilon is nan"),
        (lambda: LaplaceCounts(1.0, "range"), "give the public N"),
        (lambda: LaplaceCounts(1.0, "simplex"), "projection is 'simplex'"),
        (lambda: LaplaceCounts(1.0, noise="normal"), "noise is 'normal'"),
        (lambda: LaplaceCounts(1e-13, noise="discrete"), "use the continuous noise"),
        (lambda: LaplaceCounts(1.0).simulate([1, -1], np.random.default_rng(1)), "counts holds -1"),
        (lambda: LaplaceCounts(1.0).simulate([1, math.nan], np.random.default_rng(1)), "counts holds nan"),
        (lambda: LaplaceCounts(1.0).simulate(3, np.random.default_rng(1)), "counts has shape"),
        (lambda: LaplaceCounts(1.0, noise="discrete").simulate([0.5, 1], np.random.default_rng(1)), "whole"),
        (lambda: LaplaceCounts(1.0, "range", 4).simulate([2, 3], np.random.default_rng(1)), "do not sum"),
        (lambda: CountPosterior.of(0.0, [1, 2]), "prior is 0"),
        (lambda: mechanism(0.0), "epsilon is 0"),
        (lambda: mechanism(n=0), "n is 0"),
        (lambda: mechanism().simulate(101, np.random.default_rng(1)), "successes is 101"),
        (lambda: LaplaceStatistic.calibrate(FAMILY, PRIOR, N, order=1.0, epsilon=1.0), "order is 1"),
    ],
)
def test_what_promises_nothing_is_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()
