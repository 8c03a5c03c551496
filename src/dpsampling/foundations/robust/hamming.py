r"""Differential privacy under a pseudo-metric (Robust 2014 Definition 2) with the Hamming distance, on bits.

    P(B | x) ≤ e^{ερ(x, y)} P(B | y) + δ ρ(x, y)        for every event B and all x, y

At ρ = 1 that is (ε, δ)-differential privacy. From there to greater distances (Remark 1):

    (ε, 0)     along a path of single changes the factors e^ε multiply                     it holds at every distance
    (0, δ)     total variations add, by the triangle inequality                            it holds at every distance
    (ε, δ)     P₂ ≤ e^ε P₁ + δ ≤ e^{2ε} P₀ + (1 + e^ε) δ, and 1 + e^ε > 2                   it need not, from ρ = 2 on

A mechanism here is a table of whole numbers with one sum N: a row of output probabilities for every data set of n bits.
All comparisons are of whole numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from dpsampling.foundations.robust.grids import laws
from dpsampling.numerics.arrays import Booleans, Integers


def mechanisms(bits: int, outputs: int, resolution: int) -> Integers:
    """Every mechanism with probabilities that are multiples of 1/N: [mechanism, data set, output]."""
    rows = laws(outputs, resolution)
    chosen = np.indices((len(rows),) * 2**bits).reshape(2**bits, -1).T
    return np.asarray(rows[chosen])


def at_distance(bits: int, distance: int) -> list[tuple[int, int]]:
    """Ordered pairs of data sets that differ in so many bits."""
    return [(x, y) for x, y in product(range(2**bits), repeat=2) if (x ^ y).bit_count() == distance]


def events(tables: Integers) -> Integers:
    """The mass of every event, in place of that of every output."""
    kept = np.array(list(product((0, 1), repeat=tables.shape[-1])), dtype=np.int64)
    return np.asarray(tables @ kept.T)


def holds(masses: Integers, bits: int, distance: int, factor: Fraction, slack: int) -> Booleans:
    """Return whether P(B | x) ≤ factor·P(B | y) + slack/N for all events and all pairs this far apart, by mechanism."""
    top, bottom = factor.numerator, factor.denominator
    kept = np.ones(len(masses), dtype=bool)
    for x, y in at_distance(bits, distance):
        kept &= np.all(bottom * masses[:, x] <= top * masses[:, y] + bottom * slack, axis=-1)
    return kept


def broken_multiplicatively(tables: Integers, bits: int) -> tuple[int, int]:
    """Mechanisms whose (ε, 0) at distance 1 is broken at another, and those that have one; e^ε the least there is."""
    broken = kept = 0
    for factor, those in _by_factor(tables, bits):
        far = [holds(those, bits, h, factor**h, 0) for h in range(2, bits + 1)]
        broken += int(np.sum(~np.all(far, axis=0)))
        kept += len(those)
    return broken, kept


def broken_additively(masses: Integers, bits: int) -> tuple[int, int]:
    """Mechanisms whose (0, δ) at distance 1 is broken at another, and all; δ the least there is."""
    most = {h: _largest_gap(masses, bits, h) for h in range(1, bits + 1)}
    far = [most[h] <= h * most[1] for h in range(2, bits + 1)]
    return int(np.sum(~np.all(far, axis=0))), len(masses)


def private_with_both(masses: Integers, bits: int, factor: int, slack: int) -> Integers:
    """Those that are (ε, δ)-private at distance 1, e^ε = factor and δ = slack/N."""
    return np.asarray(masses[holds(masses, bits, 1, Fraction(factor), slack)])


def worst_event(masses: Integers, bits: int, factor: int) -> tuple[int, int]:
    """P(B | x) and P(B | y), in N-ths, where P(B | x) − e^{2ε}P(B | y) is largest, at distance 2."""
    worst = (0, 0)
    for x, y in at_distance(bits, 2):
        excess = masses[:, x] - factor**2 * masses[:, y]
        i = np.unravel_index(np.argmax(excess), excess.shape)
        found = int(masses[:, x][i]), int(masses[:, y][i])
        worst = max(worst, found, key=lambda pair: pair[0] - factor**2 * pair[1])
    return worst


def _by_factor(tables: Integers, bits: int) -> Iterator[tuple[Fraction, Integers]]:
    """Mechanisms that share their least e^ε at distance 1, where it is finite."""
    pairs = at_distance(bits, 1)
    finite = np.all([np.all((tables[:, x] > 0) == (tables[:, y] > 0), axis=-1) for x, y in pairs], axis=0)
    those = tables[finite]
    ratios = np.stack(
        [np.where(those[:, y] > 0, those[:, x] / np.maximum(those[:, y], 1), 1.0) for x, y in pairs], axis=1
    )
    least = ratios.max(axis=(1, 2))
    total = int(tables[0, 0].sum())
    for factor in np.unique(least):  # a quotient of two whole numbers up to N, which the nearest such fraction is
        yield Fraction(float(factor)).limit_denominator(total), those[least == factor]


def _largest_gap(masses: Integers, bits: int, distance: int) -> Integers:
    gaps = [np.max(masses[:, x] - masses[:, y], axis=-1) for x, y in at_distance(bits, distance)]
    return np.asarray(np.max(gaps, axis=0))
