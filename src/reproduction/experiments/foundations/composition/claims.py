"""What section 2.3, Definition 2.15 and Example 5.2 say or leave open, against exact levels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, Claim, agrees, at_least, at_most, never, untestable
from reproduction.experiments.counterexamples import broken
from reproduction.experiments.foundations import composition as said

EVIDENCE = EXACT

REVIEW = "DP review 2019"
ROUNDING = 1e-9  # relative: claimed levels are floats, and rows at a distance are convolved in floats
TOLD = 4  # failures that a statement names


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Each claim at distance 1, each at every distance, what reconciles them, and Example 5.2."""
    del params  # all of it is in the table
    return [
        _kept(table, said.BASIC, "prop2.28", "Proposition 2.28", "levels and δ's add over k releases"),
        _pure(table),
        _root(table),
        _kept(
            table, said.ADVANCED, "claim2.31", "Claim 2.31", "k releases are (√(2k ln 1/δ′) ε + kε(e^ε − 1), kδ + δ′)"
        ),
        _kept(
            table,
            said.GAUSSIAN,
            "gaussian",
            "Claim 2.31",
            "k releases of Gaussian noise that is exactly (ε, δ) are (√(2k ln 1/δ′) ε + kε(e^ε − 1), kδ + δ′)",
        ),
        *(_far(table, *which) for which in ((said.BASIC, "2.28"), (said.ROOT, "2.30"), (said.ADVANCED, "2.31"))),
        _sound(table),
        _least(table),
        _one_delta(table),
        *_histogram(table),
    ]


def _rows(table: pd.DataFrame, claim: str) -> pd.DataFrame:
    return table[table["claim"] == claim]


def _fails(rows: pd.DataFrame) -> pd.Series:
    """Where the claimed level has more than the stated δ."""
    return rows["delta_true"] > rows["delta_stated"] * (1.0 + ROUNDING) + ROUNDING * (rows["delta_stated"] == 0.0)


def _kept(table: pd.DataFrame, claim: str, name: str, where: str, text: str) -> Claim:
    rows = _rows(table, claim)
    if not len(rows):
        return untestable(name, f"{REVIEW} {where}", text, "no row of this table has so small a δ", of_privacy=True)
    share = (rows["epsilon_exact"] / rows["epsilon_claimed"]).max()
    text = f"{text} (optimal composition needs {share:.3g} of the claimed level at most)"
    violations = int(_fails(rows).sum())
    return never(name, f"{REVIEW} {where}", text, violations=violations, cases=len(rows), of_privacy=True)


def _pure(table: pd.DataFrame) -> Claim:
    rows = _rows(table, said.BASIC).query("delta == 0")
    return agrees(
        "cor2.29",
        f"{REVIEW} Corollary 2.29",
        "ε's add, and no less is true of randomized response (largest error of exact level over kε)",
        expected=0.0,
        measured=float((rows["epsilon_exact"] / (rows["count"] * rows["epsilon"]) - 1.0).abs().max()),
        tolerance=ROUNDING,
        of_privacy=True,
    )


def _root(table: pd.DataFrame) -> Claim:
    """Refuted where some row fails; the first failures are told."""
    first = _rows(table, said.FIRST_FAILURE).sort_values("count", kind="stable")
    told = "; ".join(
        f"from k = {row.count_} at ε = {row.epsilon:g}, δ′ = {row.slack:g} (δ there {row.delta_true:.4g})"
        for row in first.rename(columns={"count": "count_"}).head(TOLD).itertuples()
    )
    rows = pd.concat([_rows(table, said.ROOT), first, _rows(table, said.BEFORE_FAILURE)])
    text = f"k releases are (√k ε ln 1/δ′, kδ + δ′){': fails ' + told if told else ''}"
    right = _rows(table, said.ADVANCED)
    return broken(
        "claim2.30",
        f"{REVIEW} Claim 2.30",
        text,
        violations=int(_fails(rows).sum()),
        cases=len(rows),
        correction="they are (√(2k ln 1/δ′) ε + kε(e^ε − 1), kδ + δ′), which is Claim 2.31",
        left=int(_fails(right).sum()),
        beside=len(right),
        of_privacy=True,
    )


def _far(table: pd.DataFrame, claim: str, number: str) -> Claim:
    rows = _rows(table, said.FAR[claim]).sort_values("distance", kind="stable")
    failing = rows[_fails(rows)]
    told = "" if not len(failing) else f": fails from distance {failing['distance'].iloc[0]}"
    text = (
        f"what it promises of k releases holds at every distance in the sense of Definition 2.15 ({said.FAR_COUNT} "
        f"releases with geometric noise, ε = {rows['epsilon'].iloc[0]:g}, δ′ = {rows['slack'].iloc[0]:g}{told})"
    )
    where = f"{REVIEW} {'Proposition' if number == '2.28' else 'Claim'} {number}"
    name = f"{'prop' if number == '2.28' else 'claim'}{number}-far"
    if claim == said.BASIC:
        return never(name, where, text, violations=len(failing), cases=len(rows), of_privacy=True)
    level = rows["epsilon_claimed"] / rows["distance"]
    grown = rows["delta_stated"] * np.expm1(rows["epsilon_claimed"]) / np.expm1(level)
    return broken(
        name,
        where,
        text,
        violations=len(failing),
        cases=len(rows),
        correction="of what is (ε′, δ′) at distance 1, (dε′, δ′(e^{dε′} − 1)/(e^{ε′} − 1)) at distance d",
        left=int((rows["delta_true"] > grown * (1.0 + ROUNDING)).sum()),
        beside=len(rows),
        of_privacy=True,
    )


def _sound(table: pd.DataFrame) -> Claim:
    """Where Claim 2.30 is no less than one of the two that hold."""
    rows = _rows(table, said.ROOT)
    log = np.log(1.0 / rows["slack"])
    by_sum = np.sqrt(rows["count"]) <= log
    by_advanced = np.sqrt(rows["count"]) * np.expm1(rows["epsilon"]) <= log - np.sqrt(2.0 * log)
    safe = rows[by_sum | by_advanced]
    return never(
        "reconcile-2.30",
        f"{REVIEW} section 2.3",
        "(left open there, which claim to use) Claim 2.30 holds where √k ≤ ln 1/δ′ (it is then above kε) and where "
        "√k(e^ε − 1) ≤ ln 1/δ′ − √(2 ln 1/δ′) (above Claim 2.31)",
        violations=int(_fails(safe).sum()),
        cases=len(safe),
        ours=True,
        of_privacy=True,
    )


def _least(table: pd.DataFrame) -> Claim:
    """Of the two that hold, 2.31 is the lesser from a number of releases on that a formula names."""
    rows = _rows(table, said.ADVANCED)
    sums = rows["count"] * rows["epsilon"]
    many = np.sqrt(rows["count"]) * (2.0 - np.exp(rows["epsilon"])) > np.sqrt(2.0 * np.log(1.0 / rows["slack"]))
    wrong = many != (rows["epsilon_claimed"] < sums)
    least = rows["epsilon_claimed"].where(rows["epsilon_claimed"] < sums, sums)
    share = float((rows["epsilon_exact"] / least)[rows["epsilon_exact"] > 0.0].min())
    return never(
        "reconcile-2.31",
        f"{REVIEW} section 2.3",
        "(left open there, which claim to use) Claim 2.31 promises less than the sum if and only if √k(2 − e^ε) > "
        f"√(2 ln 1/δ′), never for ε ≥ ln 2; where the optimum is not 0 it is as little as {share:.2g} of the lesser",
        violations=int((wrong | (rows["epsilon_exact"] > least * (1.0 + ROUNDING)) & (rows["delta"] == 0.0)).sum()),
        cases=len(rows),
        ours=True,
    )


def _one_delta(table: pd.DataFrame) -> Claim:
    rows = _rows(table, said.AT_DISTANCE).sort_values("distance", kind="stable")
    failing = rows[_fails(rows)]
    told = (
        ""
        if not len(failing)
        else f"; at distance {failing['distance'].iloc[-1]} δ is {failing['delta_true'].iloc[-1]:.3g}"
    )
    grown = rows["delta_stated"] * np.expm1(rows["epsilon_claimed"]) / np.expm1(rows["epsilon"])
    return broken(
        "def2.15",
        f"{REVIEW} Definition 2.15",
        "what is (ε, δ)-private at distance 1 is (dε, δ)-private at distance d, so that groups need "
        "no discussion (Gaussian noise with "
        f"ε = {rows['epsilon'].iloc[0]:g}, δ = {rows['delta'].iloc[0]:g}{told})",
        violations=len(failing),
        cases=len(rows),
        correction="it is (dε, δ(e^{dε} − 1)/(e^ε − 1))-private there: the definition asks for more than the usual one",
        left=int((rows["delta_true"] > grown * (1.0 + ROUNDING)).sum()),
        beside=len(rows),
        ours=True,  # the review says that its definition spares the discussion of groups, not how
        of_privacy=True,
    )


def _histogram(table: pd.DataFrame) -> list[Claim]:
    """What the example leaves open: the true δ beside the one that it names, here and at every distance."""
    found = []
    for delta, name, kept in zip(said.HISTOGRAM_DELTAS, ("ex5.2a", "ex5.2b"), (False, True), strict=True):
        rows = _rows(table, said.HISTOGRAM)
        rows = rows[rows["delta"] == delta].sort_values("distance", kind="stable")
        near = rows[rows["distance"] == 1]
        histogram = f"(left open there) a Gaussian histogram with σ = {rows['sigma'].iloc[0]:g}"
        if len(near):
            true, least = float(near["delta_true"].iloc[0]), float(near["epsilon_exact"].iloc[0])
            told = f"(1, {delta:.4g})-private at distance 1 (true δ; at this δ the least ε is {least:.4g})"
            judge = at_most if kept else at_least
            text = f"{histogram} is {'' if kept else 'not '}{told}"
            source = f"{REVIEW} Example 5.2"
            found.append(judge(name, source, text, limit=delta, measured=true, ours=True))
        failing = rows[_fails(rows)]
        told = "" if not len(failing) else f" (from distance {failing['distance'].iloc[0]} on, of those looked at)"
        found.append(
            at_least(
                f"{name}-far",
                f"{REVIEW} Example 5.2",
                f"{histogram} is not (1, {delta:.4g})-private at every distance, in the sense of Definition 2.15: "
                f"largest true δ{told}",
                limit=delta,
                measured=float(rows["delta_true"].max()),
                ours=True,
            )
        )
    return found
