r"""XᵀX and Xᵀy of private rows with ‖x‖₂ ≤ 1 and |y| ≤ 1, without a rounding error.

Rows and outcomes are divided by their public bounds, those beyond are shrunk to them, and then every number is rounded
towards zero to a multiple of 2⁻¹³, half the bits of `rows.GRID`: no |entry| grows, so no norm does. Whatever is proved
of neighbours for rows within the bounds holds for these rows, and of them everything is exact: products are multiples
of 2⁻²⁶, and the sums of up to 2²⁷ of them have no rounding, whatever the order in which a library takes them.

The least eigenvalue of XᵀX is not rational. Its floor on a grid that contains 1 is, and moves by no more than 1 where
the eigenvalue does; it is found in whole numbers. The characteristic polynomial of XᵀX − t has real roots alone, which
are all ≥ 0 if and only if its coefficients alternate in sign: they are then the elementary symmetric functions of the
roots, and a polynomial with alternating coefficients has no root below 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from flint import fmpz_mat, fmpz_poly
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.learners import rows
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.guarantee import Relation

BITS = rows.GRID // 2
MOST_ROWS = 1 << (53 - rows.GRID)
EIGENVALUE_BITS = 10  # behind the point of a least eigenvalue: its noise is far coarser
EIGENVALUE_STEPS = 27 + EIGENVALUE_BITS + 1  # of a bisection that reaches the least eigenvalue of 2²⁷ rows


class Moments(NamedTuple):
    """XᵀX and Xᵀy of rows and outcomes over their bounds."""

    gram: Array
    cross: Array


def unit_rows(features: ArrayLike, bound: float) -> Array:
    """Rows over their bound, on the grid; no exact norm is above 1."""
    given = rows.matrix("features", features)
    if len(given) > MOST_ROWS:
        raise InputError(f"there are {len(given)} rows; sums are exact for {MOST_ROWS} at most: take fewer.")
    inside = rows.within(given, bound)
    return rows.on_grid(rows.within(inside / bound, 1.0), BITS)


def unit_outcomes(outcomes: ArrayLike, n: int, bound: float) -> Array:
    """Numbers over their bound, on the grid; none is beyond ±1."""
    try:
        found = np.asarray(outcomes, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError("outcomes are not all numbers; code what is none.") from None
    if found.shape != (n,):
        raise InputError(f"outcomes have shape {found.shape}; give one number for each of the {n} rows.")
    if not np.isfinite(found).all():
        raise InputError("outcomes hold something that is no finite number; drop or fill such entries.")
    return rows.on_grid(np.clip(np.clip(found, -bound, bound) / bound, -1.0, 1.0), BITS)


def moments(unit: Array, outcomes: Array) -> Moments:
    """Of rows and outcomes on the grid."""
    return Moments(unit.T @ unit, unit.T @ outcomes)


def least_eigenvalue(gram: Array) -> float:
    """⌊2¹⁰ λ_min⌋/2¹⁰ of a positive semidefinite matrix of multiples of 2⁻²⁶, exactly."""
    whole = [[int(x) for x in row] for row in np.ldexp(gram, rows.GRID).tolist()]
    polynomial = fmpz_mat(whole).charpoly()
    signs = [(-1) ** (len(whole) - k) for k in range(len(whole) + 1)]

    def none_below(place: int) -> bool:
        shifted = polynomial(fmpz_poly([place << (rows.GRID - EIGENVALUE_BITS), 1]))
        return bool(min(sign * c for sign, c in zip(signs, shifted.coeffs(), strict=True)) >= 0)

    place = 0
    for bit in reversed(range(EIGENVALUE_STEPS)):
        place += none_below(place + (1 << bit)) << bit
    return float(np.ldexp(place, -EIGENVALUE_BITS))


def check_level(epsilon: float) -> None:
    """A level that noise can be scaled to."""
    if not 0 < epsilon < np.inf:
        raise InputError(f"epsilon is {epsilon:g}; it must be above 0 and finite.")


def check_relation(relation: Relation) -> None:
    """Neighbours differ in a row."""
    if relation not in (Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE):
        raise InputError(f"relation is '{relation.value}'; rows are added, removed or replaced.")


def check_bounds(bound: float, outcome_bound: float = 1.0) -> None:
    """Public bounds, of rows' norms and of outcomes."""
    for name, value in (("bound", bound), ("outcome_bound", outcome_bound)):
        if not 2.0**-500 < value < 2.0**500:
            raise InputError(f"{name} is {value:g}; a public bound must be above 0 and finite, and no extreme number.")
