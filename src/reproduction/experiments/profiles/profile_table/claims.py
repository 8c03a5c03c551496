"""What can be said of Table 7.1, whose numbers are lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from reproduction.claims import RECONSTRUCTED, Claim, at_most, untestable
from reproduction.experiments.profiles import reconstruction

EVIDENCE = RECONSTRUCTED

TABLE = "thesis Table 7.1"
ROUNDING = 1e-12


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """The reconstruction, and that it has the property which Figure 7.3 shows."""
    P = table.pivot_table(index="profile", columns="category", values="probability").to_numpy()
    known = params["categorical"] == reconstruction.PROFILES
    lost = "the table's numbers are lost in the scanned text; these are a reconstruction with all that the text says"
    other = "these are other profiles"
    yield untestable("numbers", TABLE, "the profiles of the categorical chain", lost if known else other)
    text = (
        "the reconstruction has what the overlapping curves of Figure 7.3 ask: every category is equally far from 1/d "
        "at its worst profile"
    )
    if known:
        reach = np.abs(P - 1.0 / P.shape[1]).max(axis=0)
        yield at_most("overlap", TABLE, text, limit=0.0, measured=float(np.ptp(reach)), tolerance=ROUNDING, ours=True)
    else:
        yield untestable("overlap", TABLE, text, other, ours=True)
