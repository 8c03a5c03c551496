"""`dpsampling release hmm`: which kinds of months there are, and when each region had which."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from dpsampling.cli import parsing
from dpsampling.cli.commands import release as releases
from dpsampling.errors import InputError
from dpsampling.release.clock import Clock

HELP = "release a hidden Markov model of events by region and month"
PUBLISHES = True  # what noise was added to
BEST = "best"
UP_TO = "6"
PAYING = {  # what a model of noisy counts that are there already does not need
    "schema": "--schema", "unit": "--unit", "identifier": "--id", "max_per_unit": "--max-per-unit",
    "epsilon": "--epsilon", "delta": "--delta", "budget": "--budget", "budget_delta": "--budget-delta",
    "ledger": "--ledger", "report": "--report",
}  # fmt: skip


def arguments(parser: argparse.ArgumentParser) -> None:
    """Of which rows or which release, how many states, and all that every release asks for."""
    parser.add_argument(
        "data", nargs="?", type=Path, metavar="FILE", help="the rows: CSV, plain or gzipped, or Parquet"
    )
    parser.add_argument(
        "--from", dest="released", type=Path, metavar="FOLDER", help="a release: another model of it costs nothing"
    )
    releases.schema_arguments(parser)
    parser.add_argument("--states", metavar="K", help=f"how many states, or '{BEST}': what the noisy counts tell of")
    parser.add_argument("--up-to", metavar="K", help=f"how many states are compared for '{BEST}' (default: {UP_TO})")
    releases.paying_arguments(parser)
    releases.answer_arguments(parser, quantum="5")


def run(options: argparse.Namespace) -> None:
    """The folder."""
    states, up_to = _states(options)
    if (options.data is None) == (options.released is None):
        raise InputError("name a file of rows, or with --from a folder that was released before; one of them.")
    level = parsing.level(options.level, option="--level")
    if options.released is not None:
        _check_nothing_pays(options)
    else:
        releases.check_said(options)
        releases.refuse_delta(options)

    from dpsampling.release import hmm, publish

    if options.released is not None:
        out = options.out or options.released / f"states-{states}"
        made = hmm.derived(options.released, states=states, up_to=up_to, level=level)
        publish.written(out, Clock(0.0), lambda: made)
        told = f"another model of {options.released}, which costs nothing; {made.guarantee}"
        print(f"{out}: {told}; read {out}/CARD.md first")
        return
    epsilon = parsing.level(options.epsilon)
    hmm.asked(states, up_to, level)
    described = releases.described(options, events=True)
    made = publish.publish(
        lambda: hmm.prepare(
            described, options.data, epsilon=epsilon, level=level,
            states=states, up_to=up_to, report=options.report,
        ),
        purse=publish.Purse(*releases.payment(options)),
        beforehand=hmm.compile_chains,
        **releases.answer(options),
    )  # fmt: skip
    releases.tell(options.out, made)


def _check_nothing_pays(options: argparse.Namespace) -> None:
    """Another model of the same noisy counts reads no rows."""
    needless = [option for name, option in PAYING.items() if getattr(options, name) is not None]
    if needless or options.set:
        raise InputError(
            f"{(needless or ['--set'])[0]} is of no use with --from, which reads no rows and costs nothing; leave it "
            "out."
        )


def _states(options: argparse.Namespace) -> tuple[int | str, int]:
    """How many, and up to how many."""
    if options.states is None:
        raise InputError(f"--states is missing; say how many, or '{BEST}' for what the noisy counts tell of.")
    if options.states != BEST and options.up_to is not None:
        raise InputError(f"--up-to goes with --states {BEST}; leave one of them out.")
    states = BEST if options.states == BEST else _whole(options.states, "--states")
    return states, _whole(options.up_to or UP_TO, "--up-to")


def _whole(text: str, option: str) -> int:
    try:
        value = parsing.plain_number(text)
    except ValueError:
        value = math.nan
    if not value % 1 == 0 or not 1 <= value <= 100:
        raise InputError(
            f"{option} is {text if len(text) < 40 else text[:40] + '…'}; it must be a whole number from 1 to 100."
        )
    return int(value)
