r"""An `envelope` with a proof: numbers for which, as the rationals that they are, the inequality below holds.

With u = Vy, for every y whose max_i |z_i·u| is at most r_k,

    f(ŵ + u) ≥ C + ½ Σ_j p_kj y_j²,

and an integer W_ki with W_ki/2⁵² ≥ e^{L_k − L} P_ki, L_k = −½ Σ_j ln p_kj and L the largest of them, for each tail i of
a component with a hole, P_ki = Pr(|z_i·u| > r_{k−1}) where y_j ~ N(0, 1/p_kj); or one W_k for P = 1.

Floats are bounded a priori (Higham, Accuracy and Stability, §3): a sum of k products, in any order, is wrong by γ_k, of
k rounding units and a few more, relative to the sum of their absolute values. So with B the floats of ZV, S those of B
times √(ρc_i), G those of SᵀS and M those of VᵀV,

    δ  ≥ ‖(ZV)_i − B_i‖            = γ ‖z_i‖ ‖V‖_F
    ε₁ ≥ ‖VᵀV − I‖_F               = ‖M − I‖_F + γ ‖V‖_F²
    ε₂ ≥ ‖ρ Σ c_i (ZV)_i(ZV)_iᵀ − diag h‖_F = ‖G − diag h‖_F + γ ‖S‖_F² + ρ Σ c_i (2‖B_i‖δ + δ²)

and p_kj = κ(1 − η)(1 − ε₁) − 2ε₂ + 2α_k h_j will do, with c_i and α_k from below in ball arithmetic. The few operations
that make these bounds out of one another are covered by `GROW`. docs/logistic.md has the lemma.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import flint
import numpy as np
from flint import arb

from dpsampling.learners.logistic.envelope import Envelope
from dpsampling.learners.logistic.target import SLACK, Target
from dpsampling.numerics.arrays import Array, Integers

UNIT = 2.0**-52  # twice the rounding unit
GROW, SHRINK = 1.0 + 2.0**-20, 1.0 - 2.0**-20
BITS = 192  # of the balls
SCALE = 52  # weights are whole numbers of 2⁻⁵²
STEPS = 256  # τ is rounded down to a multiple of 1/256


@dataclass(frozen=True, eq=False)
class Component:
    """A shell and the law that proposes in it."""

    inner: float  # −1 in the innermost
    outer: float
    precisions: Array  # p_kj
    holed: bool
    weights: Integers  # W_ki, or W_k alone


@dataclass(frozen=True, eq=False)
class Certificate:
    """All that the exact draw needs of the floats."""

    target: Target
    centre: Array
    axes: Array | None  # V; none for the identity
    rows: Array  # B
    offsets: Array  # a_i, each wrong by
    offset_error: float
    row_error: float  # δ
    row_norm: float  # max ‖B_i‖
    level: float  # C
    components: tuple[Component, ...]
    top: int  # which has L


def gamma(terms: int) -> float:
    """γ_k, with room for a few more roundings."""
    return (terms + 8) * UNIT


def certify(envelope: Envelope) -> Certificate:
    """The certificate of an envelope; of its prior alone, where rounding is too coarse for its curvature."""
    target = envelope.target
    offset_error = GROW * gamma(target.records.d) * target.records.bound * _norm(envelope.centre)
    with flint.ctx.workprec(BITS):
        axes, spectrum, floor = _axes(envelope, offset_error)
        rows = target.records.signed if axes is None else envelope.rows
        row_error = 0.0 if axes is None else GROW * gamma(target.records.d) * target.records.bound * _norm(axes)
        level = _level(envelope, offset_error)
        components, top = _components(envelope, rows, row_error, spectrum, floor)
    row_norm = GROW * float(np.sqrt(np.einsum("ij,ij->i", rows, rows).max()))
    return Certificate(
        target, envelope.centre, axes, rows, envelope.offsets, offset_error, row_error, row_norm, level, components, top
    )


def _axes(envelope: Envelope, offset_error: float) -> tuple[Array | None, Array, float]:
    """V, h, and the least p_kj: κ(1 − η)(1 − ε₁) − 2ε₂."""
    target, axes = envelope.target, envelope.axes
    precision = target.precision * (1.0 - SLACK) * (1.0 - UNIT)
    if axes is not None:
        d, norm = target.records.d, _norm(axes)
        tilt = GROW * (_norm(axes.T @ axes - np.eye(d)) + gamma(d) * norm**2)
        gap = _spectral_gap(envelope, offset_error, GROW * gamma(d) * target.records.bound * norm)
        floor = SHRINK * (precision * (1.0 - tilt) - 2.0 * gap)
        if floor >= 0.5 * precision:
            return axes, envelope.spectrum, floor
    return None, np.zeros(target.records.d), precision


def _spectral_gap(envelope: Envelope, offset_error: float, row_error: float) -> float:
    """ε₂."""
    rows = envelope.rows
    bounds = envelope.target.weight * _curvature_bounds(envelope, offset_error)
    norms = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    scaled = rows * np.sqrt(bounds)[:, None]
    gram = scaled.T @ scaled
    gram[np.diag_indices_from(gram)] -= envelope.spectrum
    moved = float(bounds @ (2.0 * norms * row_error + row_error**2))
    # Of the roots and products in S, and of the difference on G's diagonal, γ has room for.
    return GROW * (_norm(gram) + gamma(len(rows)) * (_norm(scaled) ** 2 + _norm(envelope.spectrum)) + moved)


def _curvature_bounds(envelope: Envelope, offset_error: float) -> Array:
    """c_i from below: [ℓ(a + s) − ℓ(a) − ℓ′(a)s]/s² falls in a ≥ 0, so an a is taken that is no less than |a_i|."""
    s = arb(envelope.reach)
    square, found = s * s, []
    for a in ((np.abs(envelope.offsets) + offset_error) * (1.0 + 4.0 * UNIT)).tolist():
        small = (-arb(a)).exp()
        drop = ((1 + small * (-s).exp()) / (1 + small)).log()
        found.append(max(_below((drop + s * small / (1 + small)) / square), 0.0))
    return np.array(found)


def _level(envelope: Envelope, offset_error: float) -> float:
    """C ≤ f(ŵ) − c₀, c₀ = ‖∇f(ŵ)‖²/(2κη); ℓ and its derivative are 1 and ¼ times as wrong as the a_i."""
    target, w = envelope.target, envelope.centre
    n, rho, kappa = target.records.n, target.weight, target.precision
    losses, slopes = arb(0), np.empty(n)
    for i, a in enumerate(envelope.offsets.tolist()):
        small = (-arb(abs(a))).exp()
        losses += small.log1p() + max(-a, 0.0)
        slopes[i] = float((small if a > 0 else arb(1)) / (1 + small))
    height = arb(kappa) / 2 * sum((arb(x) ** 2 for x in w.tolist()), arb(0)) + arb(rho) * losses
    gradient = _norm(kappa * w - rho * (slopes @ target.records.signed))
    wrong = rho * n * target.records.bound * (0.25 * offset_error + gamma(n)) + gamma(4) * kappa * _norm(w)
    norm = arb(GROW * (gradient + wrong))
    remainder = norm * norm / (2 * arb(kappa) * arb(SLACK))
    return _below(height - arb(GROW * rho * n * offset_error) - remainder)


# -- components --------------------------------------------------------------------------------------------------------


def _components(
    envelope: Envelope, rows: Array, row_error: float, spectrum: Array, floor: float
) -> tuple[tuple[Component, ...], int]:
    """All components, and which of them has the largest L_k."""
    inners = [shell.inner for shell in envelope.shells] if spectrum.any() else [-1.0]
    outers = [*inners[1:], math.inf]
    factors = [_curvature_factor(outer, envelope.reach) for outer in outers]
    precisions = [(floor + 2.0 * factor * spectrum) * (1.0 - 4.0 * UNIT) for factor in factors]
    log_masses = [-sum((arb(p).log() for p in each.tolist()), arb(0)) / 2 for each in precisions]
    top = int(np.argmax([float(mass) for mass in log_masses]))
    components = []
    for inner, outer, each, log_mass in zip(inners, outers, precisions, log_masses, strict=True):
        share = (log_mass - log_masses[top]).exp()
        shares = _tails(rows, row_error, each, inner) if inner > 0 else np.ones(0)
        holed = inner > 0 and float(shares.sum()) < 1
        weights = shares * _above(share) * GROW if holed else np.array([_above(share)])
        whole = np.ceil(np.ldexp(weights, SCALE)).astype(np.int64)
        components.append(Component(inner, outer, each, holed, np.maximum(whole, 1)))
    return tuple(components), top


def _curvature_factor(outer: float, reach: float) -> float:
    """α(r) from below."""
    if math.isinf(outer):
        return 0.0
    if outer <= reach:
        return 1.0
    r, s = arb(outer), arb(reach)
    return _below(((-r).exp() + r - 1) / ((-s).exp() + s - 1) * (s / r) ** 2)


def _tails(rows: Array, row_error: float, precisions: Array, inner: float) -> Array:
    """P_ki from above."""
    inverse = 1.0 / precisions
    widths = GROW * (np.sqrt(np.einsum("ij,ij,j->i", rows, rows, inverse)) + row_error * math.sqrt(inverse.max()))
    with np.errstate(divide="ignore"):
        tau = np.minimum(np.floor(SHRINK * STEPS * inner / widths), STEPS * 64.0)
    steps, places = np.unique(tau, return_inverse=True)
    root = arb(2).sqrt()
    return np.array([_above((arb(step) / STEPS / root).erfc()) for step in steps.tolist()])[places]


def _norm(x: Array) -> float:
    return float(np.linalg.norm(x))


def _below(x: arb) -> float:
    """A float that is no more than any number of the ball."""
    return math.nextafter(float(x.lower()), -math.inf)


def _above(x: arb) -> float:
    return math.nextafter(float(x.upper()), math.inf)
