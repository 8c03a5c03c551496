r"""Algorithms 1–3 and 4, exposed: a few records under a weak prior, every data set, every neighbour.

θ itself is what is released, and only prior and weights hide anything: three bits under Beta(1, 2), where all four
end pairs of Corollary 16 differ; one clipped number; two records of three categories; one predicate with a value in
[0, 1]. Beside them stands each with `MANY` records, most of them alike, of which draws tell more when a record or the
prior weighs wrongly. The posterior itself has λ* = 1 + min(α₀, β₀): its prior is `REACH`·λ times as strong.

A Dirichlet is drawn as a whole and looked at in stick-breaking coordinates,

    t₁ = ln ρ₁/(1 − ρ₁),    t₂ = ln ρ₂/ρ₃,         independent logits of Beta(α₁, α₂ + α₃) and Beta(α₂, α₃).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.special import log_expit

from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.beta_pair import worst_case_delta
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.known_laws import logit_beta, normal
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior, WeightedPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, Pair, all_pairs, both_ways
from dpsampling.privacy.guarantee import Approximate
from dpsampling.privacy.laws import Independent, OnLine

AT_THE_POLE = "next to its pole the level jumps by the rest of the promise between neighbouring floats of the scale"
FAMILIES = ("beta-bernoulli", "gaussian-mean", "dirichlet-categorical")  # that are looked at here
Weights = Callable[[float], tuple[float, float]]  # data and prior weight of a lie by this factor

BITS, WEAK = 3, (1.0, 3.0)  # records, and Beta(1, 2)
REACH = 1.3  # of λ, for the posterior itself
MANY = 200  # records of which draws tell more
BOUND = 1.0
NUMBERS = {1: (3.0, 0.5), MANY: (0.01, 200.0)}  # σ² and N₀, such that neither records nor prior drown the other
CATEGORIES = (1.0, 2.0, 4.5)  # α = 1, 2, 1.5
VALUES = (0.0, 0.25, 0.5, 0.75, 1.0)


def audit_cases(algorithm: type[WeightedPosterior], order: float, epsilon: float) -> list[AuditCase]:
    """One algorithm in every family, and its exact δ where θ is one logit."""
    return [
        *_bits(algorithm, BITS, order, epsilon),
        *_bits(algorithm, MANY, order, epsilon),
        _numbers(algorithm, 1, order, epsilon),
        _numbers(algorithm, MANY, order, epsilon),
        _categories(algorithm, 2, order, epsilon),
        _categories(algorithm, MANY, order, epsilon),
    ]


HALVINGS = 40  # of the panels towards ρ = 0; below them ρ is a power


def query(order: float, epsilon: float) -> list[AuditCase]:
    """Algorithm 4 on one record, whose predicate may have any value in [0, 1]; the released number is ρ itself."""
    mechanism = StatisticalQuery.calibrate(WEAK, 1, order=order, epsilon=epsilon)
    m, (alpha, total) = mechanism.posterior.scale, WEAK
    # Cuts as wide as the law.
    mean, wide = alpha / total, (total / m) ** -0.5
    bends = tuple(x for x in (mean + wide * np.arange(-6.0, 7.0, 2.0)).tolist() if 0 < x < 1)

    def lie(factor: float) -> Laws:
        def on_rho(theta: OnLine) -> OnLine:
            def log_density(rho: Array) -> Array:
                logit = np.log(rho) - np.log1p(-rho)
                return theta.log_density(logit) - np.log(rho) - np.log1p(-rho)

            def draw(rng: np.random.Generator, size: int) -> Array:
                return np.exp(log_expit(theta.sample(rng, size)))

            return OnLine(log_density, draw, 0.0, 1.0, (), bends, HALVINGS, theta.tails)

        weight = 1.0 / (m * factor)
        return {
            _name("φ", v): on_rho(logit_beta(alpha * weight + v, (total - alpha) * weight + 1.0 - v)) for v in VALUES
        }

    def without_jacobian() -> Laws:
        return {
            name: replace(law, log_density=partial(_of_theta, mechanism, v), tails=None)
            for (name, law), v in zip(laws.items(), VALUES, strict=True)
        }

    laws = {
        _name("φ", v): OnLine(
            partial(mechanism.log_density, statistic=v),
            partial(mechanism.simulate, v),
            0.0,
            1.0,
            (),
            bends,
            HALVINGS,
            _shapes(mechanism.posterior, v),
        )
        for v in VALUES
    }
    return [
        AuditCase(
            "ρ, n = 1, Beta(1, 2)",
            mechanism.guarantee,
            laws,
            all_pairs(laws),
            {"prior": lie},
            {"Jacobian dropped": without_jacobian},
            _named(mechanism, order, "φ"),
            AT_THE_POLE,
        )
    ]


def _of_theta(mechanism: StatisticalQuery, value: float, rho: Array) -> Array:
    """The density of θ at θ(ρ), taken for that of ρ."""
    return mechanism.log_density(rho, value) + np.log(rho) + np.log1p(-rho)


def _bits(algorithm: type[WeightedPosterior], n: int, order: float, epsilon: float) -> list[AuditCase]:
    """Every data set of a few bits, with the exact δ at their level; or of many those at the ends and in the middle."""
    family, prior = BetaBernoulli(), (REACH * order, 2.5 * REACH * order) if algorithm is DirectPosterior else WEAK
    mechanism = _built(algorithm, family, prior, n, order, epsilon)
    alpha, beta = prior[0], prior[1] - prior[0]
    steps = sorted({0, n // 2, n - 1} if n > BITS else range(n))  # s and s + 1 are neighbours
    values = sorted({*steps, *(s + 1 for s in steps)})

    def lied(weights: Weights) -> Callable[[float], Laws]:
        def laws(factor: float) -> Laws:
            r, w = weights(factor)
            return {_name("s", s): logit_beta(w * alpha + r * s, w * beta + r * (n - s)) for s in values}

        return laws

    def without_jacobian() -> Laws:
        return {name: OnLine(partial(_of_rho, law), law.draw) for name, law in laws.items()}

    laws = {_name("s", s): replace(_of(mechanism, float(s)), tails=_shapes(mechanism, float(s))) for s in values}
    pairs = both_ways(*((_name("s", s), _name("s", s + 1)) for s in steps))
    what = f"n = {n}, Beta({alpha:g}, {beta:g})"
    lies = {name: lied(weights) for name, weights in _knobs(algorithm, mechanism.scale).items()}
    rho = {"Jacobian dropped": without_jacobian}
    named = _named(mechanism, order, "s")
    renyi = AuditCase(f"bits, {what}", mechanism.guarantee, laws, pairs, lies, rho, named, AT_THE_POLE)
    if n > BITS:
        return [renyi]
    weights = {key: float(value) for key, value in algorithm.weights(mechanism.scale).items()}
    level = mechanism.guarantee.epsilon(order)
    delta = worst_case_delta(prior, n, level, **weights)
    return [renyi, AuditCase(f"bits, exact δ, {what}", Approximate(level, delta), laws, pairs, lies)]


def _numbers(algorithm: type[WeightedPosterior], n: int, order: float, epsilon: float) -> AuditCase:
    """One clipped record, the others all Δ; a clip at f·Δ instead of Δ lets records of f·Δ in."""
    variance, prior = NUMBERS[n]
    mechanism = _built(algorithm, GaussianMean(variance, BOUND), (0.0, prior), n, order, epsilon)
    sums = [(n - 1) * BOUND + x for x in (-BOUND, -BOUND / 2.0, 0.0, BOUND / 2.0, BOUND)]

    def lied(weights: Weights, reach: Callable[[float], float]) -> Callable[[float], Laws]:
        def laws(factor: float) -> Laws:
            r, w = weights(factor)
            precision = variance * (w * prior + r * n)
            return {_name("Σx", x): normal(r * x * reach(factor) / precision, precision**-0.5) for x in sums}

        return laws

    laws = {_name("Σx", x): _of(mechanism, x) for x in sums}
    lies = {name: lied(weights, lambda _: 1.0) for name, weights in _knobs(algorithm, mechanism.scale).items()}
    honest = _weights(algorithm, mechanism.scale)
    lies["clipping bound"] = lied(lambda _: honest, lambda factor: factor)
    return AuditCase(
        f"clipped numbers, n = {n}, N₀ = {prior:g}",
        mechanism.guarantee,
        laws,
        all_pairs(laws),
        lies,
        named=_named(mechanism, order, "Σx") if n == 1 else None,
    )


def _categories(algorithm: type[WeightedPosterior], n: int, order: float, epsilon: float) -> AuditCase:
    """Every vector of counts of two records in three categories, or one record besides many in the commonest."""
    family = DirichletCategorical()
    prior = tuple(REACH * order * a for a in CATEGORIES) if algorithm is DirectPosterior else CATEGORIES
    mechanism = _built(algorithm, family, prior, n, order, epsilon)
    alphas = np.array([prior[0], prior[1], prior[2] - prior[0] - prior[1]])
    counts = [np.array([i, j, 2 - i - j], dtype=float) for i in range(3) for j in range(3 - i)]
    if n > 2:
        counts = [(n - 1.0) * np.eye(3)[np.argmax(alphas)] + np.eye(3)[i] for i in range(3)]

    def name(count: Array) -> str:
        return "c = " + " ".join(f"{c:g}" for c in count)

    def parts(r: float, w: float, count: Array) -> tuple[OnLine, OnLine]:
        a = w * alphas + r * count
        return logit_beta(a[0], a[1] + a[2]), logit_beta(a[1], a[2])

    def lied(weights: Weights) -> Callable[[float], Laws]:
        return lambda factor: {name(c): Independent(parts(*weights(factor), c)) for c in counts}

    honest = _weights(algorithm, mechanism.scale)
    laws = {name(c): Independent(parts(*honest, c), partial(_sticks, mechanism, c[:2])) for c in counts}
    pairs = tuple((name(a), name(b)) for a in counts for b in counts if np.abs(a - b).sum() == 2)
    worst = tuple(name(np.array([*s[:2], n - s[0] - s[1]])) for s in mechanism.worst_pair(order))
    return AuditCase(
        f"three categories, n = {n}, Dirichlet({', '.join(f'{a:g}' for a in alphas)})",
        mechanism.guarantee,
        laws,
        pairs,
        {name: lied(weights) for name, weights in _knobs(algorithm, mechanism.scale).items()},
        named=(worst[0], worst[1]),
        loose=AT_THE_POLE,
    )


def _built(
    algorithm: type[WeightedPosterior], family: Any, prior: tuple[float, ...], n: int, order: float, epsilon: float
) -> WeightedPosterior:
    if algorithm is DirectPosterior:
        return DirectPosterior(family, prior, n)
    return algorithm.calibrate(family, prior, n, order=order, epsilon=epsilon)


def _weights(algorithm: type[WeightedPosterior], scale: float) -> tuple[float, float]:
    """Data and prior weight."""
    return {DiffusedPosterior: (scale, 1.0), ConcentratedPosterior: (1.0, 1.0 / scale)}.get(algorithm, (1.0, 1.0))


def _knobs(algorithm: type[WeightedPosterior], scale: float) -> dict[str, Weights]:
    """Return what can be off in it, each as the weights of a lie."""
    r, w = _weights(algorithm, scale)
    return {"data counted again": lambda f: (r * f, w), "prior": lambda f: (r, w / f)}


def _of(mechanism: Mechanism, statistic: float) -> OnLine:
    return OnLine(partial(mechanism.log_density, statistic=statistic), partial(mechanism.simulate, statistic))


def _shapes(mechanism: WeightedPosterior, statistic: float) -> tuple[float, float]:
    """α and β of the logit Beta that θ is drawn from: its tails."""
    alpha, beta = mechanism.output_parameter(statistic).tolist()
    return alpha, beta


def _sticks(mechanism: Mechanism, statistic: Array, rng: np.random.Generator, size: int) -> Array:
    """(t₁, t₂) of draws of θ = (ln ρ₁/ρ₃, ln ρ₂/ρ₃)."""
    first, second = np.moveaxis(mechanism.simulate(statistic, rng, size), -1, 0)
    return np.stack([first - np.logaddexp(second, 0.0), second], axis=-1)


def _of_rho(law: OnLine, theta: Array) -> Array:
    """The density of ρ at ρ(θ), taken for that of θ."""
    return law.log_density(theta) - log_expit(theta) - log_expit(-theta)


def _named(mechanism: Mechanism, order: float, letter: str) -> Pair | None:
    """The mechanism's own worst pair, by the names of the data sets."""
    (p, *_), (q, *_) = mechanism.worst_pair(order)
    return _name(letter, float(p)), _name(letter, float(q))


def _name(letter: str, value: float) -> str:
    return f"{letter} = {value:g}"
