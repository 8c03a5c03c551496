"""Efficiency and consistency of private draws: Lemma 1, Theorems 4 and 5, Remark 1 of the thesis, measured."""

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from reproduction.experiments.checks import noisy_beta_prior

COLUMNS = {"quantity": str, "mechanism": str, "n": int, "value": float, "sem": float, "exact": float | None}

CATEGORICAL = "-categorical"  # ends the names of mechanisms on Dirichlet-Categorical data
DRAWS_A_DATA_SET = 50  # of OPS on categorical data, whose draws share their set-up


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior has two parameters, and truncation must leave room for every outcome."""
    noisy_beta_prior(params)
    outcomes, truncation = len(params["probabilities"]), params["truncation"]
    if truncation * outcomes >= 1:
        raise InputError(f"truncation is {truncation}; {outcomes} outcomes need it below 1/{outcomes}.")
