r"""Exact draws: the same at every precision, and of the laws that they claim, with both error rates stated.

**Invariance.** What a program gives is a function of its uniforms alone. So the outputs from nine starting precisions
on the same uniforms are equal, without exception: a comparison that looks at the middle of a ball, or a rerun on other
uniforms, breaks that, and is planted.

**Laws.** For N draws from F the empirical distribution function is further than t from F, anywhere, with probability
at most 2 exp(−2 N t²) (Dvoretzky, Kiefer, Wolfowitz, Massart), atoms or not. With D the distance of F from a wrong law
F′, t = D/2 and N = 2 ln(2/α)/D², draws from F fail and draws from F′ pass with probability α at most. `RATE` = α is
10⁻⁶ over all tests of this file, of either kind; seeds are fixed all the same. Wrong laws are 10% off, either way.
"""

import inspect
import math
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from flint import arb
from scipy.special import betainc, expit, gammainc, gammaln, ndtr
from scipy.stats import chi2

from dpsampling.event_logs.mechanisms import NoisyCounts
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.families.dirichlet_categorical import DirichletCategorical
from dpsampling.mechanisms.families.gaussian_mean import GaussianMean
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic, UnclippedStatistic
from dpsampling.mechanisms.laplace_statistic import LaplaceCounts, LaplaceStatistic
from dpsampling.mechanisms.markov_chains import AnnealedImportanceSampler, MetropolisChain
from dpsampling.mechanisms.one_posterior_sample import OneCategoricalSample, OnePosteriorSample
from dpsampling.mechanisms.posterior import ConcentratedPosterior, DiffusedPosterior, DirectPosterior
from dpsampling.mechanisms.registry import ENTRIES
from dpsampling.mechanisms.statistical_query import StatisticalQuery
from dpsampling.numerics.exact import draws, laws, tape, truncated, truncated_dirichlet
from dpsampling.numerics.exact.draws import integers, numbers
from dpsampling.numerics.exact.replay import FrozenBits
from dpsampling.numerics.exact.tape import Tape, floor
from dpsampling.numerics.exact.truncated import GammaBeyond, TruncatedLogitBeta
from dpsampling.numerics.exact.truncated_dirichlet import TruncatedDirichlet
from telling_apart import distance_on_grid, two_sample_distance

RATE = 1e-6 / 200  # there are fewer tests than that
PRECISIONS = (6, 10, 16, 24, 32, 64, 128, 256, 512)
COMPARISONS = 10_000  # a program
BETA = BetaBernoulli()

# -- invariance --------------------------------------------------------------------------------------------------------

TINY, HUGE = 1e-300, 1e300
THIRD = Fraction(1, 3)


def probability_of(law):
    return lambda t: laws.probability(law(t))


PROGRAMS = {
    "exponential": [laws.exponential],
    "normal": [laws.normal],
    "Gaussian": [laws.Gaussian(m, v) for m, v in ((0, 1), (THIRD, TINY), (-1e9, HUGE), (0.1, 1e-9), (HUGE, 2))],
    "Laplace": [laws.Laplace(b, m) for b, m in ((THIRD, 0), (TINY, 1), (HUGE, -5), (4, 1e15), (1e-20, THIRD))],
    "Cauchy": [laws.Cauchy(b, m) for b, m in ((THIRD, 0), (TINY, 1), (HUGE, -5), (4, 1e15), (1e-20, THIRD))],
    "two-sided geometric": [laws.TwoSidedGeometric(r) for r in (1e-300, 1e-12, THIRD, 0.5, 2, 50)],
    "log-Gamma": [laws.LogGamma(a) for a in (TINY, 1e-3, 0.5, 1, THIRD, 3.5, 1e6, HUGE)],
    "logit-Beta": [laws.LogitBeta(a, b) for a, b in ((0.1, 0.1), (1, 1), (1e-6, 5), (6, 1e6), (1e15, 1e15), (1e-9, 9))],
    "probability": [
        probability_of(laws.LogitBeta(a, b)) for a, b in ((0.1, 0.1), (1, 1), (1e-3, 5), (1e6, 3), (3, 1e6))
    ],
    "logit-Dirichlet": [laws.LogitDirichlet(a) for a in ([0.1, 1, 5], [1e-3, 1e-3, 1e-3], [1e9, 1e-6, 2])],
    "truncated logit-Beta": [
        TruncatedLogitBeta(*law) for law in (
            (3, 40, 0.2, 0.8), (-5, 6, 0.05, 1), (1e6, 2, 0.1, 0.9), (1, 1, 0.5, 0.75), (0.1, 0.2, 0, 0.5),
            (1e-9, 1e-9, 1e-15, 1 - 1e-15), (1e15, 1e15, 0.3, 0.4), (-50, 60, 1e-9, 0.999), (1e-3, 1e6),
        )
    ],
    "Gamma beyond": [
        GammaBeyond(*law) for law in ((40, 30), (0.01, 5), (1, 2), (1e6, 1.1e6), (1e-3, 1e-200), (3, 1e9), (1e-6, 1e-9))
    ],
    "truncated Dirichlet": [
        TruncatedDirichlet(*law) for law in (
            ([1, 2, 3], 0.1), ([0.5, 40, 3], 0.01), ([1e-3, 1e-3], 0.2), ([1e6, 2, 1e3], 1e-9), ([1, 1, 1], 0.33),
            ([3, 2, 1, 1, 1.5], 0.1), ([0.05, 0.05, 0.3], 1e-4),
        )
    ],
    "categorical": [
        laws.Categorical(w) for w in ([0, 0, 0], [-1000, 0, -0.001], [THIRD, 1e-300, 0], [1e300, -1e300], [0.0] * 30)
    ],
}  # fmt: skip


# A moderate one of each that compares: what is decided wrongly by the middle may end no rejection at extreme shapes.
COMPARING = {
    "log-Gamma": laws.LogGamma(3.5),
    "logit-Beta": laws.LogitBeta(2, 0.5),
    "logit-Dirichlet": laws.LogitDirichlet([1, 2, 3]),
    "categorical": laws.Categorical([0.0] * 30),
    "truncated logit-Beta": TruncatedLogitBeta(3, 40, 0.2, 0.8),
    "Gamma beyond": GammaBeyond(40, 30),
    "truncated Dirichlet": TruncatedDirichlet([1, 2, 3], 0.1),
}


def outcome(law, exponent):
    """What is released of one draw."""

    def program(t):
        x = law(t)
        if isinstance(x, arb):
            return floor(x, exponent)
        return [floor(part, exponent) for part in x] if isinstance(x, list) else x

    return program


def changed(variants, make=lambda seed, precision: Tape(FrozenBits(seed), precision), comparisons=COMPARISONS):
    """How many of the draws come out otherwise at some precision, and of how many outputs.

    Half of them on a coarse grid, where few bits decide the floor and comparisons have to be right with as few.
    """
    each = math.ceil(comparisons / len(PRECISIONS) / len(variants) / 2)
    wrong = 0
    for seed, law in enumerate(variants):
        for program in (outcome(law, 53), outcome(law, 2)):
            columns = [[t.draw(program) for _ in range(each)] for t in (make(seed, p) for p in PRECISIONS)]
            wrong += sum(any(x != row[0] for x in row) for row in zip(*columns, strict=True))
    return wrong, 2 * each * len(PRECISIONS) * len(variants)


def test_every_law_is_among_the_programs():
    """Every function of a tape, and every class whose members are."""
    public = {
        name
        for module in (laws, truncated, truncated_dirichlet)
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__ and not name.startswith("_")
        if "tape" in inspect.signature(value.__call__ if inspect.isclass(value) else value).parameters
    }
    spelled = {name.replace("-", "").replace(" ", "").lower() for name in PROGRAMS}
    assert {name.lower() for name in public} == spelled - {"probability"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_same_uniforms_give_the_same_output_from_every_starting_precision(name):
    wrong, outputs = changed(PROGRAMS[name])
    assert wrong == 0
    assert outputs >= COMPARISONS
    if name in COMPARING:  # as often as a wrong comparison takes to be seen
        assert changed([COMPARING[name]], comparisons=3 * COMPARISONS)[0] == 0


class ForgetfulTape(Tape):
    """The planted bug: a rerun on other uniforms. The first run of each draw has those of any other tape."""

    def uniform(self):
        if self._next == 0:
            self._revealed = []
        return super().uniform()


class RenewedBits(FrozenBits):
    def __init__(self, seed):
        super().__init__(seed)
        self._visits = {}

    def __call__(self, place, known, more):
        if known == 0:
            self._visits[place] = self._visits.get(place, -1) + 1
        visit = self._visits[place]
        return super().__call__(place, known, more) if visit == 0 else FrozenBits(10**9 + visit)(place, known, more)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_rerun_on_other_uniforms_is_seen(name):
    assert changed(PROGRAMS[name], lambda seed, p: ForgetfulTape(RenewedBits(seed), p), COMPARISONS // 4)[0] > 0


def middle_positive(x):
    if x.is_finite():
        return x.mid() > 0
    raise tape.UndecidedError


def middle_floor(x, exponent=0):
    k = (arb(x.mid()) * tape.power_of_two(exponent)).floor().unique_fmpz()
    return 0 if k is None else int(k)


@pytest.mark.parametrize("name", COMPARING)
def test_a_comparison_of_the_middles_of_balls_is_seen(name, monkeypatch):
    for module in (laws, truncated, truncated_dirichlet):
        monkeypatch.setattr(module, "positive", middle_positive)
    assert changed([COMPARING[name]], comparisons=3 * COMPARISONS)[0] > 0


@pytest.mark.parametrize("name", [name for name in PROGRAMS if name != "categorical"])
def test_a_floor_of_the_middle_of_a_ball_is_seen(name, monkeypatch):
    monkeypatch.setattr(laws, "floor", middle_floor)
    monkeypatch.setitem(globals(), "floor", middle_floor)
    assert changed(PROGRAMS[name][:1], comparisons=1000)[0] > 0


# -- laws --------------------------------------------------------------------------------------------------------------


def frozen(law, size, seed=1, exponent=53):
    """Draws as floats, where the law has mass; whole numbers of a law of whole numbers."""
    source = FrozenBits(seed)
    if isinstance(law, laws.TwoSidedGeometric | laws.Categorical):
        return integers(law, size, source=source).astype(float)
    return numbers(law, size, exponent=exponent, source=source).floats


def told_apart(sample, cdf, right, grid):
    """`sample(parameter, size, seed)` at `right` passes against cdf(right); 10% less and 10% more fail."""
    law, others = cdf(right), {wrong: cdf(wrong) for wrong in (0.9 * right, 1.1 * right)}
    apart = min(float(np.max(np.abs(law - other))) for other in others.values())
    size = math.ceil(2 * math.log(2 / RATE) / apart**2)
    assert size < 100_000
    assert distance_on_grid(sample(right, size, 1), law, grid) < apart / 2
    assert all(distance_on_grid(sample(wrong, size, 2), law, grid) > apart / 2 for wrong in others)


LINE, POSITIVE, UNIT = np.linspace(-12, 12, 4801), np.linspace(0, 40, 8001), np.linspace(0, 1, 4001)
LOGITS = np.concatenate([np.linspace(-700, -15, 4000), np.linspace(-15, 15, 30_001), np.linspace(15, 36, 500)])


def laplace_cdf(x):
    return np.where(x < 0, 0.5 * np.exp(np.minimum(x, 0)), 1 - 0.5 * np.exp(-np.maximum(x, 0)))


def geometric(rate):
    """Pr(|Y| ≤ y) = 1 − 2q^{y+1}/(1 + q), q = e^{−r}."""
    reach = np.arange(0, math.ceil(30 / rate) + 1, max(1, round(0.01 / rate)))

    def cdf(r):
        return 1 - 2 * np.exp(-r * (reach + 1)) / (1 + math.exp(-r))

    return laws.TwoSidedGeometric, cdf, rate, reach, np.abs


def log_gamma(shape):
    """P(a, e^x), and e^{ax}/Γ(a + 1) where e^x is nothing: the next term is e^x times that."""
    middle, spread = (0.0, 30 / shape) if shape < 1 else (math.log(shape), 12 / math.sqrt(shape) + 0.3)
    grid = np.linspace(middle - spread, middle + min(spread, 8), 20_001)

    def cdf(a):
        small = np.exp(np.minimum(a * grid - gammaln(a + 1), 0))
        return np.where(grid < -40, small, gammainc(a, np.exp(np.clip(grid, -40, 700))))

    return laws.LogGamma, cdf, shape, grid


def logit_beta(alpha, beta):
    return lambda a: laws.LogitBeta(a, beta), lambda a: betainc(a, beta, expit(LOGITS)), alpha, LOGITS


def pair_of_dirichlet(first, second):
    """ρ_i/(ρ_i + ρ_j) ~ Beta(α_i, α_j) for every pair; that of two free coordinates tells of their joint law."""
    alphas = [16.0, 30.0, 9.0, 24.0]

    def look(drawn):
        theta = np.column_stack([drawn, np.zeros(len(drawn))])
        return theta[:, first] - theta[:, second]

    return (
        lambda a: laws.LogitDirichlet([*alphas[:first], a, *alphas[first + 1 :]]),
        lambda a: betainc(a, alphas[second], expit(LINE)),
        alphas[first],
        LINE,
        look,
    )


def categorical():
    weights = np.array([0.0, 0.0, 0.0, 0.5, 2.2, 0.0, -1.0, 0.0])

    def cdf(power):
        mass = np.exp(power * weights)
        return np.cumsum(mass) / mass.sum()

    return lambda power: laws.Categorical((power * weights).tolist()), cdf, 1.0, np.arange(8.0)


# A law of a parameter, its distribution function on a grid, the parameter, the grid, and what is looked at: |X| tells
# more of a scale.
LAWS = {
    "exponential": (
        lambda b: lambda t: b * laws.exponential(t), lambda b: -np.expm1(-POSITIVE / b), 1.0, POSITIVE,
    ),
    "normal, mean": (lambda m: laws.Gaussian(m, 1), lambda m: ndtr(LINE - m), 4.0, LINE),
    "normal, scale": (
        lambda s: laws.Gaussian(0, Fraction(s) ** 2), lambda s: 2 * ndtr(POSITIVE / s) - 1, 1.0, POSITIVE, np.abs,
    ),
    "Laplace, location": (lambda m: laws.Laplace(THIRD, m), lambda m: laplace_cdf(3 * (LINE - m)), 2.0, LINE),
    "Laplace, scale": (
        lambda b: laws.Laplace(Fraction(b) / 3), lambda b: -np.expm1(-POSITIVE * 3 / b), 1.0, POSITIVE, np.abs,
    ),
    "Cauchy, scale": (
        lambda b: laws.Cauchy(Fraction(b)), lambda b: 2 / math.pi * np.arctan(POSITIVE / b), 1.0, POSITIVE, np.abs,
    ),
    **{f"two-sided geometric, rate {rate}": geometric(rate) for rate in (1e-5, 2.0)},
    **{f"log-Gamma({a:g})": log_gamma(a) for a in (1e-6, 0.5, 7.25, 1e6)},
    **{f"logit-Beta({a:g}, {b:g})": logit_beta(a, b) for a, b in ((0.02, 0.5), (1, 1), (6, 18), (1e5, 30), (3e5, 1e6))},
    "probability": (lambda a: probability_of(laws.LogitBeta(a, 18)), lambda a: betainc(a, 18, UNIT), 6, UNIT),
    **{f"Dirichlet, {i} and {j}": pair_of_dirichlet(i, j) for i, j in ((0, 3), (1, 3), (2, 3), (1, 0))},
    "categorical": categorical(),
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_a_law_has_its_parameter_and_not_one_10_percent_off(name):
    law, cdf, right, grid, *look = LAWS[name]
    told_apart(lambda x, size, seed: (look or [np.asarray])[0](frozen(law(x), size, seed)), cdf, right, grid)


def test_normal_of_deviations_far_beyond_floats():
    z = frozen(laws.Gaussian(0, HUGE), 5000) / 1e150
    grid = np.linspace(-5, 5, 1001)
    t = math.sqrt(math.log(2 / RATE) / (2 * len(z)))
    assert distance_on_grid(z, ndtr(grid), grid) < t < distance_on_grid(1.3 * z, ndtr(grid), grid)


# -- small cases against exact probabilities ---------------------------------------------------------------------------


def squares(found, expected):
    """Pearson's Σ (n_j − e_j)²/e_j; of the χ² law with one degree less than cells, as all e_j here are above 100."""
    assert expected.min() > 100
    return float(np.sum((found - expected) ** 2 / expected))


def assert_masses(counts, mass, right):
    """The counts are what the masses of the right parameter say, and not what those 10% off do."""
    limit = chi2.isf(RATE, len(counts) - 1)
    assert mass(right).sum() == pytest.approx(1)
    for factor in (0.9, 1.0, 1.1):
        assert (squares(counts, counts.sum() * mass(factor * right)) < limit) == (factor == 1.0)


def clipped(low, high):
    """Two-sided geometric numbers clipped to [low, high]: the ends are atoms of mass q^{|end|}/(1 + q)."""

    def mass(r):
        q, y = math.exp(-r), np.arange(low, high + 1)
        return np.where((low < y) & (y < high), 1 - q, 1.0) / (1 + q) * q ** np.abs(y)

    return mass


def counted(numbers, low, high):
    return np.bincount(np.clip(numbers, low, high).astype(int) - low, minlength=high - low + 1)


@pytest.mark.parametrize("low", [-3, 0])
def test_two_sided_geometric_clipped(low):
    assert_masses(counted(frozen(laws.TwoSidedGeometric(0.4), 40_000, 3), low, 4), clipped(low, 4), 0.4)


@pytest.mark.parametrize("rate", [0.2, THIRD, 1.2])
def test_floor_of_an_exponential_is_geometric(rate):
    size, top, mean = 60_000, 4, laws.rational(1 / Fraction(rate))
    drawn = integers(lambda t: floor(arb(mean) * laws.exponential(t)), size, source=FrozenBits(4))

    def mass(r):
        return np.append([math.exp(-r * k) * -math.expm1(-r) for k in range(top)], math.exp(-r * top))

    assert_masses(counted(drawn, 0, top), mass, float(rate))


@pytest.fixture(scope="module")
def coarse():
    """⌊16ρ⌋ for ρ ~ Beta(α, 1), Pr(ρ ≤ x) = x^α."""
    alphas = {alpha: probability_of(laws.LogitBeta(alpha, 1)) for alpha in (Fraction(9, 10), 1, Fraction(11, 10))}
    return {a: numbers(law, 30_000, exponent=4, source=FrozenBits(5)).integers.astype(int) for a, law in alphas.items()}


@pytest.mark.parametrize("bits", [1, 2, 4])
def test_beta_on_a_coarse_grid(coarse, bits):
    """⌊2ᵇρ⌋ of ρ ~ Beta(1, 1) has all values alike."""
    limit = chi2.isf(RATE, 2**bits - 1)
    for alpha, found in coarse.items():
        counts = np.bincount(found >> (4 - bits), minlength=2**bits)
        own = len(found) * np.diff((np.arange(2**bits + 1) / 2**bits) ** float(alpha))
        even = np.full(2**bits, len(found) / 2**bits)
        assert squares(counts, own) < limit
        assert (squares(counts, even) < limit) == (alpha == 1)


# -- another make ------------------------------------------------------------------------------------------------------


def binned(sample, edges):
    return np.histogram(sample, np.concatenate([[-np.inf], edges, [np.inf]]))[0].astype(float)


def two_samples(a, b):
    """χ² of two histograms of equal size: Σ (a_j − b_j)²/(a_j + b_j)."""
    assert (a + b).min() > 100
    assert a.sum() == b.sum()
    return float(np.sum((a - b) ** 2 / (a + b)))


def opendp_draws(kind, scale, size):
    opendp = pytest.importorskip("opendp.prelude", reason="OpenDP is a development dependency, and is not installed")
    opendp.enable_features("contrib")
    domain = opendp.vector_domain(opendp.atom_domain(T=int))
    if kind == "laplace":
        measure = opendp.m.make_laplace(domain, opendp.l1_distance(T=int), scale=scale)
    else:
        measure = opendp.m.make_gaussian(domain, opendp.l2_distance(T=float), scale=scale)
    return np.array(measure([0] * size), dtype=float)


def test_two_sided_geometric_agrees_with_the_discrete_laplace_of_opendp():
    """Both are Pr(y) ∝ e^{−|y|/b}. OpenDP's bits are its own: a right pair fails in one run of 1/RATE."""
    size, scale, edges = 60_000, 3.0, np.arange(-12, 13) + 0.5
    theirs = binned(opendp_draws("laplace", scale, size), edges)
    limit = chi2.isf(RATE, len(edges))
    for factor in (0.9, 1.0, 1.1):
        ours = binned(frozen(laws.TwoSidedGeometric(1 / Fraction(scale * factor)), size, 6), edges)
        assert (two_samples(ours, theirs) < limit) == (factor == 1.0)


def test_gaussians_on_whole_numbers_have_each_its_own_law():
    """OpenDP's is the discrete Gaussian, Pr(k) ∝ e^{−k²/2σ²}; ours on the grid of whole numbers is ⌊X⌋ of a normal X.

    Pr(⌊X⌋ = k) = Φ((k+1)/σ) − Φ(k/σ), whose mean is −½: another law, and the right one for a statistic that is rounded
    after the noise. Each agrees with its own and not with the other's.
    """
    size, sigma, edges = 60_000, 2.0, np.arange(-5, 6) - 0.5
    k = np.arange(-60, 61)
    discrete = np.exp(-(k**2) / (2 * sigma**2))
    floored = ndtr((k + 1) / sigma) - ndtr(k / sigma)

    def cells(mass):
        return size * np.array([part.sum() for part in np.split(mass / mass.sum(), np.searchsorted(k, edges))])

    theirs = binned(opendp_draws("gaussian", sigma, size), edges)
    ours = binned(frozen(laws.Gaussian(0, sigma**2), size, 7, exponent=0), edges)
    limit = chi2.isf(RATE, len(edges))
    assert squares(theirs, cells(discrete)) < limit < squares(theirs, cells(floored))
    assert squares(ours, cells(floored)) < limit < squares(ours, cells(discrete))


# -- every mechanism's release -----------------------------------------------------------------------------------------

PRIOR, N, S = (6.0, 18.0), 1000, 300


def coordinate(release: Callable, index: int | None = None) -> Callable:
    return lambda *arguments: np.asarray(release(*arguments))[..., index] if index is not None else release(*arguments)


def posterior(algorithm, *scale):
    return algorithm(BETA, PRIOR, N, *scale)


OPS = OnePosteriorSample.calibrate(BETA, PRIOR, N, 0.05, epsilon=2.0)
CATEGORIES = OneCategoricalSample.calibrate([1.0, 0.5, 2.0], 0.01, epsilon=2.0)
CHAIN = MetropolisChain((1.0, 2.0), N, 0.05, 6.0, 0.1, 6)


def annealing(samples):
    return AnnealedImportanceSampler((1.0, 2.0), N, 0.05, (2.0, 1.5, 1.0), samples, 0.001)


# What releases or simulates something else than numbers of one shape: its part that is compared.
PARTS = {
    "ops-categorical": SimpleNamespace(
        release=lambda d, n: CATEGORIES.release(d, n)[:, 1],
        simulate=lambda d, rng, n: CATEGORIES.simulate(d, rng, n).theta[:, 1],
    ),
    "metropolis": SimpleNamespace(
        release=lambda d, n: CHAIN.release(d, n)[-1], simulate=lambda d, rng, n: CHAIN.simulate(d, rng, n).states[-1]
    ),
    "annealed samples": SimpleNamespace(
        release=lambda d, n: annealing(n).release(d).samples,
        simulate=lambda d, rng, n: annealing(n).simulate(d, rng).samples,
    ),
}

# name → mechanism, data set, data set that is 10% off, coordinate, draws
RELEASES = {
    "direct": (posterior(DirectPosterior), S, 330, None, 3000),
    "diffused": (posterior(DiffusedPosterior, 0.3), S, 330, None, 6000),
    "concentrated": (posterior(ConcentratedPosterior, 0.1), S, 330, None, 6000),
    "gaussian mean": (DirectPosterior(GaussianMean(1.0, 3.0), (0.0, 4.0), N), 500.0, 550.0, None, 20_000),
    "dirichlet 1": (
        DirectPosterior(DirichletCategorical(), (2.0, 3.0, 9.0), N), (300.0, 200.0), (330.0, 200.0), 0, 3000,
    ),
    "dirichlet 2": (
        DiffusedPosterior(DirichletCategorical(), (2.0, 3.0, 9.0), N, 0.5), (300.0, 200.0), (300.0, 220.0), 1, 6000,
    ),
    "gaussian": (GaussianStatistic(BETA, PRIOR, N, 10.0), S, 330, None, 5000),
    "unclipped": (UnclippedStatistic(GaussianStatistic(BETA, PRIOR, N, 10.0)), S, 330, None, 5000),
    "laplace": (LaplaceStatistic(BETA, PRIOR, N, 0.2), S, 330, None, 5000),
    "laplace discrete": (LaplaceStatistic(BETA, PRIOR, N, 0.2, "range", "discrete"), S, 330, None, 5000),
    "counts": (LaplaceCounts(0.2), [300.0, 700.0], [330.0, 670.0], 1, 5000),
    "counts discrete": (LaplaceCounts(0.2, "range", N, "discrete"), [3.0, 997.0], [3.3 + 2.7, 994.0], 0, 20_000),
    "query": (StatisticalQuery(posterior(ConcentratedPosterior, 0.1)), S, 330, None, 6000),
    "ops": (OPS, S, 330, None, 6000),
    "ops-categorical": (PARTS["ops-categorical"], [100, 300, 600], [100, 330, 570], None, 6000),
    "exponential": (ExponentialMechanism(1.0, 1.0), [0, 0, 0, 0, 2.8], [1, 0, 0, 0, 2.8], None, 20_000),
    "metropolis": (PARTS["metropolis"], 400.0, 440.0, None, 6000),
    "annealed samples": (PARTS["annealed samples"], S, 330, None, 6000),
}  # fmt: skip


def test_every_mechanism_of_the_registry_is_among_them():
    """Those of other rooms draw whole numbers or steps of normal noise: they have tests of their own."""
    here = {type(mechanism) for mechanism, *_ in RELEASES.values()} | {OneCategoricalSample, MetropolisChain}
    there = {entry.mechanism for entry in ENTRIES if hasattr(entry.mechanism, "release")}
    assert there - here == {AnnealedImportanceSampler}


def test_noisy_counts_of_event_logs_are_two_sided_geometric(frozen_system):
    """With features D = 2 and ε = 1 the rate is ε/(2D) = ¼, and neither ¼·0.9 nor ¼·1.1."""
    counts = np.arange(40_000, dtype=np.int64) % 7
    assert_masses(counted(NoisyCounts(1.0).release(counts, 2) - counts, -8, 8), clipped(-8, 8), 0.25)


@pytest.fixture
def frozen_system():
    """The operating system's bits, replaced by ones that are the same in every run."""
    with mock.patch("os.urandom", random.Random(8).randbytes):
        yield


@pytest.mark.parametrize("name", RELEASES)
def test_release_and_simulate_have_one_law(name, frozen_system):
    """Two samples of one law are further than t₁ + t₂ apart with probability RATE at most, t_i by the bound above.

    The wrong law must be twice as far away, in draws of its simulation, so that it passes no more often.
    """
    mechanism, data, wrong, index, size = RELEASES[name]
    many = 20 * size
    limit = sum(math.sqrt(math.log(4 / RATE) / (2 * n)) for n in (size, many))
    released = np.asarray(coordinate(mechanism.release, index)(data, size))
    simulated, other = (coordinate(mechanism.simulate, index)(d, np.random.default_rng(9), many) for d in (data, wrong))
    assert two_sample_distance(released, simulated) < limit
    assert two_sample_distance(simulated, other) > 2 * limit
    assert two_sample_distance(released, other) > limit


def test_the_noise_of_a_released_sum_has_its_scale(frozen_system):
    def sample(sigma, size, seed):
        return np.abs(np.asarray(GaussianStatistic(BETA, PRIOR, N, sigma).release_statistic(S, size)) - S)

    told_apart(sample, lambda sigma: 2 * ndtr(POSITIVE / sigma) - 1, 3.0, POSITIVE)


@pytest.mark.parametrize("noise", ["continuous", "discrete"])
def test_the_noise_of_released_counts_has_its_scale(frozen_system, noise):
    """2/ε; the planted 10% are of ε, and the counts are far from the clip."""

    def sample(epsilon, size, seed):
        mechanism = LaplaceStatistic(BETA, PRIOR, N, epsilon, noise=noise)
        return np.abs(np.asarray(mechanism.release_counts(S, size))[:, 0] - S)

    def cdf(epsilon):
        q = math.exp(-epsilon / 2)
        discrete = 1 - 2 * q ** (np.floor(POSITIVE) + 1) / (1 + q)
        return discrete if noise == "discrete" else -np.expm1(-POSITIVE * epsilon / 2)

    told_apart(sample, cdf, 0.5, POSITIVE)


@pytest.mark.parametrize("name", RELEASES)
def test_release_is_the_same_from_every_starting_precision(name):
    mechanism, data, *_ = RELEASES[name]
    size = math.ceil(COMPARISONS / len(PRECISIONS) / (2 if name in {"counts", "counts discrete"} else 1))

    def released(precision):
        seeds = count()
        with mock.patch.object(draws, "Tape", side_effect=lambda source: Tape(FrozenBits(next(seeds)), precision)):
            return mechanism.release(data, size).integers

    first, *others = map(released, PRECISIONS)
    assert all((first == other).all() for other in others)
