"""What was tried to break the project, counted by kind."""

from __future__ import annotations

from collections import Counter

from reproduction.report.tree import Run
from reproduction.report.view import Link, Section, Table

COLUMNS = ("Kind", "tried", "as expected", "not as expected", "not possible there")


def robustness(run: Run) -> tuple[Section, ...]:
    """One sentence and a table; nothing where the tests have left no file."""
    if not run.robustness:
        return ()
    held = Counter((row["kind"], row["ok"]) for row in run.robustness)
    kinds = sorted({kind for kind, _ in held})
    tried, well, _, impossible = _counts(held, kinds)
    words = (
        f"The tests tried {tried} times to break what makes this page, by kills, full disks, odd machines and hostile "
        f"inputs; {well} ended as expected, {tried - well} did not, and {impossible} more were not possible where the "
        "tests ran."
    )
    rows = tuple((kind, *map(str, _counts(held, [kind]))) for kind in kinds)
    table = Table("Attempts by kind", COLUMNS, rows, ("all", *map(str, _counts(held, kinds))), numbers=True)
    each = (Link("robustness.csv", "robustness.csv"),)
    return (Section("robustness", "Robustness", (words,), each, ((f"{len(kinds)} kinds", table),)),)


def _counts(held: Counter[tuple[str, str]], kinds: list[str]) -> tuple[int, int, int, int]:
    """Tried, as expected, not as expected, not possible."""
    yes, no, skipped = (sum(held[kind, ok] for kind in kinds) for ok in ("yes", "no", "skipped"))
    return yes + no, yes, no, skipped
