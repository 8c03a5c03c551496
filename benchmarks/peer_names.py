"""Which of the names that docs/peers.md gives for peers exist in what is installed, without importing any of it.

A name is followed through the files of its package: a module, then what the module or a class in it defines, assigns
or imports. So packages are looked at too whose own needs cannot be met together with those of the others.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

import peer_page


def existing() -> dict[str, bool]:
    """Of every peer's name on the page, whether it was found."""
    return {name: found(name, sys.path) for name in peer_page.peers_names()}


def found(name: str, places: Sequence[str]) -> bool:
    """Whether the dotted name leads to something."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        path = _file(tuple(parts[:length]), tuple(places))
        if path is not None:
            return length == len(parts) or _defined(parts[length:], path, parts[:length], places)
    return False


@cache
def _file(parts: tuple[str, ...], places: tuple[str, ...]) -> Path | None:
    for place in places:
        stem = Path(place, *parts)
        for path in (stem / "__init__.py", stem.with_suffix(".py")):
            if path.is_file():
                return path
    return None


def _defined(names: Sequence[str], path: Path, module: Sequence[str], places: Sequence[str]) -> bool:
    body: Iterable[ast.stmt] = ast.parse(path.read_text(encoding="utf-8")).body
    package = list(module) if path.name == "__init__.py" else list(module[:-1])
    for depth, name in enumerate(names):
        inside: Iterable[ast.stmt] | None = None
        for statement in body:
            if isinstance(statement, ast.ClassDef | ast.FunctionDef) and statement.name == name:
                inside = statement.body
            elif isinstance(statement, ast.Assign):
                if any(isinstance(target, ast.Name) and target.id == name for target in statement.targets):
                    inside = []
            elif isinstance(statement, ast.ImportFrom):
                for alias in statement.names:
                    if (alias.asname or alias.name) == name:
                        base = package[: len(package) - statement.level + 1] if statement.level else []
                        source = ".".join([*base, *((statement.module or "").split(".") if statement.module else [])])
                        return found(".".join([source, alias.name, *names[depth + 1 :]]), places)
        if inside is None:
            return False
        body = inside
    return True
