"""What the parameters of these experiments must satisfy together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from dpsampling.errors import InputError
from dpsampling.profiles.checks import check_numbered


def profiles(params: Mapping[str, Any]) -> None:
    """Categorical profiles that make a chain."""
    check_numbered(params["categorical"])


def mechanism(params: Mapping[str, Any], known: Iterable[str]) -> None:
    """A mechanism that this experiment has."""
    if params["mechanism"] not in known:
        allowed = " or ".join(f"'{name}'" for name in known)
        raise InputError(f"mechanism is '{params['mechanism']}'; this experiment has {allowed}.")
