"""What sections 7.5.3 and 7.6.2 say of two Bernoulli profiles."""

from __future__ import annotations

import math

import pandas as pd

from dpsampling.claims import Claim, agrees, at_most, corrected, never, untestable
from dpsampling.experiments.chapter7.couplet import SETTINGS, family
from dpsampling.profiles.solvers import two_profile_flip

FIGURE, OBSERVATION = "thesis Figure 7.2", "thesis Observation 10, eqs. (7.8) and (7.36)"
ROUNDING = 1e-12
EXAMPLE = (0.9, 0.95, 1.0)  # p_i, p_j, ε


def judge(table: pd.DataFrame) -> list[Claim]:
    """Never more than local privacy; growing; the closed form and its misprint."""
    ours = table[table["mechanism"] == "two-profile"]
    smooth = table[table["mechanism"] == "smooth"]
    warner = table[table["mechanism"] == "randomized-response"].set_index(["epsilon", "p_i", "p_j"])["flip"]
    shared = ours.set_index(["epsilon", "p_i", "p_j"])["flip"]
    own = smooth.set_index(["epsilon", "p_i", "p_j"])["flip"]
    return [
        never(
            "below-local",
            "thesis section 7.6.2, Figure 7.2",
            "our flip probability never exceeds local privacy's",
            violations=int((shared > warner).sum() + (own > warner).sum()),
            cases=len(shared) + len(own),
        ),
        _grows(table),
        _warner(ours),
        at_most(
            "smooth",
            "thesis section 7.6.1",
            "Bernoulli-Couplet is evaluated with the Smooth One Bit mechanism, whose larger flip is at most the common "
            "flip of eq. (7.5) (largest excess)",
            limit=0.0,
            measured=float((own - shared).max()),
            tolerance=ROUNDING,
        ),
        _closed_form(ours),
        untestable(
            "pair",
            FIGURE,
            "flips against p_j − p_i",
            "the parameter that the figure holds fixed and its ε are lost in the scanned text; p_i = 0, pairs "
            "symmetric about 1/2 and ε = 0.2, 1 are a reconstruction",
        ),
    ]


def _grows(table: pd.DataFrame) -> Claim:
    text = "as the difference of the profiles grows, so does the flip probability"
    falls = cases = 0
    for setting in SETTINGS:
        rows = family(table[table["mechanism"] != "randomized-response"], setting)
        for _, mine in rows.groupby(["epsilon", "mechanism"]):
            steps = mine["flip"].diff().dropna()
            falls, cases = falls + int((steps < -ROUNDING).sum()), cases + len(steps)
    return never("grows", "thesis section 7.6.2", text, violations=falls, cases=cases)


def _warner(ours: pd.DataFrame) -> Claim:
    text = "with p = 0 and 1 it is Warner's 1/(1 + e^ε) (largest error)"
    ends = ours[(ours["p_i"] == 0.0) & (ours["p_j"] == 1.0)]
    if ends.empty:
        return untestable("warner", "thesis section 7.5.1", text, "no row of this table has p = 0 and 1")
    errors = [abs(flip - 1.0 / (1.0 + math.exp(e))) for e, flip in zip(ends["epsilon"], ends["flip"], strict=True)]
    return agrees("warner", "thesis section 7.5.1", text, expected=0.0, measured=max(errors), tolerance=ROUNDING)


def _closed_form(ours: pd.DataFrame) -> Claim:
    """The printed maximum in the example, whose optimum is 0; the corrected one over this table and the example."""
    p, q, e = EXAMPLE
    cases = [*zip(ours["p_i"], ours["p_j"], ours["epsilon"], ours["flip"], strict=True), (*EXAMPLE, 0.0)]
    as_corrected = max(abs(two_profile_flip(p_i, p_j, epsilon) - flip) for p_i, p_j, epsilon, flip in cases)
    return corrected(
        "closed-form",
        OBSERVATION,
        "the flip that two profiles p_i ≤ p_j need is at most the maximum of 0, D/(2D + e^ε − 1) and "
        "E/(2E + e^ε − 1), a value with which the constraints are met",
        correction="each term counts only where its D or E is positive, and then the maximum is the least flip itself; "
        f"as printed p = {p:g}, {q:g} at ε = {e:g}, which need no flip, would be flipped with 'probability' "
        f"{printed(p, q, e):.3g}; and the hypothesis p_j ≤ e^ε p_j is always true",
        error_as_printed=printed(p, q, e),
        error_as_corrected=as_corrected,
        tolerance=ROUNDING,
    )


def printed(p: float, q: float, epsilon: float) -> float:
    """The maximum of eq. (7.8) as it stands."""
    growth = math.exp(epsilon)
    gains = (q - growth * p, (1.0 - p) - growth * (1.0 - q))
    return max(0.0, *(gain / (2.0 * gain + growth - 1.0) for gain in gains))
