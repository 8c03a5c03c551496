r"""Both sides of the small statements of thesis sections 6.1 to 6.3, on random finite kernels and pairs of laws.

    D_{e^ε}(μ‖ν) = Σ [dμ/dν − e^ε]_+ ν = Σ [μ − e^ε ν]_+ = max_E μ(E) − e^ε ν(E) = 1 − Σ min(μ, e^ε ν)
    μ = (1−θ)ω + θμ′,  ν = e^{−ε}(1−θ)ω + (1 − e^{−ε}(1−θ))ν′,  θ = D_{e^ε}(μ‖ν),  μ′ ⊥ ν′
    μ − e^ε ν = θ(μ′ − e^{ε̃}ν′),  ε̃ = ln(1 + (e^ε − 1)/θ)
    D_{e^{ε′}}((1−γ)ω + γμ ‖ (1−γ)ω + γν) = γ D_{e^ε}(μ ‖ (1−β)ω + βν),  e^{ε′} = 1 + γ(e^ε − 1),  β = e^{ε′−ε}

A row is the worst of all cases of its kind: the largest left/right of an inequality, the largest |left − right| of an
equality. Events are all enumerated.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.special import ndtr, rel_entr

from dpsampling.amplification.kernels import Kernel
from dpsampling.amplification.mixing import by_dobrushin, by_doeblin, by_ultra_mixing, doeblin_witness
from dpsampling.numerics.randomness import substream
from reproduction.experiments.amplification import divergences as said
from reproduction.experiments.amplification.random_kernels import event_probabilities, kernels
from reproduction.experiments.cases import worst

Array = NDArray[np.float64]
Row = tuple[str, str, float, float, float, int]

LEVELS = (0.25, 1.0, 2.5)  # ε
ORDERS = (1.25, 2.0, 8.0)  # of Rényi divergences
DELTAS = (0.0, 0.01, 0.1)  # of the mechanism before a kernel
GAMMAS = np.round(np.linspace(0.05, 0.95, 19), 2)
DISTANCES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)  # of two inputs on the line, in units of the noise
EQUALITIES = (
    *(said.EVENTS, said.QUOTIENTS, said.OVERLAP, said.MIXTURE),
    *(said.REMAINDER, said.DISJOINT, said.ADVANCED, said.RESIDUAL),
)


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Finite kernels first, then the two kernels on the line, then the bounds of Theorem 15 beside one another."""
    sides: dict[tuple[str, str], list[tuple[float, float]]] = defaultdict(list)
    draws = substream(rng, "laws")
    for kernel in kernels(params["kernels"], params["kernel_sizes"], substream(rng, "kernels")):
        for statement, what, left, right in _finite(kernel, draws):
            sides[statement, what].append((left, right))
    finite = (
        (statement, what, 0.0, *worst(cases, equality=statement in EQUALITIES))
        for (statement, what), cases in sides.items()
    )
    return pd.DataFrame([*finite, *_on_the_line(), *_bounds()], columns=list(said.COLUMNS))


# -- finite kernels ----------------------------------------------------------------------------------------------------


def hockey_stick(p: Array, q: Array, epsilon: float) -> Array:
    """Σ [p − e^ε q]_+ along the last axis."""
    return np.asarray(np.maximum(p - math.exp(epsilon) * q, 0.0).sum(axis=-1))


def _csiszar(p: Array, q: Array) -> dict[str, Array]:
    """Csiszár divergences along the last axis, infinite where they are."""
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.where(q > 0, (p - q) ** 2 / q, np.where(p > 0, np.inf, 0.0))
    return {
        "total variation": np.abs(p - q).sum(axis=-1) / 2.0,
        "hockey-stick": hockey_stick(p, q, 1.0),
        "KL": rel_entr(p, q).sum(axis=-1),
        "chi-square": squares.sum(axis=-1),
        "Hellinger": ((np.sqrt(p) - np.sqrt(q)) ** 2).sum(axis=-1),
    }


def renyi(p: Array, q: Array, order: float) -> float:
    """ln(Σ p^α q^{1−α})/(α − 1) on the support of p."""
    on = p > 0
    if np.any(q[on] == 0):
        return math.inf
    exponents = order * np.log(p[on]) + (1.0 - order) * np.log(q[on])
    return float(max(0.0, np.logaddexp.reduce(exponents) / (order - 1.0)))


def _laws(size: int, rng: np.random.Generator) -> Array:
    """Four laws, of which some have atoms that others do not have."""
    weights = rng.dirichlet(np.full(size, rng.choice([0.3, 1.0, 3.0])), 4)
    if rng.random() < 0.5:
        weights = weights * (rng.random((4, size)) < 0.7)
        weights[np.arange(4), rng.integers(size, size=4)] += 0.05
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _finite(kernel: Kernel, rng: np.random.Generator) -> Iterator[tuple[str, str, float, float]]:
    size = len(kernel.rows)
    mu, nu, omega, other = _laws(size, rng)
    epsilon, share = float(rng.choice(LEVELS)), float(rng.uniform(0.05, 0.95))
    yield from _forms(mu, nu, epsilon)
    for name, (whole, parts) in _mixed(mu, nu, omega, other, share).items():
        yield said.CONVEX, name, whole, parts
    before, after = _csiszar(mu, nu), _csiszar(mu @ kernel.rows, nu @ kernel.rows)
    events = event_probabilities(kernel)
    total = float((events.max(axis=0) - events.min(axis=0)).max())
    for name, value in before.items():
        yield said.PROCESSED, name, float(after[name]), float(value)
        yield said.CONTRACTION, name, float(after[name]), total * float(value) if value > 0 else 0.0
    for order in ORDERS:
        after_it = renyi(mu @ kernel.rows, nu @ kernel.rows, order)
        yield said.RENYI_PROCESSED, f"order {order:g}", after_it, renyi(mu, nu, order)
    yield from _decomposed(kernel.rows, mu, nu, epsilon)
    yield from _residual(kernel, mu, nu, omega, epsilon)


def _forms(mu: Array, nu: Array, epsilon: float) -> Iterator[tuple[str, str, float, float]]:
    """The hockey-stick divergence as a sum over values, over events and as what is not shared."""
    by_values, factor = float(hockey_stick(mu, nu, epsilon)), math.exp(epsilon)
    events = np.array(np.meshgrid(*[[0.0, 1.0]] * len(mu))).reshape(len(mu), -1)
    yield said.EVENTS, "all pairs", by_values, float((mu @ events - factor * (nu @ events)).max())
    yield said.OVERLAP, "all pairs", by_values, 1.0 - float(np.minimum(mu, factor * nu).sum())
    on = nu > 0
    if not np.any(mu[~on] > 0):
        quotients = np.maximum(mu[on] / nu[on] - factor, 0.0)
        yield said.QUOTIENTS, "μ ≪ ν", float(quotients @ nu[on]), by_values


def _mixed(mu: Array, nu: Array, omega: Array, other: Array, share: float) -> dict[str, tuple[float, float]]:
    """Of two mixtures with one weight: the divergence of the mixtures, and the mixture of the divergences."""
    first, second = _csiszar(mu, nu), _csiszar(omega, other)
    whole = _csiszar((1.0 - share) * mu + share * omega, (1.0 - share) * nu + share * other)
    return {name: (float(whole[name]), float((1.0 - share) * first[name] + share * second[name])) for name in whole}


def _decomposed(rows: Array, mu: Array, nu: Array, epsilon: float) -> Iterator[tuple[str, str, float, float]]:
    """Lemma 2 and the steps of Theorem 17."""
    factor = math.exp(epsilon)
    theta = float(hockey_stick(mu, nu, epsilon))
    if not 1e-6 < theta < 1.0 - 1e-6:  # nothing to decompose, or nothing shared
        return
    shared = np.minimum(mu, factor * nu) / (1.0 - theta)
    mu_left, nu_left = mu - (1.0 - theta) * shared, nu - (1.0 - theta) / factor * shared
    rest = 1.0 - (1.0 - theta) / factor
    yield said.MIXTURE, "weights", float(mu_left.sum() + nu_left.sum()), theta + rest
    yield said.DISJOINT, "μ′ ⊥ ν′", float(np.minimum(mu_left, nu_left).sum()), 0.0
    mu_rest, nu_rest = mu_left / theta, nu_left / rest
    level = math.log1p(math.expm1(epsilon) / theta)
    difference = theta * (mu_rest - math.exp(level) * nu_rest)
    yield said.REMAINDER, "values", float(np.abs(mu - factor * nu - difference).max()), 0.0
    largest = float(max(hockey_stick(a, b, level) for a in rows for b in rows))
    yield said.POINT_MASSES, "remainders", float(hockey_stick(mu_rest @ rows, nu_rest @ rows, level)), largest
    after = float(hockey_stick(mu @ rows, nu @ rows, epsilon))
    yield said.LAST_PRINTED, "level ε′", after, largest * float(hockey_stick(mu, nu, level))
    yield said.LAST, "level ε", after, largest * theta


def _residual(
    kernel: Kernel, mu: Array, nu: Array, omega: Array, epsilon: float
) -> Iterator[tuple[str, str, float, float]]:
    """Advanced joint convexity at Doeblin's γ; below an ultra-mixing kernel; (6.1)."""
    rows = kernel.rows
    gamma = 1.0 - float(rows.min(axis=0).sum())
    if gamma > 1e-6:
        witness = doeblin_witness(kernel)
        residual = (rows - (1.0 - gamma) * witness) / gamma
        level = math.log1p(gamma * math.expm1(epsilon))
        beta = math.exp(level - epsilon)
        left = float(hockey_stick(mu @ rows, nu @ rows, level))
        part = hockey_stick(mu @ residual, (1.0 - beta) * witness + beta * nu @ residual, epsilon)
        yield said.ADVANCED, "Doeblin's γ", left, gamma * float(part)
    if rows.min() > 0:
        least = float((rows.min(axis=0) / rows.max(axis=0)).min())  # 1 − γ
        mixed = omega @ rows
        support = rows[omega > 0]
        yield said.MINORISED, "(1−γ)ωK over K(x)", float((least * mixed / support).max()), 1.0
        if 1.0 - least > 1e-3:
            back = omega @ ((rows - least * mixed) / (1.0 - least))
            yield said.RESIDUAL, "ω̃K̃ and ω", float(np.abs(back - mixed).max()), 0.0


# -- the line ----------------------------------------------------------------------------------------------------------


def _on_the_line() -> Iterator[Row]:
    """Of two inputs at a distance: what they have apart; and Lemma 3 of two Gaussian laws, by quadrature."""
    for z in DISTANCES:
        half = z / 2.0
        gaussian = {
            said.TOTAL: 2.0 * ndtr(half) - 1.0,
            said.LEVEL: ndtr(half - 1.0 / z) - math.e * ndtr(-half - 1.0 / z),
            said.RATIO: 1.0,  # the quotient of the densities has no bound
        }
        laplace = {
            said.TOTAL: -math.expm1(-half),
            said.LEVEL: max(0.0, -math.expm1((1.0 - z) / 2.0)),
            said.RATIO: -math.expm1(-z),
        }
        for noise, values in ((said.GAUSSIAN, gaussian), (said.LAPLACE, laplace)):
            for condition, value in values.items():
                yield said.APART, f"{noise}, {condition}", z, float(value), 1.0, 1
        yield said.GAUSSIAN_OVERLAP, "ε = 1", z, 1.0 - _shared(z), float(gaussian[said.LEVEL]), 1


def _shared(z: float) -> float:
    """∫ min(p, e·q) of N(z, 1) and N(0, 1), in two parts that meet where both are the same."""
    meet = z / 2.0 + 1.0 / z

    def least(t: float) -> float:
        return min(math.exp(-((t - z) ** 2) / 2.0), math.exp(1.0 - t**2 / 2.0)) / math.sqrt(2.0 * math.pi)

    below, above = quad(least, meet - 40.0, meet)[0], quad(least, meet, meet + 40.0)[0]
    return float(below + above)


# -- Theorem 15 --------------------------------------------------------------------------------------------------------


def _bounds() -> Iterator[Row]:
    """δ′ of one form of Theorem 15 against that of another, at one γ, ε = 1 and every δ."""
    for gamma in GAMMAS.tolist():
        for delta in DELTAS:
            bounds = by_dobrushin, by_dobrushin, by_doeblin, by_ultra_mixing  # the second at its own coefficient
            names = said.FIRST, said.SECOND, said.THIRD, said.FOURTH
            forms = {name: bound(1.0, delta, gamma)[1] for name, bound in zip(names, bounds, strict=True)}
            for statement, later, earlier in (
                (said.STRONGER_PRINTED, said.THIRD, said.SECOND),
                (said.STRONGER, said.SECOND, said.FIRST),
                (said.STRONGER, said.FOURTH, said.SECOND),
                (said.STRONGER, said.FOURTH, said.THIRD),
            ):
                yield statement, f"{later} and {earlier}, δ = {delta:g}", gamma, forms[later], forms[earlier], 1
