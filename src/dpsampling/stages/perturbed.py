"""Whether claims can fail: their verdicts on tables that are a little false.

Each column of a table is scaled, shifted, shuffled, set to zero and, where that is not enough, changed in one cell. A
claim that no such change moves does not rest on the table; one whose verdict none flips cannot fail by it. Either is
told, unless the module of the claims excuses it in words:

    EXCUSED = {"id of a claim": "why no change of one column can flip it"}
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_integer_dtype, is_numeric_dtype

from dpsampling.claims import NOTHING, UNTESTABLE, Claim
from dpsampling.claims import PERTURBED_COLUMNS as COLUMNS
from dpsampling.stages import claims as stage
from dpsampling.stages import leaf

FACTORS = (2.0, 0.5, -1.0, 1e-3, 1e3)
SHIFTS = (1.0, -1.0)  # spans of the column
ROWS = 24  # of a table are changed one by one: evenly chosen, beside the extremes of the column
KINDS = 60  # and beside the first and the last row of each combination of words, of so many combinations
ONE_CELL = (1.5, -1.0, 1e3, 0.0)  # factors of one cell


@dataclass(frozen=True)
class Tried:
    """What came of one claim: the first change that moves what is measured, and the first that flips the verdict."""

    claim: Claim
    moved_by: str = ""
    flipped_by: str = ""
    excuse: str = ""

    @property
    def idle(self) -> bool:
        """Nothing makes it fail, and nothing is said of why."""
        judged = self.claim.verdict != UNTESTABLE
        return judged and not self.excuse and not (self.moved_by and self.flipped_by)


def tried(code: str, table: pd.DataFrame, parameters: Mapping[str, Any], *, cells: bool = True) -> list[Tried]:
    """Every claim, under changes of the table until each has been flipped or all are through.

    Without single cells it takes a second, and leaves some unflipped that a cell would flip.
    """
    found = {claim.id: claim for claim in stage.judge(code, table, parameters, "the source")}
    moved, flipped = dict.fromkeys(found, ""), dict.fromkeys(found, "")
    excuses: Mapping[str, str] = leaf.constant(code, "claims", "EXCUSED", {})
    wanted = {name for name, claim in found.items() if claim.verdict != UNTESTABLE}
    movers: dict[str, list[str]] = {name: [] for name in found}  # the columns that move a claim

    def attempt(column: str, what: str, other: pd.DataFrame) -> None:
        for claim in _judged(code, other, parameters):
            own = found.get(claim.id)
            if own is None or claim.verdict == UNTESTABLE:
                continue
            if (claim.measured, claim.expected) != (own.measured, own.expected):
                moved[claim.id] = moved[claim.id] or f"{column} {what}"
                movers[claim.id].append(column)
            if claim.verdict != own.verdict:
                flipped[claim.id] = flipped[claim.id] or f"{column} {what}"

    for column, what, other in whole_columns(table):
        if all(flipped[name] for name in wanted):
            break
        attempt(column, what, other)
    for column, what, other in as_expected(table, [found[name] for name in wanted if not flipped[name]]):
        attempt(column, what, other)
    still = [name for name in wanted if not flipped[name]]
    columns = [name for name in map(str, table.columns) if any(name in (movers[one] or [name]) for one in still)]
    for column, what, other in single_cells(table, columns if cells else ()):
        if all(flipped[name] for name in wanted):
            break
        attempt(column, what, other)
    return [Tried(claim, moved[name], flipped[name], excuses.get(name, "")) for name, claim in found.items()]


def frame(experiment: str, found: list[Tried]) -> pd.DataFrame:
    """One row a claim that is decided."""
    rows = [
        (
            f"{experiment}.{one.claim.id}",
            experiment,
            one.claim.verdict,
            one.moved_by or NOTHING,
            one.flipped_by or NOTHING,
            one.excuse,
        )
        for one in found
        if one.claim.verdict != UNTESTABLE
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=str)


Change = tuple[str, str, pd.DataFrame]  # of which column, what it is, and the table with it


def whole_columns(table: pd.DataFrame) -> Iterator[Change]:
    """Every column, changed from top to bottom."""
    for name in map(str, table.columns):
        for what, column in _whole(table[name]):
            yield name, what, _with(table, name, column)


def as_expected(table: pd.DataFrame, among: Iterable[Claim]) -> Iterator[Change]:
    """The cells that hold what a claim measures, set to what it expects: by no factor does one meet a number."""
    for claim in among:
        with suppress(ValueError):
            measured, expected = float(claim.measured), float(claim.expected)
            for name in map(str, table.columns):
                column = table[name]
                if not is_float_dtype(column):
                    continue
                meant = np.isclose(column.to_numpy(dtype=float), measured, rtol=1e-5, atol=0.0)
                if meant.any():
                    yield (
                        name,
                        f"set to {expected:g} where it is {measured:g}",
                        _with(table, name, column.mask(meant, expected)),
                    )


def single_cells(table: pd.DataFrame, columns: Sequence[str]) -> Iterator[Change]:
    """Some cells of some columns, one at a time."""
    ends = _ends_of_kinds(table)
    for name in columns:
        for what, column in _one_cell(table[name], ends):
            yield name, what, _with(table, name, column)


def _with(table: pd.DataFrame, name: str, column: pd.Series[Any]) -> pd.DataFrame:
    other = table.assign(**{name: column})
    other.attrs = table.attrs
    return other


def _whole(column: pd.Series[Any]) -> Iterator[tuple[str, pd.Series[Any]]]:
    if _is_number(column):
        finite = column[np.isfinite(column.astype(float))].astype(float)
        span = float(finite.max() - finite.min()) or 1.0 if len(finite) else 1.0
        for factor in FACTORS:
            yield f"scaled by {factor:g}", _like(column, column.astype(float) * factor)
        for shift in SHIFTS:
            yield f"shifted by {shift * span:g}", _like(column, column.astype(float) + shift * span)
        yield "set to zero", _like(column, column.astype(float) * 0.0)
    order = np.random.default_rng(0).permutation(len(column))  # which one it is does not matter, only that it stays
    yield "shuffled", pd.Series(column.to_numpy()[order], index=column.index)
    yield "turned round", pd.Series(column.to_numpy()[::-1], index=column.index)


def _ends_of_kinds(table: pd.DataFrame) -> set[int]:
    """The first and the last row of each combination of words."""
    words = [name for name in table.columns if not is_numeric_dtype(table[name])]
    if not words:
        return set()
    kinds = table[words].reset_index(drop=True)
    return {row for keep in ("first", "last") for row in kinds.index[~kinds.duplicated(keep=keep)][:KINDS]}


def _one_cell(column: pd.Series[Any], ends: set[int]) -> Iterator[tuple[str, pd.Series[Any]]]:
    values = list(pd.unique(column.dropna()))
    for row in sorted(ends.union(_rows(column))):
        if _is_number(column):
            for factor in ONE_CELL:
                cell = float(column.iloc[row])
                value = cell * factor if cell else factor
                yield f"in row {row + 1} times {factor:g}", _like(column, _put(column.astype(float), row, value))
        else:
            others = [value for value in values if value != column.iloc[row]]
            if others:
                yield f"in row {row + 1} another", _put(column, row, others[row % len(others)])


def _rows(column: pd.Series[Any]) -> list[int]:
    """Some rows: all of a short table."""
    rows = set(np.linspace(0, len(column) - 1, min(ROWS, len(column))).round().astype(int).tolist())
    if _is_number(column) and len(column.dropna()):
        values = column.astype(float)
        rows |= {int(values.to_numpy().argmax()), int(values.to_numpy().argmin())}
    return sorted(rows)


def _put(column: pd.Series[Any], row: int, value: Any) -> pd.Series[Any]:
    other = column.copy()
    other.iloc[row] = value
    return other


def _is_number(column: pd.Series[Any]) -> bool:
    return is_numeric_dtype(column) and not is_bool_dtype(column)


def _like(column: pd.Series[Any], changed: pd.Series[Any]) -> pd.Series[Any]:
    """Whole numbers stay whole."""
    if is_integer_dtype(column) and np.isfinite(changed).all():
        return changed.round().astype(column.dtype)
    return changed if is_float_dtype(changed) else changed.astype(float)


def _judged(code: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> list[Claim]:
    """The claims; none where the claims cannot read such a table, which is no verdict."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return stage.judge(code, table, parameters, "the source")
    except Exception:
        return []
