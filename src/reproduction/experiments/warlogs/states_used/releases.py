"""What the fits release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.ledger import Release
from reproduction.experiments.warlogs.releases import of_points


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """Every private fit."""
    return of_points(table, params, params["repeats"])
