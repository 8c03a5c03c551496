"""Samplers that are not exact, and what protects their outputs: thesis section 4.4, supplement appendix C.2."""

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError
from reproduction.experiments.columns import OUTCOMES

# At δ, steps, ε of a path or of a release; the source's promise, and the least that holds, or a closed form.
COLUMNS = OUTCOMES

NEAR = "δ of a sampler near a private one"
LANGEVIN = "distance of stochastic gradient Langevin dynamics"
UPDATE = "sensitivity of an update over that of the joint"
WEIGHTS = "L1 sensitivity of normalized weights"
RESAMPLED, RESAMPLING_ERROR = "level of resampling by the exponential mechanism", "its distance from the weights"
DECREASING, CONSTANT = "steps fall", "steps stay"
DECAY, DELAY, BATCH = 0.75, 10.0, 10  # h_t ∝ (1 + t/10)^−.75: Σh = ∞, Σh² < ∞; records of a batch


def check(params: Mapping[str, Any]) -> None:
    """No step is so long that the chain runs away."""
    if params["rate"] >= 2.0:
        raise InputError(f"rate is {params['rate']:g}; steps of 2 over the posterior's precision or more run away.")
