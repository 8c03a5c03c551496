"""What thesis sections 6.1 to 6.3 say on the way to Theorem 15, against both sides."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, at_least
from reproduction.experiments.amplification import divergences as said
from reproduction.experiments.bound_claims import below, equal, restated, rows_of

EVIDENCE = MONTE_CARLO

SETUP, MIXING = "thesis section 6.2", "thesis section 6.3"
THEOREM_16, THEOREM_17 = "thesis Theorem 16, proof", "thesis Theorem 17, proof"
APART = 1e-6  # from 1, at the largest distance


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """In the order of the pages."""
    del params  # all of it is in the table
    return [_no_uniform_mixing(table), *_setup(table), *_order(table), *_dobrushin(table), *_mixtures(table)]


def _no_uniform_mixing(table: pd.DataFrame) -> Claim:
    rows = rows_of(table, said.APART)
    text = (
        "Gaussian and Laplace noise on the line has no uniform mixing: as inputs part, what two of them do not share "
        "tends to 1 by every condition (the least at the largest distance; Doeblin's coefficient is above Dobrushin's)"
    )
    where, least = "thesis sections 6.1 and 6.3", float(rows.loc[rows["x"] == rows["x"].max(), "left"].min())
    return at_least("no-uniform-mixing", where, text, limit=1.0 - APART, measured=least, evidence=EXACT)


def _setup(table: pd.DataFrame) -> Iterator[Claim]:
    yield equal(table, said.EVENTS, "events", SETUP, "D_{e^ε} is the largest μ(E) − e^ε ν(E) over all events")
    yield equal(table, said.QUOTIENTS, "quotients", SETUP, "where μ ≪ ν, D_{e^ε} is ∫ [dμ/dν − e^ε]_+ dν")
    yield below(table, said.CONVEX, "joint-convexity", SETUP, "Csiszár divergences are jointly convex (five of them)")
    yield below(table, said.PROCESSED, "data-processing", SETUP, "no kernel enlarges a Csiszár divergence (five)")
    yield below(table, said.RENYI_PROCESSED, "renyi-processing", SETUP, "no kernel enlarges a Rényi divergence")


def _order(table: pd.DataFrame) -> Iterator[Claim]:
    text = "the four bounds of Theorem 15 are increasingly strong: at one γ the third's δ′ is at most the second's"
    correction = (
        "at one γ the second is as strong as the first, and the fourth stronger than each of them; the "
        "third trades δ for ε, and gives a δ′ > 0 where the first two give 0 (errors are excesses of δ′)"
    )
    forms = said.STRONGER_PRINTED, said.STRONGER
    yield restated(table, *forms, "increasing", MIXING, text, correction=correction, slip=False, evidence=EXACT)


def _dobrushin(table: pd.DataFrame) -> Iterator[Claim]:
    text = "D(μK‖νK) ≤ γD(μ‖ν) for γ-Dobrushin kernels and every Csiszár divergence (five of them)"
    yield below(table, said.CONTRACTION, "strong-contraction", THEOREM_16, text)
    text = "disjoint laws come no further apart than the rows of a (γ, ε)-Dobrushin kernel"
    yield below(table, said.POINT_MASSES, "lemma-2", "thesis chapter 6 Lemma 2", text)
    text = "D_{e^ε}(μ‖ν) = 1 − ∫ min(μ, e^ε ν), finite laws"
    yield equal(table, said.OVERLAP, "lemma-3", "thesis chapter 6 Lemma 3", text)
    text = "D_{e^ε}(μ‖ν) = 1 − ∫ min(μ, e^ε ν), Gaussian laws by quadrature"
    yield equal(table, said.GAUSSIAN_OVERLAP, "lemma-3-gaussian", "thesis chapter 6 Lemma 3", text, evidence=EXACT)
    yield equal(table, said.MIXTURE, "mixture", THEOREM_17, "the remainders of μ and ν weigh θ and 1 − (1 − θ)/e^ε")
    yield equal(table, said.DISJOINT, "disjoint", THEOREM_17, "the remainders μ′ and ν′ have disjoint supports")
    yield equal(table, said.REMAINDER, "remainders", THEOREM_17, "μ − e^ε ν = θ(μ′ − e^ε̃ ν′), e^ε̃ = 1 + (e^ε − 1)/θ")
    text = "the chain ends in D_{e^ε}(μK‖νK) ≤ γD_{e^ε′}(μ‖ν)"
    correction = "θ is D_{e^ε}(μ‖ν), at ε and not at ε′, all that the theorem needs (errors are excesses)"
    forms, marks = (said.LAST_PRINTED, said.LAST), Marks(evidence=EXACT)
    yield restated(table, *forms, "theorem-17-last", THEOREM_17, text, correction=correction, slip=True, **marks)


def _mixtures(table: pd.DataFrame) -> Iterator[Claim]:
    text = "D_{e^ε′} of mixtures with a common part is γD_{e^ε}(μK̃‖(1 − β)ω + βνK̃)"
    yield equal(table, said.ADVANCED, "advanced-joint-convexity", "thesis Theorem 18, proof", text)
    text = "γ-ultra-mixing gives K(x) ≥ (1 − γ)ωK for every ω and x in its support"
    yield below(table, said.MINORISED, "ultra-mixing-below", "thesis Theorem 19, proof", text)
    yield equal(table, said.RESIDUAL, "residual", "thesis eq. (6.1)", "ω̃K̃ = ω̃K")
