r"""Table of the costs of private Markov chains, with an exact example for the random scan.

The example has one binary latent variable a record, Pr(x = θ) = 1 − a₀, so Δ = ln((1−a₀)/a₀). A random scan picks a
fraction q of the variables and draws each from its conditional. Two data sets that differ in record l differ in what
θ_l becomes:

    Pr(θ_l: 0 → 1) = q(1−a₀) or q a₀,        Pr(θ_l stays 0) = 1 − q + q a₀ or 1 − q + q(1−a₀),

and q cancels from the first ratio: the loss is Δ whatever fraction is picked. `exact` is this example's loss, Δ/T at
temperature T, for the update of one variable and for a sequential scan of `SCANNED`, over all outcomes and neighbours.
For an annealed sample it is the loss of all states of `SCANNED` variables at each temperature of the path but the
coldest, to which the sample is weighted and not drawn.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.mechanisms.markov_chains import costs_table
from dpsampling.mechanisms.tempering import sensitivity, temperature
from reproduction.experiments.posteriors.chain_costs import ANNEALED, COLUMNS, EXAMPLE, SCAN, UPDATE

SAMPLED = 1  # Q of the random scans: the smallest there is
SCANNED = 3  # variables of the sequential scan that is enumerated


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """The methods' costs and the example's exact loss."""
    del rng  # nothing here is random
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
    t = temperature(sensitivity(a0), float(params["epsilon"]))
    path = sorted(params["epsilons"], reverse=True)[1:]
    hotter = [temperature(sensitivity(a0), float(epsilon)) for epsilon in path]
    losses = {
        UPDATE: exact_sequential_scan(a0, [t], 1),
        SCAN: exact_sequential_scan(a0, [t], SCANNED),
        ANNEALED: exact_sequential_scan(a0, hotter, SCANNED),
    }
    frame["exact"] = [losses.get(method, math.nan) for method in frame["method"]]
    frame.loc[frame["method"] == EXAMPLE, "exact"] = frame["epsilon"]
    return frame[list(COLUMNS)]


def exact_random_scan(a0: float, fraction: float) -> float:
    """max |ln| of the ratios of both outcomes under x_l = 1 and x_l = 0, from θ_l = 0."""
    outcomes = [
        (fraction * (1.0 - a0), fraction * a0),
        (1.0 - fraction + fraction * a0, 1.0 - fraction + fraction * (1.0 - a0)),
    ]
    return max(abs(math.log(p / q)) for p, q in outcomes)


def exact_sequential_scan(a0: float, temperatures: Sequence[float], variables: int) -> float:
    """max |ln P(θ | x)/P(θ | x′)| over θ and all x, x′ that differ in one record: a scan at each temperature, all seen.

    Every variable is drawn from its own record, and its next draw does not depend on the last.
    """
    scans = list(itertools.product((0, 1), repeat=variables))
    law = np.zeros((len(scans), 1))  # of x, then of all that is seen: its logarithm
    for t in temperatures:
        kept, moved = ((1.0 - a0) ** (1.0 / t), a0 ** (1.0 / t))
        conditional = np.log(np.array([[kept, moved], [moved, kept]]) / (kept + moved))  # of x, then θ
        scan = np.array([[sum(conditional[x, s] for x, s in zip(xs, ss, strict=True)) for ss in scans] for xs in scans])
        law = (law[:, :, np.newaxis] + scan[:, np.newaxis, :]).reshape(len(scans), -1)
    neighbours = [(i, i ^ (1 << j)) for i in range(len(scans)) for j in range(variables)]
    return float(max(np.max(np.abs(law[i] - law[j])) for i, j in neighbours))
