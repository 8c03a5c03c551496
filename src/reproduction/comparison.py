"""What changed between two results trees: parameters, verdicts, the numbers of claims and tables, and bytes.

Numbers are compared by |new − old| / max(|new|, |old|), which is 0 for the same number and 1 for one that is 0 or
infinite in one tree only; words by whether they are the same. Two machines round last bits differently, so that numbers
of one computation may differ by the tolerances below, and by no more; no verdict, sign, count, order or word may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from dpsampling import files
from dpsampling.errors import InputError
from dpsampling.files import strict_json
from reproduction import collect

COLUMNS = ("kind", "what", "before", "after", "difference")
PARAMETER, VERDICT, NUMBER, TABLE, FILE = "parameter", "verdict", "number", "table", "file"
KINDS = (PARAMETER, VERDICT, NUMBER, TABLE, FILE)  # in the order in which a reader asks
NONE = ""  # there is no such thing in one of the trees
# What tells of a run itself, such as its seconds, differs every time.
OF_A_RUN = (collect.MANIFEST, collect.REPORT, collect.CRATE)

CLOSED_FORM = 1e-9  # relative, of formulas, sums and solvers
MONTE_CARLO = 1e-6  # relative, of the same random streams, and of accounts by Fourier transforms: tables of SAMPLED
SAMPLED = frozenset({"acceptance", "empirical", "frequency", "mean", "repeats", "runs", "sd", "sem", "standard_error"})
RESIDUE = 1e-12  # absolute, of what rounding leaves of a number that is 0
QUADRATURE = {"kl": 1e-8}  # absolute, of integrals that are near 0
PRINTED = 1e-5  # relative, of numbers in words, which have six digits
_NUMBER = re.compile(r"(?<![\w.])[-−]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.]*\w)")


@dataclass(frozen=True)
class Change:
    """One thing that is another, as it is in either tree; `difference` is the largest of a column, in words."""

    kind: str
    what: str
    before: str
    after: str
    difference: str = ""


@dataclass(frozen=True)
class Deviation:
    """How far a column of numbers, or of words, is from another, and where it is farthest."""

    column: str
    row: int  # from 0; −1 where the columns cannot be compared row by row
    before: Any
    after: Any
    relative: float
    absolute: float


def compare(old: Path, new: Path, *, machines: bool = False) -> list[Change]:
    """Everything that changed, by kind; either tree has `claims.csv`.

    Between `machines`, less what they may differ by, and bytes by what the tables and CSV files say.
    """
    found = [
        *_of_parameters(old, new),
        *_of_claims(old, new, machines),
        *_of_tables(old, new, machines),
        *(_of_words(old, new) if machines else _of_files(old, new)),
    ]
    return sorted(found, key=lambda change: KINDS.index(change.kind))


def beyond_rounding(old: pd.DataFrame, new: pd.DataFrame) -> list[Deviation]:
    """Return the columns of two machines' tables that differ by more than machines may."""
    relative = MONTE_CARLO if SAMPLED & set(old.columns) else CLOSED_FORM
    absolute = {str(column): QUADRATURE.get(str(column), RESIDUE) for column in old.columns}
    return [far for far in deviations(old, new, absolute) if far.relative > relative]


def same_words(old: str, new: str) -> bool:
    """Return whether two texts differ in the last digits of their numbers at most."""
    if old == new:
        return True
    numbers = [[float(number.replace("−", "-")) for number in _NUMBER.findall(text)] for text in (old, new)]
    if _NUMBER.sub("#", old) != _NUMBER.sub("#", new):
        return False
    return all(abs(a - b) <= max(RESIDUE, PRINTED * max(abs(a), abs(b))) for a, b in zip(*numbers, strict=True))


def deviations(
    old: pd.DataFrame, new: pd.DataFrame, absolute_up_to: Mapping[str, float] | None = None
) -> list[Deviation]:
    """The columns that are not the same, each with its farthest row; a column's distances up to a number are none."""
    found = []
    forgiven = absolute_up_to or {}
    for column in dict.fromkeys([*old.columns, *new.columns]):
        if column not in old or column not in new or len(old) != len(new):
            before, after = (f"{len(t)} rows" if column in t else "no such column" for t in (old, new))
            found.append(Deviation(str(column), -1, before, after, 1.0, float("inf")))
            continue
        relative, absolute = _apart(old[column], new[column])
        relative = np.where(absolute <= forgiven.get(str(column), 0.0), 0.0, relative)
        if (relative > 0).any():
            row = int(relative.argmax())
            before, after = old[column].iloc[row], new[column].iloc[row]
            found.append(Deviation(str(column), row, before, after, float(relative[row]), float(absolute.max())))
    return found


def _apart(old: pd.Series[Any], new: pd.Series[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Relative and absolute distance row by row; an empty cell is as another empty cell."""
    if not (is_numeric_dtype(old) and is_numeric_dtype(new)):
        differ = (old.fillna("").astype(str).to_numpy() != new.fillna("").astype(str).to_numpy()).astype(float)
        return differ, differ
    a, b = (column.to_numpy(dtype=float, na_value=np.nan) for column in (old, new))
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    with np.errstate(all="ignore"):
        absolute = np.where(same, 0.0, np.abs(b - a))
        relative = absolute / np.maximum(np.abs(a), np.abs(b))
    unlike = ~np.isfinite(relative) & ~same  # one is infinite or empty and the other is not
    return np.where(unlike, 1.0, np.where(same, 0.0, relative)), np.where(unlike, np.inf, absolute)


def _of_claims(old: Path, new: Path, machines: bool) -> Iterator[Change]:
    before, after = (_claims(tree) for tree in (old, new))
    for name in dict.fromkeys([*before, *after]):
        a, b = before.get(name, {}), after.get(name, {})
        if a.get("verdict", NONE) != b.get("verdict", NONE):
            measured = f"{a.get('measured', NONE)} → {b.get('measured', NONE)}" if a and b else ""
            yield Change(VERDICT, name, a.get("verdict", NONE), b.get("verdict", NONE), measured)
            continue
        for part in ("expected", "measured", "tolerance"):
            if a[part] != b[part] and not (machines and same_words(a[part], b[part])):
                yield Change(NUMBER, f"{name}, {part}", a[part], b[part])


def _claims(tree: Path) -> dict[str, dict[str, str]]:
    path = tree / "claims.csv"
    if not path.is_file():
        raise InputError(f"{path} does not exist; name a folder of results, as 'make reproduce' or 'make quick' makes.")
    rows = collect.text_table(path)
    if not {"id", "expected", "measured", "tolerance", "verdict"} <= set(rows.columns):
        raise InputError(f"{path} is no table of claims; name a folder of results that were made to the end.")
    return {row["id"]: {str(key): str(value) for key, value in row.items()} for row in rows.to_dict("records")}


def _of_parameters(old: Path, new: Path) -> Iterator[Change]:
    before, after = (_origins(tree) for tree in (old, new))
    for name in before.keys() & after.keys():
        for key, (a, b) in sorted(_unlike(before[name], after[name]).items()):
            yield Change(PARAMETER, f"{name}, {key}", a, b)


def _origins(tree: Path) -> dict[str, dict[str, Any]]:
    """The parameters and the seed of each table."""
    found = {}
    for path in sorted(tree.glob("tables/*.provenance.json")):
        try:
            told = strict_json.read(path)
            found[str(told["experiment"])] = {**dict(told["parameters"]), "seed": told["seed"]}
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise InputError(f"{path} is not a provenance file; make its table again.") from error
    return found


def _unlike(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    keys = [key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key)]
    told = [{key: str(each[key]) if key in each else NONE for key in keys} for each in (old, new)]
    return {key: (told[0][key], told[1][key]) for key in keys}


def _of_tables(old: Path, new: Path, machines: bool) -> Iterator[Change]:
    before, after = ({path.stem: path for path in sorted(tree.glob("tables/*.csv"))} for tree in (old, new))
    for name in before.keys() & after.keys():
        if files.checksum(before[name]) == files.checksum(after[name]):
            continue
        found = (beyond_rounding if machines else deviations)(
            *(files.read_table(each[name]) for each in (before, after))
        )
        for far in found:
            where = f" in row {far.row + 1}" if far.row >= 0 else ""
            yield Change(TABLE, f"{name}.{far.column}{where}", str(far.before), str(far.after), f"{far.relative:.3g}")


def _of_files(old: Path, new: Path) -> Iterator[Change]:
    """Of what a run of these experiments comes out with each time."""
    for name in _names(old, new):
        a, b = (files.checksum(tree / name) if (tree / name).is_file() else NONE for tree in (old, new))
        if a != b:
            yield Change(FILE, name, a[:12], b[:12])


def _of_words(old: Path, new: Path) -> Iterator[Change]:
    """Files that one tree alone has, and rows of claims, errata, ledgers and audits that say something else."""
    for name in _names(old, new):
        if not all((tree / name).is_file() for tree in (old, new)):
            yield Change(FILE, name, *("there" if (tree / name).is_file() else NONE for tree in (old, new)))
        elif name.endswith(".csv") and not name.startswith("tables/"):
            rows = [collect.text_table(tree / name).to_numpy().tolist() for tree in (old, new)]
            rows = [row + [[]] * (max(map(len, rows)) - len(row)) for row in rows]
            other = next((i for i, pair in enumerate(zip(*rows, strict=True)) if not _same_row(*pair)), None)
            if other is not None:
                yield Change(FILE, f"{name}, row {other + 1}", *(", ".join(map(str, row[other])) for row in rows))


def _names(old: Path, new: Path) -> list[str]:
    """Return the results that either tree has and that come out the same each time."""
    experiments = {path.stem for tree in (old, new) for path in tree.glob("tables/*.csv")}
    names = [name for name in collect.repeatable(sorted(experiments)) if name not in OF_A_RUN]
    return [name for name in names if any((tree / name).is_file() for tree in (old, new))]


def _same_row(old: Sequence[object], new: Sequence[object]) -> bool:
    return len(old) == len(new) and all(same_words(str(a), str(b)) for a, b in zip(old, new, strict=True))


def frame(changes: Sequence[Change]) -> pd.DataFrame:
    """The changes as a table."""
    return pd.DataFrame([astuple(change) for change in changes], columns=list(COLUMNS), dtype=str)


def words(changes: Sequence[Change], old: Path, new: Path, most: int, *, machines: bool = False) -> list[str]:
    """The changes for a person: counts, then each kind, at most so many lines of a kind."""
    titles = {
        PARAMETER: "Parameters",
        VERDICT: "Verdicts",
        NUMBER: "Numbers of claims whose verdict is the same",
        TABLE: "Columns of tables, where they differ most (relative difference)",
        FILE: "Files of other bytes",
    }
    counted = {kind: [change for change in changes if change.kind == kind] for kind in KINDS}
    if not changes:
        numbers = "and numbers but for what machines may differ by" if machines else "numbers and bytes"
        return [f"{new} is {old}: the same parameters, verdicts, {numbers}."]
    counts = ", ".join(f"{len(found)} {_plural(kind, len(found))}" for kind, found in counted.items())
    lines = [f"From {old} to {new}: {counts} changed."]
    for kind, found in counted.items():
        if found:
            lines += ["", titles[kind], *(f"  {_line(change)}" for change in found[:most])]
            lines += [f"  … and {len(found) - most} more; --out FILE.csv has all"] if len(found) > most else []
    return lines


def _plural(kind: str, count: int) -> str:
    return {TABLE: "column" if count == 1 else "columns"}.get(kind, kind if count == 1 else f"{kind}s")


def _line(change: Change) -> str:
    before, after = change.before or "(none)", change.after or "(none)"
    if change.kind == FILE:
        only = "" if change.before and change.after else f": only in the {'old' if change.before else 'new'} tree"
        return change.what + only
    told = f" ({change.difference})" if change.difference else ""
    return f"{change.what}: {before} → {after}{told}"
