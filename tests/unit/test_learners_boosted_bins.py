"""Boosted bins: what a record moves in each step, the sum of all steps, exact sums, and learning."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dpsampling.errors import InputError
from dpsampling.learners import boosted_bins, rows, table_audit_cases
from dpsampling.learners.boosted_bins import FAR, FINE, BoostedBins, Steps, residuals
from dpsampling.learners.columns import Columns
from dpsampling.privacy import laws
from dpsampling.privacy.gaussian_dp import GaussianDP
from dpsampling.privacy.guarantee import Relation
from planted_designs import DESCRIBED
from planted_designs import cells as made

COLUMNS = Columns(DESCRIBED, 12)


class Recorder:
    """Noise of none, that keeps what it was asked to hide, and answers as it was told to."""

    def __init__(self, answers=None):
        self.asked, self.answers = [], answers

    def gaussian(self, values, sigma):
        self.asked.append((values.copy(), sigma))
        return values if self.answers is None else self.answers[len(self.asked) - 1]


def steps_of(learner, cells, labels, answers=None):
    noise = Recorder(answers)
    learner.noisy(learner.columns.codes(cells), labels, noise)
    return noise


@pytest.mark.parametrize("relation", [Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE])
@pytest.mark.parametrize("wild", [1.0, 1e6])
def test_whatever_was_released_before_the_next_step_moves_by_no_more_than_is_priced(relation, wild):
    """The same outputs are given to neighbours; Σ ‖gap‖²/σ² over all steps is at most μ², and more than half of it.

    Wild outputs put scores far off, where residuals are nearly 1.
    """
    learner = BoostedBins(COLUMNS, 1.0, 1e-5, Steps(seed=2, rounds=3, rate=16.0), relation=relation)
    rng, worst = np.random.default_rng(7), 0.0
    cells, labels = made(30)
    first = steps_of(learner, cells, labels)
    for _ in range(40):
        answers = [v + wild * rng.standard_normal(v.shape) for v, _ in first.asked]
        place = rng.integers(30)
        other, flipped = cells.copy(), labels.copy()
        if relation is Relation.REPLACE_ONE:
            other[place], flipped[place] = made(1, rng.integers(10**6))[0][0], 1 - labels[place]
        else:
            other, flipped = np.delete(cells, place, axis=0), np.delete(labels, place)
        one, two = (steps_of(learner, c, y, answers).asked for c, y in ((cells, labels), (other, flipped)))
        spent = sum(float(((a - b) ** 2).sum()) / sigma**2 for (a, sigma), (b, _) in zip(one, two, strict=True))
        worst = max(worst, spent / learner.mu**2)
    assert worst <= 1.0
    assert worst > (0.5 if wild > 1 and relation is Relation.ADD_OR_REMOVE_ONE else 0.1)


@pytest.mark.parametrize("relation", [Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE])
def test_all_steps_together_are_the_promise(relation):
    """μ² = m/σ₀² + Em/σ², and its δ by the curve that is written out here."""
    learner = BoostedBins(COLUMNS, 0.7, 1e-6, Steps(seed=1, rounds=4), relation=relation)
    counts, sums = (1, 1) if relation is Relation.ADD_OR_REMOVE_ONE else (2, 4)
    exact = counts * 3 / Fraction(learner.sigma_of_counts) ** 2 + sums * 12 / Fraction(learner.sigma_of_sums) ** 2
    assert exact <= Fraction(learner.mu) ** 2
    mu = math.sqrt(exact)
    tail = [0.5 * math.erfc(-(sign * mu / 2 - 0.7 / mu) / math.sqrt(2)) for sign in (1, -1)]
    assert tail[0] - math.exp(0.7) * tail[1] == pytest.approx(1e-6, rel=1e-6)
    assert GaussianDP(mu * 1.01).delta(0.7) > 1e-6


@pytest.mark.parametrize(
    ("place", "relation", "slip"),
    [
        (0, Relation.ADD_OR_REMOVE_ONE, "residuals of labels ±1, not clipped"),
        (1, Relation.REPLACE_ONE, "noise for a row added or removed"),
    ],
)
def test_the_audit_prices_a_step_and_sees_what_slips(place, relation, slip):
    """Half the noise on sums and 1/√2 of it on counts: between 2 and 4 times the level."""
    case = table_audit_cases.boosted(2.0, 1.0)[place]
    assert case.guarantee.relation is relation
    for worlds, low, high in ((case.laws, 0.999, 1.0 + 1e-9), (case.slips[slip](), 3.0, 4.0)):
        worst = max(laws.renyi(worlds[p], worlds[q], 2.0) for p, q in case.neighbours)
        assert low < worst / case.guarantee.epsilon(2.0) < high


def test_residuals_are_on_the_grid_and_their_sums_exact_in_every_order():
    scores = np.arange(-2 * FAR, 2 * FAR, 97)
    for y in (0, 1):
        found = residuals(scores, np.full(scores.shape, y))
        assert np.all(np.abs(found) <= 1.0)
        assert np.array_equal(found, rows.on_grid(found))
        near = np.abs(scores) <= FAR
        assert found[near] == pytest.approx(y - 1 / (1 + np.exp(-scores[near] / FINE)), abs=2.0**-rows.GRID)
    learner = BoostedBins(COLUMNS, 1.0, 1e-5, Steps(seed=2, rounds=3))
    cells, labels = made(500)
    order = np.random.default_rng(3).permutation(500)
    one, two = steps_of(learner, cells, labels), steps_of(learner, cells[order], labels[order])
    assert all(np.array_equal(a, b) for (a, _), (b, _) in zip(one.asked, two.asked, strict=True))


def test_segments_are_runs_of_bins_and_levels():
    rng = np.random.default_rng(1)
    found = boosted_bins.segments(COLUMNS, 0, 4, rng)
    assert sorted(set(found.tolist())) == [0, 1, 2, 3]
    assert np.all(np.diff(found) >= 0)
    assert boosted_bins.segments(COLUMNS, 2, 2, rng).tolist() == [0, 1, 2]
    assert boosted_bins.segments(COLUMNS, 0, 12, rng).tolist() == list(range(12))


def test_fit_and_release_learn_what_there_is_to_learn():
    cells, labels = made(3000)
    learner = BoostedBins(COLUMNS, 3.0, 1e-5, Steps(seed=1))
    plain = boosted_bins.boost(COLUMNS, learner.steps, COLUMNS.codes(cells), labels)
    assert np.mean((plain[COLUMNS.placed(cells)].sum(axis=1) > 0) == labels) > 0.85
    for learned in (learner.fit(cells, labels, np.random.default_rng(1)), learner.release(cells, labels)):
        assert np.mean(learned.predict(cells) == labels) > 0.8
        assert learned.guarantee == learner.guarantee
        assert np.all((learned.probabilities(cells) > 0.5) == (learned.predict(cells) == 1))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Steps(1, rounds=0), "rounds is 0"),
        (lambda: Steps(1, segments=1.5), "segments is 1.5"),
        (lambda: Steps(1, rate=0.0), "rate is 0"),
        (lambda: Steps(1, shrinkage=-1.0), "shrinkage is -1"),
        (lambda: BoostedBins(COLUMNS, 1.0, 1e-5, Steps(1), counts_share=1.0), "counts_share is 1"),
        (lambda: BoostedBins(COLUMNS, 1.0, 0.0, Steps(1)), "delta is 0"),
        (lambda: BoostedBins(COLUMNS, -1.0, 1e-5, Steps(1)), "epsilon is -1"),
        (lambda: BoostedBins(COLUMNS, 1.0, 1e-5, Steps(1), relation=Relation.ADJACENT_PROFILES), "relation is 'replac"),
        (lambda: BoostedBins(COLUMNS, 1.0, 1e-5, Steps(1)).release(made(3)[0], [0, 1, 2]), "something else"),
    ],
)
def test_bad_input_is_one_sentence(make, words):
    with pytest.raises(InputError, match=words):
        make()
