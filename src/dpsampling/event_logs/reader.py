"""Read a log's rows: of each one only the time, the region and what the schema's features need.

Where the rows are (CSV or Parquet files, a frame) is the matter of `sources`. All other fields (texts, units,
coordinates) are passed over there, so that they are in no table, no report and no error message. Identifiers of units
are held while the file is read and kept nowhere. A row that cannot be used is left out and counted under one reason,
and the curator is told; a file that cannot be trusted as a whole is an InputError. Nothing is repaired in silence.

A region, a month or an outcome without rows is a zero like any other: to refuse it would tell that the one row that
would be there is not. What is refused for its rows (a share of them that the schema does not understand) is not refused
if `most_outside` and `most_unread` are 1.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.event_logs import archive, parse_times, sources
from dpsampling.event_logs.chunks import Chunk, Source
from dpsampling.event_logs.parse_times import LAST_MONTH, months_in, number_of
from dpsampling.event_logs.progress import Seen, nobody
from dpsampling.event_logs.row_counts import NAMELESS, SURPLUS, Kept, Units
from dpsampling.event_logs.schema import IN_SCHEMA, LogSchema, Unit, key

Report = dict[str, Any]

VALUES_LIMIT = 10_000  # different values of one column that are held; more are no categories
REGIONS_SHOWN = 20  # unknown regions that the report names
LONGEST = 60  # characters of a value that a report shows
LARGEST = 10**9  # the greatest count
MOST_ROWS = 2**40
REMEMBERED = 1 << 24  # letters of a column's texts whose meaning is held
BITS = 31  # columns of counts in a number that says which are positive

# Why a row is left out, in the order in which it is looked for; a row has one reason, the first.
SHORT, LONG = "too few fields", "too many fields"
NO_DATE, OUTSIDE, DROPPED_MONTH = "unparsable time", "outside the period", "dropped month"
DROPPED_REGION, UNKNOWN_REGION = "dropped region", "unknown region"
NEGATIVE, NO_COUNT = "negative count", "unparsable count"
REASONS = (SHORT, LONG, NO_DATE, OUTSIDE, DROPPED_MONTH, DROPPED_REGION, UNKNOWN_REGION, NEGATIVE, NO_COUNT)
ELSEWHERE = (OUTSIDE, UNKNOWN_REGION)  # most_outside
UNREAD = (SHORT, LONG, NO_DATE, NEGATIVE, NO_COUNT)  # most_unread; the schema itself leaves out all others
LEFT = "left out"

CURATOR = "for the curator alone: this is made from the rows themselves, is NOT private, and is no part of a release"
NOTE = f"{CURATOR[0].upper()}{CURATOR[1:]}."

_REMEDIES = {
    SHORT: "check the delimiter, the columns and whether the file is whole",
    LONG: "check the delimiter and the columns",
    NO_DATE: "check time.column, or list every format under time.format",
    OUTSIDE: "check time.from and time.to",
    UNKNOWN_REGION: "check region.column, or list the regions under region.keep or region.drop",
    NEGATIVE: "check the columns of counts, or say under counts what a code means",
    NO_COUNT: "check the columns of counts, or say under counts what a text means",
}


@dataclass(frozen=True)
class Tally:
    """What is told of rows besides those that are kept."""

    sources: tuple[str, ...] = ()  # what sentences call them
    rows: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)  # rows that are left out
    first: Mapping[str, tuple[str, int, str]] = field(default_factory=dict)  # line or row, which one, of what source
    strangers: Mapping[str, int] = field(default_factory=dict)  # regions
    blanks: Mapping[str, int] = field(default_factory=dict)
    crowded: tuple[str, ...] = ()  # columns of categories that have more values than categories would
    bounded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Entries:
    """The rows that are kept, by column; rows that are alike in all of them are one, in the order of their coming."""

    log: str
    origin: str
    unit: Unit  # of whom there are at most unit.most rows each
    regions: tuple[str, ...]
    months: tuple[str, ...]
    times: NDArray[np.int64]  # how many rows are so
    region: NDArray[np.int32]
    month: NDArray[np.int32]
    values: dict[str, tuple[tuple[str, ...], NDArray[np.int32]]]  # by column: the values' keys, and which each row has
    some: dict[str, NDArray[np.int32]]  # by column of counts: 1 if it is positive, and 0
    tally: Tally = Tally()


def read(schema: LogSchema, source: Any, *, origin: str = "file", seen: Seen = nobody) -> tuple[Entries, Report]:
    """Read a file, several, or a frame.

    Args:
        schema: what is public of the rows.
        source: the path of a CSV or Parquet file, a frame of pandas, polars or pyarrow, or a list of them.
        origin: a word for where rows come from, which is kept with them.
        seen: what is told how many rows were read, from time to time.

    Returns:
        The entries that are kept, and a private report of what was left out.

    Raises:
        InputError: a source cannot be read, or more rows are left out than the schema allows.
    """
    given = list(source) if isinstance(source, list | tuple) else [source]
    # Identifiers are kept nowhere, so that files which share units are read as one.
    together_read = [given] if schema.unit_column is not None else [[one] for one in given]
    return together(schema, [part(schema, some, origin=origin, seen=seen) for some in together_read])


def part(schema: LogSchema, given: Sequence[Any], *, origin: str = "file", seen: Seen = nobody) -> Entries:
    """The entries of files or a frame, which may be some of a log's: what is refused for its shares is not refused."""
    columns = _Columns(schema)
    read_from = [sources.build(schema, one) for one in given]
    clock = parse_times.clock(schema.time_formats)
    clocks = {schema.time_column: clock} if clock is not None else {}
    for source in read_from:
        for chunk in source.chunks(schema.wanted, clocks):
            columns.add(chunk, source)
            seen(int(chunk.times.sum()))
    return columns.entries(origin, [source.name for source in read_from])


def is_of(schema: LogSchema, entries: Entries) -> bool:
    """Return whether entries were read by this schema, as far as they tell."""
    asked = (schema.name, schema.unit, schema.regions, schema.months)
    columns = (set(schema.category_columns), set(schema.count_columns))
    told = (entries.log, entries.unit, entries.regions, entries.months)
    return told == asked and (set(entries.values), set(entries.some)) == columns


def together(schema: LogSchema, parts: Sequence[Entries]) -> tuple[Entries, Report]:
    """All of a log's entries, and what was left out."""
    entries = parts[0] if len(parts) == 1 else _joined(schema, parts)
    tally = entries.tally
    _check_share(schema, tally, ELSEWHERE, "most_outside")
    _check_share(schema, tally, UNREAD, "most_unread")
    amounts = np.bincount(entries.region, entries.times, minlength=len(schema.regions))
    report: Report = {
        "note": NOTE,
        "log": schema.name,
        "rows": tally.rows,
        "kept": int(entries.times.sum()),
        LEFT: {r: _told(tally, r) for r in REASONS if r in tally.reasons},
        "unit": {"name": schema.unit.name, "most": schema.unit.most, **tally.bounded},
        "unknown regions": most_frequent(tally.strangers, REGIONS_SHOWN),
        "blank counts read as 0": {c: tally.blanks[c] for c in schema.count_columns if c in tally.blanks},
        "columns of too many values": list(tally.crowded),
        "regions without rows": [name for name, n in zip(schema.regions, amounts, strict=True) if n == 0],
        "months with rows": int(np.unique(entries.month).size),
    }
    return entries, report


def summary(name: str | Path, report: Report) -> str:
    """Return what the curator is told of rows that are left out, in one sentence, or nothing."""
    unit = report["unit"]
    surplus, nameless = unit.get(SURPLUS, 0), unit.get(NAMELESS, 0)
    why = []
    for reason, told in report[LEFT].items():
        (_, n), (place, first), *where = told.items()
        of = "".join(f" of {name}" for _, name in where)
        why.append(f"{n} for '{reason}' ({place.replace(' ', ' at ')} {first}{of})")
    if surplus:
        why.append(f"{surplus} drawn from those beyond {unit['most']} of one {unit['name']}")
    said = []
    if why:
        said.append(f"{report['rows'] - report['kept']} of its {report['rows']} rows are left out, {', '.join(why)}")
    if nameless:
        said.append(f"{nameless} of the rows kept name no {unit['name']}, and each counts as one of its own")
    for column in report["columns of too many values"]:
        said += [f"column '{column}' has more than {VALUES_LIMIT} different values, and seems to hold no categories"]
    return f"{name}: {'; '.join(said)} ({CURATOR})." if said else ""


def tell(name: str | Path, report: Report) -> None:
    """Say it on stderr."""
    said = summary(name, report)
    if said:
        sys.stderr.write(f"dpsampling: {said}\n")


def columns_of(schema: LogSchema, source: Any) -> Iterator[dict[str, list[str]]]:
    """The wanted columns of the rows with the right number of fields, some rows at a time, before any check."""
    for chunk in sources.build(schema, source).chunks(schema.wanted):
        right = np.repeat(np.arange(chunk.times.size), np.where(chunk.surplus == 0, chunk.times, 0))
        yield {name: texts[right].tolist() for name, texts in zip(schema.wanted, chunk.texts, strict=True)}


def count_of(text: str) -> int | None:
    """The number that a text in a column of counts is read as, if it is one."""
    number = _count_of({}, text)
    return 0 if number == _BLANK else number if number >= 0 else None


# -- understanding --------------------------------------------------------------------------------------------------


# Places and counts that are none.
_UNKNOWN, _OUTSIDE, _DROPPED, _NEGATIVE, _BLANK = -1, -2, -3, -4, -5


class _Columns:
    """What has been kept so far."""

    def __init__(self, schema: LogSchema) -> None:
        self.schema = schema
        self._rows = 0
        self._first: dict[str, tuple[str, int, str]] = {}
        self._reasons, self._strangers, self._blanks = Counter[str](), Counter[str](), Counter[str]()
        self._places = _places_of(schema)
        regions = {key(region): i for i, region in enumerate(schema.regions)}
        regions |= {key(region): _DROPPED for region in schema.dropped_regions}
        self._regions = Meanings(lambda text: regions.get(key(text), _UNKNOWN))
        longest = max((len(o) for f in schema.features for o in (*f.outcomes, *f.fold)), default=0)
        self._codes = {c: _Codes(schema.vocabulary(c), max(longest, LONGEST)) for c in schema.category_columns}
        self._values = {c: Meanings(codes.of) for c, codes in self._codes.items()}
        self._counts = {c: Meanings(partial(_count_of, schema.meanings(c))) for c in schema.count_columns}
        self._units = Meanings(Units().of)
        self._words = -(-len(self._counts) // BITS)
        self._kept = Kept(2 + len(self._codes) + self._words, None if schema.unit_column is None else schema.unit.most)

    def add(self, chunk: Chunk, source: Source) -> None:
        """Keep the good rows of a chunk."""
        schema = self.schema
        column = dict(zip(schema.wanted, chunk.texts, strict=True))
        rows = chunk.surplus.size
        why = np.full(rows, -1, np.int8)

        def because(reason: str, where: NDArray[np.bool_]) -> None:
            if where.any():
                why[where & (why < 0)] = REASONS.index(reason)

        because(SHORT, chunk.surplus < 0)
        because(LONG, chunk.surplus > 0)
        month = region = np.zeros(rows, np.int64)
        if schema.time_column:
            moments = chunk.moments.get(schema.wanted.index(schema.time_column))
            month = self._places[months_in(column[schema.time_column], schema.time_formats, moments)]
            because(NO_DATE, month == _UNKNOWN)
            because(OUTSIDE, month == _OUTSIDE)
            because(DROPPED_MONTH, month == _DROPPED)
        if schema.region_column:
            region = self._regions.of(column[schema.region_column])
            strange = (region == _UNKNOWN) & (why < 0)
            because(DROPPED_REGION, region == _DROPPED)
            because(UNKNOWN_REGION, strange)
            self._note_strangers(column[schema.region_column][strange], chunk.times[strange])
        counts = {name: self._counts[name].of(column[name]) for name in schema.count_columns}
        for amount in counts.values():
            if amount.min(initial=0) < 0:
                because(NEGATIVE, amount == _NEGATIVE)
                because(NO_COUNT, amount == _UNKNOWN)
        good = np.flatnonzero(why < 0)
        times = chunk.times[good]
        if schema.unit_column is not None:  # each row by itself, as of each unit's some may stay
            good = np.repeat(good, times)
            times = np.ones(good.size, np.int64)
        some = np.zeros((self._words, good.size), np.int32)
        for i, (name, amount) in enumerate(counts.items()):
            amount = amount[good]
            some[i // BITS] |= (amount > 0).astype(np.int32) << (i % BITS)
            if amount.min(initial=0) < 0:
                self._blanks[name] += int(times[amount == _BLANK].sum())
        values = [self._values[name].of(column[name][good]) for name in schema.category_columns]
        units = None if schema.unit_column is None else self._units.of(column[schema.unit_column][good])
        kept = np.stack([region[good], month[good], *values, *some], dtype=np.int32, casting="unsafe")
        self._kept.add(kept, units, times)
        self._note(chunk, source, why)

    def entries(self, origin: str, read_from: Sequence[str]) -> Entries:
        """All that was kept, of each unit at most so many rows, and what is told."""
        schema = self.schema
        (region, month, *columns), times, bounded = self._kept.all()
        values = dict(zip(self._codes, columns, strict=False))
        some = columns[len(values) :]
        return Entries(
            log=schema.name,
            origin=origin,
            unit=schema.unit,
            regions=schema.regions,
            months=schema.months,
            times=times,
            region=region,
            month=month,
            values={name: (tuple(self._codes[name].keys), codes) for name, codes in values.items()},
            some={name: some[i // BITS] >> (i % BITS) & 1 for i, name in enumerate(schema.count_columns)},
            tally=Tally(
                sources=tuple(read_from),
                rows=self._rows,
                reasons=dict(self._reasons),
                first=self._first,
                strangers=dict(self._strangers),
                blanks=dict(self._blanks),
                crowded=tuple(name for name, codes in self._codes.items() if codes.crowded),
                bounded=bounded,
            ),
        )

    def _note(self, chunk: Chunk, source: Source, why: NDArray[np.int8]) -> None:
        """Why rows are left out, and where that was so first."""
        self._rows += int(chunk.times.sum())
        for code in np.unique(why[why >= 0]).tolist():
            at = np.flatnonzero(why == code)
            self._reasons[REASONS[code]] += int(chunk.times[at].sum())
            if REASONS[code] not in self._first:
                self._first[REASONS[code]] = (source.place, chunk.where(int(at[0])), source.name)

    def _note_strangers(self, texts: NDArray[np.object_], times: NDArray[np.int64]) -> None:
        """Count unknown regions of rows in which nothing else was wrong."""
        for text, amount in zip(texts.tolist(), times.tolist(), strict=True):
            stranger = shown(" ".join(text.split()))
            if stranger in self._strangers or len(self._strangers) < VALUES_LIMIT:
                self._strangers[stranger] += amount


class Meanings(dict[str, int]):
    """What texts mean, each one asked once, in the order in which the rows have them first; some are forgotten."""

    def __init__(self, meaning: Callable[[str], int]) -> None:
        super().__init__()
        self._meaning = meaning
        self._letters = 0

    def of(self, texts: NDArray[np.object_]) -> NDArray[np.int64]:
        """Return the meaning of each text."""
        if self._letters > REMEMBERED:
            self.clear()
            self._letters = 0
        return np.fromiter(map(self.__getitem__, texts.tolist()), np.int64, texts.size)

    def __missing__(self, text: str) -> int:
        self[text] = number = self._meaning(text)
        self._letters += 50 + len(text)
        return number


def _places_of(schema: LogSchema) -> NDArray[np.int64]:
    """The place of each month from January of year 0, or why it has none; and, as the last, of a time that is none."""
    places = np.full(LAST_MONTH + 2, _OUTSIDE)
    places[-1] = _UNKNOWN
    for month in schema.dropped_months:
        places[number_of(month)] = _DROPPED
    for i, month in enumerate(schema.months if schema.time_column else ()):
        places[number_of(month)] = i
    return places


class _Codes:
    """The values of one column as numbers, in the order in which they come.

    Of a column with too many values those that the schema knows are told apart, and of others only the first: which
    outcome an entry has must not hang on the entries before it.
    """

    def __init__(self, known: set[str], longest: int) -> None:
        self._known = known
        self._longest = longest  # what is longer is no category but text in the wrong place, and is not kept
        self.keys: dict[str, int] = {}
        self._seen: dict[str, int] = {}
        self.crowded = False

    def of(self, value: str) -> int:
        """The number of a value."""
        if value in self._seen:
            return self._seen[value]
        name = key(value if len(value) <= self._longest else f"(longer than {self._longest} characters)")
        if len(self._seen) >= VALUES_LIMIT and name not in self.keys:
            self.crowded = True
            name = name if name in self._known else f"(beyond the first {VALUES_LIMIT} values)"
        code = self.keys.setdefault(name, len(self.keys))
        if len(self._seen) < VALUES_LIMIT:
            self._seen[value] = code
        return code


def _count_of(meanings: Mapping[str, int], text: str) -> int:
    """A written count as a number, texts with a meaning first."""
    plain = text.strip()
    if key(text) in meanings:
        return meanings[key(text)]
    if re.fullmatch(r"\+?[0-9]{1,12}(\.0*)?", plain) and float(plain) <= LARGEST:
        return int(float(plain))
    if re.fullmatch(r"-[0-9]+(\.[0-9]*)?", plain):
        return _NEGATIVE if float(plain) < 0 else 0
    return _UNKNOWN if plain else _BLANK


# -- trusting -------------------------------------------------------------------------------------------------------


def _check_share(schema: LogSchema, tally: Tally, of: Sequence[str], limit: str) -> None:
    """Too many rows that the schema did not expect mean that it describes another file."""
    out = Counter({reason: tally.reasons.get(reason, 0) for reason in of})
    if out.total() > getattr(schema, limit) * tally.rows:
        reason, n = out.most_common(1)[0]
        what = "outside" if limit == "most_outside" else "not understood by"
        document = schema.said == IN_SCHEMA
        whose = f"the schema of log {schema.name}" if document else "what the command says of them"
        others = f", or raise {limit}" if document else ""
        place, first, where = tally.first[reason]
        several = len(tally.sources) > 1
        its, of = ("their", f" of {where}") if several else ("its", "")
        raise InputError(
            f"{_and_others(tally.sources)}: {out.total()} of {its} {tally.rows} rows are {what} {whose}, mostly for "
            f"'{reason}' ({n} rows, first at {place} {first}{of}); {_REMEDIES[reason]}{others} ({CURATOR})."
        )


def _and_others(sources: Sequence[str]) -> str:
    others = len(sources) - 1
    return f"{sources[0]}{f' and {others} other file' if others else ''}{'s' if others > 1 else ''}"


def _told(tally: Tally, reason: str) -> dict[str, Any]:
    """How many rows are left out for a reason, and where the first is."""
    place, first, where = tally.first[reason]
    told = {"rows": tally.reasons[reason], f"first {place}": first}
    return {**told, "of": where} if len(tally.sources) > 1 else told


def most_frequent(strangers: Mapping[str, int], shown: int) -> dict[str, int]:
    """Return so many of these, the most frequent first."""
    return dict(sorted(strangers.items(), key=lambda item: (-item[1], item[0]))[:shown])


def shown(value: str) -> str:
    """Return a value as reports have it; something long is no category but text that is in the wrong place."""
    return f"(longer than {LONGEST} characters)" if len(value) > LONGEST else value or "(empty)"


def _joined(schema: LogSchema, parts: Sequence[Entries]) -> Entries:
    """The entries of several files as those of one."""
    if schema.unit_column is not None or not all(is_of(schema, p) for p in parts):
        raise InputError(
            f"entries of several files of log {schema.name} cannot be put together: they were read by another schema, "
            "or know of units, which their files may share; read the files by one command."
        )
    kept = Kept(2 + len(schema.category_columns) + len(schema.count_columns))
    words: dict[str, dict[str, int]] = {column: {} for column in schema.category_columns}
    for p in parts:
        values = []
        for column, numbers in words.items():
            keys, codes = p.values[column]
            values.append(np.array([numbers.setdefault(word, len(numbers)) for word in keys], np.int32)[codes])
        some = [p.some[column] for column in schema.count_columns]
        kept.add(np.stack([p.region, p.month, *values, *some]).astype(np.int32), times=p.times)
    (region, month, *columns), times, bounded = kept.all()
    tallies = [p.tally for p in parts]
    first: dict[str, tuple[str, int, str]] = {}
    for tally in reversed(tallies):
        first |= tally.first
    return replace(
        parts[0],
        times=times,
        region=region,
        month=month,
        values={c: (tuple(numbers), codes) for (c, numbers), codes in zip(words.items(), columns, strict=False)},
        some=dict(zip(schema.count_columns, columns[len(words) :], strict=True)),
        tally=Tally(
            sources=tuple(name for tally in tallies for name in tally.sources),
            rows=sum(tally.rows for tally in tallies),
            reasons=_summed(tally.reasons for tally in tallies),
            first=first,
            strangers=_summed(tally.strangers for tally in tallies),
            blanks=_summed(tally.blanks for tally in tallies),
            crowded=tuple(c for c in words if any(c in tally.crowded for tally in tallies)),
            bounded=bounded,
        ),
    )


def _summed(told: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total = Counter[str]()
    for counts in told:
        total.update(counts)
    return dict(total)


# -- files ----------------------------------------------------------------------------------------------------------


def put(path: Path, entries: Entries) -> None:
    """Write entries into a path that is staged already."""
    about: dict[str, Any] = {name: getattr(entries, name) for name in ("log", "origin", "regions", "months")}
    about["unit"] = asdict(entries.unit)
    about["values"] = {column: keys for column, (keys, _) in entries.values.items()}
    about["some"] = list(entries.some)
    about["tally"] = asdict(entries.tally)
    arrays: dict[str, NDArray[Any]] = {name: getattr(entries, name) for name in ("times", "region", "month")}
    arrays |= {f"value_{i}": codes for i, (_, codes) in enumerate(entries.values.values())}
    arrays |= {f"some_{i}": some for i, some in enumerate(entries.some.values())}
    archive.put(path, "read", about, arrays)


def load(path: Path) -> Entries:
    """Read what `put` wrote, or an InputError."""
    about, arrays = archive.get(Path(path), "read")
    try:
        entries = Entries(
            log=archive.word(about["log"]),
            origin=archive.word(about["origin"]),
            unit=Unit(**about["unit"]),
            regions=archive.words(about["regions"]),
            months=archive.words(about["months"]),
            times=arrays["times"],
            region=arrays["region"],
            month=arrays["month"],
            values={c: (archive.words(k), arrays[f"value_{i}"]) for i, (c, k) in enumerate(about["values"].items())},
            some={column: arrays[f"some_{i}"] for i, column in enumerate(archive.words(about["some"]))},
            tally=_tally_of(about["tally"]),
        )
        rows = entries.times.size
        archive.check_codes(entries.times - 1, MOST_ROWS, rows)
        archive.check_codes(entries.region, len(entries.regions), rows)
        archive.check_codes(entries.month, len(entries.months), rows)
        for keys, codes in entries.values.values():
            archive.check_codes(codes, len(keys), rows)
        for some in entries.some.values():
            archive.check_codes(some, 2, rows)
        _check_tally(entries)
        return entries
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(
            f"{path} does not hold entries; make it again with 'dpsampling warlogs count --part'."
        ) from error


def _tally_of(told: Any) -> Tally:
    """A tally as JSON tells it; a ValueError says that it is none."""
    if not isinstance(told["sources"], list):
        raise ValueError("sources are no list")  # some may be called alike
    tally = Tally(
        sources=tuple(archive.word(name) for name in told["sources"]),
        rows=archive.number(told["rows"]),
        reasons=_numbers(told["reasons"]),
        first={
            reason: (archive.word(p), archive.number(n), archive.word(w)) for reason, (p, n, w) in told["first"].items()
        },
        strangers=_numbers(told["strangers"]),
        blanks=_numbers(told["blanks"]),
        crowded=archive.words(told["crowded"]),
        bounded=_numbers(told["bounded"]),
    )
    if not (set(tally.reasons) == set(tally.first) <= set(REASONS) and tally.sources and all(tally.reasons.values())):
        raise ValueError("a tally has other reasons than there are")
    return tally


def _check_tally(entries: Entries) -> None:
    """Check that each row is kept, left out for a reason or beyond the bound; a ValueError says that some are not."""
    tally = entries.tally
    told = sum(entries.times.tolist()) + sum(tally.reasons.values()) + tally.bounded.get(SURPLUS, 0)
    if tally.rows != told:
        raise ValueError("a tally has other rows than there are")


def _numbers(told: Mapping[str, Any]) -> dict[str, int]:
    return {archive.word(name): archive.number(n) for name, n in told.items()}
