"""The rows of a data set by column, as its files hold them, and where each of them stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Rows:
    """Cells as text, and the points of images as whole numbers."""

    cells: Mapping[str, Sequence[str]]
    points: NDArray[np.uint8] | None  # an image a row
    counts: tuple[tuple[Path, int], ...]  # how many rows each file has
    lines: Sequence[int] | None  # the line of each row in its file; None where rows are no lines

    @property
    def size(self) -> int:
        """How many rows there are."""
        return sum(count for _, count in self.counts)

    def place(self, row: int) -> str:
        """Where a row stands, for who has to correct it."""
        first = 0
        for path, count in self.counts:
            if row < first + count:
                return f"{path}, {f'line {self.lines[row]}' if self.lines else f'image {row - first + 1}'}"
            first += count
        raise IndexError(row)
