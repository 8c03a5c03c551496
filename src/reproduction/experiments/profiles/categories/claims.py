"""What section 7.6.2 says of the costs per category."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.claims import EXACT, RECONSTRUCTED, Claim, agrees, at_most, corrected, never, untestable
from reproduction.experiments.profiles import reconstruction
from reproduction.experiments.profiles.categories import SMOOTH

EVIDENCE = RECONSTRUCTED

SECTION, BASELINE, OURS = "thesis section 7.6.2", "thesis Figure 7.3", "thesis Figure 7.4"
PROFILES = "with the reconstructed profiles of Table 7.1, "
ROUNDING, OPTIMUM = 1e-12, 1e-7  # of closed forms; of linear programs
FLIPS, CLEAR = 1e-6, 1e-4  # of largest entries; the ε from which on they are known so well

Array = NDArray[np.float64]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """What is said of the mechanism that these costs are of."""
    rows = np.array(params["categorical"], dtype=float)
    P = rows / rows.sum(axis=1, keepdims=True)
    if params["mechanism"] == SMOOTH:
        return of_program(table, P, known=params["categorical"] == reconstruction.PROFILES)
    return of_response(table, P)


def of_response(table: pd.DataFrame, P: Array) -> list[Claim]:
    """All curves overlap, on the closed form."""
    d = P.shape[1]
    wide = _wide(table, "cost")
    reach = np.abs(P - 1.0 / d).max(axis=0)
    exact = np.array([reach * d / (np.expm1(epsilon) + d) for epsilon in wide.index])
    overlap = "the curves of all categories overlap (largest distance)"
    return [
        at_most(
            "overlap",
            BASELINE,
            PROFILES + overlap,
            limit=0.0,
            measured=float(wide.max(axis=1).sub(wide.min(axis=1)).max()),
            tolerance=ROUNDING,
            ours=True,  # the reconstruction was chosen so
        )
        if np.ptp(reach) < ROUNDING
        else untestable(
            "overlap", BASELINE, overlap, "categories of these profiles are not equally far from 1/d", ours=True
        ),
        agrees(
            "closed-form",
            BASELINE,
            "keeping with e^ε/(e^ε + d − 1) costs max_i |P_i(y) − 1/d|·d/(e^ε + d − 1) (largest error)",
            expected=0.0,
            measured=float(np.abs(wide.to_numpy() - exact).max()),
            tolerance=ROUNDING,
            evidence=EXACT,
            ours=True,
        ),
    ]


def of_program(table: pd.DataFrame, P: Array, *, known: bool) -> list[Claim]:
    """Less tied, cheaper; cheaper than the baseline; feasible."""
    wide, verified = _wide(table, "cost"), table.groupby("epsilon")["verified_epsilon"].max()
    return [
        _order(wide, P, known=known),
        *_baseline(wide, _wide(table, "baseline").to_numpy(), known=known),
        never(
            "feasible",
            "thesis Theorem 25",
            "every edge and output satisfies its constraint, in exact arithmetic",
            violations=int((verified > verified.index).sum()),
            cases=len(verified),
            evidence=EXACT,
            of_privacy=True,
        ),
        _optimal(table[table["epsilon"] >= CLEAR]),
    ]


def _order(wide: pd.DataFrame, P: Array, *, known: bool) -> Claim:
    """Pairs of categories one of which varies less over the profiles, which is our measure of what ties them to it."""
    text = "categories less tied to the profile cost less, at every ε at which there is a cost"
    if not known:
        return untestable("order", OURS, text, "said of the profiles of Table 7.1 only", ours=True)
    spread = np.ptp(P, axis=0)
    pairs = [(a, b) if spread[a] < spread[b] else (b, a) for a, b in combinations(range(len(spread)), 2)]
    pairs = [(a, b) for a, b in pairs if spread[b] - spread[a] > ROUNDING]
    costs = wide.to_numpy()
    saved = np.concatenate([(costs[:, b] - costs[:, a])[costs.max(axis=1) > OPTIMUM] for a, b in pairs])
    equal = int((np.abs(saved) <= OPTIMUM).sum())
    return corrected(
        "order",
        OURS,
        PROFILES + text,
        correction=f"they cost no more, and the same in {equal} of {len(saved)} comparisons, between categories that "
        "are both tied to the profile (errors are numbers of comparisons)",
        error_as_printed=float((saved <= OPTIMUM).sum()),
        error_as_corrected=float((saved < -OPTIMUM).sum()),
        tolerance=0.0,
        slip=False,
        ours=True,
    )


def _baseline(wide: pd.DataFrame, baseline: Array, *, known: bool) -> list[Claim]:
    """Every optimum of eq. (7.7) has this cost in the category that varies most: no tie-break would mend it."""
    texts = {
        "below-baseline": "the local baseline performs worse, in every category",
        "below-baseline-together": "the local baseline performs worse, in all categories together, at every ε",
    }
    if not known:
        reason = "said of the profiles of Table 7.1 only"
        return [untestable(name, SECTION, text, reason, ours=True) for name, text in texts.items()]
    costs = wide.to_numpy()
    excess = costs - baseline
    together = excess.sum(axis=1)[baseline.sum(axis=1) > OPTIMUM]  # where there is a cost
    worst, category = divmod(int(excess.argmax()), excess.shape[1])
    return [
        corrected(
            "below-baseline",
            SECTION,
            PROFILES + texts["below-baseline"],
            correction="the categories' costs together are lower at every ε, a single one need not be: eq. (7.7) "
            f"bounds flips, and not costs; at ε = {wide.index[worst]:g} category {wide.columns[category]} costs "
            f"{costs[worst, category]:.4f}, with the baseline {baseline[worst, category]:.4f}",
            error_as_printed=max(0.0, float(excess.max())),
            error_as_corrected=max(0.0, float(together.max())),
            tolerance=OPTIMUM,
            slip=False,
            ours=True,
        ),
        never(
            "below-baseline-together",
            SECTION,
            PROFILES + texts["below-baseline-together"],
            violations=int((together >= -OPTIMUM).sum()),
            cases=len(together),
            ours=True,
        ),
    ]


def _optimal(table: pd.DataFrame) -> Claim:
    """The mechanism's matrices, which are private, beside what no private matrices can do without."""
    source = "thesis eq. (7.7)"
    text = (
        "the largest off-diagonal entry is the least that private matrices can have, by a lower bound from weighing "
        "the constraints (largest difference)"
    )
    if table.empty:
        reason = f"below ε = {CLEAR:g} the programs' coefficients, like 1/ε, leave the solver too few digits"
        return untestable("optimal", source, text, reason, evidence=EXACT, ours=True)
    worst = float((table["largest"] - table["least"]).abs().max())
    return agrees("optimal", source, text, expected=0.0, measured=worst, tolerance=FLIPS, evidence=EXACT, ours=True)


def _wide(table: pd.DataFrame, values: str) -> pd.DataFrame:
    return table.pivot_table(index="epsilon", columns="category", values=values)
