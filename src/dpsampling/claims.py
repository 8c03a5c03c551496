"""Claims of the sources, each with a verdict that is computed from numbers.

    reproduced    the measured number meets what the source says
    refuted       it does not
    misprint      the source's words fail, a stated correction holds
    untestable    nothing here can be measured; the reason stands where the measurement would

A claim with a `correction` is also an entry of the errata.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

COLUMNS = ("id", "experiment", "source", "statement", "expected", "measured", "tolerance", "verdict")
ERRATA_COLUMNS = (
    "id",
    "experiment",
    "source",
    "statement",
    "correction",
    "as_printed",
    "as_corrected",
    "tolerance",
    "verdict",
)

REPRODUCED, REFUTED, MISPRINT, UNTESTABLE = "reproduced", "refuted", "misprint", "untestable"
THIS_FIGURE = ""  # the source of a claim about the figure itself: the experiment's own, which its stage fills in
VERDICTS = (REPRODUCED, REFUTED, MISPRINT, UNTESTABLE)


@dataclass(frozen=True)
class Claim:
    """One claim; make it with the functions below, which compute the verdict."""

    id: str
    source: str
    statement: str
    expected: str
    measured: str
    tolerance: str
    verdict: str
    correction: str = ""
    as_printed: str = ""
    as_corrected: str = ""


def agrees(id: str, source: str, statement: str, *, expected: float, measured: float, tolerance: float) -> Claim:
    """|measured − expected| ≤ tolerance."""
    holds = abs(measured - expected) <= tolerance or measured == expected
    return Claim(id, source, statement, number(expected), number(measured), number(tolerance), _verdict(holds))


def at_most(id: str, source: str, statement: str, *, limit: float, measured: float, tolerance: float = 0.0) -> Claim:
    """Measured ≤ limit + tolerance."""
    holds = measured <= limit + tolerance
    return Claim(id, source, statement, f"≤ {number(limit)}", number(measured), number(tolerance), _verdict(holds))


def at_least(id: str, source: str, statement: str, *, limit: float, measured: float, tolerance: float = 0.0) -> Claim:
    """Measured ≥ limit − tolerance."""
    holds = measured >= limit - tolerance
    return Claim(id, source, statement, f"≥ {number(limit)}", number(measured), number(tolerance), _verdict(holds))


def never(id: str, source: str, statement: str, *, violations: int, cases: int) -> Claim:
    """No violation among the cases; without a case nothing is tested."""
    if cases == 0:
        return untestable(id, source, statement, "no row of this table is such a case")
    measured = f"{violations} violations in {cases} cases"
    return Claim(id, source, statement, "0 violations", measured, "0", _verdict(violations == 0))


def corrected(
    id: str,
    source: str,
    statement: str,
    *,
    correction: str,
    error_as_printed: float,
    error_as_corrected: float,
    tolerance: float,
) -> Claim:
    """A statement of the source beside its correction, each with an error that should be within the tolerance."""
    verdict = REPRODUCED if error_as_printed <= tolerance else MISPRINT if error_as_corrected <= tolerance else REFUTED
    measured = f"error {number(error_as_printed)} as printed, {number(error_as_corrected)} as corrected"
    return Claim(
        id,
        source,
        statement,
        "error 0",
        measured,
        number(tolerance),
        verdict,
        correction,
        number(error_as_printed),
        number(error_as_corrected),
    )


def untestable(id: str, source: str, statement: str, reason: str) -> Claim:
    """A claim that nothing here measures, with the reason."""
    return Claim(id, source, statement, "", f"not measured: {reason}", "", UNTESTABLE)


def frame(experiment: str, claims: Sequence[Claim]) -> pd.DataFrame:
    """The claims of one experiment as a table."""
    rows = [
        (f"{experiment}.{c.id}", experiment, c.source, c.statement, c.expected, c.measured, c.tolerance, c.verdict)
        for c in claims
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS), dtype=str)


def errata_frame(experiment: str, claims: Sequence[Claim]) -> pd.DataFrame:
    """The claims that correct the source: misprints, and everything refuted."""
    rows = [
        (
            f"{experiment}.{c.id}",
            experiment,
            c.source,
            c.statement,
            c.correction or f"measured {c.measured}, expected {c.expected}",
            c.as_printed or c.measured,
            c.as_corrected,
            c.tolerance,
            c.verdict,
        )
        for c in claims
        if c.verdict in (MISPRINT, REFUTED)
    ]
    return pd.DataFrame(rows, columns=list(ERRATA_COLUMNS), dtype=str)


def number(value: float) -> str:
    """Six significant digits: enough to judge, few enough to read."""
    return "inf" if value == math.inf else f"{value:.6g}"


def _verdict(holds: bool) -> str:
    return REPRODUCED if holds else REFUTED
