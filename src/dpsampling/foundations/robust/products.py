r"""What n independent records do to the two assumptions (Robust 2014 Lemma 1), by enumeration on a finite sample space.

    d(p_θ(x), p_θ(y)) = |ln p_θ(x)/p_θ(y)| ≤ L_θ ρ(x, y)              L_θ the least such number
    p_θ(x₁, …, x_n) = Π p_θ(x_i),        ρⁿ = Σ ρ(x_i, y_i)

By the triangle inequality |Σ ln p_θ(x_i)/p_θ(y_i)| ≤ Σ L_θ ρ(x_i, y_i), and data that differ in one record attain what
one record has: the least number for n records is L_θ again. So Θ_L is the same set for every n: an assumption holds for
n records with the very L, or c, that it has for one. The printed nL (kL) and c/n (c/k) are weaker, and hold too.
"""

from __future__ import annotations

from itertools import product

import numpy as np

from dpsampling.numerics.arrays import Array, Indices


def log_ratios(log_laws: Array) -> Array:
    """ln p_θ(x)/p_θ(y), from ln p_θ(x) by parameter and value: [θ, x, y]."""
    return np.asarray(log_laws[:, :, np.newaxis] - log_laws[:, np.newaxis, :])


def constants(log_laws: Array, metric: Array, n: int, differing: int | None = None) -> tuple[Array, int]:
    """L_θ of n records for each θ, and the number of pairs of data sets, which differ in at most `differing` items."""
    sums, distance, changed = _over_pairs(log_laws, metric, n)
    apart = (distance > 0) & (changed <= (n if differing is None else differing))
    return np.asarray(np.max(np.abs(sums[:, apart]) / distance[apart], axis=1)), int(apart.sum())


def gaps(log_laws: Array, metric: Array, n: int) -> tuple[float, float]:
    """The largest |d_n − n Σ d(x_i, y_i)|, and the largest excess of d_n over Σ d(x_i, y_i), over θ and pairs."""
    sums, _, _ = _over_pairs(log_laws, metric, n)
    single = np.abs(log_ratios(log_laws)).reshape(len(log_laws), -1)
    parts = np.array(list(product(range(single.shape[1]), repeat=n)))
    added = single[:, parts].sum(axis=-1)
    whole = np.abs(sums)
    return float(np.max(np.abs(whole - n * added))), float(np.max(np.maximum(whole - added, 0.0)))


def _over_pairs(log_laws: Array, metric: Array, n: int) -> tuple[Array, Array, Indices]:
    """Of all pairs of data sets: Σ ln p_θ(x_i)/p_θ(y_i) by θ, Σ ρ(x_i, y_i), and in how many items they differ."""
    single = log_ratios(log_laws).reshape(len(log_laws), -1)
    parts = np.array(list(product(range(single.shape[1]), repeat=n)))
    unequal = ~np.eye(len(metric), dtype=bool).ravel()
    return single[:, parts].sum(axis=-1), metric.ravel()[parts].sum(axis=-1), unequal[parts].sum(axis=-1)
