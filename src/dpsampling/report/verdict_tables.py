"""The claims and the errata."""

from __future__ import annotations

from dpsampling import project
from dpsampling.claims import INDICATED, MISPRINT, NOT_INDICATED, OURS, REFUTED, REPRODUCED, UNTESTABLE, VERDICTS, WRONG
from dpsampling.report.command_lines import make_command
from dpsampling.report.heading import tally
from dpsampling.report.markup import Html, anchor, table, tag, to
from dpsampling.report.tree import Row, Run

CLAIM_COLUMNS = ("Verdict", "Claim", "Expected", "Measured", "Tolerance")
ERRATUM_COLUMNS = ("Verdict", "What is said", "What is right", "Error as printed", "Error as corrected", "Tolerance")
MEANING = {
    REPRODUCED: ("✓", "the measured number meets what the source says, within the tolerance"),
    WRONG: ("✗", "a false statement; the right one is stated, and holds within the tolerance"),
    MISPRINT: ("≠", "a slip that nothing is built on; the stated correction holds within the tolerance"),
    INDICATED: ("~", "what is said of a real event log is met by a simulated one"),
    NOT_INDICATED: ("≁", "what is said of a real event log is not met by a simulated one"),
    REFUTED: ("✗", "the measured number does not meet what the source says"),
    UNTESTABLE: ("?", "nothing here can measure it; the reason stands where the number would"),
}


def claims(run: Run) -> Html:
    """All claims, those of one figure together with the command that makes it."""
    terms = (tag("div", tag("dt", verdict(name)), tag("dd", MEANING[name][1])) for name in VERDICTS)
    bodies = (claims_of(run, experiment) for experiment in run.experiments)
    return tag(
        "section",
        tag("h2", "Claims"),
        tag("p", "Each verdict is computed from the table of numbers behind the figure; none is typed in."),
        tag("dl", *terms, class_="verdicts"),
        choice(run),
        table("All claims, by figure", CLAIM_COLUMNS, *bodies, id="all-claims"),
        id="claims",
    )


def choice(run: Run) -> Html:
    """Buttons that leave only the claims of one verdict; the style sheet does it, without a script."""
    options = [("all", f"all {len(run.claims)}", {"checked": ""})]
    options += [(name, f"{name} {tally(run.claims, name)}", {}) for name in VERDICTS]
    buttons = (
        tag("label", tag("input", type="radio", name="only", id=f"only-{name}", **checked), f" {text}")
        for name, text, checked in options
    )
    return tag("fieldset", tag("legend", "Show"), *buttons, class_="choice")


def claims_of(run: Run, experiment: project.Experiment) -> Html:
    """The claims of one experiment under a row that names it."""
    rows = run.of(run.claims, experiment.id)
    name = [to(experiment.id, experiment.id), f" {experiment.title} " if experiment.title != experiment.id else " "]
    pinned = tag("span", *name, tag("code", make_command(run, experiment)), class_="pinned")
    title = tag("th", pinned, scope="rowgroup", colspan=str(len(CLAIM_COLUMNS)))
    return tag("tbody", tag("tr", title, class_="group"), *(claim_row(r, experiment.id, here=True) for r in rows))


def claim_row(row: Row, target: str, *, here: bool) -> Html:
    """One claim; `here` makes this row the one that links point at."""
    named = {"class_": f"claim {anchor(row['verdict'])}"} | ({"id": anchor(f"claim-{row['id']}")} if here else {})
    origin = tag("small", to(target, row["id"]), f", {row['source']}; {rests(row)}")
    claim = tag("th", tag("span", row["statement"], class_="statement"), origin, scope="row")
    values = (tag("td", unbroken(row[key]) or "–") for key in ("expected", "measured", "tolerance"))
    return tag("tr", tag("td", verdict(row["verdict"])), claim, *values, **named)


def rests(row: Row) -> str:
    """What a claim rests on, whose it is, and whether privacy is over-stated by it."""
    ours = ", ours" if row["reading"] == OURS else ""
    over = f", privacy {row['privacy']}" if row["privacy"] else ""
    return f"{row['evidence']}{ours}{over}"


def unbroken(text: str) -> str:
    """A short value that stays on one line, such as ≤ 4."""
    return text.replace(" ", "\u00a0") if len(text) < 15 else text


def verdict(name: str) -> Html:
    """A verdict as colour, sign and word."""
    sign = MEANING.get(name, ("", ""))[0]
    return tag("span", tag("span", sign, aria_hidden="true"), f" {name}", class_=f"verdict {anchor(name)}")


def errata(run: Run) -> Html:
    """Where the sources do not hold, and by how much."""
    if not run.errata:
        words = "No claim of these results is a misprint or refuted."
        body = tag("p", words if run.errata is not None else "errata.csv is missing, so the errata are not listed.")
    else:
        body = table("Errata: misprints and refuted claims", ERRATUM_COLUMNS, tag("tbody", *map(erratum, run.errata)))
    words = "The error is the largest deviation over the points compared; it should be within the tolerance."
    return tag("section", tag("h2", "Errata"), tag("p", words), body, id="errata")


def erratum(row: Row) -> Html:
    """One entry of the errata."""
    origin = tag("small", to(f"claim-{row['id']}", row["id"]), f", {row['source']}")
    said = tag("th", tag("span", row["statement"], class_="statement"), origin, scope="row")
    values = (tag("td", row[key] or "–") for key in ("correction", "as_printed", "as_corrected", "tolerance"))
    return tag("tr", tag("td", verdict(row["verdict"])), said, *values)
