"""Claims by the rows of a table: by which of them break a statement, and by differences that should be nothing."""

from __future__ import annotations

from typing import TypeAlias, Unpack

import pandas as pd

from reproduction.claims import Claim, Marks, agrees, never, untestable
from reproduction.experiments.counterexamples import broken

Mask: TypeAlias = "pd.Series[bool]"
Floats: TypeAlias = "pd.Series[float]"


def none(
    id: str, source: str, text: str, breaking: Mask, cases: pd.Series[int] | None = None, **marks: Unpack[Marks]
) -> Claim:
    """No row breaks the statement; `cases` is how many each row stands for, where that is not one."""
    cases = pd.Series(1, index=breaking.index) if cases is None else cases
    return never(id, source, text, violations=int(cases[breaking].sum()), cases=int(cases.sum()), **marks)


def alike(
    id: str, source: str, text: str, differences: Floats, tolerance: float, empty: str = "", **marks: Unpack[Marks]
) -> Claim:
    """No difference is larger than the tolerance; where there is none to look at, `empty` says why."""
    if empty and not len(differences):
        return untestable(id, source, text, empty, **marks)
    measured = float(differences.abs().max())
    return agrees(id, source, text, expected=0.0, measured=measured, tolerance=tolerance, **marks)


def saved(
    id: str,
    source: str,
    text: str,
    breaking: Mask,
    correction: str,
    left: Mask,
    *,
    rare: bool = False,
    **marks: Unpack[Marks],
) -> Claim:
    """A false statement by the rows that break it, and its correction by those that are left to break that."""
    return broken(
        id,
        source,
        text,
        violations=int(breaking.sum()),
        cases=len(breaking),
        correction=correction,
        left=int(left.sum()),
        beside=len(left),
        rare=rare,
        **marks,
    )
