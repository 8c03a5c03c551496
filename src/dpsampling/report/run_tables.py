"""What was released and spent, and any table of a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context

from dpsampling.report.markup import Html, cells, table, tag
from dpsampling.report.tree import SHORT, Job, Row, Run

OF_AN_EXPERIMENT = ("table", "figure", "claims")
MANY = 500  # rows of a long table that the page shows


def ledger(run: Run) -> Html:
    """What was released under which guarantee."""
    if not run.ledger:
        words = "No release is recorded." if run.ledger is not None else "ledger.csv is missing."
        return tag("section", tag("h2", "Ledger"), tag("p", words), id="ledger")
    words = (
        "Every draw of this run that a mechanism would release, with the guarantee that a release by it has by itself; "
        "nothing is composed here. The draws themselves protect nothing: they are an evaluation with a public seed, so "
        "that they can be made again. The ε of a chain is the certain one, of all its updates; what it would be if the "
        "chain had converged stands in the conditions."
    )
    rows = any_table("ledger.csv", "Ledger of releases", run.ledger, upward=("epsilon", "delta"))
    folded = tag("details", tag("summary", f"{len(run.ledger)} lines"), *rows)
    return tag("section", tag("h2", "Ledger"), tag("p", words), folded, id="ledger")


def any_table(name: str, caption: str, rows: Sequence[Row], upward: tuple[str, ...] = ()) -> list[Html]:
    """Any CSV table, its numbers shortened for reading; in columns that promise something, to no less than they are."""

    def line(row: Row) -> Html:
        shown = ((text, shortened(text, up=column.startswith(upward))) for column, text in row.items())
        return tag("tr", *(tag("td", short, class_="long" if len(text) > 40 else "short") for text, short in shown))

    columns = [column.replace("_", " ") for column in rows[0]]
    body = map(line, rows[:MANY])
    cut = f"The first {MANY} of {len(rows)} lines. " if len(rows) > MANY else ""
    how = ", ε and δ upwards" if upward else ""
    words = f"{cut}Numbers are shortened to six digits{how}; the file has them in full: "
    return [tag("p", words, tag("a", name, href=name), "."), table(caption, columns, tag("tbody", *body))]


def shortened(cell: str, *, up: bool) -> str:
    """A long number with six digits; `up` never shows less than it is. Anything else as it is."""
    if len(cell) <= 8 or not re.fullmatch(r"-?\d+(\.\d*)?(e[-+]?\d+)?", cell):
        return cell
    rounded = Context(prec=6, rounding=ROUND_CEILING if up else ROUND_HALF_EVEN).create_decimal(cell)
    return f"{float(rounded):.6g}"


def cost(run: Run) -> Html:
    """Wall seconds and memory by experiment and stage."""
    if not run.jobs:
        words = "No benchmarks are among these results, so seconds and memory are not told."
        return tag("section", tag("h2", "Cost"), tag("p", words), id="cost")
    stages = tuple(dict.fromkeys([*OF_AN_EXPERIMENT, *(job.stage for job in run.jobs if job.experiment)]))

    def row(name: str, jobs: Sequence[Job]) -> Html:
        by_stage = (seconds([job for job in jobs if job.stage == stage]) for stage in stages)
        return cells(name, *by_stage, seconds(jobs), memory(jobs))

    rows = [row(e.id, [job for job in run.jobs if job.experiment == e.id]) for e in run.experiments]
    shared = dict.fromkeys(job.stage for job in run.jobs if not job.experiment)
    rows += [row(stage, [job for job in run.jobs if not job.experiment and job.stage == stage]) for stage in shared]
    columns = ("Experiment", *stages, "all", "peak MB")
    words = (
        "Wall seconds of the jobs as the engine measured them, each on one core, so that more cores make a run shorter "
        f"than their sum. Memory is sampled, and left out for jobs under {SHORT:.0f} s. The last rows serve them all."
    )
    total = tag("tfoot", row("all", run.jobs))
    body = table("Seconds by experiment and stage, and peak memory", columns, tag("tbody", *rows), total)
    return tag("section", tag("h2", "Cost"), tag("p", words), body, id="cost", class_="numbers")


def seconds(jobs: Sequence[Job]) -> str:
    """The jobs' wall seconds together; nothing where there is no job."""
    return f"{sum(job.seconds for job in jobs):.1f}" if jobs else ""


def memory(jobs: Sequence[Job]) -> str:
    """The largest memory among the jobs; nothing where it was not sampled."""
    sampled = [job.memory for job in jobs if job.memory is not None]
    return f"{max(sampled):.0f}" if sampled else ""
