r"""Small statements of thesis chapter 7, each with both sides, by enumeration of joint laws.

    (7.2)     ln Pr(A = y | s_i) − ln Pr(A = y | s_j) ≤ ε over secrets s_i = "the record is t", s_j = "there is none"
    Obs. 7    the ε of a mechanism followed by any kernel is at most its own
    Obs. 9    Pr(Y₁, Y₂ | Q₁) = Pr(Y₁ | Q₁) Σ_j q_j Pr(Y₂ | P_j, Y₁), where the second mechanism is chosen by Y₁
    (7.27)    ln (p₁ + (1 − 2p₁)α)/(p₂ + (1 − 2p₂)α), p₁ > p₂, whose slope is (p₂ − p₁) over both probabilities

Mechanisms of two records, each absent, 0 or 1: randomized response of each, and geometric noise on the number of ones,
cut off at 0 and 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.numerics.randomness import substream
from dpsampling.profiles.graph import bernoulli, chain
from dpsampling.profiles.solvers import cluster, smooth_one_bit
from reproduction.experiments.cases import worst
from reproduction.experiments.profiles import lemmas as said

Array = NDArray[np.float64]
Row = tuple[str, str, float, float, float, int]

ABSENT, STATES = 0, 3  # of a record: absent, 0, 1
QUARTERS = 4  # marginal laws of the other record are multiples of one
STEP = 1e-20  # of complex steps
PARAMETERS = (0.0, 0.05, 0.3, 0.5, 0.8, 0.95, 1.0)
FLIPS = (0.01, 0.1, 0.25, 0.4, 0.49)
FLIPPED = 1e-9  # a probability that is more than rounding
LONGEST = 9  # profiles of a random chain


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """All of them."""
    epsilon, pairs = float(params["epsilon"]), params["pairs"]
    rows = [
        *_pufferfish(epsilon),
        *_processed(pairs, substream(rng, "processing")),
        _adaptive(pairs, substream(rng, "adaptive")),
        *_slopes(),
        *_chain(params["bernoulli"], epsilon),
        _chains(pairs, epsilon, substream(rng, "chains")),
    ]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def level(first: Array, second: Array) -> float:
    """max ln p/q along the outputs that either law has."""
    with np.errstate(divide="ignore"):
        logs = np.log(first) - np.log(second)
    return float(np.max(logs, where=first > 0, initial=-math.inf))


# -- Definition 24 -----------------------------------------------------------------------------------------------------


def _mechanisms(epsilon: float) -> dict[str, Array]:
    """Laws of the output for each pair of records, by first record, second record and output."""
    weights = np.ones((STATES, STATES)) + math.expm1(epsilon) * np.eye(STATES)
    one = weights / weights.sum(axis=1, keepdims=True)
    response = np.einsum("ay,bz->abyz", one, one).reshape(STATES, STATES, STATES**2)
    noise = math.exp(-epsilon)
    ones = np.array([[(a == 2) + (b == 2) for b in range(STATES)] for a in range(STATES)])
    # P(Z ≤ −k) = e^{−kε}/(1 + e^{−ε}) for k from 0 on, and P(Z = k) = (1 − e^{−ε})e^{−kε}/(1 + e^{−ε})
    cut = np.array([[1.0, -math.expm1(-epsilon) * noise, noise**2], [noise, -math.expm1(-epsilon), noise]])
    counts = np.array([*cut, cut[0, ::-1]])[ones] / (1.0 + noise)
    return {"randomized response": response, "geometric count": counts}


def _pufferfish(epsilon: float) -> Iterator[Row]:
    laws_of_other = [np.array(k) / QUARTERS for k in product(range(QUARTERS + 1), repeat=STATES) if sum(k) == QUARTERS]
    for what, laws in _mechanisms(epsilon).items():
        private = max(_apart(laws[t, b], laws[ABSENT, b]) for t in (1, 2) for b in range(STATES))
        independent = max(_apart(law @ laws[t], law @ laws[ABSENT]) for t in (1, 2) for law in laws_of_other)
        # The second record follows the first: what is told of one is told of both.
        dependent = max(_apart(laws[t, t], laws[ABSENT, ABSENT]) for t in (1, 2))
        same = max(level(law @ laws[t], law @ laws[t]) for t in range(STATES) for law in laws_of_other)
        cases = 2 * len(laws_of_other)
        yield said.DEFINITION_PRINTED, what, 0.0, same, private, cases
        yield said.DEFINITION, what, 0.0, independent, private, cases
        yield said.INDEPENDENT, what, 0.0, independent, private, cases
        yield said.DEPENDENT, what, 0.0, dependent, private, 2


def _apart(first: Array, second: Array) -> float:
    return max(level(first, second), level(second, first))


# -- Observations 7 and 9 ----------------------------------------------------------------------------------------------


def _processed(pairs: int, rng: np.random.Generator) -> Iterator[Row]:
    """Two profiles with mechanisms of their own, and a random kernel afterwards."""
    whole, printed, right = [], [], []
    for _ in range(pairs):
        size = int(rng.integers(2, 6))
        profiles, mechanisms = rng.dirichlet(np.ones(size), 2), rng.dirichlet(np.ones(size), (2, size))
        first, second = np.einsum("ix,ixy->iy", profiles, mechanisms)
        kernel = rng.dirichlet(np.full(size, rng.choice([0.1, 1.0])), size)
        after, before = level(first @ kernel, second @ kernel), level(first, second)
        whole.append((after, before))
        printed.append((math.exp(after), float(np.max(first / first))))
        right.append((math.exp(after), float(np.max(first / second))))
    for statement, sides in ((said.PROCESSED, whole), (said.STEP_PRINTED, printed), (said.STEP, right)):
        yield statement, "random profiles and kernels", 0.0, *worst(sides)


def _adaptive(pairs: int, rng: np.random.Generator) -> Row:
    """The exact ε of both releases, for the selection of either, where Y₁ decides on the second mechanism."""
    sides = []
    for _ in range(pairs):
        profiles, outputs = int(rng.integers(2, 5)), int(rng.integers(2, 4))
        first = rng.dirichlet(np.ones(outputs), profiles)  # Pr(Y₁ | Q₁)
        second = rng.dirichlet(np.ones(outputs), (outputs, profiles))  # Pr(Y₂ | Q₂), for each Y₁
        chosen = rng.dirichlet(np.ones(profiles), 2)  # the laws of Q₁ and Q₂
        joint = np.einsum("i,j,iy,yjz->ijyz", *chosen, first, second)
        by_first = joint.sum(axis=1).reshape(profiles, -1) / chosen[0][:, np.newaxis]
        by_second = joint.sum(axis=0).reshape(profiles, -1) / chosen[1][:, np.newaxis]
        exact = max(level(a, b) for laws in (by_first, by_second) for a in laws for b in laws)
        largest = max(level(a, b) for laws in (first, *second) for a in laws for b in laws)
        sides.append((exact, largest))
    return said.ADAPTIVE, "random mechanisms, chosen by the first output", 0.0, *worst(sides)


# -- Theorem 22 --------------------------------------------------------------------------------------------------------


def _ratio(p: float, q: float, flip: complex, output: int) -> complex:
    """(7.27) for output 1, (7.28) for output 0."""
    one, other = p + (1.0 - 2.0 * p) * flip, q + (1.0 - 2.0 * q) * flip
    return complex(np.log(one / other) if output else np.log((1.0 - other) / (1.0 - one)))


def _slopes() -> Iterator[Row]:
    grid = [(p, q) for p, q in product(PARAMETERS, PARAMETERS) if p > q]
    for output, statement in ((1, said.SLOPE_ONE), (0, said.SLOPE_ZERO)):
        sides, falls = [], []
        for p, q in grid:
            for flip in FLIPS:
                one, other = (r + (1.0 - 2.0 * r) * flip for r in (p, q))
                both = one * other if output else (1.0 - one) * (1.0 - other)
                sides.append(((q - p) / both, _ratio(p, q, flip + STEP * 1j, output).imag / STEP))
            values = [_ratio(p, q, flip, output).real for flip in (*FLIPS, 0.5)]
            falls += list(zip(values[1:], values[:-1], strict=True))
        yield statement, "p₁ > p₂ on a grid", 0.0, *worst(sides, equality=True)
        yield said.FALLS, f"output {output}", 0.0, *worst(falls)
        for flip in np.linspace(0.0, 0.5, 51).tolist():
            yield said.RATIO, f"output {output}", flip, _ratio(0.9, 0.2, flip, output).real, 0.0, 1


# -- section 7.5.1 -----------------------------------------------------------------------------------------------------


def _costly(parameters: list[float]) -> int:
    """The profile before the widest gap of a chain."""
    return int(np.argmax(np.abs(np.diff(parameters))))


def _chain(parameters: list[float], epsilon: float) -> Iterator[Row]:
    """The flips of a smooth mechanism by distance from the costliest edge, beside the common one."""
    graph, edge = bernoulli(parameters, chain(len(parameters))), _costly(parameters)
    smooth, common = smooth_one_bit(graph, epsilon).largest_flips, cluster(graph, epsilon).largest_flips
    for i in range(len(parameters)):
        away = float(min(abs(i - edge), abs(i - edge - 1)))
        yield said.SMOOTH, f"profile {i + 1}", away, float(smooth[i]), float(common[i]), 1


def _chains(pairs: int, epsilon: float, rng: np.random.Generator) -> Row:
    """Of random chains: on how many the profile furthest from the costliest edge is flipped less by the smooth one."""
    lower, costly = 0, 0
    for _ in range(pairs):
        parameters = np.sort(rng.random(LONGEST))
        graph, edge = bernoulli(parameters, chain(LONGEST)), _costly(parameters.tolist())
        furthest = 0 if edge + 1 > LONGEST // 2 else LONGEST - 1
        common = cluster(graph, epsilon).largest_flips[furthest]
        costly += bool(common > FLIPPED)
        lower += bool(smooth_one_bit(graph, epsilon).largest_flips[furthest] < common - FLIPPED)
    return said.RANDOM_CHAIN, f"chains of {LONGEST}", 0.0, float(costly - lower), float(costly), costly
