"""What titles and claims call the data sets."""

from __future__ import annotations

DATASETS = {"abalone": "Abalone", "adult": "Adult", "mnist38": "MNIST, 3 against 8"}


def called(dataset: str) -> str:
    """Return a data set's name in a title."""
    return DATASETS.get(dataset, dataset)
