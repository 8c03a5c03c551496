"""What stands in the pages for the project itself and for a results tree, where there is one.

A page has `<!-- written: NAME -->` on a line of its own; the site has there what the function of that name in WRITTEN
makes. Readers of the plain Markdown see nothing of it.
"""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from PIL import Image
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

from dpsampling import project
from dpsampling.claims import COLUMNS, ERRATA_COLUMNS, MISPRINT, OVERSTATED, REFUTED, VERDICTS, WRONG, gravity
from dpsampling.documents import root
from dpsampling.errors import InputError
from dpsampling.files import CAPTION
from dpsampling.report.tree import Row, read_rows
from dpsampling.statements import statements

MARK = re.compile(r"^<!-- written: ([a-z0-9 ]+) -->$", re.MULTILINE)
NAMED = re.compile(r"\[[\w/-]+\.md\]\(([\w-]+\.md(?:#[^)]*)?)\)")  # a link that is called as its file is
HERO = ("fig4_1", "fig5_3", "fig6_1", "fig7_6")  # on the first page, one a chapter
REAL = {
    "fig4_6": "Held-out scores",
    "fig4_7": "States by OPS",
    "states_used": "States in use",
}  # where there is no tree
GRAVITY = {  # headings of the errata and what they mean, by what makes them grave
    OVERSTATED: ("Privacy is over-stated", "A level is promised that is too small."),
    WRONG: ("Wrong", "A false statement, or one that something is built on; the right one is given."),
    REFUTED: ("Refuted", "The numbers do not meet what is said, and nothing right is stated here."),
    MISPRINT: ("Misprints", "A slip that nothing is built on."),
}


@dataclass(frozen=True)
class Results:
    """A results tree, or none."""

    claims: list[Row]
    errata: list[Row]  # the gravest first
    figures: dict[str, Path]  # by experiment, in the order of the parts

    @classmethod
    def read(cls, folder: Path) -> Results:
        """What of it there is; an error in one sentence where a table is damaged."""
        try:
            claims = read_rows(folder / "claims.csv", COLUMNS) or []
            errata = read_rows(folder / "errata.csv", ERRATA_COLUMNS) or []
        except InputError as error:
            raise ExtensionError(str(error)) from error
        pictures = {name: folder / "figures" / f"{name}.png" for name in project.experiments()}
        return cls(
            claims,
            sorted(errata, key=lambda row: gravity(row["privacy"], row["verdict"])),
            {name: path for name, path in pictures.items() if path.is_file()},
        )


def missing(what: str) -> str:
    """The sentence in the place of what a results tree would show."""
    return (
        "```{note}\n"
        "No results were at hand when this site was made. `make reproduce` makes them in minutes, and `make docs` "
        f"then puts {what} here; `make docs RESULTS=FOLDER` takes those of any other tree.\n```"
    )


def gallery(results: Results) -> str:
    """Every figure under its part, with its caption and its claims."""
    if not results.figures:
        return missing("the figures")
    lines = []
    for part, title in project.parts().items():
        members = [e for e in project.experiments().values() if e.part == part and e.id in results.figures]
        if members:
            lines += [
                f"## {title}",
                f'<div class="gallery" id="part-{part}">',
                *(_figure(e, results) for e in members),
                "</div>",
                "",
            ]
    return "\n".join(lines)


def _figure(experiment: project.Experiment, results: Results) -> str:
    path = results.figures[experiment.id]
    with Image.open(path) as image:
        size, caption = (
            f'width="{image.width}" height="{image.height}"',
            str(getattr(image, "text", {}).get(CAPTION, "")),
        )
    own = Counter(row["verdict"] for row in results.claims if row["experiment"] == experiment.id)
    return (
        f'<figure id="{experiment.id}"><a href="figures/{path.name}"><img loading="lazy" {size} '
        f'src="figures/{path.name}" alt="{escape(experiment.title)}"></a>'
        f"<figcaption><strong>{escape(experiment.title)}</strong><br>{escape(experiment.source)} · "
        f"<code>make figure ID={experiment.id}</code><br>{escape(caption)}{_badges(own)}</figcaption></figure>"
    )


def _badges(counted: Counter[str]) -> str:
    badges = [
        f'<span class="verdict {verdict.replace(" ", "-")}">{counted[verdict]} {verdict}</span>'
        for verdict in VERDICTS
        if counted[verdict]
    ]
    return f'<span class="verdicts">{" ".join(badges)}</span>' if badges else ""


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
    where = f'<a href="gallery.html#{row["experiment"]}">{escape(row["id"])}</a>'
    shown = where if row["experiment"] in results.figures else escape(row["id"])
    corrected = f", corrected {escape(row['as_corrected'])}" if row["as_corrected"] else ""
    return (
        f'<div class="erratum"><p><span class="verdict {row["verdict"].replace(" ", "-")}">{row["verdict"]}</span> '
        f"<strong>{escape(row['source'])}</strong> {escape(row['statement'])}</p><p>{escape(row['correction'])}</p>"
        f'<p class="numbers">as printed {escape(row["as_printed"])}{corrected}, tolerance {escape(row["tolerance"])} · '
        f"{escape(row['evidence'])} · <code>{shown}</code></p></div>"
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
    return f'<p class="standing"><a href="claims.html">{project.parts()[part]}</a> {_badges(own)} {links}</p>'


def front(results: Results) -> str:
    """Four numbers and some figures."""
    told = [
        (len(statements()), "statements of five sources, each with what decides it", "claims.html"),
        (len(project.experiments()), "figures and tables, made again", "gallery.html"),
    ]
    if results.claims:
        over = sum(row["privacy"] == OVERSTATED for row in results.errata)
        told += [
            (len(results.claims), "claims judged by numbers", "claims.html"),
            (over, "of them promise more privacy than there is", "errata.html"),
        ]
    cards = "".join(f'<a href="{to}"><b>{number}</b> {escape(words)}</a>' for number, words, to in told)
    shown = {name: project.experiment(name).title for name in HERO if name in results.figures}
    strip = [_framed(f"gallery.html#{name}", f"figures/{name}.png", title) for name, title in shown.items()] or [
        _framed("event-logs.html", f"_images/{name}.png", title) for name, title in REAL.items()
    ]
    return f'<div class="told">{cards}</div>\n<div class="strip">{"".join(strip)}</div>'


def _framed(target: str, picture: str, title: str) -> str:
    return f'<a href="{target}"><img src="{picture}" alt="{escape(title)}"></a>'


def data_page(_: Results) -> str:
    """data/README.md, below its title."""
    text = (root() / "data" / "README.md").read_text(encoding="utf-8").partition("\n")[2]
    return text.replace("](../docs/", "](")


WRITTEN: dict[str, Callable[[Results], str]] = {
    "front": front,
    "gallery": gallery,
    "errata": errata,
    "verdicts": verdicts,
    "data": data_page,
}


def fill(app: Sphinx, docname: str, content: list[str]) -> None:
    """A page's marks, and its links to what is a page here and a file elsewhere in the project."""
    results: Results = app.config["the_results"]

    def written(mark: re.Match[str]) -> str:
        name = mark[1]
        if name.startswith("part ") and name[5:] in project.parts():
            return of_part(results, name[5:])
        if name not in WRITTEN:
            raise ExtensionError(f"docs/{docname}.md asks for '{name}', which nothing writes")
        return WRITTEN[name](results)

    text = MARK.sub(written, content[0]).replace("](../data/README.md", "](data.md")
    content[0] = NAMED.sub(r"[](\1)", text)  # the site calls a page by its title


def take(_: Sphinx, config: Config) -> None:
    """Read the tree that is named."""
    config["the_results"] = Results.read(root() / config.written_from)


def copy(app: Sphinx, error: Exception | None) -> None:
    """The pictures, beside the pages that show them."""
    results: Results = app.config["the_results"]
    if error is None and app.builder.format == "html" and results.figures:
        folder = Path(app.outdir) / "figures"
        folder.mkdir(exist_ok=True)
        for path in results.figures.values():
            shutil.copyfile(path, folder / path.name)


def setup(app: Sphinx) -> dict[str, Any]:
    """The setting that names the tree, and the steps in their order."""
    app.add_config_value("written_from", "results", "env", str)
    app.add_config_value("the_results", None, "", Results)
    app.connect("config-inited", take)
    app.connect("source-read", fill)
    app.connect("build-finished", copy, priority=400)  # before the links are followed
    return {"parallel_read_safe": True, "parallel_write_safe": True}
