"""Files as strangers have them, given to each release: each is right, or refused in one sentence with what helps."""

import gzip
import json
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from dpsampling.cli import main
from dpsampling.numerics.exact import replay

SECRET = "tuberculosis"
PUBLIC = """\
title: Falls
public: {by: the registrar, on: 2024-05-31}
time: {column: Seen, format: ['%d.%m.%Y', '%Y-%m-%d %H:%M', '%Y-%m-%d'], from: 2004-01, to: 2004-04}
region: {column: Ward, keep: [Nord, Süd, Ost]}
features:
  severity: {column: Severity, outcomes: [mild, severe, fatal], fold: {n/a: other}}
  hurt: {any_positive: [Hurt], counts: {1 (minor): 1, n/a: 0}}
"""
HEADER = "Seen,Ward,Severity,Hurt,Patient,Note"
TIMES = ("{d:02d}.{m:02d}.2004", "2004-{m:02d}-{d:02d} 10:00", "2004-{m:02d}-{d:02d}")


def row(i):
    time = TIMES[i % 3].format(d=i % 28 + 1, m=i % 4 + 1)
    severity = ("mild", "SEVERE", " Mild ", "n/a", "")[i % 5]
    return f'{time},{("Nord", "Süd")[i % 2]},{severity},{("0", "1 (minor)", "n/a", "2")[i % 4]},P{i % 90},"{SECRET}"'


LINES = [HEADER, *map(row, range(360))]
TEXT = "\n".join(LINES) + "\n"
UTF = TEXT.encode()
KINDS = {
    "proportion": "--column Severity --yes severe fatal --no mild",
    "table": "--columns Ward Severity --schema public.yaml",
    "hmm": "--states 1 --schema public.yaml",
}
UNIT = "--unit patient --id Patient --max-per-unit 3"
PAYING = "--epsilon 1 --budget 9 --quantum 0.05 --out out"


def release(kind, content, folder, monkeypatch, unit=UNIT, settings=()):
    """The command's exit code, in a folder with these bytes for a file and these settings of how it is written."""
    monkeypatch.chdir(folder)
    (folder / "log.csv").write_bytes(content)
    (folder / "public.yaml").write_text(PUBLIC, encoding="utf-8")
    said = [f"--{k}={v}" if kind == "proportion" else f"--set={k}='{v}'" for k, v in settings]
    return main(["release", kind, "log.csv", *f"{KINDS[kind]} {unit} {PAYING}".split(), *said])


def unquoted(text):
    return text.replace(f'"{SECRET}"', SECRET)


GOOD = {
    "as it is": (UTF, ()),
    "of Excel": (b"\xef\xbb\xbf" + UTF.replace(b",", b";").replace(b"\n", b"\r\n"), [("delimiter", ";")]),
    "cp1252": (TEXT.encode("cp1252"), [("encoding", "cp1252")]),
    "UTF-16": (TEXT.encode("utf-16"), [("encoding", "utf-16")]),
    "UTF-16 with its mark left in": (b"\xff\xfe" + TEXT.encode("utf-16-le"), [("encoding", "utf-16-le")]),
    "lone carriage returns": (UTF.replace(b"\n", b"\r"), ()),
    "gzip inside": (gzip.compress(UTF), ()),
    "quoted line breaks": (UTF.replace(SECRET.encode(), f"{SECRET}\n\n{SECRET}".encode()), ()),
    "a million characters": (UTF.replace(SECRET.encode(), b"x" * 1_000_000, 1), ()),
    "delimiters at all ends": (UTF.replace(b"\n", b",\n"), ()),
    "empty lines": (UTF.replace(b"\n", b"\n\n"), ()),
    "no rows": (HEADER.encode(), ()),
}


@pytest.mark.parametrize("kind", ["proportion", "table"])
@pytest.mark.parametrize(("content", "settings"), GOOD.values(), ids=GOOD)
def test_a_file_of_another_make_is_read(kind, content, settings, tmp_path, monkeypatch, capsys):
    assert release(kind, content, tmp_path, monkeypatch, settings=settings) == 0
    assert SECRET not in capsys.readouterr().err
    assert all(SECRET.encode() not in path.read_bytes() for path in (tmp_path / "out").iterdir())
    if kind == "table":
        total = sum(json.loads((tmp_path / "out/release.json").read_text(encoding="utf-8"))["numbers"]["integers"])
        expected = 0 if content == HEADER.encode() else 270  # 90 patients, of whom 3 rows are kept
        assert abs(total - expected) < 1000  # 12 noises of scale 6: beyond it with a probability below 1e-30


@pytest.mark.parametrize("content", [UTF, HEADER.encode()])
def test_so_it_is_for_a_model(content, tmp_path, monkeypatch):
    assert release("hmm", content, tmp_path, monkeypatch) == 0


BAD = {
    "semicolons": (UTF.replace(b",", b";"), "delimiter seems to be ';', set"),
    "cp1252": (TEXT.encode("cp1252"), "is not text in utf-8; set"),
    "UTF-16": (TEXT.encode("utf-16"), "seems to be utf-16; set"),
    "a duplicated header": (UTF.replace(b"Note", b"severity "), "has 2 columns 'Severity'; keep one of them"),
    "another header": (UTF.replace(b"Severity", b"Gravity"), "has no column 'Severity' among its 6"),
    "no header": ("\n".join(LINES[1:]).encode(), "has no column"),
    "a trailing delimiter": (UTF.replace(b'"\n', b'",\n'), "'too many fields' (360 rows, first at line 2)"),
    "decimal commas": ("\n".join([HEADER, *(f"{line},1,5" for line in LINES[1:])]).encode(), "'too many fields'"),
    "an open quote": (UTF + b'05.01.2004,"Nord', "ends within a quoted field"),
    "a cut gzip": (gzip.compress(UTF)[:-9], "is a gzip file that is broken or cut short"),
    "gzip of Parquet": (gzip.compress(b"PAR1" + bytes(90)), "is a gzipped Parquet file; unpack it"),
    "a workbook": (b"PK\x03\x04" + bytes(90), "save its sheet as CSV"),
    "Excel's first line": (b"sep=,\n" + UTF, "delete that line"),
    "nothing": (b"", "is empty"),
    "two million characters": (UTF.replace(SECRET.encode(), b"x" * 2_000_000, 1), "a field is longer than"),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("content", "words"), BAD.values(), ids=BAD)
def test_a_file_that_cannot_be_read_is_refused_before_it_is_paid(kind, content, words, tmp_path, monkeypatch, capsys):
    assert release(kind, content, tmp_path, monkeypatch) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert words in err
    assert SECRET not in err
    assert ("--" in err) == (kind == "proportion" and words.endswith("set"))  # options are named to who gave options
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.csv", "public.yaml"]


def test_units_are_the_same_whatever_their_case_and_blank_ones_stand_alone(tmp_path, monkeypatch, capsys):
    twice = [line.replace(",P", ",p") for line in LINES[1:91]]
    blank = [line.replace(f",P{i},", ", ,") for i, line in enumerate(LINES[1:11])]
    content = "\n".join([*LINES[:91], *twice, *blank]).encode()
    assert release("table", content, tmp_path, monkeypatch, unit=UNIT.replace("3", "1")) == 0
    err = capsys.readouterr().err
    assert "90 drawn from those beyond 1 of one patient" in err
    assert "10 of the rows kept name no patient" in err


@pytest.mark.parametrize("option", ["", "--unit doctor", "--unit patient --id Who --max-per-unit 2"])
def test_a_unit_that_is_said_twice_is_said_alike(option, tmp_path, monkeypatch, capsys):
    content = "unit: {name: patient, column: Patient, most: 2}\n" + PUBLIC
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_bytes(UTF)
    (tmp_path / "unit.yaml").write_text(content, encoding="utf-8")
    assert main(f"release table log.csv --columns Ward --schema unit.yaml {option} {PAYING}".split()) == 2
    assert ("--unit is missing" if not option else "who is protected is said in one way") in capsys.readouterr().err


def test_a_unit_of_the_schema_is_taken_with_its_column(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "log.csv").write_bytes(UTF)
    (tmp_path / "unit.yaml").write_text("unit: {name: patient, column: Patient, most: 2}\n" + PUBLIC, encoding="utf-8")
    assert main(f"release table log.csv --columns Ward --schema unit.yaml --unit Patient {PAYING}".split()) == 0
    told = json.loads((tmp_path / "out/release.json").read_text(encoding="utf-8"))
    assert told["unit"] == {"name": "patient", "most": 2, "identified": True}


# -- what is left -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["proportion", "table"])
def test_nothing_is_written_but_the_folder_the_ledger_and_the_report(kind, tmp_path, monkeypatch):
    written: list[str] = []
    monkeypatch.setitem(KINDS, kind, f"{KINDS[kind]} --report told.json")
    with replay._watching_files(written):
        assert release(kind, gzip.compress(UTF), tmp_path, monkeypatch) == 0
        (tmp_path.parent / "elsewhere").write_text("")  # it would be seen
    outside = {path for path in written if Path(path).is_absolute() and not Path(path).is_relative_to(tmp_path)}
    assert {path for path in outside if "matplotlib" not in path} == {str(tmp_path.parent / "elsewhere")}
    left = ["log.csv", "log.csv.ledger", "out", "public.yaml", "told.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == left


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.parquet"])
def test_no_byte_is_written_anywhere_while_rows_are_read(name, tmp_path):
    """The system itself refuses this process every byte of a file, whoever of its libraries would write it."""
    path = tmp_path / name
    path.write_bytes(gzip.compress(UTF) if name.endswith("gz") else UTF)
    if name.endswith("parquet"):
        pd.DataFrame([line.split(",") for line in LINES[1:]], columns=HEADER.split(",")).to_parquet(path)
    (tmp_path / "public.yaml").write_text("unit: row\n" + PUBLIC, encoding="utf-8")
    read = (
        "import sys; from dpsampling.event_logs import reader, schema; "
        "print(reader.read(schema.load('public.yaml'), sys.argv[1])[1]['kept'])"
    )
    assert limited(read, path.name, tmp_path) == (0, "360\n")
    assert limited(f"{read}; open('x', 'w').write('y' * 9999)", path.name, tmp_path)[0] != 0  # it would be seen


def limited(code, argument, folder):
    done = subprocess.run(
        [sys.executable, "-B", "-c", code, argument],
        cwd=folder, capture_output=True, text=True, check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)),
    )  # fmt: skip
    return done.returncode, done.stdout


@pytest.mark.parametrize("before", [None, 0o666])
def test_a_report_is_its_owners_alone_and_says_that_it_is_private(before, tmp_path, monkeypatch, capsys):
    if before is not None:
        (tmp_path / "told.json").touch(before)
    monkeypatch.setitem(KINDS, "proportion", f"{KINDS['proportion']} --report told.json")
    assert release("proportion", UTF, tmp_path, monkeypatch) == 0
    assert stat.S_IMODE((tmp_path / "told.json").stat().st_mode) == 0o600
    assert "NOT private" in json.loads((tmp_path / "told.json").read_text(encoding="utf-8"))["note"]
    assert "told.json is for the curator alone" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--report out/told.json", "--ledger out/kept", "--report there/told.json"])
def test_private_files_stay_out_of_what_may_be_published(option, tmp_path, monkeypatch, capsys):
    (tmp_path / "there").symlink_to("out")
    (tmp_path / "out").mkdir()
    monkeypatch.setitem(KINDS, "proportion", f"{KINDS['proportion']} {option}")
    assert release("proportion", UTF, tmp_path, monkeypatch) == 2
    assert "is private, and all in out may be published" in capsys.readouterr().err
    assert list((tmp_path / "out").iterdir()) == []
