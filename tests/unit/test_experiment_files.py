"""Files of config/experiments and config/datasets as a contributor writes them, right and wrong, each in a clone."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Copy

HEAD = "title: mine\nsource: ours\n"
OWN = f"{HEAD}part: chapter5\n"
PARAMETERS = (
    "parameters: {prior: [6, 18], n: 100, successes: 32, order: 2, epsilons: [0.1, 1], family: beta-bernoulli}\n"
)


@pytest.fixture(scope="module")
def clone(tmp_path_factory):
    return Copy(tmp_path_factory.mktemp("clone") / "project")


def run(clone, *arguments):
    return subprocess.run(
        [sys.executable, "-m", "dpsampling", *arguments],
        cwd=clone.folder,
        env=clone.environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def write(clone):
    """Write a file of the clone for one test."""
    written: list[Path] = []

    def put(name: str, content: str | bytes) -> Path:
        path = clone.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        assert not path.exists()
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        written.append(path)
        return path

    yield put
    for path in written:
        path.unlink()


def refused(done) -> str:
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    return done.stderr


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"{OWN}code: renyi.tradeof\n{PARAMETERS}", ["code is 'renyi.tradeof'", "did you mean 'renyi.tradeoff'"]),
        (f"{OWN}code: renyi\n{PARAMETERS}", ["code is 'renyi'"]),
        (f"{OWN}code: checks\n{PARAMETERS}", ["code is 'checks'"]),
        (f"{OWN}code: ..cli\n{PARAMETERS}", ["code is '..cli'"]),
        (f"{OWN}{PARAMETERS}", ["'code' is missing", "`like`"]),
        (f"{HEAD}code: renyi.tradeoff\n{PARAMETERS}", ["'part' is missing"]),
        (f"{OWN}code: renyi.tradeoff\n", ["'parameters' is missing"]),
        (f"{HEAD}part: chapter55\ncode: renyi.tradeoff\n{PARAMETERS}", ["'chapter55'", "parts.yaml", "did you mean"]),
        (f"{OWN}code: renyi.tradeoff\nneeds: rows\n{PARAMETERS}", ["needs is 'rows'", "'dataset'"]),
        (f"{OWN}code: renyi.tradeoff\n{PARAMETERS}quick: {{runs: 3}}\n", ["quick sets 'runs'"]),
        (f"{OWN}code: renyi.tradeoff\n{PARAMETERS}smallest: {{n: 0}}\n", ["n is 0"]),
        (f"{OWN}code: renyi.tradeoff\nparameters: [1]\n", ["parameters is [1]", "a mapping"]),
        (f"{OWN}chapter: 5\ncode: renyi.tradeoff\n{PARAMETERS}", ["unknown key 'chapter'"]),
        (f"{HEAD}like: fig5_33\n", ["like is 'fig5_33'", "did you mean 'fig5_3'"]),
        (f"{HEAD}like: mine\n", ["like is 'mine'", "circle"]),
        (f"{HEAD}like: fig5_3\nparameters: {{runs: 3}}\n", ["fig5_3 has no parameter 'runs'"]),
        (f"{HEAD}like: fig5_3\nparameters: {{prior: [3]}}\n", ["prior is [3]"]),
        (f"{HEAD}like: fig5_3\nparameters: {{order: one}}\n", ["order is 'one'"]),
        ("source: ours\nlike: fig5_3\n", ["'title' is missing"]),
        ("", ["'title' is missing"]),
        ("a: b: c", ["not YAML"]),
        (b"\xff\xfe\x00", ["not a text file"]),
    ],
)
def test_a_wrong_experiment_file_is_one_sentence(clone, write, tmp_path, text, words):
    write("config/experiments/mine.yaml", text)
    message = refused(run(clone, "table", "mine", "--out", str(tmp_path / "t.csv")))
    assert all(word in message for word in ["mine", *words]), message
    assert not list(tmp_path.iterdir())


def test_two_that_are_like_each_other_are_a_circle(clone, write):
    write("config/experiments/one.yaml", f"{HEAD}like: other\n")
    write("config/experiments/other.yaml", f"{HEAD}like: one\n")
    assert "circle" in refused(run(clone, "list", "one"))


def test_a_wrong_file_spoils_no_other_experiment(clone, write, tmp_path):
    write("config/experiments/mine.yaml", "a: b: c")
    assert run(clone, "list", "fig5_3").returncode == 0
    table = tmp_path / "t.csv"
    assert run(clone, "table", "tab7_1", "--out", str(table)).returncode == 0
    assert run(clone, "figure", "tab7_1", "--table", str(table), "--out", str(tmp_path / "f.png")).returncode == 0
    assert run(clone, "claims", "tab7_1", "--table", str(table), "--out", str(tmp_path / "c.csv")).returncode == 0
    assert "mine.yaml" in refused(run(clone, "list"))


def test_a_variant_of_a_variant_keeps_what_it_does_not_change(clone, write):
    write("config/experiments/first.yaml", f"{HEAD}like: fig5_5\nparameters: {{runs: 40, epsilons: [0.5]}}\n")
    write("config/experiments/second.yaml", f"{HEAD}like: first\nparameters: {{order: 3}}\nquick: {{runs: 20}}\n")
    told = run(clone, "list", "-v", "second").stdout
    assert all(
        word in told
        for word in ("order=3", "runs=40", "epsilons=[0.5]", "rho=0.5", "laid over config/experiments/first")
    )
    quick = [line for line in told.splitlines() if line.strip().startswith("quick")]
    assert quick == ["    quick     runs=20"], "the smaller scale of the original does not undo what a variant changes"
    assert "stream    second" in told


def test_a_variant_is_judged_under_its_own_source(clone, write, tmp_path):
    write(
        "config/experiments/mine.yaml",
        f"{HEAD}like: fig5_3\nparameters: {{prior: [3, 10], epsilons: [0.01, 0.1, 1]}}\n",
    )
    table, claims = tmp_path / "t.csv", tmp_path / "c.csv"
    for arguments in (
        ["table", "mine", "--out", str(table)],
        ["figure", "mine", "--table", str(table), "--out", str(tmp_path / "f.png")],
        ["claims", "mine", "--table", str(table), "--out", str(claims)],
    ):
        done = run(clone, *arguments)
        assert (done.returncode, done.stderr) == (0, "")
    text = claims.read_text(encoding="utf-8")
    assert "mine.published,mine,ours," in text
    assert "Figure 5.3" not in text


DATASET = "title: coins\nsource: ours\nfile: data/raw/coins.csv\ncolumns: {coin: category, heads: number}\n"
MODULE = """
COLUMNS = {"coin": str, "share": float}


def table(params, rng, inputs):
    return inputs.rows.groupby("coin")["heads"].mean().rename("share").reset_index()
"""
NEEDING = f"{HEAD}part: chapter4\ncode: coins\nneeds: dataset\nparameters: {{dataset: coins}}\n"


def test_a_data_set_is_read_and_told_of(clone, write, tmp_path):
    write("config/datasets/coins.yaml", DATASET)
    write("data/raw/coins.csv", "heads,coin,else\n1,penny,x\n0,penny,\n1, dime ,y\n")
    write("src/dpsampling/experiments/coins.py", MODULE)
    write("config/experiments/coin_bias.yaml", NEEDING)
    out = tmp_path / "t.csv"
    assert run(clone, "table", "coin_bias", "--out", str(out)).returncode == 0
    assert out.read_text(encoding="utf-8") == "coin,share\ndime,1.0\npenny,0.5\n"
    told = json.loads(out.with_suffix(".provenance.json").read_text(encoding="utf-8"))["about"]["inputs"]["coins"]
    assert told["rows"] == 3
    assert told["title"] == "coins"
    assert "reads no event log" in refused(run(clone, "table", "coin_bias", "--counts", "x.npz", "--out", str(out)))


@pytest.mark.parametrize(
    ("description", "rows", "words"),
    [
        (None, "x", ["there is no data set 'coins'"]),
        (DATASET, None, ["coins.csv", "put the file there"]),
        (DATASET, "coin\npenny\n", ["no column 'heads'"]),
        (DATASET, "coin,heads\npenny,many\n", ["'many'", "row 1", "heads"]),
        (DATASET, "coin,heads\npenny,\n", ["''", "row 1", "heads"]),
        (DATASET, "coin,heads\npenny,inf\n", ["'inf'"]),
        (DATASET, "", ["not a CSV table"]),
        (DATASET, b"coin,heads\n\xff,1\n", ["not a CSV table"]),
        (DATASET + f"sha256: {'a' * 64}\n", "coin,heads\npenny,1\n", ["SHA-256"]),
        (DATASET.replace("number", "whole"), "coin,heads\npenny,1\n", ["'whole'", "'number' or 'category'"]),
        (DATASET + "colums: {}\n", "coin,heads\npenny,1\n", ["unknown key 'colums'"]),
    ],
)
def test_a_data_set_that_cannot_be_used_is_one_sentence(clone, write, tmp_path, description, rows, words):
    if description is not None:
        write("config/datasets/coins.yaml", description)
    if rows is not None:
        write("data/raw/coins.csv", rows)
    write("src/dpsampling/experiments/coins.py", MODULE)
    write("config/experiments/coin_bias.yaml", NEEDING)
    message = refused(run(clone, "table", "coin_bias", "--out", str(tmp_path / "t.csv")))
    assert all(word in message for word in words), message
    assert not list(tmp_path.iterdir())
