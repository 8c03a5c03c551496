"""The sources' statements in their own order, each with what decides it.

The inventory (data/inventory/statements.csv) is the project's: a line a statement, in the order of the sources. What it
names as deciding is a claim, whose verdict is that of these results, or a test.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from dpsampling.documents import root
from dpsampling.report import sources, verdicts
from dpsampling.report.tree import Row, read_rows
from dpsampling.report.view import Chapter, Count, Document, Link, Statement, anchor

COLUMNS = ("id", "source", "where", "kind", "statement", "same_as", "decided_by", "reason")


def inventory() -> Path:
    """The file."""
    return root() / "data" / "inventory" / "statements.csv"


def read() -> list[Row]:
    """Its lines; none where there is no such file, or one of other columns."""
    rows = read_rows(inventory()) or []
    return rows if rows and set(rows[0]) >= set(COLUMNS) else []


def documents(rows: Sequence[Row], claims: Sequence[Row]) -> tuple[Document, ...]:
    """The sources with their statements, chapter by chapter."""
    judged = {row["id"]: row for row in claims}
    told = {row["id"]: row for row in rows}
    found = []
    for source in sources.SOURCES:
        chapters: dict[str, list[Statement]] = {}
        for row in rows:
            if row["source"] == source.number:
                chapters.setdefault(sources.chapter_of(row["where"]), []).append(_statement(row, told, judged))
        if chapters:
            listed = tuple(Chapter(name, tuple(group), _counts(group)) for name, group in chapters.items())
            found.append(Document(source.title, source.href, listed))
    return tuple(found)


def _statement(row: Row, told: Mapping[str, Row], judged: Mapping[str, Row]) -> Statement:
    """One statement; one that another source makes in other words is decided with that."""
    same = row["same_as"] if row["same_as"] in told else ""
    names = _names(row["decided_by"]) or (_names(told[same]["decided_by"]) if same else [])
    rows = verdicts.problems_first(judged[name] for name in names if name in judged)
    return Statement(
        id=row["id"],
        where=row["where"],
        kind=row["kind"],
        text=row["statement"],
        verdict=replace(verdicts.kind(rows[0]["verdict"]), number=1) if rows else None,
        claims=tuple(Link(r["id"], f"#{anchor('claim-' + r['id'])}") for r in rows),
        tests=tuple(name for name in names if name not in judged),
        same_as=Link(same, f"#{anchor('statement-' + same)}") if same else None,
        reason=row["reason"] or (told[same]["reason"] if same and not row["decided_by"] else ""),
    )


def _names(cell: str) -> list[str]:
    """What a cell names, one by one."""
    return [name for name in re.split(r"[;,\s]+", cell) if name]


def _counts(group: Sequence[Statement]) -> tuple[Count, ...]:
    """How many statements of a chapter have each verdict, problems first."""
    found = [statement.verdict.name for statement in group if statement.verdict]
    return tuple(verdicts.kind(v, found.count(v)) for v in verdicts.ORDER if v in found)
