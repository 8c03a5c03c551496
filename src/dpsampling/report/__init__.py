"""The report: one page for the reader who asks whether the thesis holds up.

Everything on it is read from a results tree, and whatever is missing there is said in a sentence. The page holds its
style and its figures itself and runs no script, so it opens from a disk without a network. No date is on it: the same
results make the same bytes.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from dpsampling.exact.promise import PROMISE
from dpsampling.report.audit_tables import audit
from dpsampling.report.experiment_sections import parts
from dpsampling.report.heading import THESIS, TITLE, contents, header, summary
from dpsampling.report.markup import Html, tag
from dpsampling.report.not_made_table import not_made
from dpsampling.report.robustness_table import robustness
from dpsampling.report.run_tables import cost, ledger
from dpsampling.report.tree import Run, read
from dpsampling.report.verdict_tables import claims, errata


def page(results: Path) -> str:
    """The whole page for a results tree."""
    run = read(Path(results))
    style = resources.files("dpsampling.report").joinpath("report.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{TITLE} {THESIS}{', reduced scale' if run.scale == 'quick' else ''}"),
        tag("style", Html(style)),
    )
    main = tag("main", summary(run), contents(run), claims(run), errata(run), *parts(run), *rest(run), id="main")
    skip = tag("a", "Skip to the summary", href="#summary", class_="skip")
    return "<!DOCTYPE html>\n" + tag("html", head, tag("body", skip, header(run), main, footer(run)), lang="en")


def rest(run: Run) -> list[Html]:
    """What stands behind the parts."""
    return [*not_made(run), audit(run), ledger(run), *robustness(run), cost(run)]


def footer(run: Run) -> Html:
    """How to make the page again, and what its guarantees assume."""
    names = {"config.yaml": "all settings", "claims.csv": "the claims", "errata.md": "the errata"}
    there = {name: words for name, words in names.items() if (run.results / name).is_file()}
    there["manifest.json"] = "checksums of all results, this page among them, and the origin of every table"
    links = [tag("li", tag("a", name, href=name), f": {words}") for name, words in there.items()]
    target = "quick" if run.scale == "quick" else "reproduce"
    return tag(
        "footer",
        tag("h2", "How to reproduce"),
        tag(
            "p",
            "In a clone of the project, with Python 3.11 or newer, git and make: ",
            tag("code", f"make {target}"),
            " makes everything on this page, ",
            tag("code", "make test"),
            " runs the test suite. On the same machine the tables, figures and claims come out the same to the byte, "
            "whatever the number of cores; on another machine last digits may differ.",
        ),
        tag("h2", "What the guarantees assume"),
        tag(
            "p",
            f"Privacy guarantees are those of releases. {PROMISE} The draws behind this page are made in "
            "floating point and with a public seed, so that they can be made again: they protect nobody. A guarantee "
            "for an exact draw carries over to a Markov chain only as far as the chain has converged. Neighbouring "
            "data sets differ as the ledger says, by one replaced record unless said.",
        ),
        tag("h2", "Files"),
        tag("ul", *links),
        id="reproduce",
    )
