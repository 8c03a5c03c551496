"""What a whole run says when it ends: how many claims have which verdict, the gravest errata, and where to look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from reproduction.claims import COLUMNS, ERRATA_COLUMNS, OVERSTATED, VERDICTS
from reproduction.collect import REPORT
from reproduction.report import verdicts
from reproduction.report.first_screen import of_different_experiments, shortened
from reproduction.report.tree import Row, read_rows

SHOWN = 3  # errata that are quoted, each of another experiment


def summary(results: Path) -> str:
    """Return some lines about a results tree; missing files are left out."""
    claims, errata = read_rows(results / "claims.csv", COLUMNS), read_rows(results / "errata.csv", ERRATA_COLUMNS)
    lines = [counts(claims)] if claims is not None else []
    lines += gravest(errata or [])
    if (results / REPORT).is_file():
        lines.append(f"Open {results / REPORT} to see what each rests on.")
    return "\n".join(lines)


def counts(claims: Sequence[Row]) -> str:
    """How many claims have which verdict, what holds first."""
    tally = Counter(row["verdict"] for row in claims)
    told = ", ".join(f"{tally[verdict]} {verdict}" for verdict in VERDICTS if tally[verdict])
    return f"{_number(claims, 'claim')} judged{': ' if told else ''}{told}."


def gravest(errata: Sequence[Row]) -> list[str]:
    """The first errata by gravity, with what is right where something is."""
    if not errata:
        return []
    over = sum(row["privacy"] == OVERSTATED for row in errata)
    words = f", of which {over} promise more privacy than there is" if over else ""
    shown = of_different_experiments(verdicts.gravest_first(errata))[:SHOWN]
    return [
        f"{_number(errata, 'claim')} of them {'fails' if len(errata) == 1 else 'fail'}{words}; the gravest:",
        *(f"  {row['id']} ({row['source']}, {row['verdict']}): {shortened(row['statement'])}" for row in shown),
    ]


def _number(rows: Sequence[Row], name: str) -> str:
    return f"{len(rows)} {name}{'' if len(rows) == 1 else 's'}"
