"""k means, private: the loss of centres over that of Lloyd's, by mechanism, blocks and ε."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "view": str,  # one of those below
    "dataset": str,
    "mechanism": str,
    "blocks": int | None,
    "epsilon": float | None,  # none without privacy
    "loss_ratio": float | None,  # mean over repeats, of the loss over Lloyd's best
    "sd": float | None,
    "standard_error": float | None,
    "repeats": int,
    "records": int,
    "clusters": int,
    "dimension": int,
    "delta": float | None,  # that is said
    "delta_true": float | None,  # that the noise has
    "largest_move": float | None,  # |f − f′| over the lesser S, of neighbours
    "largest_ratio": float | None,  # ln(S/S′)/β, of neighbours
}

ERROR, ORDER, SMOOTHNESS = "error", "order", "smoothness"
PLANTED = "planted"
LLOYD = "lloyd, public starts"
BLOCKS = MEAN, SMOOTH = "blocks, mean", "blocks, smooth median"
MODERN = PURE, GAUSSIAN = "noisy lloyd, pure", "noisy lloyd, gaussian"
GENERIC, COORDINATE = "generic direction", "first coordinate"

MOST_RECORDS = 10**8


def check(params: Mapping[str, Any]) -> None:
    """Blocks of which a median is in the middle, with records in them; no array too large."""
    even = [count for count in params["block_counts"] if count % 2 == 0]
    if even:
        raise InputError(f"block_counts has {even[0]}; the median is of an odd number of blocks.")
    if max(params["block_counts"]) > params["n"]:
        raise InputError(f"block_counts has {max(params['block_counts'])} for n = {params['n']} records; lower it.")
    if params["repeats"] < 2:
        raise InputError(f"repeats is {params['repeats']}; a standard error needs 2 or more.")
    if params["n"] * params["repeats"] > MOST_RECORDS:
        raise InputError(f"repeats is {params['repeats']} and n is {params['n']}; lower either.")
    if PLANTED in params["datasets"]:
        raise InputError(f"datasets has {PLANTED}, which is made here in any case; leave it out.")
