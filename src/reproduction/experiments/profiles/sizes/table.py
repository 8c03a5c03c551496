r"""How the linear programs grow: chains of Bernoulli profiles with random p, random graphs of profiles on the simplex.

`variables`, `constraints` and `nonzeros` are those of the first program that is solved, after constraints that cannot
be violated are left out. `largest` is the largest flip, `response` randomized response's. Wall times are in the
benchmark, not here: they differ from run to run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.numerics.randomness import substream
from dpsampling.profiles.graph import ProfileGraph, bernoulli, categorical, chain
from dpsampling.profiles.linear_programs import size_of
from dpsampling.profiles.solvers import response_flip, smooth_categorical, smooth_one_bit
from reproduction.experiments.profiles.sizes import CHAIN, COLUMNS, RANDOM


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a graph: sizes, the largest flip, the mean expected corruption, and randomized response's flip."""
    epsilon, rows = float(params["epsilon"]), []
    for size in sorted(params["chain_lengths"]):
        graph = bernoulli(substream(rng, "chain", size).random(size), chain(size))
        rows.append((CHAIN, *_row(graph, epsilon, one_bit=True)))
    for size in sorted(params["graphs"]):
        graph = random_graph(size, int(params["categories"]), params["degree"], substream(rng, "graph", size))
        rows.append((RANDOM, *_row(graph, epsilon, one_bit=False)))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def random_graph(size: int, categories: int, degree: float, rng: np.random.Generator) -> ProfileGraph:
    """Profiles uniform on the simplex, and size·degree/2 different edges, all sets of them equally likely."""
    first, second = np.triu_indices(size, 1)
    count = max(1, min(len(first), round(size * degree / 2)))
    chosen = rng.choice(len(first), count, replace=False)
    profiles = rng.dirichlet(np.ones(categories), size)
    return categorical(profiles, np.column_stack([first[chosen], second[chosen]]))


def _row(graph: ProfileGraph, epsilon: float, *, one_bit: bool) -> tuple[float, ...]:
    solved = (smooth_one_bit if one_bit else smooth_categorical)(graph, epsilon)
    size = size_of(graph, epsilon, one_bit=one_bit)
    return (
        *graph.probabilities.shape,
        len(graph.edges),
        size.variables,
        size.constraints,
        size.nonzeros,
        float(solved.largest_flips.max()),
        float(solved.expected_corruption.mean()),
        response_flip(len(graph.categories), epsilon),
    )
