r"""Table of Figure 4.1: densities of p that each mechanism would draw from.

posterior   Beta(α + s, β + n − s)
ops         the same at temperature T = max(1, 2Δ/ε), Δ = ln((1−a₀)/a₀), restricted to [a₀, 1 − a₀]
laplace     Beta(α + ŝ, β + t̂) for each draw of the noisy counts ŝ and t̂
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaln, xlog1py, xlogy

from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.laplace_statistic import LaplaceStatistic
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.numerics.randomness import substream

Array = NDArray[np.float64]

POINTS = 500  # values of p, at the middles of as many cells of [0, 1]


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """The density on the grid of p, for one draw of the first two and for each draw of the third."""
    family, p = BetaBernoulli(), (np.arange(POINTS) + 0.5) / POINTS
    prior, n = family.check_prior(params["prior"]), family.check_records(params["n"])
    successes, epsilon = float(params["successes"]), float(params["epsilon"])
    ops = OnePosteriorSample.calibrate(family, prior, n, params["truncation"], epsilon=epsilon)
    theta = np.log(p) - np.log1p(-p)
    # A density of θ is one of p after dp = p(1−p) dθ.
    tempered = np.exp(ops.log_density(theta, successes)) / (p * (1.0 - p))
    parts = [("posterior", 0, beta_density(p, family.posterior(prior, successes, n))), ("ops", 0, tempered)]

    laplace = LaplaceStatistic(family, prior, n, epsilon)
    for draw in range(int(params["repeats"])):
        law = laplace.posterior(laplace.simulate_counts(successes, substream(rng, "laplace", draw)))
        parts.append(("laplace", draw, beta_density(p, law)))
    frames = [pd.DataFrame({"mechanism": m, "draw": d, "p": p, "density": density}) for m, d, density in parts]
    return pd.concat(frames, ignore_index=True)


def beta_density(p: Array, law: Array) -> Array:
    """The density of p under Beta(a, b)."""
    a, b = law.tolist()
    return np.exp(xlogy(a - 1.0, p) + xlog1py(b - 1.0, -p) - betaln(a, b))
