"""What the pipeline gathers from the experiments: claims, errata, ledger, effective configuration and manifest."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpsampling import files, strict_csv, strict_json
from dpsampling.claims import ERRATA_COLUMNS
from dpsampling.errors import InputError

if TYPE_CHECKING:
    import pandas as pd


def gather(tables: Sequence[Path], out: Path) -> None:
    """Put tables of the same columns under one another, cells as they are."""
    import pandas as pd

    parts = [text_table(path) for path in tables]
    for path, part in zip(tables, parts, strict=True):
        if list(part.columns) != list(parts[0].columns):
            raise InputError(f"{path} has other columns than {tables[0]}; gather tables of one kind.")
    files.write_table(out, pd.concat(parts, ignore_index=True))


def errata_page(table: Path, out: Path) -> None:
    """The errata as a Markdown page."""
    rows = text_table(table)
    if list(rows.columns) != list(ERRATA_COLUMNS):
        raise InputError(f"{table} is not a table of errata; name one that 'dpsampling claims --errata' wrote.")
    lines = [
        "# Errata",
        "",
        "Where the sources' words or curves do not hold, by computation. `misprint`: a stated correction holds;",
        "`refuted`: nothing stated here does. The error is the largest deviation over the points compared.",
        "",
        "| claim | where | what it says | what is right | error, printed | error, corrected | tolerance | verdict |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows.to_dict("records"):
        keys = ("id", "source", "statement", "correction", "as_printed", "as_corrected", "tolerance", "verdict")
        lines.append("| " + " | ".join(str(row[key]).replace("|", "\\|") for key in keys) + " |")
    if rows.empty:
        lines.append("| none | | | | | | | |")
    files.write_text(out, "\n".join(lines) + "\n")


def effective_config(effective: Mapping[str, Any], out: Path) -> None:
    """All that decides the results, as YAML that can be laid over the configuration."""
    import yaml

    files.write_text(out, yaml.safe_dump(dict(effective), sort_keys=False, allow_unicode=True, default_flow_style=None))


def manifest(results: Path, experiments: Sequence[str], out: Path) -> None:
    """Every result with its checksum, and where the tables come from."""
    entries = [
        {"file": str(path.relative_to(results)), "bytes": path.stat().st_size, "sha256": files.checksum(path)}
        for path in result_files(results, experiments)
    ]
    origins = {}
    for experiment in experiments:
        sidecar = files.sidecar(results / "tables" / f"{experiment}.csv")
        try:
            origins[experiment] = strict_json.read(sidecar)
        except (OSError, ValueError) as error:
            raise InputError(f"{sidecar} cannot be read ({error}); make the table of {experiment} first.") from error
    files.write_json(out, {"files": entries, "tables": origins})


def result_files(results: Path, experiments: Sequence[str]) -> list[Path]:
    """The files that a run promises to make the same way each time, for some experiments."""
    found = [
        results / name
        for name in ("claims.csv", "errata.csv", "errata.md", "ledger.csv", "audit.csv", "liars.csv", "config.yaml")
    ]
    for experiment in experiments:
        found += [results / "tables" / f"{experiment}.csv"]
        found += [results / "figures" / f"{experiment}.{kind}" for kind in ("pdf", "png")]
        found += [results / folder / f"{experiment}.csv" for folder in ("claims", "errata", "ledger")]
    return [path for path in found if path.exists()]


def text_table(path: Path) -> pd.DataFrame:
    """A table whose cells stay the text that they are."""
    import pandas as pd

    return pd.read_csv(io.StringIO(strict_csv.read(path, "make it again")), dtype=str, keep_default_na=False)
