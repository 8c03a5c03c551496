r"""Table 4.1 of the thesis, every cell computed.

sensitivity        Laplace: sup ‖S(x′) − S(x)‖₁ over one-hot records; OPS: sup |ln Pr(x′|p) − ln Pr(x|p)| over records
                   and p in [a₀, 1 − a₀]; both by search over the records and a grid of p
scale              what S(X) is multiplied by in the law of p: 1 (noised) for Laplace, 1/T (rescaled) for OPS
draws              samples that one payment of ε buys
efficiency         n E(estimate − p)² / (p (1 − p)) of the best estimate released: a mean, or one draw
gibbs-cost         what `steps` Gibbs updates cost: the noise is paid once, OPS is paid at each update
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.mechanisms.markov_chains import gibbs_update
from dpsampling.mechanisms.one_posterior_sample import temperature
from dpsampling.numerics.expected_error import exact_efficiency_laplace_mean, exact_efficiency_ops
from dpsampling.privacy.accounting import repeat
from dpsampling.privacy.guarantee import Pure

GRID = 100_001


def table(params: Mapping[str, Any]) -> pd.DataFrame:
    """One row a cell of the printed table."""
    epsilon, a0, steps = float(params["epsilon"]), float(params["truncation"]), int(params["steps"])
    prior, n, p = params["prior"], int(params["n"]), float(params["p"])
    delta = _log_likelihood_change(a0)
    t = temperature(delta, epsilon)
    update = gibbs_update(delta, t)
    cells = {
        ("laplace", "sensitivity"): _statistic_change(),
        ("laplace", "scale"): 1.0,
        ("laplace", "draws"): math.inf,
        ("laplace", "efficiency"): exact_efficiency_laplace_mean(prior, n, p, epsilon),
        ("laplace", "gibbs-cost"): Pure(epsilon).epsilon,
        ("ops", "sensitivity"): delta,
        ("ops", "scale"): 1.0 / t,
        ("ops", "draws"): 1.0,
        ("ops", "efficiency"): exact_efficiency_ops(prior, n, p, epsilon, a0),
        ("ops", "gibbs-cost"): _epsilon(repeat(update, steps)),
    }
    return pd.DataFrame([(*key, value) for key, value in cells.items()], columns=["mechanism", "property", "value"])


def _statistic_change() -> float:
    """sup ‖S(x′) − S(x)‖₁ for S(x) = (x, 1 − x)."""
    statistics = [np.array([x, 1 - x]) for x in (0, 1)]
    return float(max(np.abs(a - b).sum() for a in statistics for b in statistics))


def _log_likelihood_change(a0: float) -> float:
    """sup |ln Pr(x′|p) − ln Pr(x|p)| over x, x′ and a grid of p that includes the ends of the window."""
    p = np.linspace(a0, 1.0 - a0, GRID)
    likelihoods = [np.log1p(-p), np.log(p)]
    return float(max(np.max(np.abs(a - b)) for a in likelihoods for b in likelihoods))


def _epsilon(guarantee: object) -> float:
    if not isinstance(guarantee, Pure):
        raise TypeError("a Gibbs update's guarantee is pure")
    return guarantee.epsilon
