"""The laws that are sampled keep the promise: shapes as the floats they are, divergences in 100 digits, any order.

A promise is about floats then, not about w α₀ + r s as real numbers: an order may be so near the pole that the last
digit of a shape decides whether the divergence is finite.
"""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery

BETA, DIRICHLET = BetaBernoulli(), DirichletCategorical()
DIGITS = 100  # ln Γ of shapes of 10¹⁸ is 10²⁰, and at λ = 1 + 10⁻⁹ what is left of it 10⁻³⁶


def dirichlet_divergence(p, q, order):
    """R_λ of two Dirichlet laws from the floats in their shapes: [C(L) − C(P)]/(λ−1) − [C(P) − C(Q)]."""
    with mp.workdps(DIGITS):
        p, q, k = [mpf(float(a)) for a in p], [mpf(float(a)) for a in q], mpf(float(order)) - 1
        steps = [a - b for a, b in zip(p, q, strict=True)]
        if min(a + k * d for a, d in zip(p, steps, strict=True)) <= 0:
            return mp.inf

        def log_partition(t):
            shapes = [a + t * d for a, d in zip(p, steps, strict=True)]
            return sum(map(mpmath.loggamma, shapes)) - mpmath.loggamma(sum(shapes))

        return (log_partition(k) - log_partition(0)) / k - (log_partition(0) - log_partition(-1))


def gaussian_divergence(family, p, q, order):
    """λ (m_P − m_Q)² N/(2σ²) of two laws with the same η² = N."""
    with mp.workdps(DIGITS):
        (first, n), (second, same) = ([mpf(float(a)) for a in law] for law in (p, q))
        assert n == same
        return mpf(order) * (first - second) ** 2 / n / (2 * mpf(family.variance))


def build(kind, family, prior, n, scale):
    return DirectPosterior(family, prior, n) if kind is DirectPosterior else kind(family, prior, n, scale)


def orders_of(horizon, rng):
    """Some below the horizon, some next to it on both sides."""
    if math.isinf(horizon):
        return 1 + 10 ** rng.uniform(-9, 6, 4)
    reach = horizon - 1
    near = [1 + reach * (1 - 10**-x) for x in rng.uniform(1, 15.9, 3)]
    beside = [math.nextafter(horizon, 1.0), horizon, math.nextafter(horizon, math.inf), horizon * (1 + 1e-14)]
    return [order for order in (1 + reach * 10 ** rng.uniform(-9, 0), *near, *beside) if order > 1]


def whole_pairs(n, rng):
    """The end pairs, and others in the middle."""
    starts = {0, n - 1, *rng.integers(0, n, 2).tolist(), n // 2}
    return [pair for s in starts for pair in ((s, s + 1), (s + 1, s))]


def assert_kept(found, exact, *, tight=None):
    assert mpf(found) >= exact
    if tight is not None and math.isfinite(found):
        assert mpf(found) <= exact * (1 + mpf(tight))


def settings(seed, count):
    """Priors, numbers of records, scales and algorithms; a third of them have scale 1."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        kind = (DirectPosterior, DiffusedPosterior, ConcentratedPosterior)[i % 3]
        yield kind, int(10 ** rng.uniform(0, 12)), float(10 ** rng.uniform(-6, 0)), rng


# -- the settings that were found ------------------------------------------------------------------------------------


def test_next_to_the_pole_of_a_million_records():
    """259.989 and 458.059 at λ = 1.0499999 and 1.049999999995; β by a difference makes it 260.003 and ∞."""
    mechanism = DirectPosterior(BETA, (0.05, 0.1), 10**6)
    for order, level in ((1.0499999, 259.9891), (1.049999999995, 458.059)):
        laws = [[mechanism.output_parameter(float(s)) for s in pair] for pair in ((0, 1), (1, 0), (10**6, 10**6 - 1))]
        exact = max(dirichlet_divergence(*pair, order) for pair in laws)
        promised = mechanism.guarantee.epsilon(order)
        assert_kept(promised, exact, tight=1e-5)
        assert promised == pytest.approx(level, rel=2e-6)
    assert mechanism.guarantee.epsilon(1.05) == math.inf
    assert dirichlet_divergence(*laws[0], 1.05 + 1e-15) == mp.inf


def test_a_law_whose_beta_is_what_is_left_of_a_difference_breaks_the_promise():
    """The planted bug: η = (α, α + β) with β = η² − η¹."""
    mechanism, n = DirectPosterior(BETA, (0.05, 0.1), 10**6), 10**6

    def by_difference(s):
        alpha, total = 0.05 + s, 0.1 + n
        return alpha, total - alpha

    broken = [
        dirichlet_divergence(by_difference(n), by_difference(n - 1.0), order) > mpf(mechanism.guarantee.epsilon(order))
        for order in (1.0499999, 1.049999999995)
    ]
    assert broken == [True, True]


# -- a random scan --------------------------------------------------------------------------------------------------


def test_beta_laws_keep_the_promise():
    for kind, n, scale, rng in settings(1, 150):
        alpha, beta = 10 ** rng.uniform(-6, 6, 2)
        mechanism = build(kind, BETA, (alpha, alpha + beta), n, scale)
        pairs = [[mechanism.output_parameter(float(s)) for s in pair] for pair in whole_pairs(n, rng)]
        for order in orders_of(mechanism.order_horizon, rng):
            promised = mechanism.guarantee.epsilon(order)
            for pair in pairs:
                assert_kept(promised, dirichlet_divergence(*pair, order))


def test_numbers_between_0_and_1_keep_the_promise():
    """Two lists of predicates that differ in one, through the sum that is made of them, and its law."""
    for kind, _, scale, rng in settings(2, 90):
        if kind is DirectPosterior:
            continue
        n, (alpha, beta) = int(10 ** rng.uniform(0, 3)), 10 ** rng.uniform(-6, 6, 2)
        query = StatisticalQuery(kind(BETA, (alpha, alpha + beta), n, scale))
        share = rng.choice([1e-9, 0.5, 1 - 1e-9])
        values = np.clip(rng.beta(2 * share, 2 * (1 - share), n), 0, 1)
        first, second = np.append(values[1:], 0.0), np.append(values[1:], 1.0)
        sums = query.statistic(first), query.statistic(second)
        assert abs(sums[1] - sums[0]) <= 1
        laws = [query.posterior.output_parameter(s) for s in sums]
        anywhere = rng.uniform(0, n - 1)
        others = [query.posterior.output_parameter(s) for s in (anywhere, min(anywhere + 1, n))]
        for order in orders_of(query.posterior.order_horizon, rng):
            promised = query.guarantee.epsilon(order)
            for p, q in (laws, laws[::-1], others, others[::-1]):
                assert_kept(promised, dirichlet_divergence(p, q, order))


@pytest.mark.parametrize("categories", [2, 3, 4, 5])
def test_dirichlet_laws_keep_the_promise(categories):
    for kind, n, scale, rng in settings(3 + categories, 36):
        shapes = 10 ** rng.uniform(-6, 6, categories)
        prior = np.append(shapes[:-1], math.fsum(shapes))
        if not np.all(DIRICHLET.law(prior) > 0):
            continue
        mechanism = build(kind, DIRICHLET, prior, n, scale)
        least = np.argsort(DIRICHLET.law(prior))
        others = [np.zeros(categories, dtype=int) for _ in range(4)]
        for place, category in zip(others, (least[-1], least[0], least[1], rng.integers(categories)), strict=True):
            place[category] = n - 1
        for order in orders_of(mechanism.order_horizon, rng):
            promised = mechanism.guarantee.epsilon(order)
            for beside in others:
                for i, j in ((least[0], least[1]), (least[1], least[0]), tuple(rng.permutation(categories)[:2])):
                    counts = beside + np.eye(categories)[i], beside + np.eye(categories)[j]
                    laws = [mechanism.output_parameter(c[:-1]) for c in counts]
                    assert_kept(promised, dirichlet_divergence(*laws, order))


def test_gaussian_laws_keep_the_promise():
    for kind, n, scale, rng in settings(9, 150):
        family = GaussianMean(float(10 ** rng.uniform(-6, 6)), float(10 ** rng.uniform(-6, 6)))
        prior = (float(rng.choice([-1, 1]) * 10 ** rng.uniform(-6, 6)), float(10 ** rng.uniform(-6, 6)))
        mechanism = build(kind, family, prior, n, scale)
        for start in (-n * family.bound, (n - 2) * family.bound, rng.uniform(-1, 1) * (n - 2) * family.bound):
            low = max(start, -n * family.bound)
            high = min(low + 2 * family.bound, n * family.bound)
            if mpf(high) - mpf(low) > 2 * mpf(family.bound):
                high = math.nextafter(high, low)
            laws = [mechanism.output_parameter(s) for s in (low, high)]
            for order in orders_of(math.inf, rng):
                assert_kept(mechanism.guarantee.epsilon(order), gaussian_divergence(family, *laws, order))


def test_the_promise_is_tight_where_rounding_is_small():
    for kind, _, scale, rng in settings(10, 60):
        n, (alpha, beta) = int(10 ** rng.uniform(0, 4)), 10 ** rng.uniform(-2, 2, 2)
        mechanism = build(kind, BETA, (alpha, alpha + beta), n, max(scale, 1e-3))
        order = 1 + (mechanism.order_horizon - 1) * rng.uniform(0.01, 0.9)
        ends = ((0, 1), (1, 0), (n, n - 1), (n - 1, n))
        pairs = [[mechanism.output_parameter(float(s)) for s in pair] for pair in ends]
        exact = max(dirichlet_divergence(*pair, order) for pair in pairs)
        assert_kept(mechanism.guarantee.epsilon(order), exact, tight=1e-8)


def test_without_the_rounding_of_parameters_the_promise_would_be_too_small():
    """The planted bug: margins on the scale and on the value alone, far from the pole and beside it."""
    broken = 0
    for kind, n, scale, rng in settings(11, 90):
        alpha, beta = 10 ** rng.uniform(-6, 6, 2)
        mechanism = build(kind, BETA, (alpha, alpha + beta), n, scale)
        for order in orders_of(mechanism.order_horizon, rng)[:4]:
            weights = mechanism.weights(mechanism.scale * (1 + 2.0**-49))
            bare = BETA.worst_case_divergence(mechanism.prior, n, order, **weights) * (1 + 2.0**-40)
            pairs = [[mechanism.output_parameter(float(s)) for s in pair] for pair in whole_pairs(n, rng)]
            broken += any(mpf(float(bare)) < dirichlet_divergence(*pair, order) for pair in pairs)
    assert broken > 10


# -- sizes that floats hardly hold ----------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1e-150, 1e-20, 1e150, 1e200, 1e300])
def test_priors_of_any_size_keep_the_promise(size):
    mechanism = DirectPosterior(BETA, (size, 3 * size), 5)
    with mp.workdps(DIGITS):
        for share in (1e-3, 0.5):
            order = min(1 + (mechanism.order_horizon - 1) * share, 3.0)
            a, b, k = mpf(size), mpf(3 * size) - mpf(size), mpf(order) - 1
            if k == 0:
                continue
            if size > 1e20:  # α₀ + 1 is α₀ as a float; as real numbers, ψ₁(x) is 1/x
                exact = mpf(order) / 2 * (1 / a + 1 / b)
            else:
                exact = max(dirichlet_divergence((a, b + 5), (a + 1, b + 4), order), mpf(0))
            assert_kept(mechanism.guarantee.epsilon(order), exact * (1 - mpf("1e-15")))


@pytest.mark.parametrize(("variance", "bound"), [(1.0, 1e-170), (1e300, 1e-20), (1e-300, 1e-170), (1e-320, 1e-320)])
def test_gaussian_levels_do_not_underflow_on_the_way(variance, bound):
    family = GaussianMean(variance, bound)
    for scale in (1.0, 1e-100):
        mechanism = DiffusedPosterior(family, (0.0, 4.0), 3, scale)
        with mp.workdps(DIGITS):
            r = mpf(scale)
            exact = 2 * (2 * r * mpf(bound)) ** 2 / (2 * mpf(variance) * (4 + 3 * r))
        promised = mechanism.guarantee.epsilon(2.0)
        assert mpf(promised) >= exact
        assert mpf(promised) <= exact * (1 + mpf("1e-11")) + 8 * math.ulp(0.0)
