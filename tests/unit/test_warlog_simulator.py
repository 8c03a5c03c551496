"""The simulator: the published numbers, the planted states, the same bytes for the same seed, and room to be wrong."""

import csv
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.event_logs import counts, reader, schema, simulator
from dpsampling.files.documents import read_yaml
from dpsampling.numerics.randomness import stream

LOGS = {"afghanistan": (76_209, 58, 3), "iraq": (391_832, 972, 2)}
SEEDS = (1, 2)


@cache
def simulated(log, seed, rows=1.0):
    return simulator.simulate(schema.load(log), seed, rows)


@cache
def counted(log, seed, rows=1.0):
    return counts.of_simulated(simulated(log, seed, rows))


def plan(log):
    return read_yaml(schema.simulator_file(log))


def events(log):
    return [(t, c, n) for t, group in plan(log)["events"].items() for c, n in group.items()]


@pytest.mark.parametrize(("log", "published"), LOGS.items())
def test_rows_and_median_are_the_published_ones(log, published):
    rows, median, states = published
    for seed in SEEDS:
        found = simulated(log, seed)
        assert found.minute.size == rows
        assert set(np.unique(found.planted)) == set(range(1, states + 1)) == set(found.titles)
    assert np.median(counted(log, 1).entries) == median


def test_iraq_is_empty_where_the_log_is():
    found = simulated("iraq", 1)
    months = found.minute.astype("datetime64[m]").astype("datetime64[M]").astype(str)
    assert not set(months) & {"2004-05", "2009-03"}
    assert {"2009-01", "2009-12"} <= set(months)  # for the reader to drop
    assert {"MND-NE", "MND-S"} <= {found.regions[r] for r in np.unique(found.region)}


@pytest.mark.parametrize("log", LOGS)
def test_types_categories_and_casualties_come_as_often_as_published(log):
    """The states' mixture is calibrated exactly; cells scatter about it by their concentration c.

    A share m of all entries has a standard error of sqrt(m (1 − m) (Σ w² / (c + 1) + 1 / N)) with the cells' shares w.
    Shares of a percent or more are near enough to normal for six of them to leave a false alarm once in 10⁵ seeds.
    """
    told = events(log)
    weights = np.array([n[0] for *_, n in told]) / sum(n[0] for *_, n in told)
    cells = np.array(list(plan(log)["rows"]["months"].values()), float)
    spread = (cells**2).sum() / cells.sum() ** 2 / (plan(log)["concentration"] + 1) + 1 / cells.sum()
    for seed in SEEDS:
        found = simulated(log, seed)
        texts = np.bincount(found.text, minlength=len(found.texts)) / found.text.size
        odd = {s: usual for group in plan(log)["spellings"].values() for usual, o in group.items() for s in o}
        for place in (0, 1):
            names = np.array([odd.get(pair[place], pair[place]) for pair in found.texts])
            for name in {pair[place] for pair in told}:
                share = weights[[pair[place] == name for pair in told]].sum()
                if share >= 0.01:
                    error = np.sqrt(share * (1 - share) * spread)
                    assert abs(texts[names == name].sum() - share) < 6 * error, name
        chances = weights @ np.array([n[1:] for *_, n in told]) / 100
        assert np.abs((found.persons > 0).mean(axis=0) - chances).max() < 0.012


def test_a_wrong_mixture_would_be_seen():
    """The profiles before they are scaled are far from the published numbers: the test above can fail."""
    told, document = events("iraq"), plan("iraq")
    states = np.array([[1, 2]])
    margin = np.array([n[0] for *_, n in told]) / sum(n[0] for *_, n in told)
    profiles = simulator._profiles(document, told, states, np.array([[1.0, 3.0]]))
    np.testing.assert_allclose(profiles.sum(axis=1), 1, atol=1e-9)
    np.testing.assert_allclose(np.array([0.25, 0.75]) @ profiles, margin, atol=1e-9)
    assert np.abs(np.array([0.75, 0.25]) @ profiles - margin).max() > 0.03


def most_frequent(found, log, state):
    cells = counted(log, 1).counts[found.planted == state].sum(axis=0)
    table = counted(log, 1)
    blocks = [cells[a:b] for a, b in zip(table.offsets, table.offsets[1:], strict=False)]
    kind, category = (table.outcomes[d][int(blocks[d].argmax())] for d in (0, 1))
    hurt = {table.features[d]: blocks[d][1] / blocks[d].sum() for d in (2, 3, 4)}
    return kind, category, max(hurt, key=hurt.__getitem__)


def test_the_states_of_iraq_are_those_of_the_thesis():
    """Friendly action, cache found/cleared, enemy casualties; explosive hazard, IED explosion, civilian casualties."""
    found = simulated("iraq", 1)
    assert most_frequent(found, "iraq", 1) == ("Friendly Action", "Cache Found/Cleared", "enemy")
    assert most_frequent(found, "iraq", 2) == ("Explosive Hazard", "IED Explosion", "civilian")


def test_the_states_of_afghanistan_differ():
    found = simulated("afghanistan", 1)
    kinds = [most_frequent(found, "afghanistan", state)[0] for state in (1, 2, 3)]
    assert kinds == ["Enemy Action", "Explosive Hazard", "Friendly Action"]


@pytest.mark.parametrize("seed", range(20))
def test_iraq_changes_at_the_turn_of_2007_2008(seed):
    told = schema.load("iraq")
    planted = zip(told.regions, simulated("iraq", seed, 0.001).planted, strict=True)
    changes = {region: [told.months[t] for t in np.flatnonzero(np.diff(chain)) + 1] for region, chain in planted}
    assert changes.pop("MND-SE") == []
    assert all(len(months) == 1 and "2007-09" <= months[0] <= "2008-01" for months in changes.values())


@pytest.mark.parametrize("log", LOGS)
def test_states_last(log):
    for seed in range(20):
        for chain in simulated(log, seed, 0.001).planted:
            assert np.diff(np.flatnonzero(np.diff(chain, prepend=0, append=0))).min() >= 8


@pytest.mark.parametrize("log", LOGS)
def test_cells_of_a_state_differ_by_more_than_chance(log):
    """Pearson's statistic of large cells about their state's mean, over its degrees of freedom: 1 if not dispersed."""
    table, planted = counted(log, 1), simulated(log, 1).planted
    block = table.counts[:, :, : table.sizes[0]]
    large = (planted == 1) & (table.entries >= 200)
    cells = block[large]
    mean = cells.sum(axis=0) / cells.sum()
    cells, mean = cells[:, mean > 0.02], mean[mean > 0.02]
    expected = table.entries[large][:, None] * mean
    assert ((cells - expected) ** 2 / (expected * (1 - mean))).mean() > 2


def test_the_same_seed_the_same_bytes(tmp_path):
    paths = [tmp_path / f"{i}.csv" for i in range(3)]
    for path, seed in zip(paths, (5, 5, 6), strict=True):
        simulator.put_raw(path, [simulator.simulate(schema.load("iraq"), seed, 0.01)])
    assert paths[0].read_bytes() == paths[1].read_bytes() != paths[2].read_bytes()


@pytest.mark.parametrize("log", LOGS)
def test_the_file_is_in_the_published_format(tmp_path, log):
    told, found, path = schema.load(log), simulated(log, 7, 0.01), tmp_path / "raw.csv"
    simulator.put_raw(path, [found])
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.reader(stream))
    if told.header:
        assert tuple(rows.pop(0)) == told.columns
    assert len(rows) == found.minute.size
    table = {column.casefold(): values for column, values in zip(told.columns, zip(*rows, strict=True), strict=True)}
    for column in ("title", "summary", "unitname", "reportingunit", "mgrs", "latitude", "longitude"):
        assert set(table[column]) == {""}
    assert list(table["dateoccurred"]) == sorted(table["dateoccurred"])
    assert {len(time) for time in table["dateoccurred"]} == {19}
    assert set(table["classification"]) == {"SIMULATED"}
    for column in told.count_columns:
        assert all(0 <= int(value) <= simulator.MOST for value in table[column.casefold()])


@pytest.mark.parametrize("log", LOGS)
def test_what_is_read_is_what_was_simulated(tmp_path, log):
    """Cell by cell and outcome by outcome, counted from the simulated codes without any file."""
    told, found = schema.load(log), simulated(log, 7, 0.02)
    table = counted(log, 7, 0.02)
    months = found.minute.astype("datetime64[m]").astype("datetime64[M]").astype(str)
    keep = np.isin(months, told.months) & np.isin(np.array(found.regions)[found.region], told.regions)
    assert table.entries.sum() == keep.sum()
    assert table.origin == "simulated"
    for d, hurt in zip((2, 3, 4), (found.persons > 0)[keep].T, strict=True):
        assert table.counts[:, :, table.offsets[d] + 1].sum() == hurt.sum()
    for r, region in enumerate(told.regions):
        for t in (0, len(told.months) // 2, len(told.months) - 1):
            here = keep & (months == told.months[t]) & (np.array(found.regions)[found.region] == region)
            assert table.entries[r, t] == here.sum()


def test_the_reader_has_something_to_do(tmp_path):
    path = tmp_path / "raw.csv"
    simulator.put_raw(path, [simulated("iraq", 1, 0.1)])
    _, report = reader.read(schema.load("iraq"), path, origin="simulated")
    assert set(report["left out"]) == {"dropped month", "dropped region"}
    assert report["rows"] - report["kept"] == sum(told["rows"] for told in report["left out"].values()) > 2000
    assert any(category != category.title() for _, category in simulated("afghanistan", 1).texts)


def test_rows_scale_rows_alone():
    whole, small = simulated("afghanistan", 4), simulated("afghanistan", 4, 0.05)
    np.testing.assert_array_equal(whole.planted, small.planted)
    assert abs(small.minute.size / whole.minute.size - 0.05) < 0.002
    for rows in (0, -1, 101, float("nan")):
        with pytest.raises(InputError, match="above 0 and at most 100"):
            simulator.simulate(schema.load("iraq"), 1, rows)


def test_a_share_without_a_row_is_refused():
    with pytest.raises(InputError, match="rows is 1e-09, of which no entry is left"):
        simulator.simulate(schema.load("iraq"), 1, 1e-9)


def test_a_shorter_schema_gets_a_shorter_log():
    fewer = {"time": {"to": "2006-12"}, "region": {"keep": ["RC SOUTH", "RC WEST"]}}
    told = schema.load("afghanistan", {"published": None, **fewer})
    assert counts.of_log(told, seed=1).entries.shape == (2, 36)
    assert simulator.simulate(told, 1).planted.shape == (2, 36)


def test_profiles_without_favours_are_the_published_mixture():
    told = [("a", "x", [3]), ("a", "y", [1])]
    found = simulator._profiles({"states": [{"title": "1"}, {"title": "2"}]}, told, np.array([[1, 2]]), np.ones((1, 2)))
    np.testing.assert_allclose(found, [[0.75, 0.25]] * 2)


def test_changes_come_early_and_late():
    document = {"paths": {"r": {"2004-01": 1, "2004-06": 2}}, "jitter": 2, "states": [{}, {}]}
    months = [f"2004-{i:02d}" for i in range(1, 13)]
    starts = {int((simulator._states(document, ["r"], months, stream(seed, "x")) == 1).sum()) for seed in range(60)}
    assert starts == {3, 4, 5, 6, 7}


SHORTER = {"time": {"from": "2005-01", "to": "2006-12", "drop": ["2005-03"]}}
FEWER = {"region": {"keep": ["MND-N", "mnd-baghdad"]}}


@pytest.mark.parametrize("changes", [SHORTER, FEWER])
def test_what_a_schema_drops_is_in_its_file_and_not_in_its_counts(changes):
    told = schema.load("iraq", changes)
    found = simulator.simulate(told, 5, 0.05)
    counted = counts.of_simulated(found)
    assert counted.entries.shape == (len(told.regions), len(told.months))
    assert 0 < counted.entries.sum() <= found.minute.size
    # Planted: one entry in another month is noticed.
    other = replace(found, minute=np.where(np.arange(found.minute.size) == 0, found.minute[-1], found.minute))
    assert (counts.of_simulated(other).counts != counted.counts).any()


@pytest.mark.parametrize(("column", "outcome"), [("classification", "simulated"), ("mgrs", "other")])
def test_columns_that_never_vary_are_features_of_one_outcome(column, outcome):
    """One that the simulator fills with a constant, and one that it leaves empty."""
    told = schema.load("iraq", {"features": {"same": {"column": column, "outcomes": ["secret", "simulated"]}}})
    found = counts.of_log(told, seed=1, rows=0.02)
    at = found.features.index("same")
    block = found.counts[..., found.offsets[at] : found.offsets[at + 1]].sum(axis=(0, 1))
    shares = zip(found.outcomes[at], block.tolist(), strict=True)
    assert {o: n for o, n in shares if n} == {outcome: found.entries.sum()}


def test_a_log_of_a_few_rows_is_zero_elsewhere():
    found = counts.of_log(schema.load("iraq"), seed=1, rows=1e-5)
    assert found.entries.shape == (5, 59)
    assert 0 < found.entries.sum() < 10
    assert (found.entries.sum(axis=1) == 0).any()


def test_what_a_simulated_log_does_not_have():
    of_persons = {"unit": {"name": "person", "column": "url", "most": 2}}
    with pytest.raises(InputError, match="about no person"):
        counts.of_log(schema.load("iraq", of_persons), seed=1, rows=0.02)


def test_the_planted_states_as_a_table():
    found = simulated("iraq", 1)
    table = simulator.planted_table(found)
    assert list(table.columns) == ["region", "month", "state", "title"]
    np.testing.assert_array_equal(table["state"].to_numpy().reshape(5, 59), found.planted)


def test_what_cannot_be_simulated():
    with pytest.raises(InputError, match="neither a file nor a simulator"):
        simulator.simulate(schema.load("afghanistan_textless"), 1)
    with pytest.raises(InputError, match="no region 'Atlantis'"):
        simulator.simulate(schema.load("iraq", {"region": {"keep": ["Atlantis"]}}), 1)
    with pytest.raises(InputError, match="no rows in 2003-12"):
        simulator.simulate(schema.load("iraq", {"time": {"from": "2003-12"}}), 1)
    with pytest.raises(InputError, match="config/simulators"):
        simulator.simulate(replace(schema.load("iraq"), simulator="mars"), 1)
    with pytest.raises(InputError, match="no region"):
        simulator.simulate(replace(schema.load("iraq"), simulator="afghanistan"), 1)
