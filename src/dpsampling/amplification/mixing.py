r"""Amplification by uniform mixing: the four coefficients of a finite kernel, and Theorem 15 (thesis section 6.3).

    Dobrushin           γ = max_{x,x′} TV(K(x), K(x′))
    (γ, ε̃)-Dobrushin    γ = max_{x,x′} D_{e^ε̃}(K(x)‖K(x′))
    Doeblin             γ = 1 − Σ_y min_x K(x, y),                  K(x) ≥ (1 − γ) ω for all x
    ultra-mixing        γ = 1 − min_{x,x′,y} K(x, y)/K(x′, y)

For every kernel  (γ, ε̃)-Dobrushin ≤ Dobrushin ≤ Doeblin ≤ ultra-mixing,  which is Figure 6.1. Post-processing an
(ε, δ)-DP mechanism with K gives (ε′, δ′)-DP, where with β = e^{ε′−ε} = γ + (1 − γ) e^{−ε}

    Dobrushin           ε′ = ε,                       δ′ = γδ
    (γ, ε̃)-Dobrushin    ε′ = ε,                       δ′ = γδ,  ε̃ = ln(1 + (e^ε − 1)/δ)
    Doeblin             ε′ = ln(1 + γ(e^ε − 1)),      δ′ = γ(1 − β(1 − δ)) = γ((1 − γ)(1 − e^{−ε}) + βδ)
    ultra-mixing        ε′ = ln(1 + γ(e^ε − 1)),      δ′ = γβδ

Conventions. At δ = 0, ε̃ = ∞ and D_∞ is the mass outside the other's support; both Dobrushin forms then give δ′ = 0.
γ = 1 says nothing of K (for ultra-mixing also that supports may differ), and every form returns (ε, δ). γ = 0 says that
all rows are equal: the last two forms return (0, 0). An output that no input has is left out of every ratio.
Every number is rounded up: a sum of positive terms, then by 2⁻⁴⁰ of itself and 2⁻⁵⁰.

Doeblin's form needs no more than Dobrushin's condition, with the smaller γ: an (ε, δ)-DP mechanism is
(ε′, 1 − e^{ε′−ε}(1 − δ))-DP for every ε′ ≤ ε, and Dobrushin's condition multiplies that δ by γ. `by_dobrushin_below`
has the sharp form of this.
"""

from __future__ import annotations

import math

import numpy as np

from dpsampling.amplification.kernels import FINITE_LEVEL, Kernel, largest_hockey_stick, upper
from dpsampling.amplification.names import CONDITIONS
from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.rounding import LEAST, round_up

# -- coefficients ---------------------------------------------------------------------------------------------------


def dobrushin(kernel: Kernel) -> float:
    """max TV of two rows."""
    return largest_hockey_stick(kernel, 0.0)


def level_dobrushin(kernel: Kernel, epsilon: float) -> float:
    """max D_{e^ε} of two rows; ε may be infinite."""
    return largest_hockey_stick(kernel, epsilon)


def doeblin(kernel: Kernel) -> float:
    """1 − Σ_y min_x K(x, y), as the sum of what a row has above the minima, so that small values keep their digits."""
    above = (kernel.rows - kernel.rows.min(axis=0)).sum(axis=1)
    return upper(float(above.max()), kernel.rows.shape[1])


def doeblin_witness(kernel: Kernel) -> Array:
    """ω(y) ∝ min_x K(x, y); where every minimum is 0 any law is a witness, and the uniform one is returned."""
    shared = kernel.rows.min(axis=0)
    total = float(shared.sum())
    return shared / total if total > 0 else np.full(len(shared), 1.0 / len(shared))


def ultra_mixing(kernel: Kernel) -> float:
    """max over outputs of (max_x − min_x)/max_x."""
    top, low = kernel.rows.max(axis=0), kernel.rows.min(axis=0)
    there = top > 0
    return upper(float(np.max((top[there] - low[there]) / top[there])), 1)


def coefficients(kernel: Kernel, epsilon: float) -> dict[str, float]:
    """All four, the second one at level ε."""
    values = (dobrushin(kernel), level_dobrushin(kernel, epsilon), doeblin(kernel), ultra_mixing(kernel))
    return dict(zip(CONDITIONS, values, strict=True))


# -- Theorem 15 -----------------------------------------------------------------------------------------------------


def by_dobrushin(epsilon: float, delta: float, gamma: float) -> tuple[float, float]:
    """(ε, γδ)."""
    _check(epsilon, delta, gamma)
    return epsilon, min(delta, _product(gamma, delta))


def by_dobrushin_below(epsilon: float, delta: float, gamma: float, level: float) -> tuple[float, float]:
    """(ε′, γ δ(ε′)) for any ε′ = `level` up to ε, with δ(ε′) what an (ε, δ)-DP mechanism has there at most.

    That is leaky randomized response's δ(ε′) = δ + (1 − δ)(e^ε − e^{ε′})/(1 + e^ε), and never more than Doeblin's form.
    """
    _check(epsilon, delta, gamma)
    if not 0 <= level <= epsilon:
        raise InputError(f"level is {level:g}; it must be from 0 to epsilon = {epsilon:g}.")
    # At ε = ∞ nothing is known of the mechanism at a finite level.
    gap = max(-math.expm1(level - epsilon) / (1.0 + math.exp(-epsilon)), LEAST) if level < epsilon else 0.0
    return level, min(1.0, _product(gamma, delta + (1.0 - delta) * gap))


def by_level_dobrushin(epsilon: float, delta: float, gamma: float) -> tuple[float, float]:
    """(ε, γδ) where γ is the kernel's coefficient at `needed_level(ε, δ)`."""
    return by_dobrushin(epsilon, delta, gamma)


def by_doeblin(epsilon: float, delta: float, gamma: float) -> tuple[float, float]:
    """(ln(1 + γ(e^ε − 1)), γ((1 − γ)(1 − e^{−ε}) + βδ))."""
    level, beta = _amplified_level(epsilon, delta, gamma)
    unlike = _product(1.0 - gamma, -math.expm1(-epsilon))
    return level, min(1.0, _product(gamma, unlike + beta * delta))


def by_ultra_mixing(epsilon: float, delta: float, gamma: float) -> tuple[float, float]:
    """(ln(1 + γ(e^ε − 1)), γβδ)."""
    level, beta = _amplified_level(epsilon, delta, gamma)
    return level, min(delta, _product(gamma, beta, delta))


def needed_level(epsilon: float, delta: float) -> float:
    """ε̃ = ln(1 + (e^ε − 1)/δ), rounded down, which makes the coefficient larger; ∞ at δ = 0."""
    _check(epsilon, delta, 0.0)
    if delta == 0.0 or math.isinf(epsilon):
        return math.inf
    excess = math.expm1(min(epsilon, FINITE_LEVEL)) / delta
    if epsilon > FINITE_LEVEL or math.isinf(excess):  # ln((e^ε − 1)/δ), below the level by less than e^-700
        level = epsilon + math.log(-math.expm1(-epsilon)) - math.log(delta)
    else:
        level = math.log1p(excess)
    return math.nextafter(level * (1.0 - 2.0**-40), 0.0)


def amplified(guarantee: Pure | Approximate, kernel: Kernel) -> dict[str, tuple[float, Approximate]]:
    """By condition: the kernel's coefficient, and what its output promises when its input has this guarantee."""
    epsilon, delta = guarantee.epsilon, getattr(guarantee, "delta", 0.0)
    found = coefficients(kernel, needed_level(epsilon, delta))
    bounds = dict(zip(CONDITIONS, (by_dobrushin, by_level_dobrushin, by_doeblin, by_ultra_mixing), strict=True))
    return {
        name: (gamma, Approximate(*bounds[name](epsilon, delta, gamma), guarantee.relation, guarantee.conditions))
        for name, gamma in found.items()
    }


def _amplified_level(epsilon: float, delta: float, gamma: float) -> tuple[float, float]:
    """ε′ and β = e^{ε′−ε}; no term cancels."""
    _check(epsilon, delta, gamma)
    beta = gamma + (1.0 - gamma) * math.exp(-epsilon)
    if gamma == 0.0:
        return 0.0, beta
    if epsilon < FINITE_LEVEL:
        level = math.log1p(gamma * math.expm1(epsilon))
    else:
        log_term = epsilon + math.log(gamma)  # of γe^ε; the rest of γ(e^ε − 1) is left out, upwards
        level = max(log_term, 0.0) + math.log1p(math.exp(-abs(log_term)))
    return min(epsilon, round_up(max(level, LEAST)) if epsilon > 0 else 0.0), beta


def _product(*factors: float) -> float:
    """A float above the product; 0 where a factor is 0, and not where the product is only too small for a float."""
    return round_up(max(math.prod(factors), LEAST)) if all(factors) else 0.0


def _check(epsilon: float, delta: float, gamma: float) -> None:
    if not epsilon >= 0:
        raise InputError(f"epsilon is {epsilon:g}; a privacy level must be 0 or more.")
    for name, value in (("delta", delta), ("gamma", gamma)):
        if not 0 <= value <= 1:
            raise InputError(f"{name} is {value:g}; it must be a probability between 0 and 1.")
