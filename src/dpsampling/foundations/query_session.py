r"""The posterior-sampling query model within a budget (Robust 2014 Algorithm 1).

    for k = 1, 2, …        receive q_k: Θ → Ψ,        draw θ_k from the posterior,        answer q_k(θ_k)

Each θ_k is a fresh draw, so the answers to k queries have the product law and are a function of (θ_1, …, θ_k): they
cost what k draws cost, whatever the queries are and however they depend on earlier answers, and no less where the
queries show θ itself. Algorithm 1 goes on for ever; a session ends where the next draw would exceed its total.

A draw is charged before it is made: a query that fails, or a process that dies, has spent it. A query may ask its own
session, which is one more draw. Several threads may ask; copies and forks may not, for their draws would not be
counted here.
"""

from __future__ import annotations

import copy
import os
import threading
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, NoReturn, Protocol, TypeVar, final, runtime_checkable

from dpsampling.errors import InputError
from dpsampling.foundations.totals import OrderAccount, Total, account, check_total
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.accounting import repeat
from dpsampling.privacy.budget import Account, Budget, shown_down
from dpsampling.privacy.guarantee import Guarantee, Pure, Renyi, shown
from dpsampling.privacy.ledger import Release

Answer = TypeVar("Answer")


class Released(Protocol):
    """A mechanism whose draws can be released."""

    @property
    def guarantee(self) -> Guarantee:
        """Return what one draw promises."""

    def release(self, data: Any, /) -> FixedPoint:
        """One exact draw."""


@runtime_checkable
class KnowsItsLaw(Protocol):
    """A mechanism that can say what is wrong with the data without a draw."""

    def exact_law(self, data: Any, /) -> object:
        """The law of a draw."""


@final
class QuerySession:
    """Queries about one data set, each answered by a fresh draw of one mechanism, within one total.

    The total is a guarantee, a level `AtOrder`, or a `Budget` on disk, which other sessions and processes may share;
    there `identity` names the data. `exactly` is the level of one draw as the rational number that the mechanism keeps
    to, where that is not above the float of its guarantee: what is typed as 0.1 is a trifle more as a float.
    """

    def __init__(
        self,
        mechanism: Released,
        data: Any,
        total: Total | Budget,
        *,
        identity: str = "the data",
        exactly: Fraction | None = None,
    ) -> None:
        name = f"a query of {type(mechanism).__name__}"
        self._mechanism, self._data, self._total, self._exactly = mechanism, copy.deepcopy(data), total, exactly
        self._draw = Release(identity, name, _remembered(mechanism.guarantee))
        self._charged = self._answered = 0
        self._lock, self._process = threading.Lock(), os.getpid()
        whole = total.total if isinstance(total, Budget) else total
        check_total(whole)
        if whole.relation is not self._draw.guarantee.relation:
            raise InputError(
                f"{type(mechanism).__name__} takes neighbours to '{self._draw.guarantee.relation.value}', the total to "
                f"'{whole.relation.value}'; restate one of them, such as the total with "
                f"relation={self._draw.guarantee.relation}."
            )
        first = account(whole, self._draw, 1, exactly)
        if first.overspent:
            raise InputError(
                f"one answer of {type(mechanism).__name__} costs {shown(first.spent)} of a total of {whole}, so none "
                "could be given; lower its ε, or give a larger total, with a δ if it is a Rényi level."
            )
        if isinstance(mechanism, KnowsItsLaw):
            mechanism.exact_law(self._data)  # what is wrong with the data is said before anything is spent

    # -- asking ----------------------------------------------------------------------------------------------------

    def ask(self, query: Callable[[FixedPoint], Answer]) -> Answer:
        """q(θ) of a fresh θ, or an InputError if the total does not allow another draw."""
        if self._process != os.getpid():
            raise InputError(
                "this session was opened by another process, whose draws are not counted here; open one on a ledger in "
                "each process."
            )
        if not callable(query):
            raise InputError(f"a query is {type(query).__name__}; it must be a function of θ.")
        with self._lock:
            self._charge()
        answer = query(self._mechanism.release(self._data))
        with self._lock:
            self._answered += 1
        return answer

    def _charge(self) -> None:
        if isinstance(self._total, Budget):
            self._total.charge(self._draw, exactly=self._exactly)
        else:
            after = account(self._total, self._draw, self._charged + 1, self._exactly)
            if after.overspent:
                before = self._account()
                raise InputError(
                    f"another answer would bring what is spent from {shown(before.spent)} to {shown(after.spent)}, "
                    f"above the total of {self._total.epsilon:g}{_by_how_little(after)}; {shown_down(before.left)} is "
                    "left: use the answers that were given."
                )
        self._charged += 1

    # -- what it has cost ------------------------------------------------------------------------------------------

    @property
    def guarantee(self) -> Guarantee:
        """Return what so many draws promise together; before the first, that nothing was released.

        Where their number depends on the answers, this holds of pure levels, and of others what holds is the total.
        """
        charged = self._charged
        each = self._draw.guarantee
        return repeat(each, charged) if charged else Pure(0.0, each.relation)

    @property
    def charged(self) -> int:
        """Draws that were paid for."""
        return self._charged

    @property
    def answered(self) -> int:
        """Queries whose answers came back."""
        return self._answered

    @property
    def spent(self) -> float:
        """Return what is spent of the total, rounded up; of a ledger, by all who share it."""
        return self._account().spent

    @property
    def left(self) -> float:
        """Return what is left of the total, rounded down."""
        return self._account().left

    def _account(self) -> Account | OrderAccount:
        if isinstance(self._total, Budget):
            return self._total.account()
        return account(self._total, self._draw, self._charged, self._exactly)

    def __repr__(self) -> str:
        told = f"{self._answered} answers, {self._charged} draws charged"
        return f"QuerySession of {type(self._mechanism).__name__}: {told}, {shown(self.spent)} of {self._total} spent"

    # -- one budget, one session -----------------------------------------------------------------------------------

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise InputError(
            "a session cannot be copied or pickled, for a copy would spend its total again; open one on a ledger to "
            "share it."
        )

    def __init_subclass__(cls) -> None:
        raise InputError("a session cannot be subclassed, for its guarantee is about what it charges; wrap it instead.")


def _remembered(guarantee: Guarantee) -> Guarantee:
    """The same, each level of its curve computed once: every charge asks for all of them."""
    return replace(guarantee, curve=cache(guarantee.curve)) if isinstance(guarantee, Renyi) else guarantee


def _by_how_little(after: Account | OrderAccount) -> str:
    """Return what to do where only the digits beyond a float's are too many."""
    if after.spent > after.total.epsilon:
        return ""
    return (
        " by less than a float shows, for a level that is typed as a decimal is another number as a float (`exactly`)"
    )
