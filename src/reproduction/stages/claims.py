"""Judge the claims of the sources by an experiment's table, and list what was released for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import pandas as pd

from dpsampling.errors import InputError
from dpsampling.files.grids import expanded
from reproduction.claims import EVIDENCE, Claim, with_defaults
from reproduction.stages import experiment_contract

if TYPE_CHECKING:
    from dpsampling.privacy.ledger import Release


def judge(code: str, table: pd.DataFrame, parameters: Mapping[str, Any], source: str) -> list[Claim]:
    """Every claim with verdict and evidence; one that names no source is about the figure, and bears `source`."""
    found = list(experiment_contract.function(code, "claims")(table, expanded(parameters)))
    evidence = experiment_contract.constant(code, "claims", "EVIDENCE", "")
    unfounded = next((claim for claim in found if (claim.evidence or evidence) not in EVIDENCE), None)
    if unfounded is not None:
        raise InputError(
            f"code is '{code}', whose claim '{unfounded.id}' does not say what it rests on; beside its function "
            f"`claims` write EVIDENCE = one of {', '.join(EVIDENCE)}."
        )
    return [with_defaults(claim, source=source, evidence=evidence) for claim in found]


def released(code: str, table: pd.DataFrame, parameters: Mapping[str, Any]) -> list[Release]:
    """The ledger's entries; none where the experiment draws nothing from data."""
    releases = experiment_contract.optional(code, "releases")
    return list(releases(table, expanded(parameters))) if releases else []
