"""Which block a record is in, by a rule that sees no record (DP review 2019 section 3.6).

    by place    record i is in block i mod k     a replaced record changes one block, a removed one all after it
    by coins    each record by its own coin      a replaced, added or removed record changes one block

With coins the privacy is that of any fixed outcome of them, since neighbours share the coins of common records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.numerics.exact import bits

Labels = NDArray[np.intp]


def by_place(n: int, blocks: int) -> Labels:
    """i mod k."""
    return np.arange(n) % check_blocks(blocks)


def by_coins(n: int, blocks: int) -> Labels:
    """Uniform and independent, from the operating system's bits."""
    check_blocks(blocks)
    return np.array([bits.below(blocks) for _ in range(n)], dtype=np.intp)


def check_blocks(blocks: int) -> int:
    """1 or more."""
    if blocks < 1:
        raise InputError(f"blocks is {blocks}; there must be 1 or more.")
    return blocks
