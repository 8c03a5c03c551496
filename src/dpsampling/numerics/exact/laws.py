r"""The laws that mechanisms release, as plain programs on a tape of uniforms (see `tape`).

    exponential           E = −ln U
    normal                N = √(2E)·cos 2πU
    Laplace               b(E − E′)
    Cauchy                b cot πU
    two-sided geometric   ⌊E/r⌋ − ⌊E′/r⌋, Pr(y) ∝ e^{−r|y|}, as Pr(⌊E/r⌋ ≥ k) = e^{−rk}
    categorical           argmax (ln w_j − ln E_j)
    log-Gamma             for a ≥ 1, Marsaglia and Tsang (2000): d = a − 1/3, v = (1 + N/√(9d))³, and G_a = dv is taken
                          if v > 0 and ln U < N²/2 + d − dv + d ln v; for a < 1, ln G_a = ln G_{a+1} + (ln U)/a
    logit-Beta            ln G_α − ln G_β
    Dirichlet             (ln G_j − ln G_d)_{j<d}

All parameters are exact rationals: floats and counts are read as the rationals they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import flint
from flint import arb, fmpq

from dpsampling.errors import InputError
from dpsampling.numerics.exact.tape import Tape, UndecidedError, floor, positive

Rational = int | float | Fraction


def rational(x: Rational) -> fmpq:
    """The rational number that x is."""
    exact = Fraction(x)
    return fmpq(exact.numerator, exact.denominator)


def exponential(tape: Tape) -> arb:
    """A standard exponential variable."""
    return -tape.uniform().log()


def normal(tape: Tape) -> arb:
    """A standard normal variable."""
    radius = (2 * exponential(tape)).sqrt()
    return radius * (2 * tape.uniform()).cos_pi()


class Gaussian:
    """N(`mean`, `variance`)."""

    def __init__(self, mean: Rational, variance: Rational) -> None:
        _check_positive("variance", variance)
        self._mean, self._variance = rational(mean), rational(variance)

    def __call__(self, tape: Tape) -> arb:
        """One draw."""
        return arb(self._mean) + arb(self._variance).sqrt() * normal(tape)


class Laplace:
    """Density e^{−|x − location|/b}/(2b), b = `scale`."""

    def __init__(self, scale: Rational, location: Rational = 0) -> None:
        _check_positive("scale", scale)
        self._scale, self._location = rational(scale), rational(location)

    def __call__(self, tape: Tape) -> arb:
        """One draw."""
        return arb(self._location) + arb(self._scale) * (exponential(tape) - exponential(tape))


class Cauchy:
    """Density b/(π(b² + (x − location)²)), b = `scale`."""

    def __init__(self, scale: Rational, location: Rational = 0) -> None:
        _check_positive("scale", scale)
        self._scale, self._location = rational(scale), rational(location)

    def __call__(self, tape: Tape) -> arb:
        """One draw."""
        return arb(self._location) + arb(self._scale) * tape.uniform().cot_pi()


class TwoSidedGeometric:
    """Pr(y) ∝ e^{−r|y|} on the whole numbers, r = `rate`."""

    def __init__(self, rate: Rational) -> None:
        _check_positive("rate", rate)
        self._mean = rational(1 / Fraction(rate))

    def __call__(self, tape: Tape) -> int:
        """One draw."""
        mean = arb(self._mean)
        return floor(mean * exponential(tape)) - floor(mean * exponential(tape))


class LogGamma:
    """ln G of a Gamma variable of this shape and scale 1, at any shape above 0."""

    def __init__(self, shape: Rational) -> None:
        _check_positive("shape", shape)
        self._shape = rational(shape)
        self._small = Fraction(shape) < 1
        self._constants: dict[int, tuple[arb, arb, arb]] = {}

    def __call__(self, tape: Tape) -> arb:
        """One draw."""
        d, c, log_d = self._at(flint.ctx.prec)
        while True:
            x = normal(tape)
            root = 1 + c * x
            if not positive(root):
                continue
            log_v = 3 * root.log()
            v = root * root * root
            if positive(x * x / 2 + d * (1 - v + log_v) + exponential(tape)):
                break
        logarithm = log_d + log_v
        return logarithm - exponential(tape) / arb(self._shape) if self._small else logarithm

    def _at(self, precision: int) -> tuple[arb, arb, arb]:
        """d, 1/√(9d) and ln d."""
        if precision not in self._constants:
            d = arb(self._shape + self._small - fmpq(1, 3))
            self._constants[precision] = d, (9 * d).rsqrt(), d.log()
        return self._constants[precision]


class LogitBeta:
    """θ = ln ρ/(1−ρ), ρ ~ Beta(α, β)."""

    def __init__(self, alpha: Rational, beta: Rational) -> None:
        self._first, self._second = LogGamma(alpha), LogGamma(beta)

    def __call__(self, tape: Tape) -> arb:
        """One draw."""
        return self._first(tape) - self._second(tape)


class LogitDirichlet:
    """θ_j = ln ρ_j/ρ_d for j < d, ρ ~ Dirichlet(α₁, …, α_d)."""

    def __init__(self, shapes: Sequence[Rational]) -> None:
        self._parts = [LogGamma(shape) for shape in shapes]

    def __call__(self, tape: Tape) -> list[arb]:
        """One draw."""
        *first, last = [part(tape) for part in self._parts]
        return [logarithm - last for logarithm in first]


def probability(theta: arb) -> arb:
    """ρ = 1/(1 + e^{−θ})."""
    return 1 / (1 + (-theta).exp())


class Categorical:
    """j with probability ∝ e^{`log_weights`[j]}."""

    def __init__(self, log_weights: Sequence[Rational]) -> None:
        self._log_weights = [rational(weight) for weight in log_weights]

    def __call__(self, tape: Tape) -> int:
        """One draw."""
        return largest([arb(weight) - exponential(tape).log() for weight in self._log_weights])


def largest(values: Sequence[arb]) -> int:
    """The place of the largest value."""
    best = 0
    for j in range(1, len(values)):
        if positive(values[j] - values[best]):
            best = j
    if not values[best].is_finite():  # a single one is not compared
        raise UndecidedError
    return best


def _check_positive(name: str, value: Rational) -> None:
    if not value > 0:
        raise InputError(f"{name} is {float(value):g}; it must be above 0.")
