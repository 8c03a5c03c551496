"""A first schema for a log of one's own, inferred from its rows and therefore not private.

Regions, outcomes and period that are collected from rows tell that such rows are there. What this writes is a draft:
whoever edits it into what is publicly known anyway makes it fit for private use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from dpsampling.errors import InputError
from dpsampling.warlogs import reader
from dpsampling.warlogs.schema import LogSchema, key, parse

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


def infer(
    path: Path,
    *,
    time: str,
    region: str,
    categories: Sequence[str],
    counts: Sequence[str] = (),
    delimiter: str = ",",
    encoding: str = "utf-8",
    columns: Sequence[str] = (),
    header: bool = True,
) -> str:
    """A schema as YAML text, with a warning on top."""
    if not categories and not counts:
        raise InputError("no feature is named; name a column with --category or --count.")
    document: dict[str, Any] = {
        "title": path.name.split(".")[0],
        "encoding": encoding,
        "delimiter": delimiter,
        "header": header,
        **({"columns": list(columns)} if columns else {}),
        "time": {"column": time, "format": FORMATS[0], "from": "0001-01", "to": "0001-02"},
        "region": {"column": region, "keep": ["?"]},
        "features": {
            **{_name(c): {"title": c, "column": c, "outcomes": ["?"]} for c in categories},
            **{_name(c): {"title": c, "any_positive": [c]} for c in counts},
        },
    }
    if len(document["features"]) < len(categories) + len(counts):
        raise InputError("a column is named twice among --category and --count; name each once.")
    found = _collect(parse(document, path.name), path)
    document["time"] |= {"format": found.form, "from": found.months[0], "to": found.months[-1]}
    document["region"]["keep"] = _spellings(found.values[region], region)
    for column in categories:
        outcomes = _spellings(found.values[column], column)
        document["features"][_name(column)]["outcomes"] = [o for o in outcomes if o != "other"] or outcomes
    parse(document, path.name)  # what is written can be read
    return _COMMENT + yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=110)


class _Found:
    """What is collected from a file."""

    def __init__(self, schema: LogSchema) -> None:
        self.values: dict[str, Counter[str]] = {c: Counter() for c in (schema.region_column, *schema.category_columns)}
        self.form = ""
        self.months: list[str] = []


def _collect(schema: LogSchema, path: Path) -> _Found:
    found = _Found(schema)
    times: list[str] = []
    for column in reader.columns_of(schema, path):
        times.extend(column[schema.time_column])
        for name, values in found.values.items():
            values.update(" ".join(value.split()) for value in column[name])
            if len(values) > reader.VALUES_LIMIT:
                raise InputError(f"column '{name}' has more than {reader.VALUES_LIMIT} different values; name another.")
    if not times:
        raise InputError(f"{path} has no rows; name a file with entries.")
    found.form, found.months = _form(times, schema.time_column)
    return found


def _form(times: Sequence[str], column: str) -> tuple[str, list[str]]:
    """The format that understands most times, and the months they are in."""
    best: tuple[str, set[str]] = ("", set())
    most = 0
    for form in FORMATS:
        months, understood = reader.months_of(times, form)
        if understood > most:
            best, most = (form, months), understood
    if most <= len(times) / 2:
        raise InputError(
            f"column '{column}' holds no times in a format that is known, such as {FORMATS[0]}; "
            "name another column, or write the schema by hand."
        )
    if len(best[1]) < 2:
        raise InputError(f"column '{column}' has times of {len(best[1])} month; a chain in time needs two or more.")
    return best[0], sorted(best[1])


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
