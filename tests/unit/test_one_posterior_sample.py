"""OPS against mpmath quadrature: its law, its price for every pair, the spec's worked example, and what it refuses."""

import math
from itertools import product

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf

from dpsampling.errors import InputError
from dpsampling.mechanisms import one_posterior_sample
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample, local_epsilon
from dpsampling.mechanisms.tempering import cost, sensitivity, temperature
from dpsampling.numerics.truncated_beta import LogitBeta
from dpsampling.privacy.accounting import repeat
from dpsampling.privacy.guarantee import Pure

FAMILY, UNIFORM = BetaBernoulli(), (1.0, 2.0)


def log_integral(x, y, a0):
    """ln ∫ p^x (1−p)^y dp over [a₀, 1−a₀], for any real x and y."""
    end = mpmath.log((1 - a0) / a0)
    peak = max(min(mpmath.log((x + 1) / (y + 1)), end), -end) if x > -1 and y > -1 else end * (1 if x > y else -1)
    breaks = sorted({-end, end, *(peak + k * mpf(2) ** j for j in range(-16, 3) for k in (-1, 1))})
    breaks = [t for t in breaks if -end <= t <= end]
    top = -(x + 1) * mpmath.log1p(mpmath.exp(-peak)) - (y + 1) * mpmath.log1p(mpmath.exp(peak))

    def density(t):
        return mpmath.exp(-(x + 1) * mpmath.log1p(mpmath.exp(-t)) - (y + 1) * mpmath.log1p(mpmath.exp(t)) - top)

    return top + mpmath.log(mpmath.quad(density, breaks))


def exact_renyi(prior, n, t, a0, s_p, s_q, order):
    """[ln ∫ p^λ q^{1−λ}]/(λ−1), by quadrature at 30 digits."""
    with mp.workdps(30):
        a0, t, order = mpf(a0), mpf(t), mpf(order)

        def exponents(s):
            return (s + mpf(prior[0]) - 1) / t, (n - s + mpf(prior[1]) - mpf(prior[0]) - 1) / t

        p, q = exponents(s_p), exponents(s_q)
        mixed = [order * x + (1 - order) * y for x, y in zip(p, q, strict=True)]
        i_p, i_q, i_mixed = (log_integral(*x, a0) for x in (p, q, mixed))
        return (i_mixed - order * i_p + (order - 1) * i_q) / (order - 1)


def test_density_is_the_tempered_posterior_in_p():
    """[prior · likelihood]^{1/T} dp, normalized over the window."""
    mechanism = OnePosteriorSample(FAMILY, (2.5, 4.0), 20, 0.2, 3.0)
    p = np.linspace(0.2, 0.8, 40_001)
    unnormalized = (p**1.5 * (1 - p) ** 0.5 * p**6 * (1 - p) ** 14) ** (1 / 3.0)
    unnormalized /= np.sum((unnormalized[1:] + unnormalized[:-1]) / 2) * (p[1] - p[0])
    theta = np.log(p / (1 - p))
    inside = slice(1, -1)  # the ends may round to just outside
    density = np.exp(mechanism.log_density(theta[inside], 6)) / (p * (1 - p))[inside]
    assert density == pytest.approx(unnormalized[inside], rel=1e-8)
    assert np.all(np.isneginf(mechanism.log_density([-1.5, 1.5], 6)))


def test_temperature_one_is_the_truncated_posterior():
    law = OnePosteriorSample(FAMILY, (6.0, 18.0), 100, 0.05).law(32)
    assert (float(law.a), float(law.b)) == (38.0, 80.0)


def test_the_figures_temperature():
    """T = 2 ln 4 at a₀ = .2, ε = 1."""
    mechanism = OnePosteriorSample.calibrate(FAMILY, UNIFORM, 20, 0.2, epsilon=1.0)
    assert mechanism.temperature == pytest.approx(2 * math.log(4), rel=1e-11)


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 0.3, 1.0, 2.5, 100.0])
@pytest.mark.parametrize("a0", [1e-12, 0.0077, 0.05, 0.2, 0.4999999])
def test_guarantee_is_the_asked_one_or_that_of_the_posterior(a0, epsilon):
    delta = math.log((1 - a0) / a0)
    for mechanism, bound in (
        (OnePosteriorSample.calibrate(FAMILY, UNIFORM, 20, a0, epsilon=epsilon), delta),
        (OneCategoricalSample.calibrate([1.0, 1.0], a0, epsilon=epsilon), delta),
        (OneCategoricalSample.calibrate([1.0] * 4, a0 / 2, epsilon=epsilon), math.log((1 - 1.5 * a0) / (a0 / 2))),
    ):
        assert isinstance(mechanism.guarantee, Pure)
        assert mechanism.guarantee.epsilon <= epsilon
        assert mechanism.guarantee.epsilon == pytest.approx(min(epsilon, 2 * bound), rel=1e-9)
        assert mechanism.temperature >= 1
        with mp.workdps(30):  # at least the true cost of the temperature, and no more than rounding above it
            least, others = mpf(mechanism.truncation), np.size(mechanism.prior) - 1
            true = 2 * mpmath.log((1 - others * least) / least) / mpf(mechanism.temperature)
            assert true <= mechanism.guarantee.epsilon <= true * (1 + mpf("1e-11"))


def test_q_draws_cost_q_epsilon():
    assert repeat(OnePosteriorSample.calibrate(FAMILY, UNIFORM, 20, 0.2, epsilon=0.25).guarantee, 4).epsilon <= 1.0
    assert repeat(OnePosteriorSample(FAMILY, UNIFORM, 20, 0.2).guarantee, 3).epsilon == pytest.approx(6 * math.log(4))


def test_no_pair_and_no_theta_exceeds_the_guarantee():
    for n, a0, epsilon in [(1, 0.2, 0.5), (12, 0.1, 1.0), (60, 0.3, 4.0)]:
        mechanism = OnePosteriorSample.calibrate(FAMILY, (2.0, 5.0), n, a0, epsilon=epsilon)
        theta = np.linspace(*mechanism.support, 101)
        density = np.array([mechanism.log_density(theta, s) for s in range(n + 1)])
        worst = float(np.max(np.abs(np.diff(density, axis=0))))
        assert worst <= mechanism.guarantee.epsilon
        assert float(mechanism.divergence(math.inf)) == pytest.approx(worst, rel=1e-9)


def test_dirichlet_sensitivity_by_enumeration():
    """ln θ_i/θ_j is largest with all but one outcome at a₀."""
    a0, k = 0.03, 4
    corners = [np.where(np.arange(k) == i, 1 - (k - 1) * a0, a0) for i in range(k)]
    worst = max(math.log(c[i] / c[j]) for c in corners for i, j in product(range(k), repeat=2))
    assert sensitivity(a0, k) == pytest.approx(worst, rel=1e-11)
    assert cost(sensitivity(a0, k)) >= 2 * worst
    assert sensitivity(a0, k) < math.log((1 - a0) / a0)  # what 1 − a₀ in place of 1 − (K−1)a₀ would give


SETTINGS = [(UNIFORM, 20, 2.77, 0.2), ((6.0, 18.0), 100, 1.0, 0.05), ((0.5, 1.5), 5, 40.0, 1e-3)]


@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 10.0, 300.0, 1e4])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_renyi_divergence_of_pairs(setting, order):
    prior, n, t, a0 = setting
    mechanism = OnePosteriorSample(FAMILY, prior, n, a0, t)
    for s_p, s_q in [(0, 1), (n // 2, n // 2 + 1), (n, n - 1)]:
        exact = exact_renyi(prior, n, t, a0, s_p, s_q, order)
        assert float(mechanism.pair_divergence(s_p, s_q, order)) == pytest.approx(float(exact), rel=3e-10)
        assert float(mechanism.renyi_guarantee.epsilon(order)) >= exact


def test_worst_pair_is_not_at_the_ends():
    """n = 20, T = 2.77, a₀ = .2, λ = 2: the ends give .0199 and the middle .0471, so Theorem 10 does not carry over."""
    mechanism = OnePosteriorSample(FAMILY, UNIFORM, 20, 0.2, 2.77)
    ends = mechanism.pair_divergence([0, 1, 19, 20], [1, 0, 20, 19], 2.0)
    pairs = [(s, u) for s in range(21) for u in (s - 1, s + 1) if 0 <= u <= 20]
    every = {pair: float(mechanism.pair_divergence(*pair, 2.0)) for pair in pairs}
    (s_p, _), (s_q, _) = mechanism.worst_pair(2.0)
    assert round(float(ends.max()), 4) == 0.0199
    assert round(float(mechanism.divergence(2.0)), 4) == 0.0471
    assert {s_p, s_q} in ({9.0, 10.0}, {10.0, 11.0})
    assert every[s_p, s_q] == pytest.approx(max(every.values()), rel=1e-12)


def test_renyi_curve_lies_below_that_of_bounded_range():
    """ln P/Q ranges over an interval of length 2Δ/T = ε, so R_λ ≤ λε²/8."""
    mechanism = OnePosteriorSample.calibrate(FAMILY, UNIFORM, 20, 0.2, epsilon=1.0)
    orders = np.geomspace(1.01, 1e4, 12)
    levels = mechanism.divergence(orders)
    assert np.all(np.diff(levels) > 0)
    assert np.all(levels <= orders / 8)
    assert np.all(levels <= float(mechanism.divergence(math.inf)))
    assert float(mechanism.divergence(1e9)) == pytest.approx(float(mechanism.divergence(math.inf)), rel=1e-6)


def test_chunks_do_not_matter(monkeypatch):
    mechanism = OnePosteriorSample(FAMILY, (3.0, 5.0), 23, 0.1, 2.0)
    whole = mechanism.divergence([1.5, 8.0]), mechanism.worst_pair(8.0)
    monkeypatch.setattr("dpsampling.mechanisms.one_posterior_sample.CHUNK", 4)
    assert mechanism.divergence([1.5, 8.0]) == pytest.approx(whole[0], rel=1e-13)
    assert mechanism.worst_pair(8.0)[0].tolist() == whole[1][0].tolist()


def test_cumulants_meet_where_their_two_forms_do():
    law = LogitBeta(np.full(2, 40.0), np.full(2, 12.0), -1.0, 2.0)
    spread = 0.28
    for tilt in (0.2499 / spread, 0.26 / spread, 0.3 / spread):
        _, (value,) = one_posterior_sample.centred_cumulants(law, [np.array([tilt, -tilt])])
        for sign, k in zip((1, -1), value, strict=True):
            y, weights = law.nodes_and_weights(law.left, law.right)
            mass = weights[:, 0] * np.exp(law.rise(y)[:, 0])
            mass /= mass.sum()
            mean = np.sum(mass * y[:, 0])
            assert k == pytest.approx(math.log(np.sum(mass * np.exp(sign * tilt * (y[:, 0] - mean)))), rel=1e-9)


def test_local_epsilon_by_grid_search():
    """The supplement's way: a grid over p, and every x, x′."""
    p = np.linspace(0.1, 0.9, 4001)
    for successes, failures in [(3, 2), (7, 0), (0, 1)]:
        n = successes + failures

        def log_law(s, n=n):
            values = s * np.log(p) + (n - s) * np.log1p(-p)
            density = np.exp(values)
            return values - math.log(np.sum((density[1:] + density[:-1]) / 2) * (p[1] - p[0]))

        grid = max(
            float(np.max(np.abs(log_law(successes) - log_law(other))))
            for other in (successes - 1, successes + 1)
            if 0 <= other <= n
        )
        exact = local_epsilon(successes, failures, 0.1)
        assert float(exact.epsilon) == pytest.approx(grid, rel=1e-6)
        assert exact.worst_case == pytest.approx(2 * math.log(9), rel=1e-11)


def test_the_adversary_approaches_the_worst_case_and_ties_at_every_step():
    curves = []
    for favourite in (0, 1):
        counts, curve = [0, 0], []
        for _ in range(60):
            options = [[counts[0] + 1 - i, counts[1] + i] for i in (0, 1)]
            levels = [float(local_epsilon(*option, 0.1).epsilon) for option in options]
            assert levels[0] == pytest.approx(levels[1], rel=1e-12)
            counts, level = options[favourite], max(levels)
            curve.append(level)
        curves.append(curve)
    assert curves[0] == pytest.approx(curves[1], rel=1e-12)
    worst = local_epsilon(1, 0, 0.1).worst_case
    assert np.all(np.diff(curves[0]) > 0)
    assert 0.96 * worst < curves[0][-1] < worst
    assert local_epsilon(0, 0, 0.1).epsilon == 0


def test_tempering_divides_the_local_epsilon_of_the_same_window():
    exact = local_epsilon(5000, 0, 0.1, t=5.0)
    assert float(exact.epsilon) == pytest.approx(exact.worst_case, rel=1e-2)
    assert exact.worst_case == pytest.approx(2 * math.log(9) / 5, rel=1e-11)


def test_releases_have_the_shapes_of_their_statistics():
    mechanism = OnePosteriorSample.calibrate(FAMILY, UNIFORM, 20, 0.2, epsilon=1.0)
    rng = np.random.default_rng(1)
    assert mechanism.simulate(6, rng).shape == ()
    assert mechanism.simulate([6, 7], rng).shape == (2,)
    assert mechanism.simulate([6, 7], rng, 5).shape == (5, 2)
    p = mechanism.simulate_probability(6, rng, 1000)
    assert np.all((p >= 0.2) & (p <= 0.8))
    assert np.all(np.isfinite(mechanism.log_density(mechanism.simulate(20, rng, 1000), 20)))


def test_categorical_parameters_and_density():
    mechanism = OneCategoricalSample([0.5, 2.0, 1.0], 0.1, 4.0)
    assert mechanism.output_parameter([3, 0, 10]).tolist() == [2.5 / 4 + 1, 1 / 4 + 1, 10 / 4 + 1]
    draws = mechanism.simulate([3, 0, 10], np.random.default_rng(1), 20)
    assert draws.theta.shape == (20, 3)
    assert np.all(draws.theta >= 0.1)
    a, b = np.array([0.2, 0.3, 0.5]), np.array([0.1, 0.1, 0.8])
    ratio = np.diff(mechanism.log_density([a, b], [3, 0, 10]))[0]
    assert ratio == pytest.approx(np.sum((np.array([2.5, 1, 10]) / 4) * np.log(b / a)), rel=1e-12)
    assert mechanism.log_density([0.05, 0.45, 0.5], [3, 0, 10]) == -math.inf


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_bad_epsilon_is_refused(epsilon):
    with pytest.raises(InputError, match="epsilon"):
        OnePosteriorSample.calibrate(FAMILY, UNIFORM, 20, 0.2, epsilon=epsilon)
    with pytest.raises(InputError, match="epsilon"):
        OneCategoricalSample.calibrate([1.0, 1.0], 0.2, epsilon=epsilon)


def test_no_truncation_is_refused_with_the_remedy():
    for build in (
        lambda: OnePosteriorSample(FAMILY, UNIFORM, 20, 0.0),
        lambda: OneCategoricalSample.calibrate([1.0, 1.0], 0.0, epsilon=1.0),
        lambda: local_epsilon(1, 1, 0.0),
    ):
        with pytest.raises(InputError, match="truncate the probabilities"):
            build()


def test_other_bad_input_is_refused():
    for a0 in (-0.1, 0.5, math.nan):
        with pytest.raises(InputError, match=r"below 0\.5"):
            OnePosteriorSample(FAMILY, UNIFORM, 20, a0)
    with pytest.raises(InputError, match=r"below 0\.25"):
        OneCategoricalSample([1.0] * 4, 0.25)
    for t in (0.5, math.inf, math.nan):
        with pytest.raises(InputError, match="temperature"):
            OnePosteriorSample(FAMILY, UNIFORM, 20, 0.2, t)
    mechanism = OnePosteriorSample(FAMILY, UNIFORM, 20, 0.2)
    for s in (-1, 21, math.nan, math.inf):
        with pytest.raises(InputError, match="successes"):
            mechanism.simulate(s, np.random.default_rng(1))
    for counts in ([-1, 2], [math.nan, 1], [math.inf, 1]):
        with pytest.raises(InputError, match="a count is"):
            OneCategoricalSample([1.0, 1.0], 0.1).simulate(counts, np.random.default_rng(1))
        with pytest.raises(InputError, match="a count is"):
            local_epsilon(*counts, 0.1)
    with pytest.raises(InputError, match="one count each"):
        OneCategoricalSample([1.0, 1.0], 0.1).output_parameter([1, 2, 3])
    with pytest.raises(InputError, match="prior"):
        OneCategoricalSample([1.0, 0.0], 0.1)
    with pytest.raises(InputError, match="order"):
        mechanism.divergence(1.0)
    with pytest.raises(InputError, match="temperature"):
        OnePosteriorSample.calibrate(FAMILY, UNIFORM, 20, 0.2, epsilon=1e-320)
    assert temperature(2.0, 100.0) == 1.0
