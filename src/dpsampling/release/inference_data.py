"""Draws of a posterior as ArviZ's InferenceData, with names for all their axes.

ArviZ is asked for when it is needed, and not before.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError

CHAIN, DRAW = "chain", "draw"


@dataclass(frozen=True)
class Named:
    """An array, and the names of its axes after `chain` and `draw`, if it has these."""

    values: ArrayLike
    axes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Groups:
    """What an InferenceData holds: draws by chain, what was observed of it, what was fixed, and labels of axes."""

    posterior: Mapping[str, Named]
    observed: Mapping[str, Named]
    constant: Mapping[str, Named]
    labels: Mapping[str, Sequence[Any]]
    attributes: Mapping[str, Any] = field(default_factory=dict)


def made_of(groups: Groups) -> Any:
    """The InferenceData, or one sentence where ArviZ is not installed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # that its next version will be another one
            import arviz
    except ImportError as error:
        raise InputError("ArviZ is not installed; pip install 'dpsampling[release]'.") from error
    parts = {"posterior": groups.posterior, "observed_data": groups.observed, "constant_data": groups.constant}
    said: dict[str, Any] = {
        part: {name: np.asarray(told.values) for name, told in named.items()} for part, named in parts.items() if named
    }
    axes = {name: list(told.axes) for named in parts.values() for name, told in named.items()}
    labels = {name: list(told) for name, told in groups.labels.items()}
    data = arviz.from_dict(**said, coords=labels, dims=axes, save_warmup=False)
    attributes = {name: told for name, told in groups.attributes.items() if told is not None}
    data.attrs.update(attributes)
    data.posterior.attrs.update(attributes)
    return data
