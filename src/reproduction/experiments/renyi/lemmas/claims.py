"""What thesis chapter 5 says between Definition 10 and Theorem 10, against both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim
from reproduction.experiments.bound_claims import below, equal, restated
from reproduction.experiments.renyi import lemmas as said

EVIDENCE = EXACT

LOSS, LEMMA_17 = "thesis Definition 10", "thesis Lemma 17"
THEOREM_12 = "thesis Theorem 12, proof"

SEGMENT_REACHES = 2.0  # λ


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """In the order of the pages."""
    del params  # all of it is in the table
    return [*_privacy(table), *_lemma(table), *_diffused(table), *_concentrated(table), *_convexity(table)]


def _privacy(table: pd.DataFrame) -> Iterator[Claim]:
    # Not of privacy: what meets the printed requirement is (ε, δ)-DP.
    text = "(ε, δ)-DP is the requirement that Z ≤ ε with probability at least 1 − δ"
    correction = (
        "it is E[1 − e^{ε−Z}]_+ ≤ δ, which the tail bound implies and does not follow from: a Gaussian "
        "mechanism (Δ = σ = 1) is (1, .1269)-DP, and Z > 1 has probability .3085 (errors are of δ)"
    )
    forms = said.LOSS_PRINTED, said.LOSS
    yield restated(table, *forms, "loss-tail", LOSS, text, correction=correction, slip=False, equality=True)
    text = "δ = 1/n lets a mechanism publish a random record: its δ at ε = 50 is 1/n"
    yield equal(table, said.PUBLISHED_ONE, "one-published", "thesis section 5.2.1", text)
    text = "the answer Σφ(x)/n itself is not private: its δ at ε = 50 is 1 for all neighbours whose φ differs"
    yield equal(table, said.ANSWER, "answer-itself", "thesis section 5.3.2", text)


def _lemma(table: pd.DataFrame) -> Iterator[Claim]:
    low = table[table["order"] < SEGMENT_REACHES]  # from there on the printed segment has η_Q
    text = "R_λ ≤ λH‖η_P − η_Q‖² where ‖∇²C‖ < H on η_P + x(η_P − η_Q), |x| ≤ λ − 1"
    correction = (
        "the segment must reach η_Q, so x from −1 to λ − 1: for λ < 2 the printed one does not, and "
        "Beta laws break the bound; Theorems 12 and 13 bound ‖∇²C‖ on sets that have η_Q (errors are excesses)"
    )
    forms = said.LEMMA_PRINTED, said.LEMMA
    yield restated(low, *forms, "lemma-17", LEMMA_17, text, correction=correction, slip=False, of_privacy=True)
    text = "R_λ = (g(1−λ) − λg(0))/(λ−1) + g(1), g(x) = C(η_P + xv), v = η_P − η_Q"
    correction = "v = η_Q − η_P; as printed it is the divergence from 2η_P − η_Q"
    forms = said.EXPANSION_PRINTED, said.EXPANSION
    yield restated(
        table, *forms, "expansion", "thesis eq. (5.19)", text, correction=correction, slip=True, equality=True
    )
    text, correction = "R_λ = −e(1−λ)/(λ−1) + e(1)", "+e(1−λ)/(λ−1) + e(1), which (5.23) bounds"
    forms = said.REMAINDER_PRINTED, said.REMAINDER
    yield restated(
        table, *forms, "remainder", "thesis eq. (5.22)", text, correction=correction, slip=True, equality=True
    )
    text = "R_λ ≤ λH‖η_P − η_Q‖²/2, half of what Lemma 17 states, on the segment from η_Q on"
    yield below(table, said.HALF, "half", "thesis eq. (5.29)", text, ours=True)
    text = "Gaussian laws of one count attain the half"
    yield equal(table, said.GAUSSIAN, "half-attained", "thesis eq. (5.29)", text)


def _diffused(table: pd.DataFrame) -> Iterator[Claim]:
    yield below(table, said.STEP, "step", "thesis eq. (5.32)", "R_λ ≤ rΔ²Hλ for r up to r₀ = δ/(2(λ−1)Δ) and 1")
    text = "the line before gives r²Δ²Hλ, which is no more as r ≤ 1"
    yield below(table, said.STEP_SQUARED, "step-squared", "thesis eq. (5.31)", text)
    text = "with r* = ε/(Δ²Hλ), Algorithm 2 is (λ, ε)-RDP for every r < r*"
    correction = (
        "r* is the least of it, r₀ and 1: H bounds nothing beyond r₀, where the level is infinite for "
        "large ε (errors are excesses of the level)"
    )
    forms = said.SCALE_PRINTED, said.SCALE
    yield restated(table, *forms, "scale", THEOREM_12, text, correction=correction, slip=False, of_privacy=True)


def _concentrated(table: pd.DataFrame) -> Iterator[Claim]:
    text = "‖∇²C‖ ≤ Vc_m on lpset(η₀/m, n, λ − 1) once its scaled set is in a ball around η₀ (V from k‖∇²C(kη)‖)"
    yield below(table, said.SMALL_HESSIAN, "small-hessian", "thesis Lemma 21 and eq. (5.34)", text)
    yield below(table, said.SMALL_LEVEL, "small-level", "thesis eq. (5.44)", "R_λ ≤ Δ²Vc_mλ for Algorithm 3 at such m")


def _convexity(table: pd.DataFrame) -> Iterator[Claim]:
    yield equal(table, said.GRADIENT, "gradient", "thesis eq. (5.48)", "∇R_λ in η_Q is ∇C(η_Q) − ∇C(λη_P + (1−λ)η_Q)")
    text = "∇²R_λ in η_Q is ∇²C(η_Q) − (1−λ)∇²C(λη_P + (1−λ)η_Q)"
    yield equal(table, said.HESSIAN_Q, "hessian-q", "thesis eq. (5.49)", text)
    text = "∇²R_λ in η_P at fixed b is ∇²C(η_P + b) − λ∇²C(η_P)/(λ−1) + ∇²C(η_P + (1−λ)b)/(λ−1)"
    yield equal(table, said.HESSIAN_P, "hessian-p", "thesis eq. (5.52)", text)
    text = "its quadratic form is λ/(λ−1) times a mean of g_v less g_v(η_P)"
    yield equal(table, said.CONVEX_FORM, "convex-form", "thesis eq. (5.54)", text)
