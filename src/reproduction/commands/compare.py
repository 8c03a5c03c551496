"""`dpsampling compare`: what changed between two results trees."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import files
from dpsampling.cli.outputs import OutputFile

HELP = "what changed in parameters, verdicts, numbers and bytes between two results trees; 1 if anything did"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which trees, and how much is told."""
    parser.add_argument("old", type=Path, metavar="OLD-RESULTS")
    parser.add_argument("new", type=Path, metavar="NEW-RESULTS")
    parser.add_argument(
        "--machines",
        action="store_true",
        help="leave out what two machines may differ by: last digits, and bytes of files",
    )
    parser.add_argument("--most", type=int, default=20, metavar="N", help="lines of each kind (default: %(default)s)")
    parser.add_argument("--out", action=OutputFile, metavar="FILE.csv", help="every change, one a row")


def run(options: argparse.Namespace) -> int:
    """0 where nothing changed, 1 where something did, as `diff` has it."""
    from reproduction import comparison  # pandas

    trees = options.old, options.new
    changes = comparison.compare(*trees, machines=options.machines)
    if options.out is not None:
        files.write_table(options.out, comparison.frame(changes))
    print("\n".join(comparison.words(changes, *trees, max(options.most, 0), machines=options.machines)))
    return 1 if changes else 0
