"""Posteriors that are private by themselves: every closed form by a second route, every lemma at its edge."""

import math
from functools import partial
from itertools import product

import mpmath
import numpy as np
import pytest
from scipy import special, stats
from scipy.special import digamma

from dpsampling.errors import InputError
from dpsampling.foundations.robust import adversary, audit_cases, bounds, constants, families, networks
from dpsampling.foundations.robust.families import Bits, Exponential, Laplace, NormalPrecision, NormalVariance
from dpsampling.foundations.robust.laws import BetaLaw, GammaLaw
from dpsampling.foundations.robust.mechanism import FinitePosterior
from dpsampling.foundations.robust.quadrature import kl_on_line
from dpsampling.privacy import laws

KAPPA = 4.910814964568255
RUNS = 40_000
ERROR_RATE = 5.5  # standard errors: two-sided 4e-8


# -- constants ---------------------------------------------------------------------------------------------------------


def test_omega_and_kappa_to_fifteen_digits():
    with mpmath.workdps(40):
        omega = mpmath.findroot(lambda w: mpmath.exp(w) - 2 * w - 1, 1.25)
        kappa = 2 * omega / (1 - mpmath.exp(-omega)) ** 2
        assert constants.omega().lower <= omega <= constants.omega().upper
        assert constants.kappa().lower <= kappa <= constants.kappa().upper
    assert constants.kappa().upper - constants.kappa().lower < 2e-15
    assert constants.kappa().upper == pytest.approx(4.910814965, abs=5e-10)
    assert constants.omega().upper == pytest.approx(1.256431209, abs=5e-10)


@pytest.mark.parametrize("c", [0.1, 1.0, 30.0])
def test_kappa_is_the_least_of_the_proofs_bound_which_is_convex(c):
    omega, kappa = constants.searched(c)
    assert kappa == pytest.approx(KAPPA, rel=1e-12)
    assert omega == pytest.approx(constants.omega().upper, abs=1e-6)
    alpha = np.linspace(0.01, 20, 400) / c
    assert np.all(np.diff([constants.partition_bound(a, c, 1.0) for a in alpha], 2) > 0)
    # (C.4) is the geometric series that it is said to be.
    a = 0.7 / c
    series = 2 * a * math.fsum(k * math.exp(-c * (k - 1) * a) for k in range(1, 400))
    assert constants.partition_bound(a, c, 1.0) == pytest.approx(series, rel=1e-12)


# -- closed forms ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "a", "b"), [(1.0, 1.0, 5.0), (10.0, 1.0, 6.0), (400.0, 1.1, 1.0), (2.5, 3.0, 3.0)])
def test_gamma_laws_by_mpmath_and_by_the_laws_of_the_audit(shape, a, b):
    p, q = GammaLaw(shape, a), GammaLaw(shape, b)
    on_line = laws.kl(p.by_logarithm(), q.by_logarithm())
    assert p.kl(q) == pytest.approx(on_line, rel=1e-9, abs=1e-12)
    assert p.kl_by_quadrature(q) == pytest.approx(p.kl(q), rel=1e-9, abs=1e-12)
    assert p.total_variation(q) == pytest.approx(laws.delta(p.by_logarithm(), q.by_logarithm(), 0.0), abs=1e-9)
    with mpmath.workdps(30):
        exact = shape * (mpmath.log(mpmath.mpf(a) / b) + mpmath.mpf(b) / a - 1)
        assert p.kl(q) == pytest.approx(float(exact), rel=1e-12, abs=1e-15)
    assert float(stats.gamma.logpdf(1.7, shape, scale=1 / a)) == pytest.approx(p.log_density(np.array(1.7)))


@pytest.mark.parametrize(("a", "b", "c", "d"), [(1.0, 4.0, 2.0, 3.0), (30.0, 146.0, 145.0, 31.0), (0.5, 1.5, 1.5, 0.5)])
def test_beta_laws(a, b, c, d):
    p, q = BetaLaw(a, b), BetaLaw(c, d)
    assert p.kl(q) == pytest.approx(laws.kl(p.by_logit(), q.by_logit()), rel=1e-8)
    assert p.kl_by_quadrature(q) == pytest.approx(p.kl(q), rel=1e-9)
    assert p.total_variation(q) == pytest.approx(laws.delta(p.by_logit(), q.by_logit(), 0.0), abs=1e-9)
    with mpmath.workdps(20):
        density = lambda t: mpmath.beta(a, b) ** -1 * mpmath.exp(a * t) / (1 + mpmath.exp(t)) ** (a + b)  # noqa: E731
        exact = mpmath.quad(lambda t: abs(t) * density(t), [-120, -20, -3, 0, 3, 20, 120])
    assert p.mean_of_magnitude() == pytest.approx(float(exact), rel=1e-8)


def test_a_mixture_is_its_joint_law():
    """KL, TV and the weights by sums over a grid of (location, θ), from Bayes' rule and the likelihood alone."""
    family, x, y = Laplace(0.7), [0.0, 0.4, 2.0], [0.0, 0.4, -3.0]
    theta = np.linspace(1e-4, 25.0, 60_001)
    joint = []
    for data in (x, y):
        logs = np.array([[family.log_likelihood(t, data, centre) for t in theta] for centre in family.centres])
        weights = np.exp(logs) * np.exp(-0.7 * theta)
        joint.append(weights / np.sum(weights))
    p, q = family.posterior(x), family.posterior(y)
    assert p.kl(q) == pytest.approx(float(np.sum(joint[0] * np.log(joint[0] / joint[1]))), rel=1e-5)
    assert p.kl_by_quadrature(q) == pytest.approx(p.kl(q), rel=1e-9)
    assert p.total_variation(q) == pytest.approx(float(np.abs(joint[0] - joint[1]).sum()) / 2, rel=1e-5)
    np.testing.assert_allclose(np.exp(p.log_weights), joint[0].sum(axis=1), rtol=1e-5)
    assert p.mean == pytest.approx(float(np.sum(joint[0] * theta)), rel=1e-5)


def test_posteriors_are_likelihood_times_prior():
    theta = np.array([0.3, 1.0, 4.0])
    for family, x in ((Exponential(0.7), [0.2, 3.0]), (NormalPrecision(1.3, 2.0), [0.2, -3.0, 2.5])):
        law = family.posterior(x)
        bayes = np.array([family.log_likelihood(t, x) - family.rate * t for t in theta])
        np.testing.assert_allclose(np.diff(law.log_density(theta) - bayes), 0.0, atol=1e-12)
    eta = np.array([-1.0, 0.3, 2.0])
    law, p = Bits(2.5).posterior([1, 0, 0, 1, 1]), 1 / (1 + np.exp(-eta))
    bayes = 3 * np.log(p) + 2 * np.log(1 - p) + 2.5 * np.log(p) + 2.5 * np.log(1 - p)  # with the logit's Jacobian
    np.testing.assert_allclose(np.diff(law.by_logit().log_density(eta) - bayes), 0.0, atol=1e-12)


def test_the_printed_normals_posterior_by_mpmath():
    p, q = NormalVariance(1.4).posterior([1.0, 0.5, 2.0]), NormalVariance(1.4).posterior([1.0, 0.5, -4.0])
    density = lambda law: lambda v: v ** (law.p - 1) * mpmath.exp(-law.a * v - law.b / v)  # noqa: E731
    with mpmath.workdps(20):
        f, g = density(p), density(q)
        z, w = (mpmath.quad(h, [0, 0.5, 2, 10, 60]) for h in (f, g))
        exact = mpmath.quad(lambda v: f(v) / z * mpmath.log(f(v) / z * w / g(v)), [0.01, 0.5, 2, 10, 60])
        inverse = mpmath.quad(lambda v: f(v) / z / v, [0, 0.5, 2, 10, 60])
    assert p.kl(q) == pytest.approx(float(exact), rel=1e-8)
    assert p.kl_by_quadrature(q) == pytest.approx(p.kl(q), rel=1e-9)
    assert p.mean_inverse() == pytest.approx(float(inverse), rel=1e-8)
    assert math.exp(p.log_normalizer()) == pytest.approx(float(z), rel=1e-10)


@pytest.mark.parametrize(
    "law",
    [GammaLaw(2.5, 0.7), BetaLaw(0.8, 3.0), families.InverseGaussianLaw(-0.5, 1.4, 2.6)],
    ids=["gamma", "beta", "inverse"],
)
def test_samplers_draw_their_law(law):
    """Kolmogorov's distance at 2e-8; the planted bug, a tenth more of the first parameter, is seen."""
    rng = np.random.default_rng(3)
    limit = math.sqrt(math.log(2 / 2e-8) / 2 / RUNS)

    def distance(drawn, meant):
        if isinstance(meant, GammaLaw):
            values, cdf = drawn.simulate(rng, RUNS), stats.gamma(meant.shape, scale=1 / meant.rate).cdf
        elif isinstance(meant, BetaLaw):
            values, cdf = 1 / (1 + np.exp(-drawn.simulate(rng, RUNS))), stats.beta(meant.a, meant.b).cdf
        else:
            w = 2 * math.sqrt(meant.a * meant.b)
            values = drawn.simulate(rng, RUNS)
            cdf = stats.geninvgauss(meant.p, w, scale=math.sqrt(meant.b / meant.a)).cdf
        return stats.kstest(values, cdf).statistic

    assert distance(law, law) < limit
    first = next(iter(law.__dataclass_fields__))
    assert distance(type(law)(**{**vars(law), first: getattr(law, first) * 1.3}), law) > limit


def test_quadrature_sees_a_planted_constant():
    law = GammaLaw(3.0, 1.0).by_logarithm()
    assert kl_on_line(law.log_density, lambda y: law.log_density(y) - 1e-6) == pytest.approx(1e-6, rel=1e-6)


# -- the lemmas --------------------------------------------------------------------------------------------------------


def test_c_of_beta_priors_is_twice_the_density_at_a_half_and_the_limit_of_small_levels():
    for alpha in (0.5, 1.0, 2.0, 10.0, 200.0):
        family = Bits(alpha)
        assert family.c == pytest.approx(2 * stats.beta(alpha, alpha).pdf(0.5) / 4, rel=1e-10)
        rates = [-math.log(family.outside(level)) / level for level in np.geomspace(1e-5, 3.0, 60)]
        assert np.all(np.diff(rates) > -1e-9)  # −ln Pr(|η| > L) is convex, so that its least slope is the first
        assert rates[0] == pytest.approx(family.c, rel=1e-4)
    assert Bits(1.0).c == pytest.approx(0.5)
    assert Bits(1e4).c / 100 == pytest.approx(1 / math.sqrt(math.pi), rel=1e-4)


def test_no_level_below_ln_n_is_in_a_binomials_reach():
    for n in (2, 7):
        logs = [math.log(math.comb(n, k)) for k in range(n + 1)]
        for eta in (0.0, -0.4, 3.0):
            slopes = [abs(logs[k + 1] - logs[k] + eta) for k in range(n)]
            assert max(slopes) == pytest.approx(families.binomial_lipschitz(eta, n))


def test_masses_by_draws_of_the_prior():
    """The share of draws with L(θ) ≤ L; each fails by chance with 4e-8, and the printed Lemma 6 is far off."""
    rng = np.random.default_rng(5)
    rate, level = 1.7, 0.8
    theta = rng.exponential(1 / rate, RUNS)
    for family in (Exponential(rate), Laplace(rate), NormalPrecision(rate, 2.0), NormalVariance(rate, 2.0)):
        share = np.mean([family.lipschitz(t) <= level for t in theta])
        spread = ERROR_RATE * math.sqrt(family.mass(level) * (1 - family.mass(level)) / RUNS)
        assert abs(share - family.mass(level)) < spread
        if hasattr(family, "c"):
            assert family.mass(level) == pytest.approx(-math.expm1(-family.c * level))
        else:
            assert share + spread < -math.expm1(-rate * level)


@pytest.mark.parametrize("name", networks.NETWORKS)
def test_networks_by_their_own_products(name):
    """Probabilities by multiplying tables; the random insides of [ε, 1−ε] are below the corners."""
    network, rng = networks.NETWORKS[name], np.random.default_rng(1)
    inside = rng.uniform(0.1, 0.9, len(network.rows))
    tables = dict(zip(network.rows, inside, strict=True))
    for outcome, log_p in zip(network.outcomes, network.log_probabilities(inside), strict=True):
        factors = [tables[k, tuple(outcome[j] for j in mine)] for k, mine in enumerate(network.parents)]
        exact = math.prod(p if bit else 1 - p for p, bit in zip(factors, outcome, strict=True))
        assert math.exp(log_p) == pytest.approx(exact, rel=1e-12)
    for weighted in (True, False):
        largest, _ = networks.smallest_lipschitz(network, 0.1, weighted=weighted)
        logs, metric = network.log_probabilities(inside), network.weighted if weighted else network.hamming
        for (i, x), (j, y) in product(enumerate(network.outcomes), repeat=2):
            assert i == j or abs(logs[i] - logs[j]) <= largest * metric(x, y) * (1 + 1e-12)
    assert largest == pytest.approx({"independent": 1, "B←A→C": 3}.get(name, 2) * math.log(9))


def test_network_posteriors_by_polynomials():
    """KL of A → B from exact integrals of p^a (1−p)^b over [ε, 1−ε], in mpmath."""
    epsilon, x, y = 0.1, [(0, 0), (0, 1), (1, 1)], [(0, 0), (0, 1), (0, 1)]
    p, q = networks.EDGE.posterior(x, epsilon), networks.EDGE.posterior(y, epsilon)
    total = mpmath.mpf(0)
    for a, b, c, d in zip(p.a, p.b, q.a, q.b, strict=True):
        f, g = (lambda t, a=a, b=b: t ** (a - 1) * (1 - t) ** (b - 1) for a, b in ((a, b), (c, d)))
        z, w = (mpmath.quad(h, [epsilon, 1 - epsilon]) for h in (f, g))
        total += mpmath.quad(lambda t: f(t) / z * mpmath.log(f(t) / z * w / g(t)), [epsilon, 1 - epsilon])  # noqa: B023
    assert p.kl(q) == pytest.approx(float(total), rel=1e-9)
    assert p.kl_by_quadrature(q) == pytest.approx(float(total), rel=1e-9)


# -- the theorems ------------------------------------------------------------------------------------------------------


def test_theorem_1_ii_holds_for_an_exponential_family_just_to_three_records():
    """(n+1)(1 − ln(1+r)/r)/κ rises to (n+1)/κ in r = ρ/λ, and the other way round is less."""
    r = np.geomspace(1e-4, 1e8, 4000)
    for n in range(1, 8):
        still = GammaLaw(n + 1.0, 1.0)
        there = np.array([still.kl(GammaLaw(n + 1.0, 1.0 + x)) for x in r])
        assert np.all(np.array([GammaLaw(n + 1.0, 1.0 + x).kl(still) for x in r]) <= there * (1 + 1e-9) + 1e-12)
        assert bool(np.any(there > KAPPA * r)) == (n >= 4)
        assert np.all(there <= (n + 1) * r)


def test_nine_zeros_one_of_which_becomes_five():
    family = Exponential(1.0)
    p, q = family.posterior([0.0] * 9), family.posterior([0.0] * 8 + [5.0])
    assert p.kl(q) == pytest.approx(10 * (5 - math.log(6)))
    assert p.kl(q) > 32.08 > 24.56 > KAPPA * 5


def test_theorem_2_ii_fails_first_with_122_records():
    """Over a fine grid of r = ρ/λ up to 2/κ, where the bound reaches 1."""
    r = np.linspace(1e-4, 2 / KAPPA, 3000)
    for n, fails in ((1, False), (60, False), (121, False), (122, True), (399, True)):
        still = GammaLaw(n + 1.0, 1.0)
        gap = [still.total_variation(GammaLaw(n + 1.0, 1.0 + x)) - math.sqrt(KAPPA * x / 2) for x in r]
        assert (max(gap) > 0) == fails
    still, moved = GammaLaw(400.0, 1.0), GammaLaw(400.0, 1.1)
    assert still.total_variation(moved) == pytest.approx(0.65933, abs=1e-5)
    assert bounds.total_variation(KAPPA, 0.1) == pytest.approx(0.49552, abs=1e-5)


def test_bits_fail_first_with_116_records():
    """All zeros to all ones: n(ψ(n+α) − ψ(α)) against κn/c(α), the worst pair of any, over α."""
    alphas = np.linspace(1.0, 120.0, 2000)
    c = np.array([Bits(a).c for a in alphas])
    for n, fails in ((50, False), (115, False), (116, True)):
        assert bool(np.any(n * (digamma(n + alphas) - digamma(alphas)) > KAPPA * n / c)) == fails
    family = Bits(29.0)
    for n in (115, 116):
        pairs = [(k, m) for k, m in product(range(n + 1), repeat=2) if k != m]
        shares = [family.counted(k, n).kl(family.counted(m, n)) / abs(k - m) for k, m in pairs]
        assert max(shares) == pytest.approx(family.counted(0, n).kl(family.counted(n, n)) / n, rel=1e-12)
        assert (max(shares) > KAPPA / family.c) == (n == 116)


def test_the_corrected_bound_holds_for_random_finite_families():
    """Any prior, any likelihoods: KL both ways against ρ(E[L|x] + E[L|y]) with L(θ) = |ln p_θ(x)/p_θ(y)|/ρ."""
    rng = np.random.default_rng(7)
    nearest = 0.0
    for _ in range(3000):
        prior = rng.dirichlet(np.full(4, 0.3)) + 1e-300
        x, y = np.exp(rng.normal(0, 3, (2, 4)))
        p, q = (prior * at / np.sum(prior * at) for at in (x, y))
        lipschitz = np.abs(np.log(x / y))
        kl = float(np.sum(p * np.log(p / q)))
        bound = bounds.corrected_kl(1.0, float(p @ lipschitz), float(q @ lipschitz))
        assert kl <= bound * (1 + 1e-9) + 1e-12
        nearest = max(nearest, kl / bound)
    assert nearest > 0.5


# -- the adversary -----------------------------------------------------------------------------------------------------


def test_errors_by_enumeration_and_by_total_variation():
    for p, q, n in ((0.3, 0.5, 4), (0.9, 0.1, 3), (0.2, 0.2, 2), (1.0, 0.4, 3), (0.0, 0.4, 3), (1.0, 0.0, 2)):
        exact = 0.0
        for bits in product((0, 1), repeat=n):
            one, other = (math.prod(r if bit else 1 - r for bit in bits) for r in (p, q))
            exact += min(one, other) / 2
        assert adversary.coin_error(p, q, n) == pytest.approx(exact, abs=1e-15)
    p, q = GammaLaw(3.0, 1.0), GammaLaw(3.0, 1.6)
    assert adversary.gamma_error(p, q, 1) == pytest.approx((1 - p.total_variation(q)) / 2, rel=1e-10)
    p, q = BetaLaw(2.0, 4.0), BetaLaw(3.0, 3.0)
    assert adversary.beta_error(p, q, 1) == pytest.approx((1 - p.total_variation(q)) / 2, rel=1e-10)
    assert adversary.gamma_error(p=GammaLaw(2.0, 1.0), q=GammaLaw(2.0, 1.0), draws=5) == 0.5


def test_two_draws_by_integration():
    """½∫∫ min(p⊗p, q⊗q) on a grid."""
    p, q = BetaLaw(2.0, 4.0), BetaLaw(4.0, 2.0)
    eta, step = np.linspace(-30, 30, 3001, retstep=True)
    dense = [np.exp(law.by_logit().log_density(eta)) for law in (p, q)]
    exact = float(np.minimum(*(np.outer(d, d) for d in dense)).sum()) * step**2 / 2
    assert adversary.beta_error(p, q, 2) == pytest.approx(exact, abs=1e-5)
    p, q = GammaLaw(3.0, 1.0), GammaLaw(3.0, 2.0)
    dense = [np.exp(law.by_logarithm().log_density(eta)) for law in (p, q)]
    exact = float(np.minimum(*(np.outer(d, d) for d in dense)).sum()) * step**2 / 2
    assert adversary.gamma_error(p, q, 2) == pytest.approx(exact, abs=1e-5)


def test_small_errors_of_betas_keep_their_digits():
    """Symmetric Betas: e^{nK(t)} at the saddle bounds the error, and its logarithm is near for many draws."""
    p, q = BetaLaw(1.0, 2.0), BetaLaw(2.0, 1.0)
    exponent = math.log(math.gamma(1.5) ** 2 / math.gamma(2.0))
    for n in (10, 100, 1000):
        assert n * exponent - 8 < math.log(adversary.beta_error(p, q, n)) < n * exponent


def test_no_test_beats_the_floor_of_assumption_1():
    """Random finite posteriors whose log-ratio ranges over 2nLρ, here by one draw and nLρ = r/2."""
    rng = np.random.default_rng(2)
    for _ in range(500):
        span = rng.uniform(0.1, 6.0)
        loss = rng.uniform(0, span, 5)
        q = rng.dirichlet(np.full(5, 0.5))
        p = q * np.exp(loss) / np.sum(q * np.exp(loss))
        assert (1 - np.abs(p - q).sum() / 2) / 2 >= adversary.least_error(span / 2, 1.0, 1) * (1 - 1e-12)
    p = 1 / (1 + math.exp(1.5))
    assert adversary.coin_error(p, 1 - p, 1) == pytest.approx(adversary.least_error(1.5, 1.0, 1))
    # So Theorem 3's distance is necessary where 1 − δ ≥ δ^{1/4}.
    for delta in (1e-12, 1e-3, 0.0625, 0.2755):
        assert math.log((1 - delta) / delta) >= 0.75 * math.log(1 / delta)
    assert math.log((1 - 0.3) / 0.3) < 0.75 * math.log(1 / 0.3)


def test_simulated_errors_count_ties_by_half_and_distances_of_theorem_3():
    error, spread = adversary.simulated_error(np.array([1.0, -1.0, 0.0, 2.0]), np.array([-1.0, -2.0, 0.0, 0.0]))
    assert error == pytest.approx((1.5 / 4 + 1.0 / 4) / 2)
    assert spread > 0
    assert bounds.distance_lipschitz(2.0, 10, 0.01) == pytest.approx(3 / 80 * math.log(100))
    assert bounds.distance_relaxed(2.0, KAPPA, 10, 0.01) == pytest.approx(6 / (20 * KAPPA) * math.log(100))


# -- the mechanism -----------------------------------------------------------------------------------------------------

THREE = FinitePosterior(((0.2, 0.5, 0.3), (0.6, 0.1, 0.3), (0.25, 0.25, 0.5)), (1.0, 0.25, 2.0))


def test_posterior_and_promise_by_enumeration():
    """Every pair of neighbours of up to three records, every event."""
    lipschitz = max(math.log(max(row) / min(row)) for row in THREE.likelihoods)
    assert THREE.guarantee.epsilon == pytest.approx(2 * lipschitz, rel=1e-12)
    assert THREE.guarantee.epsilon >= 2 * math.log(6)
    events = np.array(list(product((0, 1), repeat=3)))[1:]
    for rest in product(range(3), repeat=2):
        masses = []
        for last in range(3):
            likelihood = [math.prod(row[o] for o in (*rest, last)) for row in THREE.likelihoods]
            posterior = np.array(THREE.prior) * likelihood
            counts = np.bincount([*rest, last], minlength=3)
            np.testing.assert_allclose(np.exp(THREE.log_probabilities(counts)), posterior / posterior.sum(), rtol=1e-12)
            masses.append(events @ (posterior / posterior.sum()))
        for p, q in product(masses, repeat=2):
            assert np.all(p <= math.exp(THREE.guarantee.epsilon) * q)


def test_the_promise_grows_with_the_distance_and_is_never_below_its_enclosure():
    for distance in (1, 2, 7):
        promised = THREE.guarantee_at(distance)
        assert promised.epsilon >= promised.enclosure.upper
        assert promised.epsilon == pytest.approx(2 * distance * math.log(6), rel=1e-14)
    assert THREE.lipschitz >= math.log(6) - 1e-15


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 5.0, 60.0])
def test_calibrated_coins(epsilon):
    assert epsilon * (1 - 1e-6) <= FinitePosterior.calibrate(epsilon=epsilon).guarantee.epsilon <= epsilon
    assert FinitePosterior.calibrate(epsilon=1e-18).guarantee.epsilon == 0.0  # two coins that are one


def test_releases_follow_the_posterior():
    """χ² of 20 000 exact draws at 1e-7; the prior alone, which ignores the data, is seen."""
    counts = [3, 1, 0]
    drawn = np.bincount(np.asarray(THREE.release(counts, 20_000)).astype(int), minlength=3)
    simulated = np.bincount(THREE.simulate(counts, np.random.default_rng(1), 20_000), minlength=3)
    expected = 20_000 * np.exp(THREE.log_probabilities(counts))
    limit = stats.chi2(2).isf(1e-7)
    for found in (drawn, simulated):
        assert float(np.sum((found - expected) ** 2 / expected)) < limit
        prior = 20_000 * np.array(THREE.prior) / sum(THREE.prior)
        assert float(np.sum((found - prior) ** 2 / prior)) > limit
    assert THREE.release(counts).shape == ()
    assert THREE.log_density(1, counts) == THREE.log_probabilities(counts)[1]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FinitePosterior(((0.5, 0.5),), (1.0, 1.0)), "give one each"),
        (lambda: FinitePosterior(((0.5, 0.5), (1.0,)), (1.0, 1.0)), "several lengths"),
        (lambda: FinitePosterior(((0.0, 1.0),), (1.0,)), "above 0"),
        (lambda: FinitePosterior(((0.5, 0.5),), (0.0,)), "finite weights above 0"),
        (lambda: FinitePosterior.calibrate(epsilon=0.0), "above 0 and up to 60"),
        (lambda: THREE.release([1, 2]), "the outcomes are 3"),
        (lambda: THREE.release([1, 2, -1]), "whole numbers"),
        (lambda: THREE.release([1, 2, 3], 0), "1 or more"),
        (lambda: Exponential(0.0), "finite number above 0"),
        (lambda: Bits(math.inf), "finite number above 0"),
        (lambda: networks.Network(((1,), ())), "come before it"),
        *((partial(THREE.guarantee_at, d), "replaced records, 1 or") for d in (0.5, 0, -1, 1.5, math.nan, math.inf)),
    ],
)
def test_bad_input_is_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 10.0])
def test_the_exposure_spends_its_promise_and_shows_its_lies(epsilon):
    one_sided, even = audit_cases.audit_cases(2.0, epsilon)
    spent = max(laws.max_divergence(one_sided.laws[a], one_sided.laws[b]) for a, b in one_sided.neighbours)
    assert 0.95 * epsilon < spent <= epsilon * (1 + 1e-9)
    assert even.loose
    honest = one_sided.lies["weight"](1.0)
    for name, law in one_sided.laws.items():
        np.testing.assert_allclose(law.log_mass, honest[name].log_mass, rtol=1e-9, atol=1e-12)
    lied = one_sided.lies["weight"](2.0)
    assert max(laws.max_divergence(lied[a], lied[b]) for a, b in one_sided.neighbours) > 1.5 * epsilon


@pytest.mark.parametrize("n", [2, 17, 60, 115])
def test_of_all_pairs_of_counts_the_ends_are_worst(n):
    """KL(k ‖ k′)/|k − k′| from the cumulant function ln Γ(α+k) + ln Γ(α+n−k) and its derivative, and nothing else."""
    k = np.arange(n + 1.0)
    for alpha in (0.05, 0.5, 1.0, 5.0, 29.0, 300.0):
        cumulant = special.gammaln(alpha + k) + special.gammaln(alpha + n - k)
        slope = special.digamma(alpha + k) - special.digamma(alpha + n - k)
        step = np.subtract.outer(k, k).T
        kl = np.subtract.outer(cumulant, cumulant).T - step * slope[:, np.newaxis]
        share = kl[step != 0] / np.abs(step[step != 0])
        ends = special.digamma(n + alpha) - special.digamma(alpha)
        assert share.max() <= ends * (1 + 1e-9)
        assert kl[0, n] == pytest.approx(n * ends, rel=1e-9)
        assert Bits(alpha).counted(0, n).kl(Bits(alpha).counted(n, n)) == pytest.approx(kl[0, n], rel=1e-9)
