"""What a log releases, exact to the last bit: noisy counts and the models that are made of them, or one sample of OPS.

The counts' noise is the only secret. It comes from the operating system's bits, the chain's numbers from others of
them, and neither from a seed: whoever knew it could take the noise off. Everything after the noisy counts is
post-processing, by ordinary floating point, and costs nothing: they may be published, and other models be made of them.

A model of one state needs corpus-wide counts alone and gets noise on these. From noisy cells it can be had for nothing,
with the noise of all cells in its sums; from noisy sums no other model can be had.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from dpsampling.errors import InputError
from dpsampling.event_logs import archive, chains, described
from dpsampling.event_logs.chains import Fit, Model
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.described import Described
from dpsampling.event_logs.mechanisms import NoisyCounts, OnePosteriorSample
from dpsampling.event_logs.schema import Unit
from dpsampling.numerics.arrays import Integers
from dpsampling.numerics.exact.data_dependent import data_dependent

KIND = "model"  # the command that writes noisy counts
POST_PROCESSED = "the noisy counts are exact draws, and the model is post-processing of them"
EXACT_CHAIN = "states and emissions are the end of one chain of exact draws"


@dataclass(frozen=True)
class NoisyLog(Described):
    """The noisy counts of a log, which may be published, and all that is public about it."""

    unit: Unit
    epsilon: float
    counts: Integers  # (regions·months, J), or (1, J) for the whole corpus

    def __post_init__(self) -> None:
        rows = {1, len(self.regions) * len(self.months)}
        shape = self.counts.shape
        if not (0 < self.epsilon < math.inf and len(self.features) == len(self.outcomes) > 0 and all(self.sizes)):
            raise InputError(f"noisy counts of {self.log} have no level, or no features with outcomes.")
        if self.counts.dtype != np.int64 or len(shape) != 2 or shape[0] not in rows or shape[1] != sum(self.sizes):
            raise InputError(f"noisy counts of {self.log} are not whole numbers for each cell or for all.")


def noisy(log: EventCounts, model: Model, mechanism: NoisyCounts) -> NoisyLog:
    """Return what a model needs of all cells, with exact noise: this is what ε is spent on.

    Args:
        log: the exact counts.
        model: the model that is to be made of them; one of a single state needs corpus-wide counts alone.
        mechanism: the noise, at its ε and for its unit.
    """
    everything = np.ones(log.entries.shape, dtype=bool)
    counts = mechanism.release(chains.needed(log.counts, everything, model), len(log.sizes))
    return NoisyLog(**log.public, unit=mechanism.unit, epsilon=mechanism.epsilon, counts=counts)


@data_dependent("post-processing of released counts")
def modelled(log: NoisyLog, model: Model, variant: str) -> Fit:
    """A model of noisy counts: post-processing, with random numbers of its own."""
    mechanism = NoisyCounts(log.epsilon, variant, log.unit)
    chains.check(model, mechanism, len(log.sizes))
    seen = log.counts
    if model.states == 1:
        seen = seen.sum(axis=0, keepdims=True)
    elif len(seen) != len(log.regions) * len(log.months):
        raise InputError(
            f"the noisy counts of {log.log} are of the whole corpus, enough for one state; release those of the cells, "
            "which costs ε again."
        )
    everything = np.ones((len(log.regions), len(log.months)), dtype=bool)
    return chains.chain(seen.astype(float), log.sizes, everything, model, mechanism, np.random.default_rng())


def posterior_sample(log: EventCounts, model: Model, mechanism: OnePosteriorSample) -> Fit:
    """OPS of all cells: the last sample of a chain of exact draws, and of the chain nothing else."""
    from dpsampling.event_logs import exact_ops  # FLINT, which no experiment needs

    sample = exact_ops.release(
        log, mechanism, model.states, iterations=model.iterations, alpha=model.alpha, beta=model.beta
    )
    nothing = np.empty((1, 0))
    return Fit(sample.states[np.newaxis].astype(np.int8), sample.probabilities.floats, nothing[0], nothing, nothing)


def put(path: Path, log: NoisyLog) -> None:
    """Into a path that is staged already."""
    about = {**log.public, "epsilon": log.epsilon, "unit": asdict(log.unit)}
    archive.put(path, KIND, about, {"counts": log.counts})


def load(path: Path) -> NoisyLog:
    """Read what `put` wrote, or an InputError."""
    about, arrays = archive.get(Path(path), KIND)
    try:
        return NoisyLog(
            **described.of_archive(about),
            unit=Unit(about["unit"]["name"], about["unit"]["most"]),
            epsilon=float(about["epsilon"]),
            counts=arrays["counts"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(
            f"{path} does not hold noisy counts; make it again with 'dpsampling warlogs model'."
        ) from error
