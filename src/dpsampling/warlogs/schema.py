"""What is public about a log: its columns, its period, its regions, and the outcomes of its features.

A schema is read from config/logs/NAME.yaml or from a YAML file of one's own, never from the rows: outcomes that were
collected from private rows would tell about them outside every guarantee.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from dpsampling.documents import Document, check_against, merge, named, read_yaml, root, schema_named
from dpsampling.errors import InputError, did_you_mean

OTHER = "other"  # the outcome of every value outside the list
NONE, SOME = "none", "some"  # the outcomes of an indicator

Kind = Literal["category", "any_positive"]


@dataclass(frozen=True)
class Feature:
    """One discrete feature of an entry."""

    name: str
    title: str
    outcomes: tuple[str, ...]
    columns: tuple[str, ...]
    kind: Kind
    fold: Mapping[str, str]  # other spellings, as `key` makes them, to outcomes


@dataclass(frozen=True)
class LogSchema:
    """All that is public about one log."""

    name: str
    title: str
    file: str | None
    simulator: str | None
    encoding: str
    delimiter: str
    header: bool
    columns: tuple[str, ...]  # empty if the header tells
    time_column: str
    time_format: str
    months: tuple[str, ...]
    dropped_months: tuple[str, ...]
    region_column: str
    regions: tuple[str, ...]
    dropped_regions: tuple[str, ...]
    features: tuple[Feature, ...]
    most_outside: float  # the largest share of rows outside the schema

    @property
    def wanted(self) -> tuple[str, ...]:
        """The columns that are read, each once; all others are passed over."""
        named = [self.time_column, self.region_column, *(c for f in self.features for c in f.columns)]
        return tuple(dict.fromkeys(named))

    @property
    def category_columns(self) -> tuple[str, ...]:
        """The columns that hold one of several values."""
        return tuple(dict.fromkeys(c for f in self.features if f.kind == "category" for c in f.columns))

    @property
    def count_columns(self) -> tuple[str, ...]:
        """The columns that hold a number of persons, or of anything else."""
        return tuple(dict.fromkeys(c for f in self.features if f.kind == "any_positive" for c in f.columns))


def key(value: str) -> str:
    """What two spellings of the same value share: letters' case and surplus white space do not count."""
    return " ".join(value.split()).casefold()


def column_key(value: str) -> str:
    """What two spellings of a column's name share: neither case nor any white space counts."""
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


def load(name: str, changes: Mapping[str, Any] = MappingProxyType({})) -> LogSchema:
    """A log of config/logs, or a YAML file, with changes laid over it; checked."""
    document = merge(_document(name), changes)
    return parse(document, Path(name).stem if is_path(name) else name)


def parse(document: Mapping[str, Any], name: str) -> LogSchema:
    """A schema from what its YAML file says, or an InputError in one sentence."""
    where = f"log {name}"
    document = _plain(document)
    check_against(document, schema_named("log"), where)
    time, region = document["time"], document["region"]
    if not _says_months(time["format"]):
        raise InputError(
            f"{where}: time.format is '{time['format']}'; it must hold the year and the month "
            "and no time zone, as in '%Y-%m-%d %H:%M:%S'."
        )
    every = _period(time["from"], time["to"], where)
    dropped = tuple(dict.fromkeys(_month(m, "time.drop", where) for m in time.get("drop", ())))
    months = tuple(month for month in every if month not in dropped)
    if len(months) < 2:
        raise InputError(f"{where}: {len(months)} of its months are left; keep at least two for a chain in time.")
    _all_differ(region["keep"], "region.keep", where)
    twice = {key(r) for r in region["keep"]} & {key(r) for r in region.get("drop", ())}
    if twice:
        raise InputError(f"{where}: region '{min(twice)}' is both kept and dropped; name it once.")
    result = LogSchema(
        name=name,
        title=document["title"],
        file=document.get("file"),
        simulator=document.get("simulator"),
        encoding=_encoding(document.get("encoding", "utf-8"), where),
        delimiter=_delimiter(document.get("delimiter", ","), where),
        header=document.get("header", True),
        columns=tuple(document.get("columns", ())),
        time_column=time["column"],
        time_format=time["format"],
        months=months,
        dropped_months=dropped,
        region_column=region["column"],
        regions=tuple(region["keep"]),
        dropped_regions=tuple(region.get("drop", ())),
        features=tuple(_feature(name, told, where) for name, told in document["features"].items()),
        most_outside=float(document.get("most_outside", 0.5)),
    )
    _check_columns(result, where)
    return result


def _document(name: str, above: tuple[str, ...] = ()) -> Document:
    """The YAML of a log, laid over that of the log it is like."""
    document = read_yaml(_path(name))
    like = document.pop("like", None)
    if like is None:
        return document
    if not isinstance(like, str) or like in (*above, name):
        raise InputError(f"log {name}: like is '{like}'; name another log of config/logs.")
    return merge(_document(like, (*above, name)), document)


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
    """Whether a log is named by a file of one's own."""
    return name.endswith((".yaml", ".yml"))


# -- the parts of a schema ------------------------------------------------------------------------------------------


def _feature(name: str, told: Mapping[str, Any], where: str) -> Feature:
    here = f"{where}: feature {name}"
    title = told.get("title", name.replace("_", " "))
    if ("column" in told) == ("any_positive" in told):
        raise InputError(f"{here} needs either 'column' with 'outcomes', or 'any_positive' with a list of columns.")
    if "any_positive" in told:
        surplus = [word for word in ("outcomes", "fold") if word in told]
        if surplus:
            raise InputError(f"{here} has '{surplus[0]}' beside 'any_positive'; its outcomes are none and some.")
        return Feature(name, title, (NONE, SOME), tuple(told["any_positive"]), "any_positive", MappingProxyType({}))
    if "outcomes" not in told:
        raise InputError(f"{here} has no 'outcomes'; list the public ones.")
    listed = [outcome for outcome in told["outcomes"] if outcome != OTHER]
    _all_differ(listed, f"outcomes of feature {name}", where)
    outcomes = {key(outcome): outcome for outcome in listed}
    fold = {}
    for spelling, outcome in told.get("fold", {}).items():
        if outcome != OTHER and key(outcome) not in outcomes:
            hint = did_you_mean(outcome, listed)
            raise InputError(f"{here} folds '{spelling}' into '{outcome}', which is none of its outcomes{hint}.")
        if key(spelling) in outcomes:
            raise InputError(f"{here} folds '{spelling}', which is one of its outcomes; take it out of either list.")
        fold[key(spelling)] = OTHER if outcome == OTHER else outcomes[key(outcome)]
    return Feature(name, title, (*listed, OTHER), (told["column"],), "category", MappingProxyType(fold))


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


def _says_months(form: str) -> bool:
    """Whether a format tells the year and the month of what it writes; every pair of months must stay apart."""
    months = [datetime.datetime(year, month, 3, 14, 5, 6) for year in (2004, 2011) for month in (1, 2, 11)]
    try:
        return all(
            (back := datetime.datetime.strptime(m.strftime(form), form)).year == m.year and back.month == m.month
            for m in months
        )
    except ValueError:
        return False


def _encoding(name: str, where: str) -> str:
    try:
        "".encode(name)
    except LookupError as error:
        raise InputError(f"{where}: encoding is '{name}'; name one that is known, such as utf-8 or latin-1.") from error
    return name


def _delimiter(text: str, where: str) -> str:
    if len(text) != 1 or text in '"\r\n':
        raise InputError(f"{where}: delimiter is '{text}'; it must be one character, such as ',' or ';' or a tab.")
    return text


def _plain(value: Any) -> Any:
    """Without keys set to nothing; codes and dates that YAML took for numbers as the text they were."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [str(item) if _is_code(item) else _plain(item) for item in value]
    return str(value) if isinstance(value, datetime.date) else value


def _is_code(value: Any) -> bool:
    return isinstance(value, int | datetime.date) and not isinstance(value, bool)


@cache
def feature_index(outcomes: tuple[str, ...]) -> Mapping[str, int]:
    """From the key of an outcome to its place; the catch-all is found by no key but its own place."""
    return MappingProxyType({key(outcome): i for i, outcome in enumerate(outcomes) if outcome != OTHER})
