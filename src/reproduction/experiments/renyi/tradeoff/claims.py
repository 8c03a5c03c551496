"""What the thesis says of Figures 5.3 and 5.4, and what their published points say."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, PUBLISHED_POINTS, THIS_FIGURE, Claim, Marks, agrees, at_least, never, untestable
from reproduction.experiments.mended import mended
from reproduction.experiments.renyi import published
from reproduction.experiments.renyi.checks import BETA

EVIDENCE = EXACT

SECTION = "thesis section 5.4.1"
DIGITISED: Marks = {"evidence": PUBLISHED_POINTS}
ROUNDING = 1e-12
MARGIN = 1e-9  # of the direct level: mechanisms promise a little more than their level, so there ε decides nothing


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """All claims about one of the two figures."""
    figure = table[table["variant"] == "figure"]
    curves = {str(name): rows.sort_values("epsilon", kind="stable") for name, rows in figure.groupby("mechanism")}
    level = float(figure["epsilon_direct"].iloc[0])
    yield from _published(table, params)
    yield from _reaches_zero(curves, level) if math.isfinite(level) else _stays_away(curves, params)
    if params["family"] == BETA:  # what section 5.4.1 says besides is about bits
        yield from _small_epsilon(curves, params)


def _published(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    texts = {
        "successes": "the figure was drawn with 38 successful trials",
        "gaussian": "its Gaussian mechanism has σ² = λΔ²/ε",
        "published": "its three curves are KL(P‖A), with these data and this noise",
    }
    reason = published.why_not(params)
    if not reason:
        points = published.points(params)
        mine = table.assign(x=np.log(table["epsilon"]).round(6))

        def error(variant: str, gaussian: str, curves: tuple[str, ...]) -> float:
            """The largest |published − ours| over some curves, with one reading of the data and of the noise."""
            worst = []
            for curve in curves:
                name = gaussian if curve == "gaussian" else curve
                rows = mine[(mine["variant"] == variant) & (mine["mechanism"] == name)]
                both = points[points["curve"] == curve].merge(rows[["x", "kl"]], on="x")
                worst.append(float((both["y"] - both["kl"]).abs().max()))  # nan without a common point
            return max(worst) if not any(map(math.isnan, worst)) else math.nan

        proposals, everything = ("diffused", "concentrated"), ("diffused", "concentrated", "gaussian")
        if math.isnan(error("figure", "gaussian", everything)):
            reason = "no ε of this table was published"
        elif "text" not in set(table["variant"]):
            reason = "this table has no variant `text`"
    if reason:
        for key, text in texts.items():
            yield untestable(key, THIS_FIGURE, text, reason, ours=key == "published", evidence=PUBLISHED_POINTS)
        return
    tolerance = published.KL_TOLERANCE
    correction = (
        f"{params['successes']} successes give the published curves of Algorithms 2 and 3; 38 is the "
        "first shape of their posterior (errors are of KL)"
    )
    errors = error("text", "gaussian", proposals), error("figure", "gaussian", proposals)
    yield mended(
        "successes", SECTION, texts["successes"], correction, errors, tolerance=tolerance, slip=True, **DIGITISED
    )
    correction = (
        "the published curve has the tight σ² = λΔ²/(2ε), for which (λ, λΔ²/(2σ²))-RDP holds; the "
        "printed noise is more than ε needs, and promises nothing that is too small (errors are of KL)"
    )
    errors = error("figure", "gaussian-printed", ("gaussian",)), error("figure", "gaussian", ("gaussian",))
    yield mended(
        "gaussian", SECTION, texts["gaussian"], correction, errors, tolerance=tolerance, slip=True, **DIGITISED
    )
    text = texts["published"] + "; Algorithm 2 over pset(η₀, rn) (largest difference)"
    worst = error("figure", "gaussian", everything)
    marks: Marks = {"evidence": PUBLISHED_POINTS, "ours": True}
    yield agrees("published", THIS_FIGURE, text, expected=0.0, measured=worst, tolerance=tolerance, **marks)


def _reaches_zero(curves: dict[str, pd.DataFrame], level: float) -> Iterator[Claim]:
    """λ < λ*: from the direct posterior's own level on, nothing is distorted."""
    for mechanism in ("diffused", "concentrated"):
        rows = curves[mechanism]
        rows = rows[(rows["epsilon"] / level - 1.0).abs() > MARGIN]
        wrong = (rows["kl"] == 0) != (rows["epsilon"] >= level)
        text = (
            f"at λ < λ*, the {mechanism} posterior reaches zero KL exactly when direct sampling is possible "
            f"(ε ≥ {level:.4f})"
        )
        yield never(f"zero-{mechanism}", SECTION, text, violations=int(wrong.sum()), cases=len(rows))
    if "gaussian" in curves:
        rows = curves["gaussian"]
        text = "the Gaussian mechanism must always add noise: neither its σ nor its KL is ever zero"
        violations = int(((rows["kl"] <= 0) | (rows["scale"] <= 0)).sum())
        yield never("gaussian-noise", SECTION, text, violations=violations, cases=len(rows))


def _stays_away(curves: dict[str, pd.DataFrame], params: Mapping[str, Any]) -> Iterator[Claim]:
    """λ > λ*: r and m stay below (λ* − 1)/(λ − 1), and KL above its value there, which the table has as its limit.

    At λ = λ*, of which the source does not speak, that is the posterior itself.
    """
    prior, n, s = params["prior"], float(params["n"]), float(params["successes"])
    limit = min(prior[0], prior[1] - prior[0]) / (params["order"] - 1.0)
    for mechanism in ("diffused", "concentrated"):
        rows = curves[mechanism]
        floor = float(rows["kl_large"].iloc[0])
        reason = "KL is not monotone in ε for this prior and these data, so the limiting scale gives no bound"
        if limit >= 1.0:
            reason = "this order is λ* itself, where KL tends to 0; choose one above it"
        elif np.all(np.diff(rows["kl"]) <= ROUNDING):  # where KL falls with ε, its infimum is the one at the limit
            text = f"at λ > λ*, the {mechanism} posterior's KL is bounded away from 0, by that at scale {limit:.4f}"
            least, above = float(rows["kl"].min()), floor if floor > 0 else math.inf
            yield at_least(f"floor-{mechanism}", SECTION, text, limit=above, measured=least, tolerance=ROUNDING)
            continue
        text = f"the {mechanism} posterior's KL is bounded away from 0"
        yield untestable(f"floor-{mechanism}", SECTION, text, reason)
    yield _approaches(curves["gaussian"], n, s)


def _approaches(rows: pd.DataFrame, n: float, successes: float) -> Claim:
    """Noise of variance σ² = λ/(2ε) shifts the law's logarithm by O(σ²), so that KL is of order σ⁴."""
    text = "the Gaussian mechanism still approaches the truth as ε → ∞: KL falls like ε^−2 (slope of its last step)"
    last = rows.tail(2)
    sigma, kl, epsilon = (last[name].to_numpy() for name in ("scale", "kl", "epsilon"))
    if not (len(last) == 2 and sigma[0] <= 1.5 and 10.0 <= successes <= n - 10.0 and np.all(kl > ROUNDING)):
        return untestable("gaussian-truth", SECTION, text, "the noise of this table does not become little")
    slope = float(np.diff(np.log(kl))[0] / np.diff(np.log(epsilon))[0])
    # What follows σ⁴ is smaller by σ² over the data's own variance.
    slack = 2.0 * float(sigma[0]) ** 2 * (1.0 / successes + 1.0 / (n - successes))
    return agrees("gaussian-truth", SECTION, text, expected=-2.0, measured=slope, tolerance=slack)


def _small_epsilon(curves: dict[str, pd.DataFrame], params: Mapping[str, Any]) -> Iterator[Claim]:
    prior, n = params["prior"], float(params["n"])
    diffused, concentrated, gaussian = (curves[m].head(3) for m in ("diffused", "concentrated", "gaussian"))
    concentrated = concentrated.head(2)
    smallest = float(min(prior[0], prior[1] - prior[0]))
    far = "the ε of this table do not come near the limit for this prior and n"
    # The data weigh r·n against the prior's shapes, the prior 1/m times against n, the noise σ against n.
    r, m = diffused["scale"].to_numpy(), concentrated["scale"].to_numpy()
    text = "as ε → 0, Algorithm 2 tends to the prior: its KL, extrapolated to r = 0, is KL(P‖prior)"
    if len(r) == 3 and r[0] < r[1] < r[2] <= 0.3 * smallest / n:
        kl, to_prior = diffused["kl"].to_numpy(), float(diffused["kl_small"].iloc[0])
        line = float(kl[0] - r[0] * (kl[1] - kl[0]) / (r[1] - r[0]))
        bend = ((kl[2] - kl[1]) / (r[2] - r[1]) - (kl[1] - kl[0]) / (r[1] - r[0])) / (r[2] - r[0])
        # Of Newton's form at 0, whose next term is smaller by about r/r* of the law's own scale.
        correction = float(bend * r[0] * r[1])
        at_zero, slack = line + correction, 0.3 * abs(correction) + 1e-6
        yield agrees("prior", SECTION, text, expected=to_prior, measured=at_zero, tolerance=slack, ours=True)
    else:
        yield untestable("prior", SECTION, text, far, ours=True)
    text = "as ε → 0, Algorithm 3 tends to a point mass that KL punishes without bound: KL grows like 1/m"
    if len(m) == 2 and m[0] < m[1] <= smallest / (30.0 * n):
        slope = float(np.diff(np.log(concentrated["kl"]))[0] / np.diff(np.log(concentrated["scale"]))[0])
        # ln KL = −ln m + O(nm/smallest), of which so small an m leaves a thirtieth.
        yield agrees("point-mass", SECTION, text, expected=-1.0, measured=slope, tolerance=1.0 / 30.0)
    else:
        yield untestable("point-mass", SECTION, text, far)
    text = "as ε → 0, the Gaussian statistic is bimodal: most of its mass is at 0 and n"
    if float(gaussian["scale"].iloc[0]) >= n:
        at_ends = float(gaussian["at_ends"].iloc[0])
        yield at_least("bimodal", SECTION, text, limit=0.5, measured=at_ends, ours=True)
    else:
        yield untestable("bimodal", SECTION, text, far, ours=True)
