"""Claims about k means and conjugate updates: they hold on small tables, and fall where their numbers do."""

import pytest

import tables
from reproduction import project
from reproduction.claims import REFUTED, REPRODUCED, UNTESTABLE
from reproduction.experiments.learners import clustering, conjugate
from tables import changed, falls, where

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


C, PLANTED = clustering, {"dataset": "planted"}


@pytest.mark.parametrize(
    ("view", "mechanism", "rows", "numbers", "claims"),
    [
        (C.SMOOTHNESS, C.SMOOTH, {}, {"largest_move": 1.001}, {"s5.5-move"}),
        (C.SMOOTHNESS, C.SMOOTH, {}, {"largest_ratio": 1.001}, {"s5.5-ratio"}),
        (C.ERROR, C.SMOOTH, {"epsilon": 10}, {"delta_true": 1.1e-6}, {"s5.5-private", "delta-idle"}),
        (C.ERROR, C.SMOOTH, {"epsilon": 0.1}, {"delta_true": 3e-8}, {"delta-idle"}),
        (C.ERROR, C.MEAN, {"epsilon": 10, "blocks": 51, **PLANTED}, {"loss_ratio": 100.0}, {"s5.5-approximates"}),
        (C.ERROR, C.PURE, {"epsilon": 0.1, "dataset": "abalone"}, {"loss_ratio": 1e4}, {"modern-pure"}),
        (C.ERROR, C.GAUSSIAN, {"epsilon": 0.1, **PLANTED}, {"loss_ratio": 1e4}, {"modern-gaussian"}),
        (C.ORDER, C.COORDINATE, {"blocks": 51}, {"loss_ratio": 1.0}, {"order-mixes"}),
    ],
)
def test_a_claim_about_k_means_falls_with_its_number(means, view, mechanism, rows, numbers, claims):
    other = changed(means, where(means, view=view, mechanism=mechanism, **rows), **numbers)
    assert falls("rev_kmeans", means, other) == claims
    assert claims <= tables.with_verdict("rev_kmeans", other, REFUTED)


def test_claims_tell_what_their_starts_and_clusters_are(means):
    statements = {claim.id: claim.statement for claim in tables.judged("rev_kmeans", means)}
    assert all("3/5 of" in statements[name] for name in ("s5.5-approximates", "modern-pure", "modern-gaussian"))
    assert "planted clusters" in statements["order-mixes"]


def test_with_few_repeats_nothing_is_said_of_the_modern_form():
    found = tables.verdicts("rev_kmeans", tables.made("rev_kmeans", **project.experiment("rev_kmeans").smallest))
    assert found["modern-pure"] == found["modern-gaussian"] == UNTESTABLE


def test_repeats_share_coins_but_not_noise(means):
    rows = means[(means["view"] == clustering.ERROR) & (means["mechanism"] == clustering.MEAN)]
    assert rows["sd"].gt(0).all()
    assert rows["loss_ratio"].nunique() == len(rows)


# -- conjugate updates -------------------------------------------------------------------------------------------------


def test_claims_about_updates_are_reproduced(updates):
    found = tables.verdicts("rev_conjugate", updates)
    assert len(found) == 7
    assert set(found.values()) == {REPRODUCED}


K = conjugate


@pytest.mark.parametrize(
    ("view", "mechanism", "rows", "factors", "claims"),
    [
        (K.FINAL, K.EACH, {}, {"spent": 1.1}, {"s5.1-private"}),
        (K.FINAL, K.BINARY, {}, {"spent": 1.1}, {"modern-private"}),
        (K.RUNNING, K.BEST, {"updates": 4}, {"spent": 2.0}, {"modern-private"}),
        (K.FINAL, K.AT_THE_END, {"updates": 4}, {"spent": 0.9}, {"s5.1-private"}),
        (K.FINAL, K.EACH, {"updates": 1024, "epsilon": 0.1}, {"error": 3.0}, {"s5.1-factor", "s5.1-root", "errors"}),
        (K.FINAL, K.EACH, {"updates": 4, "epsilon": 1.0}, {"error": 3.0, "exact": 3.0}, {"s5.1-root"}),
        (K.RUNNING, K.BINARY, {"updates": 4}, {"exact": 2.0}, {"errors"}),
        (K.RUNNING, K.BEST, {"updates": 4, "epsilon": 1.0}, {"error": 3.0, "exact": 3.0}, {"modern"}),
        (K.RUNNING, K.EACH, {"updates": 1024, "epsilon": 1.0}, {"error": 0.55, "exact": 0.55}, {"gain"}),
    ],
)
def test_a_claim_about_updates_falls_with_its_number(updates, view, mechanism, rows, factors, claims):
    chosen = where(updates, view=view, mechanism=mechanism, **rows)
    scaled = {name: factor * updates.loc[chosen, name] for name, factor in factors.items()}
    assert falls("rev_conjugate", updates, changed(updates, chosen, **scaled)) == claims


def test_with_few_repeats_nothing_is_said_of_errors():
    found = tables.verdicts("rev_conjugate", tables.made("rev_conjugate", **FEW | {"repeats": 5}))
    assert {found[claim] for claim in ("s5.1-root", "errors", "modern")} == {UNTESTABLE}


def test_the_ledger_has_every_fit_with_its_level(means, updates):
    from reproduction.experiments.learners.clustering.releases import releases as of_means
    from reproduction.experiments.learners.conjugate.releases import releases as of_updates

    fits = of_means(means, means.attrs["parameters"])
    assert len(fits) == 2 * 2 * (2 * 2 + 2)
    assert {fit.count for fit in fits} == {20}
    assert all(float(fit.mechanism.rpartition("= ")[2]) >= fit.guarantee.epsilon * (1 - 1e-12) for fit in fits)
    assert len(of_updates(updates, updates.attrs["parameters"])) == 2 * 4 * 2
