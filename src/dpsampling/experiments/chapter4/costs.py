r"""Table of the costs of private Markov chains, with an exact example for the random scan.

The example has one binary latent variable a record, Pr(x = θ) = 1 − a₀, so Δ = ln((1−a₀)/a₀). A random scan picks a
fraction q of the variables and draws each from its conditional. Two data sets that differ in record l differ in what
θ_l becomes:

    Pr(θ_l: 0 → 1) = q(1−a₀) or q a₀,        Pr(θ_l stays 0) = 1 − q + q a₀ or 1 − q + q(1−a₀),

and q cancels from the first ratio: the loss is Δ whatever fraction is picked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.mechanisms.markov_chains import costs_table

SAMPLED = 1  # Q of the random scans: the smallest there is
EXAMPLE = "random scan, exact loss of a binary example"


def table(params: Mapping[str, Any]) -> pd.DataFrame:
    """The methods' costs and the example's exact loss."""
    n, a0 = int(params["n"]), float(params["truncation"])
    rows = costs_table(
        a0,
        n,
        epsilon=float(params["epsilon"]),
        sampled=SAMPLED,
        half_width=float(params["width"]),
        steps=int(params["steps"]),
        path=sorted(params["epsilons"], reverse=True),
    )
    exact = {
        "method": EXAMPLE,
        "parameters": f"a0={a0:g} Q={SAMPLED} N={n}",
        "epsilon": exact_random_scan(a0, SAMPLED / n),
        "delta": 0.0,
        "condition": "by enumeration",
    }
    frame = pd.DataFrame([*rows, exact]).rename(columns={"parameters": "setting"})
    frame["condition"] = frame["condition"].replace("", "none")
    return frame[["method", "setting", "epsilon", "delta", "condition"]]


def exact_random_scan(a0: float, fraction: float) -> float:
    """max |ln| of the ratios of both outcomes under x_l = 1 and x_l = 0, from θ_l = 0."""
    outcomes = [
        (fraction * (1.0 - a0), fraction * a0),
        (1.0 - fraction + fraction * a0, 1.0 - fraction + fraction * (1.0 - a0)),
    ]
    return max(abs(math.log(p / q)) for p, q in outcomes)
