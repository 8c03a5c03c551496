"""ε by every accountant at published settings and that of the data, and errors of logistic regression against ε."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.datasets import splits
from dpsampling.datasets.design import Design
from dpsampling.learners import accountant, loss_bracket, sampled_gaussian
from dpsampling.learners.gradient_descent import GradientDescent, noise_on_each
from dpsampling.numerics.randomness import substream
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.guarantee import Relation
from reproduction.experiments.learners import gradient as said
from reproduction.experiments.learners.gradient import Setting
from reproduction.experiments.learners.spread import summary

Row = dict[str, Any]

RELATIONS = {said.ADDED: Relation.ADD_OR_REMOVE_ONE, said.REPLACED: Relation.REPLACE_ONE}
COARSER, FINE = 10.0, 1000.0  # than the accounts' grid; points of the grid up to ε, for a coarse one costs much noise
HARDLY = 1e-9  # σ of what is trained without noise, which promises nothing


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, Design]) -> pd.DataFrame:
    """A row for each setting and accountant, and for each ε and way to add noise."""
    design = inputs[params["dataset"]]
    n, sigma, epochs = design.train, params["sigma"], params["epochs"]
    trained = [Setting(n, min(batch, n), sigma, epochs) for batch in params["batches"]]
    rows: list[Row] = []
    for name, setting in {**said.SETTINGS, design.name: trained[0]}.items():
        rows += _accounted(name, setting, params)
    rows += _one_step(said.SETTINGS[said.IMAGES], params)
    for setting in trained:
        rows += _trained(design, setting, params, rng)
    return pd.DataFrame(rows).reindex(columns=list(said.COLUMNS))


def _row(view: str, name: str, setting: Setting, params: Mapping[str, Any], **more: Any) -> Row:
    common = {"view": view, "dataset": name, **setting._asdict(), "steps": setting.steps, "delta": params["delta"]}
    return {**common, "repeats": 0, **more}


def _accounted(name: str, setting: Setting, params: Mapping[str, Any]) -> Iterator[Row]:
    q, sigma, steps, delta = setting.batch / setting.records, setting.sigma, setting.steps, params["delta"]
    row = partial(_row, said.ACCOUNTED, name, setting, params)
    added = Relation.ADD_OR_REMOVE_ONE
    for name_of_relation, relation in RELATIONS.items():
        bracket = loss_bracket.bracket(q, sigma, steps, delta, relation, params["points"])
        public = sampled_gaussian.without_batches(sigma, setting.epochs, relation).approximate(delta)
        spent = {
            said.LOSSES: accountant.epsilon(q, sigma, steps, delta, relation, params["interval"]),
            said.LOWER: bracket.lower,
            said.UPPER: bracket.upper,
            said.PUBLIC: public.epsilon,
        }
        for by, epsilon in spent.items():
            yield row(accountant=by, relation=name_of_relation, epsilon=epsilon)
    sigma_of_each = noise_on_each(sigma, setting.batch)
    spent = {
        said.RENYI: to_approximate(sampled_gaussian.renyi(q, sigma, steps, added), delta).epsilon,
        said.MOMENTS: sampled_gaussian.moments_epsilon(q, sigma, steps, delta),
        said.LIMIT: sampled_gaussian.gaussian_limit(q, sigma, steps).approximate(delta).epsilon,
        said.EACH: accountant.epsilon(q, sigma_of_each, steps, delta, added, params["interval"] / 10.0),
    }
    for by, epsilon in spent.items():
        yield row(accountant=by, relation=said.ADDED, epsilon=epsilon)


def _one_step(setting: Setting, params: Mapping[str, Any]) -> Iterator[Row]:
    """Where the densities say it all."""
    q, sigma, delta = setting.batch / setting.records, setting.sigma, params["delta"]
    for name_of_relation, relation in RELATIONS.items():
        row = partial(_row, said.ACCOUNTED, said.ONE_STEP, setting, params, relation=name_of_relation, steps=1)
        exact = max(_least_epsilon(pair, delta) for pair in sampled_gaussian.pairs(q, sigma, relation))
        yield row(accountant=said.DENSITIES, epsilon=exact)
        yield row(accountant=said.LOSSES, epsilon=accountant.epsilon(q, sigma, 1, delta, relation, params["interval"]))


def _least_epsilon(pair: sampled_gaussian.Pair, delta: float) -> float:
    low, high = 0.0, 1.0
    while pair.delta(high) > delta:
        high *= 2.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if pair.delta(middle) <= delta else (middle, high)
    return high


def _trained(design: Design, setting: Setting, params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    train, test = splits.draw(design, substream(rng, "split", design.name))
    sampling, steps, delta, interval = (
        setting.batch / setting.records,
        setting.steps,
        params["delta"],
        params["interval"],
    )
    public = (1.0, setting.records, sampling, steps, setting.sigma, delta)
    learner = GradientDescent(*public, rate=params["rate"], interval=interval)

    def row(method: str, sigma: float, epsilon: float | None, repeats: int, *, given: bool = True) -> Row:
        # A stream is named by what is configured: a calibrated σ has other last bits on other machines.
        level = (sigma,) if given else ("epsilon", epsilon or 0.0)
        used = replace(learner, sigma=sigma or HARDLY, accounting="renyi")  # which costs nothing before it is asked for
        errors = []
        for repeat in range(repeats):
            own = substream(rng, "run", design.name, method, setting.batch, *level, repeat)
            model = used.fit(design.features[train], design.labels[train], own)
            errors.append(float(np.mean(model.predict(design.features[test]) != design.labels[test])))
        shared = _row(said.TRAINED, design.name, setting._replace(sigma=sigma), params, method=method, epsilon=epsilon)
        by = said.LOSSES if epsilon else said.NONE
        return {**shared, "accountant": by, "relation": said.ADDED, **summary("error", errors)}

    repeats = params["repeats"]
    spent = accountant.epsilon(sampling, setting.sigma, steps, delta, learner.relation, interval)
    yield row(said.PLAIN, 0.0, None, 2)
    yield row(said.SUM, setting.sigma, spent, repeats)
    for epsilon in params["epsilons"]:
        coarse = min(COARSER * interval, epsilon / FINE)
        sigma = accountant.sigma_for(epsilon, sampling, steps, delta, learner.relation, coarse)
        yield row(said.SUM, sigma, epsilon, repeats, given=False)
        if setting.batch == min(max(params["batches"]), design.train):
            yield row(said.EACH_GRADIENT, noise_on_each(sigma, setting.batch), epsilon, repeats, given=False)
