"""`dpsampling audit`: every mechanism and its planted violations, priced and attacked."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from dpsampling.cli import configuration, parsing
from dpsampling.cli.outputs import OutputFile
from dpsampling.cli.parsing import changes_argument
from dpsampling.files import put_table, staged
from dpsampling.files.documents import merge

HELP = "price and attack every mechanism, and the lies that it could tell"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What to ask of the mechanisms, and where to write."""
    parser.add_argument("--config", type=Path, metavar="F", help="an overlay of config/config.yaml")
    changes_argument(parser, "one entry of the configuration's audit")
    parser.add_argument(
        "--seed", metavar="N", help="the number that names the random streams (default: the configuration's)"
    )
    parser.add_argument(
        "--liars", action=OutputFile, metavar="FILE.csv", help="where the lies go, a row each (default: nowhere)"
    )
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """Write the audit, and say what it found broken."""
    document = configuration.settings_of(options.config)
    document = configuration.checked(merge(document, {"audit": parsing.parse_settings(options.set)}))
    seed = document["seed"] if options.seed is None else parsing.check_seed(options.seed)
    settings = configuration.audit_of(document, document["scale"])

    from dpsampling.audit import every_mechanism  # all of the mathematics

    table, liars = every_mechanism.tables(seed, **settings)
    written = [(options.out, table), *([(options.liars, liars)] if options.liars else [])]
    with staged(*(path for path, _ in written)) as partials:
        for partial, (_, rows) in zip(partials, written, strict=True):
            put_table(partial, rows)
    broken = sorted(set(table.loc[table["verdict"].str.startswith(every_mechanism.BROKEN), "mechanism"]))
    if broken:
        print(f"dpsampling: the audit found {', '.join(broken)} broken; {options.out} says where.", file=sys.stderr)
