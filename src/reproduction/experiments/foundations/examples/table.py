r"""What the review's examples print, beside what comes out: by enumeration, in fractions, and by closed forms.

Where an example leaves a number open, nothing stands as printed. Two averages before and after someone joins give the
newcomer's value (n + 1)s' − ns; with Laplace noise at ε each on a range R, they give it with standard error 2R/ε.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import laplace

from dpsampling.foundations.datasets import Counts, counted, data_sets, difference, distance, slopes
from dpsampling.foundations.max_divergence import divergence
from dpsampling.foundations.reconstruction import recovered
from dpsampling.numerics.randomness import substream
from dpsampling.privacy.gaussian_dp import largest_mu
from reproduction.experiments.foundations import examples as said

Row = tuple[str, str, int, int, float | None, float | None, float, float | None, float | None]
CURVE = {0: 0, 1: 1, 2: 2, 3: 5}  # of Example 2.11
RANGE = 100  # of a score
HISTOGRAM_DELTAS = {"5.2a": 0.1, "5.2b": math.exp(-1.0)}


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """All examples, then the attack at every number of queries and every noise."""
    rows = [
        *_counts(),
        *_averages(substream(rng, "averages")),
        *_partitions(params["repeats"], substream(rng, "partitions")),
        *_lipschitz(),
        *_finite(),
        *_responses(),
        *_noise(),
        *_attack(params, rng),
    ]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _one(example: str, quantity: str, printed: float | None, computed: float | Fraction, cases: int = 1) -> Row:
    return example, quantity, cases, 0, None, printed, float(computed), None, None


def _counts() -> Iterator[Row]:
    """Sections 1 and 2: data sets as counts."""
    for kind, printed in enumerate((1, 2, 0)):
        yield _one("1.1", f"count of sample {kind + 1}", printed, counted([0, 1, 1], 10)[kind])
    first, both, second = counted([0], 10), counted([0, 1], 10), counted([1], 10)
    for kind, printed in enumerate((0, 1)):
        yield _one("1.3", f"difference in sample {kind + 1}", printed, difference(first, both)[kind])
    for kind, printed in enumerate((1, 1)):
        yield _one("1.4", f"difference in sample {kind + 1}", printed, difference(first, second)[kind])
    yield _one("2.3", "distance", 1, distance(first, both))
    for kind, printed in enumerate((1, 0)):
        yield _one("2.3", f"{said.VECTOR}, sample {kind + 1}", printed, difference(first, both)[kind])
    yield _one("2.4", "distance", 2, distance(first, second))
    multisets = [counted(samples, 3) for samples in product(range(3), repeat=4)]
    histograms = "histograms of 4 samples of 3 kinds"
    yield _one("1 bijection", histograms, math.comb(6, 2), len(set(multisets)), len(multisets))
    pairs = list(product(data_sets(3, 2), repeat=2))
    unequal = sum(difference(x, y) != difference(y, x) for x, y in pairs)
    yield _one("1.2", "asymmetric differences", 0, unequal, len(pairs))
    wrong = sum(distance(x, y) != sum(max(a, b) - min(a, b) for a, b in zip(x, y, strict=True)) for x, y in pairs)
    yield _one("2.2", "distances that do not count samples", 0, wrong, len(pairs))


def _averages(rng: np.random.Generator) -> Iterator[Row]:
    """Examples 1.5 to 1.7: the largest error of the newcomer's value from two exact averages, in fractions."""
    for example, what in (("1.5", "score"), ("1.6", "salary"), ("1.7", "image, a mean as the model")):
        error = Fraction(0)
        for _ in range(100):
            values = [int(value) for value in rng.integers(RANGE + 1, size=int(rng.integers(2, 30)))]
            before = Fraction(sum(values[:-1]), len(values) - 1)
            after = Fraction(sum(values), len(values))
            newcomer = len(values) * after - (len(values) - 1) * before
            error = max(error, abs(newcomer - values[-1]))
        yield _one(example, f"largest error of the newcomer's {what}", 0, error, 100)
    for n in (10, 1000):
        scales = [n * RANGE / n, (n + 1) * RANGE / (n + 1)]  # of n s and (n + 1) s', for averages of sensitivity R/n
        standard_error = math.sqrt(sum(2.0 * scale**2 for scale in scales))
        yield _one("1.6", f"{said.NOISY} of {n}, ε = 1", None, standard_error / RANGE)


def _partitions(count: int, rng: np.random.Generator) -> Iterator[Row]:
    """Lemmas 2.5 and 2.6."""
    wrong = {"2.5": 0, "2.6": 0}
    for _ in range(100 * count):
        x, y = rng.integers(6, size=(2, 8)).tolist()
        parts = rng.integers(4, size=8).tolist()
        nothing = [0] * 8
        for lemma, a, b in (("2.5", x, nothing), ("2.6", x, y)):
            cells = (distance(_within(a, parts, part), _within(b, parts, part)) for part in range(4))
            wrong[lemma] += distance(a, b) != sum(cells)
    for lemma, violations in wrong.items():
        yield _one(lemma, "partitions over which it does not add", 0, violations, 100 * count)


def _within(counts: list[int], parts: list[int], part: int) -> list[int]:
    """Return the counts in one part, and 0 in the others."""
    return [n if of == part else 0 for n, of in zip(counts, parts, strict=True)]


def _lipschitz() -> Iterator[Row]:
    """Definition 2.9 and Examples 2.10 to 2.13, over all points and all small data sets."""
    points, pairs = list(CURVE), list(combinations(CURVE, 2))
    identity = slopes(points, lambda x, y: abs(x - y), lambda x, y: abs(x - y))
    yield _one("2.10", "κ", 1, max(identity.values()))
    yield _one("2.10", "least κ(x)", 1, min(identity.values()))
    curve = slopes(points, lambda x, y: abs(x - y), lambda x, y: abs(CURVE[x] - CURVE[y]))
    for x, printed in zip(points, (5.0 / 3.0, 2, 3, 3), strict=True):
        yield _one("2.11", f"κ({x})", printed, curve[x])
    yield _one("2.11", "κ", 3, max(Fraction(abs(CURVE[y] - CURVE[x]), y - x) for x, y in pairs))
    sets = data_sets(3, 2)
    for kinds, printed in enumerate((0, 1, 1, 1)):
        steepest = max(slopes(sets, distance, partial(_change, kinds)).values())
        yield _one("2.12", f"κ, counting {kinds} of 3 kinds", printed, steepest, len(sets) ** 2)
    bins = {x: (x[0] + x[1], x[2]) for x in sets}
    histogram = slopes(sets, distance, lambda x, y: distance(bins[x], bins[y]))
    yield _one("2.13", "κ, 3 kinds in 2 bins", 1, max(histogram.values()), len(sets) ** 2)


def _change(kinds: int, x: Counts, y: Counts) -> int:
    """Return by how much the number of samples of the first kinds changes."""
    return abs(sum(x[:kinds]) - sum(y[:kinds]))


def _finite() -> Iterator[Row]:
    """Examples 2.20 to 2.23: max divergence both ways, and the probability of the right answer."""
    zero, identity = {0: 0, 1: 0}, {0: 0, 1: 1}
    for example, truth, answer, printed in (
        ("2.21", zero, 0, (1.0, 1.0)),
        ("2.22", identity, 0, (1.0, 0.0)),
        ("2.23", identity, 2, (0.0, 0.0)),
    ):
        law = tuple(Fraction(y == answer) for y in range(3))  # whatever the input is
        yield _one(example, "max divergence", 0, divergence(law, law))
        for x in (0, 1):
            yield _one(example, f"accuracy at {x}", printed[x], law[truth[x]])
        if example == "2.23":
            yield _one(example, said.INSIDE, 1, sum(law[y] for y in identity.values()))
    private = [(Fraction(part, 20), 1 - Fraction(part, 20)) for part in range(21)]
    means = {(law[0] + law[1]) / 2 for law in private}
    yield _one("2.23", said.PRIVATE_MEAN, 0, min(means), len(private))
    coins = [(Fraction(a, 6), 1 - Fraction(a, 6)) for a in range(7)]
    unequal = sum(p != q for p, q in product(coins, repeat=2) if divergence(p, q) <= 0.0 and divergence(q, p) <= 0.0)
    yield _one("2.20", "0-private pairs with unequal laws", 0, unequal, len(coins) ** 2)


def _responses() -> Iterator[Row]:
    """Section 4.1 and Example 4.1: p = q = ½ and ¼, levels by all events."""
    for example, p, level in (("4.1a", Fraction(1, 2), 0.0), ("4.1b", Fraction(1, 4), math.log(3.0))):
        laws = [(1 - p, p), (p, 1 - p)]
        exact = max(divergence(laws[0], laws[1]), divergence(laws[1], laws[0]))
        yield _one(example, "level ε", level, exact)
        yield _one(example, "probability of a flip", float(p), laws[0][1])
        largest = max((1 - p) / p, p / (1 - p))
        yield _one("4.1", f"{said.LEVEL}, p = {p}", float(largest), exact)
        yield _one("4.1", f"{said.LEAST}, p = {p}", math.log(largest), exact)
        if example == "4.1a":
            yield _one(example, said.ZERO, 0, laws[0][0])


def _noise() -> Iterator[Row]:
    """Example 5.1 by the Laplace law; 5.2 leaves open what σ = 1 gives."""
    for example, threshold, printed in (("5.1a", math.log(10.0), 0.1), ("5.1b", 1.0, math.exp(-1.0))):
        yield _one(example, f"probability of noise beyond {threshold:.4g}", printed, 2.0 * laplace.sf(threshold))
    sets = data_sets(2, 3)
    yield _one("5.1", "κ", 1, max(slopes(sets, distance, lambda x, y: abs(sum(x) - sum(y))).values()), len(sets) ** 2)
    for example, delta in HISTOGRAM_DELTAS.items():
        yield _one(example, said.SIGMA, None, 1.0 / largest_mu(1.0, delta))
        yield _one(example, said.PRINTED_SIGMA, None, math.sqrt(2.0 * math.log(1.25 / delta)))


def _attack(params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    """Means over independent data sets of n bits."""
    n, repeats = params["n"], params["repeats"]
    for queries in params["subset_queries"]:
        for noise in params["noise_shares"]:
            stream = substream(rng, "attack", queries, float(noise))
            shares = [recovered(n, queries * n, noise * math.sqrt(n), stream) for _ in range(repeats)]
            mean = float(np.mean(shares))
            yield said.ATTACK, said.RECOVERED, n * repeats, queries, float(noise), None, mean, min(shares), max(shares)
