"""What a picture releases."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.ledger import Release
from reproduction.experiments.warlogs.pictures.mechanism import mechanism_of
from reproduction.experiments.warlogs.releases import of_fits


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """One fit of one log. A picture of OPS also shows what was not released: it is booked at the chain's own price."""
    del table  # however much of it is shown
    return [of_fits(params["log"], mechanism_of(params), 2 * params["iterations"], 1, whole=True)]
