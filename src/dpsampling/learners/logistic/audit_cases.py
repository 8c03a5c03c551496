r"""Private classifiers, exposed: one record on a line, and one record that many push to where its gradient is steep.

On a line the losses of two records differ by a function of slope c, not 2c: of the Rényi level a quarter can be spent.
In two dimensions (c = 1) others (1, 0) push w₁ out, where the losses of (−cos a, sin a) and (−cos a, −sin a) both are
steep, and their gradients differ by nearly 2 sin a: more of it is spent, though never all, as w₁ is not at infinity.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from dpsampling.learners.logistic.draws import draw
from dpsampling.learners.logistic.envelope import envelope
from dpsampling.learners.logistic.mechanisms import Classifier, DirectClassifier, Model, TruncatedClassifier
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.logistic.target import Target
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.panels import halving_to_both_ends, legendre
from dpsampling.privacy.audit_case import AuditCase, Laws, both_ways
from dpsampling.privacy.laws import OnLine, OnNodes

ON_A_LINE = "on a line the gradients of two records differ by c, not by 2c, and a quarter is all that can be spent"
UNSEEN = "a lie of 2× spends just the whole promise here; the instance in two dimensions shows more"
IN_A_PLANE = "the gradients are nearly opposed only where w is far out, and the draw is not always there"
HALF = "with one record both normalizers are equal, and their half of the promise is not spent"
OTHERS = 40  # records that push w₁: more would spend more, and make draws slower
ANGLE = math.radians(60.0)
SPREADS = 9.0  # standard deviations that the nodes reach to
ONE = {"y = 0": 0, "y = 1": 1}


def audit_cases(kind: type, order: float, epsilon: float) -> list[AuditCase]:
    """The smallest data set there is, and many records in a plane."""
    line = _calibrated(kind, 1, order, epsilon)
    plane = _calibrated(kind, OTHERS + 1, order, epsilon)
    return [
        AuditCase(
            "one record on a line, its label flipped",
            line.guarantee,
            _lines(line, line.precision, line.weight),
            both_ways(("y = 0", "y = 1")),
            _lies(line, partial(_lines, line)),
            loose=ON_A_LINE,
            unseen=UNSEEN,
        ),
        AuditCase(
            f"{OTHERS + 1} records in a plane, all but one alike",
            plane.guarantee,
            _planes(plane, plane.precision, plane.weight),
            both_ways(("up", "down")),
            _lies(plane, partial(_planes, plane)),
            loose=IN_A_PLANE,
            unseen=IN_A_PLANE,
        ),
    ]


def truncated(_order: float, epsilon: float) -> list[AuditCase]:
    """OPS with one record; the ball is the interval [−1, 1] at β = 1."""
    ops = TruncatedClassifier.calibrate(Model(1, 1.0), epsilon=epsilon)
    return [
        AuditCase(
            "one record on a line, its label flipped, β = 1",
            ops.guarantee,
            _lines(ops, ops.precision, ops.weight),
            both_ways(("y = 0", "y = 1")),
            {"weight": lambda f: _lines(ops, ops.precision, f * ops.weight)},
            loose=HALF,
            unseen=HALF,
        )
    ]


def _calibrated(kind: type, n: int, order: float, epsilon: float) -> Classifier:
    """At (order, epsilon), where the prior alone is half as strong as is needed; the direct one by its prior."""
    needed = 2.0 * order / (n * epsilon)
    if kind is DirectClassifier:
        return DirectClassifier.of(Model(n, needed))
    calibrate: Callable[..., Classifier] = kind.calibrate  # type: ignore[attr-defined]
    return calibrate(Model(n, needed / 2.0), order=order, epsilon=epsilon)


def _lies(mechanism: Classifier, laws: Callable[[float, float], Laws]) -> Mapping[str, Callable[[float], Laws]]:
    """Each record counts f times as often, or the prior is weaker by f²: ε(λ) is f² as large."""
    precision, weight = mechanism.precision, mechanism.weight
    return {"weight": lambda f: laws(precision, f * weight), "prior": lambda f: laws(precision / f**2, weight)}


def _sampled(
    mechanism: Classifier, records: Records, precision: float, weight: float, rng: np.random.Generator, size: int
) -> Array:
    """As the mechanism draws, or as one would that lies about its numbers."""
    if (precision, weight) == (mechanism.precision, mechanism.weight):
        return mechanism.simulate(records, rng, size)
    return draw(envelope(Target(records, precision, weight, mechanism.radius)), rng, size).points


# -- on a line ---------------------------------------------------------------------------------------------------------


def _single(label: int) -> Records:
    return Records(np.ones((1, 1)), np.array([label]))


def _lines(mechanism: Classifier, precision: float, weight: float) -> Laws:
    return {name: _on_line(mechanism, _single(label), precision, weight) for name, label in ONE.items()}


def _on_line(mechanism: Classifier, records: Records, precision: float, weight: float) -> OnLine:
    """The density of w by quadrature, drawn as the mechanism draws it."""
    (z,) = records.signed[:, 0].tolist()
    end = math.inf if mechanism.radius is None else mechanism.radius
    reach = min(end, weight / precision + 40.0 / math.sqrt(precision))
    nodes, weights = halving_to_both_ends(12, 24)
    w = reach * (2.0 * nodes - 1.0)

    def rise(w: Array) -> Array:
        return np.asarray(-precision * w**2 / 2.0 - weight * np.logaddexp(0.0, -z * w))

    top = float(rise(w).max())
    area = top + math.log(float(np.sum(2.0 * reach * weights * np.exp(rise(w) - top))))

    def log_density(w: Array) -> Array:
        return np.where(np.abs(w) <= end, rise(w) - area, -np.inf)

    def sample(rng: np.random.Generator, size: int) -> Array:
        return _sampled(mechanism, records, precision, weight, rng, size)[:, 0]

    return OnLine(log_density, sample, -end, end)


# -- in a plane --------------------------------------------------------------------------------------------------------


def _planes(mechanism: Classifier, precision: float, weight: float) -> Laws:
    return {name: _in_plane(mechanism, side, precision, weight) for name, side in (("up", 1.0), ("down", -1.0))}


def _in_plane(mechanism: Classifier, side: float, precision: float, weight: float) -> OnNodes:
    """The density on nodes that reach as far as the prior's tails do from where the others push w₁."""
    features = np.tile([1.0, 0.0], (OTHERS + 1, 1))
    features[-1] = [-math.cos(ANGLE), side * math.sin(ANGLE)]
    records = Records(features, np.ones(OTHERS + 1, dtype=int))
    far = SPREADS / math.sqrt(precision) + 2.0 * weight / precision
    peak = _pushed(precision, weight)
    nodes, weights = legendre(160)
    first, second = peak + far * nodes, far * nodes
    points = np.stack(np.meshgrid(first, second, indexing="ij"), axis=-1).reshape(-1, 2)
    log_weights = np.add.outer(np.log(far * weights), np.log(far * weights)).ravel()

    def rise(points: Array) -> Array:
        losses = OTHERS * np.logaddexp(0.0, -points[..., 0]) + np.logaddexp(0.0, -points @ features[-1])
        return np.asarray(-precision * np.sum(points**2, axis=-1) / 2.0 - weight * losses)

    values = rise(points) + log_weights
    area = float(values.max() + np.log(np.sum(np.exp(values - values.max()))))

    def sample(rng: np.random.Generator, size: int) -> Array:
        return _sampled(mechanism, records, precision, weight, rng, size)

    return OnNodes(lambda points: rise(points) - area, sample, points, log_weights)


def _pushed(precision: float, weight: float) -> float:
    """Where κw = ρm/(1 + e^w) for the m others."""
    low, high = 0.0, weight * OTHERS / precision
    for _ in range(100):
        middle = (low + high) / 2.0
        pull = weight * OTHERS * math.exp(-max(middle, 0.0)) / (1.0 + math.exp(-middle))
        low, high = (middle, high) if pull > precision * middle else (low, middle)
    return low
