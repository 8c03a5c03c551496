"""Hostile JSON: what is done to any document, and to each of its values."""

import json
from collections.abc import Callable
from typing import Any

from hostile.corpus_text import ANY

Change = Callable[[bytes], bytes]


def all_values(value: str) -> Change:
    """The same keys, every value replaced by a text."""
    return lambda valid: (
        "{" + ", ".join(f"{json.dumps(key)}: {value}" for key in json.loads(first(valid))) + "}"
    ).encode()


def one_value(index: int, value: Any) -> Change:
    """One value replaced, and the others as they were."""

    def changed(valid: bytes) -> bytes:
        told = json.loads(first(valid))
        return json.dumps(told | {list(told)[index % len(told)]: value}).encode()

    return changed


def without(index: int) -> Change:
    """One key fewer."""

    def changed(valid: bytes) -> bytes:
        told = json.loads(first(valid))
        del told[list(told)[index % len(told)]]
        return json.dumps(told).encode()

    return changed


def first(valid: bytes) -> bytes:
    """The document, or the first of many lines that are one each."""
    try:
        json.loads(valid)
    except ValueError:
        return valid.splitlines()[0]
    return valid


VALUES: dict[str, Any] = {
    "null": None,
    "a list": [],
    "a mapping": {},
    "a word": "word",
    "minus one": -1,
    "a truth value": True,
    "nested lists": [[[[]]]],
    "NaN": float("nan"),
}

JSON: dict[str, Change] = {
    **ANY,
    "null": lambda _: b"null",
    "a number": lambda _: b"1",
    "a word": lambda _: b'"word"',
    "a list": lambda _: b"[1, 2]",
    "an empty mapping": lambda _: b"{}",
    "NaN alone": lambda _: b"NaN",
    "a hundred thousand brackets": lambda _: b"[" * 100_000 + b"]" * 100_000,
    "a hundred thousand brackets left open": lambda _: b"[" * 100_000,
    "a hundred thousand braces": lambda _: b'{"a": ' * 100_000 + b"1" + b"}" * 100_000,
    "trailing words": lambda valid: valid + b"word",
    "two documents": lambda valid: valid + valid,
    "comments": lambda valid: b"// hello\n" + valid,
    "every key twice": lambda valid: valid.rstrip()[:-1] + b", " + valid.lstrip()[1:],
    "every value null": all_values("null"),
    "every value NaN": all_values("NaN"),
    "every value infinite": all_values("-Infinity"),
    "every value beyond floats": all_values("1e400"),
    "every value five thousand digits": all_values("9" * 5000),
    "every value a surrogate": all_values(r'"\ud800"'),
    "every value with a NUL": all_values(r'"a\u0000b"'),
    "every value a long text": all_values(f'"{"x" * 100_000}"'),
    "every value deep": all_values("[" * 500 + "]" * 500),
    **{f"value {i} is {name}": one_value(i, value) for i in range(6) for name, value in VALUES.items()},
    **{f"key {i} is missing": without(i) for i in range(6)},
}
