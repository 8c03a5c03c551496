r"""Table of post-processing: Theorem 15's four bounds beside the exact privacy of K ∘ M.

M is randomized response on 2 and on 4 values at (ε, 0), and a leaky one on 4 values at (ε, δ); K replaces its output by
a uniform value with a given probability. Beside the theorem's four forms stands what Dobrushin's condition gives at a
lower level, ε′ = ln(1 + γ(e^ε − 1)) as in the last two. `delta_exact` is the least δ with which K ∘ M is (ε′, δ)-DP,
for the bound's ε′.

The last rows are about a kernel of three values that meets no Doeblin condition, after leaky randomized response.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.kernels import Kernel, leaky_randomized_response, randomized_response, uniform_noise
from dpsampling.amplification.mixing import amplified, by_dobrushin_below, by_doeblin
from dpsampling.amplification.names import DOBRUSHIN
from dpsampling.privacy.guarantee import Approximate
from reproduction.experiments.amplification import exact_kernels
from reproduction.experiments.amplification.post_processing import COLUMNS, LOWER, TRIANGLE, UNIFORM


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a mechanism, kernel and condition."""
    del rng  # nothing here is random
    epsilon, leak, states = float(params["epsilon"]), float(params["delta"]), sorted(params["kernel_sizes"])
    mechanisms = [(f"randomized response on {k} values", k, 0.0, randomized_response(k, epsilon)) for k in states]
    mechanisms.append(_leaky(states[-1], epsilon, leak))
    rows = [
        (name, epsilon, delta, *row, UNIFORM)
        for name, values, delta, mechanism in mechanisms
        for noise in sorted(params["noises"])
        for row in _bounds(Approximate(epsilon, delta), mechanism, uniform_noise(values, noise))
    ]
    name, _, delta, mechanism = _leaky(len(exact_kernels.TRIANGLE), epsilon, leak)
    triangle = Kernel.of(np.array(exact_kernels.TRIANGLE, dtype=float))
    rows += [
        (name, epsilon, delta, *row, TRIANGLE) for row in _bounds(Approximate(epsilon, delta), mechanism, triangle)
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _leaky(values: int, epsilon: float, delta: float) -> tuple[str, int, float, Kernel]:
    name = f"leaky randomized response on {values} values"
    return name, values, delta, leaky_randomized_response(values, epsilon, delta)


def _bounds(
    guarantee: Approximate, mechanism: Kernel, kernel: Kernel
) -> Iterator[tuple[str, float, float, float, float]]:
    """By condition: γ, the ε′ and δ′ that it gives, and the exact δ at ε′."""
    forms = {
        condition: (gamma, bound.epsilon, bound.delta)
        for condition, (gamma, bound) in amplified(guarantee, kernel).items()
    }
    forms[LOWER] = (forms[DOBRUSHIN][0], *lower(guarantee.epsilon, guarantee.delta, forms[DOBRUSHIN][0]))
    composed = kernel.after(mechanism)
    for condition, (gamma, level, left) in forms.items():
        yield condition, gamma, level, left, composed.delta_at(level)


def lower(epsilon: float, delta: float, gamma: float) -> tuple[float, float]:
    """Dobrushin's condition at the level that the last two forms have."""
    return by_dobrushin_below(epsilon, delta, gamma, by_doeblin(epsilon, delta, gamma)[0])
