"""Whether the functional mechanism's regressor is one, what AdaSSP's noise promises, and which is better."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, REAL_DATA, THIS_FIGURE, Claim, Marks, at_least, at_most, never, untestable
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
BETTER = {
    "tight": (said.FUNCTIONAL_TIGHT, said.FUNCTIONAL_PRINTED),
    "exact": (said.ADA_SSP_EXACT, said.ADA_SSP_PRINTED),
    "modern": (said.ADA_SSP_REPLACED, said.FUNCTIONAL_PRINTED),
}
CALLED = {
    "tight": ("the functional mechanism with the proved Δ", "the printed"),
    "exact": ("AdaSSP with exact noise", "AdaSSP with the printed noise"),
    "modern": ("AdaSSP with exact noise (replace)", "the functional mechanism as printed"),
}


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All of them."""
    return [_approximates(table), *_noise(table, params["delta"]), *(_no_worse(table, name) for name in BETTER)]


def _approximates(table: pd.DataFrame) -> Claim:
    """A regressor is one if it is nearer to least squares than a constant is, where ε is generous."""
    text = (
        "noise on the expansion's coefficients leaves an approximate linear regressor: at the largest ε its excess "
        "error over least squares is below that of a constant, 4 standard errors included (largest share"
    )
    if table["epsilon"].max() < GENEROUS:
        return untestable("s5.6", REVIEW, f"{text})", f"no ε of {GENEROUS:g} or more", ours=True)
    shares, from_where = [], []
    for name, rows in table.groupby("dataset", sort=False):
        errors = rows.set_index("mechanism")["mse"]
        plain, constant = float(errors[said.PLAIN]), float(errors[said.CONSTANT])
        mine = rows[rows["mechanism"] == said.FUNCTIONAL_PRINTED].sort_values("epsilon", kind="stable")
        last = mine.iloc[-1]
        margin = SURE * last["sd"] / last["repeats"] ** 0.5
        shares.append([(last["mse"] + sign * margin - plain) / (constant - plain) for sign in (1.0, -1.0)])
        useful = mine.loc[mine["mse"] < constant, "epsilon"]
        better = f"better than a constant from ε = {useful.min():g}" if len(useful) else "never"
        from_where.append(f"{name}: {better}")
    text = f"{text}; {'; '.join(from_where)})"
    return surely_at_most("s5.6", REVIEW, text, ends=shares, limit=1.0, ours=True)


def _noise(table: pd.DataFrame, delta: float) -> Iterator[Claim]:
    rows = table[table["mechanism"] == said.ADA_SSP_PRINTED]
    beyond = rows.loc[rows["delta_step"] > delta / 3.0, "epsilon"].tolist()
    where = f"; beyond at ε = {', '.join(f'{epsilon:g}' for epsilon in beyond)}" if beyond else ""
    yield broken(
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
    )
    text = "the three steps of AdaSSP are (ε, δ) together (largest true δ at the table's ε)"
    most = float(rows["delta_spent"].max())
    yield at_most("ada-ssp-total", WANG, text, limit=delta, measured=most, evidence=EXACT, of_privacy=True)
    spent = table.loc[table["mechanism"].isin([said.ADA_SSP_EXACT, said.ADA_SSP_REPLACED]), "delta_spent"]
    least, most = float(spent.min()), float(spent.max())
    text, near = "the exact noise keeps (ε, δ) (largest true δ)", ROUNDING * delta
    marks: Marks = {"evidence": EXACT, "ours": True, "of_privacy": True}
    yield at_most("ada-ssp-exact", THIS_FIGURE, text, limit=delta, measured=most, tolerance=near, **marks)
    text, near = "and spends all of δ (least true δ)", 1e-6 * delta
    marks = {"evidence": EXACT, "ours": True}
    yield at_least("ada-ssp-spends", THIS_FIGURE, text, limit=delta, measured=least, tolerance=near, **marks)


def _no_worse(table: pd.DataFrame, name: str) -> Claim:
    better, than = CALLED[name]
    text = f"{better} is at no ε less accurate than {than}, by 4 combined standard errors"
    key = ["dataset", "epsilon"]
    rows = table.loc[table["epsilon"].notna(), [*key, "mechanism", "mse", "sd", "repeats"]]
    modern, printed = (rows[rows["mechanism"] == mechanism] for mechanism in BETTER[name])
    both = modern.merge(printed, on=key, suffixes=("", "_other"), validate="one_to_one")
    gaps = (both["mse"] - both["mse_other"]) / (np.hypot(both["sd"], both["sd_other"]) / both["repeats"] ** 0.5)
    if table["repeats"].min() < FEW:
        return untestable(name, THIS_FIGURE, text, f"there are fewer than {FEW} splits", ours=True)
    if not len(gaps):
        return untestable(name, THIS_FIGURE, text, "the table has no such pair", ours=True)
    text = f"{text} (standard errors from {gaps.min():.1f} to {gaps.max():.1f})"
    return never(name, THIS_FIGURE, text, violations=int((gaps > SURE).sum()), cases=len(gaps), ours=True)
