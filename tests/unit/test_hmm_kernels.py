"""The pieces of the compiled chains, against sums term by term and against the urns' p(Z)."""

import itertools
import math

import mpmath
import numpy as np
import pytest
from numba import njit
from scipy import special

from dpsampling.event_logs import gibbs, latent
from hmm_enumeration import log_urn
from telling_apart import ERROR_RATE

# -- E(y; μ) -----------------------------------------------------------------------------------------------------------

NOISY = [-500.0, -7.5, -1e-9, 0.0, 1e-9, 0.5, 1.0, 2.5, 3.0, 17.2, 40.0, 150.5, 999.999, 1000.0, 3000.5, 5000.0]
MEANS = [1e-12, 1e-6, 0.01, 0.4, 1.0, 3.7, 25.0, 160.0, 1000.0, 5000.0]
SCALES = [0.05, 0.2, 0.5, 1.0, 2.0, 10.0, 100.0, 1000.0]


def log_terms(noisy, mean, scale):
    """ln of e^{−μ} μⁿ/n! e^{−|y−n|/b} for n = 0, 1, … far beyond y and μ, in extended precision."""
    largest = max(noisy, mean)
    n = np.arange(int(largest + 60.0 * math.sqrt(largest + 1.0)) + 200, dtype=np.longdouble)
    log_factorials = np.concatenate([[np.longdouble(0)], np.cumsum(np.log(n[1:]))])
    mean, scale, noisy = np.longdouble(mean), np.longdouble(scale), np.longdouble(noisy)
    return n * np.log(mean) - log_factorials - mean - np.abs(noisy - n) / scale


def log_sum(noisy, mean, scale):
    logs = log_terms(noisy, mean, scale)
    return logs.max() + np.log(np.exp(logs - logs.max()).sum())


def test_log_evidence_is_the_sum():
    """Of a grid of arguments, and of random ones."""
    rng = np.random.default_rng(5)
    cases = list(itertools.product(NOISY, MEANS, SCALES))
    for _ in range(1500):
        mean, scale = 10.0 ** rng.uniform(-6, 3.3), 10.0 ** rng.uniform(-1.3, 2.5)
        cases.append((mean + rng.laplace(scale=2 * scale) + rng.normal(scale=4 * math.sqrt(mean)), mean, scale))
    for case in cases:
        expected = log_sum(*case)
        assert abs(latent.log_evidence(*case) - expected) <= 1e-10 * max(1.0, abs(expected)), case


def test_the_sum_itself_is_right():
    for noisy, mean, scale in [(2.5, 3.7, 0.5), (-7.5, 25.0, 2.0), (40.0, 0.01, 0.2), (150.5, 160.0, 10.0)]:
        with mpmath.workdps(40):
            y, m, b = map(mpmath.mpf, (noisy, mean, scale))
            terms = (mpmath.exp(-m - abs(y - n) / b) * m**n / mpmath.factorial(n) for n in range(600))
            exact = mpmath.log(mpmath.fsum(terms))
        assert float(log_sum(noisy, mean, scale)) == pytest.approx(float(exact), rel=1e-15)


def test_no_mean_means_no_entries():
    for noisy in (-3.0, 0.0, 2.5, 40.0):
        assert latent.log_evidence(noisy, 0.0, 2.0) == pytest.approx(-abs(noisy) / 2.0, rel=1e-15, abs=0)
        assert latent.draw_count(np.random.default_rng(0), noisy, 0.0, 2.0, *latent.slopes(2.0)) == 0


@njit
def counts_drawn(rng, noisy, mean, scale, size):
    out = np.empty(size, np.int64)
    grow, shrink = latent.slopes(scale)
    for i in range(size):
        out[i] = latent.draw_count(rng, noisy, mean, scale, grow, shrink)
    return out


CORNERS = [
    (-3.5, 2.0, 1.0), (0.0, 5.0, 2.0), (1e-9, 5.0, 2.0), (0.5, 0.5, 0.05), (2.5, 2.5, 0.1),
    (3.0, 3.0, 0.3), (17.2, 3.7, 2.0), (3.0, 40.0, 5.0), (150.5, 160.0, 10.0), (40.0, 1e-6, 0.5),
    (10.5, 1e-3, 0.8), (1000.0, 900.0, 100.0), (12.7, 8.0, 1000.0), (5.0, 1e-12, 0.05), (60.0, 200.0, 3.0),
]  # fmt: skip


def test_counts_are_drawn_from_the_terms():
    """By the Dvoretzky-Kiefer-Wolfowitz inequality, at ERROR_RATE for all of them."""
    size = 100_000
    for i, case in enumerate(CORNERS):
        logs = log_terms(*case)
        cdf = np.cumsum(np.exp(logs - logs.max()))
        draws = counts_drawn(np.random.default_rng([3, i]), *case, size)
        seen = np.cumsum(np.bincount(draws, minlength=len(cdf))[: len(cdf)]) / size
        bound = math.sqrt(math.log(2 * len(CORNERS) / ERROR_RATE) / (2 * size))
        assert np.max(np.abs(seen - (cdf / cdf[-1]).astype(float))) < bound, case


# -- Dirichlet draws as logarithms -------------------------------------------------------------------------------------


@njit
def log_pairs(rng, a, b, size):
    totals, log_theta, floors = np.empty((1, 2)), np.empty((2, 1)), np.zeros(1)
    totals[0, 0], totals[0, 1] = a, b
    out = np.empty((size, 2))
    for i in range(size):
        gibbs.draw_emissions(rng, totals, np.array([0, 2]), 0.01, 1.0, floors, log_theta)
        out[i] = log_theta[:, 0]
    return out


@pytest.mark.parametrize(("a", "b"), [(0.01, 0.01), (0.01, 30.0), (0.7, 2.0), (500.0, 1.0)])
def test_logarithms_of_dirichlet_draws(a, b):
    size = 100_000
    draws = log_pairs(np.random.default_rng(8), a - 0.01, b - 0.01, size)
    assert np.all(np.isfinite(draws))
    assert np.logaddexp(draws[:, 0], draws[:, 1]) == pytest.approx(0.0, abs=2e-15 * np.abs(draws).max())
    bound = math.sqrt(math.log(8 / ERROR_RATE) / (2 * size))
    # Pr(ln θ ≤ x) is that of θ ≤ e^x, and below the least number θ^a/(a B(a, b)).
    at = np.sort(draws[:, 0])
    power_law = np.exp(a * at - math.log(a) - special.betaln(a, b))
    cdf = np.where(at < -600.0, power_law, special.betainc(a, b, np.exp(at)))
    # Nearer to 0 the logarithms round together; there the other coordinate, the small one, has the digits.
    assert np.max(np.abs(np.arange(1, size + 1) / size - cdf)[at < -1e-9]) < bound


# -- scores and densities ----------------------------------------------------------------------------------------------


def problem(seed, states=3, shape=(2, 5), outcomes=6):
    """Random states, θ and counts with a few held-out cells: neighbours, a first and a last step among them."""
    rng = np.random.default_rng(seed)
    trained = np.ones(shape, dtype=bool)
    for cell in [(0, 0), (0, 2), (0, 3), (1, shape[1] - 1)]:
        trained[cell] = False
    state = rng.integers(0, states, shape)
    log_theta = np.log(rng.dirichlet(np.ones(outcomes), states).T.copy())
    return state, trained, log_theta, rng.poisson(2.0, (trained.size, outcomes)).astype(float)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("alpha", [0.1, 1.0, 2.5])
def test_scores_of_held_out_cells(seed, alpha):
    state, trained, log_theta, counts = problem(seed)
    if seed == 0:
        state[:] = 1
    held_out = counts[~trained.ravel()]
    cells = np.flatnonzero(~trained.ravel())
    transitions = gibbs.count_transitions(state, 3)
    before = transitions.copy()
    mixture, own = np.empty(len(cells)), np.empty(len(cells))
    gibbs.score(held_out, cells, log_theta, state, transitions, *gibbs.log_tables(20, 3, alpha), mixture, own)
    assert np.array_equal(transitions, before)
    for h, (r, t) in enumerate(np.argwhere(~trained)):
        logs = np.empty(3)
        for k in range(3):
            other = state.copy()
            other[r, t] = k
            logs[k] = log_urn(other, 3, alpha)
        likelihood = held_out[h] @ log_theta
        expected = special.logsumexp(logs - special.logsumexp(logs) + likelihood)
        assert mixture[h] == pytest.approx(expected, rel=1e-12)
        assert own[h] == pytest.approx(likelihood[state[r, t]], rel=1e-12)


@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 1.0), (1.0, 0.4), (2.5, 3.0)])
def test_log_density_differences(alpha, beta):
    ours, expected = [], []
    for seed in range(8):
        state, trained, log_theta, counts = problem(seed)
        transitions = gibbs.count_transitions(state, 3)
        ours.append(gibbs.log_density(state, transitions, trained, counts @ log_theta, log_theta, alpha, beta))
        total = log_urn(state, 3, alpha) + (beta - 1.0) * log_theta.sum()
        for cell, (r, t) in enumerate(np.ndindex(trained.shape)):
            if trained[r, t]:
                total += counts[cell] @ log_theta[:, state[r, t]]
        expected.append(total)
    assert np.diff(ours) == pytest.approx(np.diff(expected), rel=1e-11, abs=1e-9)


# -- chains ------------------------------------------------------------------------------------------------------------


def chains(seed):
    """One chain of each kernel on the same counts."""
    _, trained, _, counts = problem(3, shape=(2, 6))
    shared = (trained, counts[~trained.ravel()], np.array([0, 2, 6]), 3, 0.5, 0.8)
    rng = np.random.default_rng
    floors = np.array([0.05, 0.02])
    return [
        gibbs.chain(rng(seed), counts, counts, *shared, 1.0, np.zeros(2), 30, 10),
        gibbs.chain(rng(seed), counts, counts, *shared, 0.4, floors, 30, 10),
        latent.chain(rng(seed), counts - 0.7, 1.5, 2, *shared, 30, 10),
    ]


def test_a_seed_decides_everything():
    for one, again, other in zip(chains(1), chains(1), chains(2), strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(one, again, strict=True))
        assert not np.array_equal(one.log_joint, other.log_joint)


def test_shapes_and_ranges_of_a_trace():
    for trace, lowest in zip(chains(4), [0.0, 0.02, 0.0], strict=True):
        assert trace.states.shape == (20, 2, 6)
        assert trace.log_joint.shape == (30,)
        assert trace.mixture.shape == trace.own.shape == (20, 4)
        theta = np.exp(trace.log_emissions)
        assert theta.min() > lowest
        assert np.add.reduceat(theta, [0, 2], axis=0) == pytest.approx(1.0, abs=1e-12)
        assert set(np.unique(trace.states)) <= {0, 1, 2}


def test_held_out_counts_never_touch_the_chain():
    _, trained, _, counts = problem(3, shape=(2, 6))
    changed = counts.copy()
    changed[~trained.ravel()] += 9.0
    rest = (np.array([0, 2, 6]), 3, 0.5, 0.8)
    runs = []
    for data in (counts, changed):
        held_out, rng = data[~trained.ravel()], np.random.default_rng
        plain = gibbs.chain(rng(1), data, data, trained, held_out, *rest, 1.0, np.zeros(2), 30, 10)
        runs.append([plain, latent.chain(rng(1), data, 1.5, 2, trained, held_out, *rest, 30, 10)])
    for one, other in zip(*runs, strict=True):
        assert np.array_equal(one.states, other.states)
        assert np.array_equal(one.log_emissions, other.log_emissions)
        assert not np.array_equal(one.mixture, other.mixture)


@pytest.mark.parametrize(
    ("power", "floor", "beta", "totals"),
    [(1.0, 0.0, 0.8, [6.0, 2.5]), (0.4, 0.1, 0.8, [6.0, 2.5]), (1.0, 1e-9, 0.05, [0.0, 0.0])],
)
def test_naive_bayes_draws_independently(power, floor, beta, totals):
    size, totals, rng = 50_000, np.array([totals]), np.random.default_rng(6)
    held_out, ends = np.array([[1.0, 0.0], [3.0, 4.0]]), np.array([0, 2])
    own, log_theta = gibbs.naive_bayes(rng, totals, held_out, ends, beta, power, np.array([floor]), size)
    assert own[-1] == pytest.approx((held_out @ log_theta)[:, 0], rel=1e-14)
    a, b = (totals[0] + beta - 1.0) * power + 1.0
    at = np.sort(own[:, 0])
    low, high, cdf = (special.betainc(a, b, x) for x in (floor, 1.0 - floor, np.exp(at)))
    bound = math.sqrt(math.log(6 / ERROR_RATE) / (2 * size))
    assert np.max(np.abs(np.arange(1, size + 1) / size - (cdf - low) / (high - low))) < bound
