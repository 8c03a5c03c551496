"""One section an experiment: its figure, its claims, its parameters and the commands that make it."""

from __future__ import annotations

import base64
from urllib.parse import quote

from dpsampling import project
from dpsampling.report.command_lines import commands, plain
from dpsampling.report.heading import OTHER, grouped, part_name
from dpsampling.report.markup import Html, anchor, cells, join, table, tag
from dpsampling.report.run_tables import memory, seconds
from dpsampling.report.tree import Run, part
from dpsampling.report.verdict_tables import CLAIM_COLUMNS, claim_row

PNG = b"\x89PNG\r\n\x1a\n"


def parts(run: Run) -> list[Html]:
    """A section for each part, with one for each of its experiments."""
    return [
        tag("section", tag("h2", part_name(name)), *(experiment(run, e) for e in group), id=anchor(name or OTHER))
        for name, group in grouped(run)
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


def spent(run: Run, e: project.Experiment) -> str:
    """What it took, in a sentence."""
    jobs = [job for job in run.jobs if job.experiment == e.id]
    if not jobs:
        return "Its benchmarks are missing, so its seconds and memory are not told."
    peak = f", with {memory(jobs)} MB at the peak" if memory(jobs) else ""
    return f"It took {seconds(jobs)} s on one core{peak}."
