"""Whether the claims can fail: how many a false table flips, and those that none does."""

from __future__ import annotations

from reproduction.claims import NOTHING
from reproduction.report.tree import Run
from reproduction.report.view import Link, Section, Table

COLUMNS = ("Claim", "verdict", "moved by", "why nothing flips it")


def can_fail(run: Run) -> tuple[Section, ...]:
    """One sentence, and a table of those that no change flips; nothing where the tree does not tell."""
    if not run.perturbed:
        return ()
    stuck = [row for row in run.perturbed if row["flipped_by"] == NOTHING]
    words = (
        f"Each decided claim was judged again on tables that are a little false, a column at a time: of "
        f"{len(run.perturbed)} claims {len(run.perturbed) - len(stuck)} got another verdict by some such change, and "
        f"{len(stuck) or 'none'} by none."
    )
    rows = tuple((row["id"], row["verdict"], row["moved_by"], row["excuse"] or "not said") for row in stuck)
    table = ((f"{len(stuck)} claims that nothing flips", Table("Claims that nothing flips", COLUMNS, rows)),)
    each = (Link("perturbed.csv", "perturbed.csv"),)
    return (Section("can-fail", "Whether the claims can fail", (words,), each, table if stuck else ()),)
