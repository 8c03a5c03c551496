"""Data sets in the workflow: nothing stops for want of one, nobody's rows are among the results, the page's example."""

import hashlib
import re
import shlex
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from test_documentation import BLOCK

from conftest import PROJECT, QUICK
from dpsampling.datasets import design
from reproduction import verification

ROWS = "1,2\n3,1\n5,2\n7,1\n"
PAIRS = {
    "title": "Pairs",
    "source": "here",
    "public": {"by": "everybody", "on": "2024-05-31"},
    "file": "data/raw/pairs.csv",
    "sha256": hashlib.sha256(ROWS.encode()).hexdigest(),
    "fetch": [{"url": ["https://nowhere.invalid/pairs.csv"]}, {"pip": "pairs==1", "files": ["pairs.csv"]}],
    "names": ["x", "y"],
    "columns": {"x": {"bounds": [0, 10]}},
    "label": {"column": "y", "one": ["1"]},
    "split": {"train": 2},
}
EXPERIMENT = """
title: A toy that is made from data sets
source: a test
part: logistic
code: toy
parameters: {datasets: [pairs], n: 3}
"""
MODULE = '''"""A toy."""

import pandas as pd

from reproduction.claims import EXACT, at_most
from dpsampling.release.style import house_style, subplots

COLUMNS = {"n": int}
EVIDENCE = EXACT


def table(params, rng):
    return pd.DataFrame({"n": [params["n"]]})


def figure(table, params):
    with house_style():
        figure, (axes,) = subplots()
        axes.plot([0, 1])
        return figure


def claims(table, params):
    return [at_most("n", "a test", "n is at most 9", limit=9, measured=float(table["n"].max()))]
'''
OVERLAY = """
seed: 11
run: [fig5_2, toy]
audit: {draws: 2000, orders: [2], epsilons: [1]}
experiments:
  fig5_2: {orders: [1.5, 2, 5], scales: [0.5, 1]}
"""
RUN = QUICK
SENTENCE = (
    "data set pairs is not at data/raw/pairs.csv; run 'make data' where there is a network, or put it there, from "
    "https://nowhere.invalid/pairs.csv."
)


@pytest.fixture
def offline(project_copy, monkeypatch):
    """A copy with an experiment that is made from a data set, on a machine that reaches nothing."""
    for name, value in {"PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "https_proxy": "http://127.0.0.1:9"}.items():
        monkeypatch.setenv(name, value)
    folder = project_copy.folder
    (folder / "config/datasets/pairs.yaml").write_text(yaml.safe_dump(PAIRS), encoding="utf-8")
    (folder / "config/experiments/toy.yaml").write_text(EXPERIMENT, encoding="utf-8")
    (folder / "src/reproduction/experiments/toy.py").write_text(MODULE, encoding="utf-8")
    (folder / "overlay.yaml").write_text(OVERLAY, encoding="utf-8")
    return project_copy


def claimed(folder):
    return set(pd.read_csv(folder / "results/quick/claims.csv")["experiment"])


def test_a_run_without_the_files_is_a_whole_tree_and_the_next_one_with_them_too(offline):
    assert f"toy is not made: {SENTENCE}\n" in offline.run(*RUN, "all").stdout
    results = offline.folder / "results/quick"
    assert verification.verify(results).faults == ()
    assert claimed(offline.folder) == {"fig5_2"}
    lacking = pd.read_csv(results / "not_made.csv")
    assert lacking.to_dict("records") == [{"experiment": "toy", "dataset": "pairs", "why": SENTENCE}]
    page = (results / "report.html").read_text(encoding="utf-8")
    assert 'id="not-made"' in page
    assert "nowhere.invalid" in page
    assert list(yaml.safe_load((results / "config.yaml").read_text(encoding="utf-8"))["experiments"]) == ["fig5_2"]
    assert offline.planned(*RUN, "all") == []
    assert offline.run(*RUN, "toy", check=False).returncode != 0

    raw = offline.folder / "data/raw/pairs.csv"
    raw.parent.mkdir(parents=True, exist_ok=True)
    raw.write_text(ROWS, encoding="utf-8")
    targets = ("all", "results/quick/designs/pairs.npz")
    assert "toy is not made" not in offline.run(*RUN, *targets).stdout
    assert claimed(offline.folder) == {"fig5_2", "toy"}
    assert pd.read_csv(results / "not_made.csv").empty
    assert verification.verify(results).faults == ()
    assert "Not made" not in (results / "report.html").read_text(encoding="utf-8")
    assert design.load(results / "designs/pairs.npz").labels.tolist() == [0, 1, 0, 1]
    assert offline.planned(*RUN, *targets) == []


def test_one_figure_by_make_ends_with_the_sentence_and_data_are_had_by_make(offline):
    environment = Path(sys.prefix)
    if not (environment / ".ready").exists():
        pytest.skip("this Python is not the environment that `make` sets up")
    make = ["make", "-o", f"{environment}/.ready", f"VENV={environment}", "CORES=2"]
    settings = {"cwd": offline.folder, "env": offline.environment, "capture_output": True, "text": True, "check": False}
    failed = subprocess.run([*make, "figure", "ID=toy"], **settings)
    assert failed.returncode == 2
    assert failed.stderr.splitlines()[-2] == f"dpsampling: {SENTENCE}"
    for name in ("abalone", "adult", "mnist38"):
        (offline.folder / f"config/datasets/{name}.yaml").unlink()
    (offline.folder / "pairs.csv").write_text(ROWS, encoding="utf-8")
    told = {**PAIRS, "fetch": [{"url": [(offline.folder / "pairs.csv").as_uri()]}]}
    (offline.folder / "config/datasets/pairs.yaml").write_text(yaml.safe_dump(told), encoding="utf-8")
    assert subprocess.run([*make, "data"], **settings).returncode == 0
    assert (offline.folder / "data/raw/pairs.csv").read_text() == ROWS


def test_the_example_of_datasets_md_runs_and_its_rows_stay_private(project_copy):
    """By hand: the ages are 71 and so on of 110, attic is elsewhere, no fever is 37, and 12, 21, 9 days are long."""
    page = (PROJECT / "docs/datasets.md").read_text(encoding="utf-8")
    folder = project_copy.folder
    for name, _, code in BLOCK.findall(page):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(code, encoding="utf-8")
    project_copy.run("--cores", "1", "--", "private/designs/stays.npz")
    made = design.load(folder / "private/designs/stays.npz")
    assert made.columns == ("age", "ward=south", "ward=elsewhere", "fever")
    assert made.labels.tolist() == [1, 0, 0, 1, 1, 0]
    raw = np.array([[35 / 110 - 0.5, 0.5, -0.5, 2 / 7 - 0.5], [8 / 110 - 0.5, -0.5, 0.5, 4.1 / 7 - 0.5]])
    assert made.features[1:3] == pytest.approx(raw / np.linalg.norm(raw, axis=1, keepdims=True), abs=1e-13)
    tree = [folder / "private", *(folder / "private").rglob("*")]
    assert stat.S_IMODE(tree[0].stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in tree if p.suffix == ".npz"} == {0o600}
    assert not (folder / "results").exists()

    command = [sys.executable, "-c", re.search(r"```python\n(.*?)```", page, re.DOTALL)[1]]
    settings = {"cwd": folder, "env": project_copy.environment, "capture_output": True, "text": True, "check": True}
    assert "(3, 4)" in subprocess.run(command, **settings).stdout
    shown = re.findall(r"^\$ dpsampling (.+)$", page, re.MULTILINE)
    assert len(shown) == 2
    for words in shown:
        project_copy.dpsampling(*shlex.split(words))
    assert (folder / "stays.json").is_file()
