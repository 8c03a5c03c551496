"""`dpsampling artifact measure`: what a results tree took, and what came out of it."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling import files
from dpsampling.cli.outputs import OutputFile
from dpsampling.files.documents import read_yaml
from reproduction.artifact import measured

HELP = "take the appendix's numbers from a results tree at paper scale"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which tree, which main claims, to which file."""
    parser.add_argument("results", nargs="?", type=Path, default=Path("results"), metavar="FOLDER")
    parser.add_argument("--main", type=Path, required=True, metavar="FILE.yaml", help="the artifact's main claims")
    parser.add_argument("--out", action=OutputFile, required=True, metavar="FILE.json")


def run(options: argparse.Namespace) -> None:
    """A JSON file."""
    claims = measured.main_claims(read_yaml(options.main), str(options.main))
    files.write_json(options.out, measured.measure(options.results, claims))
