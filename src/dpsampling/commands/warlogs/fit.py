"""`dpsampling warlogs fit`: both models, by every mechanism, at one ε, on every split, scored."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from dpsampling import parameters
from dpsampling.commands import warlogs as event_logs
from dpsampling.files import write_table
from dpsampling.outputs import Output

if TYPE_CHECKING:
    from dpsampling.warlogs.sweep import Held

HELP = "fit both models with every mechanism at one ε and score them on held-out cells: an evaluation, protects nothing"


def arguments(parser: argparse.ArgumentParser) -> None:
    """For which experiment, of which log, at which level, where to."""
    event_logs.sweep_arguments(parser)
    event_logs.counts_argument(parser)
    parser.add_argument("--epsilon", required=True, metavar="E", help="the privacy level, or inf for no privacy")
    parser.add_argument("--out", action=Output, required=True, metavar="FILE.csv")


def run(options: argparse.Namespace) -> None:
    """One row a chain and score, with a line as each mechanism is done."""
    epsilon = parameters.level(options.epsilon, infinite=True)
    params, seed, stream = event_logs.sweep_of(options)

    from dpsampling import randomness  # numpy, and numba in the chains
    from dpsampling.warlogs import counts, splits, sweep

    log, rng = counts.load(options.counts), randomness.stream(seed, stream)
    trained = splits.draw(log, params["splits"], params["share"], rng)
    fitted = _told(sweep.fits(log, trained, epsilon, params, rng), len(trained), epsilon)
    write_table(options.out, sweep.evaluate(fitted))


def _told(fitted: Iterable[Held], splits: int, epsilon: float) -> Iterator[Held]:
    """Print a line as each mechanism is done."""
    start = time.perf_counter()
    for i, held in enumerate(fitted):
        yield held
        if held.split + 1 == splits:
            seconds = time.perf_counter() - start
            what = f"{held.log}, ε = {epsilon:g}: {held.model}, {held.mechanism} ({held.variant})"
            print(f"{what}: {i + 1} chains after {seconds:.1f} s", flush=True)
