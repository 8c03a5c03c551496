"""What thesis Lemmas 10 and 14 say of Laplace's method, term by term."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim, at_most, untestable
from reproduction.experiments.bound_claims import rows_of
from reproduction.experiments.mended import mended
from reproduction.experiments.posteriors import laplace_approximation as said
from reproduction.experiments.posteriors.rows import errors, excess

EVIDENCE = EXACT

SECTION = "thesis section 4.6"
ROUNDING = 1e-10
LARGE = 100  # k from which a limit is asked to be near
NEAR = 0.05  # of a limit, at k ≥ LARGE: the next term of each is below 5/k


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """In the order of the proof."""
    del params  # all of it is in the table
    if table["k"].max() < LARGE:
        return [untestable("limits", SECTION, "limits in k", f"no k of this table reaches {LARGE}")]
    far = table[table["k"] >= LARGE]
    return [
        _integral(table),
        _sign(table),
        _exponent(far),
        _dimension(far),
        _correction(far),
        _slope(far),
        _curvature(far),
        _remainder(table),
        *_covariance(far),
    ]


def _integral(table: pd.DataFrame) -> Claim:
    rows = rows_of(table, said.INTEGRAL)
    first = rows.iloc[0]
    text = "F_k(η) = B(kη) = ∫ e^(ks(θ, η)) dθ, B the log-normalizer"
    correction = (
        f"e^B(kη) for B(kη): at k = {first['k']} the integral is {first['exact']:.4g}, B {first['printed']:.4g}"
    )
    return mended("eq4.28", f"{SECTION}, eq. 4.27, 4.28", text, correction, errors(rows), tolerance=ROUNDING, slip=True)


def _sign(table: pd.DataFrame) -> Claim:
    """The assumption det > 0 excludes what it is negative for; that none is excluded is right."""
    rows = rows_of(table, said.SIGN)
    excluded = rows.loc[rows["exact"] <= 0, "case"]
    text = "det ∇²s > w > 0 near the mode, which Lemma 10 says is det ∇²A > w (systems that the assumption excludes)"
    correction = (
        "det(−∇²s) > w: s is concave, so det ∇²s has the sign (−1)^d, and the assumption as printed "
        f"excludes {', '.join(excluded)}, the thesis's own example among them"
    )
    excludes = float((rows["exact"] <= 0).sum()), float((rows["right"] <= 0).sum())
    where = f"{SECTION}, Lemma 14, assumption 5"
    return mended("determinant", where, text, correction, excludes, tolerance=0.0, slip=False)


def _exponent(far: pd.DataFrame) -> Claim:
    rows = rows_of(far, said.EXPONENT)
    last = rows.iloc[int(rows["k"].to_numpy().argmax())]
    text = (
        "∫ e^(ks) = (2π)^(m/2) det(k∇²s)^(−½) e^(−ks) Z, at the mode (largest error of the logarithm over k, |det| for "
        "det)"
    )
    correction = (
        f"e^(+ks) and det(−k∇²s): the source of the formula has e^(−kh), h = −s; of {last['case']} at k = "
        f"{last['k']} ln F = {last['exact']:.5g}, as printed {last['printed']:.5g}, as corrected {last['right']:.5g}; "
        "eq. 4.48 and 4.52 carry the sign on"
    )
    as_printed, as_corrected = (
        float(((rows[c] - rows["exact"]) / rows["k"]).abs().max()) for c in ("printed", "right")
    )
    where, slack = f"{SECTION}, eq. 4.46, 4.48", 1.0 / LARGE**2 * 5.0
    return mended("eq4.46", where, text, correction, (as_printed, as_corrected), tolerance=slack, slip=False)


def _dimension(far: pd.DataFrame) -> Claim:
    rows = rows_of(far, said.DIMENSION)
    text = "m in (2π)^(m/2) is the dimension of Y (largest error of the logarithm)"
    correction = "of φ, over which the integral is; Y = η has one coordinate more"
    where = f"{SECTION}, eq. 4.46 and the line after 4.47"
    return mended("eq4.47-dimension", where, text, correction, errors(rows), tolerance=NEAR, slip=True)


def _correction(far: pd.DataFrame) -> Claim:
    rows = rows_of(far, said.CORRECTION)
    first = rows.iloc[-1]
    text = "k(Z − 1) → (1/72) Σ s₃s₃μ₆ − (1/24) Σ s₄μ₄, moments of a Gaussian of covariance (∇²s)⁻¹ (largest error)"
    correction = (
        "the constants 1/72 and 1/24 are right for h = −s; for s, which is concave, (∇²s)⁻¹ is no "
        f"covariance and the sum has the opposite sign: of {first['case']} k(Z − 1) → {first['right']:.4g}, as printed "
        f"{first['printed']:.4g}"
    )
    return mended("eq4.47", f"{SECTION}, eq. 4.47", text, correction, errors(rows), tolerance=NEAR, slip=False)


def _slope(far: pd.DataFrame) -> Claim:
    rows = rows_of(far, said.SLOPE)
    last = rows.iloc[int(rows["k"].to_numpy().argmax())]
    text = (
        "∇_ψ ln F_k(ψ/k) = −½ (k s̃₂)⁻¹/k + s̃₁ + ∇Z/Z with s̃₁ = ∇_φ s at the mode, the derivative of k s̃₀(ψ/k) "
        "(largest error without the last, of order k⁻²)"
    )
    correction = (
        "∇_φ s is 0 at the mode; the derivative of s̃₀(Y) = max_φ s(φ, Y) is ∇_Y s = T(φ*), and that of the "
        f"determinant needs its chain rule: at k = {last['k']} {last['case']} is {last['exact']:.5g}, as printed "
        f"{last['printed']:.3g}, T(φ*) − ½∇ ln det(−s̃₂)/k = {last['right']:.5g}"
    )
    where, slack = f"{SECTION}, eq. 4.50, 4.52", 1.0 / LARGE**2
    return mended("eq4.52", where, text, correction, errors(rows), tolerance=slack, slip=False)


def _curvature(far: pd.DataFrame) -> Claim:
    rows = rows_of(far, said.CURVATURE)
    first = rows.iloc[int(rows["k"].to_numpy().argmax())]
    text = "k∇²_ψ ln F_k → s̃₂ = ∇²_φ s at the mode (largest error)"
    correction = (
        "it tends to ∇²_Y s̃₀(Y) = ∇T(φ*) (−∇²_φ s)⁻¹ ∇T(φ*)ᵀ, which is bounded too, so the O(1/k) of Lemma "
        f"14 stands: {first['case']} {first['exact']:.4g}, as printed {first['printed']:.4g}, which is of the size of "
        "φ, not of Y, and negative where this is a covariance"
    )
    return mended("eq4.55", f"{SECTION}, eq. 4.53, 4.55", text, correction, errors(rows), tolerance=NEAR, slip=False)


def _remainder(table: pd.DataFrame) -> Claim:
    rows = rows_of(table, said.REMAINDER)
    worst = rows.iloc[int((rows["exact"] - rows["printed"]).to_numpy().argmax())]
    text = "‖∇[∇Z/Z]‖ ≤ S/(kQ) − R²/(kQ)² for Q < Z, R > k‖∇Z‖, S > k‖∇²Z‖ (largest excess)"
    correction = (
        f"+ for −, as for any norm of a difference: with R = 1 at k = {worst['k']} the left is "
        f"{worst['exact']:.3g}, the right as printed {worst['printed']:.3g}; O(1/k) follows as well"
    )
    where, excesses = f"{SECTION}, before eq. 4.59", (excess(rows, "printed"), excess(rows, "right"))
    return mended("eq4.59", where, text, correction, excesses, tolerance=ROUNDING, slip=True)


def _covariance(far: pd.DataFrame) -> Iterator[Claim]:
    rows = rows_of(far, said.COVARIANCE)
    limit = float(rows["right"].iloc[0])
    for name, lemma, what in (
        ("lemma10", "Lemma 10", "‖cov(T(θ) | kη)‖"),
        ("lemma14", "Lemma 14", "‖∇²_ψ ln F_k(ψ/k)‖"),
    ):
        text = (
            f"{what} is at most C/k for k > K, all over a ball (largest k times it, K = {LARGE}, against 1.05 times "
            "its limit)"
        )
        largest = float(rows["exact"].max())
        yield at_most(name, f"{SECTION}, {lemma}", text, limit=(1.0 + NEAR) * limit, measured=largest)
