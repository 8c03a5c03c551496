"""Claims about k means and conjugate updates: they hold on small tables, and fall where their numbers do."""

from __future__ import annotations

import pytest

import tables
from dpsampling.errors import InputError
from reproduction import config, project
from reproduction.claims import REFUTED, REPRODUCED, UNTESTABLE
from reproduction.experiments.learners import clustering, conjugate
from tables import changed, falls

SMALL = {"datasets": ["abalone"], "n": 3000, "block_counts": [11, 51], "epsilons": [0.1, 10], "repeats": 20}
FEW = {"n": 500, "categories": 20, "update_counts": [4, 1024], "epsilons": [0.1, 1], "repeats": 20}


@pytest.fixture(scope="module")
def means():
    return tables.made("rev_kmeans", **SMALL)


@pytest.fixture(scope="module")
def updates():
    return tables.made("rev_conjugate", **FEW)


# -- k means -----------------------------------------------------------------------------------------------------------


def test_claims_about_k_means_are_reproduced(means):
    found = tables.verdicts("rev_kmeans", means)
    assert len(found) == 8
    assert found.pop("s5.5-approximates") == UNTESTABLE  # with so few draws
    assert set(found.values()) == {REPRODUCED}
    sure = changed(means, means["standard_error"].notna(), standard_error=1e-3)
    assert tables.verdicts("rev_kmeans", sure)["s5.5-approximates"] == REPRODUCED


def of(table, view, *mechanisms, **columns):
    rows = (table["view"] == view) & table["mechanism"].isin(mechanisms)
    for name, value in columns.items():
        rows &= table[name] == value
    return rows


@pytest.mark.parametrize(
    ("view", "mechanisms", "where", "numbers", "claims"),
    [
        (clustering.SMOOTHNESS, (clustering.SMOOTH,), {}, {"largest_move": 1.001}, {"s5.5-move"}),
        (clustering.SMOOTHNESS, (clustering.SMOOTH,), {}, {"largest_ratio": 1.001}, {"s5.5-ratio"}),
        (
            clustering.ERROR,
            (clustering.SMOOTH,),
            {"epsilon": 10},
            {"delta_true": 1.1e-6},
            {"s5.5-private", "delta-idle"},
        ),
        (clustering.ERROR, (clustering.SMOOTH,), {"epsilon": 0.1}, {"delta_true": 3e-8}, {"delta-idle"}),
        (
            clustering.ERROR,
            (clustering.MEAN,),
            {"epsilon": 10, "blocks": 51, "dataset": "planted"},
            {"loss_ratio": 100.0},
            {"s5.5-approximates"},
        ),
        (
            clustering.ERROR,
            (clustering.PURE,),
            {"epsilon": 0.1, "dataset": "abalone"},
            {"loss_ratio": 1e4},
            {"modern-pure"},
        ),
        (
            clustering.ERROR,
            (clustering.GAUSSIAN,),
            {"epsilon": 0.1, "dataset": "planted"},
            {"loss_ratio": 1e4},
            {"modern-gaussian"},
        ),
        (clustering.ORDER, (clustering.COORDINATE,), {"blocks": 51}, {"loss_ratio": 1.0}, {"order-mixes"}),
    ],
)
def test_a_claim_about_k_means_falls_with_its_number(means, view, mechanisms, where, numbers, claims):
    other = changed(means, of(means, view, *mechanisms, **where), **numbers)
    assert falls("rev_kmeans", means, other) == claims
    assert {tables.verdicts("rev_kmeans", other)[claim] for claim in claims} == {REFUTED}


def test_claims_tell_what_their_starts_and_clusters_are(means):
    told = {claim.id: claim.statement for claim in tables.judged("rev_kmeans", means)}
    assert all("3/5 of" in told[name] for name in ("s5.5-approximates", "modern-pure", "modern-gaussian"))
    assert "planted clusters" in told["order-mixes"]


def test_with_few_repeats_nothing_is_said_of_the_modern_form():
    e = project.experiment("rev_kmeans")
    table = tables.make("rev_kmeans", config.resolve(e, e.smallest), 3)
    found = tables.verdicts("rev_kmeans", table)
    assert found["modern-pure"] == found["modern-gaussian"] == UNTESTABLE


def test_repeats_share_coins_but_not_noise(means):
    rows = means[(means["view"] == clustering.ERROR) & (means["mechanism"] == clustering.MEAN)]
    assert rows["sd"].gt(0).all()
    assert rows["loss_ratio"].nunique() == len(rows)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"block_counts": [20]}, "odd number"),
        ({"block_counts": [101], "n": 100}, "block_counts has 101"),
        ({"repeats": 1}, "standard error"),
        ({"n": 1_000_000, "repeats": 1000}, "lower either"),
    ],
)
def test_settings_of_k_means_that_cannot_be(changes, why):
    with pytest.raises(InputError, match=why):
        clustering.check(config.resolve(project.experiment("rev_kmeans"), SMALL) | changes)


# -- conjugate updates -------------------------------------------------------------------------------------------------


def test_claims_about_updates_are_reproduced(updates):
    found = tables.verdicts("rev_conjugate", updates)
    assert len(found) == 7
    assert set(found.values()) == {REPRODUCED}


@pytest.mark.parametrize(
    ("view", "mechanisms", "where", "numbers", "claims"),
    [
        (conjugate.FINAL, (conjugate.EACH,), {}, {"spent": lambda x: 1.1 * x}, {"s5.1-private"}),
        (conjugate.FINAL, (conjugate.BINARY,), {}, {"spent": lambda x: 1.1 * x}, {"modern-private"}),
        (conjugate.RUNNING, (conjugate.BEST,), {"updates": 4}, {"spent": lambda x: 2 * x}, {"modern-private"}),
        (conjugate.FINAL, (conjugate.AT_THE_END,), {"updates": 4}, {"spent": lambda x: 0.9 * x}, {"s5.1-private"}),
        (
            conjugate.FINAL,
            (conjugate.EACH,),
            {"updates": 1024, "epsilon": 0.1},
            {"error": lambda x: 3.0 * x},
            {"s5.1-factor", "s5.1-root", "errors"},
        ),
        (
            conjugate.FINAL,
            (conjugate.EACH,),
            {"updates": 4, "epsilon": 1.0},
            {"error": lambda x: 3.0 * x, "exact": lambda x: 3.0 * x},
            {"s5.1-root"},
        ),
        (conjugate.RUNNING, (conjugate.BINARY,), {"updates": 4}, {"exact": lambda x: 2.0 * x}, {"errors"}),
        (
            conjugate.RUNNING,
            (conjugate.BEST,),
            {"updates": 4, "epsilon": 1.0},
            {"error": lambda x: 3.0 * x, "exact": lambda x: 3.0 * x},
            {"modern"},
        ),
        (
            conjugate.RUNNING,
            (conjugate.EACH,),
            {"updates": 1024, "epsilon": 1.0},
            {"error": lambda x: 0.55 * x, "exact": lambda x: 0.55 * x},
            {"gain"},
        ),
    ],
)
def test_a_claim_about_updates_falls_with_its_number(updates, view, mechanisms, where, numbers, claims):
    other = changed(updates, of(updates, view, *mechanisms, **where), **numbers)
    assert falls("rev_conjugate", updates, other) == claims


def test_with_few_repeats_nothing_is_said_of_errors():
    found = tables.verdicts("rev_conjugate", tables.made("rev_conjugate", **FEW | {"repeats": 5}))
    assert {found[claim] for claim in ("s5.1-root", "errors", "modern")} == {UNTESTABLE}


@pytest.mark.parametrize(
    ("changes", "why"), [({"repeats": 1}, "standard error"), ({"update_counts": [16384], "categories": 64}, "too many")]
)
def test_settings_of_updates_that_cannot_be(changes, why):
    with pytest.raises(InputError, match=why):
        conjugate.check(config.resolve(project.experiment("rev_conjugate"), FEW) | changes)


def test_the_ledger_has_every_fit_with_its_level(means, updates):
    from reproduction.experiments.learners.clustering.releases import releases as of_means
    from reproduction.experiments.learners.conjugate.releases import releases as of_updates

    fits = of_means(means, means.attrs["parameters"])
    assert len(fits) == 2 * 2 * (2 * 2 + 2)
    assert {fit.count for fit in fits} == {20}
    assert all(float(fit.mechanism.rpartition("= ")[2]) >= fit.guarantee.epsilon * (1 - 1e-12) for fit in fits)
    assert len(of_updates(updates, updates.attrs["parameters"])) == 2 * 4 * 2
