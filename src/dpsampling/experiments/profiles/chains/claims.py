"""What section 7.6.2 says of chains of Bernoulli profiles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.claims import EXACT, Claim, agrees, at_most, never
from dpsampling.experiments.profiles.chains import SMOOTH

EVIDENCE = EXACT

SECTION = "thesis section 7.6.2"
ROUNDING, OPTIMUM = 1e-9, 1e-7  # of spreads; of linear programs


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """What is said of the mechanism that these probabilities are of."""
    return of_program(table, int(params["chain"])) if params["mechanism"] == SMOOTH else of_response(table)


def of_response(table: pd.DataFrame) -> list[Claim]:
    """Randomized response squeezes [0, 1] to a width of tanh(ε/2)."""
    spread = _spread(table)
    return [
        agrees(
            "spread",
            SECTION,
            "randomized response leaves profiles 0 and 1 a spread of tanh(ε/2), narrow at low ε and wide at high ε "
            "(largest error)",
            expected=0.0,
            measured=float(np.abs(spread - np.tanh(spread.index.to_numpy() / 2.0)).max()),
            tolerance=ROUNDING,
        ),
        _widens(spread),
    ]


def of_program(table: pd.DataFrame, chain: int) -> list[Claim]:
    """Wider than the baseline, private, near 1/2 at low ε."""
    spread, verified = _spread(table), table.groupby("epsilon")["verified_epsilon"].max()
    levels = spread.index.to_numpy(dtype=float)
    lowest, edges = float(levels.min()), chain - 1
    return [
        never(
            "better",
            SECTION,
            f"the profiles spread at least as wide as with randomized response{_example(spread)}",
            violations=int((spread.to_numpy() < np.tanh(levels / 2.0) - ROUNDING).sum()),
            cases=len(spread),
        ),
        _widens(spread),
        at_most(
            "low",
            SECTION,
            f"at low ε all outputs are near 1/2: the spread at ε = {lowest:g} is at most the tanh({edges}ε/2) that a "
            f"chain of {edges} edges allows",
            limit=float(np.tanh(edges * lowest / 2.0)),
            measured=float(spread.iloc[0]),
            tolerance=ROUNDING,
        ),
        never(
            "feasible",
            "thesis Theorem 24",
            "every edge of the chain satisfies its constraints, in exact arithmetic",
            violations=int((verified > verified.index).sum()),
            cases=len(verified),
        ),
        agrees(
            "canonical",
            SECTION,
            "the probabilities are those of the canonical optimum: up to 1/2, the largest e^(−(j−i)ε) p_j of the "
            "profiles j from i to the middle, where an even chain has at least 1/(1 + e^ε) (largest difference)",
            expected=0.0,
            measured=float((table["probability"] - table["closed_form"]).abs().max()),
            tolerance=OPTIMUM,
        ),
    ]


def _spread(table: pd.DataFrame) -> pd.Series[float]:
    """max − min over the profiles of Pr(output = 1), by ε."""
    grouped = table.groupby("epsilon")["probability"]
    return grouped.max() - grouped.min()


def _widens(spread: pd.Series[float]) -> Claim:
    text = "for higher ε the profiles spread wider"
    narrower = int((spread.diff() < -ROUNDING).sum())
    return never("widens", SECTION, text, violations=narrower, cases=len(spread) - 1)


def _example(spread: pd.Series[float]) -> str:
    """The spread at the figures' vertical line, if it is in the table."""
    at_line = spread[np.isclose(spread.index, 0.2)]
    if at_line.empty:
        return ""
    return f" (at ε = 0.2: {float(at_line.iloc[0]):.3f}, against {np.tanh(0.1):.3f})"
