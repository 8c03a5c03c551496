"""The months of written times, by the first format that understands a time.

What understands is `pandas.to_datetime`, and each different text is asked once. Most times of a log differ, but neither
their days do nor their times of day. So where a format writes a day, one separator and a time of day, a text without
other white space is understood by it if its day is, with another time of day, and its time of day, with another day.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpsampling.warlogs import cells
from dpsampling.warlogs.chunks import Book, Chunk
from dpsampling.warlogs.meanings import Meanings, Means, Numbers

LAST_MONTH = 9999 * 12 + 11
_DAY, _HOUR = r"(?:%[aAbBdjmyY]|[^%\sT])+", r"(?:%[fHIMpS]|[^%\sT]| (?=%p))+"
_DIVIDED = re.compile(rf"({_DAY})([ T])({_HOUR})")
_NANOSECONDS = re.compile(r"([.,]\d{6})\d{1,3}(?!\d)")
_ANY = datetime.datetime(2004, 2, 29, 10, 11, 12)  # the last of a month: behind 23:59:60 the next one begins


def months_of(times: Sequence[str], forms: Sequence[str]) -> Means:
    """Months counted from January of year 0, and −1 for a time that no format understands."""
    texts = pd.Series(times, dtype=object).str.strip()
    numbers = np.full(texts.size, -1, np.int64)
    for form in forms:
        left = numbers < 0
        if left.any():
            numbers[left] = _months_by(form, texts[left])
    return np.maximum(numbers, -1)  # there are years before 0


def _months_by(form: str, texts: pd.Series[str]) -> Means:
    """Months, and −1 for what the format does not understand.

    A text with nanoseconds makes pandas count all of them in nanoseconds, which begin in 1677 and end in 2262: what is
    then not understood is asked again without them.
    """
    months, _ = _asked(form, texts)
    left = np.flatnonzero(months < 0)
    if "%f" in form and left.size:
        months[left] = _apart(form, texts.iloc[left].str.replace(_NANOSECONDS, r"\1", regex=True))
    return months


def _apart(form: str, texts: pd.Series[str]) -> Means:
    """Months, where no text hangs on another, whatever of it are nanoseconds."""
    months, unit = _asked(form, texts)
    left = np.flatnonzero(months < 0)
    if unit == "ns" and texts.size > 1:
        for some in np.array_split(left, 2):
            if some.size:
                months[some] = _apart(form, texts.iloc[some])
    return months


def _asked(form: str, texts: pd.Series[str]) -> tuple[Means, str]:
    """What pandas makes of them, and what it counts in."""
    parsed = pd.to_datetime(texts, format=form, errors="coerce")
    return (parsed.dt.year * 12 + parsed.dt.month - 1).fillna(-1).to_numpy().astype(np.int64), parsed.dt.unit


def name_of(month: int) -> str:
    """As in 2004-01."""
    return f"{month // 12:04d}-{month % 12 + 1:02d}"


def number_of(month: str) -> int:
    """The month of such a name."""
    return int(month[:4]) * 12 + int(month[5:]) - 1


def divider(forms: Sequence[str]) -> str:
    """Where texts are best divided into days and times of day, or nothing."""
    return next((match[2] for form in forms if (match := _DIVIDED.fullmatch(form))), "")


class Times:
    """The times of one column."""

    def __init__(self, forms: Sequence[str]) -> None:
        self._forms = forms
        self._whole = Meanings(self._months)
        self._halves: list[tuple[Meanings, Meanings]] = []  # of the formats up to the first that has none
        for form in forms:
            match = _DIVIDED.fullmatch(form)
            if match and match[2] == divider(forms):
                self._halves.append(_halves_of(form, *match.groups()))
            elif re.fullmatch(_DAY, form):
                self._halves.append(_halves_of(form, form, "", ""))
            else:
                break

    def months(self, chunk: Chunk, texts: Numbers) -> Means:
        """The month of each row; how a text is read hangs on no other row's type."""
        book, tails = chunk.book, chunk.tails
        if tails is None:
            return self._whole.of(book, texts)
        found = np.full(texts.size, -1, np.int64)
        for days, hours in self._halves:
            found = np.where((found < 0) & (hours.of(book, tails) >= 0), days.of(book, texts), found)
        left = np.flatnonzero(found < 0)
        if left.size:
            pairs, back = np.unique(np.stack([texts[left], tails[left]]), axis=1, return_inverse=True)
            written = [book.text(head) + book.text(tail) for head, tail in pairs.T.tolist()]
            found[left] = months_of(written, self._forms)[back]
        return found

    def _months(self, book: Book, numbers: list[int]) -> Means:
        times = [book.text(number) for number in numbers]
        moments = np.array([book.is_moment(number) for number in numbers], bool)
        found = months_of(times, self._forms)
        if moments.any():
            found[moments] = months_of([t for t, m in zip(times, moments, strict=True) if m], cells.FORMATS)
        return found


def _halves_of(form: str, day: str, between: str, hour: str) -> tuple[Meanings, Meanings]:
    """What days and times of day mean to a format: a month, or 0; −1 if nothing, or nothing without the other half."""
    usual_day, usual_hour = _ANY.strftime(day), between + _ANY.strftime(hour)

    def of_days(book: Book, numbers: list[int]) -> Means:
        days = [book.text(number) for number in numbers]
        found = months_of([d + usual_hour for d in days], (form,))
        return np.where([bool(re.fullmatch(r"\S+", d)) for d in days], found, -1)

    def of_hours(book: Book, numbers: list[int]) -> Means:
        hours = [book.text(number) for number in numbers]
        if not between:
            return np.array([0 if h == "" else -1 for h in hours])
        same_month = months_of([usual_day + h for h in hours], (form,)) == 12 * _ANY.year + _ANY.month - 1
        return np.where([bool(re.fullmatch(rf"{between}\S+( \S+)?", h)) for h in hours] & same_month, 0, -1)

    return Meanings(of_days), Meanings(of_hours)
