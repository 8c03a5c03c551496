"""Every mechanism of this room, by name."""

from __future__ import annotations

from dpsampling.amplification import exposures
from dpsampling.amplification.noisy_sgd import NoisySGD
from dpsampling.mechanisms.entry import Entry

ENTRIES = (Entry("noisy-sgd", "thesis Theorem 22", NoisySGD, exposed=exposures.noisy_sgd),)
