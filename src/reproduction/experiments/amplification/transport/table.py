r"""Theorem 20 on random finite kernels, and the steps of Theorems 21 and 22 on losses and kernels of the line.

    (6.2)         R_α(μK‖νK) ≤ R_α(ω‖ν) + sup_{x ∈ supp ν} R_α((H_πK)(x)‖K(x)),  H_π(x, y) = π(x, y)/ω(x),  π ∈ C(ω, μ)
    Lemma 6       W_∞(μK, νK) ≤ L W_∞(μ, ν),  K(x) the law of Π(ψ(x) + N(0, σ²)),  ψ L-Lipschitz
    Lemma 7       βρ/(β+ρ) ‖x−y‖² + ‖∇f(x) − ∇f(y)‖²/(β+ρ) ≤ ⟨∇f(x) − ∇f(y), x − y⟩
    Theorem 22    ‖ψ₀(x) − ψ₀′(x)‖ ≤ 2ηC

A row of random cases is the worst of them: the largest left/right of an inequality, the largest |left − right| of an
equality. The last rows are of a f(D) + N(0, a²σ²) with |f(D)| ≤ R, whose mean squared error is that of an
Ornstein-Uhlenbeck process started at f(D), at the level of f(D) + N(0, σ²).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit, ndtr

from dpsampling.amplification.couplings import laplace_divergence
from dpsampling.numerics.randomness import substream
from reproduction.experiments.amplification import transport as said
from reproduction.experiments.amplification.random_kernels import kernels
from reproduction.experiments.cases import NOTHING, worst

Array = NDArray[np.float64]
Row = tuple[str, str, float, float, float, float, int]

LAWS = 6  # ω that are tried for each pair
DISTANCES = (0.01, 0.3, 1.0, 3.0, 10.0)  # of two Laplace laws, in scales
CONTRACTIONS = (0.3, 0.7, 1.0)
CONVEXITY, SMOOTHNESS = 0.1, 1.0  # ρ and β
RATE, STEEPEST = 0.5, 2.0  # η and C
SPREADS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)  # R/σ
QUANTILES = (0.1, 0.5, 0.9)  # of shares of the bound over kernels


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """All of them."""
    orders, pairs = params["kl_orders"], params["pairs"]
    rows: list[Row] = [
        *_couplings(params, substream(rng, "random couplings")),
        *(_laplace(order, z) for order in orders if order > 1 for z in DISTANCES),
        *_contraction(substream(rng, "contraction")),
        *_coercivity(pairs, substream(rng, "losses")),
        *_first_step(pairs, substream(rng, "steps")),
        *_shrinkage(),
    ]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _worst(statement: str, what: str, order: float, sides: list[tuple[float, float]], *, equality: bool = False) -> Row:
    return statement, what, order, 0.0, *worst(sides, equality=equality)


# -- Theorem 20 --------------------------------------------------------------------------------------------------------


def renyi(p: Array, q: Array, order: float) -> float:
    """R_α(p‖q), KL at 1; p may have no mass, as H_π has where ω has none: then −∞."""
    on = p > 0
    if not on.any():
        return -math.inf
    if np.any(q[on] == 0):
        return math.inf
    if order == 1.0:
        return float(np.sum(p[on] * np.log(p[on] / q[on])))
    terms = order * np.log(p[on]) + (1.0 - order) * np.log(q[on])
    return float(np.logaddexp.reduce(terms) / (order - 1.0))


def coupling(first: Array, second: Array, rng: np.random.Generator) -> Array:
    """A random law of pairs with these margins: filled cell by cell in a random order, then mixed with the product."""
    left, right = first.copy(), second.copy()
    joint = np.zeros((len(first), len(second)))
    for cell in rng.permutation(joint.size).tolist():
        x, y = divmod(cell, len(second))
        moved = min(left[x], right[y])
        joint[x, y] += moved
        left[x] -= moved
        right[y] -= moved
    share = rng.choice([0.0, 0.5])
    return np.asarray((1.0 - share) * joint + share * np.outer(first, second))


def transport(joint: Array) -> Array:
    """H_π, whose rows are 0 where the first margin is (the convention 0/0 = 0)."""
    margin = joint.sum(axis=1, keepdims=True)
    return np.divide(joint, margin, out=np.zeros_like(joint), where=margin > 0)


def bound(omega: Array, moved: Array, nu: Array, rows: Array, order: float) -> float:
    """The right side of (6.2)."""
    away = max(renyi(moved[x] @ rows, rows[x], order) for x in np.flatnonzero(nu > 0))
    return renyi(omega, nu, order) + away


def _couplings(params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    carried: list[tuple[float, float]] = []
    sides: dict[tuple[str, float], list[tuple[float, float]]] = defaultdict(list)
    for kernel in kernels(params["kernels"], params["kernel_sizes"], substream(rng, "kernels")):
        size, rows = len(kernel.rows), kernel.rows
        mu, nu = rng.dirichlet(np.ones(size), 2)
        if rng.random() < 0.3:
            nu[rng.integers(size)] = 0.0
            nu = nu / nu.sum()
        tried = []
        for _ in range(LAWS):
            omega = rng.dirichlet(np.ones(size)) * (nu > 0)
            omega = omega / omega.sum()
            moved = transport(coupling(omega, mu, rng))
            carried.append((float(np.abs(omega @ moved - mu).max()), 0.0))
            tried.append((omega, moved))
        for order in params["kl_orders"]:
            left = renyi(mu @ rows, nu @ rows, order)
            rights = [bound(omega, moved, nu, rows, order) for omega, moved in tried]
            same = bound(mu, transport(np.diag(mu)), nu, rows, order)
            sides[said.THEOREM, order] += [(left, right) for right in rights]
            sides[said.BEST, order].append((left, min(*rights, same)))
            if math.isfinite(same):
                sides[said.IDENTITY, order].append((same, renyi(mu, nu, order)))
    yield _worst(said.CARRIED, "random couplings", 0.0, carried, equality=True)
    for (statement, order), cases in sides.items():
        yield _worst(statement, "random kernels", order, cases, equality=statement == said.IDENTITY)
        if statement == said.BEST:
            left, right = np.array(cases).T
            bounded = np.isfinite(right) & (right > NOTHING)
            shares = np.quantile(left[bounded] / right[bounded], QUANTILES) if bounded.any() else np.zeros(0)
            for quantile, share in zip(QUANTILES, shares.tolist(), strict=False):
                yield said.SHARE, "best of the laws", order, quantile, share, 1.0, len(cases)


# -- Example 2 ---------------------------------------------------------------------------------------------------------


def _laplace(order: float, z: float) -> Row:
    """ln g_α(z)/(α − 1) beside the integral of p^α q^{1−α} for Laplace laws at 0 and z, piece by piece."""
    tails = (1.0 + math.exp(-(2.0 * order - 1.0) * z)) / 2.0  # over e^{(α−1)z}: left of 0, right of z
    nodes, weights = np.polynomial.legendre.leggauss(200)
    steps = max(1, math.ceil((2.0 * order - 1.0) * z / 20.0))
    edges = np.linspace(0.0, z, steps + 1)
    x = (edges[:-1, np.newaxis] + np.diff(edges)[:, np.newaxis] * (nodes + 1.0) / 2.0).ravel()
    w = (np.diff(edges)[:, np.newaxis] * weights / 2.0).ravel()
    between = float(w @ np.exp(-(2.0 * order - 1.0) * x)) / 2.0
    exact = z + math.log(tails + between) / (order - 1.0)
    return said.LAPLACE, "two laws", order, z, laplace_divergence(order, z), exact, 1


# -- Lemma 6 -----------------------------------------------------------------------------------------------------------


def _contraction(rng: np.random.Generator) -> Iterator[Row]:
    """W_∞ on the line is the largest distance of quantiles, before and after a kernel."""
    for contraction in CONTRACTIONS:
        for sigma in (0.1, 1.0):
            for what, low, high in (("the line", -math.inf, math.inf), ("projected", -1.0, 1.5)):
                atoms = np.sort(rng.normal(size=(2, 5)), axis=1)
                before = float(np.abs(atoms[0] - atoms[1]).max())
                moved = contraction * np.sin(atoms)  # (L sin)′ is L cos
                after = _largest_gap(moved, sigma, low, high)
                yield said.SHRUNK, f"{what}, σ = {sigma:g}", 0.0, contraction, after, contraction * before, 1
            shift = np.array([[0.0] * 5, [2.0] * 5]) * contraction
            after = _largest_gap(shift, sigma, -math.inf, math.inf)
            yield said.SHRUNK_LINE, f"σ = {sigma:g}", 0.0, contraction, after, 2.0 * contraction, 1


def _largest_gap(centres: Array, sigma: float, low: float, high: float) -> float:
    """Of two mixtures of N(centre, σ²), projected onto [low, high]: the largest distance of quantiles, by bisection."""
    levels = np.concatenate([np.logspace(-9, -1, 60), np.linspace(0.1, 0.9, 161), 1.0 - np.logspace(-1, -9, 60)])
    quantiles = []
    for mine in centres:
        left = np.full(levels.shape, mine.min() - 8.0 * sigma)
        right = np.full(levels.shape, mine.max() + 8.0 * sigma)
        for _ in range(80):
            middle = (left + right) / 2.0
            short = ndtr((middle[:, np.newaxis] - mine) / sigma).mean(axis=1) < levels
            left, right = np.where(short, middle, left), np.where(short, right, middle)
        quantiles.append(np.clip(right, low, high))
    return float(np.abs(quantiles[0] - quantiles[1]).max())


# -- Lemma 7, Theorem 22 -----------------------------------------------------------------------------------------------


def _coercivity(pairs: int, rng: np.random.Generator) -> Iterator[Row]:
    kinds: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    for _ in range(pairs):
        x, y = rng.normal(size=(2, 3)) * 3.0
        basis = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        between = rng.uniform(CONVEXITY, SMOOTHNESS, 3)
        ends = rng.choice([CONVEXITY, SMOOTHNESS], 3)
        kinds[said.COERCIVE, "quadratic"].append(_sides(x, y, basis @ (between * (basis.T @ (x - y)))))
        kinds[said.QUADRATIC, "quadratic"].append(_sides(x, y, basis @ (ends * (basis.T @ (x - y)))))
        record = rng.normal(size=3)
        record *= math.sqrt(4.0 * (SMOOTHNESS - CONVEXITY)) / np.linalg.norm(record)  # then σ′ ≤ ¼ makes it β-smooth
        steep = (expit(record @ x) - expit(record @ y)) * record + CONVEXITY * (x - y)
        kinds[said.COERCIVE, "regularised logistic"].append(_sides(x, y, steep))
    for (statement, what), sides in kinds.items():
        yield _worst(statement, what, 0.0, sides, equality=statement == said.QUADRATIC)


def _sides(x: Array, y: Array, difference: Array) -> tuple[float, float]:
    """Both sides of co-coercivity from ∇f(x) − ∇f(y)."""
    both = SMOOTHNESS + CONVEXITY
    left = SMOOTHNESS * CONVEXITY / both * float((x - y) @ (x - y)) + float(difference @ difference) / both
    return left, float(difference @ (x - y))


def _first_step(pairs: int, rng: np.random.Generator) -> Iterator[Row]:
    """Measure how far the steps of two losses with gradients of length C at most are apart, from the same point."""
    sides: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for _ in range(pairs):
        lengths = STEEPEST * rng.beta(0.5, 0.5, (2, 1))
        first, second = (lengths * _directions(rng)).tolist()
        moved = RATE * math.dist(first, second)
        sides[said.STEP].append((moved, 2.0 * RATE * STEEPEST))
        sides[said.STEP_PRINTED].append((moved, 2.0 * RATE * math.hypot(*first)))
        sides[said.STEP_RIGHT].append((moved, RATE * (math.hypot(*first) + math.hypot(*second))))
        away = STEEPEST * _directions(rng)[0]
        sides[said.OPPOSED].append((RATE * float(np.linalg.norm(2.0 * away)), 2.0 * RATE * STEEPEST))
    for statement, cases in sides.items():
        yield _worst(statement, "random gradients", 0.0, cases, equality=statement == said.OPPOSED)


def _directions(rng: np.random.Generator) -> Array:
    directions = rng.normal(size=(2, 3))
    return np.asarray(directions / np.linalg.norm(directions, axis=1, keepdims=True))


# -- the mechanism of the conclusion -----------------------------------------------------------------------------------


def _shrinkage() -> Iterator[Row]:
    """Mean squared error of a f(D) + aN(0, σ²) in units of σ², at the a that is best for |f(D)| = R; 1 is Gaussian."""
    for spread in SPREADS:
        a = spread**2 / (1.0 + spread**2)
        for share in (0.0, 0.5, 1.0):
            yield said.SHRINKAGE, f"|f| = {share:g} R", 0.0, spread, ((1.0 - a) * share * spread) ** 2 + a**2, 1.0, 1
        for share in (2.0, 4.0):
            yield said.BEYOND, f"|f| = {share:g} R", 0.0, spread, ((1.0 - a) * share * spread) ** 2 + a**2, 1.0, 1
