r"""Output and objective perturbation, exposed: a record on a line, x = 1 or −1, and the released w itself.

A hinge that is rounded off within ½ of 1 shows all of it. Output: n = 1 and nΛ = 2, where w* = ±½ and differs by the
whole 2R/(nΛ). Objective: beside z₁ = −1, which keeps the signs of b and b′ alike, z = 1 bends its loss by the whole c
next above w = ½, where its slope is still −1 and that of z′ = −1 is −1 too: both parts of the promise are spent at
once. Its law is the exact minimiser's, before the noise that covers what floats are off.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from dpsampling.learners.exact_objective_1d import PerturbedObjective
from dpsampling.learners.losses import HuberHinge, Logistic, Loss
from dpsampling.learners.noise import InFloats
from dpsampling.learners.objective_levels import Accounting
from dpsampling.learners.objective_perturbation import ObjectivePerturbation
from dpsampling.learners.output_perturbation import GaussianOutputPerturbation, OutputPerturbation
from dpsampling.learners.regularised import RegularisedClassifier
from dpsampling.mechanisms.known_laws import laplace, normal
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, both_ways
from dpsampling.privacy.laws import OnLine

DELTA = 1e-5
HINGE = HuberHinge(0.5)
SIGNS = {"x = 1": 1.0, "x = -1": -1.0}
PAIRS = both_ways(("x = 1", "x = -1"))
ON_A_LINE = "on a line the slopes of two logistic losses differ by 1 where one minimum is, not by 2"
PAID_TWICE = "the accounting of 2011 pays for the Jacobian twice"
SHARE = 0.125  # of ε, that the Jacobian takes


def output(_order: float, epsilon: float) -> list[AuditCase]:
    """A hinge, which attains the sensitivity, and the logistic loss."""
    audit_cases = []
    for loss, loose in ((HINGE, ""), (Logistic(), ON_A_LINE)):
        learner = OutputPerturbation(loss, 1, 1, 1.0, 2.0, epsilon)
        lie = partial(_shifted, learner, partial(_with_laplace, float(learner.rate)))
        honest = _shifted(learner, partial(_drawn_radially, learner), 1.0)
        slips = {} if loose else {"sensitivity halved": partial(lie, 2.0)}
        what, promise = f"one record, {loss.name}", learner.guarantee
        audit_cases.append(AuditCase(what, promise, honest, PAIRS, {"noise": lie}, slips, loose=loose, unseen=loose))
    return audit_cases


def gaussian_output(_order: float, epsilon: float) -> list[AuditCase]:
    """A hinge, which attains the sensitivity."""
    learner = GaussianOutputPerturbation(HINGE, 1, 1, 1.0, 2.0, epsilon, DELTA)
    sigma = learner.mechanism.sigma

    def drawn(w: float, factor: float) -> OnLine:
        del factor
        return normal(w, sigma, lambda rng, size: InFloats(rng).gaussian(np.full(size, w), sigma))

    lie = partial(_shifted, learner, lambda w, f: normal(w, sigma / f))
    slips = {"sensitivity halved": partial(lie, 2.0)}
    what = f"one record, {HINGE.name}, δ = {DELTA:g}"
    return [AuditCase(what, learner.guarantee, _shifted(learner, drawn, 1.0), PAIRS, {"noise": lie}, slips)]


def objective(accounting: Accounting, _order: float, epsilon: float) -> list[AuditCase]:
    """Two records; an eighth of ε is the Jacobian's."""
    learner = ObjectivePerturbation(HINGE, 2, 1, 1.0, 1.0 / (2.0 * np.expm1(SHARE * epsilon)), epsilon, accounting)
    rate, ridge = float(learner.levels.noise) / 2.0, learner.n * learner.levels.ridge
    lie = partial(_minimisers, HINGE, ridge, rate)
    slips: Mapping[str, Callable[[], Laws]] = {
        "the Jacobian not paid for": partial(_minimisers, HINGE, ridge, epsilon / 2.0, 1.0),
        "a Jacobian dropped": partial(_minimisers, HINGE, ridge, rate, 1.0, jacobian=False),
    }
    loose = PAID_TWICE if accounting == "2011" else ""
    what = f"two records, {HINGE.name}, the exact minimiser"
    return [AuditCase(what, learner.guarantee, lie(1.0), PAIRS, {"noise": lie}, slips, loose=loose)]


def _shifted(learner: RegularisedClassifier, law: Callable[[float, float], OnLine], factor: float) -> Laws:
    """Noise of a law about w* of either record."""
    return {name: law(float(learner.minimiser([[x]], [1])[0]), factor) for name, x in SIGNS.items()}


def _with_laplace(rate: float, w: float, factor: float) -> OnLine:
    return laplace(w, 1.0 / (factor * rate))


def _drawn_radially(learner: OutputPerturbation, w: float, factor: float) -> OnLine:
    """On a line a direction is a sign, and a length of Gamma(1) is an exponential one."""
    scale = 1 / learner.rate
    return laplace(w, float(scale) / factor, lambda rng, size: InFloats(rng).laplace(np.full(size, w), scale))


def _minimisers(loss: Loss, ridge: float, rate: float, factor: float, *, jacobian: bool = True) -> Laws:
    """Of either record beside z₁, of noise that is `factor` times too small."""
    return {name: _minimiser(loss, ridge, factor * rate, x, jacobian) for name, x in SIGNS.items()}


def _minimiser(loss: Loss, ridge: float, rate: float, x: float, jacobian: bool) -> OnLine:
    law = PerturbedObjective(np.array([-1.0, x]), loss, ridge, rate)
    jumps = sorted(z * edge for z in {-1.0, x} for edge in (0.5, 1.5))

    def log_density(w: Array) -> Array:
        return law.log_density(w) if jacobian else -rate * np.abs(law.noise_at(w)) + np.log(0.5 * rate * ridge)

    def sample(rng: np.random.Generator, size: int) -> Array:
        return law.minimisers(InFloats(rng).laplace(np.zeros(size), 1.0 / rate))

    (zero,) = law.minimisers(np.zeros(1)).tolist()
    return OnLine(log_density, sample, bends=(*jumps, zero))
