"""What public records in the prior are worth (thesis sections 5.3.1 and 5.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.checks import at_most_records, beta_prior

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

LARGEST_PUBLIC, LARGEST_DATA = 300, 10_000  # records; a scale is calibrated for every public sample


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior, and few enough records to sum over all samples."""
    beta_prior(params)
    at_most_records("sizes", params["sizes"], LARGEST_PUBLIC)
    at_most_records("n", [params["n"]], LARGEST_DATA)
