"""Every claim that a table decides is moved and flipped by some change of one column, or says why none can."""

import sys

import pytest

import tables
from conftest import PROJECT
from dpsampling.files import read_table
from reproduction import config, project
from reproduction.claims import UNTESTABLE
from reproduction.stages import falsifiability

sys.path.insert(0, str(PROJECT / "tests/golden"))
import renew


def unmoved(experiment, *, cells):
    e, table = project.experiment(experiment), read_table(PROJECT / f"tests/golden/{experiment}.csv")
    checked = falsifiability.perturb(e.code, table, config.resolve(e, renew.SETTINGS[experiment]), cells=cells)
    return [f.claim.id for f in checked if f.claim.verdict != UNTESTABLE and not f.excuse and not f.moved_by]


@pytest.mark.parametrize("experiment", list(renew.SETTINGS))
def test_every_claim_rests_on_its_table(experiment):
    """The golden tables are small: they show what moves each claim, and not always what would flip it."""
    assert not (unmoved(experiment, cells=False) and unmoved(experiment, cells=True))


@pytest.mark.slow
@pytest.mark.parametrize("experiment", list(renew.SETTINGS))
def test_every_claim_can_fail(experiment):
    """At the papers' parameters."""
    e, table = project.experiment(experiment), tables.made(experiment)
    checked = falsifiability.perturb(e.code, table, table.attrs["parameters"])
    assert [claim.claim.id for claim in checked if claim.idle] == []
