r"""Tuning, exposed: runs of two or three outcomes from the worst to the best, of which the best run is kept.

three outcomes   the middle one e^ε times as likely, the best one e^−ε times: the best of many runs spends 3ε
a coin           ε-DP either way: without a third outcome no more than 2ε
curves           the three outcomes again, by the Rényi curve of ε-DP runs
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from dpsampling.learners.tuning import best_of, law_of_best
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, both_ways
from dpsampling.privacy.guarantee import Pure, Relation
from dpsampling.privacy.laws import Finite

GAMMA, OFTEN = 0.003, 0.5  # of many runs, and of two
MIDDLE, BEST = 0.003, 0.3
NAMES = ("X", "X′")
AT_ONCE = 100_000
TWO = "of a coin the best of many runs spends at most two of the three ε"
CURVE = "γ pays for itself twice in the bound, whatever the runs spend"


def audit_cases(_order: float, epsilon: float) -> list[AuditCase]:
    """All three."""
    return [
        _audit_case("three outcomes", _three, epsilon / 3.0, GAMMA),
        _audit_case("a coin", _coin, epsilon / 3.0, GAMMA, loose=TWO),
        _audit_case("three outcomes, every order", _three, epsilon / 3.0, OFTEN, loose=CURVE, unseen=CURVE, curve=True),
    ]


def _three(epsilon: float) -> tuple[Array, Array]:
    """Laws of a run: worst, middle, best."""
    far, near = math.exp(-epsilon), math.exp(epsilon)
    return (
        np.array([1.0 - MIDDLE - BEST * far, MIDDLE, BEST * far]),
        np.array([1.0 - MIDDLE / near - BEST, MIDDLE / near, BEST]),
    )


def _coin(epsilon: float) -> tuple[Array, Array]:
    """The truth with probability e^ε/(1 + e^ε)."""
    truth = 1.0 / (1.0 + math.exp(-epsilon))
    return np.array([truth, 1.0 - truth]), np.array([1.0 - truth, truth])


def _audit_case(
    what: str, runs: object, epsilon: float, gamma: float, loose: str = "", unseen: str = "", curve: bool = False
) -> AuditCase:
    assert callable(runs)
    run = Pure(epsilon, Relation.REPLACE_ONE)

    def laws(factor: float, gamma: float = gamma) -> Laws:
        pair: tuple[Array, Array] = runs(factor * epsilon)
        return {
            name: Finite(np.log(law_of_best(law, gamma)), partial(_best, law, gamma))
            for name, law in zip(NAMES, pair, strict=True)
        }

    return AuditCase(
        f"the best of {1.0 / gamma:.0f} runs, {what}",
        best_of(run.renyi() if curve else run, gamma),
        laws(1.0),
        both_ways(NAMES),
        {"noise": laws},
        {} if curve else {"tuning taken for free": lambda: laws(3.0)},
        loose=loose,
        unseen=unseen,
    )


def _best(law: Array, gamma: float, rng: np.random.Generator, size: int) -> Array:
    """The best outcome that some of geometrically many runs had."""
    found = []
    for start in range(0, size, AT_ONCE):
        seen = rng.multinomial(rng.geometric(gamma, min(AT_ONCE, size - start)), law) > 0
        found.append(len(law) - 1 - np.argmax(seen[:, ::-1], axis=1))
    return np.concatenate(found)
