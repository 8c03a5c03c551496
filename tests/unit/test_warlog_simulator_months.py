"""A simulated log is drawn month by month, and is the log that its one stream of random numbers gives at once."""

import numpy as np
import pytest

from dpsampling.cli import main
from dpsampling.event_logs import schema, simulator
from dpsampling.numerics.randomness import stream, substream

OF_ENTRIES = ("minute", "region", "text", "column", "persons")
SHORT = {"time": {"from": "2004-01", "to": "2005-06", "drop": []}}


def drawn_at_once(told, seed, rows):
    """The entries as arrays over all of them, each drawn after the other by one generator."""
    plan = simulator._plan(told)
    rng = stream(seed, "simulate", told.name)
    regions, months = tuple(plan["rows"]["regions"]), tuple(plan["rows"]["months"])
    expected = np.array([plan["rows"]["months"][month] for month in months], float).T
    states = simulator._states(plan, regions, months, substream(rng, "states"))
    events = [(t, c, numbers) for t, group in plan["events"].items() for c, numbers in group.items()]
    shapes = plan["concentration"] * simulator._profiles(plan, events, states, expected)[states.ravel() - 1]
    gammas = substream(rng, "profiles").standard_gamma(shapes)
    draw = substream(rng, "entries")
    sizes = np.floor(rows * expected + draw.random(expected.shape)).astype(np.int64)
    sizes = (sizes * simulator._mentioned(told, regions, months)).ravel()
    amounts = draw.multinomial(sizes, gammas / gammas.sum(axis=1, keepdims=True))

    cell = np.repeat(np.arange(sizes.size), sizes)
    event = np.repeat(np.tile(np.arange(len(events)), sizes.size), amounts.ravel())
    begin = np.array(months, "datetime64[M]")
    first, end = ((begin + more).astype("datetime64[m]").astype(np.int64)[cell % len(months)] for more in (0, 1))
    minute = first + (draw.random(cell.size) * (end - first)).astype(np.int64)
    order = np.argsort(minute, kind="stable")
    cell, event = cell[order], event[order]

    chances = np.array([numbers[1:] for _, _, numbers in events]) / 100
    hurt = draw.random((event.size, chances.shape[1])) < chances[event]
    texts, edges = simulator._spellings(plan, events)
    text = np.minimum(np.searchsorted(edges, event + draw.random(event.size), side="right"), len(texts) - 1)
    column, persons = np.zeros(hurt.shape, np.int64), np.zeros(hurt.shape, np.int64)
    for i, indicator in enumerate(plan["indicators"].values()):
        rows_of = np.flatnonzero(hurt[:, i])
        shares = np.array(list(indicator["columns"].values()), float)
        column[rows_of, i] = draw.choice(shares.size, size=rows_of.size, p=shares / shares.sum())
        persons[rows_of, i] = np.minimum(draw.geometric(1 / indicator["persons"], rows_of.size), simulator.MOST)
    return {"minute": minute[order], "region": cell // len(months), "text": text, "column": column, "persons": persons}


def differing(told, seed, rows):
    found, expected = simulator.simulate(told, seed, rows), drawn_at_once(told, seed, rows)
    return [name for name in OF_ENTRIES if not np.array_equal(getattr(found, name), expected[name])]


@pytest.mark.parametrize(("log", "rows"), [("iraq", 0.3), ("iraq", 0.01), ("afghanistan", 1), ("afghanistan", 2e-4)])
def test_the_months_are_what_is_drawn_at_once(log, rows):
    assert differing(schema.load(log), 7, rows) == []


def test_of_a_shorter_period_too():
    assert differing(schema.load("iraq", SHORT), 3, 0.1) == []


def numbers_that_take_one_each(indicators, total, rng):
    """Planted: geometric numbers are passed over as if each took one of the stream's."""
    found = []
    for entries in total.tolist():
        columns, persons = rng, simulator._ahead(rng, entries)
        found.append((columns, persons))
        rng = simulator._ahead(persons, entries)
    return found


def regions_in_another_order(months, amounts, draw):
    """Planted: the minutes of the last region come first."""
    starts = np.array(months, "datetime64[M]").astype("datetime64[m]").astype(np.int64)
    sizes = amounts.sum(axis=2)
    after = sizes.sum() - np.cumsum(sizes.sum(axis=1))
    assert after[0] > 0
    of_minutes = [simulator._ahead(draw, int(place)) for place in after]
    for m, (_, region, event) in zip(np.flatnonzero(sizes.sum(axis=0)), HONEST(months, amounts, draw), strict=True):
        lot = np.sort(np.concatenate([r.random(int(n)) for r, n in zip(of_minutes, sizes[:, m], strict=True)]))
        yield starts[m] + (lot * 28 * 24 * 60).astype(np.int64), region, event


HONEST = simulator._in_time


@pytest.mark.parametrize(
    ("name", "liar", "wrong"),
    [
        ("_streams_of_persons", numbers_that_take_one_each, ["column", "persons"]),
        ("_in_time", regions_in_another_order, ["minute"]),
    ],
)
def test_a_generator_in_another_place_is_noticed(name, liar, wrong, monkeypatch):
    plan = simulator._plan(schema.load("afghanistan"))
    for indicator in plan["indicators"].values():
        indicator["persons"] = 9.0  # below a chance of a third a geometric number takes one of the stream's or more
    monkeypatch.setattr(simulator, "_plan", lambda _: plan)
    assert differing(schema.load("afghanistan"), 7, 1) == []
    monkeypatch.setattr(simulator, name, liar)
    assert set(wrong) <= set(differing(schema.load("afghanistan"), 7, 1))


def test_no_piece_is_more_than_a_month():
    told = schema.load("iraq")
    pieces = list(simulator.month_by_month(told, 2, 0.2))
    whole = simulator.simulate(told, 2, 0.2)
    assert sum(piece.minute.size for piece in pieces) == whole.minute.size
    for piece in pieces:
        assert np.unique(piece.minute.astype("datetime64[m]").astype("datetime64[M]")).size == 1
    assert max(piece.minute.size for piece in pieces) < 0.05 * whole.minute.size


@pytest.mark.parametrize("form", ["%Y-%m-%d %H:%M:%S", "%d.%m.%Y, %H:%M"])
def test_the_file_of_the_months_is_that_of_the_whole(form, tmp_path, monkeypatch):
    """Whatever the pieces in which it is written, and where a time holds the delimiter."""
    told = schema.load("iraq", {**SHORT, "time": {**SHORT["time"], "format": form}})
    simulator.put_raw(tmp_path / "whole.csv", [simulator.simulate(told, 2, 0.1)])
    monkeypatch.setattr(simulator, "PIECE", 97)
    simulator.put_raw(tmp_path / "months.csv", simulator.month_by_month(told, 2, 0.1))
    assert (tmp_path / "months.csv").read_bytes() == (tmp_path / "whole.csv").read_bytes()


def test_what_is_refused_leaves_no_folder(tmp_path, capsys):
    for rows in ("0", "101", "nan", "1e-9", "inf", "-1"):
        assert main(["warlogs", *f"simulate iraq --rows {rows} --out {tmp_path}/new/x.csv".split()]) == 2
    assert capsys.readouterr().err.count("\n") == 6
    assert not (tmp_path / "new").exists()
