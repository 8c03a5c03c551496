r"""The query of Robust 2014 Example 1, for a discrete model: the mean of y among records with a given z.

Records are pairs (y, z), and θ is their law, θ[y, z] = P_θ(y, z), given row by row:

    q_z(θ) = E_θ(y | z) = Σ_y v(y) θ[y, z] / Σ_y θ[y, z].
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError


@dataclass(frozen=True)
class ConditionalExpectation:
    """E(y | z = `given`) where y has these `values` and z is one of `conditions`."""

    values: tuple[float, ...]
    conditions: int
    given: int

    def __post_init__(self) -> None:
        if not self.values or not np.all(np.isfinite(self.values)):
            raise InputError("values are of y; give one finite number or more.")
        if not 0 <= self.given < self.conditions:
            raise InputError(f"given is {self.given}; with {self.conditions} conditions it lies below that, from 0 on.")

    def __call__(self, theta: ArrayLike) -> float:
        """The mean under one θ."""
        shares = np.asarray(theta, dtype=float)
        if shares.size != len(self.values) * self.conditions:
            raise InputError(
                f"θ has {shares.size} probabilities; {len(self.values)} values under {self.conditions} conditions "
                f"have {len(self.values) * self.conditions}."
            )
        column = shares.reshape(len(self.values), self.conditions)[:, self.given]
        return float(column @ np.asarray(self.values) / column.sum())
