"""Other machines agree with committed values, as far as `comparison` says that they do."""

import sys

import pytest

import processors
from conftest import PROJECT, Copy, edit
from dpsampling.files import read_table
from reproduction import comparison
from reproduction.project import experiments

sys.path.insert(0, str(PROJECT / "tests/golden"))
import renew

GOLDEN = PROJECT / "tests/golden"
ENDS = {processors.OLDEST, processors.NEWEST}
MARKED = [pytest.param(p, marks=[] if p in ENDS else pytest.mark.processors) for p in processors.PROCESSORS]


def test_every_experiment_has_golden_values():
    assert set(renew.SETTINGS) == set(experiments())


@pytest.mark.parametrize("experiment", list(renew.SETTINGS))
def test_golden(experiment):
    assert comparison.beyond_rounding(read_table(GOLDEN / f"{experiment}.csv"), renew.compute(experiment)) == []


@pytest.mark.skipif(not processors.X86, reason="this processor cannot compute as an x86-64 does")
@pytest.mark.parametrize("processor", MARKED)
def test_golden_on_another_processor(processor, tmp_path):
    processors.golden_tables(PROJECT, processor, tmp_path)
    assert apart(GOLDEN, tmp_path, renew.SETTINGS) == {}


@pytest.mark.skipif("Haswell" not in processors.PROCESSORS, reason="two kernels are compared, this processor has one")
def test_a_place_that_the_last_bit_decides_is_found(tmp_path):
    """The rows are permutations of one sum, and the table says which is largest."""
    copy = Copy(tmp_path / "project")
    home = copy.folder / "src/reproduction/experiments/posteriors/planted"
    home.mkdir()
    (home / "__init__.py").write_text('COLUMNS = {"which": "the place", "largest": "the value"}\n', encoding="utf-8")
    (home / "table.py").write_text(PLANTED, encoding="utf-8")
    text = (copy.folder / "config/experiments/fig4_1.yaml").read_text(encoding="utf-8").partition("parameters:")[0]
    code = next(line for line in text.splitlines() if line.startswith("code:"))
    text = text.replace(code, "code: posteriors.planted") + "parameters: {runs: 20}\nquick: {}\nsmallest: {}\n"
    (copy.folder / "config/experiments/planted.yaml").write_text(text, encoding="utf-8")
    for name in ("Haswell", "Prescott"):
        processors.golden_tables(copy.folder, name, tmp_path / name, ["planted"])
    found = apart(tmp_path / "Haswell", tmp_path / "Prescott", ["planted"])
    assert [far.column for far in found["planted"]] == ["which"]
    edit(home / "table.py", "np.argmax", "first_of_largest")
    for name in ("Haswell", "Prescott"):
        processors.golden_tables(copy.folder, name, tmp_path / name, ["planted"])
    assert apart(tmp_path / "Haswell", tmp_path / "Prescott", ["planted"]) == {}


PLANTED = """
import numpy as np
import pandas as pd

from dpsampling.numerics.ties import first_of_largest


def table(params, rng):
    rows = []
    for _ in range(params["runs"]):
        terms = rng.normal(size=(2, 40))
        orders = np.array([rng.permutation(40) for _ in range(30)])
        sums = np.array([terms[0, order] @ terms[1, order] for order in orders])
        rows.append((int(np.argmax(sums)), float(sums.max())))
    return pd.DataFrame(rows, columns=["which", "largest"])
"""


def apart(old, new, experiments):
    """The columns that differ by more than machines may, by experiment."""
    pairs = {name: [read_table(folder / f"{name}.csv") for folder in (old, new)] for name in experiments}
    return {name: far for name, pair in pairs.items() if (far := comparison.beyond_rounding(*pair))}
