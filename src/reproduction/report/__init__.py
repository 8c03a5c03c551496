"""The report: one page for the reader who asks whether the thesis holds up.

    read      what a results tree holds                          tree
    gather    plain values that say all that the page shows      view and what fills it
    render    the page, by templates that escape every text      templates

Whatever is missing is said in a sentence. The page holds its style and its figures itself and runs no script, so it
opens from a disk without a network. No date is on it: the same results make the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from dpsampling.numerics.exact.promise import PROMISE
from reproduction.claims import OVERSTATED
from reproduction.report import inventory, verdicts
from reproduction.report.audit_tables import audit
from reproduction.report.costs import cost
from reproduction.report.experiments import commit, groups
from reproduction.report.failing_table import can_fail
from reproduction.report.first_screen import findings
from reproduction.report.not_made_table import not_made
from reproduction.report.robustness_table import robustness
from reproduction.report.run_tables import ledger
from reproduction.report.tree import Row, Run, part, read
from reproduction.report.view import Erratum, Gravity, Link, Page

TITLE = "Does the thesis hold up?"
THESIS = "Sampling from Distributions under Differential Privacy Notions"
INTRO = (
    f"J. Geumlek's thesis “{THESIS}” (UC San Diego, 2020) and the papers around it: every figure drawn again from "
    "numbers computed here, and every published claim judged by machine."
)


def page(results: Path) -> str:
    """The whole page for a results tree."""
    return render(gather(read(Path(results))))


def render(shown: Page) -> str:
    """The page in HTML."""
    environment = Environment(
        loader=PackageLoader("reproduction.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html").render(page=shown)


def gather(run: Run) -> Page:
    """All that the page shows."""
    return Page(
        title=f"{TITLE} {THESIS}{', reduced scale' if run.scale == 'quick' else ''}",
        intro=INTRO,
        quick=run.scale == "quick",
        target="quick" if run.scale == "quick" else "reproduce",
        counts=verdicts.counted(run.claims),
        rests=verdicts.evidence(run.claims),
        held=verdicts.held(run.claims),
        ours=verdicts.of_ours(run.claims),
        total=len(run.claims),
        findings=findings(run),
        missing=run.missing,
        groups=groups(run),
        errata=errata(run),
        no_errata=no_errata(run),
        documents=inventory.documents(run.claims),
        statements=inventory.about(),
        sections=(*not_made(run), *can_fail(run), audit(run), ledger(run), *robustness(run), cost(run)),
        facts=(("Scale", scale_words(run)), *origins(run)),
        promise=PROMISE,
        files=files(run),
    )


def errata(run: Run) -> tuple[Gravity, ...]:
    """Where the sources do not hold, the gravest first."""
    rows = verdicts.gravest_first(run.errata or [])
    titles: dict[str, list[Row]] = {}
    for row in rows:
        over = row["privacy"] == OVERSTATED
        titles.setdefault(verdicts.PRIVACY if over else row["verdict"], []).append(row)
    return tuple(
        Gravity(f"{name}: {verdicts.MEANING.get(name, ('', ''))[1]}", tuple(map(erratum, group)))
        for name, group in titles.items()
    )


def erratum(row: Row) -> Erratum:
    """One entry of the errata."""
    return Erratum(
        id=row["id"],
        source=row["source"],
        statement=row["statement"],
        right=row["correction"],
        as_printed=row["as_printed"],
        as_corrected=row["as_corrected"],
        tolerance=row["tolerance"],
        verdict=verdicts.kind(row["verdict"]),
        evidence=row["evidence"],
    )


def no_errata(run: Run) -> str:
    """Why no errata are listed, if none are."""
    if run.errata is None:
        return "errata.csv is missing, so the errata are not listed."
    return "" if run.errata else "No claim of these results fails."


def scale_words(run: Run) -> str:
    """The scale in words."""
    words = {"paper": "paper: the grids and repeats of the sources", "quick": "quick: reduced grids and repeats"}
    return words.get(run.scale, "not told by these results")


def origins(run: Run) -> tuple[tuple[str, str], ...]:
    """Seed, code, versions and machine, as the provenance of the tables tells them."""

    def versions(told: Mapping[str, Any]) -> str:
        packages = {"Python": told.get("python"), "dpsampling": told.get("dpsampling"), **part(told, "packages")}
        return ", ".join(f"{name} {version}" for name, version in packages.items() if version)

    def machine(told: Mapping[str, Any]) -> str:
        words = (part(told, "machine").get(key) for key in ("cpu", "architecture", "system"))
        return ", ".join(str(word) for word in words if word)

    def seed(told: Mapping[str, Any]) -> str:
        return str(told.get("seed", ""))

    kinds = (("Seed", seed), ("Code", commit), ("Versions", versions), ("Machine", machine))
    return tuple((term, one_or_several(run, words) or "not told by these results") for term, words in kinds)


def one_or_several(run: Run, words: Callable[[Mapping[str, Any]], str]) -> str:
    """What all tables have in common, or who has what."""
    found: dict[str, list[str]] = {}
    for experiment, told in run.provenance.items():
        found.setdefault(words(told), []).append(experiment)
    if len(found) == 1:
        return next(iter(found))
    return "; ".join(f"{text} ({', '.join(names)})" for text, names in found.items())


def files(run: Run) -> tuple[tuple[Link, str], ...]:
    """The files beside the page, each with what it is."""
    names = {"config.yaml": "all settings", "claims.csv": "the claims", "errata.md": "the errata"}
    there = {name: words for name, words in names.items() if (run.results / name).is_file()}
    there["manifest.json"] = "checksums of all results, this page among them, and the origin of every table"
    return tuple((Link(name, name), words) for name, words in there.items())
