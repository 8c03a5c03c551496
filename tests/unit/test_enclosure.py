"""Enclosures hold the exact number, at ends that are rounded outwards, and are computed only when asked for."""

import math
import subprocess
import sys
from fractions import Fraction

import flint
import numpy as np
import pytest
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import reference
from dpsampling.amplification.noisy_sgd import FORMS, NoisySGD
from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic, UnclippedStatistic
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts, LaplaceStatistic
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.numerics.certified_gap import Pair, worst_level
from dpsampling.numerics.enclosure import UNBOUNDED, Enclosure, enclose, enclose_rational, largest, total
from dpsampling.privacy.accounting import compose, compose_parallel, repeat
from dpsampling.privacy.guarantee import Pure, Renyi
from magnitudes import LARGEST, LEAST, MAGNITUDES

BETA = BetaBernoulli()
RATIONALS = st.builds(lambda a, b: Fraction(a) / Fraction(b), MAGNITUDES, MAGNITUDES)


def holds(enclosure, exact):
    return mpf(enclosure.lower) <= exact <= mpf(enclosure.upper)


def is_narrow(enclosure):
    """Neighbouring floats, or those on both sides of one that the number is very near to."""
    return enclosure.upper <= math.nextafter(math.nextafter(enclosure.lower, math.inf), math.inf)


# -- rounding -------------------------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None, derandomize=True)
@given(value=RATIONALS)
@example(value=Fraction(1, 3))
@example(value=Fraction(LEAST) / 2)
@example(value=Fraction(LEAST) * Fraction(11, 2))
@example(value=Fraction(10**400))
@example(value=Fraction(LARGEST) + 1)
@example(value=Fraction(2**53 + 1))
@example(value=Fraction(2) - Fraction(1, 2**70))
@example(value=Fraction(5, 2**1074))
@example(value=Fraction(0))
def test_ends_are_the_floats_around_the_number(value):
    found = enclose_rational(value)
    assert Fraction(found.lower) <= value
    assert math.isinf(found.upper) or value <= Fraction(found.upper)
    assert is_narrow(found)
    assert found.lower < LARGEST or value >= Fraction(LARGEST)


def test_a_ball_of_some_width_is_rounded_outwards():
    third = enclose(lambda: arb(1) / 3 + arb(0, "1e-30"))
    assert Fraction(third.lower) < Fraction(1, 3) < Fraction(third.upper)
    assert is_narrow(third)


def test_precision_rises_until_the_digits_are_there():
    """1 − (1 − 2⁻⁵⁰⁰)², which 200 bits do not tell from 0, and the precision of others is as before."""
    seen = []

    def square():
        seen.append(flint.ctx.prec)
        small = arb((1, -500))
        return 1 - (1 - small) * (1 - small) - 2 * small + arb((1, -998))

    before = flint.ctx.prec
    found = enclose(square)
    assert seen == sorted(seen)
    assert seen[0] == 200
    assert seen[-1] > 1000
    assert flint.ctx.prec == before
    assert Fraction(found.lower) <= Fraction(3, 2**1000) <= Fraction(found.upper)
    assert is_narrow(found)


def test_what_stays_unknown_is_said_to_be():
    assert enclose(lambda: arb.nan()) == Enclosure(0.0, math.inf)
    around = enclose(lambda: arb(0, 1))
    assert around.lower == 0.0
    assert 1.0 <= around.upper <= 1.0 + 1e-8  # radii have 30 bits


def test_an_enclosure_that_holds_nothing_is_an_error():
    for lower, upper in ((1.0, math.nextafter(1.0, 0.0)), (math.nan, 1.0)):
        with pytest.raises(ValueError, match="holds nothing"):
            Enclosure(lower, upper)


def test_totals_and_maxima_are_rounded_outwards():
    tenths = [Enclosure(0.1, 0.1)] * 3
    three = total(tenths)
    assert Fraction(three.lower) <= 3 * Fraction(0.1) <= Fraction(three.upper)
    assert total(tenths[:1], 3) == three
    assert total([Enclosure(0.5, 0.5), Enclosure(1.0, math.inf)]) == Enclosure(1.5, math.inf)
    assert total([tenths[0], UNBOUNDED]) == UNBOUNDED
    assert largest([Enclosure(0.1, 0.4), Enclosure(0.2, 0.3)]) == Enclosure(0.2, 0.4)


# -- next to the pole -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", [Fraction(1), Fraction(0.3), Fraction(1e-6)])
def test_the_side_of_the_pole_is_decided_exactly(step):
    """x − kr is 0, or 10⁻³⁰⁰ of x on either side."""
    x = Fraction(0.05)
    k = x / step
    away = Fraction(1, 10**300)
    assert worst_level([Pair(Fraction(2), x)], step, k) == UNBOUNDED
    assert worst_level([Pair(Fraction(2), x)], step, k * (1 + away)) == UNBOUNDED
    near = worst_level([Pair(Fraction(2), x)], step, k * (1 - away))
    assert near.upper < math.inf
    assert is_narrow(near)
    with mp.workdps(700):
        grows = -mp.log(mpf(10) ** -300 * mpf(0.05)) * k.denominator / k.numerator  # ln Γ(x·away)/k
        assert near.lower > 0.9 * float(grows) - 1


def test_families_end_where_their_exact_prior_ends():
    """Of η₀ = (.1, .2, .35) the last shape is not the float .05 but 6·10⁻¹⁷ less; of (.05, 10⁵) the first decides."""
    prior = (0.1, 0.2, 0.35)
    least = Fraction(0.35) - Fraction(0.2) - Fraction(0.1)
    assert least != Fraction(0.05)
    mechanism = DirectPosterior(DirichletCategorical(), prior, 10)
    order = math.nextafter(1.0 + float(least), 0.0)
    while Fraction(order) - 1 < least:
        assert mechanism.enclosed_level(order).upper < math.inf
        order = math.nextafter(order, 2.0)
    assert mechanism.enclosed_level(order) == UNBOUNDED
    assert mechanism.guarantee.epsilon(order) == math.inf
    assert DirectPosterior(BETA, (0.05, 1e5), 10).enclosed_level(1.0 + 0.05 - 1e-12).upper < math.inf
    assert DirectPosterior(BETA, (0.05, 1e5), 10).enclosed_level(1.05 + 1e-12) == UNBOUNDED


# -- what carries one -----------------------------------------------------------------------------------------------


RENYI = {
    "direct": DirectPosterior(BETA, (6, 18), 100),
    "diffused": DiffusedPosterior(BETA, (6, 18), 100, 0.3),
    "concentrated": ConcentratedPosterior(BETA, (6, 18), 100, 0.3),
    "categories": DiffusedPosterior(DirichletCategorical(), (2, 3, 9), 100, 0.3),
    "means": ConcentratedPosterior(GaussianMean(1.7, 3.1), (0.3, 4.0), 100, 0.3),
    "query": StatisticalQuery(DiffusedPosterior(BETA, (6, 18), 100, 0.3)),
    "gaussian": GaussianStatistic(BETA, (6, 18), 100, 1.7),
    "unclipped": UnclippedStatistic(GaussianStatistic(BETA, (6, 18), 100, 1.7)),
}
PURE = {
    "counts": LaplaceCounts(0.3),
    "laplace": LaplaceStatistic(BETA, (6, 18), 100, 0.3),
    "ops": OnePosteriorSample(BETA, (6, 18), 100, 0.1, 3.7),
    "ops-categorical": OneCategoricalSample([1.0, 2.0, 0.5], 0.03, 3.7),
}


@pytest.mark.parametrize("name", RENYI)
def test_promises_of_curves_are_not_below_their_enclosures(name):
    guarantee = RENYI[name].guarantee
    for order in (1 + 1e-9, 1.01, 2.0, 5.0, math.nextafter(guarantee.horizon, 1.0), 1e6, math.inf):
        found = guarantee.enclosed(order)
        if order >= guarantee.horizon:
            assert found == UNBOUNDED
        assert found.upper <= guarantee.epsilon(order)
        assert is_narrow(found)
    assert guarantee.enclosed(2.0).lower >= guarantee.epsilon(2.0) * (1 - 1e-10)


@pytest.mark.parametrize("name", PURE)
def test_promises_of_levels_are_not_below_their_enclosures(name):
    guarantee = PURE[name].guarantee
    assert guarantee.enclosure.upper <= guarantee.epsilon <= guarantee.enclosure.lower * (1 + 1e-11)
    assert is_narrow(guarantee.enclosure)


def test_the_cost_of_tempering():
    with mp.workdps(60):
        binary = 2 * mp.log((1 - mpf(0.1)) / mpf(0.1)) / mpf(3.7)
        three = 2 * mp.log((1 - 2 * mpf(0.03)) / mpf(0.03)) / mpf(3.7)
    assert holds(PURE["ops"].guarantee.enclosure, binary)
    assert holds(PURE["ops-categorical"].guarantee.enclosure, three)


@pytest.mark.parametrize("epsilon", [1e-300, 1e-9, 0.3, 7.0, 800.0, 1e300])
@pytest.mark.parametrize("order", [1 + 2.0**-52, 1.01, 2.0, 1e4])
def test_pure_guarantees_hand_theirs_to_their_curves(epsilon, order):
    pure = Pure(epsilon, enclosed=lambda: Enclosure(epsilon, epsilon))
    found = pure.renyi().enclosed(order)
    with mp.workdps(700):
        exact = reference.randomized_response_renyi(epsilon, order) if epsilon < 1e4 else None
    assert exact is None or holds(found, exact)
    assert found.upper <= pure.renyi().epsilon(order)
    assert is_narrow(found)
    assert Pure(epsilon).renyi().enclosed is None
    assert pure.renyi().enclosed(math.inf) == pure.enclosure


def test_composition_and_repetition_carry_them():
    ops, counts, curve = PURE["ops"].guarantee, PURE["counts"].guarantee, RENYI["diffused"].guarantee
    both = compose(ops, counts)
    assert Fraction(both.enclosure.lower) <= sum(Fraction(g.enclosure.lower) for g in (ops, counts))
    assert both.enclosure.upper <= both.epsilon
    assert Fraction(repeat(counts, 7).enclosure.upper) >= 7 * Fraction(0.3)
    mixed = compose(counts, curve)
    assert counts.renyi().enclosed(2.0).lower + curve.enclosed(2.0).lower >= mixed.enclosed(2.0).lower
    assert mixed.enclosed(2.0).upper <= mixed.epsilon(2.0)
    assert mixed.enclosed(1e6) == UNBOUNDED
    assert compose_parallel(ops, counts).enclosure == max(ops.enclosure, counts.enclosure, key=lambda e: e.upper)
    assert compose_parallel(curve, mixed).enclosed(2.0) == mixed.enclosed(2.0)


def test_one_part_without_leaves_the_whole_without_and_equality_does_not_see_it():
    assert compose(PURE["ops"].guarantee, Pure(0.1)).enclosure is repeat(Pure(0.1), 3).enclosure is None
    assert compose(RENYI["direct"].guarantee, Renyi(lambda order: order)).enclosed is None
    bare, known = Pure(0.3), Pure(0.3, enclosed=lambda: Enclosure(0.3, 0.3))
    assert (bare, hash(bare), str(bare)) == (known, hash(known), str(known))


# -- noisy SGD ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("after", [0, 1, 2, 17, 1000])
@pytest.mark.parametrize(("convexity", "rate"), [(0.0, 0.4), (0.5, 0.3), (1e-14, 1e-3), (2.0, 0.5), (2.0, 0.1)])
def test_noisy_gradients(form, after, convexity, rate):
    curve = NoisySGD(1.3, 2.0, convexity, rate, 0.7).worst(public_steps=after, form=form)
    found, promised = curve.enclosed(2.5), curve.epsilon(2.5)
    assert found.upper <= promised
    with mp.workdps(200):
        square = max(abs(1 - mpf(rate) * mpf(convexity)), abs(1 - mpf(rate) * 2)) ** 2
        if form == "printed":
            square = max(square, 1 - 4 * mpf(rate) * mpf(convexity) / (2 + mpf(convexity)))
            share = mp.sqrt(square) ** (after + 1) / after if after else mpf(1)
        elif form == "convex":
            share = 1 / mpf(after) if after else mp.inf  # no path is worse where nothing expands
        else:
            # One over the sum that the optimal path makes, term by term.
            share = 1 / sum(square**-j for j in range(after + 1)) if square else mpf(after == 0)
        exact = 2 * mpf(2.5) * (mpf(1.3) / mpf(0.7)) ** 2 * share
    assert holds(found, exact)
    assert math.isinf(found.upper) or is_narrow(found)


# -- nothing before it is asked for -----------------------------------------------------------------------------------


def test_enclosures_are_lazy():
    asked = []

    def enclosed():
        asked.append(1)
        return Enclosure(0.3, 0.3)

    pure = Pure(0.3, enclosed=enclosed)
    pure.renyi().epsilon(2.0)
    compose(pure, pure)
    assert not asked
    assert repeat(pure, 2).enclosure == Enclosure(0.6, 0.6)
    assert asked


@pytest.mark.parametrize(
    "statement", ["from dpsampling.cli import main; main(['list'])", "import dpsampling.privacy.guarantee"]
)
def test_flint_is_loaded_where_it_is_used(statement):
    code = f"import sys\n{statement}\nassert 'flint' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# -- a calibration that is too large ----------------------------------------------------------------------------------


def test_a_calibration_that_is_off_by_a_billionth_is_an_error(monkeypatch):
    """The planted bug: scales, noise and temperatures that miss by 10⁻⁹ of themselves."""
    right, sigmas = DiffusedPosterior.calibrated_scales, GaussianStatistic.calibrated_sigmas
    DiffusedPosterior.calibrate(BETA, (6, 18), 100, order=2.0, epsilon=0.1)
    monkeypatch.setattr(DiffusedPosterior, "calibrated_scales", lambda *a, **k: right(*a, **k) * (1 + 1e-9))
    reason = r"^epsilon is 0\.1\d* at order 2, .* in \[0\.1\d*, 0\.1\d*\]; .* smaller epsilon\.$"
    with pytest.raises(InputError, match=reason):
        DiffusedPosterior.calibrate(BETA, (6, 18), 100, order=2.0, epsilon=0.1)
    with pytest.raises(InputError, match=r"at order 2, .* smaller epsilon"):
        StatisticalQuery.calibrate((6, 18), 100, order=2.0, epsilon=0.1, algorithm=DiffusedPosterior)
    less = staticmethod(lambda *arguments: sigmas(*arguments) * (1 - 1e-9))
    monkeypatch.setattr(GaussianStatistic, "calibrated_sigmas", less)
    with pytest.raises(InputError, match=r"at order 2, .* smaller epsilon"):
        GaussianStatistic.calibrate(BETA, (6, 18), 100, order=2.0, epsilon=0.1)
    module = sys.modules[OnePosteriorSample.__module__]
    chosen = module.temperature
    monkeypatch.setattr(module, "temperature", lambda delta, epsilon: chosen(delta, epsilon) * (1 - 1e-9))
    with pytest.raises(InputError, match="smaller epsilon"):
        OnePosteriorSample.calibrate(BETA, (1, 2), 20, 0.1, epsilon=0.5)
    with pytest.raises(InputError, match="smaller epsilon"):
        OneCategoricalSample.calibrate(np.ones(3), 0.1, epsilon=0.5)


def test_a_promise_that_is_a_billionth_too_small_is_below_its_enclosure():
    """The planted bugs: ε(1 − 10⁻⁹), and next to a pole the law of a prior that is 10⁻¹² larger."""
    for mechanism in RENYI.values():
        guarantee = mechanism.guarantee
        assert guarantee.epsilon(2.0) * (1 - 1e-9) < guarantee.enclosed(2.0).lower
    for mechanism in PURE.values():
        assert mechanism.guarantee.epsilon * (1 - 1e-9) < mechanism.guarantee.enclosure.lower
    prior, order = (0.05, 0.1), 1.0 + 0.05 * (1 - 1e-9)
    exact = DirectPosterior(BETA, prior, 10).enclosed_level(order)
    off = DirectPosterior(BETA, (0.05 * (1 + 1e-12), 0.1 * (1 + 1e-12)), 10).guarantee.epsilon(order)
    assert off < exact.lower
