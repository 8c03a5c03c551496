r"""What tempering costs: the one Δ and the one T of posterior sampling (thesis eqs. (4.12), (4.13); UAI eq. (15)).

    Pr_T(θ | X) ∝ exp(u(X, θ)/T),        Δ = max |u(X, θ) − u(X′, θ)| over θ and neighbours X, X′:

two neighbours' densities differ by the factor e^{±Δ/T} of their utilities times e^{±Δ/T} of their normalizers, so that

    a draw at T costs 2Δ/T,              T = 2Δ/ε makes it cost ε.

The exponential mechanism takes any such T. Of a posterior, u = ln Pr(θ) Pr(X | θ), and T = max(1, 2Δ/ε): at T = 1 it is
the posterior itself, and no ε makes it colder. For K outcomes with probabilities of at least a₀ each, Δ is the largest
change of ln θ_x when the record x is replaced, reached where all but one outcome are at a₀:

    Δ = ln (1 − (K−1)a₀)/a₀,             Δ = Σ_d Δ_d for records of several features.

`sensitivity` errs by less than 2^-50 of itself either way. Temperatures are rounded up by 2^-40 of themselves and costs
by 2^-41, so that a cost is never below 2Δ/T, and that of the temperature for ε is never above ε.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dpsampling.errors import InputError
from dpsampling.mechanisms.calibration import check_epsilons
from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose
from dpsampling.privacy.rounding import float_above, round_up

COST_MARGIN = 1.0 + 2.0**-41  # half of that of a temperature
SMALLEST_TRUNCATION = 2.0**-53  # below it, no float but 1 is near 1 − a₀


def sensitivity(truncation: float, outcomes: int = 2) -> float:
    """Δ = ln (1 − (K−1)a₀)/a₀ of K outcomes with probabilities of at least a₀ each."""
    truncation = check_truncation(truncation, outcomes)
    # = ln(1 + (1 − K a₀)/a₀), with the difference taken exactly: it may be small.
    spare = float(1 - outcomes * Fraction(truncation))
    return math.log1p(spare / truncation)


def joint_sensitivity(truncations: Sequence[float], outcomes: Sequence[int]) -> float:
    """Δ = Σ_d Δ_d of records that have an outcome in each of several features."""
    return math.fsum(sensitivity(a0, k) for a0, k in zip(truncations, outcomes, strict=True))


def boltzmann_temperature(delta: float, epsilon: float) -> float:
    """2Δ/ε, rounded up."""
    return round_up(2.0 * delta / epsilon)


def temperature(delta: float, epsilon: float) -> float:
    """T = max(1, 2Δ/ε), rounded up."""
    value = max(1.0, boltzmann_temperature(delta, float(check_epsilons(epsilon)[0])))
    if not math.isfinite(value):
        raise InputError(f"epsilon is {epsilon:g}; it is too small for a temperature that is a number; raise it.")
    return value


def cost(delta: float, t: float = 1.0) -> float:
    """2Δ/T, rounded up; at most ε for T = temperature(Δ, ε)."""
    return float_above(2 * Fraction(delta) * Fraction(COST_MARGIN) / Fraction(t))


def enclosed_cost(truncation: float, t: float, outcomes: int = 2) -> Enclosure:
    """2Δ/T with its certificate; a₀ and T are the rational numbers that they are."""
    a0 = Fraction(truncation)
    return enclose(lambda: 2 * (as_ball((1 - (outcomes - 1) * a0) / a0)).log() / as_ball(t))


def upper_end(truncation: float) -> float:
    """The largest float that is not above 1 − a₀: beyond 1 − a₀, a record changes ln Pr(x | p) by more than Δ.

    1.0 − a₀ itself may be rounded upwards. As a₀ < ½, what this returns is ½ or more, and a window is left.
    """
    truncation = check_truncation(truncation)
    if truncation < SMALLEST_TRUNCATION:
        raise InputError(
            f"truncation is {truncation:g}; a window of probabilities from a₀ to 1 − a₀ needs an a₀ of "
            f"{SMALLEST_TRUNCATION:g} or more, below which no number keeps away from 1: raise it."
        )
    exact = 1 - Fraction(truncation)
    near = float(exact)
    return near if near <= exact else math.nextafter(near, 0.0)


def check_truncation(truncation: float, outcomes: int = 2) -> float:
    """0 < a₀ < 1/K."""
    if truncation == 0:
        raise InputError(
            "truncation is 0; without truncation the log-likelihood is unbounded and no epsilon is finite: "
            "truncate the probabilities at some a₀ above 0."
        )
    if not 0 < truncation < 1 / outcomes:
        raise InputError(
            f"truncation is {truncation:g}; with {outcomes} outcomes it must lie above 0 and below {1 / outcomes:g}."
        )
    return float(truncation)


def check_temperature(value: float) -> float:
    """1 ≤ T < ∞."""
    if not 1 <= value < math.inf:
        raise InputError(f"temperature is {value:g}; it must be finite and at least 1, where OPS is the posterior.")
    return float(value)
