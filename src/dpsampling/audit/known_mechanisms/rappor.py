r"""RAPPOR: a Bloom filter whose bits are flipped (Erlingsson, Pihur and Korolova 2014).

Each of h hash functions sets one of the bits. A bit is reported as 1 with probability `one_of_set` if it is set, with
`one_of_clear` if not, independently: after the permanent response alone, with p* = f/2 and q* = 1 − f/2; after the
instantaneous one too, with p* = f(p + q)/2 + (1 − f)p and q* = f(p + q)/2 + (1 − f)q. Of a bit that is set for x only

    max over reports of ln ratio  =  ln max{q*/p*, (1 − q*)/(1 − p*)},

and of one that is set for x′ only the inverse ratios. The largest sum, over filters with up to h bits set, is that of
disjoint ones, h of either kind. The published inputs are hashed with MurmurHash3 (Appleby's 32-bit variant), one seed a
hash function.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations, product

from dpsampling.audit.known_mechanisms.price import Price

_MASK = 0xFFFFFFFF


@dataclass(frozen=True)
class BitReports:
    """How many hash functions there are, how many bits, and how often a bit is reported as 1."""

    hashes: int
    bits: int
    one_of_set: float
    one_of_clear: float

    def price(self, values: Sequence[int]) -> Price:
        """Over all filters, and over pairs of the given values."""
        sizes = [(a, b) for a, b in product(range(self.hashes + 1), repeat=2) if a + b <= self.bits]
        most = max(self.loss(*pair) for pair in sizes)
        filters = {value: bloom_bits(value, self.hashes, self.bits) for value in values}
        pairs = [(filters[x], filters[y]) for x, y in permutations(values, 2)]
        seen = max(self.loss(len(x - y), len(y - x)) for x, y in pairs)
        return Price(most, most, "filters without a bit in common, reported as one of them", seen)

    def loss(self, only_first: int, only_second: int) -> float:
        """The largest ln ratio where so many bits are set for one value only."""
        ones = math.log(self.one_of_set / self.one_of_clear)
        zeros = math.log((1.0 - self.one_of_set) / (1.0 - self.one_of_clear))
        return only_first * max(ones, zeros) + only_second * max(-ones, -zeros)


def permanent(hashes: int, bits: int, f: float) -> BitReports:
    """The permanent randomized response, reported once."""
    return BitReports(hashes, bits, 1.0 - f / 2.0, f / 2.0)


def instantaneous(hashes: int, bits: int, f: float, p: float, q: float) -> BitReports:
    """Both responses, one report."""
    return BitReports(hashes, bits, f * (p + q) / 2.0 + (1.0 - f) * q, f * (p + q) / 2.0 + (1.0 - f) * p)


def bloom_bits(value: int, hashes: int, bits: int) -> frozenset[int]:
    """The bits that a value sets: its decimal digits are hashed."""
    return frozenset(_signed(murmur(str(value).encode(), seed)) % bits for seed in range(hashes))


def murmur(key: bytes, seed: int) -> int:
    """MurmurHash3, 32 bits: each word is multiplied, rotated and mixed in, and the sum is mixed at the end."""
    state = seed
    for start in range(0, len(key), 4):
        word = int.from_bytes(key[start : start + 4], "little")
        word = _rotated(word * 0xCC9E2D51 & _MASK, 15) * 0x1B873593 & _MASK
        state ^= word
        if start + 4 <= len(key):
            state = (_rotated(state, 13) * 5 + 0xE6546B64) & _MASK
    state ^= len(key)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        state = (state ^ state >> shift) * factor & _MASK
    return state


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & _MASK


def _signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word
