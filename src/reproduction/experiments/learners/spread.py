"""What pictures of learners say of their means."""

from __future__ import annotations

import pandas as pd


def spread(rows: pd.DataFrame) -> str:
    """Of how many repeats means are, and what their bars show."""
    many = rows.loc[rows["standard_error"].notna(), "repeats"]
    if not len(many):
        return "means ± 2 standard errors"
    least, most = int(many.min()), int(many.max())
    repeats = f"{most}" if least == most else f"{least} to {most}"
    return f"means of {repeats} repeats ± 2 standard errors"
