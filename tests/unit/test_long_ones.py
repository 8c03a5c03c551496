"""The list of tests that `make test` leaves out: each is there, and leaves something of its kind behind."""

import ast
import os
import sys
from functools import cache

import pytest

from conftest import PROJECT, captured, long_ones


@cache
def functions(file: str) -> set[str]:
    tree = ast.parse((PROJECT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_every_line_is_a_test_and_they_are_in_order_and_none_is_there_twice():
    assert long_ones() == sorted(set(long_ones()))
    for line in long_ones():
        file, _, name = line.partition("::")
        assert name.partition("[")[0] in functions(file), line


def test_no_line_is_out_of_date(request: pytest.FixtureRequest):
    """Of the files that were collected whole."""
    collected = {item.nodeid for item in request.session.items}
    asked = request.config.option.markexpr
    if "not slow" in asked or request.config.args != request.config.getini("testpaths"):
        pytest.skip("only a run of all tests knows all ids")
    assert set(long_ones()) <= collected


@pytest.mark.slow
def test_ids_are_the_same_in_every_process():
    """Workers that find different ones run none: no id may hold a time, an address or the order of a set."""

    def ids(hashing: str) -> list[str]:
        asked = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", "-o", "addopts=", "tests"]
        listed = captured(asked, cwd=PROJECT, env={**os.environ, "PYTHONHASHSEED": hashing}, check=True)
        return [line for line in listed.stdout.splitlines() if "::" in line]

    first = ids("1")
    assert len(first) > 1000
    assert first == ids("2")
