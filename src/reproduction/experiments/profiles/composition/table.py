r"""Table of Figure 7.1: what two releases cost together, by the rule and by enumeration.

Bernoulli profiles 1–2 are joined, 3 and 4 stand alone. Where selections are dependent, 3 is known to follow 1, and 4 to
follow 2. The claimed ε of a dependent case is what the rule of its independent twin would say.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.profiles.composition import (
    determined_selections,
    independent_observations,
    independent_selections,
    loss,
    same_observation,
)
from dpsampling.profiles.graph import bernoulli
from dpsampling.profiles.solvers import smooth_one_bit
from reproduction.experiments.profiles.composition import DEPENDENT, OBSERVATIONS, SAME, SELECTIONS

CASES = (OBSERVATIONS, SELECTIONS, SAME, DEPENDENT)
EDGE = (0, 1)
FOLLOWER = (2, 3, 0, 1)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a case."""
    del rng  # nothing here is random
    epsilon = float(params["epsilon"])
    graph = bernoulli(params["bernoulli"], [EDGE])
    mechanism = smooth_one_bit(graph, epsilon)
    joint = (
        independent_observations(mechanism, mechanism),
        independent_selections(mechanism, mechanism, np.full(4, 0.25)),
        same_observation(mechanism, mechanism),
        determined_selections(mechanism, mechanism, FOLLOWER),
    )
    claimed = (2.0 * epsilon, epsilon, 2.0 * epsilon, epsilon)
    exact = [loss(graph, laws) for laws in joint]
    return pd.DataFrame({"case": CASES, "claimed_epsilon": claimed, "exact_epsilon": exact})
