"""The sources' statements in their own order, each with what decides it: claims here, tests, or a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from reproduction import statements
from reproduction.report import sources, verdicts
from reproduction.report.tree import Row
from reproduction.report.view import Chapter, Count, Document, Link, Statement, anchor


def documents(claims: Sequence[Row]) -> tuple[Document, ...]:
    """The sources with their statements, chapter by chapter."""
    judged = {row["id"]: row for row in claims}
    found = []
    for source in sources.SOURCES:
        chapters: dict[str, list[Statement]] = {}
        for one in statements.statements().values():
            if one.source == source.name:
                chapters.setdefault(sources.chapter_of(source, one.where), []).append(_shown(one, judged))
        listed = tuple(Chapter(name, tuple(group), _counts(group), _others(group)) for name, group in chapters.items())
        found.append(Document(source.title, source.href, listed))
    return tuple(found)


def about() -> str:
    """What the list is, in words."""
    listed = statements.statements().values()
    decided = sum(bool(statements.deciding(one)) for one in listed)
    reasons = sum(not statements.deciding(one) and bool(statements.reason(one)) for one in listed)
    return (
        f"All {len(listed)} statements of the sources in their own order. {decided} are decided by claims or tests, "
        f"and bear the gravest verdict among these; {reasons} bear a reason why nothing decides them; "
        f"{len(listed) - decided - reasons} are open."
    )


def _shown(one: statements.Statement, judged: Mapping[str, Row]) -> Statement:
    """One statement; one that repeats another is decided with that."""
    names = statements.deciding(one)
    rows = verdicts.problems_first(judged[name] for name in names if name in judged)
    return Statement(
        id=one.id,
        where=one.where,
        kind=one.kind,
        text=one.statement,
        verdict=replace(verdicts.kind(rows[0]["verdict"]), number=1) if rows else None,
        claims=tuple(Link(row["id"], f"#{anchor('claim-' + row['id'])}") for row in rows),
        tests=tuple(name for name in names if name not in judged),
        same_as=Link(one.same_as, f"#{anchor('statement-' + one.same_as)}") if one.same_as else None,
        reason=statements.reason(one),
    )


def _counts(group: Sequence[Statement]) -> tuple[Count, ...]:
    """How many statements of a chapter have each verdict, problems first."""
    found = [statement.verdict.name for statement in group if statement.verdict]
    return tuple(verdicts.kind(v, found.count(v)) for v in verdicts.ORDER if v in found)


def _others(group: Sequence[Statement]) -> str:
    """How many of a chapter have none, and what they have instead."""
    bare = [statement for statement in group if statement.verdict is None]
    tests = sum(bool(statement.tests) for statement in bare)
    reasons = sum(bool(statement.reason) and not statement.tests for statement in bare)
    told = ((tests, "by tests"), (reasons, "with a reason"), (len(bare) - tests - reasons, "open"))
    return ", ".join(f"{number} {words}" for number, words in told if number)
