r"""A draw from a posterior over finitely many parameters, private under Assumption 1 (Theorem 2 (i)).

Parameter j gives outcome o the probability p_j(o), and the data are counts of outcomes:

    Pr(j | counts) ∝ w_j Π_o p_j(o)^{counts_o},            L = max_j max_{o,o′} ln p_j(o)/p_j(o′).

One record that is replaced multiplies each likelihood by at most e^{±L}, and so the normalizer too: 2L-DP, and 2Lρ for
ρ records (Definition 2). All p and w are the rational numbers that their floats are; e^L is a rational, and 2L is
certified as a logarithm of one. A prior with nearly all of its mass on one parameter spends it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Self

import numpy as np
from flint import arb
from numpy.typing import ArrayLike
from scipy.special import log_softmax

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array, Indices
from dpsampling.numerics.enclosure import Enclosure, as_ball, enclose
from dpsampling.numerics.exact.arguments import row
from dpsampling.numerics.exact.draws import integers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import exponential, largest, rational
from dpsampling.numerics.exact.tape import Tape
from dpsampling.privacy.guarantee import Pure, Relation


@dataclass(frozen=True)
class FinitePosterior:
    """`likelihoods`: for each parameter the probability of each outcome; `prior`: a weight for each parameter."""

    likelihoods: tuple[tuple[float, ...], ...]
    prior: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.likelihoods or len(self.prior) != len(self.likelihoods):
            raise InputError(
                f"there are {len(self.prior)} prior weights for {len(self.likelihoods)} parameters; give one each."
            )
        if len({len(mine) for mine in self.likelihoods}) > 1 or len(self.likelihoods[0]) < 2:
            raise InputError("likelihoods have rows of several lengths, or of one outcome; give two or more, alike.")
        for mine in self.likelihoods:
            if not all(0 < p < 1 for p in mine) or abs(math.fsum(mine) - 1.0) > 1e-9:
                raise InputError(
                    f"likelihoods have {mine}; Assumption 1 needs probabilities above 0, which sum to 1 in each row."
                )
        if not all(0 < w < math.inf for w in self.prior):
            raise InputError(f"prior is {self.prior}; give finite weights above 0, and leave out what has none.")

    @classmethod
    def coins(cls, points: Sequence[float], prior: Sequence[float]) -> Self:
        """Bits with Pr(1) among `points`; counts are those of 0 and of 1."""
        return cls(tuple((1.0 - p, p) for p in points), tuple(prior))

    @classmethod
    def calibrate(cls, prior: Sequence[float] = (1.0, 1.0), *, epsilon: float) -> Self:
        """Two coins, p and 1 − p, with p = 1/(1 + e^{ε/2}) or a little above, so that 2L is at most ε."""
        if not 0 < epsilon <= 60:
            raise InputError(f"epsilon is {epsilon:g}; two coins are calibrated for levels above 0 and up to 60.")
        p = 1.0 / (1.0 + math.exp(epsilon / 2.0))
        while (found := cls.coins((p, 1.0 - p), prior)).guarantee.epsilon > epsilon:
            p = math.nextafter(p, 0.5)
        return found

    @property
    def ratio(self) -> Fraction:
        """e^L."""
        return max(Fraction(max(mine)) / Fraction(min(mine)) for mine in self.likelihoods)

    @property
    def lipschitz(self) -> float:
        """L, rounded up."""
        return enclose(partial(_times_logarithm, Fraction(1), self.ratio)).upper

    @property
    def guarantee(self) -> Pure:
        """2L-DP for one record that is replaced."""
        return self.guarantee_at(1)

    def guarantee_at(self, distance: float) -> Pure:
        """2Lρ for data sets at this distance (Definition 2), the number of records that are replaced."""
        if not (1 <= distance < math.inf and float(distance).is_integer()):
            raise InputError(f"distance is {distance:g}; it is a number of replaced records, 1 or more.")
        enclosed = partial(self._enclosed, distance)
        return Pure(enclosed().upper, Relation.REPLACE_ONE, ("one exact draw",), enclosed)

    def log_probabilities(self, counts: ArrayLike) -> Array:
        """ln Pr(j | counts)."""
        return np.asarray(log_softmax(np.log(self.prior) + np.log(self.likelihoods) @ self._checked(counts)))

    def log_density(self, parameter: ArrayLike, counts: ArrayLike) -> Array:
        """ln Pr(j | counts) at j."""
        return self.log_probabilities(counts)[np.asarray(parameter, dtype=np.intp)]

    def release(self, counts: ArrayLike, size: int | None = None) -> FixedPoint:
        """Parameters j for one data set, each at the guarantee's cost; they are `integers`, with exponent 0."""
        law = self.exact_law(counts)
        drawn = integers(law, 1 if size is None else size).tolist()
        return FixedPoint.of(drawn[0] if size is None else drawn, 0)

    def exact_law(self, counts: ArrayLike) -> PosteriorLaw:
        """The posterior as a program of exact draws."""
        return PosteriorLaw(self, tuple(Fraction(n) for n in self._checked(counts).tolist()))

    def simulate(self, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Indices:
        """The same in floats, by Gumbel-max: for experiments, it protects nothing."""
        log_p = self.log_probabilities(counts)
        return np.asarray(np.argmax(log_p + rng.gumbel(size=(size, len(log_p))), axis=-1))

    def _enclosed(self, distance: float) -> Enclosure:
        return enclose(partial(_times_logarithm, 2 * Fraction(distance), self.ratio))

    def _checked(self, counts: ArrayLike) -> Array:
        values = row("counts", counts)
        if len(values) != len(self.likelihoods[0]):
            raise InputError(f"there are {len(values)} counts; the outcomes are {len(self.likelihoods[0])}, one each.")
        if not np.all((values >= 0) & (values == np.floor(values)) & np.isfinite(values)):
            raise InputError("counts must be whole numbers of records, 0 or more.")
        return values


class PosteriorLaw:
    """j with probability ∝ w_j Π p_j(o)^{counts_o}, its logarithms in balls at the precision of the moment."""

    def __init__(self, mechanism: FinitePosterior, counts: tuple[Fraction, ...]) -> None:
        self._rows = [[rational(p) for p in mine] for mine in mechanism.likelihoods]
        self._prior = [rational(w) for w in mechanism.prior]
        self._counts = [rational(n) for n in counts]

    def __call__(self, tape: Tape) -> int:
        """One draw, the largest of ln weight + Gumbel noise."""
        values = []
        for weight, mine in zip(self._prior, self._rows, strict=True):
            score = arb(weight).log()
            for count, p in zip(self._counts, mine, strict=True):
                score += arb(count) * arb(p).log()
            values.append(score - exponential(tape).log())
        return largest(values)


def _times_logarithm(factor: Fraction, of: Fraction) -> arb:
    return as_ball(factor) * as_ball(of).log()
