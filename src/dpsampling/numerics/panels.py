"""Gauss-Legendre rules: the plain one, and those on [0, 1] whose panels get shorter where an integrand bends."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpsampling.numerics.arrays import Array


@lru_cache
def legendre(nodes: int) -> tuple[Array, Array]:
    """Nodes and weights on [−1, 1], found once for all who ask and read by them only."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    for numbers in (x, w):
        numbers.setflags(write=False)
    return x, w


@lru_cache
def halving_to_start(panels: int, nodes: int) -> tuple[Array, Array]:
    """Nodes and weights with cuts at 2^-1 … 2^-(panels−1); one panel is the plain rule."""
    return _rule(np.concatenate([[0.0], 0.5 ** np.arange(panels - 1, -1, -1.0)]), nodes)


@lru_cache
def halving_to_both_ends(halvings: int, nodes: int) -> tuple[Array, Array]:
    """Nodes and weights with cuts at 2^-1 … 2^-halvings from either end."""
    half = np.concatenate([[0.0], 0.5 ** np.arange(float(halvings), 0.0, -1.0)])
    return _rule(np.concatenate([half, 1.0 - half[-2::-1]]), nodes)


def _rule(edges: Array, nodes: int) -> tuple[Array, Array]:
    x, w = legendre(nodes)
    starts, lengths = edges[:-1, np.newaxis], np.diff(edges)[:, np.newaxis]
    return (starts + lengths * (x + 1.0) / 2.0).ravel(), (lengths * w / 2.0).ravel()
