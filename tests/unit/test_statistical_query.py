"""Algorithm 4: real-valued statistics cost what bits cost, and what is released is ρ."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.special import expit
from scipy.stats import beta as beta_law

import reference
from dpsampling.errors import InputError
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior
from dpsampling.mechanisms.public_data import with_public_data
from dpsampling.mechanisms.statistical_query import StatisticalQuery

PRIOR, N = (6.0, 18.0), 100
PRIORS = [(6.0, 18.0), (1.0, 2.0), (0.05, 0.1), (0.05, 300.05)]
ALGORITHMS = [DiffusedPosterior, ConcentratedPosterior]


def exact_level(algorithm, prior, n, order, scale, pairs=None):
    with mp.workdps(reference.DIGITS):
        kept = {"data_weight": scale} if algorithm is DiffusedPosterior else {"prior_weight": 1 / mpf(scale)}
        return reference.worst_renyi(prior, n, order, pairs=pairs, **kept)


# -- pairs of real statistics --------------------------------------------------------------------------------------


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.sampled_from(PRIORS),
    st.integers(1, 5),
    st.floats(0, 1),
    st.floats(-1, 1),
    st.sampled_from([1.001, 1.04, 2.0, 15.0]),
    st.sampled_from(ALGORITHMS),
    st.sampled_from([1.0, 0.3, 0.01]),
)
def test_no_pair_of_real_statistics_is_worse_than_the_promise(prior, n, place, step, order, algorithm, scale):
    s = place * n
    t = min(max(s + step, 0.0), float(n))
    promised = StatisticalQuery(algorithm(BetaBernoulli(), prior, n, scale)).guarantee.epsilon(order)
    # s + step may round to a distance of 1 + 2^-53; the promise's own margin is larger.
    assert exact_level(algorithm, prior, n, order, scale, pairs=[(s, t)]) <= promised


@pytest.mark.parametrize("order", [1.04, 2.0])
def test_divergence_grows_with_the_distance_from_either_member(order):
    # Step 1 of the proof.
    distances = np.linspace(0.05, 1, 20)
    for base, sign in [(0.0, 1), (1.3, 1), (2.7, -1), (4.0, -1)]:
        for pairs in ([(base + sign * d, base) for d in distances], [(base, base + sign * d) for d in distances]):
            levels = [reference.worst_renyi((1.0, 2.0), 4, order, pairs=[pair]) for pair in pairs]
            assert all(a <= b for a, b in itertools.pairwise(levels))


@pytest.mark.parametrize("order", [1.04, 2.0])
def test_divergence_at_the_full_distance_is_largest_at_an_end(order):
    # Step 3 of the proof: convex along [0, n − 1], in both directions.
    starts = np.arange(0, 3.001, 0.125)
    for forward in (True, False):
        levels = [
            reference.worst_renyi((1.0, 2.0), 4, order, pairs=[(s, s + 1) if forward else (s + 1, s)]) for s in starts
        ]
        assert all(2 * b <= a + c for a, b, c in zip(levels, levels[1:], levels[2:], strict=False))


def test_a_predicate_beyond_the_unit_interval_would_break_the_promise():
    # The planted bug: values in [0, 1.05] pass, so that neighbours are 1.05 apart.
    for algorithm in ALGORITHMS:
        query = StatisticalQuery.calibrate(PRIOR, N, order=2.0, epsilon=0.05, algorithm=algorithm)
        assert exact_level(algorithm, PRIOR, N, 2.0, query.posterior.scale, pairs=[(0, 1.05), (1.05, 0)]) > 0.05


# -- the mechanism -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize(("order", "epsilon"), [(1.5, 1e-6), (2.0, 0.05), (15.0, 0.5), (15.0, 50.0)])
def test_calibration_keeps_its_promise_in_exact_arithmetic(algorithm, order, epsilon):
    query = StatisticalQuery.calibrate(PRIOR, N, order=order, epsilon=epsilon, algorithm=algorithm)
    assert query.guarantee.epsilon(order) <= epsilon
    assert exact_level(algorithm, PRIOR, N, order, query.posterior.scale) <= epsilon
    assert type(query.posterior) is algorithm
    assert query.guarantee.horizon == query.posterior.guarantee.horizon
    assert query.guarantee.conditions == ("one exact draw",)


def test_worst_pair_attains_the_guarantee():
    query = StatisticalQuery.calibrate(PRIOR, N, order=2.0, epsilon=0.05)
    (s, _), (t, _) = query.worst_pair(2.0)
    exact = exact_level(ConcentratedPosterior, PRIOR, N, 2.0, query.posterior.scale, pairs=[(s, t)])
    assert query.guarantee.epsilon(2.0) == pytest.approx(float(exact), rel=1e-11)


def test_release_is_the_logistic_function_of_the_posterior_draw():
    query = StatisticalQuery(DiffusedPosterior(BetaBernoulli(), PRIOR, 4, 0.5))
    assert query.statistic([0.25, 1.0, 0.0, 0.5]) == 1.75
    theta = query.posterior.simulate(1.75, np.random.default_rng(3), 7)
    assert np.array_equal(query.simulate(1.75, np.random.default_rng(3), 7), expit(theta))
    assert np.shape(query.simulate(1.75, np.random.default_rng(3))) == ()


def test_answer_is_a_release_of_the_values_own_sum(monkeypatch):
    query, values = StatisticalQuery(DiffusedPosterior(BetaBernoulli(), PRIOR, 4, 0.5)), [0.25, 1.0, 0.0, 0.5]
    monkeypatch.setattr("os.urandom", lambda count: bytes(range(1, count + 1)))
    answer, theta = query.answer(values), query.posterior.release(1.75)
    assert answer.shape == ()
    assert answer.integers == query.release(1.75).integers
    assert float(answer) == pytest.approx(expit(float(theta)), rel=1e-12)


def test_sums_of_neighbours_are_at_most_one_apart_and_leave_an_exact_rest():
    """Across a power of two too, where the nearest floats of s and s + 1 may be further apart than 1."""
    rng, apart = np.random.default_rng(12), []
    for _ in range(300):
        n = int(rng.choice([3, 5, 8, 9, 17]))
        query = StatisticalQuery(DiffusedPosterior(BetaBernoulli(), PRIOR, n, 0.5))
        values = rng.uniform(0, 1, n - 1)
        low, high = (query.statistic([*values, end]) for end in (0.0, 1.0))
        assert high - low <= 1
        assert mpf(n - high) == mpf(n) - mpf(high)
        assert low == pytest.approx(math.fsum(values), abs=n * 2.0**-52)
        apart.append(mpf(math.fsum([*values, 1.0])) - mpf(math.fsum(values)) > 1)
    assert any(apart)  # the planted bug: plain sums
    assert StatisticalQuery(DiffusedPosterior(BetaBernoulli(), PRIOR, 1, 0.5)).statistic([0.3]) == pytest.approx(0.3)


def test_log_density_is_that_of_the_beta_variable():
    query = StatisticalQuery(DiffusedPosterior(BetaBernoulli(), PRIOR, 100, 0.5))
    rho = np.linspace(0.001, 0.999, 37)
    exact = beta_law.logpdf(rho, 6 + 0.5 * 32.5, 12 + 0.5 * 67.5)
    assert query.log_density(rho, 32.5) == pytest.approx(exact, rel=1e-12, abs=1e-12)


def test_public_records_improve_the_query():
    joined = with_public_data(BetaBernoulli(), PRIOR, 12.5, 40)
    assert np.array_equal(joined, [18.5, 58])
    private, partly_public = (
        StatisticalQuery.calibrate(prior, n, order=2.0, epsilon=0.01) for prior, n in [(PRIOR, N), (joined, N - 40)]
    )
    assert partly_public.posterior.scale > private.posterior.scale
    for order in (1.1, 2.0, 6.5):
        exact = reference.worst_renyi(joined, N - 40, order)
        assert exact < reference.worst_renyi(PRIOR, N, order)
        level = ConcentratedPosterior(BetaBernoulli(), joined, N - 40).guarantee.epsilon(order)
        assert level == pytest.approx(float(exact), rel=1e-11)


def test_public_records_that_are_all_alike_may_leave_the_direct_level_as_it_is():
    # The worst data of Beta(1, 40) are all zeros; declared public, they still are the data of the worst pair.
    prior, n = (1.0, 41.0), 30
    joined = with_public_data(BetaBernoulli(), prior, 0, 10)
    for order in (1.1, 1.5):
        before, after = reference.worst_renyi(prior, n, order), reference.worst_renyi(joined, n - 10, order)
        assert reference.relative_error(float(after), before) < 1e-15
        assert reference.worst_renyi(joined, n, order) < before  # besides the data, they help


# -- what it refuses -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [-0.1, 1.0000001, math.nan, math.inf])
def test_a_predicate_outside_the_unit_interval_is_refused(value):
    query = StatisticalQuery(DiffusedPosterior(BetaBernoulli(), PRIOR, 3, 0.5))
    with pytest.raises(InputError, match=r"^values contains .*between 0 and 1\.$"):
        query.answer([0.5, value, 0.5])


@pytest.mark.parametrize("values", [0.5, [0.5], [0.5] * 4, [[0.5] * 3]])
def test_another_number_of_values_than_records_is_refused(values):
    query = StatisticalQuery(DiffusedPosterior(BetaBernoulli(), PRIOR, 3, 0.5))
    with pytest.raises(InputError, match=r"^values has shape .*n = 3 numbers\.$"):
        query.answer(values)


def test_another_family_is_refused():
    with pytest.raises(InputError, match=r"^posterior is one of DirichletCategorical; .*\.$"):
        StatisticalQuery(DiffusedPosterior(DirichletCategorical(), (1, 1, 3), 3, 0.5))


@pytest.mark.parametrize(
    ("key", "value"), [("order", 1), ("epsilon", 0), ("epsilon", math.nan), ("n", 2.5), ("prior", [1, 1])]
)
def test_calibration_refuses_bad_input_by_name(key, value):
    asked = {"prior": PRIOR, "n": N, "order": 2.0, "epsilon": 0.1} | {key: value}
    with pytest.raises(InputError, match=rf"^{key} is .*\.$"):
        StatisticalQuery.calibrate(asked["prior"], asked["n"], order=asked["order"], epsilon=asked["epsilon"])


@pytest.mark.parametrize(("statistic", "n"), [(11, 10), (5, 0), (5, 2.5)])
def test_public_data_that_no_records_have_are_refused(statistic, n):
    with pytest.raises(InputError, match=r"^(successes|n) is .*\.$"):
        with_public_data(BetaBernoulli(), PRIOR, statistic, n)
