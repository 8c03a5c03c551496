r"""Sums over many whole numbers by few of them: E f(K) = Σ_j w_j f(k_j) for f that bends slowly.

Up to a distance from where f may bend fast each number stands for itself. Beyond, numbers are taken together in panels
that grow as the distance does; on each, f is interpolated between `NODES` whole numbers, and the weights are sums of
the law over all numbers of the panel: the law itself is nowhere interpolated.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import betaln, gammaln, ndtr

from dpsampling.numerics.arrays import Array
from dpsampling.numerics.panels import legendre
from dpsampling.release.noise import Noise

NODES = 7
SINGLE = 12  # numbers that stand for themselves at an end
GROWTH = 2.5
TAIL = 1e-11


@dataclass(frozen=True, eq=False)
class Rule:
    """Numbers and weights."""

    at: Array
    weights: Array


def from_end(law: Callable[[Array], Array], length: int, *, single: int = SINGLE, growth: float = GROWTH) -> Rule:
    """Of whole numbers 0 ≤ i < length, f bending at 0; `law` gives their probabilities."""
    near = np.arange(float(min(single, length)))
    at, weights = [near], [law(near)]
    start = len(near)
    while start < length:
        stop = min(length, max(start + NODES, math.ceil(start * growth)))
        inner = np.arange(float(start), float(stop))
        mass = law(inner)
        if len(inner) <= NODES:
            nodes, shares = inner, mass
        else:
            angles = np.cos(math.pi * (np.arange(NODES) + 0.5) / NODES)[::-1]
            nodes = np.unique(np.round((inner[0] + inner[-1]) / 2.0 + (len(inner) - 1) / 2.0 * angles))
            shares = _lagrange(nodes, inner) @ mass
        at.append(nodes)
        weights.append(shares)
        start = stop
    return Rule(np.concatenate(at), np.concatenate(weights))


def _lagrange(nodes: Array, x: Array) -> Array:
    """ℓ_j(x) of the polynomial through the nodes."""
    scaled, points = (nodes - nodes[0]) / (nodes[-1] - nodes[0]), (x - nodes[0]) / (nodes[-1] - nodes[0])
    rows = []
    for j in range(len(nodes)):
        others = np.delete(scaled, j)
        rows.append(
            np.prod((points[np.newaxis, :] - others[:, np.newaxis]) / (scaled[j] - others)[:, np.newaxis], axis=0)
        )
    return np.array(rows)


def of_prior(n: int, a: float, b: float) -> Rule:
    """Of the number of yes among n rows, p ~ Beta(a, b): both ends bend."""

    def law(k: Array) -> Array:
        choose = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
        return np.exp(choose + betaln(a + k, b + n - k) - betaln(a, b))

    half = (n + 1) // 2
    low, high = from_end(law, half), from_end(lambda i: law(n - i), n + 1 - half)
    weights = np.concatenate([low.weights, high.weights])
    return Rule(np.concatenate([low.at, n - high.at]), weights / weights.sum())


def clipped_noise(noise: Noise, count: int, most: float, *, fine: bool) -> Rule:
    """Of min(max(count + Y, 0), most), the ends with all that is beyond."""
    reach = min(math.ceil(-math.log(TAIL) / noise.rate) + 1, 10**7)
    single, growth = (400, 1.25) if fine else (6, 3.0)
    right = _side(noise.rate, min(reach, most - count), single, growth)
    left = _side(noise.rate, min(reach, count), single, growth)
    at = [count + right.at, count - left.at[1:], np.zeros(1)]
    weights = [right.weights, left.weights[1:], np.atleast_1d(noise.cdf(-count))]
    if math.isfinite(most):
        at.append(np.full(1, most))
        weights.append(np.atleast_1d(noise.cdf(count - most)))
    if count == 0:  # the middle is the lower end
        weights[0][0] = 0.0
    if count == most:
        weights[0][0] = 0.0
        weights[2 if most == 0 else -1][0] = float(noise.cdf(0)) if most else 1.0
    return Rule(np.concatenate(at), np.concatenate(weights))


@lru_cache(maxsize=4096)
def _side_of(rate: float, length: int, single: int, growth: float) -> Rule:
    return from_end(lambda i: math.tanh(rate / 2.0) * np.exp(-rate * i), length, single=single, growth=growth)


def _side(rate: float, length: float, single: int, growth: float) -> Rule:
    """Of one side of the noise, its middle included, as far as it is strictly inside."""
    found = _side_of(rate, max(1, int(length)), single, growth)
    return Rule(found.at, found.weights.copy())


def clipped_laplace(scale: float, count: float, most: float, *, fine: bool) -> Rule:
    """Of min(max(count + Y, 0), most), Y ~ Laplace(scale)."""
    sides, atoms = [], []
    for sign, length in ((1.0, most - count), (-1.0, count)):
        x, w = _exponential_side(scale, min(length, -math.log(TAIL) * scale), fine)
        sides.append((count + sign * x, w))
        atoms.append(0.5 * math.exp(-min(length, 1e4 * scale) / scale))
    at = np.concatenate([sides[0][0], sides[1][0], [0.0, most if math.isfinite(most) else count]])
    weights = np.concatenate([sides[0][1], sides[1][1], [atoms[1], atoms[0] if math.isfinite(most) else 0.0]])
    return Rule(at, weights)


@lru_cache(maxsize=4096)
def _exponential_side(scale: float, length: float, fine: bool) -> tuple[Array, Array]:
    first, growth, widest = (min(1.0, scale) / 4.0, 1.25, scale) if fine else (min(1.0, scale), 2.5, 4.0 * scale)
    edges = [0.0]
    while edges[-1] < length:
        step = min(max(first, (growth - 1.0) * edges[-1]), widest)
        edges.append(min(length, edges[-1] + step))
    if len(edges) == 1:
        return np.zeros(0), np.zeros(0)
    x, w = legendre(8)
    low, width = np.array(edges[:-1])[:, np.newaxis], np.diff(edges)[:, np.newaxis]
    at = (low + width * (x + 1.0) / 2.0).ravel()
    return at, (width * w / 2.0).ravel() * np.exp(-at / scale) / (2.0 * scale)


def clipped_normal(sigma: float, count: float, most: float) -> Rule:
    """Of min(max(count + N(0, σ²), 0), most)."""
    low, high = max(-count, -8.0 * sigma), min(most - count, 8.0 * sigma)
    edges = np.linspace(low, high, 25)
    x, w = legendre(8)
    width = np.diff(edges)[:, np.newaxis]
    z = (edges[:-1, np.newaxis] + width * (x + 1.0) / 2.0).ravel()
    mass = (width * w / 2.0).ravel() * np.exp(-0.5 * (z / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi))
    ends = [float(ndtr(-count / sigma)), float(ndtr((count - most) / sigma))]
    return Rule(np.concatenate([count + z, [0.0, most]]), np.concatenate([mass, ends]))
