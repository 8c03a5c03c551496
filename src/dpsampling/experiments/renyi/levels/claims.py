"""What the thesis says of Figures 5.1 and 5.2, and what their published points say."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import digamma, polygamma

from dpsampling.claims import EXACT, THIS_FIGURE, Claim, agrees, corrected, never, untestable
from dpsampling.experiments.renyi import published
from dpsampling.experiments.renyi.levels import NAMES

EVIDENCE = EXACT


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All claims about one of the two figures."""
    algorithm = NAMES[params["algorithm"]]
    correct = table[table["variant"] == "correct"].pivot_table(index="order", columns="scale", values="epsilon")
    smallest_shape = min(params["prior"][0], params["prior"][1] - params["prior"][0])
    horizons = 1.0 + smallest_shape / correct.columns.to_numpy()
    claims = [
        *_asymptotes(correct, horizons, algorithm),
        _monotone(correct, algorithm),
        *_published(table, params),
    ]
    if params["algorithm"] == "diffused":
        claims.append(_trigamma(correct, params["prior"], float(params["n"])))
    return claims


def _asymptotes(correct: pd.DataFrame, horizons: np.ndarray, algorithm: str) -> list[Claim]:
    finite = np.isfinite(correct.to_numpy())
    distance = correct.index.to_numpy()[:, np.newaxis] - horizons[np.newaxis, :]
    # An order that differs from an asymptote by rounding alone is on neither side of it.
    decided = (distance == 0) | (np.abs(distance) > 1e-9)
    claims = [
        never(
            "asymptote",
            "thesis section 5.4.1",
            f"{algorithm} is finite exactly below a vertical asymptote at λ* = 1 + min(α₀, β₀)/scale",
            violations=int(np.sum((finite != (distance < 0)) & decided)),
            cases=int(np.sum(decided)),
        )
    ]
    scales = [float(scale) for scale in correct.columns]
    if 1.0 in scales:
        direct = correct[1.0]
        last, first = direct[np.isfinite(direct)].index.max(), direct[~np.isfinite(direct)].index.min()
        source, text = "thesis Corollary 15", "direct sampling is (λ, ε)-RDP for some finite ε iff λ < 1 + min(α₀, β₀)"
        if math.isnan(first) or math.isnan(last):
            claims.append(
                untestable("corollary15", source, text, "the orders of this table do not reach the asymptote")
            )
        else:
            middle, gap = (last + first) / 2.0, (first - last) / 2.0
            horizon = float(horizons[scales.index(1.0)])
            claims.append(
                agrees("corollary15", source, text, expected=horizon, measured=middle, tolerance=gap * (1 + 1e-9))
            )
    return claims


def _monotone(correct: pd.DataFrame, algorithm: str) -> Claim:
    values = correct.to_numpy()  # columns in increasing scale; inf − inf is no case
    with np.errstate(invalid="ignore"):
        steps = np.diff(values, axis=1)
    comparable = np.isfinite(values[:, :-1])
    return never(
        "monotone",
        "thesis section 5.4.1",
        f"as the scale of {algorithm} decreases, ε improves at every order",
        violations=int(np.sum(steps[comparable] <= 0)),
        cases=int(np.sum(comparable)),
    )


def _published(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    texts = {
        "published": "the published curves are Corollary 16 as printed",
        "private": "no plotted ε is below the level that the algorithm achieves",
        "tight": "the plotted ε is the level that the algorithm achieves",
    }
    reason = published.why_not(params)
    matched = published.points(params)
    if not reason:
        mine = table.assign(curve=table["scale"].map(lambda s: str(float(s))), x=table["order"].round(6))
        wide = mine.pivot_table(index=["curve", "x"], columns="variant", values="epsilon").reset_index()
        matched = matched.merge(wide, on=["curve", "x"])
        if matched.empty:
            reason = "no order and scale of this table was published"
    if reason:
        return [untestable(key, THIS_FIGURE, text, reason) for key, text in texts.items()]
    from_printed = float((matched["y"] - matched["printed"]).abs().max())
    shortfall = float((matched["correct"] - matched["y"]).max())
    excess = float((matched["y"] - matched["correct"]).max())
    tolerance = published.LEVEL_TOLERANCE
    reading = f"drawn from Corollary 16 as printed ({len(matched)} points)"
    return [
        agrees("published", THIS_FIGURE, texts["published"], expected=0.0, measured=from_printed, tolerance=tolerance),
        corrected(
            "private",
            THIS_FIGURE,
            texts["private"],
            correction=f"{reading}, with n where rn belongs; it under-reports ε by up to {shortfall:.4f}",
            error_as_printed=max(0.0, shortfall),
            error_as_corrected=from_printed,
            tolerance=tolerance,
            slip=True,
        ),
        corrected(
            "tight",
            THIS_FIGURE,
            texts["tight"],
            correction=f"{reading}, whose η_Q = η_P ± (r, 0) no data may reach; "
            f"at small orders it over-reports ε by up to {excess:.4f}",
            error_as_printed=max(0.0, excess),
            error_as_corrected=from_printed,
            tolerance=tolerance,
            slip=True,
        ),
    ]


def _trigamma(correct: pd.DataFrame, prior: list[float], n: float) -> Claim:
    """For small steps R_λ ≈ λ r² C″/2: the second derivative of C is what the levels show."""
    scale, order = float(min(correct.columns)), float(min(correct.index))
    source, text = "thesis Corollary 16", "ψ₁ in g_v(η) = v²(ψ₁(η¹) + ψ₁(η² − η¹)) is the digamma function"
    # The next term of the expansion is about (λ+1) r ψ₂/(3 ψ₁), and |ψ₂|/ψ₁ is below 2/min(α, β).
    remainder = (order + 1.0) * scale / min(prior[0], prior[1] - prior[0])
    if remainder > 0.05:
        return untestable("trigamma", source, text, "the steps of this table are too large to show the curvature")
    alpha, beta = sorted((prior[0], prior[1] - prior[0]))
    curvature = 2.0 * correct[scale][order] / (order * scale**2)
    candidates = {
        name: float(function(alpha) + function(beta + scale * n))
        for name, function in (("digamma", digamma), ("trigamma", lambda x: polygamma(1, x)))
    }
    errors = {name: abs(curvature / value - 1.0) for name, value in candidates.items()}
    return corrected(
        "trigamma",
        source,
        text,
        correction="ψ₁ is the trigamma function; the curvature of the levels shows it (errors are relative)",
        error_as_printed=errors["digamma"],
        error_as_corrected=errors["trigamma"],
        tolerance=remainder,
        slip=True,
    )
