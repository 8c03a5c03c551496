r"""Each statement of supplement A.7 that numbers can decide, on posteriors that are small enough to be integrated.

The statements, and what stands as `exact` and as `bound` in their rows:

    all neighbours     R_λ of every pair of data sets of n records on a line, against 2ρ²λ/κ (Lemma 1; c = 1)
    a linear loss      two Gaussians of precision κ whose means are 2ρ/κ apart: the bound is attained
    many records       in two dimensions: losses of slope near 1 each way, where many records push w far out
    label flipped      (λ−1)/(2κ) of Lemma 3, and its sum for whole λ, whose term i = 0 must be halved
    moments            ln E e^{t(w − E w)} against t²/(2κ) (Theorem A.16), t the order
    transform          ln E e^{iw} of N(0, 1/κ) against i²/(2κ), for the order's whole part i (67)
    level by tails     ε of Lemma 1 if only Pr(X > x) ≤ e^{−x²/(2s²)} were known of its X, s² = 4ρ²/κ, against 2ρ²λ/κ
    entropy            of e^{tw/2}, against twice the squared gradient over κ (Definition A.15, Lemma 2)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations, combinations_with_replacement
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit, log_ndtr, logsumexp

from reproduction.experiments.logistic import bounds as said
from reproduction.experiments.logistic.bounds.quadrature import Array, grid, log_posterior, normalised, renyi

SIGNED = (-1.0, -0.5, 0.5, 1.0)  # z = (2y − 1)x of a record on the line
LARGEST_EXPONENT = 600.0  # of the closed form's terms
PUSHED_RECORDS = 10_000_000
Row = tuple[str, int, float, float, float, float, float, int]


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each statement, precision κ, weight ρ and order λ; nothing here is random."""
    del rng
    rows: list[Row] = [_slope()]
    for precision in params["precisions"]:
        rows += _flipped(precision, params["kl_orders"])
        rows.append(_evidence(precision))
        rows += [_transform(precision, math.floor(order)) for order in params["kl_orders"]]
        for weight in params["weights"]:
            for n in params["sizes"]:
                rows += _neighbours(n, precision, weight, params["kl_orders"])
            for order in params["kl_orders"]:
                rows += [_linear(precision, weight, order), *_moments(precision, weight, order)]
                if order > 1:
                    rows.append(_by_tails(precision, weight, order))
    rows += [_pushed(order) for order in params["kl_orders"]]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _bound(precision: float, weight: float, order: float) -> float:
    return 2.0 * weight**2 * order / precision


def _neighbours(n: int, precision: float, weight: float, orders: list[float]) -> Iterator[Row]:
    """The largest R_λ over all pairs, both ways."""
    data_sets = list(combinations_with_replacement(sorted(SIGNED), n))
    pairs = [
        (tuple(sorted((*rest, a))), tuple(sorted((*rest, b))))
        for rest in combinations_with_replacement(sorted(SIGNED), n - 1)
        for a, b in combinations(sorted(SIGNED), 2)
    ]
    for order in orders:
        w = grid(precision, weight * (n + 2.0 * order))
        laws = {data: log_posterior(w, data, precision, weight) for data in data_sets}
        level = max(renyi(w, *both, order) for a, b in pairs for both in ((laws[a], laws[b]), (laws[b], laws[a])))
        yield said.PAIRS, n, precision, weight, order, level, _bound(precision, weight, order), 2 * len(pairs)


def _linear(precision: float, weight: float, order: float) -> Row:
    """The loss −zw of slope 1."""
    w = grid(precision, 2.0 * weight * order)
    p, q = (normalised(w, -precision * w**2 / 2.0 + weight * z * w) for z in (1.0, -1.0))
    return said.LINEAR, 1, precision, weight, order, renyi(w, p, q, order), _bound(precision, weight, order), 1


def _flipped(precision: float, orders: list[float]) -> Iterator[Row]:
    """Lemma 3: a record z against −z, both of which have the evidence ½."""
    for order in orders:
        w = grid(precision, 2.0 * order)
        p, q = (log_posterior(w, [z], precision, 1.0) for z in (1.0, -1.0))
        exact = renyi(w, p, q, order)
        yield said.FLIPPED, 1, precision, 1.0, order, exact, (order - 1.0) / (2.0 * precision), 1
        if order > 1 and float(order).is_integer() and (order - 1.0) ** 2 / (2.0 * precision) < LARGEST_EXPONENT:
            for statement, first in ((said.PRINTED_SUM, 1.0), (said.HALVED_SUM, 0.5)):
                yield statement, 1, precision, 1.0, order, exact, _sum(int(order), precision, first), 1


def _sum(order: int, precision: float, first: float) -> float:
    """ln(2 Σ_i (−1)^{λ−1−i} e^{i²/(2κ)})/(λ−1), its term i = 0 counted `first` times; 0 where no logarithm is."""
    terms = [(-1.0) ** (order - 1 - i) * math.exp(i**2 / (2.0 * precision)) for i in range(1, order)]
    total = 2.0 * math.fsum([*terms, first * (-1.0) ** (order - 1)])
    return math.log(total) / (order - 1) if total > 0 else 0.0


def _evidence(precision: float) -> Row:
    """∫ N(w; 0, 1/κ)/(1 + e^{−w}) = ½, by symmetry."""
    w = grid(precision, 1.0)
    prior = normalised(w, -precision * w**2 / 2.0)
    exact = float(np.sum(np.exp(prior) * expit(w)) * (w[1] - w[0]))
    return said.EVIDENCE, 1, precision, 1.0, 1.0, exact, 0.5, 1


def _transform(precision: float, i: int) -> Row:
    """(67) on a line, by quadrature."""
    w = grid(precision, float(i))
    prior = normalised(w, -precision * w**2 / 2.0)
    exact = float(logsumexp(prior - i * w) + math.log(w[1] - w[0]))
    return said.TRANSFORM, 1, precision, 1.0, float(i), exact, i**2 / (2.0 * precision), 1


def _by_tails(precision: float, weight: float, order: float) -> Row:
    """KL ≤ s²/2, and E e^{tX} ≤ ∫ t e^{tx} Pr(X > x) dx, which is 1 + ts √(2π) e^{t²s²/2} Φ(ts) for those tails."""
    width, t = 2.0 * weight / math.sqrt(precision), order - 1.0
    z = t * width
    log_moment = float(np.logaddexp(0.0, math.log(z * math.sqrt(2.0 * math.pi)) + z**2 / 2.0 + log_ndtr(z)))
    exact = width**2 / 2.0 + log_moment / t
    return said.BY_TAILS, 1, precision, weight, order, exact, _bound(precision, weight, order), 1


def _moments(precision: float, weight: float, order: float) -> Iterator[Row]:
    """Herbst's bound for f = w and the log-Sobolev inequality for f = e^{tw/2}, under a posterior and its prior."""
    w = grid(precision, weight + order)
    step = w[1] - w[0]
    posterior = log_posterior(w, [1.0], precision, weight)
    mean = float(np.sum(np.exp(posterior) * w) * step)
    cumulant = renyi(w, posterior, posterior - order * (w - mean), 2.0)  # ln E e^{t(w − E w)}
    yield said.HERBST, 1, precision, weight, order, cumulant, order**2 / (2.0 * precision), 1
    for statement, law in ((said.ENTROPY, posterior), (said.ENTROPY_GAUSSIAN, normalised(w, -precision * w**2 / 2.0))):
        # Both sides over E f²: the entropy is the KL of the law tilted by f² = e^{tw}, and (f′)² = t² f²/4.
        entropy = renyi(w, normalised(w, law + order * w), law, 1.0)
        yield statement, 1, precision, weight, order, entropy, order**2 / (2.0 * precision), 1


def _slope() -> Row:
    """The steepest that ln(1 + e^{−t}) is, far out on its steep side."""
    t = np.linspace(-40.0, 40.0, 160_001)
    loss = np.logaddexp(0.0, -t)
    return said.SLOPE, 1, 1.0, 1.0, 1.0, float(np.max(np.abs(np.diff(loss) / np.diff(t)))), 1.0, len(t) - 1


def _pushed(order: float) -> Row:
    """R_λ of two neighbours in two dimensions, where many records (1, 0) push w₁ to where both losses are steep.

    The record in question is (−cos a, ± sin a): its loss has slope near 1 along either, and the two gradients differ by
    nearly 2 sin a. The other records leave w₁ a narrow law far out, so that κ is small and w₂ has the prior's spread.
    """
    precision, angle = 1.0, math.radians(75.0)
    w1, w2 = np.linspace(6.0, 20.0, 561), grid(precision, 2.0 * order)
    a, b = np.meshgrid(w1, w2, indexing="ij")
    area = (w1[1] - w1[0]) * (w2[1] - w2[0])

    def law(side: float) -> Array:
        own = np.logaddexp(0.0, math.cos(angle) * a - side * math.sin(angle) * b)
        value = -precision * (a**2 + b**2) / 2.0 - PUSHED_RECORDS * np.logaddexp(0.0, -a) - own
        top = value.max()
        return np.asarray(value - top - np.log(np.sum(np.exp(value - top)) * area))

    p, q = law(1.0), law(-1.0)
    if order == 1.0:
        exact = float(np.sum(np.exp(p) * (p - q)) * area)
    else:
        whole = order * p + (1.0 - order) * q
        exact = float((whole.max() + np.log(np.sum(np.exp(whole - whole.max())) * area)) / (order - 1.0))
    return said.PUSHED, PUSHED_RECORDS + 1, precision, 1.0, order, exact, _bound(precision, 1.0, order), 1
