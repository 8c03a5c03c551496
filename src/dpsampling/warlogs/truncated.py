"""Exact draws from a Dirichlet whose coordinates are all at least a floor, compiled.

The target on the simplex is

    p(x) ∝ Π_j x_j^{a_j − 1} · 1[x_j ≥ a₀ for all j],      a₀ K ≤ 1.

It is the law of independent G_j with densities ∝ g^{a_j − 1} e^{−c g} on [a₀, ∞), given that they sum to 1, whatever
the rate c > 0. Three kinds of coordinate make that condition cheap to meet:

    flat    a_j = 1        G_j is a₀ plus an exponential: the sum of all of them is |flat|·a₀ plus a Gamma(|flat|),
    large   a_j ≫ c a₀     the floor hardly matters: draw without it, and start again if a part falls below it,
    small   the others     drawn one by one, each as a gamma beyond the floor.

At least one coordinate is not small: without a flat one the largest counts as large, whatever its floor.

So draw the small ones; what remains for flat and large together, less the flat ones' floors, must be a Gamma of shape
A = |flat| + Σ_large a_j, and is accepted with its density over that density's maximum; then split it by an ordinary
Dirichlet(1, …, 1, a_large). Restart from nothing if it is refused or a large part is below the floor. Each attempt is
a rejection sampler for the same target, so that c and the three kinds decide the cost and nothing else.

UAI 2016's supplement, E.2, draws the coordinates one after another as truncated betas instead, which is another law:
the conditional of the first coordinate also holds the probability that the rest clears the floor.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FLAT, SMALL, LARGE = 0, 1, 2
_CLEAR = 6.0  # a coordinate whose mean clears the floor by so many standard deviations is large
_FAILURES = 0.6  # others are large as long as no more of them than this, expected, fall below the floor


@njit(cache=True)
def gamma_beyond(rng: np.random.Generator, shape: float, floor: float) -> float:
    """One draw of a Gamma(shape) of rate 1 given that it is at least `floor`."""
    if floor <= 0.0 or floor < shape - 1.0:  # at least about half of the mass is beyond
        while True:
            value = rng.standard_gamma(shape)
            if value >= floor:
                return value
    if shape == 1.0:
        return floor + rng.standard_exponential()
    if shape < 1.0 and floor < 1.0:  # below the power law up to 1 and an exponential from there
        spread = math.expm1(-shape * math.log(floor))
        near = math.exp(shape * math.log(floor) - floor) * spread / shape
        while True:
            if rng.random() * (near + math.exp(-1.0)) < near:
                value = floor * math.exp(math.log1p(rng.random() * spread) / shape)
                if rng.random() < math.exp(floor - value):
                    return value
            else:
                value = 1.0 + rng.standard_exponential()
                if rng.random() < value ** (shape - 1.0):
                    return value
    # Beyond its mode the density lies below an exponential that touches it at the floor.
    excess = shape - 1.0
    slope = max(excess, 0.0) / floor
    while slope < 0.75:
        value = floor + rng.standard_exponential() / (1.0 - slope)
        if rng.random() < math.exp(excess * math.log(value / floor) - slope * (value - floor)):
            return value
    # Near the mode that exponential is too flat; one that touches at a later point does better.
    gap = floor - shape
    root = math.sqrt(gap * gap + 4.0 * floor)
    rate = 2.0 / (root - gap) if gap < 0.0 else (gap + root) / (2.0 * floor)
    peak = excess / (1.0 - rate)
    while True:
        value = floor + rng.standard_exponential() / rate
        if rng.random() < math.exp(excess * math.log(value / peak) - (1.0 - rate) * (value - peak)):
            return value


@njit(cache=True)
def _mean_beyond(shape: float, floor: float) -> float:
    """E[G | G ≥ floor] of a Gamma(shape), to a few per cent: it steers the cost of a draw, not its law."""
    if shape == 1.0:
        return floor + 1.0
    distance = (floor - shape) / math.sqrt(shape)
    if distance < -3.0:
        return shape
    if shape < 1.0 and floor < 1.0:
        return shape * (1.0 - _chance_below(shape + 1.0, floor)) / max(1.0 - _chance_below(shape, floor), 0.05)
    if distance > 1.5:  # two steps of the continued fraction of the incomplete gamma function
        return floor + 1.0 + (shape - 1.0) / (floor + 3.0 - shape)
    return shape + math.sqrt(shape) * _mills(distance)


@njit(cache=True)
def _mills(distance: float) -> float:
    """φ(u)/(1 − Φ(u))."""
    density = math.exp(-0.5 * distance * distance) / math.sqrt(2.0 * math.pi)
    return density / (0.5 * math.erfc(distance / math.sqrt(2.0)))


@njit(cache=True)
def _chance_below(shape: float, floor: float) -> float:
    """At least Pr(G < floor) of a Gamma(shape): the incomplete gamma series, its tail a geometric one."""
    if floor >= shape + 1.0:
        return 1.0
    first = math.exp(shape * math.log(floor) - floor - math.lgamma(shape + 1.0))
    return min(first / (1.0 - floor / (shape + 1.0)), 1.0)


@njit(cache=True)
def _rate(shapes: Floats, floor: float) -> float:
    """The rate c at which the means of the G_j, as `_mean_beyond` has them, sum to 1."""
    rate = shapes.sum()
    if floor * shapes.size <= 0.3:  # each step shrinks the error by a₀K or more
        for _ in range(3):
            means = 0.0
            for j in range(shapes.size):
                means += _mean_beyond(shapes[j], rate * floor)
            rate = means
        return rate
    # c is at least Σ a_j and, as no mean exceeds its floor by more than max(a_j, 1), at most Σ max(a_j, 1)/(1 − a₀K).
    low, high = rate, np.maximum(shapes, 1.0).sum() / (1.0 - floor * shapes.size)
    while high > 1.001 * low:
        rate = 0.5 * (low + high)
        means = 0.0
        for j in range(shapes.size):
            means += _mean_beyond(shapes[j], rate * floor)
        if means > rate:
            low = rate
        else:
            high = rate
    return high


@njit(cache=True)
def _plan(shapes: Floats, floor: float, kinds: NDArray[np.int8]) -> tuple[float, float, float, float]:
    """Sort the coordinates into kinds; the rate c, the shape A, and the floors' mass of the flat and of the large."""
    rate = _rate(shapes, floor)
    failures = 0.0
    shape, flat, large = 0.0, 0.0, 0.0
    for j in range(shapes.size):
        kinds[j] = SMALL
        if shapes[j] == 1.0:
            kinds[j] = FLAT
            shape += 1.0
            flat += floor
            continue
        if shapes[j] - rate * floor <= _CLEAR * math.sqrt(shapes[j]):
            below = _chance_below(shapes[j], rate * floor)
            if failures + below > _FAILURES:
                continue
            failures += below
        kinds[j] = LARGE
        shape += shapes[j]
        large += floor
    if shape == 0.0:
        largest = shapes.argmax()
        kinds[largest] = LARGE
        shape, large = shapes[largest], floor
    return rate, shape, flat, large


@njit(cache=True)
def draw(rng: np.random.Generator, shapes: Floats, floor: float, kinds: NDArray[np.int8], out: Floats) -> int:
    """One exact draw into `out`; the number of attempts. `kinds` is scratch of the same length."""
    count = shapes.size
    if floor * count >= 1.0:  # the simplex has shrunk to a point
        out[:] = 1.0 / count
        return 1
    rate, shape, floors, lowest = _plan(shapes, floor, kinds)
    # What remains is no less than the large ones' floors; its Gamma(A) density is largest there or at its mode.
    top = max(min((shape - 1.0) / rate, 1.0), lowest)
    attempts = 0
    while True:
        attempts += 1
        rest = 1.0 - floors
        certain = True
        for j in range(count):
            if kinds[j] == SMALL:
                out[j] = gamma_beyond(rng, shapes[j], rate * floor) / rate
                rest -= out[j]
                certain = False
                if rest <= lowest:
                    break
        if rest <= lowest or not (certain or rng.random() < _relative_density(rest, shape, rate, top)):
            continue
        parts = 0.0
        for j in range(count):
            if kinds[j] == FLAT:
                out[j] = rng.standard_exponential()
                parts += out[j]
            elif kinds[j] == LARGE:
                out[j] = rng.standard_gamma(shapes[j])
                parts += out[j]
        clear = True
        for j in range(count):
            if kinds[j] == FLAT:
                out[j] = floor + rest * out[j] / parts
            elif kinds[j] == LARGE:
                out[j] = rest * out[j] / parts
                clear = clear and out[j] >= floor
        if clear:
            return attempts


@njit(cache=True)
def _relative_density(mass: float, shape: float, rate: float, top: float) -> float:
    """The Gamma(shape, rate) density at `mass` over that at `top`, where it is largest."""
    if shape == 1.0:
        return math.exp(-rate * (mass - top))
    return math.exp((shape - 1.0) * math.log(mass / top) - rate * (mass - top))
