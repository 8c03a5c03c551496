r"""Table 4.1 of the thesis, every cell computed.

sensitivity        Laplace: sup ‖S(x′) − S(x)‖₁ over one-hot records; OPS: sup |ln Pr(x′|p) − ln Pr(x|p)| over records
                   and p in [a₀, 1 − a₀]; both by search over the records and a grid of p
scale              what S(X) is multiplied by in the law of p: the law's first parameter at n successes less that at
                   none, over n: 1 (noised) for Laplace, 1/T (rescaled) for OPS
draws              samples that one payment of ε buys. All that are drawn from the Laplace mechanism's posterior tell no
                   more than the noisy counts, whose loss is found by search; OPS is paid for each
efficiency         n E(estimate − p)² / (p (1 − p)) of the best estimate released: a mean, or one draw
gibbs-cost         what `steps` Gibbs updates cost: the loss of the noisy counts, once, and OPS is paid at each update
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.mechanisms.expected_error import exact_efficiency_laplace_mean, exact_efficiency_ops
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.laplace_statistic import LaplaceStatistic
from dpsampling.mechanisms.markov_chains import gibbs_update
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.tempering import upper_end
from dpsampling.privacy.accounting import repeat
from dpsampling.privacy.guarantee import Pure
from reproduction.experiments.posteriors.comparison import COLUMNS

GRID = 100_001
ROUNDING = 1e-12  # of a loss that is found by search


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a cell of the printed table."""
    del rng  # nothing here is random
    epsilon, a0, steps = float(params["epsilon"]), float(params["truncation"]), int(params["steps"])
    prior, n, p = params["prior"], int(params["n"]), float(params["p"])
    laplace = LaplaceStatistic(BetaBernoulli(), prior, n, epsilon)
    ops = OnePosteriorSample.calibrate(BetaBernoulli(), prior, n, a0, epsilon=epsilon)
    delta, lost = _log_likelihood_change(a0), _loss_of_counts(laplace.counts.scale)
    cells = {
        ("laplace", "sensitivity"): _statistic_change(),
        ("laplace", "scale"): _scale(laplace.posterior([0.0, n])[0], laplace.posterior([n, 0.0])[0], n),
        ("laplace", "draws"): math.inf if lost <= epsilon * (1.0 + ROUNDING) else 1.0,
        ("laplace", "efficiency"): exact_efficiency_laplace_mean(prior, n, p, epsilon),
        ("laplace", "gibbs-cost"): lost,
        ("ops", "sensitivity"): delta,
        ("ops", "scale"): _scale(ops.law(0.0).a, ops.law(n).a, n),
        ("ops", "draws"): float(math.floor(epsilon / ops.guarantee.epsilon)),
        ("ops", "efficiency"): exact_efficiency_ops(prior, n, p, epsilon, a0),
        ("ops", "gibbs-cost"): _epsilon(repeat(gibbs_update(delta, ops.temperature), steps)),
    }
    return pd.DataFrame([(*key, value) for key, value in cells.items()], columns=list(COLUMNS))


def _statistic_change() -> float:
    """sup ‖S(x′) − S(x)‖₁ for S(x) = (x, 1 − x)."""
    statistics = [np.array([x, 1 - x]) for x in (0, 1)]
    return float(max(np.abs(a - b).sum() for a in statistics for b in statistics))


def _log_likelihood_change(a0: float) -> float:
    """sup |ln Pr(x′|p) − ln Pr(x|p)| over x, x′ and a grid of p that includes the ends of the window."""
    p = np.linspace(a0, upper_end(a0), GRID)
    likelihoods = [np.log1p(-p), np.log(p)]
    return float(max(np.max(np.abs(a - b)) for a in likelihoods for b in likelihoods))


def _scale(at_none: Any, at_all: Any, n: int) -> float:
    return (float(at_all) - float(at_none)) / n


def _loss_of_counts(scale: float) -> float:
    """sup |ln f(ŝ, t̂ | s, t)/f(ŝ, t̂ | s+1, t−1)| over noise in eighths, before the clip, which hides some of it."""
    noise = np.arange(-40, 41) / 8.0
    change = np.abs(noise - 1.0) - np.abs(noise)
    return float(np.max(np.abs(change[:, np.newaxis] + change)) / scale)


def _epsilon(guarantee: object) -> float:
    if not isinstance(guarantee, Pure):
        raise TypeError("a Gibbs update's guarantee is pure")
    return guarantee.epsilon
