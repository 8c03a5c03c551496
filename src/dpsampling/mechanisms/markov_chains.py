r"""What a Markov chain costs when its data are private and its states public (thesis 4.4, UAI appendix C).

With Δ = sup |ln Pr(θ, X) − ln Pr(θ, X′)| and temperature T ≥ 1:

    Gibbs        θ_l′ ∝ Pr(θ_l′, θ_¬l, X)^{1/T}                      2Δ/T an update, by the exponential mechanism (4.18)
    Metropolis   accept with min(1, (Pr(θ′, X)/Pr(θ, X))^{1/T})      (2Δ/T, δ), δ ≥ Pr(reject)          (Theorem C.1)
    annealing    f_j = Pr(θ, X)^{β_j}, β_j = ε_j/(2Δ)                ε_j a draw at temperature j        (eqs. 43–45)

A random scan over variables that each belong to one record is printed as 4ΔQ/N "by subsampling". Subsampling needs an
output that does not tell which records were sampled. Here it tells: θ_l can only change if record l was sampled, so
for that event neighbours differ by the factor of one whole update, and the scan costs 2Δ/T, as a sequential one does.
The printed number and ln(1 + (Q/N)(e^{2Δ/T} − 1)) are for an update of a global θ from a secret sample of records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Self

import numpy as np
from flint import arb
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from dpsampling.errors import InputError
from dpsampling.mechanisms import tempering
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.laplace_statistic import laplace_scale
from dpsampling.numerics import truncated_beta
from dpsampling.numerics.arrays import Array, Booleans
from dpsampling.numerics.exact.arguments import single
from dpsampling.numerics.exact.draws import Law, numbers
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.numerics.exact.laws import Laplace, exponential, rational
from dpsampling.numerics.exact.tape import Tape, positive
from dpsampling.numerics.exact.truncated import TruncatedLogitBeta, exponent, probabilities
from dpsampling.numerics.panels import legendre
from dpsampling.privacy.accounting import compose, repeat
from dpsampling.privacy.guarantee import Approximate, Guarantee, Pure
from dpsampling.privacy.rounding import LEAST, round_up, sum_up

DOUBLING = 1.2564312086261697  # e^x − 1 ≤ 2x up to here
FAMILY = BetaBernoulli()
OWN_RECORD = "each variable's update reads its own record only"
DISTINCT = "no variable is picked twice"
SECRET_SAMPLE = "the output does not tell which records were sampled"


# -- Gibbs ---------------------------------------------------------------------------------------------------------


def gibbs_update(sensitivity: float, temperature: float = 1.0) -> Pure:
    """2Δ/T, whatever the conditional is."""
    return Pure(tempering.cost(_sensitivity(sensitivity), tempering.check_temperature(temperature)))


def gibbs_scan(sensitivity: float, variables: int, temperature: float = 1.0, *, own_records: bool) -> Pure:
    """A pass over all variables: 2Δ/T if each reads its own record (parallel composition), D times that if not."""
    update, variables = gibbs_update(sensitivity, temperature), _whole("variables", variables)
    if own_records:
        return Pure(update.epsilon, conditions=(OWN_RECORD,))
    return Pure(sum_up([update.epsilon], variables))


def gibbs_random_scan(sensitivity: float, temperature: float = 1.0) -> Pure:
    """A pass over Q random variables that each read their own record: 2Δ/T, for any Q (see above)."""
    return Pure(gibbs_update(sensitivity, temperature).epsilon, conditions=(OWN_RECORD, DISTINCT))


def amplified(epsilon: float, sampled: int, records: int) -> Pure:
    """ln(1 + (Q/N)(e^ε − 1)): an ε-DP update that reads Q random records of N, sampled in secret."""
    epsilon, fraction = _level(epsilon), _fraction(sampled, records)
    # ln(1 + q(e^ε − 1)) = ε + ln(q + (1 − q)e^{−ε}) where e^ε would overflow.
    large = epsilon > 30.0
    value = (
        epsilon + math.log(fraction + (1.0 - fraction) * math.exp(-epsilon))
        if large
        else math.log1p(fraction * math.expm1(epsilon))
    )
    return Pure(round_up(max(value, LEAST)), conditions=(SECRET_SAMPLE,))


# -- Metropolis ----------------------------------------------------------------------------------------------------


class Chain(NamedTuple):
    """The public states, one row a time from the start on, and which of the moves were accepted."""

    states: Array
    accepted: Booleans


@dataclass(frozen=True, eq=False)
class MetropolisChain:
    r"""`steps` Metropolis updates of p on [a₀, 1 − a₀], started at a public point (Theorem C.1).

    The proposal is p + U(−w, w), reflected at the ends: f(p, p′) = f(p′, p). The target is
    ℓ(p) = [(k + α − 1) ln p + (n − k + β − 1) ln(1 − p)]/T, T = max(1, 2Δ/ε), with ε and `half_width` w for each step.
    For every p and data, with L = sup |ℓ′|,

        Pr(reject) ≤ E[1 − e^{−L|U|}] = 1 − (1 − e^{−Lw})/(Lw) = δ.

    The theorem's δ must hold for all data: the rejection probability at the data in hand is itself private.
    """

    prior: ArrayLike
    n: float
    a0: float
    epsilon: float
    half_width: float
    steps: int = 1

    def __post_init__(self) -> None:
        prior = FAMILY.check_prior(self.prior)
        if not (prior[0] >= 1 and prior[1] - prior[0] >= 1):
            raise InputError(
                f"prior is {prior.tolist()}; the chain needs α ≥ 1 and β ≥ 1, such as [1, 2] for Beta(1, 1)."
            )
        object.__setattr__(self, "prior", prior)
        object.__setattr__(self, "n", FAMILY.check_records(self.n))
        tempering.upper_end(self.a0)
        _level(self.epsilon)
        _whole("steps", self.steps)
        if not 0 < self.half_width <= 1.0 - 2.0 * self.a0:
            raise InputError(
                f"half_width is {self.half_width:g}; it must be above 0 and at most 1 − 2·a0 = {1 - 2 * self.a0:g}."
            )

    @property
    def window(self) -> tuple[float, float]:
        """The ends of p's window; the upper one is the last float that is not beyond 1 − a₀."""
        return self.a0, tempering.upper_end(self.a0)

    @property
    def temperature(self) -> float:
        """T = max(1, 2Δ/ε)."""
        return tempering.temperature(tempering.sensitivity(self.a0), self.epsilon)

    @property
    def slope(self) -> float:
        """L = sup |ℓ′| over p and all data; ℓ′ is monotone in p and linear in k, so it is at the ends of both."""
        return _slope(np.asarray(self.prior), self.n, self.window) / self.temperature

    @property
    def rejection_bound(self) -> float:
        """δ of one step."""
        return _rejection_bound(self.slope * self.half_width)

    @property
    def guarantee(self) -> Guarantee:
        """(ε, δ) of a step, composed over the steps."""
        epsilon = min(self.epsilon, tempering.cost(tempering.sensitivity(self.a0)))
        step = Approximate(epsilon, self.rejection_bound, conditions=("the start is public",))
        return repeat(step, self.steps)

    @classmethod
    def calibrate(cls, prior: ArrayLike, n: float, a0: float, *, epsilon: float, delta: float, steps: int = 1) -> Self:
        """The widest proposal for which `steps` steps are (epsilon, delta)-DP."""
        if not 0 < delta < 1:
            raise InputError(f"delta is {delta:g}; a Metropolis chain needs a δ above 0 and below 1.")
        steps = _whole("steps", steps)
        level = math.nextafter(_level(epsilon) / steps, 0.0)
        trial = cls(prior, n, a0, level, 1.0 - 2.0 * a0, steps)
        low, high = 0.0, trial.half_width
        if _total(trial) <= delta:
            return trial
        while low < (middle := (low + high) / 2.0) < high:
            holds = _total(cls(prior, n, a0, level, middle, steps)) <= delta
            low, high = (middle, high) if holds else (low, middle)
        return cls(prior, n, a0, level, low, steps)

    def log_target(self, p: ArrayLike, successes: float) -> Array:
        """ℓ(p), up to a constant."""
        first, second = self._exponents(successes)
        return first * np.log(p) + second * np.log1p(-np.asarray(p, dtype=float))

    def rejection(self, p: float, successes: float) -> float:
        """Pr(reject) from p at these data: E[max(0, 1 − e^{ℓ(p′) − ℓ(p)})], by quadrature between its bends."""
        (low, high), w = self.window, self.half_width
        if not low <= p <= 1.0 - self.a0:
            raise InputError(f"p is {p:g}; the chain lives on [{low:g}, {high:g}].")
        p = min(p, high)
        here = self.log_target(p, successes)
        breaks = np.clip(
            [low, high, p, p - w, p + w, 2 * low - p + w, 2 * high - p - w, *self._equals(p, successes)], low, high
        )
        edges = np.unique(np.concatenate([np.linspace(low, high, 65), breaks]))
        x, weights = legendre(20)
        half = np.diff(edges)[:, np.newaxis] / 2.0
        to = edges[:-1, np.newaxis] + half * (1.0 + x)
        ways = sum((np.abs(image - p) < w).astype(float) for image in (to, 2 * low - to, 2 * high - to))
        loss = -np.expm1(np.minimum(0.0, self.log_target(to, successes) - here))
        return float(np.sum(half * weights * ways * loss)) / (2.0 * w)

    def release(self, successes: ArrayLike, size: int = 1, start: float = 0.5) -> FixedPoint:
        """`size` chains, each of which costs the guarantee once: their states, one row a time from the start on.

        The chain itself runs on the numbers p, of which k·2⁻ᵇ are the digits that are shown.
        """
        drawn = numbers(self.exact_law(successes, start), size, exponent=exponent(self.a0))
        return FixedPoint(drawn.integers.T, drawn.exponent)

    def exact_law(self, successes: ArrayLike, start: float = 0.5) -> Law:
        """The states of one chain, as a program of exact draws."""
        s = Fraction(float(FAMILY.check_statistic(single("successes", successes), self.n)))
        alpha, total = map(Fraction, np.asarray(self.prior).tolist())
        t = Fraction(self.temperature)
        first, second = rational((alpha + s - 1) / t), rational((total - 1 - alpha + Fraction(self.n) - s) / t)
        begin, width = rational(self._begin(start)), rational(self.half_width)
        low, high = map(rational, self.window)

        def states(tape: Tape) -> list[arb]:
            p = arb(begin)
            visited = [p]
            for _ in range(self.steps):
                to = p + width * (2 * tape.uniform() - 1)
                # A half-width of the whole window may be an ulp too long, and reflect to beyond the other end.
                while (below := positive(low - to)) or positive(to - high):
                    to = 2 * (low if below else high) - to
                log_ratio = first * (to / p).log() + second * ((1 - to) / (1 - p)).log()
                if positive(log_ratio + exponential(tape)):
                    p = to
                visited.append(p)
            return visited

        return states

    def simulate(self, successes: float, rng: np.random.Generator, size: int = 1, start: float = 0.5) -> Chain:
        """`size` chains in floats: for experiments, it protects nothing."""
        successes = float(FAMILY.check_statistic(successes, self.n))
        low, high = self.window
        states, accepted = np.full((self.steps + 1, size), self._begin(start)), np.empty((self.steps, size), dtype=bool)
        for step in range(self.steps):
            p = states[step]
            to = p + rng.uniform(-self.half_width, self.half_width, size)
            to = np.where(to < low, 2 * low - to, np.where(to > high, 2 * high - to, to))
            to = np.clip(to, low, high)  # a half-width of the whole window may reach an ulp too far
            log_ratio = self.log_target(to, successes) - self.log_target(p, successes)
            accepted[step] = -rng.standard_exponential(size) <= log_ratio
            states[step + 1] = np.where(accepted[step], to, p)
        return Chain(states, accepted)

    def _begin(self, start: float) -> float:
        low, high = self.window
        if not low <= start <= 1.0 - self.a0:
            raise InputError(f"start is {start:g}; it must lie in [{low:g}, {high:g}] and must not depend on the data.")
        return min(float(start), high)

    def _exponents(self, successes: float) -> tuple[float, float]:
        prior = np.asarray(self.prior)
        first = float(prior[0]) + successes - 1.0
        return first / self.temperature, (float(prior[1]) - 2.0 + self.n - first) / self.temperature

    def _equals(self, p: float, successes: float) -> list[float]:
        """The mode and the other point of p's height, where they exist: where the loss bends."""
        first, second = self._exponents(successes)
        if first + second == 0:
            return []
        mode = first / (first + second)
        low, high = self.window
        end = high if p < mode else low

        def height(y: float) -> float:
            return float(self.log_target(y, successes) - self.log_target(p, successes))

        inside = low < mode < high and abs(mode - p) > 1e-12
        return [mode, float(brentq(height, mode, end))] if inside and height(end) < 0 < height(mode) else [mode]


def _total(chain: MetropolisChain) -> float:
    guarantee = chain.guarantee
    return guarantee.delta if isinstance(guarantee, Approximate) else 1.0


def _slope(prior: Array, n: float, window: tuple[float, float]) -> float:
    alpha, beta = float(prior[0]) - 1.0, float(prior[1] - prior[0]) - 1.0
    ends = [(alpha + k) / p - (beta + n - k) / (1.0 - p) for k in (0.0, n) for p in window]
    return max(map(abs, ends))


def _rejection_bound(x: float) -> float:
    """1 − (1 − e^{−x})/x, rounded up; its series where it would cancel."""
    value = x / 2.0 - x * x / 6.0 + x**3 / 24.0 if x < 1e-4 else 1.0 + math.expm1(-x) / x
    return min(1.0, round_up(max(value * (1.0 + 1e-10), LEAST)))


# -- annealed importance sampling ----------------------------------------------------------------------------------


class Weighted(NamedTuple):
    """What may be shown: samples, and private weights of them."""

    samples: Array | FixedPoint
    weights: Array | FixedPoint


@dataclass(frozen=True, eq=False)
class AnnealedImportanceSampler:
    r"""Samples of p that travel from hot to cold, with private normalized weights (UAI eqs. 43–46).

    `path` is ε₀ ≥ ε₁ ≥ … ≥ ε_m: f_j = Pr(p, X)^{β_j}, β_j = ε_j/(2Δ), f₀ the target. A sample is drawn from f_m, then
    from f_{m−1}, …, f₁ (here the Gibbs update of the one variable is an exact draw), and its weight is

        ln ω = Σ_{j<m} (β_j − β_{j+1}) ln Pr(p_j, X),        p_j drawn at f_{j+1}.

    f₀ is only evaluated: a sample costs ε₁ + … + ε_m. The normalized weights have L1 sensitivity 2 and are released
    once, with Laplace(2/ε_w) noise.
    """

    prior: ArrayLike
    n: float
    a0: float
    path: tuple[float, ...]
    samples: int
    weights_epsilon: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "prior", FAMILY.check_prior(self.prior))
        object.__setattr__(self, "n", FAMILY.check_records(self.n))
        tempering.upper_end(self.a0)
        top = tempering.cost(tempering.sensitivity(self.a0))
        object.__setattr__(self, "path", _path(self.path))
        if self.path[0] > top * (1.0 + 1e-12):
            raise InputError(
                f"path starts at ε = {self.path[0]:g}, where T < 1 is colder than the posterior; "
                f"start at 2Δ = {top:.6g} or less."
            )
        _whole("samples", self.samples)
        laplace_scale(self.weights_epsilon)

    @property
    def guarantee(self) -> Guarantee:
        """All draws of all samples, and the weights."""
        draws = repeat(annealing_cost(self.path), _whole("samples", self.samples))
        return compose(draws, Pure(self.weights_epsilon))

    def anneal(self, successes: float, rng: np.random.Generator) -> tuple[Array, Array]:
        """Samples, and ln ω, in floats: for experiments, it protects nothing."""
        successes = float(FAMILY.check_statistic(successes, self.n))
        prior = np.asarray(self.prior)
        first = float(prior[0]) - 1.0 + successes
        second = float(prior[1]) - 2.0 + self.n - first
        delta, high = tempering.sensitivity(self.a0), tempering.upper_end(self.a0)
        betas = [1.0 / tempering.temperature(delta, epsilon) for epsilon in self.path]
        log_weights = np.zeros(self.samples)
        p = np.empty(self.samples)
        for j in range(len(betas) - 2, -1, -1):
            hotter = betas[j + 1]
            p = truncated_beta.sample(first * hotter + 1.0, second * hotter + 1.0, self.a0, high, rng, self.samples)
            log_weights += (betas[j] - hotter) * (first * np.log(p) + second * np.log1p(-p))
        return p, log_weights

    def release(self, successes: ArrayLike) -> Weighted:
        """The samples with weights as noisy as they are: `normalized` makes shares of them, which is free."""
        drawn = numbers(self.exact_law(successes), exponent=exponent(self.a0))
        return Weighted(drawn[: self.samples], drawn[self.samples :])

    def exact_law(self, successes: ArrayLike) -> Law:
        """All samples, and then their noisy weights, as one program of exact draws."""
        s = Fraction(float(FAMILY.check_statistic(single("successes", successes), self.n)))
        alpha, total = map(Fraction, np.asarray(self.prior).tolist())
        first, second = alpha - 1 + s, total - 1 - alpha + Fraction(self.n) - s
        delta, a0 = tempering.sensitivity(self.a0), Fraction(self.a0)
        betas = [1 / Fraction(tempering.temperature(delta, epsilon)) for epsilon in self.path]
        laws = [TruncatedLogitBeta(first * beta + 1, second * beta + 1, a0, 1 - a0) for beta in betas[1:]]
        steps = [
            (law, rational((beta - hotter) * first), rational((beta - hotter) * second))
            for law, beta, hotter in zip(laws, betas, betas[1:], strict=False)
        ]
        noise = Laplace(laplace_scale(self.weights_epsilon))

        def program(tape: Tape) -> list[arb]:
            samples, weights = [], []
            for _ in range(self.samples):
                log_weight = arb(0)
                for law, of_first, of_second in reversed(steps):
                    p, rest = probabilities(law(tape))
                    log_weight += of_first * p.log() + of_second * rest.log()
                samples.append(p)
                weights.append(log_weight.exp())
            unit = 1 / sum(weights, start=arb(0))
            return [*samples, *(weight * unit + noise(tape) for weight in weights)]

        return program

    def simulate(self, successes: float, rng: np.random.Generator) -> Weighted:
        """The samples with their noisy weights, normalized again, in floats: for experiments, it protects nothing."""
        samples, log_weights = self.anneal(successes, rng)
        weights = np.exp(log_weights - log_weights.max())
        return Weighted(samples, normalized(simulate_weights(weights / weights.sum(), self.weights_epsilon, rng)))


def normalized(weights: ArrayLike) -> Array:
    """Noisy weights, clipped at 0 and divided by their sum; all alike if none is above 0."""
    clipped = np.maximum(np.asarray(weights, dtype=float), 0.0)
    total = clipped.sum()
    return clipped / total if total > 0 else np.full(clipped.shape, 1.0 / clipped.size)


def simulate_weights(weights: ArrayLike, epsilon: float, rng: np.random.Generator) -> Array:
    """Weights on the simplex, any two of which are at most 2 apart in L1, with Laplace(2/ε) noise on each.

    They lie along the last axis; each row costs ε.
    """
    weights = np.asarray(weights, dtype=float)
    sums = weights.sum(axis=-1)
    if not (np.all(np.isfinite(weights)) and np.all(weights >= 0) and np.all(np.abs(sums - 1.0) < 1e-9)):
        raise InputError("weights must be finite, 0 or more and sum to 1; divide them by their sum.")
    return weights + rng.laplace(0.0, laplace_scale(epsilon), weights.shape)


def annealing_cost(path: Sequence[float], variables: int = 1, *, own_records: bool = False) -> Pure:
    """Σ_{j≥1} ε_j of one sample (eq. 45), times D without parallel composition (eq. 44)."""
    total = sum_up(_path(path)[1:], 1 if own_records else _whole("variables", variables))
    return Pure(total, conditions=(OWN_RECORD,) if own_records else ())


# -- the table of costs --------------------------------------------------------------------------------------------


def costs_table(
    a0: float, n: int, *, epsilon: float, sampled: int, half_width: float, steps: int, path: Sequence[float]
) -> list[dict[str, object]]:
    """What each method costs on the truncated Beta-Bernoulli with a uniform prior; `epsilon` is that of one step.

    `sampled` is Q; a Gibbs scan has n variables, one a record. A number that does not hold has its reason as condition.
    """
    sensitivity = tempering.sensitivity(a0)
    step, n = _level(epsilon), _whole("n", n)
    temperature = tempering.temperature(sensitivity, step)
    update = gibbs_update(sensitivity, temperature)
    here = f"a0={a0:g} T={temperature:.6g}"
    scan = f"{here} Q={sampled} N={n}"
    move = MetropolisChain((1.0, 2.0), n, a0, step, half_width, 1)
    chain = MetropolisChain((1.0, 2.0), n, a0, step, half_width, steps)
    moved = f"{here} N={n} w={half_width:g}"
    printed = round_up(2.0 * update.epsilon * _fraction(sampled, n))
    within = "at most" if update.epsilon <= DOUBLING else f"not met: {update.epsilon:.6g} is above"
    levels = f"{len(_path(path))} temperatures"
    rows: list[tuple[str, str, Guarantee, str]] = [
        ("Gibbs update", here, update, ""),
        (
            "Gibbs sequential scan, parallel",
            f"{here} D={n}",
            gibbs_scan(sensitivity, n, temperature, own_records=True),
            "",
        ),
        ("Gibbs sequential scan, sum", f"{here} D={n}", gibbs_scan(sensitivity, n, temperature, own_records=False), ""),
        ("Gibbs random scan", scan, gibbs_random_scan(sensitivity, temperature), ""),
        (
            "random sample of records, as printed",
            scan,
            Pure(printed, conditions=(SECRET_SAMPLE,)),
            f"2Δ/T {within} {DOUBLING:.4f}",
        ),
        ("random sample of records", scan, amplified(update.epsilon, sampled, n), ""),
        ("Metropolis step", moved, move.guarantee, ""),
        ("Metropolis chain", f"{moved} steps={steps}", chain.guarantee, ""),
        ("annealed sample, parallel", levels, annealing_cost(path, n, own_records=True), ""),
        ("annealed sample, sum", f"{levels} D={n}", annealing_cost(path, n), ""),
        ("annealed weights", f"epsilon={step:g}", Pure(step), "all samples' weights together"),
    ]
    return [
        {
            "method": method,
            "parameters": parameters,
            "epsilon": guarantee.epsilon,
            "delta": guarantee.delta if isinstance(guarantee, Approximate) else 0.0,
            "condition": "; ".join([*guarantee.conditions, *([condition] if condition else [])]),
        }
        for method, parameters, guarantee, condition in rows
    ]


# -- what the parameters may be ------------------------------------------------------------------------------------


def _sensitivity(sensitivity: float) -> float:
    if not 0 < sensitivity < math.inf:
        raise InputError(f"sensitivity is {sensitivity:g}; it must be above 0 and finite: truncate the parameters.")
    return float(sensitivity)


def _level(epsilon: float) -> float:
    if not 0 < epsilon < math.inf:
        raise InputError(f"epsilon is {epsilon:g}; it must be above 0 and finite.")
    return float(epsilon)


def _whole(name: str, value: float) -> int:
    if not (value >= 1 and math.isfinite(value) and float(value).is_integer()):
        raise InputError(f"{name} is {value:g}; it must be a whole number, 1 or more.")
    return int(value)


def _fraction(sampled: int, records: int) -> float:
    sampled, records = _whole("sampled", sampled), _whole("records", records)
    if sampled > records:
        raise InputError(f"sampled is {sampled}; no more than records = {records} can be sampled: lower it.")
    return sampled / records


def _path(path: Sequence[float]) -> tuple[float, ...]:
    values = tuple(float(value) for value in path)
    if len(values) < 2 or not all(0 < value < math.inf for value in values) or list(values) != sorted(values)[::-1]:
        raise InputError(
            f"path is {list(values)}; give two or more ε's above 0 that do not increase, the target's first."
        )
    return values
