"""What a row is read as hangs on no other row, on no other use of its column, and on no order of the features."""

import datetime
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpsampling.errors import InputError
from dpsampling.event_logs import features, reader, schema
from dpsampling.event_logs.parse_times import clock, months_of


def of_times(form: str, **changes: Any) -> schema.LogSchema:
    return schema.parse(
        {
            "title": "x",
            "public": {"by": "the registrar", "on": "2024-05-31"},
            "unit": "row",
            "most_unread": 1,
            "most_outside": 1,
            "time": {"column": "when", "format": form, "from": "1500-01", "to": "2020-12"},
            "features": {"what": {"column": "what", "outcomes": ["a", "b"]}},
            **changes,
        },
        "x",
        events=False,
    )


def months(log: schema.LogSchema, source: Any) -> dict[str, int]:
    entries, _ = reader.read(log, source)
    return {log.months[m]: n for m, n in zip(entries.month.tolist(), entries.times.tolist(), strict=True)}


def as_csv(frame: pd.DataFrame, path: Path) -> Path:
    frame.to_csv(path, index=False)
    return path


def as_parquet(frame: pd.DataFrame, path: Path) -> Path:
    pq.write_table(pa.Table.from_pandas(frame), path)
    return path


def as_it_is(frame: pd.DataFrame, path: Path) -> pd.DataFrame:
    del path
    return frame


MAKERS = [as_csv, as_parquet, as_it_is]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M:%S.%f", "%H:%M:%S.%f %Y-%m-%d"])
def test_a_fine_time_does_not_move_an_early_one(tmp_path, make, form):
    """Nanoseconds do not reach back to 1500, and one row of them must not take a month from all others."""
    early, fine = (
        form.replace("%Y-%m-%d", day).replace("%H:%M:%S.%f", hour)
        for day, hour in (("1500-01-01", "01:02:03.5"), ("2000-01-01", "01:02:03.123456789"))
    )
    for times in ([early], [early, fine], [fine, early]):
        frame = pd.DataFrame({"when": times, "what": "a"})
        found = months(of_times(form), make(frame, tmp_path / "x"))
        assert found == {"1500-01": 1} | ({"2000-01": 1} if fine in times else {})


def test_each_time_among_others_is_what_it_is_alone():
    form = "%Y-%m-%d %H:%M:%S.%f"
    texts = [
        f"{year}-05-06 07:08:09.{fraction}"
        for year in ("0001", "1500", "1677", "2000", "2262", "9999", "none")
        for fraction in ("1", "123456", "1234567", "123456789", "000000000", "1234567890", "")
    ]
    assert months_of(texts, (form,)).tolist() == [months_of([text], (form,))[0] for text in texts]


@pytest.mark.parametrize("make", MAKERS[1:])
@pytest.mark.parametrize("form", ["%d.%m.%Y", "%Y-%m-%d", "%d.%m.%Y %H:%M", "%H:%M %d.%m.%Y"])
@pytest.mark.parametrize("moment", [datetime.date(2004, 1, 31), datetime.datetime(2004, 1, 31, 5)])
def test_a_moment_needs_no_format(tmp_path, make, form, moment):
    source = make(pd.DataFrame({"when": [moment], "what": ["a"]}), tmp_path / "x")
    assert months(of_times(form), source) == {"2004-01": 1}


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("again", ["when", "When "])
def test_times_that_are_a_region_and_a_category_too(tmp_path, make, again):
    first, second = "2000-01-01 10:11", "2000-02-01 10:11"
    log = of_times(
        "%Y-%m-%d %H:%M",
        region={"column": again, "keep": [first, second]},
        features={"what": {"column": again, "outcomes": [first, "2000-01-01"]}},
    )
    entries, report = reader.read(log, make(pd.DataFrame({"when": [first, second, second]}), tmp_path / "x"))
    assert (report["kept"], report["regions without rows"]) == (3, [])
    table, _ = features.extract(log, entries)
    assert dict(zip(table.codes[0].tolist(), table.times.tolist(), strict=True)) == {0: 1, 2: 2}


def test_a_category_of_dates_from_parquet_is_text(tmp_path):
    log = of_times("%d.%m.%Y", features={"what": {"column": "when", "outcomes": ["2004-01-31"]}})
    entries, _ = reader.read(log, as_parquet(pd.DataFrame({"when": [datetime.date(2004, 1, 31)]}), tmp_path / "x"))
    assert (log.months[entries.month[0]], entries.values["when"][0]) == ("2004-01", ("2004-01-31",))


def counting(*columns: str) -> schema.LogSchema:
    return of_times("%Y-%m", features={column: {"any_positive": [column]} for column in columns})


def of_counts(path: Path, dead: int) -> Path:
    path.write_text(f"when,dead,hurt\n2000-01,{dead},0\n")
    return path


def test_parts_whose_counts_stand_in_another_order(tmp_path):
    """A schema whose features change places between two parts gives no column the counts of another."""
    parts = [
        reader.part(log, [of_counts(tmp_path / name, dead=1)])
        for name, log in (("a", counting("dead", "hurt")), ("b", counting("hurt", "dead")))
    ]
    entries, _ = reader.together(counting("dead", "hurt"), parts)
    assert {column: (some * entries.times).sum() for column, some in entries.some.items()} == {"dead": 2, "hurt": 0}


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M:%S.%f", "%H:%M:%S.%f %Y-%m-%d"])
def test_an_early_time_may_be_fine_wherever_it_stands(tmp_path, make, form):
    time = form.replace("%Y-%m-%d", "1500-01-02").replace("%H:%M:%S.%f", "01:02:03.123456789")
    assert months(of_times(form), make(pd.DataFrame({"when": [time], "what": "a"}), tmp_path / "x")) == {"1500-01": 1}


def test_long_values_of_one_row_do_not_refuse_a_file(tmp_path):
    """All of them together are longer than any line may be that Parquet is handed over in."""
    columns = [f"c{i}" for i in range(20)]
    log = of_times("%Y-%m", time=None, features={c: {"column": c, "outcomes": ["a"]} for c in columns})
    frame = pd.DataFrame({c: ["\N{GRINNING FACE}" * 60_000, "a"] for c in columns})
    for source in (frame, as_parquet(frame, tmp_path / "x")):
        _, report = reader.read(log, source)
        assert (report["rows"], report["kept"]) == (2, 2)


def test_entries_of_two_frames_can_be_loaded(tmp_path):
    frame = pd.DataFrame({"when": ["2000-01", "never"], "what": "a"})
    entries, report = reader.read(of_times("%Y-%m"), [frame, frame])
    reader.put(tmp_path / "x", entries)
    assert reader.together(of_times("%Y-%m"), [reader.load(tmp_path / "x")])[1] == report


@pytest.mark.parametrize(
    "lie",
    [
        {"rows": 1},
        {"rows": 10**6},
        {"bounded": {"rows beyond the most": 5}},
        {"reasons": {"unparsable time": 0}, "rows": 1},
        {"reasons": {"unparsable time": 2}},
    ],
)
def test_a_tally_of_other_rows_is_damage(tmp_path, lie):
    """It would say how large a share of them was left out."""
    frame = pd.DataFrame({"when": ["2000-01", "never"], "what": "a"})
    part = reader.part(of_times("%Y-%m"), [frame])
    reader.put(tmp_path / "x", replace(part, tally=replace(part.tally, **lie)))
    with pytest.raises(InputError, match="does not hold entries; make it again with 'dpsampling warlogs count --part'"):
        reader.load(tmp_path / "x")


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", None])
def test_nanoseconds_of_a_zone_are_moments(tmp_path, zone):
    """As pandas writes them by default; half an hour after midnight it is still January in Greenwich."""
    frame = pd.DataFrame({"when": pd.to_datetime(["2004-02-01 00:30"]).as_unit("ns").tz_localize(zone), "what": ["a"]})
    for source in (frame, as_parquet(frame, tmp_path / "x")):
        assert months(of_times("%d.%m.%Y"), source) == {"2004-02": 1}


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("%Y-%m-%d %H:%M:%S", True),
        ("%d.%m.%YT%H:%M:%S", True),
        ("%d %B %Y %H:%M:%S", True),
        ("%d.%m.%Y", True),  # by which a text with a time of day is none, whichever it is
        ("%Y-%m-%d %H:%M", False),
        ("%Y-%d %H:%m:%S", False),
        ("%Y:%m:%d %H:%M:%S", False),
        ("%m/%d/%Y %I:%M:%S", False),
        ("%Y-%m-%d %H:%M:%S.%f", False),
        ("%H:%M:%S %Y-%m-%d", False),
    ],
)
def test_a_time_of_day_is_midnight_only_where_no_format_minds(form, told):
    """DuckDB puts rows of one day together if so; then every such text says the same as with any other time of day."""
    assert (clock((form,)) is not None) == told
    assert clock(("%Y-%m-%d %H:%M:%S", form)) == clock((form,))
    if told:
        days = ("2004-02-29", "2004-02-30", "29.02.2004", "29 February 2004", "29.13.2004", "", "x")
        hours = ("00:00:00", "23:59:59", "10:11:12")
        for day in days:
            for between in " T":
                assert len(set(months_of([f"{day}{between}{hour}" for hour in hours], (form,)).tolist())) == 1
