r"""Exact draws of truncated laws and of what is made of them: the same numbers at every precision, and their laws.

A law is told from a planted wrong one as in telling_apart, with draws whose bits are functions of fixed seeds. The
references are Gauss-Legendre integrals of the densities as written, incomplete Beta and Gamma functions, and ordinary
rejection. That numbers are the same at every precision is looked at in test_exact_laws.
"""

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from flint import arb
from scipy.special import betainc, expit, gammainc, logit

import telling_apart
from dpsampling.errors import InputError
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.markov_chains import AnnealedImportanceSampler, MetropolisChain, normalized
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.numerics.exact import truncated_dirichlet
from dpsampling.numerics.exact.draws import numbers
from dpsampling.numerics.exact.replay import FrozenBits
from dpsampling.numerics.exact.tape import Tape
from dpsampling.numerics.exact.truncated import GammaBeyond, TruncatedLogitBeta
from dpsampling.numerics.exact.truncated_dirichlet import TruncatedDirichlet
from telling_apart import allowed, assert_marginals, assert_told_apart, cumulated, distance_on_grid, marginal_cdf


def draws(law, size, seed=1, exponent=53):
    """`size` draws of a law, along the first axis."""
    rng = np.random.default_rng(seed)

    def source(place, known, more):
        del place, known
        return int.from_bytes(rng.bytes((more + 7) // 8), "little") >> (-more % 8)

    return numbers(law, size, exponent=exponent, source=source).floats


def sampler(law, look=lambda x: x, exponent=53):
    return lambda size, rng: look(draws(law, size, int(rng.integers(1 << 40)), exponent))


def attempted(program):
    """Attempts until one is accepted."""

    def until(tape):
        while (x := program(tape)) is None:
            pass
        return x

    return until


# -- truncated Beta and Gamma ------------------------------------------------------------------------------------------


def beta_cdf(a, b, grid):
    return cumulated(lambda theta: a * theta - (a + b) * np.logaddexp(0, theta), grid)


@pytest.mark.parametrize(
    ("right", "wrong"),  # shapes and ends
    [
        ((2.0, 3.0, 0.2, 0.8), (2.4, 3.0, 0.2, 0.8)),
        ((100.0, 300.0, 0.2, 0.9), (110.0, 300.0, 0.2, 0.9)),
        ((0.1, 0.3, 1e-12, 1 - 1e-12), (0.12, 0.3, 1e-12, 1 - 1e-12)),
        ((-3.0, 5.0, 0.01, 0.9), (-2.7, 5.0, 0.01, 0.9)),
        ((1e6, 1e6, 0.499, 0.501), (1.0002e6, 1e6, 0.499, 0.501)),
        ((40.0, -20.0, 0.6, 0.99), (40.0, -18.0, 0.6, 0.99)),
        ((1.0, 2e5, 0.0077, 0.009), (1.0, 2.2e5, 0.0077, 0.009)),
        ((9.0, 400.0, 0.2, 0.8), (9.0, 400.0, 0.22, 0.8)),
        ((0.6, 0.6, 0.3, 0.75), (0.6, 0.6, 0.3, 0.675)),
    ],
)
def test_truncated_logit_beta_has_its_shapes_and_ends_and_not_others(right, wrong):
    grid = np.linspace(logit(min(right[2], wrong[2])), logit(max(right[3], wrong[3])), 3000)

    def cdf(a, b, low, high):
        inside = np.unique(np.clip(grid, logit(low), logit(high)))
        return np.interp(grid, inside, beta_cdf(a, b, inside))

    laws = [TruncatedLogitBeta(*law) for law in (right, wrong)]
    assert_told_apart(*map(sampler, laws), cdf(*right), cdf(*wrong), grid, most=100_000)


@pytest.mark.parametrize(
    ("a", "b", "low", "high"), [(2.0, 3.0, 0.0, 0.4), (2.0, 50.0, 0.01, 1.0), (0.5, 0.5, 0.0, 1.0)]
)
def test_a_window_may_be_open(a, b, low, high):
    grid = np.linspace(-40, 40, 20_000)

    def cdf(shape):
        share = betainc(shape, b, np.clip(expit(grid), low, high))
        return (share - betainc(shape, b, low)) / (betainc(shape, b, high) - betainc(shape, b, low))

    laws = [TruncatedLogitBeta(shape, b, low, high) for shape in (a, 1.25 * a)]
    assert_told_apart(*map(sampler, laws), cdf(a), cdf(1.25 * a), grid, most=100_000)


@pytest.mark.parametrize(
    ("right", "wrong"),  # shape and floor
    [
        ((0.05, 1e-30), (0.057, 1e-30)),
        ((0.5, 1e-5), (0.56, 1e-5)),
        ((1.0, 2.0), (1.6, 2.0)),
        ((3.0, 0.1), (3.3, 0.1)),
        ((1e4, 5.0), (1.01e4, 5.0)),
        ((30.0, 45.0), (33.0, 45.0)),
        ((40.0, 60.0), (40.0, 66.0)),
        ((0.3, 2.0), (0.3, 2.2)),
    ],
)
def test_gamma_beyond_its_floor_has_its_shape_and_floor(right, wrong):
    shape, t = right
    grid = np.geomspace(t, t + 60 + shape + 20 * math.sqrt(shape), 4000)

    def cdf(a, floor):
        return (gammainc(a, np.maximum(grid, floor)) - gammainc(a, floor)) / (1 - gammainc(a, floor))

    laws = [sampler(GammaBeyond(*law), exponent=160) for law in (right, wrong)]
    assert_told_apart(*laws, cdf(*right), cdf(*wrong), grid, most=100_000)


def test_half_of_the_proposals_are_accepted_or_more():
    """Two uniforms a proposal where there is one line, three where there are more."""
    for law in ((2, 3, 0.2, 0.8), (1, 1, 1e-9, 0.5), (1e6, 0.1, 0, 0.9), (0.1, 0.1, 0, 1), (1e6, 1e6, 0, 1)):
        assert acceptance(TruncatedLogitBeta(*law)) > 0.6
    for shape, t in [(0.05, 0.01), (1e-6, 1e-9), (1e6, 10), (0.1, 1e-300), (3, 50), (2, 1e5)]:
        assert acceptance(GammaBeyond(shape, t)) > 0.6


def acceptance(law, size=400):
    asked = set()
    frozen = FrozenBits(2)
    tape = Tape(lambda place, known, more: asked.add(place) or frozen(place, known, more))
    for _ in range(size):
        tape.draw(law)
    return size * (3 if len(law._lines.slopes) > 1 else 2) / len(asked)


# -- truncated Dirichlet -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("alpha", "a0", "wrong"),
    [
        ((3.0, 2.0, 1.0), 0.1, (3.6, 2.0, 1.0)),
        ((0.5, 0.5, 0.5), 0.05, (0.7, 0.5, 0.5)),
        ((40.0, 8.0, 2.0), 0.15, (50.0, 8.0, 2.0)),
        ((0.2, 3.0, 12.0), 0.01, (0.2, 3.6, 12.0)),
    ],
)
def test_truncated_dirichlet_has_its_marginals_and_not_those_of_other_shapes(alpha, a0, wrong):
    grid = np.linspace(a0, 1 - 2 * a0, 2000)
    cdfs = [(marginal_cdf(alpha, a0, j, grid), marginal_cdf(wrong, a0, j, grid)) for j in range(3)]
    j = max(range(3), key=lambda j: np.max(np.abs(cdfs[j][0] - cdfs[j][1])))
    laws = [TruncatedDirichlet(shapes, a0) for shapes in (alpha, wrong)]
    assert_told_apart(*(sampler(law, lambda x: x[:, j]) for law in laws), *cdfs[j], grid, most=60_000)


def blocks(alpha, a0, rate, flat, large):
    shapes = [Fraction(a) for a in alpha]
    return attempted(truncated_dirichlet._Blocks(shapes, Fraction(a0), Fraction(rate), flat, large))


MIXED, A0, SIZE = (3.0, 0.7, 1.0), 0.08, 4000


@pytest.mark.parametrize(
    ("flat", "large", "rate"),
    [([], [0], 3.0), ([], [0], 9.0), ([2], [], 3.0), ([2], [0], 5.0), ([], [0, 2], 3.0), ([], [0, 1, 2], 1.0)],
)
def test_every_choice_of_blocks_and_rate_gives_the_same_law(flat, large, rate):
    assert_marginals(draws(blocks(MIXED, A0, rate, flat, large), SIZE), MIXED, A0)


@pytest.mark.parametrize(
    ("alpha", "a0", "rate"),
    [((0.5, 0.2, 0.8), 0.05, 1), ((0.5, 0.2, 0.8), 0.05, 4), ((0.1, 0.1, 0.9), 1e-3, 1), ((0.3, 0.9, 0.99), 0.3, 20)],
)
def test_any_pivot_gives_the_same_law_at_every_rate(alpha, a0, rate):
    assert_marginals(draws(attempted(any_pivot(alpha, a0, rate)), SIZE), alpha, a0)


def any_pivot(alpha, a0, rate):
    return truncated_dirichlet._AnyPivot([Fraction(a) for a in alpha], Fraction(a0), Fraction(rate))


def test_a_pivot_of_wrong_chances_or_a_forgotten_factor_is_caught(monkeypatch):
    alpha, a0 = (0.5, 0.2, 0.8), 0.05
    program = any_pivot(alpha, a0, 3)
    right = program._at
    monkeypatch.setattr(program, "_at", lambda precision: (right(precision)[0], [arb(w) for w in (1, 5, 1)]))
    with pytest.raises(AssertionError):
        assert_marginals(draws(attempted(program), SIZE), alpha, a0)
    wrong = truncated_dirichlet._Blocks([Fraction(a) for a in MIXED], Fraction(A0), Fraction(6), [], [0])
    wrong._excess += 1
    with pytest.raises(AssertionError):
        assert_marginals(draws(attempted(wrong), SIZE), MIXED, A0)


def test_ten_outcomes_agree_with_plain_rejection_and_other_shapes_do_not():
    """Samples of N and M are less than √(ln(4/α)/2)·(1/√N + 1/√M) apart, each within its part of the truth."""
    alpha, a0 = np.array([12.0, 1.5, 1.0, 3.0, 1.8, 2.0, 1.0, 9.0, 30.0, 1.2]), 0.004
    plain = np.random.default_rng(14).dirichlet(alpha, 300_000)
    plain = plain[np.all(plain >= a0, axis=1)][:100_000]
    views = [*(lambda x, j=j: x[:, j] for j in range(10)), lambda x: x.max(axis=1), lambda x: x.min(axis=1)]
    size = 4000
    threshold = allowed(size, 2 * len(views)) + allowed(len(plain), 2 * len(views))

    def apart(shapes):
        drawn = draws(TruncatedDirichlet(shapes, a0), size)
        return max(telling_apart.two_sample_distance(view(drawn), view(plain)) for view in views)

    assert apart(alpha) < threshold
    assert apart(alpha * np.where(np.arange(10) == 8, 1.1, 1.0)) > threshold


def test_draws_lie_above_the_floor_but_for_their_last_digit_and_sum_to_one():
    a0, k = 0.01, 6
    drawn = numbers(TruncatedDirichlet([0.5, 1, 1, 7, 2.5, 0.01], a0), 200, exponent=60, source=FrozenBits(3)).integers
    assert drawn.min() >= math.floor(Fraction(a0) * 2**60)
    assert all(2**60 - k < sum(row) <= 2**60 for row in drawn.tolist())


# -- mechanisms --------------------------------------------------------------------------------------------------------


def test_ops_has_its_temperature():
    a0, n, s, t = 0.05, 100, 32, 2.77
    grid = np.linspace(-logit(1 - a0), logit(1 - a0), 2000)

    def law(k):
        return OnePosteriorSample(BetaBernoulli(), (2.0, 5.0), n, a0, t * k).exact_law(s)

    def cdf(k):
        return beta_cdf((s + 1) / (t * k) + 1, (n - s + 2) / (t * k) + 1, grid)

    assert_told_apart(sampler(law(1.0)), sampler(law(1.25)), cdf(1.0), cdf(1.25), grid, most=100_000)


def test_categorical_ops_has_its_temperature():
    counts, prior, t, a0 = (30, 9, 3), (1.0, 1.0, 2.0), 4.0, 0.05
    grid = np.linspace(a0, 1 - 2 * a0, 1000)

    def law(k):
        return OneCategoricalSample(prior, a0, t * k).exact_law(counts)

    def cdf(k):
        return marginal_cdf([(n + a - 1) / (t * k) + 1 for n, a in zip(counts, prior, strict=True)], a0, 0, grid)

    cdfs = cdf(1.0), cdf(1.25)
    assert_told_apart(*(sampler(law(k), lambda x: x[:, 0]) for k in (1.0, 1.25)), *cdfs, grid, most=60_000)


def test_exponential_mechanism_has_its_epsilon():
    u = np.array([0.0, 4.0, 6.5, -1.0])

    def drawn(k):
        def indices(size, rng):
            tape, law = Tape(FrozenBits(int(rng.integers(1 << 40)))), ExponentialMechanism(1.0, 0.8 * k).exact_law(u)
            return np.array([tape.draw(law) for _ in range(size)])

        return indices

    def cdf(k):
        weights = np.exp(0.8 * k * u / 2)
        return np.cumsum(weights / weights.sum())

    assert_told_apart(drawn(1.0), drawn(1.1), cdf(1.0), cdf(1.1), np.arange(4), most=60_000)


@pytest.mark.parametrize(("colder", "wider"), [(1.3, 1.0), (1.0, 1.1)])
def test_a_metropolis_step_has_its_temperature_and_its_proposal(colder, wider):
    k, n, a0, w, start = 70, 100, 0.1, 0.15, 0.6
    grid = np.linspace(a0, 1 - a0, 4001)
    middle = (grid[1:] + grid[:-1]) / 2

    def chain(c, f):
        t = MetropolisChain((1.0, 2.0), n, a0, 1.0, w).temperature / c
        return MetropolisChain((1.0, 2.0), n, a0, 2 * math.log((1 - a0) / a0) / t, w * f)

    def cdf(c, f):
        of = chain(c, f)
        rise = of.log_target(middle, k) - of.log_target(start, k)
        moved = np.where(np.abs(middle - start) < w * f, np.exp(np.minimum(rise, 0)), 0) / (2 * w * f) * np.diff(grid)
        return np.append(0.0, np.cumsum(moved)) + (grid >= start) * of.rejection(start, k)

    laws = [chain(c, f).exact_law(k, start) for c, f in ((1.0, 1.0), (colder, wider))]
    cdfs = cdf(1.0, 1.0), cdf(colder, wider)
    assert cdfs[0][-1] == pytest.approx(1.0, abs=1e-4)
    # A state that stays is ⌊2ᵇp⌋ of the start, a float, and so the start itself.
    assert_told_apart(*(sampler(law, lambda x: x[:, -1]) for law in laws), *cdfs, grid, most=100_000)


def test_a_metropolis_chain_reflects_and_ends_in_its_target():
    k, n, a0 = 3, 10, 0.2
    chain = MetropolisChain((1.0, 2.0), n, a0, 6.0, 0.55, 12)
    ends = draws(chain.exact_law(k, 0.75), 4000)[:, -1]
    grid = np.linspace(a0, 1 - a0, 500)
    t = chain.temperature
    cdf = cumulated(lambda p: (k * np.log(p) + (n - k) * np.log1p(-p)) / t, grid)
    assert distance_on_grid(ends, cdf, grid) < allowed(len(ends))
    assert distance_on_grid(ends, np.linspace(0, 1, 500), grid) > allowed(len(ends))


def test_annealed_samples_and_weights_have_their_laws_and_noise():
    k, n, a0, samples = 14, 20, 0.1, 4000
    path, weights_epsilon = (3.0, 1.5), 40.0
    sampler_ = AnnealedImportanceSampler((2.0, 5.0), n, a0, path, samples, weights_epsilon)
    drawn = numbers(sampler_.exact_law(k), source=FrozenBits(4)).floats
    p, noisy = drawn[:samples], drawn[samples:]
    full = 2 * math.log((1 - a0) / a0)
    first, second = k + 1, n - k + 2
    betas = [epsilon / full for epsilon in path]
    grid = np.linspace(a0, 1 - a0, 500)
    threshold = allowed(samples)

    def cdf(beta):
        return cumulated(lambda p: beta * (first * np.log(p) + second * np.log1p(-p)), grid)

    assert distance_on_grid(p, cdf(betas[1]), grid) < threshold < distance_on_grid(p, cdf(1.6 * betas[1]), grid)
    weights = np.exp((betas[0] - betas[1]) * (first * np.log(p) + second * np.log1p(-p)))
    noise = noisy - weights / weights.sum()
    line = np.linspace(-1, 1, 2001)

    def laplace(scale):
        return np.where(line < 0, np.exp(line / scale) / 2, 1 - np.exp(-line / scale) / 2)

    right, wrong = (distance_on_grid(noise, laplace(k * 2 / weights_epsilon), line) for k in (1.0, 1.4))
    assert right < threshold < wrong


def test_weights_of_an_annealed_sample_are_those_of_its_whole_path():
    """With next to no noise, two samples of three levels: the ratio of weights has the mean of importance sampling.

    E ω = Z₀/Z₂, and so E[ω f(p)]/E[ω] = E₀[f] over many samples, here for f = p to 5 standard errors (6e-7).
    """
    k, n, a0, samples = 14, 20, 0.1, 3000
    annealed = AnnealedImportanceSampler((2.0, 5.0), n, a0, (4.0, 2.0, 1.0), samples, 1e12)
    drawn = numbers(annealed.exact_law(k), source=FrozenBits(6)).floats
    p, weights = drawn[:samples], drawn[samples:]
    beta, grid = 4.0 / (2 * math.log((1 - a0) / a0)), np.linspace(a0, 1 - a0, 2000)
    target = cumulated(lambda p: beta * ((k + 1) * np.log(p) + (n - k + 2) * np.log1p(-p)), grid)
    mean = float(np.sum((grid[1:] + grid[:-1]) / 2 * np.diff(target)))
    error = math.sqrt(float(np.sum(weights**2 * (p - weights @ p) ** 2)))
    assert weights.sum() == pytest.approx(1.0, abs=1e-6)
    assert abs(weights @ p - mean) < 5 * error < abs(p.mean() - mean)


def test_releases_take_one_data_set_and_no_generator(monkeypatch):
    monkeypatch.setattr("dpsampling.numerics.exact.bits.fresh", np.random.default_rng(9).bytes)
    ops = OnePosteriorSample(BetaBernoulli(), (1.0, 2.0), 20, 0.2, 2.0)
    categorical = OneCategoricalSample([1.0, 1.0, 1.0], 0.1, 2.0)
    chain = MetropolisChain((1.0, 2.0), 10, 0.1, 0.5, 0.1, 7)
    annealed = AnnealedImportanceSampler((1.0, 2.0), 20, 0.1, (2.0, 1.0), 5, 1.0)
    exponential = ExponentialMechanism(1.0, 1.0)
    assert ops.release(6).shape == ()
    assert ops.release(6, 3).shape == (3,)
    assert categorical.release([1, 0, 2]).shape == (3,)
    assert categorical.release([1, 0, 2], 4).shape == (4, 3)
    assert chain.release(4, 2, start=0.25).shape == (8, 2)
    assert np.all(chain.release(4, 2, start=0.25).floats[0] == 0.25)
    assert set(exponential.release([0.0, 1.0], 20).integers.tolist()) == {0, 1}
    released = annealed.release(6)
    assert np.shape(released.samples) == np.shape(released.weights) == (5,)
    assert normalized(released.weights).sum() == pytest.approx(1.0)
    assert normalized([-1.0, -2.0]).tolist() == [0.5, 0.5]
    for mechanism in (ops, chain, annealed):
        with pytest.raises(InputError, match="one data set"):
            mechanism.release([1, 0, 0, 1, 1])
    for mechanism in (categorical, exponential):
        with pytest.raises(InputError, match="one data set"):
            mechanism.release([[1, 0, 2], [2, 0, 1]])
    for call in (partial(ops.release, 6), partial(chain.release, 6), partial(exponential.release, [1.0, 2.0])):
        with pytest.raises(InputError, match="takes no generator"):
            call(np.random.default_rng(1))
