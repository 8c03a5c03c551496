r"""The conjugate families of Lemmas 3–6: metric, Lipschitz function L(θ), the prior's mass of Θ_L, posterior.

    exponential   p = θe^{−θx}, θ ~ Exp(λ)                     L = θ,             ρ = Σ|x−y|
    Laplace       p = (θ/2)e^{−θ|x−μ|}, θ = 1/s ~ Exp(λ)       L = θ,             ρ = Σ|x−y|, any prior of μ
    normal        precision θ = 1/σ² ~ Exp(λ), μ known         L = mθ/2,          ρ = Σ(|x²−y²| + 2|x−y|)
    normal as printed          σ² ~ Exp(λ)                     L = m/(2σ²)
    bits          θ ~ Beta(α, α), n bits of which k are 1      L = |logit θ|,     ρ = |k − k′|

with m = max(|μ|, 1). So Θ_L has the mass 1 − e^{−λL}, 1 − e^{−λL}, 1 − e^{−2λL/m}, e^{−λm/(2L)} and Pr(|η| ≤ L): c is
λ, λ, 2λ/m, none, and

    c(α) = inf_L −ln Pr(|η| > L)/L = Γ(α+½)/(√π Γ(α)) ~ √(α/π),

the value as L → 0: the density of |η| is log-concave, so −ln Pr(|η| > L) is convex and starts at 0.

(The normal's m: |2μ − x − y|·|x − y| against (|x + y| + 2)·|x − y|, of which the ratio is between |μ| and 1 on the side
where x + y has the sign opposite to μ.) For n > 1 records the same holds with ρ summed, for L(θ) is that of one record.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, expit, gammaln, kve
from scipy.stats import geninvgauss

from dpsampling.errors import InputError
from dpsampling.foundations.robust.laws import BetaLaw, GammaLaw, GammaMixture, mixture
from dpsampling.foundations.robust.quadrature import kl_on_line
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.laws import OnLine

Data = Sequence[float]


@dataclass(frozen=True)
class _Rate:
    """L(θ) = θ ~ Exp(`rate`), the rate of the records or 1/s, and ρ = Σ|x − y|."""

    rate: float

    def __post_init__(self) -> None:
        check_above_zero("rate", self.rate)

    @property
    def c(self) -> float:
        """λ."""
        return self.rate

    def lipschitz(self, theta: float) -> float:
        """L(θ), whatever the location."""
        return theta

    def mean_lipschitz(self, posterior: GammaLaw | GammaMixture) -> float:
        """E L(θ)."""
        return posterior.mean

    def mass(self, level: float) -> float:
        """ξ(Θ_L)."""
        return -math.expm1(-self.c * level)

    def distance(self, x: Data, y: Data) -> float:
        """ρ."""
        return math.fsum(abs(a - b) for a, b in zip(x, y, strict=True))


@dataclass(frozen=True)
class Exponential(_Rate):
    """Records x ≥ 0 under θ ~ Exp(`rate`)."""

    def log_likelihood(self, theta: float, x: Data) -> float:
        """ln p_θ(x)."""
        return len(x) * math.log(theta) - theta * math.fsum(x)

    def posterior(self, x: Data) -> GammaLaw:
        """Gamma(1 + n, λ + Σx)."""
        return GammaLaw(1.0 + len(x), self.rate + math.fsum(x))


@dataclass(frozen=True)
class Laplace(_Rate):
    """Records on the line around a location, one of `centres` with equal probabilities; 1/s ~ Exp(`rate`)."""

    centres: tuple[float, ...] = (-1.0, 0.0, 1.0)

    def log_likelihood(self, theta: float, x: Data, centre: float = 0.0) -> float:
        """ln p(x)."""
        return len(x) * math.log(theta / 2.0) - theta * math.fsum(abs(a - centre) for a in x)

    def posterior(self, x: Data) -> GammaMixture:
        """Gamma(1 + n, λ + Σ|x − μ|) where μ is the location, whose weight is ∝ rate^{−(1+n)}."""
        shape = 1.0 + len(x)
        parts = [GammaLaw(shape, self.rate + math.fsum(abs(a - centre) for a in x)) for centre in self.centres]
        return mixture([-shape * math.log(part.rate) for part in parts], parts)


@dataclass(frozen=True)
class NormalPrecision(_Rate):
    """Records on the line around a known mean; 1/σ² ~ Exp(`rate`)."""

    mean: float = 0.0

    @property
    def steepness(self) -> float:
        """m = max(|μ|, 1)."""
        return max(abs(self.mean), 1.0)

    @property
    def c(self) -> float:
        """2λ/m."""
        return 2.0 * self.rate / self.steepness

    def lipschitz(self, theta: float) -> float:
        """L at precision θ."""
        return self.steepness * theta / 2.0

    def mean_lipschitz(self, posterior: GammaLaw | GammaMixture) -> float:
        """E L."""
        return self.steepness * posterior.mean / 2.0

    def distance(self, x: Data, y: Data) -> float:
        """ρ."""
        return normal_distance(x, y)

    def log_likelihood(self, theta: float, x: Data) -> float:
        """ln p(x) at precision θ."""
        squares = math.fsum((a - self.mean) ** 2 for a in x)
        return len(x) * math.log(theta / (2.0 * math.pi)) / 2.0 - theta * squares / 2.0

    def posterior(self, x: Data) -> GammaLaw:
        """Gamma(1 + n/2, λ + Σ(x−μ)²/2)."""
        return GammaLaw(1.0 + len(x) / 2.0, self.rate + math.fsum((a - self.mean) ** 2 for a in x) / 2.0)


@dataclass(frozen=True)
class NormalVariance:
    """The same with σ² ~ Exp(`rate`), as Lemma 6 is printed: no c serves."""

    rate: float
    mean: float = 0.0

    def __post_init__(self) -> None:
        check_above_zero("rate", self.rate)

    def lipschitz(self, variance: float) -> float:
        """L at variance σ²."""
        return max(abs(self.mean), 1.0) / (2.0 * variance)

    def mass(self, level: float) -> float:
        """ξ(σ² ≥ m/(2L)) = e^{−λm/(2L)}."""
        return math.exp(-self.rate * max(abs(self.mean), 1.0) / (2.0 * level))

    def distance(self, x: Data, y: Data) -> float:
        """ρ."""
        return normal_distance(x, y)

    def posterior(self, x: Data) -> InverseGaussianLaw:
        """Density of v = σ² ∝ v^{−n/2} e^{−λv − S/(2v)}."""
        return InverseGaussianLaw(1.0 - len(x) / 2.0, self.rate, math.fsum((a - self.mean) ** 2 for a in x) / 2.0)


@dataclass(frozen=True)
class InverseGaussianLaw:
    r"""A generalised inverse Gaussian, its density ∝ v^{p−1} e^{−av − b/v} with a, b > 0.

    With w = 2√(ab): the normalizer is 2(b/a)^{p/2}K_p(w), E 1/v = √(a/b)·K_{p−1}(w)/K_p(w), and for equal p and a

        KL = (b′ − b)·E 1/v + ln Z(b′)/Z(b).
    """

    p: float
    a: float
    b: float

    def log_normalizer(self) -> float:
        """ln Z."""
        w = 2.0 * math.sqrt(self.a * self.b)
        return math.log(2.0) + self.p / 2.0 * math.log(self.b / self.a) + math.log(kve(self.p, w)) - w

    def mean_inverse(self) -> float:
        """E 1/v."""
        w = 2.0 * math.sqrt(self.a * self.b)
        return math.sqrt(self.a / self.b) * float(kve(self.p - 1.0, w) / kve(self.p, w))

    def kl(self, other: InverseGaussianLaw) -> float:
        """For equal p and a."""
        return (other.b - self.b) * self.mean_inverse() + other.log_normalizer() - self.log_normalizer()

    def kl_by_quadrature(self, other: InverseGaussianLaw) -> float:
        """KL of the laws of ln v."""
        return kl_on_line(self.by_logarithm().log_density, other.by_logarithm().log_density)

    def by_logarithm(self) -> OnLine:
        """The law of ln v on the line."""
        constant = self.log_normalizer()

        def log_density(y: Array) -> Array:
            with np.errstate(over="ignore"):
                return self.p * y - self.a * np.exp(y) - self.b * np.exp(-y) - constant

        return OnLine(log_density, lambda rng, size: np.log(self.simulate(rng, size)))

    def simulate(self, rng: np.random.Generator, size: int) -> Array:
        """Draws of v."""
        w = 2.0 * math.sqrt(self.a * self.b)
        return np.asarray(geninvgauss.rvs(self.p, w, scale=math.sqrt(self.b / self.a), size=size, random_state=rng))


@dataclass(frozen=True)
class Bits:
    """n bits under θ ~ Beta(`alpha`, `alpha`), compared by their number of ones."""

    alpha: float

    def __post_init__(self) -> None:
        check_above_zero("alpha", self.alpha)

    @property
    def c(self) -> float:
        """Γ(α+½)/(√π Γ(α))."""
        return math.exp(float(gammaln(self.alpha + 0.5) - gammaln(self.alpha))) / math.sqrt(math.pi)

    def lipschitz(self, eta: float) -> float:
        """L at η = logit θ."""
        return abs(eta)

    def mean_lipschitz(self, posterior: BetaLaw) -> float:
        """E|η|."""
        return posterior.mean_of_magnitude()

    def mass(self, level: float) -> float:
        """Pr(|η| ≤ L)."""
        return 1.0 - self.outside(level)

    def outside(self, level: float) -> float:
        """Pr(|η| > L), with all its digits."""
        return 2.0 * float(betainc(self.alpha, self.alpha, expit(-level)))

    def distance(self, x: Data, y: Data) -> float:
        """ρ."""
        return abs(math.fsum(x) - math.fsum(y))

    def posterior(self, x: Data) -> BetaLaw:
        """Beta(α + k, α + n − k)."""
        ones = math.fsum(x)
        return self.counted(ones, len(x))

    def counted(self, ones: float, n: float) -> BetaLaw:
        """The same from the count."""
        return BetaLaw(self.alpha + ones, self.alpha + n - ones)


def normal_distance(x: Data, y: Data) -> float:
    """Σ |x² − y²| + 2|x − y|."""
    return math.fsum(abs(a * a - b * b) + 2.0 * abs(a - b) for a, b in zip(x, y, strict=True))


def binomial_lipschitz(eta: float, n: int) -> float:
    """L(θ) of one binomial number: the largest step of ln C(n, k) is ln n, so ln n + |η|."""
    return math.log(n) + abs(eta)


def binomial_mass(alpha: float, n: int, level: float) -> float:
    """ξ(Θ_L) of one binomial number of n trials: nothing below L = ln n."""
    return Bits(alpha).mass(level - math.log(n)) if level > math.log(n) else 0.0


def check_above_zero(name: str, value: float) -> None:
    """A parameter of a prior."""
    if not 0 < value < math.inf:
        raise InputError(f"{name} is {value:g}; it must be a finite number above 0.")
