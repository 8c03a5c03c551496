"""`dpsampling amplification kernel`: what one finite Markov kernel leaves of a guarantee."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.cli.outputs import OutputFile
from dpsampling.files import write_table

HELP = "a finite Markov kernel: its mixing coefficients and Theorem 15's bounds"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which kernel, after which mechanism."""
    parser.add_argument(
        "--kernel",
        type=Path,
        required=True,
        metavar="FILE.csv",
        help="numbers alone, one row an input, one column an output",
    )
    parser.add_argument(
        "--epsilon", type=float, required=True, metavar="ε", help="of the mechanism that it post-processes"
    )
    parser.add_argument("--delta", type=float, default=0.0, metavar="δ", help="of the mechanism (default: 0)")
    parser.add_argument("--out", action=OutputFile, metavar="FILE.csv", help="write the table there as well")


def run(options: argparse.Namespace) -> None:
    """Print the table, and write it if a file is named."""
    from dpsampling.amplification import kernel_table  # numpy and pandas
    from dpsampling.privacy.guarantee import shown

    table = kernel_table.table(kernel_table.read(options.kernel), options.epsilon, options.delta)
    if options.out is not None:
        write_table(options.out, table)
    told = table.map(lambda cell: cell if isinstance(cell, str) else shown(cell))
    print(told.to_string(index=False))
