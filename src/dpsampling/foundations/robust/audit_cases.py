r"""Two coins p and 1 − p, exposed by one record, under a one-sided prior and under an even one.

One record multiplies the odds of the two coins by e^{2L} from 0 to 1. Where the prior has nearly all of its mass on one
coin, the other's probability changes by that whole factor: 2L is spent. Under an even prior it is half of it.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_expit

from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, both_ways
from dpsampling.privacy.laws import Finite

ONE_SIDED = (1.0, 2.0**-20)
EVEN = (1.0, 1.0)
SIGNS = {"x = 0": -1.0, "x = 1": 1.0}
HALF = "under an even prior both normalizers are equal, and half of the promise is all that one record can spend"
UNSEEN = "a lie of 2× spends just the whole promise here; the instance with a one-sided prior shows less"


def audit_cases(_order: float, epsilon: float) -> list[AuditCase]:
    """ε-DP holds at every order."""
    return [
        _one_record("one bit, a one-sided prior", FinitePosterior.calibrate(ONE_SIDED, epsilon=epsilon), "", ""),
        _one_record("one bit, an even prior", FinitePosterior.calibrate(EVEN, epsilon=epsilon), HALF, UNSEEN),
    ]


def _one_record(what: str, mechanism: FinitePosterior, loose: str, unseen: str) -> AuditCase:
    data = {"x = 0": np.array([1.0, 0.0]), "x = 1": np.array([0.0, 1.0])}

    def honest(counts: Array) -> Finite:
        def draw(rng: np.random.Generator, size: int) -> Array:
            return np.asarray(mechanism.simulate(counts, rng, size), dtype=float)

        return Finite(mechanism.log_probabilities(counts), draw)

    def weighted(factor: float) -> Laws:
        """The record counts f times: the odds of the second coin are w (p/(1−p))^{∓f}, written out."""
        (zero, one), *_ = mechanism.likelihoods
        start = np.log(mechanism.prior[1] / mechanism.prior[0])
        logits = {name: start + sign * factor * np.log(zero / one) for name, sign in SIGNS.items()}
        return {name: Finite(np.array([log_expit(-logit), log_expit(logit)])) for name, logit in logits.items()}

    laws = {name: honest(counts) for name, counts in data.items()}
    return AuditCase(
        what, mechanism.guarantee, laws, both_ways(("x = 0", "x = 1")), {"weight": weighted}, loose=loose, unseen=unseen
    )
