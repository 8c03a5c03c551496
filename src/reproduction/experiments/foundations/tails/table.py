r"""Tails and levels of each mechanism: as drawn, as they are exactly, and as they are bounded.

    tails     of 0, 1, 0, 1, …, of values 0 (noise does not depend on them), and of scores that are told in `data`
    levels    the largest ln ratio of the probabilities of an output over all pairs of data sets at a distance d, beside
              dε: strings of bits and answers with all reports, in rationals for bits; scores that are moved by up to d
              each; values at L1 distance d, over a grid of outputs

`chance` and `excess` are binomial, of the hits among the draws: twice the lesser tail under the exact probability, and
the upper tail under the bound. The Gaussian mechanisms promise δ = `delta` at ε, and κ = 1 throughout.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import binom

from dpsampling.foundations import tails
from dpsampling.foundations.noise import GaussianMechanism, LaplaceMechanism
from dpsampling.foundations.randomized_response import RandomizedChoice, RandomizedResponse
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.numerics.randomness import substream
from reproduction.experiments.foundations import tails as said

Array = NDArray[np.float64]
Row = tuple[str, str, str, float, int, float, int, float | None, float | None, float | None, float, float, int]

About = tuple[str, str, str, float, int]  # mechanism, statement, data, epsilon and dimension
Levels = dict[int, tuple[float, int]]  # the largest log-ratio at each distance, and of how many

CHUNK = 100_000  # draws that are held at once
OUTCOMES = 4
TIES = 3
ENUMERATED = 4  # bits of strings that are enumerated with all their reports
FAR = 100.0  # ε times the score by which an alternative is behind so far that it is never chosen


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each mechanism, ε, dimension and threshold, and one for each level at a distance."""
    rows: list[Row] = []
    draws, deltas = params["draws"], sorted(params["deltas"], reverse=True)
    for epsilon in params["epsilons"]:
        for dimension in params["dimensions"]:
            for name, response in _responses(epsilon).items():
                rows += _flips(name, response, epsilon, dimension, draws, substream(rng, name, epsilon, dimension))
            rows += _answers(epsilon, dimension, draws, substream(rng, said.CHOICES, epsilon, dimension))
            for name, noise in (
                (said.LAPLACE, LaplaceMechanism(1.0, epsilon, dimension)),
                (said.CLASSICAL, GaussianMechanism.classical(1.0, epsilon, params["delta"], dimension)),
                (said.ANALYTIC, GaussianMechanism.analytic(1.0, epsilon, params["delta"], dimension)),
            ):
                about = name, said.NOISE, said.ANY, epsilon, dimension
                rows += _noise(about, noise, deltas, draws, substream(rng, name, epsilon, dimension))
            rows += _deficits(epsilon, dimension, deltas, draws, rng)
        rows += _levels(epsilon, min(ENUMERATED, max(params["dimensions"])))
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


# -- tails -------------------------------------------------------------------------------------------------------------


def _responses(epsilon: float) -> dict[str, RandomizedResponse]:
    return {said.BITS: RandomizedResponse.symmetric(epsilon), said.HALF: RandomizedResponse.asymmetric(epsilon)}


def _flips(
    name: str, mechanism: RandomizedResponse, epsilon: float, dimension: int, draws: int, rng: np.random.Generator
) -> Iterator[Row]:
    """Pr(j flips) of every number of ones, drawn for 0, 1, 0, 1, …"""
    p, q = Fraction(mechanism.p), Fraction(mechanism.q)
    bits = np.arange(dimension) % 2
    flips = _drawn(lambda size: (mechanism.simulate(bits, rng, size) != bits).sum(axis=-1), draws)
    for ones in range(dimension + 1):
        for j, exact in enumerate(tails.flip_law(dimension - ones, ones, p, q)):
            bound = float(tails.flip_bound(dimension, j, p, q))
            about = name, said.FLIPS, f"{ones} ones", epsilon, dimension
            yield _row(about, j, float(exact), bound, flips == j if ones == bits.sum() else None)


def _answers(epsilon: float, dimension: int, draws: int, rng: np.random.Generator) -> Iterator[Row]:
    """Changed answers: of one answer by its density, and of many by convolution, beside the closed form."""
    mechanism = RandomizedChoice(epsilon, OUTCOMES)
    answers = np.arange(dimension) % OUTCOMES
    changed = _drawn(lambda size: (mechanism.simulate(answers, rng, size) != answers).sum(axis=-1), draws)
    truth = float(np.exp(mechanism.log_density([0], [0])))
    law = np.ones(1)
    for _ in range(dimension):
        law = np.convolve(law, [truth, 1.0 - truth])
    lie = (OUTCOMES - 1) / (math.exp(epsilon) + OUTCOMES - 1)
    for j, exact in enumerate(law.tolist()):
        closed = math.comb(dimension, j) * lie**j * (1.0 - lie) ** (dimension - j)
        yield _row((said.CHOICES, said.ANSWERS, said.ANY, epsilon, dimension), j, exact, closed, changed == j)


def _noise(
    about: About,
    mechanism: LaplaceMechanism | GaussianMechanism,
    deltas: list[float],
    draws: int,
    rng: np.random.Generator,
) -> Iterator[Row]:
    """The largest of all coordinates."""
    dimension = mechanism.dimension
    zero = np.zeros(dimension)
    largest = _drawn(lambda size: np.abs(mechanism.simulate(zero, rng, size)).max(axis=-1), draws)
    for delta in deltas:
        if isinstance(mechanism, LaplaceMechanism):
            threshold = tails.laplace_threshold(mechanism.scale, dimension, delta)
            exact = tails.laplace_tail(threshold, mechanism.scale, dimension)
        else:
            threshold = tails.gaussian_threshold(mechanism.sigma, dimension, delta)
            exact = tails.gaussian_tail(threshold, mechanism.sigma, dimension)
        yield _row(about, threshold, exact, delta, largest >= threshold)


def _deficits(
    epsilon: float, dimension: int, deltas: list[float], draws: int, rng: np.random.Generator
) -> Iterator[Row]:
    """Whole-number scores whose deficits lie just beyond the thresholds; each change of a record moves one by κ = 1."""
    mechanism, alternatives = ExponentialMechanism(1.0, epsilon), dimension + 1

    def threshold_of(best: int, delta: float) -> float:
        return tails.exponential_threshold(1.0 / mechanism.temperature, alternatives, best, -math.log(delta))

    for data, best in ((said.GRADED, 1), (said.TIED, TIES)):
        if best >= alternatives:
            continue
        at = [threshold_of(best, delta) for delta in deltas]
        deficits = [math.ceil(at[i % len(at)]) for i in range(alternatives - best)]
        scores = -np.array([0] * best + deficits, dtype=float)
        deficit = _drawn(_deficit(mechanism, scores, substream(rng, data, epsilon, dimension)), draws)
        forms = {said.DEFICIT: best} if best == 1 else {said.DEFICIT: best, said.LOOSE: 1}
        for (statement, counted), delta in product(forms.items(), deltas):
            threshold = threshold_of(counted, delta)
            exact = tails.exponential_tail(mechanism, scores, threshold)
            about = said.EXPONENTIAL, statement, data, epsilon, dimension
            yield _row(about, threshold, exact, delta, deficit >= threshold)
    for delta in deltas:
        threshold = threshold_of(1, delta)
        scores = -np.array([0.0] + [math.ceil(threshold)] * dimension)
        exact = tails.exponential_tail(mechanism, scores, threshold)
        yield _row((said.EXPONENTIAL, said.DEFICIT, said.WORST, epsilon, dimension), threshold, exact, delta)


def _deficit(mechanism: ExponentialMechanism, scores: Array, rng: np.random.Generator) -> Callable[[int], Array]:
    return lambda size: -scores[mechanism.simulate(scores, rng, size)]


def _drawn(draw: Callable[[int], NDArray[Any]], draws: int) -> NDArray[Any]:
    return np.concatenate([draw(min(CHUNK, draws - start)) for start in range(0, draws, CHUNK)])


def _row(about: About, threshold: float, exact: float, bound: float, hit: NDArray[np.bool_] | None = None) -> Row:
    """One tail; `hit` tells of each draw, where there are any, whether it is that far out."""
    if hit is None:
        return *about, float(threshold), 0, None, None, None, exact, bound, 1
    hits, draws = int(np.sum(hit)), len(hit)
    below, above = binom.cdf(hits, draws, exact), binom.sf(hits - 1, draws, exact)
    chance, excess = min(1.0, 2.0 * min(below, above)), float(binom.sf(hits - 1, draws, min(bound, 1.0)))
    return *about, float(threshold), draws, hits / draws, float(chance), excess, exact, bound, 1


# -- levels ------------------------------------------------------------------------------------------------------------


def _levels(epsilon: float, bits: int) -> Iterator[Row]:
    """The largest ln ratio at each distance."""
    scored = ExponentialMechanism(1.0, epsilon)
    for name, data, dimension, levels in (
        *((name, said.ANY, bits, _of_bits(response, bits)) for name, response in _responses(epsilon).items()),
        (said.CHOICES, said.ANY, 2, _of_answers(RandomizedChoice(epsilon, OUTCOMES))),
        (said.LAPLACE, said.ANY, 2, _of_values(LaplaceMechanism(1.0, epsilon, 2))),
        *((said.EXPONENTIAL, data, 2, _of_scores(scored, data)) for data in (said.APART, said.COUNTS)),
    ):
        for distance, (level, cases) in levels.items():
            about = name, said.LEVEL, data, epsilon, dimension
            yield *about, float(distance), 0, None, None, None, level, distance * epsilon, cases


def _of_bits(mechanism: RandomizedResponse, bits: int) -> Levels:
    """All pairs of strings with all reports, in rationals."""
    p, q = Fraction(mechanism.p), Fraction(mechanism.q)
    chances = ((1 - p, p), (q, 1 - q))
    strings = list(product((0, 1), repeat=bits))
    laws = {
        x: [math.prod((chances[b][r] for b, r in zip(x, y, strict=True)), start=Fraction(1)) for y in strings]
        for x in strings
    }
    ratios: dict[int, list[Fraction]] = {distance: [] for distance in range(1, bits + 1)}
    for x, y in permutations(strings, 2):
        distance = sum(a != b for a, b in zip(x, y, strict=True))
        ratios[distance] += (a / b for a, b in zip(laws[x], laws[y], strict=True))
    return {distance: (math.log(max(these)), len(these)) for distance, these in ratios.items()}


def _of_answers(mechanism: RandomizedChoice) -> Levels:
    """All pairs of two answers with all reports."""
    pairs = np.array(list(product(range(mechanism.outcomes), repeat=2)))
    laws = np.array([mechanism.log_density(pairs, pair) for pair in pairs])
    loss = np.abs(laws[:, np.newaxis] - laws[np.newaxis]).max(axis=-1)
    distance = (pairs[:, np.newaxis] != pairs[np.newaxis]).sum(axis=-1)
    return {d: (float(loss[distance == d].max()), int(np.sum(distance == d)) * len(pairs)) for d in (1, 2)}


def _of_values(mechanism: LaplaceMechanism) -> Levels:
    """Two numbers that are moved by d in L1 together, over a grid of outputs."""
    grid = np.array(list(product(np.linspace(-5.0, 5.0, 41), repeat=2)))
    before = mechanism.log_density(grid, np.zeros(2))
    levels = {}
    for distance in (1, 2, 3):
        shares = np.linspace(-distance, distance, 4 * distance + 1)
        moves = [(a, sign * (distance - abs(a))) for a in shares.tolist() for sign in (1.0, -1.0)]
        level = max(float(np.abs(before - mechanism.log_density(grid, move)).max()) for move in moves)
        levels[distance] = level, len(moves) * len(grid)
    return levels


def _of_scores(mechanism: ExponentialMechanism, data: str) -> Levels:
    """Three scores, some far behind: each moved by up to d, or one of them raised by the d records of one kind."""
    bases = np.array(list(product((0.0, -FAR / mechanism.epsilon), repeat=3)))
    steps = np.array(list(product((-1.0, 0.0, 1.0), repeat=3))) if data == said.APART else np.eye(3)
    levels = {}
    for distance in (1, 2):
        moved = bases[:, np.newaxis] + distance * steps[np.newaxis]
        before = mechanism.log_probabilities(bases)[:, np.newaxis]
        loss = np.abs(mechanism.log_probabilities(moved) - before)
        levels[distance] = float(loss.max()), loss.size
    return levels
