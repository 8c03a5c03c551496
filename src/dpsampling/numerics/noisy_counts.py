r"""Two counts of n = k + (n − k) records, each with Laplace noise and clipped: quadrature over data and noise.

With k ~ Binomial(n, p), ŝ = proj(k + Y₁), t̂ = proj(n − k + Y₂), Y ~ Laplace(b) and proj onto [0, `upper`], an
expectation is a sum over k and a double integral over the noise. A smooth g is interpolated once on a grid of √s and
√t, where what depends on counts has bends of the same width everywhere, and averaged with the weights of (ŝ, t̂) under
all k together,

    E g(ŝ, t̂) = Σ_ij W_ij g(s_i, t_j),        W = Σ_k Pr(k) w(k) w′(n − k)ᵀ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from dpsampling.numerics.arrays import Array
from dpsampling.numerics.panels import legendre

REACH = 32.0  # noise beyond this many scales has mass e^-32 = 1e-14
SMALLEST_MASS = 1e-18  # of a number of successes
GRID_NODES, RULE_NODES = 16, 12


def successes(n: float, p: float) -> tuple[Array, Array]:
    """k and Pr(k) of Binomial(n, p), without the k that are rarer than `SMALLEST_MASS`."""
    reach = 10.0 * math.sqrt(n * p * (1.0 - p)) + 60.0
    k = np.arange(max(0.0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1.0)
    log_mass = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0) + k * math.log(p) + (n - k) * math.log1p(-p)
    mass = np.exp(log_mass)
    kept = mass > SMALLEST_MASS
    # ln Γ(n + 1) is rounded at 1e-10 for n = 1e5: a common factor, gone after normalizing.
    return k[kept], mass[kept] / np.sum(mass[kept])


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """E g(ŝ, t̂) = Σ_ij `weights`_ij g(s_i, t_j) for smooth g."""

    s: Array
    t: Array
    weights: Array

    def mean(self, values: Array) -> float:
        """The expectation of the g with these values at (s_i, t_j)."""
        return float(np.sum(self.weights * values))


@lru_cache(maxsize=2)
def noisy_counts(n: float, p: float, scale: float, upper: float = math.inf) -> NoisyCounts:
    """The joint law of both noisy counts, over data and noise."""
    k, mass = successes(n, p)
    (s, first), (t, second) = (_on_grid(counts, scale, upper) for counts in (k, n - k))
    weights = (first.multiply(mass[:, np.newaxis])).T @ second
    return NoisyCounts(s, t, np.asarray(weights.todense()))


def laplace_rule(
    counts: Array, scale: float, upper: float = math.inf, *, reach: float = REACH, refine: int = 0
) -> tuple[Array, Array]:
    """Nodes and weights, one row a count, of proj(count + Laplace(`scale`)) on [0, `upper`], its atoms included.

    The density has its kink at the count, where both sides begin; their panels are short on the scale of the noise
    and on that of √s. The first and the last node are the atoms. `refine` more panels near 0 are each a quarter of
    their neighbour.
    """
    counts = np.asarray(counts, dtype=float)[:, np.newaxis]
    below = np.minimum(reach * scale, counts)
    above = np.minimum(reach * scale, upper - counts)
    # s = k − L(2f − f²) and s = k + L f²: uniform steps in f are at most as long in √s as the panel count allows.
    width_below = float(np.max(below / np.sqrt(np.maximum(counts, 1.0))))
    f, df = _panels(width_below, float(np.max(below)) / scale, refine)
    s_below, w_below = counts - below * (2.0 * f - f * f), below * (2.0 - 2.0 * f) * df
    nearest = refine if np.min(counts) < 1.0 else 0
    f, df = _panels(math.sqrt(float(np.max(above))), float(np.max(above)) / scale, nearest)
    f = 1.0 - f
    s_above, w_above = counts + above * f * f, above * 2.0 * f * df
    with np.errstate(over="ignore"):
        density_below = w_below * np.exp(-(counts - s_below) / scale) / (2.0 * scale)
        density_above = w_above * np.exp(-(s_above - counts) / scale) / (2.0 * scale)
    at_zero = 0.5 * np.exp(-counts / scale)
    top = np.minimum(upper, counts + above)
    at_top = 0.5 * np.exp(-above / scale) if math.isfinite(upper) else np.zeros_like(counts)
    nodes = np.concatenate([np.zeros_like(counts), np.maximum(s_below, 0.0), s_above, top], axis=1)
    return nodes, np.concatenate([at_zero, density_below, density_above, at_top], axis=1)


def _panels(width: float, decay: float, refine: int) -> tuple[Array, Array]:
    """Gauss-Legendre on [0, 1], in panels over which √s moves by 1.25 and the noise's exponent by 5, at most."""
    count = max(1, math.ceil(width / 1.25), math.ceil(2.0 * decay / 5.0))
    edges = np.linspace(0.0, 1.0, count + 1)
    if refine:
        edges = np.concatenate([edges[:-1], 1.0 - 0.5 ** np.arange(1.0, refine + 1.0) / count, [1.0]])
    x, w = legendre(RULE_NODES)
    lengths = np.diff(edges)[:, np.newaxis]
    return (edges[:-1, np.newaxis] + lengths * (x + 1.0) / 2.0).ravel(), (lengths * w / 2.0).ravel()


def chunks(count: int, scale: float, counts: Array) -> list[slice]:
    """Slices of the counts whose rules have about a million nodes together."""
    nodes = 24.0 * (12.0 + math.sqrt(REACH * scale) + math.sqrt(float(np.max(counts))) / 8.0)
    size = max(1, int(1e6 / nodes))
    return [slice(start, start + size) for start in range(0, count, size)]


def _on_grid(counts: Array, scale: float, upper: float) -> tuple[Array, csr_array]:
    """Grid nodes, and for each count the weights that average an interpolant on them over the noise."""
    low = math.sqrt(max(0.0, float(np.min(counts)) - REACH * scale))
    high = math.sqrt(min(upper, float(np.max(counts)) + REACH * scale))
    panels = max(1, math.ceil(high - low))
    width = (high - low) / panels
    z = -np.cos((2.0 * np.arange(GRID_NODES) + 1.0) * math.pi / (2.0 * GRID_NODES))
    barycentric = np.array([1.0 / np.prod(np.delete(z[i] - z, i)) for i in range(GRID_NODES)])
    barycentric /= np.max(np.abs(barycentric))
    grid = (low + width * (np.arange(panels)[:, np.newaxis] + (z + 1.0) / 2.0)).ravel() ** 2
    rows = []
    for part in chunks(len(counts), scale * GRID_NODES, counts):
        nodes, weights = laplace_rule(counts[part], scale, upper)
        x = (np.sqrt(nodes) - low) / width
        # The atom at 0 lies below a grid that starts above it; its mass is then below e^-32.
        weights = np.where(x < -1e-9, 0.0, weights)
        x = np.clip(x, 0.0, panels)
        panel = np.clip(np.floor(x), 0, panels - 1)
        distance = 2.0 * (x - panel)[..., np.newaxis] - 1.0 - z
        distance = np.where(np.abs(distance) < 1e-14, 1e-14, distance)
        lagrange = barycentric / distance
        lagrange *= (weights / np.sum(lagrange, axis=-1))[..., np.newaxis]
        columns = panel.astype(np.int64)[..., np.newaxis] * GRID_NODES + np.arange(GRID_NODES)
        dense = np.zeros((nodes.shape[0], len(grid)))
        flat = columns + np.arange(nodes.shape[0])[:, np.newaxis, np.newaxis] * len(grid)
        dense.ravel()[:] = np.bincount(flat.ravel(), lagrange.ravel(), minlength=dense.size)
        rows.append(dense)
    return grid, csr_array(np.concatenate(rows))
