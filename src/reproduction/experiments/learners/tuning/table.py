r"""Prices of tuning by search and by enumeration, and errors of tuned learners on planted rows.

Search: ε-DP pairs of laws on three outcomes from the worst to the best, their masses even in the logarithm and their
ratios e^{±ε} or between, and both laws of the best run in closed form. Enumeration: Rényi divergences of two of these.

Planted rows: x uniform in the ball of radius 1, y from a logistic model of weights of length `STEEP`; full batches.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import logsumexp

from dpsampling.learners.gradient_descent import GradientDescent
from dpsampling.learners.tuning import Tuned, best_of, law_of_best
from dpsampling.numerics.randomness import substream
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.guarantee import Pure, Renyi
from reproduction.experiments.learners import tuning as said
from reproduction.experiments.learners.spread import summary

Array = NDArray[np.float64]
Row = dict[str, Any]

SMALLEST_MASS = 1e-15
STEEP, COLUMNS_OF_X = 12.0, 10
TESTED = 10_000
SCORE_SHARE = 0.05  # of the total ε, for each score
STEPS, RATE = 10, 10.0


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Searched, enumerated, trained."""
    rows = [*_searched(params, rng), *_enumerated(params), *_trained(params, rng)]
    return pd.DataFrame(rows).reindex(columns=list(said.COLUMNS))


def _searched(params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    for epsilon, gamma in product(params["epsilons"], params["gammas"]):
        own = substream(rng, "search", epsilon, gamma, params["starts"])
        first, second = random_pairs(epsilon, params["starts"], own)
        ratios = np.abs(np.log(law_of_best(first, gamma) / law_of_best(second, gamma)))
        yield {
            "view": said.SEARCHED,
            "mechanism": said.PURE,
            "gamma": gamma,
            "epsilon_run": epsilon,
            "epsilon_total": float(ratios.max()),
            "bound": best_of(Pure(epsilon), gamma).epsilon,
            "repeats": ratios.shape[1],
        }


def random_pairs(epsilon: float, count: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Two laws on three outcomes, columns, of which the first is within e^±ε of the second everywhere."""
    middle, best = np.exp(rng.uniform(math.log(SMALLEST_MASS), math.log(0.5), (2, count)))
    signs, between = rng.choice([-1.0, 1.0], (2, count)), rng.uniform(-1.0, 1.0, (2, count))
    losses = epsilon * np.where(rng.random((2, count)) < 0.5, signs, between)
    second = np.stack([1.0 - middle - best, middle, best])
    first = np.stack([np.zeros(count), middle * np.exp(losses[0]), best * np.exp(losses[1])])
    first[0] = 1.0 - first[1] - first[2]
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = (first[0] > 0.0) & (second[0] > 0.0) & (np.abs(np.log(first[0] / second[0])) <= epsilon)
    return first[:, kept], second[:, kept]


def _enumerated(params: Mapping[str, Any]) -> Iterator[Row]:
    for epsilon in params["epsilons"]:
        far, near = math.exp(-epsilon), math.exp(epsilon)
        truth = near / (1.0 + near)
        pairs = {
            said.COIN: ([truth, 1.0 - truth], [1.0 - truth, truth]),
            said.THREE: ([1.0 - 0.01 - 0.3 * far, 0.01, 0.3 * far], [1.0 - 0.01 * far - 0.3, 0.01 * far, 0.3]),
        }
        for name, (first, second) in pairs.items():
            pair = np.array(first), np.array(second)
            run = Renyi(lambda order, pair=pair: renyi_of(pair, order))  # type: ignore[misc]
            for gamma in params["gammas"]:
                kept = law_of_best(pair[0], gamma), law_of_best(pair[1], gamma)
                promised = best_of(run, gamma)
                for order in params["orders"]:
                    yield {
                        "view": said.ENUMERATED,
                        "mechanism": name,
                        "gamma": gamma,
                        "order": order,
                        "epsilon_run": renyi_of(pair, order),
                        "epsilon_total": renyi_of(kept, order),
                        "bound": promised.epsilon(order),  # type: ignore[operator]  # a curve
                        "repeats": 0,
                    }


def renyi_of(pair: tuple[Array, Array], order: float) -> float:
    """The larger of R_λ(P‖Q) and R_λ(Q‖P), by sum."""
    losses = np.log(pair[0] / pair[1])
    there, back = (logsumexp(np.log(law) + (order - 1.0) * x) for law, x in zip(pair, (losses, -losses), strict=True))
    return float(max(there, back)) / (order - 1.0)


def _trained(params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    """Errors at the same total, but for what takes tuning for free."""
    gamma, delta = params["gamma"], params["delta"]
    for epsilon in params["epsilons"]:
        whole = _learners(_sigma(epsilon, None, params), params)
        tuned = _tuned(_sigma(epsilon, gamma, params), epsilon, params)
        free = _tuned(whole[0].sigma, epsilon, params)
        errors = np.empty((params["repeats"], 2 + len(params["clips"])))
        for repeat in range(params["repeats"]):
            own = substream(rng, "run", epsilon, repeat)
            rows, labels, test, answers = _planted(params["n"], own)
            learners: tuple[GradientDescent | Tuned, ...] = (*whole, tuned, free)
            errors[repeat] = [np.mean(each.fit(rows, labels, own).predict(test) != answers) for each in learners]
        single = errors[:, :-2]
        spent, run, run_of_free = (to_approximate(g, delta).epsilon for g in (free.guarantee, tuned.run, free.run))
        for name, mine, of_run, total in (
            (said.TUNED, errors[:, -2], run, epsilon),
            (said.FREE, errors[:, -1], run_of_free, spent),
            (said.UNTUNED, single.mean(axis=1), epsilon, epsilon),
            (said.BEST, single[:, np.argmin(single.mean(axis=0))], epsilon, epsilon),
        ):
            yield {
                "view": said.TRAINED,
                "mechanism": name,
                "gamma": gamma,
                "epsilon_run": of_run,
                "epsilon_total": total,
                "bound": epsilon,
                **summary("error", mine.tolist()),
            }


def _learners(sigma: float, params: Mapping[str, Any]) -> tuple[GradientDescent, ...]:
    return tuple(
        GradientDescent(1.0, params["n"], 1.0, STEPS, sigma, clip=clip, rate=RATE, accounting="renyi")
        for clip in params["clips"]
    )


def _tuned(sigma: float, epsilon: float, params: Mapping[str, Any]) -> Tuned:
    return Tuned(_learners(sigma, params), params["gamma"], SCORE_SHARE * epsilon)


def _sigma(epsilon: float, gamma: float | None, params: Mapping[str, Any]) -> float:
    """The least σ at which a run, or the best of many of them, is (ε, δ), by halving its logarithm."""
    low, high = 2.0**-3, 2.0**12
    for _ in range(16):
        middle = math.sqrt(low * high)
        learner = _learners(middle, params)[0] if gamma is None else _tuned(middle, epsilon, params)
        enough = to_approximate(learner.guarantee, params["delta"]).epsilon <= epsilon
        low, high = (low, middle) if enough else (middle, high)
    return high


def _planted(n: int, rng: np.random.Generator) -> tuple[Array, NDArray[np.intp], Array, NDArray[np.intp]]:
    """Rows for training and their labels, and fresh ones."""
    weights = rng.standard_normal(COLUMNS_OF_X)
    weights *= STEEP / np.linalg.norm(weights)
    rows = rng.standard_normal((n + TESTED, COLUMNS_OF_X))
    rows *= (rng.random(n + TESTED) ** (1.0 / COLUMNS_OF_X) / np.linalg.norm(rows, axis=1))[:, np.newaxis]
    labels = (rng.random(n + TESTED) < 1.0 / (1.0 + np.exp(-rows @ weights))).astype(np.intp)
    return rows[:n], labels[:n], rows[n:], labels[n:]
