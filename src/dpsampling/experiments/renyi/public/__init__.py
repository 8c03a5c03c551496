"""What public records in the prior are worth (thesis sections 5.3.1 and 5.6)."""

from __future__ import annotations

from dpsampling.experiments.checks import beta_prior

COLUMNS = {
    "records": int,  # k public ones
    "population": float,
    "epsilon": float,
    "mechanism": str,
    "excess": float,  # expected log-loss on a new record, above that of the population's own probability
    "better": float,  # probability, over the public records, of a smaller one than without them
    "ready": float,  # probability that sampling directly has the level already
    "alike": float,  # the level of sampling directly if the public records are all alike
    "untold": int,  # public samples whose calibrated scale is 1 while the direct level is above ε, or the reverse
    "samples": int,
}

DIFFUSED, CONCENTRATED, ALONE = "diffused", "concentrated", "public records alone"

check = beta_prior
