r"""Errors of every mechanism on planted records: categories and arrivals uniform, the prior Dirichlet(1, …, 1).

The errors are those of counts, so that they hang on no record. In closed form the mean square is c v(r), c the number
of noisy counts in a sum and v(r) = Σ y² Pr(y), here summed over y and not by the formula of the mechanism.

`spent` is a second route to the level: a record is put into each batch, the nodes that it moves are counted, and so
many times r = ln Pr(0)/Pr(1) of the noise is what neighbours' laws differ by at most.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.learners.conjugate import NoisyDirichlet
from dpsampling.learners.noise import InBits
from dpsampling.numerics.exact.laws import Rational
from dpsampling.numerics.randomness import substream
from reproduction.experiments.learners import conjugate as said

Counts = NDArray[np.int64]
Row = dict[str, Any]


class Unchanged(InBits):
    """No noise, to see what a record moves."""

    def geometric(self, values: Counts, rate: Rational) -> Counts:
        """Values as they are."""
        del rate
        return values


PLACES = 64  # that a record is put into, the first and the last among them


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Two rows for each mechanism, number of updates and ε."""
    rows: list[Row] = []
    for updates in params["update_counts"]:
        n, categories = params["n"], params["categories"]
        own = substream(rng, "records", n, categories, updates)
        records = own.integers(categories, size=n), own.integers(updates, size=n)
        for name, epsilon in product(said.MECHANISMS, params["epsilons"]):
            fitted = learner(name, categories, updates, epsilon)
            shared = {"mechanism": name, "updates": updates, "epsilon": epsilon, "fan_out": fitted.fan_out}
            draws = substream(rng, name, updates, epsilon)
            rows += [shared | row for row in _errors(fitted, records, params["repeats"], draws)]
    return pd.DataFrame(rows).reindex(columns=list(said.COLUMNS))


def learner(name: str, categories: int, updates: int, epsilon: float) -> NoisyDirichlet:
    """Return one of those that are compared."""
    prior = np.ones(categories)
    if name == said.AT_THE_END:
        return NoisyDirichlet.at_the_end(prior, updates=updates, epsilon=epsilon)
    if name == said.EACH:
        return NoisyDirichlet.at_each_update(prior, updates=updates, epsilon=epsilon)
    fan_out = 2 if name == said.BINARY else None
    return NoisyDirichlet.by_tree(prior, updates=updates, epsilon=epsilon, fan_out=fan_out)


def _errors(
    fitted: NoisyDirichlet, records: tuple[Counts, Counts], repeats: int, rng: np.random.Generator
) -> Iterator[Row]:
    truth = np.zeros((fitted.updates, len(fitted.prior)), dtype=np.int64)
    np.add.at(truth, (records[1], records[0]), 1)
    truth = truth.cumsum(axis=0)[-1:] if fitted.fan_out is None else truth.cumsum(axis=0)
    squares = [(fitted.fit(*records, rng).counts - truth).astype(float) ** 2 for _ in range(repeats)]
    variance, spent = _variance(float(fitted.rate)), _moved(fitted) * float(fitted.rate)
    parts = np.ones(1) if fitted.fan_out is None else _parts(fitted)

    def row(view: str, squares: list[NDArray[np.float64]], parts: float) -> Row:
        """The root of a mean is off by its standard error over twice the root."""
        means = np.array([each.mean() for each in squares])
        error, sd = float(np.sqrt(means.mean())), float(means.std(ddof=1))
        return {
            "view": view,
            "error": error,
            "sd": sd,
            "standard_error": sd / repeats**0.5 / (2.0 * error) if error > 0 else 0.0,
            "exact": float(np.sqrt(parts * variance)),
            "draws": repeats * squares[0].size,
            "spent": spent,
        }

    yield row(said.FINAL, [each[-1] for each in squares], parts[-1])
    if fitted.fan_out is not None:
        yield row(said.RUNNING, squares, parts.mean())


def _variance(rate: float) -> float:
    """Σ y² e^{−r|y|} / Σ e^{−r|y|}, to where e^{−60} is left."""
    y = np.arange(1.0, 60.0 / rate + 60.0)
    weights = np.exp(-rate * y)
    return float(2.0 * (y * y * weights).sum() / (1.0 + 2.0 * weights.sum()))


def _parts(tree: NoisyDirichlet) -> NDArray[np.float64]:
    """Count the terms of the t-th total: digits of t in base b added up, the first of h digits up to b."""
    assert tree.fan_out is not None
    rest = np.arange(1, tree.updates + 1)
    digits = np.zeros_like(rest)
    for _ in range(tree.levels - 1):
        rest, digit = np.divmod(rest, tree.fan_out)
        digits += digit
    return np.asarray(digits + rest, dtype=float)


def _moved(fitted: NoisyDirichlet) -> int:
    """Return the most counts, of all that are released, that one record moves."""
    places = np.unique(np.linspace(0, fitted.updates - 1, min(PLACES, fitted.updates)).astype(int))
    batches = np.zeros((fitted.updates, len(places)), dtype=np.int64)
    batches[places, np.arange(len(places))] = 1  # a category for each place: its record is the only one
    moved = [np.abs(level).sum(axis=0) for level in fitted.noisy(batches, Unchanged())]
    return int(np.sum(moved, axis=0).max())
