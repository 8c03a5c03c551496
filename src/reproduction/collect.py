"""What the pipeline gathers from the experiments: claims, errata, ledger, effective configuration and manifest."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import yaml

from dpsampling import files
from dpsampling.errors import InputError, reason
from dpsampling.files import strict_csv, strict_json
from reproduction.claims import ERRATA_COLUMNS, gravity

if TYPE_CHECKING:
    import pandas as pd

PARTS = ("claims", "errata", "ledger")  # made of each experiment, and gathered
NOT_MADE = "not_made.csv"
GATHERED = (*(f"{kind}.csv" for kind in PARTS), "errata.md", "audit.csv", "liars.csv", "config.yaml", NOT_MADE)
REPORT, MANIFEST = "report.html", "manifest.json"  # the report is of all others, and the manifest of the report too
CRATE = "ro-crate-metadata.json"  # about the manifest and what it lists


def gather(tables: Sequence[Path], out: Path) -> None:
    """Put tables of the same columns under one another, cells as they are."""
    parts = [text_table(path) for path in tables]
    for path, part in zip(tables, parts, strict=True):
        if list(part.columns) != list(parts[0].columns):
            raise InputError(f"{path} has other columns than {tables[0]}; gather tables of one kind.")
    files.write_table(out, _pandas().concat(parts, ignore_index=True))


NOT_MADE_COLUMNS = ("experiment", "dataset", "why")


def not_made(rows: Sequence[tuple[str, str, str]], out: Path) -> None:
    """Write which experiments are not made for want of a data set, and how that is to be had."""
    files.write_table(out, _pandas().DataFrame(rows, columns=list(NOT_MADE_COLUMNS)))


def errata_page(table: Path, out: Path) -> None:
    """The errata as a Markdown page."""
    rows = text_table(table)
    if list(rows.columns) != list(ERRATA_COLUMNS):
        raise InputError(f"{table} is not a table of errata; name one that 'dpsampling claims --errata' wrote.")
    lines = [
        "# Errata",
        "",
        "Where the sources' words or curves do not hold, by computation, the gravest first. `wrong`: a false",
        "statement, the right one is stated; `misprint`: a slip that nothing is built on; `refuted`: the numbers do",
        "not meet what is said, and nothing right is stated here. Where privacy is over-stated, a level is promised",
        "that is too small. The error is the largest deviation over the points compared.",
        "",
        "| claim | where | what it says | what is right | error, printed | error, corrected | tolerance | verdict "
        "| rests on | privacy |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    words = ("id", "source", "statement", "correction")
    keys = (*words, "as_printed", "as_corrected", "tolerance", "verdict", "evidence", "privacy")
    by_gravity = sorted(rows.to_dict("records"), key=lambda row: gravity(row["privacy"], row["verdict"]))
    lines += ["| " + " | ".join(str(row[key]).replace("|", "\\|") for key in keys) + " |" for row in by_gravity]
    if rows.empty:
        lines.append("| none | | | | | | | | | |")
    files.write_text(out, "\n".join(lines) + "\n")


def effective_config(effective: Mapping[str, Any], out: Path) -> None:
    """All that decides the results, as YAML that can be laid over the configuration."""
    files.write_text(out, yaml.safe_dump(dict(effective), sort_keys=False, allow_unicode=True, default_flow_style=None))


def manifest(results: Path, experiments: Sequence[str], out: Path) -> None:
    """Every result with its checksum, and where the tables come from."""
    sidecars = {name: files.sidecar(results / "tables" / f"{name}.csv") for name in experiments}
    files.check_apart([out], [*result_files(results, experiments), *sidecars.values()])
    origins = {}
    for experiment, sidecar in sidecars.items():
        try:
            origins[experiment] = strict_json.read(sidecar)
        except (OSError, ValueError) as error:
            raise InputError(
                f"{sidecar} cannot be read ({reason(error)}); make the table of {experiment} first."
            ) from error
    entries = [
        {"file": name, "bytes": (results / name).stat().st_size, "sha256": files.checksum(results / name)}
        for name in listed(experiments)
        if (results / name).exists()
    ]
    files.write_json(out, {"files": entries, "tables": origins})


def listed(experiments: Iterable[str]) -> list[str]:
    """The files of a run of some experiments that its manifest lists, by their names in the tree."""
    names = list(experiments)
    return [*repeatable(names), *(f"tables/{name}.provenance.json" for name in names), REPORT]


def repeatable(experiments: Iterable[str]) -> list[str]:
    """Those that come out the same each time."""
    found = list(GATHERED)
    for experiment in experiments:
        found += [f"tables/{experiment}.csv", *(f"figures/{experiment}.{kind}" for kind in ("pdf", "png"))]
        found += [f"{folder}/{experiment}.csv" for folder in PARTS]
    return found


def result_files(results: Path, experiments: Sequence[str]) -> list[Path]:
    """Those of them that are there."""
    return [path for name in repeatable(experiments) if (path := results / name).exists()]


def text_table(path: Path) -> pd.DataFrame:
    """A table whose cells stay the text that they are."""
    return _pandas().read_csv(io.StringIO(strict_csv.read(path, "make it again")), dtype=str, keep_default_na=False)


def _pandas() -> ModuleType:
    """Imported by who gathers tables; the workflow, which names the files alone, need not wait for it."""
    import pandas as pd

    return pd
