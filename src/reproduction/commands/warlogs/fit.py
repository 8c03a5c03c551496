"""`dpsampling warlogs fit`: both models, by every mechanism, at one ε, on every split, scored."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from dpsampling.cli import configuration, parsing
from dpsampling.cli.commands import warlogs as event_logs
from dpsampling.cli.outputs import OutputFile
from dpsampling.cli.parsing import changes_argument
from dpsampling.errors import InputError
from dpsampling.files import write_table
from dpsampling.files.grids import expanded
from reproduction import config, project

if TYPE_CHECKING:
    from dpsampling.event_logs.sweep import Held

HELP = "fit both models with every mechanism at one ε and score them on held-out cells: an evaluation, protects nothing"


def arguments(parser: argparse.ArgumentParser) -> None:
    """For which experiment, of which log, at which level, where to."""
    _sweep_arguments(parser)
    event_logs.counts_argument(parser)
    parser.add_argument("--epsilon", required=True, metavar="E", help="the privacy level, or inf for no privacy")
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """One row a chain and score, with a line as each mechanism is done."""
    epsilon = parsing.level(options.epsilon, infinite=True)
    params, seed, stream = _sweep_of(options)

    from dpsampling.event_logs import counts, splits, sweep
    from dpsampling.numerics import randomness  # numpy, and numba in the chains

    log, rng = counts.load(options.counts), randomness.stream(seed, stream)
    trained = splits.draw(log, params["splits"], params["share"], rng)
    fitted = _told(sweep.fits(log, trained, epsilon, params, rng), len(trained), epsilon)
    write_table(options.out, sweep.evaluate(fitted))


def _sweep_arguments(parser: argparse.ArgumentParser) -> None:
    """An experiment whose parameters decide the fits, with changes, and its seed."""
    parser.add_argument(
        "--for",
        dest="experiment",
        metavar="ID",
        help="the experiment that needs these scores, whose parameters decide (default: the first one that needs any)",
    )
    changes_argument(parser, "one of its parameters, in YAML")
    parser.add_argument("--seed", metavar="N", help="default: the configuration's")


def _sweep_of(options: argparse.Namespace) -> tuple[dict[str, Any], int, str]:
    """The parameters, the seed and the stream's name of such an experiment."""
    experiment = project.experiment(options.experiment or _first_that_needs_scores())
    if experiment.needs != "scores":
        raise InputError(f"{experiment.id} needs no scores, so nothing is fitted for it; name an experiment that does.")
    params = config.resolve(experiment, parsing.parse_settings(options.set))
    return expanded(params), configuration.seed_of(options.seed), experiment.stream_name


def _first_that_needs_scores() -> str:
    return next(e.id for e in project.experiments().values() if e.needs == "scores")


def _told(fitted: Iterable[Held], splits: int, epsilon: float) -> Iterator[Held]:
    """Print a line as each mechanism is done."""
    start = time.perf_counter()
    for i, held in enumerate(fitted):
        yield held
        if held.split + 1 == splits:
            seconds = time.perf_counter() - start
            what = f"{held.log}, ε = {epsilon:g}: {held.model}, {held.mechanism} ({held.variant})"
            print(f"{what}: {i + 1} chains after {seconds:.1f} s", flush=True)
