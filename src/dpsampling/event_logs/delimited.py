"""Rows of a CSV file, plain, gzipped or packed by Zstandard, whatever its name; what fields mean is told elsewhere.

A file is read in parts that end with a line, and DuckDB looks for the fields of one part at a time. A part that it
refuses, that it would read otherwise than Python's `csv`, or in which it does not come to the row that is put behind
the last, is read by `csv`, which alone decides what its rows are.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from dpsampling.errors import InputError
from dpsampling.event_logs import unpacked
from dpsampling.event_logs.chunks import Chunk, Source, column, places
from dpsampling.event_logs.duck import Duck, RefusedError
from dpsampling.event_logs.schema import IN_SCHEMA
from dpsampling.files import regular_files

FIELD_LIMIT = 1 << 20  # characters; a longer field is a quote that nobody closed
LINE = 4 << 20  # characters; a longer line is none
PART = 2 << 20  # bytes that are read at a time, and more
SMALL = 1 << 16  # bytes of a file with which `csv` is done before DuckDB has begun
HEAD = 4096  # bytes that are looked at before all others
DELIMITERS = ",;\t|"  # with which DuckDB is asked

_OTHERS = {  # no text, by how it begins
    b"PAR1": "a gzipped Parquet file; unpack it",
    b"PK\x03\x04": "a zip archive or a workbook; unpack it, or save its sheet as CSV",
}
_UTF_8 = ("utf-8", "utf-8-sig")
# Of letters that no file has in this order: a field of the row behind the last, and a line that is read otherwise where
# a quote was left open.
_TOKEN = "".join(chr(0xE000 + secrets.randbelow(6400)) for _ in range(12))
_END = f'{_TOKEN}"{_TOKEN}'


@dataclass(frozen=True)
class Delimited(Source):
    """A text file of rows."""

    path: Path
    delimiter: str = ","
    encoding: str = "utf-8"
    header: bool = True
    columns: tuple[str, ...] = ()  # empty if the header tells
    said: str = IN_SCHEMA  # how its user sets one of these
    place = "line"

    def chunks(self, wanted: Sequence[str], clocks: Mapping[str, str] = MappingProxyType({})) -> Iterator[Chunk]:
        """Yield all rows but empty lines."""
        with self._text() as text, ExitStack() as stack:
            data, final = text.part(b"")
            header, begin, line = self._header(data) if self.header else (list(self.columns), 0, 0)
            at = places(self.name, header, wanted, lambda _: self._absent(header))
            clock_at = {place: clocks[title] for title, place in zip(wanted, at, strict=True) if title in clocks}
            part = _Part(self.path, self.delimiter, data[begin:], line, final, len(header), at, clock_at)
            connection = None if final and len(data) < SMALL else self._connection(stack)
            thread = stack.enter_context(ThreadPoolExecutor(1))
            asked = thread.submit(part.by_duckdb, connection)
            while True:
                chunk, rest = asked.result(), b""
                if chunk is None:
                    chunk, rest = part.by_csv()
                if part.final:
                    yield chunk
                    break
                part = part.following(rest, *text.part(rest))
                asked = thread.submit(part.by_duckdb, connection)  # while the rows of the one before are judged
                yield chunk

    def _connection(self, stack: ExitStack) -> Duck | None:
        """Return DuckDB, or None if it is not there, or not asked with this delimiter."""
        if self.delimiter not in DELIMITERS:
            return None
        try:
            return stack.enter_context(Duck())
        except ImportError:
            return None

    @contextmanager
    def _text(self) -> Iterator[_Text]:
        """Give the file's text; what is wrong with it is one sentence, never with a part of it."""
        with regular_files.opened(self.path) as raw:
            blocks = unpacked.blocks(raw, self.path)
            head = b""
            for block in blocks:
                head += block
                if len(head) >= HEAD:
                    break
            if not head and self.header:  # without a header, a log of no rows is an empty file
                raise InputError(f"{self.path} is empty; name a file with entries.")
            self._check_text(head[:HEAD])
            try:
                yield _Text(self.path, _in_utf_8(chain([head], blocks), self.encoding))
            except UnicodeError:  # its own message would quote the text
                raise InputError(
                    f"{self.path} is not text in {self.encoding}; set {self.said.format('encoding')} to the "
                    "file's, such as latin-1."
                ) from None

    def _check_text(self, head: bytes) -> None:
        """Check that a file begins as a text in its encoding may."""
        if b"\0" not in head or "16" in self.encoding or "32" in self.encoding:
            return
        for begin, what in _OTHERS.items():
            if head.startswith(begin):
                raise InputError(f"{self.path} is {what}.")
        begins = f"{self.path} is no text in {self.encoding}"
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(f"{begins} but seems to be utf-16; set {self.said.format('encoding')}.")
        raise InputError(f"{begins}; name a CSV or Parquet file, or set {self.said.format('encoding')}.")

    def _header(self, data: bytes) -> tuple[list[str], int, int]:
        """Return the columns, where the rows begin, and the line before."""
        text = data.decode()
        found = _rows(self.path, text, self.delimiter, 0, most=1)
        if found.cut:
            raise _cut_short(self.path)
        if not found.rows or found.rows[0] == ["\ufeff"]:
            raise InputError(f"{self.path} is empty; name a file with entries.")
        (header,), (line,) = found.rows, found.lines
        header[0] = header[0].removeprefix("\ufeff")  # which utf-16-le, for one, leaves there
        return header, len(text[: found.place].encode()), line

    def _absent(self, header: Sequence[str]) -> str:
        """Return what helps where a column is not found; no word of a header that is none, and would be a row."""
        if re.fullmatch(r"sep=.?", header[0]):
            return ", for its first line only tells the delimiter; delete that line"
        other = next((d for d in ";,\t|" if d != self.delimiter and len(header) == 1 and d in header[0]), None)
        if other is not None:
            return f"; its delimiter seems to be {other!r}, set {self.said.format('delimiter')}"
        headless = (
            "set header to false and list the columns" if self.said == IN_SCHEMA else "write a first line of names"
        )
        return f" among its {len(header)}; name the column as the file's first line does, or {headless}"


# -- bytes ----------------------------------------------------------------------------------------------------------


def _in_utf_8(blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Yield a text's bytes in UTF-8, without the mark that may stand before it."""
    if codecs.lookup(encoding).name in _UTF_8:
        first = next(blocks, b"")
        yield from chain([first.removeprefix(codecs.BOM_UTF8)], blocks)
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    for block in blocks:
        yield decoder.decode(block).encode()
    yield decoder.decode(b"", final=True).encode()


class _Text:
    """A text in UTF-8, part by part."""

    def __init__(self, path: Path, blocks: Iterator[bytes]) -> None:
        self._path, self._blocks = path, blocks
        self._ahead = b""

    def part(self, rest: bytes) -> tuple[bytes, bool]:
        """Return what is left of the part before and the lines behind it, and whether these are the last."""
        data, begun = bytearray(rest + self._ahead), len(rest)
        end, final, enough = 0, False, begun + PART
        while end <= begun and not final:
            while len(data) < enough and not final:
                block = next(self._blocks, None)
                final = block is None
                data += block or b""
            end = len(data) if final else _end_of_lines(data)
            if end <= begun and not final and len(data) - begun >= LINE:
                raise _line_too_long(self._path)
            enough += PART
        self._ahead = bytes(data[end:])
        found = bytes(data[:end])
        if not found.isascii():
            found.decode()
        return found, final


def _end_of_lines(data: bytearray) -> int:
    """Return where the last line ends that ends outside quotes, as far as their number tells; or else the last."""
    mark = b"\n" if b"\n" in data else b"\r"
    stop = len(data) - (mark == b"\r")  # another byte of this end of a line may follow
    last = at = data.rfind(mark, 0, stop) + 1
    odd = data.count(b'"', 0, at) % 2
    while odd and at:
        stop, at = at, data.rfind(mark, 0, at - 1) + 1
        odd ^= data.count(b'"', at, stop) % 2
    return at or last


def _lines(data: bytes) -> int:
    """Return how many lines end here."""
    lines = data.count(b"\n")
    return lines + data.count(b"\r") - data.count(b"\r\n") if b"\r" in data else lines


# -- rows -----------------------------------------------------------------------------------------------------------


class _Part(NamedTuple):
    """Some lines of a file."""

    path: Path
    delimiter: str
    data: bytes
    line: int  # before
    final: bool
    width: int  # of a row
    at: list[int]  # the places of the wanted columns
    clocks: dict[int, str]  # by place

    def following(self, rest: bytes, data: bytes, final: bool) -> _Part:
        """Return the next part, which begins with what is left of this one."""
        line = self.line + _lines(self.data[: len(self.data) - len(rest)])
        return self._replace(data=data, line=line, final=final)

    def by_duckdb(self, connection: Duck | None) -> Chunk | None:
        """Return the rows as DuckDB finds them, or None if `csv` is to be asked."""
        if connection is None or (b'"' in self.data and _read_otherwise(self.data, self.delimiter)):
            return None
        mark = next((m for m in (b"\r\n", b"\n", b"\r") if self.data.endswith(m)), b"")
        begun = b"" if mark else _first_end_of_line(self.data)
        last = self.delimiter.join([_TOKEN] * self.width).encode() + (mark or begun)
        data = codecs.BOM_UTF8 + self.data + begun + last  # such a mark is passed over once
        try:
            texts, times, first = connection.csv_rows(
                data, self.delimiter, self.width, self.at, FIELD_LIMIT // 2, self.clocks
            )
        except RefusedError:
            return None
        if any(np.ma.isMaskedArray(t) or not t.size or t[-1] != _TOKEN for t in texts):
            return None
        surplus = np.zeros(times.size - 1, np.int32)
        return Chunk(lambda place: self._line_of(int(first[place])), surplus, [t[:-1] for t in texts], times[:-1])

    def by_csv(self) -> tuple[Chunk, bytes]:
        """Return the rows as `csv` finds them, and the bytes of one that does not end in this part."""
        text = self.data.decode()
        found = _rows(self.path, text, self.delimiter, self.line)
        if found.cut and self.final:
            raise _cut_short(self.path)
        surplus = np.array([len(row) - self.width for row in found.rows], np.int32)
        right = [row if len(row) == self.width else [""] * self.width for row in found.rows]
        texts = [column([row[place] for row in right]) for place in self.at]
        chunk = Chunk(found.lines.__getitem__, surplus, texts, np.ones(surplus.size, np.int64))
        return chunk, text[found.place :].encode()

    def _line_of(self, place: int) -> int:
        """Return the line of a row that DuckDB found."""
        return _rows(self.path, self.data.decode(), self.delimiter, self.line, most=place + 1).lines[-1]


def _read_otherwise(data: bytes, delimiter: str) -> bool:
    """Tell whether spaces, which DuckDB passes over, stand beside quotes other than two for one beside a letter."""
    marks = b'" \r\n' + delimiter.encode()
    within = rb' "(?!"[^%b])(?!(?<=[^%b] ")[\r\n%b])' % (marks, marks, delimiter.encode())
    return bool(
        (b' "' in data and re.search(within, data)) or (b'" ' in data and re.search(rb'" (?<![^%b]"" )' % marks, data))
    )


def _first_end_of_line(data: bytes) -> bytes:
    found = re.search(rb"\r\n|\n|\r", data)
    return found[0] if found else b"\n"


class _Found(NamedTuple):
    """Rows of a text."""

    rows: list[list[str]]
    lines: list[int]  # the last of each row
    place: int  # behind them in the text
    cut: bool  # whether the text ends within quotes


def _rows(path: Path, text: str, delimiter: str, before: int, most: int = sys.maxsize) -> _Found:
    """Return the rows of a text as `csv` finds them, at most so many."""
    rows: list[list[str]] = []
    lines: list[int] = []
    place = behind = 0

    def to_the_end() -> Iterator[str]:
        nonlocal behind
        for line in io.StringIO(text, newline=""):
            if len(line) >= LINE:
                raise _line_too_long(path)
            behind += len(line)
            yield line
        yield _END

    reader = csv.reader(to_the_end(), delimiter=delimiter)
    limit = csv.field_size_limit(FIELD_LIMIT)
    try:
        for row in reader:
            if row == [_END]:
                return _Found(rows, lines, len(text), cut=False)
            if row and row[-1].endswith(_TOKEN):
                break
            place = behind
            if row:
                rows.append(row)
                lines.append(before + reader.line_num)
            if len(rows) == most:
                return _Found(rows, lines, place, cut=False)
        return _Found(rows, lines, place, cut=True)
    except csv.Error:
        raise InputError(
            f"{path}: a field is longer than {FIELD_LIMIT} characters at line {before + reader.line_num}; close the "
            "quote before it, or shorten it."
        ) from None
    finally:
        csv.field_size_limit(limit)


def _line_too_long(path: Path) -> InputError:
    return InputError(f"{path} has a line of more than {LINE} characters; name a CSV file.")


def _cut_short(path: Path) -> InputError:
    return InputError(f"{path} ends within a quoted field; it was cut short or a quote is not closed, fetch it again.")
