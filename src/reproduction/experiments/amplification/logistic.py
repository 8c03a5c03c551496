r"""A strongly convex problem for noisy SGD: logistic regression in a ball, with whatever constants are asked for.

    ℓ(x; z) = ln(1 + e^{−⟨z, x⟩}) + ρ‖x‖²/2,      ‖z‖ = A,      ‖x‖ ≤ R,

where z is a record's features times its label ±1. On the ball ‖∇ℓ‖ ≤ A + ρR, and ρ ≤ ∇²ℓ ≤ A²/4 + ρ; A is the largest
that keeps the first at C and the second at β, but at most C/2, so that R = (C − A)/ρ holds every minimum, ‖x*‖ ≤ A/ρ.
The population is a fixed set of records, so that the excess loss of an iterate is a sum and not an estimate.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from dpsampling.amplification.noisy_sgd import ball

Array = NDArray[np.float64]

POPULATION = 500
NEWTON_STEPS = 50


@dataclass(frozen=True, eq=False)
class Logistic:
    """The records z of the population, the strong convexity ρ of the loss and the radius R of the ball."""

    population: Array
    convexity: float
    radius: float

    @classmethod
    def draw(
        cls, dimension: int, lipschitz: float, smoothness: float, convexity: float, rng: np.random.Generator
    ) -> Logistic:
        """Features uniform on a sphere; labels from a logistic model half way to the ball's edge."""
        length = min(lipschitz / 2.0, 2.0 * np.sqrt(smoothness - convexity))
        radius = (lipschitz - length) / convexity
        features = length * _on_sphere(rng.standard_normal((POPULATION, dimension)))
        truth = radius / 2.0 * _on_sphere(rng.standard_normal(dimension))
        labels = np.where(rng.random(POPULATION) < expit(features @ truth), 1.0, -1.0)
        return cls(features * labels[:, np.newaxis], convexity, radius)

    def gradient(self, x: Array, record: Array) -> Array:
        """∇ℓ(x; z), for rows of iterates and one record each."""
        margin = np.sum(record * x, axis=-1, keepdims=True)
        return self.convexity * x - record * expit(-margin)

    def project(self, x: Array) -> Array:
        """Onto the ball."""
        return ball(self.radius)(x)

    def sample(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        """Records drawn from the population, independently."""
        return self.population[rng.integers(len(self.population), size=shape)]

    def loss(self, x: Array) -> Array:
        """The population's mean loss at rows of iterates."""
        fit = np.mean(np.logaddexp(0.0, -(x @ self.population.T)), axis=-1)
        return fit + self.convexity * np.sum(x * x, axis=-1) / 2.0

    def minimiser(self) -> Array:
        """By Newton's method, which converges from 0: the loss is smooth and strongly convex, its minimum inside."""
        x, identity = np.zeros(self.population.shape[1]), np.eye(self.population.shape[1])
        for _ in range(NEWTON_STEPS):
            weight = expit(-(self.population @ x))
            slope = self.convexity * x - weight @ self.population / len(self.population)
            curvature = (self.population.T * (weight * (1.0 - weight))) @ self.population / len(self.population)
            x = x - np.linalg.solve(curvature + self.convexity * identity, slope)
        return x

    @cached_property
    def minimum(self) -> float:
        """The least mean loss."""
        return float(self.loss(self.minimiser()[np.newaxis])[0])

    def excess(self, x: Array) -> Array:
        """Mean loss above its minimum."""
        return self.loss(x) - self.minimum


def _on_sphere(x: Array) -> Array:
    return x / np.linalg.norm(x, axis=-1, keepdims=True)
