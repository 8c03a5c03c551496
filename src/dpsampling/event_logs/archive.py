"""Arrays with a description, in one .npz file whose bytes depend on its content alone."""

from __future__ import annotations

import json
import math
import os
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.files import regular_files, strict_json

LARGEST = 512 << 20  # bytes of all arrays together
COMMANDS = {"counts": "count", "read": "count --part"}  # that write these kinds
_ABOUT = "about"
_END = 22  # bytes of the record at the end of an archive that says where its directory is
_DIRECTORY = 4 << 20  # bytes of a directory
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_KINDS = "iufU"  # whole numbers, floats and text
_DAMAGE = (
    OSError, ValueError, LookupError, EOFError, TypeError, AttributeError, ArithmeticError, RuntimeError, MemoryError,
    SyntaxError, tokenize.TokenError, struct.error, zipfile.BadZipFile, zlib.error,
)  # fmt: skip


def put(path: Path, kind: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write to a path that is staged already; `about` is what JSON can say."""
    text = json.dumps({"kind": kind, **about}, ensure_ascii=False)
    with Path(path).open("wb") as stream:  # a stream, for a name would get .npz appended
        np.savez_compressed(stream, allow_pickle=False, **{_ABOUT: np.array(text)}, **arrays)


def check_codes(codes: NDArray[Any], below: int, size: int) -> None:
    """Whole numbers from 0, one a row; a ValueError says that they are not."""
    # Unsigned ones of 64 bits are never written, and become floats where they meet signed ones.
    if codes.ndim != 1 or codes.size != size or codes.dtype.kind not in "iu" or codes.dtype == np.uint64:
        raise ValueError("a column is not one whole number a row")
    if codes.size and not (int(codes.min()) >= 0 and int(codes.max()) < below):
        raise ValueError("a column has codes that nothing stands for")


def get(path: Path, kind: str, *, group: str = "warlogs ") -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """What `put` wrote, or an InputError; as much memory is taken as the directory says, and that is little enough.

    A kind is called as the command that writes it, in its group of commands, but for those of COMMANDS.
    """
    command = f"dpsampling {group}{COMMANDS.get(kind, kind)}"
    remedy = f"name a file that '{command}' writes"
    try:
        with regular_files.opened(Path(path)) as stream:
            _check_directory(stream)
            with zipfile.ZipFile(stream) as archive:
                _check_members(archive.infolist())
                arrays = {told.filename.removesuffix(".npy"): _array(archive, told) for told in archive.infolist()}
        about = strict_json.loads(str(arrays.pop(_ABOUT)[()]))
        found = word(about.pop("kind"))
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; make it with '{command}'.") from error
    except InputError:
        raise
    except _DAMAGE as error:
        raise InputError(f"{path} is damaged or something else; {remedy}.") from error
    if found != kind:
        raise InputError(f"{path} was written by 'dpsampling {group}{COMMANDS.get(found, found)}'; {remedy}.")
    return about, arrays


def words(told: Any) -> tuple[str, ...]:
    """A list of different words; a ValueError says that it is none."""
    if not (isinstance(told, list) and all(isinstance(word, str) for word in told) and len(set(told)) == len(told)):
        raise ValueError("a list of names is none, or has one twice")
    return tuple(told)


def number(told: Any) -> int:
    """A whole number from 0, or a ValueError."""
    if type(told) is not int or told < 0:
        raise ValueError("a number is none")
    return told


def word(told: Any) -> str:
    """A text, or a ValueError."""
    return words([told])[0]


def _check_directory(stream: BinaryIO) -> None:
    """Check that the list of members is short, before it is read: each takes more memory than it has bytes."""
    stream.seek(-_END, os.SEEK_END)
    signature, size, comment = struct.unpack("<4s8xI4xH", stream.read())
    if signature != b"PK\5\6" or size > _DIRECTORY or comment:
        raise ValueError("the archive does not end with a directory, or with a huge one")


def _check_members(members: Sequence[zipfile.ZipInfo]) -> None:
    """That members are neither encrypted nor packed otherwise than `put` does, and that all of them fit into memory."""
    if len({told.filename for told in members}) < len(members):
        raise ValueError("two arrays have one name")
    if any(told.flag_bits & 1 or told.compress_type not in _PACKED for told in members):
        raise ValueError("an array is encrypted or packed otherwise")
    if sum(told.file_size for told in members) > LARGEST:
        raise ValueError("the arrays would fill the memory")


def _array(archive: zipfile.ZipFile, told: zipfile.ZipInfo) -> NDArray[Any]:
    """One array, whose header must ask for as much as the directory says, so that nothing is allocated in vain."""
    with archive.open(told) as member:
        version = np.lib.format.read_magic(member)
        if version != (1, 0):
            raise ValueError("an array's header is of no version that is written here")
        shape, _, dtype = np.lib.format.read_array_header_1_0(member)
        if dtype.kind not in _KINDS or member.tell() + math.prod(shape) * dtype.itemsize != told.file_size:
            raise ValueError("an array is of another kind or size than it should be")
    with archive.open(told) as member:
        array: NDArray[Any] = np.lib.format.read_array(member, allow_pickle=False)
        if dtype.kind == "U":
            _check_letters(array)
        return array


def _check_letters(texts: NDArray[Any]) -> None:
    """That texts are of letters that there are, which NumPy does not ask: what is made of others breaks elsewhere."""
    codes = np.frombuffer(texts.tobytes(), dtype=np.dtype(np.uint32).newbyteorder(texts.dtype.byteorder))
    if np.any((codes > 0x10FFFF) | ((codes >= 0xD800) & (codes <= 0xDFFF))):
        raise ValueError("a text has letters that there are not")
