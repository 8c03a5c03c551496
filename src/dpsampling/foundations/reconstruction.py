r"""What answers about random subsets reveal when their noise is small (Dinur and Nissim 2003).

n secret bits x; a query is a random subset, its answer ⟨a, x⟩ + noise of at most E. The attack asks for the point of
[0, 1]^n whose answers are nearest to those that were given, in the largest deviation, and rounds it:

    minimise s        −s ≤ (A z − y)_q ≤ s,  0 ≤ z ≤ 1.

x itself is feasible with s = E. With E well below √n and a few n queries little else is.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linprog

from dpsampling.numerics.arrays import Array


def recovered(records: int, queries: int, noise: float, rng: np.random.Generator) -> float:
    """The share of the secret bits that the attack gets right; half of them are got by guessing."""
    secret = rng.integers(2, size=records).astype(float)
    subsets = rng.integers(2, size=(queries, records)).astype(float)
    answers = subsets @ secret + rng.uniform(-noise, noise, size=queries)
    return float(np.mean(attack(subsets, answers) == secret))


def attack(subsets: Array, answers: Array) -> Array:
    """Bits whose answers are nearest to these."""
    queries, records = subsets.shape
    slack = np.ones((queries, 1))
    found: Any = linprog(
        np.append(np.zeros(records), 1.0),
        A_ub=np.block([[subsets, -slack], [-subsets, -slack]]),
        b_ub=np.concatenate([answers, -answers]),
        bounds=[(0.0, 1.0)] * records + [(0.0, None)],
        method="highs",
    )
    return np.asarray(found.x[:-1] > 0.5, dtype=float)
