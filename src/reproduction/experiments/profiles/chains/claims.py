"""What section 7.6.2 says of chains of Bernoulli profiles."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import EXACT, Claim, agrees, never, untestable
from reproduction.experiments.profiles.chains import SMOOTH

EVIDENCE = EXACT

SECTION = "thesis section 7.6.2"
ROUNDING, OPTIMUM = 1e-9, 1e-7  # of spreads; of linear programs
VISIBLE = 1e-6  # of a spread that is nearly 1


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Judge what is said of the mechanism that these probabilities are of."""
    return of_program(table, int(params["chain"])) if params["mechanism"] == SMOOTH else of_response(table)


def of_response(table: pd.DataFrame) -> Iterator[Claim]:
    """Randomized response squeezes [0, 1] to a width of tanh(ε/2)."""
    spread = _spread(table)
    text = (
        "randomized response leaves profiles 0 and 1 a spread of tanh(ε/2), narrow at low ε and wide at high ε "
        "(largest error)"
    )
    measured = float(np.abs(spread - np.tanh(spread.index.to_numpy() / 2.0)).max())
    yield agrees("spread", SECTION, text, expected=0.0, measured=measured, tolerance=ROUNDING, ours=True)
    yield _widens(spread)
    yield _low(table, 1)


def of_program(table: pd.DataFrame, chain: int) -> Iterator[Claim]:
    """Wider than the baseline, private, near 1/2 at low ε."""
    spread, verified = _spread(table), table.groupby("epsilon")["verified_epsilon"].max()
    yield _better(spread, chain)
    yield _widens(spread)
    yield _low(table, chain - 1)
    text = "every edge of the chain satisfies its constraints, in exact arithmetic"
    violations = int((verified > verified.index).sum())
    yield never("feasible", "thesis Theorem 24", text, violations=violations, cases=len(verified), of_privacy=True)
    text = (
        "the probabilities are those of the canonical optimum: up to 1/2, the largest e^(−(j−i)ε) p_j of the "
        "profiles j from i to the middle, where an even chain has at least 1/(1 + e^ε) (largest difference)"
    )
    measured = float((table["probability"] - table["closed_form"]).abs().max())
    yield agrees("canonical", SECTION, text, expected=0.0, measured=measured, tolerance=OPTIMUM, ours=True)
    yield _conservative(table, chain)


def _better(spread: pd.Series[float], chain: int) -> Claim:
    """Where e^−ε has left anything to see between them."""
    text = f"the profiles spread wider than with randomized response, at every ε{_example(spread)}"
    baseline = np.tanh(spread.index.to_numpy(dtype=float) / 2.0)
    if chain < 3:
        return untestable("better", SECTION, text, "two profiles, 0 and 1, are what randomized response is made for")
    visible = 1.0 - baseline > VISIBLE
    short = (spread.to_numpy() <= baseline + np.where(visible, ROUNDING, -ROUNDING)).sum()
    return never("better", SECTION, text, violations=int(short), cases=len(spread))


def _low(table: pd.DataFrame, edges: int) -> Claim:
    """Pr = 1/2 + O(ε): over m edges to the middle, (1 − e^{−mε})/2, whose logarithm has the slope 1 − mε/2 at first."""
    text = "for low ε the probability that the output is 1 is close to 1/2"
    away = (table["probability"] - 0.5).abs().groupby(table["epsilon"]).max()
    levels = away.index.to_numpy(dtype=float)[:2]
    if len(levels) < 2 or edges * levels[1] > 1.0 or away.iloc[1] <= ROUNDING:
        return untestable("low", SECTION, text, "the ε of this table are not low for this chain", ours=True)
    text = (
        f"{text}: its largest distance, {away.iloc[0]:.4f} at ε = {levels[0]:g}, vanishes like ε (slope of logarithms)"
    )
    slope = float(np.log(away.iloc[1] / away.iloc[0]) / np.log(levels[1] / levels[0])) if away.iloc[0] > 0 else np.inf
    slack = edges * float(levels[1]) / 4.0 + 1e-3
    return agrees("low", SECTION, text, expected=1.0, measured=slope, tolerance=slack, ours=True)


def _conservative(table: pd.DataFrame, chain: int) -> Claim:
    """The costly edges of this chain are its first and its last."""
    text = (
        "the cluster mechanism is overly conservative: profiles distant from a costly edge need less (those that are "
        "not on the first or last edge, whose flips are below the cluster's, and fall towards the middle)"
    )
    distance = np.minimum(table["profile"], chain + 1 - table["profile"])
    needed = table[table["cluster_flip"] > OPTIMUM].assign(distance=distance)
    inner = needed[needed["distance"] > 2]
    if inner.empty:
        return untestable("conservative", "thesis section 7.5.1", text, "no profile of this chain is distant")
    flips = needed.pivot_table(index="epsilon", columns="distance", values="flip", aggfunc="max").to_numpy()
    rises = int((np.diff(flips, axis=1) > OPTIMUM).sum())
    as_many = int((inner["flip"] >= inner["cluster_flip"] - OPTIMUM).sum())
    return never("conservative", "thesis section 7.5.1", text, violations=as_many + rises, cases=len(inner))


def _spread(table: pd.DataFrame) -> pd.Series[float]:
    """max − min over the profiles of Pr(output = 1), by ε."""
    grouped = table.groupby("epsilon")["probability"]
    return grouped.max() - grouped.min()


def _widens(spread: pd.Series[float]) -> Claim:
    text = "for higher ε the profiles spread wider"
    narrower = int(((spread.diff() <= 0.0) & (spread.shift() < 1.0 - VISIBLE)).sum())
    return never("widens", SECTION, text, violations=narrower, cases=len(spread) - 1)


def _example(spread: pd.Series[float]) -> str:
    """The spread at the figures' vertical line, if it is in the table."""
    at_line = spread[np.isclose(spread.index, 0.2)]
    if at_line.empty:
        return ""
    return f" (at ε = 0.2: {float(at_line.iloc[0]):.3f}, against {np.tanh(0.1):.3f})"
