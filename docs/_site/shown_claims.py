"""What the pages say of claims: how many have which verdict, the errata, the sources' statements."""

from __future__ import annotations

from collections import Counter
from html import escape

from results_tree import Results, badges, missing

from reproduction import project
from reproduction.claims import MISPRINT, OVERSTATED, REFUTED, VERDICTS, WRONG
from reproduction.report import inventory, view
from reproduction.report.tree import Row

GRAVITY = {  # headings of the errata and what they mean, by what makes them grave
    OVERSTATED: ("Privacy is over-stated", "A level is promised that is too small."),
    WRONG: ("Wrong", "A false statement, or one that something is built on; the right one is given."),
    REFUTED: ("Refuted", "The numbers do not meet what is said, and nothing right is stated here."),
    MISPRINT: ("Misprints", "A slip that nothing is built on."),
}


def errata(results: Results) -> str:
    """The errata under four headings."""
    if not results.claims:
        return missing("the errata")
    lines = []
    for kind, (heading, meaning) in GRAVITY.items():
        own = [row for row in results.errata if kind == (row["privacy"] or row["verdict"])]
        lines += [f"## {heading}", "", f"{meaning} {len(own)} of them." if own else f"{meaning} None.", ""]
        lines += [*(_erratum(row, results) for row in own), ""]
    return "\n".join(lines)


def _erratum(row: Row, results: Results) -> str:
    corrected = f", corrected {escape(row['as_corrected'])}" if row["as_corrected"] else ""
    return (
        f'<div class="erratum"><p><span class="verdict {row["verdict"].replace(" ", "-")}">{row["verdict"]}</span> '
        f"<strong>{escape(row['source'])}</strong> {escape(row['statement'])}</p><p>{escape(row['correction'])}</p>"
        f'<p class="numbers">as printed {escape(row["as_printed"])}{corrected}, tolerance {escape(row["tolerance"])} · '
        f"{escape(row['evidence'])} · {_named(row['id'], results)}</p></div>"
    )


def verdicts(results: Results) -> str:
    """How many claims have which verdict, part by part."""
    if not results.claims:
        return missing("how many claims have which verdict")
    part_of = {e.id: e.part for e in project.experiments().values()}
    counted = Counter((part_of.get(row["experiment"], ""), row["verdict"]) for row in results.claims)
    lines = ["| part | " + " | ".join(VERDICTS) + " |", "|---|" + "---:|" * len(VERDICTS)]
    for part, title in project.parts().items():
        numbers = [counted[part, verdict] for verdict in VERDICTS]
        if any(numbers):
            lines.append(f"| {title} | " + " | ".join(str(n or "") for n in numbers) + " |")
    total = Counter(row["verdict"] for row in results.claims)
    return "\n".join([*lines, "| **all** | " + " | ".join(str(total[v]) for v in VERDICTS) + " |"])


def of_part(results: Results, part: str) -> str:
    """The verdicts of one part in a line."""
    members = {e.id for e in project.experiments().values() if e.part == part}
    own = Counter(row["verdict"] for row in results.claims if row["experiment"] in members)
    place = f"#part-{part}" if members & set(results.figures) else ""
    links = f'<a href="gallery.html{place}">figures</a> <a href="errata.html">errata</a>'
    return f'<p class="standing"><a href="claims.html">claims</a> {badges(own)} {links}</p>'


def statements(results: Results) -> str:
    """Every statement of the sources in their order, with the gravest verdict on it and what decides it."""
    lines = [inventory.about(), ""]
    for source in inventory.documents(results.claims):
        lines += [f"## {source.title}", ""]
        for chapter in source.chapters:
            rows = "".join(_statement(one, results) for one in chapter.statements)
            lines += [f"### {chapter.title}", "", f'<table class="statements">{rows}</table>', ""]
    return "\n".join(lines)


def _statement(one: view.Statement, results: Results) -> str:
    verdict = f'<span class="verdict {one.verdict.css}">{one.verdict.name}</span> ' if one.verdict else ""
    decided = [
        *(_named(link.text, results) for link in one.claims),
        *(f"<code>{escape(test)}</code>" for test in one.tests),
    ]
    return (
        f'<tr id="{one.id}"><td>{escape(one.where)}</td><td>{verdict}{escape(one.text)}'
        f'<p class="numbers">{" ".join(decided) or escape(one.reason)}</p></td></tr>'
    )


def _named(claim: str, results: Results) -> str:
    experiment = claim.partition(".")[0]
    shown = f"<code>{escape(claim)}</code>"
    return f'<a href="gallery.html#{experiment}">{shown}</a>' if experiment in results.figures else shown
