"""What thesis section 5.2.4, Observation 6 and NIPS 2017 supplement A.6 say of conjugate families."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, at_least
from reproduction.experiments.bound_claims import below, equal, restated, rows_of
from reproduction.experiments.renyi import conjugate as said

EVIDENCE = EXACT

DIRICHLET, GAUSSIAN = "NIPS 2017 supplement A.6.1", "NIPS 2017 supplement A.6.2"
OBSERVATION_6, FAMILIES = "thesis Observation 6", "thesis section 5.2.4"
SINGULAR = 1e-9  # of the largest eigenvalue: what rounding could make of 0
LARGE = 1e6  # a level that no analyst has asked for


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """In the order of the pages."""
    del params  # all of it is in the table
    return [*_families(table), *_posteriors(table), *_dirichlet(table), *_gaussian(table)]


def _families(table: pd.DataFrame) -> Iterator[Claim]:
    text = "Beta-Bernoulli is Δ-bounded with Δ = 1, Dirichlet-Categorical with √2 for d > 2, no less (d ≤ 10)"
    yield equal(table, said.SENSITIVITY, "bounded", DIRICHLET, text)
    yield equal(table, said.RANK, "minimal", FAMILIES, "both are minimal: d values have statistics of rank d − 1")
    yield equal(table, said.CUMULANTS_A, "cumulants-a", FAMILIES, "∇A and ∇²A are mean and variance of S(x)")
    yield equal(table, said.CUMULANTS_C, "cumulants-c", FAMILIES, "∇C and ∇²C are mean and covariance of T(θ)")
    correction = "exp(θΣx − nA(θ)), as in (5.3) (errors are of its logarithm)"
    text = "n bits have the likelihood exp(θΣx − A(θ))"
    forms = said.LIKELIHOOD_PRINTED, said.LIKELIHOOD
    yield restated(
        table, *forms, "likelihood", "thesis eq. (5.14)", text, correction=correction, slip=True, equality=True
    )


def _posteriors(table: pd.DataFrame) -> Iterator[Claim]:
    singular = rows_of(table, said.SINGULAR)
    text = "in a minimal family, η₀ + nU is normalizable for every normalizable η₀ and real n > 0"
    correction = (
        "it is for every η₀ inside E, as Theorems 12 and 13 ask; on its boundary, records x in [0, 1] "
        "with Θ = [0, ∞) and η₀ = (−2, −2) have a prior and, after x = 1, no posterior (errors are what the "
        "integral gains between θ = 10¹² and 10²⁴)"
    )
    forms = said.TAIL_PRINTED, said.TAIL
    yield restated(table, *forms, "normalizable", OBSERVATION_6, text, correction=correction, slip=False, equality=True)
    text = "that prior is one: its integral is 2 ln 2"
    yield equal(table, said.PRIOR, "normalizable-prior", OBSERVATION_6, text, ours=True)
    text = "η₀ + nU is normalizable for Dirichlet laws and Gaussian means, n real (posteriors that are none)"
    yield equal(table, said.INFINITE, "normalizable-families", OBSERVATION_6, text, evidence=MONTE_CARLO)
    text = "∇²C is non-singular inside E (Dirichlet laws, d = 2, 3, 4: least share of the largest eigenvalue)"
    measured = float(singular["left"].min())
    yield at_least("non-singular", "thesis Theorem 19", text, limit=SINGULAR, measured=measured, evidence=MONTE_CARLO)
    yield equal(table, said.MODE, "mode", "thesis Lemma 20", "the mode of θ is inside Θ: it is ln(α/β) for Beta laws")


def _dirichlet(table: pd.DataFrame) -> Iterator[Claim]:
    text = "no coordinate of a posterior's η is above its last"
    yield below(table, said.LAST, "last", DIRICHLET, text, evidence=MONTE_CARLO)
    text = "∇C in digammas, d = 2, 3, 4"
    yield equal(table, said.GRADIENT, "gradient", "NIPS 2017 supplement eq. (55)", text, evidence=MONTE_CARLO)
    text = "∇²C in trigammas; its last column has −ψ₁(η^d − Σ_k η^i)"
    correction = "−ψ₁(η^d − Σ_k η^k), as in its last row: the printed matrix is not symmetric for d > 2"
    forms = said.HESSIAN_PRINTED, said.HESSIAN
    yield restated(
        table, *forms, "hessian", "NIPS 2017 supplement eq. (56)", text, correction=correction, slip=True, equality=True
    )
    text = "g_v is a sum of trigammas, for v in Diff"
    yield equal(table, said.FORM, "form", "NIPS 2017 supplement eq. (61)", text, evidence=MONTE_CARLO)
    text = "g_v is convex (half way between random parameters)"
    yield below(table, said.MIDPOINT, "convex", DIRICHLET, text, evidence=MONTE_CARLO)


def _gaussian(table: pd.DataFrame) -> Iterator[Claim]:
    levels = rows_of(table, said.LEVEL)
    text = "of a Gaussian mean, g_v is constant at a fixed count"
    yield equal(table, said.CONSTANT, "gaussian-constant", GAUSSIAN, text)
    text = "clipped at Δ the worst-case divergence is 2λΔ²/(σ²(N₀ + n))"
    yield equal(table, said.LEVEL, "gaussian-level", GAUSSIAN, text, ours=True)
    text = "unbounded records give arbitrarily large divergences (level at the largest clip)"
    yield at_least("gaussian-unbounded", GAUSSIAN, text, limit=LARGE, measured=float(levels["left"].max()))
    text = (
        "where clipping is rare it distorts little: normal and Laplace means move by no more standard deviations "
        "than the share of records that are clipped"
    )
    yield below(table, said.CLIPPED, "clipping", GAUSSIAN, text, ours=True)
