"""Compute an experiment's table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.errors import InputError
from dpsampling.files.grids import expanded
from reproduction.stages import experiment_contract, table_schema


def make(code: str, parameters: Mapping[str, Any], rng: np.random.Generator, inputs: object = None) -> pd.DataFrame:
    """The table, its columns in their order; `inputs` is what the experiment needs besides its parameters."""
    compute, params = experiment_contract.function(code, "table"), expanded(parameters)
    table = compute(params, rng) if inputs is None else compute(params, rng, inputs)
    columns = experiment_contract.columns(code, params)
    missing = [name for name in columns if name not in table]
    if missing:
        raise InputError(f"the table of {code} has no column '{missing[0]}', which its COLUMNS names; add it there.")
    table_schema.check(table, columns, f"the table of {code}", "declare it otherwise in COLUMNS, or mend the table")
    return table[list(columns)]
