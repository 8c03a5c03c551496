"""Every mechanism on profiles, by name: one class of matrices, four ways to find them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from dpsampling.mechanisms.entry import Entry
from dpsampling.privacy.audit_case import AuditCase
from dpsampling.profiles.audit_cases import audit_cases
from dpsampling.profiles.graph import ProfileGraph
from dpsampling.profiles.mechanism import ProfileMechanism
from dpsampling.profiles.solvers import MECHANISMS

SOURCES = {
    "randomized-response": "thesis section 7.6.1",
    "cluster": "thesis Algorithm 7",
    "smooth-one-bit": "thesis Algorithm 8",
    "smooth": "thesis Algorithm 9",
}


def _audit_cases(
    kind: str, solve: Callable[[ProfileGraph, float], ProfileMechanism]
) -> Callable[[float, float], Sequence[AuditCase]]:
    """Of this kind, at any order: ε bounds every ratio."""
    return lambda _, epsilon: audit_cases(kind, solve, epsilon)


ENTRIES = tuple(
    Entry(name, SOURCES[name], ProfileMechanism, audit_cases=_audit_cases(name, solve))
    for name, solve in MECHANISMS.items()
)
