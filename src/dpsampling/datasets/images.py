"""Images and their labels in the idx format: two zero bytes, the kind of number, the dimensions, and all numbers.

00 00 08 k   n₁ … n_k (four bytes each, the first one first)   n₁ ⋯ n_k bytes
"""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpsampling.datasets.recipe import Number, Recipe
from dpsampling.datasets.rows import Rows
from dpsampling.datasets.tables import content
from dpsampling.errors import InputError

BYTES = b"\0\0\x08"  # how a file of unsigned bytes begins


def read(recipe: Recipe, paths: Sequence[Path]) -> Rows:
    """Every image with its label, which is a whole number and stands in the column of that name."""
    images, labels = (_array(path, content(path, recipe.title)) for path in paths)
    (feature,) = recipe.features
    assert isinstance(feature, Number)
    if images.shape[1:] != feature.shape or labels.shape != images.shape[:1]:
        wanted = "×".join(map(str, feature.shape or ()))
        told = "×".join(map(str, images.shape)), "×".join(map(str, labels.shape))
        raise InputError(
            f"{paths[0]} has {told[0]} points and {paths[1]} {told[1]} labels; data set {recipe.name} is of images of "
            f"{wanted} points with a label each, so name its files."
        )
    cells = {recipe.label.column: [str(label) for label in labels.tolist()]}
    return Rows(cells, images.reshape(len(images), math.prod(images.shape[1:])), ((paths[0], len(images)),), None)


def _array(path: Path, data: bytes) -> NDArray[np.uint8]:
    """The numbers of a file, whose size must be what its head says."""
    dimensions = data[3] if data.startswith(BYTES) and len(data) > 3 else 0
    head = 4 + 4 * dimensions
    if not 1 <= dimensions <= 3 or len(data) < head:
        raise InputError(f"{path} is not an idx file of bytes; get it again.")
    shape = struct.unpack(f">{dimensions}I", data[4:head])
    if math.prod(shape) != len(data) - head:
        raise InputError(
            f"{path} has {len(data) - head} bytes after a head for {math.prod(shape)}, so it is cut short or damaged; "
            "get it again."
        )
    return np.frombuffer(data, np.uint8, offset=head).reshape(shape)


def written(array: NDArray[np.uint8]) -> bytes:
    """An array as such a file."""
    return BYTES + struct.pack(f">B{array.ndim}I", array.ndim, *array.shape) + array.tobytes()
