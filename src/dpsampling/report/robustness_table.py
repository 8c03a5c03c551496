"""What was tried to break the project, counted by kind."""

from __future__ import annotations

from collections import Counter

from dpsampling.report.markup import Html, cells, table, tag
from dpsampling.report.tree import Run

COLUMNS = ("Kind", "tried", "as expected", "not as expected", "not possible there")


def robustness(run: Run) -> list[Html]:
    """One sentence and a folded table; nothing where the tests have left no file."""
    if not run.robustness:
        return []
    held = Counter((row["kind"], row["ok"]) for row in run.robustness)
    kinds = sorted({kind for kind, _ in held})
    rows = [cells(kind, *map(str, _counts(held, [kind]))) for kind in kinds]
    total = tag("tfoot", cells("all", *map(str, _counts(held, kinds))))
    tried, well, _, impossible = _counts(held, kinds)
    words = (
        f"The tests tried {tried} times to break what makes this page, by kills, full disks, odd machines and hostile "
        f"inputs; {well} ended as expected, {tried - well} did not, and {impossible} more were not possible where the "
        "tests ran; "
    )
    link = tag("a", "robustness.csv", href="robustness.csv")
    body = table("Attempts by kind", COLUMNS, tag("tbody", *rows), total)
    folded = tag("details", tag("summary", f"{len(kinds)} kinds"), body)
    return [tag("section", tag("h2", "Robustness"), tag("p", words, link, " has each."), folded, id="robustness")]


def _counts(held: Counter[tuple[str, str]], kinds: list[str]) -> tuple[int, int, int, int]:
    """Tried, as expected, not as expected, not possible."""
    yes, no, skipped = (sum(held[kind, ok] for kind in kinds) for ok in ("yes", "no", "skipped"))
    return yes + no, yes, no, skipped
