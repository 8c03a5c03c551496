"""The parameters that experiments may have: a name means the same in every experiment, and is described here first.

Wherever a list of numbers is wanted, {from, to, points} or {ln_from, ln_to, points} may stand for it: evenly spaced
values, or values whose logarithms are.

Every number has a least and a greatest value and every list a greatest length, so that no setting asks for gigabytes or
for days: a list is a loop, a number of records or repetitions an array, and what lies far beyond the greatest values
here is beyond what floats tell apart (e^ε has none from 710 on; below the least values, differences cancel). What takes
long within them says so; what two of them ask for together is bounded in `reproduction.parameters`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, TypeAdapter

from dpsampling.files.checking import BY_KIND, LIST, NUMBER, allowed, number, several, vector, whole

POSITIVE = number(1e-06, 1_000_000)
PROBABILITY = number(1e-09, None, below=1)
PROBABILITIES: Any = Annotated[Annotated[PROBABILITY, NUMBER] | Annotated[several(PROBABILITY, 6), LIST], BY_KIND]
VARIANT = Literal["clip", "sum-then-clip", "noise-aware"]

# By name: the type, and one sentence.
PARAMETERS: Mapping[str, tuple[Any, str]] = {
    "prior": (
        vector(number(1e-06, 1_000_000_000), 100),
        "natural parameter η₀ of the conjugate prior; [6, 18] is Beta(6, 12)",
    ),
    "n": (whole(1, 1_000_000), "number of records"),
    "successes": (whole(0, 1_000_000), "number of records that are 1"),
    "rho": (PROBABILITIES, "population probability of a 1, or several of them"),
    "order": (number(None, 1e12, above=1), "Rényi order λ"),
    "orders": (several(number(None, 1e12, above=1), 5000), "Rényi orders λ"),
    "epsilons": (several(number(1e-300, 1_000_000), 1000), "privacy levels ε"),
    "scales": (several(number(1e-09, 1), 100), "values of r (Algorithm 2) or m (Algorithm 3)"),
    "runs": (whole(2, 1_000_000), "independent repetitions of an experiment; 10⁵ take minutes, 10⁶ may take hours"),
    "p": (PROBABILITY, "true probability of a 1"),
    "probabilities": (vector(PROBABILITY, 100), "true probabilities of several outcomes"),
    "epsilon": (number(1e-300, 1_000_000), "privacy level ε"),
    "truncation": (
        number(1e-300, None, below=0.5),
        "a₀, the least probability of an outcome under a truncated posterior",
    ),
    "repeats": (whole(2, 100_000), "independent repetitions; those of logs and optimisations take a second each"),
    "sizes": (several(whole(1, 1_000_000), 50), "numbers of records"),
    "steps": (whole(1, 1_000_000), "updates of a Markov chain"),
    "width": (number(1e-300, 1), "half-width of a symmetric proposal"),
    "log": (str, "the event log, a file of config/logs"),
    "logs": (several(str, 4), "the event logs, files of config/logs"),
    "rows": (number(0.001, 1), "the share of its rows that a simulated log has; a real one is read whole"),
    "states": (whole(2, 100), "states K of the hidden Markov model"),
    "alpha": (POSITIVE, "concentration α of the Dirichlet prior on transitions"),
    "beta": (POSITIVE, "concentration β of the Dirichlet prior on emissions"),
    "iterations": (whole(2, 100_000), "Gibbs iterations of a chain; 10⁴ of every chain take an hour"),
    "burn_in": (whole(0, 100_000), "iterations at the start of a chain that are not kept"),
    "multiplier": (number(None, 1_000_000, above=1), "M, which keeps a feature's probabilities above 1/(M K_d)"),
    "multipliers": (
        several(number(None, 1_000_000, above=1), 3),
        "values of M, which keeps probabilities above 1/(M K_d)",
    ),
    "variant": (VARIANT, "what is made of negative noisy counts"),
    "variants": (several(VARIANT, 3), "what is made of negative noisy counts, several ways"),
    "splits": (whole(2, 1000), "random splits into training and held-out cells"),
    "share": (number(0.001, None, below=1), "share of the cells that a split holds out"),
    "chains": (whole(2, 100), "independent chains on the same data"),
    "alphas": (several(POSITIVE, 50), "concentrations α of the Dirichlet prior on transitions"),
    "shapes": (vector(number(0.001, 1_000_000), 64), "shapes of a Dirichlet law"),
    "truncations": (
        several(number(1e-09, None, below=0.5), 50),
        "values of a₀, the least probability of a truncated law",
    ),
    "temperatures": (several(number(1, 1_000_000), 100), "temperatures T of Markov chains; 1 leaves the law as it is"),
    "delta": (number(1e-30, None, below=1), "δ of an (ε, δ) guarantee"),
    "deltas": (several(number(1e-30, 1), 1000), "values of δ, of (ε, δ) guarantees or of tails"),
    "distances": (several(whole(1, 100_000), 100), "numbers of samples by which two data sets differ"),
    "draws": (whole(100, 10_000_000), "number of draws of a release at each setting; 10⁶ take a second a mechanism"),
    "kernels": (whole(1, 100_000), "number of random Markov kernels; 10⁵ of 12 values take hours"),
    "kernel_sizes": (several(whole(2, 12), 11), "numbers of values that a finite Markov kernel acts on"),
    "noises": (several(number(0, 1), 1001), "probabilities that a value is replaced by a uniform one"),
    "bernoulli": (vector(number(0, 1), 100), "Pr(1) of Bernoulli profiles"),
    "categorical": (
        vector(vector(number(0, 1), 64), 100),
        "categorical profiles, as lists of probabilities, along a chain",
    ),
    "gaps": (several(number(0, 1), 1001), "differences p_j − p_i of two Bernoulli profiles"),
    "sensitivity": (number(1e-12, 1_000_000), "Δ, the distance between neighbours' results"),
    "first_scale": (POSITIVE, "λ₁, the scale of a mechanism's Laplace noise"),
    "second_scales": (several(POSITIVE, 6), "values of λ₂, the scale of Laplace noise added afterwards"),
    "sigma": (POSITIVE, "σ, the standard deviation of Gaussian noise"),
    "contractions": (several(number(1e-06, 1), 6), "Lipschitz constants L of iterated maps"),
    "lengths": (several(whole(1, 100_000), 100), "numbers of steps r of a noisy iteration"),
    "lipschitz": (POSITIVE, "C, the largest gradient of a loss"),
    "smoothness": (POSITIVE, "β, the Lipschitz constant of a loss's gradient"),
    "convexity": (POSITIVE, "ρ, the strong convexity of a loss"),
    "rate": (POSITIVE, "η, the step of gradient descent"),
    "dimension": (whole(1, 1000), "number of coefficients that are learned"),
    "dimensions": (several(whole(1, 1000), 50), "numbers of coefficients that are learned"),
    "chain": (whole(2, 1000), "number of profiles of a chain"),
    "chain_lengths": (several(whole(2, 100_000), 20), "numbers of profiles of chains"),
    "graphs": (several(whole(2, 1000), 20), "numbers of profiles of random graphs"),
    "categories": (whole(2, 64), "number of categories of a profile"),
    "degree": (number(0.01, 100), "average number of edges at a profile"),
    "algorithm": (Literal["diffused", "concentrated"], "which posterior of thesis section 5.3, Algorithm 2 or 3"),
    "family": (str, "the conjugate family, by its name in the registry"),
    "panel": (str, "the digitised panel of data/published that a figure is compared with"),
    "passage": (Literal["efficiency", "populations", "uniform prior"], "where thesis chapter 5 speaks of it"),
    "mechanism": (Literal["randomized-response", "smooth-one-bit", "smooth-categorical"], "the mechanism it is about"),
    "view": (Literal["states", "distributions", "estimates", "everything"], "what is shown of a fitted model"),
    "state": (whole(1, 100), "the number of one state, from the calmest on"),
    "dataset": (str, "the data set, a file of config/datasets"),
    "datasets": (several(str, 20), "data sets that designs are made of, files of config/datasets"),
    "queries": (whole(2, 12), "number of queries to a sparse vector"),
    "candidates": (whole(2, 50), "number of values whose noisy maximum is reported"),
    "kl_orders": (several(number(1, 1000), 50), "Rényi orders λ, of which 1 is KL"),
    "precisions": (several(number(0.05, 1000), 4), "values of κ, the precision of a Gaussian prior"),
    "weights": (several(number(1e-06, 1), 10), "values of ρ, for how much of a record each record counts"),
    "regularity": (number(1e-09, 1_000_000), "β of logistic regression, whose prior is N(0, (nβ)⁻¹ I)"),
    "score": (Literal["error", "nll"], "share of wrong labels, or negative log-likelihood per record"),
    "cells": (several(whole(2, 5), 4), "numbers of cells m of a partition"),
    "sample_sizes": (several(whole(1, 100), 12), "numbers of draws that an adversary has of one posterior"),
    "resolution": (whole(2, 8), "N, where all laws are looked at whose probabilities are multiples of 1/N"),
    "pairs": (whole(40, 20_000), "random pairs of laws"),
    "outcomes": (whole(2, 100), "number of parameters θ that a finite posterior is on"),
    "counts": (several(whole(1, 200_000), 50), "numbers k of releases, or of answers, that are composed"),
    "concentrations": (
        several(number(0.05, 1000), 12),
        "concentrations of a prior: λ of an exponential, α of a symmetric Beta one",
    ),
    "changes": (several(number(0.001, 1000), 12), "by how much one real record of two data sets differs"),
    "least_probabilities": (several(number(0.001, None, below=0.5), 12), "ε, the least probability of an event"),
    "lipschitz_levels": (several(number(0.001, 100), 50), "values of L up to which parameters count as smooth"),
    "trials": (several(whole(2, 200), 12), "numbers of trials n of one binomial record"),
    "posterior_draws": (several(whole(1, 10_000), 30), "numbers of posterior draws that an adversary sees"),
    "error_levels": (
        several(number(1e-30, None, below=0.5), 12),
        "values of δ, the error of who tells two data sets apart",
    ),
    "change": (number(0.001, 1000), "by how much one real record of two data sets differs"),
    "line_points": (several(whole(3, 6), 4), "numbers of points on a line whose functions are searched"),
    "height": (whole(1, 16), "the largest value of the functions that are searched, from 0 on"),
    "block_counts": (several(whole(1, 10_001), 50), "numbers of blocks k that records are parted into, odd"),
    "upper": (POSITIVE, "the upper end of the public interval [0, upper] that results are clipped to"),
    "outliers": (number(0, 1), "share of planted records that are outliers"),
    "denominators": (several(whole(1, 6), 6), "denominators of the probabilities of finite laws"),
    "subset_queries": (several(whole(1, 20), 10), "numbers of sums over random subsets, for each record"),
    "noise_shares": (several(number(0, 100), 20), "largest noise of a subset sum, over √n"),
    "n_lambdas": (several(number(0.001, 1_000_000), 6), "nΛ, records times the strength of a regulariser"),
    "hinge_width": (number(0.03125, 1), "h, within which of 1 the corner of a hinge loss is rounded off"),
    "regularisation": (number(1e-06, 100), "Λ of the regulariser Λ‖w‖²/2 beside a mean loss"),
    "repeats_large": (whole(2, 1000), "independent repetitions where a data set has 10 000 rows or more"),
    "planted_rows": (whole(10, 20_000), "rows of a planted data set that is learnt from, and as many to test with"),
    "planted_dimension": (whole(1, 200), "features of a planted data set"),
    "feature_counts": (several(whole(1, 5000), 10), "numbers D of random Fourier features"),
    "bins": (whole(1, 1000), "bins of equal width that a number's public range is cut into"),
    "smoothing": (POSITIVE, "what is added to every count before it is divided"),
    "published_epsilons": (several(number(1e-06, 1000), 10), "privacy levels ε at which an error of others is known"),
    "trees": (whole(2, 100), "number of random trees"),
    "depth": (whole(1, 14), "depth of complete random trees"),
    "rounds": (whole(1, 1000), "rounds of boosting over all columns"),
    "segments": (whole(1, 1000), "runs of a number's bins that one step of boosting tells apart"),
    "shrinkage": (number(0, 1_000_000), "standard deviations of noise that are added to a segment's number of rows"),
    "starts": (whole(10, 1_000_000), "random starts of a search for the worst pair of records or of neighbours"),
    "clusters": (whole(2, 50), "number of centres that are learned"),
    "update_counts": (several(whole(2, 16_384), 20), "numbers of batches, after each of which a posterior is updated"),
    "batches": (several(whole(1, 1_000_000), 10), "expected numbers of rows in a Poisson batch"),
    "epochs": (whole(1, 1000), "how often each row is expected in a batch; 10 of 30 000 rows take a second a run"),
    "interval": (number(1e-05, 0.1), "distance of the losses on the grid of an accountant; memory grows as it falls"),
    "points": (whole(1024, 4_194_304), "points of the Fourier transform of a sum of losses; 2²² take 20 seconds"),
    "gammas": (several(number(1e-12, 0.99), 50), "probabilities γ with which tuning ends after each run"),
    "gamma": (number(0.01, 0.99), "the γ of tuned learners, which run 1/γ times on average"),
    "clips": (several(POSITIVE, 50), "lengths to which gradients are clipped, among which tuning chooses"),
    "sampling": (number(1e-06, 1), "probability q with which a row is in a secret batch"),
}


@cache
def checks(name: str) -> TypeAdapter[Any]:
    """Return what checks the values of a parameter."""
    return TypeAdapter(PARAMETERS[name][0], config=ConfigDict(strict=True))


def schema() -> dict[str, Any]:
    """Return the JSON schema of a mapping of parameters."""
    told = {name: {"description": about, **checks(name).json_schema()} for name, (_, about) in PARAMETERS.items()}
    return {"title": "parameters of experiments", "type": "object", "properties": told, "additionalProperties": False}


def page() -> str:
    """Return the table of all parameters, in Markdown."""
    rows = [
        f"| `{name}` | {about} | {allowed(checks(name).json_schema())} |" for name, (_, about) in PARAMETERS.items()
    ]
    return "\n".join(["| parameter | what it is | what it may be |", "|---|---|---|", *rows])
