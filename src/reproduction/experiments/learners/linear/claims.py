"""Whether the functional mechanism's regressor is one, what AdaSSP's noise promises, and which is better."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, REAL_DATA, THIS_FIGURE, Claim, at_least, at_most, never, untestable
from reproduction.experiments.counterexamples import broken
from reproduction.experiments.learners import linear as said
from reproduction.experiments.learners.accuracies import surely_at_most

EVIDENCE = REAL_DATA  # and a planted set beside it

REVIEW = "DP review 2019 section 5.6"
WANG = "Wang 2018, as commonly stated"
SURE = 4.0  # combined standard errors
FEW = 20  # splits; of fewer a mean over its standard error is not close to normal
ROUNDING = 1e-9
GENEROUS = 10.0
# What is compared, each with what it should not be worse than; both for the same neighbours where possible.
BETTER = (
    (
        "tight",
        said.FUNCTIONAL_TIGHT,
        said.FUNCTIONAL_PRINTED,
        "the functional mechanism with the proved Δ",
        "the printed",
    ),
    ("exact", said.ADA_SSP_EXACT, said.ADA_SSP_PRINTED, "AdaSSP with exact noise", "AdaSSP with the printed noise"),
    (
        "modern",
        said.ADA_SSP_REPLACED,
        said.FUNCTIONAL_PRINTED,
        "AdaSSP with exact noise (replace)",
        "the functional mechanism as printed",
    ),
)


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All of them."""
    return [_approximates(table), *_noise(table, params["delta"]), *(_no_worse(table, *told) for told in BETTER)]


def _approximates(table: pd.DataFrame) -> Claim:
    """A regressor is one if it is nearer to least squares than a constant is, where ε is generous."""
    text = "noise on the expansion's coefficients leaves an approximate linear regressor: at the largest ε its excess "
    text += "error over least squares is below that of a constant, 4 standard errors included (largest share"
    if table["epsilon"].max() < GENEROUS:
        return untestable("s5.6", REVIEW, f"{text})", f"no ε of {GENEROUS:g} or more", ours=True)
    shares, from_where = [], []
    for name, rows in table.groupby("dataset", sort=False):
        plain, constant = (float(_one(rows, mechanism)["mse"]) for mechanism in (said.PLAIN, said.CONSTANT))
        mine = rows[rows["mechanism"] == said.FUNCTIONAL_PRINTED].sort_values("epsilon", kind="stable")
        last = mine.iloc[-1]
        margin = SURE * last["sd"] / last["repeats"] ** 0.5
        shares.append([(last["mse"] + sign * margin - plain) / (constant - plain) for sign in (1.0, -1.0)])
        useful = mine.loc[mine["mse"] < constant, "epsilon"]
        from_where.append(
            f"{name}: better than a constant from ε = {useful.min():g}" if len(useful) else f"{name}: never"
        )
    text = f"{text}; {'; '.join(from_where)})"
    return surely_at_most("s5.6", REVIEW, text, ends=shares, limit=1.0, ours=True)


def _noise(table: pd.DataFrame, delta: float) -> list[Claim]:
    rows = table[table["mechanism"] == said.ADA_SSP_PRINTED]
    beyond = rows.loc[rows["delta_step"] > delta / 3.0, "epsilon"].tolist()
    where = f"; beyond at ε = {', '.join(f'{epsilon:g}' for epsilon in beyond)}" if beyond else ""
    exact = table[table["mechanism"].isin([said.ADA_SSP_EXACT, said.ADA_SSP_REPLACED])]
    return [
        broken(
            "ada-ssp-step",
            WANG,
            f"each of AdaSSP's three steps is (ε/3, δ/3) (largest true δ of one at ε/3: {rows['delta_step'].max():.4g}"
            f"{where})",
            violations=len(beyond),
            cases=len(rows),
            correction="the three together are (ε, δ), with room to spare",
            left=int((rows["delta_spent"] > delta).sum()),
            beside=len(rows),
            evidence=EXACT,
            of_privacy=True,
        ),
        at_most(
            "ada-ssp-total",
            WANG,
            "the three steps of AdaSSP are (ε, δ) together (largest true δ at the table's ε)",
            limit=delta,
            measured=float(rows["delta_spent"].max()),
            evidence=EXACT,
            of_privacy=True,
        ),
        at_most(
            "ada-ssp-exact",
            THIS_FIGURE,
            "the exact noise keeps (ε, δ) (largest true δ)",
            limit=delta,
            measured=float(exact["delta_spent"].max()),
            tolerance=ROUNDING * delta,
            evidence=EXACT,
            ours=True,
            of_privacy=True,
        ),
        at_least(
            "ada-ssp-spends",
            THIS_FIGURE,
            "and spends all of δ (least true δ)",
            limit=delta,
            measured=float(exact["delta_spent"].min()),
            tolerance=1e-6 * delta,
            evidence=EXACT,
            ours=True,
        ),
    ]


def _no_worse(table: pd.DataFrame, name: str, modern: str, printed: str, better: str, than: str) -> Claim:
    text = f"{better} is at no ε less accurate than {than}, by 4 combined standard errors"
    key = ["dataset", "epsilon"]
    rows = table.loc[table["epsilon"].notna(), [*key, "mechanism", "mse", "sd", "repeats"]]
    one, other = (rows[rows["mechanism"] == mechanism] for mechanism in (modern, printed))
    both = one.merge(other, on=key, suffixes=("", "_other"), validate="one_to_one")
    gaps = (both["mse"] - both["mse_other"]) / (np.hypot(both["sd"], both["sd_other"]) / both["repeats"] ** 0.5)
    if table["repeats"].min() < FEW:
        return untestable(name, THIS_FIGURE, text, f"there are fewer than {FEW} splits", ours=True)
    if not len(gaps):
        return untestable(name, THIS_FIGURE, text, "the table has no such pair", ours=True)
    told = f"{text} (standard errors from {gaps.min():.1f} to {gaps.max():.1f})"
    return never(name, THIS_FIGURE, told, violations=int((gaps > SURE).sum()), cases=len(gaps), ours=True)


def _one(rows: pd.DataFrame, mechanism: str) -> pd.Series[Any]:
    return rows[rows["mechanism"] == mechanism].iloc[0]
