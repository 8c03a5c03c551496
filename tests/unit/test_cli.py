"""The command line as a stranger uses it: valid values work, bad ones end with one sentence, 2, and no file."""

import json
import subprocess
import sys

import pandas as pd
import pytest

import refusals
from dpsampling.cli import main
from reproduction.project import experiments
from tables import smallest


def files_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_list_names_every_experiment(capsys):
    assert main(["list"]) == 0
    text = capsys.readouterr().out
    assert all(e.id in text and e.title in text and e.source in text for e in experiments().values())


def test_the_same_command_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        table = tmp_path / name / "t.csv"
        assert main(["table", "fig5_5", *smallest("fig5_5"), "--seed", "7", "--out", str(table)]) == 0
        for kind in ("pdf", "png", "svg"):
            assert main(["figure", "fig5_5", "--table", str(table), "--out", str(table.with_suffix(f".{kind}"))]) == 0
    for name in ("t.csv", "t.pdf", "t.png", "t.svg"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes(), name


def test_another_seed_gives_other_numbers_and_a_point_does_not_depend_on_its_neighbours(tmp_path):
    def means(name, *options):
        out = tmp_path / f"{name}.csv"
        assert main(["table", "fig5_5", "--set", "runs=50", *options, "--out", str(out)]) == 0
        return pd.read_csv(out).set_index(["mechanism", "epsilon"])["mean"]

    both = means("both", "--set", "epsilons=[0.01, 1]", "--seed", "1")
    alone = means("alone", "--set", "epsilons=[1]", "--seed", "1")
    other = means("other", "--set", "epsilons=[1]", "--seed", "2")
    assert (both.loc[alone.index] == alone).all()
    assert (other != alone).all()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["table", "fig5_3", "--set", "order=1"], ["order is 1"]),
        (["table", "fig5_3", "--set", "prior=[1, 2, 4]"], ["prior is [1, 2, 4]"]),
        (["table", "fig5_3", "--set", "priors=[3, 10]"], ["'priors'", "prior"]),
        (["table", "fig5_3", "--set", "n=lots"], ["n is 'lots'"]),
        (["table", "fig5_3", "--set", "n"], ["--set n", "key=value"]),
        (["table", "fig5_3", "--set", "n=[1"], ["not YAML"]),
        (["table", "fig5_3", "--seed", "x"], ["seed is 'x'"]),
        (["table", "fig5_3", "--seed", "-4"], ["seed is -4"]),
        (["table", "fig5_5", "--set", "rho=1"], ["rho is 1"]),
        (["table", "fig5_5", "--set", "rho=[0.2, 0.3]"], ["rho is [0.2, 0.3]", "populations"]),
        (["table", "fig5_5", "--set", "runs=1"], ["runs is 1"]),
        (["table", "fig5_1", "--set", "scales=[1.5]"], ["scales[0] is 1.5"]),
        (["table", "fig5_3", "--set", "prior=[1,2]", "n=30"], ["n=30 has no --set before it", "as in --set n=30."]),
        (["table", "--set", "prior=[1,2]", "n=30", "fig5_3"], ["n=30 has no --set before it"]),
        (["table", "fig5_3", "--set", "prior=[1,2]", "--n=30"], ["unrecognized arguments: --n=30"]),
        (["table", "fig5_3", "n=30"], ["unrecognized arguments: n=30"]),
        (["table", "fig5_3", "--set", "family=beta_bernouli"], ["did you mean 'beta-bernoulli'"]),
        (["table", "fig5_33"], ["fig5_33", "did you mean 'fig5_3'"]),
        (["table", "fig5_3", "--config", "nowhere.yaml"], ["nowhere.yaml does not exist"]),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(arguments, words, tmp_path, capsys):
    said = refusals.of_command(capsys, *arguments, "--out", str(tmp_path / "x.csv"))
    assert all(word in said for word in words), said
    assert files_in(tmp_path) == []


def test_a_wrong_ending_is_refused_before_the_work(tmp_path, capsys):
    assert "x.txt" in refusals.of_command(capsys, "table", "fig5_1", "--out", str(tmp_path / "x.txt"))
    assert files_in(tmp_path) == []


@pytest.fixture
def table(tmp_path):
    out = tmp_path / "made" / "t.csv"
    assert main(["table", "fig5_3", *smallest("fig5_3"), "--out", str(out)]) == 0
    return out


def damaged(table, change):
    table.write_text(change(table.read_text(encoding="utf-8")), encoding="utf-8")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace("kl", "divergence", 1), ["columns"]),
        (lambda text: text.splitlines()[0] + "\n", ["no rows"]),
        (lambda text: "", ["not a CSV table"]),
        (lambda text: text.replace("0.01", "little"), ["words", "epsilon"]),
        (lambda text: text.replace("0.01", ""), ["empty cells", "epsilon"]),
    ],
)
@pytest.mark.parametrize("command", ["figure", "claims"])
def test_a_damaged_table_is_refused(command, change, words, table, tmp_path, capsys):
    damaged(table, change)
    out = tmp_path / ("f.pdf" if command == "figure" else "c.csv")
    said = refusals.of_command(capsys, command, "fig5_3", "--table", str(table), "--out", str(out))
    assert all(word in said for word in words), said
    assert not out.exists()


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\n".join(text.splitlines()[:3]) + "\n",
        lambda text: text.replace("concentrated", "diluted"),
        lambda text: text.replace("figure", "picture"),
    ],
)
def test_a_table_with_rows_missing_can_be_drawn_but_not_judged(change, table, tmp_path, capsys):
    damaged(table, change)
    assert main(["figure", "fig5_3", "--table", str(table), "--out", str(tmp_path / "f.png")]) == 0
    assert main(["claims", "fig5_3", "--table", str(table), "--out", str(tmp_path / "c.csv")]) == 2
    err = capsys.readouterr().err
    assert "has changed since" in err
    assert "make it again" in err


@pytest.mark.parametrize("edit", ["table", "provenance"])
def test_a_table_that_is_not_as_it_was_made_is_not_shown(edit, table, tmp_path, capsys):
    if edit == "table":
        damaged(table, lambda text: text.replace("0.01", "0.02"))
    else:
        table.with_suffix(".provenance.json").unlink()
    before = files_in(tmp_path)
    out = f"--figure {tmp_path}/f.png --figure {tmp_path}/f.pdf --claims {tmp_path}/c.csv --ledger {tmp_path}/l.csv"
    assert main(["show", "fig5_3", "--table", str(table), *out.split()]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f"dpsampling: {table} is not what was made; make it again with 'dpsampling table'."
    assert files_in(tmp_path) == before


@pytest.mark.parametrize("text", ["{}", "[1]", '{"experiment": "fig5_3", "parameters": 3, "sha256": ""}', "no JSON"])
def test_a_damaged_provenance_file_is_refused(text, table, tmp_path, capsys):
    table.with_suffix(".provenance.json").write_text(text, encoding="utf-8")
    assert main(["claims", "fig5_3", "--table", str(table), "--out", str(tmp_path / "c.csv")]) == 2
    assert "provenance" in capsys.readouterr().err


def test_what_cannot_be_written_leaves_nothing(table, tmp_path, capsys):
    """The second of two outputs is a folder: the first is not written either."""
    (tmp_path / "taken.csv").mkdir()
    first = tmp_path / "c.csv"
    options = ["--out", str(first), "--errata", str(tmp_path / "taken.csv")]
    assert main(["claims", "fig5_3", "--table", str(table), *options]) == 2
    assert "taken.csv is a folder" in capsys.readouterr().err
    assert not first.exists()
    assert not list(tmp_path.glob(".*part*"))


def test_large_seeds_keep_their_digits(tmp_path):
    seed = 2**63 + 1
    out = tmp_path / "t.csv"
    assert main(["table", "fig5_5", *smallest("fig5_5"), "--seed", str(seed), "--out", str(out)]) == 0
    assert json.loads(out.with_suffix(".provenance.json").read_text(encoding="utf-8"))["seed"] == seed


@pytest.mark.parametrize(
    ("experiment", "out", "words"),
    [("fig5_4", "f.pdf", "a table of fig5_3"), ("fig5_3", "f.gif", ".pdf, .png or .svg")],
)
def test_a_figure_of_another_experiment_or_format_is_refused(experiment, out, words, table, tmp_path, capsys):
    command = ["figure", experiment, "--table", str(table), "--out", str(tmp_path / out)]
    assert words in refusals.of_command(capsys, *command)


def test_a_table_without_provenance_is_taken_to_have_the_experiments_own_parameters(table, tmp_path, capsys):
    table.with_suffix(".provenance.json").unlink()
    assert main(["claims", "fig5_3", "--table", str(table), "--out", str(tmp_path / "c.csv")]) == 0
    assert "own parameters" in capsys.readouterr().err


def test_verdicts_follow_the_table(table, tmp_path):
    """A planted error in the table turns a verdict."""
    out = tmp_path / "c.csv"
    assert main(["claims", "fig5_3", "--table", str(table), "--out", str(out)]) == 0
    before = pd.read_csv(out).set_index("id")["verdict"]
    rows = pd.read_csv(table)
    rows.loc[(rows["mechanism"] == "diffused") & (rows["epsilon"] == 1), "kl"] = 0.01
    rows.to_csv(table, index=False)
    assert main(["claims", "fig5_3", "--table", str(table), "--out", str(out)]) == 0
    after = pd.read_csv(out).set_index("id")["verdict"]
    assert (before["fig5_3.zero-diffused"], after["fig5_3.zero-diffused"]) == ("reproduced", "refuted")


def test_the_exit_code_reaches_the_shell_without_a_traceback(tmp_path):
    command = [sys.executable, "-m", "dpsampling", "table", "fig5_3", "--set=order=0", f"--out={tmp_path}/x.csv"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert files_in(tmp_path) == []


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--out", "a.txt"], "a.txt has another ending"),
        (["--out", "a.csv", "--liars", "a.csv"], "a.csv is named for two outputs; name a file for each"),
        (["--out", "a.csv", "--liars", "l.txt"], "l.txt has another ending"),
        (["--out", "a.csv", "--set", "orders=[1]"], "audit.orders[0] is 1; it must be a number above 1"),
        (["--out", "a.csv", "--set", "ordrs=[2]"], "did you mean 'orders'?"),
    ],
)
def test_an_audit_of_nonsense_is_one_sentence(options, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert words in refusals.of_command(capsys, "audit", *options)
    assert files_in(tmp_path) == []
