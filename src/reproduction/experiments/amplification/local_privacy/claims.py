"""What Figure 6.2 says of mixing conditions and local privacy, on randomized response and on random kernels.

Each number of a kernel is exact; that no kernel is an exception is said of those that were drawn. The figure's table is
lost in the scanned text: what it says is as it was published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.amplification.names import DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from reproduction.claims import MONTE_CARLO, Claim, at_least, never, untestable

EVIDENCE = MONTE_CARLO

FIGURE = "thesis Figure 6.2"
ROUNDING = 1e-12


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Three equivalences, and a condition that is necessary and not sufficient."""
    del params  # all of it is in the table
    rows = {str(name): group for name, group in table.groupby("condition")}
    for name, condition, text in (
        ("dobrushin", DOBRUSHIN, "γ-Dobrushin is (0, γ)-LDP"),
        ("level", LEVEL_DOBRUSHIN, "(γ, ε)-Dobrushin is (ε, γ)-LDP"),
    ):
        group = rows[condition]
        off = np.abs(group["gamma"] - group["ldp_delta"]) > ROUNDING
        yield never(name, FIGURE, text, violations=int(off.sum()), cases=len(group), of_privacy=True)
    ultra = rows[ULTRA_MIXING]
    off = np.abs((1.0 - ultra["gamma"]) - np.exp(-ultra["ldp_epsilon"])) > ROUNDING
    text = "γ-ultra-mixing is (ln 1/(1−γ), 0)-LDP"
    yield never("ultra", FIGURE, text, violations=int(off.sum()), cases=len(ultra), of_privacy=True)
    yield from _blanket(rows[DOEBLIN])


def _blanket(rows: pd.DataFrame) -> Iterator[Claim]:
    """ε-LDP leaves every row at least e^{−ε} of the shared part; a shared part does not make a kernel private."""
    short = (1.0 - rows["gamma"]) < np.exp(-rows["ldp_epsilon"]) - ROUNDING
    text = "the blanket condition, γ-Doeblin, is necessary for LDP: 1 − γ ≥ e^{−ε}"
    yield never("blanket", FIGURE, text, violations=int(short.sum()), cases=len(rows))
    text = "it is not sufficient: kernels that have a blanket and no finite ε (how many)"
    open_ended = int(np.sum((rows["gamma"] < 1.0 - ROUNDING) & np.isinf(rows["ldp_epsilon"])))
    if np.any(np.isinf(rows["ldp_epsilon"])):
        yield at_least("not-enough", FIGURE, text, limit=1.0, measured=float(open_ended), ours=True)
    else:
        yield untestable("not-enough", FIGURE, text, "every kernel of this table has a finite ε", ours=True)
