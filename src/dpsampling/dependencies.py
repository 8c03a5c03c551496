"""Which modules a stage of an experiment really imports, read from the source without running it.

The workflow takes these files as inputs, compared by content: an edit re-runs what depends on it and nothing else.
Followed are the imports at the top of a module, and those inside the stage's own function (`table`, `figure` or
`claims`) of the experiment's module. In any other module all imports count, wherever they stand, except those that only
a type checker sees.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

PACKAGE = "dpsampling"
SOURCE = Path(__file__).parent

# The front door: these find, check and hand over what the workflow already tracks as parameters, inputs and outputs.
# An edit in them changes no number, and should not re-run a thesis. A test compares the rest with what is loaded.
FRONT_DOOR = frozenset(
    f"{PACKAGE}{name}"
    for names in (
        ("", ".cli", ".config", ".dependencies", ".errors", ".project", ".provenance"),
        (".warlogs", ".warlogs.commands", ".warlogs.fit_commands", ".warlogs.supply"),
    )
    for name in names
)
# What each stage's command itself uses, besides the experiment.
STAGES = {
    "table": ("files", "grids", "randomness", "experiments.contract"),
    "figure": ("files", "grids", "style", "experiments.contract"),
    "claims": ("files", "grids", "claims", "releases", "experiments.contract"),
}


def stage_files(experiment: str, stage: str) -> list[Path]:
    """The source files that this stage of this experiment rests on, sorted."""
    module = f"{PACKAGE}.experiments.{experiment}"
    functions = frozenset({"check", stage, "releases"} if stage == "claims" else {"check", stage})
    return _closure({f"{PACKAGE}.{name}" for name in STAGES[stage]} | _imports(module, functions), seen={module})


def module_files(*modules: str) -> list[Path]:
    """The source files of some modules and of all that they import, sorted."""
    return _closure({f"{PACKAGE}.{name}" for name in modules}, seen=set())


def _closure(pending: set[str], seen: set[str]) -> list[Path]:
    """All that is reached from `pending`, with what was `seen` before; the front door is not looked behind."""
    while pending:
        name = pending.pop()
        if name not in seen:
            seen.add(name)
            if name not in FRONT_DOOR:
                pending |= _imports(name, None)
    return sorted(_file(name) for name in seen - FRONT_DOOR)


@cache
def _imports(module: str, functions: frozenset[str] | None) -> set[str]:
    """The package's modules that one module imports; of its functions only the named ones are looked into."""
    tree = ast.parse(_file(module).read_text(encoding="utf-8"))
    found: set[str] = set()
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found.add(node.module)
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            pending += node.orelse
        elif isinstance(node, ast.FunctionDef) and functions is not None and node.name not in functions:
            continue
        else:
            pending += ast.iter_child_nodes(node)
    mine = {name for name in found if (name == PACKAGE or name.startswith(f"{PACKAGE}.")) and _exists(name)}
    # A module's packages are imported with it.
    return mine | {".".join(name.split(".")[: i + 1]) for name in mine for i in range(name.count("."))}


def _file(module: str) -> Path:
    path = SOURCE.joinpath(*module.split(".")[1:])
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def _exists(module: str) -> bool:
    return _file(module).exists()
