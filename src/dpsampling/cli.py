"""The command line, which the workflow's rules run too.

Each command imports what it needs when it is called, so that `list` and a wrong option answer at once.
Bad input ends with one sentence on standard error and exit code 2, and nothing is written.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from dpsampling import __version__
from dpsampling.errors import InputError
from dpsampling.files import check_ending

if TYPE_CHECKING:
    import pandas as pd

    from dpsampling.warlogs.counts import EventCounts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 if it worked, 2 if the input was bad."""
    try:
        options = _parser().parse_args(arguments)
        options.run(options)
    except InputError as error:
        print(f"dpsampling: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of `dpsampling list | head` has gone
        sys.stderr.close()
    return 0


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are one sentence."""

    def error(self, message: str) -> NoReturn:
        raise InputError(f"{message}; '{self.prog} --help' shows what is possible.")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="dpsampling", description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--version", action="version", version=f"dpsampling {__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    listing = commands.add_parser("list", help="the experiments: ids, titles, where each stands in the source")
    listing.add_argument("experiments", nargs="*", metavar="ID", help="only these")
    listing.set_defaults(run=_list)

    table = commands.add_parser("table", help="compute an experiment's numbers")
    table.add_argument("experiment", metavar="ID")
    table.add_argument(
        "--config", type=Path, metavar="F", help="an overlay, an experiment file, or a mapping of parameters"
    )
    table.add_argument(
        "--set", action="append", default=[], metavar="key=value", help="one parameter, in YAML; may be repeated"
    )
    table.add_argument(
        "--seed", metavar="N", help="the number that names the random streams (default: the configuration's)"
    )
    table.add_argument(
        "--counts", type=Path, action="append", default=[], metavar="FILE.npz",
        help="what 'dpsampling warlogs counts' wrote of a log (default: simulate or read it now); may be repeated",
    )  # fmt: skip
    table.add_argument(
        "--scores", type=Path, action="append", default=[], metavar="FILE.csv",
        help="a part that 'dpsampling warlogs evaluate' wrote, for fig4_6; may be repeated",
    )  # fmt: skip
    table.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    table.set_defaults(run=_table)

    figure = commands.add_parser("figure", help="draw an experiment's table")
    figure.add_argument("experiment", metavar="ID")
    figure.add_argument("--table", type=Path, required=True, metavar="FILE.csv")
    figure.add_argument(
        "--out", type=Path, required=True, action="append", metavar="FILE.{pdf,png,svg}", help="may be repeated"
    )
    figure.set_defaults(run=_figure)

    claims = commands.add_parser("claims", help="judge the source's claims by an experiment's table")
    claims.add_argument("experiment", metavar="ID")
    claims.add_argument("--table", type=Path, required=True, metavar="FILE.csv")
    claims.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    claims.add_argument("--errata", type=Path, metavar="FILE.csv", help="the claims that correct the source")
    claims.add_argument("--ledger", type=Path, metavar="FILE.csv", help="what was released, under which guarantee")
    claims.set_defaults(run=_claims)

    audit = commands.add_parser("audit", help="price and attack every mechanism")
    audit.add_argument("--config", type=Path, metavar="F", help="an overlay of config/config.yaml")
    audit.add_argument(
        "--set", action="append", default=[], metavar="key=value", help="one entry of the configuration's audit"
    )
    audit.add_argument(
        "--seed", metavar="N", help="the number that names the random streams (default: the configuration's)"
    )
    audit.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    audit.set_defaults(run=_audit)

    amplification = commands.add_parser("amplification", help="what post-processing adds to a guarantee")
    processes = amplification.add_subparsers(metavar="PROCESS", required=True)
    kernel = processes.add_parser(
        "kernel", help="a finite Markov kernel: its mixing coefficients and Theorem 15's bounds"
    )
    kernel.add_argument(
        "--kernel",
        type=Path,
        required=True,
        metavar="FILE.csv",
        help="numbers alone, one row an input, one column an output",
    )
    kernel.add_argument(
        "--epsilon", type=float, required=True, metavar="ε", help="of the mechanism that it post-processes"
    )
    kernel.add_argument("--delta", type=float, default=0.0, metavar="δ", help="of the mechanism (default: 0)")
    kernel.add_argument("--out", type=Path, metavar="FILE.csv", help="write the table there as well")
    kernel.set_defaults(run=_kernel)

    gather = commands.add_parser("gather", help="put tables of the same columns under one another")
    gather.add_argument("tables", nargs="+", type=Path, metavar="FILE.csv")
    gather.add_argument("--out", type=Path, required=True, metavar="FILE.csv")
    gather.set_defaults(run=_gather)

    errata = commands.add_parser("errata", help="write the errata as a page")
    errata.add_argument("--table", type=Path, required=True, metavar="errata.csv")
    errata.add_argument("--out", type=Path, required=True, metavar="FILE.md")
    errata.set_defaults(run=_errata)

    config = commands.add_parser("config", help="check the configuration and write all that decides the results")
    config.add_argument("--config", type=Path, metavar="F", help="an overlay of config/config.yaml")
    config.add_argument("--scale", choices=("paper", "quick"), help="default: the configuration's")
    config.add_argument("--effective", metavar="JSON", help=argparse.SUPPRESS)  # how the workflow hands its own over
    config.add_argument("--out", type=Path, required=True, metavar="FILE.yaml")
    config.set_defaults(run=_config)

    manifest = commands.add_parser("manifest", help="list every result with its checksum and where it comes from")
    manifest.add_argument("experiments", nargs="+", metavar="ID")
    manifest.add_argument("--results", type=Path, required=True, metavar="FOLDER")
    manifest.add_argument("--out", type=Path, required=True, metavar="FILE.json")
    manifest.set_defaults(run=_manifest)

    _add_profiles(commands)

    report = commands.add_parser("report", help="write the report: one page with claims, errata, figures and costs")
    report.add_argument("--results", type=Path, required=True, metavar="FOLDER")
    report.add_argument("--out", type=Path, required=True, metavar="FILE.html")
    report.set_defaults(run=_report)

    from dpsampling.warlogs import commands as log_commands
    from dpsampling.warlogs import fit_commands

    fit_commands.add(log_commands.add(commands))
    return parser


def _add_profiles(commands: argparse._SubParsersAction[_Parser]) -> None:
    """Profile-based privacy for a graph of one's own."""
    profiles = commands.add_parser("profiles", help="profile-based privacy for your own profiles and edges")
    steps = profiles.add_subparsers(metavar="STEP", required=True)

    solve = steps.add_parser(
        "solve",
        help="compute the mechanism of a profile graph",
        description="Compute the mechanism that hides which of two joined profiles an observation comes from, with the "
        "least noise, and write it as a JSON file with its verified epsilon.",
    )
    solve.add_argument(
        "--profiles",
        type=Path,
        required=True,
        metavar="P.csv",
        help="one row a profile: its name (column 'profile'), then its probability of each category (other columns)",
    )
    solve.add_argument(
        "--edges", type=Path, required=True, metavar="E.csv", help="one row an edge: two names that are to be confused"
    )
    solve.add_argument("--epsilon", required=True, metavar="E", help="the level, above 0")
    solve.add_argument(
        "--mechanism",
        choices=("smooth", "smooth-one-bit", "cluster", "randomized-response"),
        default="smooth",
        help="smooth: a matrix a profile (default); smooth-one-bit: a flip a profile, two categories; cluster: a flip "
        "a connected component, two categories; randomized-response: the same for all profiles",
    )
    solve.add_argument(
        "--lexicographic",
        action="store_true",
        help="make not only the largest flip least, but then the second largest profile's, and so on (smooth ones)",
    )
    solve.add_argument("--out", type=Path, metavar="FILE.json", help="default: standard output")
    solve.set_defaults(run=_profiles_solve)

    release = steps.add_parser(
        "release",
        help="privatise observations with a solved mechanism",
        description="Read lines 'profile,observation' under that header and write one release a line, in their order "
        "and without the profile, which is the secret. An observation may be released once: the guarantee is for one "
        "release, adds up over independent observations of a profile, and says nothing of dependent ones.",
    )
    release.add_argument("--mechanism", type=Path, required=True, metavar="FILE.json")
    release.add_argument("--observations", type=Path, metavar="FILE.csv", help="default: standard input, line by line")
    release.add_argument(
        "--out", type=Path, metavar="FILE.csv", help="written whole or not at all; default: standard output, at once"
    )
    release.add_argument(
        "--seed",
        metavar="N",
        help="for tests and simulations only: who knows the seed knows the noise (default: fresh random bits of the "
        "operating system)",
    )
    release.set_defaults(run=_profiles_release)


def _list(options: argparse.Namespace) -> None:
    from dpsampling.project import experiment, experiments

    shown = [experiment(name) for name in options.experiments] or list(experiments().values())
    width = max(len(e.id) for e in shown)
    for e in shown:
        print(f"{e.id:<{width}}  {e.title}  ({e.source})")


def _table(options: argparse.Namespace) -> None:
    from dpsampling import config, project

    experiment = project.experiment(options.experiment)
    changes, seed = config.read_changes(options.config, experiment) if options.config else ({}, None)
    settings = config.parse_settings(options.set)
    if "seed" in settings:
        seed = config.check_seed(settings.pop("seed"))
    if options.seed is not None:
        seed = config.check_seed(options.seed)
    parameters = config.resolve(experiment, config.merge_parameters(changes, settings))
    seed = config.load()["seed"] if seed is None else seed
    check_ending(options.out, ".csv")

    from dpsampling import files, provenance
    from dpsampling.experiments import contract

    logs, told = _logs(options, experiment.id, parameters, seed)
    start = time.perf_counter()
    if options.scores:
        table = _gathered(options.scores, experiment.id, parameters)
    else:
        table = contract.make_table(experiment.id, parameters, seed, logs)
    seconds = time.perf_counter() - start
    with files.staged(options.out, provenance.sidecar(options.out)) as (out, sidecar):
        files.put_table(out, table[list(contract.load(experiment.id).COLUMNS)])
        origin = provenance.describe(
            experiment.id,
            parameters,
            seed,
            seconds,
            files.checksum(out),
            stream=contract.stream_of(experiment.id),
            logs=told,
        )
        sidecar.write_text(files.json_text(origin), encoding="utf-8")


def _logs(
    options: argparse.Namespace, experiment: str, parameters: dict[str, Any], seed: int
) -> tuple[dict[str, EventCounts] | None, dict[str, Any] | None]:
    """The counts of the event logs that a table is made from, if it is, and what its provenance says of them."""
    from dpsampling.experiments.contract import reads_logs

    if not reads_logs(experiment):
        if options.counts:
            raise InputError(f"{experiment} reads no event log; leave out --counts.")
        return None, None

    from dpsampling import config
    from dpsampling.warlogs import supply

    files = config.load(options.config if _is_overlay(options.config) else None)["logs"]
    logs = supply.logs(parameters, seed, files, options.counts)
    return logs, supply.about(logs)


def _is_overlay(path: Path | None) -> bool:
    from dpsampling.project import read_yaml

    return path is not None and "logs" in read_yaml(path) and "parameters" not in read_yaml(path)


def _gathered(parts: Sequence[Path], experiment: str, parameters: dict[str, Any]) -> pd.DataFrame:
    """The table of an experiment whose parts were computed before."""
    from dpsampling import files
    from dpsampling.experiments.contract import load
    from dpsampling.grids import expanded
    from dpsampling.warlogs.sweep import SCORE_COLUMNS

    gather = getattr(load(experiment), "gather", None)
    if gather is None:
        raise InputError(f"{experiment} is not made from scores; leave out --scores.")
    tables = [files.read_table(path) for path in parts]
    for path, table in zip(parts, tables, strict=True):
        if list(table.columns) != list(SCORE_COLUMNS):
            raise InputError(f"{path} is no table of scores; make it with 'dpsampling warlogs evaluate'.")
    gathered: pd.DataFrame = gather(expanded(parameters), tables)
    return gathered


def _figure(options: argparse.Namespace) -> None:
    from dpsampling import project

    experiment = project.experiment(options.experiment).id
    table = _read(options.table, experiment)

    from dpsampling import style
    from dpsampling.experiments.contract import load

    for out in options.out:
        style.check_format(out)
    with _telling_of(options.table, table):
        figure = load(experiment).figure(table)
    style.save(figure, *options.out)


def _claims(options: argparse.Namespace) -> None:
    from dpsampling import project

    experiment = project.experiment(options.experiment).id
    table = _read(options.table, experiment)
    for out in (options.out, options.errata, options.ledger):
        if out is not None:
            check_ending(out, ".csv")

    from dpsampling import claims, files, releases
    from dpsampling.experiments.contract import load

    module = load(experiment)
    list_releases = getattr(module, "releases", None)
    with _telling_of(options.table, table):
        found = module.claims(table)
        released = list_releases(table) if list_releases and options.ledger else []
    tables = {
        options.out: claims.frame(experiment, found),
        options.errata: claims.errata_frame(experiment, found),
        options.ledger: releases.frame(experiment, released),
    }
    wanted = {path: content for path, content in tables.items() if path is not None}
    with files.staged(*wanted) as partials:
        for partial, content in zip(partials, wanted.values(), strict=True):
            files.put_table(partial, content)


@contextmanager
def _telling_of(path: Path, table: pd.DataFrame) -> Iterator[None]:
    """An error over a table that was changed since it was written is the table's, not the program's."""
    try:
        yield
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        if isinstance(error, InputError) or table.attrs.get("untouched"):
            raise
        raise InputError(f"{path} does not hold what 'dpsampling table' writes ({error!r}); make it again.") from error


def _audit(options: argparse.Namespace) -> None:
    from dpsampling import config

    document = config.load(options.config)
    changes = {"audit": config.parse_settings(options.set)}
    document = config.check_config(config.merge(document, changes))
    seed = document["seed"] if options.seed is None else config.check_seed(options.seed)
    check_ending(options.out, ".csv")

    from dpsampling import audit, files

    table = audit.table(seed, **document["audit"])
    files.write_table(options.out, table)
    broken = sorted(set(table.loc[table["verdict"] == "broken", "mechanism"]))
    if broken:
        print(f"dpsampling: the audit found {', '.join(broken)} broken; {options.out} says where.", file=sys.stderr)


def _kernel(options: argparse.Namespace) -> None:
    if options.out is not None:
        check_ending(options.out, ".csv")

    from dpsampling import files
    from dpsampling.amplification import kernel_table
    from dpsampling.privacy.guarantee import shown

    table = kernel_table.table(kernel_table.read(options.kernel), options.epsilon, options.delta)
    if options.out is not None:
        files.write_table(options.out, table)
    told = table.map(lambda cell: cell if isinstance(cell, str) else shown(cell))
    print(told.to_string(index=False))


def _gather(options: argparse.Namespace) -> None:
    from dpsampling import collect

    collect.gather(options.tables, options.out)


def _errata(options: argparse.Namespace) -> None:
    from dpsampling import collect

    collect.errata_page(options.table, options.out)


def _config(options: argparse.Namespace) -> None:
    import json

    from dpsampling import collect, config

    if options.effective:
        try:
            effective = json.loads(options.effective)
        except ValueError as error:
            raise InputError("--effective is not JSON; leave it out, it is for the workflow's own use.") from error
    else:
        document = config.load(options.config)
        effective = config.effective(document, options.scale or document["scale"])
    collect.effective_config(effective, options.out)


def _manifest(options: argparse.Namespace) -> None:
    from dpsampling import collect

    collect.manifest(options.results, options.experiments, options.out)


def _profiles_solve(options: argparse.Namespace) -> None:
    if options.out is not None:
        check_ending(options.out, ".json")

    from dpsampling.profiles import command_line

    summary = command_line.solve(
        options.profiles, options.edges, options.epsilon, options.mechanism, options.lexicographic, options.out
    )
    print(summary, end="")


def _profiles_release(options: argparse.Namespace) -> None:
    if options.out is not None:
        check_ending(options.out, ".csv")
    seed = None
    if options.seed is not None:
        from dpsampling import config

        seed = config.check_seed(options.seed)

    from dpsampling.profiles import command_line

    command_line.release(options.mechanism, options.observations, options.out, seed)


def _report(options: argparse.Namespace) -> None:
    from dpsampling import files, report

    files.write_text(options.out, report.page(options.results))


def _read(path: Path, experiment: str) -> pd.DataFrame:
    """A table of this experiment, with the parameters that its provenance tells."""
    import json

    from dpsampling import config, files, project, provenance
    from dpsampling.experiments.contract import check_values, load

    table = files.read_table(path)
    columns = list(load(experiment).COLUMNS)
    if list(table.columns) != columns:
        raise InputError(
            f"{path} has the columns {', '.join(table.columns)}; a table of {experiment} has {', '.join(columns)}."
        )
    if table.empty:
        raise InputError(f"{path} has no rows; make it again with 'dpsampling table {experiment}'.")
    check_values(table, path, getattr(load(experiment), "MAY_BE_EMPTY", ()))
    sidecar = provenance.sidecar(path)
    if not sidecar.exists():
        print(
            f"dpsampling: {sidecar.name} is not beside {path}; taking {experiment}'s own parameters.", file=sys.stderr
        )
        return table
    try:
        told: dict[str, Any] = json.loads(sidecar.read_text(encoding="utf-8"))
        maker, parameters, written = told["experiment"], dict(told["parameters"]), told["sha256"]
        logs = dict(told.get("logs", {}))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"{sidecar} is not a provenance file; make {path.name} again with 'dpsampling table'."
        ) from error
    if maker != experiment:
        raise InputError(f"{path} is a table of {maker}; name that experiment, or a table of {experiment}.")
    table.attrs["parameters"] = config.resolve(project.experiment(experiment), parameters)
    table.attrs["logs"] = logs
    table.attrs["untouched"] = written == files.checksum(path)
    if not table.attrs["untouched"]:
        print(f"dpsampling: {path} has changed since {sidecar.name} was written.", file=sys.stderr)
    return table
