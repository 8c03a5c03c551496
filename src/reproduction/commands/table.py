"""`dpsampling table`: the numbers of an experiment, with their provenance beside them."""

from __future__ import annotations

import argparse
import importlib
import time
from pathlib import Path
from typing import Any

from dpsampling.cli import configuration, outputs, parsing
from dpsampling.cli.outputs import OutputFile
from dpsampling.cli.parsing import changes_argument
from dpsampling.errors import InputError
from dpsampling.files.documents import read_yaml
from reproduction import config, parameters, project
from reproduction.inputs import Supply

HELP = "compute an experiment's numbers"
NEEDS = {  # of each option that gives inputs: its file, what is said where it is not needed, its help
    "counts": (
        "FILE.npz",
        "reads no event log",
        "what 'dpsampling warlogs count' wrote of a log (default: read or simulate it now)",
    ),
    "scores": (
        "FILE.csv",
        "is not made from scores",
        "what 'dpsampling warlogs fit' wrote of one log and ε (default: fit and score now)",
    ),
    "dataset": (
        "FILE.csv",
        "reads no data set",
        "the data set's rows (default: the file that config/datasets names)",
    ),
    "design": (
        "FILE.npz",
        "is not made from designs",
        "what 'dpsampling design' wrote of a data set (default: make it now)",
    ),
    "sweep": (
        "FILE.csv",
        "compares no private classifiers",
        "what 'dpsampling logistic sweep' wrote of a data set (default: draw and score now)",
    ),
}
USES = {
    "": set[str](),
    "counts": {"counts"},
    "scores": {"scores", "counts"},
    "dataset": {"dataset"},
    "designs": {"design"},
    "sweeps": {"sweep", "design"},
}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which experiment, with which changes, from which inputs, to which file."""
    parser.add_argument("experiment", metavar="ID")
    parser.add_argument(
        "--config", type=Path, metavar="F", help="an overlay, an experiment file, or a mapping of parameters"
    )
    changes_argument(parser, "one parameter, in YAML; may be repeated")
    parser.add_argument(
        "--seed", metavar="N", help="the number that names the random streams (default: the configuration's)"
    )
    for name, (metavar, _, help_text) in NEEDS.items():
        parser.add_argument(
            f"--{name}", type=Path, action="append", default=[], metavar=metavar, help=f"{help_text}; may be repeated"
        )
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """Check all that can be checked, compute, and write the table with its provenance, both or none."""
    experiment = project.experiment(options.experiment)
    changes, seed = config.read_changes(options.config, experiment) if options.config else ({}, None)
    told = parsing.parse_settings(options.set)
    if "seed" in told:
        seed = parsing.check_seed(told.pop("seed"))
    if options.seed is not None:
        seed = parsing.check_seed(options.seed)
    resolved = config.resolve(experiment, parameters.merge_parameters(changes, told))
    seed = configuration.settings_of()["seed"] if seed is None else seed

    from dpsampling import files
    from dpsampling.numerics import randomness  # numpy and pandas, which a wrong option need not wait for
    from reproduction import provenance
    from reproduction.stages import table as stage

    supplied = _supplied(options, experiment, resolved, seed)
    written = [options.out, files.sidecar(options.out)]
    files.check_apart(written, [*outputs.files_of(options)[1], *supplied.files])
    start = time.perf_counter()
    table = stage.make(experiment.code, resolved, randomness.stream(seed, experiment.stream_name), supplied.inputs)
    seconds = time.perf_counter() - start
    with files.inherit_permissions(*supplied.files), files.staged(*written) as (out, sidecar):
        files.put_table(out, table)
        origin = provenance.describe(
            experiment.id,
            resolved,
            seed,
            seconds,
            files.checksum(out),
            stream=experiment.stream_name,
            about=({"inputs": supplied.about} if supplied.about else {})
            | {str(key): told for key, told in table.attrs.items()},
        )
        sidecar.write_text(files.json_text(origin), encoding="utf-8")
    outputs.add(options, files.sidecar(options.out))


def _supplied(
    options: argparse.Namespace, experiment: project.Experiment, resolved: dict[str, Any], seed: int
) -> Supply:
    """What the experiment needs besides its parameters, if it does, and what its provenance says of it."""
    given = {name: getattr(options, name) for name in NEEDS}
    unused = [name for name, paths in given.items() if paths and name not in USES[experiment.needs]]
    if unused:
        raise InputError(f"{experiment.id} {NEEDS[unused[0]][1]}; leave out --{unused[0]}.")
    if not experiment.needs:
        return Supply(None, {})
    overlay = options.config if options.config and config.is_overlay(read_yaml(options.config)) else None
    room = importlib.import_module(f"reproduction.inputs.{experiment.needs}")
    raw = configuration.settings_of(overlay)["logs"]
    supplied: Supply = room.supply(resolved, given, seed=seed, stream=experiment.stream_name, raw=raw)
    return supplied
