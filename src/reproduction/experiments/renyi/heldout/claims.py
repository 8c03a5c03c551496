"""What the thesis says of Figures 5.5–5.8, and what their published points say.

A mean over `runs` runs has standard error sd/√runs. Each test of a mean allows 4 of them: a true statement about K
means fails with probability below 6.4e-5·K. What the text says is judged by the expectations that the means estimate,
which are summed and which no draw decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import gammaln

from reproduction.claims import (
    EXACT,
    MONTE_CARLO,
    PUBLISHED_POINTS,
    THIS_FIGURE,
    Claim,
    Marks,
    agrees,
    at_most,
    never,
    untestable,
)
from reproduction.experiments.mended import mended
from reproduction.experiments.renyi import published
from reproduction.experiments.renyi.advice import rounded_down
from reproduction.experiments.renyi.checks import BETA
from reproduction.experiments.renyi.heldout import PASSAGES, UNIFORM, populations

EVIDENCE = EXACT

STANDARD_ERRORS = 4.0
FEW_RUNS = 100  # with fewer, a mean over its standard error is not close to normal
HIGH_PRIVACY = 1e-3
FEW_RECORDS = 10  # with fewer, noise that hides them is not high privacy
ROUNDING = 1e-12  # of an expectation, of itself
NEXT_TERM = 3.0  # of an expectation near Algorithm 3's limit, in units of records over pseudo-records
Key = tuple[float, str, float]
Means = dict[Key, tuple[float, float]]
Expectations = dict[Key, float]
Points = dict[Key, "pd.Series[Any]"]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """All claims about one of the four figures; what the text says besides the means is about bits."""
    points = dict(_rows(table[table["runs"] > 0], params))
    means = {key: (float(row["mean"]), float(row["sd"]) / math.sqrt(params["runs"])) for key, row in points.items()}
    exact = {key: float(row["exact"]) for key, row in points.items() if not math.isnan(row["exact"])}
    section = f"thesis section {PASSAGES[params['passage']]}"
    yield _exact(means, exact, int(params["runs"]))
    if "panel" in params:
        yield _published(means, exact, params)
    if params["family"] != BETA:
        return
    for rho in populations(params):
        yield _prior_mode(exact, points, params, section, rho)
    yield _conservative(exact, params, section)
    if params["passage"] == "populations":
        yield _match(exact, points, params)
    if params["passage"] == UNIFORM:
        yield from _uniform(exact, points, params)


def _rows(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[tuple[Key, pd.Series[Any]]]:
    """((ρ, mechanism, ε), row) of every row, whether or not the table has a column for ρ."""
    alone = populations(params)[0]
    for _, row in table.iterrows():
        yield (float(row.get("rho", alone)), str(row["mechanism"]), float(row["epsilon"])), row


def _exact(means: Means, exact: Expectations, runs: int) -> Claim:
    marks: Marks = {"evidence": MONTE_CARLO, "ours": True}
    text = f"the means of {runs} runs each agree with exact summation"
    if runs < FEW_RUNS:
        return untestable("exact", THIS_FIGURE, text, f"there are fewer than {FEW_RUNS} runs", **marks)
    if not exact:
        return untestable("exact", THIS_FIGURE, text, "this family has none", **marks)
    deviations = [_deviation(means[key][0] - value, means[key][1]) for key, value in exact.items()]
    text = f"{text} (largest deviation of {len(exact)} points in standard errors)"
    return at_most("exact", THIS_FIGURE, text, limit=STANDARD_ERRORS, measured=max(deviations), **marks)


def _published(means: Means, exact: Expectations, params: Mapping[str, Any]) -> Claim:
    """The published means, each of 10 000 runs, against the expectations that they estimate."""
    text = (
        "the published means of 10 000 runs are those of the mechanisms, the noise of the Gaussian one as in Figure 5.3"
    )
    marks: Marks = {"evidence": PUBLISHED_POINTS, "ours": True}
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
        return untestable("published", THIS_FIGURE, text, reason or "no ε of this table was published", **marks)
    text = f"{text} (largest deviation of {len(deviations)} points from exact summation, in standard errors)"
    return at_most("published", THIS_FIGURE, text, limit=STANDARD_ERRORS, measured=max(deviations), **marks)


def _deviation(difference: float, error: float) -> float:
    """|difference| in standard errors; runs that all agree have none."""
    return abs(difference) / error if error > 0 else (0.0 if difference == 0 else math.inf)


def _smallest(exact: Expectations, mechanism: str) -> float:
    return min((epsilon for _, name, epsilon in exact if name == mechanism), default=math.nan)


def _weight(points: Points, params: Mapping[str, Any], key: Key) -> float:
    """Records over the prior's pseudo-records, 0 where Algorithm 3's limit is reached."""
    return float(params["n"] * points[key]["scale"] / params["prior"][1])


def _next_term(points: Points, params: Mapping[str, Any], key: Key) -> float:
    """Bound how far an expectation may be from Algorithm 3's limit, over the limit."""
    return max(NEXT_TERM * _weight(points, params, key), ROUNDING)


def _concentrated_on_prior(points: Points, params: Mapping[str, Any], key: Key) -> bool:
    """Tell if the prior outweighs the data a hundredfold at this point, so that Algorithm 3's limit can be seen."""
    return key in points and 0.0 < _weight(points, params, key) <= 0.01


def _constant_mean(n: float, rho: float, p: float) -> float:
    """E[−ln Pr(X_H | p)] for a fixed probability p, the limit of a law that concentrates there."""
    counts = np.arange(n + 1.0)
    log_choose = gammaln(n + 1.0) - gammaln(counts + 1.0) - gammaln(n - counts + 1.0)
    weights = np.exp(log_choose + counts * math.log(rho) + (n - counts) * math.log1p(-rho))
    return float(-(weights @ log_choose) - n * rho * math.log(p) - n * (1.0 - rho) * math.log1p(-p))


def _prior_mode(exact: Expectations, points: Points, params: Mapping[str, Any], section: str, rho: float) -> Claim:
    """As ε → 0 Algorithm 3's θ stays at the mode of the prior's density in θ, which is the mean of its Beta law."""
    mode = params["prior"][0] / params["prior"][1]
    name = f"prior-mode-{rho!r}"
    text = f"Algorithm 3 degrades only to the likelihood under the prior's mode, p = {mode:.4g}"
    key = rho, "concentrated", _smallest(exact, "concentrated")
    if not _concentrated_on_prior(points, params, key):
        return untestable(name, section, text, "the ε of this table do not reach the limit")
    limit = _constant_mean(params["n"], rho, mode)
    text, slack = f"{text} (population {rho:.4g})", _next_term(points, params, key) * limit
    return agrees(name, section, text, expected=limit, measured=exact[key], tolerance=slack)


def _conservative(exact: Expectations, params: Mapping[str, Any], section: str) -> Claim:
    epsilon = _smallest(exact, "gaussian")
    text = "in the face of high privacy, Algorithms 2 and 3 predict better than the noisy statistic"
    if params["n"] < FEW_RECORDS:
        reason = f"n = {params['n']}, the claim needs {FEW_RECORDS} or more"
        return untestable("conservative", section, text, reason, ours=True)
    # The noise's σ = √(λ/2ε) is n or more.
    most = min(HIGH_PRIVACY, params["order"] / (2.0 * params["n"] ** 2))
    if not epsilon <= most:
        reason = f"no ε of this table is that private for this n; add one of {rounded_down(most):g}"
        return untestable("conservative", section, text, reason, ours=True)
    pairs = [(rho, proposal) for rho in populations(params) for proposal in ("diffused", "concentrated")]
    worse = sum(exact[rho, proposal, epsilon] >= exact[rho, "gaussian", epsilon] for rho, proposal in pairs)
    return never("conservative", section, f"{text} (ε = {epsilon:.3g})", violations=worse, cases=len(pairs), ours=True)


def _match(exact: Expectations, points: Points, params: Mapping[str, Any]) -> Claim:
    """The nearer the population is to the prior's mean, the less Algorithm 3 loses at the smallest ε."""
    source = "thesis Figure 5.7"
    text = "at the smallest ε, Algorithm 3's loss to the posterior grows with the population's distance from the prior"
    mode, epsilon = params["prior"][0] / params["prior"][1], _smallest(exact, "concentrated")
    ordered = sorted(populations(params), key=lambda rho: abs(rho - mode))
    alike = len(ordered) < 2 or np.min(np.diff(np.abs(np.asarray(ordered) - mode))) < 0.05
    if alike or not _concentrated_on_prior(points, params, (ordered[0], "concentrated", epsilon)):
        reason = "the populations are at like distances, or no ε reaches the limit"
        return untestable("match", source, text, reason, ours=True)
    losses = [exact[rho, "concentrated", epsilon] - exact[rho, "direct", epsilon] for rho in ordered]
    falls = int(np.sum(np.diff(losses) <= 0.0))
    values = ", ".join(f"{loss:.2f} at ρ = {rho:.3g}" for rho, loss in zip(ordered, losses, strict=True))
    return never("match", source, f"{text}: {values}", violations=falls, cases=len(losses) - 1, ours=True)


def _uniform(exact: Expectations, points: Points, params: Mapping[str, Any]) -> Iterator[Claim]:
    source = "thesis section 5.6"
    of_horizon = "λ* = 2 in this setting (the order from which on the posterior's own level is infinite)"
    text = "when Algorithm 3 scales up the uniform prior, it becomes concentrated around ρ = 0.2"
    if params["prior"] != [1, 2]:
        yield untestable("horizon", source, of_horizon, f"this run's prior is {params['prior']}")
        yield untestable("concentrates", source, text, f"this run's prior is {params['prior']}")
        return
    horizon = float(next(iter(points.values()))["horizon"])
    yield agrees("horizon", source, of_horizon, expected=2.0, measured=horizon, tolerance=1e-9, of_privacy=True)
    (rho,) = populations(params)
    key = rho, "concentrated", _smallest(exact, "concentrated")
    if rho != 0.2 or not _concentrated_on_prior(points, params, key):
        yield untestable("concentrates", source, text, "this run's population or ε are not those of the figure")
        return
    likelihood = {p: _constant_mean(params["n"], rho, p) for p in (0.2, 0.5)}
    correction = (
        "around the prior's mean, 1/2; 0.2 is the population (errors are of the expected −ln likelihood "
        "at the smallest ε, relative to that at 0.2 and at 1/2)"
    )
    errors = abs(exact[key] / likelihood[0.2] - 1.0), abs(exact[key] / likelihood[0.5] - 1.0)
    slack = _next_term(points, params, key)
    yield mended("concentrates", source, text, correction, errors, tolerance=slack, slip=True)
