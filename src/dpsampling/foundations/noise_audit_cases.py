"""The review's mechanisms of noise, exposed: one record, and the released numbers themselves.

One bit and one of four answers for randomized response; a count, and a histogram of two cells, one of which a record
more moves by 1, for Laplace and Gaussian noise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dpsampling.foundations.noise import GaussianMechanism, LaplaceMechanism
from dpsampling.foundations.randomized_response import RandomizedChoice, RandomizedResponse
from dpsampling.mechanisms.known_laws import coin, laplace, normal
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, Pair, all_pairs, both_ways
from dpsampling.privacy.guarantee import Approximate
from dpsampling.privacy.laws import Finite, Independent, Law, OnLine, Sampler

DELTA = 1e-5
OUTCOMES = 4
COUNT = {"none": (0.0,), "one": (1.0,)}
HISTOGRAM = {"none": (0.0, 0.0), "one": (1.0, 0.0), "another": (0.0, 1.0)}
CLASSICAL = "the classical σ is larger than is needed; the analytic one spends all of δ"
Worlds = Mapping[str, tuple[float, ...]]


class Simulated(Protocol):
    """What adds noise to a row of values."""

    def simulate(self, values: ArrayLike, rng: np.random.Generator, size: int, /) -> NDArray[Any]:
        """Rows."""


def bits(_order: float, epsilon: float) -> list[AuditCase]:
    """One bit, flipped alike or not."""
    kinds: list[tuple[str, RandomizedResponse, Callable[[float], tuple[float, float]]]] = [
        ("flipped alike", RandomizedResponse.symmetric(epsilon), lambda e: (math.exp(-e) / (1.0 + math.exp(-e)),) * 2),
        ("0 flipped at a half", RandomizedResponse.asymmetric(epsilon), lambda e: (0.5, math.exp(-e) / 2.0)),
    ]
    audit_cases = []
    for name, mechanism, flips in kinds:
        honest = _coins((float(mechanism.p), float(mechanism.q)), mechanism)
        lie = {"noise": lambda factor, flips=flips: _coins(flips(factor * epsilon))}
        audit_cases.append(AuditCase(f"one bit, {name}", mechanism.guarantee, honest, both_ways(("0", "1")), lie))
    return audit_cases


def choices(_order: float, epsilon: float) -> list[AuditCase]:
    """One answer of four."""
    mechanism = RandomizedChoice(epsilon, OUTCOMES)

    def laws(factor: float) -> Laws:
        return {str(i): Finite(_choice(i, factor * epsilon)) for i in range(OUTCOMES)}

    honest = {str(i): Finite(_choice(i, epsilon), _column(mechanism, (float(i),))) for i in range(OUTCOMES)}
    return [AuditCase(f"one of {OUTCOMES} answers", mechanism.guarantee, honest, all_pairs(honest), {"noise": laws})]


def laplace_noise(_order: float, epsilon: float) -> list[AuditCase]:
    """A count and a histogram."""
    law = partial(_laplace, epsilon)
    audit_cases = []
    for what, worlds in (("a noisy count", COUNT), ("a noisy histogram of two cells", HISTOGRAM)):
        mechanism = LaplaceMechanism(1.0, epsilon, len(worlds["none"]))
        laws, lie = _noisy(law, worlds, 1.0, mechanism), {"noise": partial(_noisy, law, worlds)}
        audit_cases.append(AuditCase(what, mechanism.guarantee, laws, _one_more(worlds), lie))
    return audit_cases


def gaussian_noise(calibration: Literal["classical", "analytic"], _order: float, epsilon: float) -> list[AuditCase]:
    """(ε, δ) of a count, and the whole Rényi line of it."""
    make = GaussianMechanism.classical if calibration == "classical" else GaussianMechanism.analytic
    mechanism = make(1.0, epsilon, DELTA)
    law = partial(_gaussian, mechanism.sigma)
    laws, lie = _noisy(law, COUNT, 1.0, mechanism), {"noise": partial(_noisy, law, COUNT)}
    promise = Approximate(epsilon, DELTA, mechanism.relation, mechanism.gaussian.conditions)
    loose = CLASSICAL if calibration == "classical" else ""
    return [
        AuditCase(f"a noisy count, δ = {DELTA:g}", promise, laws, _one_more(COUNT), lie, loose=loose),
        AuditCase(f"a noisy count, every order, δ = {DELTA:g}", mechanism.guarantee, laws, _one_more(COUNT), lie),
    ]


def _noisy(
    law: Callable[[float, float, Sampler | None], OnLine],
    worlds: Worlds,
    factor: float,
    mechanism: Simulated | None = None,
) -> Laws:
    """Each world's numbers with noise that is `factor` times too small, drawn by the mechanism if there is one."""
    laws: dict[str, Law] = {}
    for name, truth in worlds.items():
        if len(truth) == 1:
            laws[name] = law(truth[0], factor, None if mechanism is None else _column(mechanism, truth))
        else:
            parts = tuple(law(value, factor, None) for value in truth)
            laws[name] = Independent(parts, None if mechanism is None else partial(_rows, mechanism, truth))
    return laws


def _one_more(worlds: Worlds) -> tuple[Pair, ...]:
    """The empty data set and each of one record."""
    return both_ways(*(("none", name) for name in worlds if name != "none"))


def _laplace(epsilon: float, centre: float, factor: float, draw: Sampler | None) -> OnLine:
    return laplace(centre, 1.0 / epsilon / factor, draw)


def _gaussian(sigma: float, centre: float, factor: float, draw: Sampler | None) -> OnLine:
    return normal(centre, sigma / factor, draw)


def _rows(mechanism: Simulated, truth: tuple[float, ...], rng: np.random.Generator, size: int) -> Array:
    return np.asarray(mechanism.simulate(np.array(truth), rng, size))


def _column(mechanism: Simulated, truth: tuple[float, ...]) -> Sampler:
    return lambda rng, size: _rows(mechanism, truth, rng, size)[:, 0]


def _coins(flips: tuple[float, float], mechanism: RandomizedResponse | None = None) -> Laws:
    p, q = flips
    laws = {"0": coin(p), "1": coin(1.0 - q)}
    if mechanism is None:
        return laws
    return {name: Finite(law.log_mass, _column(mechanism, (float(name),))) for name, law in laws.items()}


def _choice(answer: int, epsilon: float) -> Array:
    weights = np.zeros(OUTCOMES)
    weights[answer] = epsilon
    return np.asarray(weights - np.logaddexp.reduce(weights))
