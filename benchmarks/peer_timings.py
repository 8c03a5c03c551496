"""Times of the same work by this library and by its peers: `python benchmarks/peer_timings.py`.

An environment of its own gets the versions of `PACKAGES`, is thrown away (`--environment FOLDER` keeps one), and runs
`peer_work.py` on one processor and one thread. Where it cannot be made, or with `--here`, what is installed is timed
and a sentence tells what is not. All ways of a task are timed in turn, round after round: a ratio is the median over
rounds of two times of one round, so that what else the machine does falls on both.

    results/peer_timings.json      times, ratios to ours, answers, versions, the machine, and which names exist
    results/peer_timings.md        the same as tables

`--renew` writes benchmarks/peer_timings.json and the tables of docs/peers.md in place of these.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

import peer_page
import peers

from dpsampling.files import write_text
from reproduction.provenance import cpu

PROJECT = Path(__file__).parents[1]
RECORD = PROJECT / "benchmarks" / "peer_timings.json"
PACKAGES = {
    "autodp": "0.2.3.1",
    "dp-accounting": "0.6.0",
    "OpenDP": "0.16.0",
    "diffprivlib": "0.6.6",
    "twinify": "2.0.0",
    "d3p": "0.2.0",
    "dynamax": "1.0.3",
    "hmmlearn": "0.3.3",
}
LOOKED_AT = ("twinify", "d3p")  # for their names alone: they need older libraries than the others
BESIDE = ("scikit-learn==1.7.2", "mpmath>=1.3")
ROUNDS, LEAST = 15, 0.01  # seconds of one measurement, at least
Json = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write; 0 also where peers are absent."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--environment", type=Path, help="a folder for the peers' environment, which is kept")
    parser.add_argument("--here", action="store_true", help="time what is installed here")
    parser.add_argument("--out", type=Path, default=PROJECT / "results")
    parser.add_argument("--renew", action="store_true", help="write the committed record and page")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.child:
        given.child.write_text(json.dumps(measured(given.rounds)), encoding="utf-8")
        return 0
    record = _in_environment(given)
    text = peer_page.timings(record)
    print(text)
    if given.renew:
        write_text(RECORD, json.dumps(record, indent=1, ensure_ascii=False) + "\n")
        peer_page.renew()
        return 0
    write_text(given.out / "peer_timings.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")
    write_text(given.out / "peer_timings.md", text)
    return 0


def _in_environment(given: argparse.Namespace) -> Json:
    if given.here:
        return _child(Path(sys.executable), given.rounds)
    timed = [f"{name}=={version}" for name, version in PACKAGES.items() if name not in LOOKED_AT]
    bare = [f"{name}=={PACKAGES[name]}" for name in LOOKED_AT]
    try:
        with peers.environment(given.environment, (f"{PROJECT}[warlogs,learners]", *timed, *BESIDE), bare) as python:
            return _child(python, given.rounds)
    except peers.UnmadeError as told:
        print(f"The peers' environment cannot be made: {told}. What is installed here is timed.")
        return _child(Path(sys.executable), given.rounds)


def _child(python: Path, rounds: int) -> Json:
    """What this script measures under another interpreter, with one thread and our sources."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    ours = {"PYTHONPATH": str(PROJECT / "src"), "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONWARNINGS": "ignore"}
    with tempfile.TemporaryDirectory() as folder:
        found = Path(folder) / "found.json"
        command = [str(python), __file__, "--child", str(found), "--rounds", str(rounds)]
        subprocess.run(command, check=True, env={**os.environ, **threads, **ours})
        record: Json = json.loads(found.read_text(encoding="utf-8"))
        return record


def measured(rounds: int) -> Json:
    """Everything, on one processor."""
    import peer_names
    import peer_work

    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    before = os.getloadavg()[0]
    ways, absent = _ways(peer_work)
    truths = peer_work.truths()
    tasks = []
    for name, task in peer_work.TASKS.items():
        found = [(package, way) for package, way in ways if way.task == name]
        with peer_work.quiet():
            rows = timed([(package, way.call, way.run, way.times, way.answers) for package, way in found], rounds)
        for row in rows:
            if name in truths and row["answer"] is not None:
                row["off"] = float(f"{peer_work.off(row['answer'], truths[name]):.2g}")
        tasks.append({"task": name, **task._asdict(), "ways": rows})
    return {
        "machine": {
            "processor": cpu(),
            "processors": os.cpu_count(),
            "used": 1,
            "python": sys.version.split()[0],
            "load": [round(before, 1), round(os.getloadavg()[0], 1)],
        },
        "rounds": rounds,
        "versions": {name: version(name) for name in (*PACKAGES, "numpy", "scipy", "numba", "jax")},
        "absent": absent,
        "names": peer_names.existing(),
        "tasks": tasks,
    }


def _ways(work: Any) -> tuple[list[tuple[str, Any]], list[str]]:
    """Of ours first, then of every peer that is installed; a sentence on each that is not."""
    ways, absent = [("ours", way) for way in work.ours()], []
    for name, make in work.PEERS.items():
        try:
            with work.quiet():
                ways += [(name, way) for way in make()]
        except ImportError as error:
            absent.append(f"{name} {PACKAGES[name]} is left out, for it cannot be imported here ({error}).")
    return ways, absent


def timed(ways: Sequence[tuple[str, str, Callable[[], Any], int, bool]], rounds: int) -> list[Json]:
    """Medians of each way's time and of its ratio to the first way, with the quartiles of the latter."""
    numbers, answers = [], []
    for _, _, run, _, keeps in ways:
        answer = run()  # compiles, too
        answers.append(float(answer) if keeps else None)
        start = time.perf_counter()
        run()
        numbers.append(max(1, round(LEAST / max(time.perf_counter() - start, 1e-9))))
    times: list[list[float]] = [[] for _ in ways]
    for turn in range(rounds):
        for i in (*range(turn % len(ways), len(ways)), *range(turn % len(ways))):
            _, _, run, each, _ = ways[i]
            start = time.perf_counter()
            for _ in range(numbers[i]):
                run()
            times[i].append((time.perf_counter() - start) / (numbers[i] * each))
    rows = []
    for (package, call, *_), mine, answer in zip(ways, times, answers, strict=True):
        ratios = [a / b for a, b in zip(mine, times[0], strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4) if rounds > 1 else ratios * 3
        rows.append(
            {
                "package": package,
                "call": call,
                "seconds": float(f"{statistics.median(mine):.4g}"),
                "ratio": float(f"{middle:.4g}"),
                "quartiles": [float(f"{low:.4g}"), float(f"{high:.4g}")],
                "answer": answer,
            }
        )
    return rows


def version(name: str) -> str | None:
    """Of what is installed."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main())
