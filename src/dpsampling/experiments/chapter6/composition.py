r"""Table of Figure 6.3: Theorem 15's four bounds beside the exact privacy of K ∘ M.

M is randomized response on 2 and on 4 values at (ε, 0), and a leaky one on 4 values at (ε, δ); K replaces its output by
a uniform value with a given probability. Beside the theorem's four forms stands what Dobrushin's condition gives at a
lower level, ε′ = ln(1 + γ(e^ε − 1)) as in the last two. `delta_exact` is the least δ with which K ∘ M is (ε′, δ)-DP,
for the bound's ε′.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.amplification.kernels import leaky_randomized_response, randomized_response, uniform_noise
from dpsampling.amplification.mixing import DOBRUSHIN, amplified, by_dobrushin_below, by_doeblin
from dpsampling.privacy.guarantee import Approximate

LOWER = "Dobrushin, lower ε"


def lower(epsilon: float, delta: float, gamma: float) -> tuple[float, float]:
    """Dobrushin's condition at the level that the last two forms have."""
    return by_dobrushin_below(epsilon, delta, gamma, by_doeblin(epsilon, delta, gamma)[0])


def table(params: Mapping[str, Any]) -> pd.DataFrame:
    """One row a mechanism, condition and amount of noise."""
    epsilon, leak, states = float(params["epsilon"]), float(params["delta"]), sorted(params["kernel_sizes"])
    mechanisms = [(f"randomized response on {k} values", k, 0.0, randomized_response(k, epsilon)) for k in states]
    largest = states[-1]
    leaky = leaky_randomized_response(largest, epsilon, leak)
    mechanisms.append((f"leaky randomized response on {largest} values", largest, leak, leaky))
    rows = []
    for name, values, delta, mechanism in mechanisms:
        for noise in sorted(params["noises"]):
            kernel = uniform_noise(values, noise)
            composed = kernel.after(mechanism)
            found = {
                condition: (gamma, bound.epsilon, bound.delta)
                for condition, (gamma, bound) in amplified(Approximate(epsilon, delta), kernel).items()
            }
            found[LOWER] = (found[DOBRUSHIN][0], *lower(epsilon, delta, found[DOBRUSHIN][0]))
            for condition, (gamma, level, left) in found.items():
                exact = composed.delta_at(level)
                rows.append((name, epsilon, delta, condition, gamma, level, left, exact))
    columns = ["mechanism", "epsilon", "delta", "condition", "gamma", "epsilon_bound", "delta_bound", "delta_exact"]
    return pd.DataFrame(rows, columns=columns)
