"""Three claims about k-fold composition against the least that any could promise, and what holds at every distance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "claim": str,  # one of those below
    "count": int,
    "distance": int,
    "epsilon": float,  # of each release, at distance 1
    "delta": float,
    "slack": float,  # δ' of the claim
    "sigma": float | None,
    "delta_stated": float,
    "epsilon_claimed": float,
    "epsilon_exact": float,  # the least at delta_stated
    "delta_true": float,  # the least at epsilon_claimed
}

BASIC, ROOT, ADVANCED = "basic", "root", "advanced"
FIRST_FAILURE, BEFORE_FAILURE = "root, first failure", "root, one release before"
GAUSSIAN = "advanced, of Gaussian noise"
FAR = {name: f"{name}, geometric noise" for name in (BASIC, ROOT, ADVANCED)}
AT_DISTANCE = "Gaussian noise at a distance"
HISTOGRAM = "Gaussian histogram"

FAR_COUNT, FAR_SLACK = 10, 0.1  # releases with geometric noise
HISTOGRAM_DELTAS = (0.1, 0.36787944117144233)  # a tenth and 1/e
LARGEST_COUNT = 200_000


def check(params: Mapping[str, Any]) -> None:
    """Levels whose exponentials are floats, and distances that are convolved within a second."""
    if max(params["counts"]) > LARGEST_COUNT:
        raise InputError(
            f"counts has {max(params['counts'])}; every number up to it is tried: ask for {LARGEST_COUNT}."
        )
    if max(params["epsilons"]) > 10:
        raise InputError(f"epsilons has {max(params['epsilons']):g}; composition is looked at up to 10.")
    if max(params["distances"]) * params["epsilon"] * FAR_COUNT > 600:
        raise InputError(
            f"distances has {max(params['distances'])}; at ε = {params['epsilon']:g} e^{{dkε}} is a float for k = "
            f"{FAR_COUNT} releases up to d = {600 / params['epsilon'] / FAR_COUNT:g} only."
        )
    if max(params["deltas"]) > 1.0 - 1e-9:
        raise InputError(f"deltas has {max(params['deltas'])}; a δ must be below 1 for composition to say anything.")
