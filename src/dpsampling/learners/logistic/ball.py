r"""Exact draws from a tempered posterior on a ball that its prior hardly ever lies in.

On ‖w‖ ≤ R with prior precision κ, the loss is 0 or more, so that a draw of the prior given the ball, taken with
probability

    exp(−ρ Σ ln(1 + e^{−z_i·w})),

has the posterior's law. It is taken often where ρn is small, as it is where the ball binds: OPS tempers by a ρ of about
ε/R. The prior given the ball has a uniform direction, and y = (‖w‖/R)² has the density

    ∝ y^{a−1} e^{−cy} on [0, 1],        a = d/2,  c = κR²/2:

a Gamma variable of shape a over c, if it is at most 1; or, where a − c > √a, y = e^{−z} with z of the density
∝ exp(−az − ce^{−z}), which lies below e^{−c} e^{−(a−c)z} as e^{−z} ≥ 1 − z: an exponential variable of rate a − c,
taken with probability exp(−c(e^{−z} − 1 + z)).
"""

from __future__ import annotations

import math

import numpy as np

from dpsampling.errors import InputError
from dpsampling.learners.logistic.draws import NUMBERS, Draws
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.logistic.target import loss, prior_inside
from dpsampling.numerics.arrays import Array

BINDING = 0.05  # the prior's probability of the ball, below which it is drawn in the ball alone
HOPELESS = 14.0  # ρ n ln 2, beyond which a draw may take a million proposals
MOST = 10_000_000  # proposals without a draw


def binds(d: int, precision: float, radius: float | None) -> bool:
    """Return whether the prior seldom lies in the ball."""
    return radius is not None and prior_inside(d, precision, radius) < BINDING


def draw(
    records: Records, precision: float, weight: float, radius: float, rng: np.random.Generator, size: int
) -> Draws:
    """`size` independent draws."""
    check(records.n, weight, precision, radius)
    most = max(1, NUMBERS // records.n)
    kept: list[Array] = []
    found = proposals = 0
    while found < size:
        block = int(min(most, 1 + 2 * (size - found) * max(proposals, 1) / max(found, 1)))
        points = prior(records.d, precision, radius, rng, block)
        cost = weight * loss(points @ records.signed.T).sum(axis=1)
        places = np.flatnonzero(rng.standard_exponential(block) > cost)[: size - found]
        kept.append(points[places])
        found += len(places)
        proposals += block if found < size else int(places[-1]) + 1
        if not found and proposals > MOST:
            raise _hopeless(precision, radius)
    return Draws(np.concatenate(kept), proposals)


def check(n: int, weight: float, precision: float, radius: float) -> None:
    """Check that a draw will not take for ever, by what is public."""
    if weight * n * math.log(2.0) > HOPELESS:
        raise _hopeless(precision, radius)


def prior(d: int, precision: float, radius: float, rng: np.random.Generator, size: int) -> Array:
    """Draws of N(0, I/κ) given ‖w‖ ≤ R, a row each."""
    direction = rng.standard_normal((size, d))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    return radius * np.sqrt(_squares(d / 2.0, precision * radius**2 / 2.0, rng, size))[:, None] * direction


def _squares(a: float, c: float, rng: np.random.Generator, size: int) -> Array:
    """y = (‖w‖/R)²."""
    kept: list[Array] = []
    found = 0
    while found < size:
        if a - c > math.sqrt(a):
            z = rng.standard_exponential(size) / (a - c)
            y = np.exp(-z)
            taken = rng.standard_exponential(size) > c * (np.expm1(-z) + z)
        else:
            y = rng.standard_gamma(a, size) / c
            taken = y <= 1.0
        kept.append(y[taken])
        found += len(kept[-1])
    return np.concatenate(kept)[:size]


def _hopeless(precision: float, radius: float) -> InputError:
    return InputError(
        f"radius is {radius:g}; with precision {precision:g} the prior hardly ever lies within it, and the records "
        "weigh too much for draws of the prior; raise the regularity, or use the diffused posterior."
    )
