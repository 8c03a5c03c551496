"""What section 7.6.2 says of the costs per category."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from dpsampling.claims import Claim, agrees, at_most, corrected, never, untestable
from dpsampling.experiments.chapter7.categories import graph
from dpsampling.experiments.contract import parameters_of
from dpsampling.profiles.graph import Array
from dpsampling.profiles.solvers import randomized_response, smooth_categorical

SECTION, BASELINE, OURS = "thesis section 7.6.2", "thesis Figure 7.3", "thesis Figure 7.4"
PROFILES = "with the reconstructed profiles of Table 7.1, "
ROUNDING, OPTIMUM = 1e-12, 1e-7  # of closed forms; of linear programs
RECONSTRUCTED = [[0.2, 0.3, 0.4, 0.1], [0.3, 0.3, 0.3, 0.1], [0.4, 0.4, 0.1, 0.1]]


def judge_baseline(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """All curves overlap, on the closed form."""
    P = graph(parameters_of(table, experiment)).normalised
    d = P.shape[1]
    wide = _wide(table)
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
        )
        if np.ptp(reach) < ROUNDING
        else untestable("overlap", BASELINE, overlap, "categories of these profiles are not equally far from 1/d"),
        agrees(
            "closed-form",
            BASELINE,
            "keeping with e^ε/(e^ε + d − 1) costs max_i |P_i(y) − 1/d|·d/(e^ε + d − 1) (largest error)",
            expected=0.0,
            measured=float(np.abs(wide.to_numpy() - exact).max()),
            tolerance=ROUNDING,
        ),
    ]


def judge_ours(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """Less tied, cheaper; cheaper than the baseline; feasible."""
    params = parameters_of(table, experiment)
    profiles = graph(params)
    wide = _wide(table)
    baseline = np.array([randomized_response(profiles, epsilon).costs for epsilon in wide.index])
    mechanisms = [smooth_categorical(profiles, epsilon) for epsilon in wide.index]
    return [
        _order(wide, profiles.normalised, known=params["categorical"] == RECONSTRUCTED),
        _baseline(wide, baseline, known=params["categorical"] == RECONSTRUCTED),
        never(
            "feasible",
            "thesis Theorem 25",
            "every edge and output satisfies its constraint, in exact arithmetic",
            violations=sum(m.verified_epsilon > m.epsilon for m in mechanisms),
            cases=len(mechanisms),
        ),
        agrees(
            "canonical",
            OURS,
            "the costs are those of the canonical optimum (largest difference)",
            expected=0.0,
            measured=float(np.abs(wide.to_numpy() - [m.costs for m in mechanisms]).max()),
            tolerance=OPTIMUM,
        ),
    ]


def _order(wide: pd.DataFrame, P: Array, *, known: bool) -> Claim:
    """Pairs of categories one of which varies less over the profiles."""
    text = "categories less tied to the profile cost less"
    if not known:
        return untestable("order", OURS, text, "said of the profiles of Table 7.1 only")
    spread = np.ptp(P, axis=0)
    pairs = [(a, b) if spread[a] < spread[b] else (b, a) for a, b in combinations(range(len(spread)), 2)]
    pairs = [(a, b) for a, b in pairs if spread[b] - spread[a] > ROUNDING]
    costs = wide.to_numpy()
    violations = sum(int((costs[:, a] > costs[:, b] + OPTIMUM).sum()) for a, b in pairs)
    return never("order", OURS, PROFILES + text, violations=violations, cases=len(pairs) * len(wide))


def _baseline(wide: pd.DataFrame, baseline: Array, *, known: bool) -> Claim:
    """Every optimum of eq. (7.7) has this cost in the category that varies most: no tie-break would mend it."""
    text = "the local baseline performs worse, in every category"
    if not known:
        return untestable("below-baseline", SECTION, text, "said of the profiles of Table 7.1 only")
    costs = wide.to_numpy()
    excess = costs - baseline
    worst, category = divmod(int(excess.argmax()), excess.shape[1])
    return corrected(
        "below-baseline",
        SECTION,
        PROFILES + text,
        correction="the categories' costs together are lower at every ε, a single one need not be: eq. (7.7) bounds "
        f"flips, and not the costs (7.9); at ε = {wide.index[worst]:g} category {wide.columns[category]} costs "
        f"{costs[worst, category]:.4f}, with the baseline {baseline[worst, category]:.4f}",
        error_as_printed=max(0.0, float(excess.max())),
        error_as_corrected=max(0.0, float(excess.sum(axis=1).max())),
        tolerance=OPTIMUM,
    )


def _wide(table: pd.DataFrame) -> pd.DataFrame:
    return table.pivot_table(index="epsilon", columns="category", values="cost")
