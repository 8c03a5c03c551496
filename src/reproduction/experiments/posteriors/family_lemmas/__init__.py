"""Definitions and lemmas on exponential families that thesis chapters 3 and 4 build on, both sides computed."""

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from reproduction.experiments.checks import beta_prior
from reproduction.experiments.columns import OUTCOMES

# At a length, a level or a number of records; exact by the definition: quadrature, enumeration, search.
COLUMNS = OUTCOMES

NORMALIZER = "C(η) of the Beta prior"
LINEAR, AFFINE = "minimal, section 3.3", "minimal, section 4.6"
GRADIENT, HESSIAN = "gradient of the log-normalizer", "Hessian of the log-normalizer"
SEGMENT = "KL divergence over a segment"
MODE = "mode"
QUADRATIC = "Chebyshev, quadratic form"
INVERSE, INVERSE_SQUARED = "Chebyshev, ‖·‖ ‖cov⁻¹‖", "Chebyshev, ‖·‖² ‖cov⁻¹‖"
NORM, NORM_SQUARED = "Chebyshev, ‖·‖ over ‖cov‖", "Chebyshev, ‖·‖² over ‖cov‖"
CONVEX = "least value outside a ball"
REDUCED, PROJECTED = "tail of the reduced noise", "chance of a projection"
LEAST, MOST = 0.5, 150.0  # α₀ and β₀, and their sum, that a grid of θ and the Γ of the print are wide enough for


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior of moderate size."""
    beta_prior(params)
    first, total = params["prior"]
    if min(first, total - first) < LEAST or total > MOST:
        raise InputError(
            f"prior is {params['prior']}; here α₀ and β₀ must be at least {LEAST:g} and their sum at most {MOST:g}."
        )
