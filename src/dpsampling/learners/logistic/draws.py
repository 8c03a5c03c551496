r"""Exact draws from logistic posteriors in floats, by rejection under an `envelope`.

A component k is taken by its mass, and in it ξ ~ N(0, I), y_j = σ_kj ξ_j, u = Vy. Where component k is a union of tails
|z_i·u| > r, r = r_{k−1}, an i is taken by p_ki, ξ's part along (σ_kj (Vᵀz_i)_j)_j is replaced by a normal variable
beyond r/s_ki on either side, and of proposals that m records reach beyond r with, one in m is kept: so each has the
density e^{−‖ξ‖²/2} that it is to have. It is taken if it lies in shell k and

    ln U < f(ŵ) − f(ŵ + u) + ‖ξ‖²/2 − c₀ − ln m.

The logarithm is at most 0: with c_i, α = α(r_k) and c₀ of the envelope, it is minus the sum of

    c₀ + g·u + (κ − κ′)‖y‖²/2 ≥ 0     and, for each record,     ρ [D_i(z_i·u) − α c_i (z_i·u)²] ≥ 0,

so that a proposal is given up as soon as the records that were looked at outweigh −ln U. What is taken has the target's
law up to the rounding of floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_ndtr, ndtri_exp

from dpsampling.errors import InputError
from dpsampling.learners.logistic.envelope import Envelope, Shell
from dpsampling.learners.logistic.target import loss
from dpsampling.numerics.arrays import Array, Booleans, Indices, Integers
from dpsampling.numerics.exact.arguments import check_size

NEAR = 1e-9  # of a squared radius, within which a norm is computed from its point
PARTS = 16  # of the records, after each of which proposals are given up
NUMBERS = 1 << 20  # of floats in an array of proposals by records or features: 8 MB
SPARE = 1.3  # proposals that are made at a time, against those expected to be needed
MOST = 1_000_000  # proposals without a draw: only a ball that the posterior keeps away from asks for so many


@dataclass(frozen=True, eq=False)
class Draws:
    """`points` (size × d) of the target's law, and how many `proposals` they took."""

    points: Array
    proposals: int


def draw(envelope: Envelope, rng: np.random.Generator, size: int) -> Draws:
    """`size` independent draws, 1 or more."""
    size = check_size(size)
    target = envelope.target
    parts = _parts(envelope)
    most = max(1, NUMBERS // max(len(parts[0].rows), target.records.d))
    rate = 0.5
    kept: list[Array] = []
    found = proposals = since = 0
    while found < size:
        block = int(min(most, 1 + SPARE * (size - found) / rate))
        y, component = _proposed(envelope, rng, block)
        places = _taken(envelope, parts, y, component, rng.standard_exponential(block))[: size - found]
        kept.append(y[places])
        found += len(places)
        proposals += block if found < size else int(places[-1]) + 1
        since = 0 if len(places) else since + block
        if since > MOST:
            raise InputError(
                f"none of {since} proposals was taken; the posterior of precision {target.precision:g} is too far "
                "from its envelope or its ball, so raise the precision, lower the weight or widen the radius."
            )
        rate = max(found, 0.5) / proposals
    return Draws(envelope.points(np.concatenate(kept)), proposals)


class _Part(NamedTuple):
    """Some of the records, with what their share of the sum is made of."""

    rows: Array  # (ZV)_i
    offsets: Array  # a_i
    losses: Array  # ℓ(a_i)
    slopes: Array  # ℓ′(a_i)
    bounds: Array  # c_i


def _parts(envelope: Envelope) -> list[_Part]:
    """All records, in parts that take turns through their order: a data set may be sorted."""
    a = envelope.offsets
    whole = envelope.rows, a, loss(a.copy()), -expit(-a), envelope.bounds
    count = min(PARTS, len(a))
    return [_Part(*(np.ascontiguousarray(values[i::count]) for values in whole)) for i in range(count)]


def _taken(envelope: Envelope, parts: Sequence[_Part], y: Array, component: Integers, level: Array) -> Indices:
    """The places of those proposals whose sum stays below their `level`, −ln U."""
    target, shells = envelope.target, envelope.shells
    inner, outer, factor = (np.array([getattr(s, name) for s in shells]) for name in ("inner", "outer", "factor"))
    holed = np.array([shell.widths is not None for shell in shells])
    turned = envelope.gradient if envelope.axes is None else envelope.gradient @ envelope.axes
    excess = 0.5 * (target.precision - envelope.precision)
    spent = envelope.remainder + y @ turned + excess * np.einsum("ij,ij->i", y, y)
    alive = np.flatnonzero((spent < level) & _in_ball(envelope, y))
    beyond = np.zeros(len(y), dtype=np.int64)
    for part in parts:
        if not len(alive):
            break
        shifts = y[alive] @ part.rows.T
        k = component[alive]
        sizes = np.abs(shifts)
        beyond[alive] += np.count_nonzero(sizes > inner[k][:, None], axis=1)
        inside = sizes.max(axis=1) <= outer[k]
        curved = factor[k] * ((shifts * shifts) @ part.bounds)
        plain = shifts @ part.slopes
        shifts += part.offsets
        spent[alive] += target.weight * (loss(shifts).sum(axis=1) - part.losses.sum() - plain - curved)
        alive = alive[inside & (spent[alive] < level[alive])]
    reached = np.where(holed[component[alive]], np.maximum(beyond[alive], 1), 1)
    return alive[(beyond[alive] > 0) & (spent[alive] + np.log(reached) < level[alive])]


def _proposed(envelope: Envelope, rng: np.random.Generator, size: int) -> tuple[Array, Integers]:
    """`size` draws from the mixture, with their components."""
    log_mass = np.array([shell.log_mass for shell in envelope.shells])
    sums = np.cumsum(np.exp(log_mass - log_mass.max()))
    component = np.minimum(np.searchsorted(sums, rng.random(size) * sums[-1], side="right"), len(sums) - 1)
    xi = rng.standard_normal((size, envelope.target.records.d))
    if envelope.axes is not None:
        xi = xi @ envelope.axes  # so that the draw does not depend on which axes stand for equal deviations
    for k, shell in enumerate(envelope.shells):
        if shell.widths is not None and np.any(mine := component == k):
            xi[mine] = _pushed_out(envelope.rows, shell, xi[mine], rng)
    return np.stack([shell.deviations for shell in envelope.shells])[component] * xi, component


def _pushed_out(rows: Array, shell: Shell, xi: Array, rng: np.random.Generator) -> Array:
    """ξ given that |z_i·u| > r, for each row an i taken by its tail's mass."""
    assert shell.widths is not None
    assert shell.sums is not None
    some = np.searchsorted(shell.sums, rng.random(len(xi)) * shell.sums[-1], side="right")
    some = np.minimum(some, len(shell.sums) - 1)
    widths = shell.widths[some]
    directions = rows[some] * shell.deviations / widths[:, None]
    level = log_ndtr(-shell.inner / widths) - rng.standard_exponential(len(xi))
    along = ndtri_exp(level) * rng.choice([-1.0, 1.0], len(xi))
    along -= np.einsum("ij,ij->i", xi, directions)
    return xi + along[:, None] * directions


def _in_ball(envelope: Envelope, y: Array) -> Booleans:
    radius = envelope.target.radius
    if radius is None:
        return np.ones(len(y), dtype=bool)
    # The axes are orthogonal, so that ‖ŵ + Vy‖² = ‖ŵ‖² + 2 (Vᵀŵ)·y + ‖y‖², but where rounding of it might tell.
    centre = envelope.centre if envelope.axes is None else envelope.centre @ envelope.axes
    squares = centre @ centre + 2.0 * (y @ centre) + np.einsum("ij,ij->i", y, y)
    inside = np.asarray(squares <= radius**2)
    near = np.flatnonzero(np.abs(squares - radius**2) <= NEAR * radius**2)
    inside[near] = np.linalg.norm(envelope.points(y[near]), axis=1) <= radius
    return inside
