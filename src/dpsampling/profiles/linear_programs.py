r"""The smooth mechanisms as sparse linear programs (thesis eqs. (7.6) and (7.7)), with ties broken canonically.

Unknown are the off-diagonal entries A^i(x, y). K-ary randomized response, u = 1/(e^ε + d − 1) in every place, is always
feasible, so with A^i(x, y) = u β the best largest entry is u max β with β in [0, 1], at every ε. Output laws are
o_i = P_i + u ω_i, ω linear in β, and a constraint o_i ≤ e^ε o_j reads

    (ω_i − e^ε ω_j)/(e^ε − 1)  ≤  (e^ε P_j − P_i)/(u (e^ε − 1)).

Numbers of order one stay of order one from ε = 1e-4 to 37. With one bit (thesis eq. (7.6)) both entries of A^i are one
unknown α_i. All connected components are solved at once, each for itself:

 1. least max β of each component; or, lexicographically, the least largest, then the least second largest … of the
    profiles' own maxima;
 2. at that bound, least expected corruption Σ_i Σ_x P_i(x) Pr(output ≠ x);
 3. at that value, the lexicographically least costs max_i |P_i(y) − o_i(y)| (thesis eq. (7.9)), largest first.

A convex set has one least vector in the lexicographic sense, so the costs do not depend on the solver. Where a stage's
optimum is kept for the next one, variables and rows with a nonzero multiplier stay where they are: these are the
optimal solutions, all of them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.optimize import OptimizeResult, linprog

from dpsampling.numerics.arrays import Array, Booleans, Indices
from dpsampling.profiles.graph import ProfileGraph, components

SOLVERS = ("highs-ds", "highs-ipm")
_LARGEST_EPSILON = 37.0  # beyond it u is below the grid that mechanisms live on
_ITERATIONS = 20  # a variable or row; ten times what is ever needed, unless the simplex goes in circles
_SOLVER_TOLERANCE = 1e-10  # the least that HiGHS takes
_SLACKS = (0.0, 1e-9, 1e-8, 1e-7, 1e-6)  # of rows and bounds: rounding can leave an optimal face empty
_FEASIBILITY = 1e-7  # of what a solver returns, in output probabilities
_NONZERO = 1e-9  # a multiplier
_NOTHING = 1e-12  # a level of which no more is to be had
_LEAST_EPSILON = 1e-6  # below it, coefficients would be too large for any solver: outputs are to be equal instead
_MOST = 1.0 + 1e-6  # β: 1 suffices, up to the coefficients that the solver leaves out
_RARE = 1e-9  # the solver takes smaller coefficients for 0; rows of so rare a category stay the identity


@dataclass(frozen=True)
class Size:
    """How large the program of the first stage is."""

    variables: int
    constraints: int
    nonzeros: int


@dataclass(frozen=True, eq=False)
class _Program:
    """The unknowns β, and what holds of them at every stage."""

    graph: ProfileGraph
    unit: float  # u
    owner: Indices  # the profile of each β
    entry: Indices  # the flat place (i, x, y) of each β; with one bit there are two of them
    weight: Array  # of each β in the expected corruption
    laws: sparse.csr_array  # B in ω = Bβ, one row a profile and output
    rows: sparse.csr_array  # privacy
    limits: Array

    @property
    def flips(self) -> int:
        """The number of β."""
        return len(self.owner)


@dataclass(frozen=True, eq=False)
class _Box:
    """Bounds of β, and which privacy rows are tight."""

    low: Array
    high: Array
    tight: Booleans
    slacks: tuple[float, ...] = _SLACKS  # how far rows and bounds may give, tried in turn


def solve(
    graph: ProfileGraph, epsilon: float, *, one_bit: bool, lexicographic: bool = False, solver: str = SOLVERS[0]
) -> Array:
    """Off-diagonal entries (k, d, d) of the canonical optimum, in floats; feasible up to rounding."""
    program = _assemble(graph, _solvable(epsilon), one_bit=one_bit)
    bounds = _least_levels(program, one_bit=one_bit, lexicographic=lexicographic, solver=solver)
    box = _least_corruption(program, bounds, solver)
    beta = np.clip(_least_costs(program, box, solver), 0.0, _MOST)
    size, d = graph.probabilities.shape
    entries = np.zeros(size * d * d)
    for place in program.entry.T:
        entries[place] = program.unit * beta
    flips = entries.reshape(size, d, d)
    _verify(graph, flips, epsilon)
    return flips


def size_of(graph: ProfileGraph, epsilon: float, *, one_bit: bool) -> Size:
    """The size of the first stage's program."""
    program = _assemble(graph, _solvable(epsilon), one_bit=one_bit)
    levels = int(graph.components.max()) + 1
    rows = program.rows.shape[0] + program.flips
    return Size(program.flips + levels, rows, program.rows.nnz + 2 * program.flips)


# -- assembly ---------------------------------------------------------------------------------------------------------


def _solvable(epsilon: float) -> float:
    """The level that the program is for: none above the one asked, except where flips are below the grid."""
    return 0.0 if epsilon < _LEAST_EPSILON else min(epsilon, _LARGEST_EPSILON)


def _assemble(graph: ProfileGraph, epsilon: float, *, one_bit: bool) -> _Program:
    """The program without an objective; constraints that no β in [0, 1] can violate are left out."""
    P = graph.normalised
    size, d = P.shape
    excess = math.expm1(epsilon)
    unit = 1.0 / (excess + d)
    if one_bit:
        owner = np.arange(size)
        entry = np.column_stack([owner * 4 + 1, owner * 4 + 2])  # (i, 0, 1) and (i, 1, 0)
        weight = np.ones(size)
        moved, target = np.repeat(owner, 2), np.arange(2 * size)
        change = (P[:, ::-1] - P).ravel()
    else:
        i, x, y = (index.ravel() for index in np.indices((size, d, d)))
        used = (x != y) & (P[i, x] > _RARE)
        owner, x, y = i[used], x[used], y[used]
        entry = ((owner * d + x) * d + y)[:, np.newaxis]
        weight = P[owner, x]
        column = np.arange(len(owner))
        moved = np.concatenate([column, column])
        target = np.concatenate([owner * d + y, owner * d + x])
        change = np.concatenate([weight, -weight])
    laws = sparse.coo_array((change, (target, moved)), shape=(size * d, len(owner))).tocsr()
    rows, limits = _privacy(graph, excess, unit, laws)
    return _Program(graph, unit, owner, entry, weight, laws, rows, limits)


def _privacy(graph: ProfileGraph, excess: float, unit: float, laws: sparse.csr_array) -> tuple[sparse.csr_array, Array]:
    """The rows of o_i ≤ e^ε o_j, for both directions of every edge and every output."""
    P = graph.normalised
    d = P.shape[1]
    i, j = (np.repeat(end, d) for end in graph.directed.T)
    y = np.tile(np.arange(d), len(graph.directed))
    most = P[i, y] + unit * (1.0 - P[i, y])
    least = (1.0 + excess) * P[j, y] * (1.0 - (d - 1) * unit)
    binding = most > least
    i, j, y = i[binding], j[binding], y[binding]
    scale = excess or 1.0
    rows = (laws[i * d + y] * (1.0 / scale) - laws[j * d + y] * ((1.0 + excess) / scale)).tocsr()
    rows.data[np.abs(rows.data) < _RARE] = 0.0  # at large ε; exactness is seen to afterwards
    return rows, ((P[j, y] - P[i, y]) + excess * P[j, y]) / (unit * scale)


# -- the three stages -------------------------------------------------------------------------------------------------


def _least_levels(program: _Program, *, one_bit: bool, lexicographic: bool, solver: str) -> Array:
    """The largest β that each profile is allowed."""
    graph = program.graph
    size = len(graph.names)
    bounds = np.full(size, np.nan)
    while np.isnan(bounds).any():
        open_ = np.isnan(bounds)
        label = _groups(graph, open_, one_bit=one_bit)
        high = np.where(open_, _MOST, bounds)[program.owner]
        # A one-bit flip that must not be lowered is settled; matrices keep some freedom below their maximum.
        low = np.where(open_[program.owner] | (not one_bit), 0.0, high)
        free = np.flatnonzero(open_[program.owner])
        row, count = np.arange(len(free)), int(label.max()) + 1
        columns = np.concatenate([free, program.flips + label[program.owner[free]]])
        values = np.concatenate([np.ones(len(free)), -np.ones(len(free))])
        shape = (len(free), program.flips + count)
        below = sparse.coo_array((values, (np.tile(row, 2), columns)), shape=shape).tocsr()
        box = _box(program, low, high)
        found = _minimise(program, box, np.zeros(program.flips), (below, np.zeros(len(free))), solver)
        levels = np.clip(found.x[program.flips :], 0.0, _MOST)
        if not lexicographic:
            return np.asarray(levels[label])
        pull = np.bincount(program.owner[free], -found.ineqlin.marginals[-len(free) :], minlength=size)
        strongest = np.zeros(count)
        np.maximum.at(strongest, label[open_], pull[open_])
        group = np.where(open_, label, 0)
        settled = open_ & ((pull >= np.minimum(strongest[group], _NONZERO)) | (levels[group] < _NOTHING))
        bounds[settled] = levels[group[settled]]
    return bounds


def _least_corruption(program: _Program, bounds: Array, solver: str) -> _Box:
    """All solutions of least expected corruption, as a box."""
    box = _box(program, np.zeros(program.flips), bounds[program.owner])
    nothing = sparse.csr_array((0, program.flips))
    found = _minimise(program, box, program.weight, (nothing, np.zeros(0)), solver)
    low, high = box.low.copy(), box.high.copy()
    at_low, at_high = found.lower.marginals > _NONZERO, found.upper.marginals < -_NONZERO
    high[at_low], low[at_high] = low[at_low], high[at_high]
    return _Box(low, high, found.ineqlin.marginals < -_NONZERO)


def _least_costs(program: _Program, box: _Box, solver: str) -> Array:
    """β with the lexicographically least costs of each component."""
    size, d = program.graph.probabilities.shape
    component = program.graph.components
    count = int(component.max()) + 1
    outputs = np.arange(1, d) if d == 2 else np.arange(d)  # two outputs have the same cost
    profile, y = (index.ravel() for index in np.meshgrid(np.arange(size), outputs, indexing="ij"))
    group, change = component[profile], program.laws[profile * d + y]
    cost = np.full((count, d), np.nan)
    cost[:, np.setdiff1d(np.arange(d), outputs)] = 0.0
    row = np.arange(2 * len(profile))
    while True:
        open_ = np.tile(np.isnan(cost[group, y]), 2)
        known = np.where(open_, 0.0, np.tile(cost[group, y], 2))
        level = sparse.coo_array((-open_.astype(float), (row, np.tile(group, 2))), shape=(len(row), count))
        within = sparse.hstack([sparse.vstack([change, -change]), level]).tocsr()
        found = _minimise(program, box, np.zeros(program.flips), (within, known), solver)
        box = replace(box, slacks=box.slacks[box.slacks.index(found.slack) :])  # the next round needs it too
        levels = np.maximum(found.x[program.flips :], 0.0)
        pull = np.zeros((count, d))
        np.add.at(pull, (np.tile(group, 2)[open_], np.tile(y, 2)[open_]), -found.ineqlin.marginals[-len(row) :][open_])
        strongest = pull.max(axis=1, keepdims=True)
        ended = (pull >= np.minimum(strongest, _NONZERO)) | (levels[:, np.newaxis] < _NOTHING)
        cost = np.where(np.isnan(cost) & ended, levels[:, np.newaxis], cost)
        if not np.isnan(cost).any():
            return np.asarray(found.x[: program.flips])


def _groups(graph: ProfileGraph, open_: Booleans, *, one_bit: bool) -> Indices:
    """Which profiles share a level: those that open ones connect. Settled matrices still move, settled flips do not."""
    edges = graph.edges[open_[graph.edges].all(axis=1)] if one_bit else graph.edges
    label = components(len(open_), edges)
    numbers = np.zeros(len(open_), dtype=np.intp)
    numbers[open_] = np.unique(label[open_], return_inverse=True)[1]
    return numbers


def _box(program: _Program, low: Array, high: Array) -> _Box:
    return _Box(low, high, np.zeros(len(program.limits), dtype=bool))


def _minimise(
    program: _Program, box: _Box, cost: Array, extra: tuple[sparse.csr_array, Array], solver: str
) -> OptimizeResult:
    """Least cost·β + Σ levels; the `extra` rows, which come last, speak of β and of the levels behind them."""
    extra_rows, extra_limits = extra
    levels = extra_rows.shape[1] - program.flips
    pad = sparse.csr_array((program.rows.shape[0], levels))
    rows = sparse.hstack([program.rows, pad]).tocsr()
    tight, loose = rows[box.tight], rows[~box.tight]
    exactly, at_most = program.limits[box.tight], program.limits[~box.tight]
    ones, nothing = np.ones(levels), rows[:0]
    message = ""
    for slack, method in ((slack, method) for slack in box.slacks for method in dict.fromkeys((solver, *SOLVERS))):
        # With slack, what is tight is nearly so: two inequalities instead of an equation.
        below = [loose, tight, -tight, extra_rows] if slack else [loose, extra_rows]
        limits = [at_most, exactly, -exactly, extra_limits] if slack else [at_most, extra_limits]
        low, high = np.append(box.low - slack, 0.0 * ones), np.append(box.high + slack, np.inf * ones)
        found = linprog(  # type: ignore[call-overload]  # its stubs know no sparse matrices
            np.append(cost, ones),
            A_ub=sparse.vstack(below).tocsr(),
            b_ub=np.concatenate(limits) + slack,
            A_eq=nothing if slack else tight,
            b_eq=exactly[:0] if slack else exactly,
            bounds=np.column_stack([low, high]),
            method=method,
            options={
                "primal_feasibility_tolerance": _SOLVER_TOLERANCE,
                "dual_feasibility_tolerance": _SOLVER_TOLERANCE,
                "maxiter": _ITERATIONS * (len(cost) + len(exactly) + len(at_most) + len(extra_limits)),
            },
        )
        if found.status == 0:
            found.slack = slack
            return found
        message = found.message
    raise ArithmeticError(f"the linear program was not solved: {message}")


def _verify(graph: ProfileGraph, flips: Array, epsilon: float) -> None:
    """Every constraint of the returned solution, before anything is made of it."""
    P = graph.normalised
    laws = P * (1.0 - flips.sum(axis=2)) + np.einsum("ix,ixy->iy", P, flips)
    i, j = graph.directed.T
    violation = float((math.exp(-min(epsilon, 700.0)) * laws[i] - laws[j]).max())
    if violation > _FEASIBILITY or flips.min() < 0.0:
        raise ArithmeticError(f"the linear program's solution violates a constraint by {violation:.2g}")
