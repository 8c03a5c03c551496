r"""Tables of Figures 5.1 and 5.2: the worst-case Rényi divergence ε(λ) of Algorithms 2 and 3.

Three variants. `correct` is the supremum over neighbouring posteriors that data can reach, pset(η₀, rn) for Algorithm 2
and pset(η₀/m, n) for Algorithm 3, by the library's four pairs. `enumerated` is the maximum over every pair of data sets
that differ in one record, both ways, by eq. (5.15) as it stands: it loses digits, some 1e-10 of the level at n = 100.
`printed` is Corollary 16 to the letter, with its n where Algorithm 2 has rn,

    max R_λ(η_P ‖ η_Q),   η_P ∈ η₀ + {(0, n), (n, n)},   η_Q ∈ η_P ± (r, 0),

which omits pairs that occur and includes η_Q that no data reach (for the uniform prior even one outside the family).

Towards λ* a level grows as −ln(λ* − λ)/(λ − 1), too slowly for a grid of orders to show that it has no bound. Where the
orders lie on both sides of a scale's λ*, more of them therefore close in on it, a decade of λ* − λ in four steps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaln

from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, WeightedPosterior
from reproduction.experiments.renyi.levels import CORRECT, ENUMERATED, PRINTED

Array = NDArray[np.float64]

MOST = 101  # pairs of data sets that are enumerated
NEAREST = 2.0**-26  # to λ*, where the level of a scale of 1/2 is above 2; exact beside a whole λ*

ALGORITHMS: dict[str, type[WeightedPosterior]] = {"diffused": DiffusedPosterior, "concentrated": ConcentratedPosterior}


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """ε for all variants at every scale and order."""
    del rng  # nothing here is random
    family, algorithm = BetaBernoulli(), ALGORITHMS[params["algorithm"]]
    prior, n = family.check_prior(params["prior"]), family.check_records(params["n"])
    scales = np.sort(np.asarray(params["scales"], dtype=float))[:, np.newaxis]
    horizons = [algorithm(family, prior, n, scale=float(scale)).order_horizon for scale in scales[:, 0]]
    orders = closing_in(np.sort(np.asarray(params["orders"], dtype=float)), horizons)[np.newaxis, :]
    variants = {
        CORRECT: algorithm.divergence(family, prior, n, orders, scales),
        PRINTED: printed_corollary_16(family, prior, n, orders, **algorithm.weights(scales)),
        ENUMERATED: enumerated(prior, n, orders, **algorithm.weights(scales)),
    }
    index = pd.MultiIndex.from_product([scales[:, 0], orders[0, :]], names=["scale", "order"])
    parts = [
        pd.DataFrame({"variant": name, "epsilon": values.ravel()}, index=index) for name, values in variants.items()
    ]
    return pd.concat(parts).reset_index()[["variant", "scale", "order", "epsilon"]]


def closing_in(orders: Array, horizons: Sequence[float]) -> Array:
    """The orders with those that approach each λ* between them."""
    near = [orders]
    for horizon in horizons:
        below = orders[orders < horizon]
        if len(below) and orders[-1] >= horizon:
            decades = math.log10((horizon - below[-1]) / NEAREST)
            near.append(horizon - NEAREST * 10.0 ** np.arange(0.0, decades, 0.25))
    return np.unique(np.concatenate(near))


def printed_corollary_16(
    family: BetaBernoulli, prior: Array, n: float, order: Array, *, data_weight: Array, prior_weight: Array
) -> Array:
    """The maximum that Corollary 16 prints; +inf where its η_Q leaves the family."""
    step, alpha, beta = data_weight, prior_weight * prior[0], prior_weight * (prior[1] - prior[0])
    shape = np.broadcast_shapes(step.shape, alpha.shape, order.shape)
    worst = np.zeros(shape)
    for data_alpha, data_beta in ((0.0, n), (n, 0.0)):
        p_alpha, p_beta = alpha + data_alpha, beta + data_beta
        for direction in (+1.0, -1.0):
            q_alpha, q_beta = p_alpha + direction * step, p_beta - direction * step
            inside = (q_alpha > 0) & (q_beta > 0)
            law_p, law_q = (
                np.stack(np.broadcast_arrays(*shapes), axis=-1)
                for shapes in (
                    (p_alpha, p_beta),
                    (np.where(inside, q_alpha, p_alpha), np.where(inside, q_beta, p_beta)),
                )
            )
            divergence = family.renyi_divergence(law_p, law_q, order)
            worst = np.maximum(worst, np.where(inside, divergence, np.inf))
    return worst


def enumerated(prior: Array, n: float, order: Array, *, data_weight: Array, prior_weight: Array) -> Array:
    """The maximum over all neighbours: up to `MOST` numbers of successes, evenly spread, and the ends."""
    alpha, beta = prior_weight * prior[0], prior_weight * (prior[1] - prior[0])
    worst = np.zeros(np.broadcast_shapes(data_weight.shape, alpha.shape, order.shape))
    for s in np.unique(np.rint(np.linspace(0.0, n - 1.0, int(min(n, MOST))))):
        fewer, more = (
            (alpha + data_weight * count, beta + data_weight * (n - count)) for count in (float(s), float(s) + 1.0)
        )
        for p, q in ((fewer, more), (more, fewer)):
            worst = np.maximum(worst, as_it_stands(p, q, order))
    return worst


def as_it_stands(p: tuple[Array, Array], q: tuple[Array, Array], order: Array) -> Array:
    """Eq. (5.15) for two Beta laws."""
    mixed = [order * a + (1.0 - order) * b for a, b in zip(p, q, strict=True)]
    inside = np.minimum(*mixed) > 0
    shapes = [np.where(inside, shape, 1.0) for shape in mixed]
    value = (betaln(*shapes) - order * betaln(*p)) / (order - 1.0) + betaln(*q)
    return np.where(inside, value, np.inf)
