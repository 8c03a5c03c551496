"""Table 7.1 drawn as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import SEQUENCE, SINGLE, house_style, subplots, tag
from reproduction.experiments.profiles.reconstruction import PROFILES, TAG


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """A row a profile; darker cells are likelier."""
    wide = table.pivot_table(index="profile", columns="category", values="probability")
    values = wide.to_numpy()
    with house_style():
        figure, (axes,) = subplots(width=SINGLE, height=1.1 + 0.4 * values.shape[0])
        axes.imshow(values, cmap=mpl.colormaps[SEQUENCE].reversed(), vmin=0.0, vmax=1.0, aspect="auto")
        for (i, y), value in np.ndenumerate(values):
            axes.text(y, i, f"{value:g}", ha="center", va="center", color="white" if value > 0.5 else "black")
        axes.set_xticks(range(values.shape[1]), [str(name) for name in wide.columns])
        axes.set_yticks(range(values.shape[0]), [f"$P_{{{name}}}$" for name in wide.index])
        axes.set_xlabel("category")
        axes.set_title("Pr(category | profile)")
        if params["categorical"] == PROFILES:
            tag(axes, TAG)
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        return figure
