"""Whether claims can fail: their verdicts on tables that are a little false.

Each column of a table is set to zero, shuffled, shifted, scaled and, where that is not enough, changed in the rows that
share a word, or in one cell. Columns that are known to move a claim come first; once each claim has been moved and
flipped there is nothing more to try. A claim that no such change moves does not rest on the table; one whose verdict
none flips cannot fail by it. Either is told, unless the module of the claims excuses it in words:

    EXCUSED = {"id of a claim": "why no change of one column can flip it"}
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_integer_dtype, is_numeric_dtype

from reproduction.claims import NOTHING, UNTESTABLE, Claim
from reproduction.claims import PERTURBED_COLUMNS as COLUMNS
from reproduction.stages import claims as stage
from reproduction.stages import experiment_contract

FACTORS = (-1.0, 0.5, 1e-3, 2.0, 1e3)
SHIFTS = (1.0, -1.0)  # spans of the column
ROWS = 24  # of a table are changed one by one: evenly chosen, beside the extremes of the column
KINDS = 60  # and beside the first and the last row of each combination of words, of so many combinations
FEW = 12  # values: of a column with so many, each tells a part of the table
IN_PART = (1e3, -1.0)  # factors of a column in one part
ONE_CELL = (1.5, -1.0, 1e3, 0.0)  # factors of one cell


@dataclass(frozen=True)
class Falsification:
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


def perturb(
    code: str, table: pd.DataFrame, parameters: Mapping[str, Any], *, cells: bool = True
) -> list[Falsification]:
    """Every claim, under changes of the table until each has been flipped or all are through.

    Without single cells it takes a second, and leaves some unflipped that a cell would flip.
    """
    search = _Search(code, table, parameters)
    search.probe()
    search.change(search.movers)
    search.attempt_all(as_expected(table, search.left()))
    if cells:
        search.attempt_all(parts(table, search.movers()))
    search.change(search.untried)
    if cells:
        search.attempt_all(single_cells(table, search.suspects()))
    excuses: Mapping[str, str] = experiment_contract.constant(code, "claims", "EXCUSED", {})
    return [
        Falsification(claim, search.moved[name], search.flipped[name], excuses.get(name, ""))
        for name, claim in search.found.items()
    ]


class _Search:
    """What is known so far of which change moves and flips which claim."""

    def __init__(self, code: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> None:
        self.code, self.parameters = code, parameters
        self.columns = [str(name) for name in table.columns]
        self._whole = {name: whole_column(table, name) for name in self.columns}  # what has not been tried of each
        self.found = {claim.id: claim for claim in stage.judge(code, table, parameters, "the source")}
        self.moved, self.flipped = dict.fromkeys(self.found, ""), dict.fromkeys(self.found, "")
        self._moves: dict[str, Counter[str]] = {name: Counter() for name in self.found}  # how much each column does

    def left(self) -> list[Claim]:
        """The decided claims that nothing has moved, or nothing flipped, yet."""
        decided = [claim for claim in self.found.values() if claim.verdict != UNTESTABLE]
        return [claim for claim in decided if not (self.moved[claim.id] and self.flipped[claim.id])]

    def movers(self) -> list[str]:
        """The columns that move a claim that is left, the most telling first."""
        times: Counter[str] = sum((self._moves[claim.id] for claim in self.left()), Counter())  # leaves zeros out
        return [name for name, _ in times.most_common()]

    def suspects(self) -> list[str]:
        """The same, and all others if nothing moves one of these claims."""
        found = self.movers()
        unmoved = any(not self._moves[claim.id].total() for claim in self.left())
        return found + [name for name in self.columns if unmoved and name not in found]

    def probe(self) -> None:
        """One change of each column, which tells what it moves."""
        for changes in self._whole.values():
            self.attempt_all(islice(changes, 1))

    def change(self, columns: Callable[[], list[str]]) -> None:
        """All changes of such columns, one column after the other, as they are at the time."""
        while useful := [name for name in columns() if name in self._whole]:
            self.attempt_all(self._whole.pop(useful[0]))

    def untried(self) -> list[str]:
        """The columns that are left while a claim is."""
        return list(self._whole) if self.left() else []

    def attempt_all(self, changes: Iterable[Change]) -> None:
        """Judge by one changed table after another until nothing is left to flip."""
        for change in changes if self.left() else ():
            self._attempt(change)
            if not self.left():
                break

    def _attempt(self, change: Change) -> None:
        column, what, other = change
        for claim in _judged(self.code, other, self.parameters):
            own = self.found.get(claim.id)
            if own is None:
                continue
            moves = (claim.measured, claim.expected) != (own.measured, own.expected)
            flips = claim.verdict != own.verdict
            if claim.verdict == UNTESTABLE:  # which is no verdict, but tells that the column is one to search
                self._moves[own.id][column] += flips
                continue
            self._moves[own.id][column] += 2 * (moves or flips)
            if moves:
                self.moved[own.id] = self.moved[own.id] or f"{column} {what}"
            if flips:
                self.flipped[own.id] = self.flipped[own.id] or f"{column} {what}"


def frame(experiment: str, found: list[Falsification]) -> pd.DataFrame:
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


def whole_column(table: pd.DataFrame, name: str) -> Iterator[Change]:
    """One column, changed from top to bottom."""
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


def parts(table: pd.DataFrame, columns: Sequence[str]) -> Iterator[Change]:
    """Some columns, changed in the rows that share a word or one of few numbers: by these a claim tells rows apart."""
    numbers = [name for name in columns if _is_number(table[name])]
    kinds = {name: list(pd.unique(table[name].dropna())) for name in map(str, table.columns)}
    kinds = {name: values for name, values in kinds.items() if 1 < len(values) <= FEW}
    for name in numbers:
        for factor in IN_PART:
            for key, values in kinds.items():
                for value in values if key != name else ():
                    column = table[name].astype(float)
                    changed = column.mask(table[key] == value, column * factor)
                    what = f"scaled by {factor:g} where {key} is {value}"
                    yield name, what, _with(table, name, _like(table[name], changed))


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
    """What moves and flips most claims comes first."""
    changes = _scaled_and_shifted(column) if _is_number(column) else iter(())
    yield from islice(changes, 1)
    order = np.random.default_rng(0).permutation(len(column))  # which one it is does not matter, only that it stays
    yield "shuffled", pd.Series(column.to_numpy()[order], index=column.index)
    yield "turned round", pd.Series(column.to_numpy()[::-1], index=column.index)
    yield from changes


def _scaled_and_shifted(column: pd.Series[Any]) -> Iterator[tuple[str, pd.Series[Any]]]:
    values = column.astype(float)
    finite = values[np.isfinite(values)]
    span = float(finite.max() - finite.min()) or 1.0 if len(finite) else 1.0
    yield "set to zero", _like(column, values * 0.0)
    for shift in SHIFTS:
        yield f"shifted by {shift * span:g}", _like(column, values + shift * span)
    for factor in FACTORS:
        yield f"scaled by {factor:g}", _like(column, values * factor)


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
