r"""The published test errors, digitised from the vector figure of the NIPS 2017 paper (its Figure 3, A.8 Figure 3).

data/published/glm_test_error.csv has the columns dataset, lambda, method, log_eps, test_error_mean and
test_error_sd_errorbar, to four decimals. Each point is of 50 draws on one split into training and test records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.files import read_table
from dpsampling.files.documents import published
from dpsampling.learners.logistic import names

FILE = "glm_test_error.csv"
REPEATS = 50
REGULARITY = 1e-3
_DATASETS = {"Abalone": "abalone", "Adult": "adult", "MNIST3v8": "mnist38"}
OWN_SPLIT = frozenset({"adult"})  # come with test records; which rows of the others were trained on is not told
_METHODS = {
    "TruePosterior": names.DIRECT,
    "Diffuse": names.DIFFUSED,
    "Concentrated": names.CONCENTRATED,
    "OPS": names.OPS,
}
COLUMNS = ("dataset", "order", "mechanism", "log_epsilon", "mean", "sd")


def points(params: Mapping[str, Any]) -> pd.DataFrame:
    """The points as our tables have them; none for parameters that they were not drawn with."""
    if why_not(params):
        return pd.DataFrame(columns=list(COLUMNS))
    raw = read_table(published(FILE))
    read = pd.DataFrame(
        {
            "dataset": raw["dataset"].map(_DATASETS),
            "order": raw["lambda"].astype(float),
            "mechanism": raw["method"].map(_METHODS),
            "log_epsilon": raw["log_eps"].astype(float),
            "mean": raw["test_error_mean"],
            "sd": raw["test_error_sd_errorbar"],
        }
    )
    return read[read["dataset"].isin(params["datasets"])].reset_index(drop=True)


def why_not(params: Mapping[str, Any]) -> str:
    """Why published points say nothing of these parameters; empty if they do."""
    if params["score"] != names.ERROR:
        return "no points of this figure were digitised"
    if params["regularity"] != REGULARITY:
        return f"the published figure was drawn with β = {REGULARITY:g}, this run with {params['regularity']:g}"
    if not set(params["datasets"]) & set(_DATASETS.values()):
        return "these data sets are not those of the published figure"
    return ""


def true_posterior(dataset: str) -> float | None:
    """The published error of the posterior without privacy, which every panel of a data set repeats."""
    raw = read_table(published(FILE))
    mine = raw[(raw["dataset"].map(_DATASETS) == dataset) & (raw["method"] == "TruePosterior")]
    return float(mine["test_error_mean"].median()) if len(mine) else None
