r"""Laplace's method for F_k(Y) = ∫ e^(k s(φ, Y)) dφ, s = Y·T(φ), of Lemmas 10 and 14, beside its closed form.

With A(φ) = ln(1 + Σ e^φⱼ), d indicators of d + 1 outcomes, and a = (Y¹, …, Y^d, Y^(d+1) − ΣYʲ),

    F_k(Y) = ∏ Γ(k aⱼ) / Γ(k Σaⱼ),        s at its mode = Σ aⱼ ln(aⱼ/Σa),        −∇²s = Σa (diag χ − χχᵀ),  χ = a/Σa,

    ln F_k = (d/2) ln 2π − ½ ln det(−k∇²s) + k s + ln Z,        Z = 1 + c/k + O(k⁻²),
    c = (1/72) Σ h₃ h₃ μ₆ − (1/24) Σ h₄ μ₄,    h = −s, moments μ of a Gaussian of covariance (∇²h)⁻¹.

The thesis takes over the formulas of Kass, Tierney and Kadane, which are for e^(−kh), with s in the place of h.
`exact` is from the closed form of F_k, or by quadrature for INTEGRAL; ψ = kY throughout.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import digamma, gammaln, polygamma

from reproduction.experiments.posteriors import laplace_approximation as said

Array = NDArray[np.float64]
Row = tuple[str, str, int, float, float | None, float | None]

SYSTEMS = {"Bernoulli": (1.0, 3.0), "three outcomes": (2.0, 3.0, 10.0), "four outcomes": (2.0, 1.0, 1.0, 5.0)}  # Y
FEW = (1, 2, 5)  # k for which F_k is no number near 0
BALL, DIRECTIONS = 0.2, 24  # radius about Y and points on its circle, for the bound that is to hold in all of it
LEAST_R = 1.0  # a constant R that is large enough at every k: k‖∇Z‖ is below it


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Every statement at every k."""
    del rng  # nothing here is random
    sizes = [int(k) for k in sorted(params["sizes"])]
    rows: list[Row] = [*_integral()]
    for name, y in SYSTEMS.items():
        rows += [*_terms(name, np.array(y), sizes)]
    rows += [*_derivatives(sizes), *_covariance(sizes), *_remainder(sizes)]
    return pd.DataFrame(rows, columns=list(said.COLUMNS)).astype({"printed": float, "right": float})


def counts(y: Array) -> Array:
    """a."""
    return np.append(y[:-1], y[-1] - y[:-1].sum())


def log_integral(psi: Array) -> float:
    """ln F, closed."""
    return float(gammaln(counts(psi)).sum() - gammaln(psi[-1]))


def height(y: Array) -> float:
    """s at its mode."""
    a = counts(y)
    return float(a @ np.log(a / a.sum()))


def cumulants(y: Array) -> tuple[Array, Array, Array]:
    """∇²h, ∇³h and ∇⁴h of h = −s at the mode: Y^(d+1) times the cumulants of the indicators of one outcome."""
    chi, d = counts(y) / y[-1], len(y) - 1
    away = np.vstack([np.eye(d), np.zeros(d)]) - chi[:-1]  # of each outcome from the mean
    second = np.einsum("o,oi,oj->ij", chi, away, away)
    third = np.einsum("o,oi,oj,ok->ijk", chi, away, away, away)
    fourth = np.einsum("o,oi,oj,ok,ol->ijkl", chi, away, away, away, away)
    fourth -= sum(np.einsum(f"{p},{q}->ijkl", second, second) for p, q in (("ij", "kl"), ("ik", "jl"), ("il", "jk")))
    return y[-1] * second, y[-1] * third, y[-1] * fourth


def moment(covariance: Array, order: int) -> Array:
    """Central moments of a Gaussian, as a tensor: the sum over all pairings (Isserlis), for any symmetric matrix."""
    letters = "abcdef"[:order]
    return np.asarray(
        sum(
            np.einsum(",".join(pairs) + "->" + letters, *[covariance] * (order // 2))
            for pairs in (["".join(p) for p in matching] for matching in pairings(letters))
        )
    )


def pairings(letters: str) -> Iterator[list[tuple[str, str]]]:
    """Every way to put letters in pairs."""
    if not letters:
        yield []
        return
    for j in range(1, len(letters)):
        for rest in pairings(letters[1:j] + letters[j + 1 :]):
            yield [(letters[0], letters[j]), *rest]


def first_order(second: Array, third: Array, fourth: Array) -> float:
    """(1/72) Σ h₃ h₃ μ₆ − (1/24) Σ h₄ μ₄ of any three tensors."""
    inverse: Array = np.asarray(np.linalg.inv(second), dtype=np.float64)
    sixth = np.sum(np.multiply.outer(third, third) * moment(inverse, 6))
    return float(sixth / 72.0 - np.sum(fourth * moment(inverse, 4)) / 24.0)


def _integral() -> Iterator[Row]:
    """∫ e^(ks) dφ of the Bernoulli system, by quadrature over p, beside B(kη) and e^B(kη), B the log-normalizer."""
    a, b = counts(np.array(SYSTEMS["Bernoulli"]))
    for k in FEW:
        mass = quad(lambda p, k=k: p ** (k * a - 1.0) * (1.0 - p) ** (k * b - 1.0), 0.0, 1.0, epsrel=1e-12)[0]
        log = log_integral(k * np.array(SYSTEMS["Bernoulli"]))
        yield said.INTEGRAL, "Bernoulli", k, mass, log, math.exp(log)


def _terms(name: str, y: Array, sizes: list[int]) -> Iterator[Row]:
    """The determinant's sign, the main term, its power of 2π, and the first correction."""
    second, third, fourth = cumulants(y)
    d, determinant, s = len(y) - 1, float(np.linalg.det(second)), height(y)
    yield said.SIGN, name, 1, (-1.0) ** d * determinant, None, determinant
    as_printed, right = first_order(-second, -third, -fourth), first_order(second, third, fourth)
    for k in sizes:
        exact, width = log_integral(k * y), -0.5 * (math.log(determinant) + d * math.log(k))
        main = 0.5 * d * math.log(2.0 * math.pi) + width
        yield said.EXPONENT, name, k, exact, main - k * s, main + k * s
        yield said.DIMENSION, name, k, exact, 0.5 * math.log(2.0 * math.pi) + main + k * s, main + k * s
        yield said.CORRECTION, name, k, k * math.expm1(_log_z(k * y)), as_printed, right


def _log_z(psi: Array) -> float:
    """ln Z = ln F less the main term, which does not depend on how ψ is cut into k and Y: Σ r(aⱼ) − r(Σ aⱼ)."""
    return float(sum(stirling(float(a)) for a in counts(psi)) - stirling(float(psi[-1])))


def stirling(x: float) -> float:
    """r(x) = ln Γ(x) − (x − ½) ln x + x − ½ ln 2π, by its series from 8 on, where nothing cancels."""
    if x < 8.0:
        return stirling(x + 1.0) - 1.0 + (x + 0.5) * math.log1p(1.0 / x)
    return math.fsum(
        b / x**power
        for b, power in (
            (1 / 12, 1),
            (-1 / 360, 3),
            (1 / 1260, 5),
            (-1 / 1680, 7),
            (1 / 1188, 9),
            (-691 / 360360, 11),
            (1 / 156, 13),
        )
    )


def _derivatives(sizes: list[int]) -> Iterator[Row]:
    """∇ ln F and k∇² ln F of the Bernoulli system, whose derivatives in ψ¹ and ψ² the thesis needs."""
    y1, y2 = SYSTEMS["Bernoulli"]
    chi, curvature = y1 / y2, y1 * (y2 - y1) / y2  # −s̃₂(Y) = Y¹(Y² − Y¹)/Y²
    modes = (math.log(chi / (1.0 - chi)), math.log(1.0 - chi))  # T at the mode
    widths = (1.0 / y1 - 1.0 / (y2 - y1), 1.0 / (y2 - y1) - 1.0 / y2)  # ∇_Y ln(−s̃₂)
    for k in sizes:
        a, b, n = k * y1, k * (y2 - y1), k * y2
        gradient = (digamma(a) - digamma(b), digamma(b) - digamma(n))
        for j in range(2):
            printed = -0.5 / (k * -curvature) / k
            yield said.SLOPE, f"∂{j + 1}", k, float(gradient[j]), printed, modes[j] - 0.5 * widths[j] / k
        hessian = {
            "∂1∂1": (polygamma(1, a) + polygamma(1, b), 1.0 / y1 + 1.0 / (y2 - y1)),
            "∂1∂2": (-polygamma(1, b), -1.0 / (y2 - y1)),
            "∂2∂2": (polygamma(1, b) - polygamma(1, n), 1.0 / (y2 - y1) - 1.0 / y2),
        }
        for name, (exact, right) in hessian.items():
            yield said.CURVATURE, name, k, float(k * exact), -curvature, right


def _covariance(sizes: list[int]) -> Iterator[Row]:
    """The largest k‖cov(T(θ) | kη)‖ for η in a ball, and its limit, the same of the Hessian of s at its mode."""
    angles = np.linspace(0.0, 2.0 * math.pi, DIRECTIONS, endpoint=False)
    circle = BALL * np.column_stack([np.cos(angles), np.sin(angles)])
    around = np.array(SYSTEMS["Bernoulli"]) + np.vstack([[0.0, 0.0], circle, 0.5 * circle])
    for k in sizes:
        norms, limits = [], []
        for y1, y2 in around:
            ones, zeros, both = (float(k * polygamma(1, k * x)) for x in (y1, y2 - y1, y2))
            norms.append(_norm(ones, zeros, both))
            limits.append(_norm(1.0 / y1, 1.0 / (y2 - y1), 1.0 / y2))
        yield said.COVARIANCE, f"ball of radius {BALL:g}", k, max(norms), None, max(limits)


def _norm(ones: float, zeros: float, both: float) -> float:
    return float(np.linalg.norm([[ones + zeros, -zeros], [-zeros, zeros - both]], 2))


def _remainder(sizes: list[int]) -> Iterator[Row]:
    """‖∇[∇Z/Z]‖ beside S/(kQ) ∓ R²/(kQ)², with Q, S hardly beyond Z and k‖∇²Z‖, and R = 1."""
    psi = np.array(SYSTEMS["Bernoulli"])
    for k in sizes:
        z, gradient, hessian = derivatives_of_z(k * psi)
        q, s = 0.99 * z, 1.01 * k * float(np.linalg.norm(hessian, 2))
        exact = float(np.linalg.norm(hessian / z - np.outer(gradient, gradient) / z**2, 2))
        r = max(LEAST_R, 1.01 * k * float(np.linalg.norm(gradient)))
        first, second = s / (k * q), (r / (k * q)) ** 2
        yield said.REMAINDER, "Bernoulli", k, exact, first - second, first + second


def derivatives_of_z(psi: Array) -> tuple[float, Array, Array]:
    """Z, ∇Z and ∇²Z from ln Z = r(ψ¹) + r(ψ² − ψ¹) − r(ψ²)."""
    z = math.exp(_log_z(psi))
    linear = np.array([[1.0, 0.0], [-1.0, 1.0], [0.0, 1.0]])
    signs, points = (1.0, 1.0, -1.0), linear @ psi
    log_gradient = sum(sign * slope_of_stirling(x) * row for sign, x, row in zip(signs, points, linear, strict=True))
    log_hessian = sum(
        sign * curvature_of_stirling(x) * np.outer(row, row) for sign, x, row in zip(signs, points, linear, strict=True)
    )
    return z, z * log_gradient, z * (log_hessian + np.outer(log_gradient, log_gradient))


def slope_of_stirling(x: float) -> float:
    """r′(x) = ψ(x) − ln x + 1/(2x), by its series from 8 on."""
    if x < 8.0:
        return slope_of_stirling(x + 1.0) + math.log1p(1.0 / x) - 0.5 / x - 0.5 / (x + 1.0)
    return -math.fsum((1 / 12 / x**2, -1 / 120 / x**4, 1 / 252 / x**6, -1 / 240 / x**8, 1 / 132 / x**10))


def curvature_of_stirling(x: float) -> float:
    """r″(x) = ψ′(x) − 1/x − 1/(2x²), by its series from 8 on."""
    if x < 8.0:
        return curvature_of_stirling(x + 1.0) + 1.0 / (x + 1.0) - 1.0 / x + 0.5 / x**2 + 0.5 / (x + 1.0) ** 2
    return math.fsum((1 / 6 / x**3, -1 / 30 / x**5, 1 / 42 / x**7, -1 / 30 / x**9, 5 / 66 / x**11))
