"""`dpsampling profiles solve`: the mechanism of a profile graph."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.cli.outputs import OutputFile

HELP = "compute the mechanism of a profile graph"
DESCRIPTION = (
    "Compute the mechanism that hides which of two joined profiles an observation comes from, with the least noise, "
    "and write it as a JSON file with its verified epsilon."
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which graph, at which level, by which mechanism."""
    parser.add_argument(
        "--profiles",
        type=Path,
        required=True,
        metavar="P.csv",
        help="one row a profile: its name (column 'profile'), then its probability of each category (other columns)",
    )
    parser.add_argument(
        "--edges", type=Path, required=True, metavar="E.csv", help="one row an edge: two names that are to be confused"
    )
    parser.add_argument("--epsilon", required=True, metavar="E", help="the level, above 0")
    parser.add_argument(
        "--mechanism",
        choices=("smooth", "smooth-one-bit", "cluster", "randomized-response"),
        default="smooth",
        help="smooth: a matrix a profile (default); smooth-one-bit: a flip a profile, two categories; cluster: a flip "
        "a connected component, two categories; randomized-response: the same for all profiles",
    )
    parser.add_argument(
        "--lexicographic",
        action="store_true",
        help="make not only the largest flip least, but then the second largest profile's, and so on (smooth ones)",
    )
    parser.add_argument("--out", action=OutputFile, metavar="FILE.json", help="default: standard output")


def run(options: argparse.Namespace) -> None:
    """Write the mechanism and say what it is; without a file, print it."""
    from dpsampling.profiles import command_line  # scipy's solvers

    summary = command_line.solve(
        options.profiles, options.edges, options.epsilon, options.mechanism, options.lexicographic, options.out
    )
    print(summary, end="")
