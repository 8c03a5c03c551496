r"""Amplification by iteration: Theorem 21, as printed, before its last step, and at its best (thesis section 6.4.1).

r kernels Y = Π(ψ(x) + N(0, σ² I)) with L-Lipschitz maps ψ are applied to laws whose W_∞ distance is Δ. A path of laws
from one to the other in steps Δ_1 … Δ_r, Σ Δ_i ≥ Δ, gives

    R_α ≤ αL²/(2σ²) Σ_i L^{2(r−i)} Δ_i²                                                         (6.4)

    printed      Δ_i ∝ L^i, and φ(L) ≤ 1/r:        αΔ²/(2σ²) · L^{r+1}/r                          (6.5)
    unrelaxed    Δ_i ∝ L^i:                        αΔ²/(2σ²) · r L^{2r} ((1 − L)/(1 − L^r))²
    optimal      Δ_i ∝ L^{2i}:                     αΔ²/(2σ²) · L^{2r}(1 − L²)/(1 − L^{2r})

The optimal one is exact for affine maps, x ↦ Lx: no argument from L, r, Δ and σ alone can give less. With a Lipschitz
constant L_s and noise σ_s for each step it is αΔ²/2 / Σ_s σ_s²/(L_1 ⋯ L_s)². docs/amplification.md has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from dpsampling.amplification.names import OPTIMAL, PRINTED, UNRELAXED
from dpsampling.errors import InputError
from dpsampling.privacy.accounting import round_up
from dpsampling.privacy.guarantee import Renyi

Array = NDArray[np.float64]


def printed(contraction: float, steps: int) -> float:
    """L^{r+1}/r, the share of αΔ²/(2σ²) that (6.5) leaves."""
    _check(contraction, steps)
    return _positive(contraction ** (steps + 1) / steps, contraction)


def unrelaxed(contraction: float, steps: int) -> float:
    """r L^{2r} ((1 − L)/(1 − L^r))², the same path before φ(L) is replaced by 1/r."""
    _check(contraction, steps)
    if contraction in (0.0, 1.0):
        return contraction / steps
    rate = -math.log(contraction)
    ratio = (1.0 - contraction) / -math.expm1(-steps * rate)
    return _positive(steps * math.exp(-2.0 * steps * rate) * ratio**2, contraction)


def optimal(contraction: float, steps: int) -> float:
    """L^{2r}(1 − L²)/(1 − L^{2r}) = (1 − L²)/(L^{−2r} − 1); 1/r at L = 1."""
    _check(contraction, steps)
    if contraction in (0.0, 1.0):
        return contraction / steps
    exponent = -2.0 * steps * math.log(contraction)
    share = (1.0 - contraction) * (1.0 + contraction) * math.exp(-exponent) / -math.expm1(-exponent)
    return _positive(share, contraction)


SHARES: dict[str, Callable[[float, int], float]] = {PRINTED: printed, UNRELAXED: unrelaxed, OPTIMAL: optimal}


def guarantee(sensitivity: float, sigma: float, contraction: float, steps: int, form: str = OPTIMAL) -> Renyi:
    """The Rényi curve of r noisy contractions, in one of the three forms."""
    _check_noise(sensitivity, sigma)
    share = SHARES[form](contraction, steps)
    rate = (sensitivity / sigma) ** 2 / 2.0 * share
    if sensitivity > 0:
        rate = _positive(rate, contraction)
    return Renyi(lambda order: round_up(order * rate))


def optimal_path(sensitivity: float, contraction: float, steps: int) -> Array:
    """The steps Δ_i ∝ L^{2i} of the best path; they sum to Δ."""
    _check(contraction, steps)
    if contraction == 0.0:  # the limit: all of the distance is left to the first step, which all maps contract
        return np.concatenate([[sensitivity], np.zeros(steps - 1)])
    weights = contraction ** (2.0 * np.arange(steps))
    return sensitivity * weights / weights.sum()


def along_path(path: Sequence[float] | Array, sigma: float, contraction: float) -> Renyi:
    """(6.4) for any path, given by its steps Δ_1 … Δ_r."""
    increments = np.asarray(path, dtype=float)
    _check(contraction, len(increments))
    if np.any(increments < 0) or not np.all(np.isfinite(increments)):
        raise InputError("a step of the path is negative or not finite; W_∞ distances are 0 or more.")
    _check_noise(0.0, sigma)
    shrunk = contraction ** (len(increments) - np.arange(len(increments), dtype=float)) * increments
    rate = float(shrunk @ shrunk) / (2.0 * sigma**2)
    return Renyi(lambda order: round_up(order * rate))


def through(sensitivity: float, contractions: Sequence[float], sigmas: Sequence[float]) -> Renyi:
    """The best path where step s has its own Lipschitz constant and noise; constants above 1 are allowed."""
    lipschitz, noise = np.asarray(contractions, dtype=float), np.asarray(sigmas, dtype=float)
    if lipschitz.shape != noise.shape or lipschitz.ndim != 1 or not lipschitz.size:
        raise InputError("a noisy iteration needs one Lipschitz constant and one noise for each of its steps.")
    if not (np.all(lipschitz >= 0) and np.all(np.isfinite(lipschitz))):
        raise InputError("a Lipschitz constant is negative or not finite; it must be 0 or more.")
    for value in noise:
        _check_noise(sensitivity, float(value))
    left = np.cumprod(lipschitz)
    if np.any(left == 0):
        return Renyi(lambda order: 0.0 * order)
    rate = sensitivity**2 / float(np.sum((noise / left) ** 2)) / 2.0
    return Renyi(lambda order: round_up(order * rate))


def affine(sensitivity: float, sigma: float, contraction: float, steps: int) -> Callable[[float], float]:
    """The exact R_α of r steps x ↦ Lx + N(0, σ²) from two points: Gaussians at distance L^r Δ, variance σ² Σ L^{2j}."""
    _check(contraction, steps)
    variance = sigma**2 * math.fsum(contraction ** (2 * j) for j in range(steps))
    distance = contraction**steps * sensitivity
    return lambda order: order * distance**2 / (2.0 * variance)


def _positive(share: float, contraction: float) -> float:
    """A share that has become too small for a float is the least float, not 0."""
    return max(share, math.ulp(0.0)) if contraction > 0 else 0.0


def _check(contraction: float, steps: int) -> None:
    if not 0 <= contraction <= 1:
        raise InputError(
            f"the Lipschitz constant is {contraction:g}; iteration amplifies for contractions, with L from 0 to 1."
        )
    if not (steps >= 1 and float(steps).is_integer()):
        raise InputError(f"steps is {steps:g}; it must be a whole number, 1 or more.")


def _check_noise(sensitivity: float, sigma: float) -> None:
    if not (sigma > 0 and math.isfinite(sigma)):
        raise InputError(f"sigma is {sigma:g}; a scale of noise is above 0 and finite.")
    if not (sensitivity >= 0 and math.isfinite(sensitivity)):
        raise InputError(f"sensitivity is {sensitivity:g}; it must be 0 or more and finite.")
