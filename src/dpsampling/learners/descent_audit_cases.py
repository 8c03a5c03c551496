r"""Noisy gradient descent, exposed: the noisy sums themselves, of at most two records whose gradients have length C.

one step        nobody, or one record that is in the batch with probability q
replaced        one record or its opposite
three steps     the same sum seen three times, by its Rényi curve
full batches    a record alone, or with its opposite: what a division by the batch's size would betray
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import numpy as np
from scipy.special import logsumexp

from dpsampling.foundations.noise import GaussianMechanism
from dpsampling.learners.gradient_descent import Accounting, GradientDescent
from dpsampling.learners.noise import InFloats
from dpsampling.learners.sampled_gaussian import pairs, renyi
from dpsampling.mechanisms.known_laws import normal
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, both_ways
from dpsampling.privacy.guarantee import Relation
from dpsampling.privacy.laws import Independent, OnLine, Sampler

DELTA = 1e-5
SAMPLING, STEPS = 0.2, 3
INTERVAL = 1e-4
ADDED = {"nobody": 0.0, "one": 1.0}
REPLACED = {"z = −1": -1.0, "z = +1": 1.0}
FULL = {"one": -1.0, "both": 0.0}


def audit_cases(order: float, epsilon: float) -> list[AuditCase]:
    """All four."""
    once, added, replaced = _learner("losses", 1, SAMPLING), Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE
    return [
        _one_step("a record more or less", once(_sigma(epsilon, SAMPLING, added), added), ADDED),
        _one_step("a record replaced", once(_sigma(epsilon, SAMPLING, replaced), replaced), REPLACED),
        _composed(_learner("renyi", STEPS, SAMPLING)(_renyi_sigma(order, epsilon), added)),
        _full(_learner("losses", 1, 1.0)(_sigma(epsilon, 1.0, added), added)),
    ]


def _learner(accounting: Accounting, steps: int, sampling: float) -> Callable[[float, Relation], GradientDescent]:
    def make(sigma: float, relation: Relation) -> GradientDescent:
        return GradientDescent(
            1.0, 1, sampling, steps, sigma, DELTA, relation=relation, accounting=accounting, interval=INTERVAL
        )

    return make


def _sigma(epsilon: float, sampling: float, relation: Relation) -> float:
    """σ at which one step is (ε, δ), from its densities."""
    if sampling == 1:
        return GaussianMechanism.analytic(1.0, epsilon, DELTA).sigma
    return _least(lambda sigma: max(pair.delta(epsilon) for pair in pairs(sampling, sigma, relation)) <= DELTA)


def _renyi_sigma(order: float, epsilon: float) -> float:
    """σ at which the curve of three steps is ε at this order."""
    return _least(lambda s: renyi(SAMPLING, s, STEPS, Relation.ADD_OR_REMOVE_ONE).epsilon(order) <= epsilon)


def _least(keeps: Callable[[float], bool]) -> float:
    """The least σ that keeps a promise, by halving its logarithm."""
    lost, kept = 2.0**-6, 2.0**20
    for _ in range(40):
        middle = math.sqrt(lost * kept)
        lost, kept = (lost, middle) if keeps(middle) else (middle, kept)
    return kept


def mixture(shift: float, sampling: float, sigma: float, draw: Sampler | None = None) -> OnLine:
    """(1−q) N(0, σ²) + q N(shift, σ²)."""
    parts = normal(0.0, sigma), normal(shift, sigma)
    log_weights = np.log([max(1.0 - sampling, 5e-324), sampling])

    def log_density(y: Array) -> Array:
        tilted = [part.log_density(y) + w for part, w in zip(parts, log_weights, strict=True)]
        return np.asarray(logsumexp(tilted, axis=0))

    return OnLine(log_density, draw or partial(_sum, shift, sampling, sigma))


def _sum(shift: float, sampling: float, sigma: float, rng: np.random.Generator, size: int) -> Array:
    """The noisy sum of a batch that one gradient is in by a coin, as the learner draws it."""
    noise = InFloats(rng)
    return noise.gaussian(np.where(noise.coins(sampling, size), shift, 0.0), sigma)


def _laws(learner: GradientDescent, worlds: dict[str, float], factor: float = 1.0, often: float = 1.0) -> Laws:
    """Each world's law with noise that is so much too small, or batches that are taken so much more often."""
    sampling = min(1.0, learner.sampling * often)
    return {name: mixture(shift, sampling, learner.sigma / factor) for name, shift in worlds.items()}


def _one_step(what: str, learner: GradientDescent, worlds: dict[str, float]) -> AuditCase:
    def lying(factor: float) -> Laws:
        return _laws(learner, worlds, factor)

    def often(factor: float) -> Laws:
        return _laws(learner, worlds, often=factor)

    first, second = worlds
    return AuditCase(
        f"one step, {what}, δ = {DELTA:g}",
        learner.guarantee,
        _laws(learner, worlds),
        both_ways((first, second)),
        {"noise": lying, "rate of batches": often},
    )


def _composed(learner: GradientDescent) -> AuditCase:
    def laws(factor: float, often: float = 1.0) -> Laws:
        once = _laws(learner, ADDED, factor, often)
        return {name: Independent((law,) * STEPS) for name, law in once.items() if isinstance(law, OnLine)}

    lies = {"noise": laws, "rate of batches": lambda f: laws(1.0, f)}
    return AuditCase(f"{STEPS} steps, every order", learner.guarantee, laws(1.0), both_ways(("nobody", "one")), lies)


def _full(learner: GradientDescent) -> AuditCase:
    def laws(factor: float) -> Laws:
        return {name: normal(mean, learner.sigma / factor) for name, mean in FULL.items()}

    def by_size() -> Laws:
        return {"one": normal(-1.0, learner.sigma), "both": normal(0.0, learner.sigma / 2.0)}

    honest = {name: replace(law, draw=partial(_sum, FULL[name], 1.0, learner.sigma)) for name, law in laws(1.0).items()}
    return AuditCase(
        f"full batches, two records, δ = {DELTA:g}",
        learner.guarantee,
        honest,
        both_ways(("one", "both")),
        {"noise": laws},
        {"divided by the batch's size": by_size},
    )
