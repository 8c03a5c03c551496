"""The report: one page for the reader who asks whether the thesis holds up.

Everything on it is read from a results tree, and whatever is missing there is said in a sentence. The page holds its
style and its figures itself and runs no script, so it opens from a disk without a network. No date is on it: the same
results make the same bytes.
"""

from __future__ import annotations

import base64
import csv
import html
import json
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dpsampling import project
from dpsampling.claims import COLUMNS, ERRATA_COLUMNS, MISPRINT, REFUTED, REPRODUCED, UNTESTABLE, VERDICTS
from dpsampling.errors import InputError

Row = dict[str, str]

TITLE = "Does the thesis hold up?"
THESIS = "Sampling from Distributions under Differential Privacy Notions"
CHAPTERS = {
    4: "Private posterior sampling via noisy statistics",
    5: "Private posterior sampling via prior rebalancing",
    6: "Privacy amplification of diffusion",
    7: "Profile-based privacy",
}
CLAIM_COLUMNS = ("Verdict", "Claim", "Expected", "Measured", "Tolerance")
ERRATUM_COLUMNS = ("Verdict", "What is said", "What is right", "Error as printed", "Error as corrected", "Tolerance")
MEANING = {
    REPRODUCED: ("✓", "the measured number meets what the source says, within the tolerance"),
    MISPRINT: ("≠", "the source's words fail, and a stated correction holds within the tolerance"),
    REFUTED: ("✗", "the measured number does not meet what the source says"),
    UNTESTABLE: ("?", "nothing here can measure it; the reason stands where the number would"),
}
STAGES = ("table", "figure", "claims")
PNG = b"\x89PNG\r\n\x1a\n"
SHORT = 1.0  # s; the engine samples memory every half second, which says nothing of a job as short as this
MANY = 500  # rows of a long table that the page shows


# -- markup ---------------------------------------------------------------------------------------------------------


class Html(str):
    """Text that is markup already; any other text is escaped when it enters a tag."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: str) -> Html:
    """An element; `class_`, `aria_label` and the like are written class, aria-label."""
    inside = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(value)}"' for key, value in attributes.items()
    )
    if name in ("input", "img", "meta"):
        return Html(f"<{name}{inside}>")
    end = "\n" if name not in ("a", "code", "b", "span", "small", "td", "th", "label") else ""
    return Html(f"<{name}{inside}>{join(children)}</{name}>{end}")


def join(parts: Iterable[str], between: str = "") -> Html:
    """Parts in a row, as markup."""
    return Html(html.escape(between).join(part if isinstance(part, Html) else html.escape(part) for part in parts))


def table(caption: str, columns: Sequence[str], *bodies: Html, id: str = "") -> Html:
    """A table that scrolls inside its own box where the window is narrow."""
    head = tag("thead", tag("tr", *(tag("th", column, scope="col") for column in columns)))
    box = {"class_": "scroll", "role": "region", "tabindex": "0", "aria_label": caption}
    return tag("div", tag("table", tag("caption", caption), head, *bodies, **({"id": id} if id else {})), **box)


def cells(first: str, *others: str) -> Html:
    """A table row whose first cell names it."""
    return tag("tr", tag("th", first, scope="row"), *(tag("td", other or "–") for other in others))


def anchor(text: str) -> str:
    """A name that a link within the page can point at."""
    return re.sub(r"[^\w.-]", "-", text)


def to(name: str, *text: str) -> Html:
    """A link to a place on this page."""
    return tag("a", *text, href=f"#{quote(anchor(name))}")


# -- what a results tree holds --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """What one job took: wall seconds, and MB where the job was long enough to sample them."""

    experiment: str
    stage: str
    seconds: float
    memory: float | None


@dataclass(frozen=True)
class Run:
    """A results tree as it was read; a piece that is missing is empty, and `missing` says so."""

    results: Path
    config: dict[str, Any]
    experiments: tuple[project.Experiment, ...]
    claims: list[Row]
    errata: list[Row] | None
    ledger: list[Row] | None
    audit: list[Row] | None
    provenance: dict[str, dict[str, Any]]
    jobs: list[Job]
    missing: tuple[str, ...]

    @property
    def scale(self) -> str:
        """`paper`, `quick`, or nothing where the tree does not say."""
        return str(self.config.get("scale", ""))

    @property
    def folder(self) -> str:
        """The tree as it is called in a clone of the project."""
        return "results/quick" if self.scale == "quick" else "results"

    def of(self, rows: Iterable[Row], experiment: str) -> list[Row]:
        """The rows of one experiment."""
        return [row for row in rows if row["experiment"] == experiment]


def read(results: Path) -> Run:
    """A results tree; only its claims must be there."""
    claims = read_rows(results / "claims.csv", COLUMNS)
    if claims is None:
        raise InputError(f"{results / 'claims.csv'} does not exist; make it with 'make reproduce' or 'make quick'.")
    config = _mapping(results / "config.yaml", project.read_yaml)
    known = part(config, "experiments") or {p.name.split(".")[0] for p in results.glob("tables/*.provenance.json")}
    experiments = ordered({*known, *(row["experiment"] for row in claims)})
    sidecars = {e.id: results / "tables" / f"{e.id}.provenance.json" for e in experiments}
    provenance = {name: found for name, path in sidecars.items() if (found := _mapping(path, _read_json))}
    errata = read_rows(results / "errata.csv", ERRATA_COLUMNS)
    ledger, audit = read_rows(results / "ledger.csv"), read_rows(results / "audit.csv")
    jobs = read_jobs(results / "benchmarks", {e.id for e in experiments})
    missing = (
        ("config.yaml", "so the scale of this run is not known", not config),
        ("errata.csv", "so the errata are not listed", errata is None),
        ("ledger.csv", "so the releases are not listed", ledger is None),
        ("benchmarks/", "so seconds and memory are not told", not jobs),
        ("manifest.json", "so no checksums are beside the results", not (results / "manifest.json").is_file()),
        *((f"tables/{e}.provenance.json", f"so the origin of {e} is not told", e not in provenance) for e in sidecars),
    )
    absent = tuple(f"{name} is missing or cannot be read, {effect}." for name, effect, gone in missing if gone)
    return Run(results, config, experiments, claims, errata, ledger, audit, provenance, jobs, absent)


def read_rows(path: Path, columns: Sequence[str] = ()) -> list[Row] | None:
    """A CSV table, its cells as they are written; None where there is no such file."""
    try:
        with path.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines, restval="", restkey="")
            rows = [{key: value for key, value in row.items() if key} for row in reader]
            found = reader.fieldnames or []
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} is not a CSV table ({error}); make the results again.") from error
    lost = [column for column in columns if column not in found]
    if lost:
        raise InputError(f"{path} has no column '{lost[0]}'; it needs {', '.join(columns)}; make the results again.")
    return rows


def read_jobs(folder: Path, experiments: set[str]) -> list[Job]:
    """What the engine measured, job by job; the page's own making is left out, for it is not over yet."""
    jobs = []
    for path in sorted(folder.rglob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                told = json.loads(line)
                took = float(told["s"])
            except (ValueError, KeyError, TypeError):
                continue
            stage = path.relative_to(folder).parts[0].removesuffix(".jsonl")
            named = part(told, "wildcards").get("experiment") or (path.stem if path.stem in experiments else "")
            peak = told.get("max_rss")
            sampled = took >= SHORT and isinstance(peak, int | float)
            if stage != "report_page" and (not named or named in experiments):
                jobs.append(Job(named, stage, took, float(peak) if sampled else None))
    return jobs


def ordered(names: Iterable[str]) -> tuple[project.Experiment, ...]:
    """Experiments by chapter, then in the project's order; one that the project does not know comes last."""
    known = list(project.experiments().values())
    found = [e for e in known if e.id in set(names)]
    strangers = sorted(set(names) - {e.id for e in known})
    found += [project.Experiment(id=name, title=name, source="", chapter=0, parameters={}) for name in strangers]
    return tuple(sorted(found, key=lambda e: e.chapter or 99))


def part(told: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A mapping within a mapping; empty where there is none."""
    found = told.get(key)
    return found if isinstance(found, dict) else {}


def _mapping(path: Path, reader: Callable[[Path], Any]) -> dict[str, Any]:
    """A mapping from a file; empty where it is missing or is none."""
    try:
        found = reader(path) if path.is_file() else {}
    except (InputError, OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _read_json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


# -- the page -------------------------------------------------------------------------------------------------------


def page(results: Path) -> str:
    """The whole page for a results tree."""
    run = read(Path(results))
    style = resources.files("dpsampling").joinpath("report.css").read_text(encoding="utf-8")
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("title", f"{TITLE} {THESIS}{', reduced scale' if run.scale == 'quick' else ''}"),
        tag("style", Html(style)),
    )
    main = tag("main", summary(run), contents(run), claims(run), errata(run), *chapters(run), *rest(run), id="main")
    skip = tag("a", "Skip to the summary", href="#summary", class_="skip")
    return "<!DOCTYPE html>\n" + tag("html", head, tag("body", skip, header(run), main, footer(run)), lang="en")


def rest(run: Run) -> list[Html]:
    """What stands behind the chapters."""
    return [audit(run), ledger(run), cost(run)]


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
    """How many claims have which verdict, chapter by chapter."""

    def row(name: str, rows: Sequence[Row]) -> Html:
        return cells(name, *(str(tally(rows, verdict)) for verdict in VERDICTS), str(len(rows)))

    by_chapter = [(chapter_name(chapter), [e.id for e in group]) for chapter, group in grouped(run)]
    rows = [row(name, [r for r in run.claims if r["experiment"] in ids]) for name, ids in by_chapter]
    total = tag("tfoot", row("All", run.claims))
    columns = ("Chapter", *VERDICTS, "all")
    counts = table("Verdicts by chapter", columns, tag("tbody", *rows), total)
    return tag("section", tag("h2", "Summary"), tag("p", answer(run), class_="answer"), counts, id="summary")


def answer(run: Run) -> str:
    """The short answer, in one sentence."""
    right = "misprinted (right after a stated correction)"
    words = {REPRODUCED: "reproduced", MISPRINT: right, REFUTED: "refuted", UNTESTABLE: "untestable"}
    counts = ", ".join(f"{tally(run.claims, verdict)}\u00a0{word}" for verdict, word in words.items())
    return f"{len(run.claims)} claims: {counts}."


def tally(rows: Iterable[Row], verdict: str) -> int:
    """How many rows have a verdict."""
    return sum(row["verdict"] == verdict for row in rows)


def contents(run: Run) -> Html:
    """Links to everything below."""
    items = [tag("li", to("claims", "Claims")), tag("li", to("errata", "Errata"))]
    for chapter, group in grouped(run):
        links = (tag("li", to(e.id, e.id), f" {e.title}" if e.title != e.id else "") for e in group)
        items.append(tag("li", to(f"chapter{chapter}", chapter_name(chapter)), tag("ul", *links)))
    ends = (("audit", "Audit"), ("ledger", "Ledger"), ("cost", "Cost"), ("reproduce", "How to reproduce"))
    items += [tag("li", to(name, text)) for name, text in ends]
    return tag("nav", tag("h2", "Contents", id="contents"), tag("ul", *items), aria_labelledby="contents")


def grouped(run: Run) -> list[tuple[int, list[project.Experiment]]]:
    """The experiments chapter by chapter."""
    groups: dict[int, list[project.Experiment]] = {}
    for experiment in run.experiments:
        groups.setdefault(experiment.chapter, []).append(experiment)
    return list(groups.items())


def chapter_name(chapter: int) -> str:
    """A chapter with its title, as far as it is known."""
    if not chapter:
        return "Other experiments"
    return f"Chapter {chapter}" + (f": {CHAPTERS[chapter]}" if chapter in CHAPTERS else "")


# -- claims and errata ----------------------------------------------------------------------------------------------


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
    origin = tag("small", to(target, row["id"]), f", {row['source']}")
    claim = tag("th", tag("span", row["statement"], class_="statement"), origin, scope="row")
    values = (tag("td", unbroken(row[key]) or "–") for key in ("expected", "measured", "tolerance"))
    return tag("tr", tag("td", verdict(row["verdict"])), claim, *values, **named)


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


# -- one experiment -------------------------------------------------------------------------------------------------


def chapters(run: Run) -> list[Html]:
    """A section for each chapter, with one for each of its experiments."""
    return [
        tag("section", tag("h2", chapter_name(chapter)), *(experiment(run, e) for e in group), id=f"chapter{chapter}")
        for chapter, group in grouped(run)
    ]


def experiment(run: Run, e: project.Experiment) -> Html:
    """One experiment: its figure, its claims, and all it takes to make them again."""
    rows = run.of(run.claims, e.id)
    bodies = tag("tbody", *(claim_row(row, f"claim-{row['id']}", here=False) for row in rows))
    judged = table(f"Claims of {e.id}", CLAIM_COLUMNS, bodies) if rows else tag("p", "No claim rests on it.")
    return tag(
        "article",
        tag("h3", tag("span", e.id, class_="id"), f" {e.title}" if e.title != e.id else ""),
        drawing(run, e),
        judged,
        tag("h4", "Parameters"),
        parameters(run, e),
        tag("h4", "How to make it"),
        commands(run, e),
        tag("p", spent(run, e)),
        id=anchor(e.id),
    )


def drawing(run: Run, e: project.Experiment) -> Html:
    """The figure with its caption."""
    path = run.results / "figures" / f"{e.id}.png"
    caption = tag("figcaption", *([f"{e.title} ({e.source}). "] if e.source else []), *files(run, e))
    content = path.read_bytes() if path.is_file() else b""
    if not content.startswith(PNG):
        words = f"figures/{e.id}.png is missing or is no PNG image, so the figure is not shown."
        return tag("figure", tag("p", words), caption)
    words = f"Plot for {e.source or e.id}: {e.title}. Its numbers are in tables/{e.id}.csv; its claims follow below."
    width, height = (str(int.from_bytes(content[at : at + 4])) for at in (16, 20))  # a PNG's header starts with them
    source = "data:image/png;base64," + base64.b64encode(content).decode("ascii")
    image = tag("img", src=source, alt=words, width=width, height=height)
    return tag("figure", image, caption)


def files(run: Run, e: project.Experiment) -> list[str]:
    """Links to the experiment's files, for a page that stands in its results folder."""
    names = (
        ("figure as PDF", f"figures/{e.id}.pdf"),
        ("table as CSV", f"tables/{e.id}.csv"),
        ("provenance", f"tables/{e.id}.provenance.json"),
    )
    links = [tag("a", text, href=quote(name)) for text, name in names if (run.results / name).is_file()]
    compared = [f" Compared with {', '.join(f'data/published/{name}' for name in e.published)}."] if e.published else []
    return ["Files: ", join(links, ", "), ".", *compared] if links else compared


def parameters(run: Run, e: project.Experiment) -> Html:
    """The parameters that made the table, beside the experiment's own where they differ."""
    told = run.provenance.get(e.id, {})
    here = part(told, "parameters")
    if not here:
        return tag("p", "Its provenance is missing, so its parameters are not told.")
    other = {key: e.parameters[key] for key in here if key in e.parameters and e.parameters[key] != here[key]}

    def row(key: str) -> Html:
        beside = [tag("code", plain(other[key])) if key in other else "the same"] if other else []
        return cells(key, tag("code", plain(here[key])), *beside)

    columns = ("Parameter", "Value here", "At paper scale") if other else ("Parameter", "Value")
    return table(f"Parameters of {e.id}, seed {told.get('seed')}", columns, tag("tbody", *map(row, here)))


def commands(run: Run, e: project.Experiment) -> Html:
    """The command that makes all of it, and the same step by step."""
    at, told = run.folder, run.provenance.get(e.id, {})
    options = [f"--set={key}={plain(value)}" for key, value in part(told, "parameters").items()]
    options += [f"--seed={told['seed']}"] if "seed" in told else []
    csv_file, drawn = f"{at}/tables/{e.id}.csv", f"{at}/figures/{e.id}"
    steps = (
        ["dpsampling", "table", e.id, *options, f"--out={csv_file}"],
        ["dpsampling", "figure", e.id, f"--table={csv_file}", f"--out={drawn}.pdf", f"--out={drawn}.png"],
        ["dpsampling", "claims", e.id, f"--table={csv_file}", f"--out={at}/claims/{e.id}.csv"],
    )
    lines = [make_command(run, e), "", "# the same step by step, with .venv/bin on the path", *map(folded, steps)]
    return tag("pre", tag("code", "\n".join(lines)), tabindex="0")


def folded(words: Sequence[str], width: int = 88) -> str:
    """A command for the shell, over several lines where one would be too long."""
    lines = [""]
    for word in map(shlex.quote, words):
        if lines[-1].strip() and len(lines[-1]) + len(word) > width:
            lines[-1] += "\\"
            lines.append("    ")
        lines[-1] += f"{word} "
    return "\n".join(line.rstrip() for line in lines)


def make_command(run: Run, e: project.Experiment) -> str:
    """The command that makes this figure as it is here; a run of other settings names its configuration."""
    from dpsampling.config import load

    here = part(run.config, "experiments").get(e.id, e.parameters)
    own = run.scale != "quick" and here == e.parameters and run.config.get("seed") in (None, load()["seed"])
    return f"make figure ID={e.id}" + ("" if own else f" CONFIG={run.folder}/config.yaml")


def plain(value: Any) -> str:
    """A value as the command line takes it."""
    return json.dumps(value, ensure_ascii=False)


def spent(run: Run, e: project.Experiment) -> str:
    """What it took, in a sentence."""
    jobs = [job for job in run.jobs if job.experiment == e.id]
    if not jobs:
        return "Its benchmarks are missing, so its seconds and memory are not told."
    peak = f", with {memory(jobs)} MB at the peak" if memory(jobs) else ""
    return f"It took {seconds(jobs)} s on one core{peak}."


# -- audit, ledger and cost -----------------------------------------------------------------------------------------


def audit(run: Run) -> Html:
    """What attacking the mechanisms found, if it was done."""
    body = any_table("audit.csv", "Audit of the mechanisms", run.audit) if run.audit else []
    none = [] if run.audit else [tag("p", "No audit.csv is among these results, so no audit is shown.")]
    return tag("section", tag("h2", "Audit"), *body, *none, id="audit")


def ledger(run: Run) -> Html:
    """What was released under which guarantee."""
    if not run.ledger:
        words = "No release is recorded." if run.ledger is not None else "ledger.csv is missing."
        return tag("section", tag("h2", "Ledger"), tag("p", words), id="ledger")
    words = "Every release of this run with the guarantee that it has by itself; nothing is composed here."
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
    stages = tuple(dict.fromkeys([*STAGES, *(job.stage for job in run.jobs if job.experiment)]))

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


def footer(run: Run) -> Html:
    """How to make the page again, and what its guarantees assume."""
    names = {
        "manifest.json": "checksums of all results and the origin of every table",
        "config.yaml": "all settings",
        "claims.csv": "the claims",
        "errata.md": "the errata",
    }
    there = {name: words for name, words in names.items() if (run.results / name).is_file()}
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
            "Privacy guarantees hold for exact real arithmetic: the samplers compute in floating point, whose gaps are "
            "not accounted for. A guarantee for an exact draw carries over to a Markov chain only as far as the chain "
            "has converged. Neighbouring data sets differ as the ledger says, by one replaced record unless said.",
        ),
        *([tag("h2", "Files"), tag("ul", *links)] if links else []),
        id="reproduce",
    )
