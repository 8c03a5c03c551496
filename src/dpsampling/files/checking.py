"""How a document is checked against its type: strictly, and every violation at once, each in one sentence.

A sentence names the file, the key, what it is and what it may be; the last is read off the type's JSON schema.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from typing import Annotated, Any, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    WrapValidator,
)
from pydantic_core import ErrorDetails, core_schema

from dpsampling.errors import InputError, did_you_mean
from dpsampling.files.grids import expand, show

Schema = dict[str, Any]

TEXT, LIST, MAPPING, NUMBER = (Tag(f"<{kind}>") for kind in ("text", "list", "mapping", "number"))
KINDS: dict[str, Any] = {TEXT.tag: str, LIST.tag: list, MAPPING.tag: dict, NUMBER.tag: (int, float)}
LIMITS = {"exclusiveMinimum": "above", "minimum": "at least", "exclusiveMaximum": "below", "maximum": "at most"}


class Form(BaseModel):
    """A mapping with these keys and no others; no value is taken for one of another type."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True, defer_build=True)


def key(about: str, default: Any = ..., **limits: Any) -> Any:
    """Return a key of a Form: what it says, what goes without saying, and the limits of its value."""
    return Field(default, description=about, **limits)


# -- types ------------------------------------------------------------------------------------------------------------


class _Different:
    """That no value of a list stands there twice."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> Schema:
        return {**handler(core), "uniqueItems": True}

    def check(self, values: list[Any]) -> list[Any]:
        if len(set(values)) < len(values):
            raise ValueError
        return values


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _as_written(value: Any, check: Callable[[Any], Any]) -> Any:
    check(value)
    return value


def _grid_as_written(value: Any, check: Callable[[Any], Any]) -> Any:
    if not isinstance(value, Mapping):
        return check(value)
    check(expand(value, ""))
    return value


Different = _Different()
Whole = BeforeValidator(_whole)  # 1e6 is 1000000
AsWritten = WrapValidator(_as_written)  # 2 where a float is wanted stays 2
GridAsWritten = WrapValidator(_grid_as_written)  # and a grid may stand for a list, and stays one


def _kind(value: Any) -> str | None:
    found = (tag for tag, kind in KINDS.items() if isinstance(value, kind) and not isinstance(value, bool))
    return next(found, None)


BY_KIND = Discriminator(_kind)  # of a value that may be of several kinds: by these it is checked, and told about
Path = Annotated[str, Field(pattern="^[^{}]+$", title="a path without braces, which the workflow takes for wildcards")]
Paths = Annotated[list[Path], Field(min_length=1, max_length=10_000)]
PathOrPaths = Annotated[Annotated[Path, TEXT] | Annotated[Paths, LIST], BY_KIND]


class Public(Form):
    """Who answers for a file's being public whatever the rows are, and since when."""

    by: str = key("who answers for it")
    on: str = key("the day, as in 2024-05-31")


def whole(least: int, most: int) -> Any:
    """Return the type of whole numbers between two, both of them included."""
    return Annotated[int, Field(ge=least, le=most), Whole]


def number(least: float | None, most: float | None, *, above: float | None = None, below: float | None = None) -> Any:
    """Return the type of numbers between two, both of them included, or all `above` or `below` others."""
    return Annotated[float, Field(ge=least, le=most, gt=above, lt=below), AsWritten]


def several(item: Any, most: int) -> Any:
    """Return the type of lists of one to so many values, none of which stands there twice."""
    return Annotated[list[item], Field(min_length=1, max_length=most), Different, GridAsWritten]


def vector(item: Any, most: int) -> Any:
    """Return the type of lists of two to so many values, in an order that means something."""
    return Annotated[list[item], Field(min_length=2, max_length=most), GridAsWritten]


# -- checks -----------------------------------------------------------------------------------------------------------


F = TypeVar("F", bound=Form)


def document(value: Mapping[Any, Any], form: type[F], where: str) -> F:
    """Return what a document says, or raise an InputError with a sentence for each violation."""
    check_keys(value, where)
    checked: F = check(value, _adapter(form), where)
    return checked


@cache
def _adapter(form: type[F]) -> TypeAdapter[F]:
    return TypeAdapter(form)


def check(value: Any, checks: TypeAdapter[Any], where: str, name: str = "") -> Any:
    """Return what a value stands for, or raise an InputError with a sentence for each violation.

    `where` is the file, and `name` the key of the value in it, if it is not all of it.
    """
    try:
        return checks.validate_python(value)
    except ValidationError as error:
        schema, before = checks.json_schema(), f"{where}: " if where else ""
        told = [before + _sentence(each, schema, name) for each in error.errors(include_url=False)]
    raise InputError(*told)


def check_keys(value: Mapping[Any, Any] | list[Any], where: str) -> None:
    """Raise an InputError unless the keys of all mappings are text, whatever YAML takes them for."""
    if isinstance(value, Mapping):
        for place, key in enumerate(value):
            if not isinstance(key, str):
                _check_brackets(list(value.items())[max(place - 1, 0) :], where)
                raise InputError(f"{where}: the key {key} is no text; put it in quotes.")
    for item in value.values() if isinstance(value, Mapping) else value:
        if isinstance(item, Mapping | list):
            check_keys(item, where)


def _check_brackets(items: list[tuple[Any, Any]], where: str) -> None:
    """Raise an InputError if a list has no brackets: {prior: 3, 10} has a key 10 without a value."""
    (name, first), *others = items
    alone = [key for key, _ in takewhile(lambda item: _kind(item[0]) == NUMBER.tag and item[1] is None, others)]
    if alone and _kind(first) == NUMBER.tag:
        meant = f"{name}: {show([first, *alone])}"
        raise InputError(f"{where}: {alone[0]} stands alone after {name}; a list needs brackets, as in {meant}.")


# -- sentences --------------------------------------------------------------------------------------------------------


def _sentence(error: ErrorDetails, schema: Schema, name: str) -> str:
    path = [step for step in error["loc"] if step not in KINDS]
    where, inside, value = _spelled(name, path), _spelled(name, path[:-1]), error["input"]
    if error["type"] == "missing":
        return f"{f'{inside}: ' if inside else ''}'{path[-1]}' is missing; add it."
    if error["type"] == "extra_forbidden":
        known = [key for told in _inside(schema, path[:-1]) for key in told.get("properties", ())]
        of = f" of {inside}" if inside else ""
        return f"unknown key '{path[-1]}'{of}{did_you_mean(path[-1], known)}; known are {', '.join(known)}."
    cause = error.get("ctx", {}).get("error")
    if isinstance(cause, InputError):
        return f"{where} {cause}"
    told = f"{len(value)} values" if error["type"] == "too_long" else show(value)
    return f"{where} is {told}; it must be {', or '.join(map(allowed, _inside(schema, path)))}."


def _spelled(name: str, path: Sequence[str | int]) -> str:
    """Return a path as in audit.orders[1]."""
    steps = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in path]
    return (name + "".join(steps)).removeprefix(".")


def _inside(schema: Schema, path: Sequence[str | int]) -> list[Schema]:
    """Return what a schema says of the value at a path, kind by kind."""
    found = _options(schema, definitions := schema.get("$defs", {}))
    for step in path:
        below = "items" if isinstance(step, int) else "additionalProperties"
        named = [told.get("properties", {}).get(step, told.get(below)) for told in found]
        found = [option for told in named if isinstance(told, dict) for option in _options(told, definitions)]
    return found


def _options(schema: Schema, definitions: Schema) -> list[Schema]:
    """Return the schemas that one stands for: of each kind of values, but none at all."""
    if "$ref" in schema:
        return _options(definitions[schema["$ref"].removeprefix("#/$defs/")], definitions)
    several = schema.get("oneOf", schema.get("anyOf"))
    if several is None:
        return [] if schema.get("type") == "null" else [schema]
    return [option for told in several for option in _options(told, definitions)]


def allowed(schema: Schema) -> str:
    """Return in words what a JSON schema allows."""
    if "oneOf" in schema:
        return ", or ".join(allowed(option) for option in schema["oneOf"])
    if "enum" in schema or "const" in schema:
        return " or ".join(f"'{value}'" for value in schema.get("enum", [schema.get("const")]))
    kind = schema.get("type")
    if kind == "array":
        least, most = schema.get("minItems", 0), schema.get("maxItems")
        count = f" of {least} {f'to {most}' if most else 'or more'} values" if least else ""
        each = f", each {allowed(schema['items'])}" if schema.get("items") else ""
        return f"a list{count}{each}{', none twice' if schema.get('uniqueItems') else ''}"
    if kind == "object" or "$ref" in schema:
        return "a mapping of keys to values"
    if kind == "string":
        return str(schema["title"]) if "pattern" in schema else "text"
    if kind == "boolean":
        return "true or false"
    limits = [f"{word} {schema[key]}" for key, word in LIMITS.items() if key in schema]
    return " ".join(["a whole number" if kind == "integer" else "a number", " and ".join(limits)]).strip()
