"""What a registry states of a mechanism: its name, its source, what it can be built for, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from dpsampling.mechanisms.base import Mechanism
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.audit_case import AuditCase

EVERY = ("every",)  # whatever conjugate family the registry of families has


@dataclass(frozen=True)
class Setting:
    """What a draw of θ is made from: a conjugate family, its prior η₀, and n records."""

    family: Any
    prior: ArrayLike
    n: float


Build = Callable[[Setting, float, Sequence[float]], Sequence[Mechanism]]
AuditCases = Callable[[float, float], Sequence[AuditCase]]


@dataclass(frozen=True)
class Entry:
    """One mechanism.

    `mechanism` is the class whose guarantee it is, and `families` are the names of the conjugate families that it can
    be built for; a mechanism of other data has none. `build` makes one for each ε, each of them (λ, ε)-RDP.
    `audit_cases` gives the smallest faithful instances at (λ, ε), for the audit; only a mechanism that promises nothing
    at all has none.
    """

    name: str
    source: str
    mechanism: type
    families: tuple[str, ...] = ()
    build: Build | None = None
    audit_cases: AuditCases | None = None
    compared: bool = True  # in the trade-off and held-out figures, if it can be built
    needs_epsilon: bool = True  # false where ε is what it is
    kl: Callable[[Sequence[Any], ArrayLike], Array] | None = None  # KL(P‖A) of each, where there is a closed form
    scale: str = ""  # the attribute that says how much is distorted

    def serves(self, family: str) -> bool:
        """Return whether it can be built for this family."""
        return self.build is not None and (self.families == EVERY or family in self.families)

    def scale_of(self, mechanism: Mechanism) -> float:
        """r, m, σ … of one that was built; nan where there is no such number."""
        return float(getattr(mechanism, self.scale)) if self.scale else float("nan")


def entries(*rows: tuple[str, str, type, AuditCases]) -> tuple[Entry, ...]:
    """Return entries of mechanisms that no family has: name, source, class and audit cases of each."""
    return tuple(Entry(name, source, mechanism, audit_cases=cases) for name, source, mechanism, cases in rows)
