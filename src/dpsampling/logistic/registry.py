"""Every mechanism of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.logistic import exposures
from dpsampling.logistic.mechanisms import (
    ConcentratedClassifier,
    DiffusedClassifier,
    DirectClassifier,
    TruncatedClassifier,
)
from dpsampling.mechanisms.entry import Entry

ENTRIES = (
    Entry(
        "logistic-direct",
        "NIPS 2017 Theorem 16",
        DirectClassifier,
        exposed=partial(exposures.exposed, DirectClassifier),
    ),
    Entry(
        "logistic-concentrated",
        "NIPS 2017 Algorithm 4",
        ConcentratedClassifier,
        exposed=partial(exposures.exposed, ConcentratedClassifier),
    ),
    Entry(
        "logistic-diffused",
        "NIPS 2017 Algorithm 5",
        DiffusedClassifier,
        exposed=partial(exposures.exposed, DiffusedClassifier),
    ),
    Entry("logistic-ops", "NIPS 2017 section 5.2", TruncatedClassifier, exposed=exposures.truncated),
)
