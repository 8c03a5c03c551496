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
        "posterior of logistic regression",
        "black",
        "NIPS 2017 Theorem 16",
        DirectClassifier,
        exposed=partial(exposures.exposed, DirectClassifier),
    ),
    Entry(
        "logistic-concentrated",
        "Algorithm 4 (concentrated)",
        "vermilion",
        "NIPS 2017 Algorithm 4",
        ConcentratedClassifier,
        exposed=partial(exposures.exposed, ConcentratedClassifier),
    ),
    Entry(
        "logistic-diffused",
        "Algorithm 5 (diffused)",
        "blue",
        "NIPS 2017 Algorithm 5",
        DiffusedClassifier,
        exposed=partial(exposures.exposed, DiffusedClassifier),
    ),
    Entry(
        "logistic-ops",
        "OPS of logistic regression",
        "orange",
        "NIPS 2017 section 5.2",
        TruncatedClassifier,
        exposed=exposures.truncated,
    ),
)
