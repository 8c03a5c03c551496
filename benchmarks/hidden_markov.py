"""What a chain of the hidden Markov model costs, and how that grows: `python benchmarks/hidden_markov.py`.

A chain has 200 iterations of 10 states on a simulated log of Afghanistan's shape, 360 cells and 168 outcomes. Each
mechanism stands beside the same chain in plain NumPy, `hmm_reference`, and beside the floor: as many gamma draws of the
same shapes by NumPy's method in a compiled loop, and nothing else. All are timed in turn, and the least time counts:
what else the machine does falls on all of them alike.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping

import numpy as np
from hmm_reference import chain as reference
from numba import njit
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from dpsampling.event_logs import chains, counts, gibbs, latent, mechanisms, names, schema

REPEATS = 7
TIMES = (1, 3, 10, 30, 100)
STATES = (2, 5, 10, 20, 50, 100, 200)
GROWTH = 12  # iterations of a chain whose growth is measured


@njit(cache=True)
def gamma_draws(rng: np.random.Generator, shapes: NDArray[np.float64], iterations: int) -> float:
    """The floor: one draw of each shape an iteration, by the generator's own method."""
    total = 0.0
    for _ in range(iterations):
        for k in range(shapes.shape[0]):
            for j in range(shapes.shape[1]):
                total += rng.standard_gamma(shapes[k, j])
    return total


def tables() -> list[str]:
    """A chain by mechanism, and its growth, on one thread."""
    with threadpool_limits(1):
        return [*by_mechanism(), "", *growth()]


def by_mechanism() -> list[str]:
    """Milliseconds a chain, as ratios to the reference and to the floor."""
    log = counts.of_log(schema.load("afghanistan"), seed=1)
    trained = np.ones(log.entries.shape, dtype=bool)
    model = chains.Model(10)
    matrix = log.counts.reshape(trained.size, -1).astype(float)
    ways: list[mechanisms.Mechanism] = [mechanisms.NonPrivate(), mechanisms.NoisyCounts(5.0)]
    ways += [mechanisms.OnePosteriorSample(5.0, 10.0), mechanisms.OnePosteriorSample(5.0, 100.0)]
    ways += [mechanisms.NoisyCounts(5.0, names.NOISE_AWARE)]

    def run(mechanism: mechanisms.Mechanism) -> chains.Fit:
        rng = np.random.default_rng(1)
        return chains.fit(log, trained, model, mechanism, noise=rng, rng=rng)

    def run_reference() -> object:
        settings = (model.states, model.alpha, model.beta, model.iterations, model.burn_in)
        held_out = np.empty((0, matrix.shape[1]))
        return reference(np.random.default_rng(1), matrix, matrix, trained, held_out, log.offsets, *settings)

    totals = np.empty((model.states, matrix.shape[1]))
    gibbs.sum_by_state(matrix, trained, run(ways[0]).states[-1].astype(np.int64), totals)
    jobs: dict[str, Callable[[], object]] = {
        "floor": lambda: gamma_draws(np.random.default_rng(1), totals + model.beta, model.iterations)
    }
    for way in ways:
        jobs[f"{way.name} ({way.variant})"] = lambda chosen=way: run(chosen)  # type: ignore[misc]
    least = interleaved(jobs, REPEATS)
    plain = interleaved({"reference": run_reference}, 1)["reference"]
    floor = least.pop("floor")
    rows = [
        f"| {name} | {1e3 * seconds:.1f} | {plain / seconds:.3g} | {seconds / floor:.2f} |"
        for name, seconds in least.items()
    ]
    return [
        "## A chain of the hidden Markov model",
        "",
        f"Plain NumPy takes {plain:.2f} s for the one without privacy; the gamma draws alone {1e3 * floor:.1f} ms.",
        "",
        "| mechanism | ms | NumPy over ours | over the gamma draws |",
        "|---|---:|---:|---:|",
        *rows,
    ]


def growth() -> list[str]:
    """Milliseconds an iteration, and the exponent of time over the upper half of a range on logarithmic scales."""
    lines = [
        "## Growth of a chain, ms an iteration",
        "",
        "| grows | mechanism | times | exponent |",
        "|---|---|---|---:|",
    ]
    sizes: dict[str, list[tuple[int, int, int]]] = {
        "cells, × 360": [(360 * many, 168, 10) for many in TIMES],
        "outcomes, × 168": [(360, 168 * many, 10) for many in TIMES],
        "states": [(360, 168, many) for many in STATES],
    }
    scales = {"cells, × 360": TIMES, "outcomes, × 168": TIMES, "states": STATES}
    for grows, shapes in sizes.items():
        for name in ("non-private", "ops", "noise-aware"):
            jobs = {str(many): job(name, *shape) for many, shape in zip(scales[grows], shapes, strict=True)}
            least = interleaved(jobs, 2)
            times = [1e3 * seconds / GROWTH for seconds in least.values()]
            half = len(times) // 2
            slope = np.polyfit(np.log(scales[grows][half:]), np.log(times[half:]), 1)[0]
            told = ", ".join(f"{many}: {ms:.3g}" for many, ms in zip(least, times, strict=True))
            lines.append(f"| {grows} | {name} | {told} | {slope:.2f} |")
    return lines


def job(name: str, cells: int, outcomes: int, states: int) -> Callable[[], object]:
    """A chain of one feature in regions of 72 months: some 300 entries a cell, and two kinds of months."""
    rng = np.random.default_rng(2)
    kinds = rng.dirichlet(np.full(outcomes, 0.3), 2)
    matrix = rng.poisson(300.0 * kinds[rng.integers(0, 2, cells)]).astype(float)
    # as kept, states are numbers of 8 bits: of the 200 that are tried here a release may have half
    shape = (np.ones((cells // 72, 72), dtype=bool), np.empty((0, outcomes)), np.array([0, outcomes]), states, 1.0, 1.0)
    if name == "noise-aware":
        mechanism = mechanisms.NoisyCounts(1.0, names.NOISE_AWARE)
        noisy, scale = mechanism.simulate(matrix, 1, rng), mechanism.scale(1)
        return lambda: latent.chain(rng, noisy, scale, chains.SHARE, *shape, GROWTH, GROWTH - 1)
    power, floors = 1.0, np.zeros(1)
    if name == "ops":
        ops = mechanisms.OnePosteriorSample(5.0, 100.0)
        power, floors = 1.0 / ops.temperature((outcomes,)), ops.floors((outcomes,))
    return lambda: gibbs.chain(rng, matrix, matrix, *shape, power, floors, GROWTH, GROWTH - 1)


def interleaved(jobs: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Seconds of each job: the least of so many rounds, after one that compiles where there are more than one."""
    least = dict.fromkeys(jobs, math.inf)
    for work in jobs.values() if repeats > 1 else ():
        work()
    for _ in range(repeats):
        for name, work in jobs.items():
            start = time.perf_counter()
            work()
            least[name] = min(least[name], time.perf_counter() - start)
    return least


if __name__ == "__main__":
    print("\n".join(tables()))
