"""What was asked for and is not made, for its data are nowhere."""

from __future__ import annotations

from reproduction import project
from reproduction.report.tree import Run
from reproduction.report.view import Section, Table

NOT_MADE = "not-made"  # the anchor of the section
COLUMNS = ("Experiment", "what it would show", "data set", "why it is not made")


def not_made(run: Run) -> tuple[Section, ...]:
    """A row an experiment and data set; nothing where everything is made."""
    if not run.not_made:
        return ()
    known = project.experiments()
    rows = []
    for row in run.not_made:
        title = known[row["experiment"]].title if row["experiment"] in known else ""
        rows.append((row["experiment"], title, row["dataset"], row["why"]))
    words = "Everything else is made. As soon as the files are there, the next run makes these too."
    table = Table("Experiments whose data sets are nowhere", COLUMNS, tuple(rows))
    return (Section(NOT_MADE, "Not made", (words,), folded=((f"{len(rows)} not made", table),)),)
