"""Guarantees, their composition and conversion: never below what is exactly true, and close above it."""

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from dp_accounting.rdp.rdp_privacy_accountant import compute_delta, compute_epsilon
from mpmath import mp, mpf
from scipy.optimize import minimize_scalar

import reference
from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.privacy.accounting import compose, compose_parallel, delta_at, repeat, to_approximate
from dpsampling.privacy.guarantee import Approximate, ProfileBased, Pure, Relation, Renyi
from dpsampling.privacy.ledger import Ledger, Release
from dpsampling.privacy.rounding import round_up
from reproduction import releases

FAMILY = BetaBernoulli()
PRIOR = (6.0, 18.0)
ROUNDING = 1e-11  # sums and conversions are rounded outwards by 2^-40


def gaussian(sigma):
    return Renyi(lambda order: order / (2 * sigma**2))


# -- guarantees ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0, 40.0, 700.0, 800.0])
@pytest.mark.parametrize("order", [1.01, 2.0, 15.0, 1e4])
def test_pure_implies_the_renyi_curve_of_randomized_response(epsilon, order):
    exact = reference.randomized_response_renyi(epsilon, order)
    value = Pure(epsilon).renyi().epsilon(order)
    # The numerator is about λε and its rounding is divided by λ − 1.
    assert reference.relative_error(value, exact) < 1e-12 / (order - 1) + 1e-12


def test_curve_of_a_pure_guarantee_ends_at_it():
    assert Pure(0.0).renyi().epsilon(2.0) == 0
    assert Pure(math.inf).renyi().epsilon(2.0) == math.inf
    for epsilon in (1e-3, 1.0, 1e5):
        assert Pure(epsilon).renyi().epsilon(1e300) == pytest.approx(epsilon, rel=1e-12)
        levels = [Pure(epsilon).renyi().epsilon(order) for order in (2, 3, 10, 100, 1e6)]
        assert levels == sorted(levels)
        assert max(levels) <= epsilon


@pytest.mark.parametrize("epsilon", [1e-20, 1e-9, 1e-7, 0.3, 1.2, 7.0, 40.0, 800.0])
@pytest.mark.parametrize("excess", [1e-15, 1e-12, 1e-9, 1e-4, 0.01, 0.3, 1.0, 50.0, 1e5])
def test_the_curve_of_a_pure_guarantee_is_never_below_what_it_stands_for(epsilon, excess):
    """Also next to order 1, where the two cosh agree in nearly all digits: rounded up, and by less than 1e-11."""
    order = 1.0 + excess
    with mp.workdps(60):
        exact = reference.randomized_response_renyi(epsilon, order)
        value = Pure(epsilon).renyi().epsilon(order)
        assert value >= exact
        assert value <= exact * (1 + mp.mpf("1e-11"))


def test_renyi_curve_promises_nothing_from_its_horizon_on():
    curve = Renyi(lambda order: order, 7.0)
    assert curve.epsilon(math.nextafter(7, 0)) < 7.01
    assert curve.epsilon(7.0) == curve.epsilon(1e9) == math.inf


def test_guarantees_print_themselves():
    assert str(Pure(0.5)) == "0.5-DP (replace one record)"
    assert str(Approximate(1.0, 1e-5, Relation.ADD_OR_REMOVE_ONE)) == "(1, 1e-05)-DP (add or remove one record)"
    assert str(Renyi(lambda order: order, 7.0)) == "Rényi DP for orders below 7 (replace one record)"
    assert "every order" in str(gaussian(1.0))


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: Pure(-1.0), "epsilon"),
        (lambda: Pure(math.nan), "epsilon"),
        (lambda: Approximate(1.0, 1.5), "delta"),
        (lambda: Approximate(1.0, math.nan), "delta"),
        (lambda: Approximate(-1.0, 0.5), "epsilon"),
        (lambda: Renyi(lambda order: order, 1.0), "horizon"),
        (lambda: gaussian(1.0).epsilon(1.0), "order"),
        (lambda: gaussian(1.0).epsilon(math.nan), "order"),
        (lambda: to_approximate(Pure(1.0), 1.0), "delta"),
        (lambda: to_approximate(gaussian(1.0), math.nan), "delta"),
        (lambda: to_approximate(Approximate(1.0, 1e-3), 1e-5), "delta"),
        (lambda: delta_at(gaussian(1.0), -1.0), "epsilon"),
        (lambda: repeat(Pure(1.0), 0), "count"),
    ],
)
def test_bad_values_are_refused_by_name(make, key):
    with pytest.raises(InputError, match=rf"^{key} is .*\.$"):
        make()


# -- composition ---------------------------------------------------------------------------------------------------


def test_pure_guarantees_add():
    total = compose(Pure(0.1), Pure(0.2), Pure(0.3))
    assert isinstance(total, Pure)
    assert 0.6 <= total.epsilon <= 0.6 * (1 + ROUNDING)
    assert repeat(Pure(0.1), 7).epsilon == pytest.approx(0.7, rel=ROUNDING)


def test_approximate_guarantees_add_by_coordinate_and_delta_stops_at_one():
    total = compose(Approximate(1.0, 0.4), Pure(0.5), Approximate(0.25, 0.7))
    assert isinstance(total, Approximate)
    assert total.epsilon == pytest.approx(1.75, rel=ROUNDING)
    assert total.delta == 1.0
    assert repeat(Approximate(1.0, 1e-6), 3).delta == pytest.approx(3e-6, rel=ROUNDING)


def test_renyi_curves_add_below_the_least_horizon():
    total = compose(Renyi(lambda order: order, 7.0), Renyi(lambda order: 2 * order, 3.0), Pure(0.5))
    assert isinstance(total, Renyi)
    assert total.horizon == 3.0
    pure_part = float(reference.randomized_response_renyi(0.5, 2.5))
    assert total.epsilon(2.5) == pytest.approx(2.5 + 5 + pure_part, rel=ROUNDING)
    assert total.epsilon(3.0) == math.inf


def test_composition_of_renyi_curves_is_that_of_the_sum_of_independent_divergences():
    # R_λ of a product is the sum of the factors': two Gaussians of σ are one of σ/√2.
    both = compose(gaussian(2.0), gaussian(2.0))
    assert both.epsilon(3.0) == pytest.approx(gaussian(math.sqrt(2)).epsilon(3.0), rel=ROUNDING)
    assert repeat(gaussian(2.0), 4).epsilon(3.0) == pytest.approx(gaussian(1.0).epsilon(3.0), rel=ROUNDING)


def test_parallel_composition_takes_the_largest():
    assert compose_parallel(Pure(0.1), Pure(0.3)).epsilon == 0.3
    both = compose_parallel(Approximate(1.0, 1e-6), Approximate(0.5, 1e-5))
    assert (both.epsilon, both.delta) == (1.0, 1e-5)
    curves = compose_parallel(gaussian(1.0), Renyi(lambda order: order**2, 4.0))
    assert curves.horizon == 4.0
    assert curves.epsilon(3.0) == 9.0


def test_composition_keeps_conditions_once_and_refuses_mixed_neighbours():
    first, second = Pure(1.0, conditions=("a", "b")), Pure(1.0, conditions=("b", "c"))
    assert compose(first, second).conditions == ("a", "b", "c")
    with pytest.raises(InputError, match="different neighbours"):
        compose(first, Pure(1.0, Relation.ADD_OR_REMOVE_ONE))
    with pytest.raises(InputError, match="to_approximate"):
        compose(gaussian(1.0), Approximate(1.0, 1e-5))
    with pytest.raises(InputError, match="nothing to compose"):
        compose()


def test_rounding_is_outwards():
    assert round_up(0.0) == 0.0
    assert round_up(1.0) > 1.0
    assert round_up(math.inf) == math.inf


# -- conversion, against dp-accounting and an independent minimisation -----------------------------------------------

CURVES = {
    "gaussian": gaussian(2.0),
    "loud": gaussian(0.2),
    "quiet": gaussian(300.0),
    "direct": DirectPosterior(FAMILY, PRIOR, 100).guarantee,
    "diffused": DiffusedPosterior(FAMILY, PRIOR, 100, 0.2).guarantee,
    "concentrated": ConcentratedPosterior(FAMILY, PRIOR, 100, 0.05).guarantee,
    "uniform": DirectPosterior(FAMILY, (1.0, 2.0), 10).guarantee,
    "pure": Pure(0.3).renyi(),
}


TIGHTNESS = 1e-9  # of the search over all orders, and of the floats here
DENSE = 2e-3  # what a thousand orders over 23 decades lose


@cache
def dense_curve(name):
    """A thousand orders inside the horizon and their levels."""
    orders = (1 + np.geomspace(1e-8, (min(CURVES[name].horizon, 1e15) - 1) * (1 - 1e-9), 1000)).tolist()
    return orders, [CURVES[name].epsilon(order) for order in orders]


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2, 0.5])
@pytest.mark.parametrize("name", CURVES)
def test_to_approximate_is_dp_accounting_with_dense_orders(name, delta):
    dense, order = compute_epsilon(*dense_curve(name), delta)
    found = to_approximate(CURVES[name], delta).epsilon
    assert found <= dense * (1 + TIGHTNESS)
    if order > 1.1:  # dp-accounting looks at no order below 1.01
        assert found == pytest.approx(dense, rel=DENSE)


def least(name, added):
    """min over λ of ε(λ) + added(t), t = λ − 1: the best of the dense orders, and then what is near it."""

    def bound(log_excess):
        order = 1 + math.exp(log_excess)
        return CURVES[name].epsilon(order) + added(order - 1)

    grid = [math.log(order - 1) for order in dense_curve(name)[0]]
    bounds = [bound(point) for point in grid]
    best = int(np.argmin(bounds))
    around = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    result = minimize_scalar(bound, bounds=around, method="bounded", options={"xatol": 1e-9})
    return min(result.fun, bounds[best])


@pytest.mark.parametrize("delta", [1e-12, 1e-6, 1e-2])
@pytest.mark.parametrize("name", CURVES)
def test_to_approximate_is_the_least_bound_of_canonne_kamath_steinke(name, delta):
    """min over λ of ε(λ) + ln(1 − 1/λ) − ln(δλ)/(λ − 1) (Canonne, Kamath, Steinke 2020, Prop. 12)."""
    exact = max(0.0, least(name, lambda t: math.log(t) - math.log1p(t) - (math.log(delta) + math.log1p(t)) / t))
    found = to_approximate(CURVES[name], delta).epsilon
    if exact < 1e-3 and found == 0:
        return  # δ ≥ √(1 − e^{−R}) needs no ε at all
    assert exact * (1 - TIGHTNESS) <= found <= exact * (1 + TIGHTNESS)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 5.0])
@pytest.mark.parametrize("name", CURVES)
def test_delta_at_is_dp_accounting_with_dense_orders(name, epsilon):
    dense, order = compute_delta(*dense_curve(name), epsilon)
    found = delta_at(CURVES[name], epsilon)
    assert found <= dense * (1 + TIGHTNESS) or found == math.ulp(0.0)
    if 1.1 < order < dense_curve(name)[0][-1] and 0 < dense < 1:
        # What is minimised is ln δ.
        assert math.log(found) == pytest.approx(math.log(dense), rel=1e-2, abs=DENSE)


@pytest.mark.parametrize("name", CURVES)
def test_to_approximate_and_delta_at_are_inverse(name):
    assert delta_at(CURVES[name], to_approximate(CURVES[name], 1e-6).epsilon) == pytest.approx(1e-6, rel=1e-4)


def test_search_asks_for_orders_inside_the_horizon_only():
    asked = []

    def curve(order):
        asked.append(order)
        return 0.1 * order

    for horizon in (1.02, 2.0, 7.0, 1e9):
        asked.clear()
        to_approximate(Renyi(curve, horizon), 1e-5)
        delta_at(Renyi(curve, horizon), 1.0)
        assert asked
        assert 1 < min(asked) <= max(asked) < horizon


@pytest.mark.parametrize("horizon", [math.nextafter(1.0, 2.0), 1 + 2.0**-31])
def test_a_horizon_below_every_usable_order_promises_nothing(horizon):
    assert to_approximate(Renyi(lambda order: 0.1, horizon), 1e-5).epsilon == math.inf
    assert delta_at(Renyi(lambda order: 0.1, horizon), 1.0) == 1.0


@pytest.mark.parametrize("horizon", [1.001, 1.01])
def test_orders_next_to_1_say_something_of_a_small_delta(horizon):
    """ε(λ) + ln(1 − 1/λ) − ln(δλ)/(λ − 1) at the horizon: much, but not nothing."""
    found = to_approximate(Renyi(lambda order: 0.1, horizon), 1e-5).epsilon
    t = horizon - 1
    assert found == pytest.approx(0.1 - math.log1p(1 / t) - (math.log(1e-5) + math.log1p(t)) / t, rel=1e-6)


# -- conversion, against the exact (ε, δ) ----------------------------------------------------------------------------


@pytest.mark.parametrize("mechanism", [DiffusedPosterior, ConcentratedPosterior])
@pytest.mark.parametrize("scale", [1.0, 0.02])
@pytest.mark.parametrize(("prior", "n"), [(PRIOR, 100), ((1.0, 2.0), 5), ((0.5, 30.0), 20)])
def test_conversion_is_never_below_the_exact_delta_of_a_beta_pair(mechanism, scale, prior, n):
    member = mechanism(FAMILY, prior, n, scale)
    weights = {name: float(weight) for name, weight in mechanism.weights(scale).items()}
    for s, t in reference.steps([0, 1]) + reference.steps([n - 1, n]):
        with mp.workdps(reference.DIGITS):
            p, q = (reference.shapes(prior, statistic, n, **weights) for statistic in (s, t))
        for epsilon in (0.05, 1.0):
            assert delta_at(member.guarantee, epsilon) >= reference.exact_delta(p, q, epsilon)


@pytest.mark.parametrize("epsilon", [0.01, 0.2, 1.0])
@pytest.mark.parametrize(("p", "q"), [((7, 11), (6, 12)), ((6, 12), (7, 11)), ((1, 6), (2, 5)), ((6.3, 8), (6, 8.3))])
def test_exact_delta_is_the_integral_of_the_positive_part(p, q, epsilon):
    # The reference itself, by the definition δ = ∫ (p − e^ε q)₊.
    rho = np.linspace(0, 1, 400_001)[1:-1]
    logs = ((a - 1) * np.log(rho) + (b - 1) * np.log1p(-rho) - reference.log_beta_float(a, b) for a, b in (p, q))
    first, second = map(np.exp, logs)
    positive = np.maximum(first - math.exp(epsilon) * second, 0)
    # The rule's error is a boundary cell of a density that is at most ten.
    assert reference.exact_delta(p, q, epsilon) == pytest.approx(positive.sum() / 400_000, abs=3e-5)


@pytest.mark.parametrize("sigma", [0.3, 1.0, 5.0, 100.0])
def test_conversion_is_never_below_the_exact_gaussian_trade_off(sigma):
    for epsilon in (0.0, 0.01, 0.5, 3.0, 20.0):
        exact = reference.gaussian_delta(1 / mpf(sigma), epsilon)
        assert delta_at(gaussian(sigma), epsilon) >= exact or exact < 1e-300  # where floats end


@pytest.mark.parametrize("guaranteed", [1e-9, 0.5, 3.0, 30.0])
def test_delta_of_a_pure_guarantee_is_that_of_randomized_response(guaranteed):
    for epsilon in (0.0, guaranteed / 3, guaranteed * 0.999):
        with mp.workdps(50):
            e, f = mpf(guaranteed), mpf(epsilon)
            p, q = mp.exp(e) / (1 + mp.exp(e)), 1 / (1 + mp.exp(e))
            exact = sum(max(a - mp.exp(f) * b, 0) for a, b in ((p, q), (q, p)))
            assert exact <= delta_at(Pure(guaranteed), epsilon) <= exact * (1 + ROUNDING)
    assert delta_at(Pure(guaranteed), guaranteed) == 0
    assert delta_at(Pure(guaranteed), 2 * guaranteed) == 0


def test_pure_and_approximate_convert_to_themselves():
    assert to_approximate(Pure(0.5), 1e-5).epsilon == 0.5
    given = Approximate(1.0, 1e-6)
    assert to_approximate(given, 1e-5) is given
    assert delta_at(given, 1.0) == 1e-6
    assert delta_at(given, 0.9) == 1.0


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 700.0, 800.0, 1e5, math.inf])
def test_extreme_levels_do_not_overflow(epsilon):
    for guarantee in (Pure(epsilon), Pure(epsilon).renyi(), Approximate(epsilon, 1e-5)):
        for asked in (0.0, 1e-9, 1.0, 700.0, 800.0, 1e5, math.inf):
            if not (isinstance(guarantee, Renyi) and epsilon == 1e-9):  # see the tiny curves below
                assert 0 <= delta_at(guarantee, asked) <= 1
        assert to_approximate(guarantee, 1e-3).epsilon >= 0
    assert repeat(Pure(epsilon), 1000).epsilon >= epsilon


@pytest.mark.parametrize("rate", [1e-300, 1e-20, 1e-17])
def test_delta_of_a_tiny_curve_is_found(rate):
    assert 0 <= delta_at(Renyi(lambda order: rate * order), 1.0) <= 1


def test_delta_of_a_small_curve_is_not_below_the_exact_one():
    # N(0, 1) against N(μ, 1): at R = 1.3e-16·λ the total variation is μ/√(2π).
    mean = math.sqrt(2 * 1.6e-16)
    found = delta_at(Renyi(lambda order: order * mean**2 / 2), 0.0)
    assert mean / math.sqrt(2 * math.pi) <= found <= mean / math.sqrt(2)  # by KL alone


# -- profile-based guarantees ----------------------------------------------------------------------------------------


def observed(epsilon, graph="g", independent=True):
    return ProfileBased(epsilon, graph, independent)


def test_profile_based_guarantees_add_over_observations_and_take_the_largest_over_profiles():
    total = compose(observed(0.1), observed(0.2))
    assert isinstance(total, ProfileBased)
    assert total.epsilon == pytest.approx(0.3, rel=ROUNDING)
    assert Fraction(total.epsilon) >= Fraction(0.1) + Fraction(0.2)
    assert compose(total, observed(0.1)).epsilon == pytest.approx(0.4, rel=ROUNDING)
    assert repeat(observed(0.1), 3).epsilon == pytest.approx(0.3, rel=ROUNDING)
    assert compose_parallel(observed(0.1), observed(0.2)).epsilon == 0.2


@pytest.mark.parametrize("combine", [compose, compose_parallel])
def test_profile_based_guarantees_do_not_compose_without_independence_or_across_notions(combine):
    with pytest.raises(InputError, match="independent observations"):
        combine(observed(0.1), observed(0.1, independent=False))
    with pytest.raises(InputError, match="different profile graphs"):
        combine(observed(0.1), observed(0.1, graph="other"))
    with pytest.raises(InputError, match="different neighbours"):
        combine(observed(0.1), Pure(0.1))
    with pytest.raises(InputError, match="adjacent profiles"):
        ProfileBased(0.1, "g", relation=Relation.REPLACE_ONE)
    with pytest.raises(InputError, match="epsilon is -1"):
        observed(-1.0)


def test_a_profile_based_guarantee_is_a_pure_one_between_adjacent_profiles():
    guarantee = observed(0.5)
    assert to_approximate(guarantee, 1e-6).epsilon == 0.5
    assert to_approximate(guarantee, 1e-6).relation is Relation.ADJACENT_PROFILES
    assert delta_at(guarantee, 0.2) == delta_at(Pure(0.5), 0.2)
    assert str(guarantee) == "(G, 0.5)-profile-based privacy for the graph g"


def test_profile_based_releases_go_into_a_ledger():
    ledger = Ledger(budget=Approximate(1.0, 0.0, Relation.ADJACENT_PROFILES))
    for _ in range(2):
        ledger = ledger.charge(Release("user 7", "smooth", observed(0.5)))
    with pytest.raises(InputError, match="above the budget"):
        ledger.charge(Release("user 7", "smooth", observed(0.5)))
    row = releases.frame("x", ledger.releases).iloc[0]
    assert (row["notion"], row["epsilon"], row["delta"], row["epsilon_at_delta"]) == ("profile-based", 0.5, 1e-6, 0.5)


# -- the ledger ----------------------------------------------------------------------------------------------------


def test_ledger_charges_until_the_budget_is_spent_and_refusal_changes_nothing():
    ledger = Ledger(budget=Approximate(1.0, 1e-6))
    release = Release("coins", "diffused", Pure(0.3))
    for count in (1, 2, 3):
        ledger = ledger.charge(release)
        assert len(ledger.releases) == count
    before = ledger
    with pytest.raises(InputError, match="releasing diffused on coins would need"):
        ledger.charge(release)
    assert ledger == before
    assert ledger.spent("coins").epsilon == pytest.approx(0.9, rel=ROUNDING)


def test_budget_is_per_data_set():
    ledger = Ledger(budget=Approximate(1.0, 0.0))
    for name in ("a", "b", "c"):
        ledger = ledger.charge(Release(name, "m", Pure(0.9)))
    assert ledger.data_sets() == ["a", "b", "c"]
    with pytest.raises(InputError, match="on b"):
        ledger.charge(Release("b", "m", Pure(0.2)))


def test_ledger_composes_renyi_curves_before_it_converts():
    # Twenty releases cost much less together than twenty conversions.
    guarantee = gaussian(30.0)
    ledger = Ledger(budget=Approximate(1.0, 1e-5)).charge(Release("a", "gaussian", guarantee, 20))
    assert ledger.spent("a").epsilon(2.0) == pytest.approx(20 * guarantee.epsilon(2.0), rel=ROUNDING)
    assert 20 * to_approximate(guarantee, 1e-5 / 20).epsilon > 1.0


def test_ledger_without_a_budget_records_everything():
    assert len(Ledger().charge(Release("a", "m", Pure(1e6))).charge(Release("a", "m", Pure(1e6))).releases) == 2


@pytest.mark.parametrize("parts", [1, 2, 4])
def test_a_budget_can_be_spent_to_the_last(parts):
    ledger = Ledger(budget=Approximate(1.0, 0.0))
    for _ in range(parts):
        ledger = ledger.charge(Release("a", "m", Pure(1.0 / parts)))


def test_ledger_refuses_a_release_that_speaks_of_other_neighbours_than_its_budget():
    ledger = Ledger(budget=Approximate(1.0, 0.0, Relation.ADD_OR_REMOVE_ONE))
    with pytest.raises(InputError, match="neighbours"):
        ledger.charge(Release("a", "m", Pure(0.1, Relation.REPLACE_ONE)))
