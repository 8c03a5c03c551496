"""The project's own documents: where they are, how YAML is read, and what their schemas allow.

What is wrong is said in one sentence that names the key, what it is and what it may be.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

from dpsampling import regular_files, strict_yaml
from dpsampling.errors import InputError, did_you_mean
from dpsampling.grids import show

Document = dict[str, Any]

LARGEST = 1 << 20  # bytes of a file
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_WHOLE = re.compile(r"[-+]?\d+")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")


# -- where they are ---------------------------------------------------------------------------------------------------


@cache
def root() -> Path:
    """The folder that holds config/, workflow/schemas/ and data/published/: the checkout, or their copy in a wheel."""
    packaged = Path(__file__).parent / "_project"
    return packaged if packaged.is_dir() else Path(__file__).parents[2]


def published(name: str) -> Path:
    """A file of published numbers."""
    return root() / "data" / "published" / name


def named(folder: str) -> list[str]:
    """The names of the YAML files in a folder of config/, sorted; they become names of targets and of folders."""
    found = sorted(path.stem for path in (root() / "config" / folder).glob("*.yaml"))
    odd = next((name for name in found if not _NAME.fullmatch(name)), None)
    if odd is not None:
        raise InputError(
            f"config/{folder}/{odd}.yaml cannot be called so; a name is letters, digits, '-' and '_', and does "
            "not begin with '-' or '_'."
        )
    return found


# -- how they are read ------------------------------------------------------------------------------------------------


def read_yaml(path: Path) -> Document:
    """A YAML mapping."""
    try:
        text = regular_files.content(Path(path), LARGEST).decode("utf-8-sig")
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; name a YAML file that does.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a text file that can be read; name a YAML file.") from error
    document = strict_yaml.load(text, str(path), "write 'key: value' lines as in config/config.yaml")
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise InputError(f"{path} holds no mapping; write 'key: value' lines as in config/config.yaml.")
    return document


def merge(base: Mapping[str, Any], over: Mapping[str, Any]) -> Document:
    """Mappings are merged, everything else is replaced; neither argument is changed."""
    result = deepcopy(dict(base))
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = merge(result[key], value) if both else deepcopy(value)
    return result


# -- what they may say ------------------------------------------------------------------------------------------------


@cache
def schema_named(name: str) -> Document:
    """A schema of workflow/schemas."""
    return read_yaml(root() / "workflow" / "schemas" / f"{name}.schema.yaml")


def check_against(value: Any, schema: Mapping[str, Any], where: str, name: str = "") -> None:
    """Raise the first violation as a sentence."""
    if plainly_allowed(value, schema):
        return
    _check_keys(value, where)
    if isinstance(value, list) and len(value) > schema.get(
        "maxItems", len(value)
    ):  # its items may be wrong by millions
        raise InputError(f"{where}: {name} is {len(value)} values; it must be {_allowed(schema)}.")
    from jsonschema import Draft202012Validator  # takes longer to import than most documents to check

    error = next(
        iter(sorted(Draft202012Validator(schema).iter_errors(value), key=lambda e: list(map(str, e.path)))), None
    )
    if error is None:
        return
    path = "".join(
        f"[{p}]" if isinstance(p, int) else f".{p}" for p in ([name] if name else []) + list(error.absolute_path)
    )
    path = path.removeprefix(".")
    prefix = f"{where}: " if where else ""
    if error.validator == "additionalProperties":
        known = list(error.schema["properties"])
        key = next(k for k in error.instance if k not in known)
        inside = f" of {path}" if path else ""
        raise InputError(
            f"{prefix}unknown key '{key}'{inside}{did_you_mean(str(key), known)}; known are {', '.join(known)}."
        )
    if error.validator == "required":
        missing = next(k for k in error.validator_value if k not in error.instance)
        raise InputError(f"{prefix}'{missing}' is missing; add it.")
    raise InputError(f"{prefix}{path} is {show(error.instance)}; it must be {_allowed(error.schema)}.")


def _check_keys(value: Any, where: str) -> None:
    """That the keys of mappings are text, whatever YAML takes them for."""
    if isinstance(value, Mapping):
        items = list(value.items())
        for place, (key, _) in enumerate(items):
            if not isinstance(key, str):
                _check_brackets(items[max(place - 1, 0) :], where)
                raise InputError(f"{where}: the key {key} is no text; put it in quotes.")
    for item in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        _check_keys(item, where)


def _check_brackets(items: list[tuple[Any, Any]], where: str) -> None:
    """That the first of these is no list without brackets: {prior: 3, 10} has a key 10 without a value."""
    (name, first), *others = items
    alone = [key for key, _ in takewhile(lambda item: _is_of_kind(item[0], "number") and item[1] is None, others)]
    if alone and _is_of_kind(first, "number"):
        meant = f"{name}: {show([first, *alone])}"
        raise InputError(f"{where}: {alone[0]} stands alone after {name}; a list needs brackets, as in {meant}.")


_BOUNDS: dict[str, Callable[[float, float], bool]] = {
    "minimum": operator.ge,
    "exclusiveMinimum": operator.gt,
    "maximum": operator.le,
    "exclusiveMaximum": operator.lt,
}
_KINDS: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
}
_KNOWN = {"$schema", "title", "description", "type", "enum", "const", "properties", "required", "additionalProperties"}
_KNOWN |= {"items", "minItems", "maxItems", "uniqueItems", "minProperties", "oneOf", *_BOUNDS}


def plainly_allowed(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value is allowed by keywords that are understood here; False says nothing.

    Most values are, and every job of a run checks some: what finds violations takes ten times as long to import.
    """
    if not _KNOWN.issuperset(schema):
        return False
    if "type" in schema and not _is_of_kind(value, schema["type"]):
        return False
    if "oneOf" in schema:
        fitting = [option for option in schema["oneOf"] if plainly_allowed(value, option)]
        others = [option for option in schema["oneOf"] if option not in fitting]
        if len(fitting) != 1 or not all(_plainly_other(value, option) for option in others):
            return False
    if "enum" in schema and not (isinstance(value, str) and value in schema["enum"]):
        return False
    if "const" in schema and not (isinstance(value, str) and value == schema["const"]):
        return False
    if isinstance(value, dict):
        return _plain_mapping(value, schema)
    if isinstance(value, list):
        return _plain_list(value, schema)
    numeric = isinstance(value, int | float) and not isinstance(value, bool)
    return not numeric or all(_BOUNDS[key](value, schema[key]) for key in _BOUNDS if key in schema)


def _is_of_kind(value: Any, name: str) -> bool:
    kind = _KINDS.get(name)
    return kind is not None and isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def _plainly_other(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a schema is for values of another kind."""
    kind = next((name for name in ("string", "array", "object") if _is_of_kind(value, name)), None)
    told = "string" if isinstance(schema.get("const"), str) else schema.get("type")
    return told is not None and (told != kind if kind else told not in {"integer", "number", "boolean"})


def _plain_mapping(value: Mapping[Any, Any], schema: Mapping[str, Any]) -> bool:
    named, others = schema.get("properties", {}), schema.get("additionalProperties", True)
    if len(value) < schema.get("minProperties", 0) or any(key not in value for key in schema.get("required", ())):
        return False
    for key, item in value.items():
        if not isinstance(key, str):
            return False
        if key in named:
            if not plainly_allowed(item, named[key]):
                return False
        elif not (others is True or (isinstance(others, Mapping) and plainly_allowed(item, others))):
            return False
    return True


def _plain_list(value: list[Any], schema: Mapping[str, Any]) -> bool:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return False
    if schema.get("uniqueItems"):
        plain = all(isinstance(item, str | int | float) and not isinstance(item, bool) for item in value)
        if not plain or len(set(value)) != len(value):
            return False
    return "items" not in schema or all(plainly_allowed(item, schema["items"]) for item in value)


def _allowed(schema: Mapping[str, Any]) -> str:
    """What a schema allows, in words."""
    if "enum" in schema:
        return " or ".join(f"'{v}'" for v in schema["enum"])
    if "const" in schema:
        return f"'{schema['const']}'"
    if "oneOf" in schema:
        return ", or ".join(_allowed(option) for option in schema["oneOf"])
    kind = schema.get("type")
    if kind == "array":
        count = schema.get("minItems", 0)
        most = schema.get("maxItems")
        text = f"a list of {count} {f'to {most}' if most else 'or more'} values" if count else "a list"
        text += f", each {_allowed(schema['items'])}" if "items" in schema else ""
        return text + (", none twice" if schema.get("uniqueItems") else "")
    if kind == "object":
        return "a mapping of keys to values"
    if kind == "string":
        return schema.get("title", f"text that matches {schema['pattern']}") if "pattern" in schema else "text"
    bounds = (
        ("exclusiveMinimum", "above"),
        ("minimum", "at least"),
        ("exclusiveMaximum", "below"),
        ("maximum", "at most"),
    )
    limits = [f"{word} {schema[key]}" for key, word in bounds if key in schema]
    return ("a whole number " if kind == "integer" else "a number ") + " and ".join(limits)


def numbers(value: Any, where: str) -> Any:
    """Strings that spell numbers as numbers (YAML 1.1 and command lines make 1e-3 a string); no infinities."""
    if isinstance(value, Mapping):
        return {key: numbers(item, where) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item, where) for item in value]
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        if len(value) > strict_yaml.LONGEST:
            raise InputError(f"{where} has {len(value)} characters; a number has at most {strict_yaml.LONGEST}.")
        value = int(value) if _WHOLE.fullmatch(value.strip()) else float(value)  # a float would lose digits of a seed
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{where} is {value}; it must be finite.")
    return value


def whole_numbers(value: Any, schema: Mapping[str, Any]) -> Any:
    """1e6 as 1000000 where a whole number is meant."""
    if schema.get("type") == "integer":
        return int(value)
    if isinstance(value, list) and schema.get("items", {}).get("type") == "integer":
        return [int(item) for item in value]
    return value
