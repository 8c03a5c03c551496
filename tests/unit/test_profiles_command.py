"""`dpsampling profiles` as a stranger uses it: own graphs solve and release, mistakes end with one sentence and 2."""

import io
import json
import os
import subprocess
import sys

import numpy as np
import pytest

import profile_reference as reference
from dpsampling.cli import main
from dpsampling.profiles.files import document, read_mechanism
from dpsampling.profiles.graph import bernoulli
from dpsampling.profiles.solvers import cluster

PROFILES = "profile,tea,coffee,water\nann,.2,.3,.5\nbob,.4,.3,.3\ncy,1,0,0\n"
EDGES = "from,to\nann,bob\nbob,cy\n"
SEED = ["--seed", "5"]
STREAM = "profile,observation\n" + "ann,tea\nbob,water\ncy,tea\n" * 20


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "P.csv").write_text(PROFILES, encoding="utf-8")
    (tmp_path / "E.csv").write_text(EDGES, encoding="utf-8")
    (tmp_path / "stream.csv").write_text(STREAM, encoding="utf-8")
    return tmp_path


def solve(folder, *options, epsilon="0.5"):
    files = ["--profiles", str(folder / "P.csv"), "--edges", str(folder / "E.csv"), "--epsilon", epsilon]
    return main(["profiles", "solve", *files, "--out", str(folder / "m.json"), *options])


def release(folder, *options, command="release"):
    return main(["profiles", command, "--mechanism", str(folder / "m.json"), *options])


def from_stream(folder, *options, command="release"):
    return release(folder, "--observations", str(folder / "stream.csv"), *options, command=command)


def files_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def solved(folder, capsys):
    """With a mechanism, of whose making all was read."""
    assert solve(folder) == 0
    capsys.readouterr()
    return folder


def sentence(code, capsys):
    """The one sentence with which a command ends that is refused."""
    said = capsys.readouterr()
    assert (code, said.out, said.err.count("\n")) == (2, "", 1), said.err
    return said.err


def test_the_file_describes_itself_and_holds_in_fractions(folder, capsys):
    assert solve(folder) == 0
    assert "3 profiles and 2 edges" in capsys.readouterr().out
    told = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    assert told["categories"] == ["tea", "coffee", "water"]
    assert told["edges"] == [["ann", "bob"], ["bob", "cy"]]
    assert told["epsilon"] == 0.5 >= told["verified_epsilon"] > 0.4999999
    assert [entry["name"] for entry in told["profiles"]] == ["ann", "bob", "cy"]
    P, A = (np.array([entry[key] for entry in told["profiles"]]) for key in ("probabilities", "matrix"))
    assert not reference.violations(P, A, [(0, 1), (1, 2)], 0.5)
    assert told["costs"] == pytest.approx(np.abs(np.einsum("ix,ixy->iy", P, A) - P).max(axis=0), abs=1e-15)
    corruption = [1 - sum(P[i, x] * A[i, x, x] for x in range(3)) for i in range(3)]
    assert [entry["expected_corruption"] for entry in told["profiles"]] == pytest.approx(corruption, abs=1e-14)
    assert told["expected_corruption"] == pytest.approx(sum(corruption), abs=1e-14)


@pytest.mark.parametrize("options", ["", "--lexicographic", "--mechanism randomized-response", "--mechanism smooth"])
def test_solving_twice_gives_the_same_bytes_and_reads_back(folder, options):
    assert solve(folder, *options.split()) == 0
    first = (folder / "m.json").read_bytes()
    assert solve(folder, *options.split()) == 0
    assert (folder / "m.json").read_bytes() == first
    assert document(read_mechanism(folder / "m.json")).encode() == first


@pytest.mark.parametrize("mechanism", ["cluster", "smooth-one-bit"])
def test_bits_have_mechanisms_of_their_own(folder, mechanism):
    (folder / "P.csv").write_text("profile,0,1\na,.9,.1\nb,.3,.7\nc,1,0\n", encoding="utf-8")
    (folder / "E.csv").write_text("a,b\nb,c\n", encoding="utf-8")  # without a header: the first line is an edge
    assert solve(folder, "--mechanism", mechanism) == 0
    told = json.loads((folder / "m.json").read_text(encoding="utf-8"))
    assert len(told["edges"]) == 2
    assert all(entry["matrix"][0][1] == entry["matrix"][1][0] for entry in told["profiles"])


def test_without_out_the_mechanism_goes_to_standard_output(folder, capsys):
    files = ["--profiles", str(folder / "P.csv"), "--edges", str(folder / "E.csv"), "--epsilon", "1e-2"]
    assert main(["profiles", "solve", *files]) == 0
    assert json.loads(capsys.readouterr().out)["epsilon"] == 0.01


# -- release ---------------------------------------------------------------------------------------------------------


def test_releases_come_in_order_without_the_profile_and_a_seed_repeats_them(solved, capsys):
    outs = [solved / name for name in ("a.csv", "b.csv", "c.csv")]
    for out, command, options in zip(outs, ("simulate", "simulate", "release"), (SEED, SEED, []), strict=True):
        assert from_stream(solved, "--out", str(out), *options, command=command) == 0
    lines = outs[0].read_text(encoding="utf-8").splitlines()
    assert lines[0] == "release"
    assert len(lines) == 61
    assert set(lines[1:]) <= {"tea", "coffee", "water"}
    assert outs[0].read_bytes() == outs[1].read_bytes()
    assert outs[0].read_bytes() != outs[2].read_bytes()
    capsys.readouterr()
    assert from_stream(solved, *SEED, command="simulate") == 0
    assert capsys.readouterr().out.splitlines() == lines


def test_a_release_refuses_a_seed(solved, capsys):
    assert "profiles simulate" in sentence(from_stream(solved, *SEED), capsys)


def test_standard_input_is_answered_line_by_line(solved):
    command = [sys.executable, "-m", "dpsampling", "profiles", "release", "--mechanism", str(solved / "m.json")]
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **streams, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}) as running:
        running.stdin.write("profile,observation\ncy,tea\n")
        running.stdin.flush()
        assert running.stdout.readline() == "release\n"
        assert running.stdout.readline().strip() in {"tea", "coffee", "water"}
        out, err = running.communicate("cy,juice\n", timeout=60)
    assert running.returncode == 2
    assert out == ""
    assert err.count("\n") == 1
    assert "standard input, line 3, column 2: there is no such category" in err
    assert "juice" not in err


@pytest.mark.parametrize(
    ("stream", "words"),
    [
        ("profile,observation\nann,tea\nzed,tea\n", ["line 3, column 1: there is no such profile"]),
        ("profile,observation\nann,juice\n", ["line 2, column 2: there is no such category", "tea, coffee, water"]),
        ("profile,observation\nann\n", ["line 2", "1 cells"]),
        ("profile,observation\n\nann,tea,tea\n", ["line 3", "3 cells"]),
        ("ann,tea\n", ["does not begin with the line 'profile,observation'"]),
        ("", ["does not begin with the line"]),
    ],
)
def test_a_bad_stream_is_named_by_its_line_and_leaves_nothing(solved, stream, words, capsys):
    (solved / "stream.csv").write_text(stream, encoding="utf-8")
    before = files_in(solved)
    said = sentence(from_stream(solved, "--out", str(solved / "out.csv")), capsys)
    assert all(word in said for word in words), said
    assert files_in(solved) == before


def test_an_empty_stream_of_observations_releases_nothing(solved, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin", io.StringIO("profile,observation\n"))
    assert release(solved) == 0
    assert capsys.readouterr().out == "release\n"


# -- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("profiles", "edges", "options", "words"),
    [
        (PROFILES.replace(".5\n", ".6\n", 1), EDGES, [], ["profile 'ann' sums to 1.1", "sum to 1"]),
        (PROFILES, EDGES + "bob,zed\n", [], ["E.csv, line 4", "'zed' is no profile"]),
        (PROFILES.replace("bob,", "ann,"), "from,to\nann,cy\n", [], ["profile 'ann' is named twice"]),
        (PROFILES.replace("coffee", "tea"), EDGES, [], ["category 'tea' is named twice"]),
        ("", EDGES, [], ["P.csv is empty"]),
        ("profile,tea,coffee\n", "from,to\n", [], ["no profiles"]),
        (PROFILES, "", [], ["E.csv is empty"]),
        (PROFILES, "from,to\n", [], ["no edges"]),
        (PROFILES, "from,to\nann\n", [], ["E.csv, line 2", "1 cells"]),
        (PROFILES, "from,to\nann,ann\n", [], ["'ann' with itself"]),
        (PROFILES.replace(".2", "some"), EDGES, [], ["P.csv, line 2", "'some' is no number"]),
        (PROFILES.replace(".2", "nan"), EDGES, [], ["'ann' has nan"]),
        (PROFILES.replace(".2,.3,.5", ".5,.5"), EDGES, [], ["P.csv, line 2", "3 cells", "header has 4"]),
        (PROFILES.replace(".2,.3,.5", "-.2,.7,.5"), EDGES, [], ["'ann' has -0.2"]),
        ("ann,.5,.5\nbob,.1,.9\n", EDGES, [], ["begins with 'ann,.5,.5'", "first line is 'profile'"]),
        ("profile,tea\nann,1\n", EDGES, [], ["two categories"]),
        (PROFILES, EDGES, ["--epsilon", "0"], ["epsilon is 0", "above 0"]),
        (PROFILES, EDGES, ["--epsilon", "-1"], ["epsilon is -1"]),
        (PROFILES, EDGES, ["--epsilon", "much"], ["epsilon is 'much'"]),
        (PROFILES, EDGES, ["--epsilon", "inf"], ["epsilon is inf"]),
        (PROFILES, EDGES, ["--mechanism", "cluster"], ["two categories", "have 3"]),
        (PROFILES, EDGES, ["--mechanism", "rough"], ["invalid choice", "rough"]),
        (PROFILES, EDGES, ["--mechanism", "randomized-response", "--lexicographic"], ["--lexicographic", "smooth"]),
        (PROFILES, EDGES, ["--out", "m.txt"], ["m.txt", ".json"]),
        (PROFILES, EDGES, ["--profiles", "nowhere.csv"], ["nowhere.csv cannot be read"]),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(folder, profiles, edges, options, words, capsys):
    (folder / "P.csv").write_text(profiles, encoding="utf-8")
    (folder / "E.csv").write_text(edges, encoding="utf-8")
    before = files_in(folder)
    said = sentence(solve(folder, *options), capsys)
    assert all(word in said for word in words), said
    assert files_in(folder) == before


def test_a_file_that_is_no_text_is_refused(folder, capsys):
    (folder / "P.csv").write_bytes(b"profile,a,b\n\xff\xfe,1,0\n")
    assert "not a CSV file in UTF-8" in sentence(solve(folder), capsys)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: text.replace('"epsilon": 0.5', '"epsilon": 5.0'), "has changed"),
        (lambda text: text.replace("[0.0, 1.0, 0.0]", "[0.5, 0.5, 0.0]"), "has changed"),
        (lambda text: text.replace("ann", "eve"), "has changed"),
        (lambda text: text.replace('"version": 1', '"version": 2'), "version 2"),
        (lambda text: text[: len(text) // 2], "is not JSON"),
        (lambda text: "[]", "is not a dpsampling profile mechanism"),
        (lambda text: '{"format": "dpsampling profile mechanism", "version": 1}', "has changed"),
    ],
)
def test_a_damaged_mechanism_is_refused(solved, change, words, capsys):
    path = solved / "m.json"
    changed = change(path.read_text(encoding="utf-8"))
    assert changed != path.read_text(encoding="utf-8")
    path.write_text(changed, encoding="utf-8")
    assert words in sentence(from_stream(solved), capsys)


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content.update(epsilon=0.1),
        lambda content: content["profiles"][0].update(matrix=[[1.0, 0.0], [0.0, 1.0]]),
        lambda content: content["profiles"][0].update(matrix="none"),
        lambda content: content["profiles"][0].update(matrix=[[0.1, 0.9], [0.2, 0.8]]),
        lambda content: content.update(edges=[["1", "9"]]),
        lambda content: content.update(epsilon=None),
        lambda content: content.update(profiles=[]),
    ],
)
def test_a_forged_checksum_does_not_help(tmp_path, change, capsys):
    """The constraints are checked again on reading."""
    from dpsampling.profiles.files import _checksum

    path = tmp_path / "m.json"
    content = json.loads(document(cluster(bernoulli([0.0, 1.0], [(0, 1)]), 0.5)))
    content.pop("sha256")
    change(content)
    path.write_text(json.dumps({**content, "sha256": _checksum(content)}), encoding="utf-8")
    assert "does not hold a private mechanism" in sentence(release(tmp_path), capsys)


def test_a_program_that_no_solver_solves_is_one_sentence(folder, monkeypatch, capsys):
    def give_up(*arguments, **options):
        raise ArithmeticError("the linear program was not solved: no progress")

    monkeypatch.setattr("dpsampling.profiles.linear_programs.solve", give_up)
    assert "not solved: no progress; another epsilon" in sentence(solve(folder), capsys)
    assert not (folder / "m.json").exists()
