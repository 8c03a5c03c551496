"""Reading logs: both published formats, any other, and every way in which a file can be broken."""

import csv
import gzip
import io
import json
from dataclasses import replace

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.event_logs import reader, schema

SECRET = "the convoy left at dawn"  # text that must turn up nowhere

DOCUMENT = {
    "title": "Small",
    "public": {"by": "the ward's office", "on": "2021-03-04"},
    "unit": "row",
    "most_unread": 0.5,
    "delimiter": ";",
    "time": {"column": "when", "format": "%d.%m.%Y", "from": "2020-11", "to": "2021-02", "drop": ["2020-12"]},
    "region": {"column": "where", "keep": ["North", "South"], "drop": ["Sea"]},
    "features": {
        "kind": {"column": "what", "outcomes": ["Red", "Blue"]},
        "hurt": {"any_positive": ["dead", "wounded"]},
    },
}
SMALL = schema.parse(DOCUMENT, "small")
HEADER = "id;When;notes;where ;what;dead;wounded"
GOOD = [
    "1;03.11.2020;;North;red;0;0",
    '2;04.01.2021;"a; ""quoted"" text\nover lines";  south;BLUE ;2;0',
    "3;05.02.2021;;NORTH;Green;;+1",
]


def write(tmp_path, lines, name="rows.csv"):
    path = tmp_path / name
    path.write_bytes("\n".join(lines).encode() + b"\n")
    return path


def raw(tmp_path, rows, log):
    """Rows given by their columns, in a published format, with text wherever text can be."""
    known = schema.load(log)
    path = tmp_path / "raw.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
        if known.header:
            writer.writerow(known.columns)
        for row in rows:
            given = {schema.column_key(name): value for name, value in row.items()}
            empty = dict.fromkeys(known.count_columns, "0") | dict.fromkeys(TEXTS, f'{SECRET}, "quoted",\nand on')
            writer.writerow(given.get(schema.column_key(column), empty.get(column, "")) for column in known.columns)
    return known, path


TEXTS = {"Title", "Summary", "title", "summary", "UnitName", "unitname", "MGRS", "mgrs"}


def test_an_invented_log_by_its_schema_alone(tmp_path):
    entries, report = reader.read(SMALL, write(tmp_path, [HEADER, *GOOD]))
    np.testing.assert_array_equal(entries.region, [0, 1, 0])
    np.testing.assert_array_equal(entries.month, [0, 1, 2])
    keys, codes = entries.values["what"]
    assert [keys[c] for c in codes] == ["red", "blue", "green"]
    np.testing.assert_array_equal(entries.some["dead"], [0, 1, 0])
    np.testing.assert_array_equal(entries.some["wounded"], [0, 0, 1])
    assert (report["rows"], report["kept"], report["left out"]) == (3, 3, {})
    assert report["blank counts read as 0"] == {"dead": 1}


@pytest.mark.parametrize("log", ["afghanistan", "iraq"])
def test_the_published_formats_without_their_texts(tmp_path, log):
    columns = {c.casefold(): c for c in schema.load(log).columns}
    regions = schema.load(log).regions
    rows = [
        {"DateOccurred": "2006-03-04 05:06:07", "Type": "ENEMY ACTION", "Category": "Direct Fire", "Region": region,
         "CivilianWIA": "3", "EnemyDetained": "1"}
        for region in regions
    ] + [{"DateOccurred": "2007-01-31 23:59:59", "Type": "x", "Category": "", "Region": regions[0]}]  # fmt: skip
    known, path = raw(tmp_path, rows, log)
    entries, report = reader.read(known, path)
    assert report["kept"] == len(regions) + 1
    np.testing.assert_array_equal(entries.region, [*range(len(regions)), 0])
    assert [known.months[m] for m in entries.month] == ["2006-03"] * len(regions) + ["2007-01"]
    assert entries.some[columns["civilianwia"]].tolist() == [1] * len(regions) + [0]
    assert SECRET not in repr(entries) + json.dumps(report)


def test_no_text_is_held(tmp_path):
    """Not even while a file is read: what the reader hands on are the wanted columns."""
    known, path = raw(tmp_path, [{"DateOccurred": "2006-03-04 05:06:07", "Region": "RC EAST"}] * 3, "afghanistan")
    (columns,) = reader.columns_of(known, path)
    assert set(columns) == set(known.wanted)
    assert SECRET not in repr(columns)


BAD = {
    "too few fields": "4;03.11.2020;;North",
    "too many fields": "4;03.11.2020;;North;red;0;0;0",
    "unparsable time": "4;2020-11-03;;North;red;0;0",
    "outside the period": "4;03.11.2022;;North;red;0;0",
    "dropped month": "4;24.12.2020;;North;red;0;0",
    "dropped region": "4;03.11.2020;;SEA;red;0;0",
    "unknown region": "4;03.11.2020;;West;red;0;0",
    "negative count": "4;03.11.2020;;North;red;-1;0",
    "unparsable count": "4;03.11.2020;;North;red;0;two",
}


def test_every_reason_has_its_case():
    assert tuple(BAD) == reader.REASONS


@pytest.mark.parametrize(("reason", "line"), BAD.items())
def test_a_bad_row_is_left_out_and_counted(tmp_path, reason, line):
    entries, report = reader.read(SMALL, write(tmp_path, [HEADER, GOOD[0], line, *GOOD[1:]]))
    assert entries.region.tolist() == [0, 1, 0]
    assert report["left out"] == {reason: {"rows": 1, "first line": 3}}
    assert report["unknown regions"] == ({"West": 1} if reason == "unknown region" else {})


@pytest.mark.parametrize(("count", "number"), [(" 7 ", 7), ("007", 7), ("3.0", 3), ("-0", 0), ("+2", 2)])
def test_what_is_a_count(tmp_path, count, number):
    entries, _ = reader.read(SMALL, write(tmp_path, [HEADER, *GOOD, f"4;03.11.2020;;North;new;{count};0"]))
    assert entries.some["dead"][-1] == (number > 0)
    assert reader.count_of(count) == number


def test_a_row_has_one_reason(tmp_path):
    """The first in the order in which they are looked for."""
    _, report = reader.read(SMALL, write(tmp_path, [HEADER, *GOOD, "4;03.11.2022;;West;red;-1;x"]))
    assert list(report["left out"]) == ["outside the period"]
    assert report["unknown regions"] == {}


def test_gzip_and_byte_order_mark(tmp_path):
    plain = write(tmp_path, [HEADER, *GOOD])
    packed = tmp_path / "rows.data"  # whatever its name
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + plain.read_bytes()))
    np.testing.assert_array_equal(reader.read(SMALL, packed)[0].month, reader.read(SMALL, plain)[0].month)


def test_other_encodings(tmp_path):
    document = {**DOCUMENT, "region": {"column": "where", "keep": ["Nörd", "South"]}}
    text = "\n".join([HEADER, *GOOD]).replace("North", "Nörd").replace("NORTH", "NÖRD")
    for encoding in ("latin-1", "utf-16"):
        path = tmp_path / f"{encoding}.csv"
        path.write_bytes(text.encode(encoding))
        assert reader.read(schema.parse({**document, "encoding": encoding}, "x"), path)[1]["kept"] == 3
        with pytest.raises(InputError, match="encoding"):
            reader.read(schema.parse(document, "x"), path)


def broken(content, sentence):
    return pytest.param(content, sentence, id=sentence[:30])


LINES = "\n".join([HEADER, *GOOD])
FILES = [
    broken("", "is empty"),
    broken("\n\n", "is empty"),
    broken(LINES.replace("what", "colour"), "has no column 'what'"),
    broken(LINES.replace("id;", "what;"), "has 2 columns 'what'"),
    broken(LINES.replace(";", ","), "its delimiter seems to be ','"),
    broken("\n".join([HEADER, *GOOD, *[BAD["unparsable time"]] * 4]), "mostly for 'unparsable time' (4 rows, first at"),
    broken("\n".join([HEADER, *GOOD, *[BAD["unknown region"]] * 4]), "region.keep or region.drop"),
    broken(LINES + '\n4;03.11.2020;"' + SECRET, "ends within a quoted field"),
    broken(LINES + '\n4;03.11.2020;;North;red;0;"0', "ends within a quoted field"),
    broken(LINES + '\n4;03.11.2020;"' + SECRET * 60_000, "a field is longer than"),
    broken(LINES.replace("notes", "no\0es"), "is no text in utf-8"),
    broken(LINES.encode().replace(b"quoted", b"qu\xe9ted"), "is not text in utf-8"),
    broken(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is no text in utf-8"),
    broken(gzip.compress(LINES.encode())[:-9], "broken or cut short"),
    broken(gzip.compress(LINES.encode())[:20], "broken or cut short"),
    broken(b"\x1f\x8b" + LINES.encode(), "broken or cut short"),
]


@pytest.mark.parametrize(("content", "sentence"), FILES)
def test_a_broken_file_is_one_sentence_without_its_text(tmp_path, content, sentence):
    path = tmp_path / "rows.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(InputError) as error:
        reader.read(SMALL, path)
    assert sentence in str(error.value)
    assert str(path) in str(error.value)
    assert "\n" not in str(error.value)
    assert SECRET not in str(error.value)
    assert csv.field_size_limit() == 131072


def test_a_file_that_is_none(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        reader.read(SMALL, tmp_path)
    with pytest.raises(InputError, match="does not exist"):
        reader.read(SMALL, tmp_path / "absent.csv")


def test_text_in_the_place_of_a_category_is_not_held(tmp_path):
    entries, _ = reader.read(SMALL, write(tmp_path, [HEADER, *GOOD, f"4;03.11.2020;;North;{SECRET * 4};0;0"]))
    assert SECRET not in repr(entries)


def test_too_many_values_are_told_and_no_outcome_is_lost(tmp_path, monkeypatch):
    """What an entry is does not hang on how many values came before it."""
    rows = [f"{i};03.11.2020;;North;{value};0;0" for i, value in enumerate(["a", "b", "c", "Red", "a", "d", "BLUE"])]
    whole, told = reader.read(SMALL, write(tmp_path, [HEADER, *rows]))
    assert (whole.values["what"][0], told["columns of too many values"]) == (("a", "b", "c", "red", "d", "blue"), [])
    monkeypatch.setattr(reader, "VALUES_LIMIT", 2)
    entries, told = reader.read(SMALL, write(tmp_path, [HEADER, *rows]))
    keys, codes = entries.values["what"]
    assert [keys[c] for c in codes] == ["a", "b", "(beyond the first 2 values)", "red", "blue"]
    assert entries.times.tolist() == [2, 1, 2, 1, 1]
    assert told["columns of too many values"] == ["what"]
    assert "column 'what' has more than 2 different values" in reader.summary("x", told)


def test_expected_rows_do_not_count_as_outside(tmp_path):
    lines = [HEADER, *GOOD, *[BAD["dropped region"], BAD["dropped month"]] * 20]
    _, report = reader.read(SMALL, write(tmp_path, lines))
    left = {reason: found["rows"] for reason, found in report["left out"].items()}
    assert left == {"dropped month": 20, "dropped region": 20}


def test_a_period_of_ones_own_needs_a_word(tmp_path):
    path = write(tmp_path, [HEADER, *GOOD, *[BAD["outside the period"]] * 4])
    with pytest.raises(InputError, match=r"are outside the schema of log small, .* or raise most_outside"):
        reader.read(replace(SMALL, most_unread=1.0), path)
    assert reader.read(replace(SMALL, most_outside=0.9, most_unread=0.0), path)[1]["kept"] == 3


@pytest.mark.parametrize("reason", ["too few fields", "too many fields", "unparsable time", "negative count",
                                    "unparsable count"])  # fmt: skip
def test_what_is_not_understood_has_a_limit_of_its_own(tmp_path, reason):
    path = write(tmp_path, [HEADER, *GOOD * 16, BAD[reason]])  # 1 of 49
    with pytest.raises(InputError, match=f"1 of its 49 rows are not understood by .*'{reason}'.* or raise most_unread"):
        reader.read(replace(SMALL, most_outside=1.0, most_unread=0.02), path)
    path = write(tmp_path, [HEADER, *GOOD * 16, GOOD[0], BAD[reason]])  # 1 of 50
    assert reader.read(replace(SMALL, most_outside=0.0, most_unread=0.02), path)[1]["kept"] == 49


def test_the_limit_is_two_percent_unless_said():
    document = {name: told for name, told in DOCUMENT.items() if name != "most_unread"}
    assert schema.parse(document, "small").most_unread == 0.02


def test_texts_mean_what_the_schema_says(tmp_path):
    told = json.loads(json.dumps(DOCUMENT))
    told["features"]["hurt"]["counts"] = {"1 (minor)": 1, "N/A": 0, "-9": 0, "": 4}
    rows = [f"4;03.11.2020;;North;red;{text};0" for text in ("1 (Minor)", " 1  (MINOR) ", "n/a", "-9", "", "3")]
    entries, report = reader.read(schema.parse(told, "small"), write(tmp_path, [HEADER, *rows]))
    assert dict(zip(entries.some["dead"].tolist(), entries.times.tolist(), strict=True)) == {1: 4, 0: 2}
    assert report["blank counts read as 0"] == {}
    _, report = reader.read(replace(SMALL, most_unread=1.0), write(tmp_path, [HEADER, *rows]))
    left = {reason: n["rows"] for reason, n in report["left out"].items()}
    assert left == {"negative count": 1, "unparsable count": 3}


def test_the_first_format_that_understands_a_time_decides(tmp_path):
    several = replace(SMALL, time_formats=("%d.%m.%Y", "%Y-%m-%d", "%m/%d/%y"))
    times = ["03.11.2020", "2021-01-04", "02/05/21", "05.02.2021", "2021-02-30", " 2020-11-30 "]
    rows = [f"4;{time};;North;red;0;0" for time in times]
    entries, report = reader.read(several, write(tmp_path, [HEADER, *rows]))
    assert (entries.month.tolist(), entries.times.tolist()) == ([0, 1, 2], [2, 1, 2])
    assert report["left out"] == {"unparsable time": {"rows": 1, "first line": 6}}


OF_PATIENTS = replace(SMALL, unit=schema.Unit("patient", 2), unit_column="id", most_unread=1.0)


def test_of_each_unit_so_many_rows_stay(tmp_path):
    """Case and white space of an identifier do not count, and who has none is a unit of their own."""
    rows = ["Ann", "ann ", "ANN", "bob", "", " ", "", "a  nn", "Bob"]
    lines = [HEADER, *(f"{who};03.11.2020;;North;{i};0;0" for i, who in enumerate(rows))]
    path = write(tmp_path, [*lines, "ann;nonsense;;North;red;0;0"])  # a row that is left out anyway takes no place
    kept = set()
    for _ in range(40):
        entries, report = reader.read(OF_PATIENTS, path)
        beyond = {"rows beyond the most": 1, "rows kept without identifier": 3}
        assert report["unit"] == {"name": "patient", "most": 2, **beyond}
        assert entries.unit == schema.Unit("patient", 2)
        keys, codes = entries.values["what"]
        stay = [keys[code] for code in codes]  # a row has the same fields still
        assert [key for key in stay if key not in "012"] == ["3", "4", "5", "6", "7", "8"]
        kept.add(tuple(key for key in stay if key in "012"))
    assert kept == {("0", "1"), ("0", "2"), ("1", "2")}  # one of the three does not come in 40 times: 3 (2/3)^40 = 3e-7
    assert "1 drawn from those beyond 2 of one patient" in reader.summary(path, report)
    assert "3 of the rows kept name no patient" in reader.summary(path, report)


def test_zeros_are_told_and_not_refused(tmp_path):
    _, report = reader.read(SMALL, write(tmp_path, [HEADER, GOOD[0]]))
    assert (report["regions without rows"], report["months with rows"]) == (["South"], 1)
    entries, report = reader.read(SMALL, write(tmp_path, [HEADER]))
    assert (entries.times.sum(), report["rows"], report["months with rows"]) == (0, 0, 0)
    bare = replace(SMALL, header=False, columns=("id", "when", "notes", "where", "what", "dead", "wounded"))
    assert reader.read(bare, write(tmp_path, GOOD))[1]["kept"] == 3
    (tmp_path / "none.csv").write_bytes(b"")
    assert reader.read(bare, tmp_path / "none.csv")[1]["kept"] == 0


def test_the_curator_is_told_in_one_sentence_and_no_one_else(tmp_path):
    path = write(tmp_path, [HEADER, *GOOD, BAD["unparsable time"], BAD["dropped month"]])
    _, report = reader.read(SMALL, path)
    said = reader.summary(path, report)
    assert "2 of its 5 rows are left out, 1 for 'unparsable time' (first at line 6), 1 for 'dropped month'" in said
    assert "for the curator alone" in said
    assert "\n" not in said
    assert reader.summary(path, reader.read(SMALL, write(tmp_path, [HEADER, *GOOD]))[1]) == ""


def test_entries_come_back_from_their_file(tmp_path):
    entries, _ = reader.read(SMALL, write(tmp_path, [HEADER, *GOOD]))
    one, two = tmp_path / "a.npz", tmp_path / "b.npz"
    reader.put(one, entries)
    reader.put(two, entries)
    assert one.read_bytes() == two.read_bytes()
    back = reader.load(one)
    assert (back.log, back.origin, back.regions, back.months) == ("small", "file", SMALL.regions, SMALL.months)
    np.testing.assert_array_equal(back.values["what"][1], entries.values["what"][1])
    assert back.values["what"][0] == entries.values["what"][0]
    np.testing.assert_array_equal(back.some["dead"], entries.some["dead"])
    np.testing.assert_array_equal(back.times, entries.times)
    assert back.tally == entries.tally
    for content in (b"", b"no archive", one.read_bytes()[:200]):
        two.write_bytes(content)
        with pytest.raises(InputError, match="name a file that 'dpsampling warlogs "):
            reader.load(two)
    buffer = io.BytesIO()
    np.save(buffer, np.ones(3))
    two.write_bytes(buffer.getvalue())
    with pytest.raises(InputError, match="is damaged or something else"):
        reader.load(two)
