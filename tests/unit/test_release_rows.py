"""The same rows say the same, whatever they are in; a file or frame that cannot be read says why in one sentence."""

import base64
import datetime as dt
import gzip
import random
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpsampling.errors import InputError
from dpsampling.event_logs import features, infer, parquet, reader, schema, typed_text
from dpsampling.event_logs.arrow_zones import KEY, zones_of
from dpsampling.event_logs.duck import Duck, RefusedError
from dpsampling.numerics.exact import bits

SECRET = "tuberculosis"
N = 400
DOCUMENT = {
    "title": "wards",
    "public": {"by": "the registrar", "on": "2024-05-31"},
    "unit": {"name": "patient", "column": "Patient", "most": 2},
    "time": {"column": "Seen", "format": ["%d.%m.%Y", "%Y-%m-%d %H:%M:%S"], "from": "2004-01", "to": "2005-06"},
    "region": {"column": "Ward", "keep": ["North", "South", "East"], "drop": ["Attic"]},
    "features": {
        "ill": {"column": "Ill", "outcomes": ["true", "false"]},
        "dose": {"column": "Dose", "outcomes": ["1", "0.5"]},
        "falls": {"any_positive": ["Falls"]},
    },
}
WARDS = schema.parse(DOCUMENT, "wards")
ONE = schema.parse(
    {**{k: DOCUMENT[k] for k in ("title", "public")}, "unit": "row", "features": {"ill": DOCUMENT["features"]["ill"]}},
    "one",
    events=False,
)


def table() -> pd.DataFrame:
    """Rows with every kind of column, and with something missing in each."""
    draw = np.random.default_rng(7)
    seen = pd.Series(pd.Timestamp("2004-01-01") + pd.to_timedelta(draw.integers(0, 700 * 86400, N), unit="s"))
    return pd.DataFrame(
        {
            "Seen": seen.mask(seen.index.isin([17, 203])),
            "WARD ": pd.Categorical(draw.choice(["North", "south", "Attic"], N)),
            "Ill": pd.array(draw.choice([True, False, None], N), dtype="boolean"),
            "Dose": draw.choice([1.0, 0.5, np.nan], N),
            "Falls": pd.array(draw.choice([0, 1, None], N), dtype="Int64"),
            "Patient": draw.integers(0, 150, N).astype(str),
            "Notes": [SECRET] * N,
        }
    )


TABLE = table()
ZONED = TABLE.assign(Seen=TABLE["Seen"].dt.tz_localize("America/New_York", ambiguous=True, nonexistent="NaT"))
UNZONED = ZONED.assign(Seen=ZONED["Seen"].dt.tz_localize(None))


def csv(frame, path):
    frame.to_csv(path, index=False, float_format="%g")
    return path


def packed(frame, path):
    path.write_bytes(gzip.compress(frame.to_csv(index=False, float_format="%g").encode()))
    return path


def of_pandas(frame, path):
    frame.to_parquet(path)
    return path


def of_polars(frame, path):
    pl.from_pandas(frame).write_parquet(path)
    return path


SOURCES = {
    "gzip": packed,
    "Parquet of pandas": of_pandas,
    "Parquet of polars": of_polars,
    "pandas": lambda frame, _: frame,
    "pandas objects": lambda frame, _: frame.astype(object),
    "polars": lambda frame, _: pl.from_pandas(frame),
    "Arrow": lambda frame, _: pa.Table.from_pandas(frame),
}


def told(source, monkeypatch, log=WARDS):
    """Entries and reports, with the lots of the rows beyond the most drawn alike."""
    monkeypatch.setattr(bits, "fresh", np.random.default_rng(1).bytes)
    entries, report = reader.read(log, source)
    table, folded = features.extract(log, entries)
    arrays = [c.tolist() for c in (table.times, table.region, table.month, *table.codes)]
    for left in report["left out"].values():
        left["first row"] = left.pop("first line") - 1 if "first line" in left else left["first row"]
    return arrays, report, folded


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_the_same_rows_give_the_same_entries_and_report(make, tmp_path, monkeypatch):
    expected = told(csv(TABLE, tmp_path / "x.csv"), monkeypatch)
    assert expected[1]["kept"] > N / 4
    assert set(expected[1]["left out"]) == {"unparsable time", "outside the period", "dropped region"}
    assert told(make(TABLE, tmp_path / "no.ending"), monkeypatch) == expected


TYPED = {name: make for name, make in SOURCES.items() if make is not packed}  # a CSV file writes the zone out


@pytest.mark.parametrize("make", TYPED.values(), ids=TYPED)
def test_an_aware_time_keeps_its_wall_time(make, tmp_path, monkeypatch):
    """Half of these rows would be in another month, or not, by the clock of Greenwich."""
    expected = told(csv(UNZONED, tmp_path / "x.csv"), monkeypatch)
    assert told(make(ZONED, tmp_path / "x"), monkeypatch) == expected


def test_greenwich_would_have_been_seen(tmp_path, monkeypatch):
    of_utc = ZONED.assign(Seen=ZONED["Seen"].dt.tz_convert("UTC"))
    assert told(of_utc, monkeypatch)[0] != told(ZONED, monkeypatch)[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""), (pd.NA, ""), (pd.NaT, ""), (float("nan"), ""), (Decimal("NaN"), ""), (np.datetime64("NaT"), ""),
        (1, "1"), (1.0, "1"), (-0.0, "0"), (0.5, "0.5"), (np.float32(0.5), "0.5"), (np.int64(3), "3"),
        (1e300, "1e+300"), (float("inf"), "inf"), (Decimal("1.00"), "1"), (Decimal("2.50"), "2.50"),
        (True, "true"), (np.False_, "false"),
        ("\udcff", "?"), (np.str_("ja"), "ja"), (dt.date(2004, 1, 5), "2004-01-05"), (dt.time(3), "03:00:00"),
        (dt.datetime(2004, 1, 5, 23, 59, tzinfo=dt.timezone(dt.timedelta(hours=-9))), "2004-01-05T23:59:00"),
        (pd.Timestamp("2004-01-05 10:00:00.123456789", tz="Europe/Berlin"), "2004-01-05T10:00:00"),
    ],
)  # fmt: skip
def test_what_a_value_is_as_text(value, text):
    assert typed_text.text(value) == text


def test_an_integer_that_python_does_not_write():
    assert typed_text.text(10**5000) == "(a number too long to write)"


@pytest.mark.parametrize("value", [[SECRET], (SECRET,), {SECRET: 1}, {SECRET}, SECRET.encode(), np.array([SECRET])])
def test_what_is_not_one_value_a_row_is_refused_without_its_text(value):
    with pytest.raises(InputError, match="column 'Ill' of the frame holds a ") as refusal:
        reader.read(ONE, pd.DataFrame({"ill": pd.Series(["true", value], dtype=object)}))
    assert SECRET not in str(refusal.value)


def test_a_typed_time_is_not_taken_for_the_schemas_format():
    """The schema's days come first, but the 5th of January is no 1st of May."""
    document = DOCUMENT | {"time": DOCUMENT["time"] | {"format": "%Y-%d-%m"}}
    frame = TABLE.head(1).assign(**{"Seen": [dt.date(2004, 1, 5)], "WARD ": "North"})
    entries, _ = reader.read(schema.parse(document, "wards"), frame)
    assert entries.month.tolist() == [0]


@pytest.mark.parametrize("other", ["2004-01-06", dt.date(2004, 1, 6), dt.datetime(2004, 1, 6, 12), pd.NaT, None, 7])
def test_how_a_text_is_read_hangs_on_no_other_rows_type(other):
    """Else one row, being of another type, would let all the others in."""
    time = DOCUMENT["time"] | {"format": "%d.%m.%Y"}
    document = DOCUMENT | {"time": time, "most_unread": 1, "most_outside": 1}
    times = pd.Series([*["2004-01-05"] * 9, "05.01.2004", other], dtype=object)
    frame = pd.concat([TABLE.head(1).assign(**{"WARD ": "North"})] * 11, ignore_index=True).assign(Seen=times)
    entries, _ = reader.read(schema.parse(document, "wards"), frame)
    assert entries.times.sum() == 1 + isinstance(other, dt.date) - (other is pd.NaT)


REFUSED = {
    "a lazy frame": (lambda: pl.DataFrame({"ill": ["true"]}).lazy(), "rows are of type LazyFrame"),
    "a mapping": (lambda: {"ill": ["true"]}, "rows are of type dict"),
    "an array": (lambda: np.zeros((2, 2)), "rows are of type ndarray"),
    "a column": (lambda: pd.Series(["true"], name="ill"), "rows are of type Series"),
    "nothing": (lambda: None, "rows are of type NoneType"),
    "another column": (lambda: pl.DataFrame({"sick": [True]}), "no column 'Ill' among its 1"),
    "the column twice": (lambda: pd.DataFrame([[1, 2]], columns=["Ill", "ill "]), "2 columns 'Ill'"),
    "lists": (lambda: pl.DataFrame({"ill": [[SECRET]]}), "holds a list"),
}


@pytest.mark.parametrize(("make", "words"), REFUSED.values(), ids=REFUSED)
def test_no_frame_of_ours(make, words):
    with pytest.raises(InputError) as refusal:
        reader.read(ONE, make())
    assert words in str(refusal.value)
    assert SECRET not in str(refusal.value)


# -- Parquet ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.parquet"
    pq.write_table(pa.table({"ill": ["true", SECRET, None] * 1000, "n": list(range(3000))}), path)
    return path


def sentence(path, log=ONE) -> str:
    with pytest.raises(InputError) as refusal:
        reader.read(log, path)
    said = str(refusal.value)
    assert path.name in said
    assert said.endswith(".")
    assert "\n" not in said
    assert SECRET not in said
    return said


@pytest.mark.parametrize("cut", [4, 8, 100, 0.5, -9, -1])
def test_a_file_that_is_cut_short(cut, good):
    whole = good.read_bytes()
    good.write_bytes(whole[: int(cut * len(whole)) if isinstance(cut, float) else cut])
    assert "broken, cut short" in sentence(good)


def test_broken_bytes_are_read_or_refused_in_a_sentence(good):
    whole = good.read_bytes()
    draw = random.Random(3)
    refused = 0
    for _ in range(30):
        data = bytearray(whole)
        for _ in range(draw.choice([1, 20])):
            data[draw.randrange(4, len(data))] = draw.randrange(256)
        good.write_bytes(data)
        try:
            reader.read(ONE, good)
        except InputError:
            refused += 1
            sentence(good)
    assert 2 < refused < 30


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"sick": ["true"]}, "has no column 'Ill' among its 1"),
        ({"ill": [["true"]]}, "is of type VARCHAR[]"),
        ({"ill": [{"x": 1}]}, "is of type STRUCT"),
        ({"ill": [b"\xff\xfe"]}, "no valid text"),
    ],
)
def test_columns_that_cannot_be_read(columns, words, tmp_path):
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    assert words in sentence(tmp_path / "x.parquet")


def test_two_columns_of_one_name(tmp_path):
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["ill", "ILL"]), tmp_path / "x")
    assert "has 2 columns 'Ill'" in sentence(tmp_path / "x")


@pytest.mark.parametrize("kind", [pa.string(), pa.null(), pa.bool_(), pa.time64("ns"), pa.duration("s"), pa.float32()])
def test_a_file_of_no_rows_and_one_of_nothing(kind, tmp_path):
    for rows in ([], [None, None]):
        pq.write_table(pa.table({"ill": pa.array(rows, kind)}), tmp_path / "x")
        entries, _ = reader.read(ONE, tmp_path / "x")
        assert entries.times.sum() == len(rows)


def test_more_rows_than_a_file_of_its_size_has(tmp_path):
    numbers = pa.array(np.zeros(6_000_000, np.int32))
    pq.write_table(pa.table({"ill": pa.DictionaryArray.from_arrays(numbers, pa.array(["true"]))}), tmp_path / "x")
    assert "6000000 rows in" in sentence(tmp_path / "x")


def test_values_that_a_small_file_repeats_do_not_fill_the_memory(tmp_path):
    pq.write_table(pa.table({"ill": ["x" * 3_000_000] * 30}), tmp_path / "x")
    entries, _ = reader.read(ONE, tmp_path / "x")
    assert entries.times.sum() == 30


@pytest.mark.parametrize("name", ["*.parquet", "a[b]?", "x'; DROP", "https:__x", "%61", "ü\n"])
def test_no_character_of_a_name_means_anything(name, good):
    (good.parent / "other.parquet").write_bytes(b"PAR1")
    good.rename(good.parent / name)
    assert reader.read(ONE, good.parent / name)[0].times.sum() == 3000


def test_columns_with_any_name(tmp_path):
    pq.write_table(pa.table({'a"; DROP': [1], " I L\tl": ["true"]}), tmp_path / "x")
    assert reader.read(ONE, tmp_path / "x")[0].values["Ill"][0] == ("true",)


def test_chunks_do_not_matter(tmp_path, monkeypatch):
    path = of_pandas(TABLE, tmp_path / "x")
    expected = told(path, monkeypatch)
    monkeypatch.setattr(parquet, "ROWS", 20)
    assert told(path, monkeypatch) == expected


def test_without_duckdb_one_sentence_says_what_to_install(good, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert "pip install 'dpsampling[release]'" in sentence(good)


def test_duckdb_fetches_nothing_spills_nothing_and_draws_nothing():
    off = ("autoinstall_known_extensions", "autoload_known_extensions", "allow_persistent_secrets")
    asked = dict.fromkeys((*off, "enable_progress_bar"), False) | {"temp_directory": "", "threads": 1}
    with Duck() as connection:
        ((found,),) = connection.rows("SELECT " + ", ".join(f"current_setting('{name}')" for name in asked))
    assert dict(zip(asked, found, strict=True)) == asked


def test_what_duckdb_says_is_not_repeated():
    with Duck() as connection, pytest.raises(RefusedError) as refusal:
        connection.csv_rows(f"{SECRET}\n".encode(), ",", 2, [0], 1000, {})
    assert (str(refusal.value), refusal.value.__cause__, refusal.value.__suppress_context__) == ("", None, True)


def test_zones_of_a_hostile_schema_are_none():
    draw = random.Random(5)
    for size in (0, 3, 8, 40, 400):
        for _ in range(50):
            assert zones_of([(KEY, draw.randbytes(size))]) == {}
            assert isinstance(zones_of([(KEY, base64.b64encode(draw.randbytes(size)))]), dict)


# -- drafts -----------------------------------------------------------------------------------------------------------


def test_a_table_is_drafted_without_time_and_region_from_parquet(tmp_path):
    path = of_pandas(TABLE, tmp_path / "wards.parquet")
    text = infer.infer(path, time=None, region=None, categories=["Ill"], counts=["Falls"])
    assert "--unit" in text
    assert not any(word in text for word in ("\ntime:", "\nregion:", "\ndelimiter:", "\nencoding:"))
    (tmp_path / "draft.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="its schema is a draft"):
        schema.load(str(tmp_path / "draft.yaml"), events=False, unit="row")
    edited = {"public": DOCUMENT["public"]}
    assert schema.load(str(tmp_path / "draft.yaml"), edited, events=False, unit="row").regions == schema.ALL


def test_times_of_parquet_are_drafted_as_they_are_read(tmp_path):
    text = infer.infer(of_pandas(TABLE, tmp_path / "wards.parquet"), time="Seen", region="Ward", categories=["Ill"])
    assert "'%Y-%m-%dT%H:%M:%S'" in text
    assert "from: 2004-01\n  to: 2005-12" in text or "from: 2004-01\n  to: 2005-11" in text
