r"""What a session may spend in all, and what so many draws of one mechanism take of it.

    Pure, Approximate     ε at δ: levels add as `privacy.budget` adds them, Rényi curves convert at the best order
    AtOrder               Σ ε(λ) ≤ ε at one order λ

Levels add as the rational numbers that they are, and a total is the decimal that was typed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from dpsampling.errors import InputError
from dpsampling.privacy.budget import Account, decimal, priced
from dpsampling.privacy.guarantee import Approximate, Pure, Relation, Renyi, shown
from dpsampling.privacy.ledger import Release
from dpsampling.privacy.rounding import float_above


@dataclass(frozen=True)
class AtOrder:
    """A total of ε(λ) at the order λ alone."""

    order: float
    epsilon: float
    relation: Relation = Relation.REPLACE_ONE

    def __post_init__(self) -> None:
        if not 1 < self.order < math.inf:
            raise InputError(f"order is {self.order:g}; a total of Rényi levels is at a finite order above 1.")

    def __str__(self) -> str:
        return f"({shown(self.order)}, {shown(self.epsilon)})-Rényi DP ({self.relation.value})"


Total = Pure | Approximate | AtOrder


@dataclass(frozen=True)
class OrderAccount:
    """`count` draws of ε(λ) = `level` each."""

    total: AtOrder
    level: Fraction
    count: int

    @property
    def spent(self) -> float:
        """Σ ε(λ), rounded up."""
        return float_above(self.count * self.level)

    @property
    def left(self) -> float:
        """Return what is left of the total, rounded down."""
        return max(0.0, -float_above(self.count * self.level - decimal(self.total.epsilon)))

    @property
    def overspent(self) -> bool:
        """Return whether the draws exceed the total."""
        return self.count * self.level > decimal(self.total.epsilon)


def check_total(total: Total) -> None:
    """A total is above 0 and finite, and its δ below 1."""
    if not isinstance(total, Pure | Approximate | AtOrder):
        raise InputError(
            f"the total is {total!r}; give a guarantee, such as Pure(1.0), Approximate(1.0, 1e-6) or AtOrder(2.0, 1.0)."
        )
    if not 0 < total.epsilon < math.inf or not getattr(total, "delta", 0.0) < 1:
        raise InputError(f"a session's total is {total}; its ε must be above 0 and finite, and its δ below 1.")


def account(total: Total, draw: Release, count: int, exactly: Fraction | None = None) -> Account | OrderAccount:
    """Return what `count` draws take of the total; `exactly` is the level of one as `Budget.charge` has it."""
    if not isinstance(total, AtOrder):
        whole = Approximate(total.epsilon, getattr(total, "delta", 0.0), total.relation)
        entry = priced(Release(draw.data, draw.mechanism, draw.guarantee, max(count, 1)), exactly)
        return Account(whole, "record", (entry,) if count else ())
    if exactly is not None:
        raise InputError("an exact level is one of ε; leave it out where the total is at a Rényi order.")
    if not isinstance(draw.guarantee, Pure | Renyi):
        raise InputError(
            f"{draw.mechanism} promises {draw.guarantee}, which has no level at an order; give a total of ε and δ."
        )
    level = draw.guarantee.renyi().epsilon(total.order)
    if not level < math.inf:
        raise InputError(f"{draw.mechanism} promises nothing at order {total.order:g}; give a total at a lower one.")
    return OrderAccount(total, Fraction(level), count)
