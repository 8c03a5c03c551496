"""Theorem 3 of Robust 2014 as it is stated and as it is proved, and what section 4.3 says of it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, agrees, at_most, untestable
from reproduction.experiments.foundations import distinguish as said
from reproduction.experiments.foundations.judging import none, saved
from reproduction.experiments.foundations.rows import where

EVIDENCE = EXACT

THEOREM, SECTION = "Robust 2014 Theorem 3", "Robust 2014 section 4.3"
FEW = 3  # records, with which Theorem 1 (ii) holds for every family here
SMALL = 1.0 / 16.0  # δ that Lemma 2 can be used with: m ≥ 2 cells need δ ≤ 2^(−2m)
MORE_EFFORT = "increases the effort of the adversary: the error after n draws is no smaller"
STANDARD_ERRORS = 6.0  # two-sided, 2e-9 for each of some hundred
ROUNDING = 1e-12
PAIR = ["family", "pair", "records", "concentration", "n"]  # what tells rows of one pair and number of draws


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All of section 4.3 that errors decide."""
    asked = where(table, query=said.THETA)
    first, second = (where(asked, assumption=number) for number in (1, 2))
    few, bounds = second[second["records"] <= FEW], ("ρ ≥ (3/(4Ln)) ln(1/δ)", "ρ ≥ (3c/(2κn)) ln(1/δ)")
    logarithms = table["delta"].map(lambda delta: math.log(1.0 / delta))
    form = table["distance_bound"] * table["n"] * table["per_unit"] / logarithms
    queries = table.drop_duplicates([*PAIR, "query"]).set_index(PAIR)
    best, indicators = where(queries, query=said.THETA)["exact_error"], queries[queries["query"] != said.THETA]
    of_few = f"{bounds[1]}, data of at most {FEW} records"
    return [
        _sufficient(first, first, "thm3-sufficient-1", f"{THEOREM} (4.3)", bounds[0], bounds[0]),
        _sufficient(second, few, "thm3-sufficient-2", f"{THEOREM} (4.4)", bounds[1], of_few),
        _necessary(first, "thm3-necessary-1", f"{THEOREM}, as proved", bounds[0]),
        _necessary(few, "thm3-necessary-2-few", f"{THEOREM}, as proved", of_few),
        _necessary(second, "thm3-necessary-2", f"{THEOREM}, as proved", bounds[1], kept=few),
        none(
            "thm3-floor",
            f"{THEOREM}, ours",
            "under Assumption 1 no test has an error below 1/(1 + e^{nLρ})",
            first["exact_error"] < first["least_error"] * (1.0 - 1e-9),
            ours=True,
        ),
        agrees(
            "s4.3-same-form",  # (4.3) and (4.4) with D for 2L and κ/c
            SECTION,
            "both bounds are 3 ln(1/δ)/(2nD), D the bound of KL for a unit of ρ (furthest of ρnD/ln(1/δ))",
            expected=1.5,
            measured=float(form.iloc[int((form - 1.5).abs().to_numpy().argmax())]),
            tolerance=1e-9,
        ),
        _effort(
            where(first, pair=said.CHANGED),
            "s4.3-effort-1",
            "where half of the records are ones and one is changed, a smaller L",
            falling=True,
            ours=True,
        ),
        saved(
            # The section's words leave no pair out; of coins that all agree a large L leaves little to tell.
            "s4.3-effort-1-pair",
            SECTION,
            f"whatever the pair of data sets, a smaller L {MORE_EFFORT}",
            _smaller(where(first, pair=said.UNANIMOUS), falling=True),
            "so it is where half of the records are ones and one is changed, not where all agree",
            _smaller(where(first, pair=said.CHANGED), falling=True),
        ),
        _effort(
            few,
            "s4.3-effort-2",
            f"for data of at most {FEW} records, of which one is changed, a larger c",
            falling=False,
        ),
        none(
            "s4.3-strongest",
            SECTION,
            "θ itself is the most powerful query: no indicator of θ that is tried has a smaller error after n draws",
            indicators["exact_error"] - best.reindex(indicators.index) < -ROUNDING,
        ),
        at_most(
            "simulated",
            "ours",
            "errors of simulated adversaries are as computed (largest distance in standard errors, "
            f"{params['runs']} runs under each data set)",
            limit=STANDARD_ERRORS,
            measured=float(((asked["empirical_error"] - asked["exact_error"]).abs() / asked["standard_error"]).max()),
            evidence=MONTE_CARLO,
            ours=True,
        ),
    ]


def _sufficient(rows: pd.DataFrame, kept: pd.DataFrame, name: str, source: str, condition: str, only: str) -> Claim:
    """The theorem's direction, and the other one: what its proof shows, of pairs for which Theorem 1 holds."""
    far = rows[rows["distance"] >= rows["distance_bound"]]
    undetected = far["exact_error"] > far["delta"]
    text = f"the adversary tells x from y with probability 1 − δ if {condition}"
    if undetected.any():
        least = far[undetected].sort_values(["n", "distance"]).iloc[0]
        text += (
            f"; counterexample with the fewest draws: {least['family']}, {least['pair']}, n = {least['n']}, ρ = "
            f"{least['distance']:g} ≥ {least['distance_bound']:.3g}, error "
            f"{least['exact_error']:.3g} > δ = {least['delta']:g}"
        )
    correction = f"only if {only}, for δ ≤ {SMALL:g}: necessary, and far from enough"
    return saved(name, source, text, undetected, correction, _too_near(_distinguished(kept)))


def _distinguished(rows: pd.DataFrame) -> pd.DataFrame:
    """Return where the adversary does tell, at a δ that Lemma 2 can be used with."""
    return rows[(rows["exact_error"] <= rows["delta"]) & (rows["delta"] <= SMALL)]


def _too_near(rows: pd.DataFrame) -> pd.Series[bool]:
    return rows["distance"] < rows["distance_bound"]


def _necessary(rows: pd.DataFrame, name: str, source: str, condition: str, kept: pd.DataFrame | None = None) -> Claim:
    """Our reading of the proof, which ends with a bound from below and does not say which way it goes.

    Where it fails it does so as Theorem 1 (ii) does, of many records: it is `kept` by pairs of few.
    """
    detected = _distinguished(rows)
    wrong = detected[_too_near(detected)]
    text = f"the adversary tells x from y with probability 1 − δ only if {condition}, δ ≤ {SMALL:g}"
    if len(wrong):
        least = wrong.sort_values(["n", "distance"]).iloc[0]
        text += (
            f"; counterexample: {least['family']}, {least['records']} records, n = {least['n']}, error "
            f"{least['exact_error']:.3g} ≤ δ = {least['delta']:g}, ρ = "
            f"{least['distance']:g} < {least['distance_bound']:.3g}"
        )
    elif len(detected):
        share = (detected["distance"] / detected["distance_bound"]).min()
        text += f"; the nearest case has {share:.3g} of that distance"
    if kept is None:
        return none(name, source, text, _too_near(detected), ours=True, of_privacy=True)
    return saved(
        name,
        source,
        text,
        _too_near(detected),
        f"so it is where Theorem 1 (ii) holds, of data of at most {FEW} records",
        _too_near(_distinguished(kept)),
        rare=True,
        ours=True,
        of_privacy=True,
    )


def _effort(rows: pd.DataFrame, name: str, what: str, *, falling: bool, ours: bool = False) -> Claim:
    """At each n, the error against the constant."""
    text, smaller = f"{what} {MORE_EFFORT}", _smaller(rows, falling=falling)
    if not len(smaller):
        return untestable(name, SECTION, text, "the table needs two concentrations or more", ours=ours)
    return none(name, SECTION, text, smaller, ours=ours)


def _smaller(rows: pd.DataFrame, *, falling: bool) -> pd.Series[bool]:
    """Tell of each step from one constant to the next, at each n, whether the error is smaller."""
    rows = rows.drop_duplicates(["family", "constant", "records", "n"])
    rows = rows.sort_values("constant", ascending=not falling, kind="stable")
    return rows.groupby(["family", "n"])["exact_error"].diff().dropna() < -ROUNDING
