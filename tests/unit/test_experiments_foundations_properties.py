"""The review's statements, examples and composition claims: verdicts, and that each one falls with its numbers."""

from __future__ import annotations

import pytest

import tables
from dpsampling import config, project
from dpsampling.claims import MISPRINT, REFUTED, REPRODUCED, UNTESTABLE
from dpsampling.errors import InputError
from dpsampling.experiments.foundations import composition, examples, properties

SMALL = {name: project.experiment(name).smallest for name in ("rev_composition", "rev_examples", "rev_properties")}
SMALL["rev_composition"] = {**SMALL["rev_composition"], "epsilons": [0.1, 1], "counts": [1, 2, 10, 100]}
SMALL["rev_properties"] = {"denominators": [1, 2, 3, 4], "kernels": 5}
FAIL = {
    "rev_composition": {
        "claim2.30",
        "claim2.30-far",
        "claim2.31-far",
        "def2.15",
        "ex5.2a",
        "ex5.2a-far",
        "ex5.2b-far",
    },
    "rev_properties": {"def2.15", "lemma2.24", "lemma2.24-dependent", "prop2.26-usual"},
    "rev_examples": {"ex2.23-space", "ex4.1-zero"},
}
MISPRINTS = {"rev_composition": set(), "rev_properties": {"s2-logs", "prop2.32"}, "rev_examples": {"ex2.3", "s4.1"}}


@pytest.fixture(scope="module")
def made():
    return {name: tables.made(name, **changes) for name, changes in SMALL.items()}


@pytest.mark.parametrize("name", list(SMALL))
def test_verdicts(made, name):
    found = tables.verdicts(name, made[name])
    assert {claim for claim, verdict in found.items() if verdict == REFUTED} == FAIL[name]
    assert {claim for claim, verdict in found.items() if verdict == MISPRINT} == MISPRINTS[name]
    assert UNTESTABLE not in found.values()


@pytest.mark.parametrize("name", list(SMALL))
def test_a_figure_is_drawn(made, name):
    assert len(tables.drawn(name, made[name]).axes) >= 1


def changed(table, **columns):
    """A copy with whole columns replaced by functions of them."""
    copy = table.copy()
    copy.attrs.update(table.attrs)
    for name, change in columns.items():
        copy[name] = change(copy[name])
    return copy


def test_every_statement_falls_with_a_violation_and_stands_without(made):
    table = made["rev_properties"]
    failing = tables.verdicts("rev_properties", changed(table, violations=lambda column: column + 1))
    assert set(failing.values()) == {REFUTED}
    standing = tables.verdicts("rev_properties", changed(table, violations=lambda column: 0 * column))
    assert set(standing.values()) == {REPRODUCED}


def test_every_example_falls_with_its_number(made):
    table = made["rev_examples"]
    moved = tables.verdicts("rev_examples", changed(table, computed=lambda column: column + 3.0))
    assert {claim for claim, verdict in moved.items() if verdict != REFUTED} <= {"s1-dinur", "def2.9", "ex2.23-space"}
    less = tables.verdicts("rev_examples", changed(table, computed=lambda column: 0.5 * column))
    assert less["s1-dinur"] == less["ex2.23-space"] == REFUTED
    at = (table["example"] == "2.11") & (table["quantity"] == "κ")
    one = changed(table, computed=lambda column: column.mask(at, 4.0))
    assert tables.verdicts("rev_examples", one)["def2.9"] == REFUTED


def test_every_claim_of_composition_falls_with_its_delta_or_its_level(made):
    table = made["rev_composition"]
    more = tables.verdicts("rev_composition", changed(table, delta_true=lambda column: column + 0.9))
    levels = {"cor2.29", "reconcile-2.31"}
    assert {claim for claim, verdict in more.items() if verdict != REFUTED} == levels
    higher = tables.verdicts("rev_composition", changed(table, epsilon_exact=lambda column: 100.0 * column))
    assert all(higher[claim] == REFUTED for claim in levels)
    none = tables.verdicts("rev_composition", changed(table, delta_true=lambda column: 0.0 * column))
    assert set(none.values()) == {REPRODUCED}


def test_the_first_failure_is_between_two_rows(made):
    table = made["rev_composition"]
    first, before = (
        table[table["claim"] == claim].set_index(["epsilon", "slack"])
        for claim in (composition.FIRST_FAILURE, composition.BEFORE_FAILURE)
    )
    assert len(first) >= 2
    assert (first["delta_true"] > first["delta_stated"]).all()
    assert (first["epsilon_exact"] > first["epsilon_claimed"]).all()
    assert (before["delta_true"] <= before["delta_stated"]).all()
    assert (first.loc[before.index, "count"] == before["count"] + 1).all()


def test_smallest_witnesses_stand_in_the_table(made):
    table = made["rev_properties"].set_index(["statement", "case"])["witness"]
    assert table[properties.LEMMA_24, properties.JOINT_ABOVE] == "(1), (1); (1), (1); δ = 1/10"
    assert table[properties.PARALLEL, properties.FAR].startswith(
        "(0, 1), (0, 1), (1/2, 1/2); (0, 1), (0, 1), (1/2, 1/2)"
    )
    assert table[properties.ONE_DELTA, properties.USUAL] == "(0, 1), (1/2, 1/2), (1, 0), e^ε = 1"


def test_few_answers_judge_no_attack():
    table = tables.made("rev_examples", n=8, subset_queries=[1], noise_shares=[0.5], repeats=2)
    found = tables.verdicts("rev_examples", table)
    assert found["s1-dinur"] == found["s1-dinur-noise"] == UNTESTABLE


@pytest.mark.parametrize(
    ("leaf", "name", "changes", "words"),
    [
        (composition, "rev_composition", {"epsilons": [20]}, "up to 10"),
        (composition, "rev_composition", {"epsilon": 10}, "distances has"),
        (composition, "rev_composition", {"deltas": [1 - 1e-12]}, "below 1"),
        (examples, "rev_examples", {"n": 5000}, "200 records"),
    ],
)
def test_what_would_not_end_or_not_fit_is_one_sentence(leaf, name, changes, words):
    with pytest.raises(InputError, match=words):
        leaf.check(config.resolve(project.experiment(name), {}) | changes)
