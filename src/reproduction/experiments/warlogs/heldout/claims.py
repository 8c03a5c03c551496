"""What section 4.5 says of the held-out scores, under both readings of the score.

The text averages the test likelihood over samples, or takes the last one's, and does not say whether a held-out cell's
state is summed out given the other cells' (`predictive`) or is the sample's own (`literal`). What is said of the HMM
hangs on it, so that either claim is a reading of ours; a model of one state has one score.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.event_logs.names import CLIP, HIDDEN_MARKOV, LAPLACE, LITERAL, NAIVE_BAYES, NOISE_AWARE, OPS, PREDICTIVE
from reproduction.claims import Claim, Marks, ahead, at_least, at_most, never, untestable
from reproduction.experiments.warlogs.checks import beside, too_few, unlike_predictions
from reproduction.experiments.warlogs.text import evidence, origin, simulated

SOURCE = "thesis section 4.5, Figure 4.6"
SMALL, LARGE = "afghanistan", "iraq"
OURS = "ours, beside thesis section 4.5"
SURE = 2.0  # standard errors by which a difference must exceed 0
NEAR = 0.1  # nats per entry that leave a mechanism competitive
SHARE = 0.1  # of the cells, held out
ABSENT = "the log is not in the table"
PAIRED = ("paired_mean", "paired_sem")


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Judge what the thesis says of all mechanisms, or whether modelling the noise is better than clipping it away."""
    return _ways_to_use_noisy_counts(table, params) if "variants" in params else _mechanisms(table, params)


def _mechanisms(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Each claim on the logs that the table has."""
    why: dict[str | None, str] = {log: _why_not(table, params, log) for log in params["logs"]}
    logs = {name: next((log for log in params["logs"] if str(log).startswith(name)), None) for name in (SMALL, LARGE)}
    claims = [_naive_bayes(table, log, _why_not(table, params, log, chain=False)) for log in params["logs"]]
    for definition in (PREDICTIVE, LITERAL):
        claims.append(_competitive(table, logs[SMALL], definition, why.get(logs[SMALL])))
        claims += _superior(table, logs[LARGE], definition, why.get(logs[LARGE]))
    return claims


def _why_not(table: pd.DataFrame, params: Mapping[str, Any], log: str, *, chain: bool = True) -> str:
    """Say what keeps a claim from being judged; naive Bayes has no chain whose length matters."""
    unlike = unlike_predictions(params, simulated=simulated(table, log), chain=chain)
    if params["share"] != SHARE:
        unlike.append(beside("share", params["share"], SHARE))
    return "; ".join(unlike + too_few(params, epsilons=5, splits=5))


def _naive_bayes(table: pd.DataFrame, log: str, why: str) -> Claim:
    name = f"naive-bayes-{log}"
    statement = (
        f"naive Bayes on {log}: the Laplace mechanism is above OPS at every ε, for every M "
        f"(violation: not above by {SURE:g} standard errors; {origin(table, log)})"
    )
    rests = evidence(table, log)
    if why:
        return untestable(name, SOURCE, statement, why, evidence=rests)
    gaps = _gaps(table, log, NAIVE_BAYES, PREDICTIVE)
    wrong = sum(gap <= SURE * error for _, gap, error in gaps)
    return never(name, SOURCE, statement, violations=wrong, cases=len(gaps), evidence=rests)


def _competitive(table: pd.DataFrame, log: str | None, definition: str, why: str | None) -> Claim:
    name = f"small-log-{definition}"
    statement = (
        "HMM on the small log: OPS is competitive with the Laplace mechanism at every ε, that is at most "
        f"{NEAR:g} nats per entry below it: the largest lead of Laplace over the better OPS ({definition} score)"
    )
    if why or log is None:
        return _not_tested(table, log, name, statement, why)
    best: dict[float, float] = {}
    for epsilon, gap, _ in _gaps(table, log, HIDDEN_MARKOV, definition):
        best[epsilon] = min(gap, best.get(epsilon, math.inf))
    statement, rests = f"{statement}, {origin(table, log)}", evidence(table, log)
    return at_most(name, SOURCE, statement, limit=NEAR, measured=max(best.values()), evidence=rests, ours=True)


def _superior(table: pd.DataFrame, log: str | None, definition: str, why: str | None) -> list[Claim]:
    above = (
        f"HMM on the large log: the Laplace mechanism is above every OPS at every ε (violation: not above by "
        f"{SURE:g} standard errors; {definition} score)"
    )
    most = (
        "HMM on the large log: the Laplace mechanism is ahead most of all at small ε: its lead over the better OPS "
        f"at the smallest ε less that at the largest, over the difference's standard error ({definition} score)"
    )
    ids = (f"large-log-{definition}", f"large-log-small-epsilon-{definition}")
    if why or log is None:
        return [_not_tested(table, log, i, s, why) for i, s in zip(ids, (above, most), strict=True)]
    gaps = _gaps(table, log, HIDDEN_MARKOV, definition)
    wrong = sum(gap <= SURE * error for _, gap, error in gaps)
    (_, low, low_error), (_, high, high_error) = (
        min((gap for gap in gaps if gap[0] == end), key=lambda gap: gap[1])
        for end in (min(e for e, *_ in gaps), max(e for e, *_ in gaps))
    )
    lead = (low - high) / math.hypot(low_error, high_error)
    where, marks = origin(table, log), Marks(evidence=evidence(table, log), ours=True)
    return [
        never(ids[0], SOURCE, f"{above}, {where}", violations=wrong, cases=len(gaps), **marks),
        ahead(ids[1], SOURCE, f"{most}, {where}", errors=lead, sure=SURE, **marks),
    ]


def _not_tested(table: pd.DataFrame, log: str | None, name: str, statement: str, why: str | None) -> Claim:
    rests = evidence(table, "" if log is None else log)
    return untestable(name, SOURCE, statement, why or ABSENT, evidence=rests, ours=True)


def _gaps(table: pd.DataFrame, log: str, model: str, definition: str) -> list[tuple[float, float, float]]:
    """(ε, Laplace − OPS, standard error) for every ε and M; both are differences to the same non-private scores."""
    rows = table[(table["log"] == log) & (table["model"] == model) & (table["definition"] == definition)]

    def points(kept: pd.Series[bool]) -> list[list[float]]:
        return rows.loc[kept, ["epsilon", *PAIRED]].to_numpy(dtype=float).tolist()

    laplace = {epsilon: (mean, error) for epsilon, mean, error in points(rows["variant"] == CLIP)}
    gaps = []
    for epsilon, mean, error in points(rows["mechanism"] == OPS):
        of_laplace, its_error = laplace[epsilon]
        gaps.append((epsilon, of_laplace - mean, math.hypot(its_error, error)))
    return gaps


def _ways_to_use_noisy_counts(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The share of ε at which the noise-aware fit is ahead of the clipped one, for each log."""
    claims = []
    for log in params["logs"]:
        statement = (
            f"HMM on {log}: modelling the noise scores above clipping it: share of ε at which it does, by {SURE:g} "
            f"standard errors ({origin(table, log)})"
        )
        name, rests = f"noise-aware-{log}", evidence(table, log)
        reasons = unlike_predictions(params, simulated=simulated(table, log)) + too_few(params, splits=3)
        reasons += [f"variants lacks {name}" for name in (CLIP, NOISE_AWARE) if name not in params["variants"]]
        if reasons:
            reason = "; ".join(reasons)
            claims.append(untestable(name, OURS, statement, reason, evidence=rests, ours=True))
            continue
        rows = table[(table["log"] == log) & (table["definition"] == PREDICTIVE) & (table["mechanism"] == LAPLACE)]
        means, errors = (rows.pivot_table(index="epsilon", columns="variant", values=v) for v in PAIRED)
        error = (errors[NOISE_AWARE] ** 2 + errors[CLIP] ** 2) ** 0.5
        share = float((means[NOISE_AWARE] - means[CLIP] > SURE * error).mean())
        claims.append(at_least(name, OURS, statement, limit=0.5, measured=share, evidence=rests, ours=True))
    return claims
