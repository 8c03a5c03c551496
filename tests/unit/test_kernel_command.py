"""`dpsampling amplification kernel`: Theorem 15 for a kernel from a file."""

import math

import pandas as pd
import pytest

import refusals
from dpsampling.amplification import mixing
from dpsampling.amplification.kernels import Kernel
from dpsampling.amplification.names import CONDITIONS
from dpsampling.cli import main
from dpsampling.privacy.guarantee import Approximate


def test_a_kernel_file_is_priced(tmp_path, capsys):
    source, out = tmp_path / "K.csv", tmp_path / "bounds.csv"
    source.write_text("0.75,0.25\n0.25,0.75\n", encoding="utf-8")
    arguments = ["--kernel", str(source), "--epsilon", "1", "--delta", "0.05", "--out", str(out)]
    assert main(["amplification", "kernel", *arguments]) == 0
    shown = capsys.readouterr().out
    assert all(condition in shown for condition in CONDITIONS)
    table = pd.read_csv(out).set_index("condition")
    expected = mixing.amplified(Approximate(1.0, 0.05), Kernel.of([[0.75, 0.25], [0.25, 0.75]]))
    for name, (gamma, bound) in expected.items():
        assert tuple(table.loc[name]) == (gamma, bound.epsilon, bound.delta)
    assert table.loc["Doeblin", "epsilon"] == pytest.approx(math.log1p(0.5 * math.expm1(1.0)))


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("0.7,0.2\n0.5,0.5\n", [], "row 1 of the kernel sums to 0.9"),
        ("1.2,-0.2\n0.5,0.5\n", [], "-0.2 in row 1, column 2"),
        ("a,b\n0.5,0.5\n", [], "'a' in row 1, column 1"),
        ("0.5,0.5\n1\n", [], "1 numbers in row 2 and 2 in row 1"),
        ("\n", [], "is empty"),
        ("nan,1\n1,0\n", [], "nan in row 1"),
        (None, [], "does not exist"),
        ("1\n", ["--epsilon", "-1"], "epsilon is -1"),
        ("1\n", ["--epsilon", "nan"], "epsilon is nan"),
        ("1\n", ["--delta", "2"], "delta is 2"),
        ("1\n", ["--out", "x.txt"], "x.txt has another ending"),
    ],
)
def test_bad_kernel_files_are_one_sentence_and_leave_nothing(text, options, words, tmp_path, capsys):
    source = tmp_path / "K.csv"
    if text is not None:
        source.write_text(text, encoding="utf-8")
    before = sorted(tmp_path.iterdir())
    arguments = ["--kernel", str(source), "--epsilon", "1", "--out", str(tmp_path / "o.csv"), *options]
    assert words in refusals.of_command(capsys, "amplification", "kernel", *arguments)
    assert sorted(tmp_path.iterdir()) == before
