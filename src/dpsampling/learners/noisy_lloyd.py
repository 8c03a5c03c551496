r"""Lloyd's iteration on noisy counts and sums (after Blum, Dwork, McSherry and Nissim 2005, as commonly stated).

T rounds from public starts. In each the records with ‖x‖₂ ≤ c go to the nearest of the k centres, which are public by
then, and **every** cell, empty ones too, gets noise on its count and on each coordinate of its sum. A record is in one
cell, so that one more or less moves one count by 1 and one sum by ‖x‖₂ ≤ c, ‖x‖₁ ≤ √d c:

    pure, δ = 0     Laplace of scale b on counts and b′ on sums:   ε = T(1/b + √d c/b′)
    with δ > 0      Gaussian of sd σ and σ′:                       μ² = T(1/σ² + c²/σ′²), (ε, δ) of N(0, 1), N(μ, 1)

The second is what T adaptive rounds of Gaussian noise are exactly (`privacy.gaussian_dp`), attained by a record at a
distance of c in a single cell. It needs noise of order √(dT) where the first needs dT: at δ = 10⁻⁶ and five rounds it
has less from d = 2 on at every ε ≤ 10. The first needs no δ. A replaced record costs more, which is not promised here.

**Shares.** A centre S̃/ñ is off by (noise of S̃ − C·noise of ñ)/n, |C| ≤ c, with expected square ∝ d sd′² + c² sd². Under
a bound on 1/b + √d c/b′ this is least where counts get a share of 1/(1 + d^{2/3}), and under one on 1/σ² + c²/σ′² where
they get 1/(1 + √d) of μ².

**Centres.** (S̃ + aC)/(max{ñ, 0} + a), C the old centre and a = √d sd′/c: a cell with fewer records than the size of its
noise stays where it was, and with many a is nothing. What is outside the ball is put on it. All of this is computed of
what is released.

In bits: records over c are rounded towards zero to a grid on which sums are exact, and labels see one row each.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.learners import lloyd, rows
from dpsampling.learners.lloyd import CentresModel
from dpsampling.learners.moments import check_bounds
from dpsampling.learners.noise import InBits, InFloats, Noise
from dpsampling.mechanisms.calibration import check_epsilons
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.gaussian_dp import GaussianDP, largest_mu, root_above
from dpsampling.privacy.guarantee import Approximate, Pure, Relation
from dpsampling.privacy.rounding import float_above

ROUNDS = 5
FAR = 2.0**100
UNITS = 2**20  # shares are whole multiples of 1/UNITS


@dataclass(frozen=True)
class Scales:
    """Of the noise on counts, and on coordinates of sums of records with c = 1: rational numbers."""

    counts: Fraction
    sums: Fraction


@dataclass(frozen=True, eq=False)
class NoisyLloyd:
    """k means from public `starts`, of records with ‖x‖₂ ≤ `bound`; ε-DP, or (ε, δ)-DP where δ is above 0."""

    starts: Array
    bound: float
    epsilon: float
    delta: float = 0.0
    rounds: int = ROUNDS

    def __post_init__(self) -> None:
        object.__setattr__(self, "starts", lloyd.check_starts(self.starts))
        check_epsilons(self.epsilon)
        lloyd.check_rounds(self.rounds)
        check_bounds(self.bound)
        if not 0 <= self.delta < 1:
            raise InputError(f"delta is {self.delta:g}; it must be 0, for pure privacy, or above 0 and below 1.")
        if self.delta > 0 and largest_mu(self.epsilon, self.delta) == 0:
            raise InputError(f"delta is {self.delta:g} at epsilon {self.epsilon:g}; no finite noise keeps that.")

    @cached_property
    def scales(self) -> Scales:
        """b, b′ or σ, σ′, each rounded up."""
        d = self.starts.shape[1]
        power = 2.0 / 3.0 if self.delta == 0 else 0.5
        share = Fraction(max(1, round(UNITS / (1.0 + d**power))), UNITS)
        if self.delta == 0:
            round_level = Fraction(self.epsilon) / self.rounds
            root = Fraction(root_above(Fraction(d)))
            return Scales(1 / (share * round_level), root / ((1 - share) * round_level))
        square = Fraction(largest_mu(self.epsilon, self.delta)) ** 2 / self.rounds
        return Scales(*(Fraction(root_above(1 / (part * square))) for part in (share, 1 - share)))

    @cached_property
    def gaussian(self) -> GaussianDP:
        """μ of all rounds where the noise is Gaussian, rounded up."""
        if self.delta == 0:
            raise InputError("delta is 0, where noise is Laplace's; give a δ above 0 for Gaussian noise.")
        scales = self.scales
        square = self.rounds * (1 / scales.counts**2 + 1 / scales.sums**2)
        return GaussianDP(root_above(square), Relation.ADD_OR_REMOVE_ONE, self._conditions)

    @cached_property
    def guarantee(self) -> Pure | Approximate:
        """Of all rounds together."""
        if self.delta > 0:
            gaussian = self.gaussian
            return Approximate(self.epsilon, gaussian.delta(self.epsilon), gaussian.relation, gaussian.conditions)
        root = Fraction(root_above(Fraction(self.starts.shape[1])))
        spent = float_above(self.rounds * (1 / self.scales.counts + root / self.scales.sums))
        return Pure(spent, Relation.ADD_OR_REMOVE_ONE, self._conditions)

    def fit(self, points: ArrayLike, rng: np.random.Generator) -> CentresModel:
        """With noise of a generator: for experiments, it protects nothing."""
        return self._learn(points, InFloats(rng))

    def release(self, points: ArrayLike) -> CentresModel:
        """With exact noise by the operating system's bits; each release costs the guarantee."""
        return self._learn(points, InBits())

    def prepared(self, points: ArrayLike) -> Array:
        """Records over c with norms of at most 1, on the grid."""
        far = FAR * self.bound  # beyond which squares are no floats, and a warning would tell of it
        given = np.clip(rows.matrix("points", points, self.starts.shape[1]), -far, far)
        return rows.on_grid(rows.within(given / self.bound, 1.0))

    def noisy(self, totals: lloyd.Totals, noise: Noise) -> tuple[Array, Array]:
        """Counts and sums of one round, as released."""
        add, scales = (noise.laplace if self.delta == 0 else noise.gaussian), self.scales
        return add(totals.counts.astype(np.float64), scales.counts), add(totals.sums, scales.sums)

    def _learn(self, points: ArrayLike, noise: Noise) -> CentresModel:
        k, d = self.starts.shape
        found = self.prepared(points)
        centres = rows.within(self.starts / self.bound, 1.0)
        inertia = math.sqrt(d) * float(self.scales.sums) * (math.sqrt(2.0) if self.delta == 0 else 1.0)
        for _ in range(self.rounds):
            counts, sums = self.noisy(lloyd.totals(found, lloyd.nearest(found, centres[np.newaxis]), k), noise)
            weights = np.maximum(counts, 0.0)[:, np.newaxis] + inertia
            centres = rows.within((sums + inertia * centres) / weights, 1.0)
        least = float(counts.min())
        return CentresModel(self.bound * centres, self.guarantee, {"rounds": self.rounds, "least_count": least})

    @property
    def _conditions(self) -> tuple[str, ...]:
        return (f"starts are public; records are clipped to a norm of {self.bound:g}",)
