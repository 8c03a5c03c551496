r"""Gaussian noise fitted to each data set, as DP review 2019 Proposition 3.19 has it, with what it really keeps.

    f(x) + N(0, σ(x)²),        σ(x) = √(2 ln(5/(4δ))) κ(x)/ε,        κ(x) the Lipschitz constant at x.

Proposition 3.19 says (ε, δ) and leaves its proof open. It is false: neighbours' κ differ by up to a factor of 3, and
their noises are told apart by their widths at any σ (`gaussian_pair`). The guarantee is the largest true δ over all
neighbours, with `claimed` beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.foundations.finite_metric import FiniteFunction
from dpsampling.foundations.gaussian_pair import delta
from dpsampling.foundations.noise import classical_sigma
from dpsampling.mechanisms.calibration import check_delta, check_epsilons
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.exact.draws import numbers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Gaussian
from dpsampling.privacy.guarantee import Approximate


@dataclass(frozen=True)
class LocalizedGaussian:
    """A function of a finite metric space with noise for the levels (`epsilon`, `delta`) of the proposition."""

    function: FiniteFunction
    epsilon: float
    delta: float

    def __post_init__(self) -> None:
        check_epsilons(self.epsilon)
        check_delta(self.delta)
        if self.function.lipschitz == 0:
            raise InputError("values are all the same; a constant needs no noise, so release it as it is.")

    @property
    def claimed(self) -> Approximate:
        """Return what Proposition 3.19 says."""
        return Approximate(self.epsilon, self.delta, self.function.relation)

    @property
    def guarantee(self) -> Approximate:
        """(ε, δ) with the largest δ that any neighbours have, rounded up."""
        worst = max(self.true_delta(x, y) for x, y in self.function.neighbours)
        return Approximate(self.epsilon, worst, self.function.relation, ("the metric space is the public one",))

    @cached_property
    def sigmas(self) -> tuple[float, ...]:
        """σ(x) of each point."""
        scale = classical_sigma(1.0, self.epsilon, self.delta)
        return tuple(scale * float(slope) for slope in self.function.local_lipschitz)

    def true_delta(self, first: int, second: int) -> float:
        """δ(ε) of one point's law against another's, rounded up."""
        shift = self.function.values[first] - self.function.values[second]
        return delta(shift, self.sigmas[first], self.sigmas[second], self.epsilon).upper

    def release(self, point: int, size: int | None = None) -> FixedPoint:
        """f(x) + N(0, σ(x)²) for the data set with this number, each at the cost of the guarantee."""
        place = self._place(point)
        return numbers(Gaussian(self.function.values[place], Fraction(self.sigmas[place]) ** 2), size)

    def simulate(self, point: int, rng: np.random.Generator, size: int | None = None) -> Array:
        """The same in floats: for experiments, it protects nothing."""
        place = self._place(point)
        noise = rng.standard_normal(() if size is None else size)
        return np.asarray(float(self.function.values[place]) + self.sigmas[place] * noise)

    def log_density(self, y: ArrayLike, point: int) -> Array:
        """Of one release."""
        place = self._place(point)
        sigma = self.sigmas[place]
        z = (np.asarray(y, dtype=float) - float(self.function.values[place])) / sigma
        return np.asarray(-0.5 * z * z - math.log(sigma * math.sqrt(2.0 * math.pi)))

    def _place(self, point: int) -> int:
        if isinstance(point, bool) or not isinstance(point, int | np.integer):
            raise InputError("point is not a whole number; give the number of one data set.")
        if not 0 <= point < len(self.function.values):
            raise InputError(f"point is not one of the {len(self.function.values)} data sets; give a number below it.")
        return int(point)
