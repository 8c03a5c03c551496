r"""Noisy counts, and then the usual posterior as often as one likes (thesis 4.15, UAI eq. 16).

    Ŝ = proj(S(X) + (Y₁, …, Y_K)),        Y_j ~ Laplace(ΔS/ε),        ΔS = sup ‖S(x′) − S(x)‖₁ = 2

for counts of K outcomes, where replacing a record moves one count up and another down. `proj` clips each count at 0
("zero", the text's) or to [0, N] ("range"; N is public). Releasing Ŝ is ε-DP, and every sample, mean or change of
prior made of it afterwards is free.

With noise on the whole numbers, Pr(Y = y) ∝ q^|y|, two neighbours' ratio is at most q^{−|1|}·q^{−|−1|} = q^{−2}, so
q = e^{−ε/2}: the same ε as the continuous noise of scale 2/ε, and no less where both counts are
away from the clip.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, log_expit

from dpsampling.errors import InputError
from dpsampling.mechanisms.calibration import VALUE_MARGIN, certify, check_epsilons, check_order
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.numerics.arrays import Array, Indices
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.numerics.exact.arguments import check_size, row, single
from dpsampling.numerics.exact.draws import integers, numbers, one_each
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Laplace, LogitBeta, TwoSidedGeometric
from dpsampling.numerics.noisy_counts import laplace_rule
from dpsampling.privacy.guarantee import Pure, Relation

Noise = Literal["continuous", "discrete"]
Projection = Literal["zero", "range"]

NOISES = ("continuous", "discrete")
PROJECTIONS = ("zero", "range")
SENSITIVITY = 2.0  # of one-hot counts in L1, when one record is replaced
REACH = 70.0  # noise beyond this many scales has mass e^-70
REFINE = 6  # θ = −10⁵ sees counts of 10⁻⁵
SPREAD = 250.0  # by how much a block's log-weights may differ between its θ's
DROP = 45.0
SMALLEST_EPSILON = 1e-12  # below it, a geometric variable of mean 2/ε has no exact float


@dataclass(frozen=True)
class LaplaceCounts:
    """Ŝ for a vector of K counts that one record enters once.

    Args:
        epsilon: ε, above 0 and finite; discrete noise needs 1e-12 or more.
        projection: "zero" clips noisy counts at 0, "range" to [0, N].
        records: the public N, a whole number from 1 on, which counts then sum to; "range" needs it.
        noise: "continuous", or "discrete" for whole numbers.
    """

    epsilon: float
    projection: Projection = "zero"
    records: float | None = None
    noise: Noise = "continuous"

    def __post_init__(self) -> None:
        laplace_scale(self.epsilon)
        check_projection(self.projection)
        if self.noise not in NOISES:
            raise InputError(f"noise is '{self.noise}'; it is 'continuous' or 'discrete'.")
        if self.noise == "discrete" and self.epsilon < SMALLEST_EPSILON:
            raise InputError(
                f"epsilon is {self.epsilon:g}; discrete noise needs {SMALLEST_EPSILON:g} or more: "
                "use the continuous noise or raise ε."
            )
        if self.records is not None:
            object.__setattr__(self, "records", BetaBernoulli().check_records(self.records))
        elif self.projection == "range":
            raise InputError("projection is 'range' but records is not given; give the public N, or use 'zero'.")

    @property
    def guarantee(self) -> Pure:
        """ε-DP, once, whatever is made of the counts afterwards."""
        # The noise of `release` has the rate ε/2 itself, so that the level is ε to the last digit.
        conditions = ("each record is in exactly one count",)
        return Pure(self.epsilon, Relation.REPLACE_ONE, conditions, lambda: Enclosure(self.epsilon, self.epsilon))

    @property
    def scale(self) -> float:
        """b = 2/ε of the continuous noise."""
        return laplace_scale(self.epsilon)

    def release(self, counts: ArrayLike, size: int | None = None) -> FixedPoint:
        """Draw noisy counts of one data set, exactly; each row of them costs the guarantee once.

        Args:
            counts: two or more, finite and 0 or more; whole with discrete noise.
            size: how many rows, 1 or more, each at that cost; None is one row by itself.
        """
        values = row("counts", check_counts(counts, self.records, whole=self.noise == "discrete"))
        scale = 2 / Fraction(self.epsilon)
        upper = int(self.records) if self.projection == "range" and self.records is not None else None
        if self.noise == "continuous":
            laws = [Laplace(scale, count) for count in values.tolist()]
            return numbers(lambda tape: [law(tape) for law in laws], size).clipped(0, upper)
        noise = integers(TwoSidedGeometric(1 / scale), len(values) * (1 if size is None else check_size(size)))
        noisy = noise.astype(object).reshape(-1, len(values)) + np.array([int(c) for c in values], dtype=object)
        return FixedPoint(noisy if size is not None else noisy[0], 0).clipped(0, upper)

    def simulate(self, counts: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draw noisy counts in floats, `size` for each row of counts: for experiments, it protects nothing."""
        counts = check_counts(counts, self.records, whole=self.noise == "discrete")
        shape = counts.shape if size is None else (size, *counts.shape)
        if self.noise == "continuous":
            noise = rng.laplace(0.0, self.scale, shape)
        else:
            # A difference of two geometric variables is two-sided geometric.
            success = -math.expm1(-self.epsilon / 2.0)
            noise = np.asarray(rng.geometric(success, shape) - rng.geometric(success, shape), dtype=float)
        upper = self.records if self.projection == "range" else None
        return np.clip(counts + noise, 0.0, upper)

    def rule(self, count: float) -> tuple[Array, Array]:
        """Nodes and weights of one noisy count, its atom at 0 first."""
        upper = float(self.records) if self.projection == "range" and self.records is not None else math.inf
        if self.noise == "continuous":
            nodes, weights = laplace_rule(np.array([count]), self.scale, upper, reach=REACH, refine=REFINE)
            return nodes[0], weights[0]
        q = math.exp(-self.epsilon / 2.0)
        nodes = np.arange(0.0, min(upper, count + math.ceil(REACH * self.scale)) + 1.0)
        weights = -math.expm1(-self.epsilon / 2.0) / (1.0 + q) * np.exp(-np.abs(nodes - count) * self.epsilon / 2.0)
        weights[0] = math.exp(-count * self.epsilon / 2.0) / (1.0 + q)  # Pr(Y ≤ −count)
        if math.isfinite(upper) and nodes[-1] == upper:
            weights[-1] = math.exp(-(upper - count) * self.epsilon / 2.0) / (1.0 + q)
        return nodes, weights


def laplace_scale(epsilon: float) -> float:
    """2/ε, or the next float where its rounding would cost more than ε."""
    if not (0 < epsilon < math.inf and math.isfinite(SENSITIVITY / epsilon)):
        raise InputError(f"epsilon is {epsilon:g}; Laplace noise needs a finite ε above 0, such as 1.")
    scale = SENSITIVITY / epsilon
    return scale if scale * epsilon > SENSITIVITY else math.nextafter(scale, math.inf)


def check_projection(projection: Projection) -> Projection:
    """'zero' or 'range'."""
    if projection not in PROJECTIONS:
        raise InputError(f"projection is '{projection}'; it is 'zero' (counts clipped at 0) or 'range' (to [0, N]).")
    return projection


def check_counts(counts: ArrayLike, records: float | None = None, *, whole: bool = False) -> Array:
    """Finite counts of 0 or more, along the last axis; with `records`, they sum to it."""
    counts = np.asarray(counts, dtype=float)
    good = np.isfinite(counts) & (counts >= 0) & (not whole or counts == np.floor(counts))
    if counts.ndim == 0 or counts.shape[-1] < 2:
        raise InputError(f"counts has shape {counts.shape}; give one count for each of two outcomes or more.")
    if not np.all(good):
        kind = "finite whole numbers" if whole else "finite numbers"
        raise InputError(f"counts holds {counts[~good].flat[0]:g}; counts must be {kind}, 0 or more.")
    if records is not None and not np.allclose(counts.sum(axis=-1), records, rtol=1e-12, atol=1e-9):
        raise InputError(f"counts do not sum to records = {records:g}; each record must be in exactly one count.")
    return counts


@dataclass(frozen=True, eq=False)
class CountPosterior:
    """Dirichlet(α + Ŝ): what the released counts are turned into, at no further cost."""

    concentration: Array

    @classmethod
    def of(cls, prior: ArrayLike, noisy: ArrayLike) -> Self:
        """The posterior of a Dirichlet prior α and noisy counts; (α, β) of a Beta for two outcomes."""
        noisy = check_counts(noisy)
        prior = np.asarray(prior, dtype=float)
        if not (np.all(np.isfinite(prior)) and np.all(prior > 0) and prior.shape in ((), noisy.shape[-1:])):
            raise InputError(
                f"prior is {prior.tolist()}; it must be one number above 0 for all outcomes or one for each, such as 1."
            )
        return cls(prior + noisy)

    @property
    def mean(self) -> Array:
        """The posterior mean of the outcomes' probabilities."""
        return self.concentration / self.concentration.sum(axis=-1, keepdims=True)

    def sample(self, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draws of the outcomes' probabilities: Gamma variables, on the log scale, normalized."""
        shape = self.concentration.shape if size is None else (size, *self.concentration.shape)
        # ln G_a is ln G_{a+1} + ln(U)/a, so that concentrations near 0 do not underflow.
        logs = np.log(rng.standard_gamma(self.concentration + 1.0, shape))
        logs -= rng.standard_exponential(shape) / self.concentration
        logs -= logs.max(axis=-1, keepdims=True)
        return np.exp(logs) / np.exp(logs).sum(axis=-1, keepdims=True)


@dataclass(frozen=True, eq=False)
class LaplaceStatistic:
    r"""θ = ln p/(1−p) of one draw p ~ Beta(α + ŝ, β + t̂), noisy counts ŝ of successes and t̂ of failures.

    Its law is a mixture over both noisy counts, whose atoms at 0 (and N) it keeps apart:

        A(θ) = Σ_ij w_i w′_j  p^{α + s_i} (1 − p)^{β + t_j} / B(α + s_i, β + t_j).

    Noise beyond 70 scales is left out: the relative error of A is below 1e-8 wherever A(θ) > e^-50 √n, and for all
    |θ| ≤ 10⁵ where n is below 70 scales.
    """

    family: BetaBernoulli
    prior: ArrayLike
    n: float
    epsilon: float
    projection: Projection = "zero"
    noise: Noise = "continuous"

    name: ClassVar[str] = "laplace"

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", self.family.check_prior(self.prior))
        object.__setattr__(self, "n", self.family.check_records(self.n))
        LaplaceCounts(self.epsilon, self.projection, self.n, self.noise)

    @property
    def counts(self) -> LaplaceCounts:
        """The release that θ is made of."""
        return LaplaceCounts(self.epsilon, self.projection, self.n, self.noise)

    @property
    def guarantee(self) -> Pure:
        """ε-DP; θ is post-processing of the noisy counts."""
        return self.counts.guarantee

    @classmethod
    def calibrate(
        cls,
        family: BetaBernoulli,
        prior: ArrayLike,
        n: float,
        *,
        order: float,
        epsilon: float,
        projection: Projection = "zero",
        noise: Noise = "continuous",
    ) -> Self:
        """The least noise whose pure ε₀ implies (order, epsilon)-RDP; ε₀ is the larger of the two."""
        order, level = check_order(order), float(check_epsilons(epsilon)[0])

        def implied(pure: float) -> float:
            return Pure(pure).renyi().epsilon(order) * VALUE_MARGIN

        # Any ε₀ below the target keeps it, since the Rényi level is at most ε₀; halve until neither end moves.
        low, high = level / VALUE_MARGIN, level
        while implied(high) <= level and high < math.inf:
            low, high = high, 2.0 * high
        while low < (middle := (low + high) / 2.0) < high:
            low, high = (middle, high) if implied(middle) <= level else (low, middle)
        mechanism = cls(family, prior, n, low, projection, noise)
        curve = mechanism.guarantee.renyi()
        certify(curve.enclosed and curve.enclosed(order), level, f" at order {order:g}")
        return mechanism

    def release_counts(self, statistic: ArrayLike, size: int | None = None) -> FixedPoint:
        """(ŝ, t̂) of one data set along the last axis, what the guarantee is about; anything made of it is free."""
        successes = single("successes", self.family.check_statistic(statistic, self.n))
        return self.counts.release([successes, self.n - successes], size)

    def simulate_counts(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """The same in floats, for each statistic; it protects nothing."""
        statistic = self.family.check_statistic(statistic, self.n)
        return self.counts.simulate(np.stack([statistic, self.n - statistic], axis=-1), rng, size)

    def posterior(self, noisy: ArrayLike) -> Array:
        """The law (α + ŝ, β + t̂) of noisy counts."""
        return self.family.law(self.prior) + np.asarray(noisy, dtype=float)

    def release(self, statistic: ArrayLike, size: int | None = None) -> FixedPoint:
        """Draws of θ, each from its own noisy counts of the data set; each costs the guarantee once."""
        noisy = self.release_counts(statistic, size)
        alpha, beta = self.family.exact_shapes(self.prior)
        counts = noisy.fractions
        laws = [LogitBeta(alpha + s, beta + t) for s, t in zip(counts[::2], counts[1::2], strict=True)]
        return one_each(laws, noisy.shape[:-1])

    def simulate(self, statistic: ArrayLike, rng: np.random.Generator, size: int | None = None) -> Array:
        """Draws of θ in floats for each statistic: for experiments, it protects nothing."""
        return self.family.sample(self.posterior(self.simulate_counts(statistic, rng, size)), rng)

    def log_density(self, theta: ArrayLike, statistic: ArrayLike) -> Array:
        """ln A(θ) of one statistic."""
        successes = float(self.family.check_statistic(statistic, self.n))
        theta, (alpha, beta) = np.asarray(theta, dtype=float), self.family.law(self.prior).tolist()
        first, second = self.counts.rule(successes), self.counts.rule(self.n - successes)
        return _log_mixture(alpha, beta, first, second, theta.ravel()).reshape(theta.shape)

    def worst_pair(self, order: float) -> tuple[Array, Array]:
        """Two neighbouring statistics; the promise is about the counts before clipping, where every pair is alike.

        θ itself tells most at the end of the smaller prior count, or where the noise hides the ends, in the middle.
        """
        del order
        prior = np.asarray(self.prior, dtype=float)
        first, second = (0.0, 1.0) if prior[0] <= prior[1] / 2.0 else (self.n, self.n - 1.0)
        if self.counts.scale > self.n / 10.0:
            first = math.floor(self.n / 2.0)
            second = first + 1.0
        return np.array([first, self.n]), np.array([second, self.n])


def _log_mixture(
    alpha: float, beta: float, first: tuple[Array, Array], second: tuple[Array, Array], theta: Array
) -> Array:
    """ln Σ_ij w_i w′_j p^{α+s_i} (1−p)^{β+t_j}/B(α+s_i, β+t_j), in blocks of θ's that see the same terms."""
    (s, w), (t, v) = first, second
    with np.errstate(divide="ignore"):
        # Atoms of underflowing mass are ln 0: they do not count.
        rows, columns = np.log(w) - gammaln(alpha + s), np.log(v) - gammaln(beta + t)
    p_log, q_log = log_expit(theta), log_expit(-theta)
    joint = alpha + beta + s[:, np.newaxis] + t
    log_joint = gammaln(joint)
    # Γ(x + t)/Γ(x₀ + t) grows with t: seen at the largest t, no row is weaker against the first than it looks.
    row_bound = rows + log_joint[:, -1] - log_joint[0, -1]
    column_bound = columns + log_joint[-1] - log_joint[-1, 0]
    result = np.empty(theta.shape)
    order = np.argsort(theta, kind="stable")
    for block in _blocks(order, s[-1], t[-1], p_log, q_log):
        p_block, q_block = p_log[block], q_log[block]
        p_mid, q_mid = p_block[len(block) // 2], q_block[len(block) // 2]
        keep_s = _strong(row_bound + s * p_mid)
        keep_t = _strong(column_bound + t * q_mid)
        s_kept, t_kept = s[keep_s], t[keep_t]
        terms = log_joint[np.ix_(keep_s, keep_t)]
        terms = terms + (rows[keep_s] + s_kept * p_mid)[:, np.newaxis] + columns[keep_t] + t_kept * q_mid
        top = terms.max()
        left = np.exp(np.outer(p_block - p_mid, s_kept))
        right = np.exp(np.outer(q_block - q_mid, t_kept))
        result[block] = top + np.log(np.sum((left @ np.exp(terms - top)) * right, axis=1))
    return result + alpha * p_log + beta * q_log


def _blocks(order: Indices, s_top: float, t_top: float, p_log: Array, q_log: Array) -> list[Indices]:
    """Runs of neighbouring θ's over which no term changes by more than e^`SPREAD`."""
    travelled = s_top * p_log[order] - t_top * q_log[order]
    if not len(order):
        return []
    starts, start = [0], travelled[0]
    for i, value in enumerate(travelled):
        if value - start > SPREAD:
            starts.append(i)
            start = value
    return np.split(order, starts[1:])


def _strong(bound: Array) -> Indices:
    """The terms that may matter: those not certain to be below e^-(`DROP` + 2 `SPREAD`) of the first one."""
    return np.flatnonzero((bound > bound[0] - DROP - 2.0 * SPREAD) & np.isfinite(bound))
