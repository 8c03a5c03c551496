"""What two means over repeats with their standard errors tell of each other."""

from __future__ import annotations

from typing import Unpack

import pandas as pd

from dpsampling.claims import Claim, Marks, never, untestable

FEW = 10  # repeats, below which a standard error is too rough to judge by
SURE = 4.0  # combined standard errors: a normal variable is beyond with probability 3e-5


def no_worse(
    id: str, source: str, statement: str, table: pd.DataFrame, better: str, worse: str, **marks: Unpack[Marks]
) -> Claim:
    """Nowhere is one mechanism less accurate than another by more than so many standard errors."""
    keys = ["dataset", "epsilon"]
    first, second = (table[table["mechanism"] == name] for name in (better, worse))
    both = first.merge(second, on=keys, suffixes=("_first", "_second"))
    both = both[(both["repeats_first"] >= FEW) & (both["repeats_second"] >= FEW)]
    if both.empty:
        return untestable(id, source, statement, f"fewer than {FEW} repeats", **marks)
    gap = both["accuracy_second"] - both["accuracy_first"]
    margin = SURE * (both["standard_error_first"] ** 2 + both["standard_error_second"] ** 2) ** 0.5
    lost = both.assign(by=gap)[gap > margin]
    where = "; ".join(f"{row.dataset} at ε = {row.epsilon:g}: {row.by:.3f}" for row in lost.itertuples()) or "none"
    told = f"{statement} (less accurate: {where})"
    return never(id, source, told, violations=len(lost), cases=len(both), **marks)
