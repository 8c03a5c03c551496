r"""Logistic regression and SVM by output and objective perturbation, scored on rows for testing; and norms of features.

Noise on a minimiser is drawn anew each time, noise on the objective asks for a minimisation each: of sets of `LARGE`
rows and more `repeats_large` of them. The planted set has rows of norm 1 and labels of a logistic model.

Norms: of x on a line, D random frequencies and phases each, the longest of `NORM_ROWS` rows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.datasets import splits
from dpsampling.datasets.design import Design
from dpsampling.learners.fourier_features import FourierFeatures
from dpsampling.learners.linear_model import LinearModel
from dpsampling.learners.losses import HuberHinge, Logistic
from dpsampling.learners.noise import InFloats
from dpsampling.learners.objective_perturbation import ObjectivePerturbation
from dpsampling.learners.output_perturbation import GaussianOutputPerturbation, OutputPerturbation
from dpsampling.learners.regularised import RegularisedClassifier
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.randomness import substream
from reproduction.experiments.learners import svm as said
from reproduction.experiments.learners.spread import summary

Row = dict[str, Any]
Rows = tuple[Array, NDArray[np.integer[Any]]]  # features and labels
Learner = OutputPerturbation | GaussianOutputPerturbation | ObjectivePerturbation

LARGE = 10_000
STEEP = 12.0  # of the planted labels' logistic model
NORM_ROWS = 2_000
REACH = 10.0  # of x


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, Design]) -> pd.DataFrame:
    """A row for each set, loss, mechanism and ε, and for each kind and number of features."""
    rows: list[Row] = []
    for name in params["datasets"]:
        design = inputs[name]
        train, test = (
            (design.features[at], design.labels[at]) for at in splits.draw(design, substream(rng, "split", name))
        )
        rows += _errors(name, train, test, params, rng)
    rows += _errors(said.PLANTED, *_planted(params, substream(rng, "planted")), params, rng)
    for count in params["feature_counts"]:
        rows += [_norms(count, substream(rng, "features", count), kind) for kind in (said.PAIRED, said.PHASED)]
    return pd.DataFrame(rows).reindex(columns=list(said.COLUMNS)).astype({"repeats": int, "n": int, "dimension": int})


def _errors(name: str, train: Rows, test: Rows, params: Mapping[str, Any], rng: np.random.Generator) -> Iterator[Row]:
    n, d = train[0].shape
    for loss in (Logistic(), HuberHinge(params["hinge_width"])):
        public = (loss, n, d, 1.0, params["regularisation"])
        without = RegularisedClassifier(*public)
        plain, signed = without.without_privacy(*train), without.signed(*train)
        shared = {
            "view": said.ERRORS,
            "dataset": name,
            "loss": loss.name,
            "lambda": params["regularisation"],
            "n": n,
            "dimension": d,
            "gradient_norm": plain.diagnostics["gradient_target"],
        }
        yield {**shared, "mechanism": said.PLAIN, "error": _missed(plain, test), "repeats": 1}
        for epsilon in params["epsilons"]:
            learners: dict[str, Learner] = {
                said.OUTPUT: OutputPerturbation(*public, epsilon),
                said.GAUSSIAN: GaussianOutputPerturbation(*public, epsilon, params["delta"]),
                said.PRINTED: ObjectivePerturbation(*public, epsilon, "2011"),
                said.TIGHT: ObjectivePerturbation(*public, epsilon, "tight"),
            }
            for mechanism, learner in learners.items():
                minimised = isinstance(learner, ObjectivePerturbation) and n >= LARGE
                own = substream(rng, name, loss.name, mechanism, epsilon)
                repeats = params["repeats_large"] if minimised else params["repeats"]
                learn = learner.learning(signed, plain.weights)
                yield {
                    **shared,
                    "mechanism": mechanism,
                    "epsilon": epsilon,
                    "delta": params["delta"] if mechanism == said.GAUSSIAN else None,
                    **summary("error", [_missed(learn(InFloats(own)), test) for _ in range(repeats)]),
                    "noise_length": _noise_length(learner),
                }


def _noise_length(learner: Learner) -> float | None:
    """Return the mean of a Gamma(d) variable over the rate, or of σ√χ²_d."""
    d = learner.dimension
    if isinstance(learner, OutputPerturbation):
        return d / float(learner.rate)
    if isinstance(learner, GaussianOutputPerturbation):
        return learner.mechanism.sigma * math.sqrt(2.0) * math.exp(math.lgamma((d + 1) / 2.0) - math.lgamma(d / 2.0))
    return None


def _missed(model: LinearModel, rows: Rows) -> float:
    return float(np.mean(model.predict(rows[0]) != rows[1]))


def _planted(params: Mapping[str, Any], rng: np.random.Generator) -> tuple[Rows, Rows]:
    """As many rows to learn from as to test with."""
    n, d = params["planted_rows"], params["planted_dimension"]
    features = rng.standard_normal((2 * n, d))
    features /= np.linalg.norm(features, axis=1, keepdims=True)
    direction = rng.standard_normal(d)
    direction *= STEEP / np.linalg.norm(direction)
    labels = (rng.random(2 * n) < 1.0 / (1.0 + np.exp(-features @ direction))).astype(int)
    return (features[:n], labels[:n]), (features[n:], labels[n:])


def _norms(count: int, rng: np.random.Generator, kind: str) -> Row:
    """The longest row: as the library makes them, or by the other formula."""
    at = np.linspace(-REACH, REACH, NORM_ROWS)[:, None]
    drawn = FourierFeatures.draw(1, count, 1.0, rng)
    phases = rng.uniform(0.0, 2.0 * math.pi, count)
    phased = math.sqrt(2.0 / count) * np.cos(at @ drawn.frequencies.T + phases)
    features = drawn.of(at) if kind == said.PAIRED else phased
    return {
        "view": said.NORMS,
        "dataset": "a line",
        "loss": said.NO_LOSS,
        "mechanism": kind,
        "repeats": 1,
        "n": NORM_ROWS,
        "dimension": count,
        "norm": float(np.linalg.norm(features, axis=1).max()),
    }
