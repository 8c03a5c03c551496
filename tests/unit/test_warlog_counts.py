"""Counts: against counting one by one, and the published log of Afghanistan against its published aggregates."""

import csv
import gzip
import json
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from dpsampling import files
from dpsampling.cli import main
from dpsampling.errors import InputError
from dpsampling.event_logs import aggregates, archive, counts, features, schema, simulator
from dpsampling.files.documents import root

SHARED = Path(__file__).parents[2].parent / "shared" / "data" / "warlogs"
SIDES = {"friendly_or_host": ("friendly", "host"), "civilian": ("civilian",), "enemy": ("enemy",)}
HOW = ("wia", "kia", "detained")
OUTCOMES = (("a", "b", "other"), ("none", "some"))


def table(entries=500, regions=3, months=4, seed=0):
    rng = np.random.default_rng(seed)
    return features.FeatureTable(
        log="small",
        title="Small",
        origin="file",
        unit=schema.Unit("patient", 3),
        regions=tuple(f"r{i}" for i in range(regions)),
        months=tuple(f"2020-{i + 1:02d}" for i in range(months)),
        features=("kind", "hurt"),
        outcomes=OUTCOMES,
        times=np.ones(entries, np.int64),
        region=rng.integers(0, regions, entries).astype(np.int32),
        month=rng.integers(0, months, entries).astype(np.int32),
        codes=tuple(rng.integers(0, len(o), entries).astype(np.int32) for o in OUTCOMES),
    )


def test_counting_one_by_one():
    rows = table()
    found = counts.count(rows)
    expected = np.zeros((3, 4, 5), int)
    for i in range(500):
        for offset, codes in zip((0, 3), rows.codes, strict=True):
            expected[rows.region[i], rows.month[i], offset + codes[i]] += 1
    np.testing.assert_array_equal(found.counts, expected)
    assert found.sizes == (3, 2)
    assert found.offsets.tolist() == [0, 3, 5]
    np.testing.assert_array_equal(found.entries, expected[:, :, :3].sum(axis=2))
    assert found.entries.sum() == 500


def test_an_entry_changes_each_feature_by_one():
    """The sensitivity that the mechanisms rest on: an entry changed moves each feature's counts by 2 at most."""
    rows = table()
    before = counts.count(rows).counts
    region = rows.region.copy()
    region[7] = (region[7] + 1) % 3
    kind = rows.codes[0].copy()
    kind[7] = (kind[7] + 1) % 3
    after = counts.count(replace(rows, region=region, codes=(kind, rows.codes[1]))).counts
    for part in (slice(0, 3), slice(3, 5)):
        assert np.abs(after[:, :, part] - before[:, :, part]).sum() == 2


def test_a_cell_may_be_empty():
    found = counts.count(table(entries=3, regions=2, months=10))
    assert found.counts.shape == (2, 10, 5)
    assert (found.entries == 0).sum() >= 17


def test_files_have_the_same_bytes_and_come_back(tmp_path):
    found = counts.count(table())
    one, two = tmp_path / "a.npz", tmp_path / "b.npz"
    counts.put(one, found)
    counts.put(two, found)
    assert one.read_bytes() == two.read_bytes()
    back = counts.load(one)
    for name in ("log", "title", "origin", "regions", "months", "features", "outcomes", "unit"):
        assert getattr(back, name) == getattr(found, name)
    np.testing.assert_array_equal(back.counts, found.counts)


@pytest.mark.parametrize("change", ["negative", "uneven", "shape", "absent", "float"])
def test_a_file_that_holds_no_counts(tmp_path, change):
    path = tmp_path / "counts.npz"
    counts.put(path, counts.count(table()))
    about, arrays = archive.get(path, "counts")
    whole = arrays["counts"]
    if change == "negative":
        whole[0, 0, 0] = -1
    elif change == "uneven":
        whole[0, 0, 0] += 1
    elif change == "absent":
        del about["outcomes"]
    arrays["counts"] = whole[:2] if change == "shape" else whole.astype(float) if change == "float" else whole
    archive.put(path, "counts", about, arrays)
    with pytest.raises(InputError, match="does not hold counts; make it again"):
        counts.load(path)


def test_the_chain_in_memory_for_a_file_of_ones_own(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("day;place;kind;killed\n1/2/20;A;x;0\n2/2/20;B;y;2\n5/3/20;a;X;1\n6/3/20;B;z;0\n", encoding="utf-8")
    told = schema.parse(
        {
            "title": "Mine",
            "public": {"by": "the ward's office", "on": "2021-03-04"},
            "unit": "row",
            "file": str(path),
            "delimiter": ";",
            "time": {"column": "day", "format": "%d/%m/%y", "from": "2020-02", "to": "2020-03"},
            "region": {"column": "place", "keep": ["A", "B"]},
            "features": {"kind": {"column": "kind", "outcomes": ["x", "y"]}, "hurt": {"any_positive": ["killed"]}},
        },
        "mine",
    )
    found = counts.of_log(told, seed=1)
    assert found.origin == "file"
    expected = [[[1, 0, 0, 1, 0], [1, 0, 0, 0, 1]], [[0, 1, 0, 0, 1], [0, 0, 1, 1, 0]]]
    np.testing.assert_array_equal(found.counts, expected)


@pytest.fixture(scope="module")
def published():
    """The published rows of Afghanistan, read where they are."""
    path = SHARED / "afg.csv.gz"
    if not path.is_file():
        pytest.skip("the published rows are not beside the project")
    return counts.of_log(schema.load("afghanistan_textless", {"file": str(path)}), seed=0)


def aggregate(name):
    with (SHARED / name).open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_the_published_median(published):
    """58 entries in the median of all 360 cells, 5 of them empty (thesis §4.5)."""
    assert published.entries.shape == (5, 72)
    assert np.median(published.entries) == 58
    assert (published.entries == 0).sum() == 5


def test_the_published_rows_by_region_and_month(published):
    for row in aggregate("afg_region_month_counts.csv"):
        at = published.months.index(row["ym"])
        assert [int(row[region]) for region in published.regions] == published.entries[:, at].tolist()


def test_the_published_rows_against_counting_them_one_by_one(published):
    """By Python's own csv and a Counter: type and category in one spelling, and anyone hurt."""
    found: Counter[tuple[str, str]] = Counter()
    with gzip.open(SHARED / "afg.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            if row["region"] not in published.regions:
                continue
            found["type", row["type"].lower()] += 1
            found["category", row["category"].lower()] += 1
            for side, names in SIDES.items():
                hurt = any(row.get(f"{n}_{how}", "") not in ("", "0") for n in names for how in HOW)
                found[side, "some" if hurt else "none"] += 1
    found["type", "counter-insurgency"] += found.pop(("type", "counter insurgency"))
    for spelling, usual in (("counter insurgency", "counter-insurgency"), ("cas", "close air support"),
                            ("reconnaissance", "recon"), ("blue-on-white", "blue-white")):  # fmt: skip
        found["category", usual] += found.pop(("category", spelling), 0)
    totals = published.counts.sum(axis=(0, 1))
    for d, name in enumerate(published.features):
        block = totals[published.offsets[d] : published.offsets[d + 1]]
        known = {o.lower() for o in published.outcomes[d][: -1 if "other" in published.outcomes[d] else None]}
        for outcome, number in zip(published.outcomes[d], block, strict=True):
            if outcome == "other":
                assert number == sum(n for (f, value), n in found.items() if f == name and value not in known)
                assert number < 20
            else:
                assert number == found[name, outcome.lower()], outcome


# -- published aggregates ---------------------------------------------------------------------------------------------


PUBLISHED = ("afghanistan", "afghanistan_casualties")


def simulated(log="iraq", rows=0.02):
    told = schema.load(log)
    return told, counts.of_simulated(simulator.simulate(told, 3, rows))


def written(folder, found, name="counts.csv"):
    files.write_table(folder / name, aggregates.frame(found))
    return folder / name


def test_counts_as_a_table_and_back_are_the_same(tmp_path):
    told, found = simulated()
    np.testing.assert_array_equal(aggregates.read(told, written(tmp_path, found)), found.counts)
    table = aggregates.frame(found)
    assert (table["entries"] > 0).all()
    assert len(table) == (found.counts > 0).sum()
    assert table.groupby("feature")["entries"].sum().tolist() == [found.entries.sum()] * 5
    table.sample(frac=1, random_state=1).to_csv(tmp_path / "shuffled.csv", index=False, lineterminator="\n")
    np.testing.assert_array_equal(aggregates.read(told, tmp_path / "shuffled.csv"), found.counts)


def test_the_command_writes_the_table_beside_the_counts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for command in (
        "simulate iraq --rows 0.02 --seed 3 --out raw.csv",
        "count iraq --raw raw.csv --origin simulated --out counts.npz --table counts.csv",
    ):
        assert main(["warlogs", *command.split()]) == 0
    np.testing.assert_array_equal(
        aggregates.read(schema.load("iraq"), tmp_path / "counts.csv"), counts.load(tmp_path / "counts.npz").counts
    )


def test_the_command_counts_what_is_published(tmp_path):
    out = tmp_path / "counts.npz"
    assert main(["warlogs", "count", "afghanistan", "--out", str(out)]) == 0
    found = counts.load(out)
    assert (found.origin, found.entries.shape, found.entries.sum()) == ("published", (5, 72), 75_907)


def test_rows_come_before_published_counts_and_these_before_a_simulated_log(tmp_path):
    path = tmp_path / "raw.csv"
    simulator.put_raw(path, [simulator.simulate(schema.load("afghanistan"), 1, 0.01)])
    found = [
        counts.of_log(schema.load("afghanistan", changes), seed=1, rows=0.01)
        for changes in ({"file": str(path)}, {}, {"published": None})
    ]
    assert [log.origin for log in found] == ["file", "published", "simulated"]
    np.testing.assert_array_equal(found[0].counts, found[2].counts)
    assert found[1].entries.sum() > 50 * found[2].entries.sum()


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("region,month", "month,region", "has other columns than region, month, feature, outcome, entries"),
        ("MND-N,2004-01,type", "MND-X,2004-01,type", "region is 'MND-X', which log iraq does not have (did you mean"),
        ("MND-N,2004-01,type", "MND-N,2003-12,type", "month is '2003-12', which log iraq does not have"),
        ("MND-N,2004-01,type", "MND-N,2004-01,typ", "feature is 'typ', which log iraq does not have"),
        ("type,Enemy Action", "type,Enemy action", "outcome of type is 'Enemy action', which log iraq does not have"),
        ("none,2\n", "none,-2\n", "entries is no whole number above 0"),
        ("none,2\n", "none,0\n", "entries is no whole number above 0"),
        ("none,2\n", "none,1.0\n", "entries is no whole number above 0"),
        ("none,2\n", "none,9999999999999\n", "entries is no whole number above 0"),
        ("none,2\n", "none,3\n", "entries of MND-"),
        ("none,2\n", "none,2,\n", "6 fields for 5 columns"),
    ],
)
def test_a_table_that_is_not_the_log_s_is_refused_in_one_sentence(old, new, told, tmp_path):
    known, found = simulated()
    path = written(tmp_path, found)
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InputError, match=re.escape(told)) as raised:
        aggregates.read(known, path)
    assert str(raised.value).count("counts.csv") == 1


def test_a_table_with_a_count_twice_or_with_none_is_refused(tmp_path):
    known, found = simulated()
    path = written(tmp_path, found)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines, lines[5]]), encoding="utf-8")
    with pytest.raises(InputError, match=r"line \d+: this count stands there twice"):
        aggregates.read(known, path)
    path.write_text(lines[0], encoding="utf-8")
    with pytest.raises(InputError, match="has no count"):
        aggregates.read(known, path)
    with pytest.raises(InputError, match=r"gone\.csv does not exist"):
        aggregates.read(known, tmp_path / "gone.csv")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"published": "../secret.csv"}, "published is '../secret.csv'"),
        ({"published": "gone.csv"}, "gone.csv does not exist"),
        ({"time": {"from": "2005-01"}}, "month is '2004-01'"),
        ({"region": {"keep": ["RC EAST"]}}, "region is 'RC SOUTH'"),
        ({"unit": {"name": "unit", "column": "UnitName", "most": 3}}, "keeps 3 rows of each unit"),
    ],
)
def test_a_schema_that_published_counts_do_not_fit_ends_the_command(changes, told, tmp_path, capsys):
    settings = [f"--set={key}={json.dumps(value)}" for key, value in changes.items()]
    assert main(["warlogs", "count", "afghanistan", *settings, "--out", str(tmp_path / "x.npz")]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_the_published_tables_are_what_the_stages_make_of_the_rows(published):
    """Byte for byte, where the rows are beside the project; reading the tables gives the same counts anywhere."""
    for log in PUBLISHED:
        path = root() / "data" / "published" / f"{log}_counts.csv"
        of_rows = "afghanistan_textless" if log == "afghanistan" else log
        found = counts.of_log(schema.load(of_rows, {"file": str(SHARED / "afg.csv.gz")}), seed=0)
        assert path.read_text(encoding="utf-8") == aggregates.frame(found).to_csv(index=False, lineterminator="\n")
        np.testing.assert_array_equal(counts.of_log(schema.load(log), seed=0).counts, found.counts)
    assert published.entries.sum() == 75_907


def test_the_published_counts_have_the_published_size():
    """About 75 000 entries, 58 in the median cell, 360 cells of which 5 are empty (thesis §4.5)."""
    whole, parts = (counts.of_log(schema.load(log), seed=0) for log in PUBLISHED)
    np.testing.assert_array_equal(whole.entries, parts.entries)
    assert (whole.entries.sum(), np.median(whole.entries), (whole.entries == 0).sum()) == (75_907, 58, 5)
    merged = {name: whole.counts[..., whole.offsets[d + 1] - 1] for d, name in enumerate(whole.features)}
    single = {name: parts.counts[..., parts.offsets[d + 1] - 1] for d, name in enumerate(parts.features)}
    for side, sides in SIDES.items():
        of_side = [count for name, count in single.items() if name.startswith(sides)]
        assert (merged[side] >= np.max(of_side, axis=0)).all()  # Fréchet's bounds of a disjunction, cell by cell
        assert (merged[side] <= np.sum(of_side, axis=0)).all()
