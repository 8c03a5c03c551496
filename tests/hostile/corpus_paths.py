"""Hostile things that a path can name, and hostile names; devices are made beside the test, never used in /dev."""

import contextlib
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

Put = Callable[[Path, bytes], None]


def device(minor: int) -> Put:
    """A character device of memory: 3 is null, 5 is zero, 7 is full."""

    def put(path: Path, valid: bytes) -> None:
        try:
            os.mknod(path, stat.S_IFCHR | 0o666, os.makedev(1, minor))
            os.close(os.open(path, os.O_RDONLY))
        except PermissionError:
            path.unlink(missing_ok=True)
            pytest.skip("no devices can be made or opened here")

    return put


def bound(path: Path, valid: bytes) -> None:
    """A socket; its name may be too long for one, so it is bound from beside it."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with contextlib.closing(socket.socket(socket.AF_UNIX)) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


def sparse(path: Path, valid: bytes) -> None:
    path.touch()
    os.truncate(path, 20 << 30)


def linked(path: Path, valid: bytes) -> None:
    kept = path.with_name(f"kept-{path.name}")
    kept.write_bytes(valid)
    path.symlink_to(kept.name)


NODES: dict[str, Put] = {
    "nothing": lambda path, valid: None,
    "a folder": lambda path, valid: path.mkdir(),
    "a pipe": lambda path, valid: os.mkfifo(path),
    "a socket": bound,
    "a link to nothing": lambda path, valid: path.symlink_to("nowhere"),
    "a link to itself": lambda path, valid: path.symlink_to(path.name),
    "the null device": device(3),
    "the device of zeros": device(5),
    "the full device": device(7),
    "twenty sparse gigabytes": sparse,
    "a link to the file": linked,
}
OUTPUTS = [name for name in NODES if name not in ("nothing", "twenty sparse gigabytes", "a link to the file")]

NAMES = {
    "a space": "a b",
    "blanks at both ends": " a ",
    "a single quote": "it's",
    "a double quote": 'a"b',
    "a dollar": "$HOME",
    "backticks": "`id`",
    "a semicolon": "a;id",
    "braces": "{x}",
    "a percent": "%s%(x)d",
    "a star": "*",
    "brackets": "[ab]",
    "a backslash": "a\\b",
    "a newline": "a\nb",
    "a tab": "a\tb",
    "an escape": "\x1b[31mred",
    "a hash": "#a",
    "a tilde": "~",
    "a colon": "a:b",
    "an at sign": "@a",
    "an equals sign": "a=b",
    "a leading dash": "./-rf",
    "a leading dot": ".hidden",
    "two dots inside": "a..b",
    "Greek": "ρ",
    "composed and decomposed": "é" + "e\u0301",
    "an emoji": "🙂",
    "right to left": "\u202eabc",
    "no UTF-8": os.fsdecode(b"a\xff\xfeb"),
    "the longest name": "x" * 251,
    "a name too long": "x" * 300,
    "a path too long": "/".join(["y" * 200] * 30),
    "a path back and forth": "a/../b",
    "ending twice": "a.csv",
    "upper case": "A.CSV",
}
