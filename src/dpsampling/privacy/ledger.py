"""A ledger of releases: who was asked what, and what it has cost so far."""

from __future__ import annotations

from dataclasses import dataclass

from dpsampling.errors import InputError
from dpsampling.privacy.accounting import compose, delta_at, repeat
from dpsampling.privacy.guarantee import Approximate, Guarantee


@dataclass(frozen=True)
class Release:
    """Outputs of one mechanism on one data set.

    Args:
        data: the name of the data set; releases add up by it.
        mechanism: the name of the mechanism, for messages.
        guarantee: what one output promises.
        count: how many outputs there are, a whole number from 1 on.
        order: the Rényi order that the mechanism was calibrated for, if it was.
    """

    data: str
    mechanism: str
    guarantee: Guarantee
    count: int = 1
    order: float | None = None


@dataclass(frozen=True)
class Ledger:
    """Releases in the order they were made, and optionally the budget they share per data set.

    A ledger is a value: `charge` returns the next one, so trying a release out costs nothing.

    Args:
        releases: what was released so far.
        budget: (ε, δ) for all releases of a data set together; None allows everything.
    """

    releases: tuple[Release, ...] = ()
    budget: Approximate | None = None

    def charge(self, release: Release) -> Ledger:
        """Return the ledger with this release in it, or raise an InputError if the budget does not allow it."""
        after = Ledger((*self.releases, release), self.budget)
        if self.budget is not None and self.budget.relation is not release.guarantee.relation:
            raise InputError(
                f"{release.mechanism} takes neighbours to '{release.guarantee.relation.value}', the budget to "
                f"'{self.budget.relation.value}'; restate one of them."
            )
        if self.budget is not None:
            needed = delta_at(after.spent(release.data), self.budget.epsilon)
            if needed > self.budget.delta:
                raise InputError(
                    f"releasing {release.mechanism} on {release.data} would need δ = {needed:.3g} at "
                    f"ε = {self.budget.epsilon:g}, above the budget's {self.budget.delta:.3g}; "
                    "lower its ε or raise the budget."
                )
        return after

    def spent(self, data: str) -> Guarantee:
        """The composed guarantee of everything released on one data set."""
        spent = [repeat(r.guarantee, r.count) for r in self.releases if r.data == data]
        if not spent:
            raise InputError(
                f"nothing was released on {data}; the ledger knows {', '.join(self.data_sets()) or 'no data'}."
            )
        return compose(*spent)

    def data_sets(self) -> list[str]:
        """The data sets that appear, in order of first release."""
        return list(dict.fromkeys(r.data for r in self.releases))
