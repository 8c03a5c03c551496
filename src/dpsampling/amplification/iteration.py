r"""Amplification by iteration: Theorem 21, as printed, before its last step, and at its best (thesis section 6.4.1).

r kernels Y = Π(ψ(x) + N(0, σ² I)) with L-Lipschitz maps ψ are applied to laws whose W_∞ distance is Δ. A path of laws
from one to the other in steps Δ_1 … Δ_r, Σ Δ_i ≥ Δ, gives

    R_α ≤ αL²/(2σ²) Σ_i L^{2(r−i)} Δ_i²                                                         (6.4)

    printed      Δ_i ∝ L^i, and φ(L) ≤ 1/r:        αΔ²/(2σ²) · L^{r+1}/r                          (6.5)
    unrelaxed    Δ_i ∝ L^i:                        αΔ²/(2σ²) · r L^{2r} ((1 − L)/(1 − L^r))²
    optimal      Δ_i ∝ L^{2i}:                     αΔ²/(2σ²) · L^{2r}(1 − L²)/(1 − L^{2r})

The optimal one is exact for affine maps, x ↦ Lx: no argument from L, r, Δ and σ alone can give less. With a Lipschitz
constant L_s and noise σ_s for each step it is αΔ²/2 / Σ_s σ_s²/(L_1 ⋯ L_s)². docs/amplification.md has the proofs.

L^{2r}, (Δ/σ)² and 1 − L may each be beyond the floats, or lose their digits, where the level is neither: levels are
computed in decimals of 60 digits and rounded up once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal, localcontext

import numpy as np

from dpsampling.amplification.names import OPTIMAL, PRINTED, UNRELAXED
from dpsampling.errors import InputError
from dpsampling.privacy.guarantee import Renyi
from dpsampling.privacy.rounding import LEAST, WIDE, float_above, round_up


def printed(contraction: float, steps: int) -> Decimal:
    """L^{r+1}/r, the share of αΔ²/(2σ²) that (6.5) leaves."""
    length, r = _check(contraction, steps)
    with localcontext(WIDE):
        return length ** (r + 1) / r


def unrelaxed(contraction: float, steps: int) -> Decimal:
    """r L^{2r} ((1 − L)/(1 − L^r))², the same path before φ(L) is replaced by 1/r."""
    length, r = _check(contraction, steps)
    with localcontext(WIDE):
        if length == 1:
            return 1 / Decimal(r)
        return r * length ** (2 * r) * ((1 - length) / (1 - length**r)) ** 2


def optimal(contraction: float, steps: int) -> Decimal:
    """L^{2r}(1 − L²)/(1 − L^{2r}); 1/r at L = 1."""
    length, r = _check(contraction, steps)
    with localcontext(WIDE):
        if length == 1:
            return 1 / Decimal(r)
        return length ** (2 * r) * (1 - length**2) / (1 - length ** (2 * r))


SHARES: dict[str, Callable[[float, int], Decimal]] = {PRINTED: printed, UNRELAXED: unrelaxed, OPTIMAL: optimal}


def guarantee(sensitivity: float, sigma: float, contraction: float, steps: int, form: str = OPTIMAL) -> Renyi:
    """The Rényi curve of r noisy contractions, in one of the three forms."""
    _check_noise(sensitivity, sigma)
    share = SHARES[form](contraction, steps)
    with localcontext(WIDE):
        rate = (Decimal(sensitivity) / Decimal(sigma)) ** 2 / 2 * share
    return _curve(rate, nothing=sensitivity == 0 or contraction == 0)


def through(sensitivity: float, contractions: Sequence[float], sigmas: Sequence[float]) -> Renyi:
    """The best path where step s has its own Lipschitz constant and noise; constants above 1 are allowed."""
    lipschitz, noise = np.asarray(contractions, dtype=float), np.asarray(sigmas, dtype=float)
    if lipschitz.shape != noise.shape or lipschitz.ndim != 1 or not lipschitz.size:
        raise InputError("a noisy iteration needs one Lipschitz constant and one noise for each of its steps.")
    if not (np.all(lipschitz >= 0) and np.all(np.isfinite(lipschitz))):
        raise InputError("a Lipschitz constant is negative or not finite; it must be 0 or more.")
    for value in noise:
        _check_noise(sensitivity, float(value))
    if sensitivity == 0 or np.any(lipschitz == 0):
        return _curve(Decimal(0), nothing=True)
    left, hidden = Decimal(1), Decimal(0)
    with localcontext(WIDE):
        for factor, deviation in zip(lipschitz.tolist(), noise.tolist(), strict=True):
            left *= Decimal(factor)
            hidden += (Decimal(deviation) / left) ** 2
        rate = Decimal(sensitivity) ** 2 / hidden / 2
    return _curve(rate, nothing=False)


def affine(sensitivity: float, sigma: float, contraction: float, steps: int) -> Callable[[float], float]:
    """The exact R_α of r steps x ↦ Lx + N(0, σ²) from two points: Gaussians at distance L^r Δ, variance σ² Σ L^{2j}."""
    _check(contraction, steps)
    variance = sigma**2 * math.fsum(contraction ** (2 * j) for j in range(steps))
    distance = contraction**steps * sensitivity
    return lambda order: order * distance**2 / (2.0 * variance)


def _curve(rate: Decimal, *, nothing: bool) -> Renyi:
    """α times the rate, rounded up; a rate that is too small for a float is the least float, unless it is 0 exactly."""
    level = 0.0 if nothing else max(float_above(rate), LEAST)
    return Renyi(lambda order: round_up(order * level))


def _check(contraction: float, steps: int) -> tuple[Decimal, int]:
    """L and r, exactly."""
    if not 0 <= contraction <= 1:
        raise InputError(
            f"the Lipschitz constant is {contraction:g}; iteration amplifies for contractions, with L from 0 to 1."
        )
    if not (steps >= 1 and steps % 1 == 0):  # ∞ % 1 is not a number
        raise InputError(f"steps is {steps:g}; it must be a whole number, 1 or more.")
    return Decimal(contraction), int(steps)


def _check_noise(sensitivity: float, sigma: float) -> None:
    if not (sigma > 0 and math.isfinite(sigma)):
        raise InputError(f"sigma is {sigma:g}; a scale of noise is above 0 and finite.")
    if not (sensitivity >= 0 and math.isfinite(sensitivity)):
        raise InputError(f"sensitivity is {sensitivity:g}; it must be 0 or more and finite.")
