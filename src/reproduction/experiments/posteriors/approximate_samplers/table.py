r"""Exact checks of what thesis section 4.4 says of samplers that are near to a private one, or are run for a while.

Proposition 3    P_X(U) + δ/2 − e^ε (P_X′(U) − δ/2) is the most that any sampler within L1 distance δ puts on U
Langevin         θ ← θ + (h_t/2)(−θ + (N/m) Σ_batch (x − θ)) + √h_t ξ, of a Gaussian mean with prior N(0, 1) and
records of variance 1: with Λ = N + 1 the mean's error shrinks by 1 − h_tΛ/2 a step, and
Var ← (1 − h_tΛ/2)² Var + h_t + h_t² N²/(4m);   the distance is that of first two moments,
√(Λ(bias)² + (√(ΛVar) − 1)²), Wasserstein's for normal laws
weights          ln ω changes by c = Σ|ε_j − ε_{j+1}|/2 at most (supplement eq. 46, ln Pr(θ, X) by Δ): the normalized
weights change by 2 tanh(c/2) in L1 at most, and resampling by ω^(ε/2c) is ε-private
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.numerics.randomness import substream
from reproduction.experiments.posteriors import approximate_samplers as said

Array = NDArray[np.float64]
Row = tuple[str, str, float, float, float | None, float | None]

OUTPUTS, TABLES = 4, 200  # of the finite mechanisms; random joint laws of two variables and two records
SHARES = np.linspace(0.0, 1.0, 200_001)[1:-1]  # of the weight that rises
PATHS = (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)  # Σ|ε_j − ε_{j+1}| of annealing paths
SAMPLES, SPREAD = 6, 3.0  # weights that are resampled by; standard deviation of their logarithms


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Every statement."""
    rows: list[Row] = [
        *_near(params),
        *_langevin(params),
        *_updates(substream(rng, "tables")),
        *_weights(),
        *_resampling(params, substream(rng, "weights")),
    ]
    return pd.DataFrame(rows, columns=list(said.COLUMNS)).astype({"printed": float, "right": float})


def mechanisms(epsilon: float) -> dict[str, tuple[Array, Array]]:
    """Pairs of laws that use up ε: randomized response, and a geometric law cut off at both ends, from its two ends."""
    response = np.ones(OUTPUTS)
    response[0] = math.exp(epsilon)
    steps = math.exp(-epsilon / (OUTPUTS - 1)) ** np.arange(OUTPUTS)
    return {
        "randomized response": (response / response.sum(), np.roll(response, 1) / response.sum()),
        "geometric": (steps / steps.sum(), steps[::-1] / steps.sum()),
    }


def _near(params: Mapping[str, Any]) -> Iterator[Row]:
    """The largest over all events and both orders."""
    for epsilon in sorted(map(float, params["epsilons"])):
        for name, (p, q) in mechanisms(epsilon).items():
            for delta in sorted(map(float, params["deltas"])):
                worst = 0.0
                for event in itertools.product((0.0, 1.0), repeat=OUTPUTS):
                    for one, other in ((p, q), (q, p)):
                        more = min(1.0, float(one @ np.array(event)) + delta / 2.0)
                        less = max(0.0, float(other @ np.array(event)) - delta / 2.0)
                        worst = max(worst, more - math.exp(epsilon) * less)
                bound = (1.0 + math.exp(epsilon)) * delta
                yield said.NEAR, f"{name}, ε = {epsilon:g}", delta, worst, bound, bound / 2.0


def _langevin(params: Mapping[str, Any]) -> Iterator[Row]:
    """From N(0, 1), which is the prior, to a posterior whose mean is ½."""
    n, rate, marks = int(params["n"]), float(params["rate"]), sorted(int(t) for t in params["lengths"])
    precision, mean = n + 1.0, 0.5
    for case, decay in ((said.DECREASING, said.DECAY), (said.CONSTANT, 0.0)):
        bias, variance = -mean, 1.0
        for t in range(1, marks[-1] + 1):
            h = rate / precision * (1.0 + t / said.DELAY) ** -decay
            keep = 1.0 - h * precision / 2.0
            bias, variance = keep * bias, keep**2 * variance + h + (h * n) ** 2 / (4.0 * said.BATCH)
            if t in marks:
                apart = math.hypot(math.sqrt(precision) * bias, math.sqrt(precision * variance) - 1.0)
                yield said.LANGEVIN, case, t, apart, None, None


def _updates(rng: np.random.Generator) -> Iterator[Row]:
    """Joint laws of θ₁, θ₂ of three values each and two bits x, at random; records are x₁ and x₂."""
    for index in range(TABLES):
        log = rng.normal(0.0, 1.0, (3, 3, 2, 2))
        joint = float(max(np.abs(np.diff(log, axis=axis)).max() for axis in (2, 3)))
        changes = np.maximum(
            np.abs(np.diff(log, axis=2)).max(axis=(2, 3)), np.abs(np.diff(log, axis=3)).max(axis=(2, 3))
        )
        # Of θ₁ with θ₂ held, and of θ₂ with θ₁ held: the dearest update and the cheapest.
        held = [*changes.max(axis=0), *changes.max(axis=1)]
        yield said.UPDATE, "dearest", index, float(max(held)) / joint, 1.0, None
        yield said.UPDATE, "cheapest", index, float(min(held)) / joint, 1.0, None


def _weights() -> Iterator[Row]:
    """A share q of the weight rises by e^c, the rest falls by e^−c: the largest L1 change over q."""
    for path in PATHS:
        c = path / 2.0
        raised = SHARES * math.exp(c) / (SHARES * math.exp(c) + (1.0 - SHARES) * math.exp(-c))
        yield said.WEIGHTS, "normalized", path, float(2.0 * (raised - SHARES).max()), 2.0, 2.0 * math.tanh(c / 2.0)


def _resampling(params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    """The largest loss over all changes of ln ω by ±c each, and the distance from the weights themselves."""
    c = PATHS[3] / 2.0
    log = rng.normal(0.0, SPREAD, SAMPLES)
    target = _softmax(log)
    for epsilon in sorted(map(float, params["epsilons"])):
        power = epsilon / (2.0 * c)
        law = _softmax(power * log)
        losses = [
            np.abs(np.log(_softmax(power * (log + c * np.array(signs)))) - np.log(law)).max()
            for signs in itertools.product((-1.0, 1.0), repeat=SAMPLES)
        ]
        yield said.RESAMPLED, f"c = {c:g}", epsilon, float(max(losses)), epsilon, None
        yield said.RESAMPLING_ERROR, f"c = {c:g}", epsilon, 0.5 * float(np.abs(law - target).sum()), None, None


def _softmax(log: Array) -> Array:
    weights = np.exp(log - log.max())
    return np.asarray(weights / weights.sum())
