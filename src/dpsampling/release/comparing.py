"""What is told against what follows, place by place: documents of JSON, the form of release.json, and cards."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from dpsampling.errors import one_line

CLOSE, NOUGHT = 1e-9, 1e-12  # of floats that were computed twice, relative and absolute
SHOWN = 60  # characters of a value
MOST = 20  # faults of one kind that are told one by one

# The form of release.json: a type, a tuple of types, a list of one form, or names with their forms; … is any name.
FORM: Mapping[str, Any] = {
    "format": str,
    "version": int,
    "kind": str,
    "title": str,
    "on": str,
    "unit": {"name": str, "most": int, "identified": bool},
    "declared": dict,
    "mechanism": dict,
    "guarantee": {"epsilon": float, "delta": float, "relation": str, "conditions": [str]},
    "budget": {"total": float, "spent": float, "left": float, "delta": float, "charged": float},
    "numbers": {"shape": [int], "exponent": int, "integers": [int]},
    "settings": dict,
    "chance": str,
    "made_with": {...: str},
    "answered": {"quantum": float, "at": int},
    "derived_from": (str, type(None)),
    "results": dict,
}
CALLED = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", dict: "a mapping"}


def misshapen(found: Any, form: Any, at: str) -> Iterator[str]:
    """Where a document has another form."""
    if isinstance(form, Mapping):
        if not isinstance(found, dict):
            yield f"{at} is {shown(found)}, where a mapping belongs"
            return
        form = dict.fromkeys(found, form[...]) if ... in form else form
        yield from _names(found, form, at)
        for name in form.keys() & found.keys():
            yield from misshapen(found[name], form[name], under(at, name))
    elif isinstance(form, list):
        if not isinstance(found, list):
            yield f"{at} is {shown(found)}, where a list belongs"
            return
        for place, item in enumerate(found):
            yield from misshapen(item, form[0], f"{at}[{place}]")
    else:
        allowed = form if isinstance(form, tuple) else (form,)
        if type(found) not in allowed and not (float in allowed and type(found) is int):
            yield f"{at} is {shown(found)}, where {CALLED[allowed[0]]} belongs"


def differences(found: Any, expected: Any, at: str, close: float = CLOSE) -> Iterator[str]:
    """Where two documents differ; numbers may by `close` of themselves."""
    if isinstance(expected, Mapping) and isinstance(found, Mapping):
        yield from _names(found, expected, at)
        for name in expected:
            if name in found:
                yield from differences(found[name], expected[name], under(at, name), close)
    elif isinstance(expected, list) and isinstance(found, list):
        if len(found) != len(expected):
            yield f"{at} has {len(found)} items, where {len(expected)} follow from the numbers"
            return
        for place, (one, other) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, other, f"{at}[{place}]", close)
    elif not _same(found, expected, close):
        yield f"{at} is {shown(found)}, where {shown(expected)} follows from the numbers"


def of_cards(found: Sequence[tuple[str, str]], expected: Sequence[tuple[str, str]], name: str) -> Iterator[str]:
    """Under which headings two cards differ, each a sequence of headings and paragraphs."""
    said, follows = _by_heading(found), _by_heading(expected)
    for heading in [*follows, *(heading for heading in said if heading not in follows)]:
        one, other = said.get(heading, []), follows.get(heading, [])
        if one == other:
            continue
        where = f"{name}, under {shown(heading)}"
        if not other:
            yield f"{where}, says something that does not follow from the numbers"
        elif not one:
            yield f"{where}, says nothing, where {len(other)} paragraphs follow from the numbers"
        elif len(one) != len(other):
            yield f"{where}, has {len(one)} paragraphs, where {len(other)} follow from the numbers"
        else:
            place = next(i for i, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
            yield f"{where}, says other words in paragraph {place + 1} than follow from the numbers"


def paragraphs(markdown: str) -> list[tuple[str, str]]:
    """A card as Markdown, paragraph by paragraph, each with its heading."""
    found, heading = [], ""
    for part in markdown.split("\n\n"):
        part = part.strip("\n")
        if part.startswith("## "):
            heading = part.removeprefix("## ")
        else:
            found.append((heading, part))
    return found


def some(faults: Iterable[str]) -> list[str]:
    """The first faults of a kind, and whether there are more."""
    found = list(islice(faults, MOST + 1))
    return found if len(found) <= MOST else [*found[:MOST], f"… and more of the same, after {found[MOST - 1]!r}"]


def shown(value: Any) -> str:
    """A value in a few characters."""
    told = one_line(json.dumps(value, ensure_ascii=False)) if not isinstance(value, str) else f"'{one_line(value)}'"
    return told if len(told) <= SHOWN else f"{told[:SHOWN]}…"


def under(at: str, name: str) -> str:
    """The place of a name."""
    return f"{at}{': ' if at.endswith('.json') else '.'}{one_line(name)[:SHOWN]}"


def _names(found: Mapping[str, Any], expected: Mapping[str, Any], at: str) -> Iterator[str]:
    for name in expected:
        if name not in found:
            yield f"{under(at, name)} is missing"
    for name in found:
        if name not in expected:
            yield f"{under(at, name)} is there, and belongs to no such release"


def _same(one: Any, other: Any, close: float) -> bool:
    if type(one) in (int, float) and type(other) in (int, float):
        return bool(one == other or (close and math.isclose(one, other, rel_tol=close, abs_tol=NOUGHT)))
    return type(one) is type(other) and bool(one == other)


def _by_heading(card: Sequence[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for heading, words in card:
        found.setdefault(heading, []).append(words)
    return found
