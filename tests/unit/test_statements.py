"""Every statement of the inventory is decided by claims and tests that are there, or says why nothing decides it."""

import ast
import sys
from functools import cache

import pytest

import tables
from conftest import PROJECT
from dpsampling.errors import InputError
from dpsampling.files import read_table
from reproduction import config, project, statements

sys.path.insert(0, str(PROJECT / "tests/golden"))
import renew

ALL = statements.statements()


@cache
def claims_of(experiment: str) -> frozenset[str]:
    """The ids of an experiment's claims, judged by its golden table: which there are does not hang on the numbers."""
    table = read_table(PROJECT / f"tests/golden/{experiment}.csv")
    found = set()
    for changes in ({}, renew.SETTINGS[experiment]):  # at its own parameters, and at those that the table was made with
        table.attrs["parameters"] = config.resolve(project.experiment(experiment), changes)
        try:
            found |= {claim.id for claim in tables.judged(experiment, table)}
        except (KeyError, ValueError, IndexError):
            continue
    return frozenset(found)


@cache
def names_in(name: str) -> frozenset[str]:
    """The names of the tests in a file of this name."""
    files = list((PROJECT / "tests").rglob(name))
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    return frozenset(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def is_there(decider: str) -> bool:
    if "::" in decider:
        name, _, test = decider.partition("::")
        return test.startswith("test_") and test in names_in(name)
    experiment, _, claim = decider.partition(".")
    return experiment in project.experiments() and claim in claims_of(experiment)


@pytest.mark.parametrize("name", [name for name, one in ALL.items() if one.decided_by])
def test_what_decides_it_is_there(name):
    assert [decider for decider in ALL[name].decided_by if not is_there(decider)] == []


def test_every_checkable_statement_is_decided_or_has_a_reason():
    assert [one.id for one in statements.undecided()] == []


def test_every_source_is_covered():
    assert {one.source for one in ALL.values()} == set(statements.SOURCES)
    assert len(ALL) >= 600


def test_what_is_not_there_is_found():
    assert not is_there("fig5_3.published-nowhere")
    assert not is_there("fig5_9.published")
    assert not is_there("test_mixing.py::test_nothing")


def test_the_undecided_are_found():
    one = next(iter(ALL.values()))
    bare = statements.Statement(**{**vars(one), "decided_by": (), "same_as": "", "reason": ""})
    assert statements.undecided([bare]) == [bare]
    assert statements.undecided([statements.Statement(**{**vars(bare), "reason": "it is a definition"})]) == []


def test_a_broken_inventory_is_refused(tmp_path, monkeypatch):
    folder = tmp_path / "data" / "inventory"
    folder.mkdir(parents=True)
    monkeypatch.setattr(statements, "root", lambda: tmp_path)
    header = ",".join(statements.COLUMNS)
    for lines, words in [
        ("id,source\na,b\n", "it needs"),
        (f"{header}\na,thesis,1,fact,s,yes,h,b,,\n", "which is no row"),
        (f"{header}\na,nobody,1,fact,s,yes,h,,,\n", "unknown source"),
        (f"{header}\na,thesis,1,fact,s,yes,h,,,\na,thesis,1,fact,s,yes,h,,,\n", "stands twice"),
    ]:
        (folder / "statements.csv").write_text(lines, encoding="utf-8")
        statements.statements.cache_clear()
        with pytest.raises(InputError, match=words):
            statements.statements()
    statements.statements.cache_clear()
