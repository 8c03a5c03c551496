r"""True δ beside the δ that Proposition 3.19 claims, for pairs, functions and levels, in three conventions.

    neighbours         δ at ε for pairs at distance 1, the usual definition
    definition 2.15    δ at dε for pairs at any distance d, the review's own
    any distance       δ at ε for pairs at any distance

Beside it the noise of the smooth sensitivity and ordinary noise of the global κ, for the same (ε, δ), and the least
ordinary noise for the (ε, δ) that the localized one truly has. Every δ is a closed form in balls.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtr

from dpsampling.foundations import gaussian_pair, laplace_pair
from dpsampling.foundations.finite_metric import FiniteFunction, on_a_line
from dpsampling.foundations.localized_exponential import true_epsilon
from dpsampling.foundations.localized_gaussian import LocalizedGaussian
from dpsampling.foundations.noise import classical_sigma
from dpsampling.foundations.smooth_noise import SmoothCauchy, SmoothGaussian, SmoothLaplace
from dpsampling.foundations.smooth_sensitivity import smooth_sensitivities
from dpsampling.privacy.gaussian_dp import largest_mu
from reproduction.experiments.foundations import localized as said

CONSTANTS_ADDED = 41  # to the score of one output
DIMENSIONS = (1, 8)
Row = dict[str, Any]


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """A row for each worst pair, and for each pair at one level; nothing here is random."""
    del rng
    rows: list[Row] = []
    for epsilon, delta in product(params["epsilons"], params["deltas"]):
        smooth = SmoothGaussian.calibrate(epsilon=epsilon, delta=delta)
        for name, values in said.FUNCTIONS.items():
            rows += _worst_pairs(name, on_a_line(values), smooth, epsilon, delta)
    for name, values in said.FUNCTIONS.items():
        function = on_a_line(values)
        mechanism = LocalizedGaussian(function, params["epsilon"], params["delta"])
        for convention in said.CONVENTIONS:
            pairs = _pairs(function, mechanism.sigmas, convention, params["epsilon"], params["delta"])
            rows += [_named(row, said.PAIRS, name, said.LOCALIZED) for row in pairs]
    rows += _searched(params["line_points"], params["height"], params["epsilon"], params["delta"])
    rows += _constants(params["epsilons"], params["deltas"])
    rows += _tails(params["epsilon"], params["deltas"])
    rows += _others(params["epsilon"])
    return pd.DataFrame([{"cases": 1, **row} for row in rows]).reindex(columns=list(said.COLUMNS))


def _worst_pairs(
    name: str, function: FiniteFunction, smooth: SmoothGaussian, epsilon: float, delta: float
) -> Iterator[Row]:
    """The worst pair of each mechanism in each convention."""
    localized = LocalizedGaussian(function, epsilon, delta)
    ordinary = classical_sigma(1.0, epsilon, delta) * float(function.lipschitz)
    noises = {
        said.LOCALIZED: localized.sigmas,
        said.SMOOTH: tuple((smooth_sensitivities(function, smooth.beta) / smooth.alpha).tolist()),
        said.ORDINARY: (ordinary,) * len(function.values),
    }
    for mechanism, sigmas in noises.items():
        for convention in said.CONVENTIONS:
            worst = max(_pairs(function, sigmas, convention, epsilon, delta), key=lambda row: row["delta_true"])
            yield _named(worst, said.MAP, name, mechanism)
    least = float(function.sensitivity) / largest_mu(epsilon, localized.guarantee.delta)
    sigmas = (least,) * len(function.values)
    worst = max(_pairs(function, sigmas, said.NEIGHBOURS, epsilon, delta), key=lambda row: row["delta_true"])
    yield _named(worst, said.MAP, name, said.AS_PRIVATE)


def _pairs(
    function: FiniteFunction, sigmas: Sequence[float], convention: str, epsilon: float, delta: float
) -> Iterator[Row]:
    for x, y in function.neighbours if convention == said.NEIGHBOURS else function.pairs:
        distance = float(function.distances[x][y])
        level = distance * epsilon if convention == said.OWN else epsilon
        shift = function.values[x] - function.values[y]
        true = gaussian_pair.delta(shift, sigmas[x], sigmas[y], level).upper
        yield {
            "convention": convention,
            "epsilon": epsilon,
            "delta_claimed": delta,
            "distance": distance,
            **_of_pair(x, y, function.values, sigmas),
            "rms_sigma": math.sqrt(sum(s * s for s in sigmas) / len(sigmas)),
            "delta_true": true,
            "ratio": true / delta,
            "floor": gaussian_pair.floor(sigmas[x] / sigmas[y], level).upper,
        }


def _searched(line_points: Sequence[int], height: int, epsilon: float, delta: float) -> Iterator[Row]:
    """The worst neighbours of each search, then the most that Definition 2.9 allows neighbours: noise three times as
    wide, and a shift of the lesser κ.
    """
    scale = classical_sigma(1.0, epsilon, delta)
    allowed = {
        "function": said.BOUND,
        "first_centre": 1.0,
        "second_centre": 0.0,
        "first_sigma": 3 * scale,
        "second_sigma": scale,
        "delta_true": gaussian_pair.delta(1, 3 * scale, scale, epsilon).upper,
        "floor": gaussian_pair.floor(3, epsilon).upper,
    }
    about = {"convention": said.NEIGHBOURS, "epsilon": epsilon, "delta_claimed": delta, "distance": 1.0}
    for row in (*(_worst(points, height, scale, epsilon) for points in line_points), allowed):
        yield _named({**about, **row, "ratio": row["delta_true"] / delta}, said.SEARCH, row["function"], said.LOCALIZED)


def _worst(points: int, height: int, scale: float, epsilon: float) -> Row:
    """The largest δ of neighbours over all functions of so many points on a line with values 0 … height."""
    best: Row = {"delta_true": -1.0}
    cases = 0
    deltas: dict[tuple[Any, ...], float] = {}
    for values in product(range(height + 1), repeat=points):
        if min(values) > 0 or max(values) == 0:
            continue  # a shift of another, or a constant
        function = on_a_line(values)
        kappa = function.local_lipschitz
        for x, y in function.neighbours:
            cases += 1
            # The pair's δ does not change with the unit of the values.
            kind = (function.change(x, y) / kappa[y], kappa[x] / kappa[y])
            if kind not in deltas:
                deltas[kind] = gaussian_pair.delta(kind[0], float(kind[1]) * scale, scale, epsilon).upper
            if deltas[kind] > best["delta_true"]:
                best = {
                    "function": ", ".join(map(str, values)),
                    **_of_pair(x, y, values, [scale * float(k) for k in kappa]),
                    "delta_true": deltas[kind],
                    "floor": gaussian_pair.floor(kind[1], epsilon).upper,
                }
    return {**best, "cases": cases}


def _constants(epsilons: Sequence[float], deltas: Sequence[float]) -> Iterator[Row]:
    """Compare the usual constants of smooth noise, over all functions: first their noise, second the least."""
    for epsilon in epsilons:
        usual, least = SmoothCauchy.usual(epsilon), SmoothCauchy.calibrate(epsilon=epsilon, beta=epsilon / 6.0)
        sigmas = {"first_sigma": 1.0 / usual.alpha, "second_sigma": 1.0 / least.alpha}
        row = {"epsilon": epsilon, **sigmas, "epsilon_true": usual.guarantee.epsilon}
        yield _named(row, said.CONSTANTS, "Cauchy", said.USUAL)
        for delta, kind in product(deltas, (SmoothLaplace, SmoothGaussian)):
            fixed, fitted = kind.usual(epsilon, delta), kind.calibrate(epsilon=epsilon, delta=delta)
            sigmas = {"first_sigma": 1.0 / fixed.alpha, "second_sigma": 1.0 / fitted.alpha}
            true = {"delta_true": fixed.guarantee.delta, "ratio": fixed.guarantee.delta / delta}
            row = {"epsilon": epsilon, "delta_claimed": delta, **sigmas, **true}
            yield _named(row, said.CONSTANTS, kind.__name__.removeprefix("Smooth"), said.USUAL)


def _tails(epsilon: float, deltas: Sequence[float]) -> Iterator[Row]:
    """Pr(max_j |N_j| ≥ σ(x)√(2 ln(k/δ))) of k coordinates, exactly, beside δ: the threshold is in `first_centre`."""
    for (name, values), delta, k in product(said.FUNCTIONS.items(), deltas, DIMENSIONS):
        for x, sigma in enumerate(LocalizedGaussian(on_a_line(values), epsilon, delta).sigmas):
            threshold = sigma * math.sqrt(2.0 * math.log(k / delta))
            exact = -math.expm1(k * math.log1p(-2.0 * float(ndtr(-threshold / sigma))))
            about = {"epsilon": epsilon, "delta_claimed": delta, "pair": f"{x}, {k} numbers", "first_sigma": sigma}
            row = {**about, "first_centre": threshold, "delta_true": exact, "ratio": exact / delta}
            yield _named(row, said.TAIL, name, said.LOCALIZED)


def _others(epsilon: float) -> Iterator[Row]:
    """Laplace noise of scale κ(x)/ε, exponential rates ε/(2κ(x)) for scores f + C and 0, on the smallest example."""
    function = on_a_line(said.FUNCTIONS[said.SMALLEST])
    about = {"convention": said.NEIGHBOURS, "epsilon": epsilon}
    scales = [float(kappa) / epsilon for kappa in function.local_lipschitz]
    for x, y in function.neighbours:
        shift = function.values[x] - function.values[y]
        row = {
            **about,
            "distance": 1.0,
            **_of_pair(x, y, function.values, scales),
            "delta_true": laplace_pair.delta(shift, scales[x], scales[y], epsilon).upper,
            "epsilon_true": laplace_pair.epsilon(shift, scales[x], scales[y]),
        }
        yield _named(row, said.OTHERS, said.SMALLEST, said.LAPLACE)
    for constant in range(CONSTANTS_ADDED):
        level = true_epsilon([(float(v) + constant, 0.0) for v in function.values], epsilon)
        row = {**about, "pair": "0 → 1", "first_centre": float(constant), "epsilon_true": level}
        yield _named(row, said.OTHERS, said.SMALLEST, said.EXPONENTIAL)


def _of_pair(x: int, y: int, values: Sequence[Any], sigmas: Sequence[float]) -> Row:
    centres = {"first_centre": float(values[x]), "second_centre": float(values[y])}
    return {"pair": f"{x} → {y}", **centres, "first_sigma": sigmas[x], "second_sigma": sigmas[y]}


def _named(row: Row, view: str, function: str, mechanism: str) -> Row:
    return {**row, "view": view, "function": function, "mechanism": mechanism}
