"""Every mechanism of event logs, by name."""

from __future__ import annotations

from dpsampling.mechanisms.entry import Entry
from dpsampling.warlogs import exposures
from dpsampling.warlogs.mechanisms import NoisyCounts, NonPrivate, OnePosteriorSample

SOURCE = "thesis section 4.5"
ENTRIES = (
    Entry(NonPrivate.name, "non-private", "black", SOURCE, NonPrivate),
    Entry(
        "event-log counts",
        "Laplace noise on the counts of an event log",
        "blue",
        SOURCE,
        NoisyCounts,
        exposed=exposures.noisy_counts,
    ),
    Entry(
        "event-log OPS",
        "OPS of a hidden Markov model",
        "vermilion",
        SOURCE,
        OnePosteriorSample,
        exposed=exposures.one_posterior_sample,
    ),
)
