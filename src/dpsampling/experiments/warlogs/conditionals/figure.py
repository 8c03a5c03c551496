"""How wrong the printed conditionals are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.experiments.warlogs import looks
from dpsampling.experiments.warlogs.conditionals import CORRECTED, PRINTED, STATES, TRUNCATED
from dpsampling.style import house_style, subplots

LOOKS = {PRINTED: looks.PRINTED, CORRECTED: looks.CORRECTED}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """States left, truncated Dirichlet right."""
    shapes = ", ".join(f"{shape:g}" for shape in params["shapes"])
    with house_style():
        figure, (left, right) = subplots(2, width=8.0, height=3.4)
        for axes, quantity in ((left, STATES), (right, TRUNCATED)):
            for method, rows in table[table["quantity"] == quantity].groupby("method"):
                axes.plot(rows["at"], rows["value"], **looks.drawn(LOOKS[str(method)]))
            axes.set_xscale("log")
            axes.legend()
        left.set_xlabel(r"concentration $\alpha$ of the transitions")
        left.set_ylabel("stationary error, total variation")
        left.set_title(f"Eq. (48): {params['states']} states, {params['steps']} steps, no data")
        right.set_xlabel(r"floor $a_0$")
        right.set_ylabel("largest relative error of a mean")
        right.set_title(f"Truncated Dirichlet({shapes}), largest first")
    return figure
