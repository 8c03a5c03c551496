r"""How a fit of the hidden Markov model spends ε (thesis §4.5, UAI 2016's supplement E.1).

Neighbours differ in one unit of the log, of which at most m entries are kept (m = 1 where each row is a unit of its
own); they may move to other regions and months. With D features of K_d outcomes:

    Laplace   every count vector of every training cell gets noise once, of scale b = 2Dm/ε: replacing an entry moves
              two counts of each feature by one. ε/D a feature; everything after it is post-processing. A model of one
              state needs corpus-wide counts alone, and only these get noise. What is released are whole numbers,
              n + y with Pr(y) ∝ e^{−|y|/b}: the ratio for counts that differ by k in all is e^{k/b} ≤ e^ε, as with
              Laplace noise, which experiments use.
    OPS       θ_j^(k,d) ≥ a₀ = 1/(M K_d) bounds an entry's log-likelihood ratio by Σ_d ln(M K_d − K_d + 1), a unit's by
              Δ = m times that; the joint posterior of (Z, θ) to the power 1/T, T = max(1, 2Δ/ε), then releases one
              sample at cost 2Δ/T ≤ ε, if it is an exact one, as that of a model of one state is. A chain has two
              updates an iteration and pays for each (§4.4.1): that is certain, and what is promised. That it has
              converged, so that it costs one sample, is not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.event_logs.names import CLIP, LAPLACE, NOISE_AWARE, NON_PRIVATE, OPS, SUM_THEN_CLIP
from dpsampling.event_logs.schema import ROW, Unit
from dpsampling.mechanisms import tempering
from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose, enclose_rational
from dpsampling.privacy.accounting import repeat
from dpsampling.privacy.guarantee import Pure, shown
from dpsampling.privacy.rounding import round_up

VARIANTS = (CLIP, SUM_THEN_CLIP, NOISE_AWARE)
WIDEST = 2**50  # the scale of noise that whole numbers of 64 bits hold: beyond with probability e^−8000
WIDEST_SIMULATED = 1e290  # of noise that floats hold, and sums of it over a log


@dataclass(frozen=True)
class NonPrivate:
    """The model as it is."""

    unit: Unit = ROW
    name = NON_PRIVATE
    variant = "none"
    epsilon = math.inf

    def guarantee(self, sizes: tuple[int, ...], updates: int) -> None:
        """None."""


@dataclass(frozen=True)
class NoisyCounts:
    """The Laplace mechanism on counts; `variant` says what is made of negative ones."""

    epsilon: float
    variant: str = CLIP
    unit: Unit = ROW
    name = LAPLACE

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)
        if self.variant not in VARIANTS:
            raise InputError(f"variant is '{self.variant}'; it must be {' or '.join(VARIANTS)}.")

    @property
    def level(self) -> Fraction:
        """ε as a rational: the decimal that was typed or its float, whichever promises more."""
        return min(Fraction(repr(float(self.epsilon))), Fraction(self.epsilon))

    def scale(self, features: int) -> float:
        """2Dm/ε, rounded up."""
        return round_up(2.0 * features * self.unit.most / self.epsilon)

    def rate(self, features: int) -> Fraction:
        """ε/(2Dm)."""
        return self.level / (2 * features * self.unit.most)

    def check_release(self, features: int) -> None:
        """An InputError where the noise would be too wide for whole numbers of 64 bits."""
        if self.rate(features) * WIDEST < 1:
            raise InputError(
                f"epsilon is {self.epsilon:g}; noise of scale {self.scale(features):.3g} leaves nothing of any count, "
                f"so release at an ε above {float(2 * features * self.unit.most / Fraction(WIDEST)):.3g}."
            )

    def release(self, counts: NDArray[np.int64], features: int) -> NDArray[np.int64]:
        """Whole counts of any shape with exact noise on each, from the operating system's bits; not yet clipped."""
        if isinstance(features, np.random.Generator) or not isinstance(features, int | np.integer):
            raise InputError(
                f"release takes the number of features, not a {type(features).__name__}: its noise is of the operating "
                "system's bits; simulate is what takes a generator, and protects nothing."
            )
        if counts.dtype != np.int64:
            raise InputError(f"counts are {counts.dtype}; a release adds whole noise to whole counts (int64).")
        self.check_release(features)

        from dpsampling.numerics.exact import draws, laws  # FLINT, which no experiment needs

        noise = draws.integers(laws.TwoSidedGeometric(self.rate(features)), counts.size)
        return counts + noise.reshape(counts.shape)

    def simulate(self, counts: NDArray[Any], features: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """Counts of any shape with Laplace noise on each, not yet clipped: for experiments, protects nothing."""
        if not isinstance(rng, np.random.Generator):
            raise InputError(
                f"simulate takes a NumPy generator, not a {type(rng).__name__}; release is what takes none."
            )
        if self.scale(features) > WIDEST_SIMULATED:
            raise InputError(
                f"epsilon is {self.epsilon:g}; noise of scale {self.scale(features):.3g} cannot be added up; raise it."
            )
        return counts + rng.laplace(0.0, self.scale(features), size=counts.shape)

    def guarantee(self, sizes: tuple[int, ...], updates: int) -> Pure:  # noqa: ARG002  # as the others
        """ε, whatever the chain does."""
        return Pure(self.epsilon, conditions=(neighbours(self.unit),), enclosed=partial(enclose_rational, self.level))


@dataclass(frozen=True)
class OnePosteriorSample:
    """One draw from the tempered, truncated joint posterior of states and emissions."""

    epsilon: float
    multiplier: float  # M
    unit: Unit = ROW
    name = OPS

    def __post_init__(self) -> None:
        _check_epsilon(self.epsilon)
        if not self.multiplier > 1:
            raise InputError(f"multiplier is {self.multiplier:g}; it must be above 1, or nothing is left to sample.")

    @property
    def variant(self) -> str:
        """How the tables name it."""
        return f"M={self.multiplier:g}"

    def floors(self, sizes: tuple[int, ...]) -> NDArray[np.float64]:
        """a₀ of each feature."""
        return np.array([1.0 / (self.multiplier * k) for k in sizes])

    def sensitivity(self, sizes: tuple[int, ...]) -> float:
        """Δ."""
        one = tempering.joint_sensitivity(self.floors(sizes).tolist(), sizes)
        return one if self.unit.most == 1 else round_up(self.unit.most * one)

    def temperature(self, sizes: tuple[int, ...]) -> float:
        """T, rounded up."""
        return tempering.temperature(self.sensitivity(sizes), self.epsilon)

    def update(self, sizes: tuple[int, ...]) -> float:
        """2Δ/T: ε, or less where the untempered posterior is cheaper than that."""
        return min(self.epsilon, tempering.cost(self.sensitivity(sizes)))

    def guarantee(self, sizes: tuple[int, ...], updates: int) -> Pure:
        """2Δ/T for each of a chain's updates; 1 is for an exact sample, which is what a model of one state releases."""
        enclosed = partial(self._enclosed_update, sizes)
        total = repeat(Pure(self.update(sizes), conditions=(neighbours(self.unit),), enclosed=enclosed), updates)
        assert isinstance(total, Pure)
        if updates == 1:
            return total
        footnote = f"ε would be {shown(self.update(sizes))} if the chain had converged, which nothing shows"
        return replace(total, conditions=(*total.conditions, footnote))

    def _enclosed_update(self, sizes: tuple[int, ...]) -> Enclosure:
        """2Δ/T with its certificate; the floors and T are the rational numbers that they are."""
        floors, t = map(Fraction, self.floors(sizes).tolist()), Fraction(self.temperature(sizes))
        ratios = [(1 - (k - 1) * a0) / a0 for a0, k in zip(floors, sizes, strict=True)]
        return enclose(
            lambda: sum((as_ball(ratio).log() for ratio in ratios), start=as_ball(0)) * as_ball(2 * self.unit.most / t)
        )


Mechanism = NonPrivate | NoisyCounts | OnePosteriorSample


def neighbours(unit: Unit) -> str:
    """Return what may be replaced between neighbours, in words."""
    if unit == ROW:
        return "neighbours: replace one row"
    return f"neighbours: replace all rows of one {unit.name} (at most {unit.most})"


def _check_epsilon(epsilon: float) -> None:
    if not 0 < epsilon < math.inf:
        raise InputError(f"epsilon is {epsilon:g}; it must be above 0 and finite.")
