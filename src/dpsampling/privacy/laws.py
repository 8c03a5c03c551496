r"""Output laws as values, and what a pair of them tells: the numbers that a guarantee bounds.

For laws P, Q of one release with densities p, q with respect to one measure μ,

    R_λ(P‖Q) = ln ∫ p^λ q^{1−λ} dμ / (λ − 1)        D_∞(P‖Q) = sup ln p/q        δ(ε) = ∫ (p − e^ε q)₊ dμ.

A law knows its density and its sampler, which an audit compares with each other, and where its density has atoms, bends
and ends. Each integral is a sum over common nodes: all outputs of a finite law; Gauss-Legendre on the pieces between
bends, atoms and ends; the trapezoidal rule in u, y = sinh u, on a whole line, with the tails beyond |y| = 10⁵ as the
exponentials that they are by then. For independent parts R_λ and D_∞ add; δ comes from the distribution of the sum of
ln p/q on a grid of two thousand values: a number to read, and not a bound. Nothing here knows a closed form of a
divergence. Where a law's tails or ends are told (`tails`), or it falls fast, the error of R_λ is below 1e-9 of itself
or 1e-12 of the integral (see the tests); with shapes of a logit far below 1e-3 it is 1e-4. What is not certain is nan.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.numerics.arrays import Array
from dpsampling.numerics.panels import halving_to_both_ends
from dpsampling.privacy.rounding import LEAST

Sampler = Callable[[np.random.Generator, int], Array]
LogDensity = Callable[[Array], Array]

FAR = 1e5  # from there on log-densities on the line are straight, if they matter at all
REACH = math.asinh(FAR)
ROUNDINGS = 16.0 * float(np.finfo(float).eps)  # of a log-integrand, relative to its terms
POINTS = 1601
DROP = 45.0
DIGITS, TINY_LOSS = 3e-10, 1e-13  # relative or absolute error of a ratio that counts in a supremum
PANEL_NODES = 16
LOSS_BINS, PART_BINS = 20_000, 2_000  # of a sum of ln p/q, and of one part of it
NORMALISED = 1e-9


class Weighed:
    """What every law that is not made of parts has."""

    @cached_property
    def mass(self) -> float:
        """∫ p; 1 unless the density is not one."""
        assert isinstance(self, Finite | OnLine | OnNodes)
        nodes = _nodes(self, self, 1.0)
        return float(np.sum(np.exp(nodes.log_weights + nodes.p)))


@dataclass(frozen=True, eq=False)
class Finite(Weighed):
    """Outputs 0 … m − 1."""

    log_mass: Array
    draw: Sampler | None = None  # the mechanism's own; without one, by inversion

    def log_density(self, y: ArrayLike) -> Array:
        """ln Pr(y)."""
        return np.asarray(self.log_mass)[np.asarray(y, dtype=np.intp)]

    def sample(self, rng: np.random.Generator, size: int) -> Array:
        """Outputs."""
        if self.draw is not None:
            return self.draw(rng, size)
        return np.asarray(np.searchsorted(np.cumsum(np.exp(self.log_mass[:-1])), rng.random(size), side="right"))


@dataclass(frozen=True, eq=False)
class OnLine(Weighed):
    """A law on [low, high]; at an atom `log_density` is that of its mass, and 0 < mass.

    `tails` are a, b, where they are known, of a law on the whole line with ln p ~ a y as y → −∞ and −b y as y → ∞, or
    a of one with p ~ (y − low)^{a−1} at its low end (b is not looked at).
    """

    log_density: LogDensity
    draw: Sampler
    low: float = -math.inf
    high: float = math.inf
    atoms: tuple[float, ...] = ()
    bends: tuple[float, ...] = ()
    halvings: int = 24  # of the panels towards what is not smooth
    tails: tuple[float, float] | None = None

    def sample(self, rng: np.random.Generator, size: int) -> Array:
        """Outputs."""
        return self.draw(rng, size)


@dataclass(frozen=True, eq=False)
class OnNodes(Weighed):
    """A law of several dimensions whose integrals are sums over given nodes, some of them (corners) without weight."""

    log_density: LogDensity
    draw: Sampler
    points: Array
    log_weights: Array

    def sample(self, rng: np.random.Generator, size: int) -> Array:
        """Outputs, a row each."""
        return self.draw(rng, size)


@dataclass(frozen=True, eq=False)
class Independent:
    """Several independent parts, a column each; `draw` draws them together, as the mechanism does."""

    parts: tuple[Finite | OnLine, ...]
    draw: Sampler | None = None

    @property
    def mass(self) -> float:
        """The product over the parts."""
        return math.prod(part.mass for part in self.parts)

    def log_density(self, y: ArrayLike) -> Array:
        """The sum over the parts."""
        columns = np.moveaxis(np.asarray(y), -1, 0)
        return np.sum([part.log_density(column) for part, column in zip(self.parts, columns, strict=True)], axis=0)

    def sample(self, rng: np.random.Generator, size: int) -> Array:
        """Outputs, a row each."""
        if self.draw is not None:
            return self.draw(rng, size)
        return np.stack([np.asarray(part.sample(rng, size), dtype=float) for part in self.parts], axis=-1)


Part = Finite | OnLine | OnNodes
Law = Part | Independent


class Nodes(NamedTuple):
    """ln of the weights and of both densities, at nodes that serve a pair.

    `certain` is false where a tail is not understood; `at` is where they are, on the line.
    """

    log_weights: Array
    p: Array
    q: Array
    at: Array | None = None
    certain: bool = True
    diverges: bool = False


def renyi(p: Law, q: Law, order: float) -> float:
    """R_λ(P‖Q); +inf where the integral diverges, nan where its tail is not understood."""
    return sum(_renyi(*pair, order) for pair in _pairs(p, q))


def max_divergence(p: Law, q: Law) -> float:
    """D_∞(P‖Q), over the nodes; nan where rounding hides it."""
    return sum(_largest(*pair) for pair in _pairs(p, q))


def delta(p: Law, q: Law, epsilon: float) -> float:
    """δ(ε) of P against Q."""
    if isinstance(p, OnLine) and isinstance(q, OnLine):
        return _excess_on_line(p, q, epsilon)
    return float(_excess(*losses(p, q), epsilon))


def epsilon_at(p: Law, q: Law, target: float) -> float:
    """The least ε ≥ 0 with δ(ε) ≤ target; +inf where no finite one has it. Relative error of δ: 1e-6 on the line."""
    loss, weight, infinite = losses(p, q)
    if infinite > target * (1.0 + 1e-9):
        return math.inf
    low, high = 0.0, max(float(loss.max(initial=0.0)), 0.0)
    if _excess(loss, weight, infinite, low) <= target:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2.0
        low, high = (low, middle) if _excess(loss, weight, infinite, middle) <= target else (middle, high)
    if isinstance(p, OnLine) and isinstance(q, OnLine) and target > 0:
        error = delta(p, q, high) - target
        for _ in range(3):  # the sum over nodes is good to 1e-4: Newton's steps are for the integral itself
            slope = float(np.sum(weight * np.exp(np.minimum(0.0, high - loss)), where=loss > high))  # −dδ/dε
            moved = max(0.0, high + error / slope) if slope > 0 else high
            left = delta(p, q, moved) - target
            if abs(left) >= abs(error):
                break
            high, error = moved, left
    return high


def kl(p: Law, q: Law) -> float:
    """KL(P‖Q) = ∫ p ln p/q."""
    total = 0.0
    for pair in _pairs(p, q):
        loss, weight, never = _losses(*pair)
        total += math.inf if never > 0 else float(np.sum(weight * loss))
    return total


def losses(p: Law, q: Law) -> tuple[Array, Array, float]:
    """Values of ln p/q with their probabilities under P, and the probability that it is infinite."""
    loss, weight, infinite = np.zeros(1), np.ones(1), 0.0
    for pair in _pairs(p, q):
        one, its, never = _losses(*pair)
        if len(one) > PART_BINS and isinstance(p, Independent):
            one, its = _binned(one, its)
        infinite = 1.0 - (1.0 - infinite) * (1.0 - never)
        if len(one) == 1 and one[0] == 0.0:
            continue
        loss, weight = np.add.outer(loss, one).ravel(), np.multiply.outer(weight, its).ravel()
        if len(loss) > LOSS_BINS:
            loss, weight = _binned(loss, weight)
    return loss, weight, infinite


def bins(law: Finite | OnLine, count: int) -> tuple[Array, Array]:
    """Inner edges that cut a law's outputs into about `count` equal parts, and their probabilities."""
    nodes = _nodes(law, law, 1.0)
    points = np.arange(float(len(nodes.p))) if nodes.at is None else nodes.at
    weight = np.exp(nodes.log_weights + nodes.p)
    order = np.argsort(points, kind="stable")
    points, reached = points[order], np.cumsum(weight[order])
    # An output that is half a bin by itself, an atom or one of few, is a bin of its own.
    heavy = np.flatnonzero(weight[order] >= 0.5 / count)
    even = np.searchsorted(reached, np.arange(1, count) / count)
    cuts = np.unique(np.concatenate([even, heavy, heavy - 1]))
    cuts = cuts[(cuts >= 0) & (cuts < len(points) - 1)]
    edges: Array = (points[cuts] + points[cuts + 1]) / 2.0
    return edges, np.asarray(np.diff(reached[cuts], prepend=0.0, append=reached[-1]), dtype=float)


# -- one part ----------------------------------------------------------------------------------------------------------


def _pairs(p: Law, q: Law) -> list[tuple[Part, Part]]:
    if isinstance(p, Independent) and isinstance(q, Independent):
        return list(zip(p.parts, q.parts, strict=True))
    assert not isinstance(p, Independent)
    assert not isinstance(q, Independent)
    return [(p, q)]


def _renyi(p: Part, q: Part, order: float) -> float:
    nodes = _nodes(p, q, order)
    if nodes.diverges:
        return math.inf
    if not nodes.certain:
        return math.nan
    there = nodes.p > -np.inf
    if np.any(there & (nodes.q == -np.inf) & (nodes.log_weights > -np.inf)):
        return math.inf
    values = (nodes.log_weights + order * nodes.p + (1.0 - order) * np.where(there, nodes.q, 0.0))[there]
    top = values.max()
    # Of what is nearly 1 the logarithm is taken as ln(1 + Σ w p ((p/q)^{λ−1} − 1)), less what the rule's ∫p is off by.
    rise = (order - 1.0) * (nodes.p[there] - nodes.q[there])
    if np.max(np.abs(rise[values > top - DROP])) < 1.0:
        weight = np.exp(nodes.log_weights[there] + nodes.p[there])
        tilted, other = (float(np.log1p(weight @ np.expm1(r) / weight.sum())) for r in (rise, rise / (1.0 - order)))
        # `other` is ln ∫q/∫p: where it is mere rounding, both are taken to be 1.
        return max(0.0, tilted / (order - 1.0) + (other if abs(other) < NORMALISED else 0.0))
    whole = float(top + np.log(np.sum(np.exp(values - top))))
    # A log-density whose normalizer has lost digits is off by a constant, which λ multiplies.
    lost_p, lost_q = (math.log(law.mass) if law.mass > 0 else -math.inf for law in (p, q))
    if max(abs(lost_p), abs(lost_q)) < NORMALISED:
        whole -= order * lost_p + (1.0 - order) * lost_q
    return max(0.0, whole) / (order - 1.0)


def _largest(p: Part, q: Part) -> float:
    nodes = _nodes(p, q, 1.0)
    there = nodes.p > -np.inf
    at_p, at_q = nodes.p[there], nodes.q[there]
    loss = at_p - at_q
    # Far out, the difference of two large logarithms is rounding.
    error = np.finfo(float).eps * np.maximum(np.abs(at_p), np.abs(at_q))
    sure = (at_q == -np.inf) | (error <= np.maximum(DIGITS * np.abs(loss), TINY_LOSS))
    best = max(0.0, float(np.max(loss[sure], initial=0.0)))
    seen = nodes.log_weights[there] + at_p > -DROP
    return math.nan if np.any(~sure & seen & (loss > best * (1.0 + 1e-9))) else best


def _losses(p: Part, q: Part) -> tuple[Array, Array, float]:
    nodes = _nodes(p, q, 1.0)
    weight = np.exp(nodes.log_weights + nodes.p)
    there = weight > 0
    never = float(np.sum(weight[there & (nodes.q == -np.inf)]))
    some = there & (nodes.q > -np.inf)
    loss, weight = nodes.p[some] - nodes.q[some], weight[some]
    if not np.any(loss):
        return np.zeros(1), np.array([weight.sum()]), never
    return loss, weight, never


def _binned(loss: Array, weight: Array) -> tuple[Array, Array]:
    """The same on fewer values: each is shared between the edges beside it so that its mean stays."""
    low, high = float(loss.min()), float(loss.max())
    step = (high - low) / (PART_BINS - 1) or 1.0
    at = (loss - low) / step
    below = np.minimum(at.astype(np.intp), PART_BINS - 2)
    share = weight * (at - below)
    total: Array = np.bincount(below, weights=weight - share, minlength=PART_BINS).astype(float)
    total += np.bincount(below + 1, weights=share, minlength=PART_BINS)
    kept = total > 0
    edges: Array = low + step * np.arange(float(PART_BINS))
    return edges[kept], total[kept]


def _excess(loss: Array, weight: Array, infinite: float, epsilon: float) -> float:
    return infinite + float(np.sum(weight * -np.expm1(np.minimum(0.0, epsilon - loss))))


def _excess_on_line(p: OnLine, q: OnLine, epsilon: float) -> float:
    """∫ (p − e^ε q)₊ with cuts where the two cross, so that each piece is smooth."""
    whole = _smooth_line(p) and _smooth_line(q)

    def gap(at: Array) -> Array:
        y = np.sinh(at) if whole else at
        log_p, log_q = p.log_density(y), q.log_density(y)
        with np.errstate(invalid="ignore"):
            return np.where(log_p == -np.inf, -1.0, np.clip(log_p - log_q, -1e300, 1e300) - epsilon)

    if whole:
        seen = _whole_line(p, q, 1.0).at
        assert seen is not None
        grid = np.unique(np.arcsinh(seen))
    else:
        y, log_weights = _pieces(p, q)
        seen = log_weights + np.maximum(p.log_density(y), q.log_density(y))
        # Far out, where there is no mass, rounding crosses ε as it likes.
        grid = np.sort(y[(seen > seen.max() - 2.0 * DROP) & ~np.isin(y, [*p.atoms, *q.atoms])])
    values = gap(grid)
    change = np.flatnonzero(np.signbit(values[:-1]) != np.signbit(values[1:]))
    low, high = grid[change], grid[change + 1]
    rising = values[change] < 0
    for _ in range(60):
        middle = (low + high) / 2.0
        above = gap(middle) > 0
        low, high = np.where(above == rising, low, middle), np.where(above == rising, middle, high)
    if whole:
        x, w = halving_to_both_ends(12, 24)
        edges = np.concatenate([grid[:1], np.sort(low), grid[-1:]])
        u = edges[:-1, np.newaxis] + np.diff(edges)[:, np.newaxis] * x
        y, log_weights = np.sinh(u), np.log(np.cosh(u)) + np.log(np.diff(edges)[:, np.newaxis] * w)
    else:
        y, log_weights = _pieces(p, q, low.tolist())
    log_p, log_q = p.log_density(y), q.log_density(y)
    positive = log_p - np.where(log_p == -np.inf, 0.0, log_q) > epsilon
    inside = np.where(positive, -np.expm1(np.where(positive, epsilon + log_q - log_p, 0.0)), 0.0)
    return float(np.sum(np.exp(log_weights + log_p) * inside))


def _nodes(p: Part, q: Part, order: float) -> Nodes:
    if isinstance(p, Finite) and isinstance(q, Finite):
        return Nodes(np.zeros(len(p.log_mass)), p.log_mass, q.log_mass)
    if isinstance(p, OnNodes) and isinstance(q, OnNodes):
        return Nodes(p.log_weights, p.log_density(p.points), q.log_density(p.points))
    assert isinstance(p, OnLine)
    assert isinstance(q, OnLine)
    if _smooth_line(p) and _smooth_line(q):
        return _whole_line(p, q, order)
    y, log_weights = _pieces(p, q)
    if not (p.tails and q.tails and math.isfinite(p.low)):
        return Nodes(log_weights, p.log_density(y), q.log_density(y), y)
    # Below its second panel the integrand is (y − low)^{s−1}: its integral up to a point is its value there, over s.
    slope = _slope(p.tails[0], q.tails[0], order)
    inner = np.sort(y)
    start = float(inner[PANEL_NODES - 1] + inner[0] - p.low)  # a panel's nodes lie evenly about its middle
    kept = y > start
    at = np.append(y[kept], start)
    weights = np.append(log_weights[kept], math.log(start - p.low) - math.log(max(slope, LEAST)))
    return Nodes(weights, p.log_density(at), q.log_density(at), at, diverges=slope <= 0.0)


def _slope(of_p: float, of_q: float, order: float) -> float:
    """λa + (1−λ)b, rounded once; for sums of p alone the lesser of both."""
    x = Fraction(order)
    return min(of_p, of_q) if order == 1.0 else float(x * Fraction(of_p) + (1 - x) * Fraction(of_q))


def _smooth_line(law: OnLine) -> bool:
    return math.isinf(law.low) and math.isinf(law.high) and not law.atoms and not law.bends


def _whole_line(p: OnLine, q: OnLine, order: float) -> Nodes:
    """Nodes where the integrand matters, by the trapezoidal rule in u, y = sinh u, which sees every scale of y.

    Where the integrand has not fallen by e^-45 at |y| = `FAR` it is an exponential from there on, whose slope decides
    whether the integral diverges: next to a pole no sum of nodes could tell. Known tails give it exactly.
    """
    u = np.linspace(-REACH, REACH, POINTS)
    first, last = 0, len(u) - 1
    for refinement in range(4):
        y = np.sinh(u)
        at_p, at_q = p.log_density(y), q.log_density(y)
        log_weights = np.log(np.cosh(u)) + math.log(u[1] - u[0])
        values = log_weights + _integrand(at_p, at_q, order)
        near = np.flatnonzero(values > values.max() - DROP)
        first, last = max(near[0] - 1, 0), min(near[-1] + 1, len(u) - 1)
        if refinement < 3:
            u = np.linspace(u[first], u[last], POINTS)
    nodes, certain, diverges = [(y, log_weights, at_p, at_q)], True, False
    for i, end, reached in ((0, -FAR, u[0] <= -REACH), (-1, FAR, u[-1] >= REACH)):
        if not reached:
            continue
        at = np.array([end, end / 2.0, end / 4.0])
        tail = p.log_density(at), q.log_density(at)
        value = _integrand(*tail, order)
        slope, before = (value[1] - value[0]) / (FAR / 2.0), (value[2] - value[1]) / (FAR / 4.0)
        # A sum that is cut and not run out counts its end half, less h/12 of its slope in u (Euler and Maclaurin).
        log_weights[i] += math.log(min(max(0.5 - (u[1] - u[0]) * (1.0 - slope * FAR) / 12.0, 0.25), 1.0))
        if value[0] + math.log(FAR) < values.max() - DROP:
            continue
        noise = ROUNDINGS * (order * np.abs(tail[0]) + abs(order - 1.0) * np.abs(tail[1])).max() / FAR
        if p.tails and q.tails:
            slope = before = _slope(p.tails[i], q.tails[i], order)
            noise = 0.0
            diverges |= slope == 0.0
        straight = abs(slope - before) <= 1e-3 * abs(slope) + noise
        diverges |= bool(slope < -noise and straight)
        certain &= diverges or bool(slope > noise and straight)
        nodes.append((at[:1], np.array([-math.log(max(slope, noise, LEAST))]), tail[0][:1], tail[1][:1]))
    y, log_weights, at_p, at_q = (np.concatenate(part) for part in zip(*nodes, strict=True))
    return Nodes(log_weights, at_p, at_q, y, certain, diverges)


def _integrand(at_p: Array, at_q: Array, order: float) -> Array:
    """ln p^λ q^{1−λ}; for sums of p alone, ln of the larger one, so that both laws' bulks are seen."""
    return np.maximum(at_p, at_q) if order == 1.0 else order * at_p + (1.0 - order) * at_q


def _pieces(p: OnLine, q: OnLine, crossings: Sequence[float] = ()) -> tuple[Array, Array]:
    """Atoms with weight 1, and nodes on the pieces between what is not smooth in either law."""
    low, high = min(p.low, q.low), max(p.high, q.high)
    atoms = sorted({*p.atoms, *q.atoms})
    cuts = sorted(
        {
            c
            for c in (low, high, *atoms, *p.bends, *q.bends, *crossings, p.low, p.high, q.low, q.high)
            if math.isfinite(c)
        }
    )
    points, log_weights = [np.array(atoms)], [np.zeros(len(atoms))]
    x, w = halving_to_both_ends(max(p.halvings, q.halvings), PANEL_NODES)
    for start, end in pairwise(cuts):
        inner = start + (end - start) * x
        # A node that rounding has put upon an atom would be taken for it.
        keep = (inner > start) & (inner < end)
        points.append(inner[keep])
        log_weights.append(np.log((end - start) * w[keep]))
    for edge, sign, open_end in ((cuts[0], -1.0, math.isinf(low)), (cuts[-1], 1.0, math.isinf(high))):
        if open_end:
            v = np.linspace(-4.0, 4.0, 801)  # y = e^{π/2 sinh v}, for tails like exponentials
            outer = np.exp(math.pi / 2.0 * np.sinh(v))
            keep = edge + sign * outer != edge
            points.append(edge + sign * outer[keep])
            log_weights.append(
                (math.pi / 2.0 * np.sinh(v) + np.log(math.pi / 2.0 * np.cosh(v)) + math.log(v[1] - v[0]))[keep]
            )
    return np.concatenate(points), np.concatenate(log_weights)
