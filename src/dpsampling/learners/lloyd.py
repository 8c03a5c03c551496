r"""Lloyd's iteration for k means, without privacy, in one set of rows or in every block of them at once.

    labels      ℓ(x) = argmin_j ‖c_j‖²/2 − x·c_j        the nearest centre, the first of those that tie
    centres     c_j = mean of the rows with ℓ(x) = j    where there is one; the others stay where they are

It is deterministic: given starts and a number of rounds that see no row make it a fixed function of the rows. Products
are added column by column, and sums row by row, so that what a row is labelled and what a block's centres are hangs,
to the last bit, on no row of another block (matrix products round by the place of a row among the others).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.errors import InputError
from dpsampling.learners import rows as private_rows
from dpsampling.numerics.arrays import Array, Integers
from dpsampling.privacy.guarantee import Guarantee

Labels = NDArray[np.intp]

FARTHEST = 2.0**500  # of starts: whether a product of theirs with a row overflows would be said, of the row
SETS = 200  # of random starts, the best of which is taken


class Totals(NamedTuple):
    """How many rows each cell has, and their sum."""

    counts: Integers
    sums: Array


def nearest(rows: Array, centres: Array, blocks: Labels | int = 0) -> Labels:
    """The nearest of its own block's centres for each row; centres are (blocks, k, d)."""
    halves = np.zeros(centres.shape[:2])
    for column in np.moveaxis(centres, -1, 0):
        halves += column * column / 2.0
    scores, columns = np.empty((centres.shape[1], len(rows))), np.ascontiguousarray(rows.T)
    for j in range(centres.shape[1]):
        scores[j] = halves[:, j].take(blocks)
        for i, column in enumerate(columns):
            scores[j] -= column * centres[:, j, i].take(blocks)
    return np.asarray(scores.argmin(axis=0))


def totals(rows: Array, cells: Labels, count: int) -> Totals:
    """Of the cells 0 … count − 1."""
    sums = [np.bincount(cells, weights=column, minlength=count) for column in rows.T]
    return Totals(np.bincount(cells, minlength=count).astype(np.int64), np.stack(sums, axis=-1))


def lloyd(rows: Array, starts: Array, rounds: int, blocks: Labels | None = None, count: int = 1) -> Array:
    """The centres of each block after so many rounds from the same starts, (count, k, d)."""
    own: Labels | int = 0 if blocks is None else blocks
    centres = np.repeat(starts[np.newaxis], count, axis=0)
    for _ in range(rounds):
        found = totals(rows, own * len(starts) + nearest(rows, centres, own), count * len(starts))
        means = found.sums / np.maximum(found.counts, 1)[:, np.newaxis]
        centres = np.where(found.counts[:, np.newaxis] > 0, means, centres.reshape(means.shape)).reshape(centres.shape)
    return centres


def loss(rows: Array, centres: Array) -> float:
    """The mean squared distance to the nearest centre."""
    offsets = rows - centres[nearest(rows, centres[np.newaxis])]
    return float(np.einsum("ij,ij->", offsets, offsets) / len(rows))


@dataclass(frozen=True, eq=False)
class CentresModel:
    """A row a centre, what they cost, and public diagnostics of how they were found."""

    centres: Array
    guarantee: Guarantee | None  # none without privacy
    diagnostics: Mapping[str, float] = field(default_factory=dict)

    def predict(self, points: ArrayLike) -> Labels:
        """The number of the nearest centre of each row."""
        return nearest(private_rows.matrix("points", points, self.centres.shape[1]), self.centres[np.newaxis])

    def loss(self, points: ArrayLike) -> float:
        """The mean squared distance of these rows to their nearest centre; it is about them, and not private."""
        return loss(private_rows.matrix("points", points, self.centres.shape[1]), self.centres)


def drawn_starts(rows: Array, k: int, rng: np.random.Generator) -> Array:
    """k-means++ (Arthur and Vassilvitskii 2007): rows, each by its squared distance from those before. Not private."""
    starts = [rows[rng.integers(len(rows))]]
    squares = np.full(len(rows), np.inf)
    for _ in range(k - 1):
        squares = np.minimum(squares, ((rows - starts[-1]) ** 2).sum(axis=1))
        whole = squares.sum()
        chances = squares / whole if whole > 0 else np.full(len(rows), 1.0 / len(rows))
        starts.append(rows[rng.choice(len(rows), p=chances)])
    return np.array(starts)


def spread_starts(k: int, dimension: int, bound: float, rng: np.random.Generator) -> Array:
    """k public points in the ball of this radius, far from each other and from its surface; they see no row.

    Of random sets the one whose balls of equal radius about its points are the largest that neither meet nor leave it.
    """
    directions = rng.standard_normal((SETS, k, dimension))
    directions /= np.linalg.norm(directions, axis=-1, keepdims=True)
    sets = directions * rng.random((SETS, k, 1)) ** (1.0 / dimension)
    apart = np.linalg.norm(sets[:, :, np.newaxis] - sets[:, np.newaxis], axis=-1) / 2.0
    apart[:, np.arange(k), np.arange(k)] = 1.0 - np.linalg.norm(sets, axis=-1)
    return np.asarray(bound * sets[apart.min(axis=(1, 2)).argmax()])


def check_starts(starts: ArrayLike) -> Array:
    """k rows of d finite numbers."""
    found = np.asarray(starts, dtype=np.float64)
    if found.ndim != 2 or found.size == 0 or not np.isfinite(found).all():
        raise InputError(
            f"starts has shape {found.shape}; give k public rows of d finite numbers, one for each of the k centres."
        )
    if np.abs(found).max() > FARTHEST:
        raise InputError(f"starts holds {np.abs(found).max():g}; give numbers of the size of the public bound.")
    return found


def check_rounds(rounds: int) -> int:
    """1 or more."""
    if not (rounds >= 1 and float(rounds).is_integer()):
        raise InputError(f"rounds is {rounds:g}; it must be a whole number, 1 or more.")
    return int(rounds)
