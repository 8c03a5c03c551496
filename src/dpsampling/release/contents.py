"""A release as a value: what was drawn, at which law, for whom, out of which budget; and its file, release.json.

Everything here may be published. `numbers` are all that was drawn of the data; `mechanism` and `unit` say at which law,
so that the level can be computed again without the data.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dpsampling.errors import InputError
from dpsampling.event_logs.schema import Unit
from dpsampling.files import regular_files, strict_json
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.guarantee import Approximate, Pure, Relation
from dpsampling.release.names import RELEASE

FORMAT, VERSION = "dpsampling release", 1
LARGEST = 256 << 20  # bytes of a release.json
CHANCE = 128  # bits for post-processing that draws
FINEST = 1024  # binary places of a number
RATIONAL = re.compile(r"[0-9]{1,400}(/[0-9]{1,400})?")  # a power of ten would be written out, however large


@dataclass(frozen=True)
class Answered:
    """A release appears at a multiple of `quantum` seconds, fixed before any row is read; at the first, if all is well.

    `at` is which one it was: what an onlooker learns of how long the computation took.
    """

    quantum: float
    at: int = 1


@dataclass(frozen=True)
class Spent:
    """What the ledger said when this release was charged, of the ε at `delta`; a total of 0 is no ledger."""

    total: float
    spent: float
    left: float
    delta: float = 0.0
    charged: float = 0.0  # 0 where the numbers were released before


@dataclass(frozen=True)
class Announced:
    """What is known of a release before anything is drawn."""

    kind: str
    title: str
    unit: Unit
    identified: bool  # whether a column says which unit a row is about; if not, each row is one
    declared: Mapping[str, Any]  # what is public whatever the rows are, and who says so
    mechanism: Mapping[str, Any]  # its name and all its parameters; rationals are texts
    guarantee: Pure | Approximate
    settings: Mapping[str, Any]  # of the post-processing: the intervals' level, the number of states, …


@dataclass(frozen=True)
class Release(Announced):
    """One release."""

    on: str  # the day
    budget: Spent
    numbers: FixedPoint
    chance: int  # CHANCE bits for the post-processing
    made_with: Mapping[str, str]
    answered: Answered = field(default_factory=lambda: Answered(0.0))
    derived_from: str | None = None  # the SHA-256 of the release.json that has the same numbers

    @property
    def generator(self) -> np.random.Generator:
        """The random numbers of the post-processing, the same whenever it is done again."""
        return np.random.default_rng(self.chance)


def record(release: Release, results: Mapping[str, Any]) -> dict[str, Any]:
    """Return a release and its results as the record that release.json holds."""
    g = release.guarantee
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": release.kind,
        "title": release.title,
        "on": release.on,
        "unit": {"name": release.unit.name, "most": release.unit.most, "identified": release.identified},
        "declared": dict(release.declared),
        "mechanism": dict(release.mechanism),
        "guarantee": {
            "epsilon": g.epsilon,
            "delta": g.delta if isinstance(g, Approximate) else 0.0,
            "relation": g.relation.value,
            "conditions": list(g.conditions),
        },
        "budget": vars(release.budget),
        "numbers": {
            "shape": list(release.numbers.shape),
            "exponent": release.numbers.exponent,
            "integers": [int(k) for k in release.numbers.integers.ravel()],
        },
        "settings": dict(release.settings),
        "chance": f"{release.chance:x}",
        "made_with": dict(release.made_with),
        "answered": vars(release.answered),
        "derived_from": release.derived_from,
        "results": dict(results),
    }


def from_record(document: Mapping[str, Any], where: str) -> Release:
    """Return the release of this record, or raise InputError."""
    try:
        if (document["format"], document["version"]) != (FORMAT, VERSION):
            raise InputError(
                f"{where} is a release of version {document['version']!r}, and this program reads {VERSION}; "
                "read it with the dpsampling that its made_with names."
            )
        g, unit, n = document["guarantee"], document["unit"], document["numbers"]
        relation, conditions = Relation(g["relation"]), tuple(map(_text, g["conditions"]))
        guarantee: Pure | Approximate = Pure(float(g["epsilon"]), relation, conditions)
        if g["delta"]:
            guarantee = Approximate(float(g["epsilon"]), float(g["delta"]), relation, conditions)
        rate = document["mechanism"].get("rate", "1")
        if not RATIONAL.fullmatch(rate) or not 0 <= _whole(n["exponent"]) <= FINEST:
            raise ValueError("a number is none that is drawn, or noise is of no rational rate")
        integers = np.array([_whole(k) for k in n["integers"]], dtype=object).reshape([_whole(k) for k in n["shape"]])
        return Release(
            kind=_text(document["kind"]),
            title=_text(document["title"]),
            on=_text(document["on"]),
            unit=Unit(_text(unit["name"]), _whole(unit["most"])),
            identified=bool(unit["identified"]),
            declared=dict(document["declared"]),
            mechanism=dict(document["mechanism"]),
            guarantee=guarantee,
            budget=Spent(**{name: _number(value) for name, value in document["budget"].items()}),
            numbers=FixedPoint(integers, _whole(n["exponent"])),
            settings=dict(document["settings"]),
            chance=int(document["chance"], 16),
            made_with={name: _text(version) for name, version in document["made_with"].items()},
            answered=Answered(_number(document["answered"]["quantum"]), _whole(document["answered"]["at"])),
            derived_from=None if document["derived_from"] is None else _text(document["derived_from"]),
        )
    except InputError:
        raise
    except (LookupError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
        raise InputError(f"{where} is no release; name a folder that 'dpsampling release' wrote.") from error


def read(folder: Path) -> tuple[Release, dict[str, Any], str]:
    """The release in a folder, all that its file says, and the file's SHA-256."""
    path = Path(folder) / RELEASE
    try:
        content = regular_files.content(path, LARGEST)
        document = strict_json.loads(content)
    except (OSError, ValueError) as error:
        raise InputError(f"{folder} holds no {RELEASE}; name a folder that 'dpsampling release' wrote.") from error
    if not isinstance(document, dict):
        raise InputError(f"{path} is no release; name a folder that 'dpsampling release' wrote.")
    return from_record(document, str(path)), document, hashlib.sha256(content).hexdigest()


def _whole(k: Any) -> int:
    if type(k) is not int:
        raise ValueError("a number is not whole")
    return k


def _number(x: Any) -> float:
    if type(x) not in (int, float):
        raise ValueError("a number is none")
    return float(x)


def _text(told: Any) -> str:
    if not isinstance(told, str):
        raise ValueError("a text is none")
    return told
