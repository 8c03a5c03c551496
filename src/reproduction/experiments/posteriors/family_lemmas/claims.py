"""What thesis sections 3.3 and 4.6 say of exponential families, against both sides computed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim, agrees, at_least, at_most
from reproduction.experiments.bound_claims import rows_of
from reproduction.experiments.mended import mended
from reproduction.experiments.posteriors import family_lemmas as said
from reproduction.experiments.posteriors.rows import error, errors, excess

EVIDENCE = EXACT

ROUNDING = 1e-8  # of quadratures and differences, relative to numbers of order 1
MASS = 1e-12  # of sums of probabilities


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """The log-normalizer, both definitions of minimal, and the lemmas in their order."""
    del params  # all of it is in the table
    yield _normalizer(table)
    yield _minimal(
        table,
        said.LINEAR,
        "def7",
        "thesis section 3.3, Definition 7",
        "a family is minimal if the coordinates of S(x) are not linearly dependent",
        "not affinely dependent: no φ ≠ 0 and no c have φ·S(x) = c for all x; (x, 1 − x) of a bit is linearly "
        "independent, yet A is not strictly convex on it and its conjugate prior has no finite normalizer",
        slip=False,
    )
    yield _minimal(
        table,
        said.AFFINE,
        "def8",
        "thesis section 4.6, Definition 8",
        "a family is minimal if there is φ ≠ 0 with φ·S(x) constant",
        "if there is none (as UAI 2016, supplement, Definition 1, has it)",
        slip=True,
    )
    yield from _moments(table)
    yield _segment(table)
    text = "the mode of the conjugate prior solves ∇A(θ*) = χ (largest error against a search)"
    worst, where = error(rows_of(table, said.MODE), "printed"), "thesis section 4.6, Lemma 9 and eq. 4.26"
    yield agrees("lemma9", where, text, expected=0.0, measured=worst, tolerance=ROUNDING)
    yield from _chebyshev(table)
    yield _convex(table)
    text = (
        "Laplace noise on the counts (Σx, Σ(1−x)) is, on the minimal (Σx, n), noise of another law without n in it "
        "(largest error of the tails of its second coordinate)"
    )
    worst = error(rows_of(table, said.REDUCED), "right")
    yield agrees("cor12", "thesis section 4.6, Corollary 12", text, expected=0.0, measured=worst, tolerance=ROUNDING)
    yield _projected(table)


def _normalizer(table: pd.DataFrame) -> Claim:
    rows = rows_of(table, said.NORMALIZER)
    first = rows.iloc[0]
    correction = (
        f"ln Γ for Γ: at {first['case']} the integral gives {first['exact']:.4g}, the print {first['printed']:.4g}"
    )
    text, where = "C(η) = Γ(η¹) + Γ(η² − η¹) − Γ(η²)", "thesis section 3.3, end"
    return mended("normalizer", where, text, correction, errors(rows), tolerance=ROUNDING, slip=True)


def _minimal(
    table: pd.DataFrame, statement: str, name: str, where: str, text: str, correction: str, *, slip: bool
) -> Claim:
    """A definition of minimal is as good as the strict convexity of A that Lemma 6 takes from it."""
    rows = rows_of(table, statement)
    text = f"{text} (statistics told wrong, of {len(rows)}, where right is: A is strictly convex)"
    wrong = float((rows["printed"] != rows["exact"]).sum()), float((rows["right"] != rows["exact"]).sum())
    return mended(name, where, text, correction, wrong, tolerance=0.0, slip=slip)


def _moments(table: pd.DataFrame) -> Iterator[Claim]:
    for name, statement, what, moment in (
        ("lemma5-gradient", said.GRADIENT, "gradient", "mean"),
        ("lemma5-hessian", said.HESSIAN, "Hessian", "covariance"),
    ):
        text = (
            f"the {what} of the log-normalizer is the {moment} of the statistics, of Beta, Dirichlet and Gaussian "
            "(largest error of differences against quadrature)"
        )
        worst = error(rows_of(table, statement), "printed")
        yield agrees(name, "thesis section 4.6, Lemma 5", text, expected=0.0, measured=worst, tolerance=ROUNDING)


def _segment(table: pd.DataFrame) -> Claim:
    rows = rows_of(table, said.SEGMENT)
    worst = rows.iloc[int((rows["exact"] - rows["printed"]).to_numpy().argmax())]
    text = "KL(η + γ ‖ η) ≤ D‖γ‖, if ‖∇²B‖ < D between the two (largest excess)"
    correction = (
        f"½D‖γ‖², which its proof has one line before: at {worst['case']}, ‖γ‖ = {worst['at']:g} the "
        f"divergence is {worst['exact']:.4g}, D‖γ‖ = {worst['printed']:.4g}, ½D‖γ‖² = {worst['right']:.4g}; the "
        "integral of eq. 4.38 then needs the second moment of γ, which a finite covariance is"
    )
    excesses, where = (excess(rows, "printed"), excess(rows, "right")), "thesis section 4.6, Lemma 8"
    return mended("lemma8", where, text, correction, excesses, tolerance=ROUNDING, slip=False)


def _chebyshev(table: pd.DataFrame) -> Iterator[Claim]:
    where = "thesis section 4.6, eq."
    inverse, inverse_squared = rows_of(table, said.INVERSE), rows_of(table, said.INVERSE_SQUARED)
    norm, squared = rows_of(table, said.NORM), rows_of(table, said.NORM_SQUARED)
    worst, skewed = (rows.iloc[int(rows["exact"].to_numpy().argmax())] for rows in (norm, inverse_squared))
    quadratic = rows_of(table, said.QUADRATIC)
    text = "P((U − EU)ᵀ cov(U)⁻¹ (U − EU) ≥ ν) ≤ d/ν (largest excess)"
    measured = float((quadratic["exact"] - quadratic["printed"]).max())
    yield at_most("eq4.29", f"{where} 4.29", text, limit=0.0, measured=measured, tolerance=MASS)
    text = "P(‖U − EU‖ ‖cov(U)⁻¹‖ ≥ ν) ≤ d/ν (largest excess)"
    correction = (
        "P(‖U − EU‖² ≥ ν ‖cov(U)‖) ≤ d/ν; squaring the norm is not enough here, for ‖cov⁻¹‖ bounds the "
        f"quadratic form from above: with it, {skewed['case']} have {skewed['exact']:.3g} > "
        f"{skewed['printed']:.3g} at ν = {skewed['at']:g}"
    )
    excesses = excess(inverse, "printed"), excess(squared, "right")
    yield mended("eq4.30", f"{where} 4.30", text, correction, excesses, tolerance=MASS, slip=False)
    text = "P(‖U − EU‖ ≥ ν ‖cov(U)‖) ≤ d/ν (largest excess)"
    correction = (
        f"‖U − EU‖² for ‖U − EU‖: at {worst['case']}, ν = {worst['at']:g} the probability is "
        f"{worst['exact']:.4g} > {worst['printed']:.4g}; eq. 4.33, which is built on it, follows from the square"
    )
    excesses = excess(norm, "printed"), excess(squared, "right")
    yield mended("eq4.31", f"{where} 4.31, 4.32", text, correction, excesses, tolerance=MASS, slip=False)
    text = (
        "to square the norm is not enough: P(‖U − EU‖² ‖cov(U)⁻¹‖ ≥ ν) exceeds d/ν where an outcome is rare "
        "(largest excess)"
    )
    measured = excess(inverse_squared, "printed")
    yield at_least("eq4.30-squared", f"{where} 4.30", text, limit=0.01, measured=measured, ours=True)


def _convex(table: pd.DataFrame) -> Claim:
    rows = rows_of(table, said.CONVEX)
    worst = rows.iloc[int((rows["printed"] - rows["exact"]).to_numpy().argmax())]
    text = "f(y) − f(y*) ≥ (w/2)‖y − y*‖, so that b = wδ/2 serves Lemma 13 (by how much b is too large)"
    correction = (
        f"‖y − y*‖², b = wδ²/2: of {worst['case']} and δ = {worst['at']:g} the least value outside the ball "
        f"is {worst['exact']:.3g}, b as printed {worst['printed']:.3g}; that some b exists, all that is used, stays "
        "true"
    )
    as_printed, as_corrected = (max(0.0, float((rows[b] - rows["exact"]).max())) for b in ("printed", "right"))
    where, excesses = "thesis section 4.6, eq. 4.44 and Lemma 13", (as_printed, as_corrected)
    return mended("eq4.44", where, text, correction, excesses, tolerance=MASS, slip=False)


def _projected(table: pd.DataFrame) -> Claim:
    rows = rows_of(table, said.PROJECTED).sort_values("at", kind="stable")
    first, last = rows.iloc[0], rows.iloc[-1]
    text = (
        "the noise of the Laplace mechanism has a law that does not depend on the number of records (largest change of "
        "the chance that the projection of eq. 4.15 acts)"
    )
    correction = (
        f"with the projection it does: it acts with probability {first['exact']:.3g} at N = "
        f"{first['at']:g}, {last['exact']:.3g} at N = {last['at']:g}, ½(1 − p + p e^(−1/b))^N; without it the noise "
        "fits, and the limit of Lemma 1 is the same with it"
    )
    where = "thesis section 4.3.3, Corollary 2, with eq. 4.15"
    return mended("cor2-projection", where, text, correction, errors(rows), tolerance=MASS, slip=False)
