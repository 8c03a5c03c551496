r"""Noisy projected SGD (Algorithm 5) and what its last iterate promises each record (Theorem 22).

    x_i = Π_𝕂(x_{i−1} − η(∇ℓ(x_{i−1}, z_i) + N(0, σ² I))),      i = 1 … n,      x_n is released.

For ℓ C-Lipschitz, β-smooth and ρ-strongly convex the release is (α, αε_i)-RDP in record i. With r = n − i later steps,

    convex       2C²/((n − i)σ²)                    as the thesis quotes Feldman et al.; infinite at i = n
    printed      2C²/((n − i)σ²) · (1 − 2ηβρ/(β+ρ))^{(n−i+1)/2},  and 2C²/σ² at i = n
    optimal      (2C²/σ²) · L^{2r}(1 − L²)/(1 − L^{2(r+1)}),  which is 2C²/((n − i + 1)σ²) at ρ = 0

The optimal form takes the record's own step into the path: its map has constant 1 on the shift 2ηC that the record
makes, the r later ones L each. x − η∇ℓ(x) has the Lipschitz constant L = max(|1 − ηρ|, |1 − ηβ|), which quadratics
attain and which is 1 − ηρ for η ≤ 2/(β+ρ); the printed L² = 1 − 2ηβρ/(β+ρ) is nowhere smaller. The proofs are in
docs/amplification.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpsampling.amplification import iteration
from dpsampling.amplification.names import CONVEX, OPTIMAL, PRINTED
from dpsampling.errors import InputError
from dpsampling.privacy.accounting import round_up
from dpsampling.privacy.guarantee import Renyi

Array = NDArray[np.float64]
Gradient = Callable[[Array, Array], Array]
Projection = Callable[[Array], Array]

FORMS = (CONVEX, PRINTED, OPTIMAL)


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
        slow = 1.0 - math.nextafter(self.rate * self.convexity, 0.0)
        fast = math.nextafter(self.rate * self.smoothness, math.inf) - 1.0
        return min(1.0, math.nextafter(max(slow, fast, 0.0), 1.0))

    @property
    def printed_contraction(self) -> float:
        """The constant of Lemma 7, which needs η ≤ 2/(β + ρ), rounded up."""
        limit = 2.0 / (self.smoothness + self.convexity)
        if self.rate > limit:
            raise InputError(f"rate is {self.rate:g}; Lemma 7 needs it to be at most 2/(β + ρ) = {limit:g}.")
        share = 2.0 * self.rate * self.smoothness * self.convexity / (self.smoothness + self.convexity)
        below = share * (1.0 - 2.0**-50)  # by more than the roundings in it
        return min(1.0, math.nextafter(math.sqrt(max(0.0, math.nextafter(1.0 - below, 1.0))), 1.0))

    def level(self, steps_after: int, form: str = OPTIMAL) -> float:
        """ε_i for a record with n − i = `steps_after` steps behind it, private or public."""
        if not (steps_after >= 0 and float(steps_after).is_integer()):
            raise InputError(f"steps_after is {steps_after:g}; it must be a whole number, 0 or more.")
        own = 2.0 * (self.lipschitz / self.sigma) ** 2
        if form == CONVEX:
            return round_up(own / steps_after) if steps_after else math.inf
        if form == PRINTED:
            contraction = self.printed_contraction
            share = iteration.printed(contraction, steps_after) if steps_after else 1.0
        else:
            share = merged(self.contraction, steps_after)
        return math.nextafter(round_up(own * share), math.inf) if share > 0 else 0.0

    def guarantee(self, index: int, records: int, *, public_steps: int = 0, form: str = OPTIMAL) -> Renyi:
        """What record i of n is promised when so many steps on public data follow the n private ones."""
        if not (1 <= index <= records):
            raise InputError(f"index is {index}; records are counted from 1 to {records}.")
        level = self.level(records - index + public_steps, form)
        return Renyi(lambda order: round_up(order * level))

    def worst(self, *, public_steps: int = 0, form: str = OPTIMAL) -> Renyi:
        """What every record is promised: the last one has the fewest steps behind it."""
        level = self.level(public_steps, form)
        return Renyi(lambda order: round_up(order * level))

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

    def run(
        self, start: Array, records: Iterable[Array], gradient: Gradient, project: Projection, rng: np.random.Generator
    ) -> Iterator[Array]:
        """The iterates x_1 … x_n from the records in their order; the last one is released."""
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


def merged(contraction: float, steps_after: int) -> float:
    """L^{2r}(1 − L²)/(1 − L^{2(r+1)}): the best path through the record's own noise and r contractions after it."""
    if steps_after == 0:
        return 1.0
    # One over (Σ_{j=0}^{r} L^{−2j}), that is L^{−2} of the optimal share of r + 1 contractions.
    if contraction in (0.0, 1.0):
        return contraction / (steps_after + 1)
    exponent = -2.0 * math.log(contraction)
    share = -math.expm1(-exponent) * math.exp(-steps_after * exponent) / -math.expm1(-(steps_after + 1) * exponent)
    return max(share, math.ulp(0.0))


def ball(radius: float) -> Projection:
    """The projection onto the ball of this radius around 0."""

    def project(x: Array) -> Array:
        length = np.linalg.norm(x, axis=-1, keepdims=True)
        return x * np.minimum(1.0, radius / np.maximum(length, radius))

    return project
