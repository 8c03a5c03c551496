"""What pays for a release that a program makes: a ledger in a file, one in memory, or nothing at all.

A release that nothing pays for is as private as any other; but what it adds to earlier ones, nobody remembers.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from dpsampling.errors import InputError
from dpsampling.privacy import budget
from dpsampling.privacy.budget import Account, Budget, Entry
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.ledger import Ledger
from dpsampling.privacy.ledger import Release as Charge
from dpsampling.release import publish
from dpsampling.release.contents import Spent
from dpsampling.release.publish import Prepared, Purse

ROWS = "the rows"  # what a ledger in memory, or one of frames, calls the data that it is about

Total = Pure | Approximate


@dataclass(frozen=True)
class OfFrames:
    """A ledger's file for rows that are in no file; all that is charged there adds up."""

    ledger: Path
    total: Total

    def charge(self, prepared: Prepared) -> Spent:
        """Write the release down, synced, or an InputError if the budget does not allow it."""
        return publish.charged(Budget.open(self.ledger, self.total, unit=prepared.unit.name), prepared, ROWS)


@dataclass
class InMemory:
    """A ledger that is a value: `ledger` is the one after the charge."""

    ledger: Ledger

    def charge(self, prepared: Prepared) -> Spent:
        """The release is in the ledger, or an InputError if its budget does not allow it."""
        if self.ledger.budget is None:
            raise InputError("the ledger has no budget; make it as Ledger(budget=Approximate(3.0, 0.0)).")
        after = Ledger((*self.ledger.releases, publish.certified(prepared, ROWS)), self.ledger.budget)
        account = Account(self.ledger.budget, prepared.unit.name, tuple(map(_entry, after.releases)))
        if account.overspent:
            raise InputError(
                f"{prepared.kind} at {prepared.guarantee} would bring what is spent to {account.spent:g}, above the "
                f"ledger's total of {self.ledger.budget.epsilon:g}; lower ε, or use what was released before."
            )
        self.ledger = after
        return publish.spent(account, prepared)


AnyPurse = Purse | OfFrames | InMemory


def purse(rows: Any, total: float | Total | None, ledger: str | Path | Ledger | None) -> AnyPurse | None:
    """Return what pays for a release of these rows."""
    if isinstance(ledger, Ledger):
        if total is not None:
            raise InputError("budget is given beside a ledger in memory, which has its own; leave budget out.")
        return InMemory(ledger)
    if total is None:
        if ledger is not None:
            raise InputError(f"budget is missing; the ledger {ledger} is opened with what all releases may cost.")
        return None
    whole = total if isinstance(total, Pure | Approximate) else Pure(total)
    if isinstance(rows, str | Path):
        return Purse(Path(rows), whole, None if ledger is None else Path(ledger))
    if ledger is None:
        raise InputError(
            "ledger is missing; a frame has no file beside which releases could be written down, so name a file for "
            "them, or give a ledger in memory."
        )
    return OfFrames(Path(ledger), whole)


def _entry(charge: Charge) -> Entry:
    """A pure level counts as the decimal that was typed, to which this room's mechanisms keep."""
    exact: Fraction | None = None
    if isinstance(charge.guarantee, Pure):
        exact = min(budget.decimal(charge.guarantee.epsilon), Fraction(charge.guarantee.epsilon))
    return budget.priced(charge, exact)
