"""What learners of k means give: k centres."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.learners import rows
from dpsampling.learners.lloyd import loss, nearest
from dpsampling.numerics.arrays import Array, Indices
from dpsampling.privacy.guarantee import Guarantee


@dataclass(frozen=True, eq=False)
class CentresModel:
    """A row a centre, what they cost, and public diagnostics of how they were found."""

    centres: Array
    guarantee: Guarantee | None  # none without privacy
    diagnostics: Mapping[str, float] = field(default_factory=dict)

    def predict(self, points: ArrayLike) -> Indices:
        """The number of the nearest centre of each row."""
        return nearest(rows.matrix("points", points, self.centres.shape[1]), self.centres[np.newaxis])

    def loss(self, points: ArrayLike) -> float:
        """The mean squared distance of these rows to their nearest centre; it is about them, and not private."""
        return loss(rows.matrix("points", points, self.centres.shape[1]), self.centres)
