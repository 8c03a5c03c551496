"""Noisy gradient descent: what every accountant says of it, and the errors of what it learns (review, section 5.9)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from dpsampling.errors import InputError

COLUMNS = {
    "view": str,  # one of those below
    "dataset": str,  # or the name of a setting whose numbers are published
    "records": int,
    "sigma": float,  # over the clipping length; 0 without noise
    "batch": int,  # expected rows in it
    "epochs": float,
    "steps": int,
    "delta": float,
    "accountant": str,
    "relation": str,
    "epsilon": float | None,  # None without noise
    "method": str | None,
    "error": float | None,  # of the test rows, mean over repeats
    "standard_error": float | None,
    "repeats": int,
}

ACCOUNTED, TRAINED = "accounted", "trained"

LOSSES, LOWER, UPPER = "privacy losses", "bracket, lower", "bracket, upper"
RENYI, MOMENTS, LIMIT = "Rényi", "moments", "Gaussian limit"
PUBLIC = "batches not amplified"
EACH = "privacy losses, noise on each gradient"
DENSITIES = "densities"
NONE = "none"

SUM, EACH_GRADIENT, PLAIN = "noise on the sum", "noise on each gradient", "no noise"

ADDED, REPLACED = "add or remove one record", "replace one record"


class Setting(NamedTuple):
    """Rows, expected rows in a batch, σ, and epochs."""

    records: int
    batch: int
    sigma: float
    epochs: int

    @property
    def steps(self) -> int:
        """T, whole."""
        return self.epochs * self.records // self.batch


IMAGES, PAPER, ONE_STEP = "60 000 images", "Abadi et al.", "one step"
SETTINGS = {IMAGES: Setting(60_000, 256, 1.1, 60), PAPER: Setting(60_000, 600, 4.0, 100)}


def check(params: Mapping[str, Any]) -> None:
    """A bracket needs some δ."""
    if params["delta"] < 1e-8:
        raise InputError(f"delta is {params['delta']:g}; the bracket of this experiment needs 1e-8 or more.")
