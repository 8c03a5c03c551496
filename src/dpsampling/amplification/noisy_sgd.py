r"""Noisy projected SGD (Algorithm 5) and what its last iterate promises each record (Theorem 22).

    x_i = Π_𝕂(x_{i−1} − η(∇ℓ(x_{i−1}, z_i) + N(0, σ² I))),      i = 1 … n,      x_n is released.

For ℓ C-Lipschitz, β-smooth and ρ-strongly convex the release is (α, αε_i)-RDP in record i. With r = n − i later steps,

    convex       2C²/((n − i)σ²)                    as the thesis quotes Feldman et al.; infinite at i = n
    printed      2C²/((n − i)σ²) · (1 − 2ηβρ/(β+ρ))^{(n−i+1)/2},  and 2C²/σ² at i = n
    optimal      (2C²/σ²) · L^{2r}(1 − L²)/(1 − L^{2(r+1)}),  which is 2C²/((n − i + 1)σ²) at ρ = 0

The optimal form takes the record's own step into the path: its map has constant 1 on the shift 2ηC that the record
makes, the r later ones L each. x − η∇ℓ(x) has the Lipschitz constant L = max(|1 − ηρ|, |1 − ηβ|), which quadratics
attain and which is 1 − ηρ for η ≤ 2/(β+ρ); the printed L² = 1 − 2ηβρ/(β+ρ) is nowhere smaller. The proofs are in
docs/amplification.md. L is taken exactly, powers in decimals of 60 digits, and a level is rounded up once.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from dpsampling.amplification.names import CONVEX, OPTIMAL, PRINTED
from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import UNBOUNDED, Enclosure, as_ball, enclose
from dpsampling.numerics.exact.draws import EXPONENT, one_each
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Gaussian
from dpsampling.privacy.guarantee import Renyi
from dpsampling.privacy.rounding import LEAST, MARGIN, WIDE, float_above, round_up

if TYPE_CHECKING:
    from flint import arb

Gradient = Callable[[Array, Array], Array]
Projection = Callable[[Array], Array]

FORMS = (CONVEX, PRINTED, OPTIMAL)
NEAR_ONE = Decimal("1e-20")  # a relative change that is beyond every margin here


@dataclass(frozen=True)
class NoisySGD:
    """What Algorithm 5 is run with: the constants C, β, ρ of its loss, its rate η and its noise σ."""

    lipschitz: float
    smoothness: float
    convexity: float
    rate: float
    sigma: float

    def __post_init__(self) -> None:
        for name in ("lipschitz", "smoothness", "rate", "sigma"):
            value = getattr(self, name)
            if not (value > 0 and math.isfinite(value)):
                raise InputError(f"{name} is {value:g}; it must be above 0 and finite.")
        if not 0 <= self.convexity <= self.smoothness:
            raise InputError(
                f"convexity is {self.convexity:g}; it must be from 0 to the smoothness {self.smoothness:g}."
            )
        if self.rate > 2.0 / self.smoothness:
            raise InputError(
                f"rate is {self.rate:g}; gradient steps contract only up to 2/β = {2.0 / self.smoothness:g}."
            )

    @property
    def contraction(self) -> float:
        """The least Lipschitz constant of x − η∇ℓ(x) that β and ρ allow, rounded up."""
        return float_above(self._exact_contraction)

    @property
    def printed_contraction(self) -> float:
        """The constant of Lemma 7, which needs η ≤ 2/(β + ρ), rounded up."""
        with localcontext(WIDE):
            return float_above((_decimal(self._printed_square) * Decimal(MARGIN)).sqrt())

    @property
    def _exact_contraction(self) -> Fraction:
        """max(|1 − ηρ|, |1 − ηβ|): above 1 where the rounding of η or β puts η just above 2/β."""
        return max(abs(1 - Fraction(self.rate) * Fraction(value)) for value in (self.convexity, self.smoothness))

    @property
    def _printed_square(self) -> Fraction:
        """1 − 2ηβρ/(β + ρ), or the sharp L² where the rounding of η puts it just above 2/(β + ρ)."""
        smoothness, convexity = Fraction(self.smoothness), Fraction(self.convexity)
        limit = 2.0 / (self.smoothness + self.convexity)
        if self.rate > limit:
            raise InputError(f"rate is {self.rate:g}; Lemma 7 needs it to be at most 2/(β + ρ) = {limit:g}.")
        square = 1 - 2 * Fraction(self.rate) * smoothness * convexity / (smoothness + convexity)
        return max(square, self._exact_contraction**2)

    def level(self, steps_after: int, form: str = OPTIMAL) -> float:
        """ε_i for a record with n − i = `steps_after` steps behind it, private or public."""
        if not (steps_after >= 0 and steps_after % 1 == 0):
            raise InputError(f"steps_after is {steps_after:g}; it must be a whole number, 0 or more.")
        after = int(steps_after)
        square = self._printed_square if form == PRINTED else self._exact_contraction**2
        with localcontext(WIDE):
            if form == PRINTED:
                share = (_decimal(square) ** (after + 1)).sqrt() / after if after else Decimal(1)
            else:
                share = merged(_decimal(square), after)
                if form == CONVEX:  # 1/r is no less than that unless rounding has put L above 1
                    share = max(share, 1 / Decimal(after)) if after else Decimal("inf")
            level = float_above(2 * (Decimal(self.lipschitz) / Decimal(self.sigma)) ** 2 * share * Decimal(MARGIN))
        nothing = share == 0 and square == 0  # not only too small for a number
        return 0.0 if nothing else max(level, LEAST)

    def guarantee(self, index: int, records: int, *, public_steps: int = 0, form: str = OPTIMAL) -> Renyi:
        """Return what record i of n is promised when so many steps on public data follow the n private ones."""
        if not (1 <= index <= records):
            raise InputError(f"index is {index}; records are counted from 1 to {records}.")
        return self._curve(records - index + public_steps, form)

    def worst(self, *, public_steps: int = 0, form: str = OPTIMAL) -> Renyi:
        """Return what every record is promised: the last one has the fewest steps behind it."""
        return self._curve(public_steps, form)

    def _curve(self, steps_after: int, form: str) -> Renyi:
        """λ ↦ λ ε_i."""
        level = self.level(steps_after, form)
        return Renyi(lambda order: round_up(order * level), enclosed=partial(self._enclosed, int(steps_after), form))

    def _enclosed(self, after: int, form: str, order: float) -> Enclosure:
        """λ ε_i in balls, for the rational numbers that the constants are."""
        square = self._printed_square if form == PRINTED else self._exact_contraction**2
        if math.isinf(order) or (form == CONVEX and after == 0):
            return UNBOUNDED
        rate = 2 * Fraction(order) * (Fraction(self.lipschitz) / Fraction(self.sigma)) ** 2

        def level() -> arb:
            if form == PRINTED:
                return as_ball(rate) * (as_ball(square).sqrt() ** (after + 1) / after if after else 1)
            share = _merged_ball(square, after)
            return as_ball(rate) * (share.max(1 / as_ball(after)) if form == CONVEX else share)

        return enclose(level)

    def public_steps_for(self, epsilon: float) -> int:
        """The least number of public steps after which every record has ε_i ≤ ε."""
        if not epsilon > 0:
            raise InputError(f"epsilon is {epsilon:g}; the level to reach must be above 0.")
        low, high = -1, 1
        if self.level(0) <= epsilon:
            return 0
        while self.level(high) > epsilon:
            low, high = high, 2 * high
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if self.level(middle) <= epsilon else (middle, high)
        return high

    @property
    def release_guarantee(self) -> Renyi:
        """Of `release`: 2C²/σ² for every record, with no amplification, whose steps must contract to the last bit."""
        return self.worst()

    def release(self, start: Array, records: Iterable[Array], gradient: Gradient, project: Projection) -> FixedPoint:
        """The last iterate of one run, on exact noise.

        Each step is a Gaussian mechanism on the iterate before it: the gradient's floats are brought to a length of C
        at most in rational arithmetic, so that two records move the step by 2ηC at most; its noise has variance η²σ²;
        and what comes out on the grid is all that is projected, and all that later steps see of it.
        """
        rate, variance = Fraction(self.rate), (Fraction(self.rate) * Fraction(self.sigma)) ** 2
        x = np.asarray(start, dtype=float)
        if x.ndim != 1:
            raise InputError(f"start has shape {x.shape}; a release is of one run, so give one point.")
        for record in records:
            slope = shortened(gradient(x, record), self.lipschitz)
            laws = [Gaussian(Fraction(at) - rate * g, variance) for at, g in zip(x.tolist(), slope, strict=True)]
            x = np.asarray(project(one_each(laws, x.shape).floats), dtype=float)
        return FixedPoint.below(x, EXPONENT)

    def simulate(
        self, start: Array, records: Iterable[Array], gradient: Gradient, project: Projection, rng: np.random.Generator
    ) -> Iterator[Array]:
        """The iterates x_1 … x_n in floats, from the records in their order: for experiments, it protects nothing."""
        return iterates(start, records, gradient, project, self.rate, self.sigma, rng)


def iterates(
    start: Array,
    records: Iterable[Array],
    gradient: Gradient,
    project: Projection,
    rate: float,
    sigma: float,
    rng: np.random.Generator,
) -> Iterator[Array]:
    """Algorithm 5 for one iterate, or for a row each of independent runs; σ = 0 is plain projected SGD."""
    x = start
    for record in records:
        noise = sigma * rng.standard_normal(x.shape) if sigma > 0 else 0.0
        x = project(x - rate * (gradient(x, record) + noise))
        yield x


def shortened(vector: Array, longest: float) -> list[Fraction]:
    """The vector, or one of its direction with ‖·‖ ≤ `longest` for certain; what is not finite counts as 0.

    The factor is √(C²/max(C², ‖g‖²)), rounded down to a multiple of 2⁻⁶⁰: nothing branches on the vector.
    """
    vector = np.asarray(vector, dtype=float)
    exact = [Fraction(value) for value in np.where(np.isfinite(vector), vector, 0.0).tolist()]
    square = Fraction(longest) ** 2
    share = square / max(square, sum((value * value for value in exact), Fraction(0)))
    factor = Fraction(math.isqrt(int(share * 2**120)), 2**60)
    return [value * factor for value in exact]


def merged(square: Decimal, steps_after: int) -> Decimal:
    """L^{2r}(1 − L²)/(1 − L^{2(r+1)}) from L²: the best path through the record's own noise and r steps after it."""
    # One over Σ_{j=0}^{r} L^{−2j}, that is L^{−2} of the optimal share of r + 1 contractions.
    # Next to L = 1, where ηρ is as small as one likes, 1 − L² has few of its 60 digits; 1/(r + 1) is above the share.
    if steps_after == 0 or abs(1 - square) * (steps_after + 1) < NEAR_ONE:
        return 1 / Decimal(steps_after + 1)
    return (1 - square) / (square**-steps_after - square)


def _merged_ball(square: Fraction, after: int) -> arb:
    """The same in balls."""
    if after == 0 or square == 1:
        return 1 / as_ball(after + 1)
    return as_ball(1 - square) / (as_ball(square) ** -after - as_ball(square)) if square else as_ball(0)


def _decimal(exact: Fraction) -> Decimal:
    """Its 60 digits."""
    return Decimal(exact.numerator) / Decimal(exact.denominator)


def ball(radius: float) -> Projection:
    """The projection onto the ball of this radius around 0."""

    def project(x: Array) -> Array:
        length = np.linalg.norm(x, axis=-1, keepdims=True)
        return x * np.minimum(1.0, radius / np.maximum(length, radius))

    return project
