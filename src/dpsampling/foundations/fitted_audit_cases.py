"""Noise fitted to the data set, exposed: the example that is printed, and pairs at the ends of what is allowed.

A path x′, x, y with values 0, 1, 1 + e^β has smooth sensitivities 1, e^β, e^β: between the first two the shift and the
ratio of scales are the largest there may be, between the others the shift alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from dpsampling.foundations.finite_metric import EXAMPLE_2_11, on_a_line
from dpsampling.foundations.localized_gaussian import LocalizedGaussian
from dpsampling.foundations.sample_and_aggregate import BlockMean, BlockMedian, BlockSmoothMedian
from dpsampling.foundations.smooth_noise import SmoothCauchy, SmoothGaussian, SmoothLaplace, SmoothNoise
from dpsampling.foundations.smooth_sensitivity import smooth_sensitivities
from dpsampling.mechanisms.known_laws import laplace, normal
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase, Laws, both_ways, with_less_noise
from dpsampling.privacy.laws import Law, OnLine, OnNodes, Sampler

DELTA = 1e-5
NODES = 8_000  # of Cauchy laws, even in the angle
NEAR = 1e-3  # how long the interval is that hardly counts
PATH = ("x′", "x", "y")
Known = Callable[[float, float, Sampler | None], Law]


def localized(_order: float, epsilon: float) -> list[AuditCase]:
    """Example 2.11 at δ = 1e-5, under what it really keeps."""
    mechanism = LocalizedGaussian(on_a_line(EXAMPLE_2_11), epsilon, DELTA)
    names = [f"x = {x}" for x in range(len(EXAMPLE_2_11))]

    def laws(factor: float, own: bool = False) -> Laws:
        return {
            name: normal(float(value), sigma / factor, partial(mechanism.simulate, x) if own else None)
            for x, (name, value, sigma) in enumerate(zip(names, EXAMPLE_2_11, mechanism.sigmas, strict=True))
        }

    pairs = tuple((names[x], names[y]) for x, y in mechanism.function.neighbours)
    return [with_less_noise("Example 2.11, δ = 1e-5", mechanism.guarantee, laws, pairs)]


def smooth_cauchy(_order: float, epsilon: float) -> list[AuditCase]:
    """At the ends of what ε allows."""
    return [_path(SmoothCauchy.calibrate(epsilon=epsilon), _cauchy)]


def smooth_laplace(_order: float, epsilon: float) -> list[AuditCase]:
    """At the ends of what (ε, 1e-5) allows."""
    return [_path(SmoothLaplace.calibrate(epsilon=epsilon, delta=DELTA), laplace)]


def smooth_gaussian(_order: float, epsilon: float) -> list[AuditCase]:
    """At the ends of what (ε, 1e-5) allows."""
    return [_path(SmoothGaussian.calibrate(epsilon=epsilon, delta=DELTA), normal)]


def block_mean(_order: float, epsilon: float) -> list[AuditCase]:
    """Two results, one of which goes from end to end."""
    mechanism = BlockMean(0.0, 1.0, 2, epsilon)
    first, second = "(0, 0)", "(0, 1)"
    results = {first: (0.0, 0.0), second: (0.0, 1.0)}

    def laws(factor: float, own: bool = False) -> Laws:
        return {
            name: laplace(
                sum(values) / 2.0, 0.5 / epsilon / factor, partial(mechanism.simulate, values) if own else None
            )
            for name, values in results.items()
        }

    return [with_less_noise("two results in [0, 1]", mechanism.guarantee, laws)]


def block_median(_order: float, epsilon: float) -> list[AuditCase]:
    """Two results about a long and a short interval: which of the two is between them changes with one of them."""
    first, second = "(0, c)", "(c, 1)"
    results = {first: (0.0, 1.0 - NEAR), second: (1.0 - NEAR, 1.0)}
    mechanism = BlockMedian(0.0, 1.0, 2, epsilon)

    def laws(factor: float, own: bool = False) -> Laws:
        lying = BlockMedian(0.0, 1.0, 2, epsilon * factor)
        return {
            name: OnLine(
                partial(lying.log_density, results=values),
                partial((mechanism if own else lying).simulate, values),
                0.0,
                1.0,
                bends=(1.0 - NEAR,),
            )
            for name, values in results.items()
        }

    what = f"two results in [0, 1], c = 1 − {NEAR:g}"
    return [with_less_noise(what, mechanism.guarantee, laws)]


def block_smooth_median(_order: float, epsilon: float) -> list[AuditCase]:
    """Three results, the middle one of which goes from end to end, with Cauchy noise of a small β."""
    noise = SmoothCauchy.calibrate(epsilon=epsilon, beta=epsilon / 10.0)
    mechanism = BlockSmoothMedian(0.0, 1.0, 3, noise)
    first, second = "(0, 0, 1)", "(0, 1, 1)"
    results = {first: (0.0, 0.0, 1.0), second: (0.0, 1.0, 1.0)}

    def laws(factor: float, own: bool = False) -> Laws:
        return {
            name: _cauchy(values[1], 1.0 / noise.alpha / factor, partial(mechanism.simulate, values) if own else None)
            for name, values in results.items()
        }

    return [with_less_noise("three results in [0, 1]", mechanism.guarantee, laws)]


def _path(mechanism: SmoothNoise, known: Known) -> AuditCase:
    """Both its edges."""
    values = (0.0, 1.0, 1.0 + math.exp(mechanism.beta))
    data = dict(
        zip(
            PATH,
            zip(values, smooth_sensitivities(on_a_line(values), mechanism.beta).tolist(), strict=True),
            strict=True,
        )
    )

    def laws(factor: float, own: bool = False) -> Laws:
        return {
            name: known(
                value, smooth / mechanism.alpha / factor, partial(mechanism.simulate, value, smooth) if own else None
            )
            for name, (value, smooth) in data.items()
        }

    return with_less_noise(
        "a path of three data sets", mechanism.guarantee, laws, both_ways((PATH[0], PATH[1]), (PATH[1], PATH[2]))
    )


def _cauchy(centre: float, scale: float, draw: Sampler | None = None) -> OnNodes:
    """On nodes y = tan θ about the origin, which serve every law that is neither far nor narrow beside it."""
    angles = (np.arange(NODES) + 0.5) / NODES * math.pi - math.pi / 2.0
    width = 10.0

    def log_density(y: Array) -> Array:
        return -np.log1p(((y - centre) / scale) ** 2) - math.log(math.pi * scale)

    def standard(rng: np.random.Generator, size: int) -> Array:
        return np.asarray(centre + scale * rng.standard_cauchy(size))

    weights = np.log(width * math.pi / NODES) - 2.0 * np.log(np.cos(angles))
    return OnNodes(log_density, draw or standard, width * np.tan(angles), weights)
