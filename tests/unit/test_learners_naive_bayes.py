"""Public columns and naive Bayes: codes, counts, what a record moves, and noise that is as much as that asks for."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from dpsampling.datasets.recipe import Category, Number
from dpsampling.errors import InputError
from dpsampling.learners import table_audit_cases, table_sensitivity
from dpsampling.learners.columns import Columns
from dpsampling.learners.naive_bayes import Counts, GaussianNaiveBayes, NaiveBayes, count, model
from dpsampling.learners.noise import InFloats
from dpsampling.mechanisms.known_laws import laplace
from dpsampling.privacy import laws
from dpsampling.privacy.guarantee import Relation

ADD, REPLACE = Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE
COLUMNS = Columns((Number("age", 0.0, 10.0), Category("sort", ("a", "b", "c"))), 5)


def rows(n, seed=3):
    rng = np.random.default_rng(seed)
    cells = np.column_stack([rng.uniform(-2.0, 12.0, n), rng.integers(0, 3, n)])
    return cells, (rng.random(n) < 0.2 + 0.6 * (cells[:, 0] > 5.0)).astype(int)


# -- columns -----------------------------------------------------------------------------------------------------------


def test_codes_of_numbers_and_levels_are_the_same_whatever_the_other_rows_are():
    codes = COLUMNS.codes([[-3.0, 0], [0.0, 1], [1.99, 2], [2.0, 0], [9.99, 1], [10.0, 2], [99.0, 0]])
    assert codes.T.tolist() == [[0, 0, 0, 1, 4, 4, 4], [0, 1, 2, 0, 1, 2, 0]]
    assert (COLUMNS.sizes, COLUMNS.starts, COLUMNS.places) == ((5, 3), (0, 5), 8)
    cells, _ = rows(50)
    whole = COLUMNS.codes(cells)
    assert all((COLUMNS.codes(cells[i : i + 1])[0] == whole[i]).all() for i in range(50))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Columns((), 5), "no columns"),
        (lambda: Columns((Number("a", 0, 1),), 0), "bins is 0"),
        (lambda: Columns((Number("a", 1, 1),), 3), "column a is from 1 to 1"),
        (lambda: Columns((Number("a", -math.inf, 1),), 3), "column a is from -inf"),
        (lambda: Columns((Number("a", -1.7e308, 1.7e308),), 3), "two finite public bounds"),
        (lambda: Columns((Category("sort", ()),), 3), "column sort has no levels"),
        (lambda: NaiveBayes(COLUMNS, 2, 1.0, Relation.ADJACENT_PROFILES), "relation is 'replace a profile"),
        (lambda: GaussianNaiveBayes(COLUMNS, 2, 1.0, 1e-6, Relation.ADJACENT_PROFILES), "relation is 'replace a prof"),
        (lambda: Columns((Number("a", 0, 1, shape=(2, 2)),), 3), "of images"),
        (lambda: COLUMNS.codes([[1.0, 3.0]]), "column sort holds something else than 0 … 2"),
        (lambda: COLUMNS.codes([[1.0, 0.5]]), "column sort"),
        (lambda: COLUMNS.codes([[1.0]]), "2 features"),
        (lambda: COLUMNS.codes([[math.nan, 0.0]]), "no finite number"),
        (lambda: NaiveBayes(COLUMNS, 1, 1.0), "classes is 1"),
        (lambda: NaiveBayes(COLUMNS, 2, 0.0), "epsilon is 0"),
        (lambda: NaiveBayes(COLUMNS, 2, 1e-18), "epsilon is too small"),
        (lambda: NaiveBayes(COLUMNS, 2, 1.0, smoothing=0.0), "smoothing is 0"),
        (lambda: GaussianNaiveBayes(COLUMNS, 2, 1.0, 0.0), "delta is 0"),
        (lambda: NaiveBayes(COLUMNS, 2, 1.0).release(*rows(4)[:1], [0, 1, 2, 0]), "something else than 0 … 1"),
    ],
)
def test_bad_input_is_one_sentence(make, words):
    with pytest.raises(InputError, match=words):
        make()


# -- counts ------------------------------------------------------------------------------------------------------------


def test_counts_and_shares_are_those_of_a_loop():
    cells, labels = rows(60)
    counts = count(COLUMNS, 2, cells, labels)
    codes = COLUMNS.codes(cells)
    learned = model(COLUMNS, counts.classes, counts.tables, 1.0, None)
    for y in (0, 1):
        assert counts.classes[y] == (labels == y).sum()
        for j, size in enumerate(COLUMNS.sizes):
            for x in range(size):
                held = ((codes[:, j] == x) & (labels == y)).sum()
                assert counts.tables[y, COLUMNS.starts[j] + x] == held
                share = (held + 1.0) / ((labels == y).sum() + size)
                assert learned.log_tables[y, COLUMNS.starts[j] + x] == pytest.approx(math.log(share), rel=1e-12)
    by_hand = learned.log_classes + sum(learned.log_tables[:, COLUMNS.starts[j] + codes[0, j]] for j in (0, 1))
    assert learned.scores(cells[:1])[0] == pytest.approx(by_hand, rel=1e-12)
    assert learned.probabilities(cells).sum(axis=1) == pytest.approx(1.0)


def test_without_counts_of_classes_their_sizes_are_those_of_the_tables():
    counts = count(COLUMNS, 2, *rows(60))
    with_own, without = (model(COLUMNS, c, counts.tables, 1.0, None) for c in (counts.classes, None))
    assert without.log_classes == pytest.approx(with_own.log_classes, rel=1e-12)


@pytest.mark.parametrize("counts_classes", [False, True])
@pytest.mark.parametrize("relation", [ADD, REPLACE])
def test_no_neighbour_moves_more_than_is_promised_and_some_as_much(relation, counts_classes):
    """All cells of a small table, in place of each other or alone, by the learner's own counting."""
    learner = NaiveBayes(COLUMNS, 2, 1.0, relation, counts_classes)
    records = [(np.array([[x, c]]), np.array([y])) for x in (1.0, 3.0, 9.0) for c in range(3) for y in (0, 1)]
    found = [count(COLUMNS, 2, *record) for record in records]
    flat = [np.append(c.tables.ravel(), c.classes if counts_classes else []) for c in found]
    pairs = itertools.combinations(flat, 2) if relation is REPLACE else ((one, 0 * one) for one in flat)
    gaps = [np.abs(a - b) for a, b in pairs]
    assert max(gap.sum() for gap in gaps) == learner.moved
    gaussian = GaussianNaiveBayes(COLUMNS, 2, 1.0, 1e-5, relation, counts_classes)
    assert max((gap**2).sum() for gap in gaps) == pytest.approx(gaussian.mechanism.sensitivity**2, rel=1e-12)
    assert Fraction(gaussian.mechanism.sensitivity) ** 2 >= learner.moved


@pytest.mark.parametrize(("attributes", "levels"), [(1, 2), (1, 3), (2, 2)])
def test_enumerated_sensitivities(attributes, levels):
    found = {
        (name, relation): table_sensitivity.moved(statistic, attributes, levels, 3, relation)
        for name, statistic in table_sensitivity.STATISTICS.items()
        for relation in (ADD, REPLACE)
    }
    m = attributes
    for name, add in (("counts", (m + 1, m + 1)), ("tables", (m, m))):
        assert (found[name, ADD][:2], found[name, REPLACE][:2]) == (add, (2 * add[0], 2 * add[1]))
    assert (found["shares", ADD].l1, found["shares", REPLACE].l1) == (m, 2 * m)


def test_a_search_of_shares_in_larger_classes_never_exceeds_the_enumerated():
    """Random data sets of 2 to 9 records with two attributes: one record in place of another."""
    rng, m = np.random.default_rng(5), 2
    worst = 0.0
    for _ in range(3000):
        data = [tuple(record) for record in rng.integers(0, 2, (rng.integers(2, 10), m + 1)).tolist()]
        other = [*data[:-1], tuple(rng.integers(0, 2, m + 1).tolist())]
        one, two = (table_sensitivity.shares(tuple(d), m, 2, math.lcm(*range(1, 11))) for d in (data, other))
        if one is not None and two is not None:
            worst = max(worst, np.abs(one - two).sum() / math.lcm(*range(1, 11)))
    assert 2 * m * 0.99 <= worst <= 2 * m


# -- levels ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_priced_as_products_each_promise_is_spent_and_half_the_sensitivity_breaks_it(epsilon):
    for case in table_audit_cases.whole_tables(2.0, epsilon):
        for worlds, spent in ((case.laws, epsilon), (case.lies["noise"](2.0), 2.0 * epsilon)):
            worst = max(laws.max_divergence(worlds[p], worlds[q]) for p, q in case.neighbours)
            assert worst == pytest.approx(spent, rel=1e-9)


def test_a_scale_that_hangs_on_the_rows_is_not_private():
    """δ(1) of a mean of ten and of eleven records, by a sum on a grid of densities that are written out here."""
    y = np.linspace(-3.0, 3.0, 600_001)
    p = 5.5 * np.exp(-11.0 * np.abs(y))
    q = 6.0 * np.exp(-12.0 * np.abs(y - 1 / 11))
    by_grid = np.maximum(p - math.e * q, 0.0).sum() * (y[1] - y[0])
    assert by_grid == pytest.approx(0.04345, rel=1e-3)
    assert laws.delta(laplace(0.0, 1 / 11), laplace(1 / 11, 1 / 12), 1.0) == pytest.approx(by_grid, rel=1e-4)


# Chi-square and Kolmogorov–Smirnov at 1e-7 each.
SURE = 1e-7


def test_noise_has_the_promised_scale_and_one_of_half_is_seen():
    learner, tiled = NaiveBayes(COLUMNS, 2, 3.0), Counts(np.full((4000, 2), 50), np.full((4000, 16), 50))
    _, tables = learner.added(tiled, InFloats(np.random.default_rng(8)))
    shares = [np.mean(np.abs(tables - 50) >= k) for k in (1, 3, 6)]

    def expected(rate):
        return [2 * math.exp(-rate * k) / (1 + math.exp(-rate)) for k in (1, 3, 6)]

    for share, true, half in zip(shares, expected(1.0), expected(2.0), strict=True):
        assert abs(share - true) < 5.5 * math.sqrt(true / tables.size)
        assert abs(share - half) > 5.5 * math.sqrt(true / tables.size)
    gaussian = GaussianNaiveBayes(COLUMNS, 2, 1.0, 1e-5)
    noise = gaussian.added(tiled, InFloats(np.random.default_rng(9)))[1].ravel()[:9000] - 50
    sigma = math.sqrt(2.0) * 3.7306  # of (1, 10⁻⁵) for one count, by its curve
    assert stats.kstest(noise, stats.norm(0.0, sigma).cdf).pvalue > SURE
    assert stats.kstest(noise, stats.norm(0.0, sigma / 2).cdf).pvalue < SURE


def test_fit_and_release_learn_what_there_is_to_learn():
    cells, labels = rows(2000)
    for learner in (NaiveBayes(COLUMNS, 2, 5.0), GaussianNaiveBayes(COLUMNS, 2, 5.0, 1e-5)):
        for learned in (learner.fit(cells, labels, np.random.default_rng(1)), learner.release(cells, labels)):
            assert np.mean(learned.predict(cells) == labels) > 0.75
            assert learned.guarantee == learner.guarantee


@pytest.mark.parametrize("kind", [float, np.float64])
def test_a_level_of_numpy_is_told_as_any_other(kind):
    assert str(NaiveBayes(COLUMNS, 2, kind(0.5)).guarantee) == "0.5-DP (add or remove one record)"
