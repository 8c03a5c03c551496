"""`dpsampling release table`: names of columns, cells and their sums, what is refused, and what is written."""

import csv
import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy import stats

from dpsampling.cli import main
from dpsampling.errors import InputError
from dpsampling.event_logs import schema
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.release import contents, pictures, table
from dpsampling.release.intervals import NoisyCount, of_counts
from dpsampling.release.noise import Noise

PUBLIC = {
    "title": "Falls",
    "public": {"by": "Office", "on": "2024-05-31"},
    "unit": "row",
    "features": {
        "severity": {"column": "Sev", "outcomes": ["low", "high"]},
        "kind": {"column": "Kind of fall", "outcomes": ["bed", "stairs", "garden"]},
        "hurt": {"any_positive": ["n1", "n2"]},
    },
}
PLACED = {
    **PUBLIC,
    "time": {"column": "When", "format": "%Y-%m-%d", "from": "2024-01", "to": "2024-03"},
    "region": {"column": "Ward", "keep": ["North", "South", "Empty"]},
}


@pytest.fixture
def log(tmp_path):
    """60 rows in two of three wards."""
    path = tmp_path / "log.csv"
    lines = ["Ward,When,Sev,Kind of fall,n1,n2,who"]
    lines += [
        f"{('North', 'South')[i % 2]},2024-0{i % 3 + 1}-05,{('low', 'high', 'odd')[i % 3]},"
        f"{('bed', 'stairs')[i % 2]},{i % 2},0,p{i // 3}"
        for i in range(60)
    ]
    path.write_text("\n".join(lines) + "\n")
    (tmp_path / "public.yaml").write_text(json.dumps(PLACED))
    return path


def release(log, columns, options="", out="out"):
    folder = log.parent / out
    told = f"--schema {log.parent / 'public.yaml'} --unit row --epsilon 20 --budget 1000 --quantum 0.05 {options}"
    return main(["release", "table", str(log), "--columns", *columns, *told.split(), "--out", str(folder)]), folder


@pytest.mark.parametrize(
    ("columns", "by", "names"),
    [
        (["severity"], ["severity"], ["Sev"]),
        (["SEV"], ["severity"], ["Sev"]),
        (["kindoffall", "Region"], ["kind", "region"], ["Kind of fall", "Ward"]),
        (["ward", "WHEN"], ["region", "month"], ["Ward", "month"]),
        (["month", "n1"], ["month", "hurt"], ["month", "hurt"]),
    ],
)
def test_names_are_features_columns_region_and_month_in_any_case(columns, by, names):
    found = table.axes(schema.parse(PLACED, "falls", events=False), columns)
    assert [axis.by for axis in found] == by
    assert [axis.name for axis in found] == names
    assert all(axis.outcomes[-1] == "other" for axis in found if axis.by in ("severity", "kind"))


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        (["Severty"], "does not describe"),
        (["Sev", "severity"], "twice"),
        (["region"], "does not describe"),
        ([], "is empty"),
        (["n"], "a column of a and of b"),
    ],
)
def test_names_that_mean_nothing_or_two_things_are_refused(columns, says):
    document = {**PUBLIC, "features": dict(PUBLIC["features"])}
    if columns == ["n"]:
        document["features"] |= {"a": {"any_positive": ["n"]}, "b": {"any_positive": ["n", "m"]}}
    with pytest.raises(InputError, match=says):
        table.axes(schema.parse(document, "falls", events=False), columns)


@pytest.mark.parametrize("columns", [["Sev"], ["Ward", "Sev"], ["month", "ward", "kind"]])
def test_a_table_of_one_two_or_three_columns_is_written_and_verified(log, capsys, columns):
    code, folder = release(log, columns)
    assert code == 0, capsys.readouterr().err
    made, document, _ = contents.read(folder)
    assert document["mechanism"] == {"name": "noisy counts", "rate": "10"}
    assert made.guarantee == table.promised(made)
    assert table.faults(made) == []
    with (folder / "table.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == made.numbers.integers.size
    assert [int(row["count"]) for row in rows] == [int(k) for k in made.numbers.integers.ravel()]
    assert all(0 <= int(row["low"]) <= int(row["estimate"]) <= int(row["high"]) for row in rows)
    assert (folder / "wide.csv").exists() == (len(columns) == 2)
    assert abs(document["results"]["rows"]["estimate"][0] - 60) < 8  # at this ε, hardly any noise
    assert main(["verify", str(folder)]) == 0


def test_a_ward_without_rows_is_a_row_of_zeros_with_noise(log, capsys):
    assert release(log, ["Ward", "Sev"])[0] == 0, capsys.readouterr().err
    text = (log.parent / "out" / "wide.csv").read_text().splitlines()
    assert text[0] == "Ward / Sev,low,high,other"
    assert text[3].startswith("Empty,")


def test_rows_of_a_patient_cost_as_many_times_as_are_kept(log, capsys):
    (log.parent / "public.yaml").write_text(json.dumps({**PLACED, "unit": {"name": "p", "column": "who", "most": 4}}))
    code, folder = release(log, ["Sev"], "--unit p --id who --max-per-unit 4 --epsilon 1 --budget 3")
    assert code == 0, capsys.readouterr().err
    assert json.loads((folder / "release.json").read_text())["mechanism"]["rate"] == "1/8"


@pytest.mark.parametrize(
    ("options", "says"),
    [("--delta 1e-6", "--delta is given"), ("--level 2", "--level is 2"), ("--epsilon nan", "--epsilon is nan")],
)
def test_what_does_not_go_together_is_refused(log, capsys, options, says):
    code, folder = release(log, ["Sev"], options)
    said = capsys.readouterr().err.strip()
    assert (code, folder.exists()) == (2, False)
    assert says in said
    assert said.endswith(".")


def test_a_table_of_more_than_a_million_cells_is_refused():
    many = {f"f{i}": {"column": f"c{i}", "outcomes": [f"o{j}" for j in range(150)]} for i in range(3)}
    described = schema.parse({**PUBLIC, "features": many}, "falls", events=False)
    with pytest.raises(InputError, match=r"would have 3442951 cells \(151 × 151 × 151\)"):
        table.prepare(described, None, columns=list(many), epsilon=1.0, level=0.9)


def test_sums_of_cells_hold_the_truth_as_often_as_they_say():
    """A margin of 12 cells, 1,000 times; and the planted bug: noise of one cell taken for that of all."""
    rng, rate, cells = np.random.default_rng(8), 0.2, 12
    success = -np.expm1(-rate)
    noise = rng.geometric(success, (1000, cells)) - rng.geometric(success, (1000, cells))
    sums, coins = 25 + noise.sum(axis=1), rng.random(1000)
    low, high = stats.binom.ppf(5e-7, 1000, 0.9), stats.binom.isf(5e-7, 1000, 0.9)
    for terms, good in ((cells, True), (1, False)):
        first, last, _ = of_counts(NoisyCount(sums, coins, Noise(rate, terms)), 0.9)
        assert (low <= np.sum((first <= 25) & (last >= 25)) <= high) == good


def test_what_is_impossible_is_a_fault(log):
    assert release(log, ["Sev"])[0] == 0
    made, *_ = contents.read(log.parent / "out")
    assert any("shape" in fault for fault in table.faults(replace(made, numbers=FixedPoint.of([1, 2], 0))))
    assert any("larger" in fault for fault in table.faults(replace(made, numbers=FixedPoint.of([1, 2, 2**60], 0))))
    told = {"name": "ops", "records": 5, "prior": [1.0, 1.0], "truncation": 0.1, "temperature": 2.0}
    with pytest.raises(InputError, match="not released by ops"):
        table.promised(replace(made, mechanism=told))


def test_a_picture_has_room_for_forty_wards_of_long_names_in_type_of_seven_points(tmp_path, monkeypatch):
    drawn: list[Figure] = []
    wards = [f"A ward with a name that is far too long for a table, number {i} $x$" for i in range(40)]
    kinds = [f"kind of event {i}" for i in range(12)]
    estimate = list(range(480))
    shown = SimpleNamespace(
        title="All events of a year " * 12,
        declared={"columns": ["Ward", "Kind"], "outcomes": {"Ward": wards, "Kind": kinds}},
    )
    save = pictures.save
    monkeypatch.setattr(pictures, "save", lambda figure, path: (drawn.append(figure), save(figure, path)))
    pictures.draw_table(shown, {"cells": {"estimate": estimate}}, tmp_path / "picture.png")
    texts = [text for text in drawn[0].findobj(Text) if text.get_text().strip()]
    assert min(text.get_fontsize() for text in texts) >= pictures.SMALLEST
    assert sum(text.get_text() in {str(value) for value in estimate} for text in texts) >= 480
