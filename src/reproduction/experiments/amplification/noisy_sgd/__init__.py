"""Noisy projected SGD: what Theorem 22 promises each record, and the loss of what is released."""

from collections.abc import Mapping
from typing import Any

from reproduction.experiments.checks import gradient_steps

COLUMNS = {
    "n": int,
    "lipschitz": float,
    "smoothness": float,
    "convexity": float,
    "rate": float,
    "sigma": float,
    "index": int,
    "curve": str,
    "epsilon": float,
    "excess_loss": float,
    "sem": float,
    "excess_nonprivate": float,
    "sem_nonprivate": float,
    "exact": float,
    "operator_norm": float,
    "largest_ratio": float,
}

PAIRS = 20_000  # of points, whose distances before and after a step give the largest ratio


def check(params: Mapping[str, Any]) -> None:
    """The constants must be those of a strongly convex loss, and the rate one that Lemma 7 allows."""
    gradient_steps(params)
