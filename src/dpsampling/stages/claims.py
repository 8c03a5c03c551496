"""Judge the claims of the sources by an experiment's table, and list what was released for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpsampling.claims import Claim
from dpsampling.grids import expanded
from dpsampling.stages import leaf

if TYPE_CHECKING:
    from dpsampling.privacy.ledger import Release


def judge(code: str, table: pd.DataFrame, parameters: Mapping[str, Any], source: str) -> list[Claim]:
    """Every claim with its verdict; one that names no source of its own is about the figure, and bears `source`."""
    found = leaf.function(code, "claims")(table, expanded(parameters))
    return [claim if claim.source else replace(claim, source=source) for claim in found]


def released(code: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> list[Release]:
    """The ledger's entries; none where the experiment draws nothing from data."""
    releases = leaf.optional(code, "releases")
    return list(releases(table, expanded(parameters))) if releases else []
