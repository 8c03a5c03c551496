"""The pieces that make a chain fast: NumPy's own gamma draws, sums kept up to date, weights that no draw can meet."""

import math

import numpy as np
import pytest
from numba import njit
from scipy import special

from dpsampling.event_logs import gammas, gibbs, latent


@njit
def drawn(rng, shapes):
    out = np.empty(shapes.size)
    for i in range(shapes.size):
        out[i] = gammas.standard_gamma(rng, shapes[i])
    return out


def test_gamma_draws_are_those_of_numpy():
    """To the bit, rejections included, in the order of the stream."""
    rng = np.random.default_rng(1)
    shapes = np.concatenate(
        [np.ones(5000), rng.integers(1, 9, 50_000), 10.0 ** rng.uniform(-3.0, 9.0, 50_000), np.nextafter(1.0, [0, 2])]
    )
    rng.shuffle(shapes)
    one, other = np.random.default_rng(2), np.random.default_rng(2)
    assert np.array_equal(drawn(one, shapes), other.standard_gamma(shapes))
    assert one.random() == other.random()


def test_sums_are_exact_in_any_order():
    rng = np.random.default_rng(3)
    counts = rng.laplace(scale=7.3, size=(400, 9)) + rng.poisson(30.0, (400, 9))
    ours = gibbs.summable(counts)
    assert np.max(np.abs(ours - counts)) <= 2.0**-53 * 2.0 * np.abs(counts).sum()
    exact = [math.fsum(column) for column in ours.T]
    for _ in range(5):
        rng.shuffle(ours)
        assert list(ours.cumsum(axis=0)[-1]) == exact
    plain = [tuple(rng.permutation(counts).cumsum(axis=0)[-1]) for _ in range(5)]
    assert len(set(plain)) > 1  # which is what would be noticed


@pytest.mark.parametrize("counts", [np.zeros((2, 3)), np.array([[3.0, 0.0], [2.0**51, 7.0]]), np.array([[-4.0, 1e15]])])
def test_whole_counts_stay_what_they_are(counts):
    assert np.array_equal(gibbs.summable(counts), counts)


def test_sums_of_overflowing_noise_are_numbers():
    assert np.all(np.isfinite(gibbs.summable(np.array([[math.inf, 1.0], [-math.inf, 1e308]])).sum(axis=0)))


def exact_choices(case, power):
    """(48) for every state of one cell, from the urns' counts of the others."""
    state, transitions, likelihood, alpha, r, t = case
    states, steps = transitions.shape[1], state.shape[1]
    before, after = state[r, t - 1] if t else states, state[r, t + 1] if t + 1 < steps else -1
    counts = transitions.astype(float)
    counts[before, state[r, t]] -= 1
    if after >= 0:
        counts[state[r, t], after] -= 1
    logs = np.log(counts[before] + alpha)
    for k in range(states):
        if after >= 0:
            here = counts[k].copy()
            here[k] += before == k  # the transition into k, when it leaves k too
            logs[k] += math.log(here[after] + alpha) - math.log(here.sum() + states * alpha)
    logs = power * (logs + likelihood[r * steps + t])
    return np.exp(logs - special.logsumexp(logs))


@pytest.mark.parametrize("power", [1.0, 0.3])
def test_every_cell_goes_where_its_uniform_number_points(power):
    """The same state as by (48) written out, cell by cell, for likelihoods flat, sharp and beyond all weights."""
    rng, alpha, states = np.random.default_rng(5), 0.4, 4
    seen = set()
    for trial in range(60):
        state = rng.integers(0, states, (3, 7))
        likelihood = rng.normal(scale=[0.0, 1.0, 30.0, 1000.0][trial % 4], size=(21, states))
        transitions = gibbs.count_transitions(state, states)
        tables = gibbs.log_tables(23, states, alpha)
        trained = np.ones((3, 7), dtype=bool)
        ours = np.random.default_rng(trial)
        uniforms = np.random.default_rng(trial).random(21)
        for cell in range(21):
            r, t = divmod(cell, 7)
            expected = exact_choices((state, transitions, likelihood, alpha, r, t), power)
            gibbs.draw_states(ours, state, transitions, trained, likelihood, power, *tables, cell, cell + 1)
            cumulated = np.cumsum(expected)
            assert state[r, t] == min(np.searchsorted(cumulated, uniforms[cell] * cumulated[-1]), states - 1)
            assert np.array_equal(transitions, gibbs.count_transitions(state, states))
            seen.add(state[r, t])
    assert seen == set(range(states))


def test_a_sweep_is_its_cells_one_by_one():
    rng = np.random.default_rng(6)
    state, likelihood = rng.integers(0, 3, (4, 5)), rng.normal(size=(20, 3))
    trained = rng.random((4, 5)) < 0.8
    tables = gibbs.log_tables(22, 3, 0.7)
    found = []
    for pieces in ([(0, 20)], [(c, c + 1) for c in range(20)]):
        here, stream = state.copy(), np.random.default_rng(7)
        transitions = gibbs.count_transitions(here, 3)
        for first, end in pieces:
            gibbs.draw_states(stream, here, transitions, trained, likelihood, 1.0, *tables, first, end)
        found.append(here)
    assert np.array_equal(*found)


def test_outcomes_that_no_cell_has_change_nothing_but_their_emissions():
    """Beside an outcome that nobody has, another that nobody has: states of both chains are of the same urns."""
    counts = np.random.default_rng(8).poisson(2.0, (12, 4)).astype(float)
    counts[:, 3] = 0.0
    trained, nobody = np.ones((2, 6), dtype=bool), np.zeros((12, 4))
    shared = (trained, np.empty((0, 4)), np.array([0, 4]), 2, 0.5, 1.0, 1.0, np.zeros(1), 40, 10)
    trace = gibbs.chain(np.random.default_rng(9), counts, counts, *shared)
    assert np.exp(trace.log_emissions).sum(axis=0) == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.isfinite(trace.log_joint))
    assert np.all(np.isfinite(gibbs.chain(np.random.default_rng(9), nobody, nobody, *shared).log_joint))


@pytest.mark.parametrize("scale", [0.05, 0.7, 2.0, 25.0])
def test_evidence_of_a_cell_is_that_of_its_outcomes(scale):
    """Noisy counts of both signs, whole ones and fractions; means on both sides of where the series are used."""
    rng = np.random.default_rng(11)
    rate, states, outcomes = 200.0, 11, 60
    theta = np.ascontiguousarray(rng.dirichlet(np.full(outcomes, 0.15), states).T)
    assert 0 < np.sum(rate * theta > latent._SERIES) < theta.size / 4
    grow, shrink = latent.slopes(scale)
    for trial in range(20):
        noisy = rng.poisson(rate * theta[:, trial % states]) + rng.laplace(scale=scale, size=outcomes)
        noisy = np.round(noisy) if trial % 2 else noisy
        kinks, out = np.exp((2.0 * (noisy - np.floor(noisy)) - 1.0) / scale), np.empty(states)
        latent.log_evidence_of(noisy, kinks, theta, rate, scale, grow, shrink, out)
        expected = [
            math.fsum(latent.log_evidence(y, rate * theta[j, k], scale) for j, y in enumerate(noisy))
            for k in range(states)
        ]
        assert out == pytest.approx(expected, rel=1e-11)
