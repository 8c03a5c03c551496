"""What section 4.5 says of the pictures, judged on the log that was used."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pandas as pd

from dpsampling.claims import SIMULATED_LOG, Claim, at_least, at_most, never, untestable
from dpsampling.experiments.warlogs.checks import PAPER
from dpsampling.experiments.warlogs.pictures import DISTRIBUTIONS, ESTIMATES, EVERYTHING, STATES
from dpsampling.experiments.warlogs.text import origin
from dpsampling.warlogs.names import CLIP

EVIDENCE = SIMULATED_LOG

SOURCE = "thesis section 4.5"
EPSILON = 5
PAPER_STATES = {"iraq": 2, "afghanistan": 3}  # by how a log's name begins
# What the text names first for each state of Iraq: type, category, and the casualties that are most frequent.
OUTCOMES = {
    1: {"type": "Friendly Action", "category": "Cache Found/Cleared", "casualties": "enemy"},
    2: {"type": "Explosive Hazard", "category": "IED Explosion", "casualties": "civilian"},
}
TURN = "2007-12"
NEAR = 4  # months


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Those of the view."""
    return VIEWS[params["view"]](table, params)


def _change(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Iraq changes from state 2 to state 1 at the turn of 2007 to 2008."""
    where = origin(table, params["log"])
    statement = (
        "state 2 gives way to state 1 around the turn of 2007 to 2008 in most regions: median over regions of the "
        f"months between the change and December 2007 ({where})"
    )
    persistence = "states persist: share of months whose state is that of the month before"
    months = list(dict.fromkeys(table["month"]))
    grids = [_row(table, region, months) for region in dict.fromkeys(table["region"])]
    same = [a == b for states in grids for a, b in pairwise(states)]
    claims = [
        untestable("change", SOURCE, statement, "the log, the model or the scale is not the thesis's")
        if not _at_paper(params) or TURN not in months
        else at_most("change", SOURCE, statement, limit=NEAR, measured=_median_distance(grids, months)),
    ]
    if _at_paper(params):
        claims.append(
            at_least("persistence", SOURCE, f"{persistence} ({where})", limit=0.8, measured=sum(same) / len(same))
        )
    else:
        claims.append(untestable("persistence", SOURCE, persistence, "the model or the scale is not the thesis's"))
    return claims


def _row(table: pd.DataFrame, region: str, months: list[str]) -> list[int]:
    rows = table[table["region"] == region].set_index("month")["state"]
    return [int(rows[month]) for month in months]


def _median_distance(grids: list[list[int]], months: list[str]) -> float:
    """By region, the step from 2 to 1 with the fewest months on the wrong side, where it fits better than none."""
    turn = months.index(TURN)
    distances = []
    for states in grids:
        wrong = [states[:t].count(1) + states[t:].count(2) for t in range(len(states) + 1)]
        best = min(range(len(wrong)), key=wrong.__getitem__)
        if wrong[best] < min(wrong[0], wrong[-1]):
            distances.append(abs(best - turn))
    if len(distances) * 2 <= len(grids):  # most regions do not change
        return float("inf")
    return float(pd.Series(distances).median())


def _outcomes(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The most frequent outcomes of a state; of a third one the text says nothing."""
    if params["state"] not in OUTCOMES:
        return []
    named = OUTCOMES[params["state"]]
    words = ", ".join(named.values())
    statement = (
        f"the state's most frequent outcomes are {words} (type, category, casualties; {origin(table, params['log'])})"
    )
    if not _at_paper(params) or params["log"] != "iraq":
        return [untestable("outcomes", SOURCE, statement, "the log, the model or the scale is not the thesis's")]
    measured = _most_frequent(table)
    wrong = sum(measured.get(feature) != outcome for feature, outcome in named.items())
    return [never("outcomes", SOURCE, statement, violations=wrong, cases=len(named))]


def _most_frequent(table: pd.DataFrame) -> dict[str, str]:
    found = {}
    indicators = {}
    for feature, rows in table.groupby("feature"):
        if set(rows["outcome"]) == {"none", "some"}:
            indicators[str(feature)] = float(rows.loc[rows["outcome"] == "some", "probability"].iloc[0])
        else:
            found[str(feature)] = str(rows["outcome"].iloc[int(rows["probability"].to_numpy().argmax())])
    found["casualties"] = max(indicators, key=indicators.__getitem__)
    return found


def _noise(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The last sample is noisier than the estimate from all of them."""
    statement = (
        "the states of the final sample are noisy beside those of the last 100 samples: changes of state in time, last "
        f"sample less all samples ({origin(table, params['log'])})"
    )
    if not _at_paper(params):
        return [untestable("noise", SOURCE, statement, "the model or the scale is not the thesis's")]
    changes = {}
    for estimate, rows in table.groupby("estimate", sort=False):
        months = list(dict.fromkeys(rows["month"]))
        grids = [_row(rows, region, months) for region in dict.fromkeys(rows["region"])]
        changes[str(estimate)] = sum(a != b for states in grids for a, b in pairwise(states))
    all_samples, last = changes.values()
    return [at_least("noise", SOURCE, statement, limit=1, measured=last - all_samples)]


def _used(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The supplement's pictures show states that differ."""
    source = "UAI 2016 supplement appendix E.2"
    statement = (
        "every state of the picture is used: the least share of cells that a state fills in the estimate from the "
        f"burned-in samples ({origin(table, params['log'])})"
    )
    if not _at_paper(params):
        return [untestable("used", source, statement, "the scale is not the supplement's")]
    first = table[table["kind"] == table["kind"].iloc[0]]
    shares = first["state"].value_counts(normalize=True).reindex(range(1, params["states"] + 1), fill_value=0.0)
    return [at_least("used", source, statement, limit=0.01, measured=float(shares.min()))]


def _at_paper(params: Mapping[str, Any]) -> bool:
    """The thesis's log, model and scale; a real extract of a log counts as that log."""
    states = next((k for name, k in PAPER_STATES.items() if str(params["log"]).startswith(name)), None)
    usual = params.get("multiplier", 100) == 100 and params.get("variant", CLIP) == CLIP
    usual = usual and params["states"] == states and params["epsilon"] == EPSILON
    return usual and all(params[name] == value for name, value in PAPER.items())


VIEWS = {STATES: _change, DISTRIBUTIONS: _outcomes, ESTIMATES: _noise, EVERYTHING: _used}
