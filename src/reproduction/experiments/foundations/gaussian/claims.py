"""What Proposition 3.15 says of the Gaussian mechanism, at one sample and at every distance of Definition 2.15.

Verdicts are from `delta_integral`; the closed form is judged by it first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim, at_least, corrected, number, untestable
from reproduction.experiments.foundations import gaussian as said
from reproduction.experiments.foundations.judging import alike, none, saved
from reproduction.experiments.foundations.rows import where

EVIDENCE = EXACT

PROPOSITION, COROLLARY = "DP review 2019 Proposition 3.15", "DP review 2019 Corollary 3.17"
DEFINITION = "DP review 2019 Definition 2.15"
ROUNDING = 1e-7  # relative, of integrals
PROVEN = 1.0  # below it the textbook's proof holds
WITHIN = "as far as dε ≤ ε*(δ), the last ε at distance 1: δ depends on dε alone"
FAR = 50.0  # dε, from where on a count under the classical noise of any δ here has lost its promise for good


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """At distance 1, at all distances, and what stands instead."""
    del params  # all of it is in the table
    classical, analytic = (where(table, calibration=name) for name in (said.CLASSICAL, said.ANALYTIC))
    near = where(classical, distance=1)
    far = table[(table["calibration"] != said.ANALYTIC) | (table["distance"] > 1)]  # made to keep it at distance 1
    return [
        alike(
            "routes",
            "Balle and Wang 2018",
            f"the closed form of δ(ε) is the integral of its definition in {len(table)} cases (largest relative error)",
            table["delta_integral"] / table["delta_true"] - 1.0,
            ROUNDING,
        ),
        _one_sample(table, near),
        none(
            "prop3.15-proof",
            PROPOSITION,
            "at distance 1 and ε < 1, the range of the proof it refers to, the classical σ keeps (ε, δ)",
            _broken(near[near["epsilon"] < PROVEN]),
            ours=True,
            of_privacy=True,
        ),
        _every_distance(table, classical),
        saved(
            "cor3.17",
            COROLLARY,
            "privacy and accuracy together: σ ≥ √(2 ln(5/(4δ)))κ/ε is (ε, δ)-DP at every distance (the tail holds)",
            _broken(classical),
            WITHIN,
            _broken(_within(table, classical)),
            of_privacy=True,
        ),
        _product(classical),
        none(
            "any-sigma",
            DEFINITION,
            f"a noisy count, at the classical or the least σ, is not (dε, δ)-DP at any distance d of {FAR:g}/ε or more",
            ~_broken(far[far["distance"] * far["epsilon"] >= FAR]),
            ours=True,
        ),
        _least(where(analytic, distance=1)),
        none(
            "analytic-distance",
            DEFINITION,
            "the least σ for (ε, δ) at distance 1 keeps (dε, δ) at no distance d > 1",
            ~_broken(analytic[analytic["distance"] > 1]),
            ours=True,
        ),
        _wasted(table),
    ]


def _excess(rows: pd.DataFrame) -> pd.Series[float]:
    """By how much of itself δ is exceeded."""
    return (rows["delta_integral"] / rows["delta"] - 1.0).clip(lower=0.0)


def _within(table: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Rows whose product dε is no further than the last ε of their δ."""
    limits = where(table, calibration=said.LIMIT).set_index("delta")["epsilon"]
    return rows[rows["distance"] * rows["epsilon"] <= rows["delta"].map(limits)]


def _broken(rows: pd.DataFrame) -> pd.Series[bool]:
    return _excess(rows) > ROUNDING


def _one_sample(table: pd.DataFrame, near: pd.DataFrame) -> Claim:
    """The last ε of each δ is part of the table."""
    last = where(table, calibration=said.LIMIT)
    text = "σ ≥ √(2 ln(5/(4δ)))κ/ε is (ε, δ)-DP for neighbours at distance 1, whatever ε is"
    if not len(near):
        return untestable("prop3.15", PROPOSITION, text, "no row of this table has distance 1", of_privacy=True)
    failing = near[_broken(near)]
    if len(failing):
        worst = failing.sort_values(["epsilon", "delta"]).iloc[0]
        text += (
            f" (least ε where it fails: {worst['epsilon']:g}, at δ = {worst['delta']:g}: {worst['delta_integral']:.4g})"
        )
    limits = ", ".join(
        f"{epsilon:.4g} at δ = {delta:g}" for delta, epsilon in zip(last["delta"], last["epsilon"], strict=True)
    )
    within = pd.concat([_within(table, near), last])
    return corrected(
        "prop3.15",
        PROPOSITION,
        text,
        correction=f"for ε up to ε*(δ) and no further: {limits} (errors are the largest relative excess over δ)",
        error_as_printed=float(_excess(near).max()),
        error_as_corrected=float(_excess(within).max()),
        tolerance=ROUNDING,
        slip=False,
        of_privacy=True,
    )


def _every_distance(table: pd.DataFrame, classical: pd.DataFrame) -> Claim:
    """(dε, δ) at distance d, also for a small ε."""
    text = "σ ≥ √(2 ln(5/(4δ)))κ/ε is (ε, δ)-DP at every distance d > 1, where e^{dε} stands for e^ε"
    rows = classical[classical["distance"] > 1]
    small = rows[(rows["epsilon"] < PROVEN) & _broken(rows)]
    if len(small):
        first = small.sort_values(["epsilon", "distance", "delta"]).iloc[0]
        text += (
            f" (at ε = {first['epsilon']:g}, δ = {first['delta']:g} it fails at distance {first['distance']:.0f}: "
            f"{first['delta_integral']:.4g})"
        )
    source, within = f"{PROPOSITION} by Definition 2.15", _broken(_within(table, rows))
    return saved("prop3.15-distance", source, text, _broken(rows), WITHIN, within, of_privacy=True)


def _product(classical: pd.DataFrame) -> Claim:
    """Of the classical σ, μ = dκ/σ is dε over a number that δ alone decides."""
    text = "the δ of the classical σ depends on ε and the distance by their product alone (largest relative difference)"
    product = (classical["epsilon"] * classical["distance"]).round(9)
    groups = classical.groupby([classical["delta"], product])["delta_true"].agg(["min", "max", "count"])
    groups = groups[groups["count"] > 1]
    if not len(groups):
        return untestable("product", PROPOSITION, text, "no two rows of this table have the same product")
    return alike("product", PROPOSITION, text, groups["max"] / groups["min"] - 1.0, ROUNDING, ours=True)


def _least(near: pd.DataFrame) -> Claim:
    text = "the least σ for (ε, δ) spends all of δ at distance 1 (largest relative difference)"
    differences = near["delta_integral"] / near["delta"] - 1.0
    return alike("analytic", "Balle and Wang 2018", text, differences, ROUNDING, "no row of this table has distance 1")


def _wasted(table: pd.DataFrame) -> Claim:
    """Where the classical σ holds it is larger than it need be."""
    near = where(table, distance=1).pivot_table(index=["epsilon", "delta"], columns="calibration", values="sigma")
    near = near[near.index.get_level_values("epsilon") < PROVEN]
    text = "below ε = 1 the classical σ is larger than the least one"
    if not len(near) or not {said.CLASSICAL, said.ANALYTIC} <= set(near.columns):
        return untestable("wasted", PROPOSITION, text, "no row of this table has ε < 1 and distance 1")
    ratio = near[said.CLASSICAL] / near[said.ANALYTIC]
    text = f"{text}, by up to {number(float(ratio.max()))} times (least ratio)"
    return at_least("wasted", PROPOSITION, text, limit=1.0, measured=float(ratio.min()), ours=True)
