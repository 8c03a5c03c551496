"""A first schema for a log of one's own, inferred from its rows and therefore not private.

Regions, outcomes and period that are collected from rows tell that such rows are there. What this writes is a draft and
says so: no row is read by it until whoever has edited it into what is publicly known anyway declares it public.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.event_logs import reader, sources
from dpsampling.event_logs.parse_times import months_of, name_of
from dpsampling.event_logs.schema import LogSchema, disputed, key, parse

MOST = 200  # outcomes of a feature, or regions
FORMATS = (
    "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m",
    "%d.%m.%Y %H:%M:%S", "%d.%m.%Y %H:%M", "%d.%m.%Y", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y %H:%M", "%m/%d/%Y",
    "%d/%m/%Y %H:%M:%S", "%d/%m/%Y %H:%M", "%d/%m/%Y", "%Y/%m/%d %H:%M:%S", "%Y/%m/%d", "%d %b %Y", "%d %B %Y",
    "%Y%m%d",
)  # fmt: skip

WARNING = "inferred from private rows and NOT private"
_COMMENT = """\
# !! NOT PRIVATE !!  This schema was inferred from the rows of a log. Its regions, outcomes and months tell which values
# occur in them, so it must not be used, shown or published as it is where the rows are to be protected.
# Edit it first: write down what is public anyway (every region, every outcome, the whole period that the log could
# have had), and delete what you know from the rows alone. Then delete this comment.
"""
_UNSAID = """
public: no    # once that is done, who answers for it and since when, as in {by: NAME, on: 2024-05-31}
unit:         # who is protected: row, each by itself, or as in {name: patient, column: PatientId, most: 3}; 'dpsampling
              # release' may be told instead, by --unit patient --id PatientId --max-per-unit 3
"""


def infer(
    path: Path,
    *,
    time: str | None,
    region: str | None,
    categories: Sequence[str],
    counts: Sequence[str] = (),
    delimiter: str = ",",
    encoding: str = "utf-8",
    columns: Sequence[str] = (),
    header: bool = True,
) -> str:
    """A schema as YAML text, with a warning on top; a table needs no time and no region."""
    if not categories and not counts:
        raise InputError("no feature is named; name a column with --category or --count.")
    document: dict[str, Any] = {
        "title": path.name.split(".")[0],
        **({} if sources.is_parquet(path) else {"encoding": encoding, "delimiter": delimiter, "header": header}),
        **({"columns": list(columns)} if columns else {}),
        **(
            {"time": {"column": time, "format": FORMATS[0], "from": "0001-01", "to": "0001-02"}}
            if time is not None
            else {}
        ),
        **({"region": {"column": region, "keep": ["?"]}} if region is not None else {}),
        "features": {
            **{_name(c): {"title": c, "column": c, "outcomes": ["?"]} for c in categories},
            **{_name(c): {"title": c, "any_positive": [c]} for c in counts},
        },
    }
    if len(document["features"]) < len(categories) + len(counts):
        raise InputError("a column is named twice among --category and --count; name each once.")
    found = _collect(_drafted(document, path), path)
    if time is not None:
        forms = found.forms[0] if len(found.forms) == 1 else found.forms
        document["time"] |= {"format": forms, "from": found.months[0], "to": found.months[-1]}
    if region is not None:
        document["region"]["keep"] = _spellings(found.values[region], region)
    for column in categories:
        outcomes = _spellings(found.values[column], column)
        document["features"][_name(column)]["outcomes"] = [o for o in outcomes if o != "other"] or outcomes
    for column in counts:
        meanings = _meanings(found.texts[column])
        if meanings:
            document["features"][_name(column)]["counts"] = meanings
    _drafted(document, path)  # what is written can be read
    said = "".join(f"# {line}\n" for line in _unread(found, time))
    return _COMMENT + said + _UNSAID + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)


def _drafted(document: dict[str, Any], path: Path) -> LogSchema:
    return parse(document, path.name, draft=True, events=False, said="--{}")


class _Found:
    """What is collected from a file."""

    def __init__(self, schema: LogSchema) -> None:
        told = (schema.region_column, *schema.category_columns)
        self.values: dict[str, Counter[str]] = {c: Counter() for c in told if c}
        self.texts: dict[str, Counter[str]] = {c: Counter() for c in schema.count_columns}  # that are no numbers
        self.forms: list[str] = []
        self.months: list[str] = []
        self.timeless = 0  # rows with a time in none of these formats


def _collect(schema: LogSchema, path: Path) -> _Found:
    found = _Found(schema)
    times: list[str] = []
    rows = 0
    for column in reader.columns_of(schema, path):
        rows += len(column[schema.wanted[0]])
        if schema.time_column:
            times.extend(column[schema.time_column])
        for name, texts in found.texts.items():
            written = Counter(" ".join(value.split()) for value in column[name])
            texts.update({text: n for text, n in written.items() if reader.count_of(text) is None})
        for name, values in found.values.items():
            values.update(" ".join(value.split()) for value in column[name])
        for name, values in (found.values | found.texts).items():
            if len(values) > reader.VALUES_LIMIT:
                raise InputError(f"column '{name}' has more than {reader.VALUES_LIMIT} different values; name another.")
    if not rows:
        raise InputError(f"{path} has no rows; name a file with entries.")
    if schema.time_column:
        found.forms, months, found.timeless = _forms(times, schema.time_column)
        found.months = sorted(months)
    return found


def _forms(times: Sequence[str], column: str) -> tuple[list[str], set[str], int]:
    """The formats that understand most times, each next one most of those left; their months; how many are left."""
    forms: list[str] = []
    months: set[str] = set()
    left: NDArray[Any] = np.array(times, dtype=object)
    while left.size:
        possible = [form for form in FORMATS if not any(disputed(form, f) or disputed(f, form) for f in forms)]
        tried = [(form, months_of(left.tolist(), (form,))) for form in possible]
        form, found = max(tried, key=lambda told: int((told[1] >= 0).sum()))  # the first of equals
        if not (found >= 0).any():
            break
        forms.append(form)
        months |= {name_of(month) for month in np.unique(found[found >= 0]).tolist()}
        left = left[found < 0]
    if left.size >= len(times) / 2:
        raise InputError(
            f"column '{column}' holds no times in a format that is known, such as {FORMATS[0]}; "
            "name another column, or write the schema by hand."
        )
    if len(months) < 2:
        raise InputError(f"column '{column}' has times of {len(months)} month; a chain in time needs two or more.")
    return forms, months, int(left.size)


def _meanings(texts: Counter[str]) -> dict[str, int]:
    """A guess at the counts that texts mean: the number that they begin with, as in `1 (minor)`."""
    begun = {text: re.match(r"(\d{1,9})(?=[\s(\[])", text) for text in texts if len(text) <= reader.LONGEST}
    first: dict[str, int] = {}
    for text, match in sorted(begun.items()):
        if match:
            first.setdefault(key(text), int(match[1]))
    return first if len(first) <= MOST else {}


def _unread(found: _Found, time: str | None) -> list[str]:
    """Return what an editor must see to, or rows are left out."""
    lines = []
    if found.timeless:
        lines.append(f"{found.timeless} rows have a time in column {time!r} that is in none of the formats below.")
    for column, texts in found.texts.items():
        guessed = _meanings(texts)
        if guessed:
            lines.append(
                f"What texts in column {column!r} mean is guessed under counts, from the number each begins with."
            )
        others = [(n, text) for text, n in texts.items() if key(text) not in guessed]
        if others:
            rows, (_, text) = sum(n for n, _ in others), max(others)
            shown = repr(text) if len(text) <= reader.LONGEST else f"longer than {reader.LONGEST} characters"
            lines.append(
                f"{rows} rows have no count in column {column!r}, most often {shown}: say under counts what it means."
            )
    return lines


def _spellings(values: Counter[str], column: str) -> list[str]:
    """The values in their most frequent spelling, in alphabetical order; the rarest are dropped if they are many."""
    amounts: Counter[str] = Counter()
    usual: dict[str, tuple[int, str]] = {}
    for value, amount in sorted(values.items()):
        if value:
            amounts[key(value)] += amount
            usual[key(value)] = max(usual.get(key(value), (0, "")), (amount, value))
    if not amounts:
        raise InputError(f"column '{column}' is empty throughout; name another.")
    kept = [name for name, _ in sorted(amounts.items(), key=lambda item: (-item[1], item[0]))[:MOST]]
    return sorted((usual[name][1] for name in kept), key=key)


def _name(column: str) -> str:
    return re.sub(r"\W+", "_", column.strip().casefold()).strip("_") or "feature"
