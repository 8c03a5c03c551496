"""What section 4.5 says of the held-out scores, under both readings of the score."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import SIMULATED_LOG, Claim, at_least, never, untestable
from dpsampling.experiments.warlogs.checks import at_paper
from dpsampling.experiments.warlogs.text import origin
from dpsampling.warlogs.names import CLIP, HIDDEN_MARKOV, LAPLACE, LITERAL, NAIVE_BAYES, NOISE_AWARE, OPS, PREDICTIVE

EVIDENCE = SIMULATED_LOG

SOURCE = "thesis section 4.5, Figure 4.6"
SMALL, LARGE = "afghanistan", "iraq"
OURS = "ours, beside thesis section 4.5"
SURE = 3.0  # standard errors of a paired difference that a reversal must exceed


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """What the thesis says of all mechanisms, or whether modelling the noise is better than clipping it away."""
    return _ways_to_use_noisy_counts(table, params) if "variants" in params else _mechanisms(table, params)


def _mechanisms(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Each claim on the logs that the table has."""
    enough = params["splits"] >= 5 and len(params["epsilons"]) >= 5 and params["share"] == 0.1
    why = None if enough and at_paper(params) else "the model or the scale is not the thesis's"
    logs = {name: next((log for log in params["logs"] if str(log).startswith(name)), None) for name in (SMALL, LARGE)}
    claims = [_naive_bayes(table, log, why) for log in params["logs"]]
    for definition in (PREDICTIVE, LITERAL):
        claims.append(_competitive(table, logs[SMALL], definition, why))
        claims += _superior(table, logs[LARGE], definition, why)
    return claims


def _naive_bayes(table: pd.DataFrame, log: str, why: str | None) -> Claim:
    """Reversals of the order are counted beyond their standard error."""
    name = f"naive-bayes-{log}"
    statement = (
        f"naive Bayes on {log}: the Laplace mechanism is above OPS at every ε, for every M "
        f"(violation: OPS above by {SURE:g} standard errors; {origin(table, log)})"
    )
    if why:
        return untestable(name, SOURCE, statement, why)
    gaps = _gaps(table, log, NAIVE_BAYES, PREDICTIVE)
    return never(name, SOURCE, statement, violations=sum(g < -SURE * s for _, g, s in gaps), cases=len(gaps))


def _competitive(table: pd.DataFrame, log: str | None, definition: str, why: str | None) -> Claim:
    name = f"small-log-{definition}"
    statement = (
        f"HMM on the small log: OPS is competitive with the Laplace mechanism: share of ε at which the better OPS is "
        f"within .1 nats of it, or above ({definition} score)"
    )
    if why or log is None:
        return untestable(name, SOURCE, statement, why or "the log is not in the table")
    best: dict[float, float] = {}
    for epsilon, gap, _ in _gaps(table, log, HIDDEN_MARKOV, definition):
        best[epsilon] = min(gap, best.get(epsilon, math.inf))
    share = sum(gap <= 0.1 for gap in best.values()) / len(best)
    return at_least(name, SOURCE, f"{statement}, {origin(table, log)}", limit=0.5, measured=share)


def _superior(table: pd.DataFrame, log: str | None, definition: str, why: str | None) -> list[Claim]:
    above = (
        f"HMM on the large log: the Laplace mechanism is above every OPS at every ε (violation: OPS above by "
        f"{SURE:g} standard errors; {definition} score)"
    )
    most = (
        "HMM on the large log: the Laplace mechanism is ahead most of all at small ε: its lead over the better OPS "
        f"at the smallest ε less that at the largest ({definition} score)"
    )
    ids = (f"large-log-{definition}", f"large-log-small-epsilon-{definition}")
    if why or log is None:
        reason = why or "the log is not in the table"
        return [untestable(i, SOURCE, s, reason) for i, s in zip(ids, (above, most), strict=True)]
    gaps = _gaps(table, log, HIDDEN_MARKOV, definition)
    wrong = sum(g < -SURE * s for _, g, s in gaps)
    ends = [min(g for e, g, _ in gaps if e == end) for end in (min(e for e, *_ in gaps), max(e for e, *_ in gaps))]
    where = origin(table, log)
    return [
        never(ids[0], SOURCE, f"{above}, {where}", violations=wrong, cases=len(gaps)),
        at_least(ids[1], SOURCE, f"{most}, {where}", limit=0.0, measured=ends[0] - ends[1]),
    ]


def _gaps(table: pd.DataFrame, log: str, model: str, definition: str) -> list[tuple[float, float, float]]:
    """(ε, Laplace − OPS, standard error) for every ε and M; both are differences to the same non-private scores."""
    rows = table[(table["log"] == log) & (table["model"] == model) & (table["definition"] == definition)]
    laplace = {float(r.epsilon): r for r in rows[rows["variant"] == CLIP].itertuples()}  # type: ignore[arg-type]
    gaps = []
    for row in rows[rows["mechanism"] == OPS].itertuples():
        other = laplace[float(row.epsilon)]  # type: ignore[arg-type]
        error = math.hypot(float(other.paired_sem), float(row.paired_sem))  # type: ignore[arg-type]
        gaps.append((float(row.epsilon), float(other.paired_mean) - float(row.paired_mean), error))  # type: ignore[arg-type]
    return gaps


def _ways_to_use_noisy_counts(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The share of ε at which the noise-aware fit is ahead of the clipped one, for each log."""
    claims = []
    for log in params["logs"]:
        statement = f"HMM on {log}: modelling the noise scores above clipping it: share of ε at which it does"
        name = f"noise-aware-{log}"
        if not at_paper(params) or params["splits"] < 3 or not {CLIP, NOISE_AWARE} <= set(params["variants"]):
            claims.append(
                untestable(name, OURS, statement, "few splits, another model or scale, or a variant is missing")
            )
            continue
        rows = table[(table["log"] == log) & (table["definition"] == PREDICTIVE) & (table["mechanism"] == LAPLACE)]
        means = rows.pivot_table(index="epsilon", columns="variant", values="paired_mean")
        share = float((means[NOISE_AWARE] > means[CLIP]).mean())
        claims.append(at_least(name, OURS, f"{statement} ({origin(table, log)})", limit=0.5, measured=share))
    return claims
