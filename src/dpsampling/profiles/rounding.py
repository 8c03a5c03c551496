r"""From the floats of a linear program to probabilities on the grid that meet every constraint exactly.

Both ways go towards more noise, by as little as they can.

One-bit flips. With α_i raised towards 1/2 the rarer output of P_i becomes likelier and the other one rarer. A violated
Pr(y | P_i) ≤ e^ε Pr(y | P_j) is mended by raising α_j if y is P_j's rarer value, and otherwise α_i, by the fewest
units that do; what this upsets is mended in turn. It ends at randomized response at the latest, which is private for
any profiles, or, where a reading of the profiles needs more than that, at 1/2.

Matrices. (1 − τ)A + τ/d mixes in a uniform output: with q = 1/d,

    (1 − τ)(o_i − e^ε o_j) ≤ τ (e^ε − 1) q

holds from some small τ on. Only profiles that a nearly tight constraint links are mixed together.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush

import numpy as np

from dpsampling.numerics.arrays import Array, Indices
from dpsampling.profiles.exact import GRID, Constraint, ExactGraph, on_grid
from dpsampling.profiles.graph import components

HALF = GRID // 2


def raise_flips(exact: ExactGraph, flips: Array, most: float) -> Array:
    """Flips mended from these on, none above `most` unless that is not enough."""
    raised = _raised(exact, flips, round(most * GRID))
    return raised if not exact.violated(one_bit(raised)) else _raised(exact, raised, HALF)


def _raised(exact: ExactGraph, flips: Array, most: int) -> Array:
    """Flips in which no violated constraint can be mended without one above `most` units.

    Mending passes from likelier rare outputs to less likely ones. Taken in this order, as in Dijkstra's algorithm, a
    profile is hardly ever raised twice.
    """
    units = np.clip(np.rint(flips * GRID), 0, most).astype(np.int64).tolist()
    profiles = exact.graph.normalised.tolist()
    neighbours: dict[int, list[int]] = {}
    for i, j in exact.graph.directed.tolist():
        neighbours.setdefault(i, []).append(j)

    def law(profile: int, y: int) -> float:
        kept, other = profiles[profile][y], profiles[profile][1 - y]
        return kept + (other - kept) * (units[profile] / GRID)

    def ranked(i: int, j: int, y: int) -> tuple[float, int, int, int]:
        cause = law(i, y) if profiles[j][y] < profiles[j][1 - y] else law(j, 1 - y)
        return -cause, i, j, y

    pending = [ranked(*suspect) for suspect in exact.suspects(one_bit(flips))]
    heapify(pending)
    while pending:
        _, i, j, y = heappop(pending)
        for constraint in exact.constraints(i, j, y):
            for raised in _mend(constraint, units, most):
                for other in neighbours[raised]:
                    for a, b in ((raised, other), (other, raised)):
                        for output in (0, 1):
                            heappush(pending, ranked(a, b, output))
    return np.array(units) / GRID


def raise_common_flip(exact: ExactGraph, members: Indices, flip: float) -> float:
    """The least grid value from `flip` on that meets every constraint of these profiles, as the flip of all of them.

    Each constraint is linear in α and holds at 1/2, so it holds from one α on.
    """
    units = min(max(round(flip * GRID), 0), HALF)
    chosen = np.zeros(len(exact.graph.names), dtype=bool)
    chosen[members] = True
    for i, j, y in exact.suspects(one_bit(np.full(len(chosen), units / GRID))):
        if not chosen[i]:
            continue
        for c in exact.constraints(i, j, y):
            (own, own_slope), (other, other_slope) = (_line(c, k) for k in (i, j))
            excess = own * c.left - other * c.right
            slope = own_slope * c.left - other_slope * c.right
            if excess + slope * units > 0:
                units = min(HALF, -(-excess // -slope))
    return units / GRID


def one_bit(flips: Array) -> Array:
    """The matrices that flip each profile's bit with its own probability, on the grid."""
    matrices = np.zeros((len(flips), 2, 2))
    matrices[:, 0, 1] = matrices[:, 1, 0] = flips
    return on_grid(matrices)


def mix(exact: ExactGraph, flips: Array) -> Array:
    """Matrices with these off-diagonal entries, mixed with a uniform output as far as exactness needs it."""
    matrices = on_grid(flips)
    size, d = flips.shape[:2]
    i, j = exact.graph.directed.T
    limit = float(exact.bound)
    share = 0.0
    while exact.violated(matrices):
        laws = np.einsum("ix,ixy->iy", exact.graph.normalised, flips_with_diagonal(flips))
        slack = limit * laws[j] - laws[i]
        if share == 0.0:
            needed = float(np.maximum(-slack, 0.0).max()) + (1.0 + limit) * d * 2.0**-53
            share = needed * d / (limit - 1.0)
        else:
            share *= 2.0
        share = min(share, 1.0)
        # What mixing does to one side of an edge alone must not matter to the edges between clusters.
        tight = (slack < 4.0 * (1.0 + limit) * (share + 2.0**-52)).any(axis=1)
        cluster = components(size, np.column_stack([i[tight], j[tight]]))
        mixed = np.isin(cluster, cluster[i[tight]])
        shares = np.where(mixed, share, 0.0)[:, np.newaxis, np.newaxis]
        matrices = on_grid((1.0 - shares) * flips + shares / d)
    return matrices


def flips_with_diagonal(flips: Array) -> Array:
    """Transition matrices in floats, from their off-diagonal entries."""
    matrices = flips.copy()
    diagonal = np.arange(flips.shape[-1])
    matrices[:, diagonal, diagonal] = 0.0
    matrices[:, diagonal, diagonal] = 1.0 - matrices.sum(axis=2)
    return matrices


def _line(c: Constraint, profile: int) -> tuple[int, int]:
    """Σ_x numerators(x)·A(x, y)·GRID of a one-bit profile as (value at α = 0, slope a unit of α)."""
    kept, other = int(c.reading.numerators[profile, c.y]), int(c.reading.numerators[profile, 1 - c.y])
    return kept * GRID, other - kept


def _mend(c: Constraint, units: list[int], most: int) -> list[int]:
    """Raise flips by the fewest units until the constraint holds; the profiles that were raised."""
    (own, own_slope), (other, other_slope) = _line(c, c.i), _line(c, c.j)
    raised = []
    left, right = (own + own_slope * units[c.i]) * c.left, (other + other_slope * units[c.j]) * c.right
    if left > right and other_slope > 0 and units[c.j] < most:
        wanted = -(-left // c.right)
        units[c.j] = min(most, -(-(wanted - other) // other_slope))
        raised.append(c.j)
        right = (other + other_slope * units[c.j]) * c.right
    if left > right and own_slope < 0 and units[c.i] < most:
        allowed = right // c.left
        units[c.i] = min(most, -(-(own - allowed) // -own_slope))
        raised.append(c.i)
    return raised
