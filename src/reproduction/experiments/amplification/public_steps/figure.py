"""How many public steps each dimension needs, and what the released iterate loses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import cycle
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from dpsampling.release.style import BLUE, SEQUENCE, VERMILION, CurveStyle, house_style, subplots, two_errors
from reproduction.experiments.amplification.gradient_steps import contraction

MARKERS = "osD^vP*X"
PRIVATE = CurveStyle(r"private, $\sigma=C/\sqrt{d}$", BLUE, "-", "o")
QUIET = CurveStyle("without noise", VERMILION, "--", "s")


def figure(table: pd.DataFrame, params: Mapping[str, Any]) -> Figure:
    """Left ε of the worst record against public steps; middle their number, right the loss, against the dimension.
    Bars are two standard errors.
    """
    groups = {int(str(d)): rows.sort_values("public_steps", kind="stable") for d, rows in table.groupby("dimension")}
    colours = mpl.colormaps[SEQUENCE](np.linspace(0.0, 0.85, len(groups)))
    last = pd.DataFrame([rows.iloc[-1] for rows in groups.values()])
    with house_style():
        figure, (levels, steps, losses) = subplots(3, height=3.2)
        for (dimension, rows), colour, marker in zip(groups.items(), colours, cycle(MARKERS), strict=False):
            look = {"color": colour, "marker": marker, "markersize": 2.5, "label": f"$d={dimension}$"}
            levels.plot(rows["public_steps"], rows["epsilon"], **look)
        levels.axhline(params["epsilon"], color="0.35", linewidth=0.8, linestyle=(0, (1, 2)))
        levels.set_yscale("log")
        levels.set(xlabel="public steps", ylabel=r"$\varepsilon$ of the worst record")
        lipschitz = contraction(params)
        steps.plot(last["dimension"], last["public_steps"], "D", color=BLUE, label="steps needed")
        if 0.0 < lipschitz < 1.0:
            ends = np.array([last["dimension"].min(), last["dimension"].max()], dtype=float)
            slope = 1.0 / (-2.0 * math.log(lipschitz))
            line = float(last["public_steps"].iloc[-1]) + slope * np.log(ends / ends[-1])
            steps.plot(ends, line, color="0.35", linewidth=0.8, label=r"slope $1/(2\ln\frac{1}{L})$")
        steps.set_ylim(bottom=0.0)
        steps.set(ylabel=rf"public steps until $\varepsilon\leq{params['epsilon']:g}$")
        two_errors(losses, last["dimension"], last["excess_loss"], last["sem"], PRIVATE)
        two_errors(losses, last["dimension"], last["excess_nonprivate"], last["sem_nonprivate"], QUIET)
        losses.set_yscale("log")
        losses.set(ylabel="excess loss of the released iterate")
        losses.set_title(f"(c) {params['repeats']} runs,\nmeans ± 2 standard errors")
        levels.set_title("(a) the promise")
        steps.set_title("(b) steps that are needed")
        for axes in (steps, losses):
            axes.set_xscale("log", base=2)
            axes.set_xlabel("dimension $d$")
        figure.legend(loc="outside lower center", ncols=4)
        return figure
