"""Who answers for a description's being public, whatever the rows are that it describes."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpsampling.errors import InputError


@dataclass(frozen=True)
class Declaration:
    """Who answers for it, and since when."""

    by: str
    on: datetime.date


def public_by(told: Mapping[str, Any], where: str, what: str) -> Declaration:
    """The declaration that {by: NAME, on: 2024-05-31} makes of `what`, or an InputError."""
    if not told["by"].strip():
        raise InputError(f"{where}.by is empty; name who made {what} public.")
    try:
        on = datetime.datetime.strptime(told["on"], "%Y-%m-%d").date()
    except ValueError as error:
        raise InputError(f"{where}.on is '{told['on']}'; write the day as in 2024-05-31.") from error
    if on > datetime.date.today():
        raise InputError(f"{where}.on is {on}, a day to come; declare {what} when it is public.")
    return Declaration(told["by"].strip(), on)
