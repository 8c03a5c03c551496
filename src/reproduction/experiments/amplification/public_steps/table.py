"""Table of public steps: σ = C/√d, and as many of them as bring the worst record to ε."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.noisy_sgd import NoisySGD
from dpsampling.numerics.randomness import substream
from reproduction.experiments.amplification.losses import problem_for, public_losses
from reproduction.experiments.amplification.public_steps import COLUMNS

CONSTANTS = ("lipschitz", "smoothness", "convexity", "rate")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a dimension and number of public steps."""
    rows = []
    for dimension in sorted(params["dimensions"]):
        sigma = float(params["lipschitz"]) / math.sqrt(dimension)
        sgd = NoisySGD(**{name: float(params[name]) for name in CONSTANTS}, sigma=sigma)
        enough = sgd.public_steps_for(float(params["epsilon"]))
        streams = substream(rng, "dimension", dimension)
        problem = problem_for(sgd, dimension, streams)
        losses = public_losses(sgd, problem, int(params["n"]), enough, int(params["repeats"]), streams)
        rows += [(dimension, sigma, k, sgd.level(k), *losses[k]) for k in range(enough + 1)]
    return pd.DataFrame(rows, columns=list(COLUMNS))
