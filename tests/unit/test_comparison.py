"""What changed between two results trees is told, and nothing else."""

import shutil

import numpy as np
import pandas as pd
import pytest

import refusals
from dpsampling import files
from dpsampling.cli import main
from reproduction import claims, comparison

TABLE = pd.DataFrame({"epsilon": [0.1, 0.2, 0.4], "kl": [1.0, 2.0, np.inf], "curve": ["a", "b", None]})


def judge(folder, **measured):
    """A table of claims, each with the limit 1."""
    some = [claims.at_most(name, "s", "t", limit=1.0, measured=value) for name, value in measured.items()]
    files.write_table(folder / "claims.csv", claims.frame("fig5_3", some))


@pytest.fixture
def trees(tmp_path):
    """Two trees of the same files."""
    old, new = tmp_path / "old", tmp_path / "new"
    (old / "tables").mkdir(parents=True)
    (old / "figures").mkdir()
    files.write_table(old / "tables/fig5_3.csv", TABLE)
    files.write_json(old / "tables/fig5_3.provenance.json", {"experiment": "fig5_3", "parameters": {"n": 5}, "seed": 1})
    (old / "figures/fig5_3.png").write_bytes(b"one")
    judge(old, a=0.5, b=2)
    shutil.copytree(old, new)
    return old, new


def kinds(old, new):
    return [(change.kind, change.what) for change in comparison.compare(old, new)]


def changed_cell(folder, row, column, value):
    other = TABLE.copy()
    other.loc[row, column] = value
    files.write_table(folder / "tables/fig5_3.csv", other)


def test_the_same_trees_are_the_same(trees, capsys):
    assert comparison.compare(*trees) == []
    assert main(["compare", *map(str, trees)]) == 0
    assert "the same parameters, verdicts, numbers and bytes" in capsys.readouterr().out


def test_a_verdict_that_turns_a_number_that_moves_and_claims_that_come_and_go(trees, capsys):
    old, new = trees
    judge(new, a=1.5, b=2)
    assert kinds(old, new) == [("verdict", "fig5_3.a"), ("file", "claims.csv")]
    assert main(["compare", str(old), str(new)]) == 1
    assert "fig5_3.a: reproduced → refuted (0.5 → 1.5)" in capsys.readouterr().out
    judge(new, a=0.6, b=2)
    assert kinds(old, new)[0] == ("number", "fig5_3.a, measured")  # without its verdict
    judge(new, a=0.5, c=2)
    changes = {change.what: (change.before, change.after) for change in comparison.compare(old, new)}
    assert (changes["fig5_3.b"], changes["fig5_3.c"]) == (("refuted", ""), ("", "refuted"))


def test_a_parameter_and_a_seed(trees):
    old, new = trees
    other = {"experiment": "fig5_3", "parameters": {"n": 6}, "seed": 2}
    files.write_json(new / "tables/fig5_3.provenance.json", other)
    assert kinds(old, new) == [("parameter", "fig5_3, n"), ("parameter", "fig5_3, seed")]


@pytest.mark.parametrize(
    ("column", "row", "value", "relative"),
    [("epsilon", 1, 0.25, 0.2), ("kl", 2, 3.0, 1.0), ("kl", 0, np.nan, 1.0), ("curve", 1, "c", 1.0)],
)
def test_the_farthest_row_of_a_column(trees, column, row, value, relative):
    old, new = trees
    changed_cell(new, row, column, value)
    changes = comparison.compare(old, new)
    assert [change.kind for change in changes] == ["table", "file"]
    assert changes[0].what == f"fig5_3.{column} in row {row + 1}"
    assert float(changes[0].difference) == pytest.approx(relative)


def test_rows_and_columns_that_are_not_there_and_empty_and_infinite_cells(trees):
    old, new = trees
    files.write_table(new / "tables/fig5_3.csv", TABLE.iloc[:2].drop(columns="kl"))
    changes = {change.what: (change.before, change.after) for change in comparison.compare(old, new)}
    assert changes["fig5_3.epsilon"] == ("3 rows", "2 rows")
    assert changes["fig5_3.kl"] == ("3 rows", "no such column")
    assert comparison.deviations(TABLE, TABLE.copy()) == []
    assert comparison.deviations(TABLE, TABLE.assign(epsilon=TABLE["epsilon"] + 1e-9), {"epsilon": 1e-8}) == []


def test_bytes_of_a_figure(trees, capsys):
    old, new = trees
    (new / "figures/fig5_3.png").write_bytes(b"two")
    assert kinds(old, new) == [("file", "figures/fig5_3.png")]
    (new / "figures/fig5_3.png").unlink()
    assert main(["compare", str(old), str(new)]) == 1
    assert "figures/fig5_3.png: only in the old tree" in capsys.readouterr().out


def test_every_change_goes_into_a_file(trees, tmp_path):
    old, new = trees
    (new / "figures/fig5_3.png").write_bytes(b"two")
    assert main(["compare", str(old), str(new), "--most", "0", "--out", str(tmp_path / "c.csv")]) == 1
    assert list(pd.read_csv(tmp_path / "c.csv")["what"]) == ["figures/fig5_3.png"]


def test_what_is_no_tree_is_refused(trees, tmp_path, capsys):
    said = refusals.of_command(capsys, "compare", str(trees[0]), str(tmp_path / "nowhere"))
    assert "claims.csv does not exist; name a folder of results" in said
    (trees[1] / "claims.csv").write_text("a,b\n1,2\n")
    assert "is no table of claims" in refusals.of_command(capsys, "compare", *map(str, trees))


@pytest.mark.parametrize(
    ("column", "value", "far"),
    [
        ("epsilon", 0.2 * (1 + 1e-11), False),  # rounding
        ("epsilon", 0.2 * (1 + 1e-7), True),
        ("kl", 2.0 * (1 + 1e-8), True),
        ("kl", 2.0 + 1e-9, False),  # an integral
        ("curve", "c", True),
    ],
)
def test_what_machines_may_differ_by(trees, column, value, far):
    old, new = trees
    changed_cell(new, 1, column, value)
    (new / "figures/fig5_3.png").write_bytes(b"two")
    assert bool(comparison.compare(old, new, machines=True)) == far
    assert main(["compare", "--machines", str(old), str(new)]) == far


def test_means_of_one_stream_may_differ_by_more_and_residues_by_all():
    old = pd.DataFrame({"mean": [1.0, 1e-16], "value": [1, 2]})
    near, far = (pd.DataFrame({"mean": [1.0 + step, -3e-14], "value": [1, 2]}) for step in (1e-7, 1e-5))
    assert comparison.beyond_rounding(old, near) == []
    for other, columns in ((far, ["mean"]), (old.assign(value=[1, 3]), ["value"])):
        assert [place.column for place in comparison.beyond_rounding(old, other)] == columns


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("error 0.503437 as printed, 8.08e-15 as corrected", "error 0.503437 as printed, 7.99e-15 as corrected", True),
        ("0.503437", "0.503438", True),
        ("0.503437", "0.503537", False),
        ("-0.5", "0.5", False),
        ("at −2.1", "at 2.1", False),
        ("0", "1.92698e-16", True),
        ("3 of 5 broken", "4 of 5 broken", False),
        ("the first pair", "the second pair", False),
        ("fig5_3", "fig5_4", False),
        ("1 and 2", "1 and 2 and 3", False),
    ],
)
def test_words_with_numbers(old, new, same):
    assert comparison.same_words(old, new) == same


def test_between_machines_a_file_of_one_tree_alone_and_a_row_with_other_words_are_told(trees):
    old, new = trees
    (old / "errata.csv").write_text("id,correction\na,at 0.5\n", encoding="utf-8")
    (new / "errata.csv").write_text("id,correction\na,at 0.7\n", encoding="utf-8")
    (new / "figures/fig5_3.png").unlink()
    changes = [(change.what, change.before, change.after) for change in comparison.compare(old, new, machines=True)]
    assert changes == [("errata.csv, row 1", "a, at 0.5", "a, at 0.7"), ("figures/fig5_3.png", "there", "")]
