"""Options that commands share, and what their texts spell: settings, levels, seeds."""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from dpsampling.errors import InputError
from dpsampling.files import strict_yaml
from dpsampling.files.checking import Form, Whole, check
from dpsampling.files.documents import Document, numbers
from dpsampling.files.grids import show

Seed = Annotated[int, Field(ge=0, le=2**64 - 1), Whole]
SEED: TypeAdapter[int] = TypeAdapter(Seed, config=Form.model_config)


def changes_argument(parser: argparse.ArgumentParser, of: str) -> None:
    """`--set key=value`, as often as one likes; `of` says what it changes."""
    parser.add_argument("--set", action="append", default=[], metavar="key=value", help=of)


def check_settings(options: argparse.Namespace, others: Sequence[str]) -> None:
    """That no word which no option takes, or which was taken for an ID, is one more key=value after a `--set`."""
    words = [*others, str(getattr(options, "experiment", ""))]
    alone = next((word for word in words if "=" in word and not word.startswith("-")), None)
    if getattr(options, "set", None) and alone is not None:
        raise InputError(f"{alone} has no --set before it; repeat it for each parameter, as in --set {alone}.")


def check_seed(seed: Any) -> int:
    """Return a seed, or raise an InputError."""
    if isinstance(seed, str) and re.fullmatch(r"[-+]?\d{1,99}", seed):  # on a command line
        seed = int(seed)
    return int(check(numbers(seed, "seed"), SEED, "", "seed"))


def plain_number(text: str) -> float:
    """A number as everybody writes it, or a ValueError: what Python reads besides has underscores or other digits."""
    if not text.isascii() or "_" in text:
        raise ValueError(text)
    return float(text)


def level(text: str, *, infinite: bool = False, option: str = "--epsilon") -> float:
    """A privacy level, or another number above 0, from the command line."""
    try:
        value = plain_number(text)
    except ValueError:
        value = math.nan
    if not (0.0 < value < math.inf or (infinite and value == math.inf)):
        allowed = "a number above 0, or inf for no privacy" if infinite else "a number above 0"
        raise InputError(f"{option} is {text}; it must be {allowed}.")
    return value


def parse_settings(settings: Iterable[str]) -> Document:
    """`--set key=value` options; a value is YAML."""
    changes: Document = {}
    for setting in settings:
        key, equals, text = setting.partition("=")
        if not equals or not key.strip():
            raise InputError(f"--set {setting} has no value; write --set key=value, such as --set n=250.")
        remedy = "write a number, a [list] or a {mapping: 1}"
        changes[key.strip()] = strict_yaml.load(text, f"--set {show(setting)}", remedy)
    return changes


def checked(setting: str, kind: Any, where: str) -> Any:
    """Return the value of one key=value that an option stands for, or raise an InputError if it is not of this kind."""
    ((name, value),) = parse_settings([setting]).items()
    adapter: TypeAdapter[Any] = TypeAdapter(kind, config=Form.model_config)
    return check(numbers(value, f"{where}: {name}"), adapter, where, name)


def settings(parameters: Mapping[str, Any]) -> list[str]:
    """The `--set` options that spell these parameters."""
    return [f"{name}={json.dumps(value)}" for name, value in parameters.items()]
