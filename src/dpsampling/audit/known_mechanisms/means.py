r"""Means with noise, as dp_auditorium has them: the count of the records may be private or not, in two places.

Records lie in [0, 1]; neighbours have one more. With S their sum, n their number, N = n + Lap(2/ε), and X standard
Laplace or Gaussian noise, the released number is

    S/m₁ + max{κ/m₂, 10^{−12}} X,              m₁, m₂ each n or N,

κ = 1/ε′, or √(2 ln(1.25/δ))/ε′ for Gaussian noise, and ε′ = ε/2 where N is used, else ε.

True counts in the scale. n zeros give X κ/n whatever m₁ is. For Laplace noise the ln ratio to n + 1 zeros is
ε′|y| − ln((n+1)/n), without limit. For Gaussian noise of standard deviations a = κ > b = κ/2 it is largest beyond
t = ±√(2(ε + ln(a/b))/(b⁻² − a⁻²)), which gives their δ at ε: 2Φ(−t/a) − 2e^ε Φ(−t/b).

Noisy count in the scale. Where N < 0 the scale is 10^{−12}, so that the record {0} is released as 0 ± 10^{−11} with
probability ½e^{−ε/2} nearly. For the records {0, 1} the same event has probability about 10^{−11}: around S/n = ½ a
density at distance d is at most 1/(2ed), or 1/(d√(2πe)), whatever its scale; around 1/N it is at most its peak, N/κ
times that of X, where N > 0, and 1/N is not that close to 0 where N < 0.

Both counts the same N, in the scale by its magnitude: then the release is (S + κX)/N up to the sign of X, made from two
private numbers. A record changes S and n by 1 at most. Laplace noise costs ε/2 each. With Gaussian noise the first is
(ε′, δ_G)-private with δ_G = Φ(1/(2κ) − ε′κ) − e^{ε′} Φ(−1/(2κ) − ε′κ) (Balle and Wang 2018, Theorem 8).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from scipy.special import ndtr

from dpsampling.audit.known_mechanisms.price import Price

FLOOR = 1e-12
NEAR = 10.0 * FLOOR  # the event: an output this close to 0
FAR = 100.0  # standard units of noise that are not exceeded, but with probability e^-100


@dataclass(frozen=True)
class NoisyMean:
    """ε, δ (0 with Laplace noise), and where the count is a noisy one."""

    epsilon: float
    delta: float
    noisy_divisor: bool
    noisy_scale: bool

    @property
    def gaussian(self) -> bool:
        """Return whether the noise is Gaussian, and the price δ at ε."""
        return self.delta > 0

    @property
    def budget(self) -> float:
        """ε′, what the released number may cost beside the count."""
        return self.epsilon / 2.0 if self.noisy_divisor or self.noisy_scale else self.epsilon

    @property
    def kappa(self) -> float:
        """The scale of the noise on the sum."""
        return math.sqrt(2.0 * math.log(1.25 / self.delta)) / self.budget if self.gaussian else 1.0 / self.budget

    def price(self) -> Price:
        """As released: in ε, or in δ at ε."""
        if self.noisy_scale:
            return self._with_floor()
        if self.gaussian:
            return Price(scaled_gaussians(self.kappa, self.kappa / 2.0, self.epsilon), 1.0, "one zero and two zeros")
        return Price(math.inf, math.inf, "an output far from 0, of one zero and of two zeros")

    def price_by_magnitude(self) -> Price:
        """With the magnitude of the noisy count in the scale, where both are the same noisy count."""
        witness = "a noisy sum and a noisy count, together"
        if not self.gaussian:
            return Price(0.0, 1.0 / self.kappa + self.epsilon / 2.0, witness)
        return Price(0.0, gaussian_delta(1.0 / self.kappa, self.budget), witness)

    def _with_floor(self) -> Price:
        spread = 2.0 / self.epsilon
        negative = 0.5 * math.exp(-1.0 / spread)
        zero = negative * (1.0 - self._beyond(NEAR / FLOOR))
        peak = 1.0 / math.sqrt(2.0 * math.pi) if self.gaussian else 0.5
        if self.noisy_divisor:
            expected = 2.0 + spread / 2.0 * math.exp(-2.0 / spread)  # of N where it is positive, n = 2
            close = 0.5 * math.exp(-(1.0 / (NEAR + FAR * FLOOR) + 2.0) / spread)
            other = 2.0 * NEAR * peak * expected / self.kappa + close + self._beyond(FAR)
        else:
            distance = 0.5 - NEAR
            other = 2.0 * NEAR * (peak / distance * math.exp(-0.5) if self.gaussian else peak / distance / math.e)
        witness = f"an output within {NEAR:g} of 0: probability {zero:.3g} of records (0), {other:.2g} of (0, 1)"
        if self.gaussian:
            return Price(zero - math.exp(self.epsilon) * other, 1.0, witness)
        return Price(math.log(zero / other), math.inf, witness)

    def _beyond(self, units: float) -> float:
        """The probability that noise exceeds so many of its scales."""
        return 2.0 * float(ndtr(-units)) if self.gaussian else math.exp(-units)


def scaled_gaussians(wide: float, narrow: float, epsilon: float) -> float:
    """δ at ε of N(0, wide²) against N(0, narrow²)."""
    t = math.sqrt(2.0 * (epsilon + math.log(wide / narrow)) / (narrow**-2 - wide**-2))
    return 2.0 * float(ndtr(-t / wide)) - 2.0 * math.exp(epsilon) * float(ndtr(-t / narrow))


def gaussian_delta(shift: float, epsilon: float) -> float:
    """δ at ε of two normal laws that are `shift` standard deviations apart."""
    return float(ndtr(shift / 2.0 - epsilon / shift) - math.exp(epsilon) * ndtr(-shift / 2.0 - epsilon / shift))
