"""Theorems 1 and 2 of Robust 2014, pair by pair, with the smallest counterexample where one fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import EXACT, REPRODUCED, Claim, agrees, at_most, never, untestable
from dpsampling.experiments.foundations import posterior_kl as said

EVIDENCE = EXACT

THEOREM_1, THEOREM_2 = "Robust 2014 Theorem 1", "Robust 2014 Theorem 2"
ROUNDING = 1e-9  # relative
HOLDS_TO = {said.EXPONENTIAL: 3, said.LAPLACE: 3, said.NORMAL: 7, said.BITS: 115}  # records
TV_HOLDS_TO = 121
NINE = {"n": 9, "concentration": 1.0, "distance": 5.0}
FOUR_HUNDRED = {"n": 399, "concentration": 1.0, "distance": 0.1}


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All that pairs of posteriors decide."""
    del params  # all of it is in the table
    first = table[table["statement"] == said.FIRST]
    second = table[(table["statement"] == said.SECOND) & (table["family"] != said.PRINTED_NORMAL)]
    return [
        _below(first, "kl_exact", "bound", "thm1i", f"{THEOREM_1} (i)", "KL of posteriors is at most 2Lρ (networks)"),
        *_relaxed_kl(second),
        _below(
            first,
            "log_ratio",
            "log_ratio_bound",
            "thm2i",
            f"{THEOREM_2} (i)",
            "ln ξ(B|x)/ξ(B|y) is at most 2Lρ (all events of finite posteriors; densities of the others)",
        ),
        *_relaxed_tv(second),
        _seen(
            _below(
                table[table["family"] == said.PRINTED_NORMAL],
                "kl_exact",
                "bound",
                "lemma6-kl",
                "Robust 2014 Lemma 6 with Theorem 1 (ii)",
                "KL is at most κρ/λ where σ² ~ Exp(λ)",
            )
        ),
        _falls(second),
        agrees(
            "two-routes",
            "ours",
            "closed forms and integrals of KL differ by nothing (largest difference, of 1 or of KL if that is more)",
            expected=0.0,
            measured=float(((table["kl_exact"] - table["kl_quadrature"]).abs() / table["kl_exact"].clip(1.0)).max()),
            tolerance=1e-8,
        ),
    ]


def _relaxed_kl(rows: pd.DataFrame) -> list[Claim]:
    source = f"{THEOREM_1} (ii)"
    text = "KL of posteriors is at most κρ/c"
    conjugate = rows[rows["family"].isin(said.CONJUGATE)]
    return [
        _seen(_below(conjugate, "kl_exact", "bound", "thm1ii", source, f"{text} (conjugate families)")),
        _one(
            conjugate,
            NINE,
            "kl_exact",
            "bound",
            "thm1ii-nine-zeros",
            source,
            f"{text}: exponential likelihood, prior Exp(1), nine records that are 0, one of which becomes 5",
        ),
        _below(
            rows[rows["family"] == said.RARE],
            "kl_exact",
            "bound",
            "thm1ii-one-record",
            source,
            f"{text}: one record, two parameters, one of which is rare",
        ),
        *(
            _below(
                conjugate[(conjugate["family"] == family) & (conjugate["n"] <= n)],
                "kl_exact",
                "bound",
                f"thm1ii-few-{_plain(family)}",
                source,
                f"{text}: {family} family, n ≤ {n} records",
            )
            for family, n in HOLDS_TO.items()
        ),
        *(
            _first_failure(
                conjugate[conjugate["family"] == family],
                "kl_exact",
                "bound",
                n,
                f"thm1ii-first-{_plain(family)}",
                source,
                f"{text} fails first, {family} family, at n",
            )
            for family, n in HOLDS_TO.items()
        ),
        _below(
            rows,
            "kl_exact",
            "corrected_bound",
            "thm1ii-corrected",
            f"{source}, corrected",
            "KL of posteriors is at most ρ(E[L(θ)|x] + E[L(θ)|y]), whatever the prior",
        ),
    ]


def _relaxed_tv(rows: pd.DataFrame) -> list[Claim]:
    source = f"{THEOREM_2} (ii)"
    text = "|ξ(B|x) − ξ(B|y)| is at most √(κρ/(2c))"
    exponential = rows[rows["family"] == said.EXPONENTIAL]
    return [
        _seen(_below(rows, "tv", "tv_bound", "thm2ii", source, text)),
        _one(
            exponential,
            FOUR_HUNDRED,
            "tv",
            "tv_bound",
            "thm2ii-400",
            source,
            f"{text}: exponential likelihood, prior Exp(1), 399 records that are 0, one of which becomes 0.1",
        ),
        _below(
            exponential[exponential["n"] <= TV_HOLDS_TO],
            "tv",
            "tv_bound",
            "thm2ii-few",
            source,
            f"{text}: exponential family, n ≤ {TV_HOLDS_TO} records",
        ),
        _first_failure(
            exponential,
            "tv",
            "tv_bound",
            TV_HOLDS_TO,
            "thm2ii-first",
            source,
            f"{text} fails first, exponential family, at n",
        ),
    ]


def _plain(family: str) -> str:
    return family.lower()


def _above(rows: pd.DataFrame, exact: str, bound: str) -> pd.DataFrame:
    return rows[rows[exact] > rows[bound] * (1.0 + ROUNDING)]


def _below(rows: pd.DataFrame, exact: str, bound: str, name: str, source: str, text: str) -> Claim:
    """No row above its bound; the text tells the largest share, or the failure with fewest records, nearest."""
    rows = rows[rows[exact].notna() & rows[bound].notna()]
    above = _above(rows, exact, bound)
    if len(above):
        least = above.sort_values(["n", "distance"]).iloc[0]
        text += (
            f"; counterexample with the fewest records: {least['family']}, n = {least['n']:g}, {least['pair']}, prior "
            f"with {said.SYMBOLS[least['family']]} = {least['concentration']:g}, ρ = {least['distance']:g}: "
            f"{least[exact]:.6g} > {least[bound]:.6g}"
        )
    elif len(rows):
        text += f"; the largest share of the bound is {(rows[exact] / rows[bound]).max():.3g}"
    return never(name, source, text, violations=int(above["cases"].sum()), cases=int(rows["cases"].sum()))


def _seen(claim: Claim) -> Claim:
    """A bound for all priors, which some break: pairs that keep it do not show it."""
    if claim.verdict != REPRODUCED:
        return claim
    reason = f"{claim.measured}, of a bound that others break, which this table does not have"
    return untestable(claim.id, claim.source, claim.statement, reason)


def _one(
    rows: pd.DataFrame, where: Mapping[str, float], exact: str, bound: str, name: str, source: str, text: str
) -> Claim:
    """The exponential family's pair at these numbers, from x with zeros to y."""
    at = rows[rows["family"] == said.EXPONENTIAL]
    for column, value in where.items():
        at = at[at[column] == value]
    if not len(at):
        return untestable(name, source, text, "no row of this table is such a case")
    worst = at.iloc[int((at[exact] / at[bound]).to_numpy().argmax())]
    return at_most(name, source, text, limit=float(worst[bound]), measured=float(worst[exact]))


def _first_failure(
    rows: pd.DataFrame, exact: str, bound: str, holds_to: int, name: str, source: str, text: str
) -> Claim:
    """Data sets that are not far enough apart fail later, or never: that decides nothing."""
    above = _above(rows, exact, bound)
    if not len(above) or above["n"].min() > holds_to + 1:
        return untestable(name, source, text, f"no row with n = {holds_to + 1} or less fails in this table")
    return agrees(name, source, text, expected=holds_to + 1.0, measured=float(above["n"].min()), tolerance=0.0)


def _falls(rows: pd.DataFrame) -> Claim:
    """KL of one pair, one direction, against the concentration."""
    rows = rows[rows["family"].isin(said.CONJUGATE)]
    rises, cases = 0, 0
    keys = ["family", "n", "pair"]
    rows = rows.assign(way=rows.groupby([*keys, "concentration"]).cumcount())
    for _, mine in rows.groupby([*keys, "way"]):
        steps = mine.sort_values("concentration")["kl_exact"].diff().dropna()
        rises, cases = rises + int((steps > ROUNDING).sum()), cases + len(steps)
    text = "the larger c is, the more robust the inference: KL of a pair falls as the prior concentrates"
    return never("s3-robust", "Robust 2014 section 3", text, violations=rises, cases=cases)
