"""What two means over repeats with their standard errors tell of each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtrit

from reproduction.claims import Claim, Marks, at_most, never, untestable

FEW = 10  # repeats, below which a standard error is too rough to judge by
SURE = 4.0  # combined standard errors: a normal variable is beyond with probability 3e-5


def no_worse(
    id: str, source: str, statement: str, table: pd.DataFrame, better: str, worse: str, **marks: Unpack[Marks]
) -> Claim:
    """Nowhere is one mechanism less accurate than another by more than so many standard errors."""
    keys = ["dataset", "epsilon"]
    first, second = (table[(table["mechanism"] == name) & (table["repeats"] >= FEW)] for name in (better, worse))
    both = first.merge(second, on=keys, suffixes=("", "_second"))
    if both.empty:
        return untestable(id, source, statement, f"fewer than {FEW} repeats", **marks)
    gap = both["accuracy_second"] - both["accuracy"]
    margin = margins(both["standard_error"], both["repeats"], both["standard_error_second"], both["repeats_second"])
    lost = both.assign(by=gap)[gap > margin]
    where = "; ".join(f"{row.dataset} at ε = {row.epsilon:g}: {row.by:.3f}" for row in lost.itertuples()) or "none"
    statement = f"{statement} (less accurate: {where})"
    return never(id, source, statement, violations=len(lost), cases=len(both), **marks)


def margins(
    error: ArrayLike, repeats: ArrayLike, error_of_other: ArrayLike, its_repeats: ArrayLike, sure: float = SURE
) -> NDArray[Any]:
    """By how much two means of normal repeats may differ before they are told apart: by chance as often as a normal
    variable is `sure` standard deviations above its mean.

    Their difference over its error has Welch's t law, of (a + b)²/(a²/(m − 1) + b²/(n − 1)) degrees of freedom for
    squared errors a and b of m and n repeats: of six, 4 errors are not beyond what chance does once in thirty thousand.
    """
    a, b = (np.asarray(errors, dtype=float) ** 2 for errors in (error, error_of_other))
    m, n = (np.asarray(counts, dtype=float) for counts in (repeats, its_repeats))
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = (a + b) ** 2 / (a**2 / (m - 1.0) + b**2 / (n - 1.0))
    wide: NDArray[Any] = -stdtrit(freedom, ndtr(-sure)) * np.sqrt(a + b)
    return np.where(a + b > 0.0, wide, 0.0)


def remaining(curve: pd.DataFrame, column: str, floor: float, sure: float) -> list[float]:
    """Return the share of what is above a floor at the least ε that is left at the largest, its upper and lower end."""
    first, last = curve.iloc[0], curve.iloc[-1]
    down, up = sure * first["standard_error"], sure * last["standard_error"]
    return [(last[column] + sign * up - floor) / (first[column] - sign * down - floor) for sign in (1.0, -1.0)]


def surely_at_most(
    id: str, source: str, statement: str, *, ends: Iterable[Sequence[float]], limit: float, **marks: Unpack[Marks]
) -> Claim:
    """Judge whether the largest of some shares, each given by its upper and its lower end, is at most a limit."""
    most, least = (float(max(of_all)) for of_all in zip(*ends, strict=True))
    if most > limit >= least:
        return untestable(id, source, statement, "so few draws do not tell", **marks)
    return at_most(id, source, statement, limit=limit, measured=most, **marks)
