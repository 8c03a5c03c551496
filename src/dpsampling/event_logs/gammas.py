"""Gamma draws, the very numbers that NumPy's generator makes, in less time where they are made one by one.

For a shape a ≥ 1 they are Marsaglia and Tsang's (2000): with d = a − 1/3, c = 1/√(9d), X normal, V = (1 + cX)³ > 0 and
U uniform, dV is returned where ln U < X²/2 + d(1 − V + ln V), which U < 1 − 0.0331 X⁴ implies. At a = 1 it is an
exponential, and below that Ahrens and Dieter's (1974) rejection. Numba's translation counts references to the generator
at every call, which costs more than the arithmetic: so this is inlined, and calls nothing that is not.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit


@njit(cache=True, inline="always")
def standard_gamma(rng: np.random.Generator, shape: float) -> float:
    """One draw of a Gamma(shape) of rate 1."""
    if shape == 1.0:
        return rng.standard_exponential()
    if shape < 1.0:
        while True:
            u = rng.random()
            spare = rng.standard_exponential()
            over = 0.0 if u <= 1.0 - shape else -math.log((1.0 - u) / shape)
            x = (u if u <= 1.0 - shape else 1.0 - shape + shape * over) ** (1.0 / shape)
            if x <= spare + over:
                return x
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = rng.standard_normal()
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = rng.random()
        if u < 1.0 - 0.0331 * (x * x) * (x * x):
            return d * v
        if math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
            return d * v
