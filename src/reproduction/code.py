"""One word for the source code that a job runs: change what it computes by, and Snakemake runs the job again.

The word is a hash of a module and of every module of ours that it imports, directly or not, read from the
sources without running them. The rules hand it to Snakemake as a parameter. Modules that can refuse a number or write
it down, but not change it, are not part of it.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SOURCES = Path(__file__).parents[1]
PACKAGES = ("dpsampling", "reproduction")
NO_NUMBERS = {
    *(f"dpsampling/{name}.py" for name in ("__init__", "errors", "cli/outputs", "audit/registry", "files/__init__")),
    *(
        f"dpsampling/files/{name}.py"
        for name in ("documents", "regular_files", "strict_csv", "strict_json", "strict_yaml")
    ),
    *(f"reproduction/{name}.py" for name in ("__init__", "config", "parameters", "project")),
    *(f"reproduction/stages/{name}.py" for name in ("experiment_contract", "table_schema")),
}


def version(*modules: str) -> str:
    """Return the hash of these modules, such as `dpsampling.event_logs.sweep`, and of all that they import."""
    hashes = (f"{path.relative_to(SOURCES)} {_hash(path)}" for path in sorted(closure(*modules)))
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:16]


def closure(*modules: str) -> set[Path]:
    """Return the files of these modules and of all that is reached from them."""
    pending, seen = {path for name in modules for path in _files(name)}, set[Path]()
    while pending:
        path = pending.pop()
        if path not in seen and str(path.relative_to(SOURCES)) not in NO_NUMBERS:
            seen.add(path)
            pending |= _imports(path)
    return seen


@cache
def _hash(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@cache
def _imports(path: Path) -> frozenset[Path]:
    """Return the files of this package that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(path for name in _imported(tree) for path in _files(name))


def _imported(node: ast.AST) -> Iterator[str]:
    """Yield all names that are imported, but for those that only a type checker sees."""
    for inner in ast.iter_child_nodes(node):
        if isinstance(inner, ast.Import):
            yield from (alias.name for alias in inner.names)
        elif isinstance(inner, ast.ImportFrom) and inner.module and inner.level == 0:
            yield inner.module
            yield from (f"{inner.module}.{alias.name}" for alias in inner.names)
        elif isinstance(inner, ast.If) and "TYPE_CHECKING" in ast.unparse(inner.test):
            yield from (name for other in inner.orelse for name in _imported(other))
        elif isinstance(inner, ast.stmt | ast.excepthandler | ast.match_case):
            yield from _imported(inner)


def _files(name: str) -> list[Path]:
    """Return the file of a module of ours, with those of the packages it lies in; none of anything else."""
    parts = name.split(".")
    folder = SOURCES.joinpath(*parts)
    place = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    if parts[0] not in PACKAGES or not place.is_file():
        return []
    return [place, *(SOURCES.joinpath(*parts[:depth]) / "__init__.py" for depth in range(1, len(parts)))]
