r"""Both sides of each statement, in fractions, over every law with a small denominator and over random mechanisms.

Levels are R = e^D, rational for rational laws; ε is the logarithm of a rational t. A data set is a number of records of
one kind, and of two kinds where mechanisms stand side by side. What is compared is never computed the same way:
divergences are by threshold events on one side and by all events on the other, or of different laws.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.foundations.composition import adaptive, joint, some
from dpsampling.foundations.distance import group_delta
from dpsampling.foundations.max_divergence import Number, excess, ratio
from dpsampling.numerics.randomness import substream
from reproduction.experiments.foundations import properties as said
from reproduction.experiments.foundations.properties import finite
from reproduction.experiments.foundations.properties.finite import Law, Mechanism, Tally, description

NONE, DELTAS = Fraction(0), (Fraction(1, 10), Fraction(1, 4), Fraction(1, 2))
TS = (Fraction(1), Fraction(3, 2), Fraction(3))
RECORDS = 2
DRAWN_OUTPUTS = 4
Tallies = defaultdict[tuple[str, str], Tally]


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each statement and kind of case, the smallest cases first."""
    tallies: Tallies = defaultdict(Tally)
    denominators, count = sorted(params["denominators"]), params["kernels"]
    stream = substream(rng, "mechanisms")
    for pair in _pairs(denominators, count, stream):
        _of_a_pair(tallies, *pair)
    for pairs in _pairs_of_pairs(denominators, count, stream):
        _of_two_pairs(tallies, *pairs)
    for mechanism in _mechanisms(denominators, count, stream):
        _of_a_mechanism(tallies, mechanism)
    for three in _triples(denominators, count, stream):
        _of_mechanisms(tallies, *three)
    rows = [
        (statement, case, tally.cases, tally.violations, tally.left, tally.right, tally.witness)
        for (statement, case), tally in tallies.items()
    ]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


# -- which cases -------------------------------------------------------------------------------------------------------


def _pairs(denominators: Sequence[int], count: int, rng: np.random.Generator) -> Iterator[tuple[Law, Law]]:
    for denominator in denominators:
        for outputs in (1, 2, 3):
            every = finite.laws(outputs, denominator)
            yield from product(every, every)
    for _ in range(count):
        yield finite.drawn_law(DRAWN_OUTPUTS, rng), finite.drawn_law(DRAWN_OUTPUTS, rng)


def _pairs_of_pairs(
    denominators: Sequence[int], count: int, rng: np.random.Generator
) -> Iterator[tuple[tuple[Law, Law], tuple[Law, Law]]]:
    """Of one output each first, which tells the least apart."""
    for denominator in denominators:
        for outputs in (1, 2):
            every = finite.laws(outputs, denominator)
            pairs = list(product(every, every))
            yield from product(pairs, pairs)
    for _ in range(count):
        yield (finite.drawn_law(3, rng), finite.drawn_law(3, rng)), (finite.drawn_law(4, rng), finite.drawn_law(4, rng))


def _mechanisms(denominators: Sequence[int], count: int, rng: np.random.Generator) -> Iterator[Mechanism]:
    for denominator in denominators:
        yield from finite.mechanisms(RECORDS, denominator)
    for _ in range(count):
        yield finite.drawn_mechanism(RECORDS + 1, 3, rng)


def _triples(
    denominators: Sequence[int], count: int, rng: np.random.Generator
) -> Iterator[tuple[Mechanism, Mechanism, Mechanism]]:
    """A mechanism, and two of which its output chooses one; all with the denominators 1 and 2."""
    for denominator in denominators[:2]:
        few = finite.mechanisms(RECORDS, denominator)
        for i, (first, second) in enumerate(combinations_with_replacement(few, 2)):
            yield first, second, few[i % len(few)]
    for _ in range(count):
        first, second, third = (finite.drawn_mechanism(RECORDS, 2, rng) for _ in range(3))
        yield first, second, third


# -- what is said of them ----------------------------------------------------------------------------------------------


def _of_a_pair(tallies: Tallies, p: Law, q: Law) -> None:
    pair = f"{description(p)}, {description(q)}"
    both = list(finite.events(p, q))
    inside = [(mass, beside) for mass, beside in finite.events(*_within(p, q))]
    last: Number | None = None
    for delta in (NONE, *DELTAS):
        witness = f"{pair}, δ = {delta}"
        level, by_events = ratio(p, q, delta), finite.largest_quotient(iter(both), delta)
        _equal(tallies[said.THRESHOLD, said.EVERY], level, by_events, witness)
        _equal(tallies[said.SUPPORT, said.EVERY], finite.largest_quotient(iter(inside), delta), by_events, witness)
        if last is not None:
            tallies[said.LEMMA_25, said.EVERY].see(level, last, witness)
        last = level
        for t in TS:
            private = all(mass <= t * beside + delta for mass, beside in both)
            _equal(tallies[said.IFF, said.EVERY], Fraction(level <= t), Fraction(private), f"{witness}, e^ε = {t}")
            _logarithms(tallies, both, delta, t, witness)
        for kept in product(range(2), repeat=len(p)):
            after = ratio(_merged(p, kept), _merged(q, kept), delta)
            tallies[said.AFTER, said.MAPS].see(after, level, witness)
        if len(p) == DRAWN_OUTPUTS:
            kernel = [p[shift:] + p[:shift] for shift in range(DRAWN_OUTPUTS)]
            noisy = ratio(_through(p, kernel), _through(q, kernel), delta)
            tallies[said.AFTER, said.KERNELS].see(noisy, level, witness)


def _logarithms(
    tallies: Tallies, both: list[tuple[Fraction, Fraction]], delta: Fraction, t: Fraction, witness: str
) -> None:
    """Ask whether ln(P − δ) − ln Q ≤ ln t says the same; on events up to δ the left side has no value."""
    for mass, beside in both:
        private = Fraction(mass <= t * beside + delta)
        if mass > delta:
            restated = Fraction(beside > 0 and (mass - delta) / beside <= t) if beside else NONE
            _equal(tallies[said.LOGS, said.ABOVE_DELTA], restated, private, witness)
        elif mass < delta:
            tallies[said.LOGS, said.UP_TO_DELTA].see(private, NONE, witness)


def _of_two_pairs(tallies: Tallies, first: tuple[Law, Law], second: tuple[Law, Law]) -> None:
    together = joint(first[0], second[0]), joint(first[1], second[1])
    pairs = "; ".join(f"{description(p)}, {description(q)}" for p, q in (first, second))
    for delta in (NONE, *DELTAS):
        witness = f"{pairs}; δ = {delta}"
        level, total = ratio(*together, delta), _product(ratio(*first, delta), ratio(*second, delta))
        if total is None:
            continue
        if delta == 0:
            _equal(tallies[said.LEMMA_24, said.NO_DELTA], level, total, witness)
        else:
            tallies[said.LEMMA_24, said.JOINT_ABOVE].see(level, total, witness)
            tallies[said.LEMMA_24, said.JOINT_BELOW].see(total, level, witness)
        for other in (NONE, *DELTAS):
            total = _product(ratio(*first, delta), ratio(*second, other))
            if total is None:
                continue
            witness = f"{pairs}; δ = {delta}, {other}"
            tallies[said.LEMMA_24, said.UPPER].see(ratio(*together, some((delta, other))), total, witness)
            tallies[said.LEMMA_24, said.LOWER].see(total, ratio(*together, delta * other), witness)
    if first == second:
        alone = ratio(*first)
        if 1 < alone < math.inf:  # else the square is the same whatever depends on what
            _equal(tallies[said.LEMMA_24, said.DEPENDENT], alone, alone * alone, pairs)


def _of_a_mechanism(tallies: Tallies, mechanism: Mechanism) -> None:
    names = ", ".join(map(description, mechanism))
    apart = [(i, j) for i in range(len(mechanism)) for j in range(len(mechanism)) if i != j]
    step = max(ratio(mechanism[i], mechanism[j]) for i, j in apart if abs(i - j) == 1)
    if step < math.inf:
        for i, j in apart:
            level = ratio(mechanism[i], mechanism[j])
            tallies[said.PURE, said.EVERY].see(level, step ** abs(i - j), names)
    for t in TS:
        witness = f"{names}, e^ε = {t}"
        near, far = finite.delta_of_neighbours(mechanism, t), finite.delta_at_every_distance(mechanism, t)
        tallies[said.ONE_DELTA, said.USUAL].see(far, near, witness)
        for i, j in apart:
            d = abs(i - j)
            true = excess(mechanism[i], mechanism[j], t**d)
            tallies[said.ONE_DELTA, said.GROUP].see(true, group_delta(t, Fraction(near), d), witness)
        for g in product(range(len(mechanism)), repeat=RECORDS):
            steepest = abs(g[0] - g[1])
            true = finite.delta_of_neighbours([mechanism[at] for at in g], t**steepest)
            by_map = f"{witness}, g = {g}"
            tallies[said.BEFORE, said.FAR].see(true, far, by_map)
            tallies[said.BEFORE, said.USUAL].see(true, near, by_map)
            tallies[said.BEFORE, said.GROUP].see(true, group_delta(t, Fraction(near), steepest), by_map)


def _of_mechanisms(tallies: Tallies, first: Mechanism, second: Mechanism, third: Mechanism) -> None:
    names = "; ".join(", ".join(map(description, mechanism)) for mechanism in (first, second))
    records = range(len(first))
    side_by_side = {(x, y): joint(first[x], second[y]) for x, y in product(records, records)}
    for t, s in ((Fraction(1), Fraction(1)), (Fraction(3, 2), Fraction(3))):
        witness = f"{names}; e^ε = {t}, {s}"
        deltas = [Fraction(finite.delta_at_every_distance(m, u)) for m, u in ((first, t), (second, s), (third, s))]
        most, largest, grown = max(deltas[1:]), max(deltas[:2]), some(deltas[:2])
        for i, j in product(records, repeat=2):
            scale = (t * s) ** abs(i - j)
            independent = _excess(side_by_side[i, i], side_by_side[j, j], scale)
            tallies[said.SEQUENTIAL, said.INDEPENDENT].see(independent, deltas[0] + deltas[1], witness)
            chosen, beside = (adaptive(first[at], (second[at], third[at])) for at in (i, j))
            true = _excess(chosen, beside, scale)
            tallies[said.SEQUENTIAL, said.ADAPTIVE].see(true, deltas[0] + most, witness)
            tallies[said.SEQUENTIAL, said.SOME].see(true, some((deltas[0], most)), witness)
        for x, y, u, v in product(records, repeat=4):
            d = abs(x - u) + abs(y - v)
            if d == 0:
                continue
            true = _excess(side_by_side[x, y], side_by_side[u, v], max(t, s) ** d)
            if d == 1:
                tallies[said.PARALLEL, said.NEAR].see(true, largest, witness)
            tallies[said.PARALLEL, said.FAR].see(true, largest, witness)
            tallies[said.PARALLEL, said.FAR_SOME].see(true, grown, witness)
    _pure(tallies, (first, second), side_by_side, names)


def _pure(
    tallies: Tallies, both: tuple[Mechanism, Mechanism], side_by_side: Mapping[tuple[int, int], Law], names: str
) -> None:
    """Each at its own least level, the sum and the larger of the two at every distance."""
    records = range(len(both[0]))
    levels = [max(ratio(m[i], m[j]) for i, j in product(records, repeat=2) if abs(i - j) == 1) for m in both]
    if math.inf in levels:
        return
    for x, y, u, v in product(records, repeat=4):
        d = abs(x - u) + abs(y - v)
        level = ratio(side_by_side[x, y], side_by_side[u, v])
        tallies[said.PARALLEL_PURE, said.FAR].see(level, max(levels) ** d, names)
        if (x, u) == (y, v):
            tallies[said.SUM, said.FAR].see(level, (levels[0] * levels[1]) ** abs(x - u), names)


@cache
def _excess(p: Law, q: Law, t: Fraction) -> Number:
    """Few laws stand side by side in many ways."""
    return excess(p, q, t)


def _equal(tally: Tally, left: Number, right: Number, witness: str) -> None:
    """One case of left = right."""
    tally.see(max(left, right), min(left, right), witness)


def _product(a: Number, b: Number) -> Number | None:
    """ab; none where it is 0 times ∞."""
    return None if {a, b} == {Fraction(0), math.inf} else a * b


def _within(p: Law, q: Law) -> tuple[Law, Law]:
    inside = [i for i, mass in enumerate(p) if mass > 0]
    return tuple(p[i] for i in inside), tuple(q[i] for i in inside)


def _merged(law: Law, into: Sequence[int]) -> Law:
    total = [NONE, NONE]
    for mass, at in zip(law, into, strict=True):
        total[at] += mass
    return tuple(total)


def _through(law: Law, kernel: Sequence[Law]) -> Law:
    return tuple(sum((m * row[y] for m, row in zip(law, kernel, strict=True)), NONE) for y in range(len(law)))
