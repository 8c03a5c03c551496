"""How wrong the printed conditionals are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import house_style, subplots
from reproduction.experiments.panels import legend
from reproduction.experiments.warlogs import styles
from reproduction.experiments.warlogs.conditionals import CORRECTED, PRINTED, STATES, TRUNCATED

STYLES = {PRINTED: styles.PRINTED, CORRECTED: styles.CORRECTED}


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """States left, truncated Dirichlet right."""
    shapes = ", ".join(f"{shape:g}" for shape in params["shapes"])
    with house_style():
        figure, (left, right) = subplots(2, height=2.8)
        for axes, quantity in ((left, STATES), (right, TRUNCATED)):
            for method, rows in table[table["quantity"] == quantity].groupby("method", sort=False):
                axes.plot(rows["at"], rows["value"], **STYLES[str(method)].drawn())
            axes.set_xscale("log")
            axes.set_ylim(bottom=-0.05 * float(table.loc[table["quantity"] == quantity, "value"].max()))
        left.set_xlabel(r"concentration $\alpha$ of the transitions")
        left.set_ylabel("total variation distance\nof the stationary law")
        left.set_title(f"(a) Eq. (48): {params['states']} states, {params['steps']} steps, no data")
        right.set_xlabel(r"floor $a_0$")
        right.set_ylabel("largest relative error\nof a coordinate's mean")
        right.set_title(f"(b) truncated Dirichlet({shapes}), largest first")
        legend(figure, left, 2)
    return figure
