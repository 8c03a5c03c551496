"""Read a log's rows: of each one only the time, the region and what the schema's features need.

Where the rows are (a CSV or Parquet file, a frame) is the matter of `sources`. All other fields (texts, units,
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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.exact import bits
from dpsampling.warlogs import archive, cells, sources
from dpsampling.warlogs.chunks import Chunk, Source
from dpsampling.warlogs.schema import IN_SCHEMA, LogSchema, Unit, key

Report = dict[str, Any]

VALUES_LIMIT = 10_000  # different values of one column that are held; more are no categories
REGIONS_SHOWN = 20  # unknown regions that the report names
LONGEST = 60  # characters of a value that a report shows
LARGEST = 10**9  # the greatest count

# Why a row is left out, in the order in which it is looked for; a row has one reason, the first.
SHORT, LONG = "too few fields", "too many fields"
NO_DATE, OUTSIDE, DROPPED_MONTH = "unparsable time", "outside the period", "dropped month"
DROPPED_REGION, UNKNOWN_REGION = "dropped region", "unknown region"
NEGATIVE, NO_COUNT = "negative count", "unparsable count"
REASONS = (SHORT, LONG, NO_DATE, OUTSIDE, DROPPED_MONTH, DROPPED_REGION, UNKNOWN_REGION, NEGATIVE, NO_COUNT)
ELSEWHERE = (OUTSIDE, UNKNOWN_REGION)  # most_outside
UNREAD = (SHORT, LONG, NO_DATE, NEGATIVE, NO_COUNT)  # most_unread; the schema itself leaves out all others
LEFT = "left out"
SURPLUS, NAMELESS = "rows beyond the most", "rows kept without identifier"  # what the report tells of units

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
class Entries:
    """The rows that are kept, by column."""

    log: str
    origin: str
    unit: Unit  # of whom there are at most unit.most rows each
    regions: tuple[str, ...]
    months: tuple[str, ...]
    region: NDArray[np.int16]
    month: NDArray[np.int16]
    values: dict[str, tuple[tuple[str, ...], NDArray[np.int32]]]  # by column: the values' keys, and which each row has
    amounts: dict[str, NDArray[np.int32]]  # by column


def read(schema: LogSchema, source: Any, *, origin: str = "file") -> tuple[Entries, Report]:
    """The entries of a file or a frame, and what was left out."""
    rows_of = sources.of(schema, source)
    columns = _Columns(schema)
    rows = 0
    reasons: Counter[str] = Counter()
    first: dict[str, int] = {}
    for chunk in rows_of.chunks(schema.wanted):
        rows += len(chunk.standing)
        why = columns.add(chunk)
        for code in np.unique(why[why >= 0]):
            at = np.flatnonzero(why == code)
            reasons[REASONS[code]] += int(at.size)
            first.setdefault(REASONS[code], chunk.standing[at[0]])
    _check_share(schema, rows_of, rows, reasons, first, ELSEWHERE, "most_outside")
    _check_share(schema, rows_of, rows, reasons, first, UNREAD, "most_unread")
    entries, bounded = columns.entries(origin)
    amounts = np.bincount(entries.region, minlength=len(schema.regions))
    report: Report = {
        "note": NOTE,
        "log": schema.name,
        "rows": rows,
        "kept": int(entries.region.size),
        LEFT: {r: {"rows": reasons[r], f"first {rows_of.place}": first[r]} for r in REASONS if reasons[r]},
        "unit": {"name": schema.unit.name, "most": schema.unit.most, **bounded},
        "unknown regions": dict(_most(columns.strangers)),
        "blank counts read as 0": dict(columns.blanks),
        "columns of too many values": columns.crowded(),
        "regions without rows": [name for name, n in zip(schema.regions, amounts, strict=True) if n == 0],
        "months with rows": int(np.unique(entries.month).size),
    }
    return entries, report


def summary(name: str | Path, report: Report) -> str:
    """What the curator is told of rows that are left out, in one sentence, or nothing."""
    unit = report["unit"]
    surplus, nameless = unit.get(SURPLUS, 0), unit.get(NAMELESS, 0)
    why = []
    for reason, told in report[LEFT].items():
        (_, n), (place, first) = told.items()
        why.append(f"{n} for '{reason}' ({place.replace(' ', ' at ')} {first})")
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
    for chunk in sources.of(schema, source).chunks(schema.wanted):
        yield {
            name: [value for value, extra in zip(column, chunk.surplus, strict=True) if extra == 0]
            for name, column in zip(schema.wanted, chunk.fields, strict=True)
        }


def months_of(times: Sequence[str], form: str) -> tuple[set[str], NDArray[np.bool_]]:
    """The months of written times, and which times were understood."""
    number = _month_numbers(times, (form,))
    return {_month_name(n) for n in np.unique(number) if n >= 0}, number >= 0


def count_of(text: str) -> int | None:
    """The number that a text in a column of counts is read as, if it is one."""
    number = _Counts({})[text]
    return 0 if number == _BLANK else number if number >= 0 else None


# -- understanding --------------------------------------------------------------------------------------------------


class _Columns:
    """What has been kept so far."""

    def __init__(self, schema: LogSchema) -> None:
        self.schema = schema
        self.strangers: Counter[str] = Counter()  # regions
        self.blanks: Counter[str] = Counter()
        self._months = {month: i for i, month in enumerate(schema.months)}
        self._dropped_months = set(schema.dropped_months)
        self._regions: dict[str, int] = {key(region): i for i, region in enumerate(schema.regions)}
        self._regions |= {key(region): _DROPPED for region in schema.dropped_regions}
        longest = max((len(o) for f in schema.features for o in (*f.outcomes, *f.fold)), default=0)
        self._codes = {c: _Codes(schema.vocabulary(c), max(longest, LONGEST)) for c in schema.category_columns}
        self._counts = {column: _Counts(schema.meanings(column)) for column in schema.count_columns}
        self._units: dict[str, int] = {}  # identifiers, which do not outlive the reading
        self._unit_of: list[NDArray[np.int64]] = []
        self._kept: dict[str, list[NDArray[Any]]] = {name: [] for name in ("", "month", *schema.wanted)}

    def add(self, chunk: Chunk) -> NDArray[np.int8]:
        """Keep the good rows of a chunk; the place in REASONS of every other row's reason, and −1."""
        schema = self.schema
        column = dict(zip(schema.wanted, chunk.fields, strict=True))
        excess = np.array(chunk.surplus)
        why = np.full(excess.size, -1, np.int8)

        def because(reason: str, where: NDArray[np.bool_]) -> None:
            why[where & (why < 0)] = REASONS.index(reason)

        because(SHORT, excess < 0)
        because(LONG, excess > 0)
        month = np.zeros(excess.size, np.int64)
        if schema.time_column:
            month = self._month(column[schema.time_column], chunk.moments.get(schema.time_column))
        because(NO_DATE, month == _UNKNOWN)
        because(OUTSIDE, month == _OUTSIDE)
        because(DROPPED_MONTH, month == _DROPPED)
        region = self._region(column[schema.region_column], why) if schema.region_column else np.zeros_like(month)
        because(DROPPED_REGION, region == _DROPPED)
        because(UNKNOWN_REGION, region == _UNKNOWN)
        amounts = {}
        for name in schema.count_columns:
            amounts[name] = np.fromiter(map(self._counts[name].__getitem__, column[name]), np.int32, excess.size)
            because(NEGATIVE, amounts[name] == _NEGATIVE)
            because(NO_COUNT, amounts[name] == _UNKNOWN)
        good = why < 0
        for name in schema.count_columns:
            blanks = int(np.count_nonzero(good & (amounts[name] == _BLANK)))
            if blanks:
                self.blanks[name] += blanks
            self._kept[name].append(np.maximum(amounts[name][good], 0))
        for name, codes in self._codes.items():
            kept = [value for value, ok in zip(column[name], good, strict=True) if ok]
            self._kept[name].append(codes.of(kept))
        self._kept["month"].append(month[good].astype(np.int16))
        self._kept[""].append(region[good].astype(np.int16))
        if schema.unit_column is not None:
            named = [key(name) for name, ok in zip(column[schema.unit_column], good, strict=True) if ok]
            numbers = (self._units.setdefault(name, len(self._units)) if name else _NOBODY for name in named)
            self._unit_of.append(np.fromiter(numbers, np.int64, len(named)))
        return why

    def crowded(self) -> list[str]:
        """The columns of categories that have more values than categories would."""
        return [column for column, codes in self._codes.items() if codes.crowded]

    def entries(self, origin: str) -> tuple[Entries, dict[str, int]]:
        """All that was kept, of each unit at most so many rows, and how many rows that concerned."""
        stay: NDArray[Any] | slice = slice(None)
        told: dict[str, int] = {}
        if self.schema.unit_column is not None:
            units = np.concatenate([np.empty(0, np.int64), *self._unit_of])
            stay = within(units, self.schema.unit.most)
            told = {SURPLUS: int(np.sum(~stay)), NAMELESS: int(np.sum(units == _NOBODY))}

        def whole(name: str, dtype: type) -> NDArray[Any]:
            return np.concatenate([np.empty(0, dtype), *self._kept[name]]).astype(dtype)[stay]

        found = Entries(
            log=self.schema.name,
            origin=origin,
            unit=self.schema.unit,
            regions=self.schema.regions,
            months=self.schema.months,
            region=whole("", np.int16),
            month=whole("month", np.int16),
            values={c: (tuple(codes.keys), whole(c, np.int32)) for c, codes in self._codes.items()},
            amounts={c: whole(c, np.int32) for c in self.schema.count_columns},
        )
        return found, told

    def _month(self, times: Sequence[str], typed: NDArray[np.bool_] | None) -> NDArray[np.int64]:
        """The place of each time's month, or why it has none; how a text is read hangs on no other row's type."""
        numbers = _month_numbers(times, self.schema.time_formats)
        if typed is not None and typed.any():
            moments = [time for time, moment in zip(times, typed, strict=True) if moment]
            numbers[typed] = _month_numbers(moments, cells.FORMATS)
        values, inverse = np.unique(numbers, return_inverse=True)
        names = [_month_name(v) if v >= 0 else "" for v in values]
        places = [
            _UNKNOWN if not name else _DROPPED if name in self._dropped_months else self._months.get(name, _OUTSIDE)
            for name in names
        ]
        return np.array(places, np.int64)[inverse]

    def _region(self, regions: Sequence[str], why: NDArray[np.int8]) -> NDArray[np.int64]:
        """The place of each region, or why it has none; unknown ones are noted where nothing else was wrong."""
        known: dict[str, int] = {}
        for region in set(regions):
            known[region] = self._regions.get(key(region), _UNKNOWN)
        places = np.fromiter(map(known.__getitem__, regions), np.int64, len(regions))
        for i in np.flatnonzero((places == _UNKNOWN) & (why < 0)).tolist():
            name = " ".join(regions[i].split())
            stranger = f"(longer than {LONGEST} characters)" if len(name) > LONGEST else name or "(empty)"
            if stranger in self.strangers or len(self.strangers) < VALUES_LIMIT:
                self.strangers[stranger] += 1
        return places


def _month_numbers(times: Sequence[str], forms: Sequence[str]) -> NDArray[np.int64]:
    """Months counted from January of year 0, by the first format that understands a time, and −1 if none does."""
    texts = pd.Series(times, dtype=object).str.strip()
    numbers = np.full(texts.size, -1, np.int64)
    for form in forms:
        left = numbers < 0
        if left.any():
            parsed = pd.to_datetime(texts[left], format=form, errors="coerce")
            numbers[left] = (parsed.dt.year * 12 + parsed.dt.month - 1).fillna(-1).to_numpy().astype(np.int64)
    return numbers


def _month_name(number: int) -> str:
    return f"{number // 12:04d}-{number % 12 + 1:02d}"


# Places, counts and units that are none.
_UNKNOWN, _OUTSIDE, _DROPPED, _NEGATIVE, _BLANK, _NOBODY = -1, -2, -3, -4, -5, -6


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

    def of(self, values: list[str]) -> NDArray[np.int32]:
        codes = {value: self._code(value) for value in dict.fromkeys(values)}
        return np.fromiter(map(codes.__getitem__, values), np.int32, len(values))

    def _code(self, value: str) -> int:
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


class _Counts(dict[str, int]):
    """Written counts as numbers, texts with a meaning first; each spelling is looked at once."""

    def __init__(self, meanings: Mapping[str, int]) -> None:
        super().__init__()
        self._meanings = meanings

    def __missing__(self, text: str) -> int:
        plain = text.strip()
        if key(text) in self._meanings:
            number = self._meanings[key(text)]
        elif re.fullmatch(r"\+?[0-9]{1,12}(\.0*)?", plain) and float(plain) <= LARGEST:
            number = int(float(plain))
        elif re.fullmatch(r"-[0-9]+(\.[0-9]*)?", plain):
            number = _NEGATIVE if float(plain) < 0 else 0
        else:
            number = _UNKNOWN if plain else _BLANK
        if len(self) < VALUES_LIMIT:
            self[text] = number
        return number


# -- trusting -------------------------------------------------------------------------------------------------------


def _check_share(
    schema: LogSchema,
    source: Source,
    rows: int,
    reasons: Counter[str],
    first: dict[str, int],
    of: Sequence[str],
    limit: str,
) -> None:
    """Too many rows that the schema did not expect mean that it describes another file."""
    out = Counter({reason: reasons[reason] for reason in of})
    if out.total() > getattr(schema, limit) * rows:
        reason, n = out.most_common(1)[0]
        what = "outside" if limit == "most_outside" else "not understood by"
        document = schema.said == IN_SCHEMA
        whose = f"the schema of log {schema.name}" if document else "what the command says of them"
        others = f", or raise {limit}" if document else ""
        raise InputError(
            f"{source.name}: {out.total()} of its {rows} rows are {what} {whose}, mostly for '{reason}' ({n} rows, "
            f"first at {source.place} {first[reason]}); {_REMEDIES[reason]}{others} ({CURATOR})."
        )


def within(units: NDArray[np.int64], most: int) -> NDArray[np.bool_]:
    """Which rows stay if each unit keeps at most so many, any of its rows as likely as any other; nobody's rows all do.

    Each row draws a lot of 64 bits of the operating system, and the lowest of a unit stay: what stays of one unit hangs
    on no other, so that other rows of one unit move the counts of each feature by 2·most at the most.
    """
    nobody = units == _NOBODY
    units = np.where(nobody, -1 - np.arange(units.size), units)
    lots = np.frombuffer(bits.fresh(8 * units.size), np.uint64)
    order = np.lexsort((lots, units))
    begins = np.flatnonzero(np.diff(units[order], prepend=units.min(initial=0) - 1))
    rank = np.arange(units.size) - np.repeat(begins, np.diff(begins, append=units.size))
    stay = np.empty(units.size, bool)
    stay[order] = rank < most
    return stay


def _most(strangers: Counter[str]) -> list[tuple[str, int]]:
    return sorted(strangers.items(), key=lambda item: (-item[1], item[0]))[:REGIONS_SHOWN]


# -- files ----------------------------------------------------------------------------------------------------------


def put(path: Path, entries: Entries) -> None:
    """Write entries into a path that is staged already."""
    about: dict[str, Any] = {name: getattr(entries, name) for name in ("log", "origin", "regions", "months")}
    about["unit"] = asdict(entries.unit)
    about["values"] = {column: keys for column, (keys, _) in entries.values.items()}
    about["amounts"] = list(entries.amounts)
    arrays: dict[str, NDArray[Any]] = {"region": entries.region, "month": entries.month}
    arrays |= {f"value_{i}": codes for i, (_, codes) in enumerate(entries.values.values())}
    arrays |= {f"amount_{i}": amounts for i, amounts in enumerate(entries.amounts.values())}
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
            region=arrays["region"],
            month=arrays["month"],
            values={c: (archive.words(k), arrays[f"value_{i}"]) for i, (c, k) in enumerate(about["values"].items())},
            amounts={column: arrays[f"amount_{i}"] for i, column in enumerate(archive.words(about["amounts"]))},
        )
        archive.check_codes(entries.region, len(entries.regions), entries.region.size)
        archive.check_codes(entries.month, len(entries.months), entries.region.size)
        for keys, codes in entries.values.values():
            archive.check_codes(codes, len(keys), entries.region.size)
        for amounts in entries.amounts.values():
            archive.check_codes(amounts, LARGEST + 1, entries.region.size)
        return entries
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"{path} does not hold entries; make it again with 'dpsampling warlogs read'.") from error
