"""Noise fitted to the data set: every closed form a second way, and mechanisms that keep what they say and no less."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpsampling.errors import InputError
from dpsampling.foundations import gaussian_pair, laplace_pair
from dpsampling.foundations.blocks import by_coins, by_place
from dpsampling.foundations.finite_metric import EXAMPLE_2_11, FiniteFunction, on_a_line
from dpsampling.foundations.localized_exponential import log_probabilities, true_epsilon
from dpsampling.foundations.localized_gaussian import LocalizedGaussian
from dpsampling.foundations.sample_and_aggregate import BlockMean, BlockMedian, BlockSmoothMedian
from dpsampling.foundations.smooth_noise import SmoothCauchy, SmoothGaussian, SmoothLaplace
from dpsampling.foundations.smooth_sensitivity import median_smooth_sensitivity, smooth_sensitivities
from dpsampling.numerics.exact.draws import numbers
from dpsampling.numerics.exact.laws import Cauchy
from dpsampling.privacy.guarantee import Relation

RISK = 1e-7  # of each Kolmogorov-Smirnov test to fail by chance; where a seed is fixed, it does not


def of_data_sets(alphabet, n, f):
    """A function of all multisets of n records of a finite alphabet, neighbours if one record is replaced."""
    points = list(itertools.combinations_with_replacement(sorted(Fraction(a) for a in alphabet), n))

    def replaced(first, second):
        return Fraction(sum(max(first.count(a) - second.count(a), 0) for a in set(first)))

    distances = tuple(tuple(replaced(x, y) for y in points) for x in points)
    return FiniteFunction(tuple(f(point) for point in points), distances, Relation.REPLACE_ONE)


def of_each(records, labels, blocks, f):
    """f of every block, and 0 of one without records."""
    parts = [np.asarray(records)[labels == block] for block in range(blocks)]
    return np.array([f(part) if len(part) else 0.0 for part in parts])


# -- functions of finite metric spaces ---------------------------------------------------------------------------------


def test_example_2_11():
    function = on_a_line(EXAMPLE_2_11)
    assert function.local_lipschitz == (Fraction(5, 3), 2, 3, 3)
    assert function.lipschitz == function.sensitivity == 3
    assert function.local_sensitivity == (1, 1, 3, 3)


def test_data_sets_are_as_far_apart_as_records_must_be_replaced():
    """Against a search of the graph whose edges replace one record."""
    function = of_data_sets((0, 1, 5), 3, lambda data: Fraction(sum(data)))
    points = list(itertools.combinations_with_replacement((0, 1, 5), 3))
    edges = {
        (a, b)
        for a, x in enumerate(points)
        for b, y in enumerate(points)
        if a != b and any(tuple(sorted((*x[:i], z, *x[i + 1 :]))) == y for i in range(3) for z in (0, 1, 5))
    }
    assert set(function.neighbours) == edges
    reached = np.full((len(points), len(points)), 99)
    for a in range(len(points)):
        front, steps = {a}, 0
        while front:
            for b in front:
                reached[a, b] = steps
            steps += 1
            front = {c for b in front for c in range(len(points)) if (b, c) in edges and reached[a, c] == 99}
    assert reached.tolist() == [[int(d) for d in row] for row in function.distances]
    assert function.sensitivity == 5


def test_neighbours_constants_differ_by_a_factor_of_three_at_most_and_may():
    """All functions of four points on a line, and of random metric spaces."""
    largest = Fraction(0)
    for values in itertools.product(range(5), repeat=4):
        function = on_a_line(values)
        if function.lipschitz == 0:
            continue
        kappa = function.local_lipschitz
        largest = max(largest, *(kappa[x] / kappa[y] for x, y in function.neighbours))
    assert largest == 3
    assert on_a_line((2, 3, 0)).local_lipschitz == (1, 3, 3)
    rng = np.random.default_rng(5)
    for _ in range(300):
        weights = rng.integers(1, 5, (5, 5))
        paths = np.minimum(weights, weights.T)
        np.fill_diagonal(paths, 0)
        for k in range(5):
            paths = np.minimum(paths, paths[:, k : k + 1] + paths[k : k + 1])
        distances = tuple(tuple(Fraction(int(d)) for d in row) for row in paths)
        function = FiniteFunction(tuple(Fraction(int(v)) for v in rng.integers(0, 9, 5)), distances)
        kappa = function.local_lipschitz
        assert all(kappa[x] <= 3 * kappa[y] for x, y in function.neighbours)


# -- two Gaussians, two Laplace laws -----------------------------------------------------------------------------------


def by_quadrature(p, q, epsilon, cuts):
    """∫ (p − e^ε q)₊ between points where its sign may change, which are searched for on a grid."""

    def gap(y):
        return p(y) - mpmath.e**epsilon * q(y)

    with mpmath.workdps(30):
        grid = [mpmath.mpf(c) for c in np.linspace(*cuts, 2001)]
        gaps = [gap(y) for y in grid]
        edges = [grid[0]]
        for (a, b), (first, second) in zip(itertools.pairwise(grid), itertools.pairwise(gaps), strict=True):
            if first * second < 0:
                for _ in range(90):
                    middle = (a + b) / 2
                    a, b = (middle, b) if gap(middle) * first > 0 else (a, middle)
                edges.append(a)
        edges = sorted({*edges, grid[-1], mpmath.mpf(0)})
        pieces = [mpmath.quad(gap, mpmath.linspace(a, b, 9)) for a, b in itertools.pairwise(edges)]
        return float(mpmath.fsum(piece for piece in pieces if piece > 0))


GAUSSIANS = [(1, 2, 1.5, 0.3), (1, 1.5, 2, 0.3), (0, 2, 1, 0.5), (3, 1, 1, 1), (-2, 1, 1.001, 0.1), (0.1, 1, 3, 0.5)]
LAPLACES = [(1, 2, 1, 0.5), (5, 2, 1, 0.5), (1, 1, 2, 0.5), (5, 1, 2, 0.5), (0.5, 1, 2, 2), (1, 2, 2, 0.2)]


@pytest.mark.parametrize(("shift", "first", "second", "epsilon"), [*GAUSSIANS, (4, 3, 1, 2)])
def test_gaussians_of_unequal_variances(shift, first, second, epsilon):
    p, q = (lambda y: mpmath.npdf(y, shift, first)), (lambda y: mpmath.npdf(y, 0, second))
    found = gaussian_pair.delta(shift, first, second, epsilon)
    assert found.lower == pytest.approx(by_quadrature(p, q, epsilon, (-45, 45)), rel=1e-9, abs=1e-25)
    assert found.upper - found.lower <= 1e-15


@pytest.mark.parametrize(("shift", "first", "second", "epsilon"), [*LAPLACES, (0.3, 1.1, 1, 0.01)])
def test_laplace_laws_of_unequal_scales(shift, first, second, epsilon):
    """Quadrature wants no bend inside a piece: the grid has 0 and the shift on it."""

    def law(centre, scale):
        return lambda y: mpmath.exp(-abs(y - centre) / scale) / (2 * scale)

    found = laplace_pair.delta(shift, first, second, epsilon).upper
    expected = by_quadrature(law(0, first), law(shift, second), epsilon, (-100, 100))
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-25)


def test_no_level_is_enough_from_a_wider_laplace_law_to_a_narrower_one():
    assert laplace_pair.epsilon(0, 2, 1) == math.inf
    assert laplace_pair.epsilon(1, 1, 2) == pytest.approx(0.5 + math.log(2))
    levels = [1, 10, 100, 1000]
    deltas = [laplace_pair.delta(0, 2, 1, level).upper for level in levels]
    # Outside of |y| = 2(ε + ln 2) the wider law has e^{-(ε + ln 2)}, of which the other takes half.
    assert deltas == pytest.approx([math.exp(-level) / 4 for level in levels])


def test_wider_noise_of_a_kept_ratio_has_a_floor():
    """2Φ(−a) − 2e^ε Φ(−ra) by SciPy, and the limit of large scales."""
    for ratio, epsilon in ((1.2, 0.5), (2.0, 1.0), (3.0, 0.1)):
        a = math.sqrt(2 * (epsilon + math.log(ratio)) / (ratio**2 - 1))
        expected = 2 * stats.norm.sf(a) - 2 * math.exp(epsilon) * stats.norm.sf(ratio * a)
        assert gaussian_pair.floor(ratio, epsilon).upper == pytest.approx(expected, rel=1e-10)
        assert gaussian_pair.delta(1, ratio * 1e6, 1e6, epsilon).upper == pytest.approx(expected, rel=1e-9)
        for scale in (0.1, 1, 10):
            assert gaussian_pair.delta(1, ratio * scale, scale, epsilon).lower >= expected


# -- the localized Gaussian --------------------------------------------------------------------------------------------


def test_the_guarantee_is_the_true_delta_of_the_worst_neighbours():
    mechanism = LocalizedGaussian(on_a_line(EXAMPLE_2_11), 0.5, 1e-5)
    y = np.linspace(-400.0, 400.0, 800_001)
    densities = [np.exp(mechanism.log_density(y, x)) for x in range(4)]
    found = max(
        float(np.sum(np.maximum(densities[a] - math.exp(0.5) * densities[b], 0.0)) * (y[1] - y[0]))
        for a, b in ((0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2))
    )
    assert mechanism.guarantee.delta == pytest.approx(found, rel=1e-6)
    assert mechanism.guarantee.delta > 10_000 * mechanism.claimed.delta
    assert mechanism.true_delta(1, 0) == pytest.approx(0.0225141, rel=1e-5)


# -- smooth sensitivity ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("beta", [0.05, 0.4, 2.0])
def test_enumerated_bounds_are_smooth_and_the_least(beta):
    function = of_data_sets((0, 1, 2, 7), 3, lambda data: data[1] ** 2)
    smooth = smooth_sensitivities(function, beta)
    local = [float(s) for s in function.local_sensitivity]
    assert np.all(smooth >= local)
    assert all(smooth[x] <= math.exp(beta) * smooth[y] * (1 + 1e-12) for x, y in function.neighbours)
    # No smaller one is: each value is that of a local sensitivity some steps away.
    for x, row in enumerate(function.distances):
        reach = max(local[y] * math.exp(-beta * float(d)) for y, d in enumerate(row))
        assert smooth[x] == pytest.approx(reach, rel=1e-11)


@pytest.mark.parametrize(("n", "size"), [(1, 5), (3, 5), (5, 4)])
@pytest.mark.parametrize("beta", [0.1, 0.7])
def test_the_median_in_closed_form_is_the_enumerated_one(n, size, beta):
    grid = [Fraction(k * k, (size - 1) ** 2) for k in range(size)]
    function = of_data_sets(grid, n, lambda data: data[n // 2])
    points = np.array(list(itertools.combinations_with_replacement(map(float, grid), n)))
    found = median_smooth_sensitivity(points, 0.0, 1.0, beta)
    np.testing.assert_allclose(found, smooth_sensitivities(function, beta), rtol=1e-11)


# -- noise for it ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shift", "first", "second"), [(0, 1, 2), (1, 1, 1), (3, 0.5, 2), (0.2, 5, 4)])
def test_cauchy_laws_are_as_far_apart_as_points_of_the_half_plane(shift, first, second):
    y = np.tan(np.linspace(-math.pi / 2 + 1e-9, math.pi / 2 - 1e-9, 2_000_001)) * 3.0
    loss = stats.cauchy.logpdf(y, 0, first) - stats.cauchy.logpdf(y, shift, second)
    exact = math.acosh((shift**2 + first**2 + second**2) / (2 * first * second))
    assert [np.abs(loss).max(), loss.max(), -loss.min()] == pytest.approx([exact] * 3, rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_cauchy_noise_keeps_its_level_at_every_shift_and_ratio_and_no_less(epsilon, share):
    noise = SmoothCauchy.calibrate(epsilon=epsilon, beta=share * epsilon)
    assert noise.guarantee.epsilon <= epsilon
    worst = 0.0
    for t in np.linspace(-noise.beta, noise.beta, 401):
        s = math.exp(t)
        shift = noise.alpha * min(s, 1.0)
        worst = max(worst, math.acosh((shift**2 + s * s + 1.0) / (2.0 * s)))
    assert worst == pytest.approx(noise.guarantee.epsilon, rel=1e-7)
    assert noise.guarantee.epsilon == pytest.approx(epsilon, rel=1e-9)


@pytest.mark.parametrize("kind", [SmoothLaplace, SmoothGaussian])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-6), (1.0, 1e-5), (1.0, 1e-2), (3.0, 1e-9)])
def test_lighter_noise_keeps_its_delta_at_every_shift_and_ratio(kind, epsilon, delta):
    noise = kind.calibrate(epsilon=epsilon, delta=delta)
    kept = noise.guarantee.delta
    assert 0.99 * delta <= kept <= delta
    pair = gaussian_pair if kind is SmoothGaussian else laplace_pair
    for t in np.linspace(-noise.beta, noise.beta, 21):
        for share in (0.0, 0.3, 0.9, 1.0):
            shift = share * noise.alpha * min(math.exp(t), 1.0)
            assert pair.delta(shift, math.exp(t), 1.0, epsilon).lower <= kept
    assert pair.delta(noise.alpha, math.exp(noise.beta), 1.0, epsilon).upper == pytest.approx(kept, rel=1e-6)
    assert kind(noise.alpha * 1.01, noise.beta, epsilon).guarantee.delta > delta
    assert kind.usual(epsilon, delta).guarantee.delta < delta
    assert kind.usual(epsilon, delta).alpha < noise.alpha


@pytest.mark.parametrize("kind", [SmoothLaplace, SmoothGaussian])
def test_delta_grows_with_the_shift(kind):
    pair = gaussian_pair if kind is SmoothGaussian else laplace_pair
    for ratio in (0.3, 0.9, 1.0, 1.1, 3.0):
        deltas = [pair.delta(shift, ratio, 1.0, 0.4).upper for shift in np.linspace(0.0, 4.0, 41)]
        assert all(a <= b for a, b in itertools.pairwise(deltas))


NOISES = [
    SmoothCauchy.calibrate(epsilon=1.0),
    SmoothLaplace.calibrate(epsilon=1.0, delta=1e-5),
    SmoothGaussian.calibrate(epsilon=1.0, delta=1e-5),
]
LAWS = {SmoothCauchy: stats.cauchy, SmoothLaplace: stats.laplace, SmoothGaussian: stats.norm}


@pytest.mark.parametrize("noise", NOISES, ids=lambda n: type(n).__name__)
def test_releases_and_simulations_follow_the_law_and_a_wrong_scale_is_seen(noise):
    law = LAWS[type(noise)](2.0, 3.0 / noise.alpha)
    released = np.asarray(noise.release(2.0, 3.0, 3000))
    simulated = noise.simulate(2.0, 3.0, np.random.default_rng(1), 20_000)
    assert stats.kstest(released, law.cdf).pvalue > RISK
    assert stats.kstest(simulated, law.cdf).pvalue > RISK
    assert stats.kstest(simulated, LAWS[type(noise)](2.0, 1.3 * 3.0 / noise.alpha).cdf).pvalue < RISK
    y = np.linspace(-20, 20, 9)
    np.testing.assert_allclose(noise.log_density(y, 2.0, 3.0), law.logpdf(y), rtol=1e-12)


def test_exact_cauchy_draws_have_quartiles_at_their_scale():
    """Twice the scale is .108 away, which 4000 draws miss by 5 of their standard errors once in millions."""
    draws = np.asarray(numbers(Cauchy(Fraction(3, 2), -1), 4000))
    assert stats.kstest(draws, stats.cauchy(-1, 1.5).cdf).pvalue > RISK
    assert stats.kstest(draws, stats.cauchy(-1, 3.0).cdf).pvalue < RISK


# -- the exponential mechanism with rates of its own -------------------------------------------------------------------


def test_exponential_rates_fitted_to_the_data_cost_what_no_level_bounds():
    """By hand: λ = ε, ε/2, ε/2 on (0, 0, 1) with C added to one score; ln(1 + e^{εC}) − ln(1 + e^{εC/2})."""
    for epsilon, constant in ((0.1, 5), (1.0, 5), (1.0, 40), (3.0, 100)):
        scores = [(f + constant, 0) for f in (0, 0, 1)]
        exact = math.log1p(math.exp(epsilon * constant)) - math.log1p(math.exp(epsilon * constant / 2))
        assert true_epsilon(scores, epsilon) >= exact * (1 - 1e-12)
        assert exact > epsilon
        p = np.exp(log_probabilities(scores, epsilon))
        assert p.sum(axis=1) == pytest.approx(1.0)
        assert math.log(p[1, 1] / p[0, 1]) == pytest.approx(exact)


# -- blocks ------------------------------------------------------------------------------------------------------------


def test_blocks_do_not_see_the_records():
    assert by_place(5, 2).tolist() == [0, 1, 0, 1, 0]
    labels = by_coins(30_000, 3)
    # Counts of three fair coins: 6 standard deviations, 1e-8.
    assert np.all(np.abs(np.bincount(labels) - 10_000) < 6 * math.sqrt(30_000 * 2 / 9))


def test_a_removed_record_moves_all_that_follow_by_place_and_one_block_by_coins():
    records = np.array([0.0, 1.0, 0.0, 1.0, 0.0, 1.0])
    fewer = records[1:]
    by_index = [of_each(r, by_place(len(r), 2), 2, np.mean) for r in (records, fewer)]
    assert np.sum(by_index[0] != by_index[1]) == 2
    labels = by_coins(6, 2)
    by_coin = [of_each(r, c, 2, np.mean) for r, c in ((records, labels), (fewer, labels[1:]))]
    assert np.sum(by_coin[0] != by_coin[1]) <= 1


def test_the_median_by_the_exponential_mechanism_over_all_results_on_a_grid():
    """max ln p/q over every pair of result vectors that differ in one place: at most ε, and nearly ε."""
    epsilon, grid = 1.3, (0.0, 0.001, 0.3, 1.0)
    for blocks in (1, 2, 3):
        mechanism = BlockMedian(0.0, 1.0, blocks, epsilon)
        middles = np.array([0.0005, 0.15, 0.65])
        tuples = list(itertools.product(grid, repeat=blocks))
        logs = {z: mechanism.log_density(middles, z) for z in tuples}
        worst = 0.0
        for z in tuples:
            for place, value in itertools.product(range(blocks), grid):
                other = (*z[:place], value, *z[place + 1 :])
                worst = max(worst, float(np.abs(logs[z] - logs[other]).max()))
        assert worst <= epsilon
        assert worst >= (0.0, 0.0, 0.99, 0.5)[blocks] * epsilon


def test_densities_of_medians_integrate_to_one_and_outside_there_is_none():
    mechanism = BlockMedian(-1.0, 2.0, 4, 0.8)
    results = (0.5, -3.0, 0.7, 0.5)
    edges = [-1.0, 0.5, 0.7, 2.0]
    mass = sum((b - a) * math.exp(mechanism.log_density((a + b) / 2, results)) for a, b in itertools.pairwise(edges))
    assert mass == pytest.approx(1.0, rel=1e-12)
    assert mechanism.log_density([-1.5, 2.5], results).tolist() == [-math.inf, -math.inf]


def test_draws_of_all_three_follow_their_laws():
    results = (0.1, 0.8, 0.4)
    median = BlockMedian(0.0, 1.0, 3, 4.0)
    edges = np.array([0.0, 0.1, 0.4, 0.8, 1.0])
    mass = np.diff(edges) * np.exp(median.log_density((edges[1:] + edges[:-1]) / 2, results))

    def cdf(y):
        return np.interp(y, edges, np.concatenate([[0.0], np.cumsum(mass)]))

    mean = BlockMean(0.0, 1.0, 3, 2.0)
    for draws, law in (
        (median.release(results, 3000), cdf),
        (median.simulate(results, np.random.default_rng(2), 20_000), cdf),
        (mean.release(results, 3000), stats.laplace(1.3 / 3, 1 / 6).cdf),
        (mean.simulate(results, np.random.default_rng(3), 20_000), stats.laplace(1.3 / 3, 1 / 6).cdf),
    ):
        assert stats.kstest(np.asarray(draws), law).pvalue > RISK
    flat = BlockMedian(0.0, 1.0, 3, 0.01).simulate(results, np.random.default_rng(4), 20_000)
    assert stats.kstest(flat, cdf).pvalue < RISK
    smooth = BlockSmoothMedian(0.0, 1.0, 3, NOISES[1])
    # Of 0, .1, .4, .8, 1 the widest gaps of one, two, three and four steps that have .4 at an end or inside.
    bound = max(gap * math.exp(-k * NOISES[1].beta) for k, gap in enumerate((0.4, 0.7, 0.9, 1.0)))
    assert smooth.smooth(results) == pytest.approx(bound, rel=1e-11)
    draws = np.asarray(smooth.release(results, 3000))
    assert stats.kstest(draws, stats.laplace(0.4, bound / NOISES[1].alpha).cdf).pvalue > RISK


def test_the_mean_of_blocks_over_all_results_on_a_grid():
    """ln p/q of neighbours far outside is the shift over the scale, at most ε and attained from end to end."""
    mechanism = BlockMean(-1.0, 3.0, 3, 0.7)
    far = np.array([-50.0, 50.0])
    worst = 0.0
    for z in itertools.product((-1.0, 0.2, 3.0, 9.0), repeat=3):
        for place, value in itertools.product(range(3), (-1.0, 0.2, 3.0)):
            other = (*z[:place], value, *z[place + 1 :])
            loss = mechanism.log_density(far, z) - mechanism.log_density(far, other)
            worst = max(worst, float(np.abs(loss).max()))
    assert worst == pytest.approx(0.7, rel=1e-10)


# -- what a promise rests on -------------------------------------------------------------------------------------------


def test_a_detour_that_is_shorter_is_refused():
    near = {(0, 1): 1, (1, 2): 1, (0, 2): 9, (2, 3): 1}
    distances = [[near.get((min(x, y), max(x, y)), 9 * (x != y)) for y in range(4)] for x in range(4)]
    distances = tuple(tuple(map(Fraction, row)) for row in distances)
    with pytest.raises(InputError, match="triangle inequality"):
        smooth_sensitivities(FiniteFunction((*VALUES[:2], *VALUES[1:]), distances), 0.1)


def test_the_smooth_median_names_what_its_blocks_must_keep():
    """By place, a removed record moves all later ones: then more than one result changes."""
    noise = SmoothCauchy.calibrate(epsilon=1.0)
    smooth = BlockSmoothMedian(0.0, 1.0, 3, noise)
    for mechanism in (BlockMean(0.0, 1.0, 3, 1.0), BlockMedian(0.0, 1.0, 3, 1.0), smooth):
        assert mechanism.guarantee.conditions == ("neighbours differ in the results of one block at most",)
    assert smooth.guarantee.epsilon == noise.guarantee.epsilon
    labels, records = by_place(6, 3), np.arange(6.0)
    assert np.sum(of_each(records, labels, 3, np.mean) != of_each(records[1:], by_place(5, 3), 3, np.mean)) > 1


MEAN, VALUES = BlockMean(0.0, 1.0, 2, 1.0), (Fraction(0), Fraction(0), Fraction(1))
REFUSED = [
    (lambda: LocalizedGaussian(on_a_line((0, 1, 1)), 0, 1e-5), "epsilon is 0"),
    (lambda: LocalizedGaussian(on_a_line((0, 1, 1)), 1, 0), "delta is 0"),
    (lambda: LocalizedGaussian(on_a_line((0, 1, 1)), 1, 1), "delta is 1"),
    (lambda: LocalizedGaussian(on_a_line((1, 1)), 1, 1e-5), "a constant needs no noise"),
    (lambda: LocalizedGaussian(on_a_line((0, 1, 1)), 1, 1e-5).release(4), "point is not"),
    (lambda: LocalizedGaussian(on_a_line((0, 1, 1)), 1, 1e-5).release(-1), "point is not"),
    (lambda: LocalizedGaussian(on_a_line((0, 1, 1)), 1, 1e-5).release(0.5), "point is not"),
    (lambda: LocalizedGaussian(on_a_line((0, 1, 1)), 1, 1e-5).release(True), "point is not"),
    (lambda: median_smooth_sensitivity([0, 1], 0, 1, 0.1), "odd number"),
    (lambda: median_smooth_sensitivity(np.zeros(101), 0, 1, 9.0), "lower beta"),
    (lambda: median_smooth_sensitivity([0.2, 0.5, 0.9], 1, 0, 0.1), "low is 1 and high 0"),
    (lambda: median_smooth_sensitivity([0.2, math.nan, 0.9], 0, 1, 0.1), "values holds nan"),
    (lambda: smooth_sensitivities(on_a_line((0, 1)), 0.0), "beta is 0"),
    (lambda: smooth_sensitivities(on_a_line(EXAMPLE_2_11), 300.0), "lower beta"),
    (lambda: SmoothCauchy.calibrate(epsilon=1.0, beta=1.0), "beta is 1; it must be below"),
    (lambda: SmoothGaussian.calibrate(epsilon=1.0, delta=1e-9, beta=0.9), "told by their widths alone"),
    (lambda: SmoothLaplace(1.5, 0.1, 1.0), "or less"),
    (lambda: SmoothCauchy.calibrate(epsilon=1e4), "600 or less"),
    (lambda: SmoothCauchy(1.0, 0.1).release(0.0, 0.0), "smooth is not above 0"),
    (lambda: by_place(3, 0), "blocks is 0"),
    (lambda: MEAN.release([1.0, 2.0, 3.0]), "one result for each of the 2 blocks"),
    (lambda: BlockMean(1.0, 1.0, 2, 1.0), "a finite public interval"),
    (lambda: BlockMedian(0.0, 1.0, 2, 0.0), "epsilon is 0"),
    (lambda: BlockSmoothMedian(0.0, 1.0, 2, NOISES[0]), "odd number"),
    (lambda: BlockSmoothMedian(0.0, 1.0, 2001, NOISES[0]), "lower beta"),
    (lambda: FiniteFunction(VALUES, ((0, 1, 9), (1, 0, 1), (1, 1, 0))), "symmetric"),
    (lambda: FiniteFunction(VALUES[:2], ((0, 9), (9, 0))), "neighbours are at distance 1"),
]


@pytest.mark.parametrize(("call", "why"), REFUSED)
def test_what_promises_nothing_is_refused(call, why):
    with pytest.raises(InputError, match=why):
        call()


def test_results_that_are_no_results_are_clipped():
    assert MEAN.clipped([np.nan, 7.0]).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("kind", [SmoothLaplace, SmoothGaussian])
@pytest.mark.parametrize(("epsilon", "delta"), [(10.0, 0.3), (50.0, 1e-5), (0.5, 1e-5)])
def test_every_level_has_some_smooth_noise(kind, epsilon, delta):
    """Where the usual β alone would cost more than δ, a smaller one serves."""
    found = kind.calibrate(epsilon=epsilon, delta=delta)
    assert found.guarantee.delta <= delta
    assert found.beta <= kind.usual(0.5, 1e-5).beta if epsilon == 0.5 else found.alpha > 0
