"""Hostile archives: what is done to an .npz file, to its arrays, and to a gzip file."""

import bz2
import gzip
import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Change = Callable[[bytes], bytes]
Arrays = dict[str, np.ndarray[Any, Any]]
GIGABYTES = 3


# -- npz --------------------------------------------------------------------------------------------------------------


def members(valid: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(valid)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(files: Mapping[str, bytes]) -> bytes:
    told = io.BytesIO()
    with zipfile.ZipFile(told, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)  # a date of its own
    return told.getvalue()


def npy(array: Any) -> bytes:
    told = io.BytesIO()
    np.save(told, array, allow_pickle=True)
    return told.getvalue()


def header(text: str, length: int | None = None) -> bytes:
    """The start of an .npy file with this header."""
    return b"\x93NUMPY\x02\x00" + struct.pack("<I", len(text) if length is None else length) + text.encode()


def arrays_changed(change: Callable[[np.ndarray[Any, Any]], Any]) -> Change:
    """Every array but the description, changed."""

    def changed(valid: bytes) -> bytes:
        files = members(valid)
        for name in files:
            if name != "about.npy":
                files[name] = npy(change(np.load(io.BytesIO(files[name]))))
        return packed(files)

    return changed


def numbers_changed(change: Callable[[np.ndarray[Any, Any]], Any]) -> Change:
    """Every array of numbers, changed."""
    return arrays_changed(lambda array: change(array) if array.dtype.kind in "iuf" else array)


def members_changed(content: bytes, chosen: Callable[[str], bool] = lambda name: name != "about.npy") -> Change:
    return lambda valid: packed({n: content if chosen(n) else old for n, old in members(valid).items()})


def about_changed(change: Callable[[dict[str, Any]], Any]) -> Change:
    """The description changed: what comes is written as JSON, or as it is if it is text."""

    def changed(valid: bytes) -> bytes:
        files = members(valid)
        told = change(json.loads(str(np.load(io.BytesIO(files["about.npy"]))[()])))
        return packed({**files, "about.npy": npy(np.array(told if isinstance(told, str) else json.dumps(told)))})

    return changed


def values_replaced(value: Any) -> Change:
    """Every value of the description but its kind."""
    return about_changed(lambda about: {key: old if key == "kind" else value for key, old in about.items()})


def bytes_at(signature: bytes, offset: int, value: int) -> Change:
    """Two bytes of every header of a zip file that begins so."""

    def changed(valid: bytes) -> bytes:
        content, place = bytearray(valid), 0
        while (place := content.find(signature, place)) >= 0:
            content[place + offset : place + offset + 2] = struct.pack("<H", value)
            place += 4
        return bytes(content)

    return changed


LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


def both(first: Change, second: Change) -> Change:
    return lambda valid: second(first(valid))


def zeros(size: int) -> tuple[bytes, int]:
    """Deflated zeros, made of one block repeated, and their CRC."""
    block, crc = 1 << 20, 0
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    start = packer.compress(bytes(block)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(block)) + packer.flush(zlib.Z_FULL_FLUSH)
    count = size // block
    for _ in range(count):
        crc = zlib.crc32(bytes(block), crc)
    return start + again * (count - 1) + packer.flush(zlib.Z_FINISH), crc


def bomb(valid: bytes) -> bytes:
    """The last array as three gigabytes of zeros, in three megabytes."""
    files = members(valid)
    name = list(files)[-1]
    size = GIGABYTES << 30
    head = header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({size // 8},), }}\n")
    body, _ = zeros(size)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH) + body
    return with_member(files, name, data, len(head) + size)


def with_member(files: Mapping[str, bytes], name: str, deflated: bytes, size: int) -> bytes:
    """A zip file, with one member whose deflated bytes are given."""
    out, directory = io.BytesIO(), b""
    for key, content in files.items():
        packer = zlib.compressobj(9, zlib.DEFLATED, -15)
        body = deflated if key == name else packer.compress(content) + packer.flush()
        whole, crc = (size & 0xFFFFFFFF, 0) if key == name else (len(content), zlib.crc32(content))
        told = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, crc, len(body), whole, len(key), 0)
        directory += (
            CENTRAL + struct.pack("<H", 20) + told + struct.pack("<HHHII", 0, 0, 0, 0, out.tell()) + key.encode()
        )
        out.write(LOCAL + told + key.encode() + body)
    start = out.tell()
    out.write(
        directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, len(files), len(files), len(directory), start, 0)
    )
    return out.getvalue()


class Dangerous:
    """What a pickle would run."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (print, ("a pickle was run",))


NPZ: dict[str, Change] = {
    "empty": lambda _: b"",
    "no zip": lambda _: b"PK\x03\x04" + bytes(100),
    "an empty zip": lambda _: packed({}),
    "cut in half": lambda valid: valid[: len(valid) // 2],
    "without its last byte": lambda valid: valid[:-1],
    "without its directory": lambda valid: valid[: valid.find(CENTRAL)],
    "something before it": lambda valid: b"#!/bin/sh\n" + valid,
    "something behind it": lambda valid: valid + b"trailing",
    "a single array": lambda _: npy(np.zeros(3)),
    "a pickle": lambda _: npy(np.array([Dangerous()], dtype=object)),
    "the encrypted flag": both(bytes_at(LOCAL, 6, 1), bytes_at(CENTRAL, 8, 1)),
    "an unknown compression": both(bytes_at(LOCAL, 8, 97), bytes_at(CENTRAL, 10, 97)),
    "an impossible date": both(bytes_at(LOCAL, 12, 0xFFFF), bytes_at(CENTRAL, 14, 0xFFFF)),
    "a version to come": both(bytes_at(LOCAL, 4, 999), bytes_at(CENTRAL, 6, 999)),
    "a wrong checksum": both(bytes_at(LOCAL, 14, 7), bytes_at(CENTRAL, 16, 7)),
    "a comment": lambda valid: valid[:-2] + struct.pack("<H", 5) + b"hello",
    "a bomb": bomb,
    "no description": lambda valid: packed({n: c for n, c in members(valid).items() if n != "about.npy"}),
    "the description alone": lambda valid: packed({"about.npy": members(valid)["about.npy"]}),
    "a stranger besides": lambda valid: packed({**members(valid), "stranger.npy": npy(np.zeros(3))}),
    "a text besides": lambda valid: packed({**members(valid), "readme.txt": b"hello"}),
    "a path out of it": lambda valid: packed({**members(valid), "../../evil.npy": npy(np.zeros(3))}),
    "a description of numbers": members_changed(npy(np.zeros(3)), lambda name: name == "about.npy"),
    "a description that is no JSON": about_changed(lambda _: "{"),
    "a description that is a list": about_changed(lambda _: [1]),
    "a description that is empty": about_changed(lambda _: {}),
    "a description of ten thousand brackets": about_changed(lambda _: "[" * 10_000),
    "a description of five thousand digits": about_changed(lambda _: '{"kind": ' + "9" * 5000 + "}"),
    "another kind": about_changed(lambda about: about | {"kind": "elsewhere"}),
    "a kind that is a list": about_changed(lambda about: about | {"kind": []}),
    "a description of nothing but its kind": about_changed(lambda about: {"kind": about["kind"]}),
    "values that are null": values_replaced(None),
    "values that are numbers": values_replaced(-1),
    "values that are empty lists": values_replaced([]),
    "values that are mappings": values_replaced({"a": {}}),
    "values that are not finite": values_replaced(float("nan")),
    "values that are words": values_replaced("x\0y"),
    "values that are lists of lists": values_replaced([[[]]]),
    "arrays that are no arrays": members_changed(b"hello"),
    "arrays that are empty files": members_changed(b""),
    "arrays of objects": arrays_changed(lambda array: array.astype(object)),
    "arrays of pickles": arrays_changed(lambda _: np.array([Dangerous()], dtype=object)),
    "arrays of text": arrays_changed(lambda array: array.astype(str)),
    "arrays of complex numbers": numbers_changed(lambda array: array.astype(complex)),
    "arrays of halves": numbers_changed(lambda array: array + 0.5),
    "arrays of truth values": arrays_changed(lambda array: np.ones(array.shape, dtype=bool)),
    "arrays of dates": arrays_changed(lambda array: np.zeros(array.shape, dtype="M8[s]")),
    "arrays of records": arrays_changed(lambda array: np.zeros(array.shape, dtype=[("a", "i8"), ("b", "f8")])),
    "arrays in another byte order": numbers_changed(lambda array: array.astype(array.dtype.newbyteorder())),
    "arrays of NaN": numbers_changed(lambda array: np.full(array.shape, np.nan)),
    "arrays of infinities": numbers_changed(lambda array: np.full(array.shape, np.inf)),
    "arrays of minus one": numbers_changed(lambda array: np.full(array.shape, -1, dtype=array.dtype)),
    "arrays of the greatest integer": numbers_changed(lambda array: np.full(array.shape, 2**63 - 1)),
    "arrays of the greatest float": numbers_changed(lambda array: np.full(array.shape, 1e308)),
    "arrays of nothing": arrays_changed(lambda array: array.ravel()[:0]),
    "arrays of one": arrays_changed(lambda array: array.ravel()[:1]),
    "arrays without dimension": arrays_changed(lambda array: np.array(3)),
    "arrays of thirty dimensions": arrays_changed(lambda array: np.zeros((1,) * 30)),
    "arrays upside down": arrays_changed(lambda array: array.T.copy()[::-1]),
    "arrays with another axis": arrays_changed(lambda array: array[..., None]),
    "arrays cut by one": arrays_changed(lambda array: array[:-1] if array.ndim else array),
    "a header of four gigabytes": members_changed(header("{'descr'", 2**32 - 1)),
    "a header that is code": members_changed(header("__import__('os').system('echo')\n")),
    "a header of ten thousand brackets": members_changed(header("(" * 9_000 + "\n")),
    "a shape of exabytes": members_changed(
        header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**60},)}}\n")
    ),
    "a shape beyond integers": members_changed(
        header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({2**80}, 2)}}\n")
    ),
    "a negative shape": members_changed(header("{'descr': '<f8', 'fortran_order': False, 'shape': (-5,)}\n")),
    "a shape of ten gigabytes": members_changed(
        header(f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({10 << 27},)}}\n")
    ),
    "a type that is none": members_changed(header("{'descr': '<q99', 'fortran_order': False, 'shape': (3,)}\n")),
    "a type of gigabytes": members_changed(
        header("{'descr': '|S2000000000', 'fortran_order': False, 'shape': (1,)}\n")
    ),
}


# -- gzip -------------------------------------------------------------------------------------------------------------


def gz(content: bytes) -> bytes:
    return gzip.compress(content, mtime=0)


def gzip_bomb(valid: bytes) -> bytes:
    """Gigabytes of one line in megabytes, and right to the last byte."""
    size = GIGABYTES << 30
    body, crc = zeros(size)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + body + struct.pack("<II", crc, size & 0xFFFFFFFF)


GZIP: dict[str, Change] = {
    "empty": lambda _: b"",
    "of nothing": lambda _: gz(b""),
    "the first bytes alone": lambda valid: valid[:2],
    "the header alone": lambda valid: valid[:10],
    "cut in half": lambda valid: valid[: len(valid) // 2],
    "without its last byte": lambda valid: valid[:-1],
    "something behind it": lambda valid: valid + b"trailing",
    "zeros behind it": lambda valid: valid + bytes(1000),
    "twice": lambda valid: valid + valid,
    "in two members": lambda valid: gz(gzip.decompress(valid)[:1000]) + gz(gzip.decompress(valid)[1000:]),
    "a thousand members of nothing": lambda valid: gz(b"") * 1000 + valid,
    "of itself": gz,
    "of a bomb": lambda valid: gz(gzip_bomb(valid)),
    "a wrong checksum": lambda valid: valid[:-8] + bytes(4) + valid[-4:],
    "a wrong length": lambda valid: valid[:-4] + bytes(4),
    "an unknown method": lambda valid: valid[:2] + b"\x07" + valid[3:],
    "reserved flags": lambda valid: valid[:3] + b"\xe0" + valid[4:],
    "damaged inside": lambda valid: valid[:500] + bytes(b ^ 0x55 for b in valid[500:600]) + valid[600:],
    "plain under its name": gzip.decompress,
    "bzip2 under its name": lambda valid: bz2.compress(gzip.decompress(valid)),
    "zlib under its name": lambda valid: zlib.compress(gzip.decompress(valid)),
    "a zip under its name": lambda valid: packed({"raw.csv": gzip.decompress(valid)}),
    "a bomb": gzip_bomb,
    "of NUL bytes": lambda _: gz(bytes(1000)),
    "of UTF-16": lambda valid: gz(gzip.decompress(valid).decode("utf-8").encode("utf-16")),
}
