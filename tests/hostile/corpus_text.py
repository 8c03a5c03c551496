"""Hostile texts: what is done to any text file, to a CSV table, and to a YAML mapping."""

import gzip
from collections.abc import Callable

from hostile.attempts import SECRET

Change = Callable[[bytes], bytes]


def lines(valid: bytes) -> list[bytes]:
    return valid.splitlines(keepends=True)


def with_last(valid: bytes, row: bytes) -> bytes:
    return valid + row + b"\n"


def cells(valid: bytes) -> int:
    """How many cells the last row has."""
    return lines(valid)[-1].count(b",") + 1


def repeated(cell: str) -> Change:
    """Another row that holds nothing but this cell."""
    return lambda valid: with_last(valid, b",".join([cell.encode()] * cells(valid)))


def last_cell(cell: str) -> Change:
    """The last row again, with another last cell."""
    return lambda valid: with_last(valid, lines(valid)[-1].rstrip().rpartition(b",")[0] + b"," + cell.encode())


ANY: dict[str, Change] = {
    "empty": lambda _: b"",
    "one newline": lambda _: b"\n",
    "blanks": lambda _: b"   \n\t\n",
    "NUL bytes": lambda _: b"\0" * 1000,
    "NUL in the middle": lambda valid: valid[: len(valid) // 2] + b"\0" + valid[len(valid) // 2 :],
    "byte order mark": lambda valid: b"\xef\xbb\xbf" + valid,
    "UTF-16": lambda valid: valid.decode("utf-8").encode("utf-16"),
    "UTF-32": lambda valid: valid.decode("utf-8").encode("utf-32"),
    "a byte of Latin-1": lambda valid: valid + b"\xe9\n",
    "a surrogate": lambda valid: valid + b"\xed\xa0\x80\n",
    "old Macintosh newlines": lambda valid: valid.replace(b"\n", b"\r"),
    "Windows newlines": lambda valid: valid.replace(b"\n", b"\r\n"),
    "cut in half": lambda valid: valid[: len(valid) // 2],
    "without its last byte": lambda valid: valid[:-1],
    "doubled": lambda valid: valid + valid,
    "gzip under a plain name": lambda valid: gzip.compress(valid, mtime=0),
    "a picture": lambda _: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8,
    "a page": lambda _: f"<!DOCTYPE html><html><title>404</title>{SECRET}</html>\n".encode(),
    "random bytes": lambda _: bytes((i * 7919 + i // 3) % 256 for i in range(5000)),
    "ten million letters": lambda _: b"a" * 10_000_000,
    "control characters": lambda valid: valid + b"\x01\x1b[31m\x7f\x85\n",
}

CSV: dict[str, Change] = {
    "header alone": lambda valid: lines(valid)[0],
    "no header": lambda valid: b"".join(lines(valid)[1:]),
    "header twice": lambda valid: lines(valid)[0] + valid,
    "a longer row": lambda valid: with_last(valid, lines(valid)[-1].rstrip() + f",{SECRET}".encode()),
    "every row longer": lambda valid: (
        lines(valid)[0] + b"".join(b"1," + line for line in [*lines(valid)[1:], lines(valid)[0]])
    ),  # pandas takes the first cells for an index
    "a shorter row": lambda valid: with_last(valid, lines(valid)[-1].rpartition(b",")[0]),
    "a column twice": lambda valid: b"".join(line.rstrip() + b"," + line for line in lines(valid)),
    "a quote that never ends": lambda valid: valid + f'"{SECRET},1\n2,3\n'.encode(),
    "quotes in a cell": repeated(f'{SECRET}"x"'),
    "a newline in a cell": repeated(f'"{SECRET}\n1"'),
    "semicolons": lambda valid: valid.replace(b",", b";"),
    "tabs": lambda valid: valid.replace(b",", b"\t"),
    "words": repeated(SECRET),
    "empty cells": repeated(""),
    "not a number": repeated("nan"),
    "infinity": repeated("inf"),
    "minus infinity": last_cell("-inf"),
    "beyond floats": repeated("1e400"),
    "a subnormal": last_cell("1e-320"),
    "minus zero": last_cell("-0.0"),
    "five thousand digits": repeated("9" * 5000),
    "a cell of ten megabytes": repeated("x" * 5_000_000),
    "a hundred thousand columns": lambda valid: b",".join([b"c"] * 100_000) + b"\n" + valid,
    "ten thousand rows": lambda valid: valid + lines(valid)[-1] * 10_000,
    "a hundred thousand empty rows": lambda valid: valid + b"\n" * 100_000,
    "digits of another script": last_cell("١٢"),
    "hexadecimal": last_cell("0x1F"),
    "a complex number": last_cell("1+2j"),
    "a formula": repeated("=cmd|' /C calc'!A0"),
    "right to left": repeated("\u202e" + SECRET),
    "True": repeated("True"),
    "a format": repeated("%s{0}{x}$(id)`id`"),
    "mathematics": repeated(r"$\foo{$"),
    "NA": repeated("NA"),
    "a comment": lambda valid: b"# " + valid,
    "lines in reverse": lambda valid: b"".join(lines(valid)[::-1]),
}
# Where rows are somebody's, odd ones are left out and counted: to refuse all for one would tell of it.
LEFT_OUT = {"a longer row", "every row longer"}
MUST_BE_REFUSED = {"a longer row", "every row longer", "a quote that never ends", "UTF-16", "UTF-32", "a picture"}


def at(*path: str) -> Callable[[str], bytes]:
    """A value below some keys."""
    return lambda value: (
        "".join(f"{'  ' * i}{key}:\n" for i, key in enumerate(path[:-1]))
        + f"{'  ' * (len(path) - 1)}{path[-1]}: {value}\n"
    ).encode()


def laughs(levels: int, width: int) -> bytes:
    """Aliases of aliases, so that a few lines stand for width ** levels values."""
    text = "a0: &a0 [lol]\n"
    for i in range(1, levels):
        text += f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * width)}]\n"
    return text.encode()


YAML: dict[str, Change] = {
    "null": lambda _: b"null\n",
    "a list": lambda _: b"- 1\n- 2\n",
    "a word": lambda _: b"word\n",
    "two documents": lambda valid: valid + b"---\n" + valid,
    "a tab": lambda _: b"seed:\n\t- 1\n",
    "an unknown key": lambda valid: valid + b"no_such_key: 1\n",
    "a key twice": lambda valid: valid + lines(valid)[0],
    "an integer for a key": lambda valid: valid + b"1: 2\n",
    "null for a key": lambda valid: valid + b"~: 2\n",
    "a list for a key": lambda valid: valid + b"? [a, b]\n: 2\n",
    "a mapping for a key": lambda valid: valid + b"? {a: b}\n: 2\n",
    "a date for a key": lambda valid: valid + b"2001-01-01: 2\n",
    "a Boolean for a key": lambda valid: valid + b"yes: 2\n",
    "an impossible date": lambda valid: valid + b"x: 2021-02-30\n",
    "an impossible time": lambda valid: valid + b"x: 2021-02-03 25:61:61\n",
    "a word for an integer": lambda valid: valid + b"x: !!int word\n",
    "a word for a float": lambda valid: valid + b"x: !!float word\n",
    "a word for a timestamp": lambda valid: valid + b"x: !!timestamp word\n",
    "a word for binary": lambda valid: valid + "x: !!binary Ω\n".encode(),
    "a set": lambda valid: valid + b"x: !!set {a, b}\n",
    "pairs that are none": lambda valid: valid + b"x: !!pairs 3\n",
    "an object of Python": lambda valid: valid + b"x: !!python/object/apply:os.system ['echo']\n",
    "an unknown tag": lambda valid: valid + b"x: !foo bar\n",
    "an alias of nothing": lambda valid: valid + b"x: *nowhere\n",
    "a list that holds itself": lambda valid: valid + b"x: &a [*a]\n",
    "a mapping that holds itself": lambda valid: valid + b"x: &a {y: *a}\n",
    "a merge of a number": lambda valid: valid + b"x: {<<: 3}\n",
    "a million laughs": lambda _: laughs(7, 10),
    "a billion laughs": lambda _: laughs(30, 10),
    "five thousand digits": lambda valid: valid + b"x: " + b"9" * 5000 + b"\n",
    "five thousand digits in base 60": lambda valid: valid + b"x: 1" + b":59" * 5000 + b"\n",
    "ten thousand brackets": lambda _: b"x: " + b"[" * 10_000 + b"]" * 10_000 + b"\n",
    "ten thousand brackets left open": lambda _: b"x: " + b"[" * 10_000 + b"\n",
    "ten thousand braces": lambda _: b"x: " + b"{a: " * 10_000 + b"1" + b"}" * 10_000 + b"\n",
    "ten thousand dashes": lambda _: b"- " * 10_000 + b"1\n",
    "a comment of fifty megabytes": lambda valid: b"#" * 50_000_000 + b"\n" + valid,
    "a key of a megabyte": lambda valid: valid + b'"' + b"k" * 1_000_000 + b'": 1\n',
    "a quote that never ends": lambda valid: valid + b'x: "abc\n',
    "a NUL in a text": lambda valid: valid + b'x: "a\\0b"\n',
    "a surrogate in a text": lambda valid: valid + b'x: "\\ud800"\n',
    "a seed that is a list": lambda _: at("seed")("[1]"),
    "a seed that is not finite": lambda _: at("seed")(".inf"),
    "a seed of five thousand digits": lambda _: at("seed")("9" * 5000),
    "a run of nothing": lambda _: at("run")("[]"),
    "a run that is a number": lambda _: at("run")("3"),
    "a run of lists": lambda _: at("run")("[[fig5_2]]"),
    "experiments that are a list": lambda _: at("experiments")("[fig5_2]"),
    "an experiment that is a number": lambda _: at("experiments", "fig5_2")("3"),
    "orders that are a mapping": lambda _: at("experiments", "fig5_2", "orders")("{a: 1}"),
    "orders that are not numbers": lambda _: at("experiments", "fig5_2", "orders")("[.nan, .inf]"),
    "orders of five thousand digits": lambda _: at("experiments", "fig5_2", "orders")(f"[{'9' * 5000}]"),
    "a grid of a wrong kind": lambda _: at("experiments", "fig5_2", "orders")("{from: [1], to: {}, points: x}"),
    "a grid of a billion points": lambda _: at("experiments", "fig5_2", "orders")("{from: 2, to: 3, points: 1e9}"),
    "a grid that overflows": lambda _: at("experiments", "fig5_2", "orders")("{ln_from: 1, ln_to: 1e300, points: 5}"),
    "a path with a NUL": lambda _: at("logs", "iraq")('"a\\0b.csv"'),
    "a path that is a list": lambda _: at("logs", "iraq")("[a]"),
    "a log of a log that is like itself": lambda _: b"like: log\n",
    "a log that is like nothing": lambda _: b"like: no_such_log\n",
    "a log that is like a path": lambda _: b"like: ../../etc/passwd\n",
    "months that are none": lambda _: b"like: iraq\ntime: {from: 2005-13, to: x}\n",
    "months for ten thousand years": lambda _: b"like: iraq\ntime: {from: '0001-01', to: '9999-12'}\n",
    "months in reverse": lambda _: b"like: iraq\ntime: {from: 2009-01, to: 2004-01}\n",
    "a time format that is none": lambda _: b'like: iraq\ntime: {format: "%Q%"}\n',
    "columns that are numbers": lambda _: b"like: iraq\ncolumns: [1, 2]\n",
    "a column twice": lambda _: b"like: iraq\ncolumns: [type, type]\n",
    "a delimiter of two characters": lambda _: b'like: iraq\ndelimiter: "ab"\n',
    "a delimiter that is a quote": lambda _: b"like: iraq\ndelimiter: '\"'\n",
    "an encoding that is none": lambda _: b"like: iraq\nencoding: klingon\n",
    "an encoding that is no text": lambda _: b"like: iraq\nencoding: zlib\n",
    "outcomes that are empty": lambda _: b"like: iraq\nfeatures: {type: {outcomes: []}}\n",
    "no regions": lambda _: b"like: iraq\nregion: {keep: []}\n",
    "a unit that is a number": lambda _: b"like: iraq\nunit: 7\n",
}
