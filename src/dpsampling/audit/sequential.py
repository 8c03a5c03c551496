r"""A sequential attack that stops when it knows: do the draws come from the laws that were priced?

A mechanism keeps its promise if its laws do and its draws follow its laws. The first is priced; for the second let
y₁, y₂, … be draws, from both worlds in turn, p_t the density that the mechanism says y_t has, and a_t another one that
is fixed before y_t is seen. If the draws follow p, then

    E_T = Σ_i w_i ∏_{t ≤ T} a_{i,t}(y_t)/p_t(y_t),        Σ_i w_i = 1,

is a martingale with E_0 = 1, so that it ever reaches 1/`RISK` with a probability of at most `RISK` (Ville), at any time
and with any stopping rule. Half of the weight is on the known lies; the other half bets on the frequencies of bins seen
so far (Krichevsky and Trofimov), which finds any law that fills the bins differently, sooner or later.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import Laws, Pair
from dpsampling.privacy.laws import Finite, Independent, Law, OnLine, OnNodes, bins
from dpsampling.privacy.rounding import LEAST

RISK = 1e-6
BINS = 16
LOOKS = (500, 2_000, 8_000, 20_000)  # draws after which what was seen is judged; the process itself looks at each


class Witness:
    """What honest draws from a pair of worlds look like, and which lies are known."""

    def __init__(self, honest: Laws, lies: Sequence[Laws], pair: Pair) -> None:
        self.worlds = [(honest[name], [lie[name] for lie in lies]) for name in pair]
        self.cuts = [_cuts(law) for law, _ in self.worlds]

    def detects(self, suspects: Laws, pair: Pair, rng: np.random.Generator, *, most: int = LOOKS[-1]) -> float:
        """How many draws of the suspect it takes to know that they are others; +inf if `most` do not tell."""
        drawn: list[list[Array]] = []
        seen: list[Array] = []
        for before, look in pairwise((0, *(look for look in LOOKS if look < most), most)):
            drawn.append([suspects[name].sample(rng, (look - before) // 2) for name in pair])
            seen.append(self._by_lies(drawn[-1]))
            so_far = [np.concatenate(world) for world in zip(*drawn, strict=True)]
            reached = np.flatnonzero(self._evidence(so_far, np.concatenate(seen, axis=-1)) >= -math.log(RISK))
            if len(reached):
                return float(reached[0] + 1)
        return math.inf

    def process(self, drawn: Sequence[Array]) -> Array:
        """ln E_T after each of the draws, which are taken from the worlds in turn."""
        return self._evidence(drawn, self._by_lies(drawn))

    def _by_lies(self, drawn: Sequence[Array]) -> Array:
        """ln a(y)/p(y) of each lie, a row a lie; +inf in all of them where the honest law has no such draw."""
        rows = []
        for (law, lies), sample in zip(self.worlds, drawn, strict=True):
            said = law.log_density(sample)
            there = said > -np.inf
            logs = [np.where(there, lie.log_density(sample) - np.where(there, said, 0.0), np.inf) for lie in lies]
            rows.append(np.array([*logs, np.where(there, 0.0, np.inf)]))
        return _in_turn(rows)

    def _evidence(self, drawn: Sequence[Array], by_lies: Array) -> Array:
        rows = []
        for (law, _), cuts, sample in zip(self.worlds, self.cuts, drawn, strict=True):
            bets = [_bets(column, *cut) for column, cut in zip(_columns(law, sample), cuts, strict=True)]
            rows.append(np.array(bets).reshape(len(bets), len(sample)))
        impossible = np.cumsum(by_lies[-1]) > 0  # a draw that the honest law does not have tells everything
        kinds = [np.where(impossible, 0.0, by_lies[:-1]), _in_turn(rows)]
        parts = [np.cumsum(logs, axis=-1) - math.log(len(logs)) for logs in kinds if len(logs)]
        total = np.concatenate(parts) - math.log(len(parts))
        top = np.maximum(total.max(axis=0), -1e300)
        return np.where(impossible, np.inf, top + np.log(np.sum(np.exp(total - top), axis=0)))


def _in_turn(worlds: Sequence[Array]) -> Array:
    """Columns of both worlds, one after the other."""
    return np.stack(worlds, axis=-1).reshape(*np.shape(worlds[0])[:-1], np.shape(worlds[0])[-1] * len(worlds))


def _parts(law: Law) -> tuple[Finite | OnLine, ...]:
    """Return what can be binned."""
    if isinstance(law, Independent):
        return law.parts
    return () if isinstance(law, OnNodes) else (law,)


def _columns(law: Law, sample: Array) -> list[Array]:
    if isinstance(law, Independent):
        return list(np.moveaxis(sample, -1, 0))
    return [] if isinstance(law, OnNodes) else [sample]


def _cuts(law: Law) -> list[tuple[Array, Array]]:
    return [bins(part, BINS) for part in _parts(law)]


def _bets(column: Array, edges: Array, probability: Array) -> Array:
    """ln of (c_k + 1/2)/(t + K/2) over the bin's probability, with c and t counted before each draw."""
    index = np.searchsorted(edges, column, side="left")
    seen = np.zeros((len(column) + 1, len(probability)))
    seen[np.arange(1, len(column) + 1), index] = 1.0
    before = np.cumsum(seen, axis=0)[:-1][np.arange(len(column)), index]
    guess = (before + 0.5) / (np.arange(len(column)) + len(probability) / 2.0)
    return np.log(guess) - np.log(np.maximum(probability[index], LEAST))
