"""JSON, strictly read: no key twice, no NaN and no infinity, no number or nesting that trips who uses it."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dpsampling.files import regular_files

LARGEST = 64 << 20  # bytes of a file
LONGEST = 40  # digits of a whole number; it still has a float


def read(path: Path) -> Any:
    """What a file says; an OSError or a ValueError without any of its text if it cannot be read."""
    return loads(regular_files.content(path, LARGEST))


def loads(text: str | bytes) -> Any:
    """What a text says, or a ValueError."""
    text = text.decode() if isinstance(text, bytes) else text
    try:
        found = json.loads(
            text, object_pairs_hook=_mapping, parse_constant=_no_number, parse_int=_whole, parse_float=_fraction
        )
        if "\\u" in text:
            json.dumps(found, ensure_ascii=False).encode()  # half a surrogate pair could be written nowhere
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    return found


def _mapping(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    pairs = list(pairs)
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no number of JSON")


def _whole(digits: str) -> int:
    if len(digits) > LONGEST:
        raise ValueError(f"a whole number has more than {LONGEST} digits")
    return int(digits)


def _fraction(digits: str) -> float:
    found = float(digits)
    if math.isinf(found):
        raise ValueError("a number is beyond what floats can be")
    return found
