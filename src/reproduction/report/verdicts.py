"""Verdicts and evidence as the page shows them: order, sign, meaning, and counts that are filters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reproduction.claims import (
    EVIDENCE,
    EXACT,
    FAILING,
    INDICATED,
    MISPRINT,
    MONTE_CARLO,
    NOT_INDICATED,
    OURS,
    OVERSTATED,
    PUBLISHED_POINTS,
    REAL_DATA,
    RECONSTRUCTED,
    REFUTED,
    REPRODUCED,
    SIMULATED_LOG,
    UNTESTABLE,
    WRONG,
    gravity,
)
from reproduction.report import sources
from reproduction.report.tree import Row
from reproduction.report.view import Claim, Count, anchor

PRIVACY = "privacy over-stated"
OF_OURS = "ours"
HELD = "held"  # of what the sources say, what is reproduced
ORDER = (WRONG, REFUTED, MISPRINT, NOT_INDICATED, UNTESTABLE, INDICATED, REPRODUCED)  # problems first
MEANING = {
    PRIVACY: ("!", "the source promises an ε or δ that is too small"),
    WRONG: ("✗", "a false statement; the right one is stated, and holds"),
    REFUTED: ("✗", "the measured number does not meet what the source says"),
    MISPRINT: ("≠", "a slip that nothing is built on; the stated correction holds"),
    NOT_INDICATED: ("≁", "what is said of a real event log is not met by a simulated one, which settles nothing"),
    UNTESTABLE: ("?", "nothing here can measure it; the reason stands where the number would"),
    INDICATED: ("~", "what is said of a real event log is met by a simulated one"),
    REPRODUCED: ("✓", "the measured number meets what the source says, within the tolerance"),
}
RESTS = {
    EXACT: "closed forms, enumeration, quadrature: no draw decides",
    MONTE_CARLO: "draws decide, with their standard error",
    PUBLISHED_POINTS: "points read off a published figure, beside our numbers",
    REAL_DATA: "rows of the data set or event log that the source used",
    RECONSTRUCTED: "an input that the source lost, chosen here to have the properties that it tells",
    SIMULATED_LOG: "an event log of the published size and shape, drawn here",
}


def kind(verdict: str, number: int = 0) -> Count:
    """A verdict as a count."""
    return Count(verdict, number, anchor(verdict), *MEANING.get(verdict, ("", "")))


def counted(rows: Sequence[Row]) -> tuple[Count, ...]:
    """How many rows have each verdict, problems first; how many over-state privacy comes before them."""
    over = sum(row["privacy"] == OVERSTATED for row in rows)
    return (kind(PRIVACY, over), *(kind(v, sum(row["verdict"] == v for row in rows)) for v in ORDER))


def present(rows: Sequence[Row]) -> tuple[Count, ...]:
    """The same without those that nothing has."""
    return tuple(count for count in counted(rows) if count.number)


def evidence(rows: Sequence[Row]) -> tuple[Count, ...]:
    """How many rows rest on what."""
    return tuple(
        Count(e, sum(row["evidence"] == e for row in rows), anchor(f"rests-{e}"), "", RESTS[e]) for e in EVIDENCE
    )


def of_ours(rows: Sequence[Row]) -> Count:
    """How many rows are not the source's own words."""
    words = "a statement of ours, or our reading of words that allow several"
    return Count("ours", sum(row["reading"] == OURS for row in rows), OF_OURS, "", words)


def held(rows: Sequence[Row]) -> Count:
    """How many of the sources' own claims hold."""
    return Count("the sources' own, reproduced", sum(map(_holds, rows)), HELD)


def _holds(row: Row) -> bool:
    return row["verdict"] == REPRODUCED and row["reading"] != OURS


def problems_first(rows: Iterable[Row]) -> list[Row]:
    """Claims by what is wrong with them; those alike stay in their order."""
    return sorted(rows, key=lambda row: (row["privacy"] != OVERSTATED, place(row["verdict"])))


def gravest_first(rows: Iterable[Row]) -> list[Row]:
    """Errata by gravity, and those alike in the order of the sources."""
    order = [*sources.SOURCES, sources.OURS]
    return sorted(
        rows,
        key=lambda row: (gravity(row["privacy"], row["verdict"]), order.index(sources.source_of(row["source"]))),
    )


def place(verdict: str) -> int:
    """Where a verdict stands among the problems."""
    return ORDER.index(verdict) if verdict in ORDER else len(ORDER)


def failing(rows: Iterable[Row]) -> list[Row]:
    """Those by which the source does not hold."""
    return [row for row in rows if row["verdict"] in FAILING]


def claim(row: Row) -> Claim:
    """A claim as it is shown."""
    over = row["privacy"] == OVERSTATED
    classes = [anchor(row["verdict"]), anchor(f"rests-{row['evidence']}"), *([anchor(PRIVACY)] if over else [])]
    classes += [OF_OURS] if row["reading"] == OURS else [HELD] if _holds(row) else []
    words = {key: row[key] for key in ("id", "source", "statement", "expected", "measured", "tolerance", "evidence")}
    return Claim(
        **words, verdict=kind(row["verdict"]), ours=row["reading"] == OURS, overstated=over, classes=" ".join(classes)
    )
