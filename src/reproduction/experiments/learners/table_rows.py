r"""Rows for training and testing of a data set's table, or of a planted one.

Planted: two thirds of n rows are for training. Four numbers x₁ … x₄ are uniform on [−1, 1], two categories c₁, c₂ on
four levels, and label 1 has probability 1/(1 + e^{−f}) with f = 3x₁ − 4x₂² + 4/3 + 2x₃x₄ + (c₁ − 3/2): a slope, a
bump, an interaction and steps; c₂ tells nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpsampling.datasets import splits
from dpsampling.datasets.design import Design
from dpsampling.datasets.recipe import Category, Number
from dpsampling.errors import InputError
from dpsampling.numerics.randomness import substream
from reproduction.experiments.learners.planted import PLANTED

Array = NDArray[np.float64]
LEVELS = ("a", "b", "c", "d")


class Rows(NamedTuple):
    """Cells and labels, and whether other rows would be drawn the next time."""

    described: tuple[Number | Category, ...]
    cells: Array
    labels: NDArray[np.intp]
    test_cells: Array
    test_labels: NDArray[np.intp]
    fixed: bool


def rows(
    name: str, params: Mapping[str, Any], inputs: Mapping[str, Design], rng: np.random.Generator, repeat: int
) -> Rows:
    """Draw those of one repeat; a data set's own rows for training are the same in all of them."""
    mine = substream(rng, "rows", name, repeat)
    if name == PLANTED:
        return _planted(params["n"], mine)
    design = inputs[name]
    if design.cells is None:
        raise InputError(f"data set {name} has no cells, as it is of images; name one that is a table.")
    train, test = splits.draw(design, mine)
    labels = design.labels.astype(np.intp)
    return Rows(design.described, design.cells[train], labels[train], design.cells[test], labels[test], design.own)


def _planted(n: int, rng: np.random.Generator) -> Rows:
    numbers, categories = rng.uniform(-1.0, 1.0, (n, 4)), rng.integers(0, len(LEVELS), (n, 2))
    slope, bump, *both = numbers.T
    score = 3.0 * slope - 4.0 * bump**2 + 4.0 / 3.0 + 2.0 * both[0] * both[1] + (categories[:, 0] - 1.5)
    labels = (rng.random(n) < 1.0 / (1.0 + np.exp(-score))).astype(np.intp)
    numeric = (Number(f"x{j}", -1.0, 1.0) for j in range(1, 5))
    described: tuple[Number | Category, ...] = (*numeric, *(Category(f"c{j}", LEVELS) for j in (1, 2)))
    cells, train = np.hstack([numbers, categories]), 2 * n // 3
    return Rows(described, cells[:train], labels[:train], cells[train:], labels[train:], fixed=False)
