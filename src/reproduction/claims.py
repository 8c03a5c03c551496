"""Claims of the sources, each with a verdict that is computed from numbers and the evidence that it rests on.

    reproduced       the measured number meets what the source says
    refuted          it does not
    misprint         a slip of the source that nothing is built on; the stated correction holds
    wrong            a false statement; the right one is stated, and holds
    indicated        what the source says of a real event log is met by a simulated one
    not indicated    it is not met by a simulated one, which says little of the real one
    untestable       nothing here can be measured; the reason stands where the measurement would

A claim that does not hold, and by which privacy would be promised at a level that is too small, says so: it is one
`of_privacy`. One that is ours and not the source's, or our reading of words that allow several, is `ours`.

A claim with a `correction` is also an entry of the errata.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict, Unpack

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "id",
    "experiment",
    "source",
    "statement",
    "expected",
    "measured",
    "tolerance",
    "verdict",
    "evidence",
    "reading",
    "privacy",
)
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
    "evidence",
    "reading",
    "privacy",
)

PERTURBED_COLUMNS = ("id", "experiment", "verdict", "moved_by", "flipped_by", "excuse")
NOTHING = "nothing"  # no change of the table moves or flips a claim
NO_CASE = "no row of this table is such a case"

REPRODUCED, REFUTED, MISPRINT, WRONG, UNTESTABLE = "reproduced", "refuted", "misprint", "wrong", "untestable"
INDICATED, NOT_INDICATED = "indicated", "not indicated"
VERDICTS = (REPRODUCED, REFUTED, WRONG, MISPRINT, INDICATED, NOT_INDICATED, UNTESTABLE)
FAILING = (REFUTED, WRONG, MISPRINT)  # the source does not hold: these make the errata

EXACT = "exact"  # closed forms, enumeration, quadrature: no draw decides
MONTE_CARLO = "monte carlo"  # draws decide: by their standard error, or as the cases of a statement
PUBLISHED_POINTS = "published points"  # points read off a published figure, beside our numbers
REAL_DATA = "real data"  # rows of the data set or event log that the source used, or aggregates of them
RECONSTRUCTED = "reconstructed input"  # an input that the source lost, chosen here to have the properties it tells
SIMULATED_LOG = "simulated log"  # an event log of the published size and shape, drawn here
EVIDENCE = (EXACT, MONTE_CARLO, PUBLISHED_POINTS, REAL_DATA, RECONSTRUCTED, SIMULATED_LOG)

THIS_FIGURE = ""  # the source of a claim about the figure itself: the experiment's own, which its stage fills in
SOURCE, OURS = "source", "ours"  # whose words or reading a claim is
OVERSTATED = "over-stated"  # the privacy that a failing claim promises


class Marks(TypedDict, total=False):
    """What any claim may bear besides its numbers."""

    evidence: str  # what it rests on, where that is not what its experiment's code says of all (`EVIDENCE`)
    ours: bool  # ours, or our reading of words that allow several
    of_privacy: bool  # if it does not hold, privacy is over-stated: an ε or δ is promised that is too small


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
    evidence: str = ""
    ours: bool = False
    of_privacy: bool = False

    @property
    def reading(self) -> str:
        """Whose it is."""
        return OURS if self.ours else SOURCE

    @property
    def privacy(self) -> str:
        """Whether it promises more privacy than there is."""
        return OVERSTATED if self.of_privacy and self.verdict in FAILING else ""


def agrees(
    id: str, source: str, statement: str, *, expected: float, measured: float, tolerance: float, **marks: Unpack[Marks]
) -> Claim:
    """|measured − expected| ≤ tolerance."""
    holds = abs(measured - expected) <= tolerance or measured == expected
    told = number(expected), number(measured), number(tolerance)
    return Claim(id, source, statement, *told, _verdict(holds), **marks)


def at_most(
    id: str,
    source: str,
    statement: str,
    *,
    limit: float,
    measured: float,
    tolerance: float = 0.0,
    **marks: Unpack[Marks],
) -> Claim:
    """Measured ≤ limit + tolerance."""
    holds = measured <= limit + tolerance
    told = f"≤ {number(limit)}", number(measured), number(tolerance)
    return Claim(id, source, statement, *told, _verdict(holds), **marks)


def at_least(
    id: str,
    source: str,
    statement: str,
    *,
    limit: float,
    measured: float,
    tolerance: float = 0.0,
    **marks: Unpack[Marks],
) -> Claim:
    """Measured ≥ limit − tolerance."""
    holds = measured >= limit - tolerance
    told = f"≥ {number(limit)}", number(measured), number(tolerance)
    return Claim(id, source, statement, *told, _verdict(holds), **marks)


def ahead(id: str, source: str, statement: str, *, errors: float, sure: float, **marks: Unpack[Marks]) -> Claim:
    """A difference, in its standard errors: surely as claimed, surely the other way, or not told from none."""
    if abs(errors) < sure:
        reason = f"the difference is {errors:+.2g} standard errors, which is not told from none"
        return untestable(id, source, statement, reason, **marks)
    return at_least(id, source, statement, limit=sure, measured=errors, **marks)


def never(id: str, source: str, statement: str, *, violations: int, cases: int, **marks: Unpack[Marks]) -> Claim:
    """No violation among the cases; without a case nothing is tested."""
    if cases == 0:
        return untestable(id, source, statement, NO_CASE, **marks)
    measured = f"{violations} violations in {cases} cases"
    return Claim(id, source, statement, "0 violations", measured, "0", _verdict(violations == 0), **marks)


def corrected(
    id: str,
    source: str,
    statement: str,
    *,
    correction: str,
    error_as_printed: float,
    error_as_corrected: float,
    tolerance: float,
    slip: bool,
    **marks: Unpack[Marks],
) -> Claim:
    """A statement of the source beside its correction, each with an error that should be within the tolerance.

    `slip` if nothing of the source is built on its words as they stand (a sign, an index, a typing error that its own
    next line does not follow); a statement that is false as meant, or that something rests on, is none.
    """
    failing = (MISPRINT if slip else WRONG) if error_as_corrected <= tolerance else REFUTED
    verdict = REPRODUCED if error_as_printed <= tolerance else failing
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
        **marks,
    )


def untestable(id: str, source: str, statement: str, reason: str, **marks: Unpack[Marks]) -> Claim:
    """A claim that nothing here measures, with the reason."""
    return Claim(id, source, statement, "", f"not measured: {reason}", "", UNTESTABLE, **marks)


def with_defaults(claim: Claim, *, source: str, evidence: str) -> Claim:
    """Return the claim with its experiment's source and evidence where it has none of its own.

    What is said of a real event log is not shown, nor shown to be false, by a simulated one.
    """
    found = replace(claim, source=claim.source or source, evidence=claim.evidence or evidence)
    if found.evidence == SIMULATED_LOG and found.verdict in (REPRODUCED, *FAILING):
        return replace(found, verdict=INDICATED if found.verdict == REPRODUCED else NOT_INDICATED)
    return found


def frame(experiment: str, claims: Sequence[Claim]) -> pd.DataFrame:
    """The claims of one experiment as a table."""
    rows = [
        (
            f"{experiment}.{c.id}",
            experiment,
            c.source,
            c.statement,
            c.expected,
            c.measured,
            c.tolerance,
            c.verdict,
            c.evidence,
            c.reading,
            c.privacy,
        )
        for c in claims
    ]
    return _frame(rows, COLUMNS)


def errata_frame(experiment: str, claims: Sequence[Claim]) -> pd.DataFrame:
    """The claims that correct the source, the grave ones first: too small a promise, then what is wrong, then slips."""
    found = [c for c in claims if c.verdict in FAILING]
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
            c.evidence,
            c.reading,
            c.privacy,
        )
        for c in sorted(found, key=lambda c: gravity(c.privacy, c.verdict))
    ]
    return _frame(rows, ERRATA_COLUMNS)


def gravity(privacy: str, verdict: str) -> tuple[bool, int]:
    """Sorts errata, the gravest first."""
    order = (WRONG, REFUTED, MISPRINT)
    return (privacy != OVERSTATED, order.index(verdict) if verdict in order else len(order))


def number(value: float) -> str:
    """Six significant digits: enough to judge, few enough to read."""
    return "inf" if value == math.inf else f"{value:.6g}"


def _verdict(holds: bool) -> str:
    return REPRODUCED if holds else REFUTED


def _frame(rows: Sequence[Sequence[str]], columns: Sequence[str]) -> pd.DataFrame:
    import pandas  # which a list of the experiments need not wait for

    return pandas.DataFrame(rows, columns=list(columns), dtype=str)
