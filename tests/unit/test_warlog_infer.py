"""Drafting a schema from rows: it can be used after it says aloud that it is not private; and the commands."""

import json

import numpy as np
import pytest
import yaml

from dpsampling import cli
from dpsampling.errors import InputError
from dpsampling.event_logs import counts, infer, schema

ROWS = """\
Tag;Ort;Art;Zahl;Notiz
03.11.2020 10:00;Nord;rot;0;a secret
14.12.2020 11:00;süd;Blau;2;b
15.12.2020 12:00;Süd;blau;1;"c; d"
15.12.2020 12:30;Süd;blau;0;e
31.01.2021 23:59;Nord;;x;f
"""
OPTIONS = {"time": "Tag", "region": "Ort", "categories": ["Art"], "counts": ["Zahl"], "delimiter": ";"}


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def edited(draft, **more):
    """A draft after its editor."""
    document = {**yaml.safe_load(draft), "public": {"by": "me", "on": "2021-03-04"}, "unit": "row", **more}
    return yaml.safe_dump(document, sort_keys=False, allow_unicode=True)


def run(*arguments):
    """The command without what `main` makes of an error."""
    words = ["warlogs", *map(str, arguments)]
    options = cli._parser(words).parse_args(words)
    options.run(options)


def test_a_draft_says_aloud_what_it_is(rows):
    text = infer.infer(rows, **OPTIONS)
    assert text.startswith("# !! NOT PRIVATE !!")
    document = yaml.safe_load(text)
    assert (document["public"], document["unit"]) == (False, None)
    assert document["time"] == {"column": "Tag", "format": "%d.%m.%Y %H:%M", "from": "2020-11", "to": "2021-01"}
    assert document["region"]["keep"] == ["Nord", "Süd"]  # in the usual spelling
    assert document["features"]["art"]["outcomes"] == ["blau", "rot"]
    assert document["features"]["zahl"] == {"title": "Zahl", "any_positive": ["Zahl"]}
    assert "secret" not in text


def test_an_edited_draft_can_be_used(rows, tmp_path, capsys):
    path = tmp_path / "mine.yaml"
    path.write_text(edited(infer.infer(rows, **OPTIONS), most_unread=0.2), encoding="utf-8")
    table = counts.of_log(schema.load(str(path), {"file": str(rows)}), seed=1)
    assert table.log == "mine"
    assert table.entries.tolist() == [[1, 0, 0], [0, 3, 0]]  # the row with a bad count is left out
    assert table.counts.sum(axis=(0, 1)).tolist() == [3, 1, 0, 2, 2]
    told = capsys.readouterr().err  # the curator hears of it, whoever reads
    assert "1 of its 5 rows are left out, 1 for 'unparsable count' (first at line 6)" in told


@pytest.mark.parametrize(
    ("times", "form"),
    [
        (["2020-01-31", "2020-02-01"], "%Y-%m-%d"),
        (["2020-01-31T10:00:00", "2020-02-01T10:00:00"], "%Y-%m-%dT%H:%M:%S"),
        (["31/01/2020", "01/02/2020"], "%d/%m/%Y"),
        (["01/31/2020", "02/01/2020"], "%m/%d/%Y"),
        (["2020-01", "2020-02"], "%Y-%m"),
        (["20200131", "20200201"], "%Y%m%d"),
    ],
)
def test_formats_of_times(tmp_path, times, form):
    path = tmp_path / "rows.csv"
    path.write_text("t,r,c\n" + "".join(f"{time},A,x\n" for time in times), encoding="utf-8")
    found = yaml.safe_load(infer.infer(path, time="t", region="r", categories=["c"]))["time"]
    assert (found["format"], found["from"], found["to"]) == (form, "2020-01", "2020-02")


def test_formats_of_a_mixed_file(tmp_path):
    """As many as are needed, the most frequent first; of two that disagree on a time only one."""
    path = tmp_path / "rows.csv"
    times = ["2020-01-31"] * 5 + ["31.03.2020 10:00"] * 3 + ["02/25/2020"] * 2 + ["25/02/2020", "soon"]
    path.write_text("t,r,c\n" + "".join(f"{time},A,x\n" for time in times), encoding="utf-8")
    text = infer.infer(path, time="t", region="r", categories=["c"])
    found = yaml.safe_load(text)["time"]
    assert found["format"] == ["%Y-%m-%d", "%d.%m.%Y %H:%M", "%m/%d/%Y"]
    assert (found["from"], found["to"]) == ("2020-01", "2020-03")
    assert "# 2 rows have a time in column 't' that is in none of the formats below." in text
    schema.parse(yaml.safe_load(edited(text)), "x")


def test_a_draft_guesses_what_texts_of_counts_begin_with(tmp_path):
    path = tmp_path / "rows.csv"
    texts = ["1 (minor)", "1  (Minor)", "12 (major)", "3", "", "1.5", "unknown", "unknown", "x" * 99, "2020-01-01"]
    lines = (f"2020-0{1 + i % 2}-01,A,{text}\n" for i, text in enumerate(texts))
    path.write_text("t,r,n\n" + "".join(lines), encoding="utf-8")
    text = infer.infer(path, time="t", region="r", categories=[], counts=["n"])
    assert yaml.safe_load(text)["features"]["n"]["counts"] == {"1 (minor)": 1, "12 (major)": 12}
    assert "# 5 rows have no count in column 'n', most often 'unknown': say under counts what it means." in text
    assert "guessed under counts" in text
    assert "xxx" not in text


def test_the_rarest_of_many_values_are_dropped(tmp_path):
    path = tmp_path / "rows.csv"
    lines = [f"2020-0{1 + i % 2}-01,A,v{i:03d}\n" * (2 if i < infer.MOST else 1) for i in range(infer.MOST + 50)]
    path.write_text("t,r,c\n" + "".join(lines), encoding="utf-8")
    outcomes = yaml.safe_load(infer.infer(path, time="t", region="r", categories=["c"]))["features"]["c"]["outcomes"]
    assert outcomes == [f"v{i:03d}" for i in range(infer.MOST)]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"categories": [], "counts": []}, "no feature is named"),
        ({"counts": ["Art"]}, "named twice"),
        ({"time": "Datum"}, "no column 'Datum'"),
        ({"time": "Art"}, "no times in a format"),
        ({"delimiter": ","}, "delimiter seems to be ';'"),
        ({"encoding": "ascii"}, "is not text in ascii"),
    ],
)
def test_what_cannot_be_inferred(rows, change, sentence):
    with pytest.raises(InputError, match=sentence):
        infer.infer(rows, **{**OPTIONS, **change})


def test_without_a_header(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("2020-01-01,A,x,1\n2020-02-01,B,y,2\n", encoding="utf-8")
    named = {"time": "t", "region": "r", "categories": ["c"], "counts": ["n"], "columns": ["t", "r", "c", "n"]}
    (tmp_path / "mine.yaml").write_text(edited(infer.infer(path, **named, header=False)), encoding="utf-8")
    told = schema.load(str(tmp_path / "mine.yaml"), {"file": str(path)})
    assert counts.of_log(told, seed=1).entries.tolist() == [[1, 0], [0, 1]]


# -- the commands ---------------------------------------------------------------------------------------------------


def test_the_commands_one_after_the_other_are_the_chain_in_memory(tmp_path):
    raw, out = tmp_path / "raw.csv", tmp_path / "counts.npz"
    run("simulate", "iraq", "--seed", 3, "--rows", 0.02, "--out", raw, "--planted", tmp_path / "planted.csv")
    run("count", "iraq", "--raw", raw, "--origin", "simulated", "--out", out, "--report", tmp_path / "told.json")
    run("count", "iraq", "--seed", 3, "--rows", 0.02, "--out", tmp_path / "at_once.npz")
    found, expected = counts.load(out), counts.of_log(schema.load("iraq"), seed=3, rows=0.02)
    np.testing.assert_array_equal(found.counts, expected.counts)
    assert (found.log, found.title, found.origin) == ("iraq", "Iraq", "simulated")
    assert (tmp_path / "at_once.npz").read_bytes() == out.read_bytes()
    report = json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))
    assert all("NOT private" in told["note"] for told in (report, report["features"]))
    assert (tmp_path / "planted.csv").read_text(encoding="utf-8").startswith("region,month,state,title\nMND-BAGHDAD,")


def test_the_schema_command_warns(rows, tmp_path, capsys):
    out = tmp_path / "mine.yaml"
    run("schema", rows, "--time", "Tag", "--region", "Ort", "--category", "Art", "--count", "Zahl", "--delimiter", ";",
        "--out", out)  # fmt: skip
    told = capsys.readouterr().err
    assert "NOT private" in told
    assert "who made it public and who is protected: nothing is read by it before" in told
    assert yaml.safe_load(out.read_text(encoding="utf-8"))["region"]["keep"] == ["Nord", "Süd"]


def test_a_schema_changed_on_the_command_line(rows, tmp_path):
    (tmp_path / "mine.yaml").write_text(infer.infer(rows, **OPTIONS), encoding="utf-8")
    run("count", tmp_path / "mine.yaml", "--set", f"file={rows}", "--set", "public={by: me, on: 2021-03-04}",
        "--set", "unit=row", "--set", "most_unread=0.2", "--out", tmp_path / "e.npz")  # fmt: skip
    assert (tmp_path / "e.npz").is_file()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["simulate", "iraq", "--rows", "many", "--out", "{0}/a.csv"], "write a number"),
        (["simulate", "iraq", "--rows", "0", "--out", "{0}/a.csv"], "above 0"),
        (["simulate", "iraq", "--seed", "x", "--out", "{0}/a.csv"], "seed is 'x'"),
        (["simulate", "iraq", "--out", "{0}/a.txt"], "another ending"),
        (["simulate", "irak", "--out", "{0}/a.csv"], "did you mean 'iraq'"),
        (["simulate", "afghanistan_textless", "--out", "{0}/a.csv"], "neither a file nor a simulator"),
        (["count", "afghanistan_textless", "--out", "{0}/a.npz"], "neither a file nor a simulator"),
        (["count", "iraq", "--raw", "{0}/absent.csv", "--out", "{0}/a.npz"], "does not exist"),
        (["count", "iraq", "--parts", "{0}/absent.npz", "--out", "{0}/a.npz"], "make it with"),
        (["count", "iraq", "--rows", "many", "--out", "{0}/a.npz"], "write a number"),
        (["count", "iraq", "--set", "titel=x", "--out", "{0}/a.npz"], "unknown key 'titel'"),
        (["schema", "{0}/absent.csv", "--time", "t", "--region", "r", "--category", "c", "--out", "{0}/a.yaml"],
         "does not exist"),
        (["schema", "{0}/a", "--time", "t", "--region", "r", "--no-header", "--out", "{0}/a.yaml"], "needs --columns"),
    ],
)  # fmt: skip
def test_a_command_that_fails_writes_nothing(tmp_path, arguments, sentence):
    with pytest.raises(InputError) as error:
        run(*[argument.format(tmp_path) for argument in arguments])
    assert sentence in str(error.value)
    assert list(tmp_path.iterdir()) == []


def test_parts_of_another_log_and_other_files_are_refused(tmp_path):
    raw, part, counted = tmp_path / "raw.csv", tmp_path / "part.npz", tmp_path / "counted.npz"
    run("simulate", "afghanistan", "--rows", 0.05, "--out", raw)
    run("count", "afghanistan", "--raw", raw, "--part", "--out", part)
    run("count", "afghanistan", "--parts", part, "--out", counted)
    with pytest.raises(InputError, match="read by another schema than that of log iraq"):
        run("count", "iraq", "--parts", part, "--out", tmp_path / "x.npz")
    with pytest.raises(InputError, match="was written by 'dpsampling warlogs count"):
        run("count", "afghanistan", "--parts", counted, "--out", tmp_path / "x.npz")
    assert not (tmp_path / "x.npz").exists()
