"""Private linear regression: its table, and claims that can fail."""

import pytest

import tables
from dpsampling.errors import InputError
from dpsampling.numerics.randomness import stream
from dpsampling.privacy.guarantee import Approximate
from planted_designs import planted
from reproduction import config, project
from reproduction.claims import REFUTED, REPRODUCED, UNTESTABLE, WRONG
from reproduction.experiments.learners import linear as said
from reproduction.experiments.learners.linear.table import table as made_of
from reproduction.stages import experiment_contract
from tables import changed

ID = "rev_linear"


@pytest.fixture(scope="module")
def small():
    """Many planted rows and few features, where everything learns; the planted Abalone is too small for that."""
    return tables.made(ID, n=5000, dimension=2, epsilons=[0.1, 1, 10], repeats=20)


def verdicts(table):
    return tables.verdicts(ID, table[table["dataset"] == said.PLANTED])


def test_what_is_measured_is_said_and_few_splits_compare_nothing(small):
    found = verdicts(small)
    assert found.pop("ada-ssp-step") == WRONG
    assert set(found.values()) == {REPRODUCED}
    assert len(found) == 7
    few = verdicts(changed(small, small["repeats"] > 0, repeats=3))
    assert {few[name] for name in ("tight", "exact", "modern")} == {UNTESTABLE}


@pytest.mark.parametrize(
    ("claim", "mechanism", "columns"),
    [
        ("s5.6", said.FUNCTIONAL_PRINTED, {"mse": 5.0}),
        ("ada-ssp-total", said.ADA_SSP_PRINTED, {"delta_spent": 2e-6}),
        ("ada-ssp-exact", said.ADA_SSP_EXACT, {"delta_spent": 1.001e-6}),
        ("ada-ssp-spends", said.ADA_SSP_REPLACED, {"delta_spent": 0.9e-6}),
        ("tight", said.FUNCTIONAL_TIGHT, {"mse": 5.0}),
        ("exact", said.ADA_SSP_EXACT, {"mse": 5.0}),
        ("modern", said.ADA_SSP_REPLACED, {"mse": 5.0}),
    ],
)
def test_a_claim_fails_where_the_table_says_otherwise(small, claim, mechanism, columns):
    rows = (small["mechanism"] == mechanism) & (small["epsilon"] == 10.0)
    assert verdicts(changed(small, rows, **columns))[claim] == REFUTED


def test_the_step_would_be_believed_if_it_held_and_little_privacy_is_needed_to_judge_it(small):
    rows = small["mechanism"] == said.ADA_SSP_PRINTED
    assert verdicts(changed(small, rows, delta_step=3e-7))["ada-ssp-step"] == REPRODUCED
    assert verdicts(small[(small["epsilon"] < 5.0) | small["epsilon"].isna()])["s5.6"] == UNTESTABLE


def test_least_squares_and_the_constant_are_what_they_should_be(small):
    """Planted: the noise's .01, half a clip apart; a constant has the outcomes' variance, E r² · .64/d + .01."""
    rows = small[small["dataset"] == said.PLANTED].set_index("mechanism")
    assert rows.loc[said.PLAIN, "mse"] == pytest.approx(0.01, rel=0.05)
    variance = 0.64 * (7.0 / 12.0) / 2.0 + 0.01
    assert rows.loc[said.CONSTANT, "mse"] == pytest.approx(variance, rel=0.05)
    assert rows.loc[said.ADA_SSP_EXACT].iloc[-1]["mse"] == pytest.approx(rows.loc[said.PLAIN, "mse"], rel=0.02)


def test_splits_are_shared_and_noise_is_not():
    """A level more changes no other row."""
    few, more = (tables.made(ID, n=300, dimension=2, epsilons=e, repeats=2) for e in ([1], [0.5, 1]))
    assert more[more["epsilon"].isna() | (more["epsilon"] == 1.0)].reset_index(drop=True).equals(few)


def test_the_ledger_has_every_mechanism_with_its_guarantee(small):
    releases = experiment_contract.function("learners.linear", "releases")(small, small.attrs["parameters"])
    assert len(releases) == 2 * 3 * 6
    assert {release.count for release in releases} == {1, 20}
    assert sum(isinstance(release.guarantee, Approximate) for release in releases) == 2 * 3 * 3


def test_a_data_set_without_outcomes_is_said():
    params = config.resolve(project.experiment(ID), {"dataset": "adult", "repeats": 2})
    with pytest.raises(InputError, match="adult has no outcome; declare bounds"):
        made_of(params, stream(1, ID), {"adult": planted("adult")})


def test_figure_shows_every_mechanism_in_each_panel(small):
    assert [len(axes.get_lines()) for axes in tables.drawn(ID, small).axes] == [8, 8]
