"""What is read off an event log's counts: against other ways to compute it, and with claims that can fail."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.special import gammaln

import tables
from dpsampling.event_logs import counts, schema, splits
from dpsampling.event_logs.chains import Fit
from reproduction.experiments.warlogs import facts
from reproduction.experiments.warlogs.facts.table import _gap, _one_state, thinned

ID = "event_log_facts"
SHORT = {"iterations": 40, "burn_in": 10, "epsilons": [5], "splits": 2}


@cache
def log():
    return counts.of_log(schema.load("afghanistan"), seed=0)


@cache
def table():
    return tables.made(ID, **SHORT)


@cache
def whole():
    """A table as if of the text's own parameters, which decides all claims."""
    decided = tables.changed(table(), table()["value"].notna())
    decided.attrs["parameters"] = {**table().attrs["parameters"], "iterations": 200, "burn_in": 100, "splits": 10}
    return decided


def test_thinning_keeps_a_share_of_every_cell_and_all_features_agree():
    rng = np.random.default_rng(1)
    fewer = [thinned(log(), 0.1, rng) for _ in range(3)]
    for part in fewer:
        assert (part.counts <= log().counts).all()
        assert ((part.entries > 0) == (log().entries > 0)).all()
        assert part.entries.sum() == pytest.approx(0.1 * log().entries.sum(), rel=0.05)
    kept = np.mean([part.counts.sum(axis=(0, 1)) for part in fewer], axis=0)
    often = log().counts.sum(axis=(0, 1)) > 5000
    np.testing.assert_allclose(kept[often], 0.1 * log().counts.sum(axis=(0, 1))[often], rtol=0.1)
    assert thinned(log(), 1.0, rng) is log()


def test_the_chain_of_one_state_is_naive_bayes_in_closed_form():
    """ln ∫ Pr(X_h | θ) Dir(θ; n + β) dθ = Σ_d [ln B(n + β + n_h) − ln B(n + β)], cell by cell."""
    params = {**table().attrs["parameters"], "iterations": 4000, "burn_in": 100}
    mask = splits.draw(log(), 2, 0.1, np.random.default_rng(3))[0]
    seen = log().counts[mask].sum(axis=0) + 1.0
    exact = 0.0
    for held in log().counts[~mask]:
        for begin, end in itertools.pairwise(log().offsets):
            a, n = seen[begin:end], held[begin:end]
            exact += gammaln(a + n).sum() - gammaln((a + n).sum()) - gammaln(a).sum() + gammaln(a.sum())
    exact /= log().entries[~mask].sum()
    found = _one_state(log(), mask, params, np.random.default_rng(4))
    assert found == pytest.approx(exact, abs=5e-3)  # the mean over 3 900 draws of θ is mostly of a few: below, by .002
    assert abs(exact - sum(np.log(1.0 / k) for k in log().sizes)) > 1.0  # the score of no model at all is far away


def test_the_gap_is_that_of_the_best_state_of_every_cell():
    small = counts.of_log(schema.load("iraq"), seed=1, rows=0.01)
    rng = np.random.default_rng(5)
    probabilities = np.concatenate([rng.dirichlet(np.ones(k), 3) for k in small.sizes], axis=1)
    mask = splits.draw(small, 2, 0.1, rng)[0]
    totals = {True: [0.0, 0.0], False: [0.0, 0.0]}
    for r, t in np.ndindex(mask.shape):
        best = max(float(small.counts[r, t] @ np.log(probabilities[k])) for k in range(3))
        totals[bool(mask[r, t])][0] += best
        totals[bool(mask[r, t])][1] += small.entries[r, t]
    inside, outside = (a / b for a, b in (totals[True], totals[False]))
    empty = np.empty((0, 0))
    found = Fit(np.zeros((1, *mask.shape), np.int8), probabilities, empty, empty, empty)
    assert _gap(found, small, mask) == pytest.approx(inside - outside, rel=1e-12)


def test_merged_casualties_are_within_frechet_s_bounds():
    rows = table()
    merged, largest = (rows.loc[rows["quantity"] == q, "value"].to_numpy() for q in (facts.MERGED, facts.LARGEST))
    assert merged.tolist() == [7621, 3544, 6060]
    assert largest.tolist() == [3661, 2941, 3698]
    assert (merged >= largest).all()


def test_what_the_real_counts_say():
    found = tables.verdicts(ID, table())
    held = {"entries", "months", "median", "skew", "trend", "fewer-features", "larger-counts", "naive-bayes"}
    assert {name for name in held if found[name] != "reproduced"} == set()
    assert found["slightly-larger"] == "refuted"
    assert {found[name] for name in ("iraq-entries", "iraq-missing", "large-counts", "regulariser")} == {"untestable"}
    evidence = {claim.id: claim.evidence for claim in tables.judged(ID, table())}
    assert {evidence[name] for name in held} == {"real data"}
    assert evidence["iraq-missing"] == "simulated log"


@pytest.mark.parametrize(
    ("claim", "quantity", "value"),
    [
        ("entries", facts.ENTRIES, 78_000),
        ("months", facts.MONTHS, 71),
        ("median", facts.MEDIAN, 59),
        ("skew", facts.SKEWNESS, 0.9),
        ("trend", facts.TREND, 0.1),
        ("skew-by-trend", facts.DETRENDED, 1.5),
        ("fewer-features", facts.FEATURES, 11),
        ("larger-counts", facts.MERGED, 2000),
        ("slightly-larger", facts.MERGED, 3000),
        ("large-counts", facts.LOSS, 0.2),
        ("regulariser", facts.GAP_LESS, -9.0),
        ("naive-bayes", facts.ONE_STATE, 0.02),
    ],
)
def test_every_claim_can_fail(claim, quantity, value):
    other = tables.changed(whole(), whole()["quantity"] == quantity, value=value)
    assert claim in tables.falls(ID, whole(), other)


def test_a_simulated_log_decides_nothing_of_the_real_one():
    other = tables.changed(table(), table()["quantity"] == facts.MONTHS, value=72.0)
    other.attrs["inputs"] = {name: {**told, "origin": "simulated"} for name, told in table().attrs["inputs"].items()}
    found = tables.verdicts(ID, other)
    assert {found[name] for name in ("entries", "median", "skew", "trend", "fewer-features")} == {"untestable"}
    assert found["naive-bayes"] == "indicated"
