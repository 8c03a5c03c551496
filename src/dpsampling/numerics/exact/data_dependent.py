"""Where the course of a release may depend on the data, and why.

Whoever watches a release sees its files, messages and shapes; its branches and how many random bits it reads must not
depend on the data unless the function they are in says so. `replay` leaves out functions marked so.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType
from typing import TypeVar

Function = TypeVar("Function", bound=Callable[..., object])

DATA_DEPENDENT: dict[CodeType, str] = {}


def data_dependent(reason: str) -> Callable[[Function], Function]:
    """Mark a function whose course, and that of all it calls, may depend on the data for this `reason`."""

    def mark(function: Function) -> Function:
        DATA_DEPENDENT[function.__code__] = reason
        return function

    return mark
