"""Enclosures against thesis eq. (5.15) as it is printed, with log-partition functions over all pairs of neighbours.

The formula is written anew here, in mpmath with 80 digits, in the coordinates η of the text; pairs are all that differ
in one record of few, so that neither the worst pair nor the convexity gap of the library is taken for granted.
"""

import itertools
import math
from functools import partial

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

import tables
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.numerics.certified_gap import Pair, worst_level
from reproduction.experiments.auditing.certified_levels import BELOW_PROMISE, BELOW_TARGET, DISTORTED, left

DIGITS = 80
BETA, DIRICHLET = BetaBernoulli(), DirichletCategorical()
KINDS = (DirectPosterior, DiffusedPosterior, ConcentratedPosterior)


def categorical_partition(eta):
    """C(η) of eq. (54), +∞ where η is not normalizable."""
    shapes = [*eta[:-1], eta[-1] - sum(eta[:-1])]
    if min(shapes) <= 0:
        return mp.inf
    return sum(mpmath.loggamma(a) for a in shapes) - mpmath.loggamma(eta[-1])


def gaussian_partition(variance):
    def partition(eta):
        if eta[1] <= 0:
            return mp.inf
        return eta[0] ** 2 / (2 * variance * eta[1]) + mp.log(2 * mp.pi / (variance * eta[1])) / 2

    return partition


def divergence(partition, p, q, order):
    """[C(λη_P + (1−λ)η_Q) − λ C(η_P)]/(λ−1) + C(η_Q)."""
    middle = partition([order * a + (1 - order) * b for a, b in zip(p, q, strict=True)])
    return (middle - order * partition(p)) / (order - 1) + partition(q)


def supremum(partition, mechanism, statistics, neighbours, order):
    """The largest divergence of neighbouring statistics (Σ S, n) under the mechanism's weights."""
    kind, scale = type(mechanism), mpf(mechanism.scale)
    r, weight = (mpf(1), 1 / scale) if kind is ConcentratedPosterior else (scale, mpf(1))
    n, prior = mpf(mechanism.n), [mpf(float(part)) for part in mechanism.prior]
    eta = {s: [weight * part + r * mpf(added) for part, added in zip(prior, (*s, n), strict=True)] for s in statistics}
    pairs = [(s, t) for s, t in itertools.permutations(statistics, 2) if neighbours(s, t)]
    return max(divergence(partition, eta[s], eta[t], mpf(order)) for s, t in pairs)


def assert_holds(enclosure, exact):
    with mp.workdps(DIGITS):
        if exact == mp.inf:
            assert (enclosure.lower, enclosure.upper) == (math.inf, math.inf)
            return
        blur = abs(exact) * mpf(10) ** -35
        assert mpf(enclosure.lower) - blur <= exact <= mpf(enclosure.upper) + blur
        assert enclosure.upper <= enclosure.lower * (1 + 2.0**-50)


def settings(seed, count, reach):
    """Kinds, scales, and orders about the horizon that `reach` tells of a mechanism."""
    rng = np.random.default_rng(seed)
    for i in range(count):
        kind = KINDS[i % 3]
        yield kind, 1.0 if kind is DirectPosterior else float(10 ** rng.uniform(-6, 0)), reach(rng), rng


def order_of(mechanism, share):
    """So much of the way to the horizon, or beyond it; where there is none, from 1.01 to 200."""
    top = mechanism.order_horizon - 1.0
    return 1.0 + min(share * top, 199.0) if math.isfinite(top) else 1.01 + 199 * share / 2


def share(rng):
    return float(rng.choice([10 ** rng.uniform(-6, 0), 1 - 10 ** rng.uniform(-12, -1), 1 + 10 ** rng.uniform(-12, 0)]))


def test_beta_bernoulli():
    for kind, scale, part, rng in settings(1, 240, share):
        n, (alpha, beta) = int(rng.integers(1, 9)), 10 ** rng.uniform(math.log10(0.05), 5, 2)
        mechanism = kind(BETA, (alpha, alpha + beta), n, scale)
        order = order_of(mechanism, part)
        with mp.workdps(DIGITS):
            statistics = [(s,) for s in range(n + 1)]
            exact = supremum(categorical_partition, mechanism, statistics, lambda s, t: abs(s[0] - t[0]) == 1, order)
        assert_holds(mechanism.guarantee.enclosed(order), exact)
        assert mechanism.guarantee.epsilon(order) >= mechanism.guarantee.enclosed(order).upper


def test_numbers_between_0_and_1():
    """Sums of predicates on a grid of eighths, no further apart than 1."""
    for kind, scale, part, rng in settings(2, 60, share):
        if kind is DirectPosterior:
            continue
        n, (alpha, beta) = int(rng.integers(1, 4)), 10 ** rng.uniform(math.log10(0.05), 5, 2)
        mechanism = kind(BETA, (alpha, alpha + beta), n, scale)
        order = order_of(mechanism, part)
        with mp.workdps(DIGITS):
            statistics = [(s / 8,) for s in range(8 * n + 1)]
            exact = supremum(categorical_partition, mechanism, statistics, lambda s, t: abs(s[0] - t[0]) <= 1, order)
        assert_holds(StatisticalQuery(mechanism).guarantee.enclosed(order), exact)


def counts(n, categories):
    """Every (c_1, …, c_{d−1}) with Σ c_j ≤ n."""
    return [c for c in itertools.product(range(n + 1), repeat=categories - 1) if sum(c) <= n]


def one_moved(s, t):
    """One record in another category, the last one included."""
    steps = [a - b for a, b in zip(s, t, strict=True)]
    return sum(map(abs, [*steps, sum(steps)])) == 2


@pytest.mark.parametrize("categories", [2, 3, 4])
def test_dirichlet_categorical(categories):
    for kind, scale, part, rng in settings(2 + categories, 75, share):
        n, shapes = int(rng.integers(1, 4)), 10 ** rng.uniform(math.log10(0.05), 5, categories)
        mechanism = kind(DIRICHLET, (*shapes[:-1], math.fsum(shapes)), n, scale)
        order = order_of(mechanism, part)
        with mp.workdps(DIGITS):
            exact = supremum(categorical_partition, mechanism, counts(n, categories), one_moved, order)
        assert_holds(mechanism.guarantee.enclosed(order), exact)
        assert mechanism.guarantee.epsilon(order) >= mechanism.guarantee.enclosed(order).upper


def within(s, t, distance):
    return abs(s[0] - t[0]) <= distance


def test_gaussian_mean():
    for kind, scale, part, rng in settings(8, 90, share):
        family, n = GaussianMean(*(10 ** rng.uniform(-3, 3, 2)).tolist()), int(rng.integers(1, 6))
        prior = (float(rng.normal() * 10 ** rng.uniform(-1, 5)), float(10 ** rng.uniform(-1, 5)))
        mechanism = kind(family, prior, n, scale)
        order = order_of(mechanism, part)
        with mp.workdps(DIGITS):
            statistics = [(s * mpf(family.bound),) for s in range(-n, n + 1)]  # records at ∓Δ and 0
            near = partial(within, distance=2 * mpf(family.bound))
            exact = supremum(gaussian_partition(mpf(family.variance)), mechanism, statistics, near, order)
        assert_holds(mechanism.guarantee.enclosed(order), exact)
        assert mechanism.guarantee.epsilon(order) >= mechanism.guarantee.enclosed(order).upper


def test_planted_enclosures_of_other_pairs_do_not_hold_the_supremum():
    """Those of the middle of the data, and those of records that only ever leave the rarer category."""
    broken = 0
    for kind, scale, _, rng in settings(9, 30, share):
        n, (alpha, beta) = 6, 10 ** rng.uniform(-1, 2, 2)
        mechanism = kind(BETA, (alpha, alpha + beta), n, scale)
        order = order_of(mechanism, 0.5)
        exact = mechanism.guarantee.enclosed(order)
        r, weight = mechanism.exact_weights(scale)
        first, second = (weight * shape for shape in BETA.exact_shapes(mechanism.prior))
        middle = worst_level([Pair(first + 3 * r, second + 2 * r)], r, type(r)(order) - 1)
        leaving = worst_level([Pair(min(first, second), max(first, second) + 5 * r)], r, type(r)(order) - 1)
        assert middle.upper <= exact.upper
        broken += middle.upper < exact.lower and leaving.upper < exact.lower
    assert broken >= 25


# -- random settings of every mechanism -------------------------------------------------------------------------------


def assert_certified(table):
    """No upper end above a target or a promise."""
    aimed = table[table["target"].notna()]
    assert len(aimed) > len(table) / 2
    assert not (aimed["upper"] > aimed["target"]).any()
    assert not (table["upper"] > table["promised"]).any()


def test_levels_of_every_mechanism_are_certified():
    table = tables.made("certified_levels", runs=340)
    assert table["mechanism"].nunique() == 10
    assert_certified(table)
    assert set(tables.verdicts("certified_levels", table).values()) == {"reproduced"}
    tables.drawn("certified_levels", table).canvas.draw()


@pytest.mark.slow
def test_levels_of_ten_thousand_settings_are_certified():
    table = tables.made("certified_levels", seed=1, runs=10_000)
    assert_certified(table)
    reached = table[table["distorted"] == DISTORTED]
    far = reached[(reached["to_horizon"] < 1 - 1e-6) & (reached["family"] != "gaussian-mean")]
    assert left(reached, BELOW_TARGET).median() < 1e-11
    assert left(far, BELOW_TARGET).max() < 1e-6


@pytest.mark.parametrize(
    ("column", "factor", "claim"),
    [
        ("promised", 1 - 1e-9, "promise"),
        ("target", 1 - 1e-9, "target"),
        ("upper", 1 - 1e-5, "largest"),
        ("upper", 1 - 1e-10, "median"),
    ],
)
def test_planted_errors_are_refuted(column, factor, claim):
    table = tables.made("certified_levels", runs=51)
    parameters = table.attrs
    table[column] *= factor
    table.attrs = parameters
    assert tables.verdicts("certified_levels", table)[claim] == "refuted"
    if column != "upper":
        limit = BELOW_PROMISE if claim == "promise" else BELOW_TARGET
        assert left(table, limit).min() < 0


def test_claims_of_a_table_without_calibrations_are_untestable():
    table = tables.made("certified_levels", runs=51)
    few = table[table["target"].isna()]
    few.attrs = table.attrs
    found = tables.verdicts("certified_levels", few)
    assert found["target"] == found["median"] == found["largest"] == "untestable"
    assert found["promise"] == "reproduced"
