"""Mixing coefficients against exact fractions, Theorem 15 against exact compositions and many digits."""

import math
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from mpmath import mp, mpf

from dpsampling.amplification import kernels, mixing
from dpsampling.amplification.kernels import Kernel, largest_hockey_stick, leaky_randomized_response, uniform_noise
from dpsampling.amplification.names import CONDITIONS, DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from dpsampling.errors import InputError
from dpsampling.privacy.guarantee import Approximate, Pure, Relation
from reproduction.experiments.amplification import random_kernels
from reproduction.experiments.amplification.exact_kernels import exact_coefficients
from reproduction.experiments.amplification.implications import IMPLIED, RATIO
from reproduction.experiments.amplification.implications import table as implications

SLACK = 1e-12  # far above rounding, far below the 1e-9 that is promised
MANY = 10_000


def sticks(first, second, epsilon):
    """D_{e^ε} of two laws, entry by entry."""
    return float(np.maximum(first - math.exp(epsilon) * second, 0.0).sum())


# -- coefficients ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [Fraction(1), Fraction(11, 10), Fraction(3), Fraction(50)])
def test_coefficients_are_the_exact_ones_rounded_up(ratio):
    """Kernels of fractions with denominator 2^20 are exact as floats; e^ε is one rounding away."""
    rng = np.random.default_rng(5)
    for size in (2, 3, 5):
        for kind in random_kernels.KINDS:
            units = np.floor(kind(size, rng) * 2**20)
            units[:, 0] += 2**20 - units.sum(axis=1)
            exact = exact_coefficients(tuple(tuple(Fraction(int(u), 2**20) for u in row) for row in units), ratio)
            found = mixing.coefficients(Kernel.of(units / 2**20), math.log(ratio))
            for condition in CONDITIONS:
                excess = Fraction(found[condition]) - exact[condition]
                assert -Fraction(1, 10**15) * (condition == LEVEL_DOBRUSHIN) <= excess <= Fraction(1, 10**12)


def test_coefficients_of_randomized_response_are_known():
    for k in (2, 3, 7):
        for epsilon in (0.0, 1e-9, 0.3, 2.0, 20.0):
            kernel, total = kernels.randomized_response(k, epsilon), math.exp(epsilon) + k - 1
            gap = math.expm1(epsilon) / total
            assert mixing.dobrushin(kernel) == pytest.approx(gap, rel=1e-6 if epsilon < 1e-6 else 1e-11, abs=2e-15)
            assert mixing.doeblin(kernel) == pytest.approx(gap, rel=1e-6 if epsilon < 1e-6 else 1e-11, abs=2e-15)
            assert mixing.ultra_mixing(kernel) == pytest.approx(-math.expm1(-epsilon), rel=1e-6, abs=2e-15)
            assert mixing.level_dobrushin(kernel, epsilon / 2) == pytest.approx(
                (math.exp(epsilon) - math.exp(epsilon / 2)) / total, rel=1e-6, abs=2e-15
            )
            assert mixing.level_dobrushin(kernel, epsilon) < 1e-14
            assert mixing.level_dobrushin(kernel, epsilon + 1e-9) == 0.0


def test_conventions_at_the_ends():
    same = Kernel.of([[0.2, 0.8, 0.0]] * 3)
    assert set(mixing.coefficients(same, 1.0).values()) == {0.0}
    identity = Kernel.of(np.eye(3))
    assert set(mixing.coefficients(identity, 1.0).values()) == {1.0}
    assert mixing.level_dobrushin(identity, math.inf) == 1.0
    one_input = Kernel.of([[0.3, 0.7]])
    assert set(mixing.coefficients(one_input, 0.5).values()) == {0.0}
    half = Kernel.of([[1.0, 0.0], [0.5, 0.5]])
    assert mixing.level_dobrushin(half, math.inf) == pytest.approx(0.5, abs=1e-11)
    assert mixing.ultra_mixing(half) == 1.0
    assert mixing.level_dobrushin(Kernel.of([[1.0, 0.0], [1 - 1e-9, 1e-9]]), 5000.0) == pytest.approx(1e-9, rel=1e-5)


def test_small_coefficients_keep_their_digits():
    """Rows that differ by 1e-11: 1 − Σ min and ½Σ|a − b| + … would have lost six digits."""
    kernel = Kernel.of([[0.3, 0.7], [0.3 + 1e-11, 0.7 - 1e-11]])
    for value in (mixing.dobrushin(kernel), mixing.doeblin(kernel)):
        assert 1e-11 <= value <= 1e-11 * (1 + 3e-4)


def test_the_witness_of_doeblins_condition_is_one():
    for kernel in random_kernels.kernels(200, [2, 4, 6], np.random.default_rng(2)):
        witness, gamma = mixing.doeblin_witness(kernel), mixing.doeblin(kernel)
        assert witness.sum() == pytest.approx(1.0)
        assert np.all(kernel.rows >= (1.0 - gamma) * witness - 1e-16)


@pytest.mark.parametrize("pair", sorted(implications.COUNTEREXAMPLES))
def test_every_false_implication_has_an_exact_counterexample(pair):
    """In fractions, and as the library sees it; together with the true ones these are all ordered pairs."""
    rows = implications.COUNTEREXAMPLES[pair]
    assert all(sum(row) == 1 and min(row) >= 0 for row in rows)
    exact = exact_coefficients(rows, RATIO)
    assert exact[pair[1]] > exact[pair[0]]
    found = mixing.coefficients(Kernel.of(np.array(rows, dtype=float)), math.log(RATIO))
    assert all(found[name] == pytest.approx(float(exact[name]), abs=SLACK) for name in CONDITIONS)
    assert pair not in IMPLIED
    assert len(IMPLIED) + len(implications.COUNTEREXAMPLES) == 12


@pytest.mark.parametrize("size", [30, 61])
@pytest.mark.parametrize("kind", [*random_kernels.KINDS, lambda k, rng: uniform_noise(k, 0.5).rows])
def test_the_way_for_large_kernels_gives_the_same(kind, size, monkeypatch):
    """L1 distances in tiles against positive parts of all pairs, also where thousands of pairs tie."""
    kernel = Kernel.of(kind(size, np.random.default_rng(8)))
    for epsilon in (0.0, 1e-3, 0.7, 3.0, 12.0):
        plain = largest_hockey_stick(kernel, epsilon)
        with monkeypatch.context() as patch:
            patch.setattr(kernels, "EVALUATED_AT_ONCE", 1000)
            patch.setattr(kernels, "TILE", 7 * size)
            blocked = largest_hockey_stick(kernel, epsilon)
        assert plain <= blocked * (1 + SLACK) + 1e-15
        assert blocked == pytest.approx(plain, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [random_kernels.smooth, random_kernels.peaked])
def test_kernels_of_size_2000_take_less_than_2_gigabytes(kind):
    kernel = Kernel.of(kind(2000, np.random.default_rng(0)))
    tracemalloc.start()
    for coefficient in (mixing.dobrushin, mixing.doeblin, mixing.ultra_mixing):
        coefficient(kernel)
    for level in (1.0, math.inf):
        mixing.level_dobrushin(kernel, level)
    assert tracemalloc.get_traced_memory()[1] < 2e9
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ([[0.5, 0.4], [0.5, 0.5]], "row 1 of the kernel sums to 0.9"),
        ([[0.5, 0.5], [1.2, -0.2]], "-0.2 in row 2, column 2"),
        ([[0.5, math.nan]], "nan in row 1, column 2"),
        ([[math.inf, 0.5]], "inf in row 1"),
        ([0.5, 0.5], "table of numbers"),
        ([], "table of numbers"),
        ([[0.5], [0.5, 0.5]], "table of numbers"),
        ([["a", "b"]], "table of numbers"),
    ],
)
def test_bad_kernels_are_told_in_one_sentence(rows, words):
    with pytest.raises(InputError, match=words.replace(".", r"\.")) as caught:
        Kernel.of(rows)
    assert str(caught.value).count("\n") == 0


def test_sizes_must_fit():
    with pytest.raises(InputError, match="3 outputs and the kernel 2 inputs"):
        uniform_noise(2, 0.5).after(uniform_noise(3, 0.5))
    for call in (
        lambda: largest_hockey_stick(uniform_noise(2, 0.5), -1.0),
        lambda: uniform_noise(2, 1.5),
        lambda: kernels.randomized_response(1, 1.0),
        lambda: leaky_randomized_response(2, 1.0, 2.0),
        lambda: mixing.by_doeblin(1.0, 0.1, 1.5),
        lambda: mixing.by_dobrushin(math.nan, 0.1, 0.5),
        lambda: mixing.by_ultra_mixing(1.0, -0.1, 0.5),
    ):
        with pytest.raises(InputError):
            call()


# -- Theorem 15 -----------------------------------------------------------------------------------------------------


def test_the_four_forms_against_four_hundred_digits():
    """ε′ and δ′ are rounded up, by less than 1e-11 of themselves, wherever digits are easily lost."""
    rng = np.random.default_rng(3)
    cases = [(1e-9, 1e-12, 1e-10), (1.0, 0.0, 1e-14), (650.0, 1e-5, 1e-200), (800.0, 0.3, 0.2), (0.5, 1.0, 1.0 - 1e-12)]
    cases += [(10 ** rng.uniform(-6, 2), 10 ** rng.uniform(-12, 0), 10 ** rng.uniform(-9, 0)) for _ in range(200)]
    with mp.workdps(400):
        for epsilon, delta, gamma in cases:
            e, d, g = mpf(epsilon), mpf(delta), mpf(gamma)
            level = mp.log(1 + g * (mp.exp(e) - 1))
            beta = mp.exp(level - e)
            exact = {
                mixing.by_dobrushin: (e, g * d),
                mixing.by_doeblin: (level, g * (1 - beta * (1 - d))),
                mixing.by_ultra_mixing: (level, g * d * beta),
            }
            for function, (level_exact, delta_exact) in exact.items():
                for mine, true in zip(function(epsilon, delta, gamma), (level_exact, delta_exact), strict=True):
                    assert true <= mine <= true * (1 + mpf("1e-11")) + mpf("1e-323")
            if delta > 0:
                needed = mp.log(1 + (mp.exp(e) - 1) / d)
                assert needed * (1 - mpf("1e-11")) <= mixing.needed_level(epsilon, delta) <= needed


def test_dobrushins_condition_gives_doeblins_form_and_more():
    """At every level up to ε its δ is at most Doeblin's; leaky randomized response and the identity attain it."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        epsilon, delta, gamma = rng.exponential(2), rng.random(), rng.random()
        level, doeblin = mixing.by_doeblin(epsilon, delta, gamma)
        assert mixing.by_dobrushin_below(epsilon, delta, gamma, level)[1] <= doeblin
        assert mixing.by_dobrushin_below(epsilon, delta, gamma, epsilon)[1] == pytest.approx(gamma * delta, rel=1e-9)
        exact = max(leaky_randomized_response(2, epsilon, delta).delta_at(level), delta)
        assert mixing.by_dobrushin_below(epsilon, delta, 1.0, level)[1] == pytest.approx(exact, rel=1e-9)
    assert mixing.by_dobrushin_below(math.inf, 0.1, 0.5, 3.0) == pytest.approx((3.0, 0.5))
    with pytest.raises(InputError, match="level is 2"):
        mixing.by_dobrushin_below(1.0, 0.1, 0.5, 2.0)


def test_conventions_of_the_theorem():
    for bound in (mixing.by_dobrushin, mixing.by_level_dobrushin, mixing.by_ultra_mixing):
        assert bound(1.0, 0.0, 0.7)[1] == 0.0
    for bound in (mixing.by_dobrushin, mixing.by_level_dobrushin, mixing.by_doeblin, mixing.by_ultra_mixing):
        assert bound(1.3, 0.2, 1.0) == pytest.approx((1.3, 0.2), rel=1e-11)
        assert bound(1.3, 0.2, 1.0)[1] >= 0.2
        assert bound(math.inf, 0.2, 0.5)[0] == math.inf
    for bound in (mixing.by_doeblin, mixing.by_ultra_mixing):
        assert bound(1.3, 0.2, 0.0) == (0.0, 0.0)
    assert mixing.by_doeblin(1.0, 0.0, 0.5)[1] > 0.15
    assert mixing.by_dobrushin(1.3, 0.2, 0.0) == (1.3, 0.0)
    assert mixing.needed_level(1.0, 0.0) == math.inf
    assert mixing.needed_level(0.0, 0.5) == 0.0


def test_amplified_guarantees_keep_relation_and_conditions():
    promise = Pure(1.0, Relation.ADD_OR_REMOVE_ONE, ("a chain converged",))
    for gamma, bound in mixing.amplified(promise, uniform_noise(3, 0.4)).values():
        assert isinstance(bound, Approximate)
        assert (bound.relation, bound.conditions) == (promise.relation, promise.conditions)
        assert 0 <= gamma <= 1


def mechanisms(kernel, rng):
    """Pairs of output laws for a kernel's inputs: spread, with zeros, close together; each with its (ε, δ)."""
    size = len(kernel.rows)
    laws = np.maximum(rng.dirichlet(np.full(size, rng.choice([0.1, 1.0, 10.0])), 2), 1e-12)
    if rng.random() < 0.3:
        laws[0, rng.integers(size)] = 0.0
    if rng.random() < 0.3:
        laws[1] = laws[0] + 10 ** rng.uniform(-6, 0) * laws[1]
    if not laws[0].any():
        laws[0] = 1.0
    p, q = laws / laws.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore"):
        pure = float(np.max(np.abs(np.log(p) - np.log(q))))
    epsilons = [rng.exponential()] if math.isinf(pure) else [rng.random() * pure, pure]
    for epsilon in epsilons:
        yield p, q, epsilon, max(sticks(p, q, epsilon), sticks(q, p, epsilon))


def violations(count, bounds, seed=11):
    """How often a bound is below the exact δ of K∘M at its ε′, for each condition."""
    rng, found, cases = np.random.default_rng(seed), dict.fromkeys(bounds, 0), 0
    for kernel in random_kernels.kernels(count, [2, 3, 4, 5, 6], np.random.default_rng(seed)):
        for p, q, epsilon, delta in mechanisms(kernel, rng):
            after_p, after_q = p @ kernel.rows, q @ kernel.rows
            cases += 1
            for name, bound in bounds.items():
                level, left = bound(kernel, epsilon, min(delta, 1.0))
                found[name] += max(sticks(after_p, after_q, level), sticks(after_q, after_p, level)) > left + SLACK
    assert cases > count
    return found


def by_level(kernel, epsilon, delta, times):
    level = mixing.level_dobrushin(kernel, times * mixing.needed_level(epsilon, delta))
    return mixing.by_level_dobrushin(epsilon, delta, level)


BOUNDS = {
    DOBRUSHIN: lambda k, e, d: mixing.by_dobrushin(e, d, mixing.dobrushin(k)),
    LEVEL_DOBRUSHIN: lambda k, e, d: by_level(k, e, d, 1),
    DOEBLIN: lambda k, e, d: mixing.by_doeblin(e, d, mixing.doeblin(k)),
    ULTRA_MIXING: lambda k, e, d: mixing.by_ultra_mixing(e, d, mixing.ultra_mixing(k)),
    "Doeblin's form of Dobrushin": lambda k, e, d: mixing.by_doeblin(e, d, mixing.dobrushin(k)),
    "Dobrushin at ε/2": lambda k, e, d: mixing.by_dobrushin_below(e, d, mixing.dobrushin(k), e / 2),
    "Dobrushin at 0": lambda k, e, d: mixing.by_dobrushin_below(e, d, mixing.dobrushin(k), 0.0),
}


def test_no_bound_is_below_the_exact_privacy_of_ten_thousand_composed_kernels():
    assert violations(MANY, BOUNDS) == dict.fromkeys(BOUNDS, 0)


def test_bounds_of_a_stronger_condition_for_a_weaker_one_are_caught():
    """Planted: ultra-mixing's bound with Doeblin's γ, Dobrushin's with that of a higher level, and half of a δ."""
    planted = {
        "ultra of Doeblin": lambda k, e, d: mixing.by_ultra_mixing(e, d, mixing.doeblin(k)),
        "half": lambda k, e, d: mixing.by_dobrushin_below(e, d, mixing.dobrushin(k) / 2, e / 2),
        "level": lambda k, e, d: by_level(k, e, d, 2),
    }
    assert min(violations(1500, planted).values()) > 0


def test_implications_of_the_figure_hold_on_ten_thousand_kernels_and_the_others_do_not():
    rng = np.random.default_rng(21)
    table = implications.table({"kernels": MANY, "kernel_sizes": [2, 3, 4, 5, 6], "epsilon": 0.5}, rng)
    for row in table.itertuples():
        if (row.premise, row.conclusion) in IMPLIED:
            assert row.violations == 0
        else:
            assert row.violations > 1000


def test_leaky_randomized_response_has_the_delta_it_is_made_for():
    for k in (2, 4):
        mechanism = leaky_randomized_response(k, 1.0, 0.05)
        assert mechanism.delta_at(1.0) == pytest.approx(0.05, abs=1e-12)
        assert mechanism.delta_at(0.9) > 0.05 + 1e-3
        composed = uniform_noise(k, 0.3).after(mechanism)
        by_hand = mechanism.rows @ uniform_noise(k, 0.3).rows
        assert composed.delta_at(0.4) == pytest.approx(
            max(sticks(a, b, 0.4) for a in by_hand for b in by_hand), abs=1e-12
        )
