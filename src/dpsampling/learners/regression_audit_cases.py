r"""Private regression, exposed: the noisy coefficients and moments themselves, of one record with one feature.

Records have x = 1 − 2⁻¹³, the largest number of the grid that no rounding shrinks, and y at an end: in the linear form
their coefficients are (∓2x, x²), in the logistic one (±x/2, x²/8). AdaSSP's three numbers of one record are x², x² and
x to within the grid of the eigenvalue; what is shown of them is their length along the direction in which the record
moves them, which is all that tells the worlds apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Literal

import numpy as np

from dpsampling.learners.ada_ssp import AdaSSP
from dpsampling.learners.functional import FunctionalLinear, FunctionalLogistic, FunctionalMechanism
from dpsampling.learners.noise import InFloats
from dpsampling.mechanisms.known_laws import laplace, normal
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, all_pairs, both_ways
from dpsampling.privacy.guarantee import Relation
from dpsampling.privacy.laws import Independent

DELTA = 1e-5
X = 1.0 - 2.0**-13
RECORDS = {"nobody": ([], []), "x, 1": ([[X]], [1.0]), "x, −1": ([[X]], [-1.0]), "x, 0": ([[X]], [0.0])}
LINEAR = {"x, 1": (-2.0 * X, X * X), "x, −1": (2.0 * X, X * X)}
LOGISTIC = {"x, 1": (-X / 2.0, X * X / 8.0), "x, 0": (X / 2.0, X * X / 8.0)}
NOBODY = {"nobody": (0.0, 0.0)}
FLOOR = 1023.0 / 1024.0  # of x² on the grid of the eigenvalue
PRINTED_DELTA = "the printed Δ is twice what neighbours move at d = 1"
PRINTED_SIGMA = "the printed noise is larger than one Gaussian vector needs"


def linear(_order: float, epsilon: float) -> list[AuditCase]:
    """One record's coefficients; replaced, Δ = 4, and one more, Δ = 3."""
    replaced = FunctionalLinear(epsilon, 1.0, outcome_bound=1.0)
    more = FunctionalLinear(epsilon, 1.0, relation=Relation.ADD_OR_REMOVE_ONE, outcome_bound=1.0)
    printed = FunctionalLinear(epsilon, 1.0, "printed", outcome_bound=1.0)
    return [
        _coefficients("one record replaced", replaced, LINEAR, 4.0 / epsilon, slip=3.0 / epsilon),
        _coefficients("one record more", more, NOBODY | LINEAR, 3.0 / epsilon, slip=2.0 / epsilon),
        _coefficients("one record replaced, printed Δ", printed, LINEAR, 8.0 / epsilon, loose=PRINTED_DELTA),
    ]


def logistic(_order: float, epsilon: float) -> list[AuditCase]:
    """One record's coefficients; replaced, Δ = 1, and one more, Δ = 5/8."""
    replaced = FunctionalLogistic(epsilon, 1.0)
    more = FunctionalLogistic(epsilon, 1.0, relation=Relation.ADD_OR_REMOVE_ONE)
    return [
        _coefficients("one record replaced", replaced, LOGISTIC, 1.0 / epsilon, slip=0.625 / epsilon),
        _coefficients("one record more", more, NOBODY | LOGISTIC, 0.625 / epsilon, slip=0.5 / epsilon),
    ]


def ada_ssp(variant: Literal["printed", "exact"], _order: float, epsilon: float) -> list[AuditCase]:
    """The three statistics of one record, or of none."""
    learner = AdaSSP(epsilon, DELTA, 1.0, 1.0, variant)
    moved = {"nobody": np.zeros(3), "x, 1": np.array([FLOOR, X * X, X])}
    length = float(np.linalg.norm(moved["x, 1"]))

    def laws(sigma: float, own: bool = False) -> Laws:
        return {
            name: normal(
                float(numbers @ moved["x, 1"]) / length,
                sigma,
                partial(_along, learner, name, moved["x, 1"] / length) if own else None,
            )
            for name, numbers in moved.items()
        }

    return [
        AuditCase(
            f"one record more, δ = {DELTA:g}",
            learner.guarantee,
            laws(learner.sigma, own=True),
            both_ways(("nobody", "x, 1")),
            {"noise": lambda factor: laws(learner.sigma / factor)},
            {"three priced as one": lambda: laws(learner.sigma / math.sqrt(3.0))},
            loose=PRINTED_SIGMA if variant == "printed" else "",
        )
    ]


def _coefficients(
    what: str,
    learner: FunctionalMechanism,
    worlds: Mapping[str, tuple[float, float]],
    scale: float,
    *,
    slip: float | None = None,
    loose: str = "",
) -> AuditCase:
    def laws(scale: float, own: bool = False) -> Laws:
        return {
            name: Independent(
                tuple(laplace(number, scale) for number in numbers), partial(_noisy, learner, name) if own else None
            )
            for name, numbers in worlds.items()
        }

    pairs = both_ways(*(("nobody", name) for name in worlds if name != "nobody")) if "nobody" in worlds else None
    return AuditCase(
        what,
        learner.guarantee,
        laws(scale, own=True),
        pairs or all_pairs(worlds),
        {"noise": lambda factor: laws(scale / factor)},
        {} if slip is None else {"Δ without one term": lambda: laws(slip)},
        loose=loose,
        unseen=loose,
    )


def _noisy(learner: FunctionalMechanism, world: str, rng: np.random.Generator, size: int) -> Array:
    """The learner's own coefficients with the noise of its own scale."""
    features, outcomes = RECORDS[world]
    exact = learner.coefficients(np.reshape(features, (-1, 1)), np.array(outcomes))
    return InFloats(rng).laplace(np.tile(exact, (size, 1)), learner.scale(1))


def _along(learner: AdaSSP, world: str, direction: Array, rng: np.random.Generator, size: int) -> Array:
    """The learner's own statistics with the noise of its own s, in one direction."""
    features, outcomes = RECORDS[world]
    exact = learner.statistics(np.reshape(features, (-1, 1)), np.array(outcomes))
    noisy = InFloats(rng).gaussian(np.tile(exact, (size, 1)), Fraction(learner.sigma))
    return np.asarray(noisy @ direction)
