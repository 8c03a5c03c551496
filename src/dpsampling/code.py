"""One word for the source code that a job runs: change what it computes by, and Snakemake runs the job again.

The word is a hash of a module and of every module of this package that it imports, directly or not, read from the
sources without running them. The rules hand it to Snakemake as a parameter. Modules that can refuse a number or write
it down, but not change it, are not part of it.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent
NO_NUMBERS = frozenset(
    f"{name}.py"
    for name in (
        *("config", "documents", "errors", "files", "outputs", "parameters", "project", "registry", "regular_files"),
        *("strict_csv", "strict_json", "strict_yaml", "stages/experiment_contract", "stages/table_schema"),
    )
)


def version(*modules: str) -> str:
    """Return the hash of these modules, such as `warlogs.sweep`, and of all that they import."""
    hashes = (f"{path.relative_to(PACKAGE)} {_hash(path)}" for path in sorted(closure(*modules)))
    return hashlib.sha256("\n".join(hashes).encode()).hexdigest()[:16]


def closure(*modules: str) -> set[Path]:
    """Return the files of these modules and of all that is reached from them."""
    pending, seen = {path for name in modules for path in _files(f"dpsampling.{name}")}, set[Path]()
    while pending:
        path = pending.pop()
        if path not in seen and str(path.relative_to(PACKAGE)) not in NO_NUMBERS:
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
    """Return the file of a module of this package, with those of the packages it lies in; none of anything else."""
    first, *rest = name.split(".")
    folder = PACKAGE.joinpath(*rest)
    place = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    if first != PACKAGE.name or not place.is_file():
        return []
    return [place, *(PACKAGE.joinpath(*rest[:depth]) / "__init__.py" for depth in range(len(rest)))]
