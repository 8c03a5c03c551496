"""What was released, and any table of a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context

from reproduction.report.tree import Row, Run
from reproduction.report.view import Link, Section, Table

FEW = 40  # rows of a long table that the page shows


def ledger(run: Run) -> Section:
    """What was released under which guarantee."""
    if not run.ledger:
        words = "No release is recorded." if run.ledger is not None else "ledger.csv is missing."
        return Section("ledger", "Ledger", (words,))
    words = (
        "Every draw of this run that a mechanism would release, with the guarantee that a release by it has by itself; "
        "nothing is composed here. The draws themselves protect nothing: they are an evaluation with a public seed, so "
        "that they can be made again. The ε of a chain is the certain one, of all its updates; what it would be if the "
        "chain had converged stands in the conditions."
    )
    lines = len(run.ledger)
    cut = f"The first {FEW} of {lines} lines" if lines > FEW else f"{lines} lines"
    rows = any_table("Ledger of releases", run.ledger, upward=("epsilon", "delta"))
    return Section("ledger", "Ledger", (words,), (Link("ledger.csv", "ledger.csv"),), ((cut, rows),))


def any_table(caption: str, rows: Sequence[Row], upward: tuple[str, ...] = ()) -> Table:
    """Any CSV table, its numbers shortened for reading; in columns that promise something, to no less than they are.

    A column in which every cell is the same and long is said in the caption instead.
    """
    told = f"{caption}, numbers shortened to six digits{', ε and δ upwards' if upward else ''}"
    alike = [c for c in rows[0] if len(rows) > 1 and len(rows[0][c]) > 20 and len({row[c] for row in rows}) == 1]
    told += "".join(f"; {column.replace('_', ' ')}: {rows[0][column]}" for column in alike)
    shown = [column for column in rows[0] if column not in alike]
    lines = (tuple(shortened(row[c], up=c.startswith(upward)) for c in shown) for row in rows[:FEW])
    return Table(told, tuple(column.replace("_", " ") for column in shown), tuple(lines))


def shortened(cell: str, *, up: bool) -> str:
    """A long number with six digits; `up` never shows less than it is. Anything else as it is."""
    if len(cell) <= 8 or not re.fullmatch(r"-?\d+(\.\d*)?(e[-+]?\d+)?", cell):
        return cell
    rounded = Context(prec=6, rounding=ROUND_CEILING if up else ROUND_HALF_EVEN).create_decimal(cell)
    return f"{float(rounded):.6g}"
