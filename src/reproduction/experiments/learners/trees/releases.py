"""What the accuracies of trees and boosted bins released: a model a repeat, at what its noise costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.privacy.ledger import Release
from reproduction.experiments.learners import trees as said
from reproduction.experiments.learners.ledger import priced


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """All but what has no noise."""
    del params  # all of it is in the table
    return priced(table[(table["view"] == said.ACCURACY) & table["epsilon"].notna()])
