"""By what a share can be released: noisy counts, a noisy count, or a draw of a posterior, and what each tells of it.

A mechanism is made by `chosen` of what somebody asks for, kept in release.json as its `spec`, and made again from
there by `build`: so that its level, and what its number says of the share, follow from the file alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from functools import partial
from typing import Any, ClassVar

import numpy as np

from dpsampling.errors import InputError, did_you_mean
from dpsampling.event_logs.mechanisms import neighbours
from dpsampling.event_logs.schema import Unit
from dpsampling.mechanisms.calibration import certify_delta
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior, WeightedPosterior
from dpsampling.numerics.enclosure import enclose_rational
from dpsampling.numerics.exact import draws, laws
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.budget import decimal
from dpsampling.privacy.guarantee import Approximate, Pure, Renyi
from dpsampling.privacy.rounding import float_above
from dpsampling.release.intervals import Draw, Heard, NoisyCount, NoisySum
from dpsampling.release.noise import Noise

FAMILY = BetaBernoulli()
LEAST_EPSILON = 1e-9  # below it, noise is larger than any count
MOST_RECORDS = 10**9
TRUNCATION = 0.05
NOISY_COUNTS, NOISY_COUNT, OPS, GAUSSIAN = "noisy counts", "noisy count", "ops", "gaussian"
POSTERIORS: dict[str, type[WeightedPosterior]] = {
    algorithm.name: algorithm for algorithm in (DirectPosterior, DiffusedPosterior, ConcentratedPosterior)
}
NAMES = (NOISY_COUNTS, NOISY_COUNT, OPS, GAUSSIAN, *POSTERIORS)
WITH_DELTA = (GAUSSIAN, *POSTERIORS)
OF_ROWS = (OPS, *WITH_DELTA)  # for which each row is a unit


@dataclass(frozen=True)
class Wanted:
    """What somebody asks for; `prior` is (a, b) of Beta(a, b)."""

    epsilon: float
    delta: float | None = None
    records: int | None = None
    prior: tuple[float, float] = (1.0, 1.0)
    name: str | None = None
    truncation: float | None = None


# -- noise -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class WholeNoise:
    """Noise on whole counts, of this rate; a row that is replaced `moves` so many of them by 1."""

    rate: Fraction
    moves: ClassVar[int]

    @property
    def noise(self) -> Noise:
        """Its law."""
        return Noise.of(self.rate)

    def level(self, unit: Unit) -> Fraction:
        """With one unit at most m rows change: m times what a row moves, times the rate."""
        return self.rate * self.moves * unit.most

    def guarantee(self, unit: Unit) -> Pure:
        """The level, exactly."""
        exact = self.level(unit)
        return Pure(float_above(exact), conditions=(neighbours(unit),), enclosed=partial(enclose_rational, exact))


@dataclass(frozen=True)
class NoisyCounts(WholeNoise):
    """On the counts of yes and of no, of which a row that is replaced moves both."""

    name: ClassVar[str] = NOISY_COUNTS
    moves: ClassVar[int] = 2

    def draw(self, counts: Sequence[int]) -> FixedPoint:
        """Both, with noise."""
        return noisy(counts, self.rate)

    def off_grid(self, numbers: FixedPoint) -> str | None:
        """Two whole numbers."""
        return whole(numbers, (2,))


@dataclass(frozen=True)
class NoisyCountOfYes(WholeNoise):
    """On the count of yes alone: the others are not yes, and how many rows there are is public."""

    records: int
    name: ClassVar[str] = NOISY_COUNT
    moves: ClassVar[int] = 1

    def draw(self, counts: Sequence[int]) -> FixedPoint:
        """The count of yes, of which N are possible, with noise; it is clipped when it is read."""
        return noisy([min(counts[0], self.records)], self.rate)

    def off_grid(self, numbers: FixedPoint) -> str | None:
        """A whole number."""
        return whole(numbers, (1,))

    def heard(self, numbers: FixedPoint, coin: float) -> Heard:
        """Return what tests of the number of yes see of it."""
        return NoisyCount(float(numbers), coin, self.noise, float(self.records))

    def estimates(self, numbers: FixedPoint, prior: Sequence[float]) -> tuple[float, float]:
        """The number of yes in the data, and the share among all that the rows were drawn from."""
        return of_count(float(numbers), self.records, prior)


@dataclass(frozen=True)
class NoisySumOfYes:
    """The count of yes with normal noise."""

    records: int
    sigma: float
    delta: float
    name: ClassVar[str] = GAUSSIAN

    @property
    def inner(self) -> GaussianStatistic:
        """The noise; what is made of the noisy count afterwards does not matter to it."""
        return GaussianStatistic(FAMILY, (1.0, 2.0), self.records, self.sigma)

    def guarantee(self, unit: Unit) -> Approximate:
        """At its δ."""
        return converted(self.inner.guarantee, self.delta, unit)

    def draw(self, counts: Sequence[int]) -> FixedPoint:
        """The count of yes with noise."""
        return self.inner.release_statistic(float(min(counts[0], self.records)), 1)

    def off_grid(self, numbers: FixedPoint) -> str | None:
        """A number to 53 binary places."""
        return drawn(numbers)

    def heard(self, numbers: FixedPoint, coin: float) -> Heard:
        """A noisy sum."""
        return NoisySum(float(numbers), coin, self.sigma, float(self.records))

    def estimates(self, numbers: FixedPoint, prior: Sequence[float]) -> tuple[float, float]:
        """The noisy count as if it were the count."""
        return of_count(float(numbers), self.records, prior)


# -- draws -------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class PosteriorDraw:
    """One draw from a posterior of Beta(a, b) whose data, or whose prior, weigh differently."""

    name: str
    records: int
    prior: tuple[float, float]
    scale: float
    delta: float

    @property
    def inner(self) -> WeightedPosterior:
        """The mechanism, in natural parameters."""
        return POSTERIORS[self.name](FAMILY, natural(self.prior), self.records, self.scale)

    def guarantee(self, unit: Unit) -> Approximate:
        """At its δ."""
        return converted(self.inner.guarantee, self.delta, unit)

    def draw(self, counts: Sequence[int]) -> FixedPoint:
        """The logit of the share that is drawn."""
        return self.inner.release(float(min(counts[0], self.records)), 1)

    def off_grid(self, numbers: FixedPoint) -> str | None:
        """A number to 53 binary places."""
        return drawn(numbers)

    def heard(self, numbers: FixedPoint, coin: float) -> Draw:
        """One draw; it has no atoms, and needs no coin."""
        del coin
        data, prior = (float(weight) for weight in self.inner.exact_weights(self.scale))
        (a, b), share = self.prior, logistic(float(numbers))
        return Draw(share, prior * a, prior * b, data, float(self.records))

    def estimates(self, numbers: FixedPoint, prior: Sequence[float]) -> tuple[float, float]:
        """The count whose law has the draw for its mean, and the draw itself."""
        del prior
        heard = self.heard(numbers, 0.0)
        return heard.count, heard.value


@dataclass(frozen=True)
class TemperedDraw:
    """One draw from the posterior of Beta(a, b) at a temperature, cut off at both ends."""

    records: int
    prior: tuple[float, float]
    truncation: float
    temperature: float
    name: ClassVar[str] = OPS

    @property
    def inner(self) -> OnePosteriorSample:
        """The mechanism, in natural parameters."""
        return OnePosteriorSample(FAMILY, natural(self.prior), self.records, self.truncation, self.temperature)

    def guarantee(self, unit: Unit) -> Pure:
        """Twice the sensitivity over the temperature."""
        found = self.inner.guarantee
        return Pure(found.epsilon, found.relation, (neighbours(unit), *found.conditions), found.enclosed)

    def draw(self, counts: Sequence[int]) -> FixedPoint:
        """The logit of the share that is drawn."""
        return self.inner.release(float(min(counts[0], self.records)), 1)

    def off_grid(self, numbers: FixedPoint) -> str | None:
        """A number to 53 binary places, inside the window or next to it."""
        low, high = self.inner.support
        fault = drawn(numbers)
        if fault is None and not low - 2.0**-50 <= float(numbers) <= high + 2.0**-50:
            fault = f"the draw is {logistic(float(numbers)):.6g}, outside its window"
        return fault

    def heard(self, numbers: FixedPoint, coin: float) -> Draw:
        """One draw."""
        del coin
        (a, b), t = self.prior, self.temperature
        share = min(max(logistic(float(numbers)), self.truncation), 1.0 - self.truncation)
        return Draw(share, (a - 1.0) / t + 1.0, (b - 1.0) / t + 1.0, 1.0 / t, float(self.records), self.truncation)

    def estimates(self, numbers: FixedPoint, prior: Sequence[float]) -> tuple[float, float]:
        """The count whose law has the draw for its mean, and the draw itself."""
        del prior
        heard = self.heard(numbers, 0.0)
        return heard.count, heard.value


Mechanism = NoisyCounts | NoisyCountOfYes | NoisySumOfYes | PosteriorDraw | TemperedDraw


# -- which one ---------------------------------------------------------------------------------------------------------

BY_NAME: dict[str, type[Mechanism]] = {
    **{kind.name: kind for kind in (NoisyCounts, NoisyCountOfYes, NoisySumOfYes, TemperedDraw)},
    **dict.fromkeys(POSTERIORS, PosteriorDraw),
}


def spec(mechanism: Mechanism) -> dict[str, Any]:
    """Return what release.json keeps: the name and all fields, rationals as texts."""
    values = {field.name: getattr(mechanism, field.name) for field in fields(mechanism)}
    kept = {"rate": str, "prior": list}
    return {"name": mechanism.name, **{name: kept.get(name, lambda x: x)(value) for name, value in values.items()}}


def build(spec: Mapping[str, Any]) -> Mechanism:
    """Return the mechanism of this spec, or raise InputError."""
    read: dict[str, Callable[[Any], Any]] = {
        "name": str,
        "rate": _positive,
        "records": check_records,
        "prior": check_prior,
    }
    try:
        kind = BY_NAME[spec["name"]]
        return kind(**{field.name: read.get(field.name, float)(spec[field.name]) for field in fields(kind)})
    except (LookupError, TypeError, ValueError, ArithmeticError) as error:
        raise InputError(f"mechanism is no mechanism of a share ({error}); see 'dpsampling verify'.") from error


def name_of(wanted: Wanted) -> str:
    """Its name as it is kept: noisy counts, and of a public number of rows one noisy count, unless another is named."""
    if wanted.name is None:
        return NOISY_COUNTS if wanted.records is None else NOISY_COUNT
    name = wanted.name.replace("-", " ")
    if name not in NAMES:
        known = [each.replace(" ", "-") for each in NAMES]
        raise InputError(
            f"--mechanism is {wanted.name}{did_you_mean(wanted.name, known)}; it is one of {', '.join(known)}."
        )
    return name


def check(wanted: Wanted, unit: Unit) -> str:
    """Its name, or an InputError that says what does not go together."""
    name = name_of(wanted)
    check_prior(wanted.prior)
    if wanted.epsilon < LEAST_EPSILON:
        raise InputError(f"epsilon is {wanted.epsilon:g}; its noise would drown any count, raise it.")
    if name == NOISY_COUNTS and wanted.records is not None:
        raise InputError(
            "--records is given, and noisy-counts need no public number of rows; leave it out, or take noisy-count."
        )
    if name != NOISY_COUNTS and wanted.records is None:
        raise InputError(f"--records is missing; {name.replace(' ', '-')} needs the public number of rows.")
    if name in WITH_DELTA and wanted.delta is None:
        raise InputError(f"--delta is missing; {name} protects at (ε, δ) only, as with --delta 1e-6.")
    if name not in WITH_DELTA and wanted.delta is not None:
        raise InputError(
            f"--delta is given, and {name.replace(' ', '-')} protects without one; leave it out (--budget-delta is "
            f"the budget's), or name one of {', '.join(WITH_DELTA)} with --mechanism."
        )
    if name in WITH_DELTA and wanted.delta is not None and not 0 < wanted.delta < 1:
        raise InputError(f"--delta is {wanted.delta:g}; it must be above 0 and below 1, such as 1e-6.")
    if wanted.truncation is not None and name != OPS:
        raise InputError(f"--truncation is given, and {name.replace(' ', '-')} cuts nothing off; it is for ops.")
    if name in OF_ROWS and unit.most > 1:
        raise InputError(
            f"--max-per-unit is {unit.most}, and {name} protects one row of each {unit.name}; keep 1, or take "
            "noisy-counts or noisy-count."
        )
    if wanted.records is not None:
        check_records(wanted.records)
    return name


def chosen(wanted: Wanted, unit: Unit) -> Mechanism:
    """The least noise, or the least distortion, at the level that is wanted."""
    name = check(wanted, unit)
    if name in (NOISY_COUNTS, NOISY_COUNT):
        exactly = min(decimal(wanted.epsilon), Fraction(wanted.epsilon))
        if wanted.records is None:
            return NoisyCounts(exactly / (NoisyCounts.moves * unit.most))
        return NoisyCountOfYes(exactly / (NoisyCountOfYes.moves * unit.most), wanted.records)
    assert wanted.records is not None
    n, eta, epsilon = wanted.records, natural(wanted.prior), wanted.epsilon
    if name == OPS:
        truncation = TRUNCATION if wanted.truncation is None else wanted.truncation
        ops = OnePosteriorSample.calibrate(FAMILY, eta, n, truncation, epsilon=epsilon)
        return TemperedDraw(n, wanted.prior, truncation, ops.temperature)
    assert wanted.delta is not None
    if name == GAUSSIAN:
        sigma = GaussianStatistic.calibrate(FAMILY, eta, n, epsilon=epsilon, delta=wanted.delta).sigma
        return NoisySumOfYes(n, sigma, wanted.delta)
    posterior = POSTERIORS[name].calibrate(FAMILY, eta, n, epsilon=epsilon, delta=wanted.delta)
    return PosteriorDraw(name, n, wanted.prior, posterior.scale, wanted.delta)


# -- what they share ---------------------------------------------------------------------------------------------------


def noisy(counts: Sequence[int] | np.ndarray[Any, Any], rate: Fraction) -> FixedPoint:
    """Counts with noise of this rate, in their shape; nothing is clipped."""
    counts = np.asarray(counts, dtype=object)
    noise = draws.integers(laws.TwoSidedGeometric(rate), counts.size).astype(object)
    return FixedPoint(counts + noise.reshape(counts.shape), 0)


def converted(curve: Renyi, delta: float, unit: Unit) -> Approximate:
    """(ε, δ) of a curve, certified."""
    found = to_approximate(curve, delta)
    certify_delta(curve, found.epsilon, delta)
    return Approximate(found.epsilon, delta, found.relation, (neighbours(unit), *curve.conditions))


def of_count(noisy_count: float, records: int, prior: Sequence[float]) -> tuple[float, float]:
    """A noisy count as what is possible, and the share that it and the prior make."""
    count = min(max(noisy_count, 0.0), float(records))
    return count, (prior[0] + count) / (prior[0] + prior[1] + records)


def natural(prior: Sequence[float]) -> tuple[float, float]:
    """η₀ of Beta(a, b)."""
    return prior[0], prior[0] + prior[1]


def logistic(theta: float) -> float:
    """The share of this logit."""
    return 1.0 / (1.0 + math.exp(-theta)) if theta > -700.0 else math.exp(max(theta, -745.0))


def check_prior(prior: Sequence[float]) -> tuple[float, float]:
    """Two parameters of a Beta."""
    a, b = map(float, prior)
    if not (1e-3 <= a <= 1e9 and 1e-3 <= b <= 1e9):
        raise InputError(f"--prior is {a:g} {b:g}; it is a and b of Beta(a, b), each from 0.001 to 1e9, such as 1 1.")
    return a, b


def check_records(records: int) -> int:
    """A public number of rows."""
    if type(records) is not int or not 1 <= records <= MOST_RECORDS:
        raise InputError(f"--records is {records}; it is the public number of rows, from 1 to {MOST_RECORDS}.")
    return records


def whole(numbers: FixedPoint, shape: tuple[int, ...]) -> str | None:
    """Return what is impossible about noisy counts of this shape."""
    if numbers.exponent != 0:
        return f"the noisy counts are not whole numbers, for their exponent is {numbers.exponent}"
    if numbers.shape != shape:
        return f"the noisy counts have the shape {numbers.shape}, where {shape} belongs"
    if numbers.integers.size and max(abs(k) for k in numbers.integers.ravel()) >= 2**63:
        return "a noisy count is larger than any noise makes it"
    return None


def drawn(numbers: FixedPoint) -> str | None:
    """Return what is impossible about one draw."""
    if numbers.exponent != draws.EXPONENT:
        return f"the draw has the exponent {numbers.exponent}, where {draws.EXPONENT} belongs"
    return None if numbers.shape == (1,) else f"the draw has the shape {numbers.shape}, where (1,) belongs"


def _positive(text: str) -> Fraction:
    value = Fraction(text)
    if value <= 0:
        raise ValueError("a rate is above 0")
    return value
