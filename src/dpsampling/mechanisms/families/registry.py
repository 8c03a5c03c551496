"""Every conjugate family of the library, by name, with the data that its figures and its audit look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean


@dataclass(frozen=True)
class FamilyEntry:
    """A family with a prior η₀, a number of records, their Σ S(x_i), and a population that such records come from.

    A family is `scalar` whose θ is one number: figures and audit look at laws on the line.
    """

    name: str
    family: Any
    prior: tuple[float, ...]
    records: int
    statistic: Any
    population: Any
    scalar: bool = True


ENTRIES = (
    # The setting of thesis section 5.4.1, with the data of its published figures.
    FamilyEntry("beta-bernoulli", BetaBernoulli(), (6.0, 18.0), 100, 32.0, 0.5),
    FamilyEntry("gaussian-mean", GaussianMean(1.0, 3.0), (0.0, 4.0), 100, 20.0, 0.2),
    FamilyEntry(
        "dirichlet-categorical", DirichletCategorical(), (2.0, 3.0, 9.0), 100, (30.0, 20.0), (0.3, 0.2), scalar=False
    ),
)
FAMILIES = {entry.name: entry for entry in ENTRIES}
