"""A log like a published one, from planted states, for when there are no rows to read.

Regions r move through states s_{r,t} that a plan gives month by month, with each change some months early or late.
A cell has as many entries as were published, and an entry has an event e, a pair of type and category, and indicators
of casualties that depend on the event alone; with U uniform on [0, 1),

    N_{r,t} = ⌊λ_{r,t} + U⌋,   φ_{r,t} ~ Dirichlet(c π_{s_{r,t}}),   e ~ Discrete(φ_{r,t}),   x_i ~ Bernoulli(p_{e,i}).

The state's profile is π_{s,e} = a_s b_e f_{s,e} with factors f that favour some events in some states, and with a and b
such that every profile sums to 1 and that events come as often overall as in the published log, Σ_s w_s π_{s,e} = m_e,
where w_s is the share of entries in state s. The concentration c makes cells of one state differ by more than chance.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.errors import InputError
from dpsampling.event_logs import forms
from dpsampling.event_logs.schema import LogSchema, column_key, key, simulator_file
from dpsampling.files.checking import document as checked
from dpsampling.files.documents import Document, read_yaml
from dpsampling.numerics.arrays import Array, Booleans, Integers
from dpsampling.numerics.randomness import stream, substream

MOST = 99  # persons in one entry
PIECE = 50_000  # entries that are written, or numbers that are passed over, at a time


@dataclass(frozen=True)
class SimulatedLog:
    """A log before it is written; one number for each entry unless said."""

    schema: LogSchema
    planted: Integers  # (regions, months) of the schema: the state of each cell, from 1
    titles: Mapping[int, str]  # of the states
    regions: tuple[str, ...]
    texts: tuple[tuple[str, str], ...]  # type and category as they are spelt
    columns: tuple[tuple[str, ...], ...]  # for each indicator, the columns that can hold its persons
    constants: Mapping[str, str]  # columns that are the same in every entry
    minute: Integers  # since 1970
    region: Integers
    text: Integers
    column: Integers  # (entries, indicators): which of the indicator's columns
    persons: Integers  # (entries, indicators)


def simulate(schema: LogSchema, seed: int, rows: float = 1.0) -> SimulatedLog:
    """A log for this schema; `rows` scales the number of entries and nothing else."""
    months = list(month_by_month(schema, seed, rows))
    return replace(
        months[0],
        minute=np.concatenate([month.minute for month in months]),
        region=np.concatenate([month.region for month in months]),
        text=np.concatenate([month.text for month in months]),
        column=np.concatenate([month.column for month in months]),
        persons=np.concatenate([month.persons for month in months]),
    )


def month_by_month(schema: LogSchema, seed: int, rows: float = 1.0) -> Iterator[SimulatedLog]:
    """The same log in pieces, of which one is held at a time; the same entries in the same order."""
    if schema.simulator is None:
        raise InputError(f"log {schema.name} names neither a file nor a simulator; name its rows with --set file=PATH.")
    if not 0 < rows <= 100:
        raise InputError(f"rows is {rows:g}; it scales the number of rows and must be above 0 and at most 100.")
    plan = _plan(schema)
    rng = stream(seed, "simulate", schema.name)
    regions, months = tuple(plan["rows"]["regions"]), tuple(plan["rows"]["months"])
    expected = np.array([plan["rows"]["months"][month] for month in months], float).T  # (regions, months)
    states = _states(plan, regions, months, substream(rng, "states"))
    events = [(t, c, numbers) for t, group in plan["events"].items() for c, numbers in group.items()]
    profiles = _profiles(plan, events, states, expected)

    shapes = plan["concentration"] * profiles[states.ravel() - 1]
    gammas = substream(rng, "profiles").standard_gamma(shapes)
    draw = substream(rng, "entries")
    # The published numbers themselves; a fraction of them is rounded up or down with the right mean.
    sizes = np.floor(rows * expected + draw.random(expected.shape)).astype(np.int64)
    sizes = sizes * _mentioned(schema, regions, months)
    if not sizes.any():
        raise InputError(f"rows is {rows:g}, of which no entry is left; ask for a larger share of the rows.")
    amounts = draw.multinomial(sizes.ravel(), gammas / gammas.sum(axis=1, keepdims=True))
    texts, edges = _spellings(plan, events)
    none = np.empty(0, np.int64)
    outline = SimulatedLog(
        schema=schema,
        planted=states[np.ix_(_places(schema.regions, regions), [months.index(month) for month in schema.months])],
        titles={i + 1: state["title"] for i, state in enumerate(plan["states"])},
        regions=regions,
        texts=texts,
        columns=tuple(tuple(shares["columns"]) for shares in plan["indicators"].values()),
        constants=plan.get("constants", {}),
        minute=none,
        region=none,
        text=none,
        column=none,
        persons=none,
    )
    yield from _entries(outline, plan["indicators"], events, edges, months, amounts.reshape(*sizes.shape, -1), draw)


# -- the plan -------------------------------------------------------------------------------------------------------


def _plan(schema: LogSchema) -> Document:
    """The simulator's file, checked by itself and against the log's schema."""
    path = simulator_file(str(schema.simulator))
    if not path.is_file():
        raise InputError(
            f"log {schema.name} names the simulator '{schema.simulator}'; name a file of config/simulators."
        )
    plan = read_yaml(path)
    where = f"simulator {schema.simulator}"
    checked(plan, forms.Simulator, where)
    regions, months = plan["rows"]["regions"], plan["rows"]["months"]
    for month, row in months.items():
        if len(row) != len(regions):
            raise InputError(f"{where}: rows.months.{month} has {len(row)} numbers for {len(regions)} regions.")
    for region in regions:
        path_of = plan["paths"].get(region)
        if not path_of or min(path_of) > min(months) or not set(path_of.values()) <= set(_numbers(plan)):
            raise InputError(f"{where}: paths.{region} must give a state of the list from {min(months)} on.")
    for kind, group in plan["events"].items():
        for category, numbers in group.items():
            if len(numbers) != 1 + len(plan["indicators"]) or max(numbers[1:], default=0) > 100:
                raise InputError(f"{where}: events.{kind}.{category} must be a number of rows and then percentages.")
    absent = [month for month in schema.months if month not in months]
    if absent:
        raise InputError(f"{where} has no rows in {absent[0]}; keep only months that it has in log {schema.name}.")
    _places(schema.regions, regions)
    columns = {column_key(column) for column in schema.columns}
    named = [c for told in plan["indicators"].values() for c in told["columns"]] + list(plan.get("constants", ()))
    strange = [column for column in named if column_key(column) not in columns]
    if strange:
        raise InputError(f"{where} writes a column '{strange[0]}', which log {schema.name} does not have.")
    if {"type", "category"} - {feature.name for feature in schema.features}:
        raise InputError(f"{where} writes logs with the features type and category; log {schema.name} lacks one.")
    return plan


def _numbers(plan: Document) -> range:
    return range(1, len(plan["states"]) + 1)


def _places(wanted: Sequence[str], regions: Sequence[str]) -> list[int]:
    known = {key(region): i for i, region in enumerate(regions)}
    for region in wanted:
        if key(region) not in known:
            raise InputError(f"the simulator knows no region '{region}'; it has {', '.join(regions)}.")
    return [known[key(region)] for region in wanted]


def _mentioned(schema: LogSchema, regions: Sequence[str], months: Sequence[str]) -> Booleans:
    """The cells that the schema keeps or drops: a log for a shorter period or fewer regions has no others."""
    period = {*schema.months, *schema.dropped_months}
    named = {key(region) for region in (*schema.regions, *schema.dropped_regions)}
    return np.outer([key(region) in named for region in regions], [month in period for month in months])


def _states(plan: Document, regions: Sequence[str], months: Sequence[str], rng: np.random.Generator) -> Integers:
    """The state of every region and month; each planned change comes up to `jitter` months early or late."""
    states = np.empty((len(regions), len(months)), np.int64)
    for r, region in enumerate(regions):
        changes = sorted(plan["paths"][region].items())
        starts = [0]
        for month, _ in changes[1:]:
            at = months.index(month) if month in months else len(months)
            shift = int(rng.integers(-plan["jitter"], plan["jitter"] + 1))
            starts.append(min(max(at + shift, starts[-1]), len(months)))
        for start, (_, state) in zip(starts, changes, strict=True):
            states[r, start:] = state
    return states


def _profiles(
    plan: Document, events: Sequence[tuple[str, str, Sequence[float]]], states: Integers, expected: Array
) -> Array:
    """π_{s,e}, (states, events): scaled in turns until rows sum to 1 and the mixture is the published one."""
    margin = np.array([numbers[0] for _, _, numbers in events], float)
    margin /= margin.sum()
    weights = np.array([expected[states == state].sum() for state in _numbers(plan)])
    weights /= weights.sum()
    profiles = np.array(
        [
            [
                state.get("types", {}).get(kind, 1.0) * state.get("categories", {}).get(category, 1.0)
                for kind, category, _ in events
            ]
            for state in plan["states"]
        ]
    )
    for _ in range(1000):
        profiles *= margin / np.where(margin > 0, weights @ profiles, 1.0)
        sums = profiles.sum(axis=1, keepdims=True)
        profiles /= sums
        if np.all(np.abs(sums - 1) < 1e-12):
            break
    return profiles


# -- the entries ----------------------------------------------------------------------------------------------------


def _entries(
    outline: SimulatedLog,
    indicators: Mapping[str, Document],
    events: Sequence[tuple[str, str, Sequence[float]]],
    edges: Array,
    months: Sequence[str],
    amounts: Integers,
    draw: np.random.Generator,
) -> Iterator[SimulatedLog]:
    """The outline with the entries of each month, in the order of their minutes, from amounts by region, month, event.

    One stream holds the minutes of all entries, then whether each indicator is set, the spellings, and the persons of
    one indicator after the other. So each kind of number is read by a generator of its own, which begins at its place;
    where the persons of an indicator begin hangs on how often the one before is set, which a first pass counts.
    """
    chances = np.array([numbers[1:] for _, _, numbers in events]) / 100
    n, width = int(amounts.sum()), len(indicators)
    total = np.zeros(width, np.int64)
    of_hurt = _ahead(draw, n)
    for _, _, event in _in_time(months, amounts, draw):
        total += (of_hurt.random((event.size, width)) < chances[event]).sum(axis=0)
    of_hurt, of_text = _ahead(draw, n), _ahead(draw, n * (1 + width))
    of_persons = _streams_of_persons(indicators, total, _ahead(draw, n * (2 + width)))
    for minute, region, event in _in_time(months, amounts, draw):
        hurt = of_hurt.random((event.size, width)) < chances[event]
        text = np.searchsorted(edges, event + of_text.random(event.size), side="right")
        column, persons = _persons(indicators, hurt, of_persons)
        text = np.minimum(text, edges.size - 1)
        yield replace(outline, minute=minute, region=region, text=text, column=column, persons=persons)


def _ahead(rng: np.random.Generator, numbers: int) -> np.random.Generator:
    """A generator that is so many numbers ahead of another, which does not move."""
    bits = deepcopy(rng.bit_generator)
    assert isinstance(bits, np.random.PCG64)
    bits.advance(numbers)
    return np.random.Generator(bits)


def _in_time(
    months: Sequence[str], amounts: Integers, draw: np.random.Generator
) -> Iterator[tuple[Integers, Integers, Integers]]:
    """Minute, region and event of each month's entries by minute, any minute of the month as likely as any other."""
    starts = np.array(months, "datetime64[M]")
    first = starts.astype("datetime64[m]").astype(np.int64)
    length = (starts + 1).astype("datetime64[m]").astype(np.int64) - first
    sizes = amounts.sum(axis=2)
    before = np.cumsum(sizes.sum(axis=1)) - sizes.sum(axis=1)  # a region's minutes come after those of the ones before
    of_minutes = [_ahead(draw, int(place)) for place in before]
    for m in np.flatnonzero(sizes.sum(axis=0)):
        parts = [rng.random(int(size)) for rng, size in zip(of_minutes, sizes[:, m], strict=True)]
        minute = first[m] + (np.concatenate(parts) * length[m]).astype(np.int64)
        region = np.repeat(np.arange(sizes.shape[0]), sizes[:, m])
        event = np.repeat(np.tile(np.arange(amounts.shape[2]), sizes.shape[0]), amounts[:, m].ravel())
        order = np.argsort((minute - first[m]).astype(np.uint16), kind="stable")  # 16 bits are sorted in one pass
        yield minute[order], region[order], event[order]


def _spellings(
    plan: Document, events: Sequence[tuple[str, str, Sequence[float]]]
) -> tuple[tuple[tuple[str, str], ...], Array]:
    """The events' names in all their spellings, and e + the share of event e's entries up to and with each of them."""
    other = plan.get("spellings", {})
    texts: list[tuple[str, str]] = []
    edges: list[float] = []
    for e, (kind, category, _) in enumerate(events):
        total = 0.0
        for k, share_k in _variants(kind, other.get("type", {})):
            for c, share_c in _variants(category, other.get("category", {})):
                total += share_k * share_c
                texts.append((k, c))
                edges.append(e + total)
        edges[-1] = e + 1.0
    return tuple(texts), np.array(edges)


def _variants(name: str, spellings: Mapping[str, Mapping[str, float]]) -> list[tuple[str, float]]:
    odd = list(spellings.get(name, {}).items())
    return [(name, 1.0 - sum(share for _, share in odd)), *odd]


def _streams_of_persons(
    indicators: Mapping[str, Document], total: Integers, rng: np.random.Generator
) -> list[tuple[np.random.Generator, np.random.Generator]]:
    """For each indicator, where the columns of all entries that have it are drawn, and where their persons are."""
    found = []
    for told, entries in zip(indicators.values(), total.tolist(), strict=True):
        columns, persons = rng, _ahead(rng, entries)
        found.append((columns, persons))
        rng = _ahead(persons, 0)
        for begin in range(0, entries, PIECE):  # how many numbers a geometric one takes is not the same each time
            rng.geometric(1 / told["persons"], min(PIECE, entries - begin))
    return found


def _persons(
    indicators: Mapping[str, Document],
    hurt: Booleans,
    streams: Sequence[tuple[np.random.Generator, np.random.Generator]],
) -> tuple[Integers, Integers]:
    """How many persons where an indicator is set, all of them in one of its columns."""
    column, persons = np.zeros(hurt.shape, np.int64), np.zeros(hurt.shape, np.int64)
    for i, (told, (of_columns, of_persons)) in enumerate(zip(indicators.values(), streams, strict=True)):
        rows = np.flatnonzero(hurt[:, i])
        shares = np.array(list(told["columns"].values()), float)
        column[rows, i] = of_columns.choice(shares.size, size=rows.size, p=shares / shares.sum())
        persons[rows, i] = np.minimum(of_persons.geometric(1 / told["persons"], rows.size), MOST)
    return column, persons


# -- files ----------------------------------------------------------------------------------------------------------


def put_raw(path: Path, pieces: Iterable[SimulatedLog]) -> None:
    """Write a log, in one piece or several, in its published format; texts, units and coordinates are empty."""
    pieces = iter(pieces)
    first = next(pieces)
    schema = first.schema
    blank, places = _blank(first)
    known: dict[int, tuple[str, str]] = {}
    with Path(path).open("w", encoding=schema.encoding, newline="") as stream:
        if schema.header:
            stream.write(_line(schema.columns, schema.delimiter))
        for piece in chain([first], pieces):
            kind, codes = pd.factorize(_kinds(piece))
            found = np.empty(codes.size, np.int64)
            found[kind] = np.arange(kind.size)  # any of its entries
            for code, row in zip(codes.tolist(), found.tolist(), strict=True):
                if code not in known:
                    known[code] = _pattern(piece, row, blank, places)
            before, after = zip(*map(known.__getitem__, codes.tolist()), strict=True)
            for begin in range(0, kind.size, PIECE):
                some = slice(begin, begin + PIECE)
                minutes, place = np.unique(piece.minute[some], return_inverse=True)
                times, kinds = _times(minutes, schema), kind[some].tolist()
                in_turn = (before.__getitem__, kinds), (times.__getitem__, place.tolist()), (after.__getitem__, kinds)
                stream.write("".join(chain.from_iterable(zip(*(map(*one) for one in in_turn), strict=True))))


def _kinds(simulated: SimulatedLog) -> Integers:
    """One number for all that an entry is but its time: those that share it share the text around their times."""
    code = simulated.text * len(simulated.regions) + simulated.region
    for i, columns in enumerate(simulated.columns):
        code = (code * len(columns) + simulated.column[:, i]) * (MOST + 1) + simulated.persons[:, i]
    return code


def _blank(simulated: SimulatedLog) -> tuple[list[str], dict[str, int]]:
    """The fields that all entries share, and where each column is."""
    schema = simulated.schema
    places = {name: i for i, name in enumerate(dict.fromkeys(map(column_key, schema.columns)))}
    fields = [""] * len(places)
    for column, value in (*simulated.constants.items(), *((column, "0") for column in schema.count_columns)):
        fields[places[column_key(column)]] = value
    return fields, places


def _pattern(simulated: SimulatedLog, row: int, blank: Sequence[str], places: Mapping[str, int]) -> tuple[str, str]:
    """Return what one entry has before and after its time."""
    schema = simulated.schema
    fields = list(blank)
    for column, text in zip(text_columns(schema), simulated.texts[simulated.text[row]], strict=True):
        fields[places[column_key(column)]] = text
    fields[places[column_key(schema.region_column)]] = simulated.regions[simulated.region[row]]
    for i, columns in enumerate(simulated.columns):
        if simulated.persons[row, i]:
            fields[places[column_key(columns[simulated.column[row, i]])]] = str(simulated.persons[row, i])
    fields[places[column_key(schema.time_column)]] = _TIME
    before, after = _line(fields, schema.delimiter).split(_TIME)
    return before, after


def text_columns(schema: LogSchema) -> tuple[str, str]:
    """The columns of type and category, which every schema with a simulator has as features."""
    named = {feature.name: feature.columns[0] for feature in schema.features}
    return named["type"], named["category"]


_TIME = "\x1f"


def _line(fields: Any, delimiter: str) -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerow(fields)
    return text.getvalue()


def _times(minutes: Integers, schema: LogSchema) -> list[str]:
    """Times as the schema's first format writes them, in quotes where they hold the delimiter."""
    times, form = minutes.astype("datetime64[m]"), schema.time_formats[0]
    quote = '"' if schema.delimiter in form else ""
    if form == "%Y-%m-%d %H:%M:%S":  # a hundred times faster than one by one
        texts = np.datetime_as_string(times, unit="s")
        texts.view(np.uint32).reshape(times.size, -1)[:, len("2004-01-01")] = ord(" ")  # in place of the letter T
        found = texts.tolist()
    else:
        found = [time.strftime(form) for time in times.astype(object)]
    return [f"{quote}{time}{quote}" for time in found] if quote else found


def planted_table(simulated: SimulatedLog) -> pd.DataFrame:
    """The planted states: region, month, state, and the state's title."""
    schema = simulated.schema
    index = pd.MultiIndex.from_product([schema.regions, schema.months], names=["region", "month"])
    table = pd.DataFrame({"state": simulated.planted.ravel()}, index=index).reset_index()
    table["title"] = table["state"].map(dict(simulated.titles))
    return table
