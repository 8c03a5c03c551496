"""Private learners beside diffprivlib's at the same stated ε: `python benchmarks/peers.py`.

diffprivlib 0.6.6 needs an older scikit-learn than ours, so that it runs in an environment of its own, which is made for
this and thrown away (`--environment FOLDER` keeps one); where it cannot be made, a sentence says why and nothing else
is done. Both sides run `peer_side.py`. What is stated of a promise is what each library states: `peer_epsilons.py`
shows what three of theirs are.

    results/peers.csv              the mean of each form at each ε, with its standard error and seconds a fit
    results/benchmark-peers.md     the tables, and where ours is not at least as accurate
"""

from __future__ import annotations

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.datasets import making, splits
from dpsampling.datasets.design import Design
from dpsampling.datasets.recipe import Number
from dpsampling.errors import InputError
from dpsampling.files import write_text
from dpsampling.learners import lloyd
from dpsampling.numerics.randomness import stream

PROJECT = Path(__file__).parents[1]
HERE = Path(__file__).parent
PEER = ("diffprivlib==0.6.6", "scikit-learn==1.7.2")
PYTHON = "3.11"
EPSILONS = (0.01, 0.05, 0.1, 0.5, 1.0, 3.0, 10.0)
DELTA, REGULARISATION, CLUSTERS = 1e-6, 1e-3, 4
ALIKE = 4.0  # combined standard errors
SEED = 2020
HEADER = (
    "Same rows, splits and public bounds, same stated ε; the smaller the better: the share of errors, the mean square "
    "(y on [−1, 1]), or the loss over that of plain Lloyd; mean ± standard error over repeats, and seconds a fit."
)

Task = dict[str, Any]


class UnmadeError(Exception):
    """Why there is no environment."""


# -- their environment -------------------------------------------------------------------------------------------------


@contextmanager
def environment(kept: Path | None, packages: Sequence[str] = PEER, without_needs: Sequence[str] = ()) -> Iterator[Path]:
    """The Python of an environment with diffprivlib; made unless it is there, and removed unless it is kept."""
    with tempfile.TemporaryDirectory() as folder:
        place = kept or Path(folder) / "peer"
        python = place / "bin" / "python"
        if not python.exists():
            make(place, packages, without_needs)
        yield python


def make(place: Path, packages: Sequence[str] = PEER, without_needs: Sequence[str] = ()) -> None:
    """A virtual environment by uv, or by venv and pip; some packages without what they need."""
    python = str(place / "bin" / "python")
    if shutil.which("uv"):
        _run("uv", "venv", "--quiet", "--python", PYTHON, str(place))
        install: tuple[str, ...] = ("uv", "pip", "install", "--quiet", "--python", python)
    else:
        base = shutil.which(f"python{PYTHON}")
        if base is None:
            raise UnmadeError(f"there is neither uv nor python{PYTHON}")
        _run(base, "-m", "venv", str(place))
        install = (python, "-m", "pip", "install", "--quiet")
    _run(*install, *packages)
    if without_needs:
        _run(*install, "--no-deps", *without_needs)


def _run(*command: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=1200)
    except (subprocess.SubprocessError, OSError) as error:
        told = str(getattr(error, "stderr", "") or error).strip().splitlines()
        raise UnmadeError(f"'{command[0]}' failed ({told[-1][:200] if told else error})") from error


# -- what is fitted ----------------------------------------------------------------------------------------------------


def prepare(folder: Path, repeats: int, epsilons: Sequence[float], datasets: Sequence[str]) -> list[str]:
    """Write the data sets and tasks; what is said of those that are absent."""
    tasks: list[Task] = []
    public: dict[str, Any] = {}
    absent = []
    for name in datasets:
        if name == "planted":
            rows, train = planted()
            np.savez(folder / "planted.npz", features=rows, labels=np.zeros(len(rows)), train=train)
            public[name] = {"clusters": CLUSTERS}
            tasks.append(task("k means", name, repeats, labels="labels", score="loss"))
            continue
        try:
            design = making.build(name)
        except InputError as error:
            absent.append(str(error))
            continue
        public[name] = put(folder, design, repeats)
        tasks += [
            task(learner, name, repeats, labels="labels", score="error")
            for learner in ("naive Bayes", "logistic regression", "trees")
        ]
        if design.outcome is not None:
            tasks.append(task("linear regression", name, repeats, labels="outcome", score="square"))
    settings = {"tasks": tasks, "public": public, "epsilons": list(epsilons)}
    (folder / "tasks.json").write_text(json.dumps(settings), encoding="utf-8")
    return absent


def task(learner: str, dataset: str, repeats: int, *, labels: str, score: str) -> Task:
    """What is fitted, and how it is scored."""
    return {"learner": learner, "dataset": dataset, "repeats": repeats, "labels": labels, "score": score}


def put(folder: Path, design: Design, repeats: int) -> dict[str, Any]:
    """A design's rows and splits, one if they are its own; and what is public of it."""
    assert design.cells is not None
    columns = [[float(c.low), float(c.high)] if isinstance(c, Number) else len(c.levels) for c in design.described]
    train = np.zeros((1 if design.own else repeats, design.labels.size), dtype=bool)
    for split, inside in enumerate(train):
        inside[splits.draw(design, stream(SEED, "split", split))[0]] = True
    arrays: dict[str, Any] = {
        "cells": design.cells,
        "features": design.features,
        "labels": design.labels.astype(int),
        "train": train,
    }
    if design.outcome is not None:
        arrays["outcome"] = design.outcome
    np.savez(folder / f"{design.name}.npz", **arrays)
    low, high = zip(*(c if isinstance(c, list) else (0.0, c - 1.0) for c in columns), strict=True)
    shared = {"n": design.train, "delta": DELTA, "regularisation": REGULARISATION}
    return {"columns": columns, "bounds": [low, high], **shared}


def planted(n: int = 20_000) -> tuple[Any, Any]:
    """Four round clusters of sd .08 on a circle of radius .6, within the unit ball; the last fifth is for testing."""
    rng = stream(SEED, "planted")
    angles = np.arange(CLUSTERS) * (2.0 * np.pi / CLUSTERS) + 0.3
    middles = 0.6 * np.column_stack([np.cos(angles), np.sin(angles)])
    rows = middles[rng.integers(CLUSTERS, size=n)] + rng.normal(0.0, 0.08, (n, 2))
    rows /= np.maximum(np.linalg.norm(rows, axis=1), 1.0)[:, None]
    return rows, np.arange(n)[None, :] < 0.8 * n


# -- what is found -----------------------------------------------------------------------------------------------------


def measure(python: Path, folder: Path) -> pd.DataFrame:
    """Both sides, one after the other, each with one numeric thread."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    found = []
    for side, interpreter in (("ours", Path(sys.executable)), ("theirs", python)):
        command = [str(interpreter), str(HERE / "peer_side.py"), side, str(folder)]
        subprocess.run(command, check=True, env={**os.environ, **threads})
        found.append(pd.read_csv(folder / f"{side}.csv").assign(side=side))
    return pd.concat(found, ignore_index=True)


def relative(found: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """Losses of k means over that of plain Lloyd, from the best of some random starts, on the same rows."""
    path = folder / "planted.npz"
    if not path.exists():
        return found
    arrays = np.load(path)
    train, rows = arrays["train"][0], arrays["features"]
    best = min(
        (
            lloyd.lloyd(rows[train], lloyd.drawn_starts(rows[train], CLUSTERS, stream(SEED, "start", i)), 30)[0]
            for i in range(5)
        ),
        key=lambda centres: lloyd.loss(rows[train], centres),
    )
    whole: pd.Series[float] = found["score"] / np.where(
        found["learner"] == "k means", lloyd.loss(rows[~train], best), 1.0
    )
    return found.assign(score=whole)


def summary(found: pd.DataFrame) -> pd.DataFrame:
    """Means and standard errors over repeats."""
    keys = ["learner", "dataset", "side", "form", "epsilon"]
    grouped = found.groupby(keys, sort=False)
    table = grouped.agg(
        score=("score", "mean"), sd=("score", "std"), repeats=("score", "size"), seconds=("seconds", "mean")
    ).reset_index()
    return table.assign(standard_error=table["sd"].fillna(0.0) / np.sqrt(table["repeats"])).drop(columns="sd")


def worse(table: pd.DataFrame, most: float = 1.0) -> list[str]:
    """Where, up to an ε of `most`, the best of theirs is better than the best of ours by more than noise."""
    told = []
    for (learner, dataset, epsilon), rows in table[table["epsilon"] <= most].groupby(
        ["learner", "dataset", "epsilon"], sort=False
    ):
        if set(rows["side"]) != {"ours", "theirs"}:
            continue
        best = {side: mine.nsmallest(1, "score").iloc[0] for side, mine in rows.groupby("side")}
        ours, theirs = best["ours"], best["theirs"]
        apart = math.hypot(ours["standard_error"], theirs["standard_error"])
        if ours["score"] - theirs["score"] > ALIKE * apart:
            told.append(
                f"- {learner} on {dataset} at ε = {epsilon:g}: {theirs['form']} has {theirs['score']:.4g}, "
                f"{ours['form']} {ours['score']:.4g}"
            )
    return told


def report(table: pd.DataFrame, absent: Sequence[str]) -> str:
    """A table for each learner and data set, and where theirs is better."""
    lines = ["# Private learners beside diffprivlib 0.6.6", "", HEADER, "", *(f"Left out: {told}" for told in absent)]
    for (learner, dataset), rows in table.groupby(["learner", "dataset"], sort=False):
        name = str(learner)
        forms = list(dict.fromkeys(zip(rows["side"], rows["form"], strict=True)))
        lines += [
            "",
            f"## {name[0].upper()}{name[1:]}, {dataset} ({int(rows['repeats'].min())} repeats)",
            "",
            "| ε | " + " | ".join(f"{side}: {form}" for side, form in forms) + " |",
            "|---:|" + "---:|" * len(forms),
        ]
        for epsilon, at in rows.groupby("epsilon"):
            cells = [_cell(at[(at["side"] == side) & (at["form"] == form)].iloc[0]) for side, form in forms]
            lines.append(f"| {epsilon:g} | " + " | ".join(cells) + " |")
    pure = table[~table["form"].str.contains("δ")]
    for what, rows in (("the best of ours", table), ("the best of ours without a δ", pure)):
        found = worse(rows)
        verdict = f"Up to ε = 1 {what} is at least as accurate as the best of theirs, but for {ALIKE:g} standard errors"
        lines += ["", f"{verdict}, except:" if found else f"{verdict}.", *([""] if found else []), *found]
    return "\n".join([*lines, ""])


def _cell(row: pd.Series) -> str:
    return f"{row['score']:.4g} ± {row['standard_error']:.1g} ({row['seconds']:.2g} s)"


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write; 0 also where it is skipped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--epsilons", type=float, nargs="+", default=EPSILONS)
    parser.add_argument("--datasets", nargs="+", default=["planted", "abalone", "adult"])
    parser.add_argument("--environment", type=Path, help="a folder for their environment, which is kept")
    parser.add_argument("--out", type=Path, default=PROJECT / "results")
    given = parser.parse_args(arguments)
    try:
        with environment(given.environment) as python, tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            absent = prepare(folder, given.repeats, given.epsilons, given.datasets)
            table = summary(relative(measure(python, folder), folder))
    except UnmadeError as reason:
        print(f"The benchmark beside {PEER[0]} is skipped: {reason}.")
        return 0
    text = report(table, absent)
    print(text)
    write_text(given.out / "benchmark-peers.md", text)
    write_text(given.out / "peers.csv", table.to_csv(index=False))
    return 0


if __name__ == "__main__":
    sys.exit(main())
