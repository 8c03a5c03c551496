r"""Profile mechanisms, exposed: two profiles, and every output of the law in exact fractions.

    Pr(output = y | P_i) = Σ_x P_i(x) A^i(x, y),      P_i as given, A in multiples of 2^-53,

so that the largest ratio of two laws is one of two whole numbers. Each mechanism is looked at where it needs noise: at
bits of .2 and .7, three categories for the linear program of matrices, and certain bits (0 and 1) for randomized
response, which is private for any profiles and spends all of ε on these.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, both_ways
from dpsampling.privacy.laws import Finite
from dpsampling.profiles.graph import ProfileGraph, bernoulli, categorical
from dpsampling.profiles.mechanism import ProfileMechanism

BITS = bernoulli([0.2, 0.7], [(0, 1)])
CERTAIN = bernoulli([0.0, 1.0], [(0, 1)])
CATEGORIES = categorical([[0.7, 0.2, 0.1], [0.1, 0.3, 0.6]], [(0, 1)])
NAMES = ("P₁", "P₂")


def audit_cases(kind: str, solve: Callable[[ProfileGraph, float], ProfileMechanism], epsilon: float) -> list[AuditCase]:
    """One mechanism on the graphs that expose it."""
    graphs = {
        "smooth": [(CATEGORIES, "two profiles of three categories")],
        "randomized-response": [(CERTAIN, "two certain bits")],
    }.get(kind, [(BITS, "two bits of .2 and .7"), (CERTAIN, "two certain bits")])
    return [_audit_cases(what, solve(graph, epsilon), epsilon) for graph, what in graphs]


def _audit_cases(what: str, mechanism: ProfileMechanism, epsilon: float) -> AuditCase:
    graph = mechanism.graph
    quiet = not np.any(mechanism.flips)

    def lie(factor: float) -> Laws:
        """Every flip, `factor` times as rare."""
        flips = mechanism.flips / factor
        diagonal = np.arange(flips.shape[1])
        flips[:, diagonal, diagonal] = 1.0 - flips.sum(axis=2)
        return {name: Finite(_log_law(graph.probabilities[i], flips[i])) for i, name in enumerate(NAMES)}

    laws = {
        name: Finite(_log_law(graph.probabilities[i], mechanism.matrices[i]), partial(_draw, mechanism, i))
        for i, name in enumerate(NAMES)
    }
    quiet_words = f"the profiles themselves are closer than ε = {epsilon:g}, and no noise is added"
    reason = quiet_words if quiet else "flips are whole multiples of 2^-53, so that no ratio exceeds e^36.8"
    pairs = both_ways((NAMES[0], NAMES[1]))
    return AuditCase(what, mechanism.guarantee, laws, pairs, {"flips": lie}, loose=reason, unseen=reason)


def _log_law(profile: Array, matrix: Array) -> Array:
    """ln Σ_x P(x) A(x, y), the sum in fractions."""
    exact = [[Fraction(p) * Fraction(a) for p, a in zip(profile, column, strict=True)] for column in matrix.T]
    total = sum((Fraction(p) for p in profile), Fraction(0))
    return np.array([_log(sum(terms, Fraction(0)) / total) for terms in exact])


def _log(value: Fraction) -> float:
    return math.log(value) if value else -math.inf


def _draw(mechanism: ProfileMechanism, profile: int, rng: np.random.Generator, size: int) -> Array:
    """An observation of the profile, released."""
    law = mechanism.graph.normalised[profile]
    observed = rng.choice(len(law), size, p=law)
    return mechanism.simulate(np.full(size, profile), observed, rng).astype(float)
