"""What section 4.5 says of the pictures, judged on the log that was used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import pandas as pd

from dpsampling.event_logs.names import CLIP
from dpsampling.event_logs.schema import SOME
from reproduction.claims import Claim, at_least, never, untestable
from reproduction.experiments.warlogs.checks import beside, unlike_fits
from reproduction.experiments.warlogs.pictures import DISTRIBUTION, DISTRIBUTIONS, ESTIMATES, EVERYTHING, STATES
from reproduction.experiments.warlogs.text import evidence, origin, simulated

SOURCE = "thesis section 4.5"
EPSILON = 5
MECHANISM = {"multiplier": 100, "variant": CLIP}  # of OPS, and of the Laplace mechanism
PAPER_STATES = {"iraq": 2, "afghanistan": 3, "afghanistan_textless": 3}
# What the text names first for each state of Iraq: type, category, and the casualties that are most frequent.
OUTCOMES = {
    1: {"type": "Friendly Action", "category": "Cache Found/Cleared", "casualties": "enemy"},
    2: {"type": "Explosive Hazard", "category": "IED Explosion", "casualties": "civilian"},
}
SUPPLEMENT = "UAI 2016 supplement appendix E.2"
PEAK = "2007-09"  # the first month of the peak of troops


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Those of the view."""
    log = params["log"]
    return list(VIEWS[params["view"]](table, params, origin(table, log), evidence(table, log)))


def _change(table: pd.DataFrame, params: Mapping[str, Any], where: str, rests: str) -> Iterator[Claim]:
    """Iraq changes from state 2 to state 1 after the peak of troops of September to November 2007."""
    statement = (
        "state 2 gives way to state 1 in most regions, and after troops had peaked in September to November 2007: "
        f"months from September 2007 to the change, median over regions ({where})"
    )
    persistence = f"states persist: share of months whose state is that of the month before ({where})"
    why = _why_not(table, params)
    if why:
        yield untestable("change", SOURCE, statement, why, evidence=rests)
        yield untestable("persistence", SOURCE, persistence, why, evidence=rests, ours=True)
        return
    months, grids = _grids(table)
    if PEAK in months:
        yield at_least("change", SOURCE, statement, limit=1, measured=_median_change(grids, months), evidence=rests)
    else:
        yield untestable("change", SOURCE, statement, f"the log has no month {PEAK}", evidence=rests)
    same = [a == b for states in grids for a, b in pairwise(states)]
    share = sum(same) / len(same)
    yield at_least("persistence", SOURCE, persistence, limit=0.8, measured=share, evidence=rests, ours=True)


def _grids(table: pd.DataFrame) -> tuple[list[str], list[list[int]]]:
    """Return the months, and for each region its states in them."""
    months = list(dict.fromkeys(table["month"]))
    regions = (table[table["region"] == region] for region in dict.fromkeys(table["region"]))
    return months, [[int(state) for state in rows.set_index("month")["state"][months]] for rows in regions]


def _median_change(grids: list[list[int]], months: list[str]) -> float:
    """By region, the step from 2 to 1 with the fewest months on the wrong side, where it fits better than none."""
    peak = months.index(PEAK)
    changes = []
    for states in grids:
        wrong = [states[:t].count(1) + states[t:].count(2) for t in range(len(states) + 1)]
        best = min(range(len(wrong)), key=wrong.__getitem__)
        if wrong[best] < min(wrong[0], wrong[-1]):
            changes.append(best - peak)
    if len(changes) * 2 <= len(grids):  # most regions do not change
        return float("-inf")
    return float(pd.Series(changes).median())


def _outcomes(table: pd.DataFrame, params: Mapping[str, Any], where: str, rests: str) -> Iterator[Claim]:
    """The most frequent outcomes of a state; of a third one the text says nothing."""
    if params["state"] not in OUTCOMES:
        return
    named = OUTCOMES[params["state"]]
    words = ", ".join(named.values())
    statement = f"the state's most frequent outcomes are {words} (type, category, casualties; {where})"
    why = _why_not(table, params) if params["log"] == "iraq" else beside("log", params["log"], "iraq")
    if why:
        yield untestable("outcomes", SOURCE, statement, why, evidence=rests)
        return
    measured = _most_frequent(table)
    wrong = sum(measured.get(feature) != outcome for feature, outcome in named.items())
    yield never("outcomes", SOURCE, statement, violations=wrong, cases=len(named), evidence=rests)


def _most_frequent(table: pd.DataFrame) -> dict[str, str]:
    likeliest, indicators = {}, {}
    for feature, rows in table.groupby("feature"):
        if set(rows["outcome"]) == {"none", "some"}:
            indicators[str(feature)] = float(rows.loc[rows["outcome"] == "some", "probability"].iloc[0])
        else:
            likeliest[str(feature)] = str(rows["outcome"].iloc[int(rows["probability"].to_numpy().argmax())])
    likeliest["casualties"] = max(indicators, key=indicators.__getitem__)
    return likeliest


def _noise(table: pd.DataFrame, params: Mapping[str, Any], where: str, rests: str) -> Iterator[Claim]:
    """The last sample is noisier than the estimate from all of them."""
    statement = (
        "the states of the final sample are noisy beside those of the last 100 samples: changes of state in time, last "
        f"sample less all samples ({where})"
    )
    why = _why_not(table, params)
    if why:
        yield untestable("noise", SOURCE, statement, why, evidence=rests)
        return
    all_samples, last = (
        sum(a != b for states in _grids(rows)[1] for a, b in pairwise(states))
        for _, rows in table.groupby("estimate", sort=False)
    )
    yield at_least("noise", SOURCE, statement, limit=1, measured=last - all_samples, evidence=rests)


def _pages(table: pd.DataFrame, params: Mapping[str, Any], where: str, rests: str) -> Iterator[Claim]:
    """Judge what the supplement's pictures show, and what the paper says of the Laplace mechanism on Afghanistan."""
    why = _why_not(table, params)
    yield _used(table, params["states"], where, why, rests)
    if "variant" in params and PAPER_STATES.get(params["log"]) == PAPER_STATES["afghanistan"]:
        yield from _casualties(table, where, why, rests)


def _used(table: pd.DataFrame, states: int, where: str, why: str, rests: str) -> Claim:
    """The supplement's pictures show states that differ."""
    statement = (
        "every state of the picture is used: the least share of cells that a state fills in the estimate from the "
        f"burned-in samples ({where})"
    )
    if why:
        return untestable("used", SUPPLEMENT, statement, why, evidence=rests, ours=True)
    first = table[table["kind"] == table["kind"].iloc[0]]
    shares = first["state"].value_counts(normalize=True).reindex(range(1, states + 1), fill_value=0.0)
    return at_least("used", SUPPLEMENT, statement, limit=0.01, measured=float(shares.min()), evidence=rests, ours=True)


def _casualties(table: pd.DataFrame, where: str, why: str, rests: str) -> Iterator[Claim]:
    """Enemies are hurt or detained less often than the other sides, by state."""
    source = "UAI 2016 section 5"
    hurt = table[(table["kind"] == DISTRIBUTION) & (table["outcome"] == SOME)]
    rates = hurt.pivot_table(index="state", columns="feature", values="probability")
    for name, side, words, expected in (
        ("enemy-friendly", "friendly_or_host", "friendly and host-nation ones in all states", 3),
        ("enemy-civilian", "civilian", "civilian ones in 2 of the 3 states", 2),
    ):
        statement = f"entries with enemy casualties, detained ones included, are rarer than with {words} ({where})"
        if why:
            yield untestable(name, source, statement, why, evidence=rests)
            continue
        fewer = int((rates["enemy"] < rates[side]).sum())
        yield at_least(name, source, f"{statement}: states", limit=expected, measured=fewer, evidence=rests)


def _why_not(table: pd.DataFrame, params: Mapping[str, Any]) -> str:
    """Return what is not of the thesis: the log, the model or the scale; a real extract of a log counts as that log."""
    log = params["log"]
    if log not in PAPER_STATES:
        return f"the thesis has no picture of the log {log}"
    mechanism = {name: value for name, value in MECHANISM.items() if name in params}
    thesis = {"states": PAPER_STATES[log], "epsilon": EPSILON, **mechanism}
    return "; ".join(unlike_fits(params, thesis, simulated=simulated(table, log)))


VIEWS = {STATES: _change, DISTRIBUTIONS: _outcomes, ESTIMATES: _noise, EVERYTHING: _pages}
