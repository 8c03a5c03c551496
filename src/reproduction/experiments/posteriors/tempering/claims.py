"""What the thesis says of the exponential mechanism's temperature, of Theorem 3 and of truncation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import log
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim, agrees, at_least, at_most, never, untestable
from reproduction.experiments.mended import mended
from reproduction.experiments.posteriors import tempering as said
from reproduction.experiments.posteriors.rows import above_printed, error, errors, excess, rows_at

EVIDENCE = EXACT

SECTION, TRUNCATED = "thesis section 4.2.2", "thesis section 4.3.1"
APPENDIX_A, APPENDIX_C = "UAI 2016 supplement appendix A", "UAI 2016 supplement appendix C.2"
ROUNDING = 1e-9
SMALL = 0.01  # bound on a distance that can be called none
SHARP = 1e5  # ε times records from which a window of ±.02 holds all
NARROW = 0.001  # a₀ below which Δ is −ln a₀ to this
FEW = 30.0  # ones, over the odds at a truncation, from which their posterior is at its end
COLD, HOT = 1.5, 5.0  # temperatures between which the barriers of these chains fall


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The limits in ε, Theorem 3, truncation, the two terms of the cost, and Markov chains."""
    a0 = float(params["truncation"])
    return [
        *_limits(table, float(params["n"] + params["prior"][1])),
        *_theorem_3(table),
        *_truncation(table),
        *_terms(table, FEW * (1.0 - a0) / a0),
        *_chains(table),
    ]


def _limits(table: pd.DataFrame, records: float) -> Iterator[Claim]:
    """A record, and a prior worth one, tilts the log-density by Δ at most, times ε/2Δ: ε/4 in total variation."""
    uniform, true, peak = (rows_at(table, s) for s in (said.UNIFORM, said.TRUE, said.PEAK))
    nearest = float(true["at"].iloc[int(true["exact"].to_numpy().argmin())])
    least, most = float(uniform["at"].iloc[0]), float(peak["at"].iloc[-1])
    flat, sharp = "as ε → 0 the draw is uniform", "as ε → ∞ the draw is ever more likely the mode"
    tilt = least * records / 4.0
    if tilt <= SMALL:
        text = f"{flat} (total variation at ε = {least:g}, within ε/4 a record)"
        yield at_most("limits-uniform", SECTION, text, limit=tilt, measured=float(uniform["exact"].iloc[0]))
    else:
        yield untestable("limits-uniform", SECTION, flat, "no ε of this table is small enough for so many records")
    text = f"at ε = 2Δ = {nearest:.4g} the draw is one from the posterior (least total variation)"
    yield at_most("limits-posterior", SECTION, text, limit=ROUNDING, measured=float(true["exact"].min()))
    if most * records >= SHARP:
        text = f"{sharp} (mass within .02 of it at ε = {most:g}, less its largest fall as ε grows)"
        measured = float(peak["exact"].iloc[-1]) + min(0.0, float(peak["exact"].diff().min()) + ROUNDING)
        yield at_least("limits-mode", SECTION, text, limit=0.999, measured=measured)
    else:
        yield untestable("limits-mode", SECTION, sharp, "no ε of this table is large enough for so few records")


def _theorem_3(table: pd.DataFrame) -> Iterator[Claim]:
    levels, differences = rows_at(table, said.COST), rows_at(table, said.DIFFERENCE)
    coins, densities = (levels[levels["case"] == case] for case in (said.COINS, said.DENSITIES))
    where = f"{SECTION}, Theorem 3"
    first = rows_at(table, said.DIFFERENCE, said.COINS).iloc[len(coins) // 2]
    text = (
        "if |ln p(x | θ)| ≤ B, a draw from the posterior is 4B-private (largest share of 4B: "
        f"{(levels['exact'] / levels['printed']).max():.3g})"
    )
    above = above_printed(levels, ROUNDING)
    yield never("thm3", where, text, violations=above, cases=len(levels), of_privacy=True)
    text = "if |ln p(x | θ)| ≤ B, then C = Δ ln Pr(θ, X) = 2B (largest error)"
    correction = (
        "C ≤ 2B, which is all that Theorem 3 needs, and C ≤ B for discrete records, whose "
        f"log-likelihoods are all ≤ 0: of the coin with B = {first['at']:.4g} C = {first['exact']:.4g}"
    )
    after, off = f"{SECTION}, after Theorem 3", (error(differences, "printed"), excess(differences, "right"))
    yield mended("thm3-difference", after, text, correction, off, tolerance=ROUNDING, slip=True)
    text = "for discrete records 2B is enough (largest share of 2B that a truncated coin needs)"
    most = float((coins["exact"] / coins["right"]).max())
    yield at_most("thm3-discrete", where, text, limit=1.0, measured=most, ours=True)
    text = "for densities 4B is needed: two of height e^B on parts that do not meet reach it (least share)"
    measured = float((densities["exact"] / densities["printed"]).min())
    yield agrees("thm3-densities", where, text, expected=1.0, measured=measured, tolerance=1e-6, ours=True)


def _truncation(table: pd.DataFrame) -> Iterator[Claim]:
    rows, base = rows_at(table, said.SENSITIVITY), rows_at(table, said.BASE)
    text = "Δ of the truncated coin is ln(1 − a₀) − ln a₀ (largest error of a grid over p, relative)"
    measured = float((rows["exact"] / rows["printed"] - 1.0).abs().max())
    yield agrees("eq4.14", f"{TRUNCATED}, eq. 4.14", text, expected=0.0, measured=measured, tolerance=ROUNDING)
    yield _unbounded(rows)
    text = "h(x) = 0 for the Bernoulli likelihood (largest error of the total probability of x)"
    correction = "h(x) = 1; it is ln h(x) that is 0 in eq. 4.12"
    yield mended("base-measure", TRUNCATED, text, correction, errors(base), tolerance=ROUNDING, slip=True)


def _unbounded(rows: pd.DataFrame) -> Claim:
    """Between the two smallest a₀."""
    text = "without truncation Δ is unbounded: it rises as −ln a₀ does, as a₀ falls"
    narrow = rows[rows["at"] <= NARROW]
    if len(narrow) < 2:
        return untestable("unbounded", TRUNCATED, text, f"fewer than two a₀ of this table are at most {NARROW:g}")
    (least, next_least), (most, next_most) = narrow["at"].to_numpy()[:2], narrow["exact"].to_numpy()[:2]
    text = f"{text} (share of the rise of −ln a₀ between {next_least:g} and {least:g})"
    share = float(most - next_most) / log(next_least / least)
    return at_least("unbounded", TRUNCATED, text, limit=0.999, measured=share)


def _terms(table: pd.DataFrame, enough: float) -> Iterator[Claim]:
    likelihood, partition = rows_at(table, said.LIKELIHOOD), rows_at(table, said.PARTITION)
    last = partition.iloc[-1]
    above = float((partition["exact"] - partition["printed"]).max())
    text = "Δ of the worst-case cost 2Δ is due to the likelihoods, whatever the data are (largest error, at p = a₀)"
    measured = error(likelihood, "printed")
    yield agrees("two-terms-likelihood", APPENDIX_A, text, expected=0.0, measured=measured, tolerance=ROUNDING)
    text = "another Δ at most is due to the partition functions, which an adversary's data bring to the worst case"
    if last["at"] >= enough:
        text = f"{text} (share of Δ at {last['at']:g} ones{', above Δ somewhere' if above > ROUNDING else ''})"
        measured = float(last["exact"] / last["printed"]) if above <= ROUNDING else 0.0
        yield at_least("two-terms-partition", APPENDIX_A, text, limit=0.98, measured=measured)
    else:
        yield untestable("two-terms-partition", APPENDIX_A, text, f"no data of this table have {enough:.3g} ones")


def _chains(table: pd.DataFrame) -> Iterator[Claim]:
    moves = pd.concat([rows_at(table, s) for s in (said.ACCEPTED, said.MOVED)])
    falls = sum(
        int((mine.sort_values("at", kind="stable")["exact"].diff() < 0).sum())
        for _, mine in moves.groupby(["statement", "case"])
    )
    times = rows_at(table, said.RELAXED)
    if times["at"].min() > COLD or times["at"].max() < HOT:
        reason = f"the temperatures of this table do not go from {COLD:g} to {HOT:g}"
        yield untestable("hotter-moves", SECTION, "at a higher temperature a Markov chain moves more rapidly", reason)
        yield untestable("hotter-mixes", APPENDIX_C, "chains of higher temperature mix more rapidly", reason)
        return
    slower = {str(case): _slowest(mine) for case, mine in times.groupby("case")}
    worst = max(slower, key=lambda case: slower[case])
    ends = times[times["case"] == worst].sort_values("at", kind="stable").iloc[[0, -1]]
    text = (
        "at a higher temperature a Markov chain moves more rapidly: more moves are accepted, and jumps are larger "
        "(steps up in temperature, of four chains, at which either falls)"
    )
    cases = len(moves) - moves.groupby(["statement", "case"]).ngroups
    yield never("hotter-moves", SECTION, text, violations=falls, cases=cases, ours=True)
    text = (
        "chains of higher temperature (and the same proposals) mix more rapidly, which annealing is to gain from "
        "(largest relative rise of the relaxation time over that at the lowest temperature)"
    )
    correction = (
        "where barriers between modes hold the chain up, as in two of the four; otherwise a wider law "
        f"takes longer to cross: {worst}, relaxes in {ends['exact'].iloc[0]:.3g} steps at T = "
        f"{ends['at'].iloc[0]:g} and in {ends['exact'].iloc[1]:.3g} at T = {ends['at'].iloc[1]:g}"
    )
    rises = max(0.0, *slower.values()), max(0.0, *(slower[case] for case in said.BARRIERS))
    yield mended("hotter-mixes", f"{APPENDIX_C}; {SECTION}", text, correction, rises, tolerance=ROUNDING, slip=False)


def _slowest(rows: pd.DataFrame) -> float:
    times = rows.sort_values("at", kind="stable")["exact"].to_numpy(dtype=float)
    return float(times[1:].max() / times[0] - 1.0)
