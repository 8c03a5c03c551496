"""k means, private: what one record can move, what noise keeps, and that every sum and label is exact."""

import math
from fractions import Fraction
from itertools import pairwise, permutations, product

import numpy as np
import pytest
from scipy import integrate, stats

from dpsampling.errors import InputError
from dpsampling.foundations.smooth_sensitivity import median_smooth_sensitivity
from dpsampling.learners import lloyd
from dpsampling.learners.block_k_means import BlockKMeans, generic_direction
from dpsampling.learners.noise import InFloats
from dpsampling.learners.noisy_lloyd import NoisyLloyd
from dpsampling.privacy.gaussian_dp import GaussianDP
from dpsampling.privacy.guarantee import Relation

CENTRES = np.array([[0.5, 0.5], [-0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]])
STARTS = 0.6 * CENTRES


def clusters(n, seed=0, sd=0.1):
    rng = np.random.default_rng(seed)
    return CENTRES[rng.integers(4, size=n)] + sd * rng.standard_normal((n, 2))


# -- Lloyd -------------------------------------------------------------------------------------------------------------


def one_round(points, centres):
    """By the definition, in fractions; the first of centres that tie."""
    cells = [[] for _ in centres]
    for x in points:
        squares = [sum((Fraction(a) - Fraction(b)) ** 2 for a, b in zip(x, c, strict=True)) for c in centres]
        cells[squares.index(min(squares))].append(x)
    return [
        [float(sum(map(Fraction, column)) / len(cell)) for column in zip(*cell, strict=True)] if cell else list(c)
        for cell, c in zip(cells, centres, strict=True)
    ]


def test_lloyd_is_its_definition_in_every_block():
    points = np.round(clusters(60, sd=0.3) * 8) / 8  # on a grid, where ties are ties
    coins = np.random.default_rng(1).integers(5, size=60)
    coins[coins == 3] = 2  # an empty block
    found = lloyd.lloyd(points, STARTS, 3, coins, 5)
    for block in range(5):
        centres = STARTS.tolist()
        for _ in range(3):
            centres = one_round(points[coins == block].tolist(), centres)
        np.testing.assert_allclose(found[block], centres, rtol=1e-14, atol=1e-15)
    assert np.array_equal(found[3], STARTS)
    tied = np.array([[[0.5], [-0.5], [0.5]]])  # a tie goes to the first
    assert lloyd.nearest(np.array([[0.0], [0.6], [-0.1]]), tied).tolist() == [0, 0, 1]


def test_labels_and_blocks_hang_on_no_other_row_to_the_last_bit():
    rng = np.random.default_rng(2)
    points, centres = rng.standard_normal((501, 37)), rng.standard_normal((1, 7, 37))
    whole = lloyd.nearest(points, centres)
    for some in (slice(1, None), slice(0, 3), rng.permutation(501)):
        assert np.array_equal(lloyd.nearest(points[some], centres), whole[some])
    coins = rng.integers(9, size=501)
    before = lloyd.lloyd(points, centres[0], 4, coins, 9)
    for moved in (np.delete(points, 17, axis=0), np.vstack([points[:17], 9 * points[17:18], points[18:]])):
        own = np.delete(coins, 17) if len(moved) == 500 else coins
        after = lloyd.lloyd(moved, centres[0], 4, own, 9)
        others = np.arange(9) != coins[17]
        assert np.array_equal(before[others], after[others])
        assert not np.array_equal(before, after)


def test_starts_are_in_the_ball_and_apart_and_drawn_ones_prefer_what_is_far():
    for d in (1, 2, 9):
        starts = lloyd.spread_starts(4, d, 3.0, np.random.default_rng(d))
        assert np.linalg.norm(starts, axis=1).max() < 3.0
        assert min(np.linalg.norm(a - b) for a, b in permutations(starts, 2)) > 0.6
    points = np.vstack([np.zeros((999, 2)), [[1.0, 0.0]]])
    for seed in range(20):
        assert {tuple(row) for row in lloyd.drawn_starts(points, 2, np.random.default_rng(seed))} == {(0, 0), (1, 0)}
    assert lloyd.drawn_starts(np.zeros((5, 2)), 3, np.random.default_rng(0)).shape == (3, 2)


# -- blocks ------------------------------------------------------------------------------------------------------------


def learner(blocks=3, **changes):
    return BlockKMeans.mean(STARTS, **{"bound": 1.0, "blocks": blocks, "epsilon": 2.0} | changes)


def test_the_noise_of_a_mean_is_2ckd_over_m_epsilon():
    assert float(learner(50).each.scale) == pytest.approx(2 * 8 / (50 * 2.0), rel=1e-15)
    for epsilon in (0.01, 0.3, 1.0, 1.1, 10.0):
        assert epsilon * (1 - 1e-14) < learner(epsilon=epsilon).guarantee.epsilon <= epsilon


@pytest.mark.parametrize("relation", [Relation.ADD_OR_REMOVE_ONE, Relation.REPLACE_ONE])
def test_a_record_moves_the_mean_of_the_blocks_by_2ckd_over_m_and_that_is_reached(relation):
    """k = d = 1: every data set of three records on a grid, every coin, every neighbour."""
    one = BlockKMeans.mean([[0.25]], bound=1.0, blocks=2, epsilon=1.0, relation=relation)
    assert one.guarantee.relation is relation
    values, worst = (-1.0, 0.0, 1.0, 7.0), 0.0  # 7 is beyond the bound
    for coins in product((0, 1), repeat=3):
        for x in product(values, repeat=3):
            results = one.results(np.array(x)[:, np.newaxis], np.array(coins)).mean()
            if relation is Relation.REPLACE_ONE:
                others = [(np.array([*x[:2], y]), coins) for y in values]
            else:
                others = [(np.array(x[:2]), coins[:2])]
            for other, own in others:
                worst = max(worst, abs(one.results(other[:, np.newaxis], np.array(own)).mean() - results))
    assert worst <= 2.0 / 2
    assert worst == (1.0 if relation is Relation.REPLACE_ONE else 0.625)  # removed: from an end to the start, .25


def test_every_coordinate_of_a_block_can_go_from_end_to_end():
    three = BlockKMeans.mean([[0.5, 0.5, 0.0]], bound=1.0, blocks=1, epsilon=1.0)
    (up,), (down,) = (three.results([[s, s, -s]], np.zeros(1, dtype=int)) for s in (1.0, -1.0))
    assert np.abs(up - down).sum() == 2 * 3  # 2ckd; a sensitivity of 2c, or of 2c√d, would be a lie


def test_blocks_are_in_one_order_whatever_order_lloyd_finds_them_in_and_mix_along_one_coordinate_where_clusters_tie():
    points, coins = clusters(4000), np.random.default_rng(3).integers(20, size=4000)
    found = learner(20).results(points, coins)
    for order in permutations(range(4)):
        assert np.array_equal(BlockKMeans(STARTS[list(order)], learner(20).each).results(points, coins), found)
    assert np.ptp(found, axis=0).max() < 0.3
    mixed = BlockKMeans(STARTS, learner(20).each, direction=(1.0, 0.0)).results(points, coins)
    assert np.ptp(mixed, axis=0).max() > 0.9
    centres = np.clip(mixed.mean(axis=0), -1, 1)
    good = found.mean(axis=0)
    assert lloyd.loss(points, centres) > 3 * lloyd.loss(points, good)


def test_the_direction_has_no_ties_on_a_grid():
    grid = np.array(list(product(np.arange(-8, 9) / 8, repeat=3)))
    assert np.diff(np.sort(grid @ generic_direction(3))).min() > 1e-6
    assert np.diff(np.sort(grid @ [1.0, 1.0, 1.0])).min() < 1e-12


def test_the_smooth_form_has_the_constants_of_the_paper():
    smooth = BlockKMeans.smooth(STARTS, bound=1.0, blocks=21, epsilon=2.0, delta=1e-6)
    e = 2.0 / 8
    assert smooth.each.noise.alpha == pytest.approx(e / 2)
    assert smooth.each.noise.beta == pytest.approx(e / (2 * math.log(2 * 8 / 1e-6)))
    assert smooth.guarantee.epsilon <= 2.0


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0])
@pytest.mark.parametrize("kd", [1, 8])
def test_its_delta_is_that_of_the_worst_pair_by_quadrature_and_far_below_what_is_said(epsilon, kd):
    starts = np.linspace(-0.5, 0.5, kd)[:, np.newaxis]
    smooth = BlockKMeans.smooth(starts, bound=1.0, blocks=5, epsilon=epsilon, delta=1e-6)
    e, beta = smooth.each.noise.epsilon, smooth.each.noise.beta
    wide, shift = 2.0 / e * math.exp(beta), 1.0  # the other scale is 2/e, S = 1

    def excess(y, centre, other):
        p = math.exp(-abs(y - centre) / wide) / (2 * wide)
        return max(0.0, p - math.exp(e) * math.exp(-abs(y - other) * e / 2) * e / 4)

    worst = 0.0
    for centre, other in ((0.0, shift), (shift, 0.0)):
        # ln p/q = e on the far side: |y|(1/narrow − 1/wide) = e + β ± shift/scale
        slope = e / 2 - 1 / wide
        near = (e + beta - shift / wide) / slope
        pieces = np.sort([0.0, *(near + np.array([0.0, 1.0, 4.0, 20.0, 100.0, 400.0]) * wide * 0.1)])
        pieces = np.append(pieces, pieces[-1] + 60 * wide)
        total = sum(
            integrate.quad(excess, sign * a, sign * b, args=(centre, other), limit=400)[0] * sign
            for sign in (1.0, -1.0)
            for a, b in pairwise(pieces)
        )
        worst = max(worst, total)
    assert smooth.guarantee.delta == pytest.approx(kd * worst, rel=1e-3)
    assert smooth.guarantee.delta <= (0.02 if epsilon / kd < 2 else 0.4) * 1e-6


def test_smooth_sensitivity_by_all_data_sets_of_a_grid():
    """|f − f′| ≤ S, S/S′ ≤ e^β, and S is the least such bound, max LS(x′) e^{−βd}: here the ends are in reach."""
    values, m, beta = (-1.0, -0.25, 0.5, 1.0), 3, 0.3
    points = np.array(list(product(values, repeat=m)))
    medians = np.median(points, axis=1)
    smooth = median_smooth_sensitivity(points, -1.0, 1.0, beta)
    apart = (points[:, np.newaxis] != points[np.newaxis]).sum(axis=-1)
    near = apart == 1
    gaps = np.abs(medians[:, np.newaxis] - medians)
    assert np.all(gaps[near] <= np.broadcast_to(smooth[:, np.newaxis], near.shape)[near])
    ratio = smooth[:, np.newaxis] / smooth
    assert ratio[near].max() <= math.exp(beta) * (1 + 1e-11)
    assert ratio[near].max() > math.exp(beta) * (1 - 1e-9)
    local = np.where(near, gaps, 0.0).max(axis=1)
    np.testing.assert_allclose(smooth, (local * np.exp(-beta * apart)).max(axis=1), rtol=1e-11)
    # planted: the local sensitivity itself changes by more than e^β
    assert (local[:, np.newaxis] > math.exp(beta) * local)[near].any()


def test_means_and_medians_are_drawn_as_said():
    """k = d = 1, all records alike: Kolmogorov and Smirnov at 1e-7 each, and noise 30% off is seen."""
    points, rng = np.full((9, 1), 0.25), np.random.default_rng(5)
    mean = BlockKMeans.mean([[0.25]], bound=1.0, blocks=3, epsilon=4.0)
    drawn = np.array([mean.fit(points, rng).centres[0, 0] for _ in range(3000)])
    inside = np.abs(drawn) < 1
    law = stats.laplace(0.25, 2 / (3 * 4.0))

    def p_value(scale):
        other = stats.laplace(0.25, law.std() / math.sqrt(2) * scale)
        ends = other.cdf(-1.0), other.cdf(1.0)
        return stats.kstest(drawn[inside], lambda y: (other.cdf(y) - ends[0]) / (ends[1] - ends[0])).pvalue

    assert p_value(1.0) > 1e-7
    assert p_value(1.3) < 1e-7


def test_releases_are_near_what_they_are_of():
    points = clusters(3000)
    smooth = BlockKMeans.smooth(STARTS, bound=1.0, blocks=31, epsilon=4000.0, delta=1e-6)
    for one in (learner(50, epsilon=400.0), smooth):
        model = one.release(points)
        order = np.argsort(model.centres @ generic_direction(2))
        expected = CENTRES[np.argsort(CENTRES @ generic_direction(2))]
        np.testing.assert_allclose(model.centres[order], expected, atol=0.1)
        assert model.guarantee == one.guarantee
        assert np.abs(model.centres).max() <= 1.0


# -- noisy Lloyd -------------------------------------------------------------------------------------------------------


def test_levels_of_noisy_lloyd_are_spent_and_not_exceeded():
    for d, epsilon in product((1, 2, 9, 784), (0.01, 1.0, 10.0)):
        starts = np.zeros((2, d))
        pure, gaussian = NoisyLloyd(starts, 1.0, epsilon), NoisyLloyd(starts, 1.0, epsilon, 1e-6)
        spent = pure.rounds * (1 / pure.scales.counts + math.sqrt(d) / float(pure.scales.sums))
        assert float(spent) == pytest.approx(epsilon, rel=1e-12)
        assert pure.guarantee.epsilon <= epsilon * (1 + 1e-12)
        scales = gaussian.scales
        mu = math.sqrt(gaussian.rounds * (1 / scales.counts**2 + 1 / scales.sums**2))
        delta = stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu)
        assert delta == pytest.approx(1e-6, rel=1e-6)
        assert gaussian.guarantee.delta <= 1e-6
        assert gaussian.gaussian.mu == pytest.approx(GaussianDP(mu).mu)


def test_shares_are_the_best_ones():
    """Of expected squares d·sd′² + sd² per centre no other share has less, by search."""
    for d in (1, 2, 9, 100):
        for delta, power in ((0.0, 1.0), (1e-6, 2.0)):
            found = NoisyLloyd(np.zeros((1, d)), 1.0, 1.0, delta, rounds=1)
            mine = d * float(found.scales.sums) ** 2 + float(found.scales.counts) ** 2
            whole = float(1 / found.scales.counts**power) + d ** (1 - power / 2) / float(found.scales.sums**power)
            shares = np.linspace(0.001, 0.999, 999)
            counts = (shares * whole) ** (-1 / power)
            sums = (d ** (1 - power / 2) / ((1 - shares) * whole)) ** (1 / power)
            assert mine <= (d * sums**2 + counts**2).min() * (1 + 1e-9)


def moved(one, points, other, centres):
    """How far counts and sums of a round are apart, in L1 and L2."""

    def cells(rows):
        prepared = one.prepared(np.asarray(rows, dtype=float).reshape(-1, centres.shape[1]))
        return lloyd.totals(prepared, lloyd.nearest(prepared, centres[np.newaxis]), len(centres))

    a, b = cells(points), cells(other)
    sums = a.sums - b.sums
    return np.abs(a.counts - b.counts).sum(), np.abs(sums).sum(), np.linalg.norm(sums)


def test_one_record_moves_a_count_by_one_and_a_sum_by_its_norm_and_both_are_reached():
    rng = np.random.default_rng(6)
    one = NoisyLloyd(STARTS, 2.0, 1.0)
    worst = np.zeros(3)
    for _ in range(300):
        points = rng.standard_normal((8, 2)) * 2
        points[0] = rng.choice([[9.0, 9.0], [2.0, 0.0], [1.0, 1.0], [-30.0, 30.0]])
        worst = np.maximum(worst, moved(one, points, points[1:], rng.standard_normal((4, 2))))
    assert worst[0] == 1
    assert math.sqrt(2) * (1 - 1e-6) < worst[1] <= math.sqrt(2)
    assert 1 - 1e-6 < worst[2] <= 1.0


def test_a_planted_clip_by_coordinates_is_seen_to_move_more():
    one = NoisyLloyd(STARTS, 1.0, 1.0)
    clipped = np.clip([[9.0, 9.0]], -1.0, 1.0)
    assert np.linalg.norm(clipped) > 1.0 >= np.linalg.norm(one.prepared(np.array([[9.0, 9.0]])))


def test_noise_is_on_every_cell_empty_ones_too():
    for delta in (0.0, 1e-6):
        one = NoisyLloyd(STARTS, 1.0, 1.0, delta)
        empty = lloyd.Totals(np.zeros(4, dtype=np.int64), np.zeros((4, 2)))
        counts, sums = one.noisy(empty, InFloats(np.random.default_rng(7)))
        assert np.all(counts != 0)
        assert np.all(sums != 0)


@pytest.mark.parametrize("delta", [0.0, 1e-6])
def test_noisy_numbers_have_the_laws_that_are_said(delta):
    """20 000 cells, Kolmogorov and Smirnov at 1e-7 each; noise 10% off is seen."""
    one = NoisyLloyd(np.zeros((1, 1)), 1.0, 0.7, delta)
    cells = lloyd.Totals(np.zeros(20_000, dtype=np.int64), np.zeros((20_000, 1)))
    family = stats.laplace if delta == 0 else stats.norm
    noisy = one.noisy(cells, InFloats(np.random.default_rng(8)))
    for numbers, scale in zip(noisy, (one.scales.counts, one.scales.sums), strict=True):
        assert stats.kstest(numbers.ravel(), family(0.0, float(scale)).cdf).pvalue > 1e-7
        assert stats.kstest(numbers.ravel(), family(0.0, 0.9 * float(scale)).cdf).pvalue < 1e-7


def test_noisy_lloyd_finds_what_lloyd_finds_where_noise_is_little():
    points = clusters(5000)
    plain = lloyd.lloyd(points, STARTS, 5)[0]
    for delta in (0.0, 1e-6):
        one = NoisyLloyd(STARTS, 1.5, 50.0, delta)
        for model in (one.fit(points, np.random.default_rng(9)), one.release(points)):
            np.testing.assert_allclose(model.centres, plain, atol=0.02)
            assert model.loss(points) == pytest.approx(lloyd.loss(points, plain), rel=0.01)
            assert set(model.predict(CENTRES)) == set(range(4))


def test_the_bound_scales_everything():
    points, seeds = clusters(500), [np.random.default_rng(3) for _ in range(2)]
    small = NoisyLloyd(STARTS, 1.0, 1.0).fit(points, seeds[0]).centres
    large = NoisyLloyd(8 * STARTS, 8.0, 1.0).fit(8 * points, seeds[1]).centres
    np.testing.assert_allclose(8 * small, large, rtol=1e-12)


# -- bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: NoisyLloyd([[np.nan]], 1.0, 1.0), "starts has shape"),
        (lambda: NoisyLloyd(STARTS, 0.0, 1.0), "bound is 0"),
        (lambda: NoisyLloyd(STARTS, 1e-320, 1.0), "no extreme number"),
        (lambda: NoisyLloyd([[1e300]], 1.0, 1.0), "starts holds 1e\\+300"),
        (lambda: BlockKMeans.mean(STARTS, bound=1e308, blocks=3, epsilon=1.0), "no extreme number"),
        (lambda: NoisyLloyd(STARTS, 1.0, 0.0), "epsilon is 0"),
        (lambda: NoisyLloyd(STARTS, 1.0, 1.0, 1.0), "delta is 1"),
        (lambda: NoisyLloyd(STARTS, 1.0, 1.0, rounds=0), "rounds is 0"),
        (lambda: NoisyLloyd(STARTS, 1.0, 1.0).gaussian, "delta is 0"),
        (lambda: NoisyLloyd(STARTS, 1.0, 1.0).release([[1.0, 2.0, 3.0]]), "has 3 columns"),
        (lambda: learner(0), "blocks is 0"),
        (lambda: learner(bound=-1.0), "finite public interval"),
        (lambda: BlockKMeans.smooth(STARTS, bound=1.0, blocks=4, epsilon=1.0, delta=1e-6), "odd number"),
        (lambda: BlockKMeans(STARTS, learner().each, direction=(0.0, 0.0)), "not all 0"),
        (lambda: learner(relation=Relation.ADJACENT_PROFILES), "rows are added, removed or replaced"),
        (lambda: learner().fit([[np.inf, 0.0]], np.random.default_rng(0)), "no finite number"),
    ],
)
def test_what_cannot_be_is_said_in_a_sentence(make, why):
    with pytest.raises(InputError, match=why):
        make()
