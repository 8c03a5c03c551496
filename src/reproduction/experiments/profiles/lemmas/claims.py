"""What thesis sections 7.2, 7.4, 7.5.1 and 7.7 say in passing, against both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, at_least, never
from reproduction.experiments.bound_claims import ROUNDING, below, equal, restated, rows_of
from reproduction.experiments.profiles import lemmas as said

EVIDENCE = EXACT

PUFFERFISH, CLUSTER = "thesis section 7.2", "thesis section 7.5.1"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """In the order of the pages."""
    del params  # all of it is in the table
    return [*_pufferfish(table), *_properties(table), *_one_bit(table)]


def _pufferfish(table: pd.DataFrame) -> Iterator[Claim]:
    dependent = rows_of(table, said.DEPENDENT)
    text = "Pr(A = y | s_i) ≤ e^ε Pr(A = y | s_i): what two private mechanisms need by that"
    correction = "s_j on the right: as printed every mechanism has it at ε = 0 (errors are of ε)"
    forms = said.DEFINITION_PRINTED, said.DEFINITION
    yield restated(
        table, *forms, "definition-24", "thesis eq. (7.2)", text, correction=correction, slip=True, equality=True
    )
    text = "DP is Pufferfish privacy with a record's presence as secret and all independent records (two mechanisms)"
    yield equal(table, said.INDEPENDENT, "dp-as-pufferfish", PUFFERFISH, text)
    text = "independence is needed: where the second of two records follows the first, ε doubles (least ratio)"
    measured = float((dependent["left"] / dependent["right"]).min())
    yield at_least("dependent-records", PUFFERFISH, text, limit=2.0, measured=measured, tolerance=ROUNDING, ours=True)


def _properties(table: pd.DataFrame) -> Iterator[Claim]:
    text = "post-processing keeps profile privacy"
    yield below(table, said.PROCESSED, "observation-7", "thesis Observation 7", text, evidence=MONTE_CARLO)
    text = "Pr(Z_i = z)/Pr(Z_j = z) ≤ max_y Pr(Y_i = y)/Pr(Y_i = y)"
    correction = "Pr(Y_j = y) below the line; as printed the right side is 1 (errors are excesses)"
    forms = said.STEP_PRINTED, said.STEP
    yield restated(table, *forms, "observation-11", "thesis eq. (7.12)", text, correction=correction, slip=True)
    text = (
        "parallel composition, for which the thesis assumes a second mechanism that does not depend on the first "
        "release, holds for one that the first release chooses: ε is the largest of all"
    )
    yield below(table, said.ADAPTIVE, "adaptive", "thesis section 7.4", text, ours=True, evidence=MONTE_CARLO)


def _one_bit(table: pd.DataFrame) -> Iterator[Claim]:
    chains = rows_of(table, said.RANDOM_CHAIN)
    text = "the One Bit Cluster mechanism flips no profile less than a smooth one needs"
    yield below(table, said.SMOOTH, "conservative", CLUSTER, text)
    text = (
        "a profile distant from a costly edge is flipped more than needed by the cluster mechanism (random chains "
        "whose furthest profile is not flipped less by the smooth mechanism)"
    )
    less, cases = int(chains["left"].sum()), int(chains["cases"].sum())
    yield never("conservative-far", CLUSTER, text, violations=less, cases=cases, evidence=MONTE_CARLO)
    text = "the slope of the log-ratio of output 1 is (p₂ − p₁)/(Pr(1 | P₁)Pr(1 | P₂))"
    yield equal(table, said.SLOPE_ONE, "slope", "thesis eq. (7.32)", text)
    text = "that of output 0 is (p₂ − p₁)/(Pr(0 | P₁)Pr(0 | P₂)), negative too"
    yield equal(table, said.SLOPE_ZERO, "slope-zero", "thesis Theorem 22 of chapter 7, proof", text)
    yield below(table, said.FALLS, "falls", "thesis eqs. (7.25) to (7.32)", "both log-ratios fall as α grows, up to ½")
