"""What supplement A.7 says of logistic posteriors, against posteriors that were integrated."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Unpack

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, Claim, Marks, agrees, at_least, at_most, corrected, never, untestable
from reproduction.experiments.logistic import bounds as said

EVIDENCE = EXACT

LEMMA_1, LEMMA_3 = "NIPS 2017 supplement Lemma 1", "NIPS 2017 supplement Lemma 3"
A_7_1 = "NIPS 2017 supplement A.7.1"
ROUNDING = 1e-9  # relative, of levels by quadrature
NEAR = 0.02  # of a limit, at the largest order
FACTOR = 2.0  # of a number of some order
LARGE = 50.0  # an order at which a limit of large orders is looked for


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All of A.7 that numbers decide."""
    del params  # all of it is in the table
    return [*_levels(table), *_laws(table), _by_tails(table), _evidence(table), *_flipped(table), _sum(table)]


def _levels(table: pd.DataFrame) -> Iterator[Claim]:
    """Lemma 1, at every order and at the first, and that it is attained."""
    rows = table[table["statement"].isin([said.PAIRS, said.PUSHED])]
    text = "neighbouring posteriors are (λ, 2ρ²L²λ/m)-RDP at every order λ ≥ 1 (logistic loss, d = 1 and 2)"
    yield _below(rows, "lemma-1", LEMMA_1, text, of_privacy=True)
    text = "KL of neighbouring posteriors is at most 2ρ²L²/m"
    yield _below(rows[rows["order"] == 1.0], "kl", "NIPS 2017 supplement eq. (65)", text, of_privacy=True)
    text = "a linear loss attains 2ρ²L²λ/m, so that no smaller constant serves all losses"
    yield _equal(_rows(table, said.LINEAR), "attained", LEMMA_1, text, ours=True)


def _laws(table: pd.DataFrame) -> Iterator[Claim]:
    """Judge what the proof of Lemma 1 is made of."""
    text = "the logistic loss is c-Lipschitz, with B = 1 (steepest chord at c = 1)"
    steepest = float(_rows(table, said.SLOPE)["exact"].max())
    yield at_most("lipschitz", A_7_1, text, limit=1.0, measured=steepest, tolerance=ROUNDING, of_privacy=True)
    text, source = "ln E e^{t(w − E w)} ≤ t²/(2m) under posteriors", "NIPS 2017 supplement Theorem A.16"
    yield _below(_rows(table, said.HERBST), "herbst", source, text)
    text = "an m-strongly log-concave law has a log-Sobolev constant of 1/m (f = e^{tw/2})"
    yield _below(_rows(table, said.ENTROPY), "log-sobolev", "NIPS 2017 supplement Lemma 2", text)
    text, source = "of a Gaussian, e^{tw/2} attains the log-Sobolev inequality", "NIPS 2017 supplement Definition A.15"
    yield _equal(_rows(table, said.ENTROPY_GAUSSIAN), "log-sobolev-equality", source, text, ours=True)
    text = "E e^{−iwᵀx} is e^{i²σ²‖x‖²/2} for w ~ N(0, σ²I)"
    yield _equal(_rows(table, said.TRANSFORM), "transform", "NIPS 2017 supplement eq. (67)", text)


def _evidence(table: pd.DataFrame) -> Claim:
    text = "the evidence of one record is ½, whatever the prior's precision (largest distance)"
    off = float((_rows(table, said.EVIDENCE)["exact"] - 0.5).abs().max())
    return agrees("evidence", LEMMA_3, text, expected=0.0, measured=off, tolerance=ROUNDING)


def _rows(table: pd.DataFrame, statement: str) -> pd.DataFrame:
    return table[table["statement"] == statement]


def _below(rows: pd.DataFrame, name: str, source: str, text: str, **marks: Unpack[Marks]) -> Claim:
    """Neither above the bound that stands in the table, nor above 2ρ²λ/m where that is what it says."""
    bound = rows["bound"]
    if set(rows["statement"]) <= {said.PAIRS, said.PUSHED}:
        bound = bound.clip(upper=2.0 * rows["weight"] ** 2 * rows["order"] / rows["precision"])
    above = rows["exact"] > bound * (1.0 + ROUNDING)
    largest = (rows["exact"] / rows["bound"]).max() if len(rows) else 0.0
    text = f"{text}; the largest share of the bound is {largest:.3f}"
    violations, cases = int(rows.loc[above, "pairs"].sum()), int(rows["pairs"].sum())
    return never(name, source, text, violations=violations, cases=cases, **marks)


def _equal(rows: pd.DataFrame, name: str, source: str, text: str, **marks: Unpack[Marks]) -> Claim:
    error = float((rows["exact"] / rows["bound"] - 1.0).abs().max())
    text = f"{text} (largest relative error)"
    return agrees(name, source, text, expected=0.0, measured=error, tolerance=ROUNDING, **marks)


def _by_tails(table: pd.DataFrame) -> Claim:
    rows = _rows(table, said.BY_TAILS)
    text = "by the tails of ln p(w|D)/p(w|D′) alone ε would be larger (least ratio to the bound by its moments)"
    if not len(rows):
        return untestable("tails", A_7_1, text, "no order of this table is above 1")
    return at_least("tails", A_7_1, text, limit=1.0, measured=float((rows["exact"] / rows["bound"]).min()))


def _flipped(table: pd.DataFrame) -> Iterator[Claim]:
    """The level tends to (λ−1)/(2κ), a quarter of what Lemma 1 promises; at λ = 1 it is not 0, as that is.

    The two log-densities differ by w and a constant, which is 1-Lipschitz, so that the level is at most λ/(2κ).
    """
    every = _rows(table, said.FLIPPED)
    rows = every[every["order"] == every["order"].max()]
    text = "with one record, flipping its label has a divergence of order (λ−1)/(2nβ) as λ → ∞, the proof's last words"
    quarter = "that is a quarter of the upper bound 2λ/(nβ), for large λ"
    if not len(rows) or rows["order"].iloc[0] < LARGE:
        reason = f"no order of this table is {LARGE:g} or more"
        yield untestable("order", LEMMA_3, text, reason)
        yield untestable("quarter", LEMMA_3, quarter, reason)
    else:
        order = float(rows["order"].iloc[0])
        ratio, text = rows["exact"] / rows["bound"], f"{text} (the ratio furthest from 1, at λ = {order:g})"
        furthest = float(ratio[(ratio - 1.0).abs().idxmax()])
        yield agrees("order", LEMMA_3, text, expected=1.0, measured=furthest, tolerance=NEAR)
        text = f"{quarter} (the share furthest from it, at λ = {order:g})"
        share = rows["exact"] * rows["precision"] / (2.0 * order)
        furthest = float(share[(share - 0.25).abs().idxmax()])
        yield agrees("quarter", LEMMA_3, text, expected=0.25, measured=furthest, tolerance=NEAR)
    yield _any_order(every)


def _any_order(rows: pd.DataFrame) -> Claim:
    """Judge whether one factor serves all orders: from λ = 2 on it is 2, at λ = 1 there is none."""
    text = f"such a pair has a divergence of order (λ−1)/(2nβ) for any λ (read as within a factor of {FACTOR:g} of it)"
    if not (rows["order"] == 1.0).any():
        return untestable("any-order", LEMMA_3, text, "no order of this table is 1", ours=True)
    ratio = (rows["exact"] / rows["bound"]).fillna(math.inf)
    upper = rows["order"] / (2.0 * rows["precision"])
    outside = np.maximum(rows["exact"] / upper - 1.0, rows["bound"] / rows["exact"] - 1.0)
    return corrected(
        "any-order",
        LEMMA_3,
        text,
        correction="between (λ−1)/(2nβ) and λ/(2nβ): at λ = 1, where the first is 0, the KL divergence is not (errors "
        "are of the ratio beyond that factor, and by how much the two bounds are exceeded)",
        error_as_printed=max(0.0, float(ratio.max()) - FACTOR, 1.0 / FACTOR - float(ratio.min())),
        error_as_corrected=max(0.0, float(outside.max())),
        tolerance=ROUNDING,
        slip=False,
        ours=True,
    )


def _sum(table: pd.DataFrame) -> Claim:
    printed, halved = (_rows(table, statement) for statement in (said.PRINTED_SUM, said.HALVED_SUM))
    if not len(halved):
        return untestable("sum", LEMMA_3, "the integral of (66) as a finite sum", "no order here is a whole number")
    return corrected(
        "sum",
        LEMMA_3,
        "the integral of (66) is 2 Σ_{i=0}^{λ−1} (−1)^{λ−1−i} e^{i²σ²/2}",
        correction="the term i = 0 is counted half: the middle term integrates to ½, which the "
        "last line absorbs into the sum as if it were 1 (errors are of the divergence)",
        error_as_printed=float((printed["bound"] - printed["exact"]).abs().max()),
        error_as_corrected=float((halved["bound"] - halved["exact"]).abs().max()),
        tolerance=1e-8,
        slip=True,
    )
