r"""Composition and conversion of guarantees; every number is rounded towards less privacy.

Sequential composition adds: ε's of pure guarantees, Rényi curves order by order, (ε, δ)'s coordinate by coordinate.
Parallel composition, over a partition of the records that is public and fixed, takes maxima.
Enclosures of exact levels do the same where every part has one.

A Rényi curve converts by Canonne, Kamath and Steinke (2020, Prop. 12), at the best order. With t = λ − 1 > 0 and
K(t) = t ε(1 + t), any t with 1 + t < λ* gives

    ε = N(t)/t,            N(t) = K(t) + t ln t − (1 + t) ln(1 + t) + ln 1/δ,
    ln δ = N₀(t) − tε,     N₀(t) = K(t) + t ln t − (1 + t) ln(1 + t).

K is convex where ε(λ) is a supremum of Rényi divergences, each t R_{1+t}(P‖Q) = ln E_P (P/Q)^t being a cumulant
generating function, and stays so in sums and maxima; (t ln t − (1 + t) ln(1 + t))″ = 1/t − 1/(1 + t) > 0. So N is
convex, {t: N(t) ≤ ct} is an interval for every c, and N(t)/t falls to its least value and rises from there: narrowing a
bracket finds it, over all orders. ln δ is convex in t. For any other curve every order still gives a valid bound.
Where δ ≥ √(1 − e^{−KL}), which is at least the total variation, ε = 0; and KL ≤ ε(λ) at every order.

What is added to a level is computed in balls and rounded upwards, so that it costs no digits.

Profile-based guarantees of one graph compose if their observations are stated to be independent: ε's of observations of
one profile add (thesis Observation 8), and for profiles that were selected independently the largest ε protects each
selection (Observation 9). Of dependent observations or selections nothing is known, and they are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from dpsampling.errors import InputError
from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose, largest
from dpsampling.numerics.enclosure import total as total_of
from dpsampling.privacy.guarantee import Approximate, Guarantee, ProfileBased, Pure, Relation, Renyi
from dpsampling.privacy.rounding import LEAST, round_up, sum_up

if TYPE_CHECKING:
    from flint import arb

Total = Callable[[Sequence[float]], float]
TotalEnclosure = Callable[[Sequence[Enclosure]], Enclosure]

LEAST_EXCESS, LARGEST_EXCESS = 2.0**-30, 1e99  # of the orders above 1: no curve here needs nearer or larger ones
COARSE = 16  # steps of the grid of orders that is looked at first
GOLDEN = (math.sqrt(5.0) - 1.0) / 2.0
NARROW = 1e-9  # of ln t: at a minimum, the bound then errs by the square of it


def compose(*guarantees: Guarantee) -> Guarantee:
    """Return the guarantee of all of these releases of the same data, each perhaps chosen after seeing earlier ones.

    Args:
        guarantees: one or more, for the same neighbours.

    Raises:
        InputError: neighbours differ, or Rényi guarantees stand beside (ε, δ) ones: `to_approximate` converts them.
    """
    return _combine(guarantees, sum_up, total_of)


def repeat(guarantee: Guarantee, count: int) -> Guarantee:
    """Return the guarantee of several releases of one kind.

    Args:
        guarantee: what one release promises.
        count: how many there are, a whole number from 1 on.
    """
    if not (count >= 1 and float(count).is_integer()):
        raise InputError(f"count is {count:g}; it must be a whole number, 1 or more.")
    return _combine((guarantee,), lambda values: sum_up(values, count), lambda enclosures: total_of(enclosures, count))


def compose_parallel(*guarantees: Guarantee) -> Guarantee:
    """Return the guarantee of releasing each on its own part of the data.

    Which record is in which part must be public and the same for neighbours: replacing a record then changes one part.
    """
    return _combine(guarantees, max, largest)


def to_approximate(guarantee: Guarantee, delta: float) -> Approximate:
    """Return the smallest (ε, δ) guarantee found for this δ.

    Args:
        guarantee: what is converted, a Rényi curve at its best order.
        delta: δ, from 0 on and below 1; below its own δ a guarantee promises nothing, nor does a Rényi curve at 0.
    """
    if not 0 <= delta < 1:
        raise InputError(f"delta is {delta:g}; it must be at least 0 and below 1.")
    if isinstance(guarantee, Pure | ProfileBased):
        return Approximate(guarantee.epsilon, delta, guarantee.relation, guarantee.conditions)
    if isinstance(guarantee, Approximate):
        if guarantee.delta > delta:
            raise InputError(
                f"delta is {delta:g}; this guarantee has δ = {guarantee.delta:g} and promises nothing below it."
            )
        return guarantee
    lowest = 1.0 + LEAST_EXCESS
    if lowest < guarantee.horizon and guarantee.epsilon(lowest) <= level_by_kl(delta):
        return Approximate(0.0, delta, guarantee.relation, guarantee.conditions)
    return Approximate(best_order(guarantee, delta).value, delta, guarantee.relation, guarantee.conditions)


class Best(NamedTuple):
    """The least bound, and the order that gives it."""

    value: float
    order: float


def best_order(guarantee: Renyi, delta: float) -> Best:
    """The least N(t)/t for this δ, rounded up, and its order."""
    if delta == 0:
        return Best(math.inf, math.inf)
    return _minimise_over_orders(guarantee, lambda order: epsilon_at_order(guarantee.epsilon(order), order, delta))


def epsilon_at_order(level: float, order: float, delta: float) -> float:
    """ε(λ) − ln(1 + 1/t) + [ln 1/δ − ln(1 + t)]/t, 0 or more, rounded up; t = λ − 1."""
    if math.isinf(level):
        return math.inf
    return enclose(lambda: as_ball(level) + _added(order, delta)).upper


def level_at_order(epsilon: float, order: float, delta: float) -> float:
    """The largest level at this order that gives (ε, δ), rounded down; 0 where there is none."""
    return enclose(lambda: as_ball(epsilon) - _added(order, delta)).lower


def _added(order: float, delta: float) -> arb:
    t = as_ball(order) - 1
    return -((1 / t).log1p()) - (as_ball(delta).log() + t.log1p()) / t


def level_by_kl(delta: float) -> float:
    """−ln(1 − δ²), rounded down: where KL is no more than that, δ is enough by itself."""
    return enclose(lambda: -((-(as_ball(delta) * as_ball(delta))).log1p())).lower


def delta_at(guarantee: Guarantee, epsilon: float) -> float:
    """Return the smallest δ found such that the guarantee implies (ε, δ).

    Args:
        guarantee: what is promised.
        epsilon: ε, 0 or more.
    """
    if not epsilon >= 0:
        raise InputError(f"epsilon is {epsilon:g}; a privacy level must be 0 or more.")
    if isinstance(guarantee, Pure | ProfileBased):
        # (p, q) of randomized response is the worst: δ = (e^ε₀ − e^ε)/(1 + e^ε₀).
        if epsilon >= guarantee.epsilon:
            return 0.0
        gap = -math.expm1(epsilon - guarantee.epsilon)
        return min(1.0, round_up(max(gap / (1.0 + math.exp(-guarantee.epsilon)), LEAST)))
    if isinstance(guarantee, Approximate):
        return guarantee.delta if epsilon >= guarantee.epsilon else 1.0
    lowest = 1.0 + LEAST_EXCESS
    by_kl = _delta_by_kl(guarantee.epsilon(lowest)) if lowest < guarantee.horizon else 1.0
    return min(
        1.0,
        by_kl,
        _minimise_over_orders(guarantee, lambda order: delta_at_order(guarantee.epsilon(order), order, epsilon)).value,
    )


def delta_at_order(level: float, order: float, epsilon: float) -> float:
    """exp{t[ε(λ) − ε − ln(1 + 1/t)] − ln(1 + t)}, rounded up."""
    if math.isinf(level) or math.isinf(epsilon):
        return math.inf if math.isinf(level) else 0.0

    def power() -> arb:
        t = as_ball(order) - 1
        return (t * (as_ball(level) - as_ball(epsilon) - (1 / t).log1p()) - t.log1p()).exp()

    return enclose(power).upper


def _delta_by_kl(level: float) -> float:
    """√(1 − e^{−ε(λ)}), rounded up: at least the total variation, as KL ≤ ε(λ)."""
    if math.isinf(level):
        return 1.0
    return enclose(lambda: (-((-as_ball(level)).expm1())).sqrt()).upper


def _combine(guarantees: Sequence[Guarantee], total: Total, total_enclosure: TotalEnclosure) -> Guarantee:
    if not guarantees:
        raise InputError("there is nothing to compose; give one guarantee or more.")
    relation = _common_relation(guarantees)
    conditions = tuple(dict.fromkeys(c for g in guarantees for c in g.conditions))
    if all(isinstance(g, ProfileBased) for g in guarantees):
        profile_based = [cast("ProfileBased", g) for g in guarantees]
        graph = _common_graph(profile_based)
        return ProfileBased(total([g.epsilon for g in profile_based]), graph, True, conditions)
    if all(isinstance(g, Pure) for g in guarantees):
        pure = [cast("Pure", g) for g in guarantees]
        known = [g.enclosed for g in pure if g.enclosed is not None]
        enclosed = (lambda: total_enclosure([part() for part in known])) if len(known) == len(pure) else None
        return Pure(total([g.epsilon for g in pure]), relation, conditions, enclosed)
    if all(isinstance(g, Pure | Renyi) for g in guarantees):
        parts = [cast("Pure | Renyi", g).renyi() for g in guarantees]
        horizon = min(part.horizon for part in parts)
        curves = [part.enclosed for part in parts if part.enclosed is not None]

        def enclosed_at(order: float) -> Enclosure:
            return total_enclosure([curve(order) for curve in curves])

        return Renyi(
            lambda order: total([part.epsilon(order) for part in parts]),
            horizon,
            relation,
            conditions,
            enclosed_at if len(curves) == len(parts) else None,
        )
    if all(isinstance(g, Pure | Approximate) for g in guarantees):
        epsilon = total([cast("Pure | Approximate", g).epsilon for g in guarantees])
        delta = min(1.0, total([getattr(g, "delta", 0.0) for g in guarantees]))
        return Approximate(epsilon, delta, relation, conditions)
    raise InputError(
        "Rényi and (ε, δ) guarantees do not compose as they are; convert the Rényi ones with to_approximate first."
    )


def _common_relation(guarantees: Sequence[Guarantee]) -> Relation:
    relations = {g.relation for g in guarantees}
    if len(relations) > 1:
        names = " and ".join(sorted(f"'{r.value}'" for r in relations))
        raise InputError(
            f"these guarantees speak of different neighbours, {names}; restate them for one relation first."
        )
    return relations.pop()


def _common_graph(guarantees: Sequence[ProfileBased]) -> str:
    graphs = {g.graph for g in guarantees}
    if len(graphs) > 1:
        raise InputError(f"these guarantees are for different profile graphs, {' and '.join(sorted(graphs))}.")
    if not all(g.independent for g in guarantees):
        raise InputError(
            "profile-based guarantees compose for independent observations and independently selected profiles only; "
            "if yours are, say so with independent=True."
        )
    return graphs.pop()


def _minimise_over_orders(guarantee: Renyi, bound: Callable[[float], float]) -> Best:
    """The least bound over orders in (1, λ*): the best of a grid, then the golden section between its neighbours."""
    horizon = guarantee.horizon
    top = min(LARGEST_EXCESS, (horizon - 1.0) * (1.0 - 1e-9))
    if top <= LEAST_EXCESS:
        return Best(math.inf, horizon)

    def at(log_excess: float) -> Best:
        order = 1.0 + math.exp(log_excess)
        order = min(max(order, 1.0 + LEAST_EXCESS), math.nextafter(horizon, 1.0))
        return Best(bound(order), order)

    low, high = math.log(LEAST_EXCESS), math.log(top)
    grid = [low + (high - low) * i / COARSE for i in range(COARSE + 1)]
    values = [at(point) for point in grid]
    i = min(range(len(grid)), key=lambda j: values[j].value)  # the lowest order where several are alike
    best, left, right = values[i], grid[max(i - 1, 0)], grid[min(i + 1, COARSE)]
    inner = [right - GOLDEN * (right - left), left + GOLDEN * (right - left)]
    found = [at(point) for point in inner]
    while right - left > NARROW:
        best = min(best, *found)
        if found[0].value <= found[1].value:  # where both are infinite, what is finite lies below them
            right, inner[1], found[1] = inner[1], inner[0], found[0]
            inner[0] = right - GOLDEN * (right - left)
            found[0] = at(inner[0])
        else:
            left, inner[0], found[0] = inner[0], inner[1], found[1]
            inner[1] = left + GOLDEN * (right - left)
            found[1] = at(inner[1])
    return min(best, *found)
