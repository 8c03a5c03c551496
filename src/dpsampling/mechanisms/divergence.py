r"""KL(P‖A) = ∫ P(θ) ln P(θ)/A(θ) dθ from a posterior P to what a mechanism releases, by quadrature of log-densities.

For mechanisms on the line without a closed form; the nodes are those of P, whose bulk is all that the integrand sees.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.entry import Setting

Array = NDArray[np.float64]

REACH, POINTS, DROP = 40.0, 4001, 45.0  # of u where θ = sinh u, and of the log-density


def kl_by_quadrature(mechanisms: Sequence[Mechanism], setting: Setting, statistic: ArrayLike) -> Array:
    """KL(P‖A) of each mechanism; +inf where A leaves out what P reaches."""
    eta = setting.family.posterior(setting.prior, statistic, setting.n)
    u = np.linspace(-REACH, REACH, POINTS)
    for _ in range(4):  # the trapezoidal rule in u, narrowed to where the posterior is
        theta = np.sinh(u)
        log_p = np.asarray(setting.family.log_density(eta, theta))
        mass = log_p + np.log(np.cosh(u))
        near = np.flatnonzero(mass > mass.max() - DROP)
        u = np.linspace(u[max(near[0] - 1, 0)], u[min(near[-1] + 1, len(u) - 1)], POINTS)
    theta = np.sinh(u)
    log_p = np.asarray(setting.family.log_density(eta, theta))
    weights = np.exp(log_p) * np.cosh(u) * (u[1] - u[0])
    used = weights > 0
    gaps = [log_p[used] - np.asarray(m.log_density(theta[used], statistic)) for m in mechanisms]
    return np.array([float(weights[used] @ gap) for gap in gaps])
