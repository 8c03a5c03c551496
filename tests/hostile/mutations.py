"""Random damage, decided by a generator of random numbers: to bytes, to lines, to archives, to words."""

import gzip
import io
import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np

from hostile.corpus_archives import members, npy, packed
from hostile.corpus_arguments import LINES, VALUES

Damage = Callable[[bytes, random.Random], bytes]
TOKENS = [
    *(b"", b"0", b"-1", b"1e400", b"-inf", b"nan", b"1e-320", b"9" * 400, b"null", b"true", b"~", b"2021-02-30"),
    *(b"\0", b"\xff", b"\xef\xbb\xbf", b"\xcf\x81", b"\xf0\x9f\x99\x82", b"\n", b"\r", b"\t", b"\\", b'"\\ud800"'),
    *(b",", b";", b":", b"- ", b"[", b"]", b"{", b"}", b'"', b"'", b"#", b"|", b"? ", b"[" * 200),
    *(b"&a ", b"*a", b"!!int ", b"<<: ", b"%s", b"{0}", b"$x$"),
]  # fmt: skip
DTYPES = ["i1", "u8", "f2", "f8", "c16", "?", "S3", "U3", "M8[s]", ">i4"]
# What these say decides how long a command may take, so that a random word can be right and slow.
SIZES = ("--rows VALUE", "--states VALUE", "runs=VALUE", "--multiplier VALUE", "--quantum VALUE")


def bits(valid: bytes, draw: random.Random) -> bytes:
    content = bytearray(valid or b"x")
    for _ in range(draw.choice((1, 1, 3, 20))):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    return bytes(content)


def cut(valid: bytes, draw: random.Random) -> bytes:
    start, end = sorted(draw.randrange(len(valid) + 1) for _ in range(2))
    return draw.choice((valid[:start], valid[start:], valid[:start] + valid[end:]))


def put_in(valid: bytes, draw: random.Random) -> bytes:
    for _ in range(draw.choice((1, 2, 5))):
        place = draw.randrange(len(valid) + 1)
        valid = valid[:place] + draw.choice(TOKENS) + valid[place + draw.choice((0, 0, 1, 4)) :]
    return valid


def lines(valid: bytes, draw: random.Random) -> bytes:
    found = valid.splitlines(keepends=True) or [b""]
    i, j = (draw.randrange(len(found)) for _ in range(2))
    change = draw.choice(("swap", "again", "without", "joined"))
    if change == "swap":
        found[i], found[j] = found[j], found[i]
    elif change == "again":
        found[i:i] = [found[j]] * draw.choice((1, 2, 50))
    elif change == "without":
        del found[i]
    else:
        found[i] = found[i].rstrip()
    return b"".join(found)


def cells(valid: bytes, draw: random.Random) -> bytes:
    """One cell, word or number replaced by something else."""
    separator = draw.choice((b",", b",", b" ", b"\n", b":"))
    found = valid.split(separator)
    found[draw.randrange(len(found))] = draw.choice((*TOKENS, repr(draw.uniform(-1e9, 1e9)).encode()))
    return separator.join(found)


def encoded(valid: bytes, draw: random.Random) -> bytes:
    text = valid.decode("utf-8", errors="replace")
    return text.encode(draw.choice(("utf-16", "utf-32-be", "cp037", "utf-7")), errors="replace")


def value(draw: random.Random, depth: int = 0) -> Any:
    """Anything that JSON can say."""
    if depth < 5 and draw.random() < 0.4:
        some = range(draw.randrange(4))
        return (
            [value(draw, depth + 1) for _ in some]
            if draw.random() < 0.5
            else {str(i): value(draw, depth + 1) for i in some}
        )
    chosen = (
        None, True, 0, -1, 1e308, float("nan"), float("inf"), 10 ** draw.randrange(60), draw.random(), "", "word",
        "ρ\0",
    )  # fmt: skip
    return draw.choice(chosen)


def values(valid: bytes, draw: random.Random) -> bytes:
    """A JSON document with values at random places replaced or removed; YAML reads it too."""
    try:
        told = json.loads(valid)
    except ValueError:
        told = {}
    for _ in range(draw.choice((1, 1, 2, 4))):
        inside = told
        while isinstance(inside, dict | list) and inside:
            key = draw.choice(list(inside) if isinstance(inside, dict) else range(len(inside)))
            if draw.random() < 0.4 or not isinstance(inside[key], dict | list):
                inside[key] = value(draw)
                break
            inside = inside[key]
    return json.dumps(told if told else value(draw)).encode()


TEXTS: tuple[Damage, ...] = (bits, cut, put_in, lines, cells, cells)


def text(valid: bytes, draw: random.Random) -> bytes:
    """Some damage to a text, rarely all of it in another encoding."""
    for _ in range(draw.choice((1, 1, 2, 3))):
        valid = draw.choice(TEXTS)(valid, draw)
    return encoded(valid, draw) if draw.random() < 0.03 else valid


def document(valid: bytes, draw: random.Random) -> bytes:
    return (values if draw.random() < 0.6 else text)(valid, draw)


def array(draw: random.Random, old: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """An array of another type, shape or content."""
    change = draw.choice(("type", "shape", "one value", "one value", "fewer", "random"))
    if change == "type":
        return np.zeros(old.shape, dtype=draw.choice(DTYPES))
    if change == "shape":
        return draw.choice((old.ravel(), old[None], old.T.copy(), np.concatenate([old.ravel()] * 2)))
    if change == "fewer":
        return old.ravel()[: draw.randrange(max(old.size, 1))]
    if change == "random" or not old.size or old.dtype.kind not in "iuf":
        return np.array([draw.choice((0, -1, 2**62, 0.5)) for _ in range(draw.randrange(9))])
    new = old.copy()
    extremes = (
        (np.nan, np.inf, -1.0) if old.dtype.kind == "f" else (0, 1, np.iinfo(old.dtype).max, np.iinfo(old.dtype).min)
    )
    new.flat[draw.randrange(new.size)] = draw.choice(extremes)
    return new


def archive(valid: bytes, draw: random.Random) -> bytes:
    """An .npz file damaged as a whole, or whole again with a member that is damaged."""
    if draw.random() < 0.25:
        return draw.choice((bits, cut, put_in))(valid, draw)
    files = members(valid)
    name = draw.choice(list(files))
    if draw.random() < 0.2:
        files[name] = draw.choice((bits, cut, put_in))(files[name], draw)
    elif name == "about.npy":
        told = str(np.load(io.BytesIO(files[name]))[()])
        files[name] = npy(np.array(values(told.encode(), draw).decode("utf-8", errors="replace")))
    else:
        files[name] = npy(array(draw, np.load(io.BytesIO(files[name]))))
    return packed(files)


def gz(valid: bytes, draw: random.Random) -> bytes:
    """A gzip file damaged itself, or whole with a text that is damaged."""
    if draw.random() < 0.5:
        return draw.choice((bits, cut, put_in))(valid, draw)
    return gzip.compress(text(gzip.decompress(valid), draw), mtime=0)


DAMAGES: dict[str, Damage] = {"YAML": text, "CSV": text, "gzip": gz, "npz": archive, "JSON": document}


def word(draw: random.Random) -> str:
    """A word on the command line; no NUL, which none can hold."""
    chosen = draw.choice(
        (
            draw.choice(list(VALUES.values())),
            draw.choice(TOKENS).decode("utf-8", errors="surrogateescape"),
            json.dumps(value(draw)),
            repr(draw.uniform(-1, 1) * 10 ** draw.randrange(-30, 30)),
            "".join(
                chr(draw.choice((draw.randrange(1, 128), draw.randrange(1, 0xD800)))) for _ in range(draw.randrange(9))
            ),
        )
    )
    return chosen.replace("\0", "")


def command(draw: random.Random) -> tuple[str, list[str]]:
    """A command line, and its words with something odd in the place of VALUE and perhaps elsewhere."""
    line = draw.choice([line for line in LINES if not any(size in line for size in SIZES)])
    words = [told.replace("VALUE", word(draw)) for told in line.split()]
    if draw.random() < 0.2:
        place = draw.randrange(len(words) + 1)
        words[place:place] = [draw.choice((word(draw), *words))]
    elif draw.random() < 0.2:
        del words[draw.randrange(len(words))]
    if words == ["fetch", "--"]:  # of no name it fetches all there is, into the project
        words.append("VALUE")
    return line, words
