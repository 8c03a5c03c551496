"""What the parameters of experiments must satisfy together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpsampling.errors import InputError


def beta_prior(params: Mapping[str, Any]) -> None:
    """The prior of the Beta-Bernoulli system has two numbers."""
    prior = params["prior"]
    if len(prior) != 2:
        raise InputError(
            f"prior is {prior}; the Beta-Bernoulli system needs two numbers, such as [6, 18] for Beta(6, 12)."
        )


def exact_noise(params: Mapping[str, Any]) -> None:
    """Exact expectations over Laplace noise take longer the wider it is."""
    epsilon = params["epsilon"]
    if epsilon < 0.01:
        raise InputError(f"epsilon is {epsilon:g}; the exact expectations of this experiment need 0.01 or more.")


def noisy_beta_prior(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters, and exact expectations need some ε."""
    beta_prior(params)
    exact_noise(params)


def responses(name: str, levels: Iterable[float]) -> None:
    """Randomized response at a level beyond 600 has probabilities that are 0 as floats."""
    largest = max(levels)
    if largest > 600:
        raise InputError(f"{name} has {largest:g}; randomized response needs 600 or less.")


def at_most_records(name: str, sizes: Iterable[int], most: int) -> None:
    """Experiments that look at every sample need few records."""
    largest = max(sizes)
    if largest > most:
        raise InputError(f"{name} has {largest}; every sample of so many records is looked at: ask for {most} at most.")


def gradient_steps(params: Mapping[str, Any]) -> None:
    """Strong convexity is below smoothness, and Lemma 7 allows rates up to 2/(β + ρ)."""
    smoothness, convexity, rate = params["smoothness"], params["convexity"], params["rate"]
    if not convexity < smoothness:
        raise InputError(f"convexity is {convexity:g}; it must be below the smoothness {smoothness:g}.")
    limit = 2.0 / (smoothness + convexity)
    if rate > limit:
        raise InputError(f"rate is {rate:g}; gradient steps need it to be at most 2/(β + ρ) = {limit:g}.")
