"""Tables of fig6_6 and public_steps: what noisy SGD promises each record, and the loss of what it releases.

A run takes n private steps and then steps on public data, drawn from the same population. The iterate k public steps
later is what is released when there are k of them, so one run gives the loss for every k up to its length. The
same runs without noise, on the same records, are the SGD that is not private.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.amplification.noisy_sgd import FORMS, NoisySGD, iterates
from dpsampling.experiments.chapter6.logistic import Logistic
from dpsampling.randomness import substream

Array = NDArray[np.float64]
CONSTANTS = ("lipschitz", "smoothness", "convexity", "rate", "sigma")
LOSSES = ("excess_loss", "sem", "excess_nonprivate")


def by_index(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row an index and form of ε_i; the losses are for as many public steps as the record has steps behind it."""
    sgd = NoisySGD(**{name: float(params[name]) for name in CONSTANTS})
    n = int(params["n"])
    losses = public_losses(sgd, int(params["dimension"]), n, n - 1, int(params["repeats"]), rng)
    constants = [n, *(params[name] for name in CONSTANTS)]
    rows = [
        (*constants, n - after, form, sgd.level(after, form), *losses[after]) for form in FORMS for after in range(n)
    ]
    return pd.DataFrame(rows, columns=["n", *CONSTANTS, "index", "curve", "epsilon", *LOSSES])


def by_dimension(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """σ = C/√d, and as many public steps as bring the worst record to ε: one row a dimension and a number of them."""
    rows = []
    for dimension in sorted(params["dimensions"]):
        sigma = float(params["lipschitz"]) / np.sqrt(dimension)
        sgd = NoisySGD(**{name: float(params[name]) for name in CONSTANTS[:-1]}, sigma=float(sigma))
        enough = sgd.public_steps_for(float(params["epsilon"]))
        streams = substream(rng, "dimension", dimension)
        losses = public_losses(sgd, dimension, int(params["n"]), enough, int(params["repeats"]), streams)
        rows += [(dimension, sigma, k, sgd.level(k), *losses[k]) for k in range(enough + 1)]
    return pd.DataFrame(rows, columns=["dimension", "sigma", "public_steps", "epsilon", *LOSSES])


def public_losses(
    sgd: NoisySGD, dimension: int, private: int, public: int, repeats: int, rng: np.random.Generator
) -> list[tuple[float, float, float]]:
    """Mean excess loss, its standard error, and the mean without noise, after 0, 1 … public steps."""
    problem = Logistic.draw(dimension, sgd.lipschitz, sgd.smoothness, sgd.convexity, substream(rng, "population"))
    noisy, quiet = (
        np.array(list(_losses(problem, sgd.rate, sigma, private, public, repeats, rng))) for sigma in (sgd.sigma, 0.0)
    )
    means, errors = noisy.mean(axis=1), noisy.std(axis=1, ddof=1) / np.sqrt(repeats)
    return list(zip(means.tolist(), errors.tolist(), quiet.mean(axis=1).tolist(), strict=True))


def _losses(
    problem: Logistic, rate: float, sigma: float, private: int, public: int, repeats: int, rng: np.random.Generator
) -> Iterator[Array]:
    """The excess losses of all repeats after the private steps, and after each public one."""
    records, noise = substream(rng, "records"), substream(rng, "noise")
    drawn = (problem.sample((repeats,), records) for _ in range(private + public))
    start = np.zeros((repeats, problem.population.shape[1]))
    steps = iterates(start, drawn, problem.gradient, problem.project, rate, sigma, noise)
    yield from (problem.excess(x) for i, x in enumerate(steps, start=1) if i >= private)
