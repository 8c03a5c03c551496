"""The inventory of what the sources say: figures, tables, algorithms, theorems, single equations, facts in the text.

`data/inventory/statements.csv` has a row for each, in the sources' own order: where it stands, what it says in words of
ours, what would decide it, and what does: claims of experiments (`fig5_3.published`) and tests
(`test_mixing.py::test_…`). A statement that is `same_as` another is decided by what decides that one; one that nothing
can decide says why.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from dpsampling.errors import InputError
from dpsampling.files import strict_csv
from dpsampling.files.documents import root

COLUMNS = ("id", "source", "where", "kind", "statement", "checkable", "how", "same_as", "decided_by", "reason")
SOURCES = {  # in the order of the inventory
    "thesis": "J. Geumlek, Sampling from Distributions under Differential Privacy Notions (2020)",
    "nips": "J. Geumlek, S. Song, K. Chaudhuri, Rényi differential privacy mechanisms for posterior sampling (2017)",
    "review": "D. H. Nguyen, Differential privacy (2019)",
    "uai": "J. Foulds, J. Geumlek, M. Welling, K. Chaudhuri, On the theory and practice of privacy-preserving Bayesian "
    "data analysis (2016)",
    "robust": "C. Dimitrakakis, B. Nelson, A. Mitrokotsa, B. Rubinstein, Robust and private Bayesian inference (2014)",
}
YES, PROOF, NO = "yes", "by proof only", "no"  # whether numbers can decide it


@dataclass(frozen=True)
class Statement:
    """One row."""

    id: str
    source: str
    where: str
    kind: str
    statement: str
    checkable: str
    how: str
    same_as: str
    decided_by: tuple[str, ...]
    reason: str

    @property
    def claims(self) -> tuple[str, ...]:
        """Those of `decided_by` that are claims of experiments."""
        return tuple(name for name in self.decided_by if "::" not in name)

    @property
    def tests(self) -> tuple[str, ...]:
        """Those that are tests."""
        return tuple(name for name in self.decided_by if "::" in name)


@cache
def statements() -> Mapping[str, Statement]:
    """All of them by their ids, in the sources' order, or an InputError that names the row."""
    path = root() / "data" / "inventory" / "statements.csv"
    header, *lines = csv.reader(strict_csv.read(path, "take it from the repository again").splitlines())
    if tuple(header) != COLUMNS:
        raise InputError(f"{path.name} has the columns {', '.join(header)}; it needs {', '.join(COLUMNS)}.")
    found: dict[str, Statement] = {}
    for line in lines:
        told = dict(zip(COLUMNS, line, strict=True))
        names = tuple(name for name in told.pop("decided_by").split(";") if name)
        one = Statement(**told, decided_by=names)
        if one.id in found or one.source not in SOURCES or one.checkable not in (YES, PROOF, NO):
            raise InputError(f"{path.name}: the row '{one.id}' stands twice, or has an unknown source or checkable.")
        found[one.id] = one
    for one in found.values():
        if one.same_as and one.same_as not in found:
            raise InputError(f"{path.name}: the row '{one.id}' is the same as '{one.same_as}', which is no row.")
    return found


def deciding(statement: Statement) -> tuple[str, ...]:
    """What decides it, its own or that of the statement that it repeats."""
    seen = {statement.id}
    while not statement.decided_by and statement.same_as not in {"", *seen}:
        seen.add(statement.same_as)
        statement = statements()[statement.same_as]
    return statement.decided_by


def reason(statement: Statement) -> str:
    """Why nothing decides it, its own words or those of the statement that it repeats."""
    seen = {statement.id}
    while not statement.reason and statement.same_as not in {"", *seen}:
        seen.add(statement.same_as)
        statement = statements()[statement.same_as]
    return statement.reason


def undecided(among: Iterable[Statement] | None = None) -> list[Statement]:
    """Those that have neither a claim, nor a test, nor a reason."""
    return [one for one in among or statements().values() if not deciding(one) and not reason(one)]
