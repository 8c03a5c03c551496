"""What section 7.6.2 says of the costs per category."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reproduction.claims import EXACT, RECONSTRUCTED, Claim, Marks, agrees, at_most, never, untestable
from reproduction.experiments.mended import mended
from reproduction.experiments.profiles import reconstruction
from reproduction.experiments.profiles.categories import SMOOTH

EVIDENCE = RECONSTRUCTED

SECTION, BASELINE, OURS = "thesis section 7.6.2", "thesis Figure 7.3", "thesis Figure 7.4"
PROFILES = "with the reconstructed profiles of Table 7.1, "
ROUNDING, OPTIMUM = 1e-12, 1e-7  # of closed forms; of linear programs
FLIPS, CLEAR = 1e-6, 1e-4  # of largest entries; the ε from which on they are known so well

Array = NDArray[np.float64]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Judge what is said of the mechanism that these costs are of."""
    rows = np.array(params["categorical"], dtype=float)
    P = rows / rows.sum(axis=1, keepdims=True)
    if params["mechanism"] == SMOOTH:
        return of_program(table, P, known=params["categorical"] == reconstruction.PROFILES)
    return of_response(table, P)


def of_response(table: pd.DataFrame, P: Array) -> Iterator[Claim]:
    """All curves overlap, on the closed form."""
    d = P.shape[1]
    wide = _wide(table, "cost")
    reach = np.abs(P - 1.0 / d).max(axis=0)
    exact = np.array([reach * d / (np.expm1(epsilon) + d) for epsilon in wide.index])
    text = "the curves of all categories overlap (largest distance)"
    if np.ptp(reach) < ROUNDING:  # as the reconstruction was chosen to have it
        apart = float(wide.max(axis=1).sub(wide.min(axis=1)).max())
        yield at_most("overlap", BASELINE, PROFILES + text, limit=0.0, measured=apart, tolerance=ROUNDING, ours=True)
    else:
        reason = "categories of these profiles are not equally far from 1/d"
        yield untestable("overlap", BASELINE, text, reason, ours=True)
    text = "keeping with e^ε/(e^ε + d − 1) costs max_i |P_i(y) − 1/d|·d/(e^ε + d − 1) (largest error)"
    worst = float(np.abs(wide.to_numpy() - exact).max())
    marks: Marks = {"evidence": EXACT, "ours": True}
    yield agrees("closed-form", BASELINE, text, expected=0.0, measured=worst, tolerance=ROUNDING, **marks)


def of_program(table: pd.DataFrame, P: Array, *, known: bool) -> Iterator[Claim]:
    """Less tied, cheaper; cheaper than the baseline; feasible."""
    wide, verified = _wide(table, "cost"), table.groupby("epsilon")["verified_epsilon"].max()
    yield _order(wide, P, known=known)
    yield from _baseline(wide, _wide(table, "baseline").to_numpy(), known=known)
    text = "every edge and output satisfies its constraint, in exact arithmetic"
    above = int((verified > verified.index).sum())
    marks: Marks = {"evidence": EXACT, "of_privacy": True}
    yield never("feasible", "thesis Theorem 25", text, violations=above, cases=len(verified), **marks)
    yield _optimal(table[table["epsilon"] >= CLEAR])


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
    correction = (
        f"they cost no more, and the same in {equal} of {len(saved)} comparisons, between categories that "
        "are both tied to the profile (errors are numbers of comparisons)"
    )
    errors = float((saved <= OPTIMUM).sum()), float((saved < -OPTIMUM).sum())
    return mended("order", OURS, PROFILES + text, correction, errors, tolerance=0.0, slip=False, ours=True)


def _baseline(wide: pd.DataFrame, baseline: Array, *, known: bool) -> Iterator[Claim]:
    """Every optimum of eq. (7.7) has this cost in the category that varies most: no tie-break would mend it."""
    text = "the local baseline performs worse, in every category"
    all_together = "the local baseline performs worse, in all categories together, at every ε"
    if not known:
        reason = "said of the profiles of Table 7.1 only"
        yield untestable("below-baseline", SECTION, text, reason, ours=True)
        yield untestable("below-baseline-together", SECTION, all_together, reason, ours=True)
        return
    costs = wide.to_numpy()
    excess = costs - baseline
    together = excess.sum(axis=1)[baseline.sum(axis=1) > OPTIMUM]  # where there is a cost
    worst, category = divmod(int(excess.argmax()), excess.shape[1])
    correction = (
        "the categories' costs together are lower at every ε, a single one need not be: eq. (7.7) "
        f"bounds flips, and not costs; at ε = {wide.index[worst]:g} category {wide.columns[category]} costs "
        f"{costs[worst, category]:.4f}, with the baseline {baseline[worst, category]:.4f}"
    )
    errors = max(0.0, float(excess.max())), max(0.0, float(together.max()))
    text = PROFILES + text
    yield mended("below-baseline", SECTION, text, correction, errors, tolerance=OPTIMUM, slip=False, ours=True)
    text, short = PROFILES + all_together, int((together >= -OPTIMUM).sum())
    yield never("below-baseline-together", SECTION, text, violations=short, cases=len(together), ours=True)


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
