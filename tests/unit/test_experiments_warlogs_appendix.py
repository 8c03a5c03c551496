"""Two slips of the supplement's appendix E, each number by a second route."""

import itertools
import math

import numpy as np
import pytest

import tables
from hmm_enumeration import log_urn
from reproduction.claims import MISPRINT, REFUTED, REPRODUCED
from reproduction.experiments.warlogs import conditionals as said
from reproduction.experiments.warlogs.conditionals import table as made_there


@pytest.fixture(scope="module")
def table():
    return tables.made("hmm_conditionals", steps=3, alphas=[0.5, 2], truncations=[0.1])


def test_eq_47_sums_to_the_outcomes_of_the_features_that_it_lacks():
    """Two entries, each with 2^(D − 1) outcomes too many."""
    for features in (1, 2, 3):
        assert made_there.joint_total(features, printed=True) == pytest.approx(4.0 ** (features - 1))
        assert made_there.joint_total(features, printed=False) == pytest.approx(1.0)


def test_naive_bayes_is_the_model_with_one_state():
    """By one urn after another: a cell's entries are drawn from its state's urn of a 0 and a 1."""
    ones, sizes, alpha = [[4, 1, 3]], [[5, 6, 4]], 0.7
    for shape in ((1, 3), (3, 1)):
        for states in (1, 2):
            total = 0.0
            for path in itertools.product(range(states), repeat=3):
                urns, log = np.ones((states, 2)), log_urn(np.array(path).reshape(shape), states, alpha)
                for k, up, all_of_them in zip(path, *ones, *sizes, strict=True):
                    for x in [1] * up + [0] * (all_of_them - up):
                        log += math.log(urns[k, x] / urns[k].sum())
                        urns[k, x] += 1.0
                total += math.exp(log)
            shaped = [np.array(numbers).reshape(shape) for numbers in (ones, sizes)]
            assert made_there.log_likelihood(*shaped, states, alpha) == pytest.approx(math.log(total), rel=1e-12)


def test_both_are_misprints_that_other_numbers_would_not_show(table):
    found = tables.verdicts("hmm_conditionals", table)
    assert (found["eq47"], found["naive-bayes"]) == (MISPRINT, MISPRINT)
    for quantity, claim in ((said.JOINT, "eq47"), (said.BAYES, "naive-bayes")):
        mine = table["quantity"] == quantity
        right = tables.changed(table, mine & (table["method"] == said.PRINTED), value=0.0)
        assert tables.verdicts("hmm_conditionals", right)[claim] == REPRODUCED
        worse = tables.changed(table, mine & (table["method"] == said.CORRECTED), value=0.1)
        assert tables.verdicts("hmm_conditionals", worse)[claim] == REFUTED
