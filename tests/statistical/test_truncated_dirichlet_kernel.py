"""The compiled draws from a truncated Dirichlet, against quadrature and against the library's own sampler.

Distances between distribution functions are held against the Dvoretzky-Kiefer-Wolfowitz inequality, as in
telling_apart; the error rate of each function below is ERROR_RATE.
"""

import itertools
import math

import numpy as np
import pytest
from numba import njit
from scipy import special

from dpsampling.event_logs import truncated
from dpsampling.numerics import truncated_dirichlet
from telling_apart import allowed, assert_told_apart, cumulated, distance_on_grid


@njit
def dirichlets(rng, shapes, floor, size):
    out, kinds, attempts = np.empty((size, shapes.size)), np.empty(shapes.size, np.int8), 0
    for i in range(size):
        attempts += truncated.draw(rng, shapes, floor, kinds, out[i])
    return out, attempts


@njit
def gammas(rng, shape, floor, size):
    out = np.empty(size)
    for i in range(size):
        out[i] = truncated.gamma_beyond(rng, shape, floor)
    return out


@njit
def by_pivot(rng, shapes, floor, size):
    out, attempts = np.empty((size, shapes.size)), 0
    for i in range(size):
        attempts += truncated.draw_by_pivot(rng, shapes, floor, out[i])
    return out, attempts


def by_library(rng, shapes, floor, size, **changed):
    """Draws of the library's own scheme."""
    scheme = truncated_dirichlet.Pivots.balanced(shapes, floor)._replace(**changed)
    parts = [scheme.trials(rng, size)]
    while sum(map(len, parts)) < size:
        parts.append(scheme.trials(rng, size))
    return np.concatenate(parts)[:size], None


SAMPLERS = {"draw": dirichlets, "draw_by_pivot": by_pivot, "Pivots": by_library}
EACH_SAMPLER = pytest.mark.parametrize("sampler", SAMPLERS)


# -- gammas beyond a floor ---------------------------------------------------------------------------------------------

SHAPES = [0.05, 0.3, 0.9, 0.999, 1.0, 1.001, 1.3, 2.0, 5.0, 40.0, 1000.0, 1e4]
FLOORS = {
    "tiny": lambda a: 1e-6,
    "a hundredth": lambda a: 0.01 * a,
    "below the mode": lambda a: max(a - 1.0, 0.0) * 0.98 + 1e-3,
    "just above the mode": lambda a: max(a - 1.0, 0.0) * 1.02 + 1e-3,
    "slope above .75": lambda a: max(a - 1.0, 0.0) * 1.3 + 1e-2,
    "slope below .75": lambda a: max(a - 1.0, 0.0) * 1.4 + 0.1,
    "tail": lambda a: a + 6.0 * math.sqrt(a),
    "far tail": lambda a: 3.0 * a + 50.0,
}


def gamma_cdf_beyond(shape, floor):
    """A grid and the distribution function of a Gamma(shape) beyond the floor there, by Gauss-Legendre."""
    # The mass beyond ends within 60 times the larger of its standard deviation and a slope of its tail.
    reach = 60.0 * max(math.sqrt(shape), 1.0)
    start = max(floor, shape - reach)
    edges = np.unique(np.concatenate([[floor], np.linspace(start, max(start, shape) + reach, 1500)]))
    if floor < 1.0:
        edges = np.unique(np.concatenate([np.geomspace(floor, 1.0, 1500), edges]))
    return edges, cumulated(lambda g: (shape - 1.0) * np.log(g) - g, edges)


@pytest.mark.parametrize("where", FLOORS)
def test_gamma_beyond_a_floor(where):
    size, cases = 40_000, len(SHAPES) * len(FLOORS)
    for i, shape in enumerate(SHAPES):
        floor = FLOORS[where](shape)
        draws = gammas(np.random.default_rng([17, i]), shape, floor, size)
        grid, cdf = gamma_cdf_beyond(shape, floor)
        assert draws.min() >= floor
        assert distance_on_grid(draws, cdf, grid) < allowed(size, cases), (shape, floor)


def test_quadrature_agrees_with_the_incomplete_gamma_function():
    for shape, floor in itertools.product([0.05, 1.3, 40.0, 1e4], [1e-6, 0.5, 45.0, 10050.0]):
        whole = special.gammaincc(shape, floor)
        if whole > 1e-200:
            grid, cdf = gamma_cdf_beyond(shape, floor)
            assert cdf == pytest.approx(1.0 - special.gammaincc(shape, grid) / whole, abs=1e-9)


# -- two and three coordinates -----------------------------------------------------------------------------------------


def coordinate_cdf(shapes, floor, which, cells=3000):
    """A grid and the distribution function there of one coordinate of two or three, exact but for quadrature."""
    others = np.delete(shapes, which)
    top = 1.0 - floor * len(others)
    reach = top - floor
    log_spaced = np.geomspace(1e-9, 1.0, cells) * reach
    spread = np.linspace(0.0, 1.0, cells) * reach
    edges = np.unique(np.clip(np.concatenate([floor + spread, floor + log_spaced, top - log_spaced]), floor, top))

    def log_density(x):
        logs = (shapes[which] - 1.0) * np.log(x) + (others.sum() - 1.0) * np.log1p(-x)
        if len(others) == 1:
            return logs
        lowest = np.minimum(floor / (1.0 - x), 0.5)
        below = special.betainc(*others, 1.0 - lowest) - special.betainc(*others, lowest)
        above = special.betaincc(*others, lowest) - special.betaincc(*others, 1.0 - lowest)
        inside = np.where(special.betainc(*others, lowest) < 0.5, below, above)  # the tail that keeps its digits
        return logs + np.log(np.maximum(inside, 1e-300))

    return edges, cumulated(log_density, edges, 6)


PAIRS_AND_TRIPLES = [
    [1.0, 1.0], [0.3, 1.0], [0.2, 0.6], [1.02, 1.0], [5.0, 1.5], [400.0, 3.0], [0.4, 900.0],
    [1.0, 1.0, 1.0], [0.3, 1.0, 1.02], [0.2, 0.5, 0.8], [1.3, 1.05, 2.5], [60.0, 1.0, 0.4],
    [300.0, 900.0, 1.2], [7.0, 9.0, 11.0],
]  # fmt: skip
SHARES = [0.999, 0.9, 0.6, 0.2, 0.01, 1e-6]  # floor times the number of coordinates


@pytest.mark.parametrize(("sampler", "seed"), [("draw", 23), ("draw_by_pivot", 24)])
@pytest.mark.parametrize("share", SHARES)
def test_two_and_three_coordinates(share, sampler, seed):
    size, cases = 40_000, len(SHARES) * sum(map(len, PAIRS_AND_TRIPLES))
    for i, shapes in enumerate(map(np.array, PAIRS_AND_TRIPLES)):
        floor = share / len(shapes)
        draws, _ = SAMPLERS[sampler](np.random.default_rng([seed, i]), shapes, floor, size)
        assert np.all(draws >= floor * (1.0 - 1e-15))
        assert draws.sum(axis=1) == pytest.approx(1.0, abs=1e-14)
        for which in range(len(shapes)):
            grid, cdf = coordinate_cdf(shapes, floor, which)
            assert distance_on_grid(draws[:, which], cdf, grid) < allowed(size, cases), (shapes, floor, which)


def test_sequence_of_truncated_betas_fails():
    """UAI 2016's supplement, E.2: θ_1 from Beta(a_1, Σ others), truncated, with nothing asked of the others."""
    shapes, floor = np.array([2.0, 0.3, 0.3]), 0.1
    grid, cdf = coordinate_cdf(shapes, floor, 0)
    low, high = special.betainc(2.0, 0.6, [floor, 1.0 - 2.0 * floor])
    assert_told_apart(
        lambda size, rng: dirichlets(rng, shapes, floor, size)[0][:, 0],
        lambda size, rng: special.betaincinv(2.0, 0.6, rng.uniform(low, high, size)),
        cdf,
        (special.betainc(2.0, 0.6, grid) - low) / (high - low),
        grid,
    )


# -- corners: shapes below 1 and a floor near 0 ------------------------------------------------------------------------


def log_odds_cdf(shapes, floor, which, cells=3000):
    """As `coordinate_cdf`, of three coordinates whose mass spreads over all magnitudes: a grid of ln x/(1−x)."""
    others = np.delete(shapes, which)
    edges = np.linspace(special.logit(floor), -special.logit(2.0 * floor), cells)

    def log_density(v):
        lowest = np.minimum(np.exp(math.log(floor) - special.log_expit(-v)), 0.5)
        # 1 − lowest itself would be 1, beyond much of the mass.
        inside = 1.0 - special.betainc(*others, lowest) - special.betainc(*others[::-1], lowest)
        logs = shapes[which] * special.log_expit(v) + others.sum() * special.log_expit(-v)
        return logs + np.log(np.maximum(inside, 1e-300))

    seen = edges < 30.0  # nearer to 1, x itself has lost its digits
    return edges[seen], cumulated(log_density, edges, 6)[seen]


def log_odds(x):
    return np.log(x) - np.log1p(-np.minimum(x, 1.0 - 2.0**-53))


CORNERS = [[0.05, 0.05, 0.05], [0.05, 0.3, 0.9], [1e-3, 1e-3, 0.2], [0.6, 0.7, 0.99]]
FLOORS_OF_CORNERS = [1e-4, 1e-9, 1e-40, 1e-150]


@pytest.mark.parametrize("floor", FLOORS_OF_CORNERS)
@EACH_SAMPLER
def test_three_coordinates_in_corners(sampler, floor):
    size, cases = 40_000, 3 * len(CORNERS) * len(FLOORS_OF_CORNERS)
    for i, shapes in enumerate(map(np.array, CORNERS)):
        draws, _ = SAMPLERS[sampler](np.random.default_rng([25, i]), shapes, floor, size)
        for which in range(3):
            grid, cdf = log_odds_cdf(shapes, floor, which)
            assert distance_on_grid(log_odds(draws[:, which]), cdf, grid) < allowed(size, cases), (shapes, which)


def test_pivots_of_wrong_weights_fail():
    """Every coordinate as often as any other, and each as often as the largest should be of the three."""
    shapes, floor, which = np.array([0.05, 0.3, 0.9]), 1e-9, 0
    grid, cdf = log_odds_cdf(shapes, floor, which)
    for weights in ([1 / 3, 1 / 3, 1 / 3], [0.0, 0.0, 1.0]):
        draws, _ = by_library(np.random.default_rng(26), shapes, floor, 40_000, weights=np.array(weights))
        draws = log_odds(draws[:, which])
        assert distance_on_grid(draws, cdf, grid) > 2.0 * allowed(40_000, 1)


def test_pivots_without_their_density_fail():
    """The planted bug keeps a proposal with y_k/R, without g_k."""
    shapes, floor, which = np.array([0.05, 0.3, 0.9]), 1e-2, 0
    scheme = truncated_dirichlet.Pivots.balanced(shapes, floor)
    rng, size = np.random.default_rng(27), 400_000
    pivot, rows = rng.choice(3, size, p=scheme.weights), np.arange(size)
    excess = truncated_dirichlet.truncated_gamma(shapes, scheme.rate, floor, 1.0, rng, (size, 3)) - floor
    excess[rows, pivot] = 0.0
    excess[rows, pivot] = 1.0 - 3 * floor - excess.sum(axis=1)
    kept = floor + excess[rng.random(size) * (1.0 - 3 * floor) < excess[rows, pivot]]
    grid, cdf = coordinate_cdf(shapes, floor, which)
    assert distance_on_grid(kept[:, which], cdf, grid) > 2.0 * allowed(len(kept), 1)


# -- twenty-four coordinates against a convolution ---------------------------------------------------------------------


def convolved_cdf(kinds, copies, floor, which, cells=1 << 15):
    """Half of K coordinates of each of two kinds: the law of one, from the densities' cells and their FFT.

    A cell's mass sits at its middle, so that K cells add up to (Σ i + K/2) h; h makes that the room above the floors.
    """
    count = 2 * copies
    h = (1.0 - floor * count) / (cells + copies)
    at = floor + h * np.arange(cells + 2)
    rate = truncated.balanced_rate(np.repeat(kinds, copies), floor, 1.0 - floor * count)
    masses = [-np.diff(special.gammaincc(a, rate * at)) / special.gammaincc(a, rate * floor) for a in kinds]
    transforms = [np.fft.rfft(m, 1 << 18) for m in masses]
    left = [copies - (k == which) for k in range(2)]
    rest = np.fft.irfft(transforms[0] ** left[0] * transforms[1] ** left[1])[: cells + 1]
    joint = masses[which] * np.maximum(rest[::-1], 0.0)
    return at[1:], np.cumsum(joint) / joint.sum()


@EACH_SAMPLER
def test_twenty_four_coordinates_as_their_convolution(sampler):
    """The cells are 3e-5 wide and the transform eight times as long as the room: 1e-3 is more than either moves."""
    kinds, size = np.array([0.1, 0.8]), 60_000
    shapes, floor = np.repeat(kinds, 12), 0.02 / 24
    rng = np.random.default_rng(28)
    draws, _ = SAMPLERS[sampler](rng, shapes, floor, size)
    wrong, _ = by_library(rng, shapes, floor, size, weights=np.repeat([1 / 12, 0.0], 12))
    for which, j in enumerate((0, 12)):
        grid, cdf = convolved_cdf(kinds, 12, floor, which)
        assert distance_on_grid(draws[:, j], cdf, grid) < allowed(size, 6) + 1e-3
    grid, cdf = convolved_cdf(kinds, 12, floor, 0)
    assert distance_on_grid(wrong[:, 0], cdf, grid) > 2.0 * (allowed(size, 6) + 1e-3)


# -- many coordinates --------------------------------------------------------------------------------------------------

SIZES = [(5, 0.999), (5, 0.5), (5, 1e-6), (12, 0.9), (22, 0.1), (153, 0.1), (153, 0.01)]  # count, floor times count
MIXTURES = {
    "counts": [1.0, 1.0, 3.0, 1.0, 41.0, 1.0, 700.0],
    "all kinds": [1.0, 0.4, 1.02, 6.0, 1.0, 80.0, 0.9],
    "tempered": [1.0, 1.1, 1.3, 1.0, 9.0, 17.5, 1.7],
    "none flat": [1.2, 0.5, 0.8, 1.01, 2.5],
}


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize(("count", "share"), SIZES)
def test_many_coordinates_as_the_reference(mixture, count, share):
    size = 2_000 if count > 100 else 10_000
    shapes = np.resize(MIXTURES[mixture], count)
    floor = share / count
    ours, attempts = dirichlets(np.random.default_rng(31), shapes, floor, size)
    theirs = truncated_dirichlet.sample(shapes, floor, np.random.default_rng(32), size)
    assert np.all(ours >= floor * (1.0 - 1e-15))
    views = [lambda x, j=j: x[:, j] for j in sorted({list(shapes).index(a) for a in shapes})]
    views += [lambda x: x.min(axis=1), lambda x: np.log(x).sum(axis=1), lambda x: x[:, : count // 2].sum(axis=1)]
    views += [lambda x: np.square(x).sum(axis=1)]
    most = 2.0 * allowed(size, 2 * len(views) * len(SIZES) * len(MIXTURES))  # each is within half of it of the truth
    for view in views:
        values = view(theirs.theta)
        ranks = np.searchsorted(np.sort(values), np.sort(values), side="right") / size
        assert distance_on_grid(view(ours), ranks, np.sort(values)) < most
    assert attempts / size < 30.0


# -- attempts ----------------------------------------------------------------------------------------------------------


def shapes_and_floors(rng, count, cases):
    """Shapes from 1e-6 to 1e9, equal, mixed or with exact ones, and floors from 1e-320 to just below 1/K."""
    for _ in range(cases):
        shapes = 10 ** rng.uniform(-6, rng.choice([-1.0, 0.0, 2.0, 9.0]), count)
        if rng.random() < 0.3:
            shapes[:] = shapes[0]
        shapes[rng.random(count) < rng.choice([0.0, 0.5, 0.9])] = rng.choice([1e-6, 0.5, 1.0])
        share = rng.choice([10 ** rng.uniform(-320, 0), rng.uniform(0, 1), 1 - 10 ** rng.uniform(-12, 0)])
        yield shapes, share / count


@pytest.mark.parametrize(("count", "cases"), [(2, 400), (3, 400), (5, 200), (10, 200), (25, 100), (100, 40), (300, 20)])
def test_pivots_need_few_attempts_for_all_shapes_and_floors(count, cases):
    """The mean is at most B = 2 + √(2πK): proven for shapes below 1, measured for the others.

    The sum of n geometric numbers of mean at most B exceeds nB(1+d) with probability at most e^{−n(d − ln(1+d))}: 1e-9
    for each case of n = 200 and d = 1/2.
    """
    bound, size = 2.0 + math.sqrt(2.0 * math.pi * count), 200
    rng = np.random.default_rng([29, count])
    for shapes, floor in shapes_and_floors(rng, count, cases):
        draws, attempts = by_pivot(rng, shapes, floor, size)
        assert attempts < 1.5 * bound * size, (shapes, floor, attempts / size)
        assert np.all(draws >= floor)
        assert draws.sum(axis=1) == pytest.approx(1.0, abs=1e-13)


def test_draws_leave_blocks_that_do_not_fit():
    """Shapes and floors at which the blocks' attempts have no bound."""
    for shapes, share in (([0.05, 0.05], 1e-9), ([0.05, 0.05], 1e-300), ([1e9, 1e-6], 0.3), ([1.01] * 300, 0.1)):
        shapes = np.array(shapes)
        _, attempts = dirichlets(np.random.default_rng(30), shapes, share / len(shapes), 50)
        assert attempts < 50 * (truncated._PATIENCE + 1.5 * (2.0 + math.sqrt(2.0 * math.pi * len(shapes))))
