r"""How gradient steps contract, from their parameters alone (thesis section 6.4.1).

A step x ↦ x − η∇ℓ(x) with ρ ≤ ∇²ℓ ≤ β moves two points apart by no more than a factor

    L = max(|1 − ηρ|, |1 − ηβ|),

which quadratics attain.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def contraction(params: Mapping[str, Any]) -> float:
    """L, for the constants of these parameters."""
    return max(abs(1.0 - params["rate"] * params[curvature]) for curvature in ("convexity", "smoothness"))


def settled(params: Mapping[str, Any]) -> bool:
    """Tell if the start is forgotten after n steps."""
    return bool(contraction(params) ** params["n"] < 1e-3)
