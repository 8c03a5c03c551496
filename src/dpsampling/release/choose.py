r"""Which mechanism tells a share best: the exact expected error of the number that each would print.

With p ~ Beta(a, b), k ~ Binomial(n, p), and p̃ what a mechanism makes of k,

    E|p̃ − p| = Σ_k Pr(k) E[ℓ_k(p̃) | k],        ℓ_k(x) = E[|x − p| | k],        p | k ~ Beta(a + k, b + n − k),

ℓ_k in closed form (`expected_error.beta_l1_error`), sums over k and over noise by rules that lose nothing (`rules`). At
a p that is given, ℓ(x) = |x − p| and k ~ Binomial(n, p).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicHermiteSpline
from scipy.special import betainc, betaln, expit, log_expit, logit

from dpsampling.errors import InputError
from dpsampling.mechanisms.expected_error import beta_l1_error
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.posterior import DirectPosterior, WeightedPosterior
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.log_concave import nodes_and_weights
from dpsampling.numerics.noisy_counts import successes
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.guarantee import shown
from dpsampling.release.mechanisms import FAMILY, POSTERIORS, check_prior, natural
from dpsampling.release.noise import Noise
from dpsampling.release.rules import Rule, clipped_laplace, clipped_noise, clipped_normal, of_prior

Loss = Callable[[Array], Array]

MOST = 10**6  # rows
LEAST_EPSILON, MOST_EPSILON = 1e-4, 1e3
TRUNCATIONS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3)
GRID = 100  # steps of the grid of the exponential mechanism, at most
SPLINE = 1000  # points of ℓ_k
STEPS = 24.0  # points to a standard deviation of k, at a given p
REACH = 12.0
ZOOMS, SCALES, ORDERS = 6, 16, 70


@dataclass(frozen=True)
class Setting:
    """n rows, ε, a δ or none, Beta(a, b), and p where it is given."""

    n: int
    epsilon: float
    delta: float | None = None
    prior: tuple[float, float] = (1.0, 1.0)
    p: float | None = None

    def __post_init__(self) -> None:
        if type(self.n) is not int or not 1 <= self.n <= MOST:
            raise InputError(f"--n is {self.n}; it is a number of rows, from 1 to {MOST}.")
        if not LEAST_EPSILON <= self.epsilon <= MOST_EPSILON:
            raise InputError(
                f"--epsilon is {self.epsilon:g}; it is compared from {LEAST_EPSILON:g} to {MOST_EPSILON:g}."
            )
        if self.delta is not None and not 0 < self.delta < 1:
            raise InputError(f"--delta is {self.delta:g}; it must be above 0 and below 1, such as 1e-6.")
        if self.p is not None and not 0 < self.p < 1:
            raise InputError(f"--p is {self.p:g}; it is a share above 0 and below 1.")
        check_prior(self.prior)

    @cached_property
    def cases(self) -> list[tuple[float, float, Loss]]:
        """Numbers of yes with their weights, and ℓ of each."""
        if self.p is not None:
            p = self.p
            return [(k, w, lambda x: np.abs(x - p)) for k, w in _thinned(self.n, p)]
        rule = of_prior(self.n, *self.prior)
        a, b = self.prior
        return [
            (k, w, posterior_loss(a + k, b + self.n - k))
            for k, w in zip(rule.at.tolist(), rule.weights.tolist(), strict=True)
        ]

    def mean(self, given: Callable[[float, Loss], float]) -> float:
        """Σ_k w_k of what is given k."""
        return math.fsum(w * given(k, loss) for k, w, loss in self.cases)

    @property
    def fine(self) -> bool:
        """Return whether ℓ has a kink."""
        return self.p is not None


def _thinned(n: int, p: float) -> list[tuple[float, float]]:
    """Binomial(n, p), of which every few are enough where there are many."""
    k, mass = successes(float(n), p)
    step = max(1, math.floor(math.sqrt(n * p * (1.0 - p)) / STEPS))
    k, mass = k[::step], mass[::step]
    return list(zip(k.tolist(), (mass / mass.sum()).tolist(), strict=True))


def posterior_loss(a: float, b: float) -> Loss:
    """x ↦ E|x − p|, p ~ Beta(a, b): a spline of slope 2 Pr(p ≤ x) − 1, and far out the distance to the mean."""
    mean, width = a / (a + b), 1.0 / a + 1.0 / b
    centre = math.log(a) - math.log(b)
    reach = REACH * math.sqrt(width) + (40.0 / min(a, b) if min(a, b) < 40.0 else 0.0)
    u = centre + reach * np.sinh(np.linspace(-2.0, 2.0, SPLINE)) / math.sinh(2.0)
    x = expit(u)
    inside = betainc(a, b, x)
    step = np.exp(a * log_expit(u) + b * log_expit(-u) - betaln(a, b)) / (a + b)
    values = mean - x + 2.0 * ((x - mean) * inside + step)
    slopes = (2.0 * inside - 1.0) * x * expit(-u)
    spline = CubicHermiteSpline(u, values, slopes)

    def loss(at: Array) -> Array:
        with np.errstate(divide="ignore"):
            where = logit(at)
        inside = (where > u[0]) & (where < u[-1])
        return np.where(inside, spline(np.where(inside, where, centre)), np.abs(at - mean))

    return loss


# -- what each would print ---------------------------------------------------------------------------------------------


def no_privacy(s: Setting) -> float:
    """(a + k)/(a + b + n)."""
    a, b = s.prior
    if s.p is not None:
        k, mass = successes(float(s.n), s.p)
        return float(mass @ np.abs((a + k) / (a + b + s.n) - s.p))
    return s.mean(lambda k, loss: float(loss(np.array([(a + k) / (a + b + s.n)]))[0]))


def two_counts(s: Setting, rule: Callable[[float], Rule]) -> float:
    """(a + ŷ)/(a + b + ŷ + n̂), both clipped at 0; `rule` gives one noisy count of another."""
    a, b = s.prior

    def given(k: float, loss: Loss) -> float:
        yes, no = rule(k), rule(s.n - k)
        top = a + yes.at[:, np.newaxis]
        return float(yes.weights @ loss(top / (top + b + no.at)) @ no.weights)

    return s.mean(given)


def one_count(s: Setting, rule: Callable[[float], Rule]) -> float:
    """(a + ŝ)/(a + b + n), clipped to [0, n]."""
    a, b = s.prior

    def given(k: float, loss: Loss) -> float:
        found = rule(k)
        return float(found.weights @ loss((a + found.at) / (a + b + s.n)))

    return s.mean(given)


def beta_draw(s: Setting, data: float, prior: float) -> float:
    """A draw of Beta(wa + rk, wb + r(n − k)), r = `data`, w = `prior`."""
    a, b = prior * s.prior[0], prior * s.prior[1]
    if s.p is not None:
        p = s.p
        k, mass = successes(float(s.n), p)
        return float(mass @ beta_l1_error(a + data * k, b + data * (s.n - k), p))
    return _drawn(s, lambda k: (a + data * k, b + data * (s.n - k)), -math.inf, math.inf)


def tempered_draw(s: Setting, truncation: float) -> float:
    """A draw of OPS."""
    ops = OnePosteriorSample.calibrate(FAMILY, natural(s.prior), s.n, truncation, epsilon=s.epsilon)
    t, (low, high) = ops.temperature, ops.support
    (a, b), n = s.prior, s.n

    def shapes(k: float) -> tuple[float, float]:
        return (k + a - 1.0) / t + 1.0, (n - k + b - 1.0) / t + 1.0

    return _drawn(s, shapes, low, high)


def _drawn(s: Setting, shapes: Callable[[float], tuple[float, float]], low: float, high: float) -> float:
    """A draw whose logit has the density p^A (1−p)^B between two ends."""
    k, weights = (np.array([case[part] for case in s.cases]) for part in (0, 1))
    pairs = np.array([shapes(each) for each in k.tolist()])
    a, b = pairs[:, 0], pairs[:, 1]
    width = 12.0 * np.sqrt(1.0 / np.maximum(a, 0.02) + 1.0 / np.maximum(b, 0.02)) + 45.0 / np.minimum(a, b).clip(0.02)
    centre = np.log(np.maximum(a, 1e-9)) - np.log(np.maximum(b, 1e-9))
    first, last = np.maximum(low, centre - width), np.minimum(high, centre + width)
    first, last = np.where(first < high, first, low), np.where(last > low, last, high)

    def log_f(theta: Array) -> Array:
        return a * log_expit(theta) + b * log_expit(-theta)

    theta, steps = nodes_and_weights(log_f, first, last, panels=5 if s.fine else 3)
    values = log_f(theta)
    density = steps * np.exp(values - values.max(axis=0))
    density /= density.sum(axis=0)
    drawn = expit(theta)
    losses = [float(density[:, j] @ loss(drawn[:, j])) for j, (_, _, loss) in enumerate(s.cases)]
    return float(weights @ np.array(losses))


def on_a_grid(s: Setting) -> float:
    """r ∝ e^{−ε|nr − k|/2} on a grid of shares."""
    grid = np.linspace(0.0, 1.0, min(s.n, GRID) + 1)
    mechanism = ExponentialMechanism(1.0, s.epsilon)

    def given(k: float, loss: Loss) -> float:
        return float(mechanism.probabilities(-np.abs(s.n * grid - k)) @ loss(grid))

    return s.mean(given)


def randomised_response(s: Setting) -> float:
    """Each row lies with probability 1/(1 + e^ε); the share of yes is set right, and clipped to [0, 1]."""
    lie = float(expit(-s.epsilon))

    def at(p: float) -> float:
        k, mass = successes(float(s.n), lie + (1.0 - 2.0 * lie) * p)
        share = np.clip((k / s.n - lie) / (1.0 - 2.0 * lie), 0.0, 1.0)
        return float(mass @ np.abs(share - p))

    if s.p is not None:
        return at(s.p)
    a, b = s.prior

    def log_f(theta: Array) -> Array:
        return a * log_expit(theta) + b * log_expit(-theta)

    reach = 12.0 * math.sqrt(1.0 / a + 1.0 / b) + 45.0 / min(a, b)
    centre = math.log(a) - math.log(b)
    theta, steps = nodes_and_weights(log_f, centre - reach, centre + reach, panels=4)
    density = steps * np.exp(log_f(theta) - log_f(theta).max())
    p = np.clip(expit(theta), 1e-15, 1.0 - 1e-15)
    return float(density @ np.array([at(each) for each in p.tolist()]) / density.sum())


# -- all of them -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choice:
    """One mechanism: its expected error, whether it is to be had, and why, or how."""

    name: str
    error: float
    available: bool
    why: str


def choices(s: Setting) -> list[Choice]:
    """Every mechanism, what is to be had first, and the best of it first."""
    found = [*_pure(s), *_with_delta(s)]
    return sorted(found, key=lambda choice: (not choice.available, not choice.error >= 0, choice.error))


def _pure(s: Setting) -> list[Choice]:
    epsilon, n = s.epsilon, float(s.n)
    halves, whole = Noise(min(epsilon / 2.0, 600.0)), Noise(min(epsilon, 600.0))
    reading = f"--mechanism noisy-count --records {s.n}"
    best = min(((tempered_draw(s, a0), a0) for a0 in TRUNCATIONS), key=lambda pair: pair[0])
    return [
        Choice("no privacy", no_privacy(s), False, "the share itself, which protects nobody: no mechanism is better."),
        Choice(
            "noisy counts",
            two_counts(s, lambda k: clipped_noise(halves, int(k), math.inf, fine=s.fine)),
            True,
            "always to be had, and keeps how many rows there are private: it is the default.",
        ),
        Choice(
            "noisy count",
            one_count(s, lambda k: clipped_noise(whole, int(k), n, fine=s.fine)),
            True,
            f"to be had if the number of rows is public, with half of that noise: {reading}.",
        ),
        Choice(
            "Laplace statistic",
            two_counts(s, lambda k: clipped_laplace(2.0 / epsilon, k, math.inf, fine=s.fine)),
            False,
            "not by this command: noisy counts are the same with whole noise, which tells no more and is no worse.",
        ),
        Choice(
            "ops",
            best[0],
            True,
            f"to be had if the number of rows is public: --mechanism ops --records {s.n} --truncation {best[1]:g}, "
            f"the best of {len(TRUNCATIONS)} truncations here.",
        ),
        Choice(
            "exponential mechanism",
            on_a_grid(s),
            False,
            f"not by this command: on a grid of {min(s.n, GRID) + 1} shares it has twice the noise of a noisy count.",
        ),
        Choice(
            "randomised response",
            randomised_response(s),
            False,
            "not by this command: each row would lie by itself, which is for those who trust nobody with the rows.",
        ),
    ]


def _with_delta(s: Setting) -> list[Choice]:
    if s.delta is None:
        why = "protects at (ε, δ) only, and no --delta is given, such as --delta 1e-6."
        return [Choice(name, math.nan, False, why) for name in ("gaussian", *POSTERIORS)]
    eta, n, delta = natural(s.prior), s.n, s.delta
    how = f"to be had at (ε, δ) if the number of rows is public: --mechanism {{}} --records {n} --delta {delta:g}"
    found = []

    def sigma() -> tuple[float, str]:
        value = GaussianStatistic.calibrate(FAMILY, eta, n, epsilon=s.epsilon, delta=delta).sigma
        return one_count(s, lambda k: clipped_normal(value, k, float(n))), f"noise of {value:.3g} rows"

    found.append(_tried("gaussian", sigma, how))
    direct = DirectPosterior(FAMILY, eta, n)
    level = to_approximate(direct.guarantee, delta).epsilon
    within = level <= s.epsilon
    costs = (
        f"{how.format('direct')}, and it costs ε = {shown(level)}."
        if within
        else (f"not at this ε: it costs what it costs, ε = {shown(level)} at this δ, n and prior.")
    )
    found.append(Choice("direct", beta_draw(s, 1.0, 1.0), within, costs))
    for name in ("diffused", "concentrated"):

        def scaled(name: str = name) -> tuple[float, str]:
            scale = nearly_calibrated(POSTERIORS[name], s.prior, n, s.epsilon, delta)
            data, prior = (float(weight) for weight in POSTERIORS[name].exact_weights(scale))
            told = f"each row counts for {data:.3g}" if name == "diffused" else f"the prior counts {prior:.3g} times"
            return beta_draw(s, data, prior), told

        found.append(_tried(name, scaled, how))
    return found


def nearly_calibrated(
    algorithm: type[WeightedPosterior], prior: tuple[float, float], n: int, epsilon: float, delta: float
) -> float:
    """The scale at (ε, δ) to five digits, in a hundredth of the time of a certified one: grids that close in on it."""
    scales, orders = (-28.0, 0.0), (math.log(1e-3), math.log(1e9))
    found = 1.0
    for _ in range(ZOOMS):
        scale = np.exp(np.linspace(*scales, SCALES))[:, np.newaxis]
        t = np.exp(np.linspace(*orders, ORDERS))
        with np.errstate(all="ignore"):
            level = algorithm.divergence(FAMILY, natural(prior), n, 1.0 + t, scale)
        level = level + (-np.log1p(1.0 / t) + (-math.log(delta) - np.log1p(t)) / t)
        best = np.nanmin(np.where(np.isfinite(level), level, np.inf), axis=1)
        within = np.flatnonzero(best <= epsilon)
        if len(within) == 0:
            raise InputError(f"no scale is as private as ε = {epsilon:g} at δ = {delta:g}; raise either.")
        last = int(within[-1])
        found, at = float(scale[last, 0]), math.log(t[int(np.argmin(level[last]))])
        if found == 1.0:
            break
        # The best order of a grid is not quite the best: what is found may be a little further on.
        step, wide = (scales[1] - scales[0]) / (SCALES - 1), (orders[1] - orders[0]) / 12.0
        scales = (math.log(found) - step / 4.0, min(0.0, math.log(found) + 1.25 * step))
        orders = (at - wide, at + wide)
    return found


def _tried(name: str, compute: Callable[[], tuple[float, str]], how: str) -> Choice:
    """One that is calibrated, if it can be."""
    try:
        error, told = compute()
    except InputError as refused:
        return Choice(name, math.nan, False, f"not at this level: {str(refused).split(';')[0]}.")
    return Choice(name, error, True, f"{how.format(name)}; {told}.")


def text(s: Setting, found: list[Choice]) -> str:
    """One line a mechanism, aligned."""
    width = max(len(choice.name) for choice in found)
    about = f"p = {s.p:g}" if s.p is not None else f"p from Beta({s.prior[0]:g}, {s.prior[1]:g})"
    level = f"ε = {s.epsilon:g}" + (f", δ = {s.delta:g}" if s.delta is not None else "")
    lines = [f"Expected error of the share that is printed, for {s.n} rows, {level}, {about}:", ""]
    for choice in found:
        error = f"{choice.error:10.6f}" if choice.error >= 0 else f"{'—':>10}"
        lines.append(f"  {choice.name:<{width}}  {error}  {choice.why}")
    return "\n".join(lines) + "\n"


def table(found: list[Choice]) -> str:
    """The same as CSV."""
    lines = ["mechanism,expected_error,available,why"]
    for choice in found:
        error = f"{choice.error:.10g}" if choice.error >= 0 else ""
        why = choice.why.replace('"', '""')
        lines.append(f'{choice.name},{error},{"yes" if choice.available else "no"},"{why}"')
    return "\n".join(lines) + "\n"
