"""Which modules a stage of an experiment rests on, read from the sources without running them.

The workflow takes these files as inputs, compared by content: an edit re-runs what depends on it and nothing else. A
stage depends on the closure of its own module under the package's imports, wherever they stand, but for those that only
a type checker sees. No closure holds a module of the front door, which hands over what the workflow already tracks as
parameters, inputs and outputs: nothing below imports it (a test checks).
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from dpsampling.stages import experiment_contract

PACKAGE = "dpsampling"
SOURCE = Path(__file__).parent
FUNCTIONS = {"table": ("table",), "figure": ("figure",), "claims": ("claims", "releases")}
PLACES = ("body", "orelse", "finalbody", "handlers", "cases")  # where statements, and so imports, stand in others
# What a stage's command itself uses to make its files, besides the stage.
WRITERS = {
    "table": ("files", "randomness"),
    "figure": ("style",),
    "claims": ("files", "releases", "stages.falsifiability"),
}


def stage_files(code: str, stage: str, needs: str = "") -> list[Path]:
    """The source files that this stage of this code rests on, sorted.

    A table rests on what hands it its inputs too; what made those is a matter of the rules that did.
    """
    own = {module for function in FUNCTIONS[stage] if (module := experiment_contract.module_of(code, function))}
    writers = {f"{PACKAGE}.{name}" for name in WRITERS[stage]}
    files = closure(f"{PACKAGE}.stages.{stage}", experiment_contract.module_name(code), *own, *writers)
    supply = f"{PACKAGE}.inputs.{needs}"
    handing = {supply, *imports(supply)} if needs and stage == "table" else set[str]()
    handed = (f"{PACKAGE}.inputs", f"{PACKAGE}.datasets")
    return sorted({*files, *(file_of(name) for name in handing if name.startswith(handed))})


def module_files(*modules: str) -> list[Path]:
    """The source files of some modules and of all that they import, sorted."""
    return closure(*(f"{PACKAGE}.{name}" for name in modules))


def closure(*modules: str) -> list[Path]:
    """The files of these modules and of all that is reached from them."""
    pending, seen = set(modules), set[str]()
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            pending |= imports(name)
    return sorted(file_of(name) for name in seen)


@cache
def imports(module: str) -> frozenset[str]:
    """The package's modules that one module imports, with the packages that they lie in."""
    found: set[str] = set()
    pending: list[ast.AST] = [ast.parse(file_of(module).read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
        else:
            pending += [inner for place in PLACES for inner in getattr(node, place, ())]
    mine = {name for name in found if (name == PACKAGE or name.startswith(f"{PACKAGE}.")) and file_of(name).exists()}
    packages = {".".join(name.split(".")[: i + 1]) for name in {*mine, module} for i in range(name.count("."))}
    return frozenset(mine | packages) - {module}


def file_of(module: str) -> Path:
    """The source file of a module of the package."""
    path = SOURCE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
