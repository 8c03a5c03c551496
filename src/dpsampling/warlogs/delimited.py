"""Rows of a CSV file, plain or gzipped, whatever its name; what its fields mean is no matter of this module."""

from __future__ import annotations

import csv
import gzip
import io
import math
import re
import secrets
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from dpsampling import regular_files
from dpsampling.errors import InputError
from dpsampling.warlogs.chunks import CHUNK, CHUNK_LIMIT, Chunk, places
from dpsampling.warlogs.schema import IN_SCHEMA

FIELD_LIMIT = 1 << 20  # characters; a longer field is a quote that nobody closed
LINE_LIMIT = 4 << 20  # characters; a longer line is none
UNPACKED, ALLOWED = 100, 4 << 20  # characters that a packed byte may stand for, and that the first may besides

_OTHERS = {  # no text, by how it begins
    b"PAR1": "a gzipped Parquet file; unpack it",
    b"PK\x03\x04": "a zip archive or a workbook; unpack it, or save its sheet as CSV",
}


@dataclass(frozen=True)
class Delimited:
    """A text file of rows."""

    path: Path
    delimiter: str = ","
    encoding: str = "utf-8"
    header: bool = True
    columns: tuple[str, ...] = ()  # empty if the header tells
    said: str = IN_SCHEMA  # how its user sets one of these
    place: str = "line"

    @property
    def name(self) -> str:
        """Its path."""
        return str(self.path)

    def chunks(self, wanted: Sequence[str]) -> Iterator[Chunk]:
        """All rows but empty lines."""
        with _field_limit(), self._telling(), self._opened() as text:
            yield from self._split(text, wanted)

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """What can go wrong with a file, as one sentence; never with a part of its text."""
        try:
            yield
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise InputError(f"{self.path} is a gzip file that is broken or cut short; fetch it again.") from None
        except UnicodeError:  # its own message would quote the text
            raise InputError(
                f"{self.path} is not text in {self.encoding}; set {self.said.format('encoding')} to the "
                "file's, such as latin-1."
            ) from None

    @contextmanager
    def _opened(self) -> Iterator[_Lines]:
        """The file's lines, unpacked if it is gzipped."""
        with regular_files.opened(self.path) as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            stream: Any = gzip.GzipFile(fileobj=raw) if packed else raw
            head = stream.read(4096)
            stream.seek(0)
            if not head and self.header:  # without a header, a log of no rows is an empty file
                raise InputError(f"{self.path} is empty; name a file with entries.")
            self._check_text(head)
            encoding = "utf-8-sig" if re.fullmatch(r"utf[-_]?8", self.encoding, re.IGNORECASE) else self.encoding
            with io.TextIOWrapper(io.BufferedReader(stream, 1 << 20), encoding=encoding, newline="") as text:
                yield _Lines(text, self.path, raw if packed else None)

    def _check_text(self, head: bytes) -> None:
        """That a file begins as a text in its encoding may."""
        if b"\0" not in head or "16" in self.encoding or "32" in self.encoding:
            return
        for begin, what in _OTHERS.items():
            if head.startswith(begin):
                raise InputError(f"{self.path} is {what}.")
        begins = f"{self.path} is no text in {self.encoding}"
        if head.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(f"{begins} but seems to be utf-16; set {self.said.format('encoding')}.")
        raise InputError(f"{begins}; name a CSV or Parquet file, or set {self.said.format('encoding')}.")

    def _split(self, text: _Lines, wanted: Sequence[str]) -> Iterator[Chunk]:
        reader = csv.reader(chain(text, [_END]), delimiter=self.delimiter)
        try:
            rows = _rows(reader, self.path)
            header = next(rows, []) if self.header else list(self.columns)
            header[:1] = [name.removeprefix("\ufeff") for name in header[:1]]  # which utf-16-le, for one, leaves there
            if not header:
                raise InputError(f"{self.path} is empty; name a file with entries.")
            at, width = places(self.name, header, wanted, lambda _: self._absent(header)), len(header)
            pick = _picked(at)
            blank = ("",) * len(at)
            while True:
                lines, surplus, picked = [], [], []
                most = text.characters + CHUNK_LIMIT
                for row in islice(rows, CHUNK):
                    right = len(row) == width
                    picked.append(pick(row) if right else blank)
                    surplus.append(0 if right else len(row) - width)
                    lines.append(reader.line_num)
                    if text.characters > most:
                        break
                if not lines:
                    return
                yield Chunk(lines, surplus, list(zip(*picked, strict=True)))
        except csv.Error:
            raise InputError(
                f"{self.path}: a field is longer than {FIELD_LIMIT} characters at line {reader.line_num}; "
                "close the quote before it, or shorten it."
            ) from None

    def _absent(self, header: Sequence[str]) -> str:
        """What helps where a column is not found; a header that is none would be a row, of which no word is shown."""
        if re.fullmatch(r"sep=.?", header[0]):
            return ", for its first line only tells the delimiter; delete that line"
        other = next((d for d in ";,\t|" if d != self.delimiter and len(header) == 1 and d in header[0]), None)
        if other is not None:
            return f"; its delimiter seems to be {other!r}, set {self.said.format('delimiter')}"
        headless = (
            "set header to false and list the columns" if self.said == IN_SCHEMA else "write a first line of names"
        )
        return f" among its {len(header)}; name the column as the file's first line does, or {headless}"


class _Lines:
    """A text's lines, each as soon as it is wanted; how many characters have come, and no more than there may be."""

    def __init__(self, text: io.TextIOBase, path: Path, packed: BinaryIO | None) -> None:
        self._text, self._path, self._packed = text, path, packed
        self.characters = 0
        self._most: float = math.inf if packed is None else ALLOWED

    def __iter__(self) -> Iterator[str]:
        readline = self._text.readline
        while line := readline(LINE_LIMIT):
            self.characters += len(line)
            if len(line) == LINE_LIMIT:
                raise InputError(f"{self._path} has a line of more than {LINE_LIMIT} characters; name a CSV file.")
            if self.characters > self._most:
                self._allow_more()
            yield line

    def _allow_more(self) -> None:
        """As much as has been unpacked of the packed file allows."""
        assert self._packed is not None
        self._most = ALLOWED + UNPACKED * self._packed.tell()
        if self.characters > self._most:
            raise InputError(
                f"{self._path} unpacks to more than {UNPACKED} times its size, as no log does; unpack it yourself if "
                "it is one."
            )


@contextmanager
def _field_limit() -> Iterator[None]:
    before = csv.field_size_limit(FIELD_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _picked(at: list[int]) -> Callable[[Sequence[str]], tuple[str, ...]]:
    """The fields at these places, of which one alone comes as a tuple too."""
    return itemgetter(*at) if len(at) > 1 else lambda row: (row[at[0]],)


# A line after the last, as no file has it: if it comes as no row of its own, a quote was left open.
_END = f"\x1e{secrets.token_hex()}"


def _rows(reader: Iterator[list[str]], path: Path) -> Iterator[list[str]]:
    """The rows that are not empty lines."""
    for row in reader:
        if row == [_END]:
            return
        if row:
            yield row
    raise InputError(f"{path} ends within a quoted field; it was cut short or a quote is not closed, fetch it again.")
