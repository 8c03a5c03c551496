"""What sections 7.5.3 and 7.6.2 say of two Bernoulli profiles.

What the figure shows is judged on the pairs and levels chosen here, for its own are lost; what is said of all pairs is
not the figure's, and each pair is exact.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, RECONSTRUCTED, Claim, agrees, at_most, never, untestable
from reproduction.experiments.mended import mended
from reproduction.experiments.profiles.couplet import COMMON, EXAMPLE, LOCAL, OWN
from reproduction.experiments.profiles.couplet.curves import SYMMETRIC, ZERO, family

EVIDENCE = EXACT

FIGURE, OBSERVATION = "thesis Figure 7.2", "thesis Observation 10, eqs. (7.8) and (7.36)"
ROUNDING = 1e-12


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Never more than local privacy; growing; the closed form and its misprint."""
    del params  # all that is judged stands in the table
    warner, shared, own = (_flips(table, mechanism) for mechanism in (LOCAL, COMMON, OWN))
    ends = warner.index.get_level_values("p_j") - warner.index.get_level_values("p_i") >= 1.0
    above = sum(int(((flips > warner) | ((flips >= warner) & ~ends)).sum()) for flips in (shared, own))
    text = "our flip probability stays below local privacy's, which it meets where the profiles are 0 and 1 only"
    where, cases = "thesis section 7.6.2, Figure 7.2", len(shared) + len(own)
    yield never("below-local", where, text, violations=above, cases=cases, evidence=RECONSTRUCTED)
    yield _grows(table)
    yield _warner(table[table["mechanism"] == COMMON])
    text = (
        "Bernoulli-Couplet is evaluated with the Smooth One Bit mechanism, whose larger flip is at most the common "
        "flip of eq. (7.5) (largest excess)"
    )
    measured = float((own - shared).max())
    yield at_most("smooth", "thesis section 7.6.1", text, limit=0.0, measured=measured, tolerance=ROUNDING, ours=True)
    yield _closed_form(table[table["mechanism"].isin((COMMON, EXAMPLE))])
    reason = (
        "the parameter that the figure holds fixed and its ε are lost in the scanned text; p_i = 0, pairs "
        "symmetric about 1/2 and ε = 0.2, 1 are a reconstruction"
    )
    yield untestable("pair", FIGURE, "flips against p_j − p_i", reason, evidence=RECONSTRUCTED)


def _flips(table: pd.DataFrame, mechanism: str) -> pd.Series[float]:
    """A mechanism's flips by ε and pair."""
    return table[table["mechanism"] == mechanism].set_index(["epsilon", "p_i", "p_j"])["flip"]


def _grows(table: pd.DataFrame) -> Claim:
    text = "as the difference of the profiles grows, so does the flip probability, from the first that needs one"
    falls = cases = 0
    for name in (ZERO, SYMMETRIC):
        rows = family(table[table["mechanism"].isin((COMMON, OWN))], name)
        for _, mine in rows.groupby(["epsilon", "mechanism"]):
            steps, needed = mine["flip"].diff().iloc[1:], mine["flip"].iloc[:-1].to_numpy() > ROUNDING
            flat = (steps < -ROUNDING) | ((steps <= ROUNDING) & needed)
            falls, cases = falls + int(flat.sum()), cases + len(steps)
    return never("grows", "thesis section 7.6.2", text, violations=falls, cases=cases, evidence=RECONSTRUCTED)


def _warner(shared: pd.DataFrame) -> Claim:
    text = "with p = 0 and 1 it is Warner's 1/(1 + e^ε) (largest error)"
    ends = shared[(shared["p_i"] == 0.0) & (shared["p_j"] == 1.0)]
    if ends.empty:
        return untestable("warner", "thesis section 7.5.1", text, "no row of this table has p = 0 and 1")
    errors = [abs(flip - 1.0 / (1.0 + math.exp(e))) for e, flip in zip(ends["epsilon"], ends["flip"], strict=True)]
    return agrees("warner", "thesis section 7.5.1", text, expected=0.0, measured=max(errors), tolerance=ROUNDING)


def _closed_form(shared: pd.DataFrame) -> Claim:
    """The printed maximum in the example; the completed one, and the mechanism, over all pairs."""
    (example,) = shared[shared["mechanism"] == EXAMPLE].to_dict("records")
    off = shared[["closed_form", "flip"]].sub(shared["least"], axis=0).abs()
    text = (
        "with α the maximum of 0, D/(2D + e^ε − 1) and E/(2E + e^ε − 1) all constraints of (7.5) are met, from which "
        "the bound follows (how far α is from the least flip)"
    )
    correction = (
        "the bound holds, α as a value does not: each term counts only where its D or E is positive, and "
        "then the maximum is the least flip itself; "
        f"as printed p = {example['p_i']:g}, {example['p_j']:g} at ε = {example['epsilon']:g}, which need no flip, "
        f"would be flipped with 'probability' {example['printed']:.3g}; and the hypothesis p_j ≤ e^ε p_j is always "
        "true"
    )
    errors = abs(example["printed"] - example["least"]), float(off.to_numpy().max())
    return mended("closed-form", OBSERVATION, text, correction, errors, tolerance=ROUNDING, slip=False)
