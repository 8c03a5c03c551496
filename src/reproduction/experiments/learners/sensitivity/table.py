r"""A row for each learner, dimension and relation: printed, proved and found.

    functional, linear       2(d + 1)²        `learners.functional`        random pairs that climb
    functional, logistic     d²/4 + 3d        the same                     the same
    output                   2/(nΛ)           2; 1.052 on a line           pairs of minimisers
    AdaSSP                   √3               √3, √5½                      rows and outcomes beside any XᵀX
    P(x|y), counts           —                2m, m; 2(m + 1), m + 1       enumerated
    k-means                  —                2kd/m, m blocks              enumerated
    DP-SGD                   C                C, 2C                        gradients of the logistic loss, clipped
    Taylor                   (e² − e)/(6(1 + e)³)    z⁴/192, as |ℓ⁗| ≤ ⅛        a grid of z

**Tables of naive Bayes.** Of n_y ≥ 2 records in a class one that leaves or comes moves P(x_j|y) by 2/n_y ≤ 1 in L1, or
less, and with the only one of a class the whole table of 1 comes or goes: 1 for each attribute and record, so 2 where
one is replaced. **Clipped sum.** Each of the two records has a vector of norm C at most.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import expit

from dpsampling.learners.ada_ssp import MOVED_SQUARES
from dpsampling.learners.functional import FunctionalLinear, FunctionalLogistic
from dpsampling.numerics.randomness import substream
from dpsampling.privacy.guarantee import Relation
from reproduction.experiments.learners import sensitivity as said
from reproduction.experiments.learners.sensitivity import counted, regression, search

Row = dict[str, Any]

RELATIONS = {said.REPLACED: Relation.REPLACE_ONE, said.ADDED: Relation.ADD_OR_REMOVE_ONE}
SIZES = (1, 10, 1000, 10**6, 10**15)  # records of output perturbation
MOMENT_DIMENSIONS, GRADIENT_DIMENSION = (1, 3), 5
ATTRIBUTES = (1, 2)
CENTRES = ((1, 1, 2), (1, 2, 3), (2, 2, 5))  # d, k, m
CLIP = 0.5
TAYLOR_PRINTED = (math.e**2 - math.e) / (6.0 * (1.0 + math.e) ** 3)
GRID = 20_001


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """All of them."""
    rows = [
        *_functional(params, rng),
        *_output(params["starts"], rng),
        *_moments(params["starts"], rng),
        *_naive_bayes(),
        *_k_means(),
        *_clipped(params["starts"], rng),
        *_taylor(),
    ]
    return pd.DataFrame(rows).reindex(columns=list(said.COLUMNS)).astype({"n": "Int64"})


def _row(learner: str, dimension: int, relation: str, measure: str, bound: float, found: float, **more: Any) -> Row:
    about = {"learner": learner, "dimension": dimension, "relation": relation, "measure": measure, "unit": "1"}
    return {**about, "bound": bound, "found": found, **more}


def _functional(params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    starts = params["starts"]
    for d, (name, relation) in product(params["dimensions"], RELATIONS.items()):
        replaced = relation is Relation.REPLACE_ONE
        linear = FunctionalLinear(1.0, 1.0, "tight", relation, outcome_bound=1.0).sensitivity(d)
        logistic = FunctionalLogistic(1.0, 1.0, "tight", relation).sensitivity(d)
        for learner, printed, bound in (
            (said.LINEAR, 2.0 * (d + 1.0) ** 2, linear),
            (said.LOGISTIC, d * d / 4.0 + 3.0 * d, logistic),
        ):
            of_logistic, own = learner == said.LOGISTIC, substream(rng, learner, d, name)
            found = regression.functional(d, logistic=of_logistic, replaced=replaced, starts=starts, rng=own)
            printed *= 1.0 if replaced else 0.5
            yield _row(learner, d, name, "L1", bound, found, printed=printed, tried=starts)


def _output(starts: int, rng: np.random.Generator) -> Iterator[Row]:
    row = partial(_row, relation=said.REPLACED, measure="L2", printed=2.0, tried=starts, unit="1/(nΛ)")
    hinge = regression.hinge_output(starts, substream(rng, said.HINGE_OUTPUT))
    yield row(said.HINGE_OUTPUT, 2, bound=2.0, found=hinge, n=1)
    for n in SIZES:
        found = regression.logistic_output_plane(n, starts, substream(rng, said.LOGISTIC_OUTPUT, 2, n))
        yield row(said.LOGISTIC_OUTPUT, 2, bound=2.0, found=found, n=n)
    n = SIZES[-2]
    found = regression.logistic_output_line(n, starts, substream(rng, said.LOGISTIC_OUTPUT, 1, n))
    yield row(said.LOGISTIC_OUTPUT, 1, bound=regression.on_a_line_bound(), found=found, n=n)


def _moments(starts: int, rng: np.random.Generator) -> Iterator[Row]:
    for d, (name, relation) in product(MOMENT_DIMENSIONS, RELATIONS.items()):
        replaced = relation is Relation.REPLACE_ONE
        found = regression.ada_ssp(d, replaced=replaced, starts=starts, rng=substream(rng, said.ADA_SSP, d, name))
        printed, bound = None if replaced else math.sqrt(3.0), math.sqrt(MOVED_SQUARES[relation])
        yield _row(said.ADA_SSP, d, name, "L2", bound, found, printed=printed, tried=starts)


def _naive_bayes() -> Iterator[Row]:
    for m, name in product(ATTRIBUTES, RELATIONS):
        replaced = name == said.REPLACED
        of_tables, of_counts = counted.tables(m, replaced=replaced), counted.counts(m, replaced=replaced)
        times = 2.0 if replaced else 1.0
        yield _row(said.TABLES, m, name, "L1", times * m, of_tables.found, tried=of_tables.pairs)
        yield _row(said.COUNTS, m, name, "L1", times * (m + 1.0), of_counts.found, tried=of_counts.pairs)


def _k_means() -> Iterator[Row]:
    for d, k, m in CENTRES:
        found = counted.centres(d, k, m)
        learner, both = f"{said.BLOCKS} (k = {k}, m = {m})", f"{said.REPLACED}, {said.ADDED}"
        yield _row(learner, d, both, "L1", 2.0 * k * d / m, found.found, tried=found.pairs)


def _clipped(starts: int, rng: np.random.Generator) -> Iterator[Row]:
    d = GRADIENT_DIMENSION

    def clipped(z: search.Array, w: search.Array) -> search.Array:
        gradient = -z * expit(-(z * w).sum(axis=1))[:, None]
        return np.asarray(gradient / np.maximum(1.0, np.linalg.norm(gradient, axis=1) / CLIP)[:, None])

    for name in RELATIONS:
        replaced = name == said.REPLACED

        def value(points: search.Array, replaced: bool = replaced) -> search.Array:
            w = points[:, 2 * d :]
            moved = clipped(points[:, :d], w) - replaced * clipped(points[:, d : 2 * d], w)
            return np.asarray(np.linalg.norm(moved, axis=1) / CLIP)

        def allowed(points: search.Array) -> search.Array:
            both = [search.in_ball(points[:, :d]), search.in_ball(points[:, d : 2 * d])]
            return np.concatenate([*both, points[:, 2 * d :]], axis=1)

        found = search.largest(value, allowed, 3 * d, starts, substream(rng, said.CLIPPED, name))
        bound, printed = (2.0, None) if replaced else (1.0, 1.0)
        yield _row(said.CLIPPED, d, name, "L2", bound, found, printed=printed, tried=starts, unit="C")


def _taylor() -> Iterator[Row]:
    """|ln(1 + e^z) − ln 2 − z/2 − z²/8|."""
    for reach in (said.NEAR, said.FAR):
        z = np.linspace(-reach, reach, GRID)
        error = np.abs(np.logaddexp(0.0, z) - math.log(2.0) - z / 2.0 - z * z / 8.0)
        found, bound = float(error.max()), reach**4 / 192.0
        yield _row(said.TAYLOR, 1, said.NONE, f"|x·w| ≤ {reach:g}", bound, found, printed=TAYLOR_PRINTED, tried=GRID)
