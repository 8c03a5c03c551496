r"""What a mechanism promises, as a value.

For neighbouring data X ~ X′ and a mechanism M with output laws P = M(X), Q = M(X′):

    Pure          P(S) ≤ e^ε Q(S)                for every event S
    Approximate   P(S) ≤ e^ε Q(S) + δ            for every event S
    Renyi         R_λ(P‖Q) ≤ ε(λ)                for every order λ in (1, λ*), the curve's horizon

`relation` says what neighbouring means, `conditions` what the promise rests on besides exact real arithmetic.

For profiles P_i, P_j that an edge of a graph joins, and output laws M(P_i), M(P_j) of one observation each:

    ProfileBased  M(P_i)(S) ≤ e^ε M(P_j)(S)      for every event S         (thesis Definition 25)

The level of a law in closed form is also known between two floats (`numerics.enclosure`): `enclosure` of a pure
guarantee, `enclosed` of a Rényi curve at an order. That is the level of the exact law, at parameters that are the
rational numbers their floats are; the promised ε is nowhere below it. Nothing is computed before it is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, Context
from enum import Enum
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from dpsampling.errors import InputError
from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose
from dpsampling.privacy.rounding import LEAST, round_up

if TYPE_CHECKING:
    from flint import arb

LARGE = 600.0  # an exponent whose power is still a float
SMALL = 2.0**-900  # an excess of cosh whose quotients are not near the least float


class Relation(Enum):
    """When two data sets are neighbours."""

    REPLACE_ONE = "replace one record"
    ADD_OR_REMOVE_ONE = "add or remove one record"
    ADJACENT_PROFILES = "replace a profile by one that an edge joins to it"


@dataclass(frozen=True)
class Pure:
    """ε-differential privacy.

    Args:
        epsilon: ε, 0 or more; ∞ promises nothing.
        relation: which data sets are neighbours.
        conditions: what the promise rests on besides exact real arithmetic, in words.
        enclosed: what computes two floats around the exact level, if it has a closed form.
    """

    epsilon: float
    relation: Relation = Relation.REPLACE_ONE
    conditions: tuple[str, ...] = ()
    enclosed: Callable[[], Enclosure] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        _check_level("epsilon", self.epsilon)

    @property
    def enclosure(self) -> Enclosure | None:
        """The least ε of the exact law, if it is known in closed form."""
        return None if self.enclosed is None else self.enclosed()

    def renyi(self) -> Renyi:
        r"""The Rényi curve that ε-DP implies, attained by randomized response (Mironov 2017, Prop. 5).

        With p = e^ε/(1+e^ε) and q = 1 − p,

            R_λ ≤ ln(p^λ q^{1−λ} + q^λ p^{1−λ})/(λ−1) = ln[cosh((λ−½)ε)/cosh(ε/2)]/(λ−1),

        rounded up. Where (λ−1)ε is small the two cosh agree in most digits, and their difference is a product of sinh;
        where that underflows, λε²/2 is the curve to all digits, and above it as (ln cosh)′(x) = tanh x ≤ x.
        """
        epsilon = self.epsilon

        def curve(order: float) -> float:
            if epsilon == 0 or math.isinf(epsilon) or math.isinf(order):
                return epsilon
            k = order - 1.0
            if k * epsilon < 1.0 and order * epsilon < LARGE:
                excess = 2.0 * math.sinh(order * epsilon / 2.0) * math.sinh(k * epsilon / 2.0)
                if excess > SMALL:
                    level = math.log1p(excess / math.cosh(epsilon / 2.0)) / k
                else:
                    level = order * epsilon * (epsilon / 2.0)
                return min(epsilon, round_up(max(level, LEAST)))
            tails = math.log1p(math.exp(-(2.0 * order - 1.0) * epsilon)) - math.log1p(math.exp(-epsilon))
            return min(epsilon, round_up(epsilon + tails / k))

        enclosed = None if self.enclosed is None else partial(_randomized_response, self.enclosed)
        return Renyi(curve, relation=self.relation, conditions=self.conditions, enclosed=enclosed)

    def __str__(self) -> str:
        return f"{shown(self.epsilon)}-DP ({self.relation.value})"


@dataclass(frozen=True)
class Approximate:
    """(ε, δ)-differential privacy.

    Args:
        epsilon: ε, 0 or more.
        delta: δ, from 0 to 1.
        relation: which data sets are neighbours.
        conditions: what the promise rests on besides exact real arithmetic, in words.
    """

    epsilon: float
    delta: float
    relation: Relation = Relation.REPLACE_ONE
    conditions: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _check_level("epsilon", self.epsilon)
        if not 0 <= self.delta <= 1:
            raise InputError(f"delta is {self.delta:g}; it must be a probability between 0 and 1.")

    def __str__(self) -> str:
        return f"({shown(self.epsilon)}, {shown(self.delta)})-DP ({self.relation.value})"


@dataclass(frozen=True, eq=False)
class Renyi:
    """(λ, ε(λ))-Rényi differential privacy for every order 1 < λ < `horizon`; nothing is promised from there on."""

    curve: Callable[[float], float]
    horizon: float = math.inf
    relation: Relation = Relation.REPLACE_ONE
    conditions: tuple[str, ...] = ()
    enclosed: Callable[[float], Enclosure] | None = None

    def __post_init__(self) -> None:
        if not self.horizon > 1:
            raise InputError(f"horizon is {self.horizon:g}; a Rényi curve holds for orders above 1.")

    def epsilon(self, order: float) -> float:
        """ε(λ), +inf from the horizon on."""
        if not order > 1:
            raise InputError(f"order is {order:g}; a Rényi guarantee has orders above 1.")
        return self.curve(order) if order < self.horizon else math.inf

    def renyi(self) -> Renyi:
        """Itself."""
        return self

    def __str__(self) -> str:
        reach = "every order" if math.isinf(self.horizon) else f"orders below {self.horizon:.6g}"
        return f"Rényi DP for {reach} ({self.relation.value})"


@dataclass(frozen=True)
class ProfileBased:
    """(G, ε)-profile-based privacy of one observation, for the profile graph that `graph` identifies.

    `independent` states that the observation is drawn for this release alone, independently of every other observation
    and of how other profiles are selected. Only then do such guarantees compose (thesis Observations 8, 9, 13, 15): it
    is a statement about the data, which no mechanism can make.
    """

    epsilon: float
    graph: str
    independent: bool = False
    conditions: tuple[str, ...] = ()
    relation: Relation = Relation.ADJACENT_PROFILES

    def __post_init__(self) -> None:
        _check_level("epsilon", self.epsilon)
        if self.relation is not Relation.ADJACENT_PROFILES:
            raise InputError(f"relation is '{self.relation.value}'; profile-based privacy is about adjacent profiles.")

    def __str__(self) -> str:
        return f"(G, {shown(self.epsilon)})-profile-based privacy for the graph {self.graph}"


Guarantee = Pure | Approximate | Renyi | ProfileBased


def shown(level: float) -> str:
    """A privacy level to six digits, the last one rounded up."""
    if not math.isfinite(level):
        return str(level)
    # The shortest decimal is what is meant by a level; its binary value may be a trifle larger.
    return f"{float(Context(prec=6, rounding=ROUND_CEILING).create_decimal(repr(float(level)))):g}"


def _randomized_response(enclosed: Callable[[], Enclosure], order: float) -> Enclosure:
    """The Rényi level of order λ that ε-DP implies, from the enclosure of ε: it grows with ε."""
    pure = enclosed()
    if math.isinf(order):
        return pure
    least, most = (_randomized_response_at(epsilon, order) for epsilon in (pure.lower, pure.upper))
    return Enclosure(least.lower, most.upper)


def _randomized_response_at(epsilon: float, order: float) -> Enclosure:
    """ε + ln[(1 + e^{−(2λ−1)ε})/(1 + e^{−ε})]/(λ−1), of which nothing overflows; what cancels costs bits."""
    if epsilon == 0 or math.isinf(epsilon):
        return Enclosure(epsilon, epsilon)

    def level() -> arb:
        k, e = as_ball(Fraction(order) - 1), as_ball(epsilon)
        return e + ((-(2 * k + 1) * e).exp().log1p() - (-e).exp().log1p()) / k

    found = enclose(level)
    return Enclosure(min(found.lower, epsilon), min(found.upper, epsilon))  # it is at most ε


def _check_level(name: str, value: float) -> None:
    if not value >= 0:
        raise InputError(f"{name} is {value:g}; a privacy level must be 0 or more.")
