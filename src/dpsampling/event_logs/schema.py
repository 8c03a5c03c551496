"""What is public about a log: its columns, its period, its regions, and the outcomes of its features.

A schema is read from config/logs/NAME.yaml or from a YAML file of one's own, never from the rows: outcomes that were
collected from private rows would tell about them outside every guarantee. So nothing is read by a schema before
somebody has declared it public, nor before it says who is protected: a row, or a person and how many rows of theirs.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from dpsampling.errors import InputError, did_you_mean
from dpsampling.event_logs import forms, log_files
from dpsampling.files.checking import document as checked
from dpsampling.files.documents import Document, merge, named, published, read_yaml, root
from dpsampling.privacy.public_by import Declaration, public_by

LARGEST = 10_000_000  # counts of a log
LONGEST_TEXT = 1000  # characters of anything that is said
LONGEST_NAME = 60  # characters of what a unit is called
OTHER = "other"  # the outcome of every value outside the list
NONE, SOME = "none", "some"  # the outcomes of an indicator
IN_SCHEMA = "{}"  # how its keys are named where it is a document
ALL = ("all",)  # the one region, or month, of rows that have none

Kind = Literal["category", "any_positive"]


@dataclass(frozen=True)
class Unit:
    """Who is protected: all rows of one unit together, of which at most so many are kept.

    What changes with one row changes `most` times as much with one unit.
    """

    name: str
    most: int

    def __post_init__(self) -> None:
        if self.most < 1 or self.most % 1:
            raise InputError(
                f"most of unit {self.name} is {self.most!r}; a unit keeps a whole number of rows, from 1 on."
            )


ROW = Unit("row", 1)  # each row by itself, whoever it is about


@dataclass(frozen=True)
class Feature:
    """One discrete feature of an entry."""

    name: str
    title: str
    outcomes: tuple[str, ...]
    columns: tuple[str, ...]
    kind: Kind
    fold: Mapping[str, str]  # other spellings, as `key` makes them, to outcomes
    counts: Mapping[str, int]  # of an indicator: texts, as `key` makes them, to the counts that they mean


@dataclass(frozen=True)
class LogSchema:
    """All that is public about one log."""

    name: str
    title: str
    public: Declaration | None  # None in a draft
    unit: Unit
    unit_column: str | None  # who a row is about; None where each row is a unit
    raw: tuple[str, ...]  # its files and patterns of files, as `log_files` reads them; empty if it names none
    published: str | None  # the file of data/published with its counts, which stand in for the rows
    simulator: str | None  # which stands in for both
    encoding: str
    delimiter: str
    header: bool
    columns: tuple[str, ...]  # empty if the header tells
    time_column: str  # empty where rows have no time, as those of a table need not
    time_formats: tuple[str, ...]  # the first that understands a time decides
    months: tuple[str, ...]
    dropped_months: tuple[str, ...]
    region_column: str  # empty where they have no region
    regions: tuple[str, ...]
    dropped_regions: tuple[str, ...]
    features: tuple[Feature, ...]
    most_outside: float  # the largest share of rows outside the period and the regions
    most_unread: float  # the largest share of rows that cannot be understood
    said: str  # where its keys are said, as in `--{}`

    def setting(self, name: str) -> str:
        """Return what its user changes to change this key."""
        return self.said.format(name)

    def located(self) -> tuple[Path, ...]:
        """The files with the rows, as they are there now; none if it names none."""
        return log_files.files(self.raw, f"log {self.name}: file")

    def counted(self) -> Path | None:
        """The file with its published counts, unless it names rows, or no such file."""
        return None if self.raw or self.published is None else published(self.published)

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns that are read, each once; all others are passed over."""
        return tuple(dict.fromkeys([*self._kept, *([] if self.unit_column is None else [self.unit_column])]))

    @property
    def _kept(self) -> list[str]:
        """All of them but the one that says who a row is about."""
        features = [column for feature in self.features for column in feature.columns]
        return [column for column in (self.time_column, self.region_column) if column] + features

    @property
    def category_columns(self) -> tuple[str, ...]:
        """The columns that hold one of several values."""
        return tuple(dict.fromkeys(c for f in self.features if f.kind == "category" for c in f.columns))

    @property
    def count_columns(self) -> tuple[str, ...]:
        """The columns that hold a number of persons, or of anything else."""
        return tuple(dict.fromkeys(c for f in self.features if f.kind == "any_positive" for c in f.columns))

    def meanings(self, column: str) -> dict[str, int]:
        """Return what the texts of a column of counts mean, by their keys; features that share a column share these."""
        return {text: n for f in self.features if column in f.columns for text, n in f.counts.items()}

    def vocabulary(self, column: str) -> set[str]:
        """The keys of all values of a column of categories that the schema knows."""
        told = [f for f in self.features if f.kind == "category" and column in f.columns]
        return {key(outcome) for f in told for outcome in f.outcomes} | {spelling for f in told for spelling in f.fold}


def key(value: str) -> str:
    """Return what two spellings of the same value share: letters' case and surplus white space do not count."""
    return " ".join(value.split()).casefold()


def column_key(value: str) -> str:
    """Return what two spellings of a column's name share: neither case nor any white space counts."""
    return "".join(value.split()).casefold()


# -- finding and reading --------------------------------------------------------------------------------------------


def names() -> list[str]:
    """The logs of config/logs."""
    return named("logs")


def files(name: str) -> list[Path]:
    """The files that decide a log's schema and how it is simulated."""
    simulator = load(name).simulator
    found = [] if simulator is None else [simulator_file(simulator)]
    like: str | None = name
    while like is not None:
        found.append(_path(like))
        like = read_yaml(found[-1]).get("like")
    return found


def simulator_file(name: str) -> Path:
    """The file of a simulator."""
    return root() / "config" / "simulators" / f"{name}.yaml"


def load(
    name: str,
    changes: Mapping[str, Any] = MappingProxyType({}),
    *,
    events: bool = True,
    unit: Document | str | None = None,
) -> LogSchema:
    """Return the checked schema of a log.

    Args:
        name: a log of config/logs, or the path of a .yaml file of one's own.
        changes: what is laid over the file, in its own words; mappings are merged, all else is replaced.
        events: whether rows must have a time and a region.
        unit: who is protected where the file does not say, as it would say it.

    Raises:
        InputError: there is no such log, nobody declared it public, or a key says what it may not.
    """
    document = merge(_document(name), changes)
    if unit is not None and document.get("unit") is None:
        document["unit"] = unit
    return parse(document, Path(name).stem if is_path(name) else name, events=events)


def parse(
    document: Mapping[str, Any], name: str, *, draft: bool = False, events: bool = True, said: str = IN_SCHEMA
) -> LogSchema:
    """A schema from what its YAML file says, or an InputError in one sentence.

    `said` is how a key is named to whoever said it otherwise than in such a file, as in `--{}` for options.

    Only who makes a draft reads rows by one: everybody else needs a declaration, and a unit. Unless they are `events`,
    rows need no time and no region: all of them are then of one nameless month, or region.
    """
    where = f"log {name}"
    before = f"{where}: " if said == IN_SCHEMA else ""
    document = _plain(document, where)
    if draft:
        document = {"unit": ROW.name, **{name: item for name, item in document.items() if name != "public"}}
    else:
        _check_said(document, where)
    told = checked(document, forms.Log, where)
    for part, of_rows in (("time", told.time), ("region", told.region)):
        if (events and of_rows is None) or (of_rows is not None and not of_rows.column.strip()):
            raise InputError(f"{where} has no {part}; say it, with the name of its column.")
    unit, unit_column = _unit(told.unit, where)
    dropped, months = _months_of(told.time, where)
    if told.region is not None:
        _all_differ(told.region.keep, "region.keep", where)
        twice = {key(r) for r in told.region.keep} & {key(r) for r in told.region.drop}
        if twice:
            raise InputError(f"{where}: region '{min(twice)}' is both kept and dropped; name it once.")
    result = LogSchema(
        name=name,
        title=told.title,
        public=None if draft else public_by(dict(told.public), f"{where}: public", "the schema"),
        unit=unit,
        unit_column=unit_column,
        raw=log_files.texts(told.file),
        published=told.published or None,
        simulator=told.simulator or None,
        encoding=_encoding(told.encoding, f"{before}{said.format('encoding')}"),
        delimiter=_delimiter(told.delimiter, f"{before}{said.format('delimiter')}"),
        header=told.header,
        columns=tuple(told.columns),
        time_column="" if told.time is None else told.time.column,
        time_formats=() if told.time is None else _formats(told.time.format, where),
        months=months,
        dropped_months=dropped,
        region_column="" if told.region is None else told.region.column,
        regions=ALL if told.region is None else tuple(told.region.keep),
        dropped_regions=() if told.region is None else tuple(told.region.drop),
        features=tuple(_feature(name, feature, where) for name, feature in told.features.items()),
        most_outside=told.most_outside,
        most_unread=told.most_unread,
        said=said,
    )
    _check_size(result, where)
    _check_columns(result, where)
    _check_shared(result, where)
    return result


def _months_of(time: forms.Time | None, where: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The months that are dropped, and those that are kept."""
    if time is None:
        return (), ALL
    every = _period(time.first, time.to, where)
    dropped = tuple(dict.fromkeys(_month(m, "time.drop", where) for m in time.drop))
    months = tuple(month for month in every if month not in dropped)
    if len(months) < 2:
        raise InputError(f"{where}: {len(months)} of its months are left; keep at least two for a chain in time.")
    return dropped, months


def _document(name: str, above: tuple[str, ...] = ()) -> Document:
    """The YAML of a log, laid over that of the log it is like; what that one declares public is not this one."""
    document = read_yaml(_path(name))
    like = document.pop("like", None)
    if like is None:
        return document
    if not isinstance(like, str) or like in (*above, name):
        raise InputError(f"log {name}: like is '{like}'; name another log of config/logs.")
    below = _document(like, (*above, name))
    below.pop("public", None)
    return merge(below, document)


def _path(name: str) -> Path:
    if is_path(name):
        return Path(name)
    if name not in names():
        raise InputError(
            f"there is no log '{name}'{did_you_mean(name, names())}; "
            f"known are {', '.join(names())}, or name a .yaml file of your own."
        )
    return root() / "config" / "logs" / f"{name}.yaml"


def is_path(name: str) -> bool:
    """Return whether a log is named by a file of one's own."""
    return name.endswith((".yaml", ".yml"))


# -- the parts of a schema ------------------------------------------------------------------------------------------


def _check_said(document: Mapping[str, Any], where: str) -> None:
    """Check that somebody has declared the schema public and has said who is protected."""
    if not isinstance(document.get("public"), Mapping):
        begin = "its schema is a draft, for public is no" if document.get("public") is False else "public is not said"
        raise InputError(
            f"{where}: {begin}; when all that stands in it is public whatever the rows are, declare who made it so and "
            "when, as in public: {by: NAME, on: 2024-05-31}."
        )
    if "unit" not in document:
        raise InputError(
            f"{where}: unit is not said; write 'unit: row' if each row is protected by itself, or as in "
            "unit: {name: patient, column: PatientId, most: 3} if all rows of one patient are, of which 3 are kept."
        )


def _unit(told: forms.Unit | str, where: str) -> tuple[Unit, str | None]:
    """Who is protected, and the column that says who a row is about."""
    if isinstance(told, str):
        return ROW, None
    if not told.name.strip():
        raise InputError(f"{where}: unit.name is empty; name who is protected, such as patient.")
    if len(told.name) > LONGEST_NAME:
        raise InputError(
            f"{where}: unit.name has more than {LONGEST_NAME} characters; one word will do, such as patient."
        )
    column = told.column or None
    if column is None and told.most != 1:
        raise InputError(
            f"{where}: unit has no column, so that each row is one {told.name}, of which {told.most} cannot be "
            "kept; name the column that says who a row is about, or set most to 1."
        )
    if key(told.name) == ROW.name and column is None:
        return ROW, None
    if key(told.name) == ROW.name:
        raise InputError(
            f"{where}: unit.name is row, which has no column; write 'unit: row', or name who a row is about."
        )
    return Unit(told.name, told.most), column


def _feature(name: str, told: forms.Feature, where: str) -> Feature:
    here = f"{where}: feature {name}"
    title = told.title or name.replace("_", " ")
    if bool(told.column) == bool(told.any_positive):
        raise InputError(f"{here} needs either 'column' with 'outcomes', or 'any_positive' with a list of columns.")
    if told.any_positive:
        surplus = [word for word in ("outcomes", "fold") if getattr(told, word)]
        if surplus:
            raise InputError(f"{here} has '{surplus[0]}' beside 'any_positive'; its outcomes are none and some.")
        counts = _counts(told.counts, here)
        return Feature(name, title, (NONE, SOME), tuple(told.any_positive), "any_positive", _NOTHING, counts)
    if told.counts:
        raise InputError(f"{here} has 'counts' beside 'column'; they say what texts mean in columns of counts.")
    if not told.outcomes:
        raise InputError(f"{here} has no 'outcomes'; list the public ones.")
    listed = [outcome for outcome in told.outcomes if outcome != OTHER]
    _all_differ(listed, f"outcomes of feature {name}", where)
    outcomes = {key(outcome): outcome for outcome in listed}
    fold = {}
    for spelling, outcome in told.fold.items():
        if outcome != OTHER and key(outcome) not in outcomes:
            hint = did_you_mean(outcome, listed)
            raise InputError(f"{here} folds '{spelling}' into '{outcome}', which is none of its outcomes{hint}.")
        if key(spelling) in outcomes:
            raise InputError(f"{here} folds '{spelling}', which is one of its outcomes; take it out of either list.")
        fold[key(spelling)] = OTHER if outcome == OTHER else outcomes[key(outcome)]
    return Feature(name, title, (*listed, OTHER), (told.column,), "category", MappingProxyType(fold), _NOTHING)


_NOTHING: Mapping[str, Any] = MappingProxyType({})


def _counts(told: Mapping[str, int], here: str) -> Mapping[str, int]:
    """The counts that texts mean, by their keys."""
    counts: dict[str, int] = {}
    for text, count in told.items():
        if counts.setdefault(key(text), count) != count:
            raise InputError(f"{here} counts '{text}' twice, as {counts[key(text)]} and {count}; case is the same.")
    return MappingProxyType(counts)


def _check_shared(schema: LogSchema, where: str) -> None:
    """What two parts of a schema say of one column."""
    if schema.unit_column is not None and column_key(schema.unit_column) in map(column_key, schema._kept):
        raise InputError(
            f"{where}: unit.column is '{schema.unit_column}', which is kept for the model; identifiers are not, "
            "name another column."
        )
    for column in schema.count_columns:
        meanings = schema.meanings(column)
        for feature in schema.features:
            for text, count in feature.counts.items():
                if column in feature.columns and meanings[text] != count:
                    raise InputError(
                        f"{where}: features give '{text}' in column '{column}' the counts {count} and "
                        f"{meanings[text]}; give it one."
                    )


def _check_size(schema: LogSchema, where: str) -> None:
    cells, outcomes = len(schema.months) * len(schema.regions), sum(len(f.outcomes) for f in schema.features)
    if cells * outcomes > LARGEST:
        raise InputError(
            f"{where}: {len(schema.months)} months × {len(schema.regions)} regions × {outcomes} outcomes are more than "
            f"{LARGEST} counts; keep fewer."
        )


def _check_columns(schema: LogSchema, where: str) -> None:
    if not schema.header and not schema.columns:
        raise InputError(f"{where}: the file has no header; list its columns in their order.")
    if not schema.columns:
        return
    _all_differ(schema.columns, "columns", where, column_key)
    known = {column_key(column) for column in schema.columns}
    for column in schema.wanted:
        if column_key(column) not in known:
            hint = did_you_mean(column, schema.columns)
            raise InputError(f"{where}: column '{column}' is not among its columns{hint}.")


def _all_differ(values: Iterable[str], what: str, where: str, same: Any = key) -> None:
    seen: set[str] = set()
    for value in values:
        if same(value) in seen:
            raise InputError(f"{where}: {what} has '{value}' twice; upper and lower case are the same.")
        seen.add(same(value))


def _period(first: str, last: str, where: str) -> list[str]:
    low, high = _month(first, "time.from", where), _month(last, "time.to", where)
    if low > high:
        raise InputError(f"{where}: its period runs from {low} to {high}; put the earlier month first.")
    count = [int(month[:4]) * 12 + int(month[5:]) - 1 for month in (low, high)]
    return [f"{i // 12:04d}-{i % 12 + 1:02d}" for i in range(count[0], count[1] + 1)]


def _month(text: str, what: str, where: str) -> str:
    if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", text):
        raise InputError(f"{where}: {what} is '{text}'; write a month as in 2004-01.")
    return text


def _formats(told: str | list[str], where: str) -> tuple[str, ...]:
    """The formats of times, each of which tells the month, and no two of which tell different ones."""
    forms = tuple(dict.fromkeys([told] if isinstance(told, str) else told))
    for form in forms:
        if not _says_months(form):
            raise InputError(
                f"{where}: time.format is '{form}'; it must hold the year and the month "
                "and no time zone, as in '%Y-%m-%d %H:%M:%S'."
            )
    for form, other in permutations(forms, 2):
        text = disputed(form, other)
        if text:
            raise InputError(
                f"{where}: time.format has '{form}' and '{other}', which both understand '{text}' but as different "
                "months; keep one of them."
            )
    return forms


def disputed(form: str, other: str) -> str:
    """A time as one format writes it that another takes for another month, or nothing."""
    for time in _PROBES:
        text = time.strftime(form)
        read = _month_of(text, other)
        if read is not None and read != _month_of(text, form):
            return text
    return ""


# Days of every month, in years whose last two digits are a month too or not, at hours of either half of the day.
_PROBES = [
    datetime.datetime(year, month, day, hour, hour + 1, hour + 2)
    for year, hour in ((2004, 5), (2011, 14), (1999, 11))
    for month in range(1, 13)
    for day in (1, 2, 3, 11, 12, 13, 28)
]


def _says_months(form: str) -> bool:
    """Return whether a format tells the year and the month of what it writes; every pair of months must stay apart."""
    months = [datetime.datetime(year, month, 3, 14, 5, 6) for year in (2004, 2011) for month in (1, 2, 11)]
    return all(_month_of(month.strftime(form), form) == (month.year, month.month) for month in months)


def _month_of(text: str, form: str) -> tuple[int, int] | None:
    """The year and the month of a written time, if the format understands it."""
    try:
        time = datetime.datetime.strptime(text, form)
    except ValueError:
        return None
    return time.year, time.month


def _encoding(name: str, where: str) -> str:
    try:
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise InputError(f"{where} is '{name}'; name one that is known, such as utf-8 or latin-1.") from error
    return name


def _delimiter(text: str, where: str) -> str:
    if len(text) != 1 or text in '"\r\n':
        raise InputError(f"{where} is '{text}'; it must be one character, such as ',' or ';' or a tab.")
    return text


def _plain(value: Any, where: str, inside: str = "") -> Any:
    """Without keys set to nothing; codes and dates that YAML took for numbers as the text they were."""
    if isinstance(value, Mapping):
        items = [(_name(name, where, inside), item) for name, item in value.items() if item is not None]
        return {name: _plain(item, where, name) for name, item in items}
    if isinstance(value, list | tuple):
        return [str(item) if _is_code(item) else _plain(item, where, inside) for item in value]
    if isinstance(value, str):
        return _text(value, where)
    return str(value) if isinstance(value, datetime.date) else value


def _text(text: str, where: str) -> str:
    """A text that a file and a picture can hold."""
    if len(text) > LONGEST_TEXT:
        raise InputError(f"{where} has a text of more than {LONGEST_TEXT} characters ({text[:20]}…); shorten it.")
    if not text.isascii() and any("\ud800" <= c <= "\udfff" for c in text):
        raise InputError(f"{where} has a text that is no UTF-8 ({text[:20]}); write it again.")
    return text


def _name(name: Any, where: str, inside: str) -> str:
    """A key as text; YAML takes the words on, yes, off and no for true and false, and which it was is lost."""
    if inside == "public" and name is True:
        return "on"
    if name is None or isinstance(name, bool):
        of = f" of {inside}" if inside else ""
        raise InputError(
            f"{where}: a key{of} is one of the words on, off, yes, no, true, false and null, which YAML takes for no "
            "text; put it in quotes."
        )
    return _text(str(name), where)


def _is_code(value: Any) -> bool:
    return isinstance(value, int | datetime.date) and not isinstance(value, bool)


@cache
def feature_index(outcomes: tuple[str, ...]) -> Mapping[str, int]:
    """From the key of an outcome to its place; the catch-all is found by no key but its own place."""
    return MappingProxyType({key(outcome): i for i, outcome in enumerate(outcomes) if outcome != OTHER})
