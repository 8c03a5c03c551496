"""What a results tree holds, as the report reads it."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpsampling.errors import InputError
from dpsampling.files import PRIVATE, regular_files, strict_csv, strict_json
from dpsampling.files.documents import read_yaml
from reproduction import project
from reproduction.claims import COLUMNS, ERRATA_COLUMNS, PERTURBED_COLUMNS
from reproduction.collect import NOT_MADE, NOT_MADE_COLUMNS

ROBUSTNESS_COLUMNS = ("kind", "what", "expected", "seen", "ok", "seconds", "where")  # the tests write it
SHORT = 1.0  # s; the engine samples memory every half second, which says nothing of a job as short as this
Row = dict[str, str]


@dataclass(frozen=True)
class Job:
    """What one job took: wall seconds, and MB where the job was long enough to sample them; and what it was about."""

    experiment: str
    stage: str
    seconds: float
    memory: float | None
    log: str = ""
    dataset: str = ""


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
    liars: list[Row] | None
    robustness: list[Row] | None
    perturbed: list[Row] | None
    not_made: list[Row] | None
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
    config = _mapping(results / "config.yaml", read_yaml)
    known = part(config, "experiments") or {p.name.split(".")[0] for p in results.glob("tables/*.provenance.json")}
    experiments = ordered({*known, *(row["experiment"] for row in claims)})
    sidecars = {e.id: results / "tables" / f"{e.id}.provenance.json" for e in experiments}
    provenance = {name: found for name, path in sidecars.items() if (found := _mapping(path, strict_json.read))}
    errata = read_rows(results / "errata.csv", ERRATA_COLUMNS)
    ledger, audit, liars = (read_rows(results / f"{name}.csv") for name in ("ledger", "audit", "liars"))
    robustness = read_rows(results / "robustness.csv", ROBUSTNESS_COLUMNS)
    perturbed = read_rows(results / "perturbed.csv", PERTURBED_COLUMNS)
    not_made = read_rows(results / NOT_MADE, NOT_MADE_COLUMNS)
    jobs = [job for folder in measured(results) for job in read_jobs(folder, {e.id for e in experiments})]
    missing = (
        ("config.yaml", "so the scale of this run is not known", not config),
        ("errata.csv", "so the errata are not listed", errata is None),
        ("ledger.csv", "so the releases are not listed", ledger is None),
        ("benchmarks/", "so seconds and memory are not told", not jobs),
        *((f"tables/{e}.provenance.json", f"so the origin of {e} is not told", e not in provenance) for e in sidecars),
    )
    absent = tuple(f"{name} is missing or cannot be read, {effect}." for name, effect, gone in missing if gone)
    return Run(
        results,
        config,
        experiments,
        claims,
        errata,
        ledger,
        audit,
        liars,
        robustness,
        perturbed,
        not_made,
        provenance,
        jobs,
        absent,
    )


def read_rows(path: Path, columns: Sequence[str] = ()) -> list[Row] | None:
    """A CSV table, its cells as they are written; None where there is no such file."""
    if not path.exists():
        return None
    remedy = "make the results again"
    lines = strict_csv.rows(io.StringIO(strict_csv.read(path, remedy), newline=""), str(path), remedy)
    _, found = next(lines)
    lost = [column for column in columns if column not in found]
    if lost:
        raise InputError(f"{path} has no column '{lost[0]}'; it needs {', '.join(columns)}; make the results again.")
    return [dict(zip(found, row, strict=True)) for _, row in lines]


def measured(results: Path) -> list[Path]:
    """Where the engine's measurements are: among the results, and of private rows beside them."""
    folders = [results / "benchmarks"]
    clone = results.parent.parent if results.name == "quick" else results.parent
    if results in (clone / "results", clone / "results" / "quick"):
        folders.append(clone / PRIVATE / results.relative_to(clone / "results") / "benchmarks")
    return folders


def read_jobs(folder: Path, experiments: set[str]) -> list[Job]:
    """What the engine measured, job by job; the page's own making is left out, for it is not over yet."""
    jobs = []
    for path in sorted(folder.rglob("*.jsonl")):
        for line in regular_files.content(path, strict_json.LARGEST).decode(errors="replace").splitlines():
            try:
                told = strict_json.loads(line)
                took = float(told["s"])
            except (ValueError, KeyError, TypeError):
                continue
            stage = path.relative_to(folder).parts[0].removesuffix(".jsonl")
            about = part(told, "wildcards")
            named = about.get("id") or (path.stem if path.stem in experiments else "")
            peak = told.get("max_rss")
            sampled = took >= SHORT and isinstance(peak, int | float)
            if isinstance(named, str) and stage != "report" and (not named or named in experiments):
                log = "-".join(str(about[name]) for name in ("log", "rows") if name in about)
                memory = float(peak) if sampled else None
                jobs.append(Job(named, stage, took, memory, log, str(about.get("dataset", ""))))
    return jobs


def ordered(names: Iterable[str]) -> tuple[project.Experiment, ...]:
    """Experiments in the project's order, part by part; one that the project does not know comes last."""
    wanted, known = set(names), project.experiments()
    strangers = [
        project.Experiment(id=name, title=name, source="", part="", code="", parameters={})
        for name in sorted(wanted - set(known))
    ]
    return (*(e for e in known.values() if e.id in wanted), *strangers)


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
