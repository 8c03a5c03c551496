"""Exact divergences between posteriors of near data sets, against Theorems 1 and 2 of Robust 2014."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "statement": str,  # FIRST or SECOND
    "family": str,
    "pair": str,  # what becomes of what
    "n": int,
    "concentration": float,  # λ, α, c or ε
    "constant": float,  # L or c
    "distance": float,  # ρ
    "kl_exact": float,
    "kl_quadrature": float,
    "bound": float,  # of KL
    "corrected_bound": float,
    "tv": float | None,
    "tv_bound": float | None,
    "log_ratio": float | None,
    "log_ratio_bound": float | None,
    "cases": int,
}

FIRST, SECOND = "1(i)", "1(ii)"
EXPONENTIAL, LAPLACE, NORMAL, BITS = "exponential", "Laplace", "normal", "bits"
PRINTED_NORMAL = "normal, variance ~ Exp"
RARE = "two parameters"
EDGE, INDEPENDENT, CORNERS = "A→B", "A, B independent", "A→B, corners"
ONE, ALL = "one record", "all records"
CONJUGATE = (EXPONENTIAL, LAPLACE, NORMAL, BITS)
NETWORKS = (EDGE, INDEPENDENT, CORNERS)
# What the column `concentration` holds.
SYMBOLS = {
    **dict.fromkeys((EXPONENTIAL, LAPLACE, NORMAL, PRINTED_NORMAL), "λ"),
    BITS: "α",
    RARE: "c",
    **dict.fromkeys(NETWORKS, "ε"),
}

LARGEST_NETWORK = 9  # records of which networks are learned here
MOST_RECORDS = 400  # up to which the Bessel functions of inverse Gaussians are floats


def check(params: Mapping[str, Any]) -> None:
    """Posteriors whose normalizers are floats."""
    if max(params["sizes"]) > MOST_RECORDS:
        raise InputError(
            f"sizes has {max(params['sizes'])}; posteriors are compared of {MOST_RECORDS} records at most."
        )
