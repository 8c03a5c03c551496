"""Small designs that stand for the real ones in tests: made of a seed, with labels of a logistic model."""

import numpy as np

from dpsampling.datasets import recipe
from dpsampling.datasets.design import Design

FEATURES = {"abalone": 9, "adult": 12, "mnist38": 20}
ROWS, TRAIN = 150, 100


def planted(name: str, seed: int = 7) -> Design:
    """A design of this name: rows a little shorter than 1."""
    rng = np.random.default_rng([seed, *name.encode()])
    d = FEATURES.get(name, 5)
    features = rng.random((ROWS, d)) - 0.5
    features /= np.linalg.norm(features, axis=1, keepdims=True) * (1.0 + 1e-12)
    chance = 1.0 / (1.0 + np.exp(-6.0 * features @ rng.standard_normal(d)))
    labels = (rng.random(ROWS) < chance).astype(np.int8)
    title = recipe.load(name).title if name in FEATURES else name
    outcome = np.clip(features @ rng.standard_normal(d), -1.0, 1.0) if name == "abalone" else None
    names = tuple(f"x{j}" for j in range(d))
    described = tuple(recipe.Number(column, -1.0, 1.0) for column in names)
    return Design(name, title, names, features, labels, TRAIN, False, described, features.copy(), outcome)


DESCRIBED = (recipe.Number("x", 0.0, 1.0), recipe.Number("z", -5.0, 5.0), recipe.Category("sort", ("a", "b", "c")))


def cells(n: int, seed: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Rows of these three columns, and labels that x tells but for a tenth."""
    rng = np.random.default_rng(seed)
    found = np.column_stack([rng.uniform(0, 1, n), rng.uniform(-5, 5, n), rng.integers(0, 3, n)])
    return found, ((found[:, 0] > 0.5) ^ (rng.random(n) < 0.1)).astype(int)
