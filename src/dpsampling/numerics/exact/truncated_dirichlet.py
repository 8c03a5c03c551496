r"""Dirichlet(α) given θ_j ≥ a₀ for every j, as a program on a tape.

It is the law of x_j/ρ for independent x_j ~ Gamma(α_j) given x_j ≥ ρa₀, given that Σ x_j = ρ, for any rate ρ > 0. As in
`numerics.truncated_dirichlet`, which has the derivation, in three ways:

    blocks      flat coordinates (α_j = 1, each a₀ and a part that nothing else bounds) and large ones (seldom below a₀)
                are split by an ordinary Dirichlet law of what the others, drawn one by one, leave of 1: m, beyond the
                flat ones' floors. With A the sum of their shapes, m is accepted with h(m)/max h for h(m) =
                m^{A−1} e^{−ρm}, and all is begun anew if a large part falls below a₀
    one pivot   the same, with the coordinate of the largest shape alone in the block, if that is 1 or more
    any pivot   if all shapes are below 1: with t = ρa₀, y_j = x_j − t, g_k(y) = (y+t)^{α_k−1} e^{−y−t}, c_k =
                max y g_k(y) and Z_k = Γ(α_k, t), k is the pivot with probability ∝ c_k/Z_k, y_k what the others leave
                of ρ(1 − Ka₀), and accepted with y_k g_k(y_k)/c_k

Which coordinates are in the block, and ρ, are found in floats: they decide how many attempts it takes, not the law.
After `PATIENCE` attempts in blocks a pivot takes over, which needs some 2 + √(2πK) of them, as is derived in
docs/truncated-dirichlet.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import flint
import numpy as np
from flint import arb, fmpq
from scipy.special import gammainc, gammaincc

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.exact.data_dependent import data_dependent
from dpsampling.numerics.exact.laws import LogGamma, Rational, exponential, rational
from dpsampling.numerics.exact.tape import Tape, positive
from dpsampling.numerics.exact.truncated import SPEED_ALONE, GammaBeyond, TruncatedLogitBeta, probabilities

Attempt = Callable[[Tape], list[arb] | None]

PATIENCE = 200
FAILURES = 0.6  # coordinates are large as long as no more of them than this, expected, fall below the floor
HALVINGS = 60
TINY = 1e-290  # a shape below which the incomplete Gamma function is not to be had


class TruncatedDirichlet:
    """θ_1, …, θ_K that sum to 1, with density ∝ Π θ_j^{α_j − 1} where every θ_j ≥ a₀ = `floor` > 0."""

    @data_dependent(SPEED_ALONE)
    def __init__(self, shapes: Sequence[Rational], floor: Rational) -> None:
        self._shapes, self._floor = [Fraction(shape) for shape in shapes], Fraction(floor)
        if not (self._shapes and min(self._shapes) > 0):
            raise InputError("the shapes must be one or more numbers above 0; correct the counts or the prior.")
        count = len(self._shapes)
        if not 0 < self._floor * count < 1:
            raise InputError(
                f"the least probability is {float(floor):g}; for {count} outcomes it must lie above 0 and below "
                f"{1 / count:g}."
            )
        self._pair: TruncatedLogitBeta | None = None
        self._blocks: _Blocks | None = None
        self._pivots: Attempt | None = None
        if count == 2:
            self._pair = TruncatedLogitBeta(self._shapes[0], self._shapes[1], self._floor, 1 - self._floor)
        elif count > 2:
            self._blocks = _blocks(self._shapes, self._floor)

    def __call__(self, tape: Tape) -> list[arb]:
        """One draw."""
        if self._pair is not None:
            return list(probabilities(self._pair(tape)))
        if self._blocks is None:
            return [arb(1)]
        for _ in range(PATIENCE if self._blocks.bounded else 0):
            theta = self._blocks(tape)
            if theta is not None:
                return theta
        if self._pivots is None:
            self._pivots = _pivots(self._shapes, self._floor)
        while (theta := self._pivots(tape)) is None:
            pass
        return theta


class _Blocks:
    """Attempts in blocks: the places of the flat and of the large coordinates; the others are drawn one by one."""

    def __init__(
        self, shapes: list[Fraction], floor: Fraction, rate: Fraction, flat: list[int], large: list[int]
    ) -> None:
        others = [j for j in range(len(shapes)) if j not in flat and j not in large]
        self._floor, self._rate = rational(floor), rational(rate)
        self._count, self._flat = len(shapes), flat
        self._large = [(j, LogGamma(shapes[j])) for j in large]
        self._others = [(j, GammaBeyond(shapes[j], rate * floor)) for j in others]
        start, least = 1 - len(flat) * floor, len(large) * floor
        shape = Fraction(len(flat)) + sum(shapes[j] for j in large)
        # h's largest value on the way from m's least value to its largest.
        top = max(min((shape - 1) / rate, start - len(others) * floor), least)
        self._start, self._least, self._excess, self._top = map(rational, (start, least, shape - 1, top))
        self.bounded = shape >= 1 or not others

    def __call__(self, tape: Tape) -> list[arb] | None:
        theta = [arb(0)] * self._count
        rest = arb(self._start)
        for j, law in self._others:
            theta[j] = law(tape) / self._rate
            rest -= theta[j]
            if not positive(rest - self._least):
                return None
        if self._others:
            level = exponential(tape) - self._rate * (rest - self._top)
            if self._excess != 0:
                level += self._excess * (rest / self._top).log()
            if not positive(level):
                return None
        if not self._flat and len(self._large) == 1:
            theta[self._large[0][0]] = rest
            return theta
        parts = [(j, exponential(tape)) for j in self._flat] + [(j, law(tape).exp()) for j, law in self._large]
        unit = rest / sum((part for _, part in parts), start=arb(0))
        for j, part in parts:
            theta[j] = unit * part
        for j, _ in self._large:
            if not positive(theta[j] - self._floor):
                return None
        for j in self._flat:
            theta[j] += self._floor
        return theta


class _AnyPivot:
    """Attempts with whichever pivot, for shapes below 1."""

    def __init__(self, shapes: list[Fraction], floor: Fraction, rate: Fraction) -> None:
        t, spare = rate * floor, rate * (1 - len(shapes) * floor)
        self._shapes = [rational(shape) for shape in shapes]
        self._laws = [GammaBeyond(shape, t) for shape in shapes]
        self._t, self._spare, self._rate = rational(t), rational(spare), rational(rate)
        # y (y+t)^{a−1} e^{−y} still rises at the largest y there can be.
        self._rising = [1 / spare > 1 + (1 - shape) / (spare + t) for shape in shapes]
        self._constants: dict[int, tuple[list[arb], list[arb]]] = {}

    def __call__(self, tape: Tape) -> list[arb] | None:
        tops, weights = self._at(flint.ctx.prec)
        point = tape.uniform() * sum(weights, start=arb(0))
        pivot = 0
        while pivot < len(weights) - 1 and positive(point := point - weights[pivot]):
            pivot += 1
        x, rest = [arb(0)] * len(weights), arb(self._spare)
        for j, law in enumerate(self._laws):
            if j != pivot:
                x[j] = law(tape)
                rest -= x[j] - self._t
                if not positive(rest):
                    return None
        if not positive(exponential(tape) + self._log_part(rest, self._shapes[pivot]) - tops[pivot]):
            return None
        x[pivot] = rest + self._t
        return [part / self._rate for part in x]

    def _at(self, precision: int) -> tuple[list[arb], list[arb]]:
        """ln c_k, and c_k/Z_k."""
        if precision not in self._constants:
            t = arb(self._t)
            tops = [self._log_top(shape, rising) for shape, rising in zip(self._shapes, self._rising, strict=True)]
            masses = [t.gamma_upper(arb(shape)) for shape in self._shapes]
            self._constants[precision] = tops, [top.exp() / mass for top, mass in zip(tops, masses, strict=True)]
        return self._constants[precision]

    def _log_top(self, shape: fmpq, rising: bool) -> arb:
        """ln c_k: y² + (t − a) y = t where it is largest."""
        gap = shape - self._t
        y = arb(self._spare) if rising else (gap + (arb(gap * gap + 4 * self._t)).sqrt()) / 2
        return self._log_part(y, shape)

    def _log_part(self, y: arb, shape: fmpq) -> arb:
        x = y + self._t
        return y.log() + (shape - 1) * x.log() - x


# -- what decides the speed --------------------------------------------------------------------------------------------


def _blocks(shapes: list[Fraction], floor: Fraction) -> _Blocks:
    alpha = np.array([float(shape) for shape in shapes])
    rate = _balanced_rate(alpha, float(floor))
    flat = [j for j, shape in enumerate(shapes) if shape == 1]
    below = np.where([shape == 1 for shape in shapes], np.inf, gammainc(np.maximum(alpha, TINY), rate * float(floor)))
    order = np.argsort(below, kind="stable")[: len(shapes) - len(flat)]
    large = order[np.cumsum(below[order]) <= FAILURES].tolist()
    if not flat and not large:
        large = [int(np.argmax(alpha))]
    return _Blocks(shapes, floor, Fraction(rate), flat, sorted(large))


@data_dependent(SPEED_ALONE)
def _pivots(shapes: list[Fraction], floor: Fraction) -> Attempt:
    alpha = np.array([float(shape) for shape in shapes])
    rate = Fraction(max(_balanced_rate(alpha, float(floor)), 1.0))
    if max(shapes) < 1:
        return _AnyPivot(shapes, floor, rate)
    return _Blocks(shapes, floor, rate, [], [int(np.argmax(alpha))])


def _balanced_rate(alpha: Array, floor: float) -> float:
    """ρ where Σ E[x_j | x_j ≥ ρa₀] = ρ."""
    # No mean is below its shape, nor more than max(α_j, 1) above the floor.
    spare = max(1.0 - len(alpha) * floor, 2.0**-53)
    low, high = math.log(alpha.sum()), math.log(np.maximum(alpha, 1.0).sum() / spare)
    close = 0.1 / math.sqrt(1.0 + float(alpha.sum()))
    for _ in range(HALVINGS):
        if high - low <= close:
            break
        middle = 0.5 * (low + high)
        rate = math.exp(middle)
        above = float(np.sum(_mean_excess(alpha, rate * floor))) > rate * spare
        low, high = (middle, high) if above else (low, middle)
    return math.exp(high)


def _mean_excess(shape: Array, t: float) -> Array:
    """E[x | x ≥ t] − t of Gamma variables, or in the far tail that of an exponential with the density's slope at t."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mean = shape * gammaincc(shape + 1.0, t) / gammaincc(shape, t)
        tail = 1.0 / np.maximum(1.0 - (shape - 1.0) / t, 1e-6)
    return np.where(np.isfinite(mean) & (mean > t), mean - t, tail)
