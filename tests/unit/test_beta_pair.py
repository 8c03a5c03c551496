"""The exact (ε, δ) of Beta pairs against mpmath, every pair of neighbours, and the Rényi conversion it must beat."""

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

from dpsampling.errors import InputError
from dpsampling.mechanisms import beta_pair
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.privacy.accounting import delta_at

PRIOR, N = (6.0, 18.0), 100


@pytest.mark.parametrize(
    "case",
    [
        (38.0, 80.0, -1.0, 0.1),
        (38.0, 80.0, 1.0, 0.1),
        (6.0, 112.0, -1.0, 3.0),
        (6.0, 112.0, -1.0, 9.0),
        (7.0, 111.0, 1.0, 0.0),
        (0.5, 10.5, -1.0, 0.5),
        (1.5, 9.5, 1.0, 2.0),
        (3.0, 400.0, -0.05, 0.3),
        (900.0, 1100.0, -0.5, 0.2),
        (1.0, 2.0, 1e-4, 1e-4),
        (0.05, 3.0, 0.01, 0.2),
    ],
    ids=str,
)
def test_delta_is_the_difference_of_two_tails(case):
    assert abs(mpf(float(beta_pair.delta(*case))) / exact_delta(*case) - 1) < 1e-9


def test_delta_keeps_its_digits_far_below_rounding():
    value = float(beta_pair.delta(6.0, 112.0, -1.0, 25.0))
    with mp.workdps(60):
        assert 0 < value < 1e-40
        assert abs(mpf(value) / exact_delta(6.0, 112.0, -1.0, 25.0) - 1) < 1e-9


@pytest.mark.parametrize("epsilon", [0.0, 0.02, 0.3, 1.5])
@pytest.mark.parametrize(("prior", "n", "weight"), [((6, 18), 30, 1), ((0.5, 1), 12, 1), ((1, 40), 25, 0.3)])
def test_worst_pair_lies_at_the_ends_though_every_one_is_looked_at(prior, n, weight, epsilon):
    value, pair = beta_pair.worst_case(prior, n, epsilon, data_weight=weight)
    a, b = prior[0], prior[1] - prior[0]
    levels = {
        (s, t): float(exact_delta(a + weight * s, b + weight * (n - s), weight * (s - t), epsilon))
        for s in range(n + 1)
        for t in (s - 1, s + 1)
        if 0 <= t <= n
    }
    assert value == pytest.approx(max(levels.values()), rel=1e-9)
    assert levels[pair] == pytest.approx(value, rel=1e-9)
    assert value == pytest.approx(max(levels[p] for p in levels if 0 in p or n in p), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize("kind", [DirectPosterior, DiffusedPosterior, ConcentratedPosterior])
def test_exact_delta_is_below_the_best_renyi_conversion(kind, epsilon):
    mechanism = kind(BetaBernoulli(), PRIOR, N, *([] if kind is DirectPosterior else [0.3]))
    weights = {key: float(value) for key, value in mechanism.weights(mechanism.scale).items()}
    level = beta_pair.worst_case_delta(PRIOR, N, epsilon, **weights)
    assert level <= delta_at(mechanism.guarantee, epsilon)
    assert level > 0


def test_delta_at_zero_is_the_total_variation():
    theta = np.linspace(-30, 30, 60001)
    family = BetaBernoulli()
    p, q = (np.exp(family.log_density([a, 11.0 - a], theta)) for a in (2.5, 3.5))
    assert beta_pair.delta(3.0, 4.0, 0.0, [0.0, 1.0]).tolist() == [0.0, 0.0]  # of equal laws
    assert float(beta_pair.delta(2.5, 8.5, -1.0, 0.0)) == pytest.approx(np.sum(np.abs(p - q)) / 2 * 1e-3, rel=1e-6)


@pytest.mark.parametrize(
    ("case", "words"),
    [((0.0, 1.0, 0.1, 1.0), "above 0"), ((0.5, 1.0, 0.6, 1.0), "above 0"), ((1.0, 1.0, 0.5, -1.0), "epsilon")],
)
def test_bad_input_is_refused(case, words):
    with pytest.raises(InputError, match=words):
        beta_pair.delta(*case)


def test_small_shapes_keep_their_digits():
    """Tails of length 1/a beside bends of length 1: the δ of priors near 0, against mpmath quadrature."""
    rng = np.random.default_rng(4)
    settings = [(0.0022575768693549785, 0.0024873421319445677, -0.0005385035004433885, 0.01369096385299871)]
    settings += [(2.5e-4, 0.0175, -0.0174, 0.0145)]
    for _ in range(12):
        a, b = 10 ** rng.uniform(-4, 0, 2)
        step = rng.choice([-1, 1]) * rng.uniform(0.05, 0.95)
        settings.append((a, b, step * (b if step < 0 else a), 10 ** rng.uniform(-3, 0)))
    for case in settings:
        assert float(beta_pair.delta(*case)) == pytest.approx(float(exact_delta(*case)), rel=2e-9)


def exact_delta(a, b, d, epsilon):
    """F_P − e^ε F_Q by regularized incomplete Beta functions at 60 digits."""
    with mp.workdps(60):
        a, b, d, epsilon = map(mpf, (a, b, d, epsilon))
        c = mpmath.log(mpmath.beta(a - d, b + d)) - mpmath.log(mpmath.beta(a, b))
        x = (epsilon - c) / d
        t, rest = 1 / (1 + mpmath.exp(-x)), 1 / (1 + mpmath.exp(x))  # 1 − t in digits of its own

        def tail(alpha, beta, *, upper):
            """The wanted tail from the side on which it is small, where the incomplete Beta function has its digits."""
            near_one = rest < t
            small = mpmath.betainc(beta, alpha, 0, rest, regularized=True) if near_one else None
            if near_one:
                return small if upper else 1 - small
            lower = mpmath.betainc(alpha, beta, 0, t, regularized=True)
            return 1 - lower if upper else lower

        p, q = tail(a, b, upper=d > 0), tail(a - d, b + d, upper=d > 0)
        return p - mpmath.exp(epsilon) * q


@pytest.mark.parametrize("arguments", [((1, 2), 0, 1.0), ((1, 2), 1.5, 1.0), ((1, 2, 3), 3, 1.0), ((2, 1), 3, 1.0)])
def test_what_makes_no_promise_is_refused(arguments):
    with pytest.raises(InputError):
        beta_pair.worst_case_delta(*arguments)
    with pytest.raises(InputError, match="above 0"):
        beta_pair.worst_case_delta((1, 2), 3, 1.0, data_weight=0.0)
