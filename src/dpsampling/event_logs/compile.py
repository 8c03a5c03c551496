"""Compile chains before they are needed: `python -m dpsampling.event_logs.compile`, which the set-up calls.

Numba keeps what it compiled beside the sources. Compiled on demand, two jobs that start together would both do the same
work of some ten seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from dpsampling.event_logs import sweep
from dpsampling.event_logs.chains import Model
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.mechanisms import VARIANTS, Mechanism, NoisyCounts, NonPrivate, OnePosteriorSample


def main() -> None:
    """The shortest chain of every mechanism and model."""
    log = smallest_log()
    trained = np.ones(log.entries.shape, dtype=bool)
    trained[0, 0] = False
    several: list[Mechanism] = [NonPrivate(), *(NoisyCounts(1.0, v) for v in VARIANTS), OnePosteriorSample(1.0, 10.0)]
    alone: list[Mechanism] = [NonPrivate(), NoisyCounts(1.0), OnePosteriorSample(1.0, 10.0)]
    for states, mechanisms in ((2, several), (1, alone)):
        for mechanism in mechanisms:
            model = Model(states, iterations=3, burn_in=1)
            sweep.run(log, trained, model, mechanism, np.random.default_rng(1), "compile")
    posterior_chains()


def posterior_chains(say: Callable[[str], None] = lambda _: None) -> None:
    """The chain of releases; it is said where nobody has compiled it before, as far as one can see."""
    from dpsampling.event_logs import posterior, summed_out

    if summed_out.sweeps.signatures:
        return
    if not any(Path(str(summed_out.sweeps.stats.cache_path)).glob("summed_out.sweeps-*.nbi")):
        say("compiling the sampler, once on this machine: half a minute or so")
    log = smallest_log()
    noisy = posterior.Noisy(log.counts.reshape(6, -1).astype(float), 2.0, 2, log.sizes)
    rng = np.random.default_rng(1)
    table = summed_out.grid(noisy.counts, noisy.scale)
    trained = np.ones(log.entries.shape, dtype=bool)
    place = posterior.start(noisy, trained, 2, rng)
    posterior.run(noisy, trained, table, rng, place, 1, posterior.Prior())


def smallest_log() -> EventCounts:
    """Two regions, three months, two features."""
    counts = np.tile(np.array([2, 1, 1, 3, 1], dtype=np.int64), (2, 3, 1))
    outcomes = (("a", "b", "c"), ("none", "some"))
    months = ("2000-01", "2000-02", "2000-03")
    return EventCounts("smallest", "Smallest", "simulated", ("x", "y"), months, ("kind", "hurt"), outcomes, counts)


if __name__ == "__main__":
    main()
