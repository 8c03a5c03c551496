"""Costs of Markov chains against kernels that are computed in full on small grids."""

import itertools
import math

import numpy as np
import pytest

import reference
from dpsampling.errors import InputError
from dpsampling.mechanisms import markov_chains as chains
from dpsampling.privacy.guarantee import Approximate, Pure

LN9 = math.log(9)


def least_delta(p, q, epsilon):
    """max over events of P(S) − e^ε Q(S)."""
    return float(np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)))


# -- Gibbs ---------------------------------------------------------------------------------------------------------


def conditional(x, temperature):
    """Pr(θ_l | x_l) ∝ Pr(x_l | θ_l)^{1/T} for θ_l, x_l ∈ {0, 1} and Pr(x = θ) = .9: Δ = ln 9."""
    weights = np.array([0.9 if x == theta else 0.1 for theta in (0, 1)]) ** (1 / temperature)
    return weights / weights.sum()


def scan(records, subset, temperature=1.0):
    """The law of θ after the variables in `subset` were updated from θ = 0."""
    law = {}
    for theta in itertools.product((0, 1), repeat=len(records)):
        steps = [conditional(x, temperature)[value] for x, value in zip(records, theta, strict=True)]
        fixed = [float(value == 0) for value in theta]
        law[theta] = math.prod(steps[i] if i in subset else fixed[i] for i in range(len(records)))
    return np.array(list(law.values()))


def random_scan(records, sampled, temperature=1.0):
    subsets = list(itertools.combinations(range(len(records)), sampled))
    return sum(scan(records, subset, temperature) for subset in subsets) / len(subsets)


@pytest.mark.parametrize("temperature", [1.0, 3.0])
def test_sequential_scan_of_own_records_costs_one_update(temperature):
    assert chains.gibbs_scan(LN9, 3, temperature, own_records=True).epsilon == pytest.approx(2 * LN9 / temperature)
    p, q = (scan(records, range(3), temperature) for records in ((1, 0, 1), (0, 0, 1)))
    # The conditional's constant is the same for both x: this model reaches Δ/T, half of the bound.
    assert np.max(np.abs(np.log(p / q))) == pytest.approx(LN9 / temperature)


@pytest.mark.parametrize(("records", "sampled"), [(5, 1), (8, 1), (8, 2)])
def test_random_scan_of_own_records_is_not_amplified(records, sampled):
    """θ₁ can only have moved if record 1 was sampled: Q/N cancels from the ratio of this event."""
    p, q = random_scan((1,) + (0,) * (records - 1), sampled), random_scan((0,) * records, sampled)
    reachable = p > 0
    loss = float(np.max(np.log(p[reachable] / q[reachable])))
    assert loss == pytest.approx(LN9)
    assert loss <= chains.gibbs_random_scan(LN9).epsilon
    if sampled / records < 0.15:
        assert loss > chains.amplified(LN9, sampled, records).epsilon
    # At the level of amplification there is a δ, of the order of Q/N.
    level = chains.amplified(2 * LN9, 1, 100).epsilon
    assert least_delta(p, q, level) == pytest.approx(sampled / records * (0.9 - 0.1 * math.exp(level)), rel=1e-9)


def test_random_scan_at_one_in_a_hundred_costs_ln_9_and_not_588_or_088():
    # One variable of 100: Pr(θ₁ = 1) is .01·.9 or .01·.1, whatever the others do.
    loss = math.log((0.01 * 0.9) / (0.01 * 0.1))
    assert loss == pytest.approx(2.197, abs=5e-4)
    assert chains.amplified(2 * LN9, 1, 100).epsilon == pytest.approx(0.588, abs=5e-4)
    printed = 4 * LN9 * 0.01
    assert printed == pytest.approx(0.088, abs=5e-4)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 1.2564, 4.4, 29.9, 30.1, 800.0])
@pytest.mark.parametrize(("sampled", "records"), [(1, 4), (3, 4), (4, 4)])
def test_a_secret_sample_is_amplified(epsilon, sampled, records):
    """Randomized response on one record of the sample: enumerated, and attained as it changes record 1 only."""
    fraction = sampled / records
    level = chains.amplified(epsilon, sampled, records).epsilon
    expected = reference.mpmath.log(1 + fraction * reference.mpmath.expm1(epsilon))
    assert reference.relative_error(level, expected) < 1e-11
    # The update outputs 1 more often if record 1 is in the sample: laws (q e^ε + 1 − q)c against c.
    p, q = fraction / 2 + (1 - fraction) * math.exp(-epsilon) / 2, math.exp(-epsilon) / 2
    if q > 0:
        assert math.log(p / q) == pytest.approx(level, rel=1e-9)


def test_doubling_holds_to_1_2564_and_no_further():
    x = chains.DOUBLING
    assert math.expm1(x) == pytest.approx(2 * x, rel=1e-15)
    for epsilon in (0.01, 0.5, x * (1 - 1e-9)):
        for sampled in (1, 10, 10**6):
            assert 2 * epsilon * sampled / 10**6 >= chains.amplified(epsilon, sampled, 10**6).epsilon
    beyond = 1.26
    assert 2 * beyond * 1e-6 < chains.amplified(beyond, 1, 10**6).epsilon


# -- Theorem C.1 ---------------------------------------------------------------------------------------------------


def kernel(log_target, proposal):
    """The Metropolis kernel on a grid: moves off the diagonal (accepted), and the rejection probability of each row."""
    accept = np.exp(np.minimum(0.0, log_target[np.newaxis, :] - log_target[:, np.newaxis]))
    return proposal * accept, np.sum(proposal * (1 - accept), axis=1)


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 2 * math.log(4)])
@pytest.mark.parametrize("n", [1, 4, 30])
def test_metropolis_is_private_as_theorem_c1_says(epsilon, n):
    """Every row, every neighbouring pair, every event of {(accept, θ′)} ∪ {reject}, symmetric random proposals."""
    a0 = 0.2
    grid = np.linspace(a0, 1 - a0, 9)
    temperature = 2 * math.log((1 - a0) / a0) / epsilon
    proposal = np.random.default_rng(1).dirichlet(np.full(81, 0.3)).reshape(9, 9)
    proposal = (proposal + proposal.T) / 2
    proposal /= proposal.sum(axis=1).max() * 1.0000001
    proposal += np.diag(1 - proposal.sum(axis=1))
    worst_accept = 0.0
    for k in range(n):
        for here, there in ((k, k + 1), (k + 1, k)):
            scores = ((s * np.log(grid) + (n - s) * np.log(1 - grid)) / temperature for s in (here, there))
            (moves_p, reject_p), (moves_q, reject_q) = (kernel(score, proposal) for score in scores)
            for row in range(9):
                p, q = np.append(moves_p[row], reject_p[row]), np.append(moves_q[row], reject_q[row])
                assert least_delta(p, q, epsilon) <= reject_p[row] + 1e-15
                assert least_delta(moves_p[row], moves_q[row], epsilon) <= 1e-12  # accepted moves are purely ε
                # Events on θ′ alone merge a rejection with a proposal to stay: they tell less.
                merged_p, merged_q = p[:9].copy(), q[:9].copy()
                merged_p[row] += p[9]
                merged_q[row] += q[9]
                assert least_delta(merged_p, merged_q, epsilon) <= reject_p[row] + 1e-15
                seen = moves_p[row] > 1e-300
                worst_accept = max(worst_accept, np.max(np.log(moves_p[row][seen] / moves_q[row][seen])))
    # ε is attained by some accepted move, so a temperature of Δ/ε (a planted bug) would break it.
    if n > 1:
        assert 0.5 * epsilon < worst_accept <= epsilon * (1 + 1e-9)


def test_rejections_alone_are_not_private():
    # Uphill everywhere for one data set, downhill for its neighbour: 0 against more than 0.
    grid = np.array([0.2, 0.4, 0.6, 0.8])
    proposal = np.full((4, 4), 0.25)
    _, reject_p = kernel(np.log(grid), proposal)
    _, reject_q = kernel(np.log(1 - grid), proposal)
    assert reject_p[0] == 0
    assert reject_q[0] > 0.3


@pytest.mark.parametrize(("n", "half_width"), [(1, 0.8), (20, 0.05), (100, 0.01), (1000, 0.3)])
def test_rejection_is_bounded_at_every_point_and_for_all_data(n, half_width):
    chain = chains.MetropolisChain((1.0, 2.0), n, 0.1, 1.5, half_width)
    reject = [chain.rejection(p, s) for p in np.linspace(0.1, 0.9, 17) for s in {0, n // 3, n - 1, n}]
    assert 0 <= min(reject) <= max(reject) <= chain.rejection_bound <= 1
    if n * half_width <= 1:
        assert max(reject) > 0.2 * chain.rejection_bound


@pytest.mark.parametrize("half_width", [0.05, 0.3, 0.8])
def test_rejection_is_that_of_adaptive_quadrature(half_width):
    chain = chains.MetropolisChain((2.0, 5.0), 40, 0.1, 2.0, half_width)
    for p, s in ((0.1, 3), (0.2, 10), (0.5, 30), (0.9, 0), (0.6, 40)):
        first, second = (1 + s) / chain.temperature, (2 + 40 - s) / chain.temperature

        def loss(z, p=p, first=first, second=second):
            to = p + z
            to = 0.2 - to if to < 0.1 else 1.8 - to if to > 0.9 else to
            return 1 - math.exp(min(0.0, first * math.log(to / p) + second * math.log((1 - to) / (1 - p))))

        breaks = [*np.linspace(-half_width, half_width, 41), *(x - p for x in (0.1, 0.9) if abs(x - p) < half_width), 0]
        expected = reference.adaptive(loss, [float(b) for b in breaks]) / (2 * half_width)
        assert chain.rejection(p, s) == pytest.approx(expected, abs=1e-7)


def test_chain_composes_its_steps():
    chain = chains.MetropolisChain((1.0, 2.0), 10, 0.1, 0.5, 0.001, 7)
    one = chains.MetropolisChain((1.0, 2.0), 10, 0.1, 0.5, 0.001)
    assert isinstance(chain.guarantee, Approximate)
    assert chain.guarantee.epsilon == pytest.approx(3.5)
    assert chain.guarantee.delta == pytest.approx(7 * one.rejection_bound)
    hot = chains.MetropolisChain((1.0, 2.0), 10, 0.1, 100.0, 0.001)
    assert hot.temperature == 1
    assert hot.guarantee.epsilon == pytest.approx(2 * LN9)


@pytest.mark.parametrize("delta", [1e-9, 1e-3, 0.9])
def test_calibrated_chain_keeps_its_budget(delta):
    chain = chains.MetropolisChain.calibrate((1.0, 2.0), 100, 0.1, epsilon=1.0, delta=delta, steps=10)
    assert chain.guarantee.epsilon <= 1
    assert delta * (1 - 1e-6) <= chain.guarantee.delta <= delta
    # The price of a small δ: steps so short that the chain stays where it began.
    assert chain.half_width < 20 * delta


def test_the_window_s_ends_keep_the_promise():
    """ℓ(a₀) − ℓ(high) moves by the ln odds of the ends, over T, when a record is replaced; 2Δ/T is promised."""
    chain = chains.MetropolisChain((1, 2), 3, 1.2e-16, 100.0, 1 - 2 * 1.2e-16)
    end = chain.simulate(3, np.random.default_rng(1), 1, start=1 - 1.2e-16).states[0, 0]
    change = [float(chain.log_target(chain.a0, s) - chain.log_target(end, s)) for s in (2.0, 3.0)]
    assert change[0] - change[1] <= chain.guarantee.epsilon
    for a0 in (2.0**-53, 1.2e-16, 1e-12, *np.exp(np.random.default_rng(3).uniform(-36.7, -0.7, 200)).tolist()):
        for epsilon in (0.3, 1e3):
            chain = chains.MetropolisChain((1, 2), 3, a0, epsilon, 0.5 - a0)
            with reference.mpmath.workdps(50):
                low, high = map(reference.mpmath.mpf, chain.window)
                odds = reference.mpmath.log(high / (1 - high)) - reference.mpmath.log(low / (1 - low))
                assert odds / chain.temperature <= chain.guarantee.epsilon


@pytest.mark.parametrize("a0", [2.0**-53, 1.2e-16, 0.1, 0.4, math.nextafter(0.5, 0.0)])
def test_chains_and_samples_stay_in_the_window(a0):
    chain = chains.MetropolisChain((1, 2), 3, a0, 5.0, 1.0 - 2.0 * a0, 40)
    low, high = chain.window
    states = chain.simulate(3, np.random.default_rng(4), 200, start=1.0 - a0).states
    assert low <= states.min() <= states.max() <= high
    path = tuple(chains.tempering.sensitivity(a0) / cut for cut in (1.0, 100.0))
    sampler = chains.AnnealedImportanceSampler((1, 2), 1000, a0, path, 500, 1.0)
    samples, log_weights = sampler.anneal(1000, np.random.default_rng(5))
    assert low <= samples.min() <= samples.max() <= high
    assert np.all(np.isfinite(log_weights))


# -- annealing -----------------------------------------------------------------------------------------------------


def test_annealing_costs_the_temperatures_it_draws_at():
    path = (2.0, 1.0, 0.5, 0.25)
    assert chains.annealing_cost(path).epsilon == 1.75
    assert chains.annealing_cost(path, 4).epsilon == 7.0
    assert chains.annealing_cost(path, 4, own_records=True).epsilon == 1.75
    sampler = chains.AnnealedImportanceSampler((1.0, 2.0), 20, 0.1, path, 10, 0.5)
    assert isinstance(sampler.guarantee, Pure)
    assert sampler.guarantee.epsilon == 18.0


def test_each_annealed_draw_costs_its_epsilon():
    """sup |ln f_j(p; k)/f_j(p; k+1)| with both constants is ε_j at most, and more than half of it for some data."""
    a0, n, path = 0.1, 60, (2 * LN9, 1.0)
    p = np.linspace(a0, 1 - a0, 20_001)
    for epsilon in path:
        beta, worst = epsilon / (2 * LN9), 0.0
        for k in (0, 30, n - 1):
            laws = []
            for s in (k, k + 1):
                log_f = beta * (s * np.log(p) + (n - s) * np.log1p(-p))
                laws.append(log_f - np.log(np.sum(np.exp(log_f - log_f.max()))) - log_f.max())
            worst = max(worst, np.max(np.abs(laws[0] - laws[1])))
        assert 0.5 * epsilon < worst <= epsilon


def test_released_weights_are_a_law():
    sampler = chains.AnnealedImportanceSampler((1.0, 2.0), 20, 0.1, (2.0, 1.0), 50, 1.0)
    samples, weights = sampler.simulate(6, np.random.default_rng(1))
    assert weights.sum() == pytest.approx(1)
    assert weights.min() >= 0
    assert samples.min() >= 0.1
    assert samples.max() <= 0.9


# -- the table -----------------------------------------------------------------------------------------------------


def test_costs_table():
    rows = chains.costs_table(0.1, 100, epsilon=2 * LN9, sampled=1, half_width=1e-6, steps=10, path=(2 * LN9, 1.0, 0.5))
    cost = {row["method"]: row for row in rows}
    assert set(rows[0]) == {"method", "parameters", "epsilon", "delta", "condition"}
    assert cost["Gibbs update"]["epsilon"] == pytest.approx(4.394, abs=5e-4)
    assert cost["Gibbs sequential scan, sum"]["epsilon"] == pytest.approx(439.4, abs=0.05)
    assert cost["Gibbs random scan"]["epsilon"] == cost["Gibbs update"]["epsilon"]
    assert cost["random sample of records, as printed"]["epsilon"] == pytest.approx(0.088, abs=5e-4)
    assert "not met" in cost["random sample of records, as printed"]["condition"]
    assert cost["random sample of records"]["epsilon"] == pytest.approx(0.588, abs=5e-4)
    assert 0 < cost["Metropolis step"]["delta"] < cost["Metropolis chain"]["delta"] < 1
    assert cost["annealed sample, sum"]["epsilon"] == pytest.approx(150)


MOVE = {"prior": (1.0, 2.0), "n": 10, "a0": 0.1, "epsilon": 1.0, "half_width": 0.1}
ANNEAL = {"prior": (1.0, 2.0), "n": 10, "a0": 0.1, "path": (1.0, 0.5), "samples": 5, "weights_epsilon": 1.0}


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: chains.gibbs_update(0.0), "sensitivity is 0"),
        (lambda: chains.gibbs_update(math.inf), "truncate"),
        (lambda: chains.gibbs_update(1.0, 0.5), "temperature is 0.5"),
        (lambda: chains.gibbs_scan(1.0, 0, own_records=False), "variables is 0"),
        (lambda: chains.amplified(-1.0, 1, 2), "epsilon is -1"),
        (lambda: chains.amplified(1.0, 3, 2), "sampled is 3"),
        (lambda: chains.MetropolisChain(**MOVE | {"a0": 0.0}), "truncation is 0"),
        (lambda: chains.MetropolisChain(**MOVE | {"epsilon": math.nan}), "epsilon is nan"),
        (lambda: chains.MetropolisChain(**MOVE | {"half_width": 0.81}), "half_width is 0.81"),
        (lambda: chains.MetropolisChain(**MOVE | {"prior": (0.5, 2.0)}), "α ≥ 1"),
        (lambda: chains.MetropolisChain(**MOVE).simulate(5, np.random.default_rng(1), start=0.05), "start is 0.05"),
        (lambda: chains.MetropolisChain(**MOVE).simulate(11, np.random.default_rng(1)), "successes is 11"),
        (lambda: chains.MetropolisChain.calibrate((1, 2), 9, 0.1, epsilon=1.0, delta=0.0), "delta is 0"),
        (lambda: chains.AnnealedImportanceSampler(**ANNEAL | {"path": (0.5, 1.0)}), "path is"),
        (lambda: chains.AnnealedImportanceSampler(**ANNEAL | {"path": (9.0, 1.0)}), "T < 1"),
        (lambda: chains.AnnealedImportanceSampler(**ANNEAL | {"weights_epsilon": 0.0}), "epsilon is 0"),
        (lambda: chains.AnnealedImportanceSampler(**ANNEAL | {"samples": 0}), "samples is 0"),
        (lambda: chains.simulate_weights([0.5, 0.6], 1.0, np.random.default_rng(1)), "weights must"),
    ],
)
def test_what_promises_nothing_is_refused(call, says):
    with pytest.raises(InputError, match=says):
        call()
