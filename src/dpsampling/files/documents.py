"""The project's own documents: where they are, and how YAML is read."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from dpsampling.errors import InputError
from dpsampling.files import regular_files, strict_yaml

Document = dict[str, Any]

LARGEST = 1 << 20  # bytes of a file
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)[eE][-+]?\d+|[-+]\.\d+")  # what YAML 1.1 leaves as text


# -- where they are ---------------------------------------------------------------------------------------------------


@cache
def root() -> Path:
    """The folder that holds config/ and data/published/: the checkout, or their copy in a wheel."""
    packaged = Path(__file__).parents[1] / "_project"
    return packaged if packaged.is_dir() else Path(__file__).parents[3]


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


# -- what texts of them spell -----------------------------------------------------------------------------------------


def numbers(value: Any, where: str) -> Any:
    """Return a value with the texts that spell numbers as numbers: YAML 1.1 makes 1e-3 a text; no infinities."""
    if isinstance(value, Mapping):
        return {key: numbers(item, where) for key, item in value.items()}
    if isinstance(value, list):
        return [numbers(item, where) for item in value]
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        value = float(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise InputError(f"{where} is {value}; it must be finite.")
    return value
