"""The head of the report: what this is, what came out, and where to find it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from dpsampling import project
from dpsampling.claims import VERDICTS
from dpsampling.report.markup import Html, anchor, cells, table, tag, to
from dpsampling.report.tree import Row, Run, part

TITLE = "Does the thesis hold up?"
THESIS = "Sampling from Distributions under Differential Privacy Notions"
OTHER = "other"  # the anchor of experiments that the project does not know
NOT_MADE = "not-made"  # and that of the experiments that were asked for and could not be made


def header(run: Run) -> Html:
    """What this is, and what was run where."""
    intro = tag(
        "p",
        f"J. Geumlek's thesis “{THESIS}” (UC San Diego, 2020) and the papers around it: every figure drawn again from ",
        "numbers computed here, and every published claim judged by machine.",
    )
    facts = [("Scale", scale_words(run)), *origins(run)]
    listed = tag("dl", *(tag("div", tag("dt", term), tag("dd", words)) for term, words in facts), class_="facts")
    notes = [reduced()] if run.scale == "quick" else []
    if run.missing:
        listing = tag("ul", *(tag("li", sentence) for sentence in run.missing))
        notes.append(tag("aside", tag("p", tag("b", "What is missing in these results")), listing, class_="note"))
    return tag("header", tag("h1", TITLE), intro, *notes, listed)


def scale_words(run: Run) -> str:
    """The scale in words."""
    words = {"paper": "paper: the grids and repeats of the sources", "quick": "quick: reduced grids and repeats"}
    return words.get(run.scale, "not told by these results")


def reduced() -> Html:
    """What a quick run can and cannot show."""
    return tag(
        "aside",
        tag("p", tag("b", "Reduced scale. "), "This page comes from a quick run: fewer repeats and coarser grids."),
        tag(
            "ul",
            tag("li", "It can show that every part runs here, and what each figure and each claim looks like."),
            tag("li", "It can test claims about exact formulas, though at fewer points."),
            tag(
                "li",
                "It cannot settle claims about simulated averages: standard errors are larger, so that “reproduced” is "
                "weaker evidence and a small disagreement stays unseen.",
            ),
        ),
        tag("p", "Quote the numbers of the paper scale instead: ", tag("code", "make reproduce"), "."),
        class_="note quick",
    )


def origins(run: Run) -> list[tuple[str, str]]:
    """Seed, code, versions and machine, as the provenance of the tables tells them."""

    def code(told: Mapping[str, Any]) -> str:
        commit, dirty = (part(told, "code").get(key) for key in ("commit", "dirty"))
        if not commit:
            return "not from a git checkout"
        return f"commit {str(commit)[:12]}, {'with uncommitted changes' if dirty else 'clean'}"

    def versions(told: Mapping[str, Any]) -> str:
        packages = {"Python": told.get("python"), "dpsampling": told.get("dpsampling"), **part(told, "packages")}
        return ", ".join(f"{name} {version}" for name, version in packages.items() if version)

    def machine(told: Mapping[str, Any]) -> str:
        words = (part(told, "machine").get(key) for key in ("cpu", "architecture", "system"))
        return ", ".join(str(word) for word in words if word)

    def seed(told: Mapping[str, Any]) -> str:
        return str(told.get("seed", ""))

    kinds = (("Seed", seed), ("Code", code), ("Versions", versions), ("Machine", machine))
    return [(term, one_or_several(run, words) or "not told by these results") for term, words in kinds]


def one_or_several(run: Run, words: Callable[[Mapping[str, Any]], str]) -> str:
    """What all tables have in common, or who has what."""
    groups: dict[str, list[str]] = {}
    for experiment, told in run.provenance.items():
        groups.setdefault(words(told), []).append(experiment)
    if len(groups) == 1:
        return next(iter(groups))
    return "; ".join(f"{text} ({', '.join(names)})" for text, names in groups.items())


def summary(run: Run) -> Html:
    """How many claims have which verdict, part by part."""

    def row(name: str, rows: Sequence[Row]) -> Html:
        return cells(name, *(str(tally(rows, verdict)) for verdict in VERDICTS), str(len(rows)))

    by_part = [(part_name(name), [e.id for e in group]) for name, group in grouped(run)]
    rows = [row(name, [r for r in run.claims if r["experiment"] in ids]) for name, ids in by_part]
    total = tag("tfoot", row("All", run.claims))
    columns = ("Part", *VERDICTS, "all")
    counts = table("Verdicts by part", columns, tag("tbody", *rows), total)
    return tag("section", tag("h2", "Summary"), tag("p", answer(run), class_="answer"), counts, id="summary")


def answer(run: Run) -> str:
    """The short answer, in one sentence."""
    counts = ", ".join(f"{tally(run.claims, verdict)}\u00a0{verdict}" for verdict in VERDICTS)
    return f"{len(run.claims)} claims: {counts}."


def tally(rows: Iterable[Row], verdict: str) -> int:
    """How many rows have a verdict."""
    return sum(row["verdict"] == verdict for row in rows)


def contents(run: Run) -> Html:
    """Links to everything below."""
    items = [tag("li", to("claims", "Claims")), tag("li", to("errata", "Errata"))]
    for name, group in grouped(run):
        links = (tag("li", to(e.id, e.id), f" {e.title}" if e.title != e.id else "") for e in group)
        items.append(tag("li", to(anchor(name or OTHER), part_name(name)), tag("ul", *links)))
    ends = [("audit", "Audit"), ("ledger", "Ledger"), ("cost", "Cost"), ("reproduce", "How to reproduce")]
    if run.robustness:
        ends.insert(2, ("robustness", "Robustness"))
    if run.not_made:
        ends.insert(0, (NOT_MADE, "Not made"))
    items += [tag("li", to(name, text)) for name, text in ends]
    return tag("nav", tag("h2", "Contents", id="contents"), tag("ul", *items), aria_labelledby="contents")


def grouped(run: Run) -> list[tuple[str, list[project.Experiment]]]:
    """The experiments part by part."""
    groups: dict[str, list[project.Experiment]] = {}
    for experiment in run.experiments:
        groups.setdefault(experiment.part, []).append(experiment)
    return list(groups.items())


def part_name(name: str) -> str:
    """A part's title."""
    return project.parts().get(name, name) or "Other experiments"
