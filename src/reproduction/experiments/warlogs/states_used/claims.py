"""Section 4.5: with 10 states the private model fills 2 or 3, the non-private one is a model of ten.

From which share on a state has a substantial number of the data points is not said, and the verdict hangs on it: the
readings are ours. A mean over fits is judged with two of its standard errors.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import pandas as pd

from dpsampling.event_logs.names import CLIP
from reproduction.claims import Claim, Marks, agrees, ahead, at_least, untestable
from reproduction.experiments.warlogs.checks import STATES, too_few, unlike_predictions
from reproduction.experiments.warlogs.text import evidence, origin, simulated

SOURCE = "thesis section 4.5"
SURE, SURELY = 2.0, 4.0  # standard errors: of a mean, and of a difference that decides
FEW = 5  # fits; of fewer, nothing is known of their mean's error
Fit = tuple[Mapping[str, Any] | None, str]  # the row of the table that a claim is about, or why there is none


class Reading(NamedTuple):
    """When a state counts as used."""

    suffix: str
    words: str
    mean: str  # columns
    sem: str


CELLS = Reading("", "over 5% of the cells", "states", "sem")
ENTRIES = Reading("-entries", "over 5% of the entries", "by_entries", "by_entries_sem")
TENTHS = Reading("-tenths", "over a tenth of the cells", "tenths", "tenths_sem")
OCCUPIED = Reading("-occupied", "any cell", "occupied", "occupied_sem")


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """For each log and reading."""
    judged = []
    for log in params["logs"]:
        private, plain = _clipped_at_five(table, params, log), _without_privacy(table, params, log)
        where, rests = f"{log}, {origin(table, log)}", evidence(table, log)
        marks: Marks = {"evidence": rests, "ours": True}
        judged += [_private(private, log, where, reading, marks) for reading in (CELLS, ENTRIES, TENTHS)]
        judged += [_plain(plain, log, where, reading, marks) for reading in (CELLS, ENTRIES, OCCUPIED)]
        judged.append(_fewer(private, plain, log, where, rests))
    return judged


def _private(fit: Fit, log: str, where: str, reading: Reading, marks: Marks) -> Claim:
    name = f"laplace-{log}{reading.suffix}"
    statement = (
        f"given 10 states, the Laplace fit at ε = 5 uses 2 to 3 ({where}; clipped counts; mean over fits of states "
        f"with {reading.words})"
    )
    row, why = fit
    if row is None:
        return untestable(name, SOURCE, statement, why, **marks)
    mean, room = float(row[reading.mean]), 0.5 + SURE * float(row[reading.sem])
    return agrees(name, SOURCE, statement, expected=2.5, measured=mean, tolerance=room, **marks)


def _plain(fit: Fit, log: str, where: str, reading: Reading, marks: Marks) -> Claim:
    name = f"non-private-{log}{reading.suffix}"
    statement = (
        f"given 10 states, the non-private fit uses all of them ({where}; mean over fits of states with "
        f"{reading.words})"
    )
    row, why = fit
    if row is None:
        return untestable(name, SOURCE, statement, why, **marks)
    mean, room = float(row[reading.mean]), SURE * float(row[reading.sem])
    return at_least(name, SOURCE, statement, limit=STATES, measured=mean, tolerance=room, **marks)


def _fewer(private: Fit, without: Fit, log: str, where: str, rests: str) -> Claim:
    """The noise as a regulariser: what both of the other claims together say."""
    name = f"fewer-{log}"
    statement = (
        f"the Laplace fit at ε = 5 uses fewer states than the non-private one ({where}; clipped counts; states with "
        f"{CELLS.words}: the difference of the means over fits, in its standard errors)"
    )
    (noisy, why), (plain, _) = private, without
    if noisy is None or plain is None:
        return untestable(name, SOURCE, statement, why, evidence=rests)
    error = math.hypot(float(noisy[CELLS.sem]), float(plain[CELLS.sem]))
    lead = float(plain[CELLS.mean]) - float(noisy[CELLS.mean])
    measured = lead / error if error else math.copysign(math.inf, lead) if lead else 0.0
    return ahead(name, SOURCE, statement, errors=measured, sure=SURELY, evidence=rests)


def _clipped_at_five(table: pd.DataFrame, params: Mapping[str, Any], log: str) -> Fit:
    """The row of clipped counts at the ε nearest to 5, or why there is none."""
    rows = table[(table["log"] == log) & (table["variant"] == CLIP) & table["epsilon"].between(4.0, 6.5)]
    found = rows.loc[(rows["epsilon"] - 5.0).abs().sort_values(kind="stable").index].to_dict("records")
    return _first(found, "no ε near 5 in the table", table, params, log)


def _without_privacy(table: pd.DataFrame, params: Mapping[str, Any], log: str) -> Fit:
    rows = table[(table["log"] == log) & ~table["epsilon"].map(math.isfinite)]
    return _first(rows.to_dict("records"), "no fit without privacy in the table", table, params, log)


def _first(rows: Any, otherwise: str, table: pd.DataFrame, params: Mapping[str, Any], log: str) -> Fit:
    unlike = unlike_predictions(params, simulated=simulated(table, log)) + too_few(params, repeats=FEW)
    if unlike:
        return None, "; ".join(unlike)
    return (rows[0], "") if rows else (None, otherwise)
