"""`dpsampling warlogs fit`: both models, by every mechanism, at one ε, on every split."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from dpsampling import parameters
from dpsampling.commands import warlogs as event_logs
from dpsampling.files import atomic_path, read_table
from dpsampling.outputs import Output

HELP = "fit both models with every mechanism at one ε, on every split: an evaluation, protects nothing"


def arguments(parser: argparse.ArgumentParser) -> None:
    """For which experiment, of which log, at which level, where to."""
    event_logs.sweep_arguments(parser)
    event_logs.counts_argument(parser)
    parser.add_argument("--splits", type=Path, required=True, metavar="FILE.csv")
    parser.add_argument("--epsilon", required=True, metavar="E", help="the privacy level, or inf for no privacy")
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.npz")


def run(options: argparse.Namespace) -> None:
    """What evaluation needs of every chain, with a line as each mechanism is done."""
    epsilon = parameters.level(options.epsilon, infinite=True)
    params, seed, stream = event_logs.sweep_of(options)

    from dpsampling import randomness  # numpy, and numba in the chains
    from dpsampling.warlogs import archive, counts, splits, sweep

    log = counts.load(options.counts)
    trained = splits.masks(log, read_table(options.splits, "warlogs split"))
    about: list[list[Any]] = []
    arrays: dict[str, Any] = {}
    start = time.perf_counter()
    for i, held in enumerate(sweep.fits(log, trained, epsilon, params, randomness.stream(seed, stream))):
        about.append([held.log, held.model, held.mechanism, held.variant, held.split, held.entries])
        arrays[f"mixture{i}"], arrays[f"own{i}"] = held.mixture, held.own
        if held.split + 1 == len(trained):
            seconds = time.perf_counter() - start
            what = f"{held.log}, ε = {epsilon:g}: {held.model}, {held.mechanism} ({held.variant})"
            print(f"{what}: {i + 1} chains after {seconds:.1f} s", flush=True)
    with atomic_path(options.out) as partial:
        archive.put(partial, "fit", {"epsilon": repr(epsilon), "chains": about}, arrays)
