r"""The exponential mechanism with the log joint probability as utility, thesis sections 4.2.2 and 4.3.1, exactly.

    f(θ; X, ε) ∝ Pr(θ, X)^(1/T),        T = 2Δ/ε,        Δ = max |ln p(x′ | θ) − ln p(x | θ)|.

A truncated coin has p in [a₀, 1 − a₀]: B = max |ln p(x | p)| = −ln a₀ and Δ = ln((1 − a₀)/a₀) ≤ B, as for all discrete
records, whose log-likelihoods have one sign. Of densities Δ may be 2B: two of height e^B on a part of measure m and
e^(−B) elsewhere, m e^B + (1 − m) e^(−B) = 1, on parts that do not meet.

Chains are finite: a cell of p goes to one of `REACH` neighbours on each side, and two bits are drawn by turns. The
relaxation time is 1/(1 − |λ₂|), λ₂ the second eigenvalue; the squared jump is that of one step in equilibrium, of p for
Metropolis and of the number of bits that change for Gibbs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpsampling.numerics.truncated_beta import log_normalizer
from reproduction.experiments.posteriors import tempering as said

Array = NDArray[np.float64]
Row = tuple[str, str, float, float, float | None, float | None]

CELLS, NEAR_MODE = 20_000, 0.02  # of [a₀, 1 − a₀] for distances; half-width about the mode
STATES, REACH = 120, 3  # of a Metropolis chain on p
COUPLING, COMMON, RARE = 3.0, 10.0, 12.0  # energies of the two Gibbs examples
LEVELS = (0.5, 1.0, 2.0, 4.0)  # B of the two densities
RECORDS = 60  # records of the data sets that a cost is the largest over


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Every statement."""
    del rng  # nothing here is random
    rows: list[Row] = [*_limits(params), *_costs(params), *_terms(params), *_base(params), *_chains(params)]
    return pd.DataFrame(rows, columns=list(said.COLUMNS)).astype({"printed": float, "right": float})


def _limits(params: Mapping[str, Any]) -> Iterator[Row]:
    """Total variation on cells of p, and the mass within a distance of the mode."""
    a0, (eta1, eta2) = float(params["truncation"]), map(float, params["prior"])
    a, b = eta1 + params["successes"], eta2 - eta1 + params["n"] - params["successes"]
    edges = np.linspace(a0, 1.0 - a0, CELLS + 1)
    p = (edges[1:] + edges[:-1]) / 2.0
    log = (a - 1.0) * np.log(p) + (b - 1.0) * np.log1p(-p)
    posterior, uniform = softmax(log), np.full(CELLS, 1.0 / CELLS)
    mode, delta = p[np.argmax(log)], math.log((1.0 - a0) / a0)
    for epsilon in sorted({*map(float, params["epsilons"]), 2.0 * delta}):
        law = softmax(log * (epsilon / (2.0 * delta)))
        yield said.UNIFORM, said.COINS, epsilon, 0.5 * float(np.abs(law - uniform).sum()), None, None
        yield said.TRUE, said.COINS, epsilon, 0.5 * float(np.abs(law - posterior).sum()), None, None
        yield said.PEAK, said.COINS, epsilon, float(law[np.abs(p - mode) <= NEAR_MODE].sum()), None, None


def softmax(log: Array) -> Array:
    """Probabilities of these logarithms, up to a constant."""
    return np.asarray(np.exp(log - logsumexp(log)))


def _costs(params: Mapping[str, Any]) -> Iterator[Row]:
    """Δ and the level of one draw, by all records and data sets, beside B, 2B and 4B."""
    for a0 in sorted(map(float, params["truncations"])):
        bound = -math.log(a0)
        grid = np.linspace(a0, 1.0 - a0, 101)
        delta = float(np.abs(np.log(grid) - np.log1p(-grid)).max())
        yield said.DIFFERENCE, said.COINS, bound, delta, 2.0 * bound, bound
        yield said.COST, said.COINS, bound, coin_level(a0), 4.0 * bound, 2.0 * bound
        yield said.SENSITIVITY, said.COINS, a0, delta, math.log(1.0 - a0) - math.log(a0), None
    for bound in LEVELS:
        likelihoods = two_densities(bound)
        delta = float(np.abs(likelihoods[:, :, np.newaxis] - likelihoods[:, np.newaxis]).max())
        yield said.DIFFERENCE, said.DENSITIES, bound, delta, 2.0 * bound, 2.0 * bound
        yield said.COST, said.DENSITIES, bound, densities_level(bound), 4.0 * bound, 4.0 * bound


def coin_level(a0: float) -> float:
    """The largest log-ratio of two posterior densities, of a uniform prior and data sets that differ in one record."""
    k = np.arange(RECORDS + 1.0)
    partition = np.diff(log_normalizer(k + 1.0, RECORDS - k + 1.0, a0, 1.0 - a0))  # from k to k + 1 ones
    ends = np.log([a0 / (1.0 - a0), (1.0 - a0) / a0])  # of the likelihood ratio, at both ends of p
    return float(np.abs(ends[:, np.newaxis] - partition).max())


def two_densities(bound: float) -> Array:
    """ln p(x | θ) of both θ on the parts of x where the first, the second or neither is high."""
    return np.array([[bound, -bound, -bound], [-bound, bound, -bound]])


def densities_level(bound: float) -> float:
    """The largest log-ratio of the probabilities of θ, uniform before, over all counts on the three parts."""
    kept = RECORDS - 1  # the records that do not change
    counts = np.array([(high, low, kept - high - low) for high in range(RECORDS) for low in range(RECORDS - high)])
    joint = np.array([(counts + record) @ two_densities(bound).T for record in np.eye(3)])  # by the record that changes
    logs = joint - logsumexp(joint, axis=-1, keepdims=True)
    return float((logs.max(axis=0) - logs.min(axis=0)).max())


def _terms(params: Mapping[str, Any]) -> Iterator[Row]:
    """ln of the ratio at p = a₀ of the posteriors of n ones and of n − 1: the likelihoods' part and the partition's."""
    a0 = float(params["truncation"])
    delta = math.log((1.0 - a0) / a0)
    for n in sorted(int(n) for n in params["sizes"]):
        ones, mixed = (float(log_normalizer(k + 1.0, n - k + 1.0, a0, 1.0 - a0)) for k in (n, n - 1))
        yield said.LIKELIHOOD, said.COINS, n, abs(math.log(a0) - math.log1p(-a0)), delta, None
        yield said.PARTITION, said.COINS, n, abs(mixed - ones), delta, None


def _base(params: Mapping[str, Any]) -> Iterator[Row]:
    """Σ_x h(x) exp(x ln p + (1 − x) ln(1 − p)), which is a probability's total, with h = 0 and with h = 1."""
    for p in (float(params["truncation"]), 0.5):
        total = sum(math.exp(x * math.log(p) + (1 - x) * math.log1p(-p)) for x in (0, 1))
        yield said.BASE, f"p = {p:g}", p, 1.0, 0.0 * total, 1.0 * total


def _chains(params: Mapping[str, Any]) -> Iterator[Row]:
    """Acceptance, squared jump and relaxation time at every temperature."""
    p = (np.arange(STATES) + 0.5) / STATES
    one_peak = 30.0 * np.log(p) + 70.0 * np.log1p(-p)
    two_peaks = np.logaddexp(45.0 * np.log(p) + 15.0 * np.log1p(-p), 15.0 * np.log(p) + 45.0 * np.log1p(-p))
    coupled = COUPLING * np.array([1.0, -1.0, -1.0, 1.0])  # of 00, 01, 10, 11
    skewed = -np.array([0.0, COMMON, COMMON, RARE])
    for t in sorted(map(float, params["temperatures"])):
        for case, log in ((said.ONE_PEAK, one_peak), (said.TWO_PEAKS, two_peaks)):
            kernel, law = metropolis(log / t), softmax(log / t)
            jumps = (p[:, np.newaxis] - p) ** 2
            yield from _movement(case, t, kernel, law, jumps)
        bits = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
        changes = np.abs(bits[:, np.newaxis] - bits).sum(axis=2).astype(float)
        for case, log in ((said.COUPLED, coupled), (said.SKEWED, skewed)):
            yield from _movement(case, t, gibbs(log / t), softmax(log / t), changes)


def _movement(case: str, t: float, kernel: Array, law: Array, jumps: Array) -> Iterator[Row]:
    yield said.ACCEPTED, case, t, float(1.0 - law @ np.diag(kernel)), None, None
    yield said.MOVED, case, t, float(law @ (kernel * jumps).sum(axis=1)), None, None
    yield said.RELAXED, case, t, relaxation(kernel, law), None, None


def metropolis(log: Array) -> Array:
    """Uniform proposals among the neighbours; those beyond the ends are rejected."""
    kernel = np.zeros((len(log), len(log)))
    for i in range(len(log)):
        for j in range(max(0, i - REACH), min(len(log), i + REACH + 1)):
            if j != i:
                kernel[i, j] = min(1.0, math.exp(min(0.0, log[j] - log[i]))) / (2 * REACH)
    return kernel + np.diag(1.0 - kernel.sum(axis=1))


def gibbs(log: Array) -> Array:
    """One of the two bits, each with probability ½, from its conditional law."""
    law, kernel = softmax(log), np.zeros((4, 4))
    for state in range(4):
        for flip in (1, 2):
            other = state ^ flip
            moves = law[other] / (law[other] + law[state])
            kernel[state, other] += 0.5 * moves
            kernel[state, state] += 0.5 * (1.0 - moves)
    return kernel


def relaxation(kernel: Array, law: Array) -> float:
    """1/(1 − |λ₂|) of a reversible kernel, by its symmetric form."""
    root = np.sqrt(law)
    symmetric = kernel * root[:, np.newaxis] / root
    values = np.sort(np.abs(np.linalg.eigvalsh((symmetric + symmetric.T) / 2.0)))
    return float(1.0 / (1.0 - values[-2]))
