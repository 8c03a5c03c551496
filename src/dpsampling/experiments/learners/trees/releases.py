"""What the accuracies of trees and boosted bins released: a model a repeat, at what its noise costs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.experiments.learners import trees as said
from dpsampling.experiments.learners.ledger import priced
from dpsampling.privacy.ledger import Release


def releases(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Release]:
    """All but what has no noise."""
    del params  # all of it is in the table
    return priced(table[(table["view"] == said.ACCURACY) & table["epsilon"].notna()])
