r"""Both sides of the definitions and lemmas of thesis sections 3.3 and 4.6.

Three conjugate families, with T(θ) = (θ, −A(θ)) and B(η) = ln ∫ exp(η·T(θ)) dθ:

    Beta        A(θ) = ln(1 + e^θ)             B = ln Γ(η¹) + ln Γ(η² − η¹) − ln Γ(η²)
    Dirichlet   A(θ) = ln(1 + e^θ¹ + e^θ²)     B = Σ ln Γ(aⱼ) − ln Γ(η³), a = (η¹, η², η³ − η¹ − η²)
    Gaussian    A(θ) = θ²/2                    B = (η¹)²/(2η²) + ½ ln(2π/η²)

`exact` is computed from densities on a grid of θ (the trapezoidal rule, which for such integrands converges faster than
any power of its step), by enumeration, or by a numerical search; `printed` and `right` from the formulas.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import root
from scipy.special import gamma, gammaln, logsumexp, polygamma
from scipy.stats import binom, multinomial

from dpsampling.mechanisms.laplace_statistic import laplace_scale
from reproduction.experiments.posteriors import family_lemmas as said

Array = NDArray[np.float64]
Row = tuple[str, str, float, float, float | None, float | None]

STEP = 0.01  # of central differences of sixth order, relative to the least count
DIFFERENCES = {-3: -1.0, -2: 9.0, -1: -45.0, 1: 45.0, 2: -9.0, 3: 1.0}  # over 60 steps
SEGMENT_POINTS = 201  # where ‖∇²B‖ is taken between η and η + γ
SHIFTS = (0.1, 0.3, 1.0, 3.0, 10.0)  # ‖γ‖
LEVELS = (3.0, 10.0, 30.0)  # ν
RADII = (0.1, 0.4, 0.9, 2.0)  # δ of Lemma 13
LONG, TRIALS, SKEWED = 10_000, 60, (0.5, 0.47, 0.03)  # flips of a coin; draws of three outcomes, one of them rare
STATISTICS: dict[str, Array] = {
    "x of {0, 1}": np.array([[0.0], [1.0]]),
    "(x, 1 − x) of {0, 1}": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "two of three indicators": np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]),
    "all three indicators": np.eye(3),
    "(x, x²) of {0, 1, 2}": np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 4.0]]),
    "(x, 2x) of {0, 1}": np.array([[0.0, 0.0], [1.0, 2.0]]),
}


@dataclass(frozen=True)
class Family:
    """A conjugate family with one of its members, and a grid of θ that holds its mass."""

    name: str
    eta: Array
    normalizer: Callable[[Array], float]  # B
    hessian: Callable[[Array], Array]  # ∇²B
    log_partition: Callable[[Array], Array]  # A, of rows θ
    inverse_mean: Callable[[Array], Array]  # θ with ∇A(θ) = χ
    theta: Array  # rows

    def statistics(self, theta: Array) -> Array:
        """T(θ), row by row."""
        return np.column_stack([theta, -self.log_partition(theta)])

    def log_weights(self, eta: Array) -> Array:
        """The logarithm of the member's mass of every point of the grid."""
        log = self.statistics(self.theta) @ eta
        return np.asarray(log - logsumexp(log))


def families(prior: Array) -> list[Family]:
    """The Beta prior that is asked for and one with more records, a Dirichlet and a Gaussian."""
    line = np.linspace(-80.0, 80.0, 40_001)[:, np.newaxis]
    side = np.linspace(-25.0, 25.0, 501)
    plane = np.array(list(itertools.product(side, side)))
    return [
        *(
            Family("Beta", eta, beta_normalizer, beta_hessian, softplus, logits, line)
            for eta in (prior, np.array([50.0, 150.0]))
        ),
        Family("Dirichlet", np.array([4.0, 3.0, 9.0]), beta_normalizer, beta_hessian, softplus, logits, plane),
        Family(
            "Gaussian",
            np.array([2.0, 5.0]),
            gaussian_normalizer,
            gaussian_hessian,
            lambda theta: theta[:, 0] ** 2 / 2.0,
            lambda chi: chi,
            line / 8.0,
        ),
    ]


def softplus(theta: Array) -> Array:
    """ln(1 + Σ e^θⱼ)."""
    return np.asarray(np.logaddexp.reduce(np.column_stack([np.zeros(len(theta)), theta]), axis=1))


def logits(chi: Array) -> Array:
    """θ under which the mean of the indicators is χ."""
    return np.asarray(np.log(chi) - math.log(1.0 - chi.sum()))


def counts(eta: Array) -> Array:
    """a of Beta and Dirichlet laws."""
    return np.append(eta[:-1], eta[-1] - eta[:-1].sum())


def beta_normalizer(eta: Array) -> float:
    """Σ ln Γ(aⱼ) − ln Γ(Σ aⱼ)."""
    return float(gammaln(counts(eta)).sum() - gammaln(eta[-1]))


def beta_hessian(eta: Array) -> Array:
    """Of the same, by trigamma functions: a is linear in η."""
    d = len(eta)
    linear = np.vstack([np.eye(d)[:-1], np.append(-np.ones(d - 1), 1.0)])
    hessian = linear.T @ np.diag(polygamma(1, counts(eta))) @ linear
    hessian[-1, -1] -= polygamma(1, eta[-1])
    return np.asarray(hessian)


def gaussian_normalizer(eta: Array) -> float:
    """(η¹)²/(2η²) + ½ ln(2π/η²)."""
    return float(eta[0] ** 2 / (2.0 * eta[1]) + 0.5 * math.log(2.0 * math.pi / eta[1]))


def gaussian_hessian(eta: Array) -> Array:
    """Of the same."""
    mean, n = eta[0] / eta[1], eta[1]
    return np.array([[1.0 / n, -mean / n], [-mean / n, mean**2 / n + 0.5 / n**2]])


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Every statement, each with the numbers that decide it."""
    del rng  # nothing here is random
    all_families = families(np.asarray(params["prior"], dtype=float))
    rows: list[Row] = [*_normalizers(params), *_minimal(), *_chebyshev(), *_convex()]
    for family in all_families:
        rows += [*_moments(family), *_mode(family), *_segments(family)]
    rows += [*_reduced(params), *_projected(params)]
    return pd.DataFrame(rows, columns=list(said.COLUMNS)).astype({"printed": float, "right": float})


def _normalizers(params: Mapping[str, Any]) -> Iterator[Row]:
    """∫ e^(η¹θ − η²A(θ)) dθ = ∫ p^(η¹−1) (1−p)^(η²−η¹−1) dp."""
    for eta in (tuple(map(float, params["prior"])), (1.0, 2.0), (2.5, 4.0), (20.0, 50.0)):
        a, b = eta[0], eta[1] - eta[0]
        mass = quad(lambda p, a=a, b=b: p ** (a - 1.0) * (1.0 - p) ** (b - 1.0), 0.0, 1.0, epsabs=0.0, epsrel=1e-10)[0]
        printed = float(gamma(a) + gamma(b) - gamma(eta[1]))
        yield (
            said.NORMALIZER,
            f"η = ({eta[0]:g}, {eta[1]:g})",
            eta[1],
            math.log(mass),
            printed,
            beta_normalizer(np.array(eta)),
        )


def _minimal() -> Iterator[Row]:
    """1 for minimal. By Lemma 6 A must be strictly convex: the covariance of S under a law on all x has full rank."""
    for name, statistics in STATISTICS.items():
        d = statistics.shape[1]
        convex = float(np.linalg.eigvalsh(np.atleast_2d(np.cov(statistics.T))).min() > 1e-9)
        linear = float(np.linalg.matrix_rank(statistics) == d)
        constant = np.column_stack([statistics, np.ones(len(statistics))])
        some_phi = np.linalg.matrix_rank(constant) < d + 1  # φ·S(x) = c for some φ ≠ 0
        yield said.LINEAR, name, d, convex, linear, float(not some_phi)
        yield said.AFFINE, name, d, convex, float(some_phi), float(not some_phi)


def _moments(family: Family) -> Iterator[Row]:
    """Mean and covariance of T(θ) on the grid, beside differences of B."""
    weights, t = np.exp(family.log_weights(family.eta)), family.statistics(family.theta)
    mean = weights @ t
    covariance = (t - mean).T @ ((t - mean) * weights[:, np.newaxis])
    b, eta, name = family.normalizer, family.eta, f"{family.name}, η = {_description(family.eta)}"
    units = np.eye(len(eta)) * STEP * counts(eta).min()
    for j, unit in enumerate(units):
        yield said.GRADIENT, name, j + 1, float(mean[j]), _slope(b, eta, unit), None
    for i, j in itertools.combinations_with_replacement(range(len(eta)), 2):
        slope = _slope(partial(_slope, b, step=units[i]), eta, units[j])
        yield said.HESSIAN, name, 10 * (i + 1) + j + 1, float(covariance[i, j]), slope, None


def _slope(f: Callable[[Array], float], at: Array, step: Array) -> float:
    """∂f along a unit vector, by differences."""
    return sum(weight * f(at + k * step) for k, weight in DIFFERENCES.items()) / (60.0 * float(step.sum()))


def _mode(family: Family) -> Iterator[Row]:
    """argmax η·T(θ), where its differences vanish, beside θ with ∇A(θ) = χ. The function is concave."""
    steps = np.eye(family.theta.shape[1]) * STEP

    def height(theta: Array) -> float:
        return float((family.statistics(theta[np.newaxis]) @ family.eta)[0])

    def slopes(theta: Array) -> list[float]:
        return [_slope(height, theta, step) for step in steps]

    by_search = root(slopes, np.zeros(len(steps)), tol=1e-13).x
    by_mean = family.inverse_mean(family.eta[:-1] / family.eta[-1])
    for j, (searched, solved) in enumerate(zip(by_search, by_mean, strict=True)):
        yield said.MODE, f"{family.name}, η = {_description(family.eta)}", j + 1, float(searched), float(solved), None


def _segments(family: Family) -> Iterator[Row]:
    """KL(η + γ ‖ η) on the grid; D is the largest spectral norm between the two."""
    direction = np.eye(len(family.eta))[0]
    for length in SHIFTS:
        there = family.eta + length * direction
        if family.name != "Gaussian" and counts(there).min() <= 0.5:
            continue
        p, q = family.log_weights(there), family.log_weights(family.eta)
        kl = float(np.exp(p) @ (p - q))
        norm = max(
            float(np.linalg.norm(family.hessian(family.eta + t * (there - family.eta)), 2))
            for t in np.linspace(0.0, 1.0, SEGMENT_POINTS)
        )
        name = f"{family.name}, η = {_description(family.eta)}"
        yield said.SEGMENT, name, length, kl, norm * length, 0.5 * norm * length**2


def _chebyshev() -> Iterator[Row]:
    """P of each event against d/ν: a coin in the mean of many flips, and two of three indicators in the mean of few."""
    successes = np.arange(LONG + 1)
    yield from _tails("a coin", binom.pmf(successes, LONG, 0.5), successes[:, np.newaxis] / LONG, np.array([0.5]))
    p = np.array(SKEWED)
    drawn = np.array([(i, j, TRIALS - i - j) for i in range(TRIALS + 1) for j in range(TRIALS + 1 - i)])
    yield from _tails("three outcomes", multinomial.pmf(drawn, TRIALS, p), drawn[:, 1:] / TRIALS, p[1:])


def _tails(name: str, mass: Array, values: Array, mean: Array) -> Iterator[Row]:
    away, d = values - mean, len(mean)
    covariance = away.T @ (away * mass[:, np.newaxis])
    inverse = np.linalg.inv(covariance)
    quadratic = np.einsum("ni,ij,nj->n", away, inverse, away)
    length, steep, wide = np.linalg.norm(away, axis=1), np.linalg.norm(inverse, 2), np.linalg.norm(covariance, 2)
    for level in LEVELS:
        bound = d / level
        for statement, event in (
            (said.QUADRATIC, quadratic >= level),
            (said.INVERSE, length * steep >= level),
            (said.INVERSE_SQUARED, length**2 * steep >= level),
            (said.NORM, length >= level * wide),
            (said.NORM_SQUARED, length**2 >= level * wide),
        ):
            yield statement, name, level, float(mass[event].sum()), bound, bound


def _convex() -> Iterator[Row]:
    """inf f outside the ball of radius c = δ, for two f with f″ ≥ w = 1 and minimum 0 at 0."""
    for name, f in (("y²/2", lambda y: y * y / 2.0), ("cosh y − 1", lambda y: math.cosh(y) - 1.0)):
        for radius in RADII:
            outside = min(f(y) for y in np.linspace(radius, radius + 3.0, 3001))
            yield said.CONVEX, name, radius, float(outside), radius / 2.0, radius**2 / 2.0


def _reduced(params: Mapping[str, Any]) -> Iterator[Row]:
    """Noise on (Σx, Σ(1−x)) is noise (Y₁, Y₁ + Y₂) on (Σx, n): P(Y₁ + Y₂ > t) by convolution, and closed."""
    b = laplace_scale(float(params["epsilon"]))

    def integrand(y: float, t: float) -> float:
        rest = t - y
        tail = 0.5 * math.exp(-rest / b) if rest >= 0 else 1.0 - 0.5 * math.exp(rest / b)
        return math.exp(-abs(y) / b) / (2.0 * b) * tail

    for t in (0.0, 1.0, 4.0, 12.0):
        cuts = [-60.0 * b, 0.0, t, 60.0 * b + t]
        parts = [quad(integrand, low, high, args=(t,), epsrel=1e-11)[0] for low, high in itertools.pairwise(cuts)]
        yield (
            said.REDUCED,
            f"ε = {params['epsilon']:g}",
            t,
            sum(parts),
            None,
            0.5 * math.exp(-t / b) * (1 + t / (2 * b)),
        )


def _projected(params: Mapping[str, Any]) -> Iterator[Row]:
    """P(Σx + Y < 0), which a law of noise without n in it would have the same at every n."""
    p, b = float(params["p"]), laplace_scale(float(params["epsilon"]))
    first = None
    for n in sorted(params["sizes"]):
        k = np.arange(n + 1)
        chance = float(binom.pmf(k, n, p) @ (0.5 * np.exp(-k / b)))
        first = chance if first is None else first
        closed = 0.5 * math.exp(n * math.log1p(p * math.expm1(-1.0 / b)))
        yield said.PROJECTED, f"p = {p:g}, ε = {params['epsilon']:g}", n, chance, first, closed


def _description(eta: Array) -> str:
    return "(" + ", ".join(f"{value:g}" for value in eta) + ")"
