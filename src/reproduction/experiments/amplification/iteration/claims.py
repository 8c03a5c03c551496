"""What Theorem 21 says, and what its argument gives at its best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.names import OPTIMAL, PRINTED, UNRELAXED
from reproduction import claims as verdicts
from reproduction.claims import Claim, agrees, never, untestable
from reproduction.experiments.amplification.iteration import EXACT
from reproduction.experiments.mended import mended

EVIDENCE = verdicts.EXACT

THEOREM = "thesis Theorem 21"
ROUNDING = 1e-10
SMALLEST = 1e-290  # below it floats have lost digits


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Order of the three forms, what the best one attains, the limit L = 1, and maps that expand."""
    del params  # all of it is in the table
    expanding, table = table[table["contraction"] > 1], table[table["contraction"] <= 1]
    keys = ["contraction", "steps"]
    wide = table.pivot_table(index=keys, columns="curve", values="epsilon").reset_index()
    wide = wide[wide[EXACT] > SMALLEST]
    below = sum(int(np.sum(wide[form] < wide[EXACT] * (1.0 - ROUNDING))) for form in (PRINTED, UNRELAXED))
    text, where = "no form is below the exact affine kernels", f"{THEOREM}, (6.5)"
    yield never("printed", where, text, violations=below, cases=2 * len(wide), of_privacy=True)
    text = "φ(L) ≤ 1/r, so that (6.5) is above what its path gives, which is above the best path"
    path, best = (wide[form] * (1 - ROUNDING) for form in (UNRELAXED, OPTIMAL))
    disordered = int(np.sum((wide[PRINTED] < path) | (wide[UNRELAXED] < best)))
    yield never("order", THEOREM, text, violations=disordered, cases=len(wide))
    yield _attained(wide)
    yield _one(table)
    yield _rate(wide)
    yield _expanding(expanding)


def _attained(wide: pd.DataFrame) -> Claim:
    text = (
        "the best path of (6.4) gives αΔ²/(2σ²)·L^{2r}(1−L²)/(1−L^{2r}), which affine kernels attain (relative error)"
    )
    if wide.empty:
        reason = "every divergence of this table is too small for a float"
        return untestable("attained", THEOREM, text, reason, ours=True)
    worst = float(np.max(np.abs(wide[OPTIMAL] / wide[EXACT] - 1.0)))
    return agrees("attained", THEOREM, text, expected=0.0, measured=worst, tolerance=ROUNDING, ours=True)


def _one(table: pd.DataFrame) -> Claim:
    text = "at L = 1 the bound is αΔ²/(2rσ²), as in Feldman et al. (relative error of all forms)"
    rows = table[(table["contraction"] == 1) & (table["curve"] != EXACT)]
    if rows.empty:
        return untestable("one", THEOREM, text, "this table has no L = 1")
    expected = rows["order"] * (rows["delta"] / rows["sigma"]) ** 2 / (2.0 * rows["steps"])
    worst = float(np.max(np.abs(rows["epsilon"] / expected - 1.0)))
    return agrees("one", THEOREM, text, expected=0.0, measured=worst, tolerance=ROUNDING)


def _rate(wide: pd.DataFrame) -> Claim:
    """ln ε a step between the first and the last long iteration, over 2 ln L, for each L < 1."""
    text = (
        "the rate O(L^{r+1}/r) bounds one of L^{2r}: ln ε of affine kernels falls by 2 ln L a step (relative error), "
        "and (6.5) is above it by a factor without bound"
    )
    errors = []
    for name, rows in wide.groupby("contraction"):
        contraction = float(str(name))
        long = rows[contraction ** (2.0 * rows["steps"]) < 1e-3]
        if contraction < 1.0 and len(long) >= 2:
            first, last = long.iloc[0], long.iloc[-1]
            fall = math.log(last[EXACT] / first[EXACT]) / float(last["steps"] - first["steps"])
            errors.append(abs(fall / (2.0 * math.log(contraction)) - 1.0))
    if not errors:
        reason = "this table has no two iterations so long that L^{2r} is below 1e-3"
        return untestable("rate", THEOREM, text, reason, ours=True)
    text = f"{text} (here up to {float(np.max(wide[PRINTED] / wide[EXACT])):.3g})"
    return agrees("rate", THEOREM, text, expected=0.0, measured=max(errors), tolerance=1e-3, ours=True)


def _expanding(rows: pd.DataFrame) -> Claim:
    """The sum for L > 1 along its best path, relative to its first value and to its limit αΔ²(L² − 1)/(2σ²)."""
    order, delta, sigma, expansion = (float(rows[name].iloc[0]) for name in ("order", "delta", "sigma", "contraction"))
    levels = rows.sort_values("steps", kind="stable")["epsilon"]
    first, last = float(levels.iloc[0]), float(levels.iloc[-1])
    limit = order * (delta / sigma) ** 2 * (expansion**2 - 1.0) / 2.0
    text = "for L > 1 the result is not useful, since the sum will diverge"
    correction = (
        f"along the best path it falls with r, at L = {expansion:g} to {limit / first:.3g} of its "
        "value at r = 1: the limit is αΔ²(L²−1)/(2σ²) (errors: by how much it falls, and its distance from the limit)"
    )
    errors = max(0.0, 1.0 - last / first), abs(last / limit - 1.0)
    return mended("expanding", THEOREM, text, correction, errors, tolerance=1e-9, slip=False)
