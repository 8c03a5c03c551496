"""Every mechanism of event logs, by name."""

from __future__ import annotations

from dpsampling.mechanisms.entry import Entry
from dpsampling.warlogs import exposures
from dpsampling.warlogs.mechanisms import NoisyCounts, NonPrivate, OnePosteriorSample

SOURCE = "thesis section 4.5"
ENTRIES = (
    Entry(NonPrivate.name, SOURCE, NonPrivate),
    Entry("event-log counts", SOURCE, NoisyCounts, exposed=exposures.noisy_counts),
    Entry("event-log OPS", SOURCE, OnePosteriorSample, exposed=exposures.one_posterior_sample),
)
