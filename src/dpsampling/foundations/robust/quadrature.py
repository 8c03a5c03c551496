r"""KL by the trapezoidal rule, with nothing of its closed forms but the two log-densities.

On the whole line, for densities that are analytic and fall at least like exponentials, the rule errs by e^{−2πd/h}, d
the distance of the nearest singularity; it is laid where ln p is within `DROP` of its top. On an interval
Gauss-Legendre serves, for polynomials times logarithms that are smooth in it.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpsampling.numerics.arrays import Array
from dpsampling.numerics.panels import halving_to_both_ends

LogDensity = Callable[[Array], Array]

DROP = 50.0
REACH = math.asinh(1e4)
LOOKS, POINTS = 401, 601


def kl_on_line(p: LogDensity, q: LogDensity) -> float:
    """∫ p ln p/q over the line."""
    u = np.linspace(-REACH, REACH, LOOKS)
    for _ in range(3):
        values = p(np.sinh(u))
        near = np.flatnonzero(values > values.max() - DROP)
        u = np.linspace(u[max(near[0] - 1, 0)], u[min(near[-1] + 1, LOOKS - 1)], LOOKS)
    y, step = np.linspace(math.sinh(u[0]), math.sinh(u[-1]), POINTS, retstep=True)
    log_p = p(y)
    return float(np.sum(np.exp(log_p) * (log_p - q(y))) * step)


def kl_on_interval(p: LogDensity, q: LogDensity, low: float, high: float) -> float:
    """∫ p ln p/q over [low, high], of log-densities up to constants, which are integrated too."""
    x, w = halving_to_both_ends(3, 40)
    at, log_w = low + (high - low) * x, np.log((high - low) * w)
    values = [law(at) for law in (p, q)]
    log_p, log_q = (value - float(np.logaddexp.reduce(value + log_w)) for value in values)
    return float(np.sum(np.exp(log_w + log_p) * (log_p - log_q)))
