r"""The draws of `ball`, exact in bits: see there for the laws.

A Gamma variable is a power of e of its logarithm, a direction is a vector of normal variables over its norm, and the
loss of all records is a sum of balls.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from flint import arb, arb_mat

from dpsampling.learners.logistic import ball
from dpsampling.learners.logistic.certified import products
from dpsampling.learners.logistic.records import Records
from dpsampling.numerics.exact.data_dependent import data_dependent
from dpsampling.numerics.exact.laws import LogGamma, exponential, normal, rational
from dpsampling.numerics.exact.tape import Tape, positive

COST = "how many proposals a draw takes depends on the records; their weight is small where the ball binds"


class BallLaw:
    """w of the tempered posterior on ‖w‖ ≤ R, by draws of its prior there."""

    def __init__(self, records: Records, precision: float, weight: float, radius: float) -> None:
        ball.check(records.n, weight, precision, radius)
        self._signed = records.signed
        self._weight, self._radius = rational(weight), rational(radius)
        self._shape = Fraction(records.d, 2)
        self._rate = Fraction(precision) * Fraction(radius) ** 2 / 2
        self._gamma = LogGamma(self._shape)
        self._tilted = (self._shape - self._rate) ** 2 > self._shape and self._shape > self._rate

    @data_dependent(COST)
    def __call__(self, tape: Tape) -> list[arb]:
        """One draw of w."""
        while True:
            w = self._prior(tape)
            if self._taken(w, exponential(tape)):
                return w

    def _prior(self, tape: Tape) -> list[arb]:
        direction = [normal(tape) for _ in range(int(2 * self._shape))]
        length = (arb(self._radius) ** 2 * self._square(tape) / sum((x * x for x in direction), arb(0))).sqrt()
        return [length * x for x in direction]

    def _square(self, tape: Tape) -> arb:
        """y = (‖w‖/R)²."""
        c = arb(rational(self._rate))
        while True:
            if not self._tilted:
                y = self._gamma(tape).exp() / c
                if positive(1 - y):
                    return y
            else:
                z = exponential(tape) / arb(rational(self._shape - self._rate))
                if positive(exponential(tape) - c * ((-z).expm1() + z)):
                    return (-z).exp()

    def _taken(self, w: Sequence[arb], level: arb) -> bool:
        cost = sum(((-t).exp().log1p() for (t,) in products(self._signed, arb_mat([[x] for x in w]))), arb(0))
        return positive(level - arb(self._weight) * cost)
