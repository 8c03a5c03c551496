r"""What can be read off a log's counts, and off short fits of them.

Counts. Entries and their median over cells; the skewness of the months' entries Σ_r N_{r,t} and their rank correlation
with time, and what skewness is left of the ratio to a log-linear trend; how many features there are, and how many
entries have casualties, merged by side and at most by one column.

Fits, over splits (mean and standard error). All scores are nats per entry.

    loss by noise    held-out score without privacy less that of the Laplace mechanism, of a log that keeps a share of
                     its entries (drawn without replacement in each cell, feature by feature: the model sees no more)
    training less held-out    Σ_c max_k Σ_{d,j} n_{c,d,j} ln θ_j^{(k,d)} over entries, of training less held-out cells
    one state        the held-out score of the hidden Markov sampler at K = 1 less that of naive Bayes
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from dpsampling.event_logs import gibbs, splits, sweep
from dpsampling.event_logs.chains import Fit, needed
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.mechanisms import NoisyCounts, NonPrivate
from dpsampling.event_logs.schema import SOME
from dpsampling.numerics.randomness import substream
from reproduction.experiments.warlogs import facts

Floats = NDArray[np.float64]
Booleans = NDArray[np.bool_]
Row = tuple[str, float | None, float, float | None]  # quantity, at, value, error


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, EventCounts]) -> pd.DataFrame:
    """The log's own facts, and those of fits of it."""
    log, columns = (inputs[name] for name in params["logs"])
    trained = splits.draw(log, params["splits"], params["share"], rng)
    rows = [
        *_sizes(log),
        *_merging(log, columns),
        *_thinned_losses(log, trained, params, rng),
        *_gaps(log, trained, params, rng),
        _equivalent(log, trained, params, rng),
    ]
    return pd.DataFrame(rows, columns=list(facts.COLUMNS))


# -- counts -----------------------------------------------------------------------------------------------------------


def _sizes(log: EventCounts) -> list[Row]:
    months = log.entries.sum(axis=0).astype(float)
    time = np.arange(months.size)
    slope, start = np.polyfit(time, np.log(np.maximum(months, 0.5)), 1)
    rank = float(stats.spearmanr(time, months).statistic)
    return [
        (facts.ENTRIES, None, float(log.entries.sum()), None),
        (facts.MONTHS, None, float((months > 0).sum()), None),
        (facts.MEDIAN, None, float(np.median(log.entries)), None),
        *((facts.MONTHLY, _year(month), float(n), None) for month, n in zip(log.months, months, strict=True)),
        (facts.SKEWNESS, None, float(stats.skew(months)), None),
        (facts.TREND, None, rank, 1.0 / math.sqrt(months.size - 1)),  # of unrelated ranks
        (facts.DETRENDED, None, float(stats.skew(months / np.exp(start + slope * time))), None),
    ]


def _year(month: str) -> float:
    """When a month (`2004-01`) begins, in years."""
    return int(month[:4]) + (int(month[5:7]) - 1) / 12


def _merging(log: EventCounts, columns: EventCounts) -> Iterator[Row]:
    """`at` is the place of the side."""
    hurt = {name: _some(counted, name) for counted in (log, columns) for name in counted.features}
    single = [name for names in facts.SIDES.values() for name in names]
    yield facts.FEATURES, None, float(len(log.features)), None
    yield facts.BEFORE, None, float(len(log.features) - len(facts.SIDES) + len(single)), None
    for place, (side, names) in enumerate(facts.SIDES.items()):
        yield facts.MERGED, float(place), hurt[side], None
        yield facts.LARGEST, float(place), max(hurt[name] for name in names), None


def _some(log: EventCounts, feature: str) -> float:
    """Count how many entries have a feature's last outcome, which is that of casualties."""
    d = log.features.index(feature)
    place = int(log.offsets[d]) + (log.outcomes[d].index(SOME) if SOME in log.outcomes[d] else 0)
    return float(log.counts[..., place].sum())


# -- fits -------------------------------------------------------------------------------------------------------------


def _thinned_losses(
    log: EventCounts, trained: Booleans, params: Mapping[str, Any], rng: np.random.Generator
) -> Iterator[Row]:
    model = sweep.model_of(params, params["states"])
    for share in facts.SHARES:
        losses = []
        for split, mask in enumerate(trained):
            fewer = thinned(log, share, substream(rng, "thinned", share, split))
            name = f"thinned {share:g} {split}"
            plain, noisy = (
                _predictive(sweep.run(fewer, mask, model, mechanism, rng, name), fewer, mask)
                for mechanism in (NonPrivate(), NoisyCounts(params["epsilon"]))
            )
            losses.append(plain - noisy)
        yield facts.LOSS, share, *_mean(losses)


def thinned(log: EventCounts, share: float, rng: np.random.Generator) -> EventCounts:
    """A log that keeps each entry with this probability, and at least one of every cell that has any."""
    if share == 1.0:
        return log
    counts = np.zeros_like(log.counts)
    for r, t in np.argwhere(log.entries):
        kept = max(int(rng.binomial(log.entries[r, t], share)), 1)
        for begin, end in itertools.pairwise(log.offsets):
            counts[r, t, begin:end] = rng.multivariate_hypergeometric(log.counts[r, t, begin:end], kept)
    return replace(log, counts=counts)


def _gaps(log: EventCounts, trained: Booleans, params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    model = sweep.model_of(params, params["states"])

    def gaps(epsilon: float) -> list[float]:
        mechanism = NonPrivate() if math.isinf(epsilon) else NoisyCounts(epsilon)
        return [_gap(sweep.run(log, m, model, mechanism, rng, f"gap {i}"), log, m) for i, m in enumerate(trained)]

    plain = gaps(math.inf)
    yield facts.GAP, math.inf, *_mean(plain)
    for epsilon in map(float, params["epsilons"]):
        noisy = gaps(epsilon)
        yield facts.GAP, epsilon, *_mean(noisy)
        yield facts.GAP_LESS, epsilon, *_mean([a - b for a, b in zip(noisy, plain, strict=True)])


def _gap(fit: Fit, log: EventCounts, trained: Booleans) -> float:
    """Return the score of training cells less that of held-out ones, each in the state that fits it best."""
    cells = log.counts.reshape(trained.size, -1)
    best = (cells @ np.log(fit.probabilities.T)).max(axis=1)
    inside, entries = trained.ravel(), log.entries.ravel()
    return float(best[inside].sum() / entries[inside].sum() - best[~inside].sum() / entries[~inside].sum())


def _equivalent(log: EventCounts, trained: Booleans, params: Mapping[str, Any], rng: np.random.Generator) -> Row:
    alone = sweep.model_of(params, 1)
    differences = []
    for split, mask in enumerate(trained):
        bayes = _predictive(sweep.run(log, mask, alone, NonPrivate(), rng, f"bayes {split}"), log, mask)
        differences.append(_one_state(log, mask, params, substream(rng, "one state", split)) - bayes)
    return (facts.ONE_STATE, None, *_mean(differences))


def _one_state(log: EventCounts, mask: Booleans, params: Mapping[str, Any], rng: np.random.Generator) -> float:
    """The hidden Markov model's own sampler at K = 1, which naive Bayes does not use."""
    model = sweep.model_of(params, params["states"])
    seen = needed(log.counts, mask, model).astype(float)
    held = np.ascontiguousarray(log.counts.reshape(mask.size, -1)[~mask.ravel()].astype(float))
    floors = np.zeros(len(log.sizes))
    prior, length = (model.alpha, model.beta, 1.0, floors), (model.iterations, model.burn_in)
    trace = gibbs.chain(rng, seen, seen, mask, held, log.offsets, 1, *prior, *length)
    return float(sweep.log_mean(trace.mixture).sum()) / float(log.entries[~mask].sum())


def _predictive(fit: Fit, log: EventCounts, trained: Booleans) -> float:
    return float(sweep.log_mean(fit.mixture).sum()) / float(log.entries[~trained].sum())


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean with its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / math.sqrt(len(values)))
