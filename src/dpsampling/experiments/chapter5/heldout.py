r"""Tables of Figures 5.5–5.8: how well a private draw predicts held-out data.

In each run, X and X_H are n Bernoulli(ρ) trials each, and θ is one draw of each mechanism on X. What is averaged is

    −ln Pr(X_H | θ) = −ln C(n, h) − h ln p − (n − h) ln(1 − p),      p = e^θ/(1 + e^θ),

the binomial probability of the held-out count h. All mechanisms at all ε see the same data sets; their draws have
streams of their own, named by population, mechanism and ε.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import digamma, gammaln, log_expit, ndtr

from dpsampling.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.calibration import check_order
from dpsampling.mechanisms.gaussian_statistic import Calibration, GaussianStatistic
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior, WeightedPosterior
from dpsampling.numerics.panels import halving_to_both_ends
from dpsampling.privacy.ledger import Release
from dpsampling.randomness import substream

Array = NDArray[np.float64]
Mechanism = WeightedPosterior | GaussianStatistic

GAUSSIANS: dict[str, Calibration] = {"gaussian": "tight", "gaussian-printed": "printed"}
MECHANISMS = ("direct", "diffused", "concentrated", *GAUSSIANS)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Mean and standard deviation over the runs, for every population, mechanism and ε."""
    n, runs = int(params["n"]), int(params["runs"])
    built = mechanisms(params)
    rows = []
    for rho in populations(params):
        data = substream(rng, "data", rho)
        successes = data.binomial(n, rho, runs).astype(float)
        held_out = data.binomial(n, rho, runs).astype(float)
        direct: tuple[float, float] | None = None
        for (name, epsilon), mechanism in built.items():
            if name == "direct" and direct is not None:  # the posterior knows no ε: one set of draws serves all
                rows.append((rho, name, epsilon, *direct))
                continue
            draws = substream(rng, "draws", rho, name, *(() if name == "direct" else (epsilon,)))
            theta = mechanism.release(successes, draws)
            score = negative_log_likelihood(held_out, n, theta)
            summary = float(np.mean(score)), float(np.std(score, ddof=1))
            direct = summary if name == "direct" else direct
            rows.append((rho, name, epsilon, *summary))
    return pd.DataFrame(rows, columns=["rho", "mechanism", "epsilon", "mean", "sd"])


def populations(params: Mapping[str, Any]) -> list[float]:
    """ρ as a list."""
    rho = params["rho"]
    return [float(r) for r in rho] if isinstance(rho, list) else [float(rho)]


def mechanisms(params: Mapping[str, Any]) -> dict[tuple[str, float], Mechanism]:
    """Every mechanism, calibrated at every ε."""
    family = BetaBernoulli()
    prior, n = family.check_prior(params["prior"]), family.check_records(params["n"])
    order, epsilons = check_order(params["order"]), np.sort(np.asarray(params["epsilons"], dtype=float))
    built: dict[tuple[str, float], Mechanism] = {
        ("direct", e): DirectPosterior(family, prior, n) for e in epsilons.tolist()
    }
    for algorithm in (DiffusedPosterior, ConcentratedPosterior):
        scales = algorithm.calibrated_scales(family, prior, n, order=order, epsilons=epsilons)
        built |= {
            (algorithm.name, e): algorithm(family, prior, n, s)
            for e, s in zip(epsilons.tolist(), scales.tolist(), strict=True)
        }
    for name, calibration in GAUSSIANS.items():
        sigmas = GaussianStatistic.calibrated_sigmas(family, order, epsilons, calibration)
        built |= {
            (name, e): GaussianStatistic(family, prior, n, s)
            for e, s in zip(epsilons.tolist(), sigmas.tolist(), strict=True)
        }
    return built


def negative_log_likelihood(held_out: ArrayLike, n: float, theta: ArrayLike) -> Array:
    """−ln of the binomial probability of the held-out count, from θ itself so that p near 0 or 1 keeps its digits."""
    h, theta = np.asarray(held_out, dtype=float), np.asarray(theta, dtype=float)
    return -(_log_choose(n, h) + h * log_expit(theta) + (n - h) * log_expit(-theta))


def releases(table: pd.DataFrame, experiment: str) -> list[Release]:
    """One entry for each population, mechanism and ε: each run drew once, on a data set of its own."""
    from dpsampling.experiments.contract import parameters_of

    params = parameters_of(table, experiment)
    entries = {}
    for (name, epsilon), mechanism in mechanisms(params).items():
        label = name if name == "direct" else f"{name} at ε = {epsilon:.6g}"
        guarantee = mechanism.guarantee
        for rho in populations(params):
            data = f"each of {params['runs']} simulated data sets, ρ = {rho:.6g}"
            # The direct posterior stands at every ε, but was drawn from once.
            entries[data, label] = Release(data, label, guarantee, order=params["order"])
    return list(entries.values())


# -- exact expectations ---------------------------------------------------------------------------------------------


def exact_means(params: Mapping[str, Any]) -> dict[tuple[float, str, float], float]:
    """E[−ln Pr(X_H | θ)] for every population, mechanism and ε, by summation over the data.

    Given s, θ's law is a Beta(a, b) with E ln p = ψ(a) − ψ(a + b), and h is independent of it with mean nρ.
    """
    return {
        (rho, name, epsilon): _exact_mean(mechanism, rho)
        for rho in populations(params)
        for (name, epsilon), mechanism in mechanisms(params).items()
    }


def constant_mean(n: float, rho: float, p: float) -> float:
    """E[−ln Pr(X_H | p)] for a fixed probability p, the limit of a law that concentrates there."""
    return -_mean_log_choose(n, rho) - n * rho * math.log(p) - n * (1.0 - rho) * math.log1p(-p)


def _exact_mean(mechanism: Mechanism, rho: float) -> float:
    n, family = mechanism.n, BetaBernoulli()
    counts, pmf = _binomial(n, rho)

    def expected_cost(eta: Array) -> Array:
        """n ρ E[−ln p] + n (1−ρ) E[−ln(1−p)] under the Beta law η."""
        alpha, beta = eta[..., 0], eta[..., 1] - eta[..., 0]
        return n * (digamma(alpha + beta) - rho * digamma(alpha) - (1.0 - rho) * digamma(beta))

    if isinstance(mechanism, GaussianStatistic):
        prior = np.asarray(mechanism.prior, dtype=float)
        sigma = mechanism.sigma

        def at(statistic: ArrayLike) -> Array:
            return expected_cost(family.posterior(prior, statistic, n))

        # The clipped statistic has an atom at each end and, for each count, a piece of a normal density between.
        atoms = np.sum(pmf * ndtr(-counts / sigma)) * at(0.0) + np.sum(pmf * ndtr((counts - n) / sigma)) * at(n)
        low, high = np.maximum(counts - 9.0 * sigma, 0.0), np.minimum(counts + 9.0 * sigma, n)
        nodes, weights = halving_to_both_ends(16, 12)  # ψ may bend sharply at an end
        inner = 0.0
        for part in np.array_split(np.arange(len(counts)), 1 + len(counts) // 1000):
            width = (high - low)[part, np.newaxis]
            t = low[part, np.newaxis] + width * nodes
            density = np.exp(-0.5 * ((t - counts[part, np.newaxis]) / sigma) ** 2) / (sigma * math.sqrt(2.0 * math.pi))
            inner += float(np.sum(pmf[part, np.newaxis] * width * weights * density * at(t)))
        return float(atoms) + inner - _mean_log_choose(n, rho)
    return float(np.sum(pmf * expected_cost(mechanism.output_parameter(counts)))) - _mean_log_choose(n, rho)


def _binomial(n: float, rho: float) -> tuple[Array, Array]:
    """The counts within 12 standard deviations of nρ, and their probabilities."""
    reach = 12.0 * math.sqrt(n * rho * (1.0 - rho)) + 50.0
    counts = np.arange(max(0.0, math.floor(n * rho - reach)), min(n, math.ceil(n * rho + reach)) + 1.0)
    return counts, np.exp(_log_choose(n, counts) + counts * math.log(rho) + (n - counts) * math.log1p(-rho))


def _mean_log_choose(n: float, rho: float) -> float:
    counts, pmf = _binomial(n, rho)
    return float(np.sum(pmf * _log_choose(n, counts)))


def _log_choose(n: float, k: Array) -> Array:
    return gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)


def iterate_rows(
    table: pd.DataFrame, params: Mapping[str, Any]
) -> Iterator[tuple[tuple[float, str, float], float, float]]:
    """((ρ, mechanism, ε), mean, sd) of every row, whether or not the table has a column for ρ."""
    rho = table["rho"] if "rho" in table else pd.Series(populations(params)[0], index=table.index)
    for r, mechanism, epsilon, mean, sd in zip(
        rho, table["mechanism"], table["epsilon"], table["mean"], table["sd"], strict=True
    ):
        yield (float(r), str(mechanism), float(epsilon)), float(mean), float(sd)
