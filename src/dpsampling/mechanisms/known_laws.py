r"""Laws with a closed form, as an audit needs them: to price what a mechanism adds, and to lie with.

    normal(μ, σ)        on the line
    laplace(μ, b)       on the line, or clipped to [0, top] with atoms at the ends
    geometric(k, q)     k + Y with Pr(Y = y) ∝ q^|y|, clipped at 0, on the whole numbers
    logit_beta(a, b)    of θ = ln ρ/(1−ρ), ρ ~ Beta(a, b)
    coin(p)             1 with probability p

Each is written from its definition, and none of its numbers comes from the mechanism that it stands beside.
"""

from __future__ import annotations

import math

import numpy as np
from scipy.special import betaln, log_expit, log_ndtr

from dpsampling.mechanisms.families.shared import log_gamma_draws
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.laws import Finite, OnLine, Sampler


def normal(mean: float, sigma: float, draw: Sampler | None = None) -> OnLine:
    """N(mean, sigma²)."""
    constant = math.log(sigma * math.sqrt(2.0 * math.pi))

    def log_density(y: Array) -> Array:
        z = (y - mean) / sigma
        return np.asarray(-0.5 * z * z - constant)

    return OnLine(log_density, draw or (lambda rng, size: mean + sigma * rng.standard_normal(size)))


def clipped_normal(mean: float, sigma: float, top: float, draw: Sampler | None = None) -> OnLine:
    """N(mean, sigma²) clipped to [0, top], with an atom at either end."""
    inner, low, high = normal(mean, sigma), float(log_ndtr(-mean / sigma)), float(log_ndtr((mean - top) / sigma))

    def log_density(y: Array) -> Array:
        y = np.asarray(y, dtype=float)
        return np.where(y == 0.0, low, np.where(y == top, high, inner.log_density(y)))

    sample = draw or (lambda rng, size: np.clip(inner.sample(rng, size), 0.0, top))
    bends = tuple(np.arange(sigma, top, sigma).tolist())  # pieces as short as the law is wide
    return OnLine(log_density, sample, 0.0, top, (0.0, top), bends)


def laplace(centre: float, scale: float, draw: Sampler | None = None) -> OnLine:
    """Laplace noise around `centre`."""

    def log_density(y: Array) -> Array:
        return np.asarray(-np.abs(y - centre) / scale - math.log(2.0 * scale))

    return OnLine(log_density, draw or (lambda rng, size: rng.laplace(centre, scale, size)), bends=(centre,))


def clipped_laplace(centre: float, scale: float, top: float = math.inf) -> OnLine:
    """The same clipped to [0, top], for a centre in between."""
    inner, low, high = laplace(centre, scale), -centre / scale - math.log(2.0), (centre - top) / scale - math.log(2.0)

    def log_density(y: Array) -> Array:
        y = np.asarray(y, dtype=float)
        return np.where(y == 0.0, low, np.where(y == top, high, inner.log_density(y)))

    atoms = (0.0,) if math.isinf(top) else (0.0, top)
    return OnLine(log_density, lambda rng, size: np.clip(inner.sample(rng, size), 0.0, top), 0.0, top, atoms, (centre,))


def clipped_geometric(centre: int, scale: float, outputs: int) -> Finite:
    """Whole-number noise with Pr(Y = y) ∝ e^{−|y|/scale} around `centre`, clipped at 0, of which `outputs` are kept."""
    values = np.arange(float(outputs))
    log_mass = -np.abs(values - centre) / scale + math.log(math.tanh(0.5 / scale))
    log_mass[0] = -centre / scale - math.log1p(math.exp(-1.0 / scale))  # Pr(Y ≤ −centre)
    return Finite(log_mass)


def logit_beta(a: float, b: float, draw: Sampler | None = None) -> OnLine:
    """θ = ln ρ/(1−ρ) of ρ ~ Beta(a, b)."""
    constant = float(betaln(a, b))

    def log_density(theta: Array) -> Array:
        return np.asarray(a * log_expit(theta) + b * log_expit(-theta) - constant)

    def gammas(rng: np.random.Generator, size: int) -> Array:
        return log_gamma_draws(np.asarray(a), rng, size) - log_gamma_draws(np.asarray(b), rng, size)

    return OnLine(log_density, draw or gammas, tails=(a, b))


def coin(p: float) -> Finite:
    """1 with probability p."""
    return Finite(np.array([math.log1p(-p), math.log(p)]))


def response(bit: int, epsilon: float) -> Finite:
    """Randomized response of one bit: the truth with probability e^ε/(1 + e^ε)."""
    truth, lie = -math.log1p(math.exp(-epsilon)), -epsilon - math.log1p(math.exp(-epsilon))
    return Finite(np.array([lie, truth] if bit else [truth, lie]))
