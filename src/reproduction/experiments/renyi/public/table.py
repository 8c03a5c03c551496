r"""Expected loss of Algorithms 2 and 3 at a fixed level, against the number of public records in the prior.

k public records with s′ ones turn η₀ into η₀ + (s′, k); the scale is calibrated for each s′. With s ~ Bin(n, ρ) and
s′ ~ Bin(k, ρ), the loss on a new record in excess of the entropy of ρ is the sum over s and s′ of

    E KL(ρ ‖ θ) = −ρ(ψ(α) − ψ(α + β)) − (1 − ρ)(ψ(β) − ψ(α + β)) − H(ρ),      θ ~ Beta(α, β) the released law.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import digamma
from scipy.stats import binom

from dpsampling.mechanisms.calibration import largest_scale
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.posterior import (
    ConcentratedPosterior,
    DiffusedPosterior,
    DirectPosterior,
    WeightedPosterior,
)
from dpsampling.mechanisms.public_data import with_public_data
from dpsampling.numerics.ties import NEAR
from reproduction.experiments.renyi import public as said

Array = NDArray[np.float64]
Row = tuple[int, float, float, str, float, float, float, float, int, int]

MECHANISMS: dict[str, type[WeightedPosterior]] = {
    said.DIFFUSED: DiffusedPosterior,
    said.CONCENTRATED: ConcentratedPosterior,
}


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Nothing here is random: all samples are summed over."""
    del rng
    populations = np.atleast_1d(params["rho"]).astype(float).tolist()
    rows: list[Row] = []
    without: dict[tuple[float, float, str], float] = {}
    for k in [0, *sorted(params["sizes"])]:
        priors = [_prior(params, s, k) for s in range(k + 1)]
        losses = {name: _losses(mechanism, priors, params, populations) for name, mechanism in MECHANISMS.items()}
        levels = np.array([_direct(prior, params) for prior in priors])
        alone = np.array([[_excess(prior[0], prior[1] - prior[0], rho) for prior in priors] for rho in populations])
        for i, rho in enumerate(populations):
            weights = binom.pmf(np.arange(k + 1), k, rho)
            for j, epsilon in enumerate(params["epsilons"]):
                ready = levels <= epsilon
                for name in (*MECHANISMS, said.ALONE):
                    loss, scales = (
                        (alone[i], None) if name == said.ALONE else (losses[name][0][j, i], losses[name][1][j])
                    )
                    excess = float(weights @ loss)
                    first = without.setdefault((rho, epsilon, name), excess)
                    untold = 0 if scales is None else int(np.sum((scales == 1.0) != ready))
                    chances = float(weights @ (loss < first * (1.0 - NEAR))), float(weights @ ready), float(levels[0])
                    rows.append((k, rho, float(epsilon), name, excess, *chances, untold, k + 1))
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _prior(params: Mapping[str, Any], ones: int, k: int) -> Array:
    return with_public_data(BetaBernoulli(), params["prior"], ones, k) if k else np.array(params["prior"], dtype=float)


def _direct(prior: Array, params: Mapping[str, Any]) -> float:
    """The level of Algorithm 1, as promised."""
    return float(DirectPosterior.promised(BetaBernoulli(), prior, params["n"], params["order"], 1.0))


def _losses(
    mechanism: type[WeightedPosterior], priors: list[Array], params: Mapping[str, Any], populations: list[float]
) -> tuple[Array, Array]:
    """By ε, population and public sample, and by ε and sample the scales."""
    family, n = BetaBernoulli(), params["n"]
    statistics = np.arange(n + 1.0)
    epsilons = np.asarray(params["epsilons"], dtype=float)
    losses = np.empty((len(epsilons), len(populations), len(priors)))
    every, levels = np.stack(priors), np.broadcast_to(epsilons[:, None], (len(epsilons), len(priors)))
    # What `calibrated_scales` finds for one prior, for all of them at once.
    scales = largest_scale(lambda scale: mechanism.promised(family, every, n, params["order"], scale), levels)
    for s, prior in enumerate(priors):
        for j, scale in enumerate(scales[:, s]):
            law = mechanism.parameter(family, prior, n, statistics, scale)
            for i, rho in enumerate(populations):
                losses[j, i, s] = binom.pmf(statistics, n, rho) @ _excess(law[..., 0], law[..., 1], rho)
    return losses, scales


def _excess(alpha: Any, beta: Any, rho: float) -> Any:
    """E KL(ρ‖θ) for θ ~ Beta(α, β)."""
    whole = digamma(alpha + beta)
    entropy = -rho * math.log(rho) - (1.0 - rho) * math.log1p(-rho)
    return -rho * (digamma(alpha) - whole) - (1.0 - rho) * (digamma(beta) - whole) - entropy
