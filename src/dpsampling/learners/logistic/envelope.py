r"""A mixture of Gaussians that lies above a logistic posterior (docs/logistic.md, "Exact draws", has the proofs).

For any centre ŵ, u = w − ŵ, a_i = z_i·ŵ and g = ∇f(ŵ),

    f(ŵ + u) − f(ŵ) = g·u + κ‖u‖²/2 + ρ Σ D_i(z_i·u),        D_i(t) = ℓ(a_i + t) − ℓ(a_i) − ℓ′(a_i) t,

and for any radius s > 0 each D_i(t) ≥ α(r) c_i t² where |t| ≤ r, with

    c_i = [ℓ(|a_i| + s) − ℓ(|a_i|) − ℓ′(|a_i|) s]/s²,   α(r) = min{1, φ(r)/φ(s)},   φ(r) = (e^{−r} + r − 1)/r².

Let ρ Σ c_i z_i z_iᵀ = V diag(h) Vᵀ, u = Vy, κ′ = κ(1 − η) and c₀ = ‖g‖²/(2κη) ≥ −g·u − κη‖u‖²/2. So in the shell
r_{k−1} < max_i |z_i·u| ≤ r_k, of r₀ < r₁ < … < r_K = ∞, the density lies below e^{c₀} times that of independent normal
y_j of deviations σ_kj = (κ′ + 2α(r_k) h_j)^{−1/2}. Component k proposes from this law on the union of the two-sided
tails |z_i·u| > r_{k−1}, whose masses under it are

    p_ki = 2Φ̄(r_{k−1}/s_ki),        s_ki² = Σ_j σ_kj² (Vᵀz_i)_j²,

or, where these sum to 1 or more, from all of it. The shells are disjoint, so every w is under one component alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.linalg import cho_factor, cho_solve, eigh
from scipy.special import expit, ndtr, roots_jacobi

from dpsampling.learners.logistic.target import SLACK, Target, bend, loss, remainder
from dpsampling.numerics.arrays import Array

FLAT = 2.0  # where tr ∇²f is below (d + 2)κ, the prior's shape is accepted once in e or more often
PILOT = 1024  # rows that s is found from
SAMPLE = 256  # rows that the radii are chosen by
BEYOND = 1.3  # s, against the radius that a record is beyond once in a draw
RATIO = 1.12  # between two radii that may be chosen
FARTHEST = 40.0  # deviations beyond which no tail has any mass
SMALL = 0.05
_NODES, _WEIGHTS = roots_jacobi(6, 1.0, 0.0)  # of the weight 1 − x on [−1, 1]
TRIANGLE = 0.5 * (_NODES + 1.0), 0.25 * _WEIGHTS


@dataclass(frozen=True, eq=False)
class Shell:
    """inner < max_i |z_i·u| ≤ outer, and the component that proposes there."""

    inner: float  # −1 in the innermost one, which holds u = 0
    outer: float
    factor: float  # α(outer)
    deviations: Array  # σ_kj
    widths: Array | None  # s_ki; none where the component has no holes
    sums: Array | None  # of the p_ki, up to each i
    log_mass: float  # Σ_j ln σ_kj + ln min{1, Σ_i p_ki}


@dataclass(frozen=True, eq=False)
class Envelope:
    """The target's centre and axes, and the shells around it."""

    target: Target
    centre: Array  # ŵ
    offsets: Array  # a_i
    gradient: Array  # g
    remainder: float  # c₀
    precision: float  # κ′
    reach: float  # s
    axes: Array | None  # V; none for the identity
    spectrum: Array  # h_j
    rows: Array  # (ZV)_i
    bounds: Array  # c_i
    shells: tuple[Shell, ...]

    def points(self, y: Array) -> Array:
        """w = ŵ + Vy for each row y."""
        return self.centre + (y if self.axes is None else y @ self.axes.T)


def envelope(target: Target, start: ArrayLike | None = None) -> Envelope:
    """The envelope around the target's mode, which is sought from `start`."""
    return envelope_at(target, target.mode(start))


def envelope_at(target: Target, centre: ArrayLike) -> Envelope:
    """The envelope around any centre: one that is far from the mode costs speed and nothing else."""
    middle, rows = np.array(centre, dtype=float), target.records.signed
    offsets = rows @ middle
    precision = target.precision * (1.0 - SLACK)
    gradient = target.gradient(middle)
    gap = remainder(target, float(np.linalg.norm(gradient)))
    bends = target.weight * bend(offsets)
    if float(bends @ np.einsum("ij,ij->i", rows, rows)) <= FLAT * precision:
        reach, spectrum, axes, turned, radii = math.inf, np.zeros(target.records.d), None, rows, [math.inf]
        bounds = np.zeros(len(rows))
    else:
        reach = BEYOND * _usual_reach(rows, bends, precision)
        bounds = curvature_bounds(offsets, reach)
        scaled = rows * np.sqrt(target.weight * bounds)[:, None]
        spectrum, axes = eigh(scaled.T @ scaled, overwrite_a=True, check_finite=False, driver="evd")
        spectrum = np.maximum(spectrum, 0.0)
        turned = rows @ axes
        radii = best_radii(turned[:: -(-len(rows) // SAMPLE)], len(rows), precision, spectrum, reach)
    shells = _shells(radii, turned, precision, spectrum, reach)
    return Envelope(target, middle, offsets, gradient, gap, precision, reach, axes, spectrum, turned, bounds, shells)


def curvature_bounds(offsets: Array, reach: float) -> Array:
    """c_i = ∫₀¹ (1 − x) ℓ″(|a_i| + sx) dx, which for a small s is not taken as the difference that it is."""
    a = np.abs(offsets)
    if reach < SMALL:
        return sum(weight * bend(a + reach * x) for x, weight in zip(*TRIANGLE, strict=True))
    return np.maximum(loss(a + reach) - loss(a) + reach * expit(-a), 0.0) / reach**2


def curvature_factor(r: float, reach: float) -> float:
    """α(r) = min{1, φ(r)/φ(s)}."""
    return 1.0 if r <= reach else phi(r) / phi(reach)


def phi(r: float) -> float:
    """(e^{−r} + r − 1)/r², which falls from ½ at 0 to 0 at ∞."""
    if math.isinf(r):
        return 0.0
    if r < 1e-2:  # by its series, where the difference would cancel
        return 0.5 - r / 6.0 + r**2 / 24.0 - r**3 / 120.0 + r**4 / 720.0
    return (math.expm1(-r) + r) / r**2


def deviations(precision: float, spectrum: Array, factor: float) -> Array:
    """σ_kj."""
    return 1.0 / np.sqrt(precision + 2.0 * factor * spectrum)


def tails(inner: float, widths: Array) -> Array:
    """p_ki = 2Φ̄(r/s_ki)."""
    with np.errstate(divide="ignore", over="ignore"):
        return 2.0 * ndtr(-inner / widths)


def _shells(radii: list[float], rows: Array, precision: float, spectrum: Array, reach: float) -> tuple[Shell, ...]:
    shells, inner = [], -1.0
    for outer in radii:
        factor = curvature_factor(outer, reach)
        sigma = deviations(precision, spectrum, factor)
        log_mass, widths, sums = float(np.log(sigma).sum()), None, None
        if inner > 0:
            widths = np.sqrt(np.einsum("ij,ij,j->i", rows, rows, sigma**2))
            sums = np.cumsum(tails(inner, widths))
            if sums[-1] >= 1:
                widths, sums = None, None
            else:
                log_mass += math.log(sums[-1]) if sums[-1] > 0 else -math.inf
        shells.append(Shell(inner, outer, factor, sigma, widths, sums, log_mass))
        inner = outer
    return tuple(shells)


# -- which radii: they decide the speed alone --------------------------------------------------------------------------


def best_radii(sample: Array, n: int, precision: float, spectrum: Array, reach: float) -> list[float]:
    """Of a grid of radii those whose shells have the least mass together, the last being ∞: a shortest path.

    Masses are estimated from a sample of the n rows (ZV)_i.
    """
    grid = _grid(sample, precision, spectrum)
    sigma = np.stack([deviations(precision, spectrum, curvature_factor(r, reach)) for r in grid])
    gaussian = np.log(sigma).sum(axis=1)
    gaussian -= gaussian.min()
    widths = np.sqrt(sample**2 @ (sigma**2).T)
    # best[k]: ln of the least mass of shells out to r_k, and their radii
    best = [(float(mass), [r]) for mass, r in zip(gaussian, grid, strict=True)]
    for j, inner in enumerate(grid[:-1]):
        union = np.minimum(1.0, tails(inner, widths[:, j + 1 :]).sum(axis=0) * n / len(sample))
        with np.errstate(divide="ignore"):
            reached = np.logaddexp(best[j][0], gaussian[j + 1 :] + np.log(union))
        for k, mass in enumerate(reached.tolist(), start=j + 1):
            if mass < best[k][0]:
                best[k] = mass, [*best[j][1], grid[k]]
    return best[-1][1]


def _grid(sample: Array, precision: float, spectrum: Array) -> list[float]:
    """Radii from the widths of the narrowest component to where the tails of the widest one end; and ∞."""
    squares = sample**2
    low = 0.5 * float(np.median(np.sqrt(squares @ (1.0 / (precision + 2.0 * spectrum)))))
    high = FARTHEST * float(np.sqrt(squares.sum(axis=1).max() / precision))
    if not 0 < low < high:
        return [math.inf]
    return [*np.geomspace(low, high, 2 + int(math.log(high / low) / math.log(RATIO))).tolist(), math.inf]


def _usual_reach(rows: Array, bends: Array, precision: float) -> float:
    """The r at which the tails |z_i·u| > r of all records together have mass 1 in the Gaussian at the centre."""
    step = -(-len(rows) // PILOT)
    some, share = rows[::step], len(rows) / len(rows[::step])
    scaled = some * np.sqrt(share * bends[::step])[:, None]
    hessian = scaled.T @ scaled
    hessian[np.diag_indices_from(hessian)] += precision
    widths = np.sqrt(np.einsum("ij,ji->i", some, cho_solve(cho_factor(hessian), some.T)))
    low, high = 0.0, FARTHEST * float(widths.max())
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if share * float(tails(middle, widths).sum()) > 1 else (low, middle)
    return high if high > 0 else 1.0
