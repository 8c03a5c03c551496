"""The bytes of a file, unpacked if it is gzipped or packed by Zstandard; what is broken or cut short is refused."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from dpsampling.errors import InputError

BLOCK = 1 << 20  # bytes that are read at a time
STEP = 1024  # bytes packed by Zstandard that are unpacked at a time: four of them may stand for 128 kB
UNPACKED, ALLOWED = 100, 4 << 20  # bytes that a packed one may stand for, and that the first may besides

GZIP, ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


def blocks(raw: BinaryIO, path: Path) -> Iterator[bytes]:
    """Yield a file's bytes, of a packed one no more than there may be."""
    begins = raw.read(4)
    raw.seek(0)
    if not begins.startswith(GZIP) and begins != ZSTANDARD:
        yield from iter(lambda: raw.read(BLOCK), b"")
        return
    total = 0
    for block in _of_gzip(raw, path) if begins.startswith(GZIP) else _of_zstandard(raw, path):
        total += len(block)
        if total > ALLOWED + UNPACKED * raw.tell():
            raise InputError(
                f"{path} unpacks to more than {UNPACKED} times its size, as no log does; unpack it yourself if it is "
                "one."
            )
        yield block


def _of_gzip(raw: BinaryIO, path: Path) -> Iterator[bytes]:
    try:
        with gzip.GzipFile(fileobj=raw) as stream:
            yield from iter(lambda: stream.read(BLOCK), b"")
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{path} is a gzip file that is broken or cut short; fetch it again.") from None


def _of_zstandard(raw: BinaryIO, path: Path) -> Iterator[bytes]:
    """Yield what one frame or several hold; a file that ends within a frame was cut short."""
    try:
        import zstandard
    except ImportError as error:
        raise InputError(
            f"{path} is packed by Zstandard, which needs zstandard, and that is not installed; "
            "pip install 'dpsampling[warlogs]', or unpack it."
        ) from error
    broken = InputError(f"{path} is a Zstandard file that is broken or cut short; fetch it again.")
    frame = None
    while data := raw.read(STEP):
        while data:
            frame = frame or zstandard.ZstdDecompressor().decompressobj()
            try:
                block = frame.decompress(data)
            except zstandard.ZstdError:
                raise broken from None
            data, frame = (frame.unused_data, None) if frame.eof else (b"", frame)
            yield block
    if frame is not None:
        raise broken
