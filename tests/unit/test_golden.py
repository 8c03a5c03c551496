"""Other machines agree with committed values: closed forms to 1e-9, integrals to 1e-8, Monte Carlo to 1e-6."""

from __future__ import annotations

import sys

import pytest

from conftest import PROJECT
from dpsampling import comparison
from dpsampling.files import read_table
from dpsampling.project import experiments

sys.path.insert(0, str(PROJECT / "tests/golden"))
import renew

QUADRATURE = 1e-8  # absolute; it matters for KL near 0 only
DEVIATION = 1e-12  # between two computations of one number, which is rounding where they agree
DEVIATIONS = frozenset(  # whose tables have both
    {"hmm_conditionals", "renyi_lemmas", "conjugate_families", "divergence_facts", "couplings", "profile_lemmas"}
)


def test_every_experiment_has_golden_values():
    assert set(renew.SETTINGS) == set(experiments())


@pytest.mark.parametrize("experiment", list(renew.SETTINGS))
def test_golden(experiment):
    golden, table = read_table(PROJECT / f"tests/golden/{experiment}.csv"), renew.compute(experiment)
    relative = 1e-6 if "mean" in golden or "frequency" in golden else 1e-9
    forgiven = {"kl": QUADRATURE}
    if experiment in DEVIATIONS:
        forgiven = dict.fromkeys(golden, DEVIATION)
    far = [one for one in comparison.deviations(golden, table, forgiven) if one.relative > relative]
    assert far == []
