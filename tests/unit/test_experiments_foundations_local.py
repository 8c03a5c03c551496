"""Experiments on noise fitted to the data set: their numbers a second way, claims that fall where their numbers do."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

import tables
from reproduction.claims import REFUTED, REPRODUCED, UNTESTABLE, WRONG
from reproduction.experiments.foundations import blocks, localized
from tables import changed

SMALL = {"epsilons": [0.3, 2.0], "deltas": [1e-5, 1e-2], "line_points": [3], "height": 3}


@pytest.fixture(scope="module")
def fitted():
    return tables.made("rev_localized", **SMALL)


# -- noise fitted to the data set --------------------------------------------------------------------------------------

FALSE = {"prop3.19": WRONG, "prop3.19-distances": WRONG, "cor3.21": WRONG, "equally-private": REFUTED}


def test_what_fails_and_what_holds(fitted):
    found = tables.verdicts("rev_localized", fitted)
    assert {name: verdict for name, verdict in found.items() if verdict != REPRODUCED} == FALSE
    assert len(found) == 16


def test_worst_pairs_are_those_of_integrals_on_a_grid(fitted):
    """δ of every neighbour's densities by sums, from the σ of Proposition 3.19 that are written out here."""
    rows = fitted[(fitted["view"] == localized.MAP) & (fitted["convention"] == localized.NEIGHBOURS)]
    rows = rows[rows["mechanism"] == localized.LOCALIZED]
    slopes = {localized.EXAMPLE: (5 / 3, 2, 3, 3), localized.SMALLEST: (0.5, 1, 1), localized.WORST: (1, 3, 3)}
    assert len(rows) == 12
    for _, row in rows.iterrows():
        values, epsilon, delta = localized.FUNCTIONS[row["function"]], row["epsilon"], row["delta_claimed"]
        sigmas = [math.sqrt(2 * math.log(1.25 / delta)) * slope / epsilon for slope in slopes[row["function"]]]
        y = np.linspace(-15 * max(sigmas), 15 * max(sigmas), 200_001)
        laws = [stats.norm.pdf(y, value, sigma) for value, sigma in zip(values, sigmas, strict=True)]
        true = {
            f"{a} → {b}": float(np.sum(np.maximum(laws[a] - math.exp(epsilon) * laws[b], 0.0)) * (y[1] - y[0]))
            for a, b in itertools.permutations(range(len(values)), 2)
            if abs(a - b) == 1
        }
        assert max(true.values()) == pytest.approx(row["delta_true"], rel=1e-5)
        assert true[row["pair"]] == pytest.approx(row["delta_true"], rel=1e-5)


def test_the_example_in_each_convention(fitted):
    """.0225 and .148 are at dε for pairs at distance d; at ε for 2 → 0 it is .2006, and 3 → 0 is worst."""
    rows = fitted[(fitted["view"] == localized.PAIRS) & (fitted["function"] == localized.EXAMPLE)]
    true = rows.set_index(["convention", "pair"])["delta_true"]
    assert true[localized.OWN, "1 → 0"] == pytest.approx(0.022514, rel=1e-4)
    assert true[localized.NEIGHBOURS, "1 → 0"] == true[localized.OWN, "1 → 0"]
    assert true[localized.OWN, "2 → 0"] == pytest.approx(0.148134, rel=1e-5)
    assert true[localized.REFERENCE, "2 → 0"] == pytest.approx(0.200598, rel=1e-5)
    assert true[localized.REFERENCE].idxmax() == "3 → 0"
    assert true[localized.NEIGHBOURS].idxmax() == "2 → 1"


def test_tails_are_those_of_the_largest_of_normal_variables(fitted):
    for _, row in fitted[fitted["view"] == localized.TAIL].iterrows():
        k = int(row["pair"].split(", ")[1].split()[0])
        exact = 1 - (1 - 2 * stats.norm.sf(row["first_centre"] / row["first_sigma"])) ** k
        assert row["delta_true"] == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize(
    ("view", "mechanism", "columns", "claim", "becomes"),
    [
        (localized.MAP, localized.LOCALIZED, {"delta_true": 1e-9}, "prop3.19", REPRODUCED),
        (localized.MAP, localized.LOCALIZED, {"delta_true": 1e-9}, "prop3.19-distances", REPRODUCED),
        (localized.PAIRS, localized.LOCALIZED, {"delta_true": 1e-9}, "prop3.19-example", REFUTED),
        (localized.PAIRS, localized.LOCALIZED, {"delta_true": 1e-9}, "cor3.21", REPRODUCED),
        (localized.MAP, localized.LOCALIZED, {"floor": 0.0}, "constant", REFUTED),
        (localized.SEARCH, localized.LOCALIZED, {"delta_true": np.sqrt}, "worst", REPRODUCED),  # both alike
        (localized.TAIL, localized.LOCALIZED, {"delta_true": lambda d: 10 * d}, "prop3.20", REFUTED),
        (localized.MAP, localized.LOCALIZED, {"rms_sigma": lambda s: 1.2 * s}, "more-accurate", REFUTED),
        (localized.MAP, localized.LOCALIZED, {"rms_sigma": 1e-3}, "equally-private", REPRODUCED),
        (localized.MAP, localized.SMOOTH, {"delta_true": 0.2}, "smooth", REFUTED),
        (localized.MAP, localized.SMOOTH, {"delta_true": 0.2}, "prop3.19", REFUTED),  # nor is there a correction
        (localized.MAP, localized.ORDINARY, {"delta_true": 0.2}, "ordinary", REFUTED),
        (localized.CONSTANTS, localized.USUAL, {"epsilon_true": 9.0}, "usual-cauchy", REFUTED),
        (localized.CONSTANTS, localized.USUAL, {"delta_true": 0.2}, "usual-laplace", REFUTED),
        (localized.CONSTANTS, localized.USUAL, {"delta_true": 0.2}, "usual-gaussian", REFUTED),
        (localized.OTHERS, localized.LAPLACE, {"epsilon_true": 0.4}, "laplace", REFUTED),
        (localized.OTHERS, localized.EXPONENTIAL, {"epsilon_true": 0.4}, "exponential", REFUTED),
    ],
)
def test_each_verdict_turns_with_its_numbers(fitted, view, mechanism, columns, claim, becomes):
    where = (fitted["view"] == view) & (fitted["mechanism"] == mechanism)
    assert tables.verdicts("rev_localized", changed(fitted, where, **columns))[claim] == becomes


def test_a_worse_function_would_be_seen(fitted):
    where = (fitted["view"] == localized.SEARCH) & (fitted["function"] != localized.BOUND)
    assert "worst" in tables.falls("rev_localized", fitted, changed(fitted, where, delta_true=lambda d: d * 1.0001))


def test_its_figure(fitted):
    figure = tables.drawn("rev_localized", fitted)
    assert [axes.get_title("left")[:3] for axes in figure.axes[:4]] == ["(a)", "(b)", "(c)", "(d)"]
    single = tables.made("rev_localized", **{**SMALL, "epsilons": [1.0], "deltas": [1e-4]})
    assert len(tables.drawn("rev_localized", single).axes) == len(figure.axes) == 5  # the colour bar is one


# -- blocks ------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def parted():
    return tables.made("rev_blocks", block_counts=[1, 15, 63, 125, 251, 501, 1001], repeats=150)


def test_claims_about_blocks(parted):
    found = tables.verdicts("rev_blocks", parted)
    assert {name: verdict for name, verdict in found.items() if verdict != REPRODUCED} == {"s3.6-any": REFUTED}
    assert len(found) == 6


def test_sensitivities_by_hand(parted):
    """The mean of six numbers in [0, 1] moves by 1/6, of any blocks; median and maximum by 1, of k blocks by 1/k."""
    rows = parted[parted["view"] == blocks.SENSITIVITY].set_index(["function", "blocks"])["kappa"]
    for k in (1, 2, 3, 6):
        assert rows[blocks.MEAN, k] == pytest.approx(1 / 6)
        assert rows[blocks.MEDIAN, k] == pytest.approx(1 / k)
        assert rows[blocks.LARGEST, k] == pytest.approx(1 / k)


@pytest.mark.parametrize(
    ("where", "columns", "claim", "becomes"),
    [
        ({"function": blocks.LARGEST, "blocks": 3}, {"kappa": 0.5}, "s3.6-falls", REFUTED),
        ({"function": blocks.MEAN, "view": blocks.SENSITIVITY}, {"kappa": 0.1}, "s3.6-any", REPRODUCED),
        ({"function": blocks.MEDIAN, "blocks": 2}, {"kappa": 0.51}, "s3.6-private", REFUTED),
        ({"aggregator": blocks.SMOOTH, "blocks": 1001}, {"error": 0.01}, "minimum", UNTESTABLE),
        ({"aggregator": blocks.SMOOTH, "blocks": 1}, {"error": 0.01, "standard_error": 0.001}, "minimum", REFUTED),
        ({"aggregator": blocks.MEDIAN, "blocks": 1}, {"error": 1e-6}, "s3.6-close", REFUTED),
        ({"aggregator": blocks.MEAN, "blocks": 15}, {"noise_error": lambda e: 1.2 * e}, "noise", REFUTED),
    ],
)
def test_each_verdict_about_blocks_turns_with_its_numbers(parted, where, columns, claim, becomes):
    rows = np.all([parted[name] == value for name, value in where.items()], axis=0)
    assert tables.verdicts("rev_blocks", changed(parted, rows, **columns))[claim] == becomes


def test_errors_have_their_two_parts(parted):
    """The error is at most the sum of its parts, and at least their difference."""
    rows = parted[parted["view"] == blocks.ERROR]
    assert (rows["error"] <= rows["noise_error"] + rows["block_error"] + 1e-12).all()
    assert (rows["error"] >= (rows["noise_error"] - rows["block_error"]).abs() - 1e-12).all()
    assert (rows[(rows["blocks"] == 1) & (rows["aggregator"] != blocks.SMOOTH)]["block_error"] < 1e-12).all()


def test_figures_of_blocks(parted):
    assert len(tables.drawn("rev_blocks", parted).axes) == 3
    few = tables.made("rev_blocks", block_counts=[1, 3], epsilons=[1], repeats=4, n=20)
    assert len(tables.drawn("rev_blocks", few).axes) == 2
    assert tables.verdicts("rev_blocks", few)["minimum"] == "untestable"
