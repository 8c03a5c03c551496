"""What was asked for and is not made, for its data are nowhere."""

from __future__ import annotations

from dpsampling import project
from dpsampling.report.heading import NOT_MADE
from dpsampling.report.markup import Html, cells, table, tag
from dpsampling.report.tree import Run

COLUMNS = ("Experiment", "what it would show", "data set", "why it is not made")


def not_made(run: Run) -> list[Html]:
    """A row an experiment and data set; nothing where everything is made."""
    if not run.not_made:
        return []
    known = project.experiments()
    rows = []
    for row in run.not_made:
        title = known[row["experiment"]].title if row["experiment"] in known else ""
        rows.append(cells(row["experiment"], title, row["dataset"], row["why"]))
    words = "Everything else is made. As soon as the files are there, the next run makes these too."
    body = table("Experiments whose data sets are nowhere", COLUMNS, tag("tbody", *rows))
    return [tag("section", tag("h2", "Not made"), tag("p", words), body, id=NOT_MADE)]
