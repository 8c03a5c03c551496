r"""Composition and conversion of guarantees; every number is rounded towards less privacy.

Sequential composition adds: ε's of pure guarantees, Rényi curves order by order, (ε, δ)'s coordinate by coordinate.
Parallel composition, over a partition of the records that is public and fixed, takes maxima.
Conversions from Rényi curves are those of `dp-accounting` (Canonne, Kamath, Steinke 2020, Prop. 12), with the order
chosen inside (1, λ*). Any order gives a valid bound, so the search can only lose tightness.

Profile-based guarantees of one graph compose if their observations are stated to be independent: ε's of observations of
one profile add (thesis Observation 8), and for profiles that were selected independently the largest ε protects each
selection (Observation 9). Of dependent observations or selections nothing is known, and they are refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from dpsampling.errors import InputError
from dpsampling.privacy.guarantee import Approximate, Guarantee, ProfileBased, Pure, Relation, Renyi
from dpsampling.privacy.rounding import LEAST, round_up, sum_up

# dp-accounting's bounds start at this order.
_LOWEST_ORDER = 1.01
_HIGHEST_ORDER = 1e7


def compose(*guarantees: Guarantee) -> Guarantee:
    """The guarantee of releasing all of these on the same data, each possibly chosen after seeing the earlier ones."""
    return _combine(guarantees, total=sum_up)


def repeat(guarantee: Guarantee, count: int) -> Guarantee:
    """The guarantee of `count` releases of one kind."""
    if not (count >= 1 and float(count).is_integer()):
        raise InputError(f"count is {count:g}; it must be a whole number, 1 or more.")
    return _combine((guarantee,), total=lambda values: sum_up(values, count))


def compose_parallel(*guarantees: Guarantee) -> Guarantee:
    """The guarantee of releasing each on its own part of the data.

    Which record is in which part must be public and the same for neighbours: replacing a record then changes one part.
    """
    return _combine(guarantees, total=max)


def to_approximate(guarantee: Guarantee, delta: float) -> Approximate:
    """The smallest (ε, δ) guarantee found for this δ."""
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
    if guarantee.horizon <= _LOWEST_ORDER:
        return Approximate(math.inf, delta, guarantee.relation, guarantee.conditions)
    from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

    epsilon = _minimise_over_orders(
        guarantee, lambda order: float(compute_epsilon([order], [guarantee.epsilon(order)], delta)[0])
    )
    return Approximate(round_up(epsilon), delta, guarantee.relation, guarantee.conditions)


def delta_at(guarantee: Guarantee, epsilon: float) -> float:
    """The smallest δ found such that the guarantee implies (epsilon, δ)."""
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
    if guarantee.horizon <= _LOWEST_ORDER:
        return 1.0
    from dp_accounting.rdp.rdp_privacy_accountant import compute_delta

    def bound(order: float) -> float:
        level = guarantee.epsilon(order)
        # δ ≤ √(1 − e^{−KL}) and KL ≤ R_λ. dp-accounting has it too, but loses its digits at small levels.
        by_kl = math.sqrt(-math.expm1(-level))
        by_order = float(compute_delta([order], [max(level, 1e-9)], epsilon)[0])
        return by_order if by_order < by_kl * (1.0 - 1e-6) else by_kl

    return min(1.0, round_up(_minimise_over_orders(guarantee, bound)))


def _combine(guarantees: Sequence[Guarantee], total: Callable[[Sequence[float]], float]) -> Guarantee:
    if not guarantees:
        raise InputError("there is nothing to compose; give one guarantee or more.")
    relation = _common_relation(guarantees)
    conditions = tuple(dict.fromkeys(c for g in guarantees for c in g.conditions))
    if all(isinstance(g, ProfileBased) for g in guarantees):
        profile_based = [cast("ProfileBased", g) for g in guarantees]
        graph = _common_graph(profile_based)
        return ProfileBased(total([g.epsilon for g in profile_based]), graph, True, conditions)
    if all(isinstance(g, Pure) for g in guarantees):
        return Pure(total([cast("Pure", g).epsilon for g in guarantees]), relation, conditions)
    if all(isinstance(g, Pure | Renyi) for g in guarantees):
        parts = [cast("Pure | Renyi", g).renyi() for g in guarantees]
        horizon = min(part.horizon for part in parts)
        return Renyi(lambda order: total([part.epsilon(order) for part in parts]), horizon, relation, conditions)
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


def _minimise_over_orders(guarantee: Renyi, bound: Callable[[float], float]) -> float:
    """The least bound over a grid of orders in (1, horizon), then over finer grids around the best."""
    top = min(guarantee.horizon, _HIGHEST_ORDER)
    low = np.log(_LOWEST_ORDER - 1.0)
    high = (
        np.log(top - 1.0)
        if math.isinf(guarantee.horizon) or top < guarantee.horizon
        else np.log((top - 1.0) * (1 - 1e-9))
    )
    best, points = math.inf, 33
    for _ in range(4):
        grid = np.linspace(low, high, points)
        values = [bound(max(_LOWEST_ORDER * (1 + 1e-12), 1.0 + math.exp(g))) for g in grid]
        i = int(np.argmin(values))
        best, points = min(best, values[i]), 9
        low, high = grid[max(i - 1, 0)], grid[min(i + 1, len(grid) - 1)]
    return best
