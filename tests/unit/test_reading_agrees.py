"""The reader of logs and a plain second one, row by row with Python's csv, say the same of every file, to the byte."""

import codecs
import csv
import gzip
import io
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import combinations, islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import test_release_rows as wards
import zstandard
from scipy import stats
from test_warlog_reader import BAD, FILES, GOOD, HEADER, OF_PATIENTS, SMALL

import row_reader
from dpsampling.errors import InputError
from dpsampling.event_logs import delimited, features, reader, schema, simulator, unpacked
from dpsampling.event_logs.duck import Duck
from dpsampling.numerics.exact import bits
from hostile import corpus_text
from row_reader import Reading

REAL = Path(__file__).parents[3] / "shared" / "data" / "warlogs" / "afg.csv.gz"

PUBLIC = {"public": {"by": "the registrar", "on": "2024-05-31"}, "most_unread": 1, "most_outside": 1}
WORDS = schema.parse(
    {
        **PUBLIC,
        "title": "words",
        "unit": "row",
        "features": {
            "a": {"column": "a", "outcomes": ["x", "é"]},
            "b": {"column": "b", "outcomes": ["y"], "fold": {"": "y"}},
            "hurt": {"any_positive": ["c"]},
        },
    },
    "words",
    events=False,
)


@pytest.fixture(scope="module")
def duck() -> Iterator[Duck]:
    """One connection for the thousands of files."""
    with Duck() as connection:
        yield connection


@pytest.fixture(autouse=True)
def _asked_of_small_files_too(monkeypatch, duck):
    monkeypatch.setattr(delimited, "SMALL", 0)
    monkeypatch.setattr(delimited, "Duck", lambda: nullcontext(duck))


@dataclass(frozen=True)
class Product:
    """What the reader makes of a file, in the form of the plain one."""

    rows: Counter[Any]
    words: Counter[tuple[str, ...]]
    reports: str


def ours(log: schema.LogSchema, source: Any) -> Product | str:
    """What the reader says of a source, or its refusal."""
    try:
        entries, report = reader.read(log, source)
    except InputError as refusal:
        return str(refusal)
    table, folded = features.extract(log, entries)
    times = table.times.tolist()
    rows, words = Counter[Any](), Counter[tuple[str, ...]]()
    codes = list(zip(*(c.tolist() for c in table.codes), strict=True)) or [()] * len(times)
    said = [[keys[code] for code in numbers] for keys, numbers in entries.values.values()]
    spoken = list(zip(*said, strict=True)) or [()] * len(times)
    for r, m, outcomes, word, n in zip(table.region.tolist(), table.month.tolist(), codes, spoken, times, strict=True):
        rows[r, m, outcomes] += n
        words[word] += n
    return Product(rows, words, json.dumps([report, folded]))


def theirs(log: schema.LogSchema, path: Path) -> Product | str:
    """What the plain reader says of it; with no units, for of their rows some are drawn."""
    told = row_reader.told(log, path)
    if isinstance(told, str):
        return told
    return Product(told.rows, told.words, json.dumps([told.report, told.features]))


def same(one: Product | str, other: Product | str) -> bool:
    """Whether a file is the same to both.

    Of two faults either may be told: bytes that are no text, and a header that lacks columns and the end of a quote.
    """
    if isinstance(one, str) and isinstance(other, str):
        cut = "ends within a quoted field" in one and "has no column" in other
        return one == other or cut or "is not text in" in other
    return one == other


def agree(log: schema.LogSchema, path: Path) -> Product | str:
    """What both say."""
    found, expected = ours(log, path), theirs(log, path)
    assert same(found, expected), f"{found}\n{expected}"
    return found


# -- files of random pieces -------------------------------------------------------------------------------------------

PIECES = [
    '"', '"', '""', '"""', "\n", "\r", "\r\n", "\n\n", " ", "\t", ";", ",", "|", "x", "X ", "y", "", "1", "-1", "0",
    "é", "ß", "\u3000", "日", "\x0b", "\x1c", "\x85", "\u2028", "long" * 20, 'q"q', '"x"', '"x"y', '"a\nb"',
    '"a\r\nb"', '"a,b;c"', "'", "\\", "#", "\ufeff",
]  # fmt: skip
ENDS = ["\n", "\n", "\n", "\r\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\n\r"]
ENCODINGS = [
    "utf-8", "utf-8", "UTF8", "utf_8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-32",
    "shift_jis", "gbk", "ascii", "utf-7", "cp037",
]  # fmt: skip
DELIMITERS = [",", ",", ",", ";", "\t", "|", " ", "x", "·", "，", "'", "\\"]


def text(draw: random.Random, delimiter: str) -> str:
    """A table of three columns, more or less."""
    names = draw.choice([["a", "b", "c"]] * 9 + [["c", "B ", "notes", " A"], ["a", '"b"', "c", ""], ["a", "c"]])
    rows = [names]
    for _ in range(draw.choice([0, 1, 3, 12, 30])):
        row = ["".join(draw.choices(PIECES, k=draw.choice([0, 1, 1, 1, 2, 3]))) for _ in names]
        if draw.random() < 0.8:
            row[names.index("c")] = draw.choice(["0", "1", "", " 2"])
        rows.append([*row, "x"] if draw.random() < 0.1 else row[:-1] if draw.random() < 0.1 else row)
    if draw.random() < 0.7:  # quoted where they must be, so that most rows are whole
        hard = {'"', delimiter, "\n", "\r"}
        quoted = draw.random() < 0.2
        rows = [
            ['"' + f.replace('"', '""') + '"' if quoted or (hard & set(f) and draw.random() < 0.9) else f for f in row]
            for row in rows
        ]
    end = draw.choice(ENDS)
    lines = "".join(delimiter.join(row) + (end if draw.random() < 0.9 else draw.choice(ENDS)) for row in rows)
    return lines if draw.random() < 0.9 else lines[: draw.randrange(len(lines) + 1)]


def data(draw: random.Random, content: str, encoding: str) -> bytes:
    """The bytes of a text, seldom quite right."""
    found = content.encode(encoding, "ignore" if draw.random() < 0.8 else "replace")
    dice = draw.random()
    if dice < 0.05:
        found = found[: draw.randrange(len(found) + 1)]
    elif dice < 0.1 and found:
        at = draw.randrange(len(found))
        found = found[:at] + draw.choice([b"\x81", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\0", b"\xe9"]) + found[at:]
    elif dice < 0.15:
        found = draw.choice([codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE]) + found
    return gzip.compress(found, mtime=0) if draw.random() < 0.15 else found


def strange(seed: int) -> Iterator[tuple[schema.LogSchema, bytes]]:
    """Files of a seed, each with the schema that it is read by."""
    draw = random.Random(seed)
    while True:
        encoding = draw.choice(ENCODINGS)
        delimiter = draw.choice(DELIMITERS)
        log = replace(WORDS, encoding=encoding, delimiter=delimiter)
        if draw.random() < 0.2:
            log = replace(log, header=False, columns=("a", "b", "c"))
        content = text(draw, delimiter)
        if draw.random() < 0.03:  # more than the head that is looked at for zero bytes
            content = delimiter.join("abc") + "\n" + 400 * f"x{delimiter}yyyyyyyy{delimiter}0\n" + content + "\0"
        yield log, data(draw, content, encoding)


def differences(log: schema.LogSchema, content: bytes, path: Path) -> list[str]:
    path.write_bytes(content)
    one, two = ours(log, path), theirs(log, path)
    return [] if same(one, two) else [f"{log.encoding} {log.delimiter!r} {log.header} {content!r}\n{one}\n{two}"]


@pytest.mark.parametrize("seed", range(4))
def test_files_of_random_pieces(tmp_path, seed):
    found: list[str] = []
    refused = 0
    for log, content in islice(strange(seed), 300):
        found += differences(log, content, tmp_path / "x")
        refused += isinstance(ours(log, tmp_path / "x"), str)
    assert found == []
    assert 30 < refused < 240  # else most of these files would say nothing


def least_part(log: schema.LogSchema, content: bytes) -> int:
    """The bytes in UTF-8, which no encoding here has more of, that every line fits in, and all of a header's."""
    try:
        plain = gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
        lines = list(io.StringIO(plain.decode(log.encoding, "replace"), newline=""))
    except (EOFError, gzip.BadGzipFile, UnicodeError):
        return 4096
    rows = csv.reader(lines, delimiter=log.delimiter)
    next((row for row in rows if row), [])
    header = "".join(lines[: rows.line_num])
    return max(len(line.encode("utf-8", "replace")) for line in [header, *lines]) + 5


@pytest.mark.parametrize("seed", range(3))
def test_files_of_random_pieces_in_parts_of_some_bytes(tmp_path, monkeypatch, seed):
    """Cut behind every line, within quotes or not."""
    draw = random.Random(seed)
    for log, content in islice(strange(seed), 150):
        path = tmp_path / "x"
        path.write_bytes(content)
        expected = theirs(log, path)
        for _ in range(4):
            monkeypatch.setattr(delimited, "PART", least_part(log, content) + draw.choice([0, 1, 2, 3, 7, 30, 200]))
            monkeypatch.setattr(unpacked, "BLOCK", draw.choice([1, 5, 100, 1 << 20]))
            found = ours(log, path)
            assert same(found, expected), f"{log.encoding} {log.delimiter!r} {content!r}\n{found}\n{expected}"


SPACED = [*PIECES, " ", "  ", '" ', ' "', '"" ', ' ""', '",', ',"', ', "', '" ,', 'say ""x"" y', "#", "NULL", "\0"]


def regular(draw: random.Random, delimiter: str) -> str:
    """A table in which most rows have the right number of fields, and many quotes stand beside spaces."""
    rows = [["a", "b", "c"]]
    for _ in range(draw.choice([1, 2, 5])):
        row = ["".join(draw.choices(SPACED, k=draw.choice([0, 1, 1, 2, 4]))).replace(",", delimiter) for _ in "abc"]
        if draw.random() < 0.8:
            hard = {'"', delimiter, "\n", "\r"}
            row = ['"' + f.replace('"', '""') + '"' if hard & set(f) else f for f in row]
        rows.append(row)
    end = draw.choice(["\n", "\n", "\r\n", "\r"])
    return "".join(delimiter.join(row) + (end if draw.random() < 0.97 else "\n\n") for row in rows)


@pytest.mark.parametrize("delimiter", delimited.DELIMITERS)
def test_what_duckdb_reads_is_what_csv_reads(tmp_path, monkeypatch, delimiter):
    """Of most of these files both can read some, and no part of them says anything else without DuckDB."""
    draw = random.Random(ord(delimiter))
    log = replace(WORDS, delimiter=delimiter)
    asked = []
    by_duckdb = delimited._Part.by_duckdb

    def told(part: Any, connection: Any) -> Any:
        found = by_duckdb(part, connection)
        asked.append(found is not None)
        return found

    monkeypatch.setattr(delimited._Part, "by_duckdb", told)
    for _ in range(400):
        (tmp_path / "x").write_bytes(regular(draw, delimiter).encode("utf-8", "replace"))
        agree(log, tmp_path / "x")
    assert 50 < sum(asked) < len(asked) - 20


def test_a_row_that_duckdb_refuses_leaves_the_other_parts_to_it(tmp_path, monkeypatch):
    """Nothing but the speed shows that; so it is asked whether `csv` is, for each part of a good file and a bad one."""
    parts = []
    by_csv = delimited._Part.by_csv
    monkeypatch.setattr(delimited._Part, "by_csv", lambda part: parts.append(part.line) or by_csv(part))
    monkeypatch.setattr(delimited, "PART", 4000)
    monkeypatch.setattr(unpacked, "BLOCK", 1000)
    good = [f"x,y {i},0" for i in range(2000)]
    for bad, expected in ((good[0], 0), ('"x"y,y,0', 1), ("x,y,0,0", 1), ('x, "y",0', 1), ('x,"y,0', 3)):
        (tmp_path / "x").write_text("\n".join(["a,b,c", *good[:1000], bad, *good[1000:]]))
        parts.clear()
        agree(WORDS, tmp_path / "x")
        assert len(parts) == expected


SLIPS: dict[str, Callable[[Any], Any]] = {
    "two quotes for one are not": lambda lines: (line.replace('""', '"') for line in lines),
    "a return alone ends no line": lambda lines: re.sub("\r(?!\n)", " ", "".join(lines)).splitlines(True),
    "two line ends are one": lambda lines: (line for line in lines if line.strip("\r\n")),
    "lines end as text's do": lambda lines: "".join(lines).splitlines(True),
    "the last line is lost": lambda lines: list(lines)[:-2] + list(lines)[-1:],
    "a zero byte is nothing": lambda lines: (line.replace("\0", "") for line in lines),
    "white space after a delimiter is none": lambda lines: (line.replace(', "', ',"') for line in lines),
    "a quote opens anywhere": lambda lines: (line.replace('x"', '"x') for line in lines),
}


@pytest.mark.parametrize("slip", SLIPS.values(), ids=SLIPS)
def test_one_slip_of_either_is_seen(tmp_path, monkeypatch, slip):
    right = row_reader.csv.reader

    class Slipping:
        field_size_limit, Error = row_reader.csv.field_size_limit, row_reader.csv.Error

        @staticmethod
        def reader(lines: Any, delimiter: str) -> Any:
            return right(list(slip(list(lines))), delimiter=delimiter)

    monkeypatch.setattr(row_reader, "csv", Slipping)
    assert any(differences(log, content, tmp_path / "x") for log, content in islice(strange(0), 1500))


# -- files that others were tested with -------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [case.values[0] for case in FILES])
def test_broken_files(tmp_path, content):
    path = tmp_path / "rows.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert isinstance(agree(SMALL, path), str)


@pytest.mark.parametrize("line", BAD.values(), ids=BAD)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r", "\n\n\n"])
@pytest.mark.parametrize("most", [0, 0.2, 1])
def test_rows_that_are_left_out(tmp_path, line, end, most):
    path = tmp_path / "rows.csv"
    path.write_bytes(end.join([HEADER, *GOOD, line, GOOD[0], line, line[:-3]]).encode())
    agree(replace(SMALL, most_unread=most, most_outside=most), path)


@pytest.fixture(scope="module")
def raw(tmp_path_factory) -> Path:
    """A small log of the second war, simulated."""
    path = tmp_path_factory.mktemp("log") / "raw.csv"
    simulator.put_raw(path, [simulator.simulate(schema.load("iraq"), 1, 0.002)])
    return path


HOSTILE = {**corpus_text.ANY, **corpus_text.CSV}


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files(tmp_path, raw, change):
    path = tmp_path / "rows.csv"
    path.write_bytes(change(raw.read_bytes()))
    agree(schema.load("iraq"), path)
    agree(schema.load("iraq", {"most_unread": 1, "most_outside": 1}), path)


@pytest.mark.parametrize("packed", [False, True])
def test_lines_fields_and_files_that_are_too_long(tmp_path, packed):
    """Each limit, one character below it and at it."""
    write = gzip.compress if packed else bytes
    long = random.Random(1).randbytes(3 << 20).hex()
    for field in (long[: row_reader.FIELD], long[: row_reader.FIELD + 1], long[: row_reader.LINE - 6], long[:4194300]):
        for row in (f"x,{field},0", f'x,"{field}",0', f'x,"{field[:1000]}\n{field[1000:]}",0', f"x,y,0,{field}"):
            (tmp_path / "x").write_bytes(write(f"a,b,c\nx,y,0\n{row}\nx,y,0\n".encode()))
            agree(WORDS, tmp_path / "x")
    for size in (4_194_303, 4_194_304):
        (tmp_path / "x").write_bytes(write(b"a,b,c\n" + b",".join([b"y" * 99] * (size // 100))[: size - 1] + b"\n"))
        agree(WORDS, tmp_path / "x")


def test_a_file_that_unpacks_to_more_than_it_can(tmp_path):
    (tmp_path / "x").write_bytes(gzip.compress(b"a,b,c\n" + 800_000 * b"x,y,0\r\n"))
    assert isinstance(agree(WORDS, tmp_path / "x"), str)


# -- times, words and counts ------------------------------------------------------------------------------------------

FORMS = (
    "%d.%m.%Y", "%Y-%m-%d %H:%M:%S", "%m/%d/%y %I:%M %p", "%d %B %Y", "%b %d, %Y", "%Y%m", "%Y-%m-%dT%H:%M:%S.%f",
    "%Y-%j", "%A %d %b %Y",
)  # fmt: skip
MADE_UP = [
    "", " ", "today", "now", "NaT", "nan", "None", "0", "-1", "2004", "200401", "2004-13", "31.02.2004", "2004-366",
    "2004-000", "1/1/04 12:00 am", "1/1/04 00:00 AM", "1/1/04 13:00 PM", "12/31/68 1:00 pm", "12/31/69 1:00 pm",
    "29.02.2003", "29.02.2004", "٠١.٠١.٢٠٠٤", "01.01.0001", "01.01.9999", "01.01.10000",
    "2004-01-01T00:00:00.1234567890", "2004-06-30 23:59:60", "2004-06-30 23:59:61", "2004-06-30 24:00:00",
    "May 5, 2005", "MAY 05, 2005", "Sunday 1 Jan 2004", "thursday 1 jan 2004", "2004-01-01T00:00:00.", "1.1.2004",
    "01.01.2004\x00",
]  # fmt: skip
TIMES = schema.parse(
    {
        **PUBLIC,
        "title": "times",
        "unit": "row",
        "time": {"column": "when", "format": list(FORMS[:1]), "from": "2004-01", "to": "2005-12", "drop": ["2004-05"]},
        "region": {"column": "where", "keep": ["N  1", "ß"], "drop": ["Sea"]},
        "features": {
            "kind": {"column": "what", "outcomes": ["Red", "İ"], "fold": {"Rouge": "Red", "noise": "other"}},
            "hurt": {"any_positive": ["dead", "hurt"], "counts": {"none": 0, "-9": 0, "Many": 10}},
        },
    },
    "times",
)


def times(draw: random.Random, forms: tuple[str, ...], count: int) -> list[str]:
    """Written times, many of them oddly."""
    found = []
    for _ in range(count):
        moment = np.datetime64("2003-10-01T00:00:07") + np.timedelta64(draw.randrange(900 * 86400), "s")
        time = moment.astype(object).strftime(draw.choice(forms))
        dice = draw.random()
        if dice < 0.3:
            time = draw.choice([str.lower, str.upper, str.title, str.swapcase])(time)
        elif dice < 0.4:
            time = draw.choice([" ", "\t", "\u3000", "\x0b", "\xa0"]) + time + draw.choice(["", " ", "\n", "\x1f"])
        elif dice < 0.5:
            time = time.replace("0", "", 1)
        elif dice < 0.7:
            at = draw.randrange(len(time) + 1)
            time = time[:at] + draw.choice(["", "0", " ", "-", "9", "x", "\0", "٣"]) + time[at + draw.randrange(2) :]
        found.append(draw.choice(MADE_UP) if draw.random() < 0.1 else time)
    return found


def write(path: Path, rows: list[tuple[str, str, str, str, str]]) -> None:
    """A table of quoted fields, with a column whose name is longer than the head that may hold no zero byte."""
    lines = [",".join('"' + text.replace('"', '""') + '"' for text in (*row, "")) for row in rows]
    path.write_bytes("\n".join([f"when,where,what,dead,hurt,{'n' * 4096}", *lines]).encode())


@pytest.mark.parametrize("forms", [FORMS[:1], FORMS[1:2], FORMS[2:3], FORMS[6:7], FORMS], ids=len)
def test_written_times(tmp_path, forms):
    rows = [(time, "n 1", "red", "0", "0") for time in times(random.Random(len(forms)), forms, 500)]
    write(tmp_path / "x", [*rows, *rows[:50]])
    said = agree(replace(TIMES, time_formats=forms), tmp_path / "x")
    assert isinstance(said, Product)
    assert 100 < sum(said.rows.values()) < 520


def test_a_time_is_what_it_is_whatever_the_others_are(tmp_path):
    """Nine digits of a second beside a year that nanoseconds do not reach: each is read as it is by itself."""
    log = replace(TIMES, time_formats=("%Y-%m-%d %H:%M:%S.%f",), months=("1500-01", "2000-01"), dropped_months=())
    early, fine = ((time, "N 1", "red", "0", "0") for time in ("1500-01-01 0:0:0.0", "2000-01-01 0:0:0.123456789"))
    for rows in ([early], [early, fine], [fine, early]):
        write(tmp_path / "x", rows)
        said = agree(log, tmp_path / "x")
        assert isinstance(said, Product)
        assert sum(said.rows.values()) == len(rows)


REGIONS = [
    "N 1", "n 1", " N\t 1 ", "N1", "SS", "ß", "ẞ", "sea ", "SEA", "", "  ", "\u3000ß", "West", "W" * 61, "N\x001",
]  # fmt: skip
VALUES = [
    "red", "RED ", "Rouge", "rouge", "İ", "i̇", "i", "noise", "other", "", " ", "x" * 60, "x" * 61, "X" * 500,
    "r\0ed", "ﬁ",
]  # fmt: skip
COUNTS = [
    "0", "", " ", "1", "+1", "-1", "-0", "-0.0", "-9", "none", "MANY ", "many", "007", "3.0", "3.", "3.5", ".5",
    "1e3", "1000000000", "1000000001", "1000000000.0", "999999999999", "9999999999999", "٣", "²", "nan", "--1", "+-1",
    "1 ", "\u30001", "-0." + "0" * 400 + "1", "1_000", "0x1", "+", "-", "１",
]  # fmt: skip


def test_spellings(tmp_path):
    draw = random.Random(5)
    rows = [("01.02.2004", *map(draw.choice, (REGIONS, VALUES, COUNTS, COUNTS))) for _ in range(4000)]
    write(tmp_path / "x", [*rows, *(("01.02.2004", "N 1", "red", count, "0") for count in COUNTS)])
    said = agree(TIMES, tmp_path / "x")
    assert isinstance(said, Product)
    assert len(said.rows) > 6


@pytest.mark.parametrize("limit", [1, 2, 7, 50])
def test_more_values_than_are_told_apart(tmp_path, monkeypatch, limit):
    """Which are the first, in which spelling, in a column of rows of which some are left out."""
    monkeypatch.setattr(reader, "VALUES_LIMIT", limit)
    draw = random.Random(limit)
    for _ in range(10):
        many = [draw.choice([f"v{draw.randrange(60)}", f"V{draw.randrange(60)} ", *VALUES]) for _ in range(300)]
        places = [*REGIONS, *many]
        write(tmp_path / "x", [("01.02.2004", draw.choice(places), text, draw.choice(COUNTS), "0") for text in many])
        agree(TIMES, tmp_path / "x")


@pytest.mark.slow
def test_more_values_than_are_told_apart_by_default(tmp_path):
    rows = [f"01.02.2004,N 1,v{i * 7919 % 15_000},0,{i % 3}" for i in range(60_000)]
    (tmp_path / "x").write_bytes("\n".join(["when,where,what,dead,hurt", *rows]).encode())
    said = agree(TIMES, tmp_path / "x")
    assert isinstance(said, Product)
    assert len(said.words) == reader.VALUES_LIMIT + 1


# -- units ------------------------------------------------------------------------------------------------------------


PATIENTS = [f"p {i}" for i in range(1, 36)]


def of_units(draw: random.Random, path: Path) -> None:
    """Rows of three dozen patients and of nobody; each patient has a kind of their own."""
    rows = []
    for _ in range(600):
        who = draw.choice(["", " ", *(name.replace(" ", "  ") for name in PATIENTS)])
        spell = draw.choice([str.lower, str.upper, lambda name: f" {name} ", lambda name: name.replace("  ", "\t")])
        day = draw.choice(["03.11.2020", "04.01.2021", "05.02.2021", "05.12.2020", "never"])
        region, hurt = draw.choice(["North", "South"]), draw.choice("0012-")
        rows.append(f"{spell(who)};{day};;{region};{' '.join(who.split())};{hurt};0")
    path.write_text("\n".join([HEADER, *rows]), encoding="utf-8")


@pytest.mark.parametrize("most", [1, 2, 5, 100])
def test_of_each_unit_so_many_of_its_own_rows_stay(tmp_path, most):
    kinds = schema.parse(
        {**PUBLIC, "title": "x", "unit": "row", "features": {"kind": {"column": "what", "outcomes": PATIENTS}}},
        "x",
        events=False,
    ).features
    features = (*kinds, *SMALL.features[1:])
    log = replace(OF_PATIENTS, unit=schema.Unit("patient", most), features=features, most_outside=1.0)
    of_units(random.Random(most), tmp_path / "x")
    told = row_reader.told(log, tmp_path / "x")
    said = ours(log, tmp_path / "x")
    assert isinstance(told, Reading)
    assert isinstance(said, Product)
    assert said.rows <= told.rows
    nobody = sum(len(rows) for who, rows in told.by_unit.items() if isinstance(who, int))
    stay: Counter[int] = Counter()
    for (_, _, outcomes), n in said.rows.items():
        stay[outcomes[0]] += n
    expected = {rows[0][2][0]: min(most, len(rows)) for who, rows in told.by_unit.items() if isinstance(who, str)}
    assert stay == Counter({**expected, 35: nobody})
    report = json.loads(said.reports)[0]
    surplus = sum(told.rows.values()) - sum(stay.values())
    beyond = {"rows beyond the most": surplus, "rows kept without identifier": nobody}
    assert report["unit"] == told.report["unit"] | beyond
    assert report["kept"] == told.report["kept"] - surplus
    alike = ("left out", "rows", "unknown regions", "blank counts read as 0", "columns of too many values")
    assert {name: report[name] for name in alike} == {name: told.report[name] for name in alike}


def kept_two_of_four(path: Path, units: int) -> list[int]:
    """How often which two months stay of units that have a row in each of four."""
    kinds = [f"u{i}" for i in range(units)]
    log = schema.parse(
        {
            **PUBLIC,
            "title": "x",
            "unit": {"name": "patient", "column": "who", "most": 2},
            "time": {"column": "when", "format": "%Y-%m", "from": "2004-01", "to": "2004-04"},
            "region": {"column": "where", "keep": ["N"]},
            "features": {"kind": {"column": "what", "outcomes": kinds}},
        },
        "x",
    )
    rows = [f"{who},2004-0{month},N,{who}" for month in range(1, 5) for who in kinds]
    path.write_text("\n".join(["who,when,where,what", *rows]), encoding="utf-8")
    entries, _ = reader.read(log, path)
    months: dict[int, list[int]] = {}
    for who, month in zip(entries.values["what"][1].tolist(), entries.month.tolist(), strict=True):
        months.setdefault(who, []).append(month)
    amounts = Counter(tuple(sorted(kept)) for kept in months.values())
    assert set(amounts) <= set(combinations(range(4), 2))
    return [amounts[pair] for pair in combinations(range(4), 2)]


def far(amounts: list[int]) -> bool:
    """Whether a χ² test at 1e-7 refuses that all are as likely."""
    return bool(stats.chisquare(amounts).pvalue < 1e-7)


def test_any_of_a_units_rows_are_as_likely_to_stay(tmp_path, monkeypatch):
    """With bits from a seed; and lots that are no lots, as if the first rows stayed, are seen."""
    stream = np.random.default_rng(3)
    monkeypatch.setattr(bits, "fresh", lambda count: stream.bytes(count))
    assert not far(kept_two_of_four(tmp_path / "x", 600))
    monkeypatch.setattr(bits, "fresh", lambda count: np.arange(count // 8, dtype=np.uint64).tobytes())
    assert far(kept_two_of_four(tmp_path / "x", 600))


# -- several files ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_several_files_say_what_all_their_rows_in_one_say(tmp_path, parts):
    """But for where a reason stands first, which is a line of one of them; whatever they are packed in."""
    draw = random.Random(parts)
    header = "when,where,what,dead,hurt\n"
    texts = [[text for text in column if "\0" not in text] for column in (REGIONS, VALUES, COUNTS)]
    rows = []
    for time in times(draw, FORMS[:1], 400):
        fields = (time.replace("\0", ""), *map(draw.choice, (texts[0], texts[1], texts[2], texts[2])))
        rows.append(",".join('"' + field.replace("\n", " ") + '"' for field in fields) + "\n")
    (tmp_path / "all").write_text(header + "".join(rows), encoding="utf-8")
    cuts = [0, *sorted(draw.sample(range(len(rows)), parts - 1)), len(rows)]
    paths = []
    for i, (begin, end) in enumerate(pairwise(cuts)):
        data = (header + "".join(rows[begin:end])).encode()
        pack = [bytes, gzip.compress, zstandard.compress][i % 3]
        paths.append(tmp_path / f"part{i}")
        paths[-1].write_bytes(pack(data))
    whole, several = theirs(TIMES, tmp_path / "all"), ours(TIMES, paths)
    assert isinstance(whole, Product)
    assert isinstance(several, Product)
    assert (several.rows, several.words) == (whole.rows, whole.words)
    (expected, folded), (found, folded_too) = json.loads(whole.reports), json.loads(several.reports)
    for told in found["left out"].values():
        told["first line"] += cuts[paths.index(Path(told.pop("of")))]
    assert found == expected
    assert folded_too == folded


def test_the_first_file_that_is_refused_is_named(tmp_path):
    for name, text in (("a", "when,where,what,dead,hurt\n"), ("b", 'when,where,what,dead,hurt\n"'), ("c", "")):
        (tmp_path / name).write_text(text)
    said = ours(TIMES, [tmp_path / name for name in "abc"])
    cut = "ends within a quoted field; it was cut short or a quote is not closed, fetch it again."
    assert said == f"{tmp_path / 'b'} {cut}"


# -- whole logs -------------------------------------------------------------------------------------------------------


def test_a_simulated_log(raw):
    assert isinstance(agree(schema.load("iraq"), raw), Product)


def test_rows_of_every_type(tmp_path):
    """Those of patients, each row as a patient of its own."""
    agree(replace(wards.WARDS, unit=schema.ROW, unit_column=None), wards.csv(wards.TABLE, tmp_path / "x"))


@pytest.mark.skipif(not REAL.is_file(), reason="the rows of the real log are not beside the project")
def test_the_real_rows():
    said = agree(schema.load("afghanistan_textless"), REAL)
    assert isinstance(said, Product)
    assert sum(said.rows.values()) > 70_000
