r"""Truncated laws with log-concave densities e^g, as programs on a tape: rejection under lines that lie above g.

Over pieces of the window, each with a slope s of its own,

    g(x) ≤ sx + c(s),        c(s) = max_x [g(x) − sx],

so a piece is picked by its mass ∫ e^{sx + c(s)}, x is drawn on it by inversion, and accepted with e^{g(x) − sx − c(s)}.
What is drawn has the density e^g whatever the slopes are and wherever one piece ends and the next begins. These are
floats, taken for the rationals they are: slopes of the tangents at g's peak and where it has fallen by 1 on either
side, and pieces that end where these meet. 63% of the proposals or more are then accepted (`numerics.truncated_beta`).
All else is a ball, and c is known:

    logit-Beta   g(θ) = aθ − (a+b) ln(1+e^θ),    c(s) = (a−s) ln (a−s)/(a+b) + (b+s) ln (b+s)/(a+b),    −b ≤ s ≤ a
    log-Gamma    g(v) = av − e^v,                c(s) = (a−s) [ln(a−s) − 1],                                 s ≤ a
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import flint
from flint import arb, fmpq

from dpsampling.errors import InputError
from dpsampling.numerics.exact.data_dependent import data_dependent
from dpsampling.numerics.exact.draws import EXPONENT
from dpsampling.numerics.exact.laws import Rational, exponential, probability, rational
from dpsampling.numerics.exact.tape import Tape, positive

Curve = Callable[[float], float]
SPEED_ALONE = "which lines lie above the density decides how fast it is drawn from, and not the draw"
LARGE_FLOOR = 10**12  # of a Gamma law
CHECKED_AT = 256  # bits at which a piece's end is found to lie inside the window


class Lines(NamedTuple):
    """The slopes of the pieces from left to right, and where one ends and the next begins."""

    slopes: list[fmpq]
    borders: list[fmpq]


class _Piece(NamedTuple):
    """Where a line lies above the density: x = anchor + ln(1 − U·spread)/slope, or anchor + U·spread on a level one."""

    mass: arb  # of this piece and all to its left
    level: bool
    slope: arb
    intercept: arb
    anchor: arb
    spread: arb


class _UnderLines(ABC):
    """A law of density ∝ e^g between two ends."""

    def __init__(self, lines: Lines) -> None:
        with flint.ctx.workprec(CHECKED_AT):
            low, high = self._ends()
            slopes = lines.slopes[:1]
            borders: list[fmpq] = []
            for slope, border in zip(lines.slopes[1:], lines.borders, strict=True):
                last = arb(borders[-1]) if borders else low
                if (last is None or arb(border) > last) and (high is None or arb(border) < high):
                    slopes.append(slope)
                    borders.append(border)
        if (low is None and not slopes[0] > 0) or (high is None and not slopes[-1] < 0):
            raise InputError("the law's tail is too long for any number; shorten its window.")
        self._lines = Lines(slopes, borders)
        self._constants: dict[int, list[_Piece]] = {}

    @abstractmethod
    def _ends(self) -> tuple[arb | None, arb | None]:
        """The window; None where it has no end."""

    @abstractmethod
    def _log_density(self, x: arb) -> arb:
        """g(x)."""

    @abstractmethod
    def _intercept(self, slope: fmpq) -> arb:
        """c(s), or more."""

    def draw(self, tape: Tape) -> arb:
        """One draw of x."""
        precision = flint.ctx.prec
        pieces = self._constants.get(precision)
        if pieces is None:
            pieces = self._constants[precision] = self._pieces()
        while True:
            chosen = pieces[0]
            if len(pieces) > 1:
                mass = tape.uniform() * pieces[-1].mass
                chosen = next((piece for piece in pieces[:-1] if positive(piece.mass - mass)), pieces[-1])
            part = tape.uniform() * chosen.spread
            x = chosen.anchor + (part if chosen.level else (-part).log1p() / chosen.slope)
            if positive(exponential(tape) + self._log_density(x) - chosen.slope * x - chosen.intercept):
                return x

    def _pieces(self) -> list[_Piece]:
        low, high = self._ends()
        slopes = self._lines.slopes
        ends = [low, *map(arb, self._lines.borders), high]
        total, top, pieces = arb(0), None, []
        for s, (start, end) in zip(slopes, pairwise(ends), strict=True):
            slope, intercept = arb(s), self._intercept(s)
            anchor = end if s > 0 else start  # where the line is highest
            assert anchor is not None
            height = intercept + slope * anchor
            top = height if top is None else top
            if s == 0:
                assert start is not None
                assert end is not None
                spread = area = end - start
            else:
                rate = abs(slope)
                spread = arb(1) if start is None or end is None else -(-rate * (end - start)).expm1()
                area = spread / rate
            total += (height - top).exp() * area
            pieces.append(_Piece(total, s == 0, slope, intercept, anchor, spread))
        return pieces


class TruncatedLogitBeta(_UnderLines):
    """θ = ln p/(1−p), p ~ Beta(a, b) given low ≤ p ≤ high.

    a or b may be 0 or less, with a + b > 0, where the window keeps away from p = 0 or p = 1.
    """

    @data_dependent(SPEED_ALONE)
    def __init__(self, a: Rational, b: Rational, low: Rational = 0, high: Rational = 1) -> None:
        if not 0 <= low < high <= 1:
            raise InputError("a window of probabilities must have 0 ≤ low < high ≤ 1; give its ends in that order.")
        self._a, self._b, self._sum = rational(a), rational(b), rational(a) + rational(b)
        if not (self._sum > 0 and (a > 0 or low > 0) and (b > 0 or high < 1)):
            raise InputError("a parameter of a Beta law is 0 or less; its window must keep away from that end.")
        first, last = rational(low), rational(high)
        self._odds = (first / (1 - first) if low > 0 else None, last / (1 - last) if high < 1 else None)
        super().__init__(_beta_lines(self._a, self._b, *self._float_ends()))

    def __call__(self, tape: Tape) -> arb:
        """One draw of θ."""
        return self.draw(tape)

    def _ends(self) -> tuple[arb | None, arb | None]:
        low, high = (None if odds is None else arb(odds).log() for odds in self._odds)
        return low, high

    def _float_ends(self) -> tuple[float, float, float]:
        """The window's ends and its width."""
        with flint.ctx.workprec(CHECKED_AT):
            low, high = self._ends()
            width = math.inf if low is None or high is None else float(high - low)
            return -math.inf if low is None else float(low), math.inf if high is None else float(high), width

    def _log_density(self, x: arb) -> arb:
        return self._a * x - self._sum * x.exp().log1p()

    def _intercept(self, slope: fmpq) -> arb:
        return self._weighted(self._a - slope) + self._weighted(self._b + slope)

    def _weighted(self, part: fmpq) -> arb:
        return part * arb(part / self._sum).log() if part != 0 else arb(0)


class GammaBeyond(_UnderLines):
    """X ~ Gamma(shape) of rate 1 given X ≥ floor, floor > 0."""

    @data_dependent(SPEED_ALONE)
    def __init__(self, shape: Rational, floor: Rational) -> None:
        if not (shape > 0 and floor > 0):
            raise InputError(
                f"the shape is {float(shape):g} and the floor {float(floor):g}; both must be above 0 for a Gamma law."
            )
        self._shape, self._floor = rational(shape), rational(floor)
        self._flat = self._shape == 1  # what is beyond the floor is exponential then
        if not self._flat:
            super().__init__(_gamma_lines(self._shape, self._floor))

    def __call__(self, tape: Tape) -> arb:
        """One draw of X."""
        return self._floor + exponential(tape) if self._flat else self.draw(tape).exp()

    def _ends(self) -> tuple[arb | None, arb | None]:
        return arb(self._floor).log(), None

    def _log_density(self, x: arb) -> arb:
        return self._shape * x - x.exp()

    def _intercept(self, slope: fmpq) -> arb:
        excess = self._shape - slope
        return excess * (arb(excess).log() - 1) if excess != 0 else arb(0)


def exponent(least: float) -> int:
    """The b at which ⌊2ᵇx⌋ has as many digits as floats have, for every x ≥ `least`."""
    return EXPONENT - math.frexp(least)[1]


def probabilities(theta: arb) -> tuple[arb, arb]:
    """p and 1 − p of θ, neither from the other."""
    return probability(theta), probability(-theta)


# -- where the lines touch ---------------------------------------------------------------------------------------------


def _beta_lines(a: fmpq, b: fmpq, low: float, high: float, width: float) -> Lines:
    first, second = _float(a), _float(b)
    total = first + second
    mode = math.log(first) - math.log(second) if a > 0 and b > 0 else math.inf if a > 0 else -math.inf
    peak = min(max(mode, low), high)
    left = 0.0 if peak == low else -width if peak == high else low - peak
    right = 0.0 if peak == high else width if peak == low else high - peak
    p, q = _expit(peak), _expit(-peak)

    def rise(y: float) -> float:
        # Mirrored where θ > 0: a small parameter must not be the difference of two large numbers.
        shape, mass, distance = (first, p, y) if peak + y <= 0 else (second, q, -y)
        return shape * distance - total * _log_mean(1.0 - mass, mass, distance)

    def slope(y: float) -> float:
        return first * _expit(-peak - y) - second * _expit(peak + y)

    # Beyond these, one of g's two asymptotes has fallen by 1.
    far_left = (1.0 - total * _log_expit(-peak)) / first if a > 0 else math.inf
    far_right = (1.0 - total * _log_expit(peak)) / second if b > 0 else math.inf
    return _lines(rise, slope, peak, -min(far_left, -left), min(far_right, right), (left, right), -b, a)


def _gamma_lines(shape: fmpq, floor: fmpq) -> Lines:
    if 2 * shape <= floor and floor > LARGE_FLOOR:
        return Lines([shape - floor], [])  # the tangent at the floor is enough, and floats have too few digits for more
    a, low = _float(shape), _log(floor)
    peak = max(_log(shape), low) if shape > floor else low
    pull, left = math.exp(peak), low - peak
    lines = _lines(
        lambda y: a * y - (pull * math.expm1(y) if y < 1 else math.exp(peak + y) - pull),
        lambda y: a - math.exp(peak + y),
        peak,
        max(left, -1.0 - 1.0 / max(a, 1e-300)),
        # e^y − 1 − y is y²/2 or more, and e^y/4 or more from 1.3 on.
        min(math.sqrt(2.0 / pull), max(1.3, math.log(4.0) - peak)),
        (left, math.inf),
        None,
        shape,
    )
    return lines if shape > floor else Lines([shape - floor, *lines.slopes[1:]], lines.borders)


def _lines(
    rise: Curve,
    slope: Curve,
    peak: float,
    left_start: float,
    right_start: float,
    window: tuple[float, float],
    least: fmpq | None,
    most: fmpq,
) -> Lines:
    """Tangents of g at the peak and where it has fallen by 1, found from `left_start` ≤ 0 ≤ `right_start` outside.

    `rise` and `slope` are of offsets from the peak; a slope is kept between `least` and `most`, where c(s) is finite.
    """
    left, right = window
    top = 0.0 if left < 0 < right else min(slope(0.0), 0.0) if left == 0 else max(slope(0.0), 0.0)
    slopes, borders = [top], []
    if left < 0:
        y = _fallen(rise, slope, left_start)
        s = slope(y)
        if s > top:
            slopes.insert(0, s)
            borders.append(peak + min(max((rise(y) - s * y) / (top - s), y), 0.0))
    if right > 0:
        y = _fallen(rise, slope, right_start)
        s = slope(y)
        if s < top:
            slopes.append(s)
            borders.append(peak + min(max((rise(y) - s * y) / (top - s), 0.0), y))
    exact = [min(rational(s), most) if least is None else max(least, min(rational(s), most)) for s in slopes]
    return Lines(exact, [rational(border) for border in borders])


def _fallen(rise: Curve, slope: Curve, start: float) -> float:
    """Where g has fallen by 1, by Newton's method from outside, or `start` where it has not fallen that far."""
    y = start
    for _ in range(100):
        excess, incline = rise(y) + 1.0, slope(y)
        if excess >= 0 or incline * y >= 0:
            break
        step = excess / incline
        if abs(step) >= abs(y):
            break
        y -= step
        if abs(step) <= 1e-3 * abs(y):
            break
    return y


def _log_mean(stays: float, moves: float, distance: float) -> float:
    """ln(stays + moves·e^distance) of two shares of 1."""
    shift = moves * math.expm1(min(distance, 700.0))
    return math.log1p(shift) if shift > -0.5 else math.log(max(stays + moves * math.exp(distance), 1e-300))


def _expit(x: float) -> float:
    return 1.0 / (1.0 + math.exp(-x)) if x > -700.0 else math.exp(max(x, -745.0))


def _log_expit(x: float) -> float:
    return min(x, 0.0) - math.log1p(math.exp(-abs(x)))


def _log(x: fmpq) -> float:
    return math.log(int(x.p)) - math.log(int(x.q))


def _float(x: fmpq) -> float:
    return int(x.p) / int(x.q)
