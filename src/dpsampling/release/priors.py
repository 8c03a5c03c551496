r"""What is believed before any row is read, in the parameters that everybody writes: Beta(a, b), Dirichlet(α₁, …, α_d).

    Beta(a, b)            density of a share p ∝ p^{a−1} (1−p)^{b−1}
    Dirichlet(α₁, …, α_d) density of shares ρ ∝ Π ρ_j^{α_j−1}

`natural` has the same law as the families write it: η₀ = (a, a + b), and η₀ = (α₁, …, α_{d−1}, α₁ + … + α_d).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from dpsampling.errors import InputError


@dataclass(frozen=True)
class Beta:
    """A share, as if `a` had said yes and `b` no before anybody was asked; Beta(1, 1) takes all shares to be as likely.

    Args:
        a: how many said yes, above 0; fractions are allowed.
        b: how many said no, above 0.

    >>> Beta(2, 6).mean
    0.25
    >>> Beta(2, 6).natural
    (2.0, 8.0)
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        for name in ("a", "b"):
            object.__setattr__(self, name, positive(f"{name} of a Beta", getattr(self, name)))

    @property
    def mean(self) -> float:
        """Its expected share."""
        return self.a / (self.a + self.b)

    @property
    def natural(self) -> tuple[float, float]:
        """η₀ of the Beta-Bernoulli family."""
        return self.a, self.a + self.b


@dataclass(frozen=True, init=False)
class Dirichlet:
    """Shares of several outcomes, as if so many of each had been seen before.

    Args:
        weights: how many of each of two outcomes or more, above 0; fractions are allowed.

    >>> Dirichlet(1, 1, 2).mean
    (0.25, 0.25, 0.5)
    >>> Dirichlet(1, 1, 2).natural
    (1.0, 1.0, 4.0)
    """

    weights: tuple[float, ...]

    def __init__(self, *weights: float) -> None:
        if len(weights) < 2:
            raise InputError(f"a Dirichlet has {len(weights)} weights; give one for each outcome, two or more.")
        checked = tuple(positive("a weight of a Dirichlet", weight) for weight in weights)
        object.__setattr__(self, "weights", checked)

    def __repr__(self) -> str:
        return f"Dirichlet({', '.join(map(repr, self.weights))})"

    @property
    def mean(self) -> tuple[float, ...]:
        """Its expected shares."""
        total = math.fsum(self.weights)
        return tuple(weight / total for weight in self.weights)

    @property
    def natural(self) -> tuple[float, ...]:
        """η₀ of the Dirichlet-Categorical family."""
        return *self.weights[:-1], math.fsum(self.weights)


def positive(what: str, value: Any) -> float:
    """A number above 0 and finite, or an InputError that says what it is of."""
    try:
        number = math.nan if isinstance(value, str | bytes | bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not 0.0 < number < math.inf:
        raise InputError(f"{what} is {value!r}; it must be a number above 0.")
    return number
