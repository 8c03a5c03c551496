"""What is public about a log whatever is counted of it: its names, its cells, and the outcomes of its features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from dpsampling.event_logs import archive
from dpsampling.event_logs.schema import LogSchema
from dpsampling.numerics.arrays import Integers


@dataclass(frozen=True)
class Described:
    """What features, exact counts and noisy counts of a log have in common."""

    log: str
    title: str
    origin: str  # "file", "published" or "simulated"
    regions: tuple[str, ...]
    months: tuple[str, ...]
    features: tuple[str, ...]
    outcomes: tuple[tuple[str, ...], ...]

    @property
    def public(self) -> dict[str, Any]:
        """Return these by name, as an archive keeps them."""
        return {field.name: getattr(self, field.name) for field in fields(Described)}

    @property
    def sizes(self) -> tuple[int, ...]:
        """K_d, the number of outcomes of each feature."""
        return tuple(len(outcomes) for outcomes in self.outcomes)

    @property
    def offsets(self) -> Integers:
        """Where each feature's outcomes begin among all J, and J at the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)


def of_schema(schema: LogSchema, origin: str) -> dict[str, Any]:
    """Return what a schema says, by name."""
    features, outcomes = zip(*((feature.name, feature.outcomes) for feature in schema.features), strict=True)
    regions, months = schema.regions, schema.months
    return vars(Described(schema.name, schema.title, origin, regions, months, features, outcomes))


def of_archive(about: Mapping[str, Any]) -> dict[str, Any]:
    """Return what an archive says, by name; a ValueError says that it is none."""
    return {
        **{name: archive.word(about[name]) for name in ("log", "title", "origin")},
        **{name: archive.words(about[name]) for name in ("regions", "months", "features")},
        "outcomes": tuple(map(archive.words, about["outcomes"])),
    }
