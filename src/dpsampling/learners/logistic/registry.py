"""Every mechanism of this room, by name."""

from __future__ import annotations

from functools import partial

from dpsampling.learners.logistic import audit_cases as cases
from dpsampling.learners.logistic import mechanisms as logistic
from dpsampling.mechanisms.entry import entries

DIRECT, CONCENTRATED = logistic.DirectClassifier, logistic.ConcentratedClassifier
DIFFUSED, TRUNCATED = logistic.DiffusedClassifier, logistic.TruncatedClassifier

ENTRIES = entries(
    ("logistic-direct", "NIPS 2017 Theorem 16", DIRECT, partial(cases.audit_cases, DIRECT)),
    ("logistic-concentrated", "NIPS 2017 Algorithm 4", CONCENTRATED, partial(cases.audit_cases, CONCENTRATED)),
    ("logistic-diffused", "NIPS 2017 Algorithm 5", DIFFUSED, partial(cases.audit_cases, DIFFUSED)),
    ("logistic-ops", "NIPS 2017 section 5.2", TRUNCATED, cases.truncated),
)
