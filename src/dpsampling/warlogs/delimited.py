"""Rows of a CSV file, plain, gzipped or packed by Zstandard, whatever its name; what fields mean is told elsewhere.

Bytes are cut into blocks behind the end of a line, and a few threads look for the fields of one block each and number
their texts. A block that turns out to begin within quotes is looked through again, behind what was left of the one
before it: so the rows are those of the file from its beginning to its end.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import re
import secrets
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, cycle
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpsampling import regular_files
from dpsampling.errors import InputError
from dpsampling.warlogs import interning, scanning
from dpsampling.warlogs.chunks import CHUNK, Chunk, Time, places
from dpsampling.warlogs.schema import IN_SCHEMA
from dpsampling.warlogs.zstandard_files import Unpacked

FIELD_LIMIT = 1 << 20  # bytes; a longer field is a quote that nobody closed
BLOCK = 4 << 20  # bytes that are looked through at a time; a longer line is none
UNPACKED, ALLOWED = 100, 4 << 20  # bytes that a packed one may stand for, and that the first may besides
THREADS = 2
HEAD = 8192  # bytes that are looked at before all others
TEXTS, WORDS = 1 << 17, 1 << 22  # of eight bytes, that a book has before the next is begun

GZIP, ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"
_OTHERS = {  # no text, by how it begins
    b"PAR1": "a gzipped Parquet file; unpack it",
    b"PK\x03\x04": "a zip archive or a workbook; unpack it, or save its sheet as CSV",
}
_UTF_8 = ("utf-8", "utf-8-sig")
_SWAP = "\x1f"


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

    def chunks(self, wanted: Sequence[str], time: Time | None = None) -> Iterator[Chunk]:
        """All rows but empty lines."""
        with self._telling(), self._opened() as stream:
            encoded = _Encoded.of(self.encoding, self.delimiter)
            blocks = _blocks(encoded.bytes_of(stream), self.path, encoded.mark)
            first = next(blocks)
            header, begin, line = self._header(first, encoded) if self.header else (list(self.columns), 0, 0)
            at = places(self.name, header, wanted, lambda _: self._absent(header))
            first = first._replace(data=first.data[begin:], end=first.end - begin)
            row = _Row.of(len(header), at, wanted, time)
            yield from _rows(self.path, chain([first], blocks), encoded, row, line)

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
    def _opened(self) -> Iterator[_Bytes]:
        """The file's bytes, unpacked if it is packed."""
        with regular_files.opened(self.path) as raw:
            begins = raw.read(4)
            raw.seek(0)
            stream: Any = raw
            if begins.startswith(GZIP):
                stream = gzip.GzipFile(fileobj=raw)
            elif begins == ZSTANDARD:
                stream = io.BufferedReader(Unpacked(raw, self.path), 1 << 20)
            found = _Bytes(stream, self.path, None if stream is raw else raw)
            head = found.peek(HEAD)
            if not head and self.header:  # without a header, a log of no rows is an empty file
                raise InputError(f"{self.path} is empty; name a file with entries.")
            self._check_text(head[:4096])
            yield found

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

    def _header(self, first: _Block, encoded: _Encoded) -> tuple[list[str], int, int]:
        """The columns, where the rows begin, and the line before."""
        data = first.whole()
        codecs.getincrementaldecoder(encoded.encoding)().decode(data[:HEAD])
        text = encoded.text(data, errors="replace")
        reader = csv.reader(chain(io.StringIO(text, newline=""), [_END]), delimiter=self.delimiter)
        with _field_limit():
            try:
                header = next((row for row in reader if row), [])
            except csv.Error:
                raise _too_long(self.path, reader.line_num) from None
        header[:1] = [name.removeprefix("\ufeff") for name in header[:1]]  # which utf-16-le, for one, leaves there
        if header == [_END]:
            raise InputError(f"{self.path} is empty; name a file with entries.")
        if header[-1].endswith(_END.replace('"', "")):
            raise _cut_short(self.path)
        ends = (found.end() for found in _LINE_END.finditer(data))
        begin = len(data)
        for _ in range(reader.line_num):
            begin = next(ends, len(data))
        encoded.text(data[:begin])
        return header, begin, reader.line_num

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


def rows(
    path: Path,
    stream: BinaryIO,
    columns: Sequence[str],
    wanted: Sequence[str],
    time: Time | None,
    *,
    moments: bool = False,
) -> Iterator[Chunk]:
    """The rows of a stream in UTF-8 that holds these columns, split by commas; its times may have been `moments`."""
    encoded = _Encoded("utf-8", ord(","))
    at = [columns.index(column) for column in wanted]
    row = _Row.of(len(columns), at, wanted, time)._replace(moments=moments)
    yield from _rows(path, _blocks(stream, path, b""), encoded, row, 0)


def compile_scanners(say: Callable[[str], None] = lambda _: None) -> None:
    """Compile what looks for fields and numbers texts, of which there are enough for a table to grow."""
    if scanning.scan.signatures:
        return
    if not any(Path(str(scanning.scan.stats.cache_path)).glob("scanning.scan-*.nbi")):
        say("compiling the reader of rows, once on this machine: some ten seconds")
    text = "".join(f'{i},"1 2"\n' for i in range(3000))
    for _ in rows(Path("rows"), io.BytesIO(text.encode()), ["a", "b"], ["a", "b"], Time("b", " ")):
        pass


# -- bytes ----------------------------------------------------------------------------------------------------------


class _Bytes:
    """A file's bytes, of a packed one no more than there may be."""

    def __init__(self, stream: Any, path: Path, packed: BinaryIO | None) -> None:
        self._stream, self._path, self._packed = stream, path, packed
        self._ahead = b""
        self._read = 0

    def peek(self, size: int) -> bytes:
        self._ahead = self.read(size)
        return self._ahead

    def read(self, size: int) -> bytes:
        ahead, self._ahead = self._ahead[:size], self._ahead[size:]
        found = ahead + self._stream.read(size - len(ahead))
        self._read += len(found) - len(ahead)
        if self._packed is not None and self._read > ALLOWED + UNPACKED * self._packed.tell():
            raise InputError(
                f"{self._path} unpacks to more than {UNPACKED} times its size, as no log does; unpack it yourself if "
                "it is one."
            )
        return found


@dataclass(frozen=True)
class _Encoded:
    """A text as bytes in which ASCII characters, the delimiter among them, are what they are in ASCII."""

    encoding: str  # of the bytes
    delimiter: int
    of_file: str | None = None  # the encoding of a file whose bytes are not so
    swapped: str = ""  # the delimiter, where it is not of ASCII and changes places with one that is

    @staticmethod
    def of(encoding: str, delimiter: str) -> _Encoded:
        its_bytes = delimiter.encode(encoding, "ignore")  # none if the encoding has no such character
        if _extends_ascii(encoding) and len(its_bytes) == 1:
            return _Encoded(encoding, its_bytes[0])
        swapped = "" if delimiter.isascii() else delimiter
        return _Encoded("utf-8", ord(_SWAP if swapped else delimiter), encoding, swapped)

    @property
    def mark(self) -> bytes:
        """What may stand before the text."""
        return codecs.BOM_UTF8 if self.of_file is None and codecs.lookup(self.encoding).name in _UTF_8 else b""

    def bytes_of(self, stream: _Bytes) -> _Bytes | _Recoded:
        return stream if self.of_file is None else _Recoded(stream, self.of_file, self)

    def text(self, data: bytes, errors: str = "strict") -> str:
        return self.swap(data.decode(self.encoding, errors))

    def swap(self, text: str) -> str:
        return text.translate({ord(self.swapped): _SWAP, ord(_SWAP): self.swapped}) if self.swapped else text


class _Recoded:
    """A file's bytes in UTF-8."""

    def __init__(self, stream: _Bytes, encoding: str, encoded: _Encoded) -> None:
        self._stream, self._encoded = stream, encoded
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ahead = b""

    def read(self, size: int) -> bytes:
        while len(self._ahead) < size:
            data = self._stream.read(max(size // 4, 1))
            self._ahead += self._encoded.swap(self._decoder.decode(data, final=not data)).encode("utf-8")
            if not data:
                break
        found, self._ahead = self._ahead[:size], self._ahead[size:]
        return found


def _extends_ascii(encoding: str) -> bool:
    """Whether each byte below 128 is its character of ASCII, wherever it stands."""
    if codecs.lookup(encoding).name in _UTF_8:
        return True
    ascii_bytes, others = bytes(range(128)), bytes(range(128, 256))
    try:
        return ascii_bytes.decode(encoding) == ascii_bytes.decode("ascii") and (
            len(others.decode(encoding, "replace")) == 128 == len(others[::-1].decode(encoding, "replace"))
        )
    except UnicodeError:
        return False


class _Block(NamedTuple):
    """Bytes up to the end of a line, or of the file."""

    ahead: bytes  # what was left of the block before
    data: bytes  # up to `end`
    end: int
    final: bool

    @property
    def size(self) -> int:
        return len(self.ahead) + self.end

    def whole(self) -> bytes:
        return self.ahead + self.data[: self.end]


_LINE_END = re.compile(rb"\r\n|\n|\r")
# A line after the last, as no file has it: if it comes without its quote, one before it was left open.
_END = f'\x1e{secrets.token_hex()}"\x1e'


def _blocks(stream: _Bytes | _Recoded | BinaryIO, path: Path, mark: bytes) -> Iterator[_Block]:
    """The bytes after the mark, each block but the last to the end of a line."""
    ahead = b""
    while True:
        wanted = BLOCK - len(ahead)
        data = stream.read(wanted)
        final = len(data) < wanted
        data, mark = data.removeprefix(mark), b""
        if final:
            yield _Block(ahead, data, len(data), final)
            return
        end = data.rfind(b"\n") + 1
        if not end:
            ahead, data = b"", ahead + data
            end = data.rfind(b"\r", 0, -1) + 1
        if not end:
            raise InputError(f"{path} has a line of more than {BLOCK} characters; name a CSV file.")
        yield _Block(ahead, data, end, final)
        ahead = data[end:]


# -- rows -----------------------------------------------------------------------------------------------------------


class _Row(NamedTuple):
    """What is wanted of a row."""

    slots: NDArray[np.int32]  # of each field
    places: list[int]  # the slot of each wanted column
    divided: int = -1  # which slot
    divider: int = 0
    moments: bool = False  # whether its times were moments before they were written

    @staticmethod
    def of(width: int, at: Sequence[int], wanted: Sequence[str], time: Time | None) -> _Row:
        distinct = list(dict.fromkeys(at))
        slots = np.full(width, -1, np.int32)
        slots[distinct] = np.arange(len(distinct))
        places = [distinct.index(place) for place in at]
        if time is None or not time.divider:
            return _Row(slots, places)
        return _Row(slots, places, places[wanted.index(time.column)], ord(time.divider))


class _Texts:
    """The texts of a file, or of a part of it."""

    def __init__(self, encoded: _Encoded, moments: bool) -> None:
        self._encoded, self._moments = encoded, moments
        self.interned = interning.Interned()

    def text(self, number: int) -> str:
        return self._encoded.text(self.interned.string(number))

    def is_moment(self, number: int) -> bool:
        del number
        return self._moments

    @property
    def full(self) -> bool:
        return self.interned.count > TEXTS or self.interned.words > WORDS


class _Scanned(NamedTuple):
    """A block's rows; where what is left of it begins, after how many lines, and how it ends."""

    chunks: list[Chunk]  # whose lines count from the block's beginning
    position: int
    lines: int
    ending: int


class _Scanner:
    """A thread that looks through blocks, and the book of what it found."""

    def __init__(self, encoded: _Encoded, row: _Row) -> None:
        self._encoded, self._row = encoded, row
        self._book = _Texts(encoded, row.moments)
        slots = len(set(row.places)) + 1
        self._starts, self._stops = np.zeros((slots, CHUNK), np.int32), np.zeros((slots, CHUNK), np.int32)
        self._surplus, self._lines = np.empty(CHUNK, np.int32), np.empty(CHUNK, np.int64)
        self._data = self._kinds = np.empty(0, np.uint8)
        self._marks = np.empty(0, np.int32)
        self.thread = ThreadPoolExecutor(1)

    def scan(self, block: _Block) -> _Scanned:
        if not (block.ahead.isascii() and block.data.isascii()):
            self._encoded.text(block.whole())
        if self._book.full:
            self._book = _Texts(self._encoded, self._row.moments)
        ahead, stop = len(block.ahead), block.size
        if self._kinds.size <= stop:
            self._data = interning.bytes_for(2 * stop)
            self._marks, self._kinds = np.empty(stop + 1, np.int32), np.empty(stop + 1, np.uint8)
        data, marks, kinds = self._data, self._marks, self._kinds
        data[:ahead] = np.frombuffer(block.ahead, np.uint8)
        data[ahead:stop] = np.frombuffer(block.data, np.uint8, block.end)
        marked = scanning.marks(data, stop, self._encoded.delimiter, marks, kinds)
        chunks: list[Chunk] = []
        place, rows, ending = (0, 0, 0), CHUNK, scanning.WHOLE
        while rows == CHUNK and ending == scanning.WHOLE:
            rows, ending, place = scanning.scan(
                data, stop, block.final, marks, kinds, marked, place, self._encoded.delimiter, self._row.slots,
                self._row.divided, self._row.divider, FIELD_LIMIT, self._starts, self._stops, self._surplus,
                self._lines,
            )  # fmt: skip
            chunks.append(self._chunk(data, rows))
        return _Scanned(chunks, place[0], place[2], ending)

    def _chunk(self, data: NDArray[np.uint8], rows: int) -> Chunk:
        used = len(self._starts) if self._row.divided >= 0 else len(self._starts) - 1
        starts, stops = (places[:used, :rows].ravel() for places in (self._starts, self._stops))
        numbers = self._book.interned.of(data, starts, stops).reshape(used, rows)
        tails = numbers[-1] if self._row.divided >= 0 else None
        return Chunk(
            self._lines[:rows].copy(), self._surplus[:rows].copy(), numbers[self._row.places], self._book, tails
        )


def _rows(path: Path, blocks: Iterator[_Block], encoded: _Encoded, row: _Row, line: int) -> Iterator[Chunk]:
    """The rows of all blocks in their order."""
    scanners = [_Scanner(encoded, row) for _ in range(THREADS)]
    try:
        rest = b""
        for block, scanner, scanned in _looked_through(blocks, scanners):
            if rest:
                block = block._replace(ahead=rest + block.ahead)
                scanned = scanner.thread.submit(scanner.scan, block)
            found = scanned.result()
            for chunk in found.chunks:
                yield chunk._replace(standing=chunk.standing + line)
            line += found.lines
            rest = block.whole()[found.position :] if found.position < block.size else b""
            if found.ending == scanning.OPEN:
                raise _cut_short(path)
            if found.ending == scanning.TOO_LONG:
                raise _too_long(path, line + _longest_field(encoded.text(rest), encoded))
    finally:
        for scanner in scanners:
            scanner.thread.shutdown(cancel_futures=True)


def _looked_through(
    blocks: Iterator[_Block], scanners: Sequence[_Scanner]
) -> Iterator[tuple[_Block, _Scanner, Future[_Scanned]]]:
    """Each block, by the scanners in turn, some blocks ahead; an error of a block comes when its turn has come."""
    ahead: deque[tuple[_Block, _Scanner, Future[_Scanned]]] = deque()
    for scanner in cycle(scanners):
        try:
            block = next(blocks, None)
        except Exception as error:
            yield from ahead
            raise error
        if block is None:
            break
        ahead.append((block, scanner, scanner.thread.submit(scanner.scan, block)))
        if len(ahead) > len(scanners):
            yield ahead.popleft()
    yield from ahead


def _longest_field(text: str, encoded: _Encoded) -> int:
    """The line in which a field becomes too long."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=encoded.swap(chr(encoded.delimiter)))
    with _field_limit(), suppress(csv.Error):
        for _ in reader:
            pass
    return reader.line_num


@contextmanager
def _field_limit() -> Iterator[None]:
    before = csv.field_size_limit(FIELD_LIMIT)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _too_long(path: Path, line: int) -> InputError:
    return InputError(
        f"{path}: a field is longer than {FIELD_LIMIT} characters at line {line}; close the quote before it, or "
        "shorten it."
    )


def _cut_short(path: Path) -> InputError:
    return InputError(f"{path} ends within a quoted field; it was cut short or a quote is not closed, fetch it again.")
