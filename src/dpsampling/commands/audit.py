"""`dpsampling audit`: every mechanism, priced and attacked."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpsampling import config, parameters
from dpsampling.documents import merge
from dpsampling.files import check_ending, write_table

HELP = "price and attack every mechanism"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to ask of the mechanisms, and where to write."""
    parser.add_argument("--config", type=Path, metavar="F", help="an overlay of config/config.yaml")
    parser.add_argument(
        "--set", action="append", default=[], metavar="key=value", help="one entry of the configuration's audit"
    )
    parser.add_argument(
        "--seed", metavar="N", help="the number that names the random streams (default: the configuration's)"
    )
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """Write the audit, and say what it found broken."""
    document = config.load(options.config) if options.config else config.settings_of()
    document = config.checked(merge(document, {"audit": parameters.parse_settings(options.set)}))
    seed = document["seed"] if options.seed is None else parameters.check_seed(options.seed)
    check_ending(options.out, ".csv")

    from dpsampling import audit  # the mathematics of every mechanism

    table = audit.table(seed, **document["audit"])
    write_table(options.out, table)
    broken = sorted(set(table.loc[table["verdict"] == "broken", "mechanism"]))
    if broken:
        print(f"dpsampling: the audit found {', '.join(broken)} broken; {options.out} says where.", file=sys.stderr)
