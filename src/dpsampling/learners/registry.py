"""Every learner of this room, by name."""

from __future__ import annotations

from dpsampling.learners import descent_exposures, tuning_exposures
from dpsampling.learners.gradient_descent import GradientDescent
from dpsampling.learners.tuning import Tuned
from dpsampling.mechanisms.entry import Entry

ENTRIES: tuple[Entry, ...] = (
    Entry(
        "gradient-descent",
        "noisy gradient descent",
        "blue",
        "DP review 2019 section 5.9",
        GradientDescent,
        exposed=descent_exposures.exposed,
    ),
    Entry(
        "tuned",
        "the best of many runs",
        "purple",
        "Papernot and Steinke 2022",
        Tuned,
        exposed=tuning_exposures.exposed,
    ),
)
