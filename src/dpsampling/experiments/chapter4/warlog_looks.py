"""How the mechanisms of event logs look, the same in every figure."""

from __future__ import annotations

import pandas as pd

from dpsampling.style import Line

NON_PRIVATE = Line("non-private", "#000000", "-", "")
LAPLACE = {
    "clip": Line("Laplace, clipped", "#0072B2", "-", "o"),
    "sum-then-clip": Line("Laplace, summed then clipped", "#56B4E9", "--", "s"),
    "noise-aware": Line("Laplace, noise-aware", "#009E73", "-.", "D"),
}
OPS = (Line("", "#D55E00", "--", "^"), Line("", "#CC79A7", "-.", "v"), Line("", "#E69F00", ":", "<"))


def private(rows: pd.DataFrame) -> list[tuple[Line, pd.DataFrame]]:
    """The rows of each private mechanism and variant, by ε, with their look."""
    ops = list(dict.fromkeys(rows.loc[rows["mechanism"] == "ops", "variant"]))
    found = []
    for (mechanism, variant), group in rows.groupby(["mechanism", "variant"], sort=False):
        if mechanism == "non-private":
            continue
        look = LAPLACE[str(variant)] if mechanism == "laplace" else OPS[ops.index(variant) % len(OPS)]
        named = look if look.label else Line(f"OPS, ${variant}$", look.colour, look.dash, look.marker)
        found.append((named, group.sort_values("epsilon")))
    return found
