"""Designs that look like real ones, and posteriors in two dimensions by quadrature."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from flint import arb, fmpq
from scipy.interpolate import CubicSpline

from dpsampling.learners.logistic import draws
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.logistic.target import loss, total_loss


def design(n, d, seed=1):
    """Rows of norm 1: correlated, and beyond ten features many of them rare."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((n, max(1, d // 4))) @ rng.standard_normal((max(1, d // 4), d)) / np.sqrt(d)
    rows = rng.random((n, d)) - 0.5 + 0.5 * common
    if d > 10:
        rare = rng.random((n, d)) < rng.random(d) ** 3
        rows = np.where(np.arange(d) % 2 == 0, rows, rare - 0.5)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def records(n, d, seed=1, separable=False, scale=4.0):
    """A design with labels of a model, or ones that a plane separates."""
    rows, rng = design(n, d, seed), np.random.default_rng(seed + 1000)
    chance = 1.0 / (1.0 + np.exp(-rows @ (scale * rng.standard_normal(d))))
    return Records(rows, chance > 0.5 if separable else rng.random(n) < chance)


def marginal(target, direction, points=161, width=9.0):
    """The distribution function of w·direction, ‖direction‖ = 1, of a target with two features, by quadrature.

    Returns a function of places; the trapezoid rule is as good as exact for a smooth density that has died out.
    """
    across = np.array([-direction[1], direction[0]])
    points = 401 if target.radius is not None else points  # its edge is not smooth
    along, aside = target.records.signed @ direction, target.records.signed @ across
    centre = np.zeros(2)
    spread = np.full(2, 10.0 / np.sqrt(target.precision) + target.records.n * target.weight / target.precision)
    for _ in range(30):  # the window closes in on what has mass
        s, t = (np.linspace(c - w, c + w, points) for c, w in zip(centre, spread, strict=True))
        height = -0.5 * target.precision * (s[:, None] ** 2 + t**2)
        for x, y in zip(along, aside, strict=True):
            shift = x * s[:, None] + y * t
            height -= target.weight * (np.log1p(np.exp(-np.abs(shift))) - np.minimum(shift, 0.0))
        mass = np.exp(height - height.max())
        if target.radius is not None:
            mass *= s[:, None] ** 2 + t**2 <= target.radius**2
        mass /= mass.sum()
        sides = [(mass.sum(axis=1), s), (mass.sum(axis=0), t)]
        centre = np.array([p @ x for p, x in sides])
        closer = np.array(
            [width * np.sqrt(p @ (x - c) ** 2) + x[1] - x[0] for (p, x), c in zip(sides, centre, strict=True)]
        )
        if np.all(closer > 0.8 * spread):
            break
        spread = np.minimum(closer, spread)
    cumulative = CubicSpline(s, mass.sum(axis=1)).antiderivative()
    return lambda places: np.clip(cumulative(np.clip(places, s[0], s[-1])) / cumulative(s[-1]), 0.0, 1.0)


def distance(target, points, direction):
    """The largest distance of the draws' distribution function of w·direction from the true one, at 200 places."""
    values = np.sort(points @ direction)
    places = values[:: max(1, len(values) // 200)]
    below = np.searchsorted(values, places, side="right") / len(values)
    return float(np.max(np.abs(below - marginal(target, direction)(places))))


@dataclass(frozen=True, eq=False)
class Proposals:
    """Proposals from the mixture, and how each compares with the target."""

    y: np.ndarray  # (size × d), w = ŵ + Vy
    component: np.ndarray
    inside: np.ndarray  # whether it lies in its component's shell, and in the ball
    log_ratio: np.ndarray  # ln target − ln envelope, at most 0 inside
    reached: np.ndarray  # m, or 1 where the component has no holes

    def taken(self, rng):
        """Which of them rejection leaves."""
        return self.inside & (-rng.standard_exponential(len(self.y)) < self.log_ratio - np.log(self.reached))


def propose(envelope, rng, size):
    """`size` proposals, each compared with the target as a whole: what `draw` does in parts."""
    y, component = draws._proposed(envelope, rng, size)
    xi = y / np.stack([shell.deviations for shell in envelope.shells])[component]
    shifts = y @ envelope.rows.T  # z_i·u
    sizes = np.abs(shifts)
    inner, outer = (np.array([getattr(s, end) for s in envelope.shells])[component] for end in ("inner", "outer"))
    beyond = np.count_nonzero(sizes > inner[:, None], axis=1)
    inside = (beyond > 0) & (sizes.max(axis=1) <= outer) & draws._in_ball(envelope, y)
    holed = np.array([shell.widths is not None for shell in envelope.shells])[component]
    log_ratio = 0.5 * np.einsum("ij,ij->i", xi, xi) - _rise(envelope, y, shifts) - envelope.remainder
    return Proposals(y, component, inside, log_ratio, np.where(holed, np.maximum(beyond, 1), 1))


def _rise(envelope, y, shifts):
    """f(ŵ + Vy) − f(ŵ)."""
    target = envelope.target
    centre = envelope.centre if envelope.axes is None else envelope.centre @ envelope.axes
    losses = loss(shifts + envelope.offsets).sum(axis=1) - total_loss(envelope.offsets)
    return target.precision * (y @ centre + 0.5 * np.einsum("ij,ij->i", y, y)) + target.weight * losses


def far(size, rate=1e-8):
    """The distance that so many independent draws exceed with this probability (Massart)."""
    return math.sqrt(math.log(2 / rate) / (2 * size))


def apart(points, cdf):
    """The largest distance of the draws' distribution function from another."""
    values = np.sort(points)
    return float(np.max(np.abs(np.arange(1, len(values) + 1) / len(values) - cdf(values))))


def exactly(x):
    """A ball that is a float."""
    return arb(fmpq(*Fraction(float(x)).as_integer_ratio()))


def exact_height(target, w):
    """f in balls."""
    total = exactly(target.precision) / 2 * sum((x * x for x in w), arb(0))
    for row in target.records.signed:
        inner = sum((exactly(z) * x for z, x in zip(row, w, strict=True)), arb(0))
        total += exactly(target.weight) * (-inner).exp().log1p()
    return total
