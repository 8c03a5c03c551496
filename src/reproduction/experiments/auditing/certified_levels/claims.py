"""That no exact level is above its target or its promise, and how little of either is left.

Each level is enclosed exactly; that none is an exception is said of the settings that were drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import MONTE_CARLO, Claim, Marks, at_most, never, untestable
from reproduction.experiments.auditing.certified_levels import BELOW_TARGET, DISTORTED, left

EVIDENCE = MONTE_CARLO

OURS: Marks = {"ours": True}
PROMISED: Marks = {"ours": True, "of_privacy": True}

LEAST = 1e-300  # levels below it are floats of few bits
NEAR = 1e-6  # of the way to a horizon: there, a scale that is a few ulps smaller has a level that is far smaller
MIDDLE, MOST = 1e-11, 1e-6


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Enclosures, from balls, against targets and promises, from floats."""
    del params
    aimed = table[table["target"].notna()]
    above_target = int((aimed["upper"] > aimed["target"]).sum())
    above_promise = int(((table["upper"] > table["promised"]) | (table["lower"] > table["upper"])).sum())
    reached = table[(table["distorted"] == DISTORTED) & (table["promised"] > LEAST)]
    text = "no exact level of a calibrated mechanism is above its target (balls against floats)"
    yield never("target", "ours", text, violations=above_target, cases=len(aimed), **PROMISED)
    text = "no exact level is above the promised one (balls against floats)"
    yield never("promise", "ours", text, violations=above_promise, cases=len(table), **PROMISED)
    yield _middle(reached)
    yield _largest(reached)


def _middle(reached: pd.DataFrame) -> Claim:
    text = "half of the calibrations leave less than 1e-11 of the target (median)"
    if reached.empty:
        return untestable("median", "ours", text, "no mechanism here is distorted to reach its target", **OURS)
    return at_most("median", "ours", text, limit=MIDDLE, measured=float(left(reached, BELOW_TARGET).median()), **OURS)


def _largest(reached: pd.DataFrame) -> Claim:
    """A prior mean that is large beside the bound of the records costs the Gaussian mean more; see docs/numbers.md."""
    text = f"the most that a calibration leaves of its target, {NEAR:g} of the way before a horizon and further away"
    some = reached[(reached["to_horizon"] < 1.0 - NEAR) & (reached["family"] != "gaussian-mean")]
    if some.empty:
        return untestable("largest", "ours", text, "no mechanism here is", **OURS)
    return at_most("largest", "ours", text, limit=MOST, measured=float(left(some, BELOW_TARGET).max()), **OURS)
