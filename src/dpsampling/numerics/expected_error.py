r"""How far one private draw of a Bernoulli parameter is from the truth, on average, without simulation.

The data are n bits with k ~ Binomial(n, p) successes, the estimate p̃ is random given k, and

    L1 error   E|p̃ − p|,        efficiency   n E(p̃ − p)² / (p(1−p)),

the mean squared error about the true p in units of the Cramér-Rao bound p(1−p)/n, i.e. n·E(p̃ − p)²·I.

- posterior draw   p̃ ~ Beta(α + k, β + n − k)
- Laplace draw     p̃ ~ Beta(α + ŝ, β + t̂), ŝ = proj(k + Y₁), t̂ = proj(n − k + Y₂), Y ~ Laplace(2/ε) (thesis 4.15)
- Laplace mean     p̃ = (α + ŝ)/(α + β + ŝ + t̂)
- OPS draw         p̃ ~ Beta((k + α − 1)/T + 1, (n − k + β − 1)/T + 1) on [a₀, 1 − a₀], T = max(1, 2 ln((1−a₀)/a₀)/ε)

Given the shapes, E|p̃ − p| and E(p̃ − p)² are closed. What is left is a sum over k and, for Laplace, a double integral
over the noise. There the closed form g(s, t) is interpolated once on a grid of √s and √t, where its bends have the
same width everywhere, and averaged with the weights of (ŝ, t̂) under all k together,

    E g(ŝ, t̂) = Σ_ij W_ij g(s_i, t_j),        W = Σ_k Pr(k) w(k) w′(n − k)ᵀ.

Priors are η₀ = (α, α + β), as everywhere: (1, 2) is uniform.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from scipy.special import betainc, gammaln, log_expit, logit

from dpsampling.errors import InputError
from dpsampling.families.beta_bernoulli import BetaBernoulli
from dpsampling.numerics.convex_gap import log_gamma_gap
from dpsampling.numerics.log_concave import log_integral, nodes_and_weights

Array = NDArray[np.float64]
Projection = Literal["zero", "range"]
PROJECTIONS = ("zero", "range")
SENSITIVITY = 2.0  # of one-hot counts in L1, when one record is replaced

REACH = 32.0  # noise beyond this many scales has mass e^-32 = 1e-14
SMALLEST_MASS = 1e-18  # of a number of successes
GRID_NODES, RULE_NODES = 16, 12
FAMILY = BetaBernoulli()


# -- E|p̃ − p| and its kin ------------------------------------------------------------------------------------------


def exact_l1_error_nonprivate(prior: ArrayLike, n: float, p: float) -> float:
    """E|p̃ − p| of one draw from the posterior, to 1e-12."""
    alpha, beta, n, p = _setting(prior, n, p)
    k, mass = _successes(n, p)
    return float(mass @ beta_l1_error(alpha + k, beta + n - k, p))


def exact_l1_error_laplace(
    prior: ArrayLike, n: float, p: float, epsilon: float, projection: Projection = "zero"
) -> float:
    """E|p̃ − p| of one draw from the Laplace mechanism's posterior, to 1e-9."""
    alpha, beta, n, p = _setting(prior, n, p)
    rule = noisy_counts(n, p, laplace_scale(epsilon), check_projection(projection))
    return rule.mean(beta_l1_error(alpha + rule.s[:, np.newaxis], beta + rule.t, p))


def exact_l1_error_ops(prior: ArrayLike, n: float, p: float, epsilon: float, a0: float) -> float:
    """E|p̃ − p| of one draw from the truncated, tempered posterior, to 1e-10."""
    return _ops_moments(prior, n, p, epsilon, a0)[0]


def exact_efficiency_nonprivate(prior: ArrayLike, n: float, p: float) -> float:
    """n E(p̃ − p)² I of one posterior draw; it tends to 2."""
    alpha, beta, n, p = _setting(prior, n, p)
    k, mass = _successes(n, p)
    return _efficiency(float(mass @ beta_squared_error(alpha + k, beta + n - k, p)), n, p)


def exact_efficiency_laplace(
    prior: ArrayLike, n: float, p: float, epsilon: float, projection: Projection = "zero"
) -> float:
    """n E(p̃ − p)² I of one draw from the Laplace mechanism's posterior; it tends to 2 (Theorem 4)."""
    alpha, beta, n, p = _setting(prior, n, p)
    rule = noisy_counts(n, p, laplace_scale(epsilon), check_projection(projection))
    return _efficiency(rule.mean(beta_squared_error(alpha + rule.s[:, np.newaxis], beta + rule.t, p)), n, p)


def exact_efficiency_laplace_mean(
    prior: ArrayLike, n: float, p: float, epsilon: float, projection: Projection = "zero"
) -> float:
    """n E(p̃ − p)² I of the mean of the Laplace mechanism's posterior; it tends to 1 (Remark 1)."""
    alpha, beta, n, p = _setting(prior, n, p)
    rule = noisy_counts(n, p, laplace_scale(epsilon), check_projection(projection))
    a, b = alpha + rule.s[:, np.newaxis], beta + rule.t
    return _efficiency(rule.mean((a / (a + b) - p) ** 2), n, p)


def exact_efficiency_ops(prior: ArrayLike, n: float, p: float, epsilon: float, a0: float) -> float:
    """n E(p̃ − p)² I of one draw of OPS; it tends to 1 + T where a₀ < p < 1 − a₀ (Theorem 5)."""
    alpha, beta, n, p = _setting(prior, n, p)
    return _efficiency(_ops_moments((alpha, alpha + beta), n, p, epsilon, a0)[1], n, p)


def exact_kl_laplace(prior: ArrayLike, n: float, p: float, epsilon: float, projection: Projection = "zero") -> float:
    r"""E[KL(p̃_N ‖ p_N)] of Lemma 1: the Laplace mechanism's posterior from the posterior of the same data, to 1e-9.

    With D(x → y) = ln Γ(y) − ln Γ(x) − (y − x)ψ(x), of the shapes a = α + ŝ, b = β + t̂ and a′ = α + k, b′ = β + n − k,

        KL(Beta(a, b) ‖ Beta(a′, b′)) = D(a → a′) + D(b → b′) − D(a + b → a′ + b′),

    where the first two each see one noisy count, and a′ + b′ is the same for all data.
    """
    alpha, beta, n, p = _setting(prior, n, p)
    scale, upper = laplace_scale(epsilon), _upper(check_projection(projection), n)
    k, mass = _successes(n, p)
    total = 0.0
    for shape, counts in ((alpha, k), (beta, n - k)):
        for part in _chunks(len(k), scale, counts):
            nodes, weights = laplace_rule(counts[part], scale, upper)
            gap = log_gamma_gap(shape + nodes, nodes - counts[part, np.newaxis], 0.0)
            total += float(mass[part] @ np.sum(weights * gap, axis=1))
    rule = noisy_counts(n, p, scale, projection)
    both = rule.s[:, np.newaxis] + rule.t
    return total - rule.mean(log_gamma_gap(alpha + beta + both, both - n, 0.0))


def beta_l1_error(a: ArrayLike, b: ArrayLike, p: float) -> Array:
    """E|X − p| = m − p + 2 [p I_p(a, b) − m I_p(a+1, b)] for X ~ Beta(a, b) of mean m.

    The second I is the first less p^a (1−p)^b / (a B(a, b)), so one incomplete beta function does.
    """
    a, b = np.broadcast_arrays(np.asarray(a, dtype=float), np.asarray(b, dtype=float))
    mean = a / (a + b)
    log_step = a * math.log(p) + b * math.log1p(-p) + gammaln(a + b) - gammaln(a + 1.0) - gammaln(b)
    below = betainc(a, b, p)
    return mean - p + 2.0 * ((p - mean) * below + mean * np.exp(log_step))


def beta_squared_error(a: ArrayLike, b: ArrayLike, p: float) -> Array:
    """E(X − p)² = m(1−m)/(a+b+1) + (m − p)² for X ~ Beta(a, b) of mean m."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    mean = a / (a + b)
    return mean * (1.0 - mean) / (a + b + 1.0) + (mean - p) ** 2


# -- what the parameters may be ------------------------------------------------------------------------------------


def laplace_scale(epsilon: float) -> float:
    """2/ε, or the next float where its rounding would cost more than ε."""
    if not (0 < epsilon < math.inf and math.isfinite(SENSITIVITY / epsilon)):
        raise InputError(f"epsilon is {epsilon:g}; Laplace noise needs a finite ε above 0, such as 1.")
    scale = SENSITIVITY / epsilon
    return scale if scale * epsilon > SENSITIVITY else math.nextafter(scale, math.inf)


def check_projection(projection: Projection) -> Projection:
    """'zero' or 'range'."""
    if projection not in PROJECTIONS:
        raise InputError(f"projection is '{projection}'; it is 'zero' (counts clipped at 0) or 'range' (to [0, N]).")
    return projection


def ops_sensitivity(a0: float) -> float:
    """Δ = ln((1−a₀)/a₀) (UAI eq. 15)."""
    if not 0 < a0 < 0.5:
        raise InputError(
            f"a0 is {a0:g}; posterior sampling has a finite sensitivity only on a range [a0, 1 − a0] with "
            "0 < a0 < 0.5: truncate the prior, as with a0 = 0.05."
        )
    return (math.log1p(-a0) - math.log(a0)) * (1.0 + 2.0**-50)  # rounded up: it prices a mechanism


def ops_temperature(epsilon: float, a0: float) -> float:
    """T = max(1, 2Δ/ε): never colder than the posterior."""
    sensitivity = ops_sensitivity(a0)
    if not 0 < epsilon < math.inf:
        raise InputError(f"epsilon is {epsilon:g}; it must be above 0 and finite.")
    return max(1.0, 2.0 * sensitivity / epsilon * (1.0 + 2.0**-50))


def _setting(prior: ArrayLike, n: float, p: float) -> tuple[float, float, float, float]:
    eta, n = FAMILY.check_prior(prior), FAMILY.check_records(n)
    if not 0 < p < 1:
        raise InputError(f"p is {p:g}; the true success probability must lie strictly between 0 and 1.")
    return float(eta[0]), float(eta[1] - eta[0]), n, float(p)


def _efficiency(squared_error: float, n: float, p: float) -> float:
    return n * squared_error / (p * (1.0 - p))


def _successes(n: float, p: float) -> tuple[Array, Array]:
    """k and Pr(k) of Binomial(n, p), without the k that are rarer than `SMALLEST_MASS`."""
    reach = 10.0 * math.sqrt(n * p * (1.0 - p)) + 60.0
    k = np.arange(max(0.0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1.0)
    log_mass = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0) + k * math.log(p) + (n - k) * math.log1p(-p)
    mass = np.exp(log_mass)
    kept = mass > SMALLEST_MASS
    # ln Γ(n + 1) is rounded at 1e-10 for n = 1e5: a common factor, gone after normalizing.
    return k[kept], mass[kept] / np.sum(mass[kept])


def _upper(projection: Projection, n: float) -> float:
    return n if projection == "range" else math.inf


# -- OPS -----------------------------------------------------------------------------------------------------------


def _ops_moments(prior: ArrayLike, n: float, p: float, epsilon: float, a0: float) -> tuple[float, float]:
    """E|p̃ − p| and E(p̃ − p)², by quadrature over logit p̃, where the density is log-concave, cut at p."""
    alpha, beta, n, p = _setting(prior, n, p)
    temperature = ops_temperature(epsilon, a0)
    k, mass = _successes(n, p)
    a, b = (k + alpha - 1.0) / temperature + 1.0, (n - k + beta - 1.0) / temperature + 1.0

    def log_f(theta: Array) -> Array:
        return a * log_expit(theta) + b * log_expit(-theta)

    ends = np.clip([-math.inf, logit(p), math.inf], logit(a0), logit(1.0 - a0))
    parts = [np.full((len(k), 2), part).T for part in pairwise(ends) if part[0] < part[1]]
    normalizer = np.logaddexp.reduce([log_integral(log_f, low, high, panels=6) for low, high in parts])
    first, second = np.zeros(len(k)), np.zeros(len(k))
    for low, high in parts:
        theta, weights = nodes_and_weights(log_f, low, high, panels=6)
        density = weights * np.exp(log_f(theta) - normalizer)
        error = np.abs(np.exp(log_expit(theta)) - p)
        first += np.sum(density * error, axis=0)
        second += np.sum(density * error**2, axis=0)
    return float(mass @ first), float(mass @ second)


# -- Laplace -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class NoisyCounts:
    """E g(ŝ, t̂) = Σ_ij `weights`_ij g(s_i, t_j) for smooth g."""

    s: Array
    t: Array
    weights: Array

    def mean(self, values: Array) -> float:
        """The expectation of the g with these values at (s_i, t_j)."""
        return float(np.sum(self.weights * values))


@lru_cache(maxsize=2)
def noisy_counts(n: float, p: float, scale: float, projection: Projection) -> NoisyCounts:
    """The joint law of both noisy counts, over data and noise."""
    k, mass = _successes(n, p)
    upper = _upper(projection, n)
    (s, first), (t, second) = (_on_grid(counts, scale, upper) for counts in (k, n - k))
    weights = (first.multiply(mass[:, np.newaxis])).T @ second
    return NoisyCounts(s, t, np.asarray(weights.todense()))


def laplace_rule(
    counts: Array, scale: float, upper: float = math.inf, *, reach: float = REACH, refine: int = 0
) -> tuple[Array, Array]:
    """Nodes and weights, one row a count, of proj(count + Laplace(`scale`)) on [0, `upper`], its atoms included.

    The density has its kink at the count, where both sides begin; their panels are short on the scale of the noise
    and on that of √s. The first and the last node are the atoms. `refine` more panels near 0 are each a quarter of
    their neighbour.
    """
    counts = np.asarray(counts, dtype=float)[:, np.newaxis]
    below = np.minimum(reach * scale, counts)
    above = np.minimum(reach * scale, upper - counts)
    # s = k − L(2f − f²) and s = k + L f²: uniform steps in f are at most as long in √s as the panel count allows.
    width_below = float(np.max(below / np.sqrt(np.maximum(counts, 1.0))))
    f, df = _panels(width_below, float(np.max(below)) / scale, refine)
    s_below, w_below = counts - below * (2.0 * f - f * f), below * (2.0 - 2.0 * f) * df
    nearest = refine if np.min(counts) < 1.0 else 0
    f, df = _panels(math.sqrt(float(np.max(above))), float(np.max(above)) / scale, nearest)
    f = 1.0 - f
    s_above, w_above = counts + above * f * f, above * 2.0 * f * df
    with np.errstate(over="ignore"):
        density_below = w_below * np.exp(-(counts - s_below) / scale) / (2.0 * scale)
        density_above = w_above * np.exp(-(s_above - counts) / scale) / (2.0 * scale)
    at_zero = 0.5 * np.exp(-counts / scale)
    top = np.minimum(upper, counts + above)
    at_top = 0.5 * np.exp(-above / scale) if math.isfinite(upper) else np.zeros_like(counts)
    nodes = np.concatenate([np.zeros_like(counts), np.maximum(s_below, 0.0), s_above, top], axis=1)
    return nodes, np.concatenate([at_zero, density_below, density_above, at_top], axis=1)


def _panels(width: float, decay: float, refine: int) -> tuple[Array, Array]:
    """Gauss-Legendre on [0, 1], in panels over which √s moves by 1.25 and the noise's exponent by 5, at most."""
    count = max(1, math.ceil(width / 1.25), math.ceil(2.0 * decay / 5.0))
    edges = np.linspace(0.0, 1.0, count + 1)
    if refine:
        edges = np.concatenate([edges[:-1], 1.0 - 0.5 ** np.arange(1.0, refine + 1.0) / count, [1.0]])
    x, w = np.polynomial.legendre.leggauss(RULE_NODES)
    lengths = np.diff(edges)[:, np.newaxis]
    return (edges[:-1, np.newaxis] + lengths * (x + 1.0) / 2.0).ravel(), (lengths * w / 2.0).ravel()


def _chunks(count: int, scale: float, counts: Array) -> list[slice]:
    """Slices of the counts whose rules have about a million nodes together."""
    nodes = 24.0 * (12.0 + math.sqrt(REACH * scale) + math.sqrt(float(np.max(counts))) / 8.0)
    size = max(1, int(1e6 / nodes))
    return [slice(start, start + size) for start in range(0, count, size)]


def _on_grid(counts: Array, scale: float, upper: float) -> tuple[Array, csr_array]:
    """Grid nodes, and for each count the weights that average an interpolant on them over the noise."""
    low = math.sqrt(max(0.0, float(np.min(counts)) - REACH * scale))
    high = math.sqrt(min(upper, float(np.max(counts)) + REACH * scale))
    panels = max(1, math.ceil(high - low))
    width = (high - low) / panels
    z = -np.cos((2.0 * np.arange(GRID_NODES) + 1.0) * math.pi / (2.0 * GRID_NODES))
    barycentric = np.array([1.0 / np.prod(np.delete(z[i] - z, i)) for i in range(GRID_NODES)])
    barycentric /= np.max(np.abs(barycentric))
    grid = (low + width * (np.arange(panels)[:, np.newaxis] + (z + 1.0) / 2.0)).ravel() ** 2
    rows = []
    for part in _chunks(len(counts), scale * GRID_NODES, counts):
        nodes, weights = laplace_rule(counts[part], scale, upper)
        x = (np.sqrt(nodes) - low) / width
        # The atom at 0 lies below a grid that starts above it; its mass is then below e^-32.
        weights = np.where(x < -1e-9, 0.0, weights)
        x = np.clip(x, 0.0, panels)
        panel = np.clip(np.floor(x), 0, panels - 1)
        distance = 2.0 * (x - panel)[..., np.newaxis] - 1.0 - z
        distance = np.where(np.abs(distance) < 1e-14, 1e-14, distance)
        lagrange = barycentric / distance
        lagrange *= (weights / np.sum(lagrange, axis=-1))[..., np.newaxis]
        columns = panel.astype(np.int64)[..., np.newaxis] * GRID_NODES + np.arange(GRID_NODES)
        dense = np.zeros((nodes.shape[0], len(grid)))
        flat = columns + np.arange(nodes.shape[0])[:, np.newaxis, np.newaxis] * len(grid)
        dense.ravel()[:] = np.bincount(flat.ravel(), lagrange.ravel(), minlength=dense.size)
        rows.append(dense)
    return grid, csr_array(np.concatenate(rows))
