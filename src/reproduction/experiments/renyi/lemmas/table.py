r"""Lemma 17, Theorems 8 to 10 and the privacy loss of thesis chapter 5, with both sides of each.

With C(α, β) = ln B(α, β), η = (α, α + β), g(x) = C(η_P + xv), and e(x) = g(x) − g(0) − x g′(0):

    Lemma 17   R_λ(P‖Q) ≤ λ H ‖η_P − η_Q‖²,  H ≥ ‖∇²C‖ on a segment that must reach η_Q
    (5.19)     R_λ = (g(1−λ) − λ g(0))/(λ−1) + g(1),  v = η_Q − η_P;  = e(1−λ)/(λ−1) + e(1) ≤ λH‖v‖²/2
    (5.32)     R_λ ≤ r²Δ²Hλ,  H ≥ ‖∇²C‖ on the closure of ∪_{r ≤ r₀} lpset(η₀, rn, r(λ−1)),  r₀ = δ/(2(λ−1)Δ)
    (5.44)     R_λ ≤ Δ²V c_m λ,  c_m = η₀²/(η₀²/m + n),  V ≥ k ‖∇²C(kη)‖ for η near η₀ and k ≥ 1
    (5.1)      (ε, δ)-DP  ⇔  E[1 − e^{ε−Z}]_+ ≤ δ, which Pr(Z > ε) ≤ δ implies

Norms of ∇²C are largest eigenvalues of the closed form in trigammas.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import betaln, digamma, loggamma, ndtr, polygamma

from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior
from reproduction.experiments.cases import furthest, nearest, worst
from reproduction.experiments.renyi import lemmas as said

Array = NDArray[np.float64]
Complex = NDArray[Any]  # of floats or complex numbers
Row = tuple[str, str, float, float, float, float, int]

SHAPES = (0.001, 0.1, 0.5, 1.0, 1.5, 1.999, 4.0, 10.0)  # α of P and Q, which share α + β
NEAR = (-0.3, -0.02, 0.02, 0.3)  # of P's, where the order allows no more
COUNTS = (2.0, 5.0, 20.0)  # α + β
SEGMENT = np.linspace(0.0, 1.0, 101)
STEP = 1e-20  # of complex steps
SIGMA = 1.0  # of a Gaussian mechanism with sensitivity 1
EPSILONS = tuple(np.linspace(0.25, 4.0, 16).tolist())


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Nothing here is random."""
    del rng
    rows: list[Row] = [*_loss(), *_published(params["sizes"])]
    for order in params["orders"]:
        rows += [*_segment(order), *_derivatives(order), _gaussian(order)]
        rows += [*_diffused(params, order), *_concentrated(params, order)]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


# -- the log-partition function ----------------------------------------------------------------------------------------


def log_partition(eta: Array) -> Array:
    """C(η) along the last axis."""
    return np.asarray(betaln(eta[..., 0], eta[..., 1] - eta[..., 0]))


def gradient(eta: Complex) -> Complex:
    """∇C(η) in digammas (supplement eq. (55))."""
    rest = digamma(eta[..., 1] - eta[..., 0])
    return np.stack([digamma(eta[..., 0]) - rest, rest - digamma(eta[..., 1])], axis=-1)


def hessian(eta: Array) -> Array:
    """∇²C(η) in trigammas (supplement eq. (56))."""
    first, rest, last = (polygamma(1, shape) for shape in (eta[..., 0], eta[..., 1] - eta[..., 0], eta[..., 1]))
    rows = [np.stack([first + rest, -rest], axis=-1), np.stack([-rest, rest - last], axis=-1)]
    return np.stack(rows, axis=-2)


def norm(eta: Array) -> Array:
    """‖∇²C(η)‖: of a symmetric matrix that is not negative, its largest eigenvalue."""
    matrix = hessian(eta)
    first, last = matrix[..., 0, 0], matrix[..., 1, 1]
    return np.asarray((first + last) / 2.0 + np.hypot((first - last) / 2.0, matrix[..., 0, 1]))


def divergence(p: Array, q: Array, order: float) -> float:
    """R_λ(P‖Q)."""
    family = BetaBernoulli()
    return float(family.renyi_divergence(family.law(p), family.law(q), order))


def _inside(eta: Array) -> bool:
    return bool(0 < eta[0] < eta[1])


# -- Lemma 17 ----------------------------------------------------------------------------------------------------------


def _pairs(order: float) -> Iterator[tuple[Array, Array]]:
    """Posteriors of one count; the mixed parameter is normalizable, so that R_λ is finite."""
    for count in COUNTS:
        for first, second in [*product(SHAPES, SHAPES), *((a, a + d) for a in SHAPES for d in NEAR)]:
            p, q = np.array([first, count]), np.array([second, count])
            if first != second and _inside(p) and _inside(q) and _inside(order * p + (1.0 - order) * q):
                yield p, q


def _segment(order: float) -> Iterator[Row]:
    """The worst pair, with H on the printed segment and on one that reaches η_Q; and the two forms of R_λ."""
    bounds: dict[str, list[tuple[float, float]]] = {said.LEMMA_PRINTED: [], said.LEMMA: [], said.HALF: []}
    names = said.EXPANSION_PRINTED, said.EXPANSION, said.REMAINDER_PRINTED, said.REMAINDER
    forms: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    for p, q in _pairs(order):
        exact, v = divergence(p, q, order), p - q
        width = float(v @ v)
        reached = p + np.outer(SEGMENT * order - 1.0, v)  # x from −1 to λ − 1
        largest = float(norm(reached).max())
        ends = p + np.outer((2.0 * SEGMENT - 1.0) * (order - 1.0), v)  # x from 1 − λ to λ − 1
        if np.all((ends[:, 0] > 0) & (ends[:, 0] < ends[:, 1])):
            bounds[said.LEMMA_PRINTED].append((exact, order * float(norm(ends).max()) * width))
        bounds[said.LEMMA].append((exact, order * largest * width))
        bounds[said.HALF].append((exact, order * largest * width / 2.0))
        for statement, direction in ((said.EXPANSION_PRINTED, v), (said.EXPANSION, -v)):
            if _inside(p + (1.0 - order) * direction) and _inside(p + direction):
                forms[statement].append((_expansion(p, direction, order), exact))
        for statement, sign in ((said.REMAINDER_PRINTED, -1.0), (said.REMAINDER, 1.0)):
            whole = sign * _remainder(p, -v, 1.0 - order) / (order - 1.0) + _remainder(p, -v, 1.0)
            forms[statement].append((whole, exact))
    for statement, sides in (bounds | forms).items():
        if sides:
            yield statement, "pairs of Beta laws", order, 0.0, *worst(sides, equality=statement in forms)


def _expansion(p: Array, v: Array, order: float) -> float:
    """(5.19) for this v."""
    ends = [float(log_partition(p + x * v)) for x in (1.0 - order, 0.0, 1.0)]
    return (ends[0] - order * ends[1]) / (order - 1.0) + ends[2]


def _remainder(p: Array, v: Array, x: float) -> float:
    """e(x) of (5.20)."""
    return float(log_partition(p + x * v) - log_partition(p) - x * gradient(p) @ v)


def _gaussian(order: float) -> Row:
    """A Gaussian mean with one count has ∇²C = σ² along Diff, and attains λH‖v‖²/2."""
    apart, variance = 0.7, 2.0

    # θ is N(η¹σ², σ²): the natural parameters are v = apart/σ² from one another.
    theta = np.linspace(order * apart - 20.0, order * apart + 20.0, 20_001)  # the trapezoidal rule is exact for these
    p, q = (-((theta - shift) ** 2) / (2.0 * variance) for shift in (apart, 0.0))
    constant = math.log(2.0 * math.pi * variance) / 2.0 - math.log(theta[1] - theta[0])
    if order < 2.0:  # less 1 before it is summed, so that orders near 1 keep their digits
        whole = math.log1p(float(np.exp(p - constant) @ np.expm1((order - 1.0) * (p - q))))
    else:
        whole = float(np.logaddexp.reduce(order * p + (1.0 - order) * q)) - constant
    bound = order * variance * (apart / variance) ** 2 / 2.0
    return said.GAUSSIAN, "unit count", order, 0.0, whole / (order - 1.0), bound, 1


# -- Theorem 10 --------------------------------------------------------------------------------------------------------


def _derivatives(order: float) -> Iterator[Row]:
    """The printed derivatives beside complex steps of R_λ and of its gradient: Im f(x + ih)/h has no difference."""
    p, q = np.array([6.0, 18.0]), np.array([6.4, 18.3])
    mixed, b = order * p + (1.0 - order) * q, q - p
    if not _inside(mixed):
        return

    def level(second: Complex) -> Any:
        return (_complex_partition(order * p + (1.0 - order) * second) - order * _complex_partition(p)) / (
            order - 1.0
        ) + _complex_partition(second)

    def slope(second: Complex) -> Complex:
        """∇e in η_Q."""
        return gradient(second) - gradient(order * p + (1.0 - order) * second)

    def slope_along(first: Complex) -> Complex:
        """∇e in η_P, η_Q = η_P + b."""
        whole = gradient(first + (1.0 - order) * b) - order * gradient(first)
        return np.asarray(whole / (order - 1.0) + gradient(first + b))

    units = np.eye(2) * STEP * 1j
    steps = np.array([np.imag(level(q + u)) for u in units]) / STEP
    yield _furthest(said.GRADIENT, order, slope(q), steps)
    steps = np.array([np.imag(slope(q + u)) for u in units]) / STEP
    yield _furthest(said.HESSIAN_Q, order, hessian(q) - (1.0 - order) * hessian(mixed), steps)
    steps = np.array([np.imag(slope_along(p + u)) for u in units]) / STEP
    printed = hessian(q) - order / (order - 1.0) * hessian(p) + hessian(p + (1.0 - order) * b) / (order - 1.0)
    yield _furthest(said.HESSIAN_P, order, printed, steps)
    v = np.array([1.0, 0.0])
    at_q, at_p, beyond = (float(v @ hessian(eta) @ v) for eta in (p + b, p, p + (1.0 - order) * b))
    whole = order / (order - 1.0) * ((order - 1.0) / order * at_q - at_p + beyond / order)
    yield said.CONVEX_FORM, "(6, 18), (6.4, 18.3)", order, 0.0, whole, float(v @ steps @ v), 1


def _complex_partition(eta: Complex) -> Any:
    """C(η) of complex numbers."""
    return loggamma(eta[0] + 0j) + loggamma(eta[1] - eta[0] + 0j) - loggamma(eta[1] + 0j)


def _furthest(statement: str, order: float, printed: Array, steps: Array) -> Row:
    i = furthest(printed.ravel(), steps.ravel())
    sides = float(printed.flat[i]), float(steps.flat[i])
    return statement, "(6, 18), (6.4, 18.3)", order, 0.0, *sides, printed.size


# -- Theorem 8 ---------------------------------------------------------------------------------------------------------


def _radius(eta: Array) -> float:
    """δ: the distance of η₀ from the boundary of {0 < η¹ < η²}."""
    return float(min(eta[0], (eta[1] - eta[0]) / math.sqrt(2.0)))


def _diffused(params: Mapping[str, Any], order: float) -> Iterator[Row]:
    """The bound (5.32) at every scale up to r₀, and the level at the proof's r* for several ε."""
    family, prior, n = BetaBernoulli(), np.array(params["prior"], dtype=float), float(params["n"])
    limit = min(1.0, _radius(prior) / (2.0 * (order - 1.0)))
    r, s, t = np.meshgrid(np.linspace(0.0, limit, 41), np.linspace(0.0, n, 101), np.linspace(-1.0, 1.0, 41))
    etas = np.stack([prior[0] + r * s + r * t * (order - 1.0), prior[1] + r * n], axis=-1)
    largest = float(norm(etas).max())
    scales = np.array([0.1, 0.3, 0.5, 0.7, 0.9, 1.0]) * limit
    levels = DiffusedPosterior.divergence(family, prior, n, order, scales)
    for statement, power in ((said.STEP, 1.0), (said.STEP_SQUARED, 2.0)):
        bounds = scales**power * largest * order
        i = nearest(levels, bounds)
        yield statement, "scales up to r₀", order, float(scales[i]), float(levels[i]), float(bounds[i]), len(scales)
    for epsilon in params["epsilons"]:
        printed = epsilon / (largest * order)
        below = min(printed, limit)
        for statement, scale in ((said.SCALE_PRINTED, printed), (said.SCALE, below)):
            just_below = min(1.0, scale * (1.0 - 1e-9))
            level = float(DiffusedPosterior.divergence(family, prior, n, order, just_below))
            yield statement, f"r = {just_below:.6g}", order, float(epsilon), level, float(epsilon), 1
        most = float(DiffusedPosterior.calibrated_scales(family, prior, n, order=order, epsilons=[epsilon])[0])
        yield said.CALIBRATED, "r, and the least of r*, r₀ and 1", order, float(epsilon), most, below, 1


# -- Theorem 9 ---------------------------------------------------------------------------------------------------------


def _concentrated(params: Mapping[str, Any], order: float) -> Iterator[Row]:
    """(5.34) and (5.44) for every m whose scaled set is in a ball around η₀, with the V of Lemma 21 on it."""
    family, prior, n = BetaBernoulli(), np.array(params["prior"], dtype=float), float(params["n"])
    ball = _radius(prior) / 2.0
    constant = _constant(prior, ball)
    for m in params["scales"]:
        shrunk = prior[1] / (prior[1] / m + n)
        s, t = np.meshgrid(np.linspace(0.0, n, 101), np.linspace(-1.0, 1.0, 41))
        etas = np.stack([prior[0] / m + s + t * (order - 1.0), np.full(s.shape, prior[1] / m + n)], axis=-1)
        if float(np.linalg.norm(shrunk * etas - prior, axis=-1).max()) > ball:
            continue
        hessians = float(norm(etas).max())
        level = float(ConcentratedPosterior.divergence(family, prior, n, order, m))
        yield said.SMALL_HESSIAN, "V c_m", order, float(m), hessians, constant * shrunk, etas[..., 0].size
        yield said.SMALL_LEVEL, "Δ²V c_m λ", order, float(m), level, constant * shrunk * order, 1


def _constant(prior: Array, ball: float) -> float:
    """The largest k‖∇²C(kη)‖ for η in the ball and k from 1 on; it falls in k, to what a Gaussian would have."""
    angles, radii = np.meshgrid(np.linspace(0.0, 2.0 * math.pi, 73), np.linspace(0.0, ball, 21))
    near = prior + np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=-1)
    return max(float((k * norm(k * near)).max()) for k in np.logspace(0.0, 6.0, 13))


# -- Definition 10 -----------------------------------------------------------------------------------------------------


def _loss() -> Iterator[Row]:
    """A Gaussian mechanism with shift 1: Z is N(1/(2σ²), 1/σ²), and δ(ε) has a closed form."""
    mean, deviation = 1.0 / (2.0 * SIGMA**2), 1.0 / SIGMA
    for epsilon in EPSILONS:
        tail = float(ndtr((mean - epsilon) / deviation))
        delta = tail - math.exp(epsilon) * float(ndtr(-(mean + epsilon) / deviation))

        def above(z: float, epsilon: float = epsilon) -> float:
            weight = math.exp(-(((z - mean) / deviation) ** 2) / 2.0) / (deviation * math.sqrt(2.0 * math.pi))
            return -math.expm1(epsilon - z) * weight

        whole = quad(above, epsilon, epsilon + 40.0, epsabs=1e-14, epsrel=1e-12)[0]
        yield said.LOSS_PRINTED, "Gaussian, σ = 1", 0.0, epsilon, tail, delta, 1
        yield said.LOSS, "Gaussian, σ = 1", 0.0, epsilon, float(whole), delta, 1


def _published(sizes: list[int]) -> Iterator[Row]:
    """δ at ε = 50 of a random record among n, and of the answer Σx/n itself, over all pairs of neighbours."""
    far = math.exp(50.0)
    for n in sizes:
        mass = np.full(n, 1.0 / n)
        first, second = np.append(mass, 0.0), np.append(mass[:-1], [0.0, 1.0 / n])  # one record in place of another
        delta = float(np.maximum(first - far * second, 0.0).sum())
        yield said.PUBLISHED_ONE, "ε = 50", 0.0, float(n), delta, 1.0 / n, 1
        answers = np.eye(n + 1)  # the law of Σx/n for each Σx
        deltas = np.maximum(answers[:-1] - far * answers[1:], 0.0).sum(axis=1)
        yield said.ANSWER, "ε = 50", 0.0, float(n), float(deltas.min()), 1.0, n
