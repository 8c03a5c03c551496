"""Settings that are legitimate and too coarse for a verdict: what cannot be judged there is not judged."""

import pytest

import tables
from reproduction import project
from reproduction.claims import REFUTED, REPRODUCED, UNTESTABLE


def made(name, **changes):
    return tables.made(name, **{**project.experiment(name).smallest, **changes})


@pytest.mark.parametrize(
    ("name", "changes", "claims"),
    [
        ("rev_blocks", {}, {"minimum"}),  # of 200 records errors still fall at 125 blocks
        ("rev_blocks", {"block_counts": [31, 63, 125]}, {"minimum", "s3.6-close"}),  # not one block
        ("rev_blocks", {"epsilons": [0.001]}, {"minimum", "s3.6-close"}),  # and noise covers the interval at every k
        ("rev_properties", {}, {"lemma2.24-dependent"}),  # laws of 0 and 1 tell all or nothing
        ("rev_localized", {"height": 2}, {"worst"}),  # f = 2, 3, 0 is not among the functions
        ("rev_tails", {"dimensions": [1]}, {"s3.6-usually"}),  # the Laplace bound of one number is an equality
        ("rob_kl", {}, {"thm2ii", "lemma6-kl"}),
        ("rob_kl", {"sizes": [4, 9], "changes": [5]}, {"thm1ii-first-exponential", "thm1ii-first-laplace"}),
        ("rob_assumptions", {"lipschitz_levels": [5]}, {"lemma4", "lemma5-binomial"}),
        ("rob_assumptions", {"concentrations": [0.5]}, {"lemma5-bounded-order"}),
        ("rob_distinguish", {}, {"thm3-necessary-2"}),
    ],
)
def test_what_a_coarse_table_cannot_judge(name, changes, claims):
    found = tables.verdicts(name, made(name, **changes))
    assert {claim: found[claim] for claim in claims} == dict.fromkeys(claims, UNTESTABLE)


def test_noise_that_was_made_to_keep_its_promise_does_not_count_as_lost():
    """The analytic σ keeps (60, δ) at distance 1: it is what it was calibrated for."""
    found = tables.verdicts("rev_gaussian", made("rev_gaussian", epsilons=[60], distances=[1, 2]))
    assert found["any-sigma"] == REPRODUCED


def test_a_bound_is_judged_apart_from_a_level():
    """max{…} is above its logarithm: as a bound section 4.1 is right, as a level not; and c ≤ α/2 is c = O(α)."""
    table = made("rev_examples")
    assert tables.verdicts("rev_examples", table)["s4.1-bound"] == REPRODUCED
    raised = tables.changed(table, table["example"] == "4.1", computed=lambda x: x + 4.0)
    assert tables.verdicts("rev_examples", raised)["s4.1-bound"] == REFUTED
    priors = made("rob_assumptions")
    assert tables.verdicts("rob_assumptions", priors)["lemma5-bounded-order"] == REPRODUCED
    steeper = tables.changed(priors, priors["statement"] == "largest c", exact=lambda x: 1.01 * x)
    assert tables.verdicts("rob_assumptions", steeper)["lemma5-bounded-order"] == REFUTED


def test_an_end_that_is_surely_best_refutes_the_minimum():
    table = made("rev_blocks")
    table.loc[(table["blocks"] == 1) & (table["view"] == "error"), "error"] = 1e-6
    assert tables.verdicts("rev_blocks", table)["minimum"] == REFUTED


@pytest.mark.parametrize(
    ("name", "changes"),
    [
        ("rev_localized", {"epsilons": [10], "deltas": [0.5]}),  # the usual β is too large there
        ("rev_blocks", {"epsilons": [100]}),
    ],
)
def test_large_levels_have_noise_of_their_own(name, changes):
    assert len(made(name, **changes))
