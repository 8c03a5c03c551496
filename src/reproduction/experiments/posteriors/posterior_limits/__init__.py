"""What posteriors tend to, beside what one draw from them tends to: thesis section 4.3.3, exactly."""

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from reproduction.experiments.checks import noisy_beta_prior

COLUMNS = {
    "statement": str,  # one of those below
    "case": str,
    "n": int,  # records
    "at": float,  # temperature, success probability or bound of the data, whichever the case is about
    "exact": float,
    "printed": float | None,  # what the source says that it is or tends to
    "right": float | None,  # what should stand there
}

SPREAD, DRAW = "N · variance of the posterior · I", "N · squared error of a draw · I"
DISTANCE_PRINTED, DISTANCE_RIGHT = (
    "distance from the normal law as printed",
    "distance from the normal law as corrected",
)
RATIO, RATIO_OF_DRAWS = "ratio of the posteriors' variances", "ratio of the draws' squared errors"
DIVERGENCE = "E KL of the Laplace mechanism"
BOUNDED, BOUNDED_SENSITIVITY = "E KL of a Gaussian mean", "sensitivity of a Gaussian mean"
USEFUL = "squared error of the private mean over the true one's"
POSTERIOR, TEMPERED, LAPLACE = "posterior", "tempered posterior", "Laplace mechanism"
EDGE = 1e-12  # stands for p = 0: at the N of a table no record is ever 1


def check(params: Mapping[str, Any]) -> None:
    """A Beta prior, and a truncation that leaves the true p inside."""
    noisy_beta_prior(params)
    if not params["truncation"] < params["p"] < 1.0 - params["truncation"]:
        raise InputError(
            f"p is {params['p']}; with truncation {params['truncation']} it must lie between that and 1 less that."
        )
