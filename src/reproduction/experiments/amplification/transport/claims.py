"""What thesis section 6.4 says on the way to Theorems 20, 21 and 22, against both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks
from reproduction.experiments.amplification import transport as said
from reproduction.experiments.bound_claims import below, equal, restated

EVIDENCE = MONTE_CARLO

LEMMA_4, THEOREM_20 = "thesis chapter 6 Lemma 4", "thesis Theorem 20"
LEMMA_6, LEMMA_7 = "thesis chapter 6 Lemma 6", "thesis chapter 6 Lemma 7, proof"
THEOREM_22 = "thesis Theorem 22, proof"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """In the order of the pages."""
    del params  # all of it is in the table
    return [*_couplings(table), *_steps(table), *_conclusion(table)]


def _couplings(table: pd.DataFrame) -> Iterator[Claim]:
    yield equal(table, said.CARRIED, "lemma-4", LEMMA_4, "the transport operator of a coupling carries μ to ν")
    text = "R_α(μK‖νK) ≤ R_α(ω‖ν) + sup R_α(H_πK(x)‖K(x)) over x in supp ν, any ω and coupling, α ≥ 1"
    yield below(table, said.THEOREM, "theorem-20", THEOREM_20, text)
    text = "with ω = μ and the identity coupling the bound is R_α(μ‖ν)"
    yield equal(table, said.IDENTITY, "data-processing", THEOREM_20, text)
    text = "Laplace noise at distance z has R_α = ln g_α(z)/(α − 1)"
    yield equal(table, said.LAPLACE, "laplace-curve", "thesis Example 2 of section 6.4", text, evidence=EXACT)


def _steps(table: pd.DataFrame) -> Iterator[Claim]:
    text = "a projected L-Lipschitz map with Gaussian noise shrinks W_∞ by L (quantiles on the line)"
    yield below(table, said.SHRUNK, "lemma-6", LEMMA_6, text)
    text = "an affine map without projection attains L"
    yield equal(table, said.SHRUNK_LINE, "lemma-6-attained", LEMMA_6, text, evidence=EXACT)
    text = "gradients of β-smooth ρ-strongly convex losses are co-coercive (quadratic and logistic losses)"
    yield below(table, said.COERCIVE, "co-coercivity", LEMMA_7, text)
    text = "quadratic losses with no eigenvalues but β and ρ attain it"
    yield equal(table, said.QUADRATIC, "co-coercivity-attained", LEMMA_7, text)
    yield below(table, said.STEP, "first-step", THEOREM_22, "the first differing step moves the iterate by at most 2ηC")
    yield equal(table, said.OPPOSED, "first-step-attained", THEOREM_22, "opposed gradients of length C attain 2ηC")
    text = "η‖∇ℓ(x, z_i) − ∇ℓ(x, z_i′)‖ ≤ η(‖∇ℓ(x, z_i)‖ + ‖∇ℓ(x, z_i)‖)"
    correction = "the second gradient is at z_i′; the bound 2ηC of the same line is right (errors are excesses)"
    forms, marks = (said.STEP_PRINTED, said.STEP_RIGHT), Marks(evidence=EXACT)
    yield restated(table, *forms, "first-step-gradients", THEOREM_22, text, correction=correction, slip=True, **marks)


def _conclusion(table: pd.DataFrame) -> Iterator[Claim]:
    text = (
        "an Ornstein-Uhlenbeck mechanism is more accurate than the Gaussian one at every Rényi level (the chapter "
        "does not define it; ours: mean squared error of a f(D) + aN(0, σ²) over σ², a = R²/(R² + σ²), |f(D)| ≤ R)"
    )
    yield below(table, said.SHRINKAGE, "ornstein-uhlenbeck", "thesis section 6.5", text, ours=True, evidence=EXACT)
