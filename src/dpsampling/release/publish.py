"""The order of the steps of a release, the same for every kind.

    fix the public time → find a place for the folder → read the rows → charge, synced → draw → compute, write
    → wait for the public time → let the folder appear

Of a library call the answer is a value, and there is no folder.

Nothing is drawn before it is charged, and nothing appears before its time. What goes wrong once rows are read is said
at a public time as well.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from dpsampling import __version__, files
from dpsampling.errors import InputError
from dpsampling.event_logs import sources
from dpsampling.mechanisms.calibration import certify
from dpsampling.numerics.exact import bits
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy import budget
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.ledger import Release as Charge
from dpsampling.release import folder, pages
from dpsampling.release.clock import Clock, collect_garbage
from dpsampling.release.contents import CHANCE, Announced, Answered, Release, Spent

PACKAGES = ("numpy", "scipy", "python-flint", "numba", "matplotlib")


@dataclass(frozen=True)
class Prepared(Announced):
    """All of a release but what is drawn; `draw` is called once, after the charge."""

    draw: Callable[[], FixedPoint]
    exactly: Fraction | None = None  # the level as the rational that the mechanism keeps to


class Pays(Protocol):
    """What pays for a release."""

    def charge(self, prepared: Prepared) -> Spent:
        """Write it down before it is drawn, or an InputError if that is not allowed."""


@dataclass(frozen=True)
class Purse:
    """What pays: the private file whose ledger it is, the budget, and a ledger elsewhere if there is one."""

    data: Path
    total: Pure | Approximate
    ledger: Path | None = None

    @property
    def file(self) -> Path:
        """Its ledger."""
        return budget.ledger_of(self.data, self.ledger)

    def charge(self, prepared: Prepared) -> Spent:
        """Write the release down, synced to the disk, or an InputError if the budget does not allow it."""
        opened = budget.Budget.open(self.file, self.total, unit=prepared.unit.name)
        return charged(opened, prepared, budget.identity(self.data))


def charged(opened: budget.Budget, prepared: Prepared, data: str) -> Spent:
    """Return what a ledger's file says once the release is written down there."""
    return spent(opened.charge(certified(prepared, data), exactly=prepared.exactly), prepared)


def certified(prepared: Prepared, data: str) -> Charge:
    """The release as a line of a ledger, its level seen to be what its mechanism keeps to."""
    if isinstance(prepared.guarantee, Pure):
        certify(prepared.guarantee.enclosure, prepared.guarantee.epsilon)
    return Charge(data, line(prepared.kind, prepared.mechanism), prepared.guarantee)


def spent(account: budget.Account, prepared: Prepared) -> Spent:
    """Return what an account says after this release."""
    return Spent(**account.record, delta=account.total.delta, charged=prepared.guarantee.epsilon)


def line(kind: str, mechanism: Mapping[str, Any]) -> str:
    """Return what a release is called in its ledger."""
    return f"release {kind} ({mechanism['name']})"


def drawn(prepared: Prepared, paid: Spent) -> Release:
    """The release, once it is paid."""
    return Release(
        **{announced.name: getattr(prepared, announced.name) for announced in fields(Announced)},
        on=datetime.date.today().isoformat(),
        budget=paid,
        numbers=prepared.draw(),
        chance=int.from_bytes(bits.fresh(CHANCE // 8), "little"),
        made_with=made_with(),
    )


def publish(
    prepare: Callable[[], Prepared],
    *,
    out: Path,
    purse: Purse,
    quantum: float,
    private: Sequence[Path] = (),
    beforehand: Callable[[], None] = lambda: None,
) -> Release:
    """A whole release, from rows that `prepare` reads to the folder `out`.

    What is done `beforehand`, such as to compile, has nothing to do with the rows and is not timed. Files that are
    `private` get the public time, with the ledger: when they were written tells how long reading took.
    """
    folder.check_outside(out, [*private, *filter(None, [purse.ledger])])
    folder.check(out)
    sources.check(purse.data)  # nobody waits to hear that there is no such file
    beforehand()
    clock = Clock(quantum)
    with clock.answering():
        release = written(out, clock, lambda: bought(prepare(), purse))
    for path in private:
        with suppress(OSError):
            os.utime(path)
    with suppress(OSError, InputError):
        os.utime(purse.file)
    return release


def answered(prepare: Callable[[], Prepared], purse: Pays | None, quantum: float) -> Release:
    """The same without a folder: the release is returned at a public time. Without a purse nobody keeps account."""
    clock = Clock(quantum)
    with clock.answering():
        release = bought(prepare(), purse)
        collect_garbage()
        for at in clock.aims():
            release = replace(release, answered=Answered(clock.quantum, at))
            if not clock.passed(at):
                clock.wait(at)
                break
    return release


def bought(prepared: Prepared, purse: Pays | None) -> Release:
    """Charge, then draw."""
    paid = Spent(0.0, 0.0, 0.0, charged=prepared.guarantee.epsilon) if purse is None else purse.charge(prepared)
    return drawn(prepared, paid)


def written(out: Path, clock: Clock, make: Callable[[], Release], results: Mapping[str, Any] | None = None) -> Release:
    """The folder of what `make` makes, at a public time; that it can be written is seen before anything is spent.

    Where the `results` are at hand they are not computed again.
    """
    with folder.staged(out) as place:
        release = make()
        try:
            results = pages.computed(release) if results is None else results
            for name, write in pages.of_kind(release, results).items():
                write(place / name)
            collect_garbage()
            for at in clock.aims():
                if clock.quantum:  # if not, it was answered before
                    release = replace(release, answered=Answered(clock.quantum, at))
                pages.put(place, release, results)
                folder.set_time(place, clock.moment(at))
                if not clock.passed(at):
                    clock.wait(at)
                    break
        except (OSError, InputError) as error:
            raise (_lost(out, release, error) if clock.quantum else error) from error
    return release


def _lost(out: Path, release: Release, error: Exception) -> Exception:
    """Return what is said of a release that is paid and cannot be written."""
    if not release.budget.charged:
        return error
    told = files.unwritable(out, error) if isinstance(error, OSError) else error
    return InputError(
        f"{str(told).removesuffix('.')}; the release is lost, and ε = {release.budget.charged:g} is spent."
    )


@cache
def made_with() -> dict[str, str]:
    """The versions that decide what post-processing draws from `chance`."""
    found = {"dpsampling": __version__, "python": platform.python_version(), "machine": platform.machine()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = "none"
    return found


def say(what: str) -> None:
    """A line of progress, for whoever waits."""
    sys.stderr.write(f"dpsampling: {what}\n")
    sys.stderr.flush()
