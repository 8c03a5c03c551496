"""Amplification by iteration: Theorem 21 as printed, unrelaxed, at its best, and exact affine maps."""

COLUMNS = {
    "order": float,
    "delta": float,
    "sigma": float,
    "contraction": float,
    "steps": int,
    "curve": str,
    "epsilon": float,
}

EXACT = "exact affine"
