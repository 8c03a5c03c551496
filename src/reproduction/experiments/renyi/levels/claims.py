"""What the thesis says of Figures 5.1 and 5.2, and what their published points say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import digamma, polygamma

from reproduction.claims import EXACT, PUBLISHED_POINTS, THIS_FIGURE, Claim, Marks, agrees, never, untestable
from reproduction.experiments.mended import mended
from reproduction.experiments.renyi import published
from reproduction.experiments.renyi.advice import rounded_down
from reproduction.experiments.renyi.levels import CORRECT, ENUMERATED, NAMES, PRINTED

EVIDENCE = EXACT

COROLLARY = "thesis Corollary 16"
DIGITS = 1e-8  # relative, of levels by eq. (5.15) as it stands, where it keeps them
MANY, SMALL = 1000.0, 0.05  # records, and the scale, beyond which it does not
CLOSE = 1e-3  # to λ*, where λη_P + (1 − λ)η_Q cancels in it
BENT = 0.05  # relative: what may be left of the expansion where the curvature is to be seen
LEVEL = 1e-6  # of ε, from which on two levels are different ones


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """All claims about one of the two figures."""
    algorithm = NAMES[params["algorithm"]]
    correct, printed, enumerated = (
        table[table["variant"] == variant].pivot_table(index="order", columns="scale", values="epsilon")
        for variant in (CORRECT, PRINTED, ENUMERATED)
    )
    smallest_shape = min(params["prior"][0], params["prior"][1] - params["prior"][0])
    horizons = 1.0 + smallest_shape / correct.columns.to_numpy()
    yield from _asymptotes(correct, horizons, algorithm)
    yield _monotone(correct, algorithm)
    yield from _enumerated(correct, printed, enumerated, horizons, params)
    yield from _published(table, params)
    if params["algorithm"] == "diffused":
        yield _trigamma(correct, params["prior"], float(params["n"]))


def _asymptotes(correct: pd.DataFrame, horizons: np.ndarray, algorithm: str) -> Iterator[Claim]:
    finite = np.isfinite(correct.to_numpy())
    distance = correct.index.to_numpy()[:, np.newaxis] - horizons[np.newaxis, :]
    # An order that differs from an asymptote by rounding alone is on neither side of it.
    decided = (distance == 0) | (np.abs(distance) > 1e-9)
    text = f"{algorithm} is finite exactly below a vertical asymptote at λ* = 1 + min(α₀, β₀)/scale"
    wrong, cases = int(np.sum((finite != (distance < 0)) & decided)), int(np.sum(decided))
    yield never("asymptote", "thesis section 5.4.1", text, violations=wrong, cases=cases, of_privacy=True)
    scales = [float(scale) for scale in correct.columns]
    if 1.0 in scales:
        direct = correct[1.0]
        last, first = direct[np.isfinite(direct)].index.max(), direct[~np.isfinite(direct)].index.min()
        source, text = "thesis Corollary 15", "direct sampling is (λ, ε)-RDP for some finite ε iff λ < 1 + min(α₀, β₀)"
        if math.isnan(first) or math.isnan(last):
            yield untestable("corollary15", source, text, "the orders of this table do not reach the asymptote")
        else:
            middle, gap = (last + first) / 2.0, (first - last) / 2.0
            horizon, slack = float(horizons[scales.index(1.0)]), gap * (1 + 1e-9)
            text = f"{text} (the middle between the last finite order of the table and the first that is not)"
            yield agrees(
                "corollary15", source, text, expected=horizon, measured=middle, tolerance=slack, of_privacy=True
            )


def _monotone(correct: pd.DataFrame, algorithm: str) -> Claim:
    values = correct.to_numpy()  # columns in increasing scale; inf − inf is no case
    with np.errstate(invalid="ignore"):
        steps = np.diff(values, axis=1)
    comparable = np.isfinite(values[:, :-1])
    text = f"as the scale of {algorithm} decreases, ε improves at every order"
    violations = int(np.sum(steps[comparable] <= 0))
    return never("monotone", "thesis section 5.4.1", text, violations=violations, cases=int(np.sum(comparable)))


def _enumerated(
    correct: pd.DataFrame,
    printed: pd.DataFrame,
    enumerated: pd.DataFrame,
    horizons: NDArray[np.float64],
    params: Mapping[str, Any],
) -> Iterator[Claim]:
    """Judge what suffices to know the supremum, against all neighbours one by one."""
    boundary = (
        "the supremum over neighbours is that of the boundary pairs: at no order and scale does any pair of "
        "neighbouring data sets diverge by more, or all of them by less (largest relative difference)"
    )
    pairs = "the supremum over neighbours is the maximum over η_P ∈ η₀ + {(0, n), (n, n)} and η_Q ∈ η_P ± (r, 0)"
    large = correct.columns.to_numpy() >= SMALL
    if params["n"] > MANY or not large.any():
        cause = f"n = {params['n']}, above {MANY:g}" if params["n"] > MANY else f"scales below {SMALL:g} alone"
        reason = f"with {cause}, eq. (5.15) as it stands loses its digits"
        yield untestable("boundary", "thesis Theorem 10", boundary, reason, of_privacy=True)
        yield untestable("corollary16", COROLLARY, pairs, reason, of_privacy=True)
        return
    if not large.all():
        boundary, pairs = (f"{text} (scales from {SMALL:g} on)" for text in (boundary, pairs))
    all_pairs, four, as_printed = (levels.to_numpy()[:, large] for levels in (enumerated, correct, printed))
    away = np.abs(correct.index.to_numpy()[:, np.newaxis] - horizons[large]) > CLOSE
    finite = (np.isfinite(all_pairs) | np.isfinite(four)) & away
    worst = float(np.max(np.abs(four[finite] - all_pairs[finite]) / all_pairs[finite], initial=0.0))
    lacking, above, words = _both_ways(as_printed[finite], all_pairs[finite])
    over_stated = lacking > LEVEL
    error = "what ε lacks; where it is too large, no privacy is lost" if over_stated else "what ε has too much"
    marks: Marks = {"of_privacy": True}
    yield agrees("boundary", "thesis Theorem 10", boundary, expected=0.0, measured=worst, tolerance=DIGITS, **marks)
    correction = (
        "over the pairs of pset(η₀, rn), or pset(η₀/m, n), that data can reach, both ways: as printed "
        f"ε is {words} (errors are of ε)"
    )
    errors = lacking if over_stated else above, float(np.max(np.abs(four[finite] - all_pairs[finite]), initial=0.0))
    pairs, marks = f"{pairs} (error: {error})", {"of_privacy": over_stated}
    yield mended("corollary16", COROLLARY, pairs, correction, errors, tolerance=LEVEL, slip=False, **marks)


def _both_ways(printed: NDArray[np.float64], true: NDArray[np.float64]) -> tuple[float, float, str]:
    """By how much printed levels are at most too small, and too large, apart; and both in words.

    Too small a level promises privacy that there is not. Too large a one, which is infinite where the printed η_Q
    leaves the family, costs only use.
    """
    small, large = printed < true, printed > true
    lacking = float(np.max(true[small] - printed[small], initial=0.0))
    above = float(np.max(printed[large] - true[large], initial=0.0))
    first = f"too small by up to {lacking:.4f}" if lacking > LEVEL else "nowhere too small"
    if math.isfinite(above):
        return lacking, above, f"{first} and too large by up to {above:.4f}"
    bounded = large & np.isfinite(printed)
    most = float(np.max(printed[bounded] - true[bounded], initial=0.0))
    unbounded = int(np.sum(large & ~bounded))
    words = (
        f"{first} and too large: infinite at {unbounded} of {printed.size} orders and scales, through pairs that no "
        f"data reach, and elsewhere by up to {most:.4f}"
    )
    return lacking, above, words


def _published(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
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
        for key, text in texts.items():
            yield untestable(key, THIS_FIGURE, text, reason, ours=key == "published", evidence=PUBLISHED_POINTS)
        return
    from_printed = float((matched["y"] - matched["printed"]).abs().max())
    shortfall = float((matched["correct"] - matched["y"]).max())
    excess = float((matched["y"] - matched["correct"]).max())
    tolerance = published.LEVEL_TOLERANCE
    reading = f"drawn from Corollary 16 as printed ({len(matched)} points)"
    text = f"{texts['published']} (largest difference of {len(matched)} points)"
    marks: Marks = {"evidence": PUBLISHED_POINTS, "ours": True}
    yield agrees("published", THIS_FIGURE, text, expected=0.0, measured=from_printed, tolerance=tolerance, **marks)
    text, errors = texts["private"], (max(0.0, shortfall), from_printed)
    correction = f"{reading}, with n where rn belongs; it under-reports ε by up to {shortfall:.4f}"
    marks = {"evidence": PUBLISHED_POINTS, "of_privacy": True}
    yield mended("private", THIS_FIGURE, text, correction, errors, tolerance=tolerance, slip=False, **marks)
    text, errors = texts["tight"], (max(0.0, excess), from_printed)
    correction = (
        f"{reading}, whose η_Q = η_P ± (r, 0) no data may reach; "
        f"at small orders it over-reports ε by up to {excess:.4f}"
    )
    marks = {"evidence": PUBLISHED_POINTS}
    yield mended("tight", THIS_FIGURE, text, correction, errors, tolerance=tolerance, slip=False, **marks)


def _trigamma(correct: pd.DataFrame, prior: list[float], n: float) -> Claim:
    """For small steps R_λ ≈ λ r² C″/2: the second derivative of C is what the levels show."""
    scale, order = float(min(correct.columns)), float(min(correct.index))
    source, text = COROLLARY, "ψ₁ in g_v(η) = v²(ψ₁(η¹) + ψ₁(η² − η¹)) is the digamma function"
    # The next term of the expansion is about (λ+1) r ψ₂/(3 ψ₁), and |ψ₂|/ψ₁ is below 2/min(α, β).
    alpha, beta = sorted((prior[0], prior[1] - prior[0]))
    remainder, most = (order + 1.0) * scale / alpha, BENT * alpha / (order + 1.0)
    if scale > most:
        large = f"the least scale, {scale:g}, is too large for this prior to show the curvature at λ = {order:g}"
        return untestable("trigamma", source, text, f"{large}; add one of {rounded_down(most):g}")
    curvature = 2.0 * correct[scale][order] / (order * scale**2)
    candidates = {
        name: float(function(alpha) + function(beta + scale * n))
        for name, function in (("digamma", digamma), ("trigamma", lambda x: polygamma(1, x)))
    }
    correction = "ψ₁ is the trigamma function; the curvature of the levels shows it (errors are relative)"
    errors = abs(curvature / candidates["digamma"] - 1.0), abs(curvature / candidates["trigamma"] - 1.0)
    return mended("trigamma", source, text, correction, errors, tolerance=remainder, slip=True)
