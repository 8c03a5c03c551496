"""The search for worst pairs: it reaches what is known, exceeds wrong bounds, and its claims can fail."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

import tables
from reproduction.claims import REFUTED, REPRODUCED, UNTESTABLE
from reproduction.experiments.learners import sensitivity as said
from reproduction.experiments.learners.sensitivity import counted, regression, search

ID = "rev_sensitivity"
STARTS = 2000


@pytest.fixture(scope="module")
def searched():
    return tables.made(ID, dimensions=[1, 3], starts=STARTS)


def rng():
    return np.random.default_rng(2)


def changed(table, learner, **columns):
    return tables.changed(table, table["learner"].str.startswith(learner), **columns)


def test_all_that_is_printed_holds_and_a_table_of_a_line_has_no_pair_in_the_plane(searched):
    plane = searched["learner"].str.startswith("functional") & (searched["dimension"] > 1)
    verdicts = tables.verdicts(ID, searched[~plane])
    assert verdicts["functional-tight"] == UNTESTABLE
    assert verdicts["functional-attained"] == REPRODUCED
    assert set(tables.verdicts(ID, searched).values()) == {REPRODUCED}


@pytest.mark.parametrize(
    ("claim", "learner", "columns"),
    [
        ("s5.6-private", said.LOGISTIC, {"found": 100.0}),
        ("functional-linear", said.LINEAR, {"found": 40.0}),
        ("functional-logistic", said.LOGISTIC, {"found": 20.0}),
        ("functional-tight", said.LINEAR, {"bound": 40.0}),
        ("functional-attained", said.LOGISTIC, {"bound": 0.63}),
        ("output", said.LOGISTIC_OUTPUT, {"found": 2.01}),
        ("output-hinge", said.HINGE_OUTPUT, {"found": 1.9}),
        ("output-logistic", said.LOGISTIC_OUTPUT, {"found": 1.8}),
        ("ada-ssp", said.ADA_SSP, {"found": 1.8}),
        ("attained", said.BLOCKS, {"found": 0.5}),
        ("attained", said.CLIPPED, {"found": 0.9}),
        ("bounds", said.COUNTS, {"found": 7.0}),
        ("taylor", said.TAYLOR, {"found": 0.02}),
        ("taylor-far", said.TAYLOR, {"found": 0.01}),
    ],
)
def test_a_claim_fails_where_the_table_says_otherwise(searched, claim, learner, columns):
    assert tables.verdicts(ID, changed(searched, learner, **columns))[claim] == REFUTED


def functional(*, logistic):
    return regression.functional(5, logistic=logistic, replaced=True, starts=STARTS, rng=rng())


@pytest.mark.parametrize(
    ("wrong", "found"),
    [
        (2 * np.sqrt(5) + 5, lambda: functional(logistic=False)),
        (np.sqrt(5) / 2 + 5 / 8, lambda: functional(logistic=True)),
        (np.sqrt(2), lambda: regression.ada_ssp(2, replaced=False, starts=STARTS, rng=rng())),
        (np.sqrt(3), lambda: regression.ada_ssp(2, replaced=True, starts=STARTS, rng=rng())),
        (1.0, lambda: regression.hinge_output(STARTS, rng())),
        (1.9, lambda: regression.logistic_output_plane(10**6, STARTS, rng())),
        (1.0, lambda: regression.logistic_output_line(10**6, STARTS, rng())),
    ],
    ids=["one record", "one record, logistic", "two statistics", "add", "half", "at norm 1", "opposite records"],
)
def test_a_wrong_bound_is_exceeded(wrong, found):
    assert found() > wrong * 1.01


def test_the_search_finds_a_maximum_that_is_known():
    """x·Ax on the ball, whose maximum is an eigenvalue; random starts alone are 10% short of it."""
    root = rng().standard_normal((8, 8))
    matrix = root @ root.T
    found = search.largest(lambda x: np.einsum("ij,jk,ik->i", x, matrix, x), search.in_ball, 8, STARTS, rng())
    top = np.linalg.eigvalsh(matrix)[-1]
    assert top * (1.0 - 1e-4) < found <= top * (1.0 + 1e-12)
    starts = search.in_ball(rng().standard_normal((STARTS, 8)))
    assert np.einsum("ij,jk,ik->i", starts, matrix, starts).max() < 0.9 * top


def test_mirrored_minimisers_are_those_of_the_losses():
    """One pair of the construction against a minimiser of the whole objective in a plane."""
    kappa, n, z = 3.0, 500, np.array([-0.3, 0.9])
    r = 0.2

    def minimiser(own):
        def loss(w):
            return (n - 1) * np.logaddexp(0, -r * w[0]) + np.logaddexp(0, -own @ w) + kappa * w @ w / 2

        return minimize(loss, np.zeros(2), method="BFGS", options={"gtol": 1e-10}).x

    one, other = minimiser(z), minimiser(z * [1.0, -1.0])
    assert one == pytest.approx(other * [1.0, -1.0], abs=1e-6)
    assert kappa * np.linalg.norm(one - other) == pytest.approx(2.0 * 0.9 * expit(-z @ one), rel=1e-5)
    assert kappa * np.linalg.norm(one - other) < 2.0


def test_the_bound_on_a_line_is_its_supremum():
    """σ(W) + max_b bσ(−bW) by brute force; σ(w) and h of opposite records alone would be 1."""
    w, b = np.linspace(0.0, 12.0, 1201), np.linspace(0.0, 1.0, 2001)
    brute = max(expit(x) + np.max(b * expit(-b * x)) for x in w)
    assert brute <= regression.on_a_line_bound() < brute + 1e-4
    b = regression.STRONGEST
    assert 1.0 + np.exp(b) == pytest.approx(b * np.exp(b), rel=1e-14)
    assert b * expit(-b) == pytest.approx(b - 1.0, rel=1e-14)


def test_small_data_sets_move_what_they_are_said_to():
    assert [counted.tables(m, replaced=True).found for m in (1, 2)] == [2.0, 4.0]
    assert [counted.counts(m, replaced=True).found for m in (1, 2)] == [4.0, 6.0]
    assert [counted.tables(m, replaced=False).found for m in (1, 2)] == [1.0, 2.0]
    assert counted.centres(1, 2, 3).found == pytest.approx(4.0 / 3.0)
    third = Fraction(1, 3)
    assert counted._tables(((0, 1), (0, 1), (0, 0)), 1) == (third, 2 * third, 0, 0)
    minus, one = (Fraction(-1),), (Fraction(1),)
    assert counted._centres((minus, one, one), 2) == (-1, 1)
    assert counted._centres((one,), 2) == (1, 1)


def test_the_expansion_of_the_logistic_loss(searched):
    """The printed constant, and the error at ±1 by its next term, z⁴/192."""
    rows = searched[searched["learner"] == said.TAYLOR]
    assert rows["printed"].tolist() == pytest.approx([0.015143] * 2, abs=1e-6)
    assert rows["found"].iloc[0] == pytest.approx(1.0 / 192.0, rel=0.07)
    assert rows["found"].iloc[0] == pytest.approx(0.5 + 0.125 + np.log(2) - np.log1p(np.e), rel=1e-12)


def test_figure_has_a_line_for_each_of_the_other_learners(searched):
    figure = tables.drawn(ID, searched)
    assert len(figure.axes) == 3
    others = ~searched["learner"].isin([said.LINEAR, said.LOGISTIC, said.TAYLOR])
    assert len(figure.axes[2].get_yticklabels()) == others.sum()
