r"""What the theorems promise, as printed, and what can be proved in their place.

    Theorem 1   KL(ξ(·|x) ‖ ξ(·|y)) ≤ 2Lρ   (i),     κρ/c    (ii)
    Theorem 2   |ln ξ(B|x)/ξ(B|y)| ≤ 2Lρ    (i),     |ξ(B|x) − ξ(B|y)| ≤ √(κρ/(2c))    (ii)
    Theorem 3   ρ ≥ (3/(4Ln)) ln(1/δ),               ρ ≥ (3c/(2κn)) ln(1/δ),     after n draws

With D the bound of KL for each unit of ρ (2L or κ/c), Theorem 2 (ii) is √(Dρ/2) and Theorem 3 is ρ ≥ 3 ln(1/δ)/(2nD):
it is (C.10), 4Lρ ≥ (3/n) ln(1/δ), and (C.11), 2κρ/c ≥ (3/n) ln(1/δ), solved for ρ.

In place of (ii), for every prior: with ℓ(θ) = ln p_θ(x)/p_θ(y), the sum of both divergences is E[ℓ|x] − E[ℓ|y], so

    KL ≤ ρ·(E[L(θ)|x] + E[L(θ)|y]).                                                                     (corrected)

If the posteriors concentrate as Assumption 2 asks it of the prior, E[L|·] ≤ 1/c, and this is 2ρ/c.
"""

from __future__ import annotations

import math


def kl_per_unit(*, lipschitz: float = math.nan, c: float = math.nan, kappa: float = math.nan) -> float:
    """2L under Assumption 1, κ/c under Assumption 2."""
    return kappa / c if math.isnan(lipschitz) else 2.0 * lipschitz


def total_variation(per_unit: float, distance: float) -> float:
    """√(Dρ/2), by Pinsker."""
    return math.sqrt(per_unit * distance / 2.0)


def distance_lipschitz(lipschitz: float, draws: int, delta: float) -> float:
    """(4.3): (3/(4Ln)) ln(1/δ)."""
    return 3.0 / (4.0 * lipschitz * draws) * math.log(1.0 / delta)


def distance_relaxed(c: float, kappa: float, draws: int, delta: float) -> float:
    """(4.4): (3c/(2κn)) ln(1/δ)."""
    return 3.0 * c / (2.0 * kappa * draws) * math.log(1.0 / delta)


def corrected_kl(distance: float, first: float, second: float) -> float:
    """ρ·(E[L|x] + E[L|y])."""
    return distance * (first + second)
