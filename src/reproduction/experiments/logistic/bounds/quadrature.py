r"""Divergences of logistic posteriors on a line by the trapezoidal rule, with nothing of their closed forms.

The integrands are analytic and fall like a Gaussian of precision κ, and ln(1 + e^{−w}) is smooth on the scale 1: with
steps of STEP times the smaller of 1/√κ and 1, the rule is exact to 1e-12. A factor of slope s moves the mass by s/κ at
most, and so far the grid reaches.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Array = NDArray[np.float64]

STEP, REACH = 0.1, 12.0


def grid(precision: float, slope: float) -> Array:
    """Nodes for what falls like a Gaussian of this precision and is otherwise of slope `slope` at most."""
    far = slope / precision + REACH / np.sqrt(precision)
    step = STEP * min(1.0, 1.0 / np.sqrt(precision))
    return np.arange(-np.ceil(far / step), np.ceil(far / step) + 1.0) * step


def log_posterior(w: Array, signed: Sequence[float], precision: float, weight: float) -> Array:
    """ln p(w), normalised on the nodes, for records z."""
    value = -precision * w**2 / 2.0 - weight * sum(np.logaddexp(0.0, -z * w) for z in signed)
    return normalised(w, np.asarray(value))


def normalised(w: Array, log_density: Array) -> Array:
    """Less the logarithm of the integral."""
    return log_density - (logsumexp(log_density) + np.log(w[1] - w[0]))


def renyi(w: Array, p: Array, q: Array, order: float) -> float:
    """R_λ(P‖Q), and KL at order 1."""
    step = w[1] - w[0]
    if order == 1.0:
        return float(np.sum(np.exp(p) * (p - q)) * step)
    # ln(1 + E_P[(p/q)^{λ−1} − 1]) where that is small, so that small levels keep their digits.
    rise = (order - 1.0) * (p - q)
    if np.max(np.abs(rise), where=p > -40.0, initial=0.0) < 1.0:
        return float(np.log1p(np.sum(np.exp(p) * np.expm1(np.minimum(rise, 700.0))) * step) / (order - 1.0))
    return float((logsumexp(p + rise) + np.log(step)) / (order - 1.0))
