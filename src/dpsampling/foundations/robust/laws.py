r"""Posteriors of the conjugate families, with what tells two of them apart in closed form.

Gamma of equal shape k and rates a, b (means k/a, k/b), whose log-ratio k ln(a/b) + (b − a)θ changes sign once:

    KL = k (ln(a/b) + b/a − 1),      TV = |Pr(θ ≤ t|a) − Pr(θ ≤ t|b)|,   t = k ln(b/a)/(b − a).

Betas of equal sum, seen as η = ln θ/(1−θ): the log-ratio (a − a′)η − ln B(a,b)/B(a′,b′) changes sign once, and

    KL = (a − a′)(ψ(a) − ψ(b)) + ln B(a′,b′)/B(a,b).

A mixture of Gammas over finitely many locations has its index beside θ, and the chain rule for KL.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaln, digamma, expit, gammainc, gammaln, logsumexp

from dpsampling.foundations.robust.quadrature import kl_on_line
from dpsampling.mechanisms.families.shared import log_gamma_draws
from dpsampling.mechanisms.known_laws import logit_beta
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.panels import legendre
from dpsampling.privacy.laws import OnLine


@dataclass(frozen=True)
class GammaLaw:
    """θ ~ Gamma(shape, rate), its density ∝ θ^{shape−1} e^{−rate·θ}."""

    shape: float
    rate: float

    @property
    def mean(self) -> float:
        """k/a."""
        return self.shape / self.rate

    def log_density(self, theta: Array) -> Array:
        """At θ > 0."""
        constant = self.shape * math.log(self.rate) - float(gammaln(self.shape))
        return constant + (self.shape - 1.0) * np.log(theta) - self.rate * theta

    def kl(self, other: GammaLaw) -> float:
        """For equal shapes; ln(1 + x) keeps the digits of near rates."""
        excess = (other.rate - self.rate) / self.rate
        return self.shape * (excess - math.log1p(excess))

    def crossing(self, other: GammaLaw) -> float:
        """Where the densities are equal."""
        excess = (other.rate - self.rate) / self.rate
        return self.mean * (math.log1p(excess) / excess if excess else 1.0)

    def total_variation(self, other: GammaLaw) -> float:
        """For equal shapes."""
        t = self.crossing(other)
        return abs(self.cdf(t) - other.cdf(t))

    def cdf(self, theta: float) -> float:
        """Pr(draw ≤ θ)."""
        return float(gammainc(self.shape, self.rate * theta))

    def kl_by_quadrature(self, other: GammaLaw) -> float:
        """KL of the laws of ln θ."""
        return kl_on_line(self.by_logarithm().log_density, other.by_logarithm().log_density)

    def by_logarithm(self) -> OnLine:
        """The law of ln θ on the line."""
        shift = math.log(self.rate)
        constant = float(gammaln(self.shape))

        def log_density(y: Array) -> Array:
            with np.errstate(over="ignore"):
                return self.shape * (y + shift) - np.exp(y + shift) - constant

        return OnLine(log_density, lambda rng, size: np.log(self.simulate(rng, size)))

    def simulate(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        """Draws of θ."""
        return np.asarray(rng.gamma(self.shape, 1.0 / self.rate, size))


@dataclass(frozen=True)
class GammaMixture:
    """Location j with probability e^{`log_weights`[j]}, then θ from `parts`[j]."""

    log_weights: tuple[float, ...]
    parts: tuple[GammaLaw, ...]

    @property
    def mean(self) -> float:
        """Of θ."""
        return math.fsum(math.exp(w) * part.mean for w, part in zip(self.log_weights, self.parts, strict=True))

    def kl(self, other: GammaMixture) -> float:
        """Of location and θ together."""
        return math.fsum(math.exp(w) * (w - v + p.kl(q)) for w, v, p, q in self._beside(other))

    def kl_by_quadrature(self, other: GammaMixture) -> float:
        """The same, each part integrated."""
        return math.fsum(math.exp(w) * (w - v + p.kl_by_quadrature(q)) for w, v, p, q in self._beside(other))

    def total_variation(self, other: GammaMixture) -> float:
        """Σ_j ∫ (w p − v q)₊, whose sign changes where the log-ratio, a line in θ, is ln v/w."""
        return math.fsum(_excess(w, v, p, q) for w, v, p, q in self._beside(other))

    def _beside(self, other: GammaMixture) -> list[tuple[float, float, GammaLaw, GammaLaw]]:
        return list(zip(self.log_weights, other.log_weights, self.parts, other.parts, strict=True))


def _excess(log_w: float, log_v: float, p: GammaLaw, q: GammaLaw) -> float:
    """∫ (w p − v q)₊."""
    w, v = math.exp(log_w), math.exp(log_v)
    if p.rate == q.rate:
        return max(0.0, w - v)
    at = (log_w - log_v + p.shape * math.log(p.rate / q.rate)) / (p.rate - q.rate)
    low, high = (p.cdf(at), q.cdf(at)) if at > 0 else (0.0, 0.0)
    return w * low - v * high if p.rate > q.rate else w * (1.0 - low) - v * (1.0 - high)


@dataclass(frozen=True)
class BetaLaw:
    """θ ~ Beta(a, b)."""

    a: float
    b: float

    def kl(self, other: BetaLaw) -> float:
        """For equal sums a + b."""
        return float(
            (self.a - other.a) * (digamma(self.a) - digamma(self.b)) + betaln(other.a, other.b) - betaln(self.a, self.b)
        )

    def crossing(self, other: BetaLaw) -> float:
        """η where the densities are equal."""
        if self.a == other.a:
            return 0.0
        return float((betaln(self.a, self.b) - betaln(other.a, other.b)) / (self.a - other.a))

    def total_variation(self, other: BetaLaw) -> float:
        """For equal sums."""
        eta = self.crossing(other)
        return abs(self.cdf(eta) - other.cdf(eta))

    def cdf(self, eta: float) -> float:
        """Pr(logit θ ≤ η)."""
        return float(betainc(self.a, self.b, expit(eta)))

    def kl_by_quadrature(self, other: BetaLaw) -> float:
        """KL of the laws of η."""
        return kl_on_line(self.by_logit().log_density, other.by_logit().log_density)

    def by_logit(self) -> OnLine:
        """The law of η on the line."""
        return logit_beta(self.a, self.b)

    def mean_of_magnitude(self) -> float:
        """E|η| = ∫ Pr(|η| > t) dt, by the rule of Gauss and Legendre on pieces of length 1/(a+b) and longer."""
        nodes, weights = legendre(40)
        far = 60.0 / min(self.a, self.b) + 2.0 * abs(math.log(self.a / self.b))
        edges = np.concatenate([[0.0], np.geomspace(min(0.1, 1.0 / (self.a + self.b)), far, 40)])
        t = (edges[:-1, None] + np.diff(edges)[:, None] * (nodes + 1.0) / 2.0).ravel()
        w = (np.diff(edges)[:, None] * weights / 2.0).ravel()
        return float(np.sum(w * (betainc(self.b, self.a, expit(-t)) + betainc(self.a, self.b, expit(-t)))))

    def simulate(self, rng: np.random.Generator, size: int | tuple[int, ...]) -> Array:
        """Draws of η."""
        return log_gamma_draws(np.asarray(self.a), rng, size) - log_gamma_draws(np.asarray(self.b), rng, size)


def mixture(log_weights: Sequence[float], parts: Sequence[GammaLaw]) -> GammaMixture:
    """With weights ∝ e^{log_weights}."""
    whole = float(logsumexp(log_weights))
    return GammaMixture(tuple(w - whole for w in log_weights), tuple(parts))
