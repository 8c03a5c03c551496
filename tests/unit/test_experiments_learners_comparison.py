"""Every private classifier side by side: the table, its figure, and claims that can fail."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import tables
from dpsampling.errors import InputError
from dpsampling.learners import registry
from dpsampling.numerics.randomness import stream
from dpsampling.privacy.guarantee import Approximate, Pure
from planted_designs import planted
from reproduction import config, project
from reproduction.claims import REFUTED, REPRODUCED, UNTESTABLE
from reproduction.experiments.learners import comparison as said
from reproduction.experiments.learners.comparison.table import table as made_of
from reproduction.stages import experiment_contract

ID = "rev_learners"
SMALL = {"trees": 2, "depth": 3, "rounds": 2, "epochs": 1, "interval": 0.01, "sampling": 0.25}


@pytest.fixture(scope="module")
def small():
    """Of a planted set of 150 rows that is called Adult."""
    return tables.made(ID, epsilons=[1, 10], published_epsilons=[0.07, 0.54], repeats=10, repeats_large=10, **SMALL)


def ideal():
    """What a paper-scale table could say: all claims hold."""
    params = config.resolve(project.experiment(ID), {})
    rows = []
    for mechanism, (family, form) in said.KINDS.items():
        more = params["published_epsilons"] if mechanism == said.BOOSTED else []
        for epsilon in [*params["epsilons"], *more]:
            error = 0.15 if mechanism == said.BOOSTED else 0.2 if form == said.MODERN else 0.25
            rows.append((mechanism, family, form, "add or remove one record", epsilon, 1e-6, error))
    for name, family in [*said.WITHOUT.items(), (said.MAJORITY, said.NONE)]:
        rows.append((name, family, said.PLAIN, None, None, None, 0.145 if family == said.TREES else 0.159))
    table = pd.DataFrame(rows, columns=[*said.COLUMNS][:7])
    private = table["epsilon"].notna()
    table["sd"] = np.where(private, 0.003, np.nan)
    table["standard_error"] = np.where(private, 0.001, np.nan)
    table["repeats"], table["n"], table["conditions"] = np.where(private, 10, 1), 32561, None
    table.attrs["parameters"] = params
    return table


def changed(where, **columns):
    table = ideal()
    for column, value in columns.items():
        table.loc[where(table), column] = value
    return table


def at(mechanism, epsilon):
    return lambda table: (table["mechanism"] == mechanism) & (table["epsilon"] == epsilon)


def test_all_claims_hold_of_an_ideal_table():
    found = tables.verdicts(ID, ideal())
    assert set(found.values()) == {REPRODUCED}
    assert len(found) == 2 + 7 + 4 + 2


@pytest.mark.parametrize(
    ("claim", "where", "columns"),
    [
        ("record-0.07", at(said.BOOSTED, 0.07), {"error": 0.1831}),
        ("record-0.07", at(said.BOOSTED, 0.07), {"standard_error": 0.0093}),
        ("record-0.54", at(said.BOOSTED, 0.54), {"error": 0.1671}),
        ("best-0.1", at(said.BOOSTED, 0.1), {"error": 0.206}),
        ("best-3", at(said.DESCENT, 3.0), {"error": 0.144}),
        ("modern-naive-bayes", at(said.COUNTS, 0.01), {"error": 0.194}),
        ("modern-trees", at(said.SUMS, 10.0), {"error": 0.144}),
        ("modern-logistic-regression", at(said.FUNCTIONAL, 0.5), {"error": 0.194}),
        ("modern-svm", at(said.of(said.SVM, said.OUTPUT), 0.05), {"error": 0.194}),
        ("tight", at(said.of(said.SVM, said.PRINTED), 1.0), {"error": 0.194}),
        ("cost", at(said.BOOSTED, 0.5), {"error": 0.156}),
    ],
)
def test_a_claim_fails_where_the_table_says_otherwise(claim, where, columns):
    assert tables.verdicts(ID, changed(where, **columns))[claim] == REFUTED


@pytest.mark.parametrize("claim", ["best-0.1", "modern-svm", "tight", "cost", "record-0.07"])
def test_few_repeats_tell_nothing(claim):
    assert tables.verdicts(ID, changed(lambda t: t["epsilon"].notna(), repeats=9))[claim] == UNTESTABLE


def test_differences_within_their_errors_are_none():
    assert tables.verdicts(ID, changed(at(said.BOOSTED, 0.1), error=0.205))["best-0.1"] == REPRODUCED


def test_every_classifier_of_the_room_is_there(small):
    """By the registry: whatever takes labels 0 and 1."""
    others = {"functional-linear", "ada-ssp", "ada-ssp-printed", "block-k-means", "smooth-k-means", "noisy-lloyd"}
    others |= {"noisy-dirichlet", "tuned"}  # the last is a way to choose among learners
    classifiers = {entry.name for entry in registry.ENTRIES} - others
    shown = {
        "functional-logistic": [said.FUNCTIONAL],
        "naive-bayes": [said.COUNTS],
        "naive-bayes-gaussian": [said.GAUSSIAN_COUNTS],
        "random-trees": [said.SUMS, said.SHARES],
        "boosted-bins": [said.BOOSTED],
        "output-perturbation": [said.of(f, said.OUTPUT) for f in (said.LOGISTIC, said.SVM)],
        "output-perturbation-gaussian": [said.of(f, said.GAUSSIAN) for f in (said.LOGISTIC, said.SVM)],
        "objective-perturbation-printed": [said.of(f, said.PRINTED) for f in (said.LOGISTIC, said.SVM)],
        "objective-perturbation": [said.of(f, said.TIGHT) for f in (said.LOGISTIC, said.SVM)],
        "gradient-descent": [said.DESCENT],
    }
    assert classifiers == set(shown)
    private = small[small["epsilon"].notna()]
    assert {name for names in shown.values() for name in names} == set(private["mechanism"]) == set(said.KINDS)
    assert private.groupby("mechanism").size().drop(said.BOOSTED).eq(2).all()
    assert sorted(private.loc[private["mechanism"] == said.BOOSTED, "epsilon"]) == [0.07, 0.54, 1.0, 10.0]


def test_errors_are_those_of_the_rows(small):
    """The commoner label's error is a share of the 50 test rows, and the best without privacy learns."""
    plain = small[small["form"] == said.PLAIN].set_index("mechanism")["error"]
    assert (50 * plain[said.MAJORITY]) == pytest.approx(round(50 * plain[said.MAJORITY]))
    assert plain.min() < plain[said.MAJORITY]
    assert small["error"].between(0.0, 1.0).all()
    assert (small["standard_error"] * np.sqrt(10)).dropna().to_numpy() == pytest.approx(small["sd"].dropna().to_numpy())


def test_noise_of_one_learner_hangs_on_no_other_level():
    given = {**SMALL, "dataset": "abalone", "repeats": 2, "repeats_large": 2}
    few, more = (tables.made(ID, **given, epsilons=epsilons) for epsilons in ([1], [1, 3]))
    assert more[more["epsilon"].isna() | (more["epsilon"] == 1.0)].reset_index(drop=True).equals(few)


def test_the_ledger_has_every_fit(small):
    found = experiment_contract.function("learners.comparison", "releases")(small, small.attrs["parameters"])
    assert len(found) == small["epsilon"].notna().sum()
    assert {type(release.guarantee) for release in found} == {Pure, Approximate}
    descent = [r for r in found if r.mechanism.startswith(said.DESCENT)]
    assert all("kept secret" in r.guarantee.conditions[0] for r in descent)


def test_images_have_no_cells():
    params = config.resolve(project.experiment(ID), {"dataset": "mnist38"})
    images = {"mnist38": replace(planted("mnist38"), cells=None, described=())}
    with pytest.raises(InputError, match="mnist38 has no cells"):
        made_of(params, stream(1, ID), images)


def test_the_figure_has_both_panels_with_every_learner():
    figure = tables.drawn(ID, ideal())
    assert len(figure.axes) == 2
    labels = [set(axes.get_legend_handles_labels()[1]) for axes in figure.axes]
    assert [len(names) for names in labels] == [9, 11]
    assert "published boosted trees" in labels[1]
