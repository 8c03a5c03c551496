r"""KL(P‖A) = ∫ P(θ) ln P(θ)/A(θ) dθ from a posterior P to what a mechanism releases, by quadrature of log-densities.

For mechanisms on the line without a closed form. The nodes are those of P where its density is above e^-45 of its peak:
what A does beyond is not seen, unless A says by its `support` that it has a window of θ.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.entry import Setting
from dpsampling.numerics.arrays import Array

REACH, POINTS, DROP = 40.0, 4001, 45.0  # of u where θ = sinh u, and of the log-density


def kl_by_quadrature(mechanisms: Sequence[Mechanism], setting: Setting, statistic: ArrayLike) -> Array:
    """KL(P‖A) of each mechanism, 0 or more.

    It is +inf where A's density is 0 at a node, and for any A with a window (`support`) that P reaches out of, however
    little of P is there. A density that vanishes only where P is below e^-45 of its peak, without a `support` that says
    so, goes unseen: such a KL is finite here.
    """
    posterior = setting.family.posterior(setting.prior, statistic, setting.n)
    u = np.linspace(-REACH, REACH, POINTS)
    for _ in range(4):  # the trapezoidal rule in u, narrowed to where the posterior is
        theta = np.sinh(u)
        log_p = np.asarray(setting.family.log_density(posterior, theta))
        mass = log_p + np.log(np.cosh(u))
        near = np.flatnonzero(mass > mass.max() - DROP)
        u = np.linspace(u[max(near[0] - 1, 0)], u[min(near[-1] + 1, len(u) - 1)], POINTS)
    theta = np.sinh(u)
    log_p = np.asarray(setting.family.log_density(posterior, theta))
    weights = np.exp(log_p) * np.cosh(u) * (u[1] - u[0])
    used = weights > 0

    def divergence(mechanism: Mechanism) -> float:
        if any(np.asarray(setting.family.log_density(posterior, beyond)) > -np.inf for beyond in _outside(mechanism)):
            return math.inf
        gap = log_p[used] - np.asarray(mechanism.log_density(theta[used], statistic))
        return max(0.0, float(weights[used] @ gap))  # rounding may put it below

    return np.array([divergence(mechanism) for mechanism in mechanisms])


def _outside(mechanism: Mechanism) -> list[float]:
    """The first θ beyond each end of A's window, where it has one."""
    low, high = getattr(mechanism, "support", (-math.inf, math.inf))
    beyond = math.nextafter(low, -math.inf), math.nextafter(high, math.inf)
    return [theta for theta in beyond if math.isfinite(theta)]
