r"""Table of the supplement's Figure 1: a greedy adversary against posterior sampling.

The posterior of s successes in n records, truncated to [a₀, 1 − a₀], is released as it is (T = 1). Its dataset-specific
ε is the largest |ln P/Q| over p and over data that differ in one record; ln P/Q is monotone in p, so it is attained at
the ends of the window. The adversary adds the record, a success or a failure, that makes the next ε larger.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.one_posterior_sample import local_epsilon


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a number of records; ties are broken towards a success, in the last column towards a failure."""
    del rng  # nothing here is random
    frame, other = greedy(params, prefer_success=True), greedy(params, prefer_success=False)
    return frame.assign(epsilon_ties_to_failures=other["epsilon"])


def greedy(params: Mapping[str, Any], *, prefer_success: bool) -> pd.DataFrame:
    """Add records as the adversary does, one by one."""
    prior, a0 = BetaBernoulli().check_prior(params["prior"]), float(params["truncation"])
    rows, successes = [], 0
    for n in range(1, int(params["n"]) + 1):
        choices = {}
        for added in (1, 0) if prefer_success else (0, 1):
            s = successes + added
            choices[s] = local_epsilon(s, n - s, a0, prior=prior)
        # Ties differ by rounding only; the first choice stands unless the other is really larger.
        first, other = choices
        larger = float(choices[other].epsilon) > float(choices[first].epsilon) * (1.0 + 1e-9)
        successes = other if larger else first
        rows.append((n, successes, float(choices[successes].epsilon), choices[successes].worst_case))
    return pd.DataFrame(rows, columns=["n", "successes", "epsilon", "worst_case"])
