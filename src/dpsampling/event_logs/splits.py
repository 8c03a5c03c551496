"""Which cells are held out: a share of all (region, month) pairs, uniformly at random, anew for each split."""

from __future__ import annotations

import numpy as np

from dpsampling.errors import InputError
from dpsampling.event_logs.counts import EventCounts
from dpsampling.numerics.arrays import Booleans
from dpsampling.numerics.randomness import substream


def draw(counts: EventCounts, number: int, share: float, rng: np.random.Generator) -> Booleans:
    """(splits, regions, months), true where a cell is trained on; every split holds out as many cells."""
    cells = len(counts.regions) * len(counts.months)
    held = max(round(share * cells), 1)
    if held >= cells:
        raise InputError(f"share is {share:g}; of the {cells} cells of log {counts.log} at least one must be left.")
    trained = np.ones((number, cells), dtype=bool)
    for split in range(number):
        order = substream(rng, counts.log, "split", split).permutation(cells)
        trained[split, order[:held]] = False
        if not counts.entries.ravel()[order[:held]].any():
            raise InputError(
                f"split {split} of log {counts.log} holds out no entry; raise the share or drop empty cells."
            )
    return trained.reshape(number, len(counts.regions), len(counts.months))
