r"""Every quantity by a route that does not know what it should be.

κ, ω             enclosed by a change of sign; and by a search for the least of (C.4), with its second differences
L(θ)             the largest |ln p_θ(x)/p_θ(y)|/ρ over all pairs of a grid of records, against the formula
mass             where that searched L(θ) is at most L, by the prior's distribution function, against 1 − e^{−cL}
largest c        inf of −ln(1 − ξ(Θ_L))/L over a grid of L
chords           of ln C(n, k), every pair of k
tails            of Beta(α, α), line by line of the proof of Lemma 5
networks         all corners of [ε, 1−ε], all pairs of outcomes
events           all events of a finite posterior, all pairs of data sets
learning         E(θ − 1)² of a posterior draw where the data come from θ = 1, by integration over their sum
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import betainc, betaln, expit, gammaln
from scipy.stats import betabinom

from dpsampling.foundations.robust import bounds, constants, families, networks
from dpsampling.foundations.robust.families import Bits, Exponential, Laplace, NormalPrecision, NormalVariance
from dpsampling.numerics.panels import halving_to_both_ends
from reproduction.experiments.foundations import assumptions as said

Row = tuple[str, str, int, float, float, float, float, int]

Steepness = Callable[[float], tuple[float, int]]  # L(θ) with the number of pairs that were looked at

RECORDS = (-1e7, -50.0, -3.0, -1.0, -0.25, 0.0, 0.5, 1.0, 2.0, 7.0, 50.0, 1e7)
MEANS = (0.0, 2.0)
PLACES = (0.03, 0.5, 1.0, 3.0, 40.0)  # θ, σ² or η where L(θ) is looked at
COIN = (0.2, 0.5, 0.7)  # parameters of the finite posterior whose events are enumerated
FLIPS = 4
LARGE = 700.0  # an exponent whose power is still a float
GRID = np.concatenate([np.geomspace(1e-6, 1.0, 60), np.linspace(1.05, 60.0, 400)])


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Nothing here is random."""
    del rng
    rows: list[Row] = []
    for concentration in params["concentrations"]:
        rows += _kappa(concentration)
        rows += _masses(concentration, params["lipschitz_levels"], params["trials"])
        rows += _beta_tails(concentration, params["lipschitz_levels"], params["trials"])
        rows += _learning(concentration, params["n"])
    rows += [*_smoothness(params["trials"]), *_unbounded(params["lipschitz_levels"]), *_posterior_of_binomial()]
    rows += [*_chords(), *_networks(params["least_probabilities"]), *_events()]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


# -- the constant ------------------------------------------------------------------------------------------------------


def _kappa(c: float) -> Iterator[Row]:
    omega, kappa = constants.omega(), constants.kappa()
    searched_omega, searched_kappa = constants.searched(c)
    yield said.OMEGA, said.NONE, 0, c, 0.0, omega.upper, omega.lower, 1
    yield said.KAPPA, said.NONE, 0, c, 0.0, kappa.upper, kappa.lower, 1
    yield said.SEARCHED_OMEGA, said.NONE, 0, c, 0.0, searched_omega, omega.upper, 1
    yield said.SEARCHED_KAPPA, said.NONE, 0, c, 0.0, searched_kappa, kappa.upper, 1
    alpha = np.linspace(0.05, 20.0, 400) / c
    values = np.array([constants.partition_bound(a, c, 1.0) for a in alpha])
    yield said.CONVEX, said.NONE, 0, c, 0.0, float(np.diff(values, 2).min()), 0.0, len(alpha) - 2


# -- Assumption 2 ------------------------------------------------------------------------------------------------------


def _gap(x: float, y: float) -> float:
    return abs(x - y)


def _searched(
    log_likelihood: Callable[[float], float],
    records: Sequence[float] = RECORDS,
    distance: Callable[[float, float], float] = _gap,
) -> tuple[float, int]:
    """The largest |ln p(x)/p(y)|/ρ over all pairs, and how many there are."""
    pairs = list(combinations(records, 2))
    return max(abs(log_likelihood(x) - log_likelihood(y)) / distance(x, y) for x, y in pairs), len(pairs)


def _exponential(theta: float) -> tuple[float, int]:
    family = Exponential(1.0)
    return _searched(lambda x: family.log_likelihood(theta, [x]), [x for x in RECORDS if x >= 0])


def _laplace(theta: float) -> tuple[float, int]:
    family = Laplace(1.0)

    def searched(at: float) -> tuple[float, int]:
        return _searched(lambda x: family.log_likelihood(theta, [x], at))

    largest, cases = zip(*map(searched, family.centres), strict=True)
    return max(largest), sum(cases)


def _normal(mean: float, precision: float) -> tuple[float, int]:
    family = NormalPrecision(1.0, mean)
    return _searched(
        lambda x: family.log_likelihood(precision, [x]), distance=lambda x, y: families.normal_distance([x], [y])
    )


def _binomial(eta: float, n: int) -> tuple[float, int]:
    counts = [float(k) for k in range(n + 1)]
    return _searched(lambda k: float(gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)) + k * eta, counts)


def _masses(rate: float, levels: Sequence[float], trials: Sequence[int]) -> Iterator[Row]:
    family = Bits(rate)
    rising: list[tuple[str, float, Steepness]] = [
        (said.EXPONENTIAL, rate, _exponential),
        (said.LAPLACE, rate, _laplace),
    ]
    rising += [
        (f"{said.NORMAL}, mean {mean:g}", NormalPrecision(rate, mean).c, partial(_normal, mean)) for mean in MEANS
    ]
    for level in levels:
        asked = -math.expm1(-rate * level)
        for name, c, steepness in rising:
            mass = _exponential_mass(rate, 0.0, _edge(steepness, level))
            yield said.MASS, name, 1, rate, level, mass, -math.expm1(-c * level), 1
        for mean in MEANS:
            mass = _exponential_mass(rate, 1.0 / _edge(partial(_normal, mean), level), math.inf)
            yield said.MASS, f"{said.PRINTED_NORMAL}, mean {mean:g}", 1, rate, level, mass, asked, 1
        # A location θ with any prior: |ln p_θ(x)/p_θ(y)| is |x − y| for some pair, whatever θ.
        whole = 1.0 if _laplace(1.0)[0] <= level * (1.0 + 1e-12) else 0.0
        yield said.MASS, said.LOCATION, 1, rate, level, whole, asked, 1
        yield said.MASS, said.BITS, 1, rate, level, family.mass(level), -math.expm1(-family.c * level), 1
        for n in trials:
            mass = families.binomial_mass(rate, n, level)
            yield said.MASS, said.BINOMIAL, n, rate, level, mass, -math.expm1(-family.c * level), 1
    outside = np.array([family.outside(float(level)) for level in GRID])
    seen = outside > 0
    largest = float(np.min(-np.log(outside[seen]) / GRID[seen]))
    yield said.LARGEST_C, said.BITS, 1, rate, 0.0, largest, family.c, int(seen.sum())


def _edge(steepness: Steepness, level: float) -> float:
    """θ where a rising L(θ) is `level`."""
    return float(brentq(lambda theta: steepness(theta)[0] - level, level * 1e-3, level * 1e3, xtol=1e-14, rtol=1e-13))


def _exponential_mass(rate: float, low: float, high: float) -> float:
    """∫ λe^{−λθ} over an interval, by nodes."""
    far = min(high, low + 60.0 / rate)
    x, w = halving_to_both_ends(3, 40)
    return float(np.sum((far - low) * w * rate * np.exp(-rate * (low + (far - low) * x))))


def _smoothness(trials: Sequence[int]) -> Iterator[Row]:
    for place in PLACES:
        for name, family, (value, cases) in (
            (said.EXPONENTIAL, Exponential(1.0), _exponential(place)),
            (said.LAPLACE, Laplace(1.0), _laplace(place)),
            (said.BITS, Bits(1.0), _binomial(place, 1)),
        ):
            yield said.NATURAL, name, 1, 1.0, place, value, family.lipschitz(place), cases
        for mean in MEANS:
            for name, normal, precision in (
                (said.NORMAL, NormalPrecision(1.0, mean), place),
                (said.PRINTED_NORMAL, NormalVariance(1.0, mean), 1.0 / place),
            ):
                value, cases = _normal(mean, precision)
                yield said.SMOOTH, f"{name}, mean {mean:g}", 1, 1.0, place, value, normal.lipschitz(place), cases
        for n in trials:
            for eta in (place, -place):
                value, cases = _binomial(eta, n)
                yield said.SMOOTH, said.BINOMIAL, n, 1.0, eta, value, families.binomial_lipschitz(eta, n), cases


def _unbounded(levels: Sequence[float]) -> Iterator[Row]:
    """At logit θ = L + ½ a bit's log-ratio is above L."""
    for level in levels:
        theta = float(expit(-(level + 0.5)))
        yield said.UNBOUNDED, said.BITS, 1, 1.0, level, math.log1p(-theta) - math.log(theta), level, 1


# -- Lemma 5 -----------------------------------------------------------------------------------------------------------


def _chords() -> Iterator[Row]:
    """Largest and least slope between any two k of ln C(n, k), from whole numbers."""
    for n in range(1, said.LONGEST + 1):
        logs = [math.log(math.comb(n, k)) for k in range(n + 1)]
        slopes = [(logs[j] - logs[i]) / (j - i) for i, j in combinations(range(n + 1), 2)]
        yield said.STEEPEST, said.BINOMIAL, n, 1.0, 0.0, max(slopes), math.log(n), len(slopes)
        yield said.LEAST_SLOPE, said.BINOMIAL, n, 1.0, 0.0, min(slopes), -math.log(n), len(slopes)


def _beta_tails(alpha: float, levels: Sequence[float], trials: Sequence[int]) -> Iterator[Row]:
    """Line by line, in logarithms: tail against 2zᵅ/(αB), (n + e^L)^{−α} against e^{−αL}, and the c solved for."""
    if alpha < 1.0:
        return
    for n in (1, *trials):
        log_nu = math.log(2.0 / alpha) - float(betaln(alpha, alpha)) + alpha * math.log(n)
        constant = alpha - log_nu
        yield said.TAIL_CONSTANT, said.BINOMIAL, n, alpha, 0.0, constant, alpha, 1
        for level in levels:
            z = n / (n + math.exp(level))
            outside = 2.0 * float(betainc(alpha, alpha, z)) if level > math.log(n) else 1.0
            if level > math.log(n) and outside > 0.0:
                bound = math.log(2.0 / alpha) + alpha * math.log(z) - float(betaln(alpha, alpha))
                yield said.TAIL, said.BINOMIAL, n, alpha, level, math.log(outside), bound, 1
            power = -alpha * math.log(n + math.exp(level))
            yield said.TAIL_POWER, said.BINOMIAL, n, alpha, level, power, -alpha * level, 1
            asked = -math.expm1(min(-constant * level, LARGE))
            yield said.TAIL_C, said.BINOMIAL, n, alpha, level, 1.0 - outside, asked, 1


def _posterior_of_binomial() -> Iterator[Row]:
    """Distances of distribution functions: the posterior by integration, Beta(α + k, α + n − k), and k/n's law."""
    x, w = halving_to_both_ends(6, 40)
    for alpha, n, k in ((2.0, 5, 1), (3.0, 10, 7)):
        density = x ** (alpha - 1.0 + k) * (1.0 - x) ** (alpha - 1.0 + n - k)
        reached = np.cumsum(w * density) / np.sum(w * density)
        # The ends of panels, up to the half of a node's weight.
        at, edges, posterior = (values[39:-1:40] for values in (x, np.cumsum(w), reached))
        closed = betainc(alpha + k, alpha + n - k, edges)
        predictive = betabinom.cdf(np.floor(n * at), n, alpha + k, alpha + n - k)
        for statement, law in ((said.POSTERIOR, closed), (said.PREDICTIVE, predictive)):
            gap = float(np.max(np.abs(posterior - law)))
            yield statement, said.BINOMIAL, n, alpha, float(k), gap, 0.0, len(edges)


# -- networks and events -----------------------------------------------------------------------------------------------


def _networks(least_probabilities: Sequence[float]) -> Iterator[Row]:
    for epsilon, (name, network) in product(least_probabilities, networks.NETWORKS.items()):
        for statement, weighted in ((said.HAMMING, False), (said.WEIGHTED, True)):
            value, cases = networks.smallest_lipschitz(network, epsilon, weighted=weighted)
            yield statement, name, len(network.parents), epsilon, 0.0, value, math.log(1.0 / epsilon), cases


def _events() -> Iterator[Row]:
    """P(B) − e^{ερ}Q(B), the largest over all events and pairs, against Σ (p − e^{ερ}q)₊."""
    data = list(product((0, 1), repeat=FLIPS))
    theta = np.array(COIN)
    likelihood = np.array([theta ** sum(bits) * (1.0 - theta) ** (FLIPS - sum(bits)) for bits in data])
    posterior = likelihood / likelihood.sum(axis=1, keepdims=True)
    events = np.array(list(product((0.0, 1.0), repeat=len(theta))))
    lipschitz = float(np.abs(np.log(theta / (1.0 - theta))).max())
    for share in (0.0, 0.25, 0.5, 1.0):
        epsilon = 2.0 * lipschitz * share
        gap, worst, cases = 0.0, -math.inf, 0
        for (x, p), (y, q) in product(zip(data, posterior, strict=True), repeat=2):
            scale = math.exp(epsilon * sum(a != b for a, b in zip(x, y, strict=True)))
            by_event = float(np.max(events @ (p - scale * q)))
            gap = max(gap, abs(by_event - float(np.maximum(p - scale * q, 0.0).sum())))
            worst, cases = max(worst, by_event), cases + len(events)
        yield said.EVENTS, said.BITS, FLIPS, epsilon, share, gap, worst, cases
    same = [(p, q) for (x, p), (y, q) in product(zip(data, posterior, strict=True), repeat=2) if sum(x) == sum(y)]
    gap = max(float(np.abs(p - q).max()) for p, q in same)
    yield said.SAME, said.BITS, FLIPS, 0.0, 0.0, gap, 0.0, len(same)


# -- learning ----------------------------------------------------------------------------------------------------------


def _learning(rate: float, n: int) -> Iterator[Row]:
    """The exponential family with c = λ: the largest KL at ρ = 1, and the error where the truth is θ = 1."""
    family = Exponential(rate)
    still, moved = family.posterior([0.0] * n), family.posterior([0.0] * (n - 1) + [1.0])
    bound = bounds.kl_per_unit(c=rate, kappa=constants.kappa().upper)
    yield said.DIVERGENCE, said.EXPONENTIAL, n, rate, 1.0, still.kl(moved), bound, 1
    u = np.linspace(-12.0, 6.0, 4001)  # ln of the sum of the data, whose law is Gamma(n, 1)
    weight = np.exp(n * u - np.exp(u) - float(gammaln(n))) * (u[1] - u[0])
    mean = (n + 1.0) / (rate + np.exp(u))
    spread = mean**2 / (n + 1.0)
    yield said.ERROR, said.EXPONENTIAL, n, rate, 1.0, float(np.sum(weight * ((mean - 1.0) ** 2 + spread))), 0.0, 1
