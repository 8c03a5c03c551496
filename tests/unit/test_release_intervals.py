"""Intervals of releases hold the truth as often as they say: by enumeration of the noise, and in 1,000 releases."""

import math

import numpy as np
import pytest
from scipy import stats

from dpsampling.errors import InputError
from dpsampling.numerics import truncated_beta
from dpsampling.release import intervals, mechanisms
from dpsampling.release.intervals import Draw, NoisyCount, NoisySum
from dpsampling.release.noise import Noise
from dpsampling.release.shares import TwoCounts

LEVEL, RELEASES = 0.9, 1000
RARE = 1e-6  # error rate of each statistical test here
COINS = (np.arange(200) + 0.5) / 200.0


OPS = pytest.param("ops", marks=pytest.mark.slow)  # a draw in a window takes some milliseconds


def geometric(rate, rng, size=None):
    """Two-sided geometric noise, as a difference of two others."""
    success = -math.expm1(-rate)
    return rng.geometric(success, size) - rng.geometric(success, size)


def believed(hits, releases=RELEASES, level=LEVEL) -> bool:
    """Whether so many hits are what a level of 90% gives, but for one time in a million."""
    low, high = stats.binom.ppf(RARE / 2, releases, level), stats.binom.isf(RARE / 2, releases, level)
    return bool(low <= hits <= high)


# -- the noise -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rate", "terms"), [(0.5, 1), (0.5, 2), (0.2, 5), (3.0, 7), (0.05, 3)])
def test_the_law_of_a_sum_is_the_convolution_of_its_terms(rate, terms):
    reach = math.ceil(40.0 / rate)
    y = np.arange(-reach, reach + 1)
    one = math.tanh(rate / 2.0) * np.exp(-rate * np.abs(y))
    law = one
    for _ in range(terms - 1):
        law = np.convolve(law, one)
    y = np.arange(len(law)) - len(law) // 2
    noise = Noise(rate, terms)
    inside = np.abs(y) < noise.reach
    assert np.allclose(noise.mass(y[inside]), law[inside], atol=1e-12)
    assert np.allclose(noise.cdf(y[inside]), np.cumsum(law)[inside], atol=1e-11)
    assert noise.sd == pytest.approx(math.sqrt(law @ y**2.0), rel=1e-9)
    assert noise.mean_size == pytest.approx(law @ np.abs(y), rel=1e-8)
    far = noise.quantile(LEVEL)
    assert law[np.abs(y) <= far].sum() >= LEVEL > law[np.abs(y) < far].sum()
    assert not np.allclose(Noise(rate * 1.01, terms).cdf(y[inside]), np.cumsum(law)[inside], atol=1e-5)


def test_the_law_of_a_very_wide_sum_is_normal_but_for_its_tails():
    noise = Noise(1e-4, 4000)  # a lattice of every so many whole numbers
    for z in (-2.0, -0.5, 0.0, 1.0):
        excess = 3.0 / 4000  # of kurtosis, of a sum of so many Laplace variables
        normal = stats.norm.cdf(z) - excess / 24.0 * (z**3 - 3.0 * z) * stats.norm.pdf(z)
        assert float(noise.cdf(z * noise.sd)) == pytest.approx(normal, abs=1e-5)


# -- counts in the data ----------------------------------------------------------------------------------------------


def exact_coverage(c, rate, records=math.inf, believed_rate=None, coins=COINS) -> float:
    """Σ_y Pr(y) ∫ 1(c is in the interval of y and u) du."""
    noise = Noise(rate)
    y = c + np.arange(-noise.reach, noise.reach + 1.0)
    mass = noise.mass(y - c)
    covered = np.zeros(len(y))
    for coin in coins:
        count = NoisyCount(y, np.full(len(y), coin), Noise(believed_rate or rate), records)
        low, high, _ = intervals.of_counts(count, LEVEL)
        assert np.all((low >= 0) & (low <= high) & (high <= records))
        covered += (low <= c) & (c <= high)
    return float(mass @ covered) / len(coins)


@pytest.mark.parametrize("rate", [0.02, 0.3, 1.0, 2.0])
@pytest.mark.parametrize(("c", "records"), [*((c, math.inf) for c in (0, 1, 7)), (0, 5), (3, 5), (5, 5), (1, 1)])
def test_counts_are_in_their_intervals_exactly_as_often_as_is_said(rate, c, records):
    # Coins on a grid of 200 are off by 1/400 of what an atom has, on either side.
    assert exact_coverage(c, rate, records) == pytest.approx(LEVEL, abs=0.004)


def test_a_scale_that_is_halved_or_a_coin_that_is_not_thrown_is_seen():
    assert abs(exact_coverage(30, 0.5, believed_rate=1.0) - LEVEL) > 0.05
    assert abs(exact_coverage(30, 1.0, coins=COINS[100:101]) - LEVEL) > 0.02


@pytest.mark.parametrize("rate", [3.5, 8.0, 600.0])
def test_a_count_that_is_right_more_often_stands_for_itself_with_its_own_level(rate):
    low, high, level = intervals.of_counts(NoisyCount([0.0, 4.0], [0.5, 0.5], Noise(rate)), LEVEL)
    assert low.tolist() == high.tolist() == [0.0, 4.0]
    q = math.exp(-rate)
    assert level == pytest.approx([1.0 / (1.0 + q), (1.0 - q) / (1.0 + q)], rel=1e-12)


# -- shares of a known number of rows ----------------------------------------------------------------------------------


def accepted(heard, p, level=LEVEL) -> bool:
    """Whether p is in the interval, by the test that it inverts: one law instead of sixty."""
    k, mass = intervals.rows_of(heard.records, p)

    def ends(q):
        k, mass = intervals.rows_of(heard.records, q)
        return tuple(float(mass @ end) for end in heard.at_ends(k))

    cut = intervals.cut_of_share(ends, 1.0 - level)(p)
    return bool(cut <= float(mass @ heard.below(k)) <= level + cut)


def heard_of(name, records, rng):
    """What makes what is heard of k, of a mechanism by name, with simulated draws."""
    if name == "noisy count":
        return lambda k: NoisyCount(k + geometric(0.7, rng), rng.random(), Noise(0.7), records)
    if name == "gaussian":
        return lambda k: NoisySum(k + 4.0 * rng.standard_normal(), rng.random(), 4.0, records)
    if name == "ops":
        law = mechanisms.TemperedDraw(int(records), (1.0, 1.0), 0.05, 5.9).inner
        return lambda k: Draw(float(law.simulate_probability(k, rng)), 1.0, 1.0, 1.0 / 5.9, records, window=0.05)
    weight = {"direct": 1.0, "diffused": 0.1}[name]
    return lambda k: Draw(float(rng.beta(2.0 + weight * k, 3.0 + weight * (records - k))), 2.0, 3.0, weight, records)


@pytest.mark.parametrize("name", ["noisy count", "gaussian", OPS, "direct", "diffused"])
@pytest.mark.parametrize(("records", "p"), [(30, 0.01), (400, 0.3)])
def test_shares_of_a_population_are_in_their_intervals_as_often_as_is_said(name, records, p):
    rng = np.random.default_rng(11)
    hear = heard_of(name, float(records), rng)
    found = [hear(float(rng.binomial(records, p))) for _ in range(RELEASES)]
    assert believed(sum(accepted(heard, p) for heard in found))
    for heard in found[:12]:
        interval = intervals.in_the_population(heard, LEVEL)
        assert 0.0 <= interval.low < interval.high <= 1.0
        assert accepted(heard, p) == (interval.low <= p <= interval.high)


@pytest.mark.parametrize("name", ["gaussian", OPS, "direct", "diffused"])
@pytest.mark.parametrize(("records", "k"), [(30, 0), (400, 120)])
def test_counts_behind_one_draw_are_in_their_intervals_as_often_as_is_said(name, records, k):
    hear = heard_of(name, float(records), np.random.default_rng(12))
    hits = 0
    for _ in range(RELEASES):
        found = intervals.in_the_data(hear(float(k)), LEVEL)
        assert 0.0 <= found.low <= found.high <= records
        hits += found.low <= k <= found.high
    assert believed(hits)


def test_a_hundred_draws_in_a_window_are_in_their_intervals_as_often_as_is_said():
    rng = np.random.default_rng(14)
    hear = heard_of("ops", 30.0, rng)
    found = [hear(float(rng.binomial(30, 0.3))) for _ in range(100)]
    assert believed(sum(accepted(heard, 0.3) for heard in found), 100)


def test_a_draw_that_is_taken_for_another_law_is_seen():
    rng = np.random.default_rng(13)
    records, k = 400.0, 120.0
    hits = sum(
        accepted(Draw(float(rng.beta(2.0 + 0.1 * k, 3.0 + 0.1 * (records - k))), 2.0, 3.0, 1.0, records), 0.3)
        for _ in range(RELEASES)
    )
    assert not believed(hits)


# -- shares of an unknown number of rows -------------------------------------------------------------------------------


def hits_of_two_counts(n, p, epsilon, *, sampled, believed_rate=None, releases=RELEASES, seed=5) -> int:
    rng, rate = np.random.default_rng(seed), epsilon / 2.0
    noise, hits = Noise(believed_rate or rate), 0
    for _ in range(releases):
        k = rng.binomial(n, p) if sampled else round(n * p)
        both = TwoCounts(k + geometric(rate, rng), n - k + geometric(rate, rng), noise, noise, rng.random())
        truth = p if sampled else k / n
        cut = intervals.cut_of_share(lambda q, both=both: both.at_ends(q, sampled=sampled), 1.0 - LEVEL)(truth)
        hits += cut <= both.below(truth, sampled=sampled) <= LEVEL + cut
    return hits


@pytest.mark.parametrize(
    ("n", "p", "epsilon"),
    [(30, 0.002, 1.0), (30, 0.1, 0.05), (300, 0.002, 3.0), (300, 0.5, 0.3), (3000, 0.02, 10.0), (100_000, 0.1, 0.05)],
)
def test_shares_of_two_noisy_counts_are_in_their_intervals_as_often_as_is_said(n, p, epsilon):
    assert believed(hits_of_two_counts(n, p, epsilon, sampled=True))


@pytest.mark.parametrize(("n", "p", "epsilon"), [(30, 0.1, 0.3), (300, 0.01, 1.0), (3000, 0.5, 3.0), (20, 0.0, 1.0)])
def test_shares_in_the_data_are_in_their_intervals_as_often_as_is_said(n, p, epsilon):
    assert believed(hits_of_two_counts(n, p, epsilon, sampled=False))


def test_noise_of_half_the_scale_is_seen_in_shares():
    assert not believed(hits_of_two_counts(300, 0.5, 0.3, sampled=False, believed_rate=0.3))
    assert not believed(hits_of_two_counts(300, 0.3, 0.05, sampled=True, believed_rate=0.05))


def test_the_interval_of_a_share_is_what_its_test_accepts():
    rng = np.random.default_rng(3)
    for n, p, rate, sampled in [(300, 0.3, 0.5, True), (300, 0.3, 0.5, False), (30, 0.05, 0.2, True)]:
        for _ in range(6):
            k = rng.binomial(n, p)
            noise = Noise(rate)
            both = TwoCounts(k + geometric(rate, rng), n - k + geometric(rate, rng), noise, noise, rng.random())
            found = both.in_the_population(LEVEL) if sampled else both.in_the_data(LEVEL)
            truth = p if sampled else k / n
            cut = intervals.cut_of_share(lambda q, both=both, s=sampled: both.at_ends(q, sampled=s), 0.1)(truth)
            inside = cut <= both.below(truth, sampled=sampled) <= LEVEL + cut
            assert inside == (found.low <= truth <= found.high)


def test_the_law_of_two_counts_is_the_same_by_atoms_and_by_waves():
    for p in (0.01, 0.2, 0.5, 0.9):
        both = TwoCounts(60, 240, Noise(0.02), Noise(0.03, 2), 0.5)
        t = (1.0 - p) * 60 - p * 240
        assert both._by_atoms(p, t) == pytest.approx(both._by_waves(p, 0.0, t), abs=2e-4)


@pytest.mark.slow
@pytest.mark.parametrize("n", [30, 300, 3000, 100_000])
@pytest.mark.parametrize("epsilon", [0.05, 0.3, 1.0, 3.0, 10.0])
@pytest.mark.parametrize("p", [0.002, 0.02, 0.1, 0.5])
def test_all_of_the_grid_covers_between_88_and_92_percent(n, epsilon, p):
    hits = hits_of_two_counts(n, p, epsilon, sampled=True, releases=20_000, seed=n + round(1000 * p))
    assert 0.88 < hits / 20_000 < 0.92


@pytest.mark.parametrize("level", [0.0, 0.3, 1.0, math.nan, math.inf, 2.0])
def test_a_level_that_is_none_is_refused(level):
    with pytest.raises(InputError, match="--level is"):
        intervals.check_level(level)


@pytest.mark.parametrize("k", [0.0, 20.0, 150.0, 390.0, 400.0])
def test_the_law_of_a_draw_in_a_window_is_the_truncated_one_in_its_tails_too(k):
    law = Draw(0.3, 1.0, 1.0, 0.9, 400.0, window=0.2)
    other = truncated_beta.cdf(0.3, 1.0 + 0.9 * k, 1.0 + 0.9 * (400.0 - k), 0.2, 0.8)
    assert float(law.below(np.array(k))) == pytest.approx(float(other), rel=1e-8, abs=1e-12)
