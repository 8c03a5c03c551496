"""What the literature says of its mechanisms, and what its black-box testers found."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.audit.known_mechanisms.names import AUDITORIUM, BROKEN, CHECKDP, RIGHT, SNIPER, UNDECIDED
from reproduction.claims import EXACT, PUBLISHED_POINTS, Claim, Marks, agrees, never, untestable
from reproduction.experiments.auditing.public_mechanisms import why_not
from reproduction.experiments.auditing.public_mechanisms.published import bounds
from reproduction.experiments.mended import mended

EVIDENCE = EXACT  # prices are enclosed; only the testers' bounds are estimates

BICHSEL, LYU = "Bichsel et al. 2021", "Lyu et al. 2017"
OURS = f"ours, on the inputs of {BICHSEL}"
SAID_BY = {SNIPER: BICHSEL, CHECKDP: "Wang et al. 2020", AUDITORIUM: "Kong et al. 2023"}
ROUNDING = 1e-9  # of a price that meets its claim
# Said to be private, and not; each with its repair.
MISSTATED = {"mean-noisy": "mean-repaired", "gaussian-noisy": "gaussian-repaired"}
# The price on the published inputs, and to how many digits it is stated.
STATED = {
    "svt-1": (0.088525767999636, 1e-12),
    "svt-6": (0.420, 5e-4),
    "noisy-max-3": (0.250, 5e-4),
    "svt-5": (math.inf, 0.0),
    "noisy-max-4": (math.inf, 0.0),
}

Rows = dict[str, Mapping[Any, Any]]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The verdicts of each group, the published lower bounds, five prices, and two statements that do not hold."""
    rows: Rows = {str(row["specimen"]): row for row in table.to_dict("records")}
    lower_bounds = bounds(params)
    return [
        *(_verdicts(group, source, rows, params) for group, source in SAID_BY.items()),
        _published(rows, lower_bounds, params),
        *(_stated(name, rows[name], lower_bounds, params) for name in STATED),
        _fourth(rows["svt-4"], params),
        *(_misstated(rows[name], rows[repair]) for name, repair in MISSTATED.items()),
    ]


def _verdicts(group: str, source: str, rows: Rows, params: Mapping[str, Any]) -> Claim:
    mine = [row for row in rows.values() if row["group"] == group and row["specimen"] not in MISSTATED]
    text = f"{group}: what is called right is right, and what is called broken is broken"
    if len(mine) < sum(row["group"] == group for row in rows.values()):
        text += " (two more have a claim of their own)"
    if why_not(params):
        return untestable(f"verdicts-{_short(group)}", source, text, why_not(params))
    wrong = sum(not row["verdict"] == row["truth"] == _found(row) for row in mine)
    return never(f"verdicts-{_short(group)}", source, text, violations=wrong, cases=len(mine), of_privacy=True)


def _found(row: Mapping[Any, Any]) -> str:
    """Return what the price says of the claim, from both sides."""
    slack = ROUNDING * row["claimed"]
    if row["lower"] > row["claimed"] + slack:
        return BROKEN
    return RIGHT if row["upper"] <= row["claimed"] + slack else UNDECIDED


def _published(rows: Rows, lower_bounds: Mapping[str, float], params: Mapping[str, Any]) -> Claim:
    """Each bound holds at confidence .9: of 20, 2 might fail by chance, and none does."""
    text = "no mechanism costs less, on the inputs that were looked at, than the black-box lower bound"
    if why_not(params):
        return untestable("lower-bounds", BICHSEL, text, why_not(params), evidence=PUBLISHED_POINTS)
    below = sum(rows[name]["on_published_inputs"] < bound for name, bound in lower_bounds.items())
    return never("lower-bounds", BICHSEL, text, violations=below, cases=len(lower_bounds), evidence=PUBLISHED_POINTS)


def _stated(name: str, row: Mapping[Any, Any], lower_bounds: Mapping[str, float], params: Mapping[str, Any]) -> Claim:
    expected, tolerance = STATED[name]
    text = f"the price of {row['label']} on the published inputs"
    if why_not(params):
        return untestable(name, OURS, text, why_not(params), ours=True)
    text += f" (black box: at least {lower_bounds[name]:.4g})"
    measured = row["on_published_inputs"]
    return agrees(name, OURS, text, expected=expected, measured=measured, tolerance=tolerance, ours=True)


def _fourth(row: Mapping[Any, Any], params: Mapping[str, Any]) -> Claim:
    """With one ⊤ and enough ⊥: (n + 1)/s₂ ≥ 1/s₁ + 2/s₂ from 2 queries on."""
    text = "sparse vector 4 is (1 + 6c)ε/4-private, c = 1, and no better"
    expected = 1.75 * params["epsilon"]
    if params["queries"] < 3:
        return untestable("fourth", LYU, text, "so few queries do not reach it")
    slack, marks = 1e-9 * expected, Marks(of_privacy=True)
    return agrees("fourth", LYU, text, expected=expected, measured=row["lower"], tolerance=slack, **marks)


def _misstated(row: Mapping[Any, Any], repair: Mapping[Any, Any]) -> Claim:
    name, claimed = str(row["specimen"]), row["claimed"]
    text = f"the {row['label']}, is private at the claimed {row['measure']} = {claimed:g}"
    if row["verdict"] == UNDECIDED:
        return untestable(name, SAID_BY[AUDITORIUM], text, "the event that breaks it elsewhere does not decide here")
    correction = (
        "a negative noisy count lets the scale of the noise fall to its floor of 1e-12, and a sum of 0 is "
        f"then told from 1 ({row['witness']}); with the magnitude of the count in the scale it is private"
    )
    errors = max(0.0, row["lower"] - claimed), max(0.0, repair["upper"] - claimed)
    source, slack = SAID_BY[AUDITORIUM], 1e-9 * claimed
    return mended(name, source, text, correction, errors, tolerance=slack, slip=False, of_privacy=True)


def _short(group: str) -> str:
    return group.lower().replace("_", "-")
