"""Arrays of numbers out of a pickle, without letting it call anything.

A pickle is a program that may name any function. Here the four names by which NumPy's arrays are pickled stand for two
classes that only note what they are told; every other name, and every array that is not of plain numbers, is refused.
"""

from __future__ import annotations

import io
import math
import pickle
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.datasets import images

_KINDS: dict[str, np.dtype[Any]] = {code: np.dtype(f"<{code}") for code in ("f4", "f8", "i8", "u1")}


class _Kind:
    """numpy.dtype, told what it is of and then in which order its bytes stand."""

    def __init__(self, code: Any, *_: Any) -> None:
        self.dtype = _KINDS[code.decode() if isinstance(code, bytes) else code]

    def __setstate__(self, state: Any) -> None:
        if state[1] not in (b"<", b"|", "<", "|"):
            raise ValueError("numbers with the large end first")


class _Array:
    """numpy.ndarray, made empty and then told what it holds."""

    def __init__(self, *_: Any) -> None:
        self.held: NDArray[Any] = np.empty(0)

    def __setstate__(self, state: Any) -> None:
        _, shape, kind, by_columns, data = state
        if not isinstance(kind, _Kind) or by_columns or not isinstance(data, bytes):
            raise ValueError("an array of something else")
        if any(not isinstance(n, int) or n < 0 for n in shape) or math.prod(shape) * kind.dtype.itemsize != len(data):
            raise ValueError("an array of another size")
        self.held = np.frombuffer(data, kind.dtype).reshape(shape)


_NAMES: dict[tuple[str, str], Any] = {
    ("numpy", "dtype"): _Kind,
    ("numpy", "ndarray"): _Array,
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _Array for core in ("core", "_core")},
}


class _Unpickler(pickle.Unpickler):
    """An unpickler for which there are no other names."""

    def find_class(self, module: str, name: str) -> Any:
        """One of the four, or a ValueError."""
        if (module, name) not in _NAMES:
            raise ValueError(f"it names {module}.{name}")
        return _NAMES[module, name]


DAMAGE = (
    ValueError, TypeError, LookupError, AttributeError, EOFError, MemoryError, OverflowError, RecursionError,
    pickle.UnpicklingError,
)  # fmt: skip


def arrays(data: bytes) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """The pairs of arrays that a pickle is a list of, or one of DAMAGE."""
    told = _Unpickler(io.BytesIO(data), encoding="bytes").load()
    return [(first.held, second.held) for first, second in told]


def images_and_labels(data: bytes, count: int) -> Sequence[bytes]:
    """The first images, which the pickle has as fractions of 256, and their labels: as the two idx files they were."""
    pairs = arrays(data)
    points = np.concatenate([np.rint(first * 256) for first, _ in pairs])[:count]
    labels = np.concatenate([second for _, second in pairs])[:count]
    side = math.isqrt(points.shape[1])
    if any(not (array.min() >= 0 and array.max() < 256) for array in (points, labels)):
        raise ValueError("numbers that are no points of images")
    return [images.written(points.astype(np.uint8).reshape(-1, side, side)), images.written(labels.astype(np.uint8))]
