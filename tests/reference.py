"""Second computations, by other means than the package's: mpmath on the exact values of the floats, and quadrature.

Nothing here imports dpsampling. A float enters as the binary fraction it is; 80 digits leave more than 50 after the
cancellation of C(η), which is 30 digits at worst (n = 10⁶, scale 10⁻⁹).
"""

import math
from itertools import pairwise

import mpmath
import numpy as np
from mpmath import mp, mpf
from scipy.integrate import quad
from scipy.special import expit, ndtr

DIGITS = 80


def log_beta(a, b):
    """ln B(a, b)."""
    return mpmath.loggamma(a) + mpmath.loggamma(b) - mpmath.loggamma(a + b)


def renyi(p, q, order):
    """R_λ(P‖Q) of Beta(p) and Beta(q): ln E_Q[(P/Q)^λ]/(λ−1), and its limits at λ = 1 and ∞."""
    with mp.workdps(DIGITS):
        (a, b), (c, d), order = map(mpf, p), map(mpf, q), mpf(order)
        if order == 1:
            psi = mpmath.digamma
            mean = (a - c) * (psi(a) - psi(a + b)) + (b - d) * (psi(b) - psi(a + b))
            return mean + log_beta(c, d) - log_beta(a, b)
        if order == mpf("inf"):
            return max_divergence(a - c, b - d, log_beta(c, d) - log_beta(a, b))
        x, y = order * a + (1 - order) * c, order * b + (1 - order) * d
        if x <= 0 or y <= 0:
            return mpf("inf")
        return (log_beta(x, y) - order * log_beta(a, b)) / (order - 1) + log_beta(c, d)


def max_divergence(a, b, constant):
    """sup over ρ of a ln ρ + b ln(1−ρ) + constant."""
    if a < 0 or b < 0:
        return mpf("inf")
    return constant + sum(t * mpmath.log(t / (a + b)) for t in (a, b) if t > 0)


def shapes(prior, s, n, data_weight=1, prior_weight=1):
    """(α, β) of the weighted posterior, exactly; the prior is given as (α₀, α₀ + β₀)."""
    alpha, total = mpf(prior[0]), mpf(prior[1])
    r, w = mpf(data_weight), mpf(prior_weight)
    return w * alpha + r * mpf(s), w * (total - alpha) + r * (mpf(n) - mpf(s))


def steps(points):
    """Neighbouring statistics, in both directions."""
    return [pair for s, t in pairwise(points) for pair in ((s, t), (t, s))]


def worst_renyi(prior, n, order, data_weight=1, prior_weight=1, pairs=None):
    """sup R_λ over the given pairs of statistics; over 0|1 and n−1|n if none are given."""
    with mp.workdps(DIGITS):
        pairs = pairs or [*steps([0, 1]), *steps([n - 1, n])]
        levels = [
            renyi(shapes(prior, s, n, data_weight, prior_weight), shapes(prior, t, n, data_weight, prior_weight), order)
            for s, t in pairs
        ]
        return max(levels)


def beta_cdf(a, b, x):
    return mpmath.betainc(a, b, 0, x, regularized=True)


def exact_delta(p, q, epsilon):
    """The least δ with P(S) ≤ e^ε Q(S) + δ: where P has shapes α + r, β − r, ln P/Q = r·logit ρ + c rises with ρ.

    So the worst event is ρ > t with r·logit t + c = ε, and δ = P(ρ > t) − e^ε Q(ρ > t); and the mirror image for r < 0.
    """
    with mp.workdps(25):
        (a, b), (c, d), epsilon = map(mpf, p), map(mpf, q), mpf(epsilon)
        r = a - c
        constant = log_beta(c, d) - log_beta(a, b)
        t = 1 / (1 + mpmath.exp(-(epsilon - constant) / r))
        if r < 0:
            return beta_cdf(a, b, t) - mpmath.exp(epsilon) * beta_cdf(c, d, t)
        # The upper tail is the lower tail of 1 − ρ.
        return beta_cdf(b, a, 1 - t) - mpmath.exp(epsilon) * beta_cdf(d, c, 1 - t)


def gaussian_delta(mean, epsilon):
    """The least δ between N(0, 1) and N(mean, 1) (Balle and Wang 2018, Theorem 8)."""
    with mp.workdps(40):
        mean, epsilon = mpf(mean), mpf(epsilon)
        return mpmath.ncdf(mean / 2 - epsilon / mean) - mpmath.exp(epsilon) * mpmath.ncdf(-mean / 2 - epsilon / mean)


def randomized_response_renyi(epsilon, order):
    """ln Σ_x p(x)^λ q(x)^{1−λ} / (λ−1) over the two answers of randomized response."""
    with mp.workdps(50 + int(max(0, -np.log10(epsilon) * 2))):
        epsilon, order = mpf(epsilon), mpf(order)
        p = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        q = 1 / (1 + mpmath.exp(epsilon))
        return mpmath.log(p**order * q ** (1 - order) + q**order * p ** (1 - order)) / (order - 1)


def relative_error(value, exact):
    """|value/exact − 1| as a float, 0 where both are the same infinity."""
    value = mpf(float(value))
    if mpmath.isinf(exact) or mpmath.isinf(value):
        return 0.0 if value == exact else float("inf")
    return float(abs(value / exact - 1)) if exact else float(abs(value))


# -- the Gaussian statistic, by nested quadrature with its breaks set by hand ------------------------------------------


def log_beta_float(a, b):
    """ln B(a, b) through the C library's log-gamma, which is not scipy's."""
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def legendre(breaks, nodes=40):
    """Gauss-Legendre nodes and weights on each piece between the breaks."""
    x, w = np.polynomial.legendre.leggauss(nodes)
    breaks = np.unique(breaks)
    half = np.diff(breaks)[:, np.newaxis] / 2
    return (breaks[:-1, np.newaxis] + half * (1 + x)).ravel(), (half * w).ravel()


def pieces(f, breaks):
    """∫ f over [min breaks, max breaks] by Gauss-Legendre on each piece."""
    return math.fsum(weight * f(node) for node, weight in zip(*legendre(breaks), strict=True))


def adaptive(f, breaks):
    """∫ f over [min breaks, max breaks], adaptively on each piece, to 1e-10."""
    return math.fsum(
        quad(f, low, high, epsabs=1e-11, epsrel=1e-9, limit=200)[0] for low, high in pairwise(sorted(set(breaks)))
    )


def clipped(points, low, high):
    return [min(max(point, low), high) for point in (low, *points, high)]


def beta_logit_density(a, b, theta):
    """ln of the density of θ = logit ρ, ρ ~ Beta(a, b)."""
    log_one_plus = max(theta, 0.0) + math.log1p(math.exp(-abs(theta)))
    return a * theta - (a + b) * log_one_plus - log_beta_float(a, b)


def mixture_density(alpha, beta, n, s, sigma, theta):
    """A(θ): atoms of s̃ at 0 and n, and an integral between."""

    def given(t):
        return math.exp(beta_logit_density(alpha + t, beta + n - t, theta))

    def inner(t):
        z = (t - s) / sigma
        return given(t) * math.exp(-0.5 * z * z) / (sigma * math.sqrt(2 * math.pi))

    # θ likes t near nρ, the noise likes t near s: both scales must be seen.
    rho = expit(theta)
    spread = math.sqrt(n * rho * (1 - rho) + 1)
    breaks = clipped(
        [c + k * w for c, w in ((s, sigma), (n * rho, spread)) for k in (-12, -5, -2, 0, 2, 5, 12)], 0.0, n
    )
    return given(0.0) * ndtr(-s / sigma) + given(n) * ndtr((s - n) / sigma) + pieces(inner, breaks)


def mixture_kl(alpha, beta, n, s, sigma):
    """KL(P‖A) in θ, with P the posterior of s."""
    a, b = alpha + s, beta + n - s
    width = math.sqrt(1 / a + 1 / b)
    centre = math.log(a / b)

    def integrand(theta):
        log_p = beta_logit_density(a, b, theta)
        if log_p < -60:  # 1e-26, where the mixture may underflow
            return 0.0
        return math.exp(log_p) * (log_p - math.log(mixture_density(alpha, beta, n, s, sigma, theta)))

    # The density falls as e^{aθ} to the left and e^{−bθ} to the right once it has left its middle; e^-40 is the end.
    tails = [centre - k / a for k in (5, 15, 40)] + [centre + k / b for k in (5, 15, 40)]
    return adaptive(integrand, [centre + k * width for k in (-10, -4, -1, 0, 1, 4, 10)] + tails)
