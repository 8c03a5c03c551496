r"""Algorithm 1 on a finite Θ: every sequence of answers, one after the other, against what the session says.

The posterior of a record x ∈ {0, 1} over m parameters is ∝ e^{L u_x(θ)}, with u₀ = 1 at the first parameter alone and
u₁ = 1 everywhere else: Assumption 1 with this L and ρ = 1, so that one answer is promised to cost 2L (Theorem 2 (i)).

    answers a₁, …, a_k that are θ itself     Π ξ(a_i | x)
    answers to other queries                 Π Σ_{q_i(θ) = a_i} ξ(θ | x),     where q_i may depend on a₁, …, a_{i−1}

The law is the product whatever the queries; the largest log-ratio is found among all sequences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.foundations.evaluation_session import EvaluationSession
from dpsampling.foundations.query_session import QuerySession
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.numerics.randomness import substream
from dpsampling.privacy.guarantee import Pure
from reproduction.experiments.foundations import session as said

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
Query = Callable[[Indices, Indices], Indices]  # the answer from θ and the sum of earlier answers

FEW = 300  # sequences whose frequencies are looked at


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each kind of query and number of queries."""
    queries: dict[str, Query] = {
        said.IDENTITY: lambda theta, _: theta,
        said.MIDDLE: lambda theta, _: (theta >= params["outcomes"] / 2).astype(np.intp),
        said.ADAPTIVE: lambda theta, earlier: (theta <= earlier).astype(np.intp),
    }
    rows = [row for query, answer in queries.items() for row in _rows(query, answer, params, substream(rng, query))]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _rows(query: str, answer: Query, params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    outcomes, epsilon = params["outcomes"], params["epsilon"]
    utilities = np.eye(outcomes)[0], 1.0 - np.eye(outcomes)[0]
    posteriors = [_posterior(u, epsilon) for u in utilities]
    mechanism = ExponentialMechanism(1.0, epsilon)
    answers = outcomes if query == said.IDENTITY else 2
    for count in sorted(params["counts"]):
        sequences = list(product(range(answers), repeat=count))
        p, q = (_law(posterior, answer, sequences) for posterior in posteriors)
        gap, limit = math.nan, math.nan
        if len(sequences) <= FEW:
            runs = params["repeats"]
            drawn = _simulated(mechanism, utilities[0], answer, answers, count, runs, substream(rng, count))
            gap = float(np.abs(drawn - p).sum())
            limit = math.sqrt(2.0 * (len(sequences) * math.log(2.0) - math.log(said.RISK)) / runs)
        epsilons = _promised(mechanism, utilities[0], count), float(np.max(np.abs(np.log(p / q))))
        renyi = count * _renyi(*posteriors), _renyi(p, q)
        yield query, count, *epsilons, *renyi, len(sequences), gap, limit


def _posterior(utilities: Array, epsilon: float) -> Array:
    """∝ e^{L u}, L = ε/2."""
    weights = np.exp(epsilon / 2.0 * utilities)
    return np.asarray(weights / weights.sum())


def _renyi(p: Array, q: Array) -> float:
    """R₂(P ‖ Q)."""
    return math.log(float(np.sum(p**2 / q)))


def _promised(mechanism: ExponentialMechanism, utilities: Array, count: int) -> float:
    """Return the level that a session names after so many answers."""
    session = QuerySession(mechanism, utilities, Pure(2.0 * count * mechanism.epsilon))
    for _ in range(count):
        session.ask(lambda theta: theta)
    assert isinstance(session.guarantee, Pure)
    return session.guarantee.epsilon


def _law(posterior: Array, answer: Query, sequences: list[tuple[int, ...]]) -> Array:
    """The probability of every sequence, θ by θ."""
    thetas = np.arange(len(posterior))
    probabilities = np.ones(len(sequences))
    table = np.array(sequences, dtype=np.intp)
    for k in range(table.shape[1]):
        earlier = table[:, :k].sum(axis=1)
        gives = answer(thetas[np.newaxis, :], earlier[:, np.newaxis]) == table[:, k, np.newaxis]
        probabilities *= gives @ posterior
    return probabilities


def _simulated(
    mechanism: ExponentialMechanism,
    utilities: Array,
    answer: Query,
    answers: int,
    count: int,
    runs: int,
    rng: np.random.Generator,
) -> Array:
    """Frequencies of the sequences in so many simulated sessions."""
    session = EvaluationSession(mechanism, utilities, rng, runs=runs)
    place, earlier = np.zeros(runs, dtype=np.intp), np.zeros(runs, dtype=np.intp)
    for _ in range(count):
        given = session.evaluate(lambda theta, so_far=earlier: answer(theta, so_far))  # type: ignore[misc]
        place, earlier = place * answers + given, earlier + given
    return np.bincount(place, minlength=answers**count) / runs
