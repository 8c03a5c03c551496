r"""Conjugate exponential families: derivatives, norms and integrals beside what is printed of them.

    Dirichlet     C(η) = Σ_{k<d} ln Γ(η^k) + ln Γ(η^d − Σ_{k<d} η^k) − ln Γ(η^d)                         (supplement 54)
    its g_v       ψ₁(η^d − Σ η^k)(Σ v^k)² + Σ ψ₁(η^k)(v^k)²,  v ∈ Diff                                  (supplement 61)
    Gaussian      C(η) = σ²(η¹)²/(2η²) + ½ ln(2πσ²/η²) for S(x) = x/σ², so that g_v = σ²(v¹)²/η²
    half line     x on [0, 1], Θ = [0, ∞), A(θ) = ln((e^θ − 1)/θ), and e^{η·T(θ)} = e^{(η¹−η²)θ}(θ/(1 − e^{−θ}))^{η²}

The last family is minimal, 1-bounded and has A as smooth as one wishes. Its prior η₀ = (−2, −2), on the boundary of E,
has the integral 2 ln 2; after one record x = 1 the integrand is (1 − e^{−θ})/θ, whose integral is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import betaln, digamma, expit, loggamma, polygamma
from scipy.stats import laplace, norm, pareto

from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.numerics.randomness import substream
from reproduction.experiments.cases import furthest, worst
from reproduction.experiments.renyi import conjugate as said

Array = NDArray[np.float64]
Complex = NDArray[Any]  # of floats or complex numbers
Row = tuple[str, str, float, float, float, int]

DIMENSIONS = (2, 3, 4)
LARGEST_DIMENSION = 10
STEP = 1e-20  # of complex steps
FAR, FARTHER = 1e12, 1e24  # between which there is no mass, if an integral is finite
REACHES = np.logspace(-2.0, 12.0, 57)
BOUNDARY = (-2.0, -2.0)
INSIDE = ((0.5, 1.0), (-3.0, -2.0), (-2.5, -2.0), (0.0, 0.3))
WEIGHTS = (0.3, 1.0)  # n
CLIPS = np.logspace(math.log10(2.0), math.log10(30.0), 12)
TAIL = 2.5  # of a Pareto law
CENTRE = 1.0  # of populations, off the middle of the clipped interval


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """All of them; only the parameters at which derivatives are compared are random."""
    rows = [
        *_statistics(),
        *_bernoulli(params["sizes"]),
        *(row for d in DIMENSIONS for row in _dirichlet(d, params["pairs"], substream(rng, "points", d))),
        *_moments(),
        *_normalisable(params["pairs"], substream(rng, "posteriors")),
        *_gaussian(),
    ]
    return pd.DataFrame(rows, columns=list(said.COLUMNS))


def _furthest(statement: str, what: str, left: list[float] | Array, right: list[float] | Array) -> Row:
    """The pair with the largest difference, of all."""
    left, right = np.ravel(np.asarray(left, dtype=float)), np.ravel(np.asarray(right, dtype=float))
    i = furthest(left, right)
    return statement, what, 0.0, float(left[i]), float(right[i]), left.size


# -- statistics and likelihoods ----------------------------------------------------------------------------------------


def _statistics() -> Iterator[Row]:
    """S(x) of d values is a row of the identity less its last column."""
    for d in range(2, LARGEST_DIMENSION + 1):
        statistics = np.eye(d)[:, :-1]
        apart = np.linalg.norm(statistics[:, np.newaxis] - statistics, axis=-1)
        yield said.SENSITIVITY, f"d = {d}", float(d), float(apart.max()), 1.0 if d == 2 else math.sqrt(2.0), d * d
        centred = statistics - statistics.mean(axis=0)
        yield said.RANK, f"d = {d}", float(d), float(np.linalg.matrix_rank(centred)), d - 1.0, 1


def _bernoulli(sizes: list[int]) -> Iterator[Row]:
    """The likelihood of n bits with nA and with A, and derivatives of A beside moments of a bit."""
    thetas = np.linspace(-3.0, 3.0, 13)
    for n in sizes:
        heads = np.arange(n + 1.0)
        exact = heads * np.log(expit(thetas))[:, np.newaxis] + (n - heads) * np.log(expit(-thetas))[:, np.newaxis]
        once = np.logaddexp(0.0, thetas)[:, np.newaxis]
        for statement, count in ((said.LIKELIHOOD_PRINTED, 1), (said.LIKELIHOOD, n)):
            row = _furthest(statement, f"{n} bits", heads * thetas[:, np.newaxis] - count * once, exact)
            yield (*row[:2], float(n), *row[3:])
    rho = expit(thetas)
    first = np.imag(np.log1p(np.exp(thetas + STEP * 1j))) / STEP
    second = np.imag(1.0 / (1.0 + np.exp(-(thetas + STEP * 1j)))) / STEP
    moments = [rho, rho * (1.0 - rho) ** 2 + (1.0 - rho) * rho**2]  # the mean of a bit, and its centred square
    yield _furthest(said.CUMULANTS_A, "one bit", np.array([first, second]), np.array(moments))
    for alpha, beta in product((0.3, 1.0, 6.0), (0.5, 12.0)):
        mode = brentq(lambda theta, a=alpha, b=beta: a - (a + b) * expit(theta), -60.0, 60.0, xtol=1e-13)
        yield said.MODE, f"Beta({alpha:g}, {beta:g})", 0.0, float(mode), math.log(alpha / beta), 1


# -- Dirichlet ---------------------------------------------------------------------------------------------------------


def _partition(eta: Complex) -> Any:
    """(54)."""
    return loggamma(eta[:-1] + 0j).sum() + loggamma(eta[-1] - eta[:-1].sum() + 0j) - loggamma(eta[-1] + 0j)


def _gradient(eta: Complex) -> Complex:
    """(55)."""
    rest = digamma(eta[-1] - eta[:-1].sum())
    return np.append(digamma(eta[:-1]) - rest, rest - digamma(eta[-1]))


def _hessian(eta: Array, *, printed: bool = False) -> Array:
    """(56); as printed, its fourth case subtracts η^i as often as there are coordinates."""
    d, rest = len(eta), polygamma(1, eta[-1] - eta[:-1].sum())
    whole = np.full((d, d), rest)
    whole[:-1, :-1] += np.diag(polygamma(1, eta[:-1]))
    whole[-1, :-1] = whole[:-1, -1] = -rest
    whole[-1, -1] = rest - polygamma(1, eta[-1])
    if printed:
        whole[:-1, -1] = -polygamma(1, eta[-1] - (d - 1) * eta[:-1])
    return whole


def _dirichlet(d: int, count: int, rng: np.random.Generator) -> Iterator[Row]:
    what = f"d = {d}"
    sides: dict[str, list[tuple[Array, Array]]] = {
        name: [] for name in (said.GRADIENT, said.HESSIAN_PRINTED, said.HESSIAN, said.FORM)
    }
    midpoints, lasts, least = [], [], math.inf
    for _ in range(count):
        shapes = rng.uniform(0.3, 4.0, d)
        shapes[-1] += (d - 1) * shapes[:-1].max()  # then the printed form has arguments above 0
        eta = np.append(shapes[:-1], shapes.sum())
        units = np.eye(d) * STEP * 1j
        steps = np.array([np.imag(_partition(eta + u)) for u in units]) / STEP
        second = np.array([np.imag(_gradient(eta + u)) for u in units]).T / STEP
        sides[said.GRADIENT].append((_gradient(eta), steps))
        sides[said.HESSIAN].append((_hessian(eta), second))
        sides[said.HESSIAN_PRINTED].append((_hessian(eta, printed=True), second))
        v = np.append(rng.normal(size=d - 1), 0.0)
        sides[said.FORM].append((np.array([_form(v, eta)]), np.array([v @ second @ v])))
        other = np.append(more := rng.uniform(0.3, 4.0, d - 1), more.sum() + rng.uniform(0.3, 4.0))
        midpoints.append((_form(v, (eta + other) / 2.0), (_form(v, eta) + _form(v, other)) / 2.0))
        values = np.linalg.eigvalsh(_hessian(eta))
        least = min(least, float(values[0] / values[-1]))
        lasts.append((float((eta + _counts(d, rng))[:-1].max() / (eta[-1] + RECORDS)), 1.0))
    for statement, pairs in sides.items():
        left, right = (np.concatenate([np.ravel(value) for value in side]) for side in zip(*pairs, strict=True))
        yield _furthest(statement, what, left, right)
    for statement, both in ((said.MIDPOINT, midpoints), (said.LAST, lasts)):
        yield statement, what, 0.0, *worst(both)
    yield said.SINGULAR, what, 0.0, least, 0.0, count


RECORDS = 20


def _counts(d: int, rng: np.random.Generator) -> Array:
    """Σ (S(x), 1) of random records."""
    return np.append(rng.multinomial(RECORDS, rng.dirichlet(np.full(d, 0.3)))[:-1], RECORDS).astype(float)


def _form(v: Array, eta: Array) -> float:
    """(61)."""
    first = polygamma(1, eta[-1] - eta[:-1].sum()) * v[:-1].sum() ** 2
    return float(first + (polygamma(1, eta[:-1]) * v[:-1] ** 2).sum())


def _moments() -> Iterator[Row]:
    """Derivatives of C of a Beta law beside the mean and covariance of T(θ) = (θ, −ln(1 + e^θ)), by quadrature."""
    theta = np.linspace(-80.0, 80.0, 64_001)
    statistics = np.stack([theta, -np.logaddexp(0.0, theta)])
    for alpha, beta in product((0.7, 1.0, 6.0), (1.0, 12.0)):
        eta = np.array([alpha, alpha + beta])
        weight = np.exp(eta @ statistics - betaln(alpha, beta)) * (theta[1] - theta[0])
        mean = statistics @ weight
        centred = statistics - mean[:, np.newaxis]
        covariance = (centred * weight) @ centred.T
        what = f"Beta({alpha:g}, {beta:g})"
        yield _furthest(said.CUMULANTS_C, what, np.append(_gradient(eta), _hessian(eta)), np.append(mean, covariance))


# -- Observation 6 -----------------------------------------------------------------------------------------------------


def _weight(eta: tuple[float, float]) -> Callable[[Array], Array]:
    """e^{η·T(θ)} on the half line."""
    difference, count = eta[0] - eta[1], eta[1]

    def weight(theta: Array) -> Array:
        return np.asarray(np.exp(difference * theta) * (theta / -np.expm1(-theta)) ** count)

    return weight


def _mass(eta: tuple[float, float], low: float, high: float) -> float:
    """∫ e^{η·T(θ)} between two points above 0, by the trapezoidal rule in ln θ."""
    logs = np.linspace(math.log(low), math.log(high), 20_001)
    values = _weight(eta)(np.exp(logs)) * np.exp(logs)
    return float((values.sum() - (values[0] + values[-1]) / 2.0) * (logs[1] - logs[0]))


def _normalisable(count: int, rng: np.random.Generator) -> Iterator[Row]:
    whole = quad(lambda theta: (math.expm1(-theta) / theta) ** 2, 0.0, 50.0, epsabs=1e-13, limit=200)[0] + 1.0 / 50.0
    yield said.PRIOR, "(−2, −2)", 0.0, float(whole), 2.0 * math.log(2.0), 1
    for statement, priors in ((said.TAIL_PRINTED, (BOUNDARY,)), (said.TAIL, INSIDE)):
        for prior in priors:
            for n, x in product(WEIGHTS, (0.0, 0.5, 1.0)):
                after = (prior[0] + n * x, prior[1] + n)
                what = f"prior ({prior[0]:g}, {prior[1]:g}), x = {x:g}"
                yield statement, what, n, _mass(after, FAR, FARTHER), 0.0, 1
    for what, eta in (("prior", BOUNDARY), ("n = .5", (-1.5, -1.5)), ("n = 1", (-1.0, -1.0))):
        for reach in REACHES.tolist():
            yield said.PARTIAL, what, reach, _mass(eta, 1e-12, reach), 0.0, 1
    bad = 0
    for _ in range(count):  # all shapes of a Dirichlet law stay above 0, and the count of a Gaussian mean
        d, n = int(rng.integers(2, 6)), float(rng.exponential(10.0)) + 1e-9
        shapes = rng.gamma(0.3, size=d) + 1e-9 + n * rng.dirichlet(np.full(d, 0.2))
        bad += not np.isfinite(loggamma(shapes).sum() - loggamma(shapes.sum()))
        bad += not np.isfinite(math.log(rng.exponential() + n))
    yield said.INFINITE, "Dirichlet laws and Gaussian means", 0.0, float(bad), 0.0, 2 * count


# -- Gaussian means ----------------------------------------------------------------------------------------------------


def _gaussian() -> Iterator[Row]:
    variance, n, order = 2.0, 10.0, 3.0
    for count in (0.5, 4.0, 100.0):
        first = np.linspace(-50.0, 50.0, 11)
        # C″ along η¹ from its gradient σ²η¹/η², by a complex step
        curved = np.imag(variance * (first + STEP * 1j) / count) / STEP
        yield _furthest(said.CONSTANT, f"count {count:g}", curved, np.full(11, variance / count))
    for clip in np.logspace(0.0, 6.0, 7).tolist():
        level = float(GaussianMean(variance, clip).worst_case_divergence([0.0, 4.0], n, order))
        # θ has precision σ²(N₀ + n), and its mean moves by 2Δ over that
        apart, spread = 2.0 * clip / (variance * (4.0 + n)), 1.0 / (variance * (4.0 + n))
        yield said.LEVEL, "σ² = 2, N₀ = 4, n = 10, λ = 3", clip, level, order * apart**2 / (2.0 * spread), 1
    for what, law in (("normal", norm(CENTRE)), ("Laplace", laplace(CENTRE, 1.0 / math.sqrt(2.0)))):
        yield from (_clipped(said.CLIPPED, what, law, clip) for clip in CLIPS.tolist())
    heavy = pareto(TAIL, scale=(TAIL - 1.0) * math.sqrt((TAIL - 2.0) / TAIL))
    yield from (_clipped(said.HEAVY, "Pareto", heavy, clip) for clip in CLIPS.tolist())


def _clipped(statement: str, what: str, law: Any, clip: float) -> Row:
    """By how much clipping moves the mean, in standard deviations (1 for all), and the share that it alters."""
    above = quad(law.sf, clip, np.inf, epsabs=1e-14)[0]
    below = quad(law.cdf, -np.inf, -clip, epsabs=1e-14)[0]
    share = float(law.sf(clip) + law.cdf(-clip))
    return statement, what, clip, abs(float(above - below)), share, 1
