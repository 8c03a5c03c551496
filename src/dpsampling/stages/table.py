"""Compute an experiment's table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.grids import expanded
from dpsampling.stages import leaf


def make(code: str, parameters: Mapping[str, Any], rng: np.random.Generator, inputs: object = None) -> pd.DataFrame:
    """The table, its columns in their order; `inputs` is what the experiment needs besides its parameters."""
    compute = leaf.function(code, "table")
    if compute is None:
        raise TypeError(f"{leaf.home(code)} has no function `table`")
    params = expanded(parameters)
    table = compute(params, rng) if inputs is None else compute(params, rng, inputs)
    return table[list(leaf.columns(code, params))]
