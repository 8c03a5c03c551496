"""Theorems 1 and 2 of Robust 2014, pair by pair, with the smallest counterexample where one fails."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, NO_CASE, Claim, Marks, agrees, at_least, untestable
from reproduction.experiments.counterexamples import broken
from reproduction.experiments.foundations import posterior_kl as said
from reproduction.experiments.foundations.judging import alike, none
from reproduction.experiments.foundations.rows import where

EVIDENCE = EXACT

THEOREM_1, THEOREM_2 = "Robust 2014 Theorem 1", "Robust 2014 Theorem 2"
KL, TV = ("kl_exact", "bound"), ("tv", "tv_bound")  # columns: what is exact, and its bound
ROUNDING = 1e-9  # relative
HOLDS_TO = {said.EXPONENTIAL: 3, said.LAPLACE: 3, said.NORMAL: 7, said.BITS: 115}  # records
TV_HOLDS_TO = 121
NINE: dict[str, Any] = {"n": 9, "concentration": 1.0, "distance": 5.0}
FOUR_HUNDRED: dict[str, Any] = {"n": 399, "concentration": 1.0, "distance": 0.1}


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All that pairs of posteriors decide."""
    del params  # all of it is in the table
    first, second = (where(table, statement=statement) for statement in (said.FIRST, said.SECOND))
    printed, second = where(second, family=said.PRINTED_NORMAL), second[second["family"] != said.PRINTED_NORMAL]
    return [
        _below(first, *KL, "thm1i", f"{THEOREM_1} (i)", "KL of posteriors is at most 2Lρ (networks)"),
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
            printed,
            *KL,
            "lemma6-kl",
            "Robust 2014 Lemma 6 with Theorem 1 (ii)",
            "KL is at most κρ/λ where σ² ~ Exp(λ)",
            "it is at most ρ(E[L(θ)|x] + E[L(θ)|y])",
            printed["corrected_bound"],
            ours=True,
        ),
        _falls(second),
        alike(
            "two-routes",
            "ours",
            "closed forms and integrals of KL differ by nothing (largest difference, of 1 or of KL if that is more)",
            (table["kl_exact"] - table["kl_quadrature"]) / table["kl_exact"].clip(1.0),
            1e-8,
            ours=True,
        ),
    ]


def _relaxed_kl(rows: pd.DataFrame) -> list[Claim]:
    source = f"{THEOREM_1} (ii)"
    text = "KL of posteriors is at most κρ/c"
    rare = where(rows, family=said.RARE)
    families = [(where(rows, family=family), family, n) for family, n in HOLDS_TO.items()]
    held = "KL of posteriors is at most ρ(E[L(θ)|x] + E[L(θ)|y]), whatever the prior"
    return [
        _broken(rows, *KL, "thm1ii", source, text, held, rows["corrected_bound"]),
        _exceeded(
            where(rows, family=said.EXPONENTIAL, **NINE),
            *KL,
            "thm1ii-nine-zeros",
            source,
            f"counterexample to {text}: exponential likelihood, prior Exp(1), nine records that are 0, one of which "
            "becomes 5 (KL, of at least that bound)",
        ),
        at_least(
            "thm1ii-one-record",
            source,
            f"counterexample to {text} with one record: two parameters, one of which is rare (KL over that bound)",
            limit=1.0,
            measured=float((rare["kl_exact"] / rare["bound"]).max()),
            ours=True,
        ),
        *(
            _below(
                of[of["n"] <= n],
                *KL,
                f"thm1ii-few-{family.lower()}",
                source,
                f"{text}: {family} family, n ≤ {n} records",
                ours=True,
            )
            for of, family, n in families
        ),
        *(
            _first_failure(
                of, *KL, n, f"thm1ii-first-{family.lower()}", source, f"{text} fails first, {family} family, at n"
            )
            for of, family, n in families
        ),
        _below(rows, "kl_exact", "corrected_bound", "thm1ii-corrected", f"{source}, corrected", held, ours=True),
    ]


def _relaxed_tv(rows: pd.DataFrame) -> list[Claim]:
    source = f"{THEOREM_2} (ii)"
    text = "|ξ(B|x) − ξ(B|y)| is at most √(κρ/(2c))"
    exponential = where(rows, family=said.EXPONENTIAL)
    held = "it is at most √(ρ(E[L(θ)|x] + E[L(θ)|y])/2), whatever the prior"
    return [
        _broken(rows, *TV, "thm2ii", source, text, held, np.sqrt(rows["corrected_bound"] / 2.0), of_privacy=True),
        _exceeded(
            where(exponential, **FOUR_HUNDRED),
            *TV,
            "thm2ii-400",
            source,
            f"counterexample to {text}: exponential likelihood, prior Exp(1), 399 records that are 0, one of which "
            "becomes 0.1 (of at least that bound)",
        ),
        _below(
            exponential[exponential["n"] <= TV_HOLDS_TO],
            *TV,
            "thm2ii-few",
            source,
            f"{text}: exponential family, n ≤ {TV_HOLDS_TO} records",
            ours=True,
        ),
        _first_failure(
            exponential, *TV, TV_HOLDS_TO, "thm2ii-first", source, f"{text} fails first, exponential family, at n"
        ),
    ]


def _above(rows: pd.DataFrame, exact: str, bound: str) -> pd.Series[bool]:
    return rows[exact] > rows[bound] * (1.0 + ROUNDING)


def _below(
    rows: pd.DataFrame, exact: str, bound: str, name: str, source: str, text: str, **marks: Unpack[Marks]
) -> Claim:
    """No row above its bound; the text tells the largest share, or the failure with fewest records, nearest."""
    rows = rows[rows[exact].notna() & rows[bound].notna()]
    above = _above(rows, exact, bound)
    if len(rows) and not above.any():
        text += f"; the largest share of the bound is {(rows[exact] / rows[bound]).max():.3g}"
    return none(name, source, text + _first(rows[above], exact, bound), above, rows["cases"], **marks)


def _first(above: pd.DataFrame, exact: str, bound: str) -> str:
    """Describe the failure with the fewest records, nearest; without one there is nothing to say."""
    if not len(above):
        return ""
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
    above, cases = rows[_above(rows, exact, bound)], int(rows["cases"].sum())
    return broken(
        name,
        source,
        text + _first(above, exact, bound),
        violations=int(above["cases"].sum()),
        cases=cases,
        correction=held,
        left=int(rows.loc[_above(rows, exact, "corrected"), "cases"].sum()),
        beside=cases,
        rare=True,
        **marks,
    )


def _exceeded(pair: pd.DataFrame, exact: str, bound: str, name: str, source: str, text: str) -> Claim:
    """The worse direction of one pair of data sets."""
    if not len(pair):
        return untestable(name, source, text, NO_CASE, ours=True)
    worst = pair.iloc[int((pair[exact] / pair[bound]).to_numpy().argmax())]
    return at_least(name, source, text, limit=float(worst[bound]), measured=float(worst[exact]), ours=True)


def _first_failure(
    rows: pd.DataFrame, exact: str, bound: str, holds_to: int, name: str, source: str, text: str
) -> Claim:
    """Data sets that are not far enough apart fail later, or never: that decides nothing."""
    above = rows[_above(rows, exact, bound)]
    if not len(above) or above["n"].min() > holds_to + 1:
        reason = f"no row with n = {holds_to + 1} or less fails in this table"
        return untestable(name, source, text, reason, ours=True)
    first = float(above["n"].min())
    return agrees(name, source, text, expected=holds_to + 1.0, measured=first, tolerance=0.0, ours=True)


def _falls(rows: pd.DataFrame) -> Claim:
    """KL of one pair, one direction, against the concentration."""
    rows, keys = where(rows, family=said.CONJUGATE), ["family", "n", "pair"]
    rows = rows.assign(way=rows.groupby([*keys, "concentration"]).cumcount())
    steps = where(rows, by="concentration").groupby([*keys, "way"])["kl_exact"].diff().dropna()
    text = "the larger c is, the more robust the inference: KL of a pair falls as the prior concentrates"
    return none("s3-robust", "Robust 2014 section 3", text, steps > ROUNDING)
