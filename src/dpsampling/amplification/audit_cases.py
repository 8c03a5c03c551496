r"""Noisy SGD, exposed by the pair that dominates every other: one-dimensional quadratic losses, no projection.

    ℓ(x, z) = (κ/2) x² + C z x,    z = ±1,    x ↦ x − η∇ℓ(x, z) = (1 − ηκ) x − ηCz,

with 1 − ηκ the least contraction L that β and ρ allow. Replacing z shifts its step by 2ηC and the r later ones shrink
the shift by L each, while every step adds N(0, η²σ²):

    x_n ~ N(−ηC (z L^r + Σ_{j<r} L^j), η²σ² Σ_{j≤r} L^{2j}),      means 2ηC L^r apart, the later records being +1.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from dpsampling.amplification.names import CONVEX, OPTIMAL, PRINTED
from dpsampling.amplification.noisy_sgd import NoisySGD
from dpsampling.mechanisms.known_laws import normal
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, both_ways
from dpsampling.privacy.laws import OnLine

# C, β, ρ and η; σ is set for each case.
SETTING = NoisySGD(lipschitz=1.0, smoothness=1.0, convexity=0.25, rate=0.8, sigma=1.0)
LATER = 2  # steps after the record's own
DATA = {"z = −1": -1.0, "z = +1": 1.0}


def noisy_sgd(order: float, epsilon: float) -> list[AuditCase]:
    """The last record, and one with later steps, under each form of the bound."""
    own = "Lemma 7's constant is larger than the contraction, and half an exponent is given away (see the errata)"
    convex = "it leaves the strong convexity out"
    return [
        _run(0, OPTIMAL, order, epsilon),
        _run(LATER, OPTIMAL, order, epsilon),
        _run(LATER, PRINTED, order, epsilon, own),
        _run(LATER, CONVEX, order, epsilon, convex),
    ]


def _run(later: int, form: str, order: float, epsilon: float, loose: str = "") -> AuditCase:
    sigma = math.sqrt(SETTING.level(later, form) * order / epsilon)  # ε_i falls like 1/σ²
    sgd = replace(SETTING, sigma=sigma)
    guarantee = sgd.worst(public_steps=later, form=form)

    def law(z: float, *, noise: float = 1.0, clip: float = 1.0, convexity: float = 1.0) -> OnLine:
        slope = 1.0 - sgd.rate * sgd.convexity / convexity
        mean = -sgd.rate * sgd.lipschitz * clip * (z * slope**later + sum(slope**j for j in range(later)))
        spread = math.sqrt(sum(slope ** (2 * j) for j in range(later + 1)))
        return normal(mean, sgd.rate * sigma / noise * spread)

    honest = {name: replace(law(z), draw=partial(_last, sgd, later, z)) for name, z in DATA.items()}
    lies = {
        "noise": lambda f: {name: law(z, noise=f) for name, z in DATA.items()},
        "clipping bound": lambda f: {name: law(z, clip=f) for name, z in DATA.items()},
    }
    if later:
        lies["convexity"] = lambda f: {name: law(z, convexity=f) for name, z in DATA.items()}
    what = f"{form} form, a record with {later} steps after it"
    unseen = "the bound is so much too large that a lie of 2× still keeps it" if loose else ""
    return AuditCase(what, guarantee, honest, both_ways(("z = −1", "z = +1")), lies, loose=loose, unseen=unseen)


def _last(sgd: NoisySGD, later: int, z: float, rng: np.random.Generator, size: int) -> Array:
    """The last iterate of `size` runs from 0; the later records are +1."""
    records = [np.array([z]), *[np.ones(1)] * later]

    def gradient(x: Array, record: Array) -> Array:
        return sgd.convexity * x + sgd.lipschitz * record

    *_, last = sgd.simulate(np.zeros((size, 1)), records, gradient, lambda x: x, rng)
    return last[:, 0]
