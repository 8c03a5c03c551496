"""What Theorem 22 and Lemma 7 say, and what holds at best."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.names import CONVEX, OPTIMAL, PRINTED
from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, agrees, at_least, at_most, never, untestable
from reproduction.experiments.amplification.gradient_steps import contraction
from reproduction.experiments.amplification.loss_claims import SECTION, unharmed
from reproduction.experiments.amplification.noisy_sgd import PAIRS
from reproduction.experiments.mended import mended

EVIDENCE = EXACT

THEOREM, LEMMA = "thesis Theorem 22", "thesis Lemma 7"
ROUNDING = 1e-9
CONSTANTS = ("lipschitz", "smoothness", "convexity", "rate", "sigma")
SMALLEST = 1e-290  # below it floats have lost digits


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """The forms of ε_i against one another and against exact kernels, the contraction, and the loss."""
    wide = table.pivot_table(index="index", columns="curve", values="epsilon")
    curves = {str(name): rows for name, rows in table.groupby("curve")}
    constants = {name: float(table[name].iloc[0]) for name in CONSTANTS}
    printed = curves[PRINTED]
    below = int(np.sum(printed["epsilon"] < printed["exact"] * (1.0 - ROUNDING)))
    text = "the printed ε_i holds: it is nowhere below the exact level of linear gradients"
    yield never("printed", THEOREM, text, violations=below, cases=len(printed), of_privacy=True)
    yield _attained(curves[OPTIMAL])
    yield _improvement(wide, constants)
    yield _quoted(curves[CONVEX], constants)
    yield from _contractions(float(table["operator_norm"].max()), float(table["largest_ratio"].max()), constants)
    yield unharmed(curves[OPTIMAL].sort_values("index", ascending=False, kind="stable"), params)


def _attained(rows: pd.DataFrame) -> Claim:
    """The table's own levels of linear gradients, which no level of any theorem goes into."""
    rows = rows[rows["exact"] > SMALLEST]
    worst = float(np.max(np.abs(rows["epsilon"] / rows["exact"] - 1.0)))
    text = "the best form (2C²/σ²)·L^{2r}(1−L²)/(1−L^{2(r+1)}) is attained by linear gradients (relative error)"
    return agrees("attained", THEOREM, text, expected=0.0, measured=worst, tolerance=ROUNDING, ours=True)


def _improvement(wide: pd.DataFrame, constants: Mapping[str, float]) -> Claim:
    """ln of the ratio of the convex level and the printed one, whose own factor (n−i+1)/(n−i) falls towards 1."""
    text = (
        "strong convexity improves exponentially on the convex case: the logarithm of their ratio grows with each "
        "record between i and n by the same −ln L or more (least growth)"
    )
    ratio = np.log(wide[CONVEX]) - np.log(wide[PRINTED])
    ratio = ratio[wide[PRINTED] > SMALLEST].sort_index(ascending=False).iloc[1:]  # at i = n there is no step between
    if len(ratio) < 2:
        return untestable("improvement", THEOREM, text, "there are hardly records, or printed levels are too small")
    least = -math.log(_printed(constants)) if _printed(constants) > 0 else 0.0
    growth = float(np.min(np.diff(ratio)))
    return at_least("improvement", THEOREM, text, limit=least, measured=growth, tolerance=ROUNDING)


def _quoted(rows: pd.DataFrame, constants: Mapping[str, float]) -> Claim:
    """At L = 1 the exact kernels give 2C²/((n − i + 1)σ²), so n − i is too much everywhere and infinite at i = n."""
    own = 2.0 * (constants["lipschitz"] / constants["sigma"]) ** 2
    merged = own / (rows["n"] - rows["index"] + 1)
    text = "for convex losses the guarantee at index i is O(C²/((n − i)σ²)), here with the constant 2"
    correction = (
        "2C²/((n − i + 1)σ²), which is finite at i = n; the limit L → 1 of the best form, exact for "
        "isometries (errors are relative, the largest over i)"
    )
    quoted, corrected = (float(np.max(np.abs(level / rows["exact"] - 1.0))) for level in (rows["epsilon"], merged))
    return mended("convex", SECTION, text, correction, (quoted, corrected), tolerance=ROUNDING, slip=True, ours=True)


def _contractions(norm: float, ratio: float, constants: Mapping[str, float]) -> Iterator[Claim]:
    """Lemma 7's constant, the sharp one, the operator norm that attains it, and random pairs of points."""
    printed, sharp = _printed(constants), contraction(constants)
    text = f"x − η∇f contracts by the printed L = {printed:.6g} (the sharp constant)"
    yield at_most("contraction", LEMMA, text, limit=printed, measured=norm, tolerance=1e-12, of_privacy=True)
    text = "the sharp constant is 1 − ηρ: a quadratic with curvatures from ρ to β has it as its operator norm"
    yield agrees("sharp", LEMMA, text, expected=sharp, measured=norm, tolerance=1e-12, ours=True)
    text = f"gradient steps of the problem that is run contract by 1 − ηρ (largest ratio of {PAIRS} pairs)"
    marks: Marks = {"evidence": MONTE_CARLO, "ours": True}
    yield at_most("measured", LEMMA, text, limit=sharp, measured=ratio, tolerance=1e-12, **marks)


def _printed(constants: Mapping[str, float]) -> float:
    """√(1 − 2ηβρ/(β + ρ)); fractions, as floats would lose its digits near 0."""
    rate, smoothness, convexity = (Fraction(constants[name]) for name in ("rate", "smoothness", "convexity"))
    return math.sqrt(max(Fraction(0), 1 - 2 * rate * smoothness * convexity / (smoothness + convexity)))
