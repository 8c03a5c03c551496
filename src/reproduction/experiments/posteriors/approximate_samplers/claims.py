"""What thesis section 4.4 and the supplement's appendix C.2 say of approximate samplers and their outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, agrees, at_least, at_most, never, untestable
from reproduction.experiments.posteriors import approximate_samplers as said
from reproduction.experiments.posteriors.rows import above_printed, error, rows_at

EVIDENCE = EXACT

SECTION, APPENDIX = "thesis section 4.4", "UAI 2016 supplement appendix C.2"
ROUNDING = 1e-9
SLACK = 0.05  # (1 + e^ε)δ up to which no probability is too small to lose δ/2
MANY, LONG, QUIET = 100_000, 0.1, 0.02  # steps; the first, over the precision; variance that a batch adds to the last
SEARCH = 1e-8  # of a largest value on a grid of 200 000


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Proposition 3, Langevin dynamics, Gibbs updates and importance weights."""
    return [*_near(table), *_langevin(table, params), *_updates(table), *_weights(table), _resampling(table)]


def _near(table: pd.DataFrame) -> Iterator[Claim]:
    rows = rows_at(table, said.NEAR)
    slack = rows[rows["printed"] <= SLACK]
    where = f"{SECTION}, Proposition 3"
    near = "a sampler within L1 distance δ of one that is ε-private is"
    text = (
        f"{near} (ε, (1 + e^ε)δ)-private (a parenthesis of the print is not closed; 1 + e^ε δ, the other way to "
        "close it, is above 1 and says nothing)"
    )
    above = above_printed(rows, ROUNDING)
    yield never("prop3", where, text, violations=above, cases=len(rows), ours=True, of_privacy=True)
    text = f"{near} (ε, (1 + e^ε)δ/2)-private, and no less: the L1 distance is twice the total variation"
    if len(slack):
        text = f"{text} (largest share of it that is needed)"
        measured = float((rows["exact"] / rows["right"]).max())
        yield agrees("prop3-half", where, text, expected=1.0, measured=measured, tolerance=ROUNDING, ours=True)
    else:
        yield untestable("prop3-half", where, text, "no δ of this table is far below e^−ε", ours=True)


def _langevin(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Steps that fall must be many, and their last so short that a batch's noise is small; those that stay, long."""
    falling, constant = (rows_at(table, said.LANGEVIN, case) for case in (said.DECREASING, said.CONSTANT))
    last, stays = falling.iloc[-1], constant.iloc[-1]
    # Of a batch, at the first step.
    noise = float(params["rate"]) * params["n"] ** 2 / (params["n"] + 1.0) / (4.0 * said.BATCH)
    if last["at"] < MANY or params["rate"] < LONG or noise * (last["at"] / said.DELAY) ** -said.DECAY > QUIET:
        text = "stochastic gradient Langevin dynamics converges in distribution to the posterior"
        reason = "the steps of this table are too few, too short or too noisy"
        yield untestable("sgld", SECTION, text, reason)
        yield untestable("sgld-constant", SECTION, "with steps that do not fall it does not", reason, ours=True)
        return
    text = (
        "stochastic gradient Langevin dynamics, with steps that fall as it was defined with, converges in "
        f"distribution to the posterior (distance of first two moments after {last['at']:g} steps, in posterior "
        "standard deviations)"
    )
    yield at_most("sgld", SECTION, text, limit=0.02, measured=float(last["exact"]))
    text = (
        f"with steps that do not fall it does not: after {stays['at']:g} the noise of the batches is still there "
        "(the same distance)"
    )
    yield at_least("sgld-constant", SECTION, text, limit=0.5, measured=float(stays["exact"]), ours=True)


def _updates(table: pd.DataFrame) -> Iterator[Claim]:
    rows = rows_at(table, said.UPDATE)
    where = "thesis section 4.4.1, eq. 4.19"
    cheapest = rows[rows["case"] == "cheapest"]
    text = "the sensitivity of one Gibbs update is at most that of the joint probability (updates of random joint laws)"
    above = above_printed(rows, ROUNDING)
    yield never("eq4.19", where, text, violations=above, cases=len(rows), evidence=MONTE_CARLO)
    text = "and may be less, for the worst case is over fewer outcomes (median share of the cheapest update)"
    measured = float(cheapest["exact"].median())
    yield at_most("eq4.19-less", where, text, limit=0.99, measured=measured, ours=True, evidence=MONTE_CARLO)


def _weights(table: pd.DataFrame) -> Iterator[Claim]:
    rows = rows_at(table, said.WEIGHTS)
    text = (
        "normalized importance weights have L1 sensitivity at most 2 (largest, at a path of "
        f"{rows['at'].iloc[-1]:g}: {rows['exact'].iloc[-1]:.4g})"
    )
    yield never("weights", APPENDIX, text, violations=above_printed(rows, 0.0), cases=len(rows))
    text = "it is 2 tanh(c/2), c = Σ|ε_j − ε_{j+1}|/2, so for a path of .1 noise 40 times less does (largest error)"
    measured = error(rows, "right")
    yield agrees("weights-less", APPENDIX, text, expected=0.0, measured=measured, tolerance=SEARCH, ours=True)


def _resampling(table: pd.DataFrame) -> Claim:
    rows = rows_at(table, said.RESAMPLED)
    text = (
        "resampling by the weights can be protected by the exponential mechanism, with utility ln ω (largest share of "
        f"ε that is lost: {(rows['exact'] / rows['printed']).max():.4g})"
    )
    above = above_printed(rows, ROUNDING)
    marks: Marks = {"evidence": MONTE_CARLO, "of_privacy": True}
    return never("resample", APPENDIX, text, violations=above, cases=len(rows), **marks)
