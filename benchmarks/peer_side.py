"""One side of the benchmark of `peers.py`, under any Python: `peer_side.py ours FOLDER`, or theirs.

FOLDER holds tasks.json and an .npz a data set; what is measured goes into ours.csv or theirs.csv. Both sides run these
lines, so that they are timed alike; nothing but NumPy and the side's own library is imported.
"""

from __future__ import annotations

import csv
import json
import sys
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

COLUMNS = ("learner", "dataset", "form", "epsilon", "repeat", "score", "seconds")
Make = Callable[[float, int, Mapping[str, Any]], Any]  # of ε, a seed and what is public of the data set


def theirs() -> dict[str, dict[str, tuple[str, Make]]]:
    """Forms of each learner: which rows they take, and how an estimator is made."""
    from diffprivlib import models

    def bayes(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        return models.GaussianNB(epsilon=epsilon, bounds=tuple(public["bounds"]), random_state=seed)

    def bayes_on_features(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        del public
        return models.GaussianNB(epsilon=epsilon, bounds=(-1.0, 1.0), random_state=seed)

    def logistic(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        weight = 1.0 / (public["n"] * public["regularisation"])
        return models.LogisticRegression(
            epsilon=epsilon, data_norm=1.0, C=weight, fit_intercept=False, random_state=seed
        )

    def logistic_default(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        del public
        return models.LogisticRegression(epsilon=epsilon, data_norm=1.0, fit_intercept=False, random_state=seed)

    def linear(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        del public
        return models.LinearRegression(
            epsilon=epsilon, bounds_X=(-1.0, 1.0), bounds_y=(-1.0, 1.0), fit_intercept=False, random_state=seed
        )

    def means(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        return models.KMeans(public["clusters"], epsilon=epsilon, bounds=(-1.0, 1.0), random_state=seed)

    def forest(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        return models.RandomForestClassifier(
            epsilon=epsilon, bounds=tuple(public["bounds"]), classes=[0, 1], random_state=seed
        )

    return {
        "naive Bayes": {"GaussianNB": ("cells", bayes), "GaussianNB on features": ("features", bayes_on_features)},
        "logistic regression": {
            "LogisticRegression": ("features", logistic),
            "LogisticRegression, C = 1": ("features", logistic_default),
        },
        "linear regression": {"LinearRegression": ("features", linear)},
        "k means": {"KMeans": ("features", means)},
        "trees": {"RandomForestClassifier": ("cells", forest)},
    }


def ours() -> dict[str, dict[str, tuple[str, Make]]]:
    """The same; a δ stands in the form's name, all others promise ε alone."""
    from dpsampling import sklearn as models
    from dpsampling.datasets.recipe import Category, Number

    def tables(epsilon: float, seed: int, public: Mapping[str, Any]) -> dict[str, Any]:
        described = [
            Number(f"x{i}", *column) if isinstance(column, list) else Category(f"x{i}", tuple(map(str, range(column))))
            for i, column in enumerate(public["columns"])
        ]
        return {"epsilon": epsilon, "columns": described, "classes": [0, 1], "random_state": seed}

    def rows(epsilon: float, seed: int) -> dict[str, Any]:
        return {"epsilon": epsilon, "norm_bound": 1.0, "fit_intercept": False, "random_state": seed}

    def bayes(delta: float) -> Make:
        return lambda epsilon, seed, public: models.PrivateNaiveBayes(delta=delta, **tables(epsilon, seed, public))

    def logistic(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        weight = public["regularisation"]
        return models.PrivateLogisticRegression(classes=[0, 1], regularisation=weight, **rows(epsilon, seed))

    def descent(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        return models.PrivateGradientDescentClassifier(
            delta=public["delta"], classes=[0, 1], n_records=public["n"], **rows(epsilon, seed)
        )

    def linear(delta: float) -> Make:
        def make(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
            del public
            return models.PrivateLinearRegression(delta=delta, target_bounds=(-1.0, 1.0), **rows(epsilon, seed))

        return make

    def means(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        return models.PrivateKMeans(public["clusters"], epsilon, norm_bound=1.0, starts_seed=seed, random_state=seed)

    def trees(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        return models.PrivateRandomTrees(trees_seed=seed, **tables(epsilon, seed, public))

    def boosted(epsilon: float, seed: int, public: Mapping[str, Any]) -> Any:
        return models.PrivateBoostedBins(delta=public["delta"], segments_seed=seed, **tables(epsilon, seed, public))

    return {
        "naive Bayes": {"counts": ("cells", bayes(0.0)), "Gaussian counts, δ = 1e-6": ("cells", bayes(1e-6))},
        "logistic regression": {
            "objective, tight": ("features", logistic),
            "gradient descent, δ = 1e-6": ("features", descent),
        },
        "linear regression": {
            "functional, tight": ("features", linear(0.0)),
            "AdaSSP, δ = 1e-6": ("features", linear(1e-6)),
        },
        "k means": {"noisy Lloyd": ("features", means)},
        "trees": {"random trees": ("cells", trees), "boosted bins, δ = 1e-6": ("cells", boosted)},
    }


SIDES = {"ours": ours, "theirs": theirs}


def score(kind: str, model: Any, rows: Any, labels: Any) -> float:
    """Smaller is better: the share of errors, the mean square, or the mean squared distance to the nearest centre."""
    if kind == "loss":
        apart = ((rows[:, None, :] - model.cluster_centers_[None, :, :]) ** 2).sum(axis=2)
        return float(apart.min(axis=1).mean())
    told = model.predict(rows)
    return float(np.mean(told != labels)) if kind == "error" else float(np.mean((np.ravel(told) - labels) ** 2))


def run(side: str, folder: Path) -> None:
    """Fit every form of every task at every ε, as often as is asked."""
    settings = json.loads((folder / "tasks.json").read_text(encoding="utf-8"))
    sets = {path.stem: dict(np.load(path)) for path in folder.glob("*.npz")}
    forms = SIDES[side]()
    with (folder / f"{side}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for task in settings["tasks"]:
            arrays, public = sets[task["dataset"]], settings["public"][task["dataset"]]
            for form, (kind_of_rows, make) in forms[task["learner"]].items():
                for epsilon in settings["epsilons"]:
                    for repeat in range(task["repeats"]):
                        train = arrays["train"][repeat % len(arrays["train"])]
                        rows, labels = arrays[kind_of_rows], arrays[task["labels"]]
                        with warnings.catch_warnings():
                            warnings.simplefilter("ignore")
                            start = time.perf_counter()
                            model = make(epsilon, repeat, public).fit(rows[train], labels[train])
                            seconds = time.perf_counter() - start
                        found = score(task["score"], model, rows[~train], labels[~train])
                        writer.writerow((task["learner"], task["dataset"], form, epsilon, repeat, found, seconds))
                file.flush()


if __name__ == "__main__":
    run(sys.argv[1], Path(sys.argv[2]))
