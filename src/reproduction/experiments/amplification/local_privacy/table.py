r"""Table of local privacy: each mixing coefficient beside the local privacy of the kernel, from all of its events.

A kernel is (ε, δ)-locally private where Pr(E | x) ≤ e^ε Pr(E | x′) + δ for all events E and
inputs x, x′. Of each kernel,

    Dobrushin           δ at ε = 0, which should be γ
    (γ, ε)-Dobrushin    δ at ε, which should be γ
    Doeblin             ε at δ = 0, of which 1 − γ ≥ e^{−ε} is a consequence, not an equivalent
    ultra-mixing        ε at δ = 0, which should be ln 1/(1 − γ)

Coefficients come from entries, privacy from the probabilities of the 2^m events: two ways to one number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.kernels import Kernel, randomized_response
from dpsampling.amplification.mixing import coefficients
from dpsampling.amplification.names import DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from reproduction.experiments.amplification.local_privacy import COLUMNS
from reproduction.experiments.amplification.random_kernels import event_probabilities, kernels


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Four rows a kernel: randomized response at every level and number of values, then the random kernels."""
    states = sorted(params["kernel_sizes"])
    responses = (randomized_response(k, epsilon) for k in states for epsilon in sorted(params["epsilons"]))
    rows = [
        row
        for kernel in chain(responses, kernels(params["kernels"], states, rng))
        for row in _rows(kernel, float(params["epsilon"]))
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _rows(kernel: Kernel, epsilon: float) -> Iterator[tuple[str, float, float, float]]:
    events = event_probabilities(kernel)
    top, low = events.max(axis=0), events.min(axis=0)
    top, low = top[top > 0], low[top > 0]
    with np.errstate(divide="ignore"):
        log_ratio = np.log(top) - np.log(low)
    pure = float(np.max(log_ratio))
    gamma = coefficients(kernel, epsilon)
    for name, level in ((DOBRUSHIN, 0.0), (LEVEL_DOBRUSHIN, epsilon)):
        # top − e^ε low, where low may be 0 and e^ε too large for a float
        yield name, gamma[name], level, float(np.max(top * -np.expm1(np.minimum(level - log_ratio, 0.0))))
    for name in (DOEBLIN, ULTRA_MIXING):
        yield name, gamma[name], pure, 0.0
