r"""ε of many steps between two numbers, by the distribution of the sum of their losses (Gopi, Lee and Wutschitz 2021).

A step's loss L = ln p/p′, z ~ p, goes to the nearest multiple of h, and then by one constant s, so that L̃ has the mean
of L. |L̃ − L − E(L̃ − L)| lies in an interval of length h, so that by Hoeffding

    Pr(|Σ L̃ − Σ L| ≥ r) ≤ 2 e^{−2r²/(T h²)} = η,      r = h √(T ln(2/η)/2),
    δ̃(ε + r) − η ≤ δ(ε) ≤ δ̃(ε − r) + η,               δ̃(ε) = E (1 − e^{ε−Σ L̃})₊,

and Σ L̃ is known from one Fourier transform to the power T, on a circle so wide that Σ L̃ leaves it with probability η at
most (Chernoff). Nothing of this is shared with the accountant that guarantees come from: it is its second route.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpsampling.errors import InputError
from dpsampling.learners.sampled_gaussian import Pair, pairs
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import Enclosure
from dpsampling.privacy.guarantee import Relation

MISSED = 1e-11  # η
NODES = 20_001  # of the mean of a loss


@dataclass(frozen=True, eq=False)
class Sum:
    """Values of Σ L̃ above 0 with their probabilities, and how far Σ L may be from it."""

    losses: Array
    weights: Array
    radius: float

    def epsilon(self, delta: float) -> float:
        """The least ε ≥ 0 with δ̃(ε) = Σ_{L > ε} w(1 − e^{ε−L}) ≤ δ."""
        above = np.cumsum(self.weights[::-1])[::-1]
        other = np.cumsum((self.weights * np.exp(-self.losses))[::-1])[::-1]
        at_losses = above - np.exp(self.losses) * other  # δ̃ at each of them falls
        place = int(np.argmax(at_losses <= delta))
        # Between the loss before it and this one the same terms are left: above − e^ε other = δ.
        return max(0.0, math.log(max(above[place] - delta, 0.0) / other[place])) if above[0] - other[0] > delta else 0.0


def bracket(
    sampling: float, sigma: float, steps: int, delta: float, relation: Relation, points: int = 1 << 20
) -> Enclosure:
    """ε at this δ, for certain between the two, up to the rounding of floats."""
    if not 1e3 * MISSED <= delta < 1:
        raise InputError(f"delta is {delta:g}; this bracket needs {1e3 * MISSED:g} or more, and less than 1.")
    ends = [_ends(total_loss(pair, steps, points), delta) for pair in pairs(sampling, sigma, relation)]
    return Enclosure(max(low for low, _ in ends), max(high for _, high in ends))


def _ends(total: Sum, delta: float) -> tuple[float, float]:
    low = max(0.0, total.epsilon(delta + 3.0 * MISSED) - total.radius)
    return low, total.epsilon(delta - 3.0 * MISSED) + total.radius


def total_loss(pair: Pair, steps: int, points: int) -> Sum:
    """The law of Σ L̃ on a circle of so many points."""
    z, weights = _nodes(pair)
    loss = pair.loss(z)
    middle, reach = _circle(loss, weights, steps)
    width = 2.0 * reach / points
    first, last = math.floor(loss[0] / width), math.ceil(loss[-1] / width)
    edges = _inverse(pair, loss, z, (np.arange(first, last + 2) - 0.5) * width)
    masses = -np.diff(pair.tails(edges)[0])
    places = np.arange(first, last + 1)
    shift = float(np.sum(weights * loss) / np.sum(weights)) - width * float(np.sum(masses * places) / np.sum(masses))
    ring = np.bincount(places % points, masses, points)
    power = np.fft.irfft(np.fft.rfft(ring) ** steps, points)
    # The circle's points stand for the multiples of h next to the middle of the sum.
    start = round((middle - steps * shift) / width) - points // 2
    at = np.arange(start, start + points)
    radius = width * math.sqrt(steps * math.log(2.0 / MISSED) / 2.0)
    losses = np.asarray(at * width + steps * shift, dtype=np.float64)
    weights = np.maximum(power[at % points], 0.0)
    return Sum(losses[losses > 0.0], weights[losses > 0.0], radius)


def _nodes(pair: Pair) -> tuple[Array, Array]:
    """Places of z, and weights of p: even steps, which are as good as exact for what is smooth and falls so fast."""
    z = np.linspace(-12.0 * pair.sigma - 1.0, 12.0 * pair.sigma + 1.0, NODES)
    near, up = (np.exp(-0.5 * ((z - centre) / pair.sigma) ** 2) for centre in (0.0, 1.0))
    weights = (near + pair.first * (up - near)) * ((z[1] - z[0]) / (pair.sigma * math.sqrt(2.0 * math.pi)))
    return z, weights


def _circle(loss: Array, weights: Array, steps: int) -> tuple[float, float]:
    """The middle of the sum, and how far on either side Chernoff's bound is η/2."""
    mean = float(np.sum(weights * loss))
    reach = 0.0
    for sign in (1.0, -1.0):
        tilts = np.geomspace(1e-4, 1e4, 65)
        bounds = []
        for t in tilts:
            exponent = sign * t * (loss - mean)
            top = float(exponent.max())
            grown = top + math.log(float(np.sum(weights * np.exp(exponent - top))))
            bounds.append((steps * grown + math.log(2.0 / MISSED)) / t)
        reach = max(reach, min(bounds))
    return steps * mean, 1.05 * reach + float(np.ptp(loss))


def _inverse(pair: Pair, loss: Array, z: Array, levels: Array) -> Array:
    """The z of each level of the loss: three of Newton's steps from the table, kept between its neighbours."""
    found = np.interp(levels, loss, z)
    for _ in range(3):
        step = 1e-6 * pair.sigma
        slope = (pair.loss(found + step) - pair.loss(found - step)) / (2.0 * step)
        found = found - np.clip((pair.loss(found) - levels) / np.maximum(slope, 1e-300), -pair.sigma, pair.sigma)
    found = np.where(levels <= loss[0], -math.inf, np.where(levels >= loss[-1], math.inf, found))
    return np.asarray(found)
