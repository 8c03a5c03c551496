"""Where the project's own files are, and what experiments it has."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from dpsampling.errors import InputError

Document = dict[str, Any]


@cache
def root() -> Path:
    """The folder that holds config/, workflow/schemas/ and data/published/: the checkout, or their copy in a wheel."""
    packaged = Path(__file__).parent / "_project"
    return packaged if packaged.is_dir() else Path(__file__).parents[2]


def published(name: str) -> Path:
    """A file of published numbers."""
    return root() / "data" / "published" / name


@dataclass(frozen=True)
class Experiment:
    """What config/experiments/ID.yaml says."""

    id: str
    title: str
    source: str
    chapter: int
    parameters: Document
    quick: Document = field(default_factory=dict)
    published: tuple[str, ...] = ()


@cache
def experiments() -> dict[str, Experiment]:
    """Every experiment, by chapter and then by name (fig5_2 before fig5_10)."""
    from dpsampling.config import check_experiment

    found = {}
    for path in (root() / "config" / "experiments").glob("*.yaml"):
        document = check_experiment(read_yaml(path), path.name)
        document["published"] = tuple(document.get("published", ()))
        found[path.stem] = Experiment(id=path.stem, **document)
    return dict(sorted(found.items(), key=lambda item: (item[1].chapter, _natural(item[0]))))


def experiment(name: str) -> Experiment:
    """One experiment, or an InputError that names near ones."""
    known = experiments()
    if name not in known:
        raise InputError(
            f"there is no experiment '{name}'{did_you_mean(name, known)}; 'dpsampling list' shows them all."
        )
    return known[name]


def did_you_mean(name: str, known: Any) -> str:
    """A hint at the nearest of the known names, if one is near."""
    import difflib

    near = difflib.get_close_matches(name, list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def read_yaml(path: Path) -> Document:
    """A YAML mapping."""
    try:
        document = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist; name a YAML file that does.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a text file that can be read; name a YAML file.") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise InputError(f"{path} is not YAML{where}; write 'key: value' lines as in config/config.yaml.") from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise InputError(f"{path} holds no mapping; write 'key: value' lines as in config/config.yaml.")
    return document


def _natural(name: str) -> list[Any]:
    import re

    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
