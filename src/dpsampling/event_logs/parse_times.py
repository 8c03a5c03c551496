"""The months of written times, by the first format that understands a time; what understands is pandas."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpsampling.event_logs import typed_text

Months = NDArray[np.int64]

LAST_MONTH = 9999 * 12 + 11
# A time of day at the end of a text, and a format by which only the day before it tells the month.
_CLOCK = "([ T])(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
_DAY_AND_CLOCK = re.compile(r"(?:%[aAbBdjmyY]|[^%:])*(?:[ T]%H:%M:%S)?")
_NANOSECONDS = re.compile(r"([.,]\d{6})\d{1,3}(?!\d)")


def months_in(texts: NDArray[np.object_], forms: Sequence[str], moments: NDArray[np.bool_] | None) -> Months:
    """Return the month of each time; how a text is read hangs on no other row's type."""
    if moments is None or not moments.any():
        return months_of(texts.tolist(), forms)
    found = np.empty(texts.size, np.int64)
    for which, understood in ((~moments, forms), (moments, typed_text.FORMATS)):
        found[which] = months_of(texts[which].tolist(), understood)
    return found


def clock(forms: Sequence[str]) -> str | None:
    """Return a pattern of times of day of which no format tells any from midnight, or None."""
    return _CLOCK if all(_DAY_AND_CLOCK.fullmatch(form) for form in forms) else None


def months_of(times: Sequence[str], forms: Sequence[str]) -> Months:
    """Months counted from January of year 0, and −1 for a time that no format understands."""
    texts = pd.Series([time.strip() for time in times], dtype=object)
    numbers = np.full(texts.size, -1, np.int64)
    for form in forms:
        left = numbers < 0
        if left.any():
            numbers[left] = _months_by(form, texts[left])
    return np.maximum(numbers, -1)  # there are years before 0


def _months_by(form: str, texts: pd.Series[str]) -> Months:
    """Months, and −1 for what the format does not understand.

    A text with nanoseconds makes pandas count all of them in nanoseconds, which begin in 1677 and end in 2262: what is
    then not understood is asked again without them.
    """
    months, _ = _asked(form, texts)
    left = np.flatnonzero(months < 0)
    if "%f" in form and left.size:
        months[left] = _apart(form, texts.iloc[left].str.replace(_NANOSECONDS, r"\1", regex=True))
    return months


def _apart(form: str, texts: pd.Series[str]) -> Months:
    """Months, where no text hangs on another, whatever of it are nanoseconds."""
    months, unit = _asked(form, texts)
    left = np.flatnonzero(months < 0)
    if unit == "ns" and texts.size > 1:
        for some in np.array_split(left, 2):
            if some.size:
                months[some] = _apart(form, texts.iloc[some])
    return months


def _asked(form: str, texts: pd.Series[str]) -> tuple[Months, str]:
    """Return what pandas makes of them, and what it counts in."""
    parsed = pd.to_datetime(texts, format=form, errors="coerce")
    return (parsed.dt.year * 12 + parsed.dt.month - 1).fillna(-1).to_numpy().astype(np.int64), parsed.dt.unit


def name_of(month: int) -> str:
    """As in 2004-01."""
    return f"{month // 12:04d}-{month % 12 + 1:02d}"


def number_of(month: str) -> int:
    """The month of such a name."""
    return int(month[:4]) * 12 + int(month[5:]) - 1
