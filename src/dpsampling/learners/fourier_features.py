r"""Random Fourier features of a Gaussian kernel, drawn before any row is seen (Rahimi and Recht 2007).

    φ(x) = (cos ω₁·x, sin ω₁·x, …, cos ω_D·x, sin ω_D·x)/√D,    ω_j ~ N(0, I/s²)

has φ(x)·φ(x′) ≈ e^{−‖x−x′‖²/(2s²)} and a norm of exactly 1, as cos² + sin² = 1. The other form, of entries
√(2/D) cos(ω_j·x + ψ_j), has norm 1 in the mean only, and is longer for some x: what asks for rows of norm 1 may not be
given it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.numerics.arrays import Array


@dataclass(frozen=True, eq=False)
class FourierFeatures:
    """Public frequencies ω_j, a row each."""

    frequencies: Array

    @classmethod
    def draw(cls, dimension: int, count: int, scale: float, rng: np.random.Generator) -> FourierFeatures:
        """D = `count` of them, for rows of this dimension and a kernel of width s = `scale`."""
        if not (dimension >= 1 and count >= 1):
            raise InputError(f"{count} frequencies in {dimension} dimensions are none; there must be one or more.")
        if not 0 < scale < math.inf:
            raise InputError(f"scale is {scale:g}; the width of a kernel must be above 0 and finite.")
        return cls(rng.standard_normal((count, dimension)) / scale)

    def of(self, features: ArrayLike) -> Array:
        """φ of each row, no longer than 1 in exact arithmetic; ω·x is summed for it alone, as in `rows.scores`."""
        given = rows.matrix("features", features, self.frequencies.shape[1])
        angles = np.stack([rows.scores(given, frequency) for frequency in self.frequencies], axis=1)
        found = np.concatenate([np.cos(angles), np.sin(angles)], axis=1) / math.sqrt(len(self.frequencies))
        return rows.within(found, 1.0)
