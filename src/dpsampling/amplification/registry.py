"""Every mechanism of this room, by name."""

from __future__ import annotations

from dpsampling.amplification import audit_cases
from dpsampling.amplification.noisy_sgd import NoisySGD
from dpsampling.mechanisms.entry import Entry

ENTRIES = (Entry("noisy-sgd", "thesis Theorem 22", NoisySGD, audit_cases=audit_cases.noisy_sgd),)
