"""Which cells are held out: a share of all (region, month) pairs, uniformly at random, anew for each split."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.randomness import substream
from dpsampling.warlogs.counts import EventCounts

COLUMNS = ("split", "region", "month")


def draw(counts: EventCounts, number: int, share: float, rng: np.random.Generator) -> NDArray[np.bool_]:
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


def frame(counts: EventCounts, trained: NDArray[np.bool_]) -> pd.DataFrame:
    """The held-out cells as a table."""
    places = np.argwhere(~trained)
    return pd.DataFrame(
        {
            "split": places[:, 0],
            "region": [counts.regions[r] for r in places[:, 1]],
            "month": [counts.months[t] for t in places[:, 2]],
        },
        columns=list(COLUMNS),
    )


def masks(counts: EventCounts, table: pd.DataFrame) -> NDArray[np.bool_]:
    """The inverse of `frame`, or an InputError."""
    if list(table.columns) != list(COLUMNS) or table.empty:
        raise InputError(
            f"a table of splits has the columns {', '.join(COLUMNS)}; make it with 'dpsampling warlogs split'."
        )
    ids = table["split"]
    if ids.dtype.kind not in "iu" or sorted(set(ids)) != list(range(ids.nunique())):
        raise InputError("the splits are not numbered 0, 1, … without gaps; make them with 'dpsampling warlogs split'.")
    strangers = set(table["region"]) - set(counts.regions) | set(table["month"]) - set(counts.months)
    if strangers:
        raise InputError(
            f"the splits name '{min(strangers, key=str)}', which log {counts.log} does not have; make them again."
        )
    regions = {name: i for i, name in enumerate(counts.regions)}
    months = {name: i for i, name in enumerate(counts.months)}
    trained = np.ones((int(table["split"].max()) + 1, len(regions), len(months)), dtype=bool)
    trained[table["split"], table["region"].map(regions), table["month"].map(months)] = False
    if not all(counts.entries[~mask].any() and mask.any() for mask in trained):
        raise InputError("a split holds out no entry, or every cell; make the splits with 'dpsampling warlogs split'.")
    return trained
