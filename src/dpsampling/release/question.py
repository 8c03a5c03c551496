"""One question with yes and no for answers, as the public description of its rows."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from dpsampling.errors import InputError
from dpsampling.event_logs import schema
from dpsampling.event_logs.schema import LogSchema, column_key, key
from dpsampling.release.proportion import ANSWER


def described(
    column: str,
    yes: Sequence[Any],
    no: Sequence[Any],
    unit: Mapping[str, Any] | str,
    *,
    by: str,
    encoding: str = "utf-8",
    delimiter: str = ",",
    said: str = "{}",
) -> LogSchema:
    """Whoever asks declares, today, that the column's name and these answers are public.

    `said` is how an argument is named to them, as in `--{}`.
    """
    for name, texts in (("yes", yes), ("no", no)):
        if not texts or not all(isinstance(text, str) and text.strip() for text in texts):
            raise InputError(
                f"{said.format(name)} is {list(texts)!r}; give the texts that mean {name}, as they stand in the rows."
            )
    both = {key(text) for text in yes} & {key(text) for text in no}
    if both:
        raise InputError(
            f"{said.format('yes')} and {said.format('no')} both have '{min(both)}', in whatever case; a text means one "
            "of them."
        )
    if isinstance(unit, Mapping) and column_key(unit.get("column", "")) == column_key(column):
        raise InputError(f"column '{column}' is both the answer and who a row is about; name another one for either.")
    (first, *also), (second, *besides) = yes, no
    document = {
        "title": f"{column}: {first} or {second}",
        "public": {"by": by, "on": datetime.date.today().isoformat()},
        "unit": unit,
        "encoding": encoding,
        "delimiter": delimiter,
        "features": {
            ANSWER: {
                "column": column,
                "outcomes": [first, second],
                "fold": {**dict.fromkeys(also, first), **dict.fromkeys(besides, second)},
            }
        },
    }
    return schema.parse(document, "proportion", events=False, said=said)
