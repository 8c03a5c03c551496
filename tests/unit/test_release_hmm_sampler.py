"""The posterior behind noisy counts: its density, its law on a tiny log by quadrature, and its calibration."""

import math
from dataclasses import replace

import numpy as np
import pytest
from planted_logs import planted
from scipy import integrate, special, stats

from dpsampling.event_logs import choose_states, posterior, summed_out
from dpsampling.event_logs.posterior import Noisy, Prior

PROPER = Prior(shape=4.0, rate=0.2)


def terms(noisy: float, mean: float, scale: float) -> float:
    """ln E(y; μ), term by term."""
    n = np.arange(0, int(mean + 60 * math.sqrt(mean + 1) + abs(noisy) + 200))
    return float(special.logsumexp(stats.poisson.logpmf(n, mean) - np.abs(noisy - n) / scale))


@pytest.mark.parametrize("scale", [0.3, 1.0, 6.0, 60.0])
def test_the_grid_is_the_sum(scale: float) -> None:
    """The likelihood by the grid, against the sum of its terms; 10⁻⁵ is a tenth of a thousandth of a probability."""
    noisy = np.array([[-7.0, 0.0, 1.0, 3.0, 40.0, 700.0]])
    table = summed_out.grid(noisy, scale)
    for rate in (1e-9, 0.02, 0.9, 3.3, 41.0, 650.0, 5000.0):
        for j in range(noisy.shape[1]):
            one = summed_out.Grid(*(np.ascontiguousarray(part[:, [j]]) for part in table[:3]), table.cubics)
            out = np.empty((1, 1))
            summed_out.likelihoods(noisy[:, [j]].copy(), scale, one, np.array([math.log(rate)]), np.ones((1, 1)), out)
            assert out[0, 0] == pytest.approx(terms(noisy[0, j], rate, scale), rel=1e-9, abs=1e-5)


def test_the_slopes_are_those_of_the_density() -> None:
    """Against differences, in every direction of w."""
    rng = np.random.default_rng(1)
    log = planted(rng, states=2, sizes=(3, 2), regions=2, steps=4, scale=3.0, shape=4.0, rate=0.2)
    noisy = log.noisy
    table, trained = summed_out.grid(noisy.counts, noisy.scale), np.ones((2, 4), dtype=bool)
    place = posterior.start(noisy, trained, 2, rng)

    def density(w: np.ndarray) -> tuple[float, np.ndarray]:
        theta, slopes, out = np.empty_like(w), np.empty_like(w), np.empty(2)
        summed_out.density(
            noisy.counts, noisy.scale, table, trained, noisy.offsets, log.states, 1.5, place.log_rates, w, theta,
            slopes, out,
        )  # fmt: skip
        return out.sum(), slopes

    w = rng.normal(size=(2, 5))
    slopes = density(w)[1]
    for k, j in np.ndindex(w.shape):
        step = np.zeros_like(w)
        step[k, j] = 1e-4
        assert (density(w + step)[0] - density(w - step)[0]) / 2e-4 == pytest.approx(slopes[k, j], abs=2e-3)


def drawn(noisy: Noisy, states: int, prior: Prior, rng: np.random.Generator, many: int) -> summed_out.Kept:
    """One chain."""
    trained = np.ones((noisy.regions, noisy.steps), dtype=bool)
    table = summed_out.grid(noisy.counts, noisy.scale)
    place = posterior.start(noisy, trained, states, rng)
    posterior.run(noisy, trained, table, rng, place, 200, prior, tune=True)
    return posterior.run(noisy, trained, table, rng, place, many, prior)


def test_a_tiny_log_has_the_law_of_quadrature() -> None:
    """Two cells, two states, one feature of two outcomes: whether the cells share a state, and the first one's rate.

    The chain has 40 000 draws, some 8 000 independent ones by their autocorrelation: 0.03 is 5 standard errors.
    """
    noisy = Noisy(np.array([[9.0, 1.0], [3.0, 6.0]]), 1.5, 1, (2,))
    prior = Prior(shape=2.0, rate=0.3)

    def of_cell(y: np.ndarray, theta: float, power: int) -> float:
        def integrand(rate: float) -> float:
            logs = terms(y[0], rate * theta, 1.5) + terms(y[1], rate * (1 - theta), 1.5)
            return rate ** (prior.shape - 1 + power) * math.exp(-prior.rate * rate + logs)

        return float(integrate.fixed_quad(np.vectorize(integrand), 0.0, 60.0, n=60)[0])

    nodes, weights = np.polynomial.legendre.leggauss(24)
    thetas, weights = 0.5 * (nodes + 1), 0.5 * weights
    first, second = (np.array([of_cell(y, t, 0) for t in thetas]) for y in noisy.counts)
    first_rate = np.array([of_cell(noisy.counts[0], t, 1) for t in thetas])
    # The second month's state is drawn by the row of the first one's, of which nothing else is known: 1/2 each.
    same, other = (weights * first * second).sum(), (weights * first).sum() * (weights * second).sum()
    both = (weights * first_rate * second).sum() + (weights * first_rate).sum() * (weights * second).sum()
    rate = both / (same + other)
    kept = drawn(noisy, 2, prior, np.random.default_rng(2), 40_000)
    assert (kept.states[:, 0, 0] == kept.states[:, 0, 1]).mean() == pytest.approx(same / (same + other), abs=0.03)
    assert kept.rates[:, 0].mean() == pytest.approx(rate, rel=0.02)


def ranks(many: int, *, stated: float | None, seed: int) -> np.ndarray:
    """Of planted quantities that know no labels among draws of their posteriors, each in [0, 1]."""
    found = []
    for i in range(many):
        rng = np.random.default_rng([seed, i])
        prior = replace(PROPER, known=i % 2 == 0)
        rate = PROPER.rate if prior.known else rng.exponential(PROPER.rate)
        log = planted(
            rng, states=2, sizes=(3,), regions=2, steps=6, scale=2.0, shape=PROPER.shape, rate=rate,
            stated=stated,
        )  # fmt: skip
        kept = drawn(log.noisy, 2, prior, rng, 400)

        def told(states: np.ndarray, emissions: np.ndarray, rates: np.ndarray) -> list[float]:
            shares = emissions[states.ravel()]
            same = (states[:, 1:] == states[:, :-1]).sum()
            return [shares[:, 0].mean(), shares[:, 1].max(), rates.sum(), rates[0], (shares**2).sum(), same]

        truth = told(log.states, log.emissions, log.rates)
        draws = np.array([told(*each) for each in zip(kept.states, kept.emissions, kept.rates, strict=True)][::8])
        noise = rng.random(draws.shape[1])  # breaks ties of whole numbers
        below, equal = (draws < truth).sum(axis=0), (draws == truth).sum(axis=0)
        found.append((below + noise * (equal + 1)) / (len(draws) + 1))
    return np.array(found)


def worst(found: np.ndarray) -> float:
    """The least p-value of the ranks' uniformity over the quantities."""
    return min(stats.kstest(column, "uniform").pvalue for column in found.T)


def test_simulation_based_calibration() -> None:
    """Ranks of planted quantities are uniform; a model that is told half of the noise's scale has others.

    A right sampler fails with probability 6e-7 at the most: 6 quantities at 1e-7 each, were its draws independent.
    """
    assert worst(ranks(150, stated=None, seed=1)) > 1e-7
    assert worst(ranks(150, stated=0.4, seed=1)) < 1e-7


def test_planted_numbers_of_states_are_found_or_said_to_be_hidden() -> None:
    """Far-apart states under little noise are counted; under noise that drowns them, one is all that is told of."""
    for states in (2, 3):
        log = apart(np.random.default_rng([5, states]), states, scale=2.0)
        assert choose_states.chosen(choose_states.scores(log, 4, np.random.default_rng(states)), 72) == states
    hidden = apart(np.random.default_rng(5), 3, scale=400.0)
    assert choose_states.chosen(choose_states.scores(hidden, 3, np.random.default_rng(6)), 72) == 1


def apart(rng: np.random.Generator, states: int, scale: float) -> Noisy:
    """Cells of which each has most of its events in the outcome of its state."""
    z = rng.integers(0, states, size=3 * 24)
    shares = np.full((states, 4), 0.1) + 0.6 * np.eye(states, 4)
    counts = rng.poisson(40.0 * shares[z])
    q = -np.expm1(-1.0 / scale)
    noise = rng.geometric(q, counts.shape) - rng.geometric(q, counts.shape)
    return Noisy((counts + noise).astype(float), scale, 3, (4,))


def covered(many: int, *, stated: float | None = None) -> dict[str, tuple[float, int]]:
    """How many 90% intervals of emissions and of transitions hold the planted ones; states matched by their cells."""
    emissions, transitions = [], []
    for i in range(many):
        rng = np.random.default_rng([7, i])
        log = planted(rng, states=2, sizes=(4, 2), regions=3, steps=16, scale=4.0, shape=4.0, rate=0.05, stated=stated)
        found = posterior.posterior(log.noisy, 2, rng)
        order = np.array([0, 1])
        if (found.states != log.states).mean() > 0.5:
            order = order[::-1]
        rows = rng.standard_gamma(found.transitions[:, [*order, 2]][:, :, order] + 1.0)
        rows /= rows.sum(axis=2, keepdims=True)
        for draws, truth, hits in (
            (found.emissions[:, order], log.emissions, emissions),
            (rows[:, :2], log.transitions[:2], transitions),
        ):
            low, high = np.quantile(draws, [0.05, 0.95], axis=0)
            hits.append(((low <= truth) & (truth <= high)).mean())
    return {"emissions": (float(np.mean(emissions)), many), "transitions": (float(np.mean(transitions)), many)}


def test_intervals_cover() -> None:
    """Of 30 releases: 90% of 120 pairs of intervals, ± 5 standard errors; a tenth of the noise's scale covers less."""
    found = covered(30)
    assert all(share > 0.76 for share, _ in found.values()), found
    assert covered(10, stated=0.4)["emissions"][0] < 0.7


@pytest.mark.slow
def test_intervals_cover_in_a_thousand_releases() -> None:
    """88 to 92% of stated 90% intervals."""
    found = covered(1000)
    assert all(0.88 <= share <= 0.92 for share, _ in found.values()), found
