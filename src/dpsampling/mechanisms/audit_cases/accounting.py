r"""The accountant's own statements, exposed: randomized responses and Gaussians, which attain what it says.

composition      ε₁ + ε₂ by two responses of one bit, R_λ + R_λ by two Gaussians; k responses for `repeat`
parallel         the larger of two, by responses of two bits in different parts
conversions      ε-DP → Rényi and ε-DP → (ε′, δ) by one response, Rényi → (ε, δ) by one Gaussian
"""

from __future__ import annotations

from collections.abc import Callable

from dpsampling.mechanisms.known_laws import normal, response
from dpsampling.privacy.accounting import compose, compose_parallel, delta_at, repeat, to_approximate
from dpsampling.privacy.audit_case import AuditCase, Laws, both_ways
from dpsampling.privacy.guarantee import Approximate, Pure, Renyi
from dpsampling.privacy.laws import Independent, Law

DELTA = 1e-5


def composition(order: float, epsilon: float) -> list[AuditCase]:
    """One bit, released twice, five times, and beside another bit; numbers, released twice."""
    shift = (epsilon / order) ** 0.5  # R_λ = λ shift²/2 of each of two unit Gaussians

    def twice(factor: float) -> Callable[[int], Law]:
        return lambda x: Independent((response(x, epsilon / 3.0 * factor), response(x, epsilon / 1.5 * factor)))

    def five(factor: float) -> Callable[[int], Law]:
        return lambda x: Independent(tuple(response(x, epsilon / 5.0 * factor) for _ in range(5)))

    def gaussians(factor: float) -> Callable[[int], Law]:
        return lambda x: Independent(tuple(normal(x * shift * factor, 1.0) for _ in range(2)))

    curve = Renyi(lambda at: at * shift * shift / 2.0 * (1.0 + 1e-12))
    thirds = compose(Pure(epsilon / 3.0), Pure(epsilon / 1.5))
    parts = {f"x = {a}{b}": (a, b) for a in (0, 1) for b in (0, 1)}

    def parallel(factor: float) -> Laws:
        return {
            name: Independent((response(a, epsilon / 2.0 * factor), response(b, epsilon * factor)))
            for name, (a, b) in parts.items()
        }

    pairs = tuple((p, q) for p in parts for q in parts if sum(a != b for a, b in zip(p, q, strict=True)) == 1)
    return [
        AuditCase("two responses", thirds, _bits(twice)(1.0), _ONE_BIT, {"level": _bits(twice)}),
        AuditCase("five responses", repeat(Pure(epsilon / 5.0), 5), _bits(five)(1.0), _ONE_BIT, {"level": _bits(five)}),
        AuditCase(
            "two Gaussians", compose(curve, curve), _bits(gaussians)(1.0), _ONE_BIT, {"sensitivity": _bits(gaussians)}
        ),
        AuditCase(
            "two parts, a response each",
            compose_parallel(Pure(epsilon / 2.0), Pure(epsilon)),
            parallel(1.0),
            pairs,
            {"level": parallel},
        ),
    ]


def conversion(order: float, epsilon: float) -> list[AuditCase]:
    """One response or one Gaussian, whose exact Rényi level or δ is compared with the converted one."""
    pure = Pure(epsilon)
    shift = (2.0 * epsilon / order) ** 0.5

    def one(factor: float) -> Callable[[int], Law]:
        return lambda x: response(x, epsilon * factor)

    def gaussian(factor: float) -> Callable[[int], Law]:
        return lambda x: normal(x * shift * factor, 1.0)

    curve = Renyi(lambda at: at * shift * shift / 2.0 * (1.0 + 1e-12))
    half = Approximate(epsilon / 2.0, delta_at(pure, epsilon / 2.0))
    return [
        AuditCase("ε-DP to Rényi, a response", pure.renyi(), _bits(one)(1.0), _ONE_BIT, {"level": _bits(one)}),
        AuditCase(
            "ε-DP to (ε/2, δ), a response",
            half,
            _bits(one)(1.0),
            _ONE_BIT,
            {"level": _bits(one)},
            unseen="at so large an ε, δ is 1 but for rounding, whatever the level",
        ),
        AuditCase(
            "Rényi to (ε, 1e-5), a Gaussian",
            to_approximate(curve, DELTA),
            _bits(gaussian)(1.0),
            _ONE_BIT,
            {"sensitivity": _bits(gaussian)},
            loose="a Rényi curve does not determine δ: other laws with the same curve have more of it than a Gaussian",
        ),
    ]


_ONE_BIT = both_ways(("x = 0", "x = 1"))


def _bits(law: Callable[[float], Callable[[int], Law]]) -> Callable[[float], Laws]:
    return lambda factor: {f"x = {x}": law(factor)(x) for x in (0, 1)}
