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

How many attempts that takes has no bound: the rate is approximate, a block of A < 1 has no largest density, and the
single best block may fit badly. So after `_PATIENCE` of them, or at once where A < 1, one *pivot* takes up what all
the others, each drawn as small, leave of 1:

    some a_j ≥ 1    the coordinate of the largest shape is the pivot, accepted with its density over its maximum;
    all a_j < 1     any is: with y_j = x_j − a₀ and R = 1 − a₀K, Σ_j y_j/R = 1 splits the target into K parts, and
                    y_k p(x) is bounded in x_k. Take k with probability ∝ c_k/Z_k, for c_k = max y g_k(y) of its
                    density g_k(y) = (y + a₀)^{a_k − 1} e^{−c y} and Z_k = ∫ g_k; accept with y_k g_k(y_k)/c_k.

At the rate where the means sum to 1 a pivot needs some 2 + √(2πK) attempts at most, whatever the shapes and the floor:
docs/truncated-dirichlet.md has what is proven of that and what is measured. As every attempt of either kind is
independent of all others, what is returned has the target's law, whichever returns it.

UAI 2016's supplement, E.2, draws the coordinates one after another as truncated betas instead, which is another law:
the conditional of the first coordinate also holds the probability that the rest clears the floor.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from dpsampling.event_logs import gammas
from dpsampling.event_logs.kernel_cache import drop_stale
from dpsampling.numerics.arrays import Array

drop_stale(__file__, [gammas.__file__])


FLAT, SMALL, LARGE = 0, 1, 2
_CLEAR = 6.0  # a coordinate whose mean clears the floor by so many standard deviations is large
_FAILURES = 0.6  # others are large as long as no more of them than this, expected, fall below the floor
_PATIENCE = 200  # attempts in blocks before a pivot takes over
_LEAST_SHAPE = 1e-290  # smaller ones act as this one, of which no draw can be told
# ln Γ(1 + a) = Σ_n of these times a^n: −γ, ζ(2)/2, −ζ(3)/3, …
_LOG_GAMMA_SERIES = np.array(
    [-0.5772156649015329, 0.8224670334241132, -0.40068563438653143, 0.27058080842778454, -0.20738555102867398,
     0.1695571769974082, -0.1440498967688461]
)  # fmt: skip


@njit(cache=True)
def gamma_beyond(rng: np.random.Generator, shape: float, floor: float) -> float:
    """One draw of a Gamma(shape) of rate 1 given that it is at least `floor`."""
    if floor <= 0.0 or floor < shape - 1.0:  # at least about half of the mass is beyond
        while True:
            value = gammas.standard_gamma(rng, shape)
            if value >= floor:
                return value
    if shape == 1.0:
        return floor + rng.standard_exponential()
    if shape < 1.0 and floor < 1.0:  # below the power law up to 1 and an exponential from there
        spread = math.expm1(shape * math.log(floor))  # t^a − 1
        near = -spread / shape * math.exp(-floor)
        while True:
            if rng.random() * (near + math.exp(-1.0)) < near:
                value = max(math.exp(math.log1p(rng.random() * spread) / shape), floor)
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
    gap = shape - floor
    if gap > 0.0 and gap * gap > 9.0 * shape:
        return shape
    distance = -gap / math.sqrt(shape)
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
def _rate(shapes: Array, floor: float) -> float:
    """The rate c at which the means of the G_j, as `_mean_beyond` has them, sum to 1."""
    rate = shapes.sum()
    if floor * shapes.size <= 0.3:  # each step shrinks the error by a₀K or more
        for _ in range(3):
            means, flat = 0.0, 0
            for j in range(shapes.size):
                if shapes[j] == 1.0:
                    flat += 1
                else:
                    means += _mean_beyond(shapes[j], rate * floor)
            rate = means + flat * (rate * floor + 1.0)
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
def _plan(shapes: Array, floor: float, kinds: NDArray[np.int8]) -> tuple[float, float, float, float]:
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
def draw(rng: np.random.Generator, shapes: Array, floor: float, kinds: NDArray[np.int8], out: Array) -> int:
    """One exact draw into `out`; the number of attempts. `kinds` is scratch of the same length."""
    count = shapes.size
    if floor * count >= 1.0:  # the simplex has shrunk to a point
        out[:] = 1.0 / count
        return 1
    rate, shape, floors, lowest = _plan(shapes, floor, kinds)
    # What remains is no less than the large ones' floors; its Gamma(A) density is largest there or at its mode.
    top = max(min((shape - 1.0) / rate, 1.0), lowest)
    patience = _PATIENCE if shape >= 1.0 or np.all(kinds != SMALL) else 0
    for attempt in range(1, patience + 1):
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
                out[j] = gammas.standard_gamma(rng, shapes[j])
                parts += out[j]
        clear = parts > 0.0  # shapes far below 1 may all underflow
        share = rest / parts if clear else 0.0
        for j in range(count if clear else 0):
            if kinds[j] == FLAT:
                out[j] = floor + share * out[j]
            elif kinds[j] == LARGE:
                out[j] = share * out[j]
                clear = clear and out[j] >= floor
        if clear:
            return attempt
    return patience + draw_by_pivot(rng, shapes, floor, out)


@njit(cache=True)
def _relative_density(mass: float, shape: float, rate: float, top: float) -> float:
    """The Gamma(shape, rate) density at `mass` over that at `top`, where it is largest."""
    if shape == 1.0:
        return math.exp(-rate * (mass - top))
    return math.exp((shape - 1.0) * math.log(mass / top) - rate * (mass - top))


# -- one pivot ---------------------------------------------------------------------------------------------------------


@njit(cache=True)
def draw_by_pivot(rng: np.random.Generator, shapes: Array, floor: float, out: Array) -> int:
    """One exact draw into `out`, in a number of attempts whose mean is bounded; that number."""
    shapes = np.maximum(shapes, _LEAST_SHAPE)
    count = shapes.size
    spare = max(1.0 - floor * count, 2.0**-53)
    rate = balanced_rate(shapes, floor, spare)
    peaks = np.empty(count)  # y where a pivot's acceptance is 1
    cumulated = np.zeros(count)  # chances of being the pivot
    several = np.all(shapes < 1.0)
    if several:
        total = 0.0
        for j in range(count):
            peaks[j] = min(_peak(shapes[j], rate * floor) / rate, spare)
            total += _pivot_weight(shapes[j], rate * floor, rate * peaks[j])
            cumulated[j] = total
    else:
        largest = shapes.argmax()
        peaks[largest] = min(max((shapes[largest] - 1.0) / rate - floor, 0.0), spare)
        cumulated[largest:] = 1.0
    attempts = 0
    while True:
        attempts += 1
        pivot = 0
        point = rng.random() * cumulated[-1]
        while cumulated[pivot] <= point and pivot < count - 1:
            pivot += 1
        rest = spare
        for j in range(count):
            if j != pivot:
                out[j] = max(gamma_beyond(rng, shapes[j], rate * floor) / rate, floor)
                rest -= out[j] - floor
                if rest <= 0.0:
                    break
        if rest <= 0.0:
            continue
        step = rest - peaks[pivot]
        level = -rate * step
        if shapes[pivot] != 1.0:
            level += (shapes[pivot] - 1.0) * math.log1p(step / (peaks[pivot] + floor))
        if several:
            level += math.log(rest / peaks[pivot])
        if -rng.standard_exponential() <= level:
            out[pivot] = floor + rest
            return attempts


@njit(cache=True)
def balanced_rate(shapes: Array, floor: float, spare: float) -> float:
    """The rate at which the means of the G_j sum to 1, to a tenth of their sum's standard deviation; at least 1."""
    # No mean is below a_j/c, nor by more than max(a_j, 1)/c above the floor.
    width = np.maximum(shapes, 1.0).sum()
    low, high = math.log(max(shapes.sum(), 1.0)), math.log(width / spare)
    while high - low > 0.1 / math.sqrt(width):
        middle = 0.5 * (low + high)
        rate = math.exp(middle)
        excess = 0.0
        for j in range(shapes.size):
            excess += mean_excess(shapes[j], rate * floor)
        if excess > rate * spare:
            low = middle
        else:
            high = middle
    return math.exp(high)


@njit(cache=True)
def mean_excess(shape: float, floor: float) -> float:
    """E[G | G ≥ t] − t of a Gamma(a) at t, to a hundredth of its standard deviation: a − t + t^a e^{−t}/Γ(a, t)."""
    if shape == 1.0:
        return 1.0
    if shape < 30.0:
        return shape - floor + _lift(shape, floor)
    if floor > shape + 1.0 + math.sqrt(shape):
        return shape - floor + floor / tail_fraction(shape, floor)
    # Temme's uniform expansion, to its second term: the deviance's signed root η√a takes the place of a normal deviate.
    ratio = floor / shape - 1.0
    deviate = math.sqrt(max(2.0 * shape * (ratio - math.log1p(ratio)), 0.0))
    if ratio < 0.0:
        deviate = -deviate
    if deviate < -8.0:
        return shape - floor
    correction = (
        1.0 / (ratio * math.sqrt(shape)) - 1.0 / deviate if abs(ratio) > 1e-3 else -1.0 / (3.0 * math.sqrt(shape))
    )
    return shape - floor + math.sqrt(shape) / (1.0 / _mills(deviate) + correction)


@njit(cache=True)
def _lift(shape: float, floor: float) -> float:
    """t^a e^{−t}/Γ(a, t), for moderate a, from that of a's fractional part: Γ(a+1, t) = a Γ(a, t) + t^a e^{−t}."""
    part = shape % 1.0
    if part == 0.0:
        part, inverse = 1.0, 1.0 / floor
    elif floor < 1.0:
        inverse = upper_gamma(part, floor) * math.exp(floor - part * math.log(floor))
    else:
        inverse = tail_fraction(part, floor) / floor
    while part < shape - 0.5:
        inverse = (1.0 + part * inverse) / floor
        part += 1.0
    return 1.0 / inverse


@njit(cache=True)
def upper_gamma(shape: float, floor: float) -> float:
    """Γ(a, t) = ∫ x^{a−1} e^{−x} dx over x ≥ t, for 0 < a < 1 and 0 < t < 1, to full accuracy also as a → 0.

    Γ(a, t) = [Γ(1+a) − 1 − (t^a − 1)]/a − t^a Σ_{n≥1} (−t)^n/(n! (a+n)).
    """
    if shape < 0.01:
        log_gamma = 0.0
        for n in range(_LOG_GAMMA_SERIES.size - 1, -1, -1):
            log_gamma = (log_gamma + _LOG_GAMMA_SERIES[n]) * shape
    else:
        log_gamma = math.lgamma(1.0 + shape)
    power = shape * math.log(floor)
    term, series = 1.0, 0.0
    for n in range(1, 25):
        term *= -floor / n
        series += term / (shape + n)
    return (math.expm1(log_gamma) - math.expm1(power)) / shape - math.exp(power) * series


@njit(cache=True)
def tail_fraction(shape: float, floor: float) -> float:
    """Γ(a, t) e^t t^{1−a}, which is ∫ (1 + y/t)^{a−1} e^{−y} dy over y ≥ 0, by its continued fraction.

    To full accuracy for a < 1 ≤ t; to steer by for a ≥ 1 and t above a + 1 + √a.
    """
    value = 0.0
    for n in range(100 if floor < 20.0 else 40, 0, -1):
        value = n * (n - shape) / (floor + 2.0 * n + 1.0 - shape - value)
    return floor / (floor + 1.0 - shape - value)


@njit(cache=True)
def _peak(shape: float, floor: float) -> float:
    """Where y (y + t)^{a−1} e^{−y} is largest: y² + (t − a) y = t."""
    gap = shape - floor
    root = math.sqrt(gap * gap + 4.0 * floor)
    return 0.5 * (root + gap) if gap > 0.0 else 2.0 * floor / (root - gap)


@njit(cache=True)
def _pivot_weight(shape: float, floor: float, peak: float) -> float:
    """y (y + t)^{a−1} e^{−y} at its largest over the integral of (y + t)^{a−1} e^{−y}, a < 1."""
    if floor < 1.0:
        return peak * math.exp((shape - 1.0) * math.log(peak + floor) - peak - floor) / upper_gamma(shape, floor)
    return peak * math.exp((shape - 1.0) * math.log1p(peak / floor) - peak) / tail_fraction(shape, floor)
