"""The small lemmas of Robust 2014 and the query session's price: each number by a second route, each claim can fall."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

import tables
from dpsampling.foundations.evaluation_session import EvaluationSession
from dpsampling.foundations.robust import divergences, empirical_distance, grids, hamming, le_cam, log_ratio, products
from reproduction.claims import MISPRINT, REFUTED, REPRODUCED, UNTESTABLE, WRONG
from reproduction.experiments.foundations import lemmas as said
from reproduction.experiments.foundations import session as asked

SMALL = {"cells": [2, 3], "sample_sizes": [1, 4, 16], "resolution": 4, "pairs": 60}
FEW = {"outcomes": 4, "counts": [1, 2, 3], "repeats": 2000}


@pytest.fixture(scope="module")
def table():
    return tables.made("rob_lemmas", **SMALL)


@pytest.fixture(scope="module")
def sessions():
    return tables.made("rob_session", **FEW)


# -- grids -------------------------------------------------------------------------------------------------------------


def test_grids_have_every_law_once():
    for m, resolution in ((2, 6), (3, 5), (4, 4)):
        found = {tuple(row) for row in grids.laws(m, resolution).tolist()}
        brute = {k for k in itertools.product(range(resolution + 1), repeat=m) if sum(k) == resolution}
        assert found == brute
        assert len(grids.laws(m, resolution)) == len(brute)
    assert grids.positive_laws(3, 5).tolist() == [[1, 1, 3], [1, 2, 2]]
    assert [sum(1 for _ in grids.partitions(m)) for m in (1, 2, 3, 4, 5)] == [1, 2, 5, 15, 52]  # Bell's numbers


# -- empirical laws ----------------------------------------------------------------------------------------------------


def brute_tail(n, shares, epsilon, strict):
    """By all counts, in fractions."""
    total, tail = sum(shares), Fraction(0)
    for k in itertools.product(range(n + 1), repeat=len(shares)):
        if sum(k) != n:
            continue
        l1 = sum(abs(Fraction(a, n) - Fraction(c, total)) for a, c in zip(k, shares, strict=True))
        if l1 > epsilon if strict else l1 >= epsilon:
            ways = math.factorial(n) // math.prod(map(math.factorial, k))
            tail += ways * math.prod(Fraction(c, total) ** a for a, c in zip(k, shares, strict=True))
    return tail


@pytest.mark.parametrize(("n", "shares"), [(1, (1, 1)), (7, (1, 5)), (6, (1, 2, 3)), (5, (2, 1, 1, 2)), (4, (1,) * 5)])
def test_the_law_of_the_distance_is_that_of_all_counts(n, shares):
    law = empirical_distance.distances(n, shares)
    assert law.probabilities.sum() == pytest.approx(1.0, rel=1e-13)
    for value, tail in zip(law.values, law.at_least(), strict=True):
        exact = Fraction(float(value)).limit_denominator(n * sum(shares))
        assert float(brute_tail(n, shares, exact, strict=False)) == pytest.approx(tail, rel=1e-12)
        assert float(brute_tail(n, shares, exact, strict=True)) == pytest.approx(law.above(float(value)), rel=1e-12)


def test_of_two_cells_it_is_a_binomial_tail():
    n, p, radius = 100, 0.5, empirical_distance.radius(100, 1 / 16)
    k = np.arange(n + 1)
    exact = float(np.sum(binom.pmf(k, n, p)[2.0 * np.abs(k / n - p) > radius]))
    assert empirical_distance.distances(n, (1, 1)).above(radius) == pytest.approx(exact, rel=1e-12)
    assert exact == pytest.approx(0.0035176, rel=1e-4)


def test_the_radius_of_lemma_2_makes_weissman_give_delta():
    """2^m e^{−nr²/2} = δ at δ = 4^−m, where the lemma's condition holds with equality."""
    for m in (2, 3, 4, 5):
        delta = empirical_distance.largest_failure(m)
        assert m == pytest.approx(math.log2(math.sqrt(1 / delta)), rel=1e-12)
        for n in (1, 10, 1000):
            radius = empirical_distance.radius(n, delta)
            bound = mpmath.mpf(2) ** m * mpmath.exp(-mpmath.mpf(n) * mpmath.mpf(radius) ** 2 / 2)
            assert float(bound) == pytest.approx(delta, rel=1e-12)
            assert float(empirical_distance.weissman(m, n, np.array([radius]))[0]) < delta


def test_a_bound_that_is_half_as_large_is_broken():
    """Planted: e^{−nε²} in place of e^{−nε²/2}."""
    law = empirical_distance.distances(50, (1, 1))
    above = law.values > 0
    assert np.all(law.at_least()[above] <= empirical_distance.weissman(2, 50, law.values[above]))
    assert np.any(law.at_least()[above] > 2.0 * np.exp(-50 * law.values[above] ** 2))


def test_quantiles_are_the_least_values_that_are_seldom_exceeded():
    law = empirical_distance.distances(9, (1, 2, 3))
    for delta in (0.5, 0.1, 1e-3):
        q = law.quantile(delta)
        assert law.above(q) <= delta
        smaller = law.values[law.values < q]
        assert not len(smaller) or law.above(float(smaller[-1])) > delta


# -- divergences -------------------------------------------------------------------------------------------------------


def test_divergences_are_their_sums():
    for p, q in np.random.default_rng(3).dirichlet(np.ones(4), size=(5, 2)):
        with mpmath.workdps(40):
            exact = mpmath.fsum(mpmath.mpf(a) * mpmath.log(mpmath.mpf(a) / b) for a, b in zip(p, q, strict=True))
        assert float(divergences.kl(p, q)) == pytest.approx(float(exact), rel=1e-12)
        assert float(divergences.worst_event(p, q)) == pytest.approx(float(divergences.l1(p, q)) / 2, rel=1e-12)
    assert divergences.kl([1, 1], [2, 0]) == math.inf
    assert divergences.kl([2, 0], [1, 1]) == pytest.approx(math.log(2.0))


def test_coarsening_by_blocks_one_after_the_other():
    p, q = np.array([[3, 1, 0, 2]]), np.array([[0, 2, 3, 1]])
    ratios = []
    for blocks in grids.partitions(4):
        sides = [sum(int(law[0, i]) for i in range(4) if blocks[i] == b) for law in (p, q) for b in set(blocks)]
        half = len(sides) // 2
        ratios.append(Fraction(sum(abs(a - b) for a, b in zip(sides[:half], sides[half:], strict=True)), 8))
    assert divergences.coarsening(p, q) == (float(max(ratios)), 15)
    assert max(ratios) == 1


# -- Hamming -----------------------------------------------------------------------------------------------------------


def brute_levels(mechanism, bits, resolution):
    """The least e^{ε h} and δ h at every Hamming distance h, by all pairs and all events, in fractions."""
    ratio, gap = {}, {}
    outputs = len(mechanism[0])
    for x, y in itertools.product(range(2**bits), repeat=2):
        h = (x ^ y).bit_count()
        for event in itertools.product((0, 1), repeat=outputs):
            p, q = (sum(c for c, kept in zip(mechanism[z], event, strict=True) if kept) for z in (x, y))
            gap[h] = max(gap.get(h, Fraction(0)), Fraction(p - q, resolution))
            if p:
                ratio[h] = max(ratio.get(h, Fraction(0)), Fraction(p, q) if q else Fraction(10**9))
    return ratio, gap


def test_levels_at_each_distance_are_those_of_all_pairs_and_events():
    bits, resolution = 2, 3
    some = hamming.mechanisms(bits, 3, resolution)[::997]
    finite = 0
    for mechanism in some:
        ratio, gap = brute_levels(mechanism.tolist(), bits, resolution)
        masses = hamming.events(mechanism[np.newaxis])
        broken, kept = hamming.broken_multiplicatively(masses, bits)
        assert kept == (ratio[1] < 10**9)
        finite += kept
        assert broken == 0
        assert ratio[2] <= ratio[1] ** 2
        assert gap[2] <= 2 * gap[1]
        for slack in range(4):
            assert hamming.holds(masses, bits, 1, Fraction(1), slack)[0] == (gap[1] <= Fraction(slack, resolution))
    assert finite


def test_a_level_that_is_lower_at_distance_two_is_seen_to_be_broken():
    """Planted: distance 2 is held against the level of distance 1."""
    path = np.array([[[1, 5], [2, 4], [2, 4], [4, 2]]])  # 1/6, 2/6, 4/6: e^ε = 2, and 4 at distance 2
    assert hamming.broken_multiplicatively(hamming.events(path), 2) == (0, 1)
    assert not hamming.holds(hamming.events(path), 2, 2, Fraction(2), 0)[0]
    assert hamming.holds(hamming.events(path), 2, 2, Fraction(4), 0)[0]
    assert len(hamming.mechanisms(2, 2, 6)) == 7**4


def test_the_counterexample_for_both():
    """0, 1/10, 3/10 along a path: (ln 2, 1/10) at each step, and 3/10 > 4·0 + 2/10 over two."""
    masses = hamming.events(np.array([[[0, 10], [1, 9], [1, 9], [3, 7]]]))
    assert len(hamming.private_with_both(masses, 2, 2, 1)) == 1
    assert hamming.worst_event(masses, 2, 2) == (3, 0)
    for p, q in set(itertools.permutations((0, 1, 3), 2)) - {(3, 0), (0, 3)}:
        assert p <= 2 * q + 1
        assert 10 - p <= 2 * (10 - q) + 1


# -- products ----------------------------------------------------------------------------------------------------------


def test_constants_of_records_by_brute_force():
    laws, metric = np.log([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3]]), np.array([[0, 1, 2.0], [1, 0, 1], [2, 1, 0]])
    for n, most in ((1, 1), (2, 2), (3, 1), (3, 2), (3, 3)):
        own, pairs = products.constants(laws, metric, n, differing=most)
        seen = [0.0, 0.0]
        count = 0
        for x, y in itertools.product(itertools.product(range(3), repeat=n), repeat=2):
            if x == y or sum(a != b for a, b in zip(x, y, strict=True)) > most:
                continue
            count += 1
            rho = sum(metric[a, b] for a, b in zip(x, y, strict=True))
            for t in (0, 1):
                d = abs(sum(laws[t, a] - laws[t, b] for a, b in zip(x, y, strict=True)))
                seen[t] = max(seen[t], d / rho)
        assert pairs == count
        np.testing.assert_allclose(own, seen, rtol=1e-12)
        np.testing.assert_allclose(own, products.constants(laws, metric, 1)[0], rtol=1e-12)
    equal, below = products.gaps(laws, metric, 2)
    assert equal > 1.0
    assert below < 1e-12


# -- Le Cam ------------------------------------------------------------------------------------------------------------


def test_the_best_test_is_the_linear_programs():
    rng = np.random.default_rng(4)
    apart = np.array([[0.0, 1.0], [1.0, 0.0]])
    pairs = [*rng.dirichlet(np.ones(5), size=(20, 2)), np.array([[1.0, 0, 0], [0, 0.5, 0.5]]), np.full((2, 3), 1 / 3)]
    pairs += [np.array([[0.5, 0.5, 0.0], [0.0, 0.5, 0.5]])]
    for p, q in pairs:
        program, overlap = le_cam.minimax_error(np.array([p, q]), apart), float(le_cam.overlap(p, q))
        assert le_cam.two_point_error(p, q) == pytest.approx(program, abs=1e-9)
        assert program >= 0.5 * overlap - 1e-9
        assert le_cam.largest_overlap(p[np.newaxis], q[np.newaxis]) == pytest.approx(overlap, abs=1e-9)


def test_a_constant_above_delta_is_broken():
    """Planted: 2δ‖ξ₁ ∧ ξ₂‖, of two coins that mirror each other."""
    p, q = np.array([0.3, 0.7]), np.array([0.7, 0.3])
    assert le_cam.two_point_error(p, q) == pytest.approx(0.3)
    assert 0.5 * le_cam.overlap(p, q) == pytest.approx(0.3)
    assert 1.001 * 0.5 * le_cam.overlap(p, q) > le_cam.two_point_error(p, q)


def test_mixtures_have_the_overlap_that_a_grid_of_weights_finds():
    rng = np.random.default_rng(5)
    weights = np.linspace(0.0, 1.0, 201)[:, np.newaxis]
    for _ in range(5):
        pairs = [rng.dirichlet(np.ones(4), 2) for _ in range(2)]
        a, b = (weights * pair[0] + (1 - weights) * pair[1] for pair in pairs)
        best = float(np.minimum(a[:, np.newaxis], b[np.newaxis]).sum(axis=-1).max())
        overlap = le_cam.largest_overlap(*pairs)
        assert best - 1e-9 <= overlap <= best + 0.02
        assert overlap >= le_cam.overlap(*pairs).max() - 1e-9


# -- the log-ratio -----------------------------------------------------------------------------------------------------


def test_the_log_ratio():
    values = log_ratio.rationals(3)
    assert [str(v) for v in values] == ["0", "1/3", "1/2", "2/3", "1", "3/2", "2", "3"]
    assert log_ratio.ratio(Fraction(0), Fraction(0)) == 1
    assert log_ratio.ratio(Fraction(1, 3), Fraction(2)) == 6
    assert log_ratio.broken_axioms(values) == (0, 8**3)
    assert log_ratio.infinite_pairs(values) == (14, 64)


def test_a_distance_that_is_none_breaks_the_axioms(monkeypatch):
    """Planted: the square of the log-ratio's exponential with an offset, which has no triangle inequality."""
    monkeypatch.setattr(log_ratio, "ratio", lambda a, b: Fraction(1) + abs(a - b) ** 2)
    assert log_ratio.broken_axioms(log_ratio.rationals(3))[0] > 0


# -- claims ------------------------------------------------------------------------------------------------------------

EXPECTED = {"metric-finite": MISPRINT, "lemma-1-proof": WRONG, "rate": UNTESTABLE}


def test_what_the_paper_says_holds_but_for_a_misprint_and_a_line_of_a_proof(table, sessions):
    verdicts = tables.verdicts("rob_lemmas", table)
    assert {name: verdict for name, verdict in verdicts.items() if verdict != REPRODUCED} == EXPECTED
    assert len(verdicts) == 22
    assert list(tables.verdicts("rob_session", sessions).values()) == [REPRODUCED] * 5


def changed(table, statement, column, factor, case=None):
    """The same table with one number of one statement off by a factor, or by 1 where it is 0."""
    rows = (table["statement"] == statement) & ((table["case"] == case) if case else True)
    last = table.index == table.index[rows][-1]
    return tables.changed(table, last, **{column: lambda x: x * factor if x.item() else 1.0})


@pytest.mark.parametrize(
    ("statement", "column", "factor", "falls"),
    [
        (said.MULTIPLIED, "left", 2.0, {"remark-1-pure"}),
        (said.ADDED, "left", 2.0, {"remark-1-added"}),
        (said.BOTH, "left", 0.5, {"remark-1-both"}),
        (said.GROUP, "right", 1.01, {"remark-1-group"}),
        (said.AXIOMS, "left", 2.0, {"metric-axioms"}),
        (said.FINITE_POSITIVE, "left", 2.0, {"metric-finite"}),
        (said.CONSTANT, "left", 5.0, {"lemma-1"}),
        (said.FEW, "left", 5.0, {"lemma-1-few"}),
        (said.CONCENTRATION, "right", 0.2, {"lemma-1-concentration"}),
        (said.SAME_CONSTANT, "left", 1.001, {"lemma-1-same"}),
        (said.SAME_CONCENTRATION, "left", 0.999, {"lemma-1-concentration-same"}),
        (said.PROOF_BELOW, "left", 1e16, {"lemma-1-proof"}),
        (said.FAILURE, "left", 1e6, {"lemma-2"}),
        (said.RADIUS, "left", 10.0, {"lemma-2-radius"}),
        (said.WEISSMAN, "left", 1e3, {"weissman"}),
        (said.PINSKER, "right", 0.5, {"pinsker"}),
        (said.EVENTS, "right", 0.5, {"pinsker-events"}),
        (said.COARSER, "left", 1.01, {"coarsening"}),
        (said.ALL_PAIRS, "left", 1.01, {"le-cam"}),
        (said.MIXTURES, "left", 2.0, {"le-cam-mixtures"}),
    ],
)
def test_each_claim_falls_with_its_number(table, statement, column, factor, falls):
    assert tables.with_verdict("rob_lemmas", changed(table, statement, column, factor), REFUTED) == falls


def test_the_attained_bound_falls_with_either_side(table):
    """A minimax error above its bound is no breach of the lemma, only of its being best."""
    for factor, falls in ((1.01, {"le-cam-attained"}), (0.99, {"le-cam-attained", "le-cam"})):
        moved = changed(table, said.TWO_POINTS, "right", factor, case=said.SYMMETRIC)
        assert tables.with_verdict("rob_lemmas", moved, REFUTED) == falls


@pytest.mark.parametrize(
    ("query", "queries", "column", "factor", "falls"),
    [
        (asked.MIDDLE, 2, "distance", 1e3, {"product"}),
        (asked.IDENTITY, 3, "epsilon_exact", 0.9, {"composition"}),
        (asked.IDENTITY, 3, "renyi_exact", 1.01, {"renyi-composition"}),
        (asked.IDENTITY, 3, "epsilon_promised", 0.5, {"identity"}),
        (asked.ADAPTIVE, 3, "epsilon_exact", 9.0, {"other-queries"}),
        (asked.ADAPTIVE, 3, "renyi_exact", 9.0, {"other-queries"}),
    ],
)
def test_each_claim_about_answers_falls_with_its_number(sessions, query, queries, column, factor, falls):
    rows = (sessions["query"] == query) & (sessions["queries"] == queries)
    moved = tables.changed(sessions, rows, **{column: lambda x: x * factor})
    assert tables.with_verdict("rob_session", moved, REFUTED) == falls


def test_answers_from_one_draw_are_seen(monkeypatch):
    """Planted: a session that draws θ once. Rejected with probability 1; an honest table fails with 1e-6 a row."""

    def lazy(self, query):
        if not hasattr(self, "kept"):
            self.kept = self._mechanism.simulate(self._data, self._rng, self._runs)
        return query(self.kept)

    monkeypatch.setattr(EvaluationSession, "evaluate", lazy)
    drawn_once = tables.made("rob_session", **{**FEW, "repeats": 5000})
    assert tables.with_verdict("rob_session", drawn_once, REFUTED) == {"product"}


def test_exact_levels_of_answers_are_the_closed_forms(sessions):
    """Of m parameters with one raised by L: weights e^L, 1, …, 1 and 1, e^L, …, e^L."""
    m, up = 4, math.exp(0.25)
    p, q = up / (up + m - 1), 1 / (1 + (m - 1) * up)
    first = sessions[sessions["query"] == asked.IDENTITY].set_index("queries")
    assert first.loc[1, "epsilon_exact"] == pytest.approx(math.log(p / q), rel=1e-12)
    assert first.loc[3, "epsilon_promised"] == pytest.approx(1.5, rel=1e-12)
    ratio = (p**2 / q) + (1 - p) ** 2 / (1 - q)  # all other parameters are alike
    assert first.loc[2, "renyi_exact"] == pytest.approx(2 * math.log(ratio), rel=1e-12)
