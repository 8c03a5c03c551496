r"""Exact draws of truncated laws and of what is made of them: the same numbers at every precision, and their laws.

A law is told from a planted wrong one at distance D with N = 2 ln(2/α)/D² draws: either error has probability α = 1e-6
at most, a test (Dvoretzky, Kiefer, Wolfowitz, Massart). The references are Gauss-Legendre integrals of the densities as
written, incomplete Beta and Gamma functions, and ordinary rejection. All bits are functions of fixed seeds.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from flint import arb
from scipy.special import betainc, expit, gammainc, logit

from dpsampling.errors import InputError
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.markov_chains import AnnealedImportanceSampler, MetropolisChain, normalized
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.numerics.exact import truncated_dirichlet
from dpsampling.numerics.exact.draws import numbers
from dpsampling.numerics.exact.replay import FrozenBits
from dpsampling.numerics.exact.tape import Tape, floor
from dpsampling.numerics.exact.truncated import GammaBeyond, TruncatedLogitBeta
from dpsampling.numerics.exact.truncated_dirichlet import TruncatedDirichlet
from telling_apart import ERROR_RATE, assert_told_apart, distance_on_grid

PRECISIONS = (16, 32, 64, 128, 256, 512)


def draws(law, size, seed=1, exponent=53):
    """`size` draws of a law, along the first axis."""
    rng = np.random.default_rng(seed)

    def source(place, known, more):
        del place, known
        return int.from_bytes(rng.bytes((more + 7) // 8), "little") >> (-more % 8)

    return numbers(law, size, exponent=exponent, source=source).floats


def sampler(law, look=lambda x: x, exponent=53):
    return lambda size, rng: look(draws(law, size, int(rng.integers(1 << 40)), exponent))


def cumulated(log_density, grid):
    """The distribution function on a grid over all of the mass, of the density e^log_density."""
    x, w = np.polynomial.legendre.leggauss(12)
    half = np.diff(grid)[:, np.newaxis] / 2
    values = log_density(grid[:-1, np.newaxis] + half * (1 + x))
    mass = np.cumsum(np.sum(half * w * np.exp(values - values.max()), axis=1))
    return np.append(0.0, mass) / mass[-1]


# -- the same numbers, whatever the precision --------------------------------------------------------------------------


def digits(law):
    def program(tape):
        x = law(tape)
        return x if isinstance(x, int) else [floor(part, 53) for part in ([x] if isinstance(x, arb) else x)]

    return program


PROGRAMS = {
    "logit-Beta": TruncatedLogitBeta(2, 3, 0.2, 0.8),
    "logit-Beta of shapes .1": TruncatedLogitBeta(0.1, 0.1, 1e-12, 1 - 1e-12),
    "logit-Beta in a window of 4e-7": TruncatedLogitBeta(1e6, 1e6, 0.4999999, 0.5000001),
    "logit-Beta of a shape below 0": TruncatedLogitBeta(-50, 60, 1e-9, 0.999),
    "logit-Beta with one end": TruncatedLogitBeta(1e6, 0.1, 0, 0.9),
    "logit-Beta without end": TruncatedLogitBeta(1e-3, 1e6),
    "gamma": GammaBeyond(0.05, 0.01),
    "gamma of small shape": GammaBeyond(1e-6, 1e-9),
    "gamma in its tail": GammaBeyond(1e6, 1.01e6),
    "Dirichlet in blocks": TruncatedDirichlet([3, 2, 1, 1, 1.5], 0.1),
    "Dirichlet of one pivot": truncated_dirichlet._pivots([Fraction(40), Fraction(1, 2), Fraction(2)], Fraction(1, 8)),
    "Dirichlet of any pivot": TruncatedDirichlet([0.05, 0.05, 0.3], 1e-4),
    "pair": TruncatedDirichlet([0.5, 7], 0.01),
    "OPS": OnePosteriorSample(BetaBernoulli(), (1.0, 2.0), 20, 0.2, 2.77).exact_law(6),
    "categorical OPS": OneCategoricalSample([1.0, 2.0, 0.5, 1.0], 0.01, 3.0).exact_law([4, 0, 9, 1]),
    "exponential mechanism": ExponentialMechanism(1.0, 0.5).exact_law([0.0, 3.0, 2.5, 2.5]),
    "Metropolis": MetropolisChain((1.0, 2.0), 40, 0.05, 3.0, 0.5, 25).exact_law(12),
    "annealing": AnnealedImportanceSampler((1.0, 2.0), 20, 0.1, (2.0, 1.0, 0.5), 4, 1.0).exact_law(6),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_numbers_do_not_depend_on_the_precision_that_was_begun_with(name):
    program, seen = digits(attempted(PROGRAMS[name])), []
    for precision in PRECISIONS:
        tape = Tape(FrozenBits(5), precision)
        seen.append([tape.draw(program) for _ in range(25)])
    assert seen.count(seen[0]) == len(PRECISIONS)
    assert len(set(map(str, seen[0]))) > 1


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
    ("a", "b", "low", "high", "wrong"),
    [
        (2.0, 3.0, 0.2, 0.8, (2.4, 3.0)),
        (100.0, 300.0, 0.2, 0.9, (110.0, 300.0)),
        (0.1, 0.3, 1e-12, 1 - 1e-12, (0.12, 0.3)),
        (-3.0, 5.0, 0.01, 0.9, (-2.7, 5.0)),
        (1e6, 1e6, 0.499, 0.501, (1.0002e6, 1e6)),
        (40.0, -20.0, 0.6, 0.99, (40.0, -18.0)),
        (1.0, 2e5, 0.0077, 0.009, (1.0, 2.2e5)),
    ],
)
def test_truncated_logit_beta_has_its_shapes_and_not_others(a, b, low, high, wrong):
    grid = np.linspace(logit(low), logit(high), 3000)
    laws = [TruncatedLogitBeta(*shapes, low, high) for shapes in ((a, b), wrong)]
    assert_told_apart(*map(sampler, laws), beta_cdf(a, b, grid), beta_cdf(*wrong, grid), grid, most=100_000)


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
    ("shape", "t", "wrong"),
    [(0.05, 1e-30, 0.057), (0.5, 1e-5, 0.56), (1.0, 2.0, 1.6), (3.0, 0.1, 3.3), (1e4, 5.0, 1.01e4), (30.0, 45.0, 33.0)],
)
def test_gamma_beyond_its_floor_has_its_shape(shape, t, wrong):
    grid = np.geomspace(t, t + 60 + shape + 20 * math.sqrt(shape), 4000)

    def cdf(a):
        return (gammainc(a, grid) - gammainc(a, t)) / (1 - gammainc(a, t))

    laws = [sampler(GammaBeyond(a, t), exponent=160) for a in (shape, wrong)]
    assert_told_apart(*laws, cdf(shape), cdf(wrong), grid, most=100_000)


def test_half_of_the_proposals_are_accepted_or_more():
    """Two uniforms a proposal where there is one line, three where there are more."""
    for a, b, low, high in [
        (2, 3, 0.2, 0.8),
        (1, 1, 1e-9, 0.5),
        (1e6, 0.1, 0, 0.9),
        (0.1, 0.1, 0, 1),
        (1e6, 1e6, 0, 1),
    ]:
        assert acceptance(TruncatedLogitBeta(a, b, low, high)) > 0.6
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


def marginal_cdf(alpha, a0, j, grid):
    """K = 3: θ_j has density ∝ x^{α_j−1} (1−x)^{Σ others − 1} Pr(a₀ ≤ (1−x) φ ≤ 1−x−a₀), φ ~ Beta of the others."""
    other, last = (alpha[i] for i in range(3) if i != j)

    def log_density(x):
        low = np.minimum(a0 / (1 - x), 0.5)
        fits = betainc(other, last, 1 - low) - betainc(other, last, low)
        return (alpha[j] - 1) * np.log(x) + (other + last - 1) * np.log1p(-x) + np.log(np.maximum(fits, 1e-300))

    return cumulated(log_density, grid)


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


def assert_marginals(drawn, alpha, a0):
    grid = np.linspace(a0, 1 - 2 * a0, 600)
    threshold = math.sqrt(math.log(6 / ERROR_RATE) / (2 * len(drawn)))
    for j in range(3):
        assert distance_on_grid(drawn[:, j], marginal_cdf(alpha, a0, j, grid), grid) < threshold


MIXED, A0, SIZE = (3.0, 0.7, 1.0), 0.08, 4000


@pytest.mark.parametrize(
    ("flat", "large", "rate"),
    [([], [0], 3.0), ([], [0], 9.0), ([2], [], 3.0), ([2], [0], 5.0), ([], [0, 2], 3.0), ([], [0, 1, 2], 1.0)],
)
def test_every_choice_of_blocks_and_rate_gives_the_same_law(flat, large, rate):
    assert_marginals(draws(blocks(MIXED, A0, rate, flat, large), SIZE), MIXED, A0)


@pytest.mark.parametrize(
    ("alpha", "a0", "rate"),
    [
        ((0.5, 0.2, 0.8), 0.05, 1.0),
        ((0.5, 0.2, 0.8), 0.05, 4.0),
        ((0.1, 0.1, 0.9), 1e-3, 1.0),
        ((0.3, 0.9, 0.99), 0.3, 20),
    ],
)
def test_any_pivot_gives_the_same_law_at_every_rate(alpha, a0, rate):
    shapes = [Fraction(a) for a in alpha]
    program = truncated_dirichlet._AnyPivot(shapes, Fraction(a0), Fraction(rate))
    assert_marginals(draws(attempted(program), SIZE), alpha, a0)


def test_a_pivot_of_wrong_chances_or_a_forgotten_factor_is_caught(monkeypatch):
    alpha, a0 = (0.5, 0.2, 0.8), 0.05
    shapes = [Fraction(a) for a in alpha]
    program = truncated_dirichlet._AnyPivot(shapes, Fraction(a0), Fraction(3))
    right = program._at
    monkeypatch.setattr(program, "_at", lambda precision: (right(precision)[0], [arb(w) for w in (1, 5, 1)]))
    with pytest.raises(AssertionError):
        assert_marginals(draws(attempted(program), SIZE), alpha, a0)
    wrong = truncated_dirichlet._Blocks([Fraction(a) for a in MIXED], Fraction(A0), Fraction(6), [], [0])
    wrong._excess += 1
    with pytest.raises(AssertionError):
        assert_marginals(draws(attempted(wrong), SIZE), MIXED, A0)


def two_sample_distance(x, y):
    grid = np.quantile(np.concatenate([x, y]), np.linspace(0, 1, 400))
    return distance_on_grid(x, np.searchsorted(np.sort(y), grid, side="right") / len(y), grid)


def test_ten_outcomes_agree_with_plain_rejection_and_other_shapes_do_not():
    """Samples of N and M are less than √(ln(4/α)/2)·(1/√N + 1/√M) apart, each within its part of the truth."""
    alpha, a0 = np.array([12.0, 1.5, 1.0, 3.0, 1.8, 2.0, 1.0, 9.0, 30.0, 1.2]), 0.004
    plain = np.random.default_rng(14).dirichlet(alpha, 300_000)
    plain = plain[np.all(plain >= a0, axis=1)][:100_000]
    views = [*(lambda x, j=j: x[:, j] for j in range(10)), lambda x: x.max(axis=1), lambda x: x.min(axis=1)]
    size = 4000
    threshold = math.sqrt(math.log(4 * len(views) / ERROR_RATE) / 2) * (1 / math.sqrt(size) + 1 / math.sqrt(len(plain)))

    def apart(shapes):
        drawn = draws(TruncatedDirichlet(shapes, a0), size)
        return max(two_sample_distance(view(drawn), view(plain)) for view in views)

    assert apart(alpha) < threshold
    assert apart(alpha * np.where(np.arange(10) == 8, 1.1, 1.0)) > threshold


def test_draws_lie_above_the_floor_but_for_their_last_digit_and_sum_to_one():
    a0, k = 0.01, 6
    drawn = numbers(TruncatedDirichlet([0.5, 1, 1, 7, 2.5, 0.01], a0), 200, exponent=60, source=FrozenBits(3)).integers
    assert drawn.min() >= math.floor(Fraction(a0) * 2**60)
    assert all(2**60 - k < sum(row) <= 2**60 for row in drawn.tolist())


# -- mechanisms --------------------------------------------------------------------------------------------------------


def frozen(monkeypatch, seed=9):
    """The operating system's bits from a seed."""
    bits = np.random.default_rng(seed)
    monkeypatch.setattr("dpsampling.numerics.exact.bits.fresh", bits.bytes)


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
        epsilon = 2 * math.log((1 - a0) / a0) / t
        return MetropolisChain((1.0, 2.0), n, a0, epsilon, w * f)

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
    assert distance_on_grid(ends, cdf, grid) < math.sqrt(math.log(2 / ERROR_RATE) / (2 * len(ends)))
    flat = np.linspace(0, 1, 500)
    assert distance_on_grid(ends, flat, grid) > math.sqrt(math.log(2 / ERROR_RATE) / (2 * len(ends)))


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
    threshold = math.sqrt(math.log(2 / ERROR_RATE) / (2 * samples))

    def cdf(beta):
        return cumulated(lambda p: beta * (first * np.log(p) + second * np.log1p(-p)), grid)

    assert distance_on_grid(p, cdf(betas[1]), grid) < threshold < distance_on_grid(p, cdf(1.6 * betas[1]), grid)
    weights = np.exp((betas[0] - betas[1]) * (first * np.log(p) + second * np.log1p(-p)))
    noise = noisy - weights / weights.sum()
    line = np.linspace(-1, 1, 2001)

    def laplace(scale):
        return np.where(line < 0, np.exp(line / scale) / 2, 1 - np.exp(-line / scale) / 2)

    scale = 2 / weights_epsilon
    assert (
        distance_on_grid(noise, laplace(scale), line) < threshold < distance_on_grid(noise, laplace(1.4 * scale), line)
    )


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
    frozen(monkeypatch)
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
