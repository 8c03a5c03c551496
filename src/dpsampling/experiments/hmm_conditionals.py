"""The appendix's conditionals as printed and as corrected, against enumeration: UAI 2016 supplement E."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.figure import Figure

    from dpsampling.claims import Claim

ID = "hmm_conditionals"
COLUMNS = ("quantity", "method", "at", "value")


def check(params: Mapping[str, Any]) -> None:
    """Few enough paths to enumerate, three shapes, and floors that leave room."""
    from dpsampling.errors import InputError

    if params["states"] ** params["steps"] > 1024:
        raise InputError(
            f"steps is {params['steps']}; {params['states']} states and so many steps have too many paths."
        )
    if len(params["shapes"]) != 3:
        raise InputError(f"shapes has {len(params['shapes'])} numbers; this example has three coordinates.")
    if max(params["truncations"]) * 3 >= 1:
        raise InputError(f"truncations has {max(params['truncations'])}; three coordinates need floors below 1/3.")


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a method and setting."""
    from dpsampling.experiments.chapter4 import conditionals

    del rng  # nothing here is random
    return conditionals.table(params)


def figure(table: pd.DataFrame) -> Figure:
    """Errors against α and a₀."""
    from dpsampling.experiments.chapter4 import conditionals_figure

    return conditionals_figure.draw(table, ID)


def claims(table: pd.DataFrame) -> list[Claim]:
    """What is printed, and what holds."""
    from dpsampling.experiments.chapter4 import conditionals_claims

    return conditionals_claims.judge(table, ID)
