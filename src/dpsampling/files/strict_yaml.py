"""YAML, strictly read: what its text says becomes mappings, lists, text, dates and finite numbers, and nothing else.

A key that stands twice, an alias that stands within itself or multiplies, nesting that nobody writes, and a number or a
date that is none are each an InputError with its line. The text of such a value is not repeated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Any, NoReturn

import yaml

from dpsampling.errors import InputError

DEEPEST = 50  # levels
LONGEST = 100  # characters of a number; a whole one still has a float
MOST = 50_000  # values, each alias written out

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the compiled one where PyYAML has it: ten times as fast
_SCALARS = yaml.constructor.SafeConstructor()
_OF = "tag:yaml.org,2002:"
# The compiled composer overflows the stack at some 30,000 levels. Each level and each value takes one of these.
_MARKS, _SURELY_SMALL = "[{-?:,", 5_000


def load(text: str, where: str, remedy: str) -> Any:
    """What a text says, or an InputError that begins with `where` and ends with the remedy."""
    try:
        if sum(map(text.count, _MARKS)) > _SURELY_SMALL:
            _check_outline(text, where)
        node = yaml.compose(text, Loader=_LOADER)
    except (yaml.YAMLError, UnicodeError) as error:
        mark = getattr(error, "problem_mark", None)
        at = f" at line {mark.line + 1}" if mark else ""
        raise InputError(f"{where} is not YAML{at}; {_remedy(error, text) or remedy}.") from error
    return None if node is None else _value(node, where, DEEPEST, count(1))


def _remedy(error: Exception, text: str) -> str:
    """What to do about what is no YAML, where the parser's words tell the cause; PyYAML's two parsers share these."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return ""
    problem, context, mark = str(error.problem), str(error.context), error.problem_mark
    line = next(islice(text.split("\n"), mark.line, None), "")
    before, there = line[: mark.column], line[mark.column : mark.column + 1]
    if "mapping values are not allowed" in problem and ": " in before:
        return "a text with a colon needs quotes, as in title: 'one: two'"
    if "tab character" in problem or ("cannot start any token" in problem and there == "\t"):
        return "a tab stands where only spaces may; indent with spaces"
    if "cannot start any token" in problem and there:
        return f"a text that begins with {there} needs quotes"
    begun = error.context_mark.line + 1 if error.context_mark else mark.line + 1
    for kind, opening, closing in (("flow mapping", "{", "}"), ("flow sequence", "[", "]")):
        if kind in context and f"',' or '{closing}'" in problem:
            return (
                f"the {opening} of line {begun} has no {closing}, or lacks a comma, or holds a text with a colon that "
                "needs quotes; add what is missing"
            )
    if "quoted scalar" in context and "end of stream" in problem:
        return f"the quotes that begin in line {begun} have no end; close them"
    return ""


def _check_outline(text: str, where: str) -> None:
    """Depth and number of values, from what stands there, without building anything of it."""
    depth = values = 0
    for event in yaml.parse(text, Loader=_LOADER):
        if isinstance(event, yaml.NodeEvent):
            values += 1
            if values > MOST:
                _refuse_number(where, event)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST:
                _refuse_nesting(where, event)
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _value(node: yaml.Node, where: str, levels: int, counted: Iterator[int]) -> Any:
    """What a node stands for, with so many levels left below it."""
    if next(counted) > MOST:
        _refuse_number(where, node)
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node, where)
    if levels == 0:
        _refuse_nesting(where, node)
    if node.tag == f"{_OF}seq":
        return [_value(item, where, levels - 1, counted) for item in node.value]
    if node.tag != f"{_OF}map":
        _refuse_tag(where, node)
    found: dict[Any, Any] = {}
    for key_node, item in node.value:
        if not isinstance(key_node, yaml.ScalarNode):
            _refuse(where, key_node, "a key is a list or a mapping; write a word")
        key = _scalar(key_node, where)
        if key in found:
            _refuse(where, key_node, f"the key '{key}' stands twice; keep one of them")
        found[key] = _value(item, where, levels - 1, counted)
    return found


def _scalar(node: yaml.ScalarNode, where: str) -> Any:
    if node.tag == _TEXT:
        return node.value
    make = _MAKERS.get(node.tag)
    if make is None:
        _refuse_tag(where, node)
    try:
        value = make(node)
    except (ValueError, ArithmeticError, LookupError, AttributeError):
        _refuse(where, node, f"what stands there is no {node.tag.removeprefix(_OF)}; correct it, or put it in quotes")
    if isinstance(value, float) and not math.isfinite(value):
        _refuse(where, node, f"a number is {value}; it must be finite")
    return value


def _number(make: Callable[[yaml.ScalarNode], Any]) -> Callable[[yaml.ScalarNode], Any]:
    def short(node: yaml.ScalarNode) -> Any:
        if len(node.value) > LONGEST:
            raise ValueError
        return make(node)

    return short


_TEXT = f"{_OF}str"
_MAKERS: dict[str, Callable[[yaml.ScalarNode], Any]] = {
    f"{_OF}null": _SCALARS.construct_yaml_null,
    f"{_OF}bool": _SCALARS.construct_yaml_bool,
    f"{_OF}int": _number(_SCALARS.construct_yaml_int),
    f"{_OF}float": _number(_SCALARS.construct_yaml_float),
    f"{_OF}timestamp": _SCALARS.construct_yaml_timestamp,
}


def _refuse_nesting(where: str, at: Any) -> NoReturn:
    _refuse(where, at, f"it is nested in more than {DEEPEST} levels, or contains itself; write it flat")


def _refuse_number(where: str, at: Any) -> NoReturn:
    _refuse(where, at, f"it stands for more than {MOST} values; write fewer")


def _refuse_tag(where: str, node: yaml.Node) -> NoReturn:
    _refuse(where, node, f"the tag {node.tag.replace(_OF, '!!')} is not understood; write a plain value")


def _refuse(where: str, at: Any, why: str) -> NoReturn:
    raise InputError(f"{where}, line {at.start_mark.line + 1}: {why}.")
