"""Every mechanism of event logs, by name."""

from __future__ import annotations

from dpsampling.event_logs import audit_cases
from dpsampling.event_logs.mechanisms import NoisyCounts, NonPrivate, OnePosteriorSample
from dpsampling.mechanisms.entry import Entry

SOURCE = "thesis section 4.5"
ENTRIES = (
    Entry(NonPrivate.name, SOURCE, NonPrivate),
    Entry("event-log counts", SOURCE, NoisyCounts, audit_cases=audit_cases.noisy_counts),
    Entry("event-log OPS", SOURCE, OnePosteriorSample, audit_cases=audit_cases.one_posterior_sample),
)
