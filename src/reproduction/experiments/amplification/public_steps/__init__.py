"""Public steps at the end of noisy SGD make it private for every record (thesis section 6.4.1)."""

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.checks import gradient_steps

COLUMNS = {
    "dimension": int,
    "sigma": float,
    "public_steps": int,
    "epsilon": float,
    "excess_loss": float,
    "sem": float,
    "excess_nonprivate": float,
    "sem_nonprivate": float,
}


def check(params: Mapping[str, Any]) -> None:
    """The constants must be those of a strongly convex loss, and the rate one that Lemma 7 allows."""
    gradient_steps(params)
