r"""A query session, exposed: a total that two answers spend, both of which show θ itself, and a third query.

    finite     Θ of `OUTCOMES` parameters, one of which a record raises, or all others, by the exponential mechanism
    a logit    Algorithm 2 on three bits, at a total of Rényi divergence

An honest session refuses the third query, which is an answer too, and says nothing of the data. The one that lies
draws once more and has not charged for it.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.special import log_softmax

from dpsampling.foundations.evaluation_session import EvaluationSession
from dpsampling.foundations.query_session import QuerySession
from dpsampling.foundations.totals import AtOrder, Total
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.known_laws import logit_beta
from dpsampling.mechanisms.posterior import DiffusedPosterior
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, all_pairs, both_ways
from dpsampling.privacy.guarantee import Guarantee, Pure
from dpsampling.privacy.laws import Finite, Independent

ANSWERS = 2
OUTCOMES = 100
AT_ONCE = 20_000  # sessions simulated together
FEW = f"all of ε is spent by many more than e^(ε/4) outcomes, and these are {OUTCOMES}"
BITS, WEAK = 3, (1.0, 3.0)  # records, and Beta(1, 2)


def audit_cases(order: float, epsilon: float) -> list[AuditCase]:
    """Both."""
    return [_finite(epsilon), _logit(order, epsilon)]


def _spent(mechanism: ExponentialMechanism | DiffusedPosterior, data: object, total: Total) -> Guarantee:
    """Return what a session says after its last answer."""
    session = QuerySession(mechanism, data, total)
    for _ in range(ANSWERS):
        session.ask(lambda theta: theta)
    return session.guarantee


def _finite(epsilon: float) -> AuditCase:
    mechanism = ExponentialMechanism(1.0, epsilon / ANSWERS)
    utilities = {"x = 0": np.eye(OUTCOMES)[0], "x = 1": 1.0 - np.eye(OUTCOMES)[0]}
    refused = Finite(np.array([-math.inf] * OUTCOMES + [0.0]))

    def answers(factor: float) -> dict[str, Finite]:
        weight = factor * mechanism.epsilon / 2.0
        return {name: Finite(np.asarray(log_softmax(weight * u))) for name, u in utilities.items()}

    def colder(factor: float) -> Laws:
        return {name: Independent((*[law] * ANSWERS, refused)) for name, law in answers(factor).items()}

    def drawn_once_more() -> Laws:
        return {
            name: Independent((*[law] * ANSWERS, Finite(np.append(law.log_mass, -math.inf))))
            for name, law in answers(1.0).items()
        }

    honest = {
        name: Independent((*[law] * ANSWERS, refused), partial(_asked, mechanism, utilities[name]))
        for name, law in answers(1.0).items()
    }
    return AuditCase(
        f"{ANSWERS} answers, {OUTCOMES} parameters",
        _spent(mechanism, utilities["x = 0"], Pure(math.nextafter(epsilon, math.inf))),  # ε as a float, not its decimal
        honest,
        both_ways(("x = 0", "x = 1")),
        {"temperature": colder},
        {"a draw that is not charged": drawn_once_more},
        loose=FEW,
    )


def _asked(mechanism: ExponentialMechanism, utilities: Array, rng: np.random.Generator, size: int) -> Array:
    """θ twice, and the refusal."""
    rows = []
    for start in range(0, size, AT_ONCE):
        runs = min(AT_ONCE, size - start)
        session = EvaluationSession(mechanism, utilities, rng, runs=runs)
        columns = [session.evaluate(np.asarray) for _ in range(ANSWERS)]
        rows.append(np.stack([*columns, np.full(runs, OUTCOMES)], axis=-1).astype(float))
    return np.concatenate(rows)


def _logit(order: float, epsilon: float) -> AuditCase:
    mechanism = DiffusedPosterior.calibrate(BetaBernoulli(), WEAK, BITS, order=order, epsilon=epsilon / ANSWERS)
    alpha, total = WEAK
    sums = range(BITS + 1)

    def counted_again(factor: float) -> Laws:
        r = mechanism.scale * factor
        laws = (logit_beta(alpha + r * s, total - alpha + r * (BITS - s)) for s in sums)
        return {f"s = {s}": Independent((law,) * ANSWERS) for s, law in zip(sums, laws, strict=True)}

    def asked(s: int, rng: np.random.Generator, size: int) -> Array:
        session = EvaluationSession(mechanism, float(s), rng, runs=size)
        return np.stack([session.evaluate(np.asarray) for _ in range(ANSWERS)], axis=-1)

    honest = {
        name: Independent(law.parts, partial(asked, s))
        for s, (name, law) in zip(sums, counted_again(1.0).items(), strict=True)
        if isinstance(law, Independent)
    }
    neighbours = tuple((p, q) for p, q in all_pairs(honest) if abs(int(p[-1]) - int(q[-1])) == 1)
    return AuditCase(
        f"{ANSWERS} answers, Algorithm 2, n = {BITS}",
        _spent(mechanism, 0.0, AtOrder(order, epsilon)),
        honest,
        neighbours,
        {"data counted again": counted_again},
    )
