"""Inputs that were made to hurt: what a file can say, or be, that no reader may choke on."""

import gzip
import io
import json
import os
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np


def laughs(levels: int = 9) -> str:
    """Nine aliases of nine aliases of …: a page of YAML that stands for 9⁹ values."""
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, levels)]
    return "\n".join(lines) + "\n"


# What stands as a value in YAML, and what the sentence about it says.
YAML_VALUES = {
    "impossible day": ("2024-02-30", "no timestamp"),
    "impossible month": ("2024-13-01", "no timestamp"),
    "no whole number": ("!!int x", "no int"),
    "no number": ("!!float x", "no float"),
    "no truth": ("!!bool x", "no bool"),
    "no time": ("!!timestamp x", "no timestamp"),
    "bytes": ("!!binary aGk=", "!!binary"),
    "set": ("!!set {a, b}", "!!set"),
    "pairs": ("!!omap [a: 1]", "!!omap"),
    "object": ("!!python/object/apply:os.system ['true']", "not understood"),
    "tag of one's own": ("!mine x", "!mine"),
    "merge": ("{<<: {a: 1}}", "!!merge"),
    "digits": ("1" * 5_000, "no int"),
    "hexadecimal digits": ("0x" + "f" * 5_000, "no int"),
    "base 60": ("1" + ":59" * 3_000, "no int"),
    "not a number": (".nan", "must be finite"),
    "infinity": ("-.inf", "must be finite"),
    "overflow": ("1.0e+999", "must be finite"),
    "itself": ("&a [*a]", "contains itself"),
    "itself in a mapping": ("&a {b: {c: *a}}", "contains itself"),
    "a hundred brackets": ("[" * 100 + "]" * 100, "nested"),
    "a hundred thousand brackets": ("[" * 100_000, "nested"),
    "a hundred thousand closed brackets": ("[" * 100_000 + "]" * 100_000, "nested"),
    "a hundred thousand braces": ("{a: " * 100_000, "nested"),
    "a hundred thousand values": ("[" + "1," * 250_000 + "]", "50000 values"),
    "list as a key": ("{[1]: 2}", "a key is a list"),
    "mapping as a key": ("{{a: 1}: 2}", "a key is a list"),
    "the same key": ("{b: 1, c: 2, b: 3}", "'b' stands twice"),
    "unknown alias": ("*nobody", "not YAML"),
    "open quote": ("'x", "not YAML"),
    "zero byte": ("a\0b", "not YAML"),
    "half a pair": ('"\\ud800"', "not YAML"),
    "two documents": ("1\n--- 2", "not YAML"),
}

JSON_TEXTS = {
    "nested": "[" * 100_000,
    "nested and closed": "[" * 100_000 + "]" * 100_000,
    "not a number": '{"a": NaN}',
    "infinity": '{"a": -Infinity}',
    "the same key": '{"a": 1, "a": 2}',
    "digits": '{"a": ' + "1" * 5_000 + "}",
    "many digits": '{"a": ' + "1" * 400 + "}",
    "half a pair": '{"a": "\\ud800"}',
    "cut": '{"a": [1, 2',
    "empty": "",
    "zero byte": '{"a": "\0"}',
    "no UTF-8": b'{"a": "\xff"}',
}

# Tables of the columns a and b that were cut, shifted or made up; each is refused for its own reason.
CSV_TEXTS: dict[str, tuple[bytes, str]] = {
    "a field too many": (b"a,b\n1,2\n1,2,3\n", "line 3: there are 3 fields for 2 columns"),
    "every row a field too many": (b"a,b\n1,2,3\n", "line 2: there are 3 fields for 2 columns"),
    "a field too few": (b"a,b\n1\n", "line 2: there are 1 fields for 2 columns"),
    "cut within a row": (b"a,b\n1,2\n3", "line 3: there are 1 fields"),
    "cut within a number": (b"a,b\n1,2\n3,4", "its last line has no end"),
    "cut within quotes": (b'a,b\n1,"2\n', "not CSV (unexpected end of data)"),
    "more after quotes": (b'a,b\n1,"2"3\n', "line 2: it is not CSV"),
    "zero byte": (b"a,b\n1,\x002\n", "zero byte"),
    "huge field": (b"a,b\n1," + b"2" * 200_000 + b"\n", "field larger than field limit"),
    "huge line": (b"a,b\n" + b"1," * 3_000_000 + b"\n", "a line of more than"),
    "one name twice": (b"a,a\n1,2\n", "two of its columns have one name"),
    "empty": (b"", "it is empty"),
    "blank": (b"\n\n", "it is empty"),
    "no UTF-8": (b"a,b\n\xff,2\n", "UTF-8"),
    "UTF-16": ("a,b\n1,2\n".encode("utf-16"), "zero byte"),
}


def pipe(folder: Path) -> Path:
    """A file that nobody ever writes to."""
    path = folder / "pipe"
    os.mkfifo(path)
    return path


def npy(array: np.ndarray[Any, Any], **header: Any) -> bytes:
    """An array as bytes, with another header if one is given."""
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=True)
    if not header:
        return stream.getvalue()
    told = {"descr": array.dtype.str, "fortran_order": False, "shape": array.shape, **header}
    text = repr(told).encode().ljust(117) + b"\n"
    return b"\x93NUMPY\1\0" + struct.pack("<H", len(text)) + text + array.tobytes()


def npz(path: Path, about: Any, arrays: dict[str, bytes], *, packed: int = zipfile.ZIP_DEFLATED) -> Path:
    """An archive of these members, whatever they are."""
    with zipfile.ZipFile(path, "w", packed) as archive:
        text = about if isinstance(about, str) else json.dumps(about)
        archive.writestr("about.npy", npy(np.array(text)))
        for name, member in arrays.items():
            archive.writestr(f"{name}.npy", member)
    return path


def patched(path: Path, signature: bytes, at: int, value: bytes) -> Path:
    """The archive with some bytes of every header of a kind replaced."""
    data = bytearray(path.read_bytes())
    place = data.find(signature)
    while place >= 0:
        data[place + at : place + at + len(value)] = value
        place = data.find(signature, place + 1)
    path.write_bytes(data)
    return path


def bomb(path: Path, megabytes: int) -> Path:
    """A gzip file of so many megabytes that is a thousandth as large; a row of two fields in each line."""
    path.write_bytes(gzip.compress(b"1,2\n" * (1 << 18)) * megabytes)
    return path
