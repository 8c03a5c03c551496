"""What section 6.3 says of Theorem 15."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.names import DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from reproduction.claims import EXACT, Claim, never
from reproduction.experiments.amplification.post_processing import LOWER, TRIANGLE, UNIFORM
from reproduction.experiments.mended import mended

EVIDENCE = EXACT

THEOREM, SECTION = "thesis Theorem 15", "thesis section 6.3"
ROUNDING = 1e-12
BETWEEN = (1e-6, 1.0 - 1e-6)  # coefficients at whose ends strict statements become equalities
TEXTS = {
    DOBRUSHIN: ("dobrushin", "(ε, γδ) holds for γ-Dobrushin kernels"),
    LEVEL_DOBRUSHIN: ("level", "(ε, γδ) holds for (γ, ε̃)-Dobrushin kernels, ε̃ = ln(1 + (e^ε − 1)/δ)"),
    DOEBLIN: ("doeblin", "(ln(1 + γ(e^ε − 1)), γ(1 − e^{ε′−ε}(1 − δ))) holds for γ-Doeblin kernels"),
    ULTRA_MIXING: ("ultra", "(ln(1 + γ(e^ε − 1)), γδe^{ε′−ε}) holds for γ-ultra-mixing kernels"),
    LOWER: ("lower", "(ε′, γδ + γ(1−δ)(e^ε − e^{ε′})/(1 + e^ε)) holds for γ-Dobrushin kernels, at any ε′ ≤ ε"),
}


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """The bounds against the exact δ, and the remarks that follow the theorem."""
    del params  # all of it is in the table
    triangle, table = table[table["kernel"] == TRIANGLE], table[table["kernel"] == UNIFORM]
    groups = {str(name): rows for name, rows in table.groupby("condition")}
    for condition, (name, text) in TEXTS.items():
        rows = groups[condition]
        below = int(np.sum(rows["delta_bound"] < rows["delta_exact"] - ROUNDING))
        text, ours = f"{text}: the exact δ at ε′ is no larger", condition == LOWER
        yield never(name, THEOREM, text, violations=below, cases=len(rows), of_privacy=True, ours=ours)
    four = table[table["condition"] != LOWER]
    larger = int(np.sum(four["epsilon_bound"] > four["epsilon"]))
    yield never("epsilon", SECTION, "ε′ ≤ ε in all four cases", violations=larger, cases=len(four))
    yield _forms(four)
    yield _increasing(groups)
    first, second = groups[DOBRUSHIN]["delta_bound"].to_numpy(), groups[LEVEL_DOBRUSHIN]["delta_bound"].to_numpy()
    worse = int(np.sum(second > first))
    yield never("stronger", SECTION, "the second bound is stronger than the first", violations=worse, cases=len(first))
    yield from _doeblin(groups[DOEBLIN])
    yield _amplifies_epsilon(triangle, groups[LOWER], groups[DOEBLIN])


def _forms(rows: pd.DataFrame) -> Claim:
    """Judge what the printed forms do to ε, where γ is inside."""
    inside = rows[rows["gamma"].between(*BETWEEN)]
    keeps = inside["condition"].isin((DOBRUSHIN, LEVEL_DOBRUSHIN))
    changed, kept = inside["epsilon_bound"] != inside["epsilon"], inside["epsilon_bound"] >= inside["epsilon"]
    wrong = (keeps & changed) | (~keeps & kept)
    text = "as bounds, the first two forms keep ε, and the last two make it smaller"
    return never("forms", SECTION, text, violations=int(wrong.sum()), cases=len(inside))


def _increasing(groups: Mapping[str, pd.DataFrame]) -> Claim:
    """Each form with the kernel's own γ of its condition, in the theorem's order; kernels stand in one order."""
    forms = [groups[name].reset_index(drop=True) for name in (DOBRUSHIN, LEVEL_DOBRUSHIN, DOEBLIN, ULTRA_MIXING)]
    levels = [form[["epsilon_bound", "delta_bound"]].to_numpy(dtype=float) for form in forms]
    excess = [np.max(after - before, axis=1) for before, after in pairwise(levels)]
    failures = ", ".join(f"{int(np.sum(step > ROUNDING))} of {len(step)}" for step in excess)
    text = (
        "the four bounds are increasingly strong (read as: at one kernel, each with its own γ, none has a larger ε′ or "
        "δ′ than the one before)"
    )
    correction = (
        "the second is no weaker than the first, and no more: Doeblin's δ′ may be the larger one, and so "
        f"may ultra-mixing's ε′, whose γ is larger (the three steps fail on {failures} kernels; errors are of ε′ or δ′)"
    )
    errors = max(0.0, *(float(step.max()) for step in excess)), max(0.0, float(excess[0].max()))
    return mended("increasing", SECTION, text, correction, errors, tolerance=ROUNDING, slip=False, ours=True)


def _doeblin(rows: pd.DataFrame) -> Iterator[Claim]:
    """Judge what the Doeblin form does to δ."""
    inside = rows[rows["gamma"].between(*BETWEEN)]
    pure = inside[inside["delta"] == 0]
    leaky = inside[inside["delta"] > 0]
    zero = int(np.sum(pure["delta_bound"] <= 0))
    limit = leaky["delta"] * leaky["epsilon"].map(lambda e: 1.0 / -math.expm1(-e)) / (1.0 - leaky["delta"])
    decided = np.abs(leaky["gamma"] - limit) > ROUNDING
    amplifies = leaky["delta_bound"] <= leaky["delta"]
    wrong = int(np.sum(decided & (amplifies != (leaky["gamma"] <= limit))))
    yield never("positive", SECTION, "the Doeblin form has δ′ > 0 even where δ = 0", violations=zero, cases=len(pure))
    text = "the Doeblin form makes δ smaller only if γ ≤ δe^ε/((1−δ)(e^ε−1)), and then it does"
    yield never("threshold", SECTION, text, violations=wrong, cases=int(decided.sum()))


def _amplifies_epsilon(triangle: pd.DataFrame, lower: pd.DataFrame, doeblin: pd.DataFrame) -> Claim:
    """A kernel without Doeblin's condition, after leaky randomized response; and both forms at equal γ elsewhere."""
    row, unmixed = (triangle[triangle["condition"] == condition].iloc[0] for condition in (LOWER, DOEBLIN))
    epsilon, delta, level, left = (float(row[name]) for name in ("epsilon", "delta", "epsilon_bound", "delta_bound"))
    above = doeblin.set_index(["mechanism", "gamma"])["delta_bound"]
    mine = lower.set_index(["mechanism", "gamma"])["delta_bound"]
    shared = above.index.intersection(mine.index)
    excess = float(np.max(mine[shared] - above[shared])) if len(shared) else 0.0
    text = (
        "the first two conditions (read as the conditions, and not as the theorem's bounds) only provide amplification "
        "in δ, while the last two also amplify ε"
    )
    correction = (
        "an (ε, δ)-DP mechanism has a δ at every lower ε′ too, which Dobrushin's γ multiplies: a kernel "
        f"with no Doeblin condition (γ = {unmixed['gamma']:g}) and γ = {row['gamma']:.3g} of Dobrushin takes "
        f"({epsilon:g}, {delta:g}) to ({level:.4g}, {left:.4g}); at equal γ this is never above Doeblin's form, which "
        "it implies (errors: by how much ε falls, and by how much the claim for the exact kernel or Doeblin's form is "
        "exceeded)"
    )
    errors = epsilon - level, max(0.0, float(row["delta_exact"]) - left, excess)
    return mended("amplifies", SECTION, text, correction, errors, tolerance=ROUNDING, slip=False, ours=True)
