r"""κ of aggregates by enumeration, and errors on planted data: skewed, with outliers.

κ: all data sets of RECORDS records of {0, ½, 1} in order, every record replaced by every larger one, in fractions.

Errors: records e^{N(0,1)}, a share of which are ten times as large; f is their mean, and each block's result its own
mean, clipped to [0, upper]. Few blocks need much noise; many blocks are small, and the means of small blocks are
skewed: their median is too low, and so is the mean of those that were clipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.foundations.blocks import by_place
from dpsampling.foundations.sample_and_aggregate import BlockMean, BlockMedian, BlockSmoothMedian
from dpsampling.foundations.smooth_noise import SmoothLaplace
from dpsampling.numerics.randomness import substream
from reproduction.experiments.foundations import blocks as said

Array = NDArray[np.float64]
Row = dict[str, Any]

RECORDS, VALUES = 6, (Fraction(0), Fraction(1, 2), Fraction(1))
DRAWS = 50  # of noise, for each data set
OUTLIER = 10.0  # times as large


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each function and number of blocks, and for each aggregator, ε and number of blocks."""
    rows = [
        _sensitivity(name, f, k)
        for name, f in ((said.MEAN, _mean), (said.MEDIAN, _median), (said.LARGEST, max))
        for k in (1, 2, 3, 6)
    ]
    rows += _errors(params, rng)
    return pd.DataFrame(rows).reindex(columns=list(said.COLUMNS))


def _mean(block: list[Fraction]) -> Fraction:
    return sum(block, Fraction(0)) / len(block)


def _median(block: list[Fraction]) -> Fraction:
    return sorted(block)[(len(block) - 1) // 2]


def _sensitivity(name: str, f: Callable[[list[Fraction]], Fraction], k: int) -> Row:
    """max |g(X) − g(X′)| over data sets that differ in one record, g the mean of the blocks' f."""
    labels = by_place(RECORDS, k).tolist()
    members = [[i for i, label in enumerate(labels) if label == block] for block in range(k)]
    points = list(product(VALUES, repeat=RECORDS))
    aggregate = {x: _mean([f([x[i] for i in block]) for block in members]) for x in points}
    whole = {x: f(list(x)) for x in points}
    places = list(product(range(RECORDS), VALUES))
    pairs = [(x, (*x[:i], value, *x[i + 1 :])) for x in points for i, value in places if value > x[i]]
    spread = float(VALUES[-1] - VALUES[0])
    return {
        "view": said.SENSITIVITY,
        "function": name,
        "aggregator": said.MEAN,
        "blocks": k,
        "kappa": float(max(abs(aggregate[x] - aggregate[y]) for x, y in pairs)),
        "kappa_function": float(max(abs(whole[x] - whole[y]) for x, y in pairs)),
        "bound": spread / k,
        "spread": spread,
        "draws": len(pairs),
    }


def _errors(params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    n, repeats, upper = params["n"], params["repeats"], params["upper"]
    own = substream(rng, "records", n, repeats, params["outliers"])
    records = np.exp(own.standard_normal((repeats, n)))
    records *= np.where(own.random((repeats, n)) < params["outliers"], OUTLIER, 1.0)
    target = records.mean(axis=1)
    delta = params["delta"]
    noises = {epsilon: SmoothLaplace.calibrate(epsilon=epsilon, delta=delta) for epsilon in params["epsilons"]}
    for k in params["block_counts"]:
        labels = by_place(n, k)
        order = np.argsort(labels, kind="stable")
        starts = np.searchsorted(labels[order], np.arange(k))
        results = np.add.reduceat(records[:, order], starts, axis=1) / np.bincount(labels)
        clipped = np.clip(results, 0.0, upper)
        for epsilon, noise in noises.items():
            for aggregator, aggregate, mechanism in (
                (said.MEAN, clipped.mean(axis=1), BlockMean(0.0, upper, k, epsilon)),
                (said.MEDIAN, np.median(clipped, axis=1), BlockMedian(0.0, upper, k, epsilon)),
                (said.SMOOTH, np.median(clipped, axis=1), BlockSmoothMedian(0.0, upper, k, noise)),
            ):
                released = mechanism.simulate(results, substream(rng, aggregator, epsilon, k), DRAWS)
                by_set = np.abs(released - target).mean(axis=0)
                yield {
                    "view": said.ERROR,
                    "function": said.MEAN,
                    "aggregator": aggregator,
                    "epsilon": epsilon,
                    "blocks": k,
                    "error": float(by_set.mean()),
                    "standard_error": float(by_set.std(ddof=1) / np.sqrt(repeats)),
                    "noise_error": float(np.abs(released - aggregate).mean()),
                    "block_error": float(np.abs(aggregate - target).mean()),
                    "spread": upper,
                    "draws": released.size,
                }
