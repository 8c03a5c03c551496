"""What the thesis says of Figures 5.5–5.8, and what their published points say.

A mean over `runs` runs has standard error sd/√runs. Each test of a mean allows 4 of them: a true statement about K
means fails with probability below 6.4e-5·K.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from dpsampling.claims import MONTE_CARLO, THIS_FIGURE, Claim, agrees, at_most, corrected, never, untestable
from dpsampling.experiments.renyi import published
from dpsampling.experiments.renyi.checks import BETA
from dpsampling.experiments.renyi.heldout import PASSAGES, populations

EVIDENCE = MONTE_CARLO

STANDARD_ERRORS = 4.0
FEW_RUNS = 100  # with fewer, a mean over its standard error is not close to normal
HIGH_PRIVACY = 1e-3
Key = tuple[float, str, float]
Means = dict[Key, tuple[float, float]]
Points = dict[Key, "pd.Series[Any]"]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All claims about one of the four figures; what the text says besides the means is about bits."""
    points = dict(_rows(table[table["runs"] > 0], params))
    means = {key: (float(row["mean"]), float(row["sd"]) / math.sqrt(params["runs"])) for key, row in points.items()}
    exact = {key: float(row["exact"]) for key, row in points.items() if not math.isnan(row["exact"])}
    section = f"thesis section {PASSAGES[params['passage']]}"
    claims = [_exact(means, exact, int(params["runs"]))]
    if "panel" in params:
        claims.append(_published(means, exact, params))
    if params["family"] != BETA:
        return claims
    claims += [_prior_mode(means, points, params, section, rho) for rho in populations(params)]
    claims.append(_conservative(means, params, section))
    if params["passage"] == "populations":
        claims.append(_match(means, points, params))
    if params["passage"] == "uniform prior":
        claims += _uniform(means, points, params)
    return claims


def _rows(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[tuple[Key, pd.Series[Any]]]:
    """((ρ, mechanism, ε), row) of every row, whether or not the table has a column for ρ."""
    alone = populations(params)[0]
    for _, row in table.iterrows():
        yield (float(row.get("rho", alone)), str(row["mechanism"]), float(row["epsilon"])), row


def _exact(means: Means, exact: dict[Key, float], runs: int) -> Claim:
    if runs < FEW_RUNS:
        return untestable(
            "exact", THIS_FIGURE, "the means agree with exact summation", f"there are fewer than {FEW_RUNS} runs"
        )
    if not exact:
        return untestable("exact", THIS_FIGURE, "the means agree with exact summation", "this family has none")
    deviations = [_deviation(means[key][0] - value, means[key][1]) for key, value in exact.items()]
    return at_most(
        "exact",
        THIS_FIGURE,
        f"the means of {len(exact)} points agree with exact summation (largest deviation in standard errors)",
        limit=STANDARD_ERRORS,
        measured=max(deviations),
    )


def _published(means: Means, exact: dict[Key, float], params: Mapping[str, Any]) -> Claim:
    """The published means, each of 10 000 runs, against the expectations that they estimate."""
    text = "the published means are those of the mechanisms as described"
    reason = published.why_not(params)
    known = {(curve, round(x, 1)): y for curve, x, y in published.points(params).itertuples(index=False)}
    deviations = []
    for key, (_, error) in means.items():
        y = known.get((key[1], round(math.log(key[2]), 6)))
        if y is not None:
            deviations.append(_deviation(y - exact[key], error * math.sqrt(params["runs"] / 10_000)))
    if params["runs"] < FEW_RUNS and not reason:
        reason = f"there are fewer than {FEW_RUNS} runs, too few to know the spread"
    if reason or not deviations:
        return untestable("published", THIS_FIGURE, text, reason or "no ε of this table was published")
    text = f"{text} (largest deviation of {len(deviations)} points from exact summation, in standard errors)"
    return at_most("published", THIS_FIGURE, text, limit=STANDARD_ERRORS, measured=max(deviations))


def _deviation(difference: float, error: float) -> float:
    """|difference| in standard errors; runs that all agree have none."""
    return abs(difference) / error if error > 0 else (0.0 if difference == 0 else math.inf)


def _smallest(means: Means, mechanism: str) -> float:
    return min(epsilon for _, name, epsilon in means if name == mechanism)


def _concentrated_on_prior(points: Points, params: Mapping[str, Any], key: Key) -> bool:
    """Whether the prior outweighs the data a hundredfold at this point, so that Algorithm 3's limit can be seen."""
    return bool(params["prior"][1] / float(points[key]["scale"]) >= 100.0 * params["n"])


def _constant_mean(n: float, rho: float, p: float) -> float:
    """E[−ln Pr(X_H | p)] for a fixed probability p, the limit of a law that concentrates there."""
    counts = np.arange(n + 1.0)
    log_choose = gammaln(n + 1.0) - gammaln(counts + 1.0) - gammaln(n - counts + 1.0)
    weights = np.exp(log_choose + counts * math.log(rho) + (n - counts) * math.log1p(-rho))
    return float(-(weights @ log_choose) - n * rho * math.log(p) - n * (1.0 - rho) * math.log1p(-p))


def _prior_mode(means: Means, points: Points, params: Mapping[str, Any], section: str, rho: float) -> Claim:
    """As ε → 0 Algorithm 3's θ stays at the mode of the prior's density in θ, which is the mean of its Beta law."""
    mode = params["prior"][0] / params["prior"][1]
    name, text = (
        f"prior-mode-{rho!r}",
        f"Algorithm 3 degrades only to the likelihood under the prior's mode, p = {mode:.4g}",
    )
    epsilon = _smallest(means, "concentrated")
    if params["runs"] < FEW_RUNS or not _concentrated_on_prior(points, params, (rho, "concentrated", epsilon)):
        return untestable(name, section, text, "the ε of this table do not reach the limit, or its runs are few")
    mean, error = means[rho, "concentrated", epsilon]
    limit = _constant_mean(params["n"], rho, mode)
    tolerance = STANDARD_ERRORS * error + 0.02 * limit  # two percent for ε not being 0
    return agrees(name, section, f"{text} (population {rho:.4g})", expected=limit, measured=mean, tolerance=tolerance)


def _conservative(means: Means, params: Mapping[str, Any], section: str) -> Claim:
    epsilon = _smallest(means, "gaussian")
    text = "in the face of high privacy, Algorithms 2 and 3 predict better than the noisy statistic"
    sigma = math.sqrt(params["order"] / (2.0 * epsilon))
    if epsilon > HIGH_PRIVACY or sigma < params["n"] or params["n"] < 10 or params["runs"] < FEW_RUNS:
        return untestable(
            "conservative", section, text, "no ε of this table is that private for this n, or its runs are few"
        )
    pairs = [(rho, proposal) for rho in populations(params) for proposal in ("diffused", "concentrated")]
    worse = 0
    for rho, proposal in pairs:
        (mean, error), (noisy, noisy_error) = means[rho, proposal, epsilon], means[rho, "gaussian", epsilon]
        worse += mean - noisy > STANDARD_ERRORS * math.hypot(error, noisy_error)
    return never("conservative", section, f"{text} (ε = {epsilon:.3g})", violations=worse, cases=len(pairs))


def _match(means: Means, points: Points, params: Mapping[str, Any]) -> Claim:
    """The nearer the population is to the prior's mean, the less Algorithm 3 loses at the smallest ε."""
    source, text = (
        "thesis Figure 5.7",
        "Algorithm 3's worst-case loss grows with the distance of the population from the prior",
    )
    mode, epsilon = params["prior"][0] / params["prior"][1], _smallest(means, "concentrated")
    ordered = sorted(populations(params), key=lambda rho: abs(rho - mode))
    distances = np.abs(np.asarray(ordered) - mode)
    if (
        len(ordered) < 2
        or np.min(np.diff(distances)) < 0.05
        or not _concentrated_on_prior(points, params, (ordered[0], "concentrated", epsilon))
    ):
        return untestable("match", source, text, "the populations are at like distances, or no ε reaches the limit")
    rows = [(means[rho, "concentrated", epsilon], means[rho, "direct", epsilon]) for rho in ordered]
    losses = np.array([a[0] - b[0] for a, b in rows])
    errors = np.array([math.hypot(a[1], b[1]) for a, b in rows])
    falls = np.diff(losses) < -STANDARD_ERRORS * np.hypot(errors[1:], errors[:-1])
    told = ", ".join(f"{loss:.2f} at ρ = {rho:.3g}" for rho, loss in zip(ordered, losses, strict=True))
    return never("match", source, f"{text}: {told}", violations=int(np.sum(falls)), cases=len(falls))


def _uniform(means: Means, points: Points, params: Mapping[str, Any]) -> list[Claim]:
    mode = params["prior"][0] / params["prior"][1]
    horizon = 1.0 + min(params["prior"][0], params["prior"][1] - params["prior"][0])
    claims = [
        agrees("horizon", "thesis section 5.6", "λ* = 2 in this setting", expected=2.0, measured=horizon, tolerance=0.0)
        if params["prior"] == [1, 2]
        else untestable(
            "horizon", "thesis section 5.6", "λ* = 2 in this setting", f"this run's prior is {params['prior']}"
        )
    ]
    source, text = (
        "thesis section 5.6",
        "when Algorithm 3 scales up the uniform prior, it becomes concentrated around ρ = 0.2",
    )
    epsilon = _smallest(means, "concentrated")
    (rho,) = populations(params)
    setting = params["prior"] == [1, 2] and rho == 0.2 and params["runs"] >= FEW_RUNS
    if not setting or not _concentrated_on_prior(points, params, (rho, "concentrated", epsilon)):
        claims.append(
            untestable("concentrates", source, text, "this run's prior, population or ε are not those of the figure")
        )
        return claims
    mean, error = means[rho, "concentrated", epsilon]
    errors = {p: _deviation(mean - _constant_mean(params["n"], rho, p), error) for p in (0.2, mode)}
    claims.append(
        corrected(
            "concentrates",
            source,
            text,
            correction="around the prior's mean, 1/2; 0.2 is the population (errors are in standard errors)",
            error_as_printed=errors[0.2],
            error_as_corrected=errors[mode],
            tolerance=STANDARD_ERRORS,
            slip=True,
        )
    )
    return claims
