"""`dpsampling warlogs split`: the cells of a log that are held out."""

from __future__ import annotations

import argparse

from dpsampling.commands import warlogs as event_logs
from dpsampling.files import write_table
from dpsampling.outputs import Output

HELP = "choose the cells that are held out"


def arguments(parser: argparse.ArgumentParser) -> None:
    """For which experiment, of which log, where to."""
    event_logs.sweep_arguments(parser)
    event_logs.counts_argument(parser)
    parser.add_argument("--splits", metavar="N", help="how many splits (default: the experiment's)")
    parser.add_argument("--share", metavar="S", help="the share of cells held out (default: the experiment's)")
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """One row a split and cell."""
    named = {"splits": options.splits, "share": options.share}
    options.set += [f"{name}={value}" for name, value in named.items() if value is not None]
    params, seed, stream = event_logs.sweep_of(options)

    from dpsampling import randomness  # numpy
    from dpsampling.warlogs import counts, splits

    log = counts.load(options.counts)
    drawn = splits.draw(log, params["splits"], params["share"], randomness.stream(seed, stream))
    write_table(options.out, splits.frame(log, drawn))
