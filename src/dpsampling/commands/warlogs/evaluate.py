"""`dpsampling warlogs evaluate`: fits, scored on the held-out cells."""

from __future__ import annotations

import argparse
from pathlib import Path

from dpsampling.errors import InputError
from dpsampling.files import write_table
from dpsampling.outputs import Output

HELP = "score fits on the held-out cells"


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which fits, where to."""
    parser.add_argument("--fits", type=Path, required=True, metavar="FILE.npz")
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """One row a chain and score."""
    from dpsampling.warlogs import archive, sweep  # numpy

    about, arrays = archive.get(options.fits, "fit")
    try:
        epsilon = float(about["epsilon"])
        held = [
            sweep.Held(
                log, model, mechanism, variant, epsilon, split, entries, arrays[f"mixture{i}"], arrays[f"own{i}"]
            )
            for i, (log, model, mechanism, variant, split, entries) in enumerate(about["chains"])
        ]
        whole = bool(held) and all(map(sweep.is_whole, held))
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{options.fits} does not hold fits; make it again with 'dpsampling warlogs fit'.") from error
    if not whole:
        raise InputError(f"{options.fits} has chains without scores; make it again with 'dpsampling warlogs fit'.")
    write_table(options.out, sweep.evaluate(held))
