"""What a file of rows says, row by row and with Python's own csv: the plain second way of reading a log.

Nothing here is fast, and nothing is shared with what it is compared with but the schema, what `key` makes of a text,
and pandas, which alone says what a time format means.
"""

import csv
import gzip
import io
import re
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from dpsampling.event_logs import reader
from dpsampling.event_logs.schema import IN_SCHEMA, OTHER, Feature, LogSchema, column_key, key

FIELD, LINE = 1 << 20, 4 << 20  # the longest, in characters
DROPPED, UNKNOWN = -1, -2  # regions
UNPACKED, ALLOWED = 100, 4 << 20
LARGEST = 10**9
END = '\U0010fffd"\U0010fffd'  # a line after the last, with a quote that is read otherwise within quotes
REASONS = {
    "too few fields": "check the delimiter, the columns and whether the file is whole",
    "too many fields": "check the delimiter and the columns",
    "unparsable time": "check time.column, or list every format under time.format",
    "outside the period": "check time.from and time.to",
    "dropped month": "",
    "dropped region": "",
    "unknown region": "check region.column, or list the regions under region.keep or region.drop",
    "negative count": "check the columns of counts, or say under counts what a code means",
    "unparsable count": "check the columns of counts, or say under counts what a text means",
}
LIMITS = {
    "most_outside": ("outside", ("outside the period", "unknown region")),
    "most_unread": (
        "not understood by",
        ("too few fields", "too many fields", "unparsable time", "negative count", "unparsable count"),
    ),
}

Row = tuple[int, int, tuple[int, ...]]  # region, month, outcome by feature


class RefusedError(Exception):
    """The one sentence."""


@dataclass
class Reading:
    """What the rows of one file, or of several, say."""

    rows: Counter[Row] = field(default_factory=Counter)  # all of every unit
    words: Counter[tuple[str, ...]] = field(default_factory=Counter)  # the keys of the categories' values, row by row
    by_unit: dict[str | int, list[Row]] = field(default_factory=lambda: defaultdict(list))  # a number is nobody's row
    report: dict[str, Any] = field(default_factory=dict)
    features: dict[str, Any] = field(default_factory=dict)


def told(schema: LogSchema, path: Path) -> Reading | str:
    """What a file says, or why it is refused."""
    try:
        return read(schema, path)
    except RefusedError as refusal:
        return str(refusal)


def read(schema: LogSchema, path: Path) -> Reading:
    """All that a log by this schema tells; a RefusedError if it tells none."""
    rows = list(fields(schema, path))
    months = months_of([row[1].get(schema.time_column, "") if row[1] else "" for row in rows], schema.time_formats)
    result = Reading()
    left: dict[str, list[int]] = {reason: [] for reason in REASONS}
    strangers, blanks = Counter[str](), Counter[str]()
    words = {c: _Words(schema, c) for c in schema.category_columns}
    kept: list[tuple[Row, dict[str, str]]] = []
    for (line, row, surplus), month in zip(rows, months, strict=True):
        reason, place, amounts = _understood(schema, row, surplus, month)
        if reason:
            left[reason].append(line)
            if reason == "unknown region":
                name = " ".join(row[schema.region_column].split())
                shown = "(longer than 60 characters)" if len(name) > 60 else name or "(empty)"
                if shown in strangers or len(strangers) < reader.VALUES_LIMIT:
                    strangers[shown] += 1
            continue
        blanks.update(column for column, amount in amounts.items() if amount is None)
        said = {c: words[c].of(row[c]) for c in schema.category_columns}
        outcomes = tuple(
            _outcome(f, said[f.columns[0]])
            if f.kind == "category"
            else int(any((amounts[c] or 0) > 0 for c in f.columns))
            for f in schema.features
        )
        entry = (place[0], place[1], outcomes)
        kept.append((entry, said))
        result.rows[entry] += 1
        result.words[tuple(said.values())] += 1
        who = key(row[schema.unit_column]) if schema.unit_column else ""
        result.by_unit[who or len(kept)].append(entry)
    for limit, (what, of) in LIMITS.items():
        _check(schema, str(path), len(rows), {reason: left[reason] for reason in of}, limit, what)
    in_region = Counter(region for (region, _, _), _ in kept)
    result.report = {
        "note": reader.NOTE,
        "log": schema.name,
        "rows": len(rows),
        "kept": len(kept),
        "left out": {r: {"rows": len(lines), "first line": lines[0]} for r, lines in left.items() if lines},
        "unit": {"name": schema.unit.name, "most": schema.unit.most},
        "unknown regions": _first(strangers, 20),
        "blank counts read as 0": {c: blanks[c] for c in schema.count_columns if blanks[c]},
        "columns of too many values": [column for column, seen in words.items() if seen.crowded],
        "regions without rows": [name for i, name in enumerate(schema.regions) if not in_region[i]],
        "months with rows": len({month for (_, month, _), _ in kept}),
    }
    result.features = _features(schema, kept)
    return result


# -- rows of text -----------------------------------------------------------------------------------------------------


def fields(schema: LogSchema, path: Path) -> Iterator[tuple[int, dict[str, str], int]]:
    """The last line of each row that is no empty line, its wanted fields, and how many fields it has too many."""
    lines = _lines(schema, path)
    before = csv.field_size_limit(FIELD)
    rows = csv.reader([*lines, END], delimiter=schema.delimiter)
    try:
        header: list[str] = [] if schema.header else list(schema.columns)
        at: dict[str, int] = {}
        for row in rows:
            if row == [END]:
                break
            if not row:
                continue
            if not header:
                header = [row[0].removeprefix("\ufeff"), *row[1:]]
                at = _places(schema, path, header)
                continue
            at = at or _places(schema, path, header)
            surplus = len(row) - len(header)
            wanted = {c: "" if surplus else row[place] for c, place in at.items()}
            yield rows.line_num, wanted, surplus
        else:
            raise RefusedError(
                f"{path} ends within a quoted field; it was cut short or a quote is not closed, fetch it again."
            )
        if not header:
            raise RefusedError(f"{path} is empty; name a file with entries.")
        _places(schema, path, header)
    except csv.Error:
        raise RefusedError(
            f"{path}: a field is longer than {FIELD} characters at line {rows.line_num}; close the quote before it, or "
            "shorten it."
        ) from None
    finally:
        csv.field_size_limit(before)


def _lines(schema: LogSchema, path: Path) -> list[str]:
    """All lines, each with its end, whichever of the three it is."""
    raw = path.read_bytes()
    packed = raw.startswith(b"\x1f\x8b")
    try:
        data = gzip.decompress(raw) if packed else raw
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise RefusedError(f"{path} is a gzip file that is broken or cut short; fetch it again.") from None
    if not data and schema.header:
        raise RefusedError(f"{path} is empty; name a file with entries.")
    _check_head(schema, path, data[:4096])
    utf8 = re.fullmatch(r"utf[-_]?8", schema.encoding, re.IGNORECASE)
    try:
        text = data.decode("utf-8-sig" if utf8 else schema.encoding)
    except UnicodeError:
        raise RefusedError(
            f"{path} is not text in {schema.encoding}; set {schema.setting('encoding')} to the file's, such as latin-1."
        ) from None
    if packed and len(text) > ALLOWED + UNPACKED * len(raw):
        raise RefusedError(
            f"{path} unpacks to more than {UNPACKED} times its size, as no log does; unpack it yourself if it is one."
        )
    lines = list(io.StringIO(text, newline=""))
    if any(len(line) >= LINE for line in lines):
        raise RefusedError(f"{path} has a line of more than {LINE} characters; name a CSV file.")
    return lines


def _check_head(schema: LogSchema, path: Path, head: bytes) -> None:
    if b"\0" not in head or "16" in schema.encoding or "32" in schema.encoding:
        return
    if head.startswith(b"PAR1"):
        raise RefusedError(f"{path} is a gzipped Parquet file; unpack it.")
    if head.startswith(b"PK\x03\x04"):
        raise RefusedError(f"{path} is a zip archive or a workbook; unpack it, or save its sheet as CSV.")
    begins, encoding = f"{path} is no text in {schema.encoding}", schema.setting("encoding")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise RefusedError(f"{begins} but seems to be utf-16; set {encoding}.")
    raise RefusedError(f"{begins}; name a CSV or Parquet file, or set {encoding}.")


def _places(schema: LogSchema, path: Path, header: Sequence[str]) -> dict[str, int]:
    at = {}
    for column in schema.wanted:
        own = [place for place, name in enumerate(header) if column_key(name) == column_key(column)]
        if len(own) > 1:
            raise RefusedError(f"{path} has {len(own)} columns '{column}'; keep one of them.")
        if not own:
            raise RefusedError(f"{path} has no column '{column}'{_remedy(schema, header)}.")
        at[column] = own[0]
    return at


def _remedy(schema: LogSchema, header: Sequence[str]) -> str:
    if re.fullmatch(r"sep=.?", header[0]):
        return ", for its first line only tells the delimiter; delete that line"
    for other in ";,\t|":
        if other != schema.delimiter and len(header) == 1 and other in header[0]:
            return f"; its delimiter seems to be {other!r}, set {schema.setting('delimiter')}"
    named = schema.said == IN_SCHEMA
    headless = "set header to false and list the columns" if named else "write a first line of names"
    return f" among its {len(header)}; name the column as the file's first line does, or {headless}"


# -- what they mean ---------------------------------------------------------------------------------------------------


def months_of(times: Sequence[str], forms: Sequence[str]) -> list[str]:
    """The month of each written time, empty if there is none; each distinct text by itself."""
    found = dict.fromkeys(times, "")
    for text in found:
        for form in forms:
            time = pd.to_datetime(pd.Series([text], dtype=object).str.strip(), format=form, errors="coerce")[0]
            if not pd.isna(time) and time.year >= 0:
                found[text] = f"{time.year:04d}-{time.month:02d}"
                break
    return [found[time] for time in times]


def _understood(
    schema: LogSchema, row: dict[str, str], surplus: int, month: str
) -> tuple[str, tuple[int, int], dict[str, int | None]]:
    """The first reason to leave a row out, its region and month, and its counts, of which a blank one is None."""
    nowhere = (-1, -1)
    if surplus:
        return "too few fields" if surplus < 0 else "too many fields", nowhere, {}
    at = 0
    if schema.time_column:
        if not month:
            return "unparsable time", nowhere, {}
        if month in schema.dropped_months:
            return "dropped month", nowhere, {}
        if month not in schema.months:
            return "outside the period", nowhere, {}
        at = schema.months.index(month)
    where = 0
    if schema.region_column:
        where = _region(row[schema.region_column], schema.regions, schema.dropped_regions)
        if where == DROPPED:
            return "dropped region", nowhere, {}
        if where == UNKNOWN:
            return "unknown region", nowhere, {}
    amounts = {}
    for column in schema.count_columns:
        problem, amounts[column] = count(row[column], schema.meanings(column))
        if problem:
            return problem, nowhere, {}
    return "", (where, at), amounts


@cache
def _region(text: str, regions: tuple[str, ...], dropped: tuple[str, ...]) -> int:
    if key(text) in map(key, dropped):
        return DROPPED
    return next((i for i, region in enumerate(regions) if key(region) == key(text)), UNKNOWN)


def count(text: str, meanings: dict[str, int]) -> tuple[str, int | None]:
    """What is wrong with a count, and the count if it is one; None stands for a blank."""
    plain = text.strip()
    if key(text) in meanings:
        return "", meanings[key(text)]
    if re.fullmatch(r"\+?[0-9]{1,12}(\.0*)?", plain) and int(plain.partition(".")[0]) <= LARGEST:
        return "", int(plain.partition(".")[0])
    if re.fullmatch(r"-[0-9]+(\.[0-9]*)?", plain):
        return ("negative count", None) if float(plain) < 0 else ("", 0)
    return ("unparsable count", None) if plain else ("", None)


class _Words:
    """The values of a column of categories, of which only so many spellings are told apart."""

    def __init__(self, schema: LogSchema, column: str) -> None:
        self.known = schema.vocabulary(column)
        told = [text for f in schema.features for text in (*f.outcomes, *f.fold)]
        self.longest = max(60, *map(len, told))
        self.spellings: dict[str, str] = {}
        self.names: set[str] = set()
        self.crowded = False

    def of(self, text: str) -> str:
        if text in self.spellings:
            return self.spellings[text]
        name = key(text if len(text) <= self.longest else f"(longer than {self.longest} characters)")
        full = len(self.spellings) >= reader.VALUES_LIMIT
        if full and name not in self.names:
            self.crowded = True
            name = name if name in self.known else f"(beyond the first {reader.VALUES_LIMIT} values)"
        self.names.add(name)
        if not full:
            self.spellings[text] = name
        return name


def _outcome(feature: Feature, value: str) -> int:
    return feature.outcomes.index(_by_key(feature.outcomes).get(value) or feature.fold.get(value, OTHER))


@cache
def _by_key(outcomes: tuple[str, ...]) -> dict[str, str]:
    return {key(outcome): outcome for outcome in outcomes if outcome != OTHER}


def _check(schema: LogSchema, name: str, rows: int, left: dict[str, list[int]], limit: str, what: str) -> None:
    total = sum(map(len, left.values()))
    if total > getattr(schema, limit) * rows:
        reason, lines = max(left.items(), key=lambda item: len(item[1]))
        document = schema.said == IN_SCHEMA
        whose = f"the schema of log {schema.name}" if document else "what the command says of them"
        raise RefusedError(
            f"{name}: {total} of its {rows} rows are {what} {whose}, mostly for '{reason}' ({len(lines)} rows, first "
            f"at line {lines[0]}); {REASONS[reason]}{f', or raise {limit}' if document else ''} ({reader.CURATOR})."
        )


def _features(schema: LogSchema, kept: Sequence[tuple[Row, dict[str, str]]]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for i, feature in enumerate(schema.features):
        amounts = Counter(outcomes[i] for (_, _, outcomes), _ in kept)
        told[feature.name] = {"outcomes": {outcome: amounts[j] for j, outcome in enumerate(feature.outcomes)}}
        if feature.kind == "category":
            last = len(feature.outcomes) - 1
            (column,) = feature.columns
            strays = Counter(said[column] for (_, _, outcomes), said in kept if outcomes[i] == last)
            shown = Counter[str]()
            for value, n in strays.items():
                shown["(longer than 60 characters)" if len(value) > 60 else value or "(empty)"] += n
            told[feature.name] |= {"to other": amounts[last], "values to other": _first(shown, 20)}
    note = f"{reader.NOTE} At most 20 values that went to `other` are named for each feature."
    return {"note": note, "log": schema.name, "rows": len(kept), "features": told}


def _first(amounts: Counter[str], most: int) -> dict[str, int]:
    return dict(sorted(amounts.items(), key=lambda item: (-item[1], item[0]))[:most])
