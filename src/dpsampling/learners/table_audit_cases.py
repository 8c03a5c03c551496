"""What learners on tables release, exposed: the noisy numbers themselves, of no record and of one.

One or two columns of two levels and two classes for naive Bayes, two trees of one split, and for boosted bins one
column's counts and one sum, of a row whose score the releases before have put as far off as scores go, alone or in
place of its opposite.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import product

import numpy as np

from dpsampling.datasets.recipe import Category, Number
from dpsampling.learners import naive_bayes as bayes
from dpsampling.learners import random_trees
from dpsampling.learners.boosted_bins import FAR, BoostedBins, Steps, residuals
from dpsampling.learners.columns import Columns
from dpsampling.learners.noise import InFloats
from dpsampling.mechanisms.known_laws import clipped_geometric, normal
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, Pair, all_pairs, both_ways
from dpsampling.privacy.guarantee import Guarantee, Relation
from dpsampling.privacy.laws import Finite, Independent, OnLine, Sampler

DELTA = 1e-5
TAIL = 80.0  # geometric noise beyond so many scales has mass e^-80
NONE = "no record"
Values = dict[str, Array]
OfOne = Callable[[float, float], Finite | OnLine]
Draw = Callable[[Array, np.random.Generator, int], Array]


def whole_tables(_order: float, epsilon: float) -> list[AuditCase]:
    """Counts of classes and of one table, for either relation."""
    audit_cases = []
    for relation in (Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE):
        learner = bayes.NaiveBayes(_columns(1), 2, epsilon, relation)
        values = _bayes(learner)
        pairs = _one_more(values) if relation is Relation.ADD_OR_REMOVE_ONE else _replaced(values)
        what = f"counts of two classes and four cells, {relation.value}"
        moved = 2.0 if relation is Relation.ADD_OR_REMOVE_ONE else 4.0
        audit_cases.append(
            _whole(what, learner.guarantee, values, pairs, moved / epsilon, partial(_bayes_rows, learner))
        )
    return audit_cases


def gaussian_tables(_order: float, epsilon: float) -> list[AuditCase]:
    """Counts of two tables at every order, and the one cell of a single table that a record moves at (ε, δ)."""
    two, one = (bayes.GaussianNaiveBayes(_columns(m), 2, epsilon, DELTA) for m in (2, 1))
    values, cell = _bayes(two), {NONE: np.zeros(1), "one record": np.ones(1)}
    return [
        _gaussian(
            f"counts of two tables, every order, δ = {DELTA:g}",
            two.mechanism.guarantee,
            values,
            (two.mechanism.sigma,) * 8,
            partial(_bayes_rows, two),
        ),
        _gaussian(
            f"the cell of one table, δ = {DELTA:g}",
            one.guarantee,
            cell,
            (one.mechanism.sigma,),
            lambda value, rng, size: _bayes_rows(one, np.append(value, [0.0, 0.0, 0.0]), rng, size)[:, :1],
        ),
    ]


def trees(_order: float, epsilon: float) -> list[AuditCase]:
    """Both trees' leaves, of which a record is in two."""
    learner = random_trees.RandomTrees(_columns(1), 2, epsilon, seed=1, trees=2, depth=1)
    values = {NONE: np.zeros(8)}
    for x, y in product((0, 1), repeat=2):
        leaves = learner.forest.leaves(np.array([[float(x)]]))
        values[f"x = {x}, y = {y}"] = random_trees.count(leaves, np.array([y]), 1, 2).astype(float).ravel()

    def drawn(value: Array, rng: np.random.Generator, size: int) -> Array:
        return learner.added(_tiled(value, size), InFloats(rng)).astype(float)

    slip = {"the noise of one tree": lambda: _laws(values, partial(_whole_number, 1.0 / epsilon, TAIL / epsilon), 1.0)}
    made = _whole("two trees of two leaves", learner.guarantee, values, _one_more(values), 2.0 / epsilon, drawn)
    return [replace(made, slips=slip)]


def boosted(_order: float, epsilon: float) -> list[AuditCase]:
    """One step's noisy numbers for either relation: the sum moves by nearly 1, or by 2, where scores are far off."""
    return [_boosted_one_more(epsilon), _boosted_replaced(epsilon)]


def _boosted_one_more(epsilon: float) -> AuditCase:
    learner = BoostedBins(_columns(1), epsilon, DELTA, Steps(seed=1, rounds=1))
    far = {label: residuals(np.array([sign * FAR]), np.array([label])) for label, sign in ((0, 1), (1, -1))}
    values = {NONE: np.zeros(2)} | {f"label {y}, far off": np.append(1.0, r) for y, r in far.items()}
    sigmas = (learner.sigma_of_counts, learner.sigma_of_sums)

    def drawn(value: Array, rng: np.random.Generator, size: int) -> Array:
        columns = zip(_tiled(value, size).T, sigmas, strict=True)
        return np.column_stack([InFloats(rng).gaussian(column, sigma) for column, sigma in columns])

    unclipped = {name: value * [1.0, 2.0] for name, value in values.items()}
    slip = {"residuals of labels ±1, not clipped": lambda: _gaussian_laws(unclipped, sigmas, 1.0)}
    what = f"a count and a sum, every order, δ = {DELTA:g}"
    made = _gaussian(what, learner.gaussian.renyi(), values, sigmas, drawn)
    return replace(made, slips=slip)


def _boosted_replaced(epsilon: float) -> AuditCase:
    """Two bins of one segment: one row leaves its bin for the other, and its residual of −1 becomes one of 1."""
    columns, steps = Columns((Number("number", 0.0, 1.0),), 2), Steps(seed=1, rounds=1, segments=1)
    learner = BoostedBins(columns, epsilon, DELTA, steps, relation=Relation.REPLACE_ONE)
    (low,), (high,) = (residuals(np.array([sign * FAR]), np.array([label])) for label, sign in ((0, 1), (1, -1)))
    values = {"label 0, far off": np.array([1.0, 0.0, low]), "label 1, far off": np.array([0.0, 1.0, high])}
    counts, sums = learner.sigma_of_counts, learner.sigma_of_sums
    sigmas = (counts, counts, sums)

    def drawn(value: Array, rng: np.random.Generator, size: int) -> Array:
        both, noise = _tiled(value, size).astype(float), InFloats(rng)
        return np.hstack([noise.gaussian(both[:, :2], counts), noise.gaussian(both[:, 2:], sums)])

    one_more = BoostedBins(columns, epsilon, DELTA, steps)
    less = (one_more.sigma_of_counts,) * 2 + (one_more.sigma_of_sums,)
    slip = {"noise for a row added or removed": lambda: _gaussian_laws(values, less, 1.0)}
    what = f"two counts and a sum, a row replaced, every order, δ = {DELTA:g}"
    made = _gaussian(what, learner.gaussian.renyi(), values, sigmas, drawn)
    return replace(made, slips=slip)


def _columns(count: int) -> Columns:
    return Columns(tuple(Category(f"column {j}", ("a", "b")) for j in range(count)), 1)


def _bayes(learner: bayes.NaiveBayes | bayes.GaussianNaiveBayes) -> Values:
    """All counts of no record, and of each that there may be."""
    m = learner.columns.count
    found = {NONE: _flat(learner, bayes.count(learner.columns, 2, np.empty((0, m)), np.empty(0, dtype=int)))}
    for *x, y in product((0, 1), repeat=m + 1):
        counts = bayes.count(learner.columns, 2, np.array([x], dtype=float), np.array([y]))
        found[f"x = {', '.join(map(str, x))}, y = {y}"] = _flat(learner, counts)
    return found


def _flat(learner: bayes.NaiveBayes | bayes.GaussianNaiveBayes, counts: bayes.Counts) -> Array:
    own = counts.classes if learner.counts_classes else np.empty(0)
    return np.concatenate([own, counts.tables.ravel()]).astype(float)


def _bayes_rows(
    learner: bayes.NaiveBayes | bayes.GaussianNaiveBayes, value: Array, rng: np.random.Generator, size: int
) -> Array:
    """Noisy counts as the learner makes them, a row each."""
    own = 2 if learner.counts_classes else 0
    tiled = _tiled(value, size)
    classes, tables = learner.added(bayes.Counts(tiled[:, :own], tiled[:, own:]), InFloats(rng))
    return np.asarray(tables if classes is None else np.hstack([classes, tables]), dtype=float)


def _tiled(value: Array, size: int) -> np.ndarray:
    whole = np.all(value == np.floor(value))
    return np.tile(value.astype(np.int64) if whole else value, (size, 1))


def _whole(
    what: str, guarantee: Guarantee, values: Values, pairs: tuple[Pair, ...], scale: float, draw: Draw
) -> AuditCase:
    """Whole-number noise of a scale, seen where it is not below 0."""
    outputs = math.ceil(TAIL * scale) + 2

    def seen(value: Array, rng: np.random.Generator, size: int) -> Array:
        return np.clip(draw(value, rng, size), 0, outputs - 1)

    law = partial(_whole_number, scale, TAIL * scale)
    return AuditCase(what, guarantee, _laws(values, law, 1.0, seen), pairs, {"noise": partial(_laws, values, law)})


def _whole_number(scale: float, tail: float, value: float, factor: float) -> Finite:
    return clipped_geometric(int(value), scale / factor, math.ceil(tail) + 2)


def _laws(values: Values, law: OfOne, factor: float, draw: Draw | None = None) -> Laws:
    """Independent noise on each number."""
    return {
        name: Independent(tuple(law(x, factor) for x in value), None if draw is None else partial(draw, value))
        for name, value in values.items()
    }


def _gaussian(what: str, guarantee: Guarantee, values: Values, sigmas: tuple[float, ...], draw: Draw) -> AuditCase:
    laws = _gaussian_laws(values, sigmas, 1.0, draw)
    pairs = _one_more(values) if NONE in values else _replaced(values)
    return AuditCase(what, guarantee, laws, pairs, {"noise": partial(_gaussian_laws, values, sigmas)})


def _gaussian_laws(values: Values, sigmas: tuple[float, ...], factor: float, draw: Draw | None = None) -> Laws:
    laws: dict[str, Independent | OnLine] = {}
    for name, value in values.items():
        parts = tuple(normal(x, sigma / factor) for x, sigma in zip(value, sigmas, strict=True))
        rows: Sampler | None = None if draw is None else partial(draw, value)
        laws[name] = Independent(parts, rows) if len(parts) > 1 else normal(value[0], sigmas[0] / factor, _first(rows))
    return laws


def _first(rows: Sampler | None) -> Sampler | None:
    return None if rows is None else lambda rng, size: rows(rng, size)[:, 0]


def _one_more(values: Values) -> tuple[Pair, ...]:
    return both_ways(*((NONE, name) for name in values if name != NONE))


def _replaced(values: Values) -> tuple[Pair, ...]:
    return all_pairs({name: value for name, value in values.items() if name != NONE})
