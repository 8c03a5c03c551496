"""What is impossible about a model that cannot be computed again, as other versions would draw another chain.

Probabilities lie between 0 and 1 and sum to 1; limits are in their order; shapes are those that are declared; the
likeliest state of a cell is the one with the largest probability. A mean may lie outside its limits: where a quantity
is next to 0 in nearly all draws and large in a few, it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from dpsampling.numerics.arrays import Array
from dpsampling.release.contents import Release
from dpsampling.release.hmm_files import PARTS

ROUNDED = 1e-5  # what sums of rounded probabilities may be off
SHARES = ("emissions", "transitions", "start")
SIZES = ("dwell_months", "events_a_month", "cells_of_state")


def consistent(release: Release, results: Mapping[str, Any]) -> list[str]:
    """Each fault in a few words that name its place."""
    return list(_faults(release, results))


def _faults(release: Release, results: Mapping[str, Any]) -> Iterator[str]:
    states, declared = int(results["states"]), release.declared
    asked = release.settings["states"]
    if asked not in (states, "best"):
        yield f"results.states is {states}, where {asked} were asked for"
    sizes = [len(feature["outcomes"]) for feature in declared["features"]]
    cells = (len(declared["regions"]), len(declared["months"]))
    shapes = {"emissions": (states, sum(sizes)), "transitions": (states, states), "start": (states,)}
    for name in (*SHARES, *SIZES):
        arrays = {part: np.asarray(results[name][part], dtype=float) for part in PARTS}
        for part, array in arrays.items():
            if array.shape != shapes.get(name, (states,)):
                yield f"results.{name}.{part} has another shape than is declared"
                return
        if not (arrays["low"] <= arrays["high"]).all():
            yield f"results.{name} has limits of which the lower one is above the other"
        if min(array.min() for array in arrays.values()) < 0:
            yield f"results.{name} has something below 0"
        if name in SHARES and max(array.max() for array in arrays.values()) > 1.0 + ROUNDED:
            yield f"results.{name} has a probability above 1"
    emissions = np.asarray(results["emissions"]["mean"], dtype=float)
    for feature in np.split(emissions, np.cumsum(sizes)[:-1], axis=1):
        yield from _whole(feature, "emissions.mean")
    yield from _whole(np.asarray(results["transitions"]["mean"], dtype=float), "transitions.mean")
    yield from _whole(np.asarray(results["start"]["mean"], dtype=float), "start.mean")
    shares = np.asarray(results["probability_of_state"], dtype=float)
    likeliest = np.asarray(results["state_of_cell"])
    if shares.shape != (*cells, states) or likeliest.shape != cells:
        yield "results.probability_of_state or state_of_cell has another shape than is declared"
        return
    yield from _whole(shares, "probability_of_state")
    if not ((likeliest >= 1) & (likeliest <= states)).all():
        yield "results.state_of_cell has a state that there is not"
        return
    own = np.take_along_axis(shares, likeliest[..., None] - 1, axis=2)[..., 0]
    if (own < shares.max(axis=2) - ROUNDED).any():
        yield "results.state_of_cell has a state that is not the likeliest"


def _whole(shares: Array, name: str) -> Iterator[str]:
    if (np.abs(shares.sum(axis=-1) - 1.0) > ROUNDED).any():
        yield f"results.{name} has probabilities that do not sum to 1"
