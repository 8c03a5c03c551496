r"""One Posterior Sample (OPS): the exponential mechanism on the posterior, thesis eq. (4.13).

    Pr_T(θ | X) ∝ [Pr(θ) Pr(X | θ)]^{1/T}  on a window,      T = max(1, 2Δ/ε),

where Δ is the largest change of ln Pr(x | θ) when x is replaced, over the window (thesis eq. (4.12)): 2Δ/T-DP, as
`tempering` derives. Each further draw costs as much again (`accounting.repeat`).

The density is with respect to dp, as the thesis writes it, so tempering moves the Beta's parameters towards 1:

    p ~ Beta((s+α−1)/T + 1, (n−s+β−1)/T + 1)  on [a₀, 1−a₀],           Δ = ln (1−a₀)/a₀                    (4.14)
    θ ~ Dir((n_j+α_j−1)/T + 1)                with every θ_j ≥ a₀,     Δ = ln (1−(K−1)a₀)/a₀.

For two neighbours ln P/Q of the Beta is linear in θ = ln p/(1−p). With d = (s_P − s_Q)/T, μ = E_P θ and the centred
cumulants K(t) = ln E_P e^{t(θ−μ)} ≥ 0,

    ln P/Q = d (θ−μ) + K(−d),         R_λ(P‖Q) = K((λ−1)d)/(λ−1) + K(−d):

sums of what is not negative, so nothing cancels; and e^{tθ} P is a truncated Beta again, whose parameters may be ≤ 0.
Truncation breaks the convexity of Theorem 10, so the worst pair may lie anywhere: every s is looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit

from dpsampling.errors import InputError
from dpsampling.mechanisms.calibration import certify
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.tempering import (
    check_temperature,
    check_truncation,
    cost,
    enclosed_cost,
    sensitivity,
    temperature,
    upper_end,
)
from dpsampling.numerics import truncated_dirichlet
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.exact.arguments import row, single
from dpsampling.numerics.exact.draws import numbers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.truncated import TruncatedLogitBeta, exponent
from dpsampling.numerics.exact.truncated_dirichlet import TruncatedDirichlet
from dpsampling.numerics.truncated_beta import LogitBeta
from dpsampling.numerics.truncated_dirichlet import Draws
from dpsampling.privacy.guarantee import SMALL, Pure, Relation, Renyi
from dpsampling.privacy.rounding import round_up

CURVE_MARGIN = 1.0 + 1e-9  # beyond the error of the cumulants, which is below 1e-10 (see the tests)
HIGHEST_ORDER = 1e7  # not far beyond it, the parameters of a tilted law lose their sum
CHUNK = 2000  # pairs whose quadrature nodes are held in memory together
CONDITIONS = ("one exact draw",)


# -- Beta-Bernoulli ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OnePosteriorSample:
    """OPS of the Beta-Bernoulli system: θ = ln p/(1−p) with p in [`truncation`, 1 − `truncation`]."""

    family: BetaBernoulli
    prior: ArrayLike
    n: float
    truncation: float
    temperature: float = 1.0

    name: ClassVar[str] = "ops"

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", self.family.check_prior(self.prior))
        object.__setattr__(self, "n", self.family.check_records(self.n))
        object.__setattr__(self, "truncation", check_truncation(self.truncation))
        object.__setattr__(self, "temperature", check_temperature(self.temperature))

    @classmethod
    def calibrate(cls, family: BetaBernoulli, prior: ArrayLike, n: float, truncation: float, *, epsilon: float) -> Self:
        """Calibrate the coldest member, down to the posterior itself, that is ε-DP.

        Args:
            family: `BetaBernoulli()`.
            prior: its natural parameters η₀, such as [6, 18] for Beta(6, 12).
            n: the public number of records, a whole number from 1 on.
            truncation: a₀, above 0 and below 1/2: p is drawn from [a₀, 1 − a₀].
            epsilon: ε, above 0 and finite.
        """
        mechanism = cls(family, prior, n, truncation, temperature(sensitivity(truncation), epsilon))
        certify(mechanism.guarantee.enclosure, epsilon)
        return mechanism

    @property
    def guarantee(self) -> Pure:
        """2Δ/T, whatever the data."""
        enclosed = partial(enclosed_cost, self.truncation, self.temperature)
        return Pure(cost(sensitivity(self.truncation), self.temperature), Relation.REPLACE_ONE, CONDITIONS, enclosed)

    @property
    def renyi_guarantee(self) -> Renyi:
        """The exact Rényi curve, at every order, rounded up; far below what 2Δ/T-DP alone implies."""
        pure = self.guarantee

        def curve(order: float) -> float:
            if order > HIGHEST_ORDER:  # no level is above that of the pure guarantee
                return pure.epsilon
            level = float(self.divergence(order))
            # The squares in cumulants of huge temperatures underflow.
            return min(level * CURVE_MARGIN, pure.epsilon) if level > SMALL else pure.renyi().epsilon(order)

        return Renyi(curve, math.inf, Relation.REPLACE_ONE, CONDITIONS)

    @property
    def support(self) -> tuple[float, float]:
        """The window of θ."""
        end = math.log1p(-self.truncation) - math.log(self.truncation)
        return -end, end

    # -- what it releases ----------------------------------------------------------------------------------------

    def law(self, statistic: ArrayLike) -> LogitBeta:
        """The law of θ given Σ x_i = `statistic`."""
        s = self.family.check_statistic(statistic, self.n)
        alpha, total = np.asarray(self.prior)
        a = (s + alpha - 1.0) / self.temperature + 1.0
        b = (self.n - s + (total - alpha) - 1.0) / self.temperature + 1.0
        return LogitBeta(a, b, *self.support)

    def release(self, statistic: ArrayLike, size: int | None = None) -> FixedPoint:
        """Draw θ for one data set, exactly; each draw costs the guarantee once.

        Args:
            statistic: Σ x_i, its successes, from 0 to n.
            size: how many draws, 1 or more, each at that cost; None is one draw by itself.
        """
        return numbers(self.exact_law(statistic), size)

    def exact_law(self, statistic: ArrayLike) -> TruncatedLogitBeta:
        """The law of θ as a program of exact draws."""
        s = Fraction(float(self.family.check_statistic(single("statistic", statistic), self.n)))
        alpha, total = map(Fraction, np.asarray(self.prior).tolist())
        t, a0 = Fraction(self.temperature), Fraction(self.truncation)
        a = (s + alpha - 1) / t + 1
        b = (Fraction(self.n) - s + (total - alpha) - 1) / t + 1
        return TruncatedLogitBeta(a, b, a0, 1 - a0)

    def simulate(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draw θ in floats, `size` for each statistic: for experiments, it protects nothing."""
        law = self.law(statistic)
        return law.sample(rng, None if size is None else (size, *law.peak.shape))

    def simulate_probability(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draws of p = e^θ/(1+e^θ) in floats."""
        return np.clip(expit(self.simulate(statistic, rng, size)), self.truncation, upper_end(self.truncation))

    def log_density(self, theta: ArrayLike, statistic: ArrayLike) -> Array:
        """The log-density of one release at θ, −inf outside the window."""
        return self.law(statistic).log_density(theta)

    # -- what that really costs ----------------------------------------------------------------------------------

    def divergence(self, order: ArrayLike) -> Array:
        """sup R_λ over all neighbouring data sets, for each order."""
        orders = np.asarray(order, dtype=float)
        values = [max(float(np.max(level)) for level, *_ in self._levels(one)) for one in orders.ravel()]
        return np.reshape(values, orders.shape)

    def worst_pair(self, order: float) -> tuple[Array, Array]:
        """Statistics (Σ S, n) of two neighbouring data sets that attain it."""
        best, pair = -math.inf, (0.0, 1.0)
        for level, s_p, s_q in self._levels(order):
            i = int(np.argmax(level))
            if level[i] > best:
                best, pair = float(level[i]), (float(s_p[i]), float(s_q[i]))
        return np.array([pair[0], self.n]), np.array([pair[1], self.n])

    def pair_divergence(self, s_p: ArrayLike, s_q: ArrayLike, order: float) -> Array:
        """R_λ of the laws given two statistics, 1 < λ ≤ ∞."""
        if not order > 1:
            raise InputError(f"order is {order:g}; a Rényi order here is above 1.")
        s_p, s_q = np.broadcast_arrays(np.asarray(s_p, dtype=float), np.asarray(s_q, dtype=float))
        law, shift = self.law(s_p), (s_p - s_q) / self.temperature
        mean, (normalizer,) = centred_cumulants(law, [-shift])
        if math.isinf(order):
            return np.maximum(shift * (np.where(shift > 0, law.high, law.low) - mean) + normalizer, 0.0)
        k = order - 1.0
        _, (tilted,) = centred_cumulants(law, [k * shift])
        return tilted / k + normalizer

    def _levels(self, order: float) -> Iterator[tuple[Array, Array, Array]]:
        """R_λ of every pair of neighbours, with the pairs, in chunks."""
        for start in range(0, int(self.n), CHUNK):
            s = np.arange(start, min(start + CHUNK, int(self.n)), dtype=float)
            s_p, s_q = np.concatenate([s, s + 1.0]), np.concatenate([s + 1.0, s])
            yield self.pair_divergence(s_p, s_q, order), s_p, s_q


class LocalEpsilon(NamedTuple):
    """The ε of one data set among its neighbours, and that of the worst data set there could be."""

    epsilon: Array
    worst_case: float


def local_epsilon(
    successes: ArrayLike, failures: ArrayLike, truncation: float, *, prior: ArrayLike = (1.0, 2.0), t: float = 1.0
) -> LocalEpsilon:
    """max |ln P/Q| over p and over the data sets that differ from this one in one record; T = `t`.

    ln P/Q is monotone in p, so its extremes are at the window's ends. Without a record there is no neighbour: ε = 0.
    """
    successes, failures = np.broadcast_arrays(check_counts(successes), check_counts(failures))
    levels = np.zeros(successes.shape)
    for index in np.ndindex(successes.shape):
        s, n = float(successes[index]), float(successes[index] + failures[index])
        if n == 0:
            continue
        mechanism = OnePosteriorSample(BetaBernoulli(), prior, n, truncation, t)
        others = np.array([other for other in (s - 1.0, s + 1.0) if 0 <= other <= n])
        both = [mechanism.pair_divergence(p, q, math.inf) for p, q in ((s, others), (others, s))]
        levels[index] = np.max(both)
    return LocalEpsilon(levels, round_up(2.0 * sensitivity(truncation) / check_temperature(t)))


def centred_cumulants(law: LogitBeta, tilts: list[Array]) -> tuple[Array, list[Array]]:
    """μ = E θ and K(t) = ln E e^{t(θ−μ)} for each tilt t of the law's shape.

    Small tilts: ln(1 + E φ(t(θ−μ))) with φ(x) = e^x − 1 − x ≥ 0. Large ones: with m the peak and J = ∫ e^{g − g(m)},
    K(t) = t(m_t − μ) + [g(m_t) − g(m)] + ln J_t − ln J, where the index means the law tilted by t.
    """
    y, weights = law.nodes_and_weights(law.left, law.right)
    mass = weights * np.exp(law.rise(y))
    area = mass.sum(axis=0)
    mass = mass / area
    mean = np.sum(mass * y, axis=0)
    spread = np.sqrt(np.sum(mass * (y - mean) ** 2, axis=0))
    cumulants = []
    for tilt in tilts:
        small = np.abs(tilt) * spread < 0.25
        near = np.log1p(np.sum(mass * _exponential_rest(np.where(small, tilt, 0.0) * (y - mean)), axis=0))
        tilted = LogitBeta(np.asarray(law.a) + tilt, np.asarray(law.b) - tilt, law.low, law.high)
        moved = tilted.peak - law.peak
        far = tilt * (moved - mean) + law.rise(moved) + tilted.log_area(tilted.left, tilted.right) - np.log(area)
        cumulants.append(np.where(small, near, far))
    return law.peak + mean, cumulants


def _exponential_rest(x: Array) -> Array:
    """φ(x) = e^x − 1 − x, by its series where that difference would cancel."""
    near = np.abs(x) < 0.5
    inside = np.where(near, x, 0.0)
    series = np.zeros_like(inside)
    for j in range(14, 1, -1):
        series = (series * inside + 1.0) / j
    return np.where(near, series * inside**2, np.expm1(x) - x)


# -- Dirichlet-Categorical ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OneCategoricalSample:
    """OPS of K outcomes, K the length of `prior` (the Dirichlet's α), with every θ_j ≥ `truncation`."""

    prior: ArrayLike
    truncation: float
    temperature: float = 1.0

    name: ClassVar[str] = "ops-categorical"

    def __post_init__(self) -> None:
        prior = np.asarray(self.prior, dtype=float)
        if prior.ndim != 1 or len(prior) < 2 or not np.all((prior > 0) & np.isfinite(prior)):
            raise InputError("prior must be two or more finite numbers above 0, one for each outcome.")
        object.__setattr__(self, "prior", prior)
        object.__setattr__(self, "truncation", check_truncation(self.truncation, len(prior)))
        object.__setattr__(self, "temperature", check_temperature(self.temperature))

    @classmethod
    def calibrate(cls, prior: ArrayLike, truncation: float, *, epsilon: float) -> Self:
        """The coldest member, down to the posterior itself, that is ε-DP."""
        mechanism = cls(prior, truncation, temperature(sensitivity(truncation, np.size(prior)), epsilon))
        certify(mechanism.guarantee.enclosure, epsilon)
        return mechanism

    @property
    def guarantee(self) -> Pure:
        """2Δ/T, whatever the data."""
        delta = sensitivity(self.truncation, np.size(self.prior))
        enclosed = partial(enclosed_cost, self.truncation, self.temperature, np.size(self.prior))
        return Pure(cost(delta, self.temperature), Relation.REPLACE_ONE, CONDITIONS, enclosed)

    def output_parameter(self, counts: ArrayLike) -> Array:
        """(n_j + α_j − 1)/T + 1."""
        counts, prior = check_counts(counts), np.asarray(self.prior)
        if counts.shape != prior.shape:
            raise InputError(f"there are {counts.size} counts; this prior has {prior.size} outcomes, one count each.")
        return (counts + prior - 1.0) / self.temperature + 1.0

    def release(self, counts: ArrayLike, size: int | None = None) -> FixedPoint:
        """Draws of θ for one data set, each at the guarantee's cost.

        A number k·2⁻ᵇ is below its θ_j ≥ a₀ by less than 2⁻ᵇ, so that K of them sum to 1 but for K·2⁻ᵇ.
        """
        return numbers(self.exact_law(counts), size, exponent=exponent(self.truncation))

    def exact_law(self, counts: ArrayLike) -> TruncatedDirichlet:
        """The law of θ as a program of exact draws."""
        self.output_parameter(row("counts", counts))  # checks them
        pairs = zip(np.asarray(counts, dtype=float).tolist(), np.asarray(self.prior).tolist(), strict=True)
        t = Fraction(self.temperature)
        return TruncatedDirichlet([(Fraction(n) + Fraction(alpha) - 1) / t + 1 for n, alpha in pairs], self.truncation)

    def simulate(self, counts: ArrayLike, rng: np.random.Generator, size: int = 1) -> Draws:
        """Draws of θ in floats: for experiments, it protects nothing."""
        return truncated_dirichlet.sample(self.output_parameter(counts), self.truncation, rng, size)

    def log_density(self, theta: ArrayLike, counts: ArrayLike) -> Array:
        """The log-density of θ up to the window's normalizer, −inf outside the window."""
        theta = np.asarray(theta, dtype=float)
        inside = np.all(theta >= self.truncation, axis=-1)
        safe = np.where(inside[..., np.newaxis], theta, 1.0)
        return np.where(inside, truncated_dirichlet.log_density(safe, self.output_parameter(counts)), -np.inf)


def check_counts(counts: ArrayLike) -> Array:
    """Finite and ≥ 0; fractions are allowed, as expected or noisy counts have them."""
    counts = np.asarray(counts, dtype=float)
    good = (counts >= 0) & np.isfinite(counts)
    if not np.all(good):
        raise InputError(f"a count is {counts[~good].flat[0]:g}; counts must be finite and 0 or more.")
    return counts
