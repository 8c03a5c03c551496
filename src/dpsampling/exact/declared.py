"""Where the course of a release may depend on the data, and why.

Whoever watches a release sees its files, messages and shapes; its branches and how many random bits it reads must not
depend on the data unless the function they are in says so. `replay` leaves out what is declared.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])

DECLARED: dict[CodeType, str] = {}


def declared(reason: str) -> Callable[[Function], Function]:
    """Mark a function: `reason` says why its course, and that of all it calls, may depend on the data."""

    def mark(function: Function) -> Function:
        DECLARED[function.__code__] = reason
        return function

    return mark
