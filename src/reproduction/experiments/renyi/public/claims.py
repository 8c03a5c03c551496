"""What thesis sections 5.3.1 and 5.6 say of public records, against expected losses over all samples."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, NO_CASE, Claim, at_least, never, untestable
from reproduction.experiments.mended import mended
from reproduction.experiments.renyi import public as said

EVIDENCE = EXACT

PUBLIC, PRIOR = "thesis section 5.3.1", "thesis section 5.6"
ROUNDING = 1e-12  # of a loss
LIKELY = 0.5
MANY = 32  # public records that are a sample to speak of


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Utility, the end of buying, and informative priors."""
    alpha, count = params["prior"]
    horizon = 1.0 + min(alpha, count - alpha)
    return [*_utility(table), *_enough(table, horizon, params["order"]), *_informative(table, alpha / count)]


def _utility(table: pd.DataFrame) -> Iterator[Claim]:
    rises = {name: _rises(table, name) for name in (said.DIFFUSED, said.CONCENTRATED)}
    diffused = rises[said.DIFFUSED]
    text = "public records improve the utility of Algorithm 2 (settings whose expected loss they raise)"
    yield never("utility-diffused", PUBLIC, text, violations=int((diffused > ROUNDING).sum()), cases=len(diffused))
    text = "public records in the prior would improve utility (Algorithm 3 at a fixed level)"
    correction = (
        "they do for Algorithm 2; Algorithm 3 multiplies a few public records as it does its prior, and "
        "loses by those that are unlike the population, until they are many (errors are what they add to the "
        "expected loss, in nats)"
    )
    errors = max(0.0, float(rises[said.CONCENTRATED].max())), max(0.0, float(diffused.max()))
    yield mended("utility", PUBLIC, text, correction, errors, tolerance=ROUNDING, slip=False, ours=True)


def _rises(table: pd.DataFrame, name: str) -> pd.Series:
    """Expected loss with public records, less that without."""
    mine = table[table["mechanism"] == name]
    without = mine[mine["records"] == 0].set_index(["population", "epsilon"])["excess"]
    held = mine[mine["records"] > 0].set_index(["population", "epsilon"])["excess"]
    return held - without.reindex(held.index)


def _enough(table: pd.DataFrame, horizon: float, order: float) -> Iterator[Claim]:
    mine = table[table["mechanism"] != said.ALONE]
    last = table[table["records"] == table["records"].max()]
    # A posterior of k records of ρ is about λ/(2kρ(1 − ρ)) from its neighbours.
    spread = last["population"] * (1.0 - last["population"])
    last = last[last["records"] * spread >= order / (2.0 * last["epsilon"])]
    text = (
        "the method tells when the prior is strong enough to sample directly: the calibrated scale is 1 where the "
        "direct level is at most ε, and only there"
    )
    yield never("told", PUBLIC, text, violations=int(mine["untold"].sum()), cases=int(mine["samples"].sum()))
    yield _reached(last)
    yield _alike(table, horizon, order)


def _reached(last: pd.DataFrame) -> Claim:
    text = "enough public records can be had: where λ/(2kρ(1 − ρ)) is below ε, k of them allow sampling directly"
    if last.empty:
        return untestable("enough", PUBLIC, text, NO_CASE, ours=True)
    text = f"{text} (least probability over the public sample)"
    return at_least("enough", PUBLIC, text, limit=LIKELY, measured=float(last["ready"].min()), ours=True)


def _alike(table: pd.DataFrame, horizon: float, order: float) -> Claim:
    text = (
        "public records that are all alike are never enough at an order from λ* on (finite levels of direct sampling)"
    )
    if order < horizon:
        return untestable("alike", PUBLIC, text, f"the order of this table is below λ* = {horizon:g}", ours=True)
    rows = table.drop_duplicates("records")
    finite = int((rows["alike"] < math.inf).sum())
    return never("alike", PUBLIC, text, violations=finite, cases=len(rows), ours=True)


def _informative(table: pd.DataFrame, shown: float) -> list[Claim]:
    mine = table[(table["mechanism"] != said.ALONE) & (table["records"] > 0)]
    text = "a prior from a representative public sample is likely to be beneficial for Algorithms 2 and 3"
    unlike, large = mine[mine["population"] != shown], mine[mine["records"] >= MANY]
    return [
        _likely("informative", f"{text}: of {MANY} records or more", large),
        _likely("informative-unlike", f"{text}: of any number, where the prior's mean is not the population's", unlike),
        _likely("informative-any", f"{text}: of any number, in any population", mine),
    ]


def _likely(name: str, text: str, rows: pd.DataFrame) -> Claim:
    """Judge by our reading of "representative" and "likely"."""
    if rows.empty:
        return untestable(name, PRIOR, text, NO_CASE, ours=True)
    text = f"{text} (least probability of a smaller loss)"
    return at_least(name, PRIOR, text, limit=LIKELY, measured=float(rows["better"].min()), ours=True)
