r"""One harness that prices and attacks every mechanism.

Price: the Rényi divergence of the two output laws at the mechanism's worst neighbouring pair,

    R_λ(P‖Q) = ln ∫ P(θ)^λ Q(θ)^{1−λ} dθ / (λ − 1),

by quadrature of its log-densities (the trapezoidal rule; Gauss-Legendre where it has a finite window):
independent of the closed forms that its guarantee rests on. It must not exceed the promised ε(λ).

Attack: draws from both worlds; the event S = {ln P/Q > t} is chosen on one half of them, and on the other half
Clopper-Pearson bounds give, with confidence 1 − `RISK`,

    ε(δ) ≥ ln (P̲(S) − δ) / Q̄(S).

That lower bound must not exceed the ε(δ) that the guarantee converts to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import betaincinv

from dpsampling.families.registry import FAMILIES, FamilyEntry
from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.entry import Entry, Setting
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.guarantee import Guarantee, Pure, Renyi
from dpsampling.randomness import stream
from dpsampling.registry import ENTRIES

Array = NDArray[np.float64]

COLUMNS = (
    "mechanism",
    "source",
    "order",
    "epsilon_promised",
    "epsilon_priced",
    "delta",
    "epsilon_converted",
    "epsilon_attacked",
    "risk",
    "verdict",
    "family",
)
RISK = 1e-6  # of calling an honest mechanism broken, for each attack
REACH = 40.0
NOISE = 1e-6  # of the log-integrand, above which it says nothing
ROUNDING_AT_ZERO = 1e-12  # of the logarithm of an integral near 1
ROUNDING = 1e-9  # relative error of the quadrature (see the tests)


def table(seed: int, *, orders: Iterable[float], epsilons: Iterable[float], delta: float, draws: int) -> pd.DataFrame:
    """Every registered mechanism that can be built, for every family it serves, at every order and ε."""
    rows = []
    for family, entry in visited():
        setting = Setting(family.family, family.prior, family.records)
        for order in orders:
            for epsilon in epsilons if entry.needs_epsilon else [math.nan]:
                assert entry.build is not None
                rng = stream(seed, "audit", *_name(family, entry), order, str(epsilon))
                (mechanism,) = entry.build(setting, order, [epsilon])
                rows.append((*row(entry, order, mechanism, delta, draws, rng), family.name))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def visited() -> list[tuple[FamilyEntry, Entry]]:
    """What is audited: families on the line, each with the mechanisms that serve it."""
    scalar = [family for family in FAMILIES.values() if family.scalar]
    return [(family, entry) for family in scalar for entry in ENTRIES if entry.audited and entry.serves(family.name)]


def _name(family: FamilyEntry, entry: Entry) -> tuple[str, ...]:
    """The first family's streams are named by the mechanism alone."""
    return (entry.name,) if family is next(iter(FAMILIES.values())) else (entry.name, family.name)


def row(
    entry: Entry, order: float, mechanism: Mechanism, delta: float, draws: int, rng: np.random.Generator
) -> tuple[object, ...]:
    """One mechanism at one order: promised, priced, converted and attacked."""
    promised = promise(mechanism.guarantee, order)
    priced = price(mechanism, order) if math.isfinite(promised) else math.nan
    converted = to_approximate(mechanism.guarantee, delta).epsilon
    attacked = attack(mechanism, order, delta, draws, rng)
    verdict = judge(promised, priced, converted, attacked)
    return entry.name, entry.source, order, promised, priced, delta, converted, attacked, RISK, verdict


def judge(promised: float, priced: float, converted: float, attacked: float) -> str:
    """`broken` if either test fails; otherwise what was tested."""
    if attacked > converted or priced > promised * (1.0 + ROUNDING) + ROUNDING_AT_ZERO:
        return "broken"
    if math.isinf(promised):
        return "nothing promised"
    return "attacked only" if math.isnan(priced) else "holds"


def promise(guarantee: Guarantee, order: float) -> float:
    """ε(λ) of a guarantee that is, or implies, a Rényi curve."""
    if isinstance(guarantee, Renyi):
        return guarantee.epsilon(order)
    return guarantee.renyi().epsilon(order) if isinstance(guarantee, Pure) else math.inf


def price(mechanism: Mechanism, order: float) -> float:
    """R_λ(P‖Q) at the worst pair, by quadrature; +inf where the integral diverges, nan where rounding hides it."""
    (s_p, *_), (s_q, *_) = mechanism.worst_pair(order)
    # A release of several independent numbers, alike in the worst pair, is priced by one of them.
    copies = getattr(mechanism, "copies", 1)

    def log_densities(theta: Array) -> tuple[Array, Array]:
        return mechanism.log_density(theta, s_p), mechanism.log_density(theta, s_q)

    support = getattr(mechanism, "support", None)
    if support is not None:
        return copies * _compact_price(log_densities, order, *support) / (order - 1.0)
    return copies * _unbounded_price(log_densities, order) / (order - 1.0)


def _unbounded_price(log_densities: Callable[[Array], tuple[Array, Array]], order: float) -> float:
    """ln of the integral over the line, by the trapezoidal rule in u with θ = sinh u, which sees every scale of θ.

    The integral diverges where the integrand, times dθ/du, has not fallen by e^-45 at |θ| = e^40. Close to a pole it is
    carried by θ so large that the difference of the two log-densities is mere rounding: then there is no price.
    """
    u = np.linspace(-REACH, REACH, 1601)
    for refinement in range(4):
        theta = np.sinh(u)
        p, q = log_densities(theta)
        values = order * p + (1.0 - order) * q + np.log(np.cosh(u))
        near = np.flatnonzero(values > values.max() - 45.0)
        noise = np.finfo(float).eps * (order * np.abs(p[near]) + (order - 1.0) * np.abs(q[near]))
        if noise.max() > NOISE:
            return math.nan
        first, last = near[0] - 1, near[-1] + 1
        if first < 0 or last >= len(u):
            return math.inf
        if refinement < 3:
            u = np.linspace(u[first], u[last], 1601)
    return max(0.0, float(values.max() + np.log(np.sum(np.exp(values - values.max())) * (u[1] - u[0]))))


def _compact_price(
    log_densities: Callable[[Array], tuple[Array, Array]], order: float, low: float, high: float
) -> float:
    """ln of the integral over a window at whose ends the densities stop, by Gauss-Legendre on 200 panels."""
    x, w = np.polynomial.legendre.leggauss(20)
    edges = np.linspace(low, high, 201)
    half = np.diff(edges)[:, np.newaxis] / 2.0
    p, q = log_densities((edges[:-1, np.newaxis] + half * (x + 1.0)).ravel())
    values = order * p + (1.0 - order) * q
    weights = (half * w).ravel()
    return max(0.0, float(values.max() + np.log(np.sum(weights * np.exp(values - values.max())))))


def attack(mechanism: Mechanism, order: float, delta: float, draws: int, rng: np.random.Generator) -> float:
    """The largest ε that the draws prove, with confidence 1 − RISK."""
    (s_p, *_), (s_q, *_) = mechanism.worst_pair(order)
    samples = [mechanism.release(statistic, rng, 2 * draws) for statistic in (s_p, s_q)]
    # Any event proves something, so the score may be read off a grid; only how much it proves depends on it.
    grid = np.quantile(np.concatenate(samples), np.linspace(0.0, 1.0, 501))
    score = mechanism.log_density(grid, s_p) - mechanism.log_density(grid, s_q)
    scores = [np.interp(sample, grid, score) for sample in samples]
    (p_tune, p_test), (q_tune, q_test) = (np.split(score, 2) for score in scores)
    thresholds = np.quantile(p_tune, np.linspace(0.0, 0.999, 200))
    best = max(thresholds, key=lambda t: _log_ratio(p_tune, q_tune, t, delta))
    return max(0.0, _log_ratio(p_test, q_test, best, delta))


def _log_ratio(p: Array, q: Array, threshold: float, delta: float) -> float:
    """ln (P̲(S) − δ)/Q̄(S) for S = {score > threshold}, each bound with half of the risk."""
    hits_p, hits_q = int(np.sum(p > threshold)), int(np.sum(q > threshold))
    low = float(betaincinv(hits_p, len(p) - hits_p + 1, RISK / 2.0)) if hits_p else 0.0
    high = float(betaincinv(hits_q + 1, len(q) - hits_q, 1.0 - RISK / 2.0)) if hits_q < len(q) else 1.0
    return math.log((low - delta) / high) if low > delta else -math.inf
