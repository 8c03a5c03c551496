r"""Both sides of every small lemma, in the worst of all cases that are looked at.

constants           families on two or three values, all pairs of data sets of up to four records
empirical laws      the exact law of ‖p̂_n − p‖₁ for all p on a grid: Lemma 2 at the largest δ it allows, and its square
Pinsker, events     all pairs of laws on a grid, and random ones; all events
coarser events      all pairs on a grid, all partitions, in whole numbers
Hamming             all mechanisms of two or three bits on a grid, in whole numbers
Le Cam              n draws of two coins, all pairs on a grid, and random posteriors of five data sets on a line
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom

from dpsampling.foundations.robust import divergences, empirical_distance, grids, hamming, le_cam, log_ratio, products
from dpsampling.numerics.arrays import Integers
from dpsampling.numerics.randomness import substream
from reproduction.experiments.cases import nearest
from reproduction.experiments.foundations import lemmas as said

Array = NDArray[np.float64]
Row = tuple[str, str, int, float, float, int]

PARAMETERS = np.linspace(0.25, 3.0, 12)  # η, for which the prior is Exp(1)
RECORDS = (1, 2, 3, 4)
HAMMING = ((2, 2, 6), (2, 3, 3), (3, 2, 3))  # bits, outputs, and N of 1/N
FINEST, FACTOR, SLACK = 10, 2, 1  # e^ε = 2 and δ = 1/10 on multiples of 1/10
COINS = {said.SYMMETRIC: (0.4, 0.6), said.LOPSIDED: (0.05, 0.2)}
PLACES = np.arange(5.0)  # of data sets on a line, of which the first two and the last two are S₁ and S₂
SHARE_OF_PROGRAMS = 20  # one linear program for so many random pairs


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each statement and kind of case."""
    rows: list[Row] = [
        *_records(),
        *_empirical(params["cells"], params["sample_sizes"], params["resolution"]),
        *_divergences(params["cells"], params["resolution"], params["pairs"], rng),
        *_metric(params["resolution"]),
        *_hamming(),
        *_le_cam(params, rng),
    ]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


# -- Lemma 1 -----------------------------------------------------------------------------------------------------------


def _families() -> dict[str, tuple[Array, Array]]:
    """ln p_η(x) by η and x, and ρ."""
    line, three = np.arange(2.0), np.arange(3.0)
    scores = {
        "coin, ρ = |x − y|": (PARAMETERS[:, np.newaxis] * line, _apart(line)),
        "three values, ρ = |x − y|": (-PARAMETERS[:, np.newaxis] * three, _apart(three)),
        "three categories, Hamming": (PARAMETERS[:, np.newaxis] * np.array([0.0, 1.0, -0.5]), 1.0 - np.eye(3)),
    }
    return {
        name: (score - np.log(np.exp(score).sum(axis=1, keepdims=True)), metric)
        for name, (score, metric) in scores.items()
    }


def _apart(places: Array) -> Array:
    return np.abs(np.subtract.outer(places, places))


def _records() -> Iterator[Row]:
    for name, (log_laws, metric) in _families().items():
        single, _ = products.constants(log_laws, metric, 1)
        for n in RECORDS:
            own, pairs = products.constants(log_laws, metric, n)
            cases = pairs * len(own)
            yield said.CONSTANT, name, n, float(own.max()), float(n * single.max()), cases
            yield said.SAME_CONSTANT, name, n, float(own.max()), float(single.max()), cases
            # Under Exp(1) on η, −ln(1 − ξ(Θ_L)) is the η at which L is the constant.
            largest, alone = float(np.min(PARAMETERS / own)), float(np.min(PARAMETERS / single))
            yield said.CONCENTRATION, name, n, alone / n, largest, cases
            yield said.SAME_CONCENTRATION, name, n, alone, largest, cases
            equal, below = products.gaps(log_laws, metric, n)
            yield said.PROOF_EQUAL, name, n, equal, 0.0, cases
            yield said.PROOF_BELOW, name, n, below, 0.0, cases
        n = max(RECORDS)
        for k in range(1, n + 1):
            own, pairs = products.constants(log_laws, metric, n, differing=k)
            yield said.FEW, f"{name}, k = {k}", n, float(own.max()), float(k * single.max()), pairs * len(own)


# -- Lemma 2, (C.6) ----------------------------------------------------------------------------------------------------


def _empirical(cells: list[int], sizes: list[int], resolution: int) -> Iterator[Row]:
    for m in sorted(cells):
        shares = [*grids.positive_laws(m, resolution).tolist(), [1] * m]
        largest = empirical_distance.largest_failure(m)
        for n in sorted(sizes):
            laws = [empirical_distance.distances(n, law) for law in shares]
            for what, delta in ((f"m = {m}", largest), (f"m = {m}, the square of that δ", largest**2)):
                radius = empirical_distance.radius(n, delta)
                yield said.FAILURE, what, n, max(law.above(radius) for law in laws), delta, len(laws)
                yield said.RADIUS, what, n, max(law.quantile(delta) for law in laws), radius, len(laws)
            yield said.WEISSMAN, f"m = {m}", n, *_worst_tail(m, n, laws)


def _worst_tail(m: int, n: int, laws: list[empirical_distance.Distances]) -> tuple[float, float, int]:
    """At every distance above 0 that can be, the tail that comes nearest to its bound."""
    tails, bounds = [], []
    for law in laws:
        above = law.values > 0
        tails.append(law.at_least()[above])
        bounds.append(empirical_distance.weissman(m, n, law.values[above]))
    tail, bound = np.concatenate(tails), np.concatenate(bounds)
    i = nearest(tail, bound)
    return float(tail[i]), float(bound[i]), len(tail)


# -- (C.5), (C.8) ------------------------------------------------------------------------------------------------------


def _divergences(cells: list[int], resolution: int, pairs: int, rng: np.random.Generator) -> Iterator[Row]:
    for m in sorted(cells):
        rows = grids.laws(m, resolution)
        first, second = np.indices((len(rows), len(rows))).reshape(2, -1)
        p, q = rows[first], rows[second]
        ratio, cases = divergences.coarsening(p, q)
        yield said.COARSER, f"m = {m}, all on a grid", 1, ratio, 1.0, cases
        differ = first != second
        yield from _pinsker(f"m = {m}, all on a grid", p[differ], q[differ])
        own = substream(rng, "pairs", m)
        yield from _pinsker(f"m = {m}, random", *own.dirichlet(np.ones(m), size=(2, pairs)))


def _pinsker(what: str, p: Array | Integers, q: Array | Integers) -> Iterator[Row]:
    kl, l1, event = divergences.kl(p, q), divergences.l1(p, q), divergences.worst_event(p, q)
    i = nearest(l1**2, kl)
    yield said.PINSKER, what, 1, float(l1[i] ** 2 / 2.0), float(kl[i]), len(kl)
    i = nearest(event, np.sqrt(kl))
    yield said.EVENTS, what, 1, float(event[i]), float(np.sqrt(kl[i] / 2.0)), len(kl) * 2 ** p.shape[1]


# -- (2.7), Remark 1 ---------------------------------------------------------------------------------------------------


def _metric(resolution: int) -> Iterator[Row]:
    values = log_ratio.rationals(resolution)
    broken, triples = log_ratio.broken_axioms(values)
    yield said.AXIOMS, "0 and quotients", 1, float(broken), 0.0, triples
    for statement, among in ((said.FINITE, values), (said.FINITE_POSITIVE, [value for value in values if value > 0])):
        infinite, pairs = log_ratio.infinite_pairs(among)
        yield statement, "0 and quotients" if 0 in among else "quotients", 1, float(infinite), 0.0, pairs


def _hamming() -> Iterator[Row]:
    for bits, outputs, resolution in HAMMING:
        masses = hamming.events(hamming.mechanisms(bits, outputs, resolution))
        what = f"{outputs} outputs, multiples of 1/{resolution}"
        broken, cases = hamming.broken_multiplicatively(masses, bits)
        yield said.MULTIPLIED, what, bits, float(broken), 0.0, cases
        broken, cases = hamming.broken_additively(masses, bits)
        yield said.ADDED, what, bits, float(broken), 0.0, cases
    bits, delta = 2, SLACK / FINEST
    masses = hamming.events(hamming.mechanisms(bits, 2, FINEST))
    kept = hamming.private_with_both(masses, bits, FACTOR, SLACK)
    at_x, at_y = (mass / FINEST for mass in hamming.worst_event(kept, bits, FACTOR))
    what = f"2 outputs, multiples of 1/{FINEST}, e^ε = {FACTOR}, δ = {SLACK}/{FINEST}"
    yield said.BOTH, what, bits, at_x, FACTOR**2 * at_y + 2 * delta, len(kept)
    yield said.GROUP, what, bits, at_x, FACTOR**2 * at_y + (1 + FACTOR) * delta, len(kept)


# -- Lemma 8 -----------------------------------------------------------------------------------------------------------


def _le_cam(params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    for name, (p, q) in COINS.items():
        for n in sorted(params["sample_sizes"]):
            heads = np.arange(n + 1)  # all that n draws of a posterior on two values tell
            first, second = np.asarray(binom.pmf(heads, n, p)), np.asarray(binom.pmf(heads, n, q))
            yield said.TWO_POINTS, name, n, *_two_points(first, second), 1
    for m in sorted(params["cells"]):
        rows = grids.laws(m, min(params["resolution"], 4)) / min(params["resolution"], 4)
        errors = np.array([_two_points(p, q) for p in rows for q in rows])
        kept = errors[errors[:, 1] > 0]
        left, right = kept[nearest(*kept.T)]
        yield said.ALL_PAIRS, f"m = {m}, all on a grid", 1, float(left), float(right), len(kept)
    yield _mixtures(params["pairs"] // SHARE_OF_PROGRAMS, substream(rng, "mixtures"))


def _two_points(p: Array, q: Array) -> tuple[float, float]:
    """Le Cam's bound and the exact minimax error of telling two data sets at distance 1 = 2δ."""
    return 0.5 * float(le_cam.overlap(p, q)), le_cam.two_point_error(p, q)


def _mixtures(count: int, rng: np.random.Generator) -> Row:
    metric = _apart(PLACES)
    separation = float(metric[:2, -2:].min())
    errors = []
    for _ in range(count):
        posteriors = rng.dirichlet(np.ones(4), len(PLACES))
        bound = separation / 2.0 * le_cam.largest_overlap(posteriors[:2], posteriors[-2:])
        errors.append((bound, le_cam.minimax_error(posteriors, metric)))
    left, right = errors[nearest(*zip(*errors, strict=True))]
    return said.MIXTURES, "five data sets on a line, random posteriors", 1, left, right, count
