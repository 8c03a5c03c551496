r"""An attack by draws: an event S = {ln P/Q > t} or {ln P/Q < t} is chosen on some, and judged on others by its proof,

    ε(δ) ≥ ln (P̲(S) − δ) / Q̄(S),

with confidence 1 − `RISK` by the bounds of Clopper and Pearson. ln P/Q is that of the laws that the mechanism says it
has; whatever the draws really come from, the bound holds, since any event proves something.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv

from dpsampling.numerics.arrays import Array
from dpsampling.privacy.laws import Law
from dpsampling.privacy.rounding import LEAST

RISK = 1e-6  # of calling an honest mechanism broken, for each attack
TUNING = 0.3  # so many more draws, to choose the event
DIGITS, LARGEST = 9, 1e6  # of a score


def attack(p: Law, q: Law, delta: float, draws: int, rng: np.random.Generator) -> float:
    """The largest ε that `draws` draws from each law prove."""
    tuning = max(1, int(TUNING * draws))
    (p_tune, p_test), (q_tune, q_test) = (
        np.split(_score(p, q, law.sample(rng, tuning + draws)), [tuning]) for law in (p, q)
    )
    best, side = _event(p_tune, q_tune, delta, draws)
    hits = [np.array([np.sum(side * test > best)]) for test in (p_test, q_test)]
    return max(0.0, float(_proved(hits[0], hits[1], draws, delta)[0]))


def _event(p_tune: Array, q_tune: Array, delta: float, draws: int) -> tuple[float, float]:
    """t and ±1, for the scores above t or below −t, that prove most of these draws.

    If none proves anything, that which would if the others fell the same way. A sampler that does the opposite of what
    it says gives its world away by low scores.
    """
    size, best = len(p_tune), []
    for side in (1.0, -1.0):
        p_order, q_order = np.sort(side * p_tune), np.sort(side * q_tune)
        levels = np.linspace(0.0, 0.999, 400)
        thresholds = np.unique(np.quantile(np.concatenate([p_order, q_order]), levels, method="lower"))
        thresholds = np.append(np.nextafter(thresholds[0], -np.inf), thresholds)
        p_hits, q_hits = (size - np.searchsorted(o, thresholds, side="right").astype(float) for o in (p_order, q_order))
        proved = _proved(p_hits, q_hits, size, delta)
        scale = draws / size
        hoped = _proved(np.floor(p_hits * scale), np.ceil(q_hits * scale), draws, delta)
        chosen = int(np.argmax(proved if np.max(proved) > 0.0 else hoped))
        best.append((float(proved[chosen]), float(hoped[chosen]), float(thresholds[chosen]), side))
    *_, threshold, side = max(best)
    return threshold, side


def _score(p: Law, q: Law, sample: Array) -> Array:
    """ln P/Q; outputs that neither law has score nothing.

    It is rounded, for on a plateau of ln P/Q its last bits depend on those of the noise: an event made of them tells
    floating-point worlds apart, whatever ε is, and says nothing of the laws.
    """
    at_p, at_q = p.log_density(sample), q.log_density(sample)
    neither = (at_p == -np.inf) & (at_q == -np.inf)
    with np.errstate(invalid="ignore"):
        return np.where(neither, 0.0, np.round(np.clip(at_p - at_q, -LARGEST, LARGEST), DIGITS))


def _proved(p_hits: Array, q_hits: Array, draws: int, delta: float) -> Array:
    """ln (P̲ − δ)/Q̄ for events with so many hits, each bound with half of the risk."""
    low = np.where(p_hits > 0, betaincinv(np.maximum(p_hits, 1), draws - p_hits + 1, RISK / 2.0), 0.0)
    most = np.minimum(q_hits, draws - 1)
    high = np.where(q_hits < draws, betaincinv(most + 1, draws - most, 1.0 - RISK / 2.0), 1.0)
    return np.where(low > delta, np.log(np.maximum(low - delta, LEAST) / high), -np.inf)
