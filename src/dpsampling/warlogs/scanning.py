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
def scan(
    data: Bytes,
    begin: int,
    stop: int,
    final: bool,
    delimiter: int,
    slots: Places,
    divided: int,
    divider: int,
    longest: int,
    line: int,
    starts: Places,
    stops: Places,
    surplus: Places,
    lines: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """The wanted fields of the rows from `begin` on; how many, where and in which line the next begins, and the ending.

    `slots` says for each field of a row which one of `starts` and `stops` it is, or −1. The field in slot `divided`
    (−1: none) is divided before its first `divider`, its second part being in the last slot. Fields that are not as
    they stand there (doubled quotes) are written behind `stop`, where there must be as much room again. Unless it is
    `final`, a last row without an end is left for a scan that knows more.
    """
    width, rows, position, spare = slots.size, 0, begin, stop
    while rows < surplus.size:
        while position < stop and (data[position] == LINE_FEED or data[position] == RETURN):
            position += _end_of_line(data, position, stop)
            line += 1
        if position >= stop:
            break
        at, field, ending = position, 0, line
        while True:
            start, written = at, spare
            if at < stop and data[at] == QUOTE:
                start = at = at + 1
                copied = False
                while True:
                    while at < stop and data[at] != QUOTE:
                        if data[at] == LINE_FEED or (
                            data[at] == RETURN and not (at + 1 < stop and data[at + 1] == LINE_FEED)
                        ):
                            ending += 1
                        if copied:
                            data[spare] = data[at]
                            spare += 1
                        at += 1
                    if at >= stop:
                        if final:
                            return rows, position, line, OPEN
                        too_long = (spare - written if copied else at - start) > longest
                        return rows, position, line, TOO_LONG if too_long else WHOLE
                    at += 1
                    if at < stop and data[at] == QUOTE:
                        if not copied:
                            copied = True
                            data[spare : spare + at - start] = data[start:at]
                            spare += at - start
                        else:
                            data[spare] = QUOTE
                            spare += 1
                        at += 1
                        continue
                    break
                end = at - 1
                if at < stop and data[at] != delimiter and data[at] != LINE_FEED and data[at] != RETURN:
                    if not copied:
                        copied = True
                        data[spare : spare + end - start] = data[start:end]
                        spare += end - start
                    while at < stop and data[at] != delimiter and data[at] != LINE_FEED and data[at] != RETURN:
                        data[spare] = data[at]
                        spare += 1
                        at += 1
                if copied:
                    start, end = written, spare
            else:
                while at < stop and data[at] != delimiter and data[at] != LINE_FEED and data[at] != RETURN:
                    at += 1
                end = at
            if end - start > longest:
                return rows, position, line, TOO_LONG
            if at >= stop and not final:
                return rows, position, line, WHOLE
            if field < width and slots[field] >= 0:
                slot = slots[field]
                starts[slot, rows], stops[slot, rows] = start, end
                if slot == divided:
                    cut = start
                    while cut < end and data[cut] != divider:
                        cut += 1
                    stops[slot, rows] = starts[-1, rows] = cut
                    stops[-1, rows] = end
            field += 1
            if at >= stop or data[at] != delimiter:
                break
            at += 1
        if at < stop:
            at += _end_of_line(data, at, stop)
        line = ending + 1
        lines[rows] = line
        surplus[rows] = field - width
        if field != width:
            starts[:, rows] = 0
            stops[:, rows] = 0
        rows += 1
        position = at
    return rows, position, line, WHOLE


@njit(cache=True, nogil=True, inline="always")
def _end_of_line(data: Bytes, at: int, stop: int) -> int:
    """The bytes of the end of a line that is here."""
    return 2 if data[at] == RETURN and at + 1 < stop and data[at + 1] == LINE_FEED else 1
