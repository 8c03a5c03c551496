"""Regular files, read up to a bound: what may never end (a pipe, a device) or fills the memory is refused by name.

A file that is missing, or that may not be read, stays an OSError, for what to do then differs from file to file.
"""

from __future__ import annotations

import errno
import gzip
import hashlib
import io
import os
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from typing import TextIO

from dpsampling.errors import InputError


def opened(path: Path) -> BufferedReader:
    """A regular file as a stream of bytes; to open anything else neither waits nor succeeds."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise InputError(f"{str(path)!r} is no name that a file can have; name a file.") from error
    try:
        check(descriptor, path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def check(descriptor: int, path: Path) -> None:
    """That what is open is a regular file."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise InputError(f"{path} is a pipe or a device, which may have no end; name a regular file.")


def content(path: Path, most: int) -> bytes:
    """All bytes of a file that has at most so many."""
    with opened(path) as stream:
        if os.fstat(stream.fileno()).st_size <= most:
            found = stream.read(most + 1)
            if len(found) <= most:
                return found
    raise InputError(
        f"{path} has more than {most / 2**20:g} MB, the most that is read of such a file; name a smaller one."
    )


def unpacked(path: Path, most: int, *, remedy: str) -> bytes:
    """The same, unpacked if the file is gzipped, whatever its name: at most so many bytes either way."""
    data = content(path, most)
    try:
        data = gunzipped(data, most)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path} is a gzip file that is broken or cut short; get it again.") from error
    if len(data) > most:
        raise InputError(f"{path} unpacks to more than {most >> 20} MB; {remedy}.")
    return data


def gunzipped(data: bytes, most: int) -> bytes:
    """Bytes, unpacked if they are gzipped, up to one more than is allowed."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        return packed.read(most + 1)


@contextmanager
def text(path: Path, most: int) -> Iterator[TextIO]:
    """The UTF-8 text of a file of at most so many bytes, its line ends as they are."""
    with io.TextIOWrapper(io.BytesIO(content(path, most)), encoding="utf-8-sig", newline="") as stream:
        yield stream


def checksum(path: Path) -> str:
    """SHA-256 of a file of any size."""
    with opened(path) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
