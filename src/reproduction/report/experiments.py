"""The experiments in the sources' own order, each with its figure, its claims, and all it takes to make them again."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

from dpsampling.errors import InputError
from reproduction import project
from reproduction.report import pictures, sources, verdicts
from reproduction.report.command_lines import make_command, plain, steps
from reproduction.report.costs import spent
from reproduction.report.first_screen import datasets, logs, shortened
from reproduction.report.tree import Run, part
from reproduction.report.view import Experiment, Group, Link, Picture, Table
from reproduction.stages import experiment_contract
from reproduction.statements import statements

FIGURE = re.compile(r"(?:Figure|Table) (\d+(?:\.\d+)?)")
LONG = 48  # letters of a parameter in a caption
LAST = 1_000_000  # the place of an experiment that no statement of its source rests on
Key = tuple[int, int, int, tuple[tuple[int, ...], bool]]


def groups(run: Run) -> tuple[Group, ...]:
    """All experiments, by source and by chapter of the thesis."""
    chapters = list(project.parts())
    keys = {e.id: _key(run, e, chapters) for e in run.experiments}
    found: dict[str, list[project.Experiment]] = {}
    for e in sorted(run.experiments, key=lambda e: keys[e.id]):
        found.setdefault(_group(e), []).append(e)
    # Packing pictures is half of the work, and leaves Python alone; when a page is made, nothing else is left to run.
    with ThreadPoolExecutor(2) as pool:
        paths = (run.results / "figures" / f"{e.id}.png" for e in run.experiments)
        packed = dict(zip(keys, pool.map(pictures.embedded, paths), strict=True))
    return tuple(
        Group(
            title,
            verdicts.present([row for e in listed for row in run.of(run.claims, e.id)]),
            tuple(experiment(run, e, packed[e.id]) for e in listed),
        )
        for title, listed in found.items()
    )


def experiment(run: Run, e: project.Experiment, picture: Picture | None) -> Experiment:
    """One experiment, with its figure."""
    rows = verdicts.problems_first(run.of(run.claims, e.id))
    told = run.provenance.get(e.id, {})
    source = sources.source_of(e.source)
    return Experiment(
        id=e.id,
        title=e.title,
        source=e.source,
        document=Link(source.title, source.href) if source.href and e.source else Link(""),
        counts=verdicts.present(rows),
        rests=", ".join(f"{count.name} {count.number}" for count in verdicts.evidence(rows) if count.number),
        claims=tuple(map(verdicts.claim, rows)),
        picture=picture,
        data=", ".join((*datasets([told]), *(f"{title} ({origin})" for title, origin in logs([told])))),
        settings=_settings(part(told, "parameters")),
        parameters=_parameters(e, told),
        command=make_command(run, e),
        steps=steps(run, e),
        files=_files(run, e),
        code=_code(run, e),
        commit=commit(told),
        spent=spent(run, e),
    )


def commit(told: Mapping[str, object]) -> str:
    """The code that made a table, in words."""
    made = told.get("code")
    named, dirty = (made.get(key) if isinstance(made, dict) else None for key in ("commit", "dirty"))
    if not named:
        return "not from a git checkout"
    return f"commit {str(named)[:12]}, {'with uncommitted changes' if dirty else 'clean'}"


def _key(run: Run, e: project.Experiment, chapters: Sequence[str]) -> Key:
    """Sorts by source, by chapter of the thesis, by the statement that it is about, by its number."""
    source = sources.source_of(e.source)
    order = sources.SOURCES.index(source) if source in sources.SOURCES else len(sources.SOURCES)
    chapter = chapters.index(e.part) if order == 0 and e.part in chapters else 0
    claims = {row["id"] for row in run.of(run.claims, e.id)}
    return order, chapter, _position(e, source, claims), sources.number_in(e.source)


def _position(e: project.Experiment, source: sources.Source, claims: set[str]) -> int:
    """Where its source shows it: the place of its figure, or of the first statement that its claims decide."""
    listed = [one for one in statements().values() if one.source == source.name]
    figure = FIGURE.search(e.source)
    if figure and not e.source.startswith("ours"):
        drawn = re.compile(rf"{re.escape(figure[0])}(?![.\d])")
        for i, one in enumerate(listed):
            if one.kind in ("figure", "table") and drawn.search(one.where):
                return i
    return next((i for i, one in enumerate(listed) if claims & set(one.claims)), LAST)


def _group(e: project.Experiment) -> str:
    """The heading that it stands under."""
    source = sources.source_of(e.source)
    if source is sources.SOURCES[0]:
        return f"Thesis, {project.parts().get(e.part, e.part)}"
    return f"{source.short[:1].upper()}{source.short[1:]}"


def _settings(parameters: Mapping[str, object]) -> str:
    """The parameters that made the table, for a caption."""
    shown = (f"{key} = {shortened(plain(value), LONG)}" for key, value in parameters.items() if value is not None)
    return "; ".join(text.replace('"', "") for text in shown)


def _parameters(e: project.Experiment, told: Mapping[str, object]) -> Table | None:
    """The parameters that made the table, beside the experiment's own where they differ."""
    here = part(told, "parameters")
    if not here:
        return None
    other = {key for key in here if key in e.parameters and e.parameters[key] != here[key]}
    columns = ("Parameter", "Value here", "At paper scale") if other else ("Parameter", "Value")
    rows = []
    for key, value in here.items():
        beside = [plain(e.parameters[key]) if key in other else "the same"] if other else []
        rows.append((key, plain(value), *beside))
    return Table(f"Parameters of {e.id}, seed {told.get('seed')}", columns, tuple(rows))


def _files(run: Run, e: project.Experiment) -> tuple[Link, ...]:
    """Its files, for a page that stands in its results folder."""
    names = (
        ("full-size PNG", f"figures/{e.id}.png"),
        ("PDF", f"figures/{e.id}.pdf"),
        ("table", f"tables/{e.id}.csv"),
        ("provenance", f"tables/{e.id}.provenance.json"),
    )
    return tuple(Link(text, quote(name)) for text, name in names if (run.results / name).is_file())


def _code(run: Run, e: project.Experiment) -> tuple[Link, ...]:
    """What it is written in, for a page that stands in the results folder of a clone."""
    if not e.code:
        return ()
    up = "../../" if run.scale == "quick" else "../"
    named = [f"config/experiments/{e.id}.yaml"]
    try:
        module = f"src/{experiment_contract.module_name(e.code).replace('.', '/')}"
        named.append(f"{module}/" if experiment_contract.is_folder(e.code) else f"{module}.py")
    except InputError:
        pass
    named += [f"data/published/{name}" for name in e.published]
    return tuple(Link(name, up + quote(name)) for name in named)
