"""The audit's two looks at draws keep their error rates, and find what they should.

An attack calls an honest mechanism broken with probability below 1e-6 (Clopper-Pearson), a sequential run with
probability below 1e-6 (Ville); seeds are fixed besides.
"""

import math

import numpy as np
import pytest
from scipy.stats import binom

from dpsampling.audit import every_mechanism as audit
from dpsampling.audit.attacks import attack
from dpsampling.audit.sequential import RISK, Witness
from dpsampling.mechanisms.known_laws import clipped_laplace, laplace, normal, response
from dpsampling.privacy.laws import Independent, OnLine, epsilon_at

RUNS, DRAWS = 10_000, 120
POINTS = list(audit.points([2.0], [1.0]))


def test_none_of_ten_thousand_honest_runs_is_called_broken():
    """Runs of every instance with its own sampler and its own lies as bets; one alarm in all has probability .01."""
    each, alarms, runs = math.ceil(RUNS / len(POINTS)), 0, 0
    for index, point in enumerate(POINTS):
        case, rng = point.case, np.random.default_rng([11, index])
        pair = case.neighbours[0]
        witness = Witness(case.laws, [make(f) for make in case.lies.values() for f in (1.3, 2.0)], pair)
        drawn = [case.laws[world].sample(rng, each * DRAWS // 2) for world in pair]
        for run in range(each):
            part = slice(run * DRAWS // 2, (run + 1) * DRAWS // 2)
            alarms += bool(np.any(witness.process([sample[part] for sample in drawn]) >= -math.log(RISK)))
            runs += 1
    assert runs >= RUNS
    assert alarms == 0


@pytest.mark.parametrize("bound", [5.0, 20.0])
def test_honest_runs_reach_a_bound_as_seldom_as_the_martingale_says(bound):
    """At most 1/bound of the runs (Ville): more than its upper 1e-6 quantile would be a bet on the future."""
    honest = {"x": laplace(0.0, 1.0), "y": laplace(1.0, 1.0)}
    lies = [{"x": laplace(0.0, s), "y": laplace(1.0, s)} for s in (0.95, 0.77, 0.5)]
    witness, rng, runs = Witness(honest, lies, ("x", "y")), np.random.default_rng(5), 2_000
    reached = 0
    for _ in range(runs):
        process = witness.process([honest[name].sample(rng, 100) for name in ("x", "y")])
        reached += bool(np.max(process) >= math.log(bound))
    assert 0 < reached <= binom.ppf(1 - 1e-6, runs, 1.0 / bound)


def test_a_bet_that_sees_its_own_draw_would_be_found():
    """Counting a draw before betting on it reaches the same bound far too often."""
    from dpsampling.audit import sequential

    honest = {"x": laplace(0.0, 1.0), "y": laplace(1.0, 1.0)}
    witness, rng, runs, reached = Witness(honest, [], ("x", "y")), np.random.default_rng(5), 400, 0
    for _ in range(runs):
        total = 0.0
        for (law, _), (cut,) in zip(witness.worlds, witness.cuts, strict=True):
            index = np.searchsorted(cut[0], law.sample(rng, 100))
            seen = np.cumsum(np.eye(len(cut[1]))[index], axis=0)[np.arange(100), index]
            total += np.sum(np.log((seen + 0.5) / (np.arange(100) + 1 + len(cut[1]) / 2) / cut[1][index]))
        reached += total >= math.log(20.0)
    assert reached > binom.ppf(1 - 1e-6, runs, 1.0 / 20.0)
    assert sequential.BINS == 16


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (normal(0.0, 1.0), normal(0.5, 1.0)),
        (response(1, 0.7), response(0, 0.7)),
        (
            Independent((clipped_laplace(1.0, 2.0), clipped_laplace(0.0, 2.0))),
            Independent((clipped_laplace(0.0, 2.0), clipped_laplace(1.0, 2.0))),
        ),
    ],
)
def test_an_attack_proves_most_of_what_there_is_and_never_more(p, q):
    exact = epsilon_at(p, q, 1e-3)
    found = [attack(p, q, 1e-3, 50_000, np.random.default_rng(seed)) for seed in range(20)]
    assert max(found) <= exact
    assert min(found) > 0.5 * exact


def test_an_attack_believes_draws_and_not_densities():
    """A sampler without noise behind an honest density: its draws prove what its density denies."""
    honest = laplace(0.0, 20.0), laplace(1.0, 20.0)
    careless = [OnLine(law.log_density, lambda rng, size, x=x: np.full(size, x)) for x, law in enumerate(honest)]
    assert attack(*honest, 1e-5, 20_000, np.random.default_rng(1)) <= 0.05
    assert attack(*careless, 1e-5, 20_000, np.random.default_rng(1)) > 5.0


def test_the_last_bits_of_floating_point_noise_are_not_taken_for_an_event():
    """On the plateaus of ln P/Q = ±1 unrounded scores tell the worlds apart: y − 1 gives the noise back, bit by bit."""
    p, q = (Independent((laplace(x, 2.0), laplace(1.0 - x, 2.0))) for x in (1.0, 0.0))
    for seed in range(5):
        assert attack(p, q, 1e-5, 50_000, np.random.default_rng(seed)) <= 1.0
