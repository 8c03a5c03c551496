"""Held-out scores of every model and mechanism: fitted ε by ε, evaluated, gathered.

The score, in nats per held-out entry, of S kept samples and H held-out cells with N_H entries is

    predictive   (1/N_H) Σ_h ln (1/S) Σ_s Σ_k Pr(z_h = k | z^s of all other cells) Pr(X_h | k, θ^s)
    literal      (1/N_H) Σ_h ln (1/S) Σ_s Pr(X_h | z_h^s, θ^s)

over all burned-in samples (non-private, Laplace), or over the last one alone (OPS, which releases no other).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.event_logs.chains import Fit, Model, fit
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.mechanisms import Mechanism, NoisyCounts, NonPrivate, OnePosteriorSample
from dpsampling.event_logs.names import CLIP, HIDDEN_MARKOV, LITERAL, NAIVE_BAYES, PREDICTIVE, SUM_THEN_CLIP
from dpsampling.numerics.arrays import Array, Booleans
from dpsampling.numerics.randomness import substream

SCORE_COLUMNS = ("log", "model", "mechanism", "variant", "epsilon", "split", "definition", "entries", "score")
COLUMNS = (
    "log", "model", "mechanism", "variant", "epsilon", "definition", "mean", "sem", "paired_mean", "paired_sem",
)  # fmt: skip


@dataclass(frozen=True)
class Held:
    """What evaluation needs of one chain."""

    log: str
    model: str
    mechanism: str
    variant: str
    epsilon: float
    split: int
    entries: int  # N_H
    mixture: Array  # (S, H)
    own: Array


def model_of(params: Mapping[str, Any], states: int) -> Model:
    """The model that the parameters describe."""
    return Model(states, params["alpha"], params["beta"], params["iterations"], params["burn_in"])


def mechanisms(epsilon: float, multipliers: Iterable[float], states: int) -> list[Mechanism]:
    """Those compared at one ε; a model of one state sums nothing, so that it has one way to clip."""
    if math.isinf(epsilon):
        return [NonPrivate()]
    variants = (CLIP,) if states == 1 else (CLIP, SUM_THEN_CLIP)
    noisy: list[Mechanism] = [NoisyCounts(epsilon, variant) for variant in variants]
    return [*noisy, *(OnePosteriorSample(epsilon, m) for m in multipliers)]


def points(
    params: Mapping[str, Any], logs: Mapping[str, EventCounts]
) -> Iterator[tuple[EventCounts, Booleans, float, Mechanism]]:
    """Every log with all of its cells, every ε from no privacy on, and every mechanism that is compared there."""
    for log in params["logs"]:
        everything = np.ones(logs[log].entries.shape, dtype=bool)
        for epsilon in (math.inf, *params["epsilons"]):
            for mechanism in mechanisms(epsilon, params["multipliers"], params["states"]):
                yield logs[log], everything, float(epsilon), mechanism


def run(
    counts: EventCounts,
    trained: Booleans,
    model: Model,
    mechanism: Mechanism,
    rng: np.random.Generator,
    replicate: int | str,
) -> Fit:
    """One chain with streams of its own name; variants of the Laplace mechanism share their noise.

    It shows what the mechanism does for the units of the log, and protects none of them: the streams are known.
    """
    mechanism = replace(mechanism, unit=counts.unit)
    name = (counts.log, model.states, mechanism.name, float(mechanism.epsilon), replicate)  # 1 and 1.0 are one ε
    noise = substream(rng, "noise", *name)
    return fit(counts, trained, model, mechanism, noise=noise, rng=substream(rng, "chain", mechanism.variant, *name))


def fits(
    counts: EventCounts, trained: Booleans, epsilon: float, params: Mapping[str, Any], rng: np.random.Generator
) -> Iterator[Held]:
    """All chains at one ε: both models, every mechanism, every split."""
    for states, name in ((1, NAIVE_BAYES), (params["states"], HIDDEN_MARKOV)):
        model = model_of(params, states)
        for mechanism in mechanisms(epsilon, params["multipliers"], states):
            for split, mask in enumerate(trained):
                found = run(counts, mask, model, mechanism, rng, split)
                last = isinstance(mechanism, OnePosteriorSample)
                released = slice(-1, None) if last else slice(None)  # OPS releases its last sample and no other
                yield Held(
                    counts.log, name, mechanism.name, mechanism.variant, epsilon, split,
                    int(counts.entries[~mask].sum()), found.mixture[released], found.own[released],
                )  # fmt: skip


def evaluate(held: Iterable[Held]) -> pd.DataFrame:
    """Both scores of every chain."""
    rows = []
    for h in held:
        for definition, logs in ((PREDICTIVE, h.mixture), (LITERAL, h.own)):
            score = float(log_mean(logs).sum()) / h.entries
            rows.append((h.log, h.model, h.mechanism, h.variant, h.epsilon, h.split, definition, h.entries, score))
    return pd.DataFrame(rows, columns=list(SCORE_COLUMNS))


def gather(scores: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Means over splits with their standard errors, also of the differences to the non-private score of each split."""
    every = pd.concat(scores, ignore_index=True)
    same = ["log", "model", "definition", "split"]
    plain = every.loc[every["mechanism"] == NonPrivate.name, [*same, "score"]].rename(columns={"score": "plain"})
    every = every.merge(plain, on=same, how="left", validate="many_to_one")
    every["difference"] = every["score"] - every["plain"]
    point = ["log", "model", "mechanism", "variant", "epsilon", "definition"]
    rows = []
    for key, group in every.groupby(point, sort=False):
        many = len(group)
        rows.append(
            (
                *key,
                group["score"].mean(),
                group["score"].std() / math.sqrt(many),
                group["difference"].mean(),
                group["difference"].std() / math.sqrt(many),
            )
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def log_mean(logs: Array) -> Array:
    """ln of the mean over samples of e^x, by cell."""
    highest = logs.max(axis=0)
    result: Array = highest + np.log(np.exp(logs - highest).mean(axis=0))
    return result
