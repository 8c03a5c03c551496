"""A log of several files is what one file of all their rows is, whether they are read at once or by a job each."""

import gzip
import json
import random
import stat
import sys
from collections import Counter
from pathlib import Path

import pytest
import yaml

from dpsampling.cli import main
from dpsampling.event_logs import counts, progress, reader, schema

WARDS = {
    "title": "Wards",
    "public": {"by": "the hospital", "on": "2024-05-31"},
    "unit": "row",
    "time": {"column": "when", "format": "%Y-%m-%d", "from": "2023-01", "to": "2023-04"},
    "region": {"column": "ward", "keep": ["north", "south"]},
    "most_outside": 1,
    "features": {"kind": {"column": "kind", "outcomes": ["fall", "fever"]}, "hurt": {"any_positive": ["hurt"]}},
}
HEADER = "when,ward,kind,hurt\n"


def rows(n, seed=1):
    draw = random.Random(seed)
    return [
        f"2023-{draw.randint(1, 5):02d}-0{draw.randint(1, 9)},{draw.choice(['north', 'South', 'west'])},"
        f"{draw.choice(['fall', 'fever', 'pox', 'Fall'])},{draw.choice(['0', '1', '', '2'])}\n"
        for _ in range(n)
    ]


@pytest.fixture
def wards(tmp_path, monkeypatch):
    """Three files, one of them packed, one with its columns in another order, and one file of all their rows."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "wards.yaml").write_text(json.dumps(WARDS), encoding="utf-8")
    lines = rows(900)
    (tmp_path / "1.csv").write_text(HEADER + "".join(lines[:300]), encoding="utf-8")
    (tmp_path / "2.csv.gz").write_bytes(gzip.compress((HEADER + "".join(lines[300:500])).encode()))
    turned = ["hurt,kind,ward,when\n", *(",".join(line.strip().split(",")[::-1]) + "\n" for line in lines[500:])]
    (tmp_path / "3.csv").write_text("".join(turned), encoding="utf-8")
    (tmp_path / "all.csv").write_text(HEADER + "".join(lines), encoding="utf-8")
    return tmp_path


def run(words, code=0):
    assert main(["warlogs", *(word.replace("\xa0", " ") for word in words.split(" "))]) == code


def counted(name):
    found, report = counts.load(f"{name}.npz"), json.loads(Path(f"{name}.json").read_text(encoding="utf-8"))
    return found.counts.tolist(), report["features"]


def told(path):
    report = json.loads(path.read_text(encoding="utf-8"))
    return {**report, "left out": {why: found["rows"] for why, found in report["left out"].items()}}


def read_in_parts(files):
    for i, file in enumerate(files):
        run(f"count wards.yaml --raw {file} --part --out part{i}.npz")
    run(f"count wards.yaml --parts {' '.join(f'part{i}.npz' for i in range(len(files)))} --out p.npz --report p.json")


def test_several_files_are_one_file_of_all_their_rows(wards, capsys):
    run("count wards.yaml --raw all.csv --out all.npz --report all.json")
    run("count wards.yaml --raw [123].csv* --out many.npz --report many.json")
    read_in_parts(["1.csv", "2.csv.gz", "3.csv"])
    assert (wards / "p.npz").read_bytes() == (wards / "many.npz").read_bytes()
    assert (wards / "p.json").read_bytes() == (wards / "many.json").read_bytes()
    assert told(wards / "many.json") == told(wards / "all.json")
    assert counted("many") == counted("all")

    # And these are the counts that the rows have, counted here.
    found, _ = counted("many")
    kept = [line.strip().lower().split(",") for line in rows(900)]
    kept = [row for row in kept if row[1] != "west" and row[0][:7] != "2023-05"]
    cells = Counter((row[1], row[0][:7], row[2] if row[2] != "pox" else "other") for row in kept)
    cells += Counter((row[1], row[0][:7], "some" if row[3] in "12" and row[3] else "none") for row in kept)
    for r, region in enumerate(("north", "south")):
        for m in range(4):
            here = [cells[region, f"2023-0{m + 1}", outcome] for outcome in ("fall", "fever", "other", "none", "some")]
            assert found[r][m] == here
    assert "'unknown region' (first at line" in capsys.readouterr().err


def test_a_part_that_is_missing_or_read_twice_is_seen(wards, capsys):
    read_in_parts(["1.csv", "2.csv.gz", "3.csv"])
    run("count wards.yaml --raw all.csv --out all.npz --report all.json")
    run("count wards.yaml --parts part0.npz part2.npz --out less.npz --report less.json")
    assert counted("less") != counted("all")
    capsys.readouterr()
    run("count wards.yaml --parts part0.npz part0.npz --out twice.npz", code=2)
    assert "--parts names part0.npz twice" in capsys.readouterr().err
    run("count wards.yaml --raw 1.csv --part --out again.npz")
    run("count wards.yaml --parts part0.npz again.npz --out twice.npz", code=2)
    assert "--parts has the rows of 1.csv 2 times over; name one part for each file." in capsys.readouterr().err
    assert not (wards / "twice.npz").exists()


@pytest.mark.parametrize(
    "other", ["region={keep:\xa0[north]}", "features={kind:\xa0{column:\xa0hurt}}", "unit={name:\xa0visit,most:\xa01}"]
)
def test_parts_of_another_schema_are_refused(wards, capsys, other):
    run("count wards.yaml --raw 1.csv --part --out one.npz")
    run(f"count wards.yaml --raw 2.csv.gz --part --set {other} --out two.npz")
    capsys.readouterr()
    for parts in ("one.npz two.npz", "two.npz"):
        run(f"count wards.yaml --parts {parts} --out all.npz", code=2)
        said = capsys.readouterr().err
        assert said == "dpsampling: two.npz was read by another schema than that of log wards; read its file again.\n"
    assert not (wards / "all.npz").exists()


def test_shares_are_of_all_files_together(wards, capsys):
    """A file that is all strange is some of the rows of a log, and too many of them only if it is too many of all."""
    strange = [line.replace("2023-", "2024-") for line in rows(80)]
    (wards / "4.csv").write_text(HEADER + "".join(strange), encoding="utf-8")
    told = json.loads((wards / "wards.yaml").read_text(encoding="utf-8"))
    (wards / "wards.yaml").write_text(json.dumps({**told, "most_outside": 0.7}), encoding="utf-8")
    run("count wards.yaml --raw 4.csv --out x.npz", code=2)
    said = capsys.readouterr().err
    assert "4.csv: 80 of its 80 rows are outside the schema of log wards" in said
    read_in_parts(["1.csv", "2.csv.gz", "3.csv", "4.csv"])
    run("count wards.yaml --raw ?.csv* --set most_outside=0.2 --out x.npz", code=2)
    said = capsys.readouterr().err
    for i, file in enumerate(("1.csv", "2.csv.gz", "3.csv", "4.csv")):
        run(f"count wards.yaml --raw {file} --part --set most_outside=0.2 --out part{i}.npz")
    capsys.readouterr()
    run("count wards.yaml --parts part[0-3].npz --set most_outside=0.2 --out x.npz", code=2)
    assert capsys.readouterr().err == said.splitlines(keepends=True)[-1]
    assert not (wards / "x.npz").exists()


def test_nobody_is_given_a_permission_that_any_of_the_files_denies(wards):
    (wards / "2.csv.gz").chmod(0o600)
    for name in ("1.csv", "3.csv"):
        (wards / name).chmod(0o644)

    def mode(name):
        return stat.S_IMODE((wards / name).stat().st_mode)

    read_in_parts(["1.csv", "2.csv.gz", "3.csv"])
    assert [mode(f"part{i}.npz") for i in range(3)] == [0o644, 0o600, 0o644]
    assert (mode("p.npz"), mode("p.json")) == (0o600, 0o600)
    run("count wards.yaml --raw ?.csv* --out many.npz")
    run("count wards.yaml --set file=[1.csv,3.csv,2.csv.gz] --out named.npz")
    run("count wards.yaml --raw 1.csv 3.csv --out open.npz")
    assert [mode(f"{name}.npz") for name in ("many", "named", "open")] == [0o600, 0o600, 0o644]


def test_rows_of_a_unit_are_bounded_over_all_files(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    told = {**WARDS, "unit": {"name": "patient", "column": "who", "most": 3}}
    (tmp_path / "wards.yaml").write_text(json.dumps(told), encoding="utf-8")
    for name in ("a", "b"):
        lines = [f"2023-01-01,north,fall,0,p{i % 5}\n" for i in range(20)]
        (tmp_path / f"{name}.csv").write_text("when,ward,kind,hurt,who\n" + "".join(lines), encoding="utf-8")
    run("count wards.yaml --raw a.csv b.csv --out x.npz --report x.json")
    report = json.loads((tmp_path / "x.json").read_text(encoding="utf-8"))
    assert (report["rows"], report["kept"]) == (40, 15)
    run("count wards.yaml --raw a.csv --part --out part.npz", code=2)
    assert "says who a row is about, and rows of one patient may be in any file" in capsys.readouterr().err
    log = schema.load("wards.yaml")
    for i in "ab":
        reader.put(Path(f"{i}.npz"), reader.part(log, [Path(f"{i}.csv")]))  # which no command writes
    run("count wards.yaml --parts a.npz b.npz --out y.npz", code=2)
    assert "know of units, which their files may share; read the files by one command." in capsys.readouterr().err
    assert not Path("y.npz").exists()


def test_a_broken_file_among_many_is_named_and_nothing_is_written(wards, capsys):
    (wards / "2.csv.gz").write_bytes((wards / "2.csv.gz").read_bytes()[:-9])
    run("count wards.yaml --raw 1.csv 2.csv.gz 3.csv --out x.npz", code=2)
    assert "2.csv.gz is a gzip file that is broken or cut short" in capsys.readouterr().err
    assert not (wards / "x.npz").exists()


def test_the_counts_of_a_log_are_those_of_all_its_files(wards):
    found = counts.of_log(schema.load("wards.yaml", {"file": ["1.csv", "[23].*"]}), seed=1)
    entries, _ = reader.read(schema.load("wards.yaml"), wards / "all.csv")
    assert found.counts.sum() == 2 * entries.times.sum()


@pytest.mark.parametrize("terminal", [True, False])
def test_who_watches_a_terminal_is_told_how_far_it_has_come(terminal, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    times = iter([0.0, 1.0, 4.9, 5.0, 6.0, 10.0])
    seen = progress.watched(lambda: next(times))
    for _ in range(5):
        seen(1000)
    said = ["dpsampling: 3000 rows so far, 600 a second.\n", "dpsampling: 5000 rows so far, 500 a second.\n"]
    assert capsys.readouterr().err == ("".join(said) if terminal else "")


def test_every_row_of_every_file_is_seen(wards):
    seen = []
    reader.read(schema.load("wards.yaml"), [wards / "1.csv", wards / "2.csv.gz"], seen=seen.append)
    assert sum(seen) == 500


def test_what_the_page_shows_runs_and_prints_what_it_shows(tmp_path, monkeypatch):
    from test_release_pages import run_page

    monkeypatch.chdir(tmp_path)
    assert run_page("event-logs.md") >= 5
    assert (tmp_path / "counts.npz").read_bytes() == (tmp_path / "the-same.npz").read_bytes()


def test_every_file_that_the_page_shows_can_be_said():
    from test_release_pages import BLOCK, text

    told = [yaml.safe_load(block) for language, block in BLOCK.findall(text("event-logs.md")) if language == "yaml"]
    (files,) = [block["file"] for block in told if "file" in block]
    assert schema.parse({**WARDS, "file": files}, "wards").raw == tuple(files)
