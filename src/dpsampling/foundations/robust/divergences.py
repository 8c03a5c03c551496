r"""Finite laws against each other: Pinsker's inequality, and what coarser events show.

    KL(P‖Q) ≥ ½ ‖P − Q‖₁²                                                          (Robust 2014 (C.5))
    |P(B) − Q(B)| = ½ ‖P − Q‖₁ at the worst event B, so at most √(KL(P‖Q)/2)
    ‖P_𝔖 − Q_𝔖‖₁ ≤ ‖P − Q‖₁            on the events of a partition 𝔖              (Robust 2014 (C.8))

P and Q are rows of numbers that are proportional to probabilities; whole numbers keep the last line exact.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from dpsampling.foundations.robust.grids import partitions
from dpsampling.numerics.arrays import Array, Integers


def kl(p: ArrayLike, q: ArrayLike) -> Array:
    """KL(P‖Q) over the last axis."""
    return np.asarray(np.sum(rel_entr(_normalised(p), _normalised(q)), axis=-1))


def l1(p: ArrayLike, q: ArrayLike) -> Array:
    """‖P − Q‖₁ over the last axis."""
    return np.asarray(np.sum(np.abs(_normalised(p) - _normalised(q)), axis=-1))


def worst_event(p: ArrayLike, q: ArrayLike) -> Array:
    """max |P(B) − Q(B)| over every event B, one after the other."""
    gap = _normalised(p) - _normalised(q)
    events = np.array(list(product((0.0, 1.0), repeat=gap.shape[-1])))
    return np.asarray(np.max(np.abs(gap @ events.T), axis=-1))


def coarsening(p: Integers, q: Integers) -> tuple[float, int]:
    """The largest ratio of a distance on a partition's events to the distance, and the cases with P ≠ Q.

    Rows of p and q are whole numbers with one sum, so that both distances are whole numbers too.
    """
    fine = np.abs(p - q).sum(axis=-1)
    differ = fine > 0
    worst, cases = 0.0, 0
    for blocks in partitions(p.shape[-1]):
        joined = np.eye(max(blocks) + 1, dtype=np.int64)[list(blocks)]
        coarse = np.abs((p - q) @ joined).sum(axis=-1)
        worst = max(worst, float(np.max(coarse[differ] / fine[differ])))
        cases += int(differ.sum())
    return worst, cases


def _normalised(law: ArrayLike) -> Array:
    law = np.asarray(law, dtype=float)
    return law / law.sum(axis=-1, keepdims=True)
