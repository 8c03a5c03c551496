"""What section 2.3, Definition 2.15 and Example 5.2 say or leave open, against exact levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, Claim, at_least, at_most, untestable
from reproduction.experiments.foundations import composition as said
from reproduction.experiments.foundations.judging import alike, none, saved
from reproduction.experiments.foundations.rows import Finder, finder, where

EVIDENCE = EXACT

REVIEW = "DP review 2019"
ROUNDING = 1e-9  # relative: claimed levels are floats, and rows at a distance are convolved in floats
TOLD = 4  # failures that a statement names


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Each claim at distance 1, each at every distance, what reconciles them, and Example 5.2."""
    del params  # all of it is in the table
    rows = finder(table, "claim")
    pure = where(rows(said.BASIC), delta=0.0)
    return [
        _kept(rows(said.BASIC), "prop2.28", "Proposition 2.28", "levels and δ's add over k releases"),
        alike(
            "cor2.29",
            f"{REVIEW} Corollary 2.29",
            "ε's add, and no less is true of randomized response (largest error of exact level over kε)",
            pure["epsilon_exact"] / (pure["count"] * pure["epsilon"]) - 1.0,
            ROUNDING,
            of_privacy=True,
        ),
        _root(rows),
        _kept(
            rows(said.ADVANCED), "claim2.31", "Claim 2.31", "k releases are (√(2k ln 1/δ′) ε + kε(e^ε − 1), kδ + δ′)"
        ),
        _kept(
            rows(said.GAUSSIAN),
            "gaussian",
            "Claim 2.31",
            "k releases of Gaussian noise that is exactly (ε, δ) are (√(2k ln 1/δ′) ε + kε(e^ε − 1), kδ + δ′)",
        ),
        _far(where(table, "distance", claim=said.FAR[said.BASIC]), "Proposition", "2.28"),
        _far(where(table, "distance", claim=said.FAR[said.ROOT]), "Claim", "2.30"),
        _far(where(table, "distance", claim=said.FAR[said.ADVANCED]), "Claim", "2.31"),
        _sound(rows(said.ROOT)),
        _least(rows(said.ADVANCED)),
        _one_delta(where(table, "distance", claim=said.AT_DISTANCE)),
        *_histogram(where(table, "distance", claim=said.HISTOGRAM)),
    ]


def _fails(rows: pd.DataFrame) -> pd.Series[bool]:
    """Where the claimed level has more than the stated δ."""
    return rows["delta_true"] > rows["delta_stated"] * (1.0 + ROUNDING) + ROUNDING * (rows["delta_stated"] == 0.0)


def _kept(rows: pd.DataFrame, name: str, place: str, text: str) -> Claim:
    if not len(rows):
        return untestable(name, f"{REVIEW} {place}", text, "no row of this table has so small a δ", of_privacy=True)
    share = (rows["epsilon_exact"] / rows["epsilon_claimed"]).max()
    text = f"{text} (optimal composition needs {share:.3g} of the claimed level at most)"
    return none(name, f"{REVIEW} {place}", text, _fails(rows), of_privacy=True)


def _root(rows: Finder) -> Claim:
    """Refuted where some row fails; the first failures are told."""
    failures = "; ".join(
        f"from k = {row['count']} at ε = {row['epsilon']:g}, δ′ = {row['slack']:g} (δ there {row['delta_true']:.4g})"
        for row in where(rows(said.FIRST_FAILURE), by="count").head(TOLD).to_dict("records")
    )
    return saved(
        "claim2.30",
        f"{REVIEW} Claim 2.30",
        f"k releases are (√k ε ln 1/δ′, kδ + δ′){': fails ' + failures if failures else ''}",
        _fails(rows(said.ROOT, said.FIRST_FAILURE, said.BEFORE_FAILURE)),
        "they are (√(2k ln 1/δ′) ε + kε(e^ε − 1), kδ + δ′), which is Claim 2.31",
        _fails(rows(said.ADVANCED)),
        of_privacy=True,
    )


def _far(rows: pd.DataFrame, kind: str, number: str) -> Claim:
    failing = rows[_fails(rows)]
    failure = f": fails from distance {failing['distance'].iloc[0]}" if len(failing) else ""
    text = (
        f"what it promises of k releases holds at every distance in the sense of Definition 2.15 ({said.FAR_COUNT} "
        f"releases with geometric noise, ε = {rows['epsilon'].iloc[0]:g}, δ′ = {rows['slack'].iloc[0]:g}{failure})"
    )
    source = f"{REVIEW} {kind} {number}"
    if kind == "Proposition":
        return none(f"prop{number}-far", source, text, _fails(rows), of_privacy=True)
    right = "of what is (ε′, δ′) at distance 1, (dε′, δ′(e^{dε′} − 1)/(e^{ε′} − 1)) at distance d"
    beyond = _beyond_groups(rows, rows["epsilon_claimed"] / rows["distance"])
    return saved(f"claim{number}-far", source, text, _fails(rows), right, beyond, of_privacy=True)


def _beyond_groups(rows: pd.DataFrame, level: pd.Series[float]) -> pd.Series[bool]:
    """Where δ at a distance is above what it grows to by groups, from the level at distance 1."""
    grown = rows["delta_stated"] * np.expm1(rows["epsilon_claimed"]) / np.expm1(level)
    return rows["delta_true"] > grown * (1.0 + ROUNDING)


def _sound(rows: pd.DataFrame) -> Claim:
    """Where Claim 2.30 is no less than one of the two that hold."""
    log = np.log(1.0 / rows["slack"])
    by_sum = np.sqrt(rows["count"]) <= log
    by_advanced = np.sqrt(rows["count"]) * np.expm1(rows["epsilon"]) <= log - np.sqrt(2.0 * log)
    return none(
        "reconcile-2.30",
        f"{REVIEW} section 2.3",
        "(left open there, which claim to use) Claim 2.30 holds where √k ≤ ln 1/δ′ (it is then above kε) and where "
        "√k(e^ε − 1) ≤ ln 1/δ′ − √(2 ln 1/δ′) (above Claim 2.31)",
        _fails(rows[by_sum | by_advanced]),
        ours=True,
        of_privacy=True,
    )


def _least(rows: pd.DataFrame) -> Claim:
    """Of the two that hold, 2.31 is the lesser from a number of releases on that a formula names."""
    sums = rows["count"] * rows["epsilon"]
    many = np.sqrt(rows["count"]) * (2.0 - np.exp(rows["epsilon"])) > np.sqrt(2.0 * np.log(1.0 / rows["slack"]))
    wrong = many != (rows["epsilon_claimed"] < sums)
    least = rows["epsilon_claimed"].where(rows["epsilon_claimed"] < sums, sums)
    share = float((rows["epsilon_exact"] / least)[rows["epsilon_exact"] > 0.0].min())
    return none(
        "reconcile-2.31",
        f"{REVIEW} section 2.3",
        "(left open there, which claim to use) Claim 2.31 promises less than the sum if and only if √k(2 − e^ε) > "
        f"√(2 ln 1/δ′), never for ε ≥ ln 2; where the optimum is not 0 it is as little as {share:.2g} of the lesser",
        wrong | (rows["epsilon_exact"] > least * (1.0 + ROUNDING)) & (rows["delta"] == 0.0),
        ours=True,
    )


def _one_delta(rows: pd.DataFrame) -> Claim:
    failure = ""
    for row in rows[_fails(rows)].tail(1).to_dict("records"):
        failure = f"; at distance {row['distance']} δ is {row['delta_true']:.3g}"
    return saved(
        "def2.15",
        f"{REVIEW} Definition 2.15",
        "what is (ε, δ)-private at distance 1 is (dε, δ)-private at distance d, so that groups need "
        f"no discussion (Gaussian noise with ε = {rows['epsilon'].iloc[0]:g}, δ = {rows['delta'].iloc[0]:g}{failure})",
        _fails(rows),
        "it is (dε, δ(e^{dε} − 1)/(e^ε − 1))-private there: the definition asks for more than the usual one",
        _beyond_groups(rows, rows["epsilon"]),
        ours=True,  # the review says that its definition spares the discussion of groups, not how
        of_privacy=True,
    )


def _histogram(table: pd.DataFrame) -> Iterator[Claim]:
    """Judge what the example leaves open: the true δ beside the one that it names, here and at every distance."""
    source = f"{REVIEW} Example 5.2"
    for delta, name, judge in zip(said.HISTOGRAM_DELTAS, ("ex5.2a", "ex5.2b"), (at_least, at_most), strict=True):
        rows = where(table, delta=delta)
        histogram = f"(left open there) a Gaussian histogram with σ = {rows['sigma'].iloc[0]:g}"
        for near in where(rows, distance=1).head(1).to_dict("records"):
            text = (
                f"{histogram} is {'' if judge is at_most else 'not '}(1, {delta:.4g})-private at distance 1 (true δ; "
                f"at this δ the least ε is {near['epsilon_exact']:.4g})"
            )
            yield judge(name, source, text, limit=delta, measured=near["delta_true"], ours=True)
        failing = rows[_fails(rows)]
        failure = f" (from distance {failing['distance'].iloc[0]} on, of those looked at)" if len(failing) else ""
        text = (
            f"{histogram} is not (1, {delta:.4g})-private at every distance, in the sense of Definition 2.15: "
            f"largest true δ{failure}"
        )
        yield at_least(f"{name}-far", source, text, limit=delta, measured=float(rows["delta_true"].max()), ours=True)
