"""Whether claims can fail: their verdicts on tables that are a little false.

Each column of a table is scaled, shifted, shuffled, set to zero and, where that is not enough, changed in one cell. A
claim that no such change moves does not rest on the table; one whose verdict none flips cannot fail by it. Either is
told, unless the module of the claims excuses it in words:

    EXCUSED = {"id of a claim": "why no change of one column can flip it"}
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_integer_dtype, is_numeric_dtype

from dpsampling.claims import UNTESTABLE, Claim
from dpsampling.stages import claims as stage
from dpsampling.stages import leaf

COLUMNS = ("id", "experiment", "verdict", "moved_by", "flipped_by", "excuse")
FACTORS = (2.0, 0.5, -1.0, 1e-3, 1e3)
SHIFTS = (1.0, -1.0)  # spans of the column
ROWS = 24  # of a table are changed one by one: evenly chosen, beside the extremes of the column
ONE_CELL = (1.5, -1.0, 1e3, 0.0)  # factors of one cell
NOTHING = "nothing"


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


def tried(code: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> list[Tried]:
    """Every claim, under changes of the table until each has been flipped or all are through."""
    found = {claim.id: claim for claim in stage.judge(code, table, parameters, "the source")}
    moved, flipped = dict.fromkeys(found, ""), dict.fromkeys(found, "")
    excuses: Mapping[str, str] = leaf.constant(code, "claims", "EXCUSED", {})
    wanted = {name for name, claim in found.items() if claim.verdict != UNTESTABLE}
    for what, other in changes(table):
        if all(flipped[name] for name in wanted):
            break
        for claim in _judged(code, other, parameters):
            own = found.get(claim.id)
            if own is None or claim.verdict == UNTESTABLE:
                continue
            if (claim.measured, claim.expected) != (own.measured, own.expected):
                moved[claim.id] = moved[claim.id] or what
            if claim.verdict != own.verdict:
                flipped[claim.id] = flipped[claim.id] or what
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


def changes(table: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Whole columns first, then single cells; each with its words."""
    for name in map(str, table.columns):
        for what, column in _whole(table[name]):
            yield f"{name} {what}", _with(table, name, column)
    for name in map(str, table.columns):
        for what, column in _one_cell(table[name]):
            yield f"{name} {what}", _with(table, name, column)


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


def _one_cell(column: pd.Series[Any]) -> Iterator[tuple[str, pd.Series[Any]]]:
    values = list(pd.unique(column.dropna()))
    for row in _rows(column):
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
