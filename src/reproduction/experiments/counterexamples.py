"""A false statement with the cases that break it, beside what is true of the same matter.

Both are counted by the same rule in every table: cases that exceed what is stated. Where counterexamples are `rare`, a
table that has none does not show the statement: it is left open there.
"""

from __future__ import annotations

from typing import Unpack

from reproduction.claims import NO_CASE, Claim, Marks, corrected, untestable


def broken(
    id: str,
    source: str,
    statement: str,
    *,
    violations: int,
    cases: int,
    correction: str,
    left: int,
    beside: int,
    rare: bool = False,
    **marks: Unpack[Marks],
) -> Claim:
    """`violations` of `cases` of the statement, `left` of `beside` of its correction."""
    if cases == 0 or beside == 0:
        return untestable(id, source, statement, NO_CASE, **marks)
    if rare and violations == 0:
        reason = f"no violation in {cases} cases, of a statement that others break, which this table does not have"
        return untestable(id, source, statement, reason, **marks)
    return corrected(
        id,
        source,
        statement,
        correction=f"{correction} (errors are violations, in {cases} cases as printed and {beside} as corrected)",
        error_as_printed=float(violations),
        error_as_corrected=float(left),
        tolerance=0.0,
        slip=False,
        **marks,
    )
