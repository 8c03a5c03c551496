"""Theorems 1 and 2 of Robust 2014, pair by pair, with the smallest counterexample where one fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, NO_CASE, Claim, Marks, agrees, at_least, never, untestable
from reproduction.experiments.counterexamples import broken
from reproduction.experiments.foundations import posterior_kl as said

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
            of_privacy=True,
        ),
        *_relaxed_tv(second),
        _broken(
            printed := table[table["family"] == said.PRINTED_NORMAL],
            "kl_exact",
            "bound",
            "lemma6-kl",
            "Robust 2014 Lemma 6 with Theorem 1 (ii)",
            "KL is at most κρ/λ where σ² ~ Exp(λ)",
            "it is at most ρ(E[L(θ)|x] + E[L(θ)|y])",
            printed["corrected_bound"],
            ours=True,
        ),
        _falls(second),
        agrees(
            "two-routes",
            "ours",
            "closed forms and integrals of KL differ by nothing (largest difference, of 1 or of KL if that is more)",
            expected=0.0,
            measured=float(((table["kl_exact"] - table["kl_quadrature"]).abs() / table["kl_exact"].clip(1.0)).max()),
            tolerance=1e-8,
            ours=True,
        ),
    ]


def _relaxed_kl(rows: pd.DataFrame) -> list[Claim]:
    source = f"{THEOREM_1} (ii)"
    text = "KL of posteriors is at most κρ/c"
    conjugate = rows[rows["family"].isin(said.CONJUGATE)]
    held = "KL of posteriors is at most ρ(E[L(θ)|x] + E[L(θ)|y]), whatever the prior"
    return [
        _broken(rows, "kl_exact", "bound", "thm1ii", source, text, held, rows["corrected_bound"]),
        _one(
            conjugate,
            NINE,
            "kl_exact",
            "bound",
            "thm1ii-nine-zeros",
            source,
            f"counterexample to {text}: exponential likelihood, prior Exp(1), nine records that are 0, one of which "
            "becomes 5 (KL, of at least that bound)",
        ),
        _worst(
            rows[rows["family"] == said.RARE],
            "kl_exact",
            "bound",
            "thm1ii-one-record",
            source,
            f"counterexample to {text} with one record: two parameters, one of which is rare (KL over that bound)",
        ),
        *(
            _below(
                conjugate[(conjugate["family"] == family) & (conjugate["n"] <= n)],
                "kl_exact",
                "bound",
                f"thm1ii-few-{_plain(family)}",
                source,
                f"{text}: {family} family, n ≤ {n} records",
                ours=True,
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
        _below(rows, "kl_exact", "corrected_bound", "thm1ii-corrected", f"{source}, corrected", held, ours=True),
    ]


def _relaxed_tv(rows: pd.DataFrame) -> list[Claim]:
    source = f"{THEOREM_2} (ii)"
    text = "|ξ(B|x) − ξ(B|y)| is at most √(κρ/(2c))"
    exponential = rows[rows["family"] == said.EXPONENTIAL]
    held = "it is at most √(ρ(E[L(θ)|x] + E[L(θ)|y])/2), whatever the prior"
    return [
        _broken(
            rows,
            "tv",
            "tv_bound",
            "thm2ii",
            source,
            text,
            held,
            np.sqrt(rows["corrected_bound"] / 2.0),
            of_privacy=True,
        ),
        _one(
            exponential,
            FOUR_HUNDRED,
            "tv",
            "tv_bound",
            "thm2ii-400",
            source,
            f"counterexample to {text}: exponential likelihood, prior Exp(1), 399 records that are 0, one of which "
            "becomes 0.1 (of at least that bound)",
        ),
        _below(
            exponential[exponential["n"] <= TV_HOLDS_TO],
            "tv",
            "tv_bound",
            "thm2ii-few",
            source,
            f"{text}: exponential family, n ≤ {TV_HOLDS_TO} records",
            ours=True,
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


def _below(
    rows: pd.DataFrame, exact: str, bound: str, name: str, source: str, text: str, **marks: Unpack[Marks]
) -> Claim:
    """No row above its bound; the text tells the largest share, or the failure with fewest records, nearest."""
    rows = rows[rows[exact].notna() & rows[bound].notna()]
    above = _above(rows, exact, bound)
    if len(above):
        text += _first(above, exact, bound)
    elif len(rows):
        text += f"; the largest share of the bound is {(rows[exact] / rows[bound]).max():.3g}"
    violations, cases = int(above["cases"].sum()), int(rows["cases"].sum())
    return never(name, source, text, violations=violations, cases=cases, **marks)


def _first(above: pd.DataFrame, exact: str, bound: str) -> str:
    """The failure with the fewest records, nearest."""
    least = above.sort_values(["n", "distance"]).iloc[0]
    return (
        f"; counterexample with the fewest records: {least['family']}, n = {least['n']:g}, {least['pair']}, prior "
        f"with {said.SYMBOLS[least['family']]} = {least['concentration']:g}, ρ = {least['distance']:g}: "
        f"{least[exact]:.6g} > {least[bound]:.6g}"
    )


def _broken(
    rows: pd.DataFrame,
    exact: str,
    bound: str,
    name: str,
    source: str,
    text: str,
    held: str,
    corrected: pd.Series[float],
    **marks: Unpack[Marks],
) -> Claim:
    """A bound for all priors, and the one that holds, by the same rows."""
    rows = rows[rows[exact].notna()].assign(corrected=corrected)
    above = _above(rows, exact, bound)
    return broken(
        name,
        source,
        text + (_first(above, exact, bound) if len(above) else ""),
        violations=int(above["cases"].sum()),
        cases=int(rows["cases"].sum()),
        correction=held,
        left=int(_above(rows, exact, "corrected")["cases"].sum()),
        beside=int(rows["cases"].sum()),
        rare=True,
        **marks,
    )


def _one(
    rows: pd.DataFrame, where: Mapping[str, float], exact: str, bound: str, name: str, source: str, text: str
) -> Claim:
    """The exponential family's pair at these numbers, from x with zeros to y."""
    at = rows[rows["family"] == said.EXPONENTIAL]
    for column, value in where.items():
        at = at[at[column] == value]
    if not len(at):
        return untestable(name, source, text, NO_CASE, ours=True)
    worst = at.iloc[int((at[exact] / at[bound]).to_numpy().argmax())]
    return at_least(name, source, text, limit=float(worst[bound]), measured=float(worst[exact]), ours=True)


def _worst(rows: pd.DataFrame, exact: str, bound: str, name: str, source: str, text: str) -> Claim:
    """A counterexample that is in every table."""
    return at_least(name, source, text, limit=1.0, measured=float((rows[exact] / rows[bound]).max()), ours=True)


def _first_failure(
    rows: pd.DataFrame, exact: str, bound: str, holds_to: int, name: str, source: str, text: str
) -> Claim:
    """Data sets that are not far enough apart fail later, or never: that decides nothing."""
    above = _above(rows, exact, bound)
    if not len(above) or above["n"].min() > holds_to + 1:
        reason = f"no row with n = {holds_to + 1} or less fails in this table"
        return untestable(name, source, text, reason, ours=True)
    first = float(above["n"].min())
    return agrees(name, source, text, expected=holds_to + 1.0, measured=first, tolerance=0.0, ours=True)


def _falls(rows: pd.DataFrame) -> Claim:
    """KL of one pair, one direction, against the concentration."""
    rows = rows[rows["family"].isin(said.CONJUGATE)]
    keys = ["family", "n", "pair"]
    rows = rows.assign(way=rows.groupby([*keys, "concentration"]).cumcount()).sort_values(
        "concentration", kind="stable"
    )
    steps = rows.groupby([*keys, "way"])["kl_exact"].diff().dropna()
    text = "the larger c is, the more robust the inference: KL of a pair falls as the prior concentrates"
    return never("s3-robust", "Robust 2014 section 3", text, violations=int((steps > ROUNDING).sum()), cases=len(steps))
