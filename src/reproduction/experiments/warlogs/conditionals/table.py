r"""The appendix's conditionals, as printed and as they should be, against enumeration.

Transitions. With K states, T steps of one region and no data, the states' law with the transitions integrated out is

    p(Z) = Π_p [Γ(Kα)/Γ(s_p + Kα)] Π_k Γ(c_{pk} + α)/Γ(α),    c transition counts, s their row sums,

which a Gibbs sweep must leave as it is. All K^T paths are enumerated: a sweep is a product of T stochastic matrices,
its stationary law is found by power iteration, and its total variation distance to p(Z) is what (48) is wrong by.

Truncated Dirichlet. Three coordinates with the largest first, floor a₀. The appendix draws x₁ as a truncated Beta(a₁,
a₂ + a₃) and x₂ as a truncated share of the rest. The true law of x₁ also has the factor Pr(both others clear the floor
given x₁). Means by quadrature; the error is the largest relative one of a coordinate's mean.

Its price. Of a truncated Dirichlet(n + 1) replacing an entry of i by one of j costs at most the range of ln x_j/x_i,
which is 2Δ = 2 ln((1 − 2a₀)/a₀): on this the ε of OPS rests (T = 1 here; all is to the power 1/T). Drawn one after
another, x₁ and the share of the rest have constants of their own, and from 2 to 1 the loss comes as near as you like to

    ln (1 − a₀)/a₀ + ln (1 − 2a₀)/2a₀ + ln (1 − 2a₀)/a₀  =  2Δ + ln (1 − a₀)/2a₀

where n₁ ≫ n₃ ≫ n₂, seen at x = (a₀, 1 − 2a₀, a₀). `LOPSIDED` counts show it; what is in the table is the largest loss
of theirs over 2Δ.

Two slips: (47) lacks the product over features, and naive Bayes is the model with one state, not the one with one step.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from dpsampling.numerics.panels import legendre
from reproduction.experiments.warlogs import conditionals as said

Floats = NDArray[np.float64]
LOPSIDED = (1000, 30, 1)  # how often each outcome occurred, in every order
NODES = 200  # of the quadratures of a loss
POINTS = 5  # of either coordinate, at which densities are compared
FEATURES, TWO = (1, 2, 3), 2  # D of (47); entries that it is summed over, and states of a model that is not naive Bayes
ONES, ENTRIES = (4, 1, 3), (5, 6, 4)  # of three cells: how many entries are 1, of how many


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """`at` is α for the states, a₀ for the truncated Dirichlet."""
    del rng  # nothing here is random
    rows = [
        (quantity, method, float(at), error)
        for quantity, at, *errors in _errors(params)
        for method, error in zip((said.PRINTED, said.CORRECTED), errors, strict=True)
    ]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _errors(params: Mapping[str, Any]) -> Iterator[tuple[Any, ...]]:
    """Yield a quantity, where it is taken, and its values as printed and as corrected."""
    states, steps, shapes = params["states"], params["steps"], params["shapes"]
    for alpha in params["alphas"]:
        yield said.STATES, alpha, *(stationary_error(states, steps, float(alpha), printed=p) for p in (True, False))
    for floor in params["truncations"]:
        exact = means(shapes, floor, printed=False)
        both = means(shapes, floor, printed=True), _by_cubature(shapes, floor)
        yield said.TRUNCATED, floor, *(float(np.max(np.abs(found / exact - 1.0))) for found in both)
    for floor in params["truncations"]:
        yield said.LOSS, floor, *(relative_loss(floor, printed=p) for p in (True, False))
    for features in FEATURES:
        yield said.JOINT, features, *(abs(joint_total(features, printed=p) - 1.0) for p in (True, False))
    ones, size = np.array([ONES]), np.array([ENTRIES])
    bayes = float(special.betaln(1.0 + ones.sum(), 1.0 + (size - ones).sum()))
    for alpha in params["alphas"]:
        one_step = log_likelihood(ones.T, size.T, TWO, float(alpha))  # every cell a region of its own
        one_state = log_likelihood(ones, size, 1, float(alpha))
        yield said.BAYES, alpha, abs(one_step - bayes), abs(one_state - bayes)


def joint_total(features: int, *, printed: bool) -> float:
    """Σ over states and entries of (47) given its parameters; printed, it has a factor of one feature of each entry."""
    start, rising = np.array([0.3, 0.7]), np.array([0.2, 0.6])  # of two states: their chances, and that a feature is 1
    kept, total = 1 if printed else features, 0.0
    for state, entries in itertools.product(range(2), itertools.product((0, 1), repeat=features * TWO)):
        factors = [x for i in range(TWO) for x in entries[i * features : i * features + kept]]
        total += start[state] * math.prod(rising[state] if x else 1.0 - rising[state] for x in factors)
    return float(total)


def log_likelihood(ones: Floats, sizes: Floats, states: int, alpha: float) -> float:
    """ln Pr(x) of one binary feature, by all paths: rows are regions, columns steps, emissions uniform before."""
    logs = []
    for path in itertools.product(range(states), repeat=ones.size):
        regions = np.array(path).reshape(ones.shape)
        log = _log_prior(regions, states, alpha)
        log += (states + 1) * (special.gammaln(states * alpha) - states * special.gammaln(alpha))
        for k in range(states):
            up, down = ones[regions == k].sum(), (sizes - ones)[regions == k].sum()
            log += special.betaln(1.0 + up, 1.0 + down)
        logs.append(log)
    return float(special.logsumexp(logs))


def stationary_error(states: int, steps: int, alpha: float, *, printed: bool) -> float:
    """Total variation between the stationary law of a sweep and p(Z)."""
    paths = list(itertools.product(range(states), repeat=steps))
    place = {path: i for i, path in enumerate(paths)}
    truth = np.exp([_log_prior([path], states, alpha) for path in paths])
    truth /= truth.sum()
    sweep = np.eye(len(paths))
    for t in range(steps):
        step = np.zeros((len(paths), len(paths)))
        for i, path in enumerate(paths):
            weights = _conditional(path, t, states, alpha, printed=printed)
            for k in range(states):
                step[i, place[(*path[:t], k, *path[t + 1 :])]] = weights[k]
        sweep = sweep @ step
    law = np.full(len(paths), 1.0 / len(paths))
    for _ in range(10_000):
        following = law @ sweep
        settled = np.abs(following - law).sum() < 1e-14
        law = following
        if settled:
            break
    return float(0.5 * np.abs(law - truth).sum())


def _log_prior(paths: Iterable[Sequence[int]], states: int, alpha: float) -> float:
    """Return ln p(Z), a path a region, less what does not depend on Z."""
    counts = np.zeros((states + 1, states))
    for path in paths:
        for p, k in itertools.pairwise((states, *path)):
            counts[p, k] += 1
    total = special.gammaln(counts + alpha).sum() - special.gammaln(counts.sum(axis=1) + states * alpha).sum()
    return float(total)


def _conditional(path: Sequence[int], t: int, states: int, alpha: float, *, printed: bool) -> Floats:
    """(48) at step t; printed, its second denominator belongs to the state before."""
    counts = np.zeros((states + 1, states))
    for u, (p, k) in enumerate(itertools.pairwise((states, *path))):
        if u not in (t, t + 1):
            counts[p, k] += 1
    before = path[t - 1] if t else states
    weights = np.empty(states)
    for k in range(states):
        weights[k] = counts[before, k] + alpha
        if t + 1 < len(path):
            after = path[t + 1]
            both = float(before == k == after)
            row = counts[before].sum() if printed else counts[k].sum() + float(before == k)
            weights[k] *= (counts[k, after] + both + alpha) / (row + states * alpha)
    return np.asarray(weights / weights.sum())


def means(shapes: Sequence[float], floor: float, *, printed: bool) -> Floats:
    """E x of the sequential scheme as printed, or with the factor that makes it exact; one-dimensional quadrature."""
    a, b, c = shapes
    nodes, weights = legendre(400)
    half = (1.0 - 3.0 * floor) / 2.0
    x = floor + half * (nodes + 1.0)
    low = floor / (1.0 - x)
    clear = special.betainc(b, c, 1.0 - low) - special.betainc(b, c, low)
    density = weights * x ** (a - 1.0) * (1.0 - x) ** (b + c - 1.0) * (1.0 if printed else clear)
    density /= density.sum()
    share = (b / (b + c)) * (special.betainc(b + 1.0, c, 1.0 - low) - special.betainc(b + 1.0, c, low)) / clear
    first, second = float(density @ x), float(density @ ((1.0 - x) * share))
    return np.array([first, second, 1.0 - first - second])


def _by_cubature(shapes: Sequence[float], floor: float) -> Floats:
    """The true means again, by a product rule over the triangle: a check that shares no formula with `means`."""
    nodes, weights = legendre(300)
    u, v = np.meshgrid((nodes + 1.0) / 2.0, (nodes + 1.0) / 2.0, indexing="ij")
    w = np.outer(weights, weights) * u
    free = 1.0 - 3.0 * floor
    x = np.stack([floor + free * (1.0 - u), floor + free * u * v, floor + free * u * (1.0 - v)])
    logs = sum((shape - 1.0) * np.log(part) for shape, part in zip(shapes, x, strict=True))
    density = w * np.exp(logs - np.max(logs))
    return np.asarray((density * x).sum(axis=(1, 2)) / math.fsum(density.ravel()))


def relative_loss(floor: float, *, printed: bool) -> float:
    """The largest loss of replacing an entry of lopsided counts, over 2Δ."""
    promised = 2.0 * math.log((1.0 - 2.0 * floor) / floor)
    losses = [
        loss(1.0 + np.array(counts), 1.0 + np.array(counts) - lost + won, floor, printed=printed)
        for counts in itertools.permutations(LOPSIDED)
        for lost, won in itertools.permutations(np.eye(3), 2)
    ]
    return max(losses) / promised


def loss(before: Floats, after: Floats, floor: float, *, printed: bool) -> float:
    """The largest absolute log-ratio of the densities with these shapes, over a grid with the corners."""
    share = np.linspace(0.0, 1.0, POINTS)
    u, v = np.meshgrid(share * (1.0 - 1e-3), share)  # where the first takes all, nothing is left to be drawn
    first = floor + (1.0 - 3.0 * floor) * u
    second = floor + (1.0 - first - 2.0 * floor) * v
    density = _sequential if printed else _exact
    return float(np.max(np.abs(density(first, second, after, floor) - density(first, second, before, floor))))


def _exact(first: Floats, second: Floats, shapes: Floats, floor: float) -> Floats:
    """The log-density of the truncated Dirichlet."""
    a, b, c = shapes
    nodes, weights = legendre(NODES)
    half = (1.0 - 3.0 * floor) / 2.0
    x = floor + half * (nodes + 1.0)
    low = floor / (1.0 - x)
    terms = (a - 1.0) * np.log(x) + (b + c - 1.0) * np.log1p(-x) + _log_beta(b, c, low, 1.0 - low)
    constant = special.logsumexp(terms + np.log(weights * half))
    third = 1.0 - first - second
    return np.asarray((a - 1.0) * np.log(first) + (b - 1.0) * np.log(second) + (c - 1.0) * np.log(third) - constant)


def _sequential(first: Floats, second: Floats, shapes: Floats, floor: float) -> Floats:
    """Return that of a truncated beta and then a truncated beta's share of the rest."""
    a, b, c = shapes
    rest = 1.0 - first
    low, share = floor / rest, second / rest
    begin = (a - 1.0) * np.log(first) + (b + c - 1.0) * np.log(rest)
    begin = begin - _log_beta(a, b + c, np.array(floor), np.array(1.0 - 2.0 * floor))
    then = (b - 1.0) * np.log(share) + (c - 1.0) * np.log1p(-share) - _log_beta(b, c, low, 1.0 - low)
    return np.asarray(begin + then - np.log(rest))


def _log_beta(a: float, b: float, low: Floats, high: Floats) -> Floats:
    """ln ∫ x^{a−1} (1 − x)^{b−1} dx between the two, one integral for each pair."""
    nodes, weights = legendre(NODES)
    half = (high - low)[..., None] / 2.0
    x = low[..., None] + half * (nodes + 1.0)
    return np.asarray(
        special.logsumexp((a - 1.0) * np.log(x) + (b - 1.0) * np.log1p(-x) + np.log(weights * half), axis=-1)
    )
