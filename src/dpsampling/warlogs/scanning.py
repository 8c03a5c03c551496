r"""Where the fields of delimited rows are, compiled: as to Python's `csv.reader`, not strict, with no escape character.

A row ends at \n, \r or \r\n outside quotes, and an empty line is none. A field that begins with a quote goes on to the
next single one, a doubled one standing for itself; what comes after it up to the delimiter belongs to the field as it
is. A quote within a field that began without one is a character like any other.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Places = NDArray[np.int32]

QUOTE, LINE_FEED, RETURN = 34, 10, 13
WHOLE, TOO_LONG, OPEN = 0, 1, 2  # how a scan ended


@njit(cache=True, nogil=True)
def marks(data: Bytes, stop: int, delimiter: int, found: Places, kinds: Bytes) -> int:
    """Where delimiters, quotes and ends of lines are, which each is, and how many of them there are."""
    is_mark = np.zeros(256, np.uint8)
    for mark in (delimiter, QUOTE, LINE_FEED, RETURN):
        is_mark[mark] = 1
    number = 0
    for at in range(stop):
        found[number] = at
        kinds[number] = data[at]
        number += is_mark[data[at]]
    return number


@njit(cache=True, nogil=True)
def scan(
    data: Bytes,
    stop: int,
    final: bool,
    found: Places,
    kinds: Bytes,
    marked: int,
    begin: tuple[int, int, int],
    delimiter: int,
    slots: Places,
    divided: int,
    divider: int,
    longest: int,
    starts: Places,
    stops: Places,
    surplus: Places,
    lines: NDArray[np.int64],
) -> tuple[int, int, tuple[int, int, int]]:
    """The wanted fields of the rows from `begin` on: how many, how it ended, and where the next row would begin.

    Such a place is a byte, the next mark and the line before. `slots` says for each field of a row which one of
    `starts` and `stops` it is, or −1. The field in slot `divided` (−1: none) is divided before its first `divider`, its
    second part being in the last slot. Fields that are not as they stand there (doubled quotes) are written behind
    `stop`, where there must be as much room again. Unless it is `final`, a last row without an end is left.
    """
    width, rows, spare = slots.size, 0, stop
    position, mark, line = begin
    fields = np.empty(starts.shape[0], np.int64)
    for field in range(width):
        if slots[field] >= 0:
            fields[slots[field]] = field
    wanted = np.max(slots) + 1
    while rows < surplus.size:
        while position < stop and (data[position] == LINE_FEED or data[position] == RETURN):
            size = _end_of_line(data, position, stop)
            position, mark, line = position + size, mark + size, line + 1
        if position >= stop:
            break
        last = mark + width - 1
        if last < marked and _is_plain(kinds, mark, last, delimiter) and found[last] - position <= longest:
            for slot in range(wanted):
                m = mark + fields[slot]
                starts[slot, rows] = found[m - 1] + 1 if m > mark else position
                stops[slot, rows] = found[m]
            if divided >= 0:
                _divide(data, divided, divider, starts, stops, rows)
            size = _end_of_line(data, found[last], stop)
            position, mark, line = found[last] + size, last + size, line + 1
            lines[rows], surplus[rows] = line, 0
            rows += 1
            continue
        at, m, field, ending = position, mark, 0, line
        while True:
            start, quoted, doubled, closed = at, 0, 0, 0
            if m < marked and kinds[m] == QUOTE and found[m] == at:
                quoted = 2
                m += 1
                while m < marked:
                    if kinds[m] == QUOTE:
                        if not (m + 1 < marked and kinds[m + 1] == QUOTE and found[m + 1] == found[m] + 1):
                            break
                        doubled += 1
                        m += 1
                    elif kinds[m] == LINE_FEED or (kinds[m] == RETURN and _end_of_line(data, found[m], stop) == 1):
                        ending += 1
                    m += 1
                if m >= marked:
                    unended = OPEN if final else WHOLE
                    return rows, TOO_LONG if stop - at - 1 - doubled > longest else unended, (position, mark, line)
                closed = found[m]
                m += 1
            while m < marked and kinds[m] == QUOTE:
                m += 1
            if m >= marked and not final:
                return rows, WHOLE, (position, mark, line)
            end = at = found[m] if m < marked else stop
            if end - start - quoted - doubled > longest:
                return rows, TOO_LONG, (position, mark, line)
            if field < width and slots[field] >= 0:
                if quoted and doubled == 0 and closed == end - 1:
                    start, end = start + 1, closed
                elif quoted:
                    begun = spare
                    spare = _unquoted(data, start + 1, closed, end, spare)
                    start, end = begun, spare
                slot = slots[field]
                starts[slot, rows], stops[slot, rows] = start, end
                if slot == divided:
                    _divide(data, divided, divider, starts, stops, rows)
            field += 1
            if m >= marked or kinds[m] != delimiter:
                break
            at, m = at + 1, m + 1
        if at < stop:
            size = _end_of_line(data, at, stop)
            at, m = at + size, m + size
        position, mark, line = at, m, ending + 1
        lines[rows] = line
        surplus[rows] = field - width
        if field != width:
            starts[:, rows] = 0
            stops[:, rows] = 0
        rows += 1
    return rows, WHOLE, (position, mark, line)


@njit(cache=True, nogil=True, inline="always")
def _is_plain(kinds: Bytes, mark: int, last: int, delimiter: int) -> bool:
    """Whether the next marks are delimiters up to the one that ends the line."""
    others = 0
    for m in range(mark, last):
        others += kinds[m] != delimiter
    return others == 0 and (kinds[last] == LINE_FEED or kinds[last] == RETURN)


@njit(cache=True, nogil=True, inline="always")
def _divide(data: Bytes, divided: int, divider: int, starts: Places, stops: Places, row: int) -> None:
    """The divided field's second part into the last slot."""
    cut, end = starts[divided, row], stops[divided, row]
    while cut < end and data[cut] != divider:
        cut += 1
    stops[divided, row] = starts[-1, row] = cut
    stops[-1, row] = end


@njit(cache=True, nogil=True, inline="always")
def _end_of_line(data: Bytes, at: int, stop: int) -> int:
    """The bytes of the end of a line that is here."""
    return 2 if data[at] == RETURN and at + 1 < stop and data[at + 1] == LINE_FEED else 1


@njit(cache=True, nogil=True)
def _unquoted(data: Bytes, start: int, closed: int, end: int, spare: int) -> int:
    """Write what is between the quotes, doubled ones once, and what comes after them; where that ends."""
    at = start
    while at < end:
        if at != closed:
            data[spare] = data[at]
            spare += 1
        at += 2 if at < closed and data[at] == QUOTE else 1
    return spare
