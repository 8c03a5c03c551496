"""The order of the steps of a release, the same for every kind.

    fix the public time → find a place for the folder → read the rows → charge, synced → draw → compute, write
    → wait for the public time → let the folder appear

Nothing is drawn before it is charged, and nothing appears before its time. What goes wrong once rows are read is said
at a public time as well.
"""

from __future__ import annotations

import datetime
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any, Protocol

from dpsampling import __version__, files
from dpsampling.exact import bits
from dpsampling.exact.fixed_point import FixedPoint
from dpsampling.mechanisms.calibration import certify
from dpsampling.privacy import budget
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.ledger import Release as Charge
from dpsampling.release import card, contents, folder, kinds
from dpsampling.release.clock import Clock
from dpsampling.release.contents import CHANCE, Answered, Release, Spent
from dpsampling.warlogs.schema import Unit

PACKAGES = ("numpy", "python-flint", "numba")


@dataclass(frozen=True)
class Prepared:
    """All of a release but what is drawn; `draw` is called once, after the charge."""

    kind: str
    title: str
    unit: Unit
    identified: bool
    declared: Mapping[str, Any]
    mechanism: Mapping[str, Any]
    guarantee: Pure | Approximate
    draw: Callable[[], FixedPoint]
    settings: Mapping[str, Any]
    exactly: Fraction | None = None  # the level as the rational that the mechanism keeps to


@dataclass(frozen=True)
class Purse:
    """What pays: the private file whose ledger it is, the budget, and a ledger elsewhere if there is one."""

    data: Path
    total: Pure | Approximate
    ledger: Path | None = None

    def charge(self, prepared: Prepared) -> Spent:
        """Write the release down, synced to the disk, or an InputError if the budget does not allow it."""
        if isinstance(prepared.guarantee, Pure):
            certify(prepared.guarantee.enclosure, prepared.guarantee.epsilon)
        path = budget.ledger_of(self.data, self.ledger)
        opened = budget.Budget.open(path, self.total, unit=prepared.unit.name)
        name = f"release {prepared.kind} ({prepared.mechanism['name']})"
        charge = Charge(budget.identity(self.data), name, prepared.guarantee)
        account = opened.charge(charge, exactly=prepared.exactly)
        delta = self.total.delta if isinstance(self.total, Approximate) else 0.0
        return Spent(**account.told, delta=delta, charged=prepared.guarantee.epsilon)


def drawn(prepared: Prepared, paid: Spent) -> Release:
    """The release, once it is paid."""
    return Release(
        kind=prepared.kind,
        title=prepared.title,
        on=datetime.date.today().isoformat(),
        unit=prepared.unit,
        identified=prepared.identified,
        declared=prepared.declared,
        mechanism=prepared.mechanism,
        guarantee=prepared.guarantee,
        budget=paid,
        numbers=prepared.draw(),
        settings=prepared.settings,
        chance=int.from_bytes(bits.fresh(CHANCE // 8), "little"),
        made_with=made_with(),
    )


class Pays(Protocol):
    """What a release is charged to."""

    def charge(self, prepared: Prepared) -> Spent:
        """What is spent then, or an InputError if that is not allowed."""
        ...


def answered(prepare: Callable[[], Prepared], pays: Pays | None, quantum: float) -> Release:
    """A release without a folder, which comes back at a public time; if nothing pays, its own level is its budget."""
    clock = Clock(quantum)
    with clock.answering():
        release = _bought(prepare(), pays)
        at = clock.next()
        clock.wait(at)
    return replace(release, answered=Answered(quantum, at))


def publish(prepare: Callable[[], Prepared], out: Path, purse: Purse, quantum: float) -> Release:
    """A whole release, from rows that `prepare` reads to the folder `out`."""
    clock = Clock(quantum)
    folder.check(out)
    with clock.answering():
        return written(out, clock, lambda: _bought(prepare(), purse))


def _bought(prepared: Prepared, pays: Pays | None) -> Release:
    return drawn(prepared, _unkept(prepared) if pays is None else pays.charge(prepared))


def _unkept(prepared: Prepared) -> Spent:
    g = prepared.guarantee
    delta = g.delta if isinstance(g, Approximate) else 0.0
    return Spent(total=g.epsilon, spent=g.epsilon, left=0.0, delta=delta, charged=g.epsilon)


def written(out: Path, clock: Clock, make: Callable[[], Release]) -> Release:
    """The folder of what `make` makes, at a public time; that it can be written is seen before anything is spent."""
    with folder.staged(out) as place:
        release = make()
        kind = kinds.of(release.kind)
        results = kind.results(release)
        for name, write in kind.files(release, results).items():
            write(place / name)
        at = clock.next()
        while True:
            release = replace(release, answered=Answered(clock.quantum, at))
            own = kind.sentences(release, results)
            said = card.sentences(release, own)
            _put(place, contents.NAME, files.json_text(contents.told(release, results)))
            _put(place, card.DATA, files.json_text([vars(sentence) for sentence in said]))
            _put(place, card.WORDS, card.text(release, said))
            folder.set_time(place, clock.moment(at))
            if not clock.passed(at):
                break
            at = clock.next()
        clock.wait(at)
    return release


def _put(place: Path, name: str, text: str) -> None:
    (place / name).write_text(text, encoding="utf-8", newline="\n")


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
