"""`dpsampling report`: one page with claims, errata, figures and costs."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.cli.outputs import OutputFile
from dpsampling.files import inherit_permissions, write_text
from reproduction import report

HELP = "write the report: one page with claims, errata, figures and costs"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Of which results, to which file."""
    parser.add_argument("--results", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.html")


def run(options: argparse.Namespace) -> None:
    """One file that needs no other."""
    with inherit_permissions(*options.results.glob("*.csv"), *options.results.glob("figures/*.png")):
        write_text(options.out, report.page(options.results))
