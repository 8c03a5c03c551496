"""The shape of the library: layers, no cycle, light leaves, claims that read their table alone, no id in the code."""

from __future__ import annotations

import ast
import re
import subprocess
import sys

import pytest

from conftest import PROJECT, tracked_files
from dpsampling import code, config, project
from dpsampling.stages import experiment_contract
from layers import LAYERS, ROOM_OF, imports

SOURCE = PROJECT / "src" / "dpsampling"
MODULES = {
    ".".join(("dpsampling", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__"): path
    for path in sorted(SOURCE.rglob("*.py"))
}
ROOMS_OF_MATHEMATICS = {
    "numerics",
    "families",
    "privacy",
    "mechanisms",
    "amplification",
    "profiles",
    "warlogs",
    "known_mechanisms",
    "logistic",
    "foundations",
    "learners",
}
HEAVY = {"numpy", "scipy", "pandas", "matplotlib", "numba", "flint"}


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def outer_imports(path) -> set[str]:
    """The first names of what a module imports from elsewhere, at its top."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = set()
    for node in tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module.split(".")[0])
    return found


def test_every_room_has_a_layer():
    assert {room(module) for module in MODULES} - {""} == set(ROOM_OF)


def test_no_layer_imports_one_above_it():
    wrong = {
        f"{module} imports {other}"
        for module in MODULES
        for other in imports(module)
        if room(module) and room(other) and ROOM_OF[room(other)] > ROOM_OF[room(module)]
    }
    assert not wrong


def test_a_planted_import_upwards_would_be_seen():
    assert ROOM_OF["config"] > ROOM_OF["stages"] > ROOM_OF["experiments"] > ROOM_OF["warlogs"] > ROOM_OF["numerics"]
    assert len(ROOM_OF) == sum(map(len, LAYERS))


def test_numerics_imports_nothing_above_it():
    for module in MODULES:
        if room(module) == "numerics":
            assert {room(other) for other in imports(module)} <= {"numerics", "errors", ""}, module


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


def leaves() -> list[str]:
    return experiment_contract.codes()


def test_the_leaves_are_those_that_experiments_name():
    assert set(leaves()) == {e.code for e in project.experiments().values()}


def test_leaves_are_light():
    """All of them together, in one process that has nothing else to do."""
    code = "import sys, importlib\n"
    code += "".join(f"importlib.import_module('dpsampling.experiments.{name}')\n" for name in leaves())
    code += f"print([name for name in {sorted(HEAVY)!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "[]", done.stdout + done.stderr


@pytest.mark.parametrize("stage", ["claims", "figure"])
def test_claims_and_figures_read_their_table_alone(stage):
    """No mathematics but names in what they import, and no other stage's module."""
    for name in leaves():
        module = experiment_contract.module_of(name, stage)
        assert module
        for path in code.closure(module.removeprefix("dpsampling.")):
            parts = path.relative_to(SOURCE).parts
            assert path.name != "table.py", f"{module} imports {path}"
            if parts[0] in ROOMS_OF_MATHEMATICS:
                assert not outer_imports(path) & (HEAVY - {"pandas"}), f"{module} imports {path}"


def test_commands_and_the_front_door_are_light_until_they_run():
    code = "import sys\nfrom dpsampling.cli import main\n"
    code += "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
    code += f"print([name for name in {sorted(HEAVY - {'pandas', 'numpy'})!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr


def test_the_command_line_is_a_page():
    assert len((SOURCE / "cli.py").read_text(encoding="utf-8").splitlines()) <= 100


def function_level_imports() -> list[str]:
    found = []
    for module, path in MODULES.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for function in ast.walk(tree):
            if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                found += [
                    f"{module}:{node.lineno}"
                    for node in ast.walk(function)
                    if isinstance(node, ast.Import | ast.ImportFrom)
                ]
    return found


def test_imports_inside_functions_are_few():
    assert len(set(function_level_imports())) < 76


def columns_of(e) -> set[str]:
    return set(experiment_contract.columns(e.code, config.resolve(e, {})))


COLUMNS = set().union(*(columns_of(e) for e in project.experiments().values()))  # one id is also a column's name
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


@pytest.mark.parametrize(
    "word",
    ["FRONT_DOOR", "STAGES", "TEXT_COLUMNS", "MAY_BE_EMPTY", "READS_LOGS", "parameters_of(table", "experiment[-1]"],
)
def test_the_hallway_is_gone(word):
    rules = [PROJECT / "Snakefile", *sorted((PROJECT / "workflow/rules").glob("*.smk"))]
    assert not [path for path in [*MODULES.values(), *rules] if word in path.read_text(encoding="utf-8")]


def test_colours_stand_in_one_place_a_room():
    """Hex codes only in the house's style and in a room's styles."""
    hexes = re.compile(r"#[0-9A-Fa-f]{6}\b")
    places = {m for m, path in MODULES.items() if hexes.search(path.read_text(encoding="utf-8"))}
    assert {m for m in places if m.split(".")[-1] not in {"style", "styles"}} == set()


def draws(path) -> bool:
    """Whether a module is about how something looks, or imports matplotlib wherever that stands."""
    imported = {
        name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    return path.stem in {"style", "styles", "figure"} or any(name.split(".")[0] == "matplotlib" for name in imported)


@pytest.mark.parametrize("stage", ["table", "claims"])
def test_no_table_and_no_verdict_rests_on_how_a_curve_looks(stage):
    """An edited colour redraws figures and computes nothing."""
    for e in project.experiments().values():
        own = f"experiments.{e.code}"
        assert not [p for p in code.closure(own, f"{own}.{stage}", f"stages.{stage}") if draws(p)], e.id
        assert any(draws(path) for path in code.closure(own, f"{own}.figure", "stages.figure")), e.id


def test_the_audit_rests_on_no_colour():
    assert [path for path in code.closure("audit", "registry", "collect") if draws(path)] == []
