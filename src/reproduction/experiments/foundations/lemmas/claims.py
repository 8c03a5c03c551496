"""What Robust 2014 says in its small lemmas, against both sides of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, at_least, corrected, untestable
from reproduction.experiments.foundations import lemmas as said
from reproduction.experiments.foundations.judging import alike, none
from reproduction.experiments.foundations.rows import finder, where

EVIDENCE = EXACT

LEMMA_1, LEMMA_2, LEMMA_8 = "Robust 2014 Lemma 1", "Robust 2014 Lemma 2", "Robust 2014 Lemma 8"
REMARK_1, METRIC = "Robust 2014 Remark 1", "Robust 2014 eq. (2.7)"
ROUNDING = 1e-9  # relative, of sums in floats


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """All of them."""
    del params  # all of it is in the table
    rows = finder(table)
    both = rows(said.BOTH)
    return [
        _below(
            rows(said.MULTIPLIED),
            "remark-1-pure",
            REMARK_1,
            "(ε, 0)-DP of neighbours is (ε, 0)-DP under the Hamming distance (every mechanism on a grid)",
            of_privacy=True,
        ),
        _below(
            rows(said.ADDED),
            "remark-1-added",
            REMARK_1,
            "(0, δ)-DP of neighbours is (0, δ)-DP under the Hamming distance (every mechanism on a grid)",
            of_privacy=True,
        ),
        at_least(
            "remark-1-both",
            REMARK_1,
            "for ε, δ > 0 they are not equivalent: two bits, e^ε = 2, δ = 1/10; P(B | x), above e^{2ε}P(B | y) + 2δ",
            limit=float(both["right"].max()) * (1.0 + ROUNDING),
            measured=float(both["left"].max()),
        ),
        _equal(
            rows(said.GROUP),
            "remark-1-group",
            REMARK_1,
            "of two bits, e^ε = 2, δ = 1/10, P(B | x) is e^{2ε}P(B | y) + (1 + e^ε)δ, the most that two steps allow",
            ours=True,
        ),
        _below(
            rows(said.AXIOMS),
            "metric-axioms",
            METRIC,
            "|ln a/b| is symmetric, definite and has the triangle inequality",
        ),
        corrected(
            "metric-finite",
            METRIC,
            "|ln a/b| is a proper metric on [0, ∞) (pairs without a finite distance)",
            correction="it is one on (0, ∞); 0 is infinitely far from every other number",
            error_as_printed=float(rows(said.FINITE)["left"].sum()),
            error_as_corrected=float(rows(said.FINITE_POSITIVE)["left"].sum()),
            tolerance=0.0,
            slip=True,
        ),
        _below(rows(said.CONSTANT), "lemma-1", LEMMA_1, "n independent records satisfy Assumption 1 with nL and Σρ"),
        _below(rows(said.FEW), "lemma-1-few", LEMMA_1, "data that differ in k records satisfy it with kL and Σρ"),
        _below(
            rows(said.CONCENTRATION),
            "lemma-1-concentration",
            LEMMA_1,
            "n independent records satisfy Assumption 2 with c/n and Σρ (prior Exp(1))",
        ),
        _equal(
            rows(said.SAME_CONSTANT),
            "lemma-1-same",
            LEMMA_1,
            "the factor n is not needed: L itself is attained",
            ours=True,
        ),
        _equal(
            rows(said.SAME_CONCENTRATION),
            "lemma-1-concentration-same",
            LEMMA_1,
            "the factor 1/n is not needed for c: n records allow the same c as one",
            ours=True,
        ),
        corrected(
            "lemma-1-proof",
            "Robust 2014 appendix C",
            "the distance of products is n Σ d(p(x_i), p(y_i)) (largest difference)",
            correction="it is at most Σ d(p(x_i), p(y_i)), so that L and c stand without the factor n (largest excess)",
            error_as_printed=float(rows(said.PROOF_EQUAL)["left"].max()),
            error_as_corrected=float(rows(said.PROOF_BELOW)["left"].max()),
            tolerance=ROUNDING,
            slip=False,  # Lemma 1 has its factor n from this line
        ),
        _below(
            rows(said.FAILURE),
            "lemma-2",
            LEMMA_2,
            "‖P − P̂‖₁ ≤ √((3/n) ln 1/δ) but for a probability δ, at the largest δ = 4^−m for m cells and at its square",
        ),
        _below(
            rows(said.RADIUS),
            "lemma-2-radius",
            LEMMA_2,
            "the exact 1 − δ quantile of ‖P − P̂‖₁ is within √((3/n) ln 1/δ)",
            ours=True,
        ),
        _below(
            rows(said.WEISSMAN),
            "weissman",
            "Robust 2014 eq. (C.6)",
            "P(‖p̂ − p‖₁ ≥ ε) ≤ (2^m − 2) e^{−nε²/2} at every distance ε that can be",
        ),
        _below(rows(said.PINSKER), "pinsker", "Robust 2014 eq. (C.5)", "½‖P − Q‖₁² ≤ KL(P‖Q)", evidence=MONTE_CARLO),
        _below(
            rows(said.EVENTS),
            "pinsker-events",
            "Robust 2014 appendix C",
            "|P(B) − Q(B)| ≤ √(KL(P‖Q)/2), every event",
            evidence=MONTE_CARLO,
        ),
        _below(
            rows(said.COARSER),
            "coarsening",
            "Robust 2014 eq. (C.8)",
            "on a coarser algebra ‖P − Q‖₁ is no larger (every partition)",
        ),
        _below(
            rows(said.TWO_POINTS, said.ALL_PAIRS),
            "le-cam",
            LEMMA_8,
            "no estimator errs by less than δ‖ξ₁ ∧ ξ₂‖ for both of two data sets at distance 2δ",
        ),
        _below(
            rows(said.MIXTURES),
            "le-cam-mixtures",
            LEMMA_8,
            "no estimator errs by less than δ sup ‖ξ₁ ∧ ξ₂‖ over mixtures of each side",
            evidence=MONTE_CARLO,
        ),
        _equal(
            where(rows(said.TWO_POINTS), case=said.SYMMETRIC),
            "le-cam-attained",
            LEMMA_8,
            "where a symmetry exchanges both posteriors the bound is attained: no constant above δ would do",
            ours=True,
        ),
        untestable(
            "rate",
            "Robust 2014 appendix A",
            "even in simple scenarios the lower bound on the minimax rate is O(n^−½)",
            "the scenarios are not named; docs/robust-inference.md proves it of a coin",
        ),
    ]


def _below(rows: pd.DataFrame, name: str, source: str, text: str, **marks: Unpack[Marks]) -> Claim:
    """left ≤ right in every row; what is said of the looseness is of the row that is nearest to its bound.

    Where pairs are drawn, beside those of a grid, no sampling error enters: each pair is judged exactly, and a bound
    that holds of all of them is not shown of those that were not drawn.
    """
    bounded = rows[rows["right"] > 0]
    if len(bounded):
        text = f"{text}; the largest share of the bound is {(bounded['left'] / bounded['right']).max():.3g}"
    return none(name, source, text, rows["left"] > rows["right"] * (1.0 + ROUNDING), rows["cases"], **marks)


def _equal(rows: pd.DataFrame, name: str, source: str, text: str, **marks: Unpack[Marks]) -> Claim:
    errors = rows["left"] / rows["right"] - 1.0
    return alike(name, source, f"{text} (largest relative error)", errors, ROUNDING, **marks)
