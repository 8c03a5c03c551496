"""How the private classifiers look and what they are called, the same in every figure."""

from __future__ import annotations

from dpsampling.logistic import names
from dpsampling.style import BLACK, BLUE, GREY, ORANGE, VERMILION, Line

MECHANISMS = {
    names.DIRECT: Line("true posterior (not private)", BLACK, "-", "s"),
    names.DIFFUSED: Line("diffused (Algorithm 5)", BLUE, "-", "o"),
    names.CONCENTRATED: Line("concentrated (Algorithm 4)", VERMILION, "--", "^"),
    names.OPS: Line(r"OPS as published, $\rho=\varepsilon\beta/4c^2$", ORANGE, "-", "P"),
}
# With twice the published ρ, OPS is ε-DP too, and what it was at 2ε.
OPS_TIGHT = Line(r"OPS, $\rho=\varepsilon\beta/2c^2$", GREY, ":", "")
DATASETS = {"abalone": "Abalone", "adult": "Adult", "mnist38": "MNIST, 3 against 8"}


def called(dataset: str) -> str:
    """A data set's name in a title."""
    return DATASETS.get(dataset, dataset)
