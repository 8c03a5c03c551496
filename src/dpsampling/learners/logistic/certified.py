r"""A logistic posterior as a program on a tape (`exact.tape`): the rejection of `draws`, exact in bits.

By a `certificate`, f(ŵ + Vy) ≥ C + ½ Σ p_kj y_j² in the shell r_{k−1} < max_i |z_i·Vy| ≤ r_k. A component k, and where
it has a hole a tail i, is taken with probability W_ki/ΣW; ξ is standard normal, in a tail with its part along the
(Vᵀz_i)_j/√p_kj replaced by a variable beyond τ = r_{k−1}/s_ki on either side, y_j = ξ_j/√p_kj, and m is how many
records lie beyond r_{k−1} (m = 1 without a hole). A proposal in its shell is taken if, E being exponential,

    E + C + ‖ξ‖²/2 − f(ŵ + Vy) + [L_k − L + ln P_ki + ln 2⁵² − ln W_ki] − ln m > 0,

of which all but E is at most 0. What is taken has the target's law: nothing is rounded. z_i·Vy and f are first sought
in floats with bounds on their error (`enclosed_loss`), and in balls where these decide nothing: the answer is the same.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import flint
import numpy as np
from flint import arb, arb_mat
from numpy.typing import ArrayLike

from dpsampling.learners.logistic import enclosed_loss
from dpsampling.learners.logistic.certificate import GROW, SCALE, Component, certify, gamma
from dpsampling.learners.logistic.envelope import envelope
from dpsampling.learners.logistic.target import Target
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.exact.data_dependent import data_dependent
from dpsampling.numerics.exact.laws import exponential, normal
from dpsampling.numerics.exact.tape import Tape, UndecidedError, floor, positive

REASON = "the envelope that is rejected under, and how many proposals that takes, depend on the data; the law does not"
BLOCK = 1 << 16  # numbers of the rows that are balls at a time


class Measure(NamedTuple):
    """Of a proposal in its shell: how many records lie beyond the shell's inner radius, and f there."""

    beyond: int
    height: arb


class LogisticLaw:
    """w of a `Target`, coordinate by coordinate."""

    @data_dependent(REASON)
    def __init__(self, target: Target, start: ArrayLike | None = None) -> None:
        self._certificate = certify(envelope(target, start))
        sums = np.cumsum(np.concatenate([component.weights for component in self._certificate.components]))
        self._total, self._sums = int(sums[-1]), sums
        self._starts = np.cumsum([0, *(len(component.weights) for component in self._certificate.components)])
        axes = self._certificate.axes
        self._axes = None if axes is None else arb_mat(axes.tolist())
        self._constants: dict[int, list[tuple[list[arb], arb]]] = {}

    @data_dependent(REASON)
    def __call__(self, tape: Tape) -> list[arb]:
        """One draw of w."""
        while True:
            w = self._attempt(tape)
            if w is not None:
                return w

    def _attempt(self, tape: Tape) -> list[arb] | None:
        place = int(np.searchsorted(self._sums, floor(tape.uniform() * self._total), side="right"))
        k = int(np.searchsorted(self._starts, place, side="right")) - 1
        i = place - int(self._starts[k])
        component = self._certificate.components[k]
        roots, log_mass = self._at(flint.ctx.prec)[k]
        level = exponential(tape) + self._certificate.level + log_mass - arb(int(component.weights[i])).log()
        xi = [normal(tape) for _ in roots]
        if component.holed:
            xi, log_tail = self._pushed_out(tape, i, component, roots, xi)
            level += log_tail
        y = [x * root for x, root in zip(xi, roots, strict=True)]
        level += sum((x * x for x in xi), arb(0)) / 2
        try:
            taken = self._taken(self._in_floats(y, component), component, level)
        except UndecidedError:
            taken = self._taken(self._in_balls(y, component), component, level)
        if not taken:
            return None
        w = self._point(y)
        radius = self._certificate.target.radius
        if radius is not None and not positive(arb(radius) ** 2 - sum((x * x for x in w), arb(0))):
            return None
        return w

    def _pushed_out(
        self, tape: Tape, i: int, component: Component, roots: list[arb], xi: list[arb]
    ) -> tuple[list[arb], arb]:
        """ξ given that |z_i·u| is above the inner radius, and ln P_ki."""
        row = arb_mat([self._certificate.target.records.signed[i].tolist()])
        turned = (row if self._axes is None else row * self._axes).entries()
        along = [z * root for z, root in zip(turned, roots, strict=True)]
        width = sum((x * x for x in along), arb(0)).sqrt()
        tau = component.inner / width
        t = beyond(tape, tau)
        if positive(tape.uniform() - 0.5):
            t = -t
        t = (t - sum((x * z for x, z in zip(xi, along, strict=True)), arb(0)) / width) / width
        return [x + t * z for x, z in zip(xi, along, strict=True)], (tau / arb(2).sqrt()).erfc().log()

    def _taken(self, measure: Measure | None, component: Component, level: arb) -> bool:
        if measure is None or measure.beyond == 0:
            return False
        return positive(level - measure.height - (arb(measure.beyond).log() if component.holed else 0))

    def _at(self, precision: int) -> list[tuple[list[arb], arb]]:
        """Of each component the 1/√p_kj, and L_k − L + ln 2⁵²."""
        if precision not in self._constants:
            parts = [[arb(p) for p in component.precisions.tolist()] for component in self._certificate.components]
            masses = [-sum((p.log() for p in part), arb(0)) / 2 for part in parts]
            top = masses[self._certificate.top]
            self._constants[precision] = [
                ([p.rsqrt() for p in part], mass - top + SCALE * arb(2).log())
                for part, mass in zip(parts, masses, strict=True)
            ]
        return self._constants[precision]

    def _point(self, y: list[arb]) -> list[arb]:
        """w = ŵ + Vy."""
        moved = y if self._axes is None else (self._axes * arb_mat([[x] for x in y])).entries()
        return [c + x for c, x in zip(self._certificate.centre.tolist(), moved, strict=True)]

    # -- the two ways to measure a proposal; none outside its shell ----------------------------------------------------

    def _in_floats(self, y: list[arb], component: Component) -> Measure | None:
        certificate = self._certificate
        near = np.array([float(x) for x in y])
        if not np.isfinite(near).all():
            raise UndecidedError
        off = float(sum(((x - m).abs_upper() for x, m in zip(y, near.tolist(), strict=True)), arb(0)).upper()) * GROW
        norm, d = GROW * float(np.linalg.norm(near)), len(y)
        wrong = certificate.row_norm * (off + gamma(d) * norm) + certificate.row_error * (norm + off)
        wrong *= GROW
        shifts = certificate.rows @ near
        sizes = np.abs(shifts)
        low, high = (int(np.count_nonzero(sizes > component.inner + e)) for e in (wrong, -wrong))
        if high == 0 or sizes.max() > component.outer + wrong:
            return None
        if low != high or sizes.max() > component.outer - wrong:
            raise UndecidedError
        return Measure(low, self._height(near, norm, off, shifts, wrong))

    def _height(self, near: Array, norm: float, off: float, shifts: Array, wrong: float) -> arb:
        """f(ŵ + Vy) of the y that are no further than `off` from `near`."""
        certificate, d = self._certificate, len(near)
        target, axes = certificate.target, certificate.axes
        point = certificate.centre + (near if axes is None else axes @ near)
        size = 1.0 if axes is None else GROW * float(np.linalg.norm(axes))
        moved = GROW * (size * (off + gamma(d) * norm) + gamma(2) * float(np.linalg.norm(point)))
        square = float(point @ point)
        square_error = GROW * (2.0 * math.sqrt(square) * moved + moved**2 + gamma(d) * square)
        exponents = shifts + certificate.offsets
        n, losses = len(exponents), float(enclosed_loss.loss(exponents).sum())
        each = certificate.offset_error + wrong + enclosed_loss.ERROR
        farthest = float(np.abs(exponents).max())
        loss_error = GROW * (n * (each + gamma(2) * farthest) + gamma(n) * losses)
        return arb(target.precision) / 2 * arb(square, square_error) + arb(target.weight) * arb(losses, loss_error)

    def _in_balls(self, y: list[arb], component: Component) -> Measure | None:
        target = self._certificate.target
        w = self._point(y)
        ends = [[x - c, x] for x, c in zip(w, self._certificate.centre.tolist(), strict=True)]
        inside, beyond_inner, losses = True, 0, arb(0)
        for shift, exponent in products(target.records.signed, arb_mat(ends)):
            size = abs(shift)
            beyond_inner += positive(size - component.inner)
            inside = inside and (math.isinf(component.outer) or not positive(size - component.outer))
            losses += (-exponent).exp().log1p()
        if not inside:
            return None
        squares = sum((x * x for x in w), arb(0))
        return Measure(beyond_inner, arb(target.precision) / 2 * squares + arb(target.weight) * losses)


def products(rows: Array, columns: arb_mat) -> Iterator[list[arb]]:
    """Each row by all columns; the rows are balls some at a time."""
    step = max(1, BLOCK // rows.shape[1])
    for start in range(0, len(rows), step):
        yield from (arb_mat(rows[start : start + step].tolist()) * columns).tolist()


def beyond(tape: Tape, tau: arb) -> arb:
    """A standard normal variable given that it is above τ: an exponential of rate (τ + √(τ² + 4))/2 (Robert 1995)."""
    rate = (tau + (tau * tau + 4).sqrt()) / 2
    while True:
        x = tau + exponential(tape) / rate
        if positive(exponential(tape) - (x - rate) ** 2 / 2):
            return x
