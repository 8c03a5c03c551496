r"""Mechanisms that release a query vector, linearly combined, with independent Laplace noise on each coordinate.

    M(x) = A x + (Lap(s_1), …, Lap(s_m)),            ln p_x(y)/p_{x′}(y) ≤ Σ_i |A(x − x′)|_i/s_i,

with equality where every y_i lies beyond (Ax)_i, as seen from (Ax′)_i. So the price is the largest value of that sum
over neighbours. It is convex in x − x′, and therefore largest at an extreme difference. A coordinate without noise that
moves has infinite price: its value has probability 1 for x and 0 for x′.

Whatever maps the noisy coordinates one to one leaves the price as it is: partial sums of noisy values are priced as
the values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.audit.known_mechanisms.inputs import moves, published_pairs
from dpsampling.audit.known_mechanisms.price import Price
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.ties import first_of_largest


def released(matrix: ArrayLike, scales: ArrayLike, relation: str, *, published: bool = False) -> Price:
    """The price of A x + noise, one row of A a coordinate; `published` prices the published pairs beside it."""
    a = np.atleast_2d(np.asarray(matrix, dtype=float))
    s = np.broadcast_to(np.asarray(scales, dtype=float), a.shape[:1])
    differences = moves(a.shape[1], relation)
    losses = _losses(a, s, differences)
    worst = int(first_of_largest(losses))
    bare = (s == 0) & (a @ differences[worst] != 0)
    if np.any(bare):
        witness = f"coordinate {int(np.argmax(bare)) + 1} has no noise and moves"
    else:
        moved = int(np.count_nonzero(a @ differences[worst]))
        witness = f"outputs beyond both means in the {moved} noisy coordinates that move"
    pairs = published_pairs(a.shape[1], relation) if published else []
    seen = _losses(a, s, np.array([x - y for x, y in pairs])) if pairs else np.empty(0)
    price = float(losses[worst])
    return Price(price, price, witness, float(seen.max()) if published else None)


def smart_sum(length: int, block: int, scale: float, block_scale: float) -> tuple[Array, Array]:
    """Partial sums in blocks, as noisy coordinates: each value has its own, the last of a block the block's sum.

    The released numbers are o_i = o_{i−1} + (coordinate i) within a block and o_i = (coordinate i) at its end (Chan,
    Shi and Song 2011, as CheckDP writes it), so that they are the coordinates, mapped one to one.
    """
    matrix, scales = np.eye(length), np.full(length, scale)
    for end in range(block - 1, length, block):
        matrix[end, end - block + 1 : end + 1] = 1.0
        scales[end] = block_scale
    return matrix, scales


def _losses(matrix: Array, scales: Array, differences: Array) -> Array:
    shifts = np.abs(differences @ matrix.T)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(shifts > 0, shifts / scales, 0.0).sum(axis=1)
