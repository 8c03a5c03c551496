"""The posterior without privacy on random splits of one data set, drawn exactly and scored on the held-out rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.datasets import splits
from dpsampling.datasets.design import Design
from dpsampling.learners.logistic.draws import draw
from dpsampling.learners.logistic.envelope import envelope
from dpsampling.learners.logistic.mechanisms import DirectClassifier, Model
from dpsampling.learners.logistic.records import Records
from dpsampling.numerics.randomness import substream
from reproduction.experiments.logistic.splits import COLUMNS


def table(params: Mapping[str, Any], rng: np.random.Generator, inputs: Mapping[str, Design]) -> pd.DataFrame:
    """A row a split."""
    design = inputs[params["dataset"]]
    rows = []
    for split in range(params["splits"]):
        own = substream(rng, "split", split)
        train, test = (Records(design.features[at], design.labels[at]) for at in splits.draw(design, own))
        direct = DirectClassifier.of(Model(train.n, params["regularity"]))
        draws = draw(envelope(direct.target(train)), own, params["repeats"])
        errors = np.mean(test.signed @ draws.points.T <= 0.0, axis=0)
        rows.append((split, float(errors.mean()), float(errors.std(ddof=1)), params["repeats"] / draws.proposals))
    return pd.DataFrame(rows, columns=list(COLUMNS))
