"""How accurate private classifiers are, against each other and without privacy, by the table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, Unpack

import pandas as pd

from reproduction.claims import (
    EXACT,
    MONTE_CARLO,
    NO_CASE,
    REAL_DATA,
    THIS_FIGURE,
    Claim,
    Marks,
    agrees,
    at_least,
    never,
    untestable,
)
from reproduction.experiments.learners import svm as said
from reproduction.experiments.learners.accuracies import SURE, margins, remaining, surely_at_most

EVIDENCE = REAL_DATA  # and a planted set beside it

PRINTED = "Chaudhuri, Monteleoni and Sarwate 2011, as commonly stated"
ENOUGH = 5  # repetitions whose spread tells anything
FEW, LEAST = 10, 0.05  # dimensions and ε up to and from which Gaussian noise is the longer one at δ = 1e-6
HALF = 0.5  # of what is lost to privacy at the least ε
SLACK = 1e-12
SECTIONS = {
    said.LOGISTIC: ("s5.7", "DP review 2019 section 5.7", "logistic regression"),
    said.HINGE: ("s5.10", "DP review 2019 section 5.10", "an SVM with its hinge rounded off"),
}


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Learning at all, comparisons, and norms."""
    del params  # all of it is in the table
    rows = table[table["view"] == said.ERRORS]
    return [
        *(_learnt(rows[rows["loss"] == loss], loss, kind) for loss in SECTIONS for kind in (said.OUTPUT, said.PRINTED)),
        _no_worse("modern-objective", THIS_FIGURE, rows, said.TIGHT, said.PRINTED, ", at every ε", ours=True),
        _no_worse("objective-output", PRINTED, rows, said.PRINTED, said.OUTPUT, ", at every ε"),
        *_outputs(rows),
        *_norms(table[table["view"] == said.NORMS]),
    ]


def _outputs(rows: pd.DataFrame) -> Iterator[Claim]:
    """Radial or Gaussian noise: whichever is shorter is no worse, and in few dimensions that is not the modern one."""
    key = ["dataset", "loss", "epsilon"]
    needed = [*key, "dimension", "delta", "noise_length"]
    radial, gaussian = (rows.loc[rows["mechanism"] == kind, needed] for kind in (said.OUTPUT, said.GAUSSIAN))
    both = radial.merge(gaussian, on=key, suffixes=("", "_gaussian"))
    both = both.assign(ratio=both["noise_length_gaussian"] / both["noise_length"])
    shorter, longer = (
        rows.merge(cases[key], on=key) for cases in (both[both["ratio"] < 1.0], both[both["ratio"] >= 1.0])
    )
    where = ", where its noise is shorter in the mean"
    yield _no_worse("modern-output", THIS_FIGURE, shorter, said.GAUSSIAN, said.OUTPUT, where, ours=True)
    where = ", where its noise is no longer in the mean"
    yield _no_worse("radial-output", THIS_FIGURE, longer, said.OUTPUT, said.GAUSSIAN, where, ours=True)
    few = both[(both["dimension"] <= FEW) & (both["epsilon"] >= LEAST)]
    noise = f"Gaussian noise at δ = {few['delta_gaussian'].max():g}"
    name = "output-lengths"
    text = f"on the output, in {FEW} dimensions or fewer, from ε = {LEAST:g} on, {noise} is longer in the mean"
    text = f"{text} than radial noise"
    if not len(few):
        yield untestable(name, THIS_FIGURE, text, "no row is such a case", ours=True)
        return
    text = f"{text} ({few['ratio'].min():.3g} to {few['ratio'].max():.3g} times)"
    violations = int((few["ratio"] <= 1.0).sum())
    yield never(name, THIS_FIGURE, text, violations=violations, cases=len(few), evidence=EXACT, ours=True)


def _learnt(rows: pd.DataFrame, loss: str, mechanism: str) -> Claim:
    """Judge whether what comes out still learns: most of what privacy adds at the least ε is gone at the greatest."""
    name, source, what = SECTIONS[loss]
    kind = "output" if mechanism == said.OUTPUT else "objective"
    claim = f"{name}-{kind}-learns"
    text = (
        f"{what} still learns with noise on the {kind}: at the greatest ε less than half is left of the error that "
        f"privacy adds at the least (largest share, by {SURE:g} standard errors of both)"
    )
    shares = []
    for _, mine in rows.groupby("dataset", sort=False):
        plain = float(mine.loc[mine["mechanism"] == said.PLAIN, "error"].iloc[0])
        curve = mine[mine["mechanism"] == mechanism].sort_values("epsilon", kind="stable")
        first, last = curve.iloc[0], curve.iloc[-1]
        margin = SURE * math.hypot(first["standard_error"], last["standard_error"])
        if len(curve) > 1 and first["error"] - plain > margin:
            shares.append(remaining(curve, "error", plain, SURE))
    if not shares:
        reason = "no set's errors at the least ε are surely above those without privacy"
        return untestable(claim, source, text, reason, ours=True)
    return surely_at_most(claim, source, text, ends=shares, limit=HALF, ours=True)


def _no_worse(
    name: str, source: str, rows: pd.DataFrame, better: str, worse: str, where: str, **marks: Unpack[Marks]
) -> Claim:
    """At every ε of every set and loss, within the margin."""
    text = (
        f"{better} is at least as accurate as {worse}, within {SURE:g} combined standard errors (more where "
        f"repetitions are few){where}"
    )
    key = ["dataset", "loss", "epsilon"]
    needed = [*key, "error", "standard_error", "repeats"]
    first, second = (rows.loc[rows["mechanism"] == mechanism, needed] for mechanism in (better, worse))
    both = first.merge(second, on=key, suffixes=("", "_other"))
    if len(both) and both[["repeats", "repeats_other"]].min().min() < ENOUGH:
        return untestable(name, source, text, f"fewer than {ENOUGH} repetitions do not tell", **marks)
    if not len(both):
        return untestable(name, source, text, NO_CASE, **marks)
    margin = margins(both["standard_error"], both["repeats"], both["standard_error_other"], both["repeats_other"])
    both = both.assign(off=both["error"] - both["error_other"])
    above = both["off"] > margin + SLACK
    least = both.iloc[int(both["off"].to_numpy().argmax())]
    where = f"{least['off']:+.4f} on {least['dataset']}, {least['loss']}, ε = {least['epsilon']:g}"
    text = f"{text} (least favourable: {where})"
    return never(name, source, text, violations=int(above.sum()), cases=len(both), **marks)


def _norms(rows: pd.DataFrame) -> Iterator[Claim]:
    """1 for the one kind, more for the other."""
    paired, phased = (rows[rows["mechanism"] == kind]["norm"] for kind in (said.PAIRED, said.PHASED))
    marks: Marks = {"evidence": MONTE_CARLO, "ours": True}
    text, longest = "random features (cos, sin)/√D have norm 1 (the longest row of any D)", float(paired.max())
    yield agrees("features-paired", THIS_FIGURE, text, expected=1.0, measured=longest, tolerance=1e-10, **marks)
    text = "random features √(2/D) cos(ωx + ψ) are longer than 1 at every D (least of the longest rows)"
    yield at_least("features-phased", THIS_FIGURE, text, limit=1.0, measured=float(phased.min()), **marks)
