"""`dpsampling collect`: everything that is made of all experiments together."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from dpsampling import files
from dpsampling.cli import outputs
from dpsampling.datasets import descriptions, fetch
from dpsampling.errors import InputError
from dpsampling.files import strict_json, sums
from reproduction import collect, crate

HELP = "gather a run's experiments: claims, errata, ledger, configuration, report, manifest and research object"
PAGES = ("errata.md", "config.yaml", collect.NOT_MADE, collect.REPORT, collect.MANIFEST, collect.CRATE)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which experiments, in which tree."""
    parser.add_argument("experiments", nargs="+", metavar="ID")
    parser.add_argument("--results", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--effective", required=True, metavar="JSON", help="what 'dpsampling config' writes, as JSON")
    parser.add_argument(
        "--absent", action="append", default=[], metavar="ID:NAME", help="an experiment not made, and its data set"
    )


def run(options: argparse.Namespace) -> None:
    """Nothing is gathered if a result is not what its job made."""
    effective, absent = _effective(options.effective), [_absent(word) for word in options.absent]
    results, experiments = options.results, options.experiments
    sums.check(results)
    parts = {kind: [results / kind / f"{id_}.csv" for id_ in experiments] for kind in collect.PARTS}
    made = [*(results / f"{kind}.csv" for kind in parts), *(results / name for name in PAGES)]
    files.check_apart(made)

    from reproduction import report  # jinja2

    with files.inherit_permissions(*(path for paths in parts.values() for path in paths)):
        for kind, paths in parts.items():
            collect.gather(paths, results / f"{kind}.csv")
        collect.not_made(absent, results / collect.NOT_MADE)
        collect.errata_page(results / "errata.csv", results / "errata.md")
        collect.effective_config(effective, results / "config.yaml")
        files.write_text(results / collect.REPORT, report.page(results))
        collect.manifest(results, experiments, results / collect.MANIFEST)
        crate.write(results, results / collect.CRATE)
    outputs.add(options, *made)


def _effective(text: str) -> dict[str, Any]:
    try:
        effective = strict_json.loads(text)
    except ValueError as error:
        raise InputError("--effective is not JSON; write a JSON mapping.") from error
    if not isinstance(effective, dict):
        raise InputError("--effective is not a mapping; write a JSON mapping.")
    return effective


def _absent(word: str) -> tuple[str, str, str]:
    """Return an experiment that is not made, its data set, and how that is to be had."""
    experiment, _, name = word.partition(":")
    if not name or ":" in name:
        raise InputError(f"--absent is {word}; write ID:NAME, an experiment and a data set.")
    return experiment, name, fetch.missing(name, descriptions.description(name))
