"""The exact One Posterior Sample of the hidden Markov model, against sums over all paths and quadrature.

Chains begin at paths drawn from the enumerated law; after two iterations of exact conditionals their ends must have
that law still, which a χ² test of independent ends judges: a right chain fails with probability ERROR_RATE, as far as
χ² is the law of counts of 20 and more. Planted errors must fail the same test. All bits are functions of fixed seeds.
"""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import chi2

from dpsampling.errors import InputError
from dpsampling.event_logs import exact_ops
from dpsampling.event_logs.counts import EventCounts
from dpsampling.event_logs.exact_ops import Conditionals, release
from dpsampling.event_logs.mechanisms import OnePosteriorSample
from dpsampling.numerics.exact.replay import FrozenBits
from dpsampling.numerics.exact.tape import Tape
from hmm_enumeration import all_paths, joint_law, path_numbers
from telling_apart import ERROR_RATE, distance_on_grid

PRECISIONS = (16, 32, 64, 128, 256, 512)
CHAINS = 1500
HMM = {
    "counts": np.array([[[9, 1, 5, 5], [7, 2, 8, 1], [0, 8, 1, 7]], [[1, 6, 2, 5], [8, 1, 3, 6], [5, 4, 2, 7]]]),
    "offsets": [0, 2, 4],
    "states": 2,
    "alpha": 0.2,
    "beta": 1.5,
    "power": 0.4,
    "floors": [0.05, 0.02],
}


def after_iterations(size, iterations=2, **changed):
    """How often each path comes out after iterations that began from the exact law of paths."""
    case = HMM | changed
    shape = HMM["counts"].shape[:2]
    paths = all_paths(2, *shape)
    law = enumerated()
    rng, tape = np.random.default_rng(8), Tape(FrozenBits(8))
    model = Conditionals(
        case["counts"].reshape(-1, 4), case["counts"].shape[1], case["offsets"], 2, Fraction(case["alpha"]),
        Fraction(case["beta"]), Fraction(case["power"]), [Fraction(a0) for a0 in case["floors"]],
    )  # fmt: skip
    seen = np.zeros(len(paths))
    for start in rng.choice(len(paths), size, p=law):
        state = paths[start].ravel()
        for _ in range(iterations):
            state, _ = tape.draw(model.iteration(state, 53))
        seen[path_numbers(state.reshape(1, *shape), 2)[0]] += 1
    return seen


def enumerated():
    trained = np.ones(HMM["counts"].shape[:2], dtype=bool)
    return joint_law(
        HMM["counts"], trained, HMM["offsets"], 2, HMM["alpha"], HMM["beta"], power=HMM["power"], floors=HMM["floors"]
    )


def chance(seen, law):
    """Of a χ² at least this large if paths come from `law`; those expected less than 20 times are counted together."""
    expected = law * seen.sum()
    rare = expected < 20
    seen, expected = (np.append(x[~rare], x[rare].sum()) for x in (seen, expected))
    return chi2.sf(np.sum((seen - expected) ** 2 / expected), len(seen) - 1)


def test_the_chain_keeps_the_exact_law_of_paths():
    assert chance(after_iterations(CHAINS), enumerated()) > ERROR_RATE


@pytest.mark.parametrize(
    "wrong",
    [
        {"power": 0.6},
        {"floors": [0.2, 0.2]},
        pytest.param({"alpha": 30.0}, marks=pytest.mark.slow),
        pytest.param({"beta": 5.0}, marks=pytest.mark.slow),
    ],
)
def test_a_chain_of_another_law_is_caught(wrong):
    assert chance(after_iterations(CHAINS, **wrong), enumerated()) < ERROR_RATE


def test_a_chain_whose_transitions_are_not_tempered_is_caught(monkeypatch):
    powers = exact_ops._powers
    monkeypatch.setattr(exact_ops, "_powers", lambda first, power, count: powers(first, Fraction(1), count))
    assert chance(after_iterations(CHAINS), enumerated()) < ERROR_RATE


def log_of(counts, sizes):
    regions, months, _ = counts.shape
    return EventCounts(
        "log", "a log", "simulated", tuple(map(str, range(regions))), tuple(map(str, range(months))),
        tuple(f"f{d}" for d in range(len(sizes))), tuple(tuple(map(str, range(k))) for k in sizes), counts,
    )  # fmt: skip


def test_one_state_releases_the_posterior_of_corpus_wide_counts():
    counts, ops = log_of(HMM["counts"], (2, 2)), OnePosteriorSample(2.0, 10.0)
    assert release(counts, ops, 1).guarantee.epsilon == ops.guarantee((2, 2), 1).epsilon
    t, (a0, _) = ops.temperature((2, 2)), ops.floors((2, 2))
    first = np.array([release(counts, ops, 1, source=FrozenBits(seed)).probabilities.floats[0] for seed in range(1500)])
    grid = np.linspace(a0, 1 - a0, 500)
    threshold = math.sqrt(math.log(4 / ERROR_RATE) / (2 * len(first)))
    for place in (0, 2):
        n, m = HMM["counts"].sum(axis=(0, 1))[[place, place + 1]]

        def cdf(t, n=n, m=m):
            share = betainc(n / t + 1, m / t + 1, grid)
            return (share - share[0]) / (share[-1] - share[0])

        assert distance_on_grid(first[:, place], cdf(t), grid) < threshold
    assert distance_on_grid(first[:, 2], cdf(t / 2), grid) > threshold


def test_a_chain_releases_states_and_theta_at_the_price_of_all_its_updates():
    counts, ops = log_of(HMM["counts"], (2, 2)), OnePosteriorSample(2.0, 10.0)
    sample = release(counts, ops, 2, iterations=5)
    assert sample.guarantee.epsilon == ops.guarantee((2, 2), 10).epsilon
    assert sample.states.shape == (2, 3)
    assert set(sample.states.ravel().tolist()) <= {0, 1}
    assert sample.probabilities.shape == (2, 4)
    assert np.all(sample.probabilities.floats >= ops.floors((2, 2)).min() - 1e-15)
    for bad in ({"states": 0}, {"states": 2, "iterations": 0}):
        with pytest.raises(InputError, match=r"1 or more|1 to 100"):
            release(counts, ops, **bad)


FEW = Conditionals(
    np.array([[3, 0, 1, 3], [1, 2, 2, 1], [0, 4, 0, 4]]), 3, [0, 2, 4], 2, Fraction(1), Fraction(1),
    Fraction(0.7), [Fraction(1, 50), Fraction(1, 20)],
)  # fmt: skip


def test_states_and_theta_do_not_depend_on_the_precision_that_was_begun_with():
    seen = []
    for precision in PRECISIONS:
        tape = Tape(FrozenBits(5), precision)
        state = FEW.first(tape)
        for _ in range(25):
            state, theta = tape.draw(FEW.iteration(state, 60))
        seen.append((state.tolist(), theta))
    assert seen.count(seen[0]) == len(PRECISIONS)
