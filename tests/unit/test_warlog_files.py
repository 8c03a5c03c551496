"""Which files a log's rows are in, as its description, the configuration and the command line say it."""

import json
import os

import pytest

from dpsampling.cli import configuration, main
from dpsampling.errors import InputError
from dpsampling.event_logs import log_files, schema

DRAFT = {
    "title": "Wards",
    "public": {"by": "the hospital", "on": "2024-05-31"},
    "unit": "row",
    "time": {"column": "when", "format": "%Y-%m-%d", "from": "2023-01", "to": "2023-03"},
    "region": {"column": "ward", "keep": ["north"]},
    "features": {"kind": {"column": "kind", "outcomes": ["fall"]}},
}


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.csv", "a.csv", "c.csv.gz", ".d.csv", "e[1].csv", "sub/f.csv", "sub/sub/g.csv"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(name, encoding="utf-8")
    return tmp_path


def names(*told):
    return [str(path) for path in log_files.files(told, "--raw")]


@pytest.mark.parametrize(
    ("told", "found"),
    [
        (["b.csv"], ["b.csv"]),
        (["b.csv", "a.csv"], ["b.csv", "a.csv"]),  # a list keeps its order
        # A pattern is by name, and files that are being written are not it.
        (["*.csv"], ["a.csv", "b.csv", "e[1].csv"]),
        (["c*", "?.csv"], ["c.csv.gz", "a.csv", "b.csv"]),
        (["[ab].csv"], ["a.csv", "b.csv"]),
        (["e[1].csv"], ["e[1].csv"]),  # a file that is there, and whose name as a pattern matches nothing
        (["*/*/*.csv", "*/*.csv"], ["sub/sub/g.csv", "sub/f.csv"]),
        (["nowhere.csv"], ["nowhere.csv"]),  # whoever reads it says so
    ],
)
def test_what_is_told_is_found(here, told, found):
    assert names(*told) == found


def test_an_absolute_pattern(here):
    assert names(f"{here}/sub/*.csv") == [f"{here}/sub/f.csv"]


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ([""], "--raw has an empty name; name a file with rows."),
        (["a.csv", "*.txt"], "--raw has the pattern *.txt, which no file matches; name files that are there."),
        (["a.csv", "b.csv", "a.csv"], "--raw names a.csv twice; name each file once."),
        (["a.csv", "?.csv"], "--raw names a.csv twice; name each file once."),
        (["a.csv", "sub/../a.csv"], "--raw names sub/../a.csv and a.csv, which is the same file; name each file once."),
        (["a.csv", "sub"], "--raw names sub, which is a folder; name the files in it, as in sub/*.csv."),
        (["nowhere.csv", "nowhere.csv"], "--raw names nowhere.csv twice; name each file once."),
        (["*" * 1001], "--raw has a pattern of more than 1000 characters or 5 folders; shorten it."),
        (["*" + "/*" * 6], "--raw has a pattern of more than 1000 characters or 5 folders; shorten it."),
        (
            ["sub/**/*.csv"],
            "--raw has '**' in a pattern; write a pattern for the folders of each depth, as in */*.csv.",
        ),
        (["a\0/*.csv"], "--raw has a pattern that no file can match; name files that are there."),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(here, told, sentence):
    with pytest.raises(InputError) as refusal:
        log_files.files(told, "--raw")
    assert str(refusal.value) == sentence


def test_links_and_other_names_of_a_file_are_the_file(here):
    (here / "link.csv").symlink_to("a.csv")
    os.link("b.csv", "hard.csv")
    for pair in (("a.csv", "link.csv"), ("b.csv", "hard.csv")):
        with pytest.raises(InputError, match="is the same file"):
            log_files.files(pair, "--raw")


def test_a_file_that_is_also_a_pattern_of_others(here):
    (here / "e1.csv").write_text("e1", encoding="utf-8")
    with pytest.raises(InputError, match=r"names e\[1\]\.csv, which is a file and also a pattern that e1\.csv matches"):
        names("e[1].csv")


def test_patterns_without_end_end(here):
    (here / "loop").symlink_to(".")
    (here / "other").symlink_to(".")
    with pytest.raises(InputError, match="is the same file"):
        names("*/*/*/*/*/b.csv")


def test_more_files_than_a_log_has(monkeypatch, here):
    monkeypatch.setattr(log_files, "MOST", 2)
    with pytest.raises(InputError, match=r"--raw has 3 files, more than 2; join some of them\."):
        names("*.csv")


@pytest.mark.parametrize("name", ["a{1}.csv", "a\nb.csv", os.fsdecode(b"a\xff.csv")])
def test_names_that_the_workflow_cannot_take(here, name):
    (here / "odd").mkdir()
    (here / "odd" / name).write_text("", encoding="utf-8")
    assert log_files.files(["odd/*"], "--raw")
    with pytest.raises(InputError, match="which has braces or other signs that the workflow cannot take"):
        log_files.of_a_run(["odd/*"], "--raw")


def test_more_files_than_a_command_takes(here):
    some = [f"{i}.csv" for i in range(501)]
    assert len(log_files.of_a_run(some[:-1], "--raw")) == 500
    with pytest.raises(InputError, match="has 501 files, and the workflow reads at most 500 of one log"):
        log_files.of_a_run(some, "--raw")
    with pytest.raises(InputError, match="have at most 50000 characters"):
        log_files.of_a_run([f"{i}{'x' * 250}.csv" for i in range(201)], "--raw")


@pytest.mark.parametrize(
    ("file", "raw"), [("a.csv", ("a.csv",)), (["a.csv", "b*"], ("a.csv", "b*")), ([2023], ("2023",)), (None, ())]
)
def test_a_description_names_one_file_or_several(file, raw):
    assert schema.parse({**DRAFT, "file": file}, "wards").raw == raw


@pytest.mark.parametrize(
    "file", [[], [[]], {"a": 1}, 3, True, "a{1}.csv", ["a.csv", "}"], [True], [None], ["x" * 2000], ["a"] * 10_001]
)
def test_a_description_that_names_none(file):
    with pytest.raises(InputError) as refusal:
        schema.parse({**DRAFT, "file": file}, "wards")
    assert str(refusal.value).startswith("log wards")
    assert str(refusal.value).endswith(".")


def test_a_description_is_read_where_its_files_are_not(here):
    told = schema.parse({**DRAFT, "file": ["gone/*.csv"]}, "wards")
    with pytest.raises(InputError, match=r"log wards: file has the pattern gone/\*\.csv, which no file matches"):
        told.located()


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (["a.csv", "gone.csv"], "logs.iraq is gone.csv, which is no file"),
        ("gone/*", "logs.iraq has the pattern gone/*, which no file matches"),
        (["a.csv", "a.csv"], "logs.iraq names a.csv twice"),
        ([], "logs.iraq is []; it must be a path without braces, which the workflow takes for wildcards, or a list of"),
        (["{a}"], "without braces"),
    ],
)
def test_configured_files_are_there(here, told, sentence):
    (here / "overlay.yaml").write_text(json.dumps({"logs": {"iraq": told}}), encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        configuration.settings_of(here / "overlay.yaml")
    assert sentence in str(refusal.value)


def test_configured_files_may_be_several(here):
    (here / "overlay.yaml").write_text(json.dumps({"logs": {"iraq": ["a.csv", "sub/*.csv"]}}), encoding="utf-8")
    assert configuration.settings_of(here / "overlay.yaml")["logs"] == {"iraq": ["a.csv", "sub/*.csv"]}


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--raw a.csv --parts p.npz", "not allowed with argument"),
        ("--part --parts p.npz", "--part reads one file of several; leave out --parts, --table and --report, or"),
        ("--raw a.csv --part --report r.json", "--part reads one file of several; leave out --parts, --table and"),
        ("--raw a.csv --part --table r.csv", "--part reads one file of several; leave out --parts, --table and"),
        ("--raw a.csv b.csv --part", "--part reads one file, and 2 are named; name one of them with --raw."),
        ("", "log wards names neither a file nor a simulator"),
        ("--part", "--part reads one file, and 0 are named"),
        ("--raw a.csv --part --set unit={name:\xa0patient,column:\xa0who,most:\xa02}", "read all its files at once"),
        ("--raw a.csv gone.csv", "gone.csv does not exist; name the CSV or Parquet file with the rows."),
        ("--raw a.csv sub", "--raw names sub, which is a folder"),
        ("--set file=[a.csv,b.csv,a.csv]", "log wards: file names a.csv twice"),
        ("--parts a.csv", "a.csv is damaged or something else"),
        ("--raw o* --set title=x", "o.npz would replace o.npz, which it is made from"),
    ],
)
def test_the_command_refuses_in_one_sentence_and_writes_nothing(here, words, sentence, capsys):
    (here / "wards.yaml").write_text(json.dumps(DRAFT), encoding="utf-8")
    if "o*" in words:
        (here / "o.npz").write_bytes(b"")
    before = sorted(here.rglob("*"))
    words = [word.replace("\xa0", " ") for word in words.split(" ") if word]
    assert main(["warlogs", "count", "wards.yaml", *words, "--out", "o.npz"]) == 2
    said = capsys.readouterr().err
    assert sentence in said
    assert said.count("\n") == 1
    assert sorted(here.rglob("*")) == before
