r"""Published attacks on floating-point noise: they succeed against what this library once released, and tell no more of
an exact release than its guarantee allows.

An attack is an event E of one released number. Of two neighbouring data sets a guarantee allows

    P(E) ≤ e^ε Q(E),        P(E) ≤ (e^{ε(λ)} Q(E))^{(λ−1)/λ} for every order λ > 1           (ε-DP, Rényi-DP).

With f and g the frequencies of E in n releases of either, both are within h of the probabilities but with probability
4 e^{−2nh²} (Hoeffding), so that f − h may not be above what the guarantee makes of g + h. `RATE` is 10⁻⁶ over the whole
file; a float attack that succeeds has f − h far above that. Bits are fixed all the same.
"""

import math
import os
import random
from unittest import mock

import numpy as np
import pytest

from attacks import FINE, float_gaussian, float_laplace, multiple, only_reached_by, reachable, replayed, the_only_count
from dpsampling.event_logs.mechanisms import NoisyCounts
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts, LaplaceStatistic
from dpsampling.mechanisms.one_posterior_sample import OnePosteriorSample
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.numerics.exact.fixed_point import FixedPoint

RATE = 1e-6 / 1000  # there are fewer comparisons than that
BETA, PRIOR, N = BetaBernoulli(), (6.0, 18.0), 100
SYSTEM = os.urandom
ORDERS = [1.1, 1.5, 2, 3, 5, 8, 12, 20, 50]


@pytest.fixture(autouse=True)
def frozen_system():
    """The operating system's bits, replaced by ones that are the same in every run."""
    with mock.patch("os.urandom", random.Random(11).randbytes):
        yield


def half_width(size):
    return math.sqrt(math.log(4 / RATE) / (2 * size))


def pure(epsilon):
    return lambda q: math.exp(epsilon) * q


def renyi(curve):
    """The least of the bounds over some orders; those beyond the horizon say nothing."""
    levels = [(order, level) for order in ORDERS if math.isfinite(level := curve(order))]
    return lambda q: min(math.exp((order - 1) / order * (level + math.log(q))) for order, level in levels)


def bound_of(guarantee):
    return pure(guarantee.epsilon) if isinstance(guarantee.epsilon, float) else renyi(guarantee.epsilon)


def allowed(event, other, bound):
    """Whether frequencies of an event, as arrays of yes and no of the two data sets, are what `bound` allows."""
    h = half_width(len(event))
    return event.mean() - h <= min(1.0, bound(other.mean() + h))


def assert_kept(first, second, bound):
    """What any attack of this file says of releases of two neighbouring data sets is allowed, either way."""
    for name, event in EVENTS.items():
        one, other = event(first), event(second)
        assert allowed(one, other, bound), name
        assert allowed(other, one, bound), name


def last_bits(width, value):
    return lambda release: np.array([k % (1 << width) == value for k in release.integers.ravel()])


EVENTS = {
    **{f"multiple of 2^{b}": lambda r, b=b: multiple(np.asarray(r).ravel(), 2.0**b)
       for b in (-60, -53, -52, -51, -48, 0)},
    **{f"reached by {a} and not {b}": lambda r, a=a, b=b: only_reached_by(np.asarray(r).ravel(), a, b, 4.0)
       for a, b in ((5, 6), (6, 5), (0, 1), (1, 0), (32, 33), (33, 32))},
    **{f"ends in {v} of {w} bits": last_bits(w, v) for w, v in ((1, 0), (1, 1), (3, 0), (3, 5), (8, 0), (8, 255))},
}  # fmt: skip


# -- against the floats that once were ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "told"), [(0.5, 0.45), (1.0, 0.30), (2.0, 0.22)])
def test_laplace_noise_in_floats_tells_5_from_6_for_certain(epsilon, told):
    """Of positive releases; the true count is always among those that can be. Exact noise of the same scale is safe."""
    size, scale = 20_000, 2 / epsilon
    five, six = (float_laplace(count, scale, np.random.default_rng(count), size) for count in (5, 6))
    assert reachable(five, 5, scale).all()
    assert reachable(six, 6, scale).all()
    certain = only_reached_by(five, 5, 6, scale)
    assert certain[five > 0].mean() == pytest.approx(told, abs=half_width(int((five > 0).sum())))
    assert not only_reached_by(six, 5, 6, scale).any()
    assert not allowed(certain, only_reached_by(six, 5, 6, scale), pure(epsilon / 2))
    # The exact release on the same attack: what the event says is as likely of the other count.
    exact = [np.asarray(LaplaceCounts(epsilon).release([count, 20 - count], size))[:, 0] for count in (5, 6)]
    events = [only_reached_by(released, 5, 6, scale) for released in exact]
    assert events[1].any()  # so the attack says of it what is not so
    assert allowed(events[0], events[1], pure(epsilon))
    assert allowed(events[1], events[0], pure(epsilon))


def test_noisy_counts_in_floats_are_recovered():
    """Counts of 0 to 3 with noise of scale 4: those that only one count up to 10 reaches are known for certain."""
    size, scale = 20_000, 4.0
    counts = np.random.default_rng(1).integers(0, 4, size)
    found = the_only_count(float_laplace(counts, scale, np.random.default_rng(2)), range(11), scale)
    known = found >= 0
    assert known.mean() > 0.25
    assert (found[known] == counts[known]).all()
    # Of the posterior of four equally likely counts, the largest share that the guarantee allows.
    most = 1 / (1 + sum(math.exp(-j / scale) for j in (1, 2, 3)))
    for released in (
        NoisyCounts(0.5).release(counts.astype(np.int64), 1).astype(float),
        np.asarray(LaplaceCounts(0.5).release(counts.astype(float), None)),
    ):
        guess = the_only_count(released, range(4), scale)
        made = guess >= 0
        assert np.mean(guess[made] == counts[made]) < most + half_width(max(int(made.sum()), 1))


@pytest.mark.parametrize(("small", "unit"), [(0, FINE), (1, 2 * FINE)])
def test_normal_noise_in_floats_tells_a_count_from_twice_the_unit(small, unit):
    """1 + σN is a multiple of 2⁻⁵³ and 2 + σN of 2⁻⁵²: what is none was made of the smaller count."""
    size = 100_000
    mechanism = GaussianStatistic.calibrate(BETA, PRIOR, N, epsilon=0.1, order=2)
    bound = renyi(mechanism.guarantee.epsilon)
    first, second = (
        ~multiple(float_gaussian(s, mechanism.sigma, np.random.default_rng(3), size), unit) for s in (small, small + 1)
    )
    assert first.mean() == pytest.approx(0.083 if small == 0 else 0.051, abs=half_width(size))
    assert not second.any()
    assert not allowed(first, second, bound)
    exact = [~multiple(np.asarray(mechanism.release_statistic(s, size)), unit) for s in (small, small + 1)]
    assert allowed(exact[0], exact[1], bound)
    assert allowed(exact[1], exact[0], bound)


NOISY = {
    "laplace": lambda: LaplaceStatistic(BETA, PRIOR, N, 0.5),
    "gaussian": lambda: GaussianStatistic(BETA, PRIOR, N, 3.0),
}


@pytest.mark.parametrize("make", [lambda: DirectPosterior(BETA, PRIOR, N), *NOISY.values()], ids=["direct", *NOISY])
def test_a_seed_gives_the_count_away(make):
    """101 counts are tried with the seed; the one that comes back is the true one, of one released number."""
    mechanism = make()
    assert replayed(mechanism.simulate(32, np.random.default_rng(1)), range(N + 1), 1, mechanism.simulate) == [32]


def test_no_seed_decides_a_release():
    """Whatever generators of this process are set to, the bits are the operating system's, and new."""
    with mock.patch("os.urandom", wraps=SYSTEM) as system:
        found = set()
        for _ in range(20):
            np.random.seed(1)  # noqa: NPY002  # the global one, which a release must not use
            random.seed(1)
            found.add(DirectPosterior(BETA, PRIOR, N).release(32).integers.item())
            assert system.called
    assert len(found) == 20


# -- against releases --------------------------------------------------------------------------------------------------

SIZE = 20_000


@pytest.mark.parametrize("pair", [(0, 1), (5, 6), pytest.param((32, 33), marks=pytest.mark.slow)])
@pytest.mark.parametrize("projection", ["zero", "range"])
def test_exact_noisy_counts_tell_no_more_than_promised(pair, projection):
    statistic = LaplaceStatistic(BETA, PRIOR, N, 0.5, projection)
    first, second = (statistic.release_counts(s, SIZE)[:, 0] for s in pair)
    assert_kept(first, second, pure(statistic.guarantee.epsilon))


@pytest.mark.parametrize("pair", [(0, 1), (5, 6)])
def test_noisy_counts_of_an_event_log_tell_no_more_than_promised(pair):
    """One feature at ε = ½, whose noise has scale 4; one count of the two that a record moves."""
    released = (NoisyCounts(0.5).release(np.full(SIZE, count, dtype=np.int64), 1) for count in pair)
    first, second = (FixedPoint.of(noisy.tolist(), 0) for noisy in released)
    assert_kept(first, second, pure(0.25))


@pytest.mark.parametrize("pair", [(0, 1), (1, 2), (32, 33)])
def test_an_exact_noisy_sum_tells_no_more_than_promised(pair):
    mechanism = GaussianStatistic.calibrate(BETA, PRIOR, N, epsilon=0.1, order=2)
    first, second = (mechanism.release_statistic(s, SIZE) for s in pair)
    assert_kept(first, second, renyi(mechanism.guarantee.epsilon))


POSTERIORS = {
    "direct": DirectPosterior(BETA, PRIOR, N),
    "diffused": DiffusedPosterior(BETA, PRIOR, N, 0.3),
    "concentrated": ConcentratedPosterior(BETA, PRIOR, N, 0.3),
    "query": StatisticalQuery(ConcentratedPosterior(BETA, PRIOR, N, 0.3)),
    "ops": OnePosteriorSample.calibrate(BETA, PRIOR, N, 0.05, epsilon=0.5),
    "mean": DirectPosterior(GaussianMean(1.0, 3.0), (0.0, 4.0), N),
}


@pytest.mark.parametrize("name", POSTERIORS)
def test_exact_posterior_draws_tell_no_more_than_promised(name):
    mechanism = POSTERIORS[name]
    first, second = (mechanism.release(statistic[:-1].item(), SIZE) for statistic in mechanism.worst_pair(2.0))
    assert_kept(first, second, bound_of(mechanism.guarantee))


@pytest.mark.parametrize("make", NOISY.values(), ids=NOISY)
def test_draws_of_noisy_statistics_tell_no_more_than_promised(make):
    mechanism = make()
    assert_kept(mechanism.release(5, SIZE), mechanism.release(6, SIZE), bound_of(mechanism.guarantee))


def test_a_release_whose_last_bit_tells_the_count_is_caught():
    """The planted bug: a last bit that is the parity of the count in two of three releases."""
    statistic = LaplaceStatistic(BETA, PRIOR, N, 0.5)

    def leaking(s):
        release = statistic.release_counts(s, SIZE)[:, 0]
        bits = zip(release.integers, np.random.default_rng(s).random(SIZE) < 2 / 3, strict=True)
        integers = np.array([k >> 1 << 1 | s % 2 if leak else k for k, leak in bits])
        return type(release)(integers.astype(object), release.exponent)

    with pytest.raises(AssertionError, match="ends in"):
        assert_kept(leaking(5), leaking(6), pure(statistic.guarantee.epsilon))
