r"""k means on four planted clusters and on the numbers of real tables, by every mechanism on the same public starts.

Planted: four clusters of sd SPREAD about the corners of a square, so that they tie in pairs along both coordinates.
There starts are a good guess, so that what is lost is lost to noise; elsewhere they are far apart and know nothing.
Real: the first n rows' numeric columns within their public bounds, each on [−1, 1]/√d. So ‖x‖₂ ≤ 1, where others are
clipped to.

The loss is the mean squared distance to the nearest centre; Lloyd's is the least of RUNS runs from k-means++ starts.
One outcome of the coins serves all levels of a repeat.

Smoothness: all data sets of five results of {−1, −½, 0, ½, 1}, and all that differ from them in one result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.datasets.design import Design
from dpsampling.datasets.recipe import Number
from dpsampling.foundations.smooth_noise import SmoothLaplace
from dpsampling.foundations.smooth_sensitivity import median_smooth_sensitivity
from dpsampling.learners import lloyd, rows
from dpsampling.learners.block_k_means import BlockKMeans
from dpsampling.learners.lloyd import CentresModel
from dpsampling.learners.noisy_lloyd import NoisyLloyd
from dpsampling.numerics.randomness import substream
from reproduction.experiments.learners import clustering as said
from reproduction.experiments.learners.spread import summary

Array = NDArray[np.float64]
Row = dict[str, Any]

CORNERS = np.array([[0.5, 0.5], [-0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]])
NEAR = 0.6 * CORNERS
SPREAD = 0.1
RUNS, ROUNDS = 10, 30
ORDERED = 10  # outcomes of the coins that orders are compared on
GRID, RESULTS = (-1.0, -0.5, 0.0, 0.5, 1.0), 5


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, Design]) -> pd.DataFrame:
    """A row for each data set, mechanism, number of blocks and ε; then the orders of centres, and smoothness by ε."""
    sets = {said.PLANTED: (_planted(params["n"], substream(rng, said.PLANTED, params["n"])), len(CORNERS))}
    sets |= {name: (numbers(inputs[name])[: params["n"]], params["clusters"]) for name in params["datasets"]}
    measured: list[Row] = []
    for name, (points, k) in sets.items():
        own = substream(rng, name)
        planted = name == said.PLANTED
        starts = NEAR if planted else lloyd.spread_starts(k, points.shape[1], 1.0, substream(own, "starts"))
        least = _least_loss(points, k, substream(own, "lloyd"))
        shared = {"dataset": name, "records": len(points), "clusters": len(starts), "dimension": points.shape[1]}
        measured += [row | shared for row in _errors(params, points, starts, least, own)]
        if planted:
            measured += [row | shared for row in _orders(params, points, starts, least, own)]
    measured += [_smoothness(epsilon, params["delta"]) for epsilon in params["epsilons"]]
    return pd.DataFrame(measured).reindex(columns=list(said.COLUMNS))


def numbers(design: Design) -> Array:
    """Numeric cells on [−1, 1]/√d, or the features of a design without any; norms are at most 1."""
    numeric = [(i, column) for i, column in enumerate(design.described) if isinstance(column, Number)]
    if design.cells is None or not numeric:
        return design.features
    columns = [2.0 * (design.cells[:, i] - at.low) / (at.high - at.low) - 1.0 for i, at in numeric]
    return rows.within(np.stack(columns, axis=1) / np.sqrt(len(columns)), 1.0)


def learner(
    mechanism: str, starts: Array, blocks: int | None, epsilon: float, delta: float
) -> BlockKMeans | NoisyLloyd:
    """Return one of those that are compared."""
    if blocks is not None:
        return _blocks(mechanism, starts, blocks, epsilon, delta)
    return NoisyLloyd(starts, 1.0, epsilon, delta if mechanism == said.GAUSSIAN else 0.0)


def _blocks(mechanism: str, starts: Array, blocks: int, epsilon: float, delta: float) -> BlockKMeans:
    if mechanism == said.MEAN:
        return BlockKMeans.mean(starts, bound=1.0, blocks=blocks, epsilon=epsilon)
    return BlockKMeans.smooth(starts, bound=1.0, blocks=blocks, epsilon=epsilon, delta=delta)


def _planted(n: int, rng: np.random.Generator) -> Array:
    points = CORNERS[rng.integers(len(CORNERS), size=n)] + SPREAD * rng.standard_normal((n, 2))
    return rows.within(points, 1.0)


def _least_loss(points: Array, k: int, rng: np.random.Generator) -> float:
    runs = (lloyd.lloyd(points, lloyd.drawn_starts(points, k, rng), ROUNDS)[0] for _ in range(RUNS))
    return min(lloyd.loss(points, centres) for centres in runs)


def _errors(
    params: Mapping[str, Any], points: Array, starts: Array, least: float, rng: np.random.Generator
) -> Iterator[Row]:
    plain = lloyd.loss(points, lloyd.lloyd(points, starts, ROUNDS)[0]) / least
    yield {"view": said.ERROR, "mechanism": said.LLOYD, **summary("loss_ratio", [plain])}
    repeats, delta = range(params["repeats"]), params["delta"]

    def row(models: list[CentresModel], mechanism: str, epsilon: float, blocks: int | None = None) -> Row:
        approximate = mechanism in (said.SMOOTH, said.GAUSSIAN)
        return {
            "view": said.ERROR,
            "mechanism": mechanism,
            "blocks": blocks,
            "epsilon": epsilon,
            **summary("loss_ratio", [model.loss(points) / least for model in models]),
            "delta": delta if approximate else None,
            "delta_true": getattr(models[0].guarantee, "delta", None) if approximate else None,
        }

    for blocks in params["block_counts"]:
        parts = _blocks(said.MEAN, starts, blocks, 1.0, delta)
        coins = (substream(rng, "coins", blocks, i).integers(blocks, size=len(points)) for i in repeats)
        parted = [parts.results(points, thrown) for thrown in coins]
        for mechanism, epsilon in product(said.BLOCKS, params["epsilons"]):
            private = _blocks(mechanism, starts, blocks, epsilon, delta)
            own = substream(rng, mechanism, blocks, epsilon)
            yield row([private.fit_results(results, own) for results in parted], mechanism, epsilon, blocks)
    for mechanism, epsilon in product(said.MODERN, params["epsilons"]):
        modern, own = learner(mechanism, starts, None, epsilon, delta), substream(rng, mechanism, epsilon)
        yield row([modern.fit(points, own) for _ in repeats], mechanism, epsilon)


def _orders(
    params: Mapping[str, Any], points: Array, starts: Array, least: float, rng: np.random.Generator
) -> Iterator[Row]:
    """Yield the loss of the mean of the blocks' centres without noise, in either order."""
    directions = {said.GENERIC: (), said.COORDINATE: (1.0, *[0.0] * (points.shape[1] - 1))}
    for blocks in params["block_counts"]:
        each = _blocks(said.MEAN, starts, blocks, 1.0, params["delta"]).each
        for name, direction in directions.items():
            ordered = BlockKMeans(starts, each, direction=direction)
            ratios = []
            for i in range(min(params["repeats"], ORDERED)):
                coins = substream(rng, "coins", blocks, i).integers(blocks, size=len(points))
                ratios.append(lloyd.loss(points, ordered.results(points, coins).mean(axis=0)) / least)
            yield {"view": said.ORDER, "mechanism": name, "blocks": blocks, **summary("loss_ratio", ratios)}


def _smoothness(epsilon: float, delta: float) -> Row:
    """Medians do not see the order of results: one data set of each kind, and every result replaced by every other."""
    beta = SmoothLaplace.usual(epsilon, delta).beta
    points = np.array(list(combinations_with_replacement(GRID, RESULTS)))
    smooth = dict(zip(map(tuple, points.tolist()), median_smooth_sensitivity(points, -1.0, 1.0, beta), strict=True))
    moves, ratios = [], []
    for x, own in smooth.items():
        for i in range(RESULTS):
            for value in GRID:
                y = tuple(sorted((*x[:i], value, *x[i + 1 :])))
                moves.append(abs(x[RESULTS // 2] - y[RESULTS // 2]) / min(own, smooth[y]))
                ratios.append(abs(np.log(own / smooth[y])) / beta)
    return {
        "view": said.SMOOTHNESS,
        "dataset": "all of a grid",
        "mechanism": said.SMOOTH,
        "blocks": RESULTS,
        "epsilon": epsilon,
        "repeats": len(moves),
        "records": RESULTS,
        "clusters": 1,
        "dimension": 1,
        "delta": delta,
        "largest_move": float(max(moves)),
        "largest_ratio": float(max(ratios)),
    }
