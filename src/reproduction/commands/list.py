"""`dpsampling list`: what experiments there are, and with -v where everything of them stands."""

from __future__ import annotations

import argparse
import os
from importlib import util
from pathlib import Path

from dpsampling.cli.parsing import settings
from dpsampling.files.documents import root
from reproduction import code, config, project
from reproduction.stages import experiment_contract

HELP = "the experiments: ids, titles, where each stands in the source"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which, and how much of them."""
    parser.add_argument("experiments", nargs="*", metavar="ID", help="only these")
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also their YAML, folder, the files of each stage, and resolved parameters",
    )


def run(options: argparse.Namespace) -> None:
    """One line an experiment, or one paragraph."""
    named = [project.experiment(name) for name in options.experiments]
    shown = named or list(project.experiments().values())
    width = max(len(e.id) for e in shown)
    for e in shown:
        print(f"{e.id:<{width}}  {e.title}  ({e.source})")
        if options.verbose:
            print("\n".join(f"    {line}" for line in details(e)) + "\n")


def details(e: project.Experiment) -> list[str]:
    """Where it is, what it is made of, and with which parameters."""
    base = f", laid over {_from_root(project.path_of(e.like))}" if e.like else ""
    home = _file_of(experiment_contract.module_name(e.code))
    lines = [
        f"config    {_from_root(project.path_of(e.id))}{base}",
        *(f"  | {line}" for line in project.path_of(e.id).read_text(encoding="utf-8").splitlines() if line),
        f"part      {e.part}",
        f"code      {e.code}, in {_from_root(home.parent if experiment_contract.is_folder(e.code) else home)}",
    ]
    for stage in ("table", "figure", "claims", "releases"):
        module = experiment_contract.module_of(e.code, stage)
        if module and experiment_contract.optional(e.code, stage):
            rest = len(code.closure(module.removeprefix("dpsampling."))) - 1
            lines.append(f"{stage:<8}  {_from_root(_file_of(module))} and {rest} files below")
    lines.append(f"needs     {e.needs or 'nothing but its parameters'}")
    lines.append(f"stream    {e.stream_name}")
    lines += [f"published data/published/{name}" for name in e.published]
    lines += [f"parameter {setting}" for setting in settings(config.resolve(e, {}))]
    lines += [f"quick     {setting}" for setting in settings(e.quick)]
    return lines


def _file_of(module: str) -> Path:
    found = util.find_spec(module)
    return Path(str(found and found.origin))


def _from_root(path: os.PathLike[str]) -> str:
    return os.path.relpath(path, root())
