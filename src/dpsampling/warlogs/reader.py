"""Read a log's CSV file: of each row only the time, the region and what the schema's features need.

All other fields (texts, units, coordinates) are passed over as soon as their row has been split, so that they are in
no table, no report and no error message. A row that cannot be used is left out and counted under one reason; a file
that cannot be trusted as a whole is an InputError. Nothing is repaired in silence.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.errors import InputError, did_you_mean
from dpsampling.warlogs import archive
from dpsampling.warlogs.schema import LogSchema, column_key, key

Report = dict[str, Any]

CHUNK = 50_000  # rows split at a time
FIELD_LIMIT = 1 << 20  # characters; a longer field is a quote that nobody closed
VALUES_LIMIT = 10_000  # different values of one column; more are no categories
REGIONS_SHOWN = 20  # unknown regions that the report names
LONGEST = 60  # characters of a value that a report shows
LARGEST = 10**9  # the greatest count

# Why a row is left out, in the order in which it is looked for; a row has one reason, the first.
SHORT, LONG = "too few fields", "too many fields"
NO_DATE, OUTSIDE, DROPPED_MONTH = "unparsable time", "outside the period", "dropped month"
DROPPED_REGION, UNKNOWN_REGION = "dropped region", "unknown region"
NEGATIVE, NO_COUNT = "negative count", "unparsable count"
REASONS = (SHORT, LONG, NO_DATE, OUTSIDE, DROPPED_MONTH, DROPPED_REGION, UNKNOWN_REGION, NEGATIVE, NO_COUNT)
EXPECTED = (DROPPED_MONTH, DROPPED_REGION)  # the schema itself leaves these out

_REMEDIES = {
    SHORT: "check the delimiter, the columns and whether the file is whole",
    LONG: "check the delimiter and the columns",
    NO_DATE: "check time.column and time.format",
    OUTSIDE: "check time.from and time.to, or raise most_outside",
    UNKNOWN_REGION: "check region.column, or list the regions under region.keep or region.drop",
    NEGATIVE: "check the columns of counts",
    NO_COUNT: "check the columns of counts",
}


@dataclass(frozen=True)
class Entries:
    """The rows that are kept, by column."""

    log: str
    origin: str
    regions: tuple[str, ...]
    months: tuple[str, ...]
    region: NDArray[np.int16]
    month: NDArray[np.int16]
    values: dict[str, tuple[tuple[str, ...], NDArray[np.int32]]]  # by column: the values' keys, and which each row has
    amounts: dict[str, NDArray[np.int32]]  # by column


def read(schema: LogSchema, path: Path, *, origin: str = "file") -> tuple[Entries, Report]:
    """The entries of a file, and what was left out."""
    path = Path(path)
    columns = _Columns(schema)
    rows = 0
    reasons: Counter[str] = Counter()
    first: dict[str, int] = {}
    with _field_limit(), _telling_of(path, schema), _opened(path, schema) as text:
        for lines, surplus, fields in _chunks(schema, path, text):
            rows += len(lines)
            why = columns.add(surplus, fields)
            for code in np.unique(why[why >= 0]):
                at = np.flatnonzero(why == code)
                reasons[REASONS[code]] += int(at.size)
                first.setdefault(REASONS[code], lines[at[0]])
    entries = columns.entries(origin)
    if rows == 0:
        raise InputError(f"{path} has no rows{' below its header' if schema.header else ''}; name a file with entries.")
    _check_share(schema, path, rows, reasons, first)
    check_coverage(schema, str(path), entries)
    report: Report = {
        "note": "This report is NOT private: it is made from the rows themselves.",
        "log": schema.name,
        "rows": rows,
        "kept": int(entries.region.size),
        "left out": {
            reason: {"rows": reasons[reason], "first line": first[reason]} for reason in REASONS if reasons[reason]
        },
        "unknown regions": dict(_most(columns.strangers)),
        "blank counts read as 0": dict(columns.blanks),
    }
    return entries, report


def columns_of(schema: LogSchema, path: Path) -> Iterator[dict[str, list[str]]]:
    """The wanted columns of the rows with the right number of fields, some rows at a time, before any check."""
    with _field_limit(), _telling_of(path, schema), _opened(path, schema) as text:
        for _, surplus, fields in _chunks(schema, path, text):
            yield {
                name: [value for value, extra in zip(column, surplus, strict=True) if extra == 0]
                for name, column in zip(schema.wanted, fields, strict=True)
            }


def months_of(times: Sequence[str], form: str) -> tuple[set[str], int]:
    """The months of written times, and how many times were understood."""
    number = _month_numbers(times, form)
    return {_month_name(n) for n in np.unique(number) if n >= 0}, int(np.count_nonzero(number >= 0))


# -- splitting ------------------------------------------------------------------------------------------------------


@contextmanager
def _field_limit() -> Iterator[None]:
    before = csv.field_size_limit(FIELD_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


@contextmanager
def _opened(path: Path, schema: LogSchema) -> Iterator[io.TextIOBase]:
    """The file as text, unpacked if it is gzipped, whatever its name."""
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        stream: Any = gzip.GzipFile(fileobj=raw) if packed else raw
        head = stream.read(4096)
        stream.seek(0)
        if not head:
            raise InputError(f"{path} is empty; name a file with entries.")
        wide = "16" in schema.encoding or "32" in schema.encoding
        if b"\0" in head and not wide:
            raise InputError(f"{path} is no text in {schema.encoding}; name a CSV file, or set its encoding.")
        encoding = "utf-8-sig" if re.fullmatch(r"utf[-_]?8", schema.encoding, re.IGNORECASE) else schema.encoding
        with io.TextIOWrapper(io.BufferedReader(stream, 1 << 20), encoding=encoding, newline="") as text:
            yield text


@contextmanager
def _telling_of(path: Path, schema: LogSchema) -> Iterator[None]:
    """What can go wrong with a file, as one sentence; never with a part of its text."""
    try:
        yield
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; name the log's CSV file.") from error
    except IsADirectoryError as error:
        raise InputError(f"{path} is a folder; name the log's CSV file in it.") from error
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{path} is a gzip file that is broken or cut short; fetch it again.") from None
    except UnicodeError:  # its own message would quote the text
        raise InputError(
            f"{path} is not text in {schema.encoding}; set the schema's encoding to the file's, such as latin-1."
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); name the log's CSV file.") from error


def _chunks(
    schema: LogSchema, path: Path, text: io.TextIOBase
) -> Iterator[tuple[list[int], list[int], list[Sequence[str]]]]:
    """For some rows at a time: their lines, their surplus of fields (0 if right), and the wanted fields by column."""
    reader = csv.reader(chain(text, [_END]), delimiter=schema.delimiter)
    try:
        rows = _rows(reader, path)
        header = next(rows, []) if schema.header else list(schema.columns)
        if not header:
            raise InputError(f"{path} is empty; name a file with entries.")
        places, width = _places(schema, path, header), len(header)
        pick = itemgetter(*places)  # time and region at least, so it gives tuples
        blank = ("",) * len(places)
        while True:
            lines, surplus, picked = [], [], []
            for row in islice(rows, CHUNK):
                right = len(row) == width
                picked.append(pick(row) if right else blank)
                surplus.append(0 if right else len(row) - width)
                lines.append(reader.line_num)
            if not lines:
                return
            yield lines, surplus, list(zip(*picked, strict=True))
    except csv.Error:
        raise InputError(
            f"{path}: a quoted field is longer than {FIELD_LIMIT} characters at line {reader.line_num}; "
            "close the quote before it."
        ) from None


_END = "\x1eend of file"  # a line after the last: if it comes as no row of its own, a quote was left open


def _rows(reader: Iterator[list[str]], path: Path) -> Iterator[list[str]]:
    """The rows that are not empty lines."""
    for row in reader:
        if row == [_END]:
            return
        if row:
            yield row
    raise InputError(f"{path} ends within a quoted field; it was cut short or a quote is not closed, fetch it again.")


def _places(schema: LogSchema, path: Path, header: list[str]) -> list[int]:
    """Where the wanted columns are."""
    found: dict[str, list[int]] = {}
    for place, column in enumerate(header):
        found.setdefault(column_key(column), []).append(place)
    places = []
    for column in schema.wanted:
        at = found.get(column_key(column), [])
        if len(at) > 1:
            raise InputError(f"{path} has {len(at)} columns '{column}'; keep one of them.")
        if not at:
            other = next((d for d in ";,\t|" if d != schema.delimiter and len(header) == 1 and d in header[0]), None)
            if other is not None:
                raise InputError(f"{path} has no column '{column}'; its delimiter seems to be {other!r}, set it.")
            # A header that is none would be a row, and rows are not shown: only the nearest name of a column is.
            hint = did_you_mean(column_key(column), [name for name in found if name.replace("_", "").isalpha()])
            raise InputError(
                f"{path} has no column '{column}' among its {len(header)}{hint}; "
                "name the column as the file's first line does, or set header to false and list the columns."
            )
        places.append(at[0])
    return places


# -- understanding --------------------------------------------------------------------------------------------------


class _Columns:
    """What has been kept so far."""

    def __init__(self, schema: LogSchema) -> None:
        self.schema = schema
        self.strangers: Counter[str] = Counter()
        self.blanks: Counter[str] = Counter()
        self._months = {month: i for i, month in enumerate(schema.months)}
        self._dropped_months = set(schema.dropped_months)
        self._regions: dict[str, int] = {key(region): i for i, region in enumerate(schema.regions)}
        self._regions |= {key(region): _DROPPED for region in schema.dropped_regions}
        longest = max((len(o) for f in schema.features for o in (*f.outcomes, *f.fold)), default=0)
        self._codes = {column: _Codes(column, max(longest, LONGEST)) for column in schema.category_columns}
        self._counts = _Counts()
        self._kept: dict[str, list[NDArray[Any]]] = {name: [] for name in ("", "month", *schema.wanted)}

    def add(self, surplus: list[int], fields: list[Sequence[str]]) -> NDArray[np.int8]:
        """Keep the good rows of a chunk; the place in REASONS of every other row's reason, and −1."""
        schema = self.schema
        column = dict(zip(schema.wanted, fields, strict=True))
        excess = np.array(surplus)
        why = np.full(excess.size, -1, np.int8)

        def because(reason: str, where: NDArray[np.bool_]) -> None:
            why[where & (why < 0)] = REASONS.index(reason)

        because(SHORT, excess < 0)
        because(LONG, excess > 0)
        month = self._month(column[schema.time_column])
        because(NO_DATE, month == _UNKNOWN)
        because(OUTSIDE, month == _OUTSIDE)
        because(DROPPED_MONTH, month == _DROPPED)
        region = self._region(column[schema.region_column], why)
        because(DROPPED_REGION, region == _DROPPED)
        because(UNKNOWN_REGION, region == _UNKNOWN)
        amounts = {}
        for name in schema.count_columns:
            amounts[name] = np.fromiter(map(self._counts.__getitem__, column[name]), np.int32, excess.size)
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
        return why

    def entries(self, origin: str) -> Entries:
        """All that was kept."""

        def whole(name: str, dtype: type) -> NDArray[Any]:
            return np.concatenate([np.empty(0, dtype), *self._kept[name]]).astype(dtype)

        return Entries(
            log=self.schema.name,
            origin=origin,
            regions=self.schema.regions,
            months=self.schema.months,
            region=whole("", np.int16),
            month=whole("month", np.int16),
            values={c: (tuple(codes.keys), whole(c, np.int32)) for c, codes in self._codes.items()},
            amounts={c: whole(c, np.int32) for c in self.schema.count_columns},
        )

    def _month(self, times: Sequence[str]) -> NDArray[np.int64]:
        """The place of each time's month, or why it has none."""
        values, inverse = np.unique(_month_numbers(times, self.schema.time_format), return_inverse=True)
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
            self.strangers[f"(longer than {LONGEST} characters)" if len(name) > LONGEST else name or "(empty)"] += 1
        return places


def _month_numbers(times: Sequence[str], form: str) -> NDArray[np.int64]:
    """Months counted from January of year 0, and −1 for what is no time in this format."""
    parsed = pd.to_datetime(pd.Series(times, dtype=object).str.strip(), format=form, errors="coerce")
    return (parsed.dt.year * 12 + parsed.dt.month - 1).fillna(-1).to_numpy().astype(np.int64)


def _month_name(number: int) -> str:
    return f"{number // 12:04d}-{number % 12 + 1:02d}"


# Places and counts that are none.
_UNKNOWN, _OUTSIDE, _DROPPED, _NEGATIVE, _BLANK = -1, -2, -3, -4, -5


class _Codes:
    """The values of one column as numbers, in the order in which they come."""

    def __init__(self, column: str, longest: int) -> None:
        self.column = column
        self._longest = longest  # what is longer is no category but text in the wrong place, and is not kept
        self.keys: dict[str, int] = {}
        self._seen: dict[str, int] = {}

    def of(self, values: list[str]) -> NDArray[np.int32]:
        for value in dict.fromkeys(values):
            if value not in self._seen:
                short = value if len(value) <= self._longest else f"(longer than {self._longest} characters)"
                self._seen[value] = self.keys.setdefault(key(short), len(self.keys))
        if len(self._seen) > VALUES_LIMIT:
            raise InputError(
                f"column '{self.column}' has more than {VALUES_LIMIT} different values; "
                "name a column of categories, or check the delimiter."
            )
        return np.fromiter(map(self._seen.__getitem__, values), np.int32, len(values))


class _Counts(dict[str, int]):
    """Written counts as numbers; each spelling is looked at once."""

    def __missing__(self, text: str) -> int:
        plain = text.strip()
        if re.fullmatch(r"\+?[0-9]{1,12}(\.0*)?", plain) and float(plain) <= LARGEST:
            number = int(float(plain))
        elif re.fullmatch(r"-[0-9]+(\.[0-9]*)?", plain):
            number = _NEGATIVE if float(plain) < 0 else 0
        else:
            number = _UNKNOWN if plain else _BLANK
        if len(self) < VALUES_LIMIT:
            self[text] = number
        return number


# -- trusting -------------------------------------------------------------------------------------------------------


def _check_share(schema: LogSchema, path: Path, rows: int, reasons: Counter[str], first: dict[str, int]) -> None:
    """Too many rows that the schema did not expect mean that it describes another file."""
    outside = Counter({reason: n for reason, n in reasons.items() if reason not in EXPECTED})
    if outside.total() > schema.most_outside * rows:
        reason, n = outside.most_common(1)[0]
        raise InputError(
            f"{path}: {outside.total()} of its {rows} rows are outside the schema of log {schema.name}, "
            f"mostly for '{reason}' ({n} rows, first at line {first[reason]}); {_REMEDIES[reason]}."
        )


def check_coverage(schema: LogSchema, where: str, entries: Entries) -> None:
    """A chain needs months to move through, and every region some rows."""
    months = np.unique(entries.month).size
    if months < 2:
        raise InputError(
            f"{where} has rows in {months} of the months of log {schema.name}; a chain in time needs two or more, "
            "check time.from and time.to."
        )
    amounts = np.bincount(entries.region, minlength=len(schema.regions))
    absent = [region for region, n in zip(schema.regions, amounts, strict=True) if n == 0]
    if absent:
        raise InputError(
            f"{where} has no rows in region '{absent[0]}' of log {schema.name}; take it out of region.keep."
        )


def _most(strangers: Counter[str]) -> list[tuple[str, int]]:
    return sorted(strangers.items(), key=lambda item: (-item[1], item[0]))[:REGIONS_SHOWN]


# -- files ----------------------------------------------------------------------------------------------------------


def put(path: Path, entries: Entries) -> None:
    """Write entries into a path that is staged already."""
    about: dict[str, Any] = {name: getattr(entries, name) for name in ("log", "origin", "regions", "months")}
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
            log=about["log"],
            origin=about["origin"],
            regions=tuple(about["regions"]),
            months=tuple(about["months"]),
            region=arrays["region"],
            month=arrays["month"],
            values={c: (tuple(k), arrays[f"value_{i}"]) for i, (c, k) in enumerate(about["values"].items())},
            amounts={column: arrays[f"amount_{i}"] for i, column in enumerate(about["amounts"])},
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
