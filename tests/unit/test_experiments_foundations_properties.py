"""The review's statements, examples and composition claims: verdicts, and that each one falls with its numbers."""

import pytest

import tables
from reproduction import project
from reproduction.claims import FAILING, MISPRINT, REFUTED, REPRODUCED, UNTESTABLE, WRONG
from reproduction.experiments.foundations import composition, examples, properties

SMALL = {name: project.experiment(name).smallest for name in ("rev_composition", "rev_examples", "rev_properties")}
SMALL["rev_composition"] = {**SMALL["rev_composition"], "epsilons": [0.1, 1], "counts": [1, 2, 10, 100]}
SMALL["rev_properties"] = {"denominators": [1, 2, 3, 4], "kernels": 5}
FALSE = {
    "rev_composition": {"claim2.30", "claim2.30-far", "claim2.31-far", "def2.15"},
    "rev_properties": {"def2.15", "lemma2.24", "prop2.26-usual", "prop2.32"},
    "rev_examples": {"ex4.1-zero"},
}
MISPRINTS = {"rev_composition": set(), "rev_properties": {"s2-logs"}, "rev_examples": {"ex2.3", "ex2.23-space", "s4.1"}}


@pytest.fixture(scope="module")
def made():
    return {name: tables.made(name, **changes) for name, changes in SMALL.items()}


@pytest.mark.parametrize("name", list(SMALL))
def test_verdicts(made, name):
    found = tables.verdicts(name, made[name])
    expected = dict.fromkeys(FALSE[name], WRONG) | dict.fromkeys(MISPRINTS[name], MISPRINT)
    assert {claim: verdict for claim, verdict in found.items() if verdict != REPRODUCED} == expected
    of_privacy = {claim.id for claim in tables.judged(name, made[name]) if claim.of_privacy}
    assert FALSE[name] - {"ex4.1-zero"} <= of_privacy


def changed(table, **columns):
    """A copy with whole columns replaced by functions of them."""
    return tables.changed(table, table.index >= 0, **columns)


def test_every_statement_falls_with_a_violation_and_stands_without(made):
    table = made["rev_properties"]
    failing = tables.verdicts("rev_properties", changed(table, violations=lambda column: column + 1))
    assert {claim for claim, verdict in failing.items() if verdict != REFUTED} == {"lemma2.24-dependent"}
    none = changed(table, violations=lambda column: 0 * column, left=lambda _: 0.0)
    standing = tables.verdicts("rev_properties", none)
    assert {claim for claim, verdict in standing.items() if verdict != REPRODUCED} == {"lemma2.24-dependent"}
    assert standing["lemma2.24-dependent"] == REFUTED


def test_a_side_that_exceeds_the_other_is_a_violation_though_none_was_counted(made):
    raised = tables.verdicts("rev_properties", changed(made["rev_properties"], left=lambda column: column + 1.0))
    assert {claim for claim, verdict in raised.items() if verdict not in FAILING} == {"lemma2.24-dependent"}


def test_every_example_falls_with_its_number(made):
    table = made["rev_examples"]
    moved = tables.verdicts("rev_examples", changed(table, computed=lambda column: column + 3.0))
    from_above = {"s1-dinur", "s1-dinur-nearly", "def2.9", "ex1.6-noisy", "ex4.1-zero", "ex5.2a", "ex5.2-printed"}
    assert {claim for claim, verdict in moved.items() if verdict != REFUTED} <= from_above
    smaller = dict.fromkeys(("computed", "least"), lambda column: 0.4 * column)
    less = tables.verdicts("rev_examples", changed(table, **smaller))
    assert {claim for claim in from_above - {"def2.9"} if less[claim] != REFUTED} == {"ex4.1-zero", "ex5.2-printed"}
    at = table["example"].isin(["4.1a", "5.2a", "5.2b"])
    one = changed(table, computed=lambda column: column.mask(at, 9.0).where(table["quantity"] != examples.SIGMA, 99.0))
    found = tables.verdicts("rev_examples", one)
    assert found["ex4.1-zero"] == found["ex5.2-printed"] == found["ex5.2b"] == REFUTED
    at = (table["example"] == "2.11") & (table["quantity"] == "κ")
    one = changed(table, computed=lambda column: column.mask(at, 4.0))
    assert tables.verdicts("rev_examples", one)["def2.9"] == REFUTED


def test_every_claim_of_composition_falls_with_its_delta_or_its_level(made):
    table = made["rev_composition"]
    more = tables.verdicts("rev_composition", changed(table, delta_true=lambda column: column + 0.9))
    levels, from_above = {"cor2.29", "reconcile-2.31"}, {"ex5.2a", "ex5.2a-far", "ex5.2b-far"}
    assert {claim for claim, verdict in more.items() if verdict != REFUTED} == levels | from_above
    higher = tables.verdicts("rev_composition", changed(table, epsilon_exact=lambda column: 100.0 * column))
    assert all(higher[claim] == REFUTED for claim in levels)
    none = tables.verdicts("rev_composition", changed(table, delta_true=lambda column: 0.0 * column))
    assert {claim for claim, verdict in none.items() if verdict != REPRODUCED} == from_above
    assert {none[claim] for claim in from_above} == {REFUTED}


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
    far = "(0, 1), (0, 1), (1/2, 1/2)"
    assert table[properties.PARALLEL, properties.FAR].startswith(f"{far}; {far}")
    assert table[properties.ONE_DELTA, properties.USUAL] == "(0, 1), (1/2, 1/2), (1, 0), e^ε = 1"


def test_few_answers_judge_no_attack():
    table = tables.made("rev_examples", n=8, subset_queries=[1], noise_shares=[0.5], repeats=2)
    found = tables.verdicts("rev_examples", table)
    assert found["s1-dinur"] == found["s1-dinur-noise"] == UNTESTABLE
