r"""The exponential mechanism over a finite set (McSherry and Talwar 2007), thesis eqs. (4.6) and (4.10).

    Pr(r | X) ∝ exp(ε u(X, r) / (2Δ)),      Δ = max |u(X, r) − u(X′, r)| over r and neighbours X, X′:      ε-DP.

It is the Boltzmann distribution of the energies −u at temperature T = 2Δ/ε: ε → 0 is uniform, ε → ∞ picks the best.

ln Pr(r | X)/Pr(r | X′) is εδ(r)/(2Δ) plus a constant, and |δ(r)| ≤ Δ, so over r it ranges over an interval no longer
than ε. Such ε-bounded-range mechanisms are ε-DP and (λ, λε²/8)-RDP (Cesar and Rogers 2021): a quarter of
the λε²/2 that ε-DP alone gives. If Δ bounds max_r δ(r) − min_r δ(r) instead, as it does when records can only raise
every utility, ε/Δ may stand for ε/(2Δ): set `ranged`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import log_softmax

from dpsampling.errors import InputError
from dpsampling.mechanisms.tempering import boltzmann_temperature
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.exact.arguments import row
from dpsampling.numerics.exact.draws import integers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Categorical
from dpsampling.privacy.guarantee import Pure, Relation, Renyi
from dpsampling.privacy.rounding import LEAST, round_up


@dataclass(frozen=True)
class ExponentialMechanism:
    """Utilities of this `sensitivity` at this ε; `ranged` says that the sensitivity bounds max δ − min δ."""

    sensitivity: float
    epsilon: float
    relation: Relation = Relation.REPLACE_ONE
    ranged: bool = False

    def __post_init__(self) -> None:
        for name, value in (("sensitivity", self.sensitivity), ("epsilon", self.epsilon)):
            if not 0 < value < math.inf:
                raise InputError(f"{name} is {value:g}; it must be above 0 and finite.")
        if not 0 < self.temperature < math.inf:
            raise InputError(
                f"epsilon is {self.epsilon:g} at sensitivity {self.sensitivity:g}; "
                "their ratio must be a finite number above 0."
            )

    @property
    def temperature(self) -> float:
        """T = 2Δ/ε, or Δ/ε for a ranged sensitivity, rounded up."""
        return boltzmann_temperature(self.sensitivity / 2.0 if self.ranged else self.sensitivity, self.epsilon)

    @property
    def guarantee(self) -> Pure:
        """ε-DP."""
        return Pure(self.epsilon, self.relation)

    @property
    def renyi_guarantee(self) -> Renyi:
        """λε²/8, or what ε-DP implies where that is less."""
        pure = self.guarantee.renyi()

        def curve(order: float) -> float:
            return min(round_up(max(order * self.epsilon * self.epsilon / 8.0, LEAST)), pure.epsilon(order))

        return Renyi(curve, relation=self.relation)

    def log_probabilities(self, utilities: ArrayLike) -> Array:
        """ln Pr(r), over the last axis."""
        return np.asarray(log_softmax(self._scores(utilities), axis=-1))

    def probabilities(self, utilities: ArrayLike) -> Array:
        """Pr(r), over the last axis."""
        return np.exp(self.log_probabilities(utilities))

    def release(self, utilities: ArrayLike, size: int | None = None) -> FixedPoint:
        """Indices r for one data set, each at the cost of the guarantee; they are `integers`, with exponent 0."""
        law = self.exact_law(utilities)
        drawn = integers(law, 1 if size is None else size).tolist()
        return FixedPoint.of(drawn[0] if size is None else drawn, 0)

    def exact_law(self, utilities: ArrayLike) -> Categorical:
        """Pr(r) as a program of exact draws."""
        self._scores(row("utilities", utilities))  # checks them
        t = Fraction(self.temperature)
        return Categorical([Fraction(u) / t for u in np.asarray(utilities, dtype=float).tolist()])

    def simulate(self, utilities: ArrayLike, rng: np.random.Generator, size: int | None = None) -> NDArray[np.intp]:
        """argmax_r (u_r/T + G_r), G_r standard Gumbel (Gumbel-max), in floats: for experiments, it protects nothing."""
        scores = self._scores(utilities)
        shape = scores.shape if size is None else (size, *scores.shape)
        return np.asarray(np.argmax(scores + rng.gumbel(size=shape), axis=-1))

    def _scores(self, utilities: ArrayLike) -> Array:
        """(u − max u)/T."""
        utilities = np.asarray(utilities, dtype=float)
        if utilities.ndim == 0 or utilities.shape[-1] == 0:
            raise InputError("there is nothing to choose from; give one utility or more.")
        if not np.all(np.isfinite(utilities)):
            raise InputError(
                f"a utility is {utilities[~np.isfinite(utilities)].flat[0]:g}; utilities must be finite: "
                "leave out what may never be chosen, whatever the data."
            )
        return (utilities - utilities.max(axis=-1, keepdims=True)) / self.temperature
