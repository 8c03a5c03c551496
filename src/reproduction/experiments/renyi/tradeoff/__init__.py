"""KL(P‖A) from the true posterior to the output law of each mechanism, against ε: thesis Figures 5.3 and 5.4."""

from __future__ import annotations

from reproduction.experiments.renyi.checks import conjugate_data

COLUMNS = {
    "variant": str,
    "mechanism": str,
    "epsilon": float,
    "kl": float,
    "scale": float | None,
    "kl_small": float | None,
    "kl_large": float | None,
    "epsilon_direct": float,
    "at_ends": float | None,
}

check = conjugate_data
