"""The shape of the code: no cycle, light leaves, claims that read their table alone, no id in the code.

Which package may import which is the contract of import-linter in pyproject.toml, which `make lint` keeps.
"""

import ast
import re
import subprocess
import sys

import pytest

from conftest import PROJECT, tracked_files
from reproduction import code, config, project
from reproduction.stages import experiment_contract

MODULES = {
    ".".join(path.relative_to(code.SOURCES).with_suffix("").parts).removesuffix(".__init__"): path
    for package in code.PACKAGES
    for path in sorted((code.SOURCES / package).rglob("*.py"))
}
HEAVY = {"numpy", "scipy", "pandas", "matplotlib", "numba", "flint"}


def imports(module: str) -> set[str]:
    """The modules of ours that one of them imports."""
    found = {path.relative_to(code.SOURCES).with_suffix("").parts for path in code._imports(MODULES[module])}
    return {".".join(parts).removesuffix(".__init__") for parts in found} - {module}


def first_names(nodes) -> set[str]:
    """Of what the import statements among some nodes import."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def parsed(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def test_few_names_stand_at_the_top_of_the_library():
    top = [p.stem for p in (code.SOURCES / "dpsampling").iterdir() if not p.name.startswith(("__", "py.typed"))]
    assert len(top) <= 15


def test_no_module_cycle():
    """Depth first; packages are left out, for a module always imports the ones it lies in."""
    graph = {module: {other for other in imports(module) if not module.startswith(f"{other}.")} for module in MODULES}
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, f"a cycle: {' -> '.join((*path[path.index(module) :], module))}"
        if module not in done:
            for other in sorted(graph[module]):
                visit(other, (*path, module))
            done.add(module)

    for module in graph:
        visit(module, ())
    assert done == set(MODULES)


def test_the_leaves_are_those_that_experiments_name():
    assert set(experiment_contract.codes()) == {e.code for e in project.experiments().values()}


def test_leaves_are_light():
    """All of them together, in one process that has nothing else to do."""
    code = "import sys, importlib\n"
    names = experiment_contract.codes()
    code += "".join(f"importlib.import_module('reproduction.experiments.{name}')\n" for name in names)
    code += f"print([name for name in {sorted(HEAVY)!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


@pytest.mark.parametrize("stage", ["claims", "figure"])
def test_claims_and_figures_read_their_table_alone(stage):
    """No mathematics but names in what they import, and no other stage's module."""
    for name in experiment_contract.codes():
        module = experiment_contract.module_of(name, stage)
        assert module
        for path in code.closure(module):
            package, room, *_ = path.relative_to(code.SOURCES).parts
            assert path.name != "table.py", f"{module} imports {path}"
            if package == "dpsampling" and room not in {"release", "files"} and path.stem != "randomness":
                assert not first_names(parsed(path).body) & (HEAVY - {"pandas"}), f"{module} imports {path}"


def test_commands_and_the_front_door_are_light_until_they_run():
    code = "import sys\nfrom dpsampling.cli import main\n"
    code += "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
    code += f"print([name for name in {sorted(HEAVY - {'pandas', 'numpy'})!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


def test_imports_inside_functions_are_few():
    inside = set()
    for path in MODULES.values():
        for function in ast.walk(parsed(path)):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                nodes = (node for node in ast.walk(function) if isinstance(node, ast.Import | ast.ImportFrom))
                inside |= {(path, node.lineno) for node in nodes}
    assert len(inside) < 80


COLUMNS = [experiment_contract.columns(e.code, config.resolve(e, {})) for e in project.experiments().values()]
COLUMNS = set().union(*COLUMNS)  # one id is also a column's name
NAMED = "|".join(sorted({*project.names()} - COLUMNS))
IDS = re.compile(rf"""["'](?:(?:fig|tab|supp)\d+_\d+|{NAMED})["']""")


def test_no_code_names_an_experiment():
    """Neither the library nor the rules; its code may be called as an experiment is, a string may not."""
    places = [path for path in tracked_files() if path.parts[0] in {"src", "workflow"} or path.name == "Snakefile"]
    found = [
        f"{path}: {hit}"
        for path in places
        if path.suffix in {".py", ".smk"} or path.name == "Snakefile"
        for hit in IDS.findall((PROJECT / path).read_text(encoding="utf-8"))
    ]
    assert not found


def test_colours_stand_in_one_place_a_room():
    """Hex codes only in the house's style and in a room's styles."""
    hexes = re.compile(r"#[0-9A-Fa-f]{6}\b")
    places = {m for m, path in MODULES.items() if hexes.search(path.read_text(encoding="utf-8"))}
    assert {m for m in places if m.split(".")[-1] not in {"style", "styles"}} == set()


def draws(path) -> bool:
    """Whether a module is about how something looks, or imports matplotlib wherever that stands."""
    return path.stem in {"style", "styles", "figure"} or "matplotlib" in first_names(ast.walk(parsed(path)))


@pytest.mark.parametrize("stage", ["table", "claims"])
def test_no_table_and_no_verdict_rests_on_how_a_curve_looks(stage):
    """An edited colour redraws figures and computes nothing."""
    for e in project.experiments().values():
        own = f"reproduction.experiments.{e.code}"
        assert not [p for p in code.closure(own, f"{own}.{stage}", f"reproduction.stages.{stage}") if draws(p)], e.id
        assert any(draws(path) for path in code.closure(own, f"{own}.figure", "reproduction.stages.figure")), e.id


def test_the_audit_rests_on_no_colour():
    paths = code.closure("dpsampling.audit.every_mechanism", "reproduction.collect")
    assert [path for path in paths if draws(path)] == []
