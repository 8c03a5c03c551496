"""Every mechanism of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.learners.logistic import audit_cases
from dpsampling.learners.logistic.mechanisms import (
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
        audit_cases=partial(audit_cases.audit_cases, DirectClassifier),
    ),
    Entry(
        "logistic-concentrated",
        "NIPS 2017 Algorithm 4",
        ConcentratedClassifier,
        audit_cases=partial(audit_cases.audit_cases, ConcentratedClassifier),
    ),
    Entry(
        "logistic-diffused",
        "NIPS 2017 Algorithm 5",
        DiffusedClassifier,
        audit_cases=partial(audit_cases.audit_cases, DiffusedClassifier),
    ),
    Entry("logistic-ops", "NIPS 2017 section 5.2", TruncatedClassifier, audit_cases=audit_cases.truncated),
)
