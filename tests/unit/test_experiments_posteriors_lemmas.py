"""The lemmas and limits of thesis chapters 3 and 4: each number by a second route, and each claim can fall."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import linprog

import tables
from reproduction.claims import MISPRINT, REFUTED, REPRODUCED, UNTESTABLE, WRONG
from reproduction.experiments.foundations import preliminaries as general
from reproduction.experiments.foundations.preliminaries import table as enumerated
from reproduction.experiments.posteriors import approximate_samplers as near
from reproduction.experiments.posteriors import family_lemmas as family
from reproduction.experiments.posteriors import laplace_approximation as laplace
from reproduction.experiments.posteriors import posterior_limits as limits
from reproduction.experiments.posteriors import tempering
from reproduction.experiments.posteriors.approximate_samplers.table import mechanisms
from reproduction.experiments.posteriors.laplace_approximation import table as terms
from reproduction.experiments.posteriors.tempering import table as tempered

SMALL = {
    "family_lemmas": {"sizes": [10, 100]},
    "laplace_approximation": {"sizes": [1, 10, 100, 1000]},
    "posterior_limits": {"sizes": [1, 100, 10000]},
    "tempering": {"sizes": [3, 300], "temperatures": [1, 2, 5, 20]},
    "approximate_samplers": {"lengths": [1, 100, 100000]},
    "preliminaries": {"pairs": 40, "sizes": [2, 10], "counts": [1, 10, 100]},
}
LAPLACE_MISPRINTS = {"eq4.28", "eq4.47-dimension", "eq4.59"}
FALSE = {  # misprints, and what is wrong
    "family_lemmas": ({"normalizer", "def8"}, {"def7", "lemma8", "eq4.30", "eq4.31", "eq4.44", "cor2-projection"}),
    "laplace_approximation": (LAPLACE_MISPRINTS, {"determinant", "eq4.46", "eq4.47", "eq4.52", "eq4.55"}),
    "posterior_limits": ((), {"thm4-posterior", "thm4-law", "thm5-posterior", "thm5-law", "ratio"}),
    "tempering": ({"thm3-difference", "base-measure"}, {"hotter-mixes"}),
    "approximate_samplers": ((), ()),
    "preliminaries": ({"randomized"}, {"publish-one-alone"}),
}


@pytest.fixture(scope="module")
def made():
    return {name: tables.made(name, **changes) for name, changes in SMALL.items()}


def rows(table, statement, case=None):
    found = table[(table["statement"] == statement) & ((table["case"] == case) | (case is None))]
    assert len(found)
    return found


@pytest.mark.parametrize("name", SMALL)
def test_every_claim_but_those_of_the_errata_is_reproduced(made, name):
    found = tables.verdicts(name, made[name])
    misprints, wrong = FALSE[name]
    expected = dict.fromkeys(misprints, MISPRINT) | dict.fromkeys(wrong, WRONG)
    assert {claim: verdict for claim, verdict in found.items() if verdict != REPRODUCED} == expected


PLANTED = [  # experiment, statement, column, what it becomes, claim, verdict
    ("family_lemmas", family.NORMALIZER, "right", lambda x: x + 1e-6, "normalizer", REFUTED),
    ("family_lemmas", family.LINEAR, "right", lambda x: 1.0, "def7", REFUTED),
    ("family_lemmas", family.AFFINE, "right", lambda x: 1.0 - x, "def8", REFUTED),
    ("family_lemmas", family.GRADIENT, "printed", lambda x: 1.00001 * x, "lemma5-gradient", REFUTED),
    ("family_lemmas", family.HESSIAN, "printed", lambda x: -x, "lemma5-hessian", REFUTED),
    ("family_lemmas", family.SEGMENT, "right", lambda x: x / 2.0, "lemma8", REFUTED),
    ("family_lemmas", family.SEGMENT, "exact", lambda x: x / 1e3, "lemma8", REPRODUCED),
    ("family_lemmas", family.MODE, "exact", lambda x: x + 1e-6, "lemma9", REFUTED),
    ("family_lemmas", family.QUADRATIC, "exact", lambda x: 3.0 * x + 0.2, "eq4.29", REFUTED),
    ("family_lemmas", family.NORM_SQUARED, "exact", lambda x: x + 0.5, "eq4.31", REFUTED),
    ("family_lemmas", family.INVERSE_SQUARED, "exact", lambda x: 0.0 * x, "eq4.30-squared", REFUTED),
    ("family_lemmas", family.CONVEX, "exact", lambda x: 0.9 * x, "eq4.44", REFUTED),
    ("family_lemmas", family.REDUCED, "right", lambda x: 0.9 * x, "cor12", REFUTED),
    ("family_lemmas", family.PROJECTED, "exact", lambda x: 0.0 * x, "cor2-projection", REFUTED),
    ("laplace_approximation", laplace.INTEGRAL, "right", lambda x: 2.0 * x, "eq4.28", REFUTED),
    ("laplace_approximation", laplace.SIGN, "exact", abs, "determinant", REPRODUCED),
    ("laplace_approximation", laplace.EXPONENT, "right", lambda x: 1.01 * x, "eq4.46", REFUTED),
    ("laplace_approximation", laplace.CORRECTION, "right", lambda x: 1.5 * x, "eq4.47", REFUTED),
    ("laplace_approximation", laplace.SLOPE, "right", lambda x: x + 1e-3, "eq4.52", REFUTED),
    ("laplace_approximation", laplace.CURVATURE, "right", lambda x: 1.1 * x, "eq4.55", REFUTED),
    ("laplace_approximation", laplace.REMAINDER, "right", lambda x: 0.0 * x, "eq4.59", REFUTED),
    ("laplace_approximation", laplace.COVARIANCE, "exact", lambda x: 1.1 * x, "lemma10", REFUTED),
    ("posterior_limits", limits.SPREAD, "exact", lambda x: 1.1 * x, "thm4-posterior", REFUTED),
    ("posterior_limits", limits.SPREAD, "printed", lambda x: 0.0 * x + 1.0, "thm4-posterior", REPRODUCED),
    ("posterior_limits", limits.DISTANCE_RIGHT, "exact", lambda x: x + 0.1, "thm5-law", REFUTED),
    ("posterior_limits", limits.DRAW, "exact", lambda x: x + 0.1, "sampling-2", REFUTED),
    ("posterior_limits", limits.RATIO_OF_DRAWS, "exact", lambda x: x + 0.1, "ratio-draws", REFUTED),
    ("posterior_limits", limits.DIVERGENCE, "exact", lambda x: 0.0 * x + 1.0, "p-interior", REFUTED),
    ("posterior_limits", limits.USEFUL, "exact", lambda x: x + 0.1, "counts-large", REFUTED),
    ("tempering", tempering.COST, "exact", lambda x: 3.0 * x, "thm3", REFUTED),
    ("tempering", tempering.PARTITION, "exact", lambda x: 1.1 * x, "two-terms-partition", REFUTED),
    ("tempering", tempering.RELAXED, "exact", lambda x: 0.0 * x + 1.0, "hotter-mixes", REPRODUCED),
    ("tempering", tempering.MOVED, "exact", lambda x: -x, "hotter-moves", REFUTED),
    ("approximate_samplers", near.NEAR, "exact", lambda x: 2.1 * x, "prop3", REFUTED),
    ("approximate_samplers", near.LANGEVIN, "exact", lambda x: x + 0.1, "sgld", REFUTED),
    ("approximate_samplers", near.UPDATE, "exact", lambda x: 1.1 * x, "eq4.19", REFUTED),
    ("approximate_samplers", near.RESAMPLED, "exact", lambda x: 1.1 * x, "resample", REFUTED),
    ("preliminaries", general.ODDS, "printed", lambda x: x + 0.1, "eq3.5", REFUTED),
    ("preliminaries", general.SUFFICIENT, "exact", lambda x: x + 0.5, "sufficient", REFUTED),
    ("preliminaries", general.PUBLISHED, "exact", lambda x: 2.0 * x, "publish-one", REFUTED),
    ("preliminaries", general.ADAPTIVE, "exact", lambda x: 2.0 * x + 0.1, "obs2", REFUTED),
    ("preliminaries", general.PROCESSED, "exact", lambda x: x + 9.0, "obs3", REFUTED),
    ("preliminaries", general.GRID, "exact", lambda x: 1.1 * x, "finite-orders", REFUTED),
    ("preliminaries", general.WHOLE, "printed", lambda x: x / 2.0, "tighter-sound", REFUTED),
]


@pytest.mark.parametrize(("name", "statement", "column", "becomes", "claim", "verdict"), PLANTED)
def test_a_claim_falls_with_its_numbers(made, name, statement, column, becomes, claim, verdict):
    other = tables.changed(made[name], made[name]["statement"] == statement, **{column: becomes})
    assert tables.verdicts(name, other)[claim] == verdict


# -- section 4.6: families ---------------------------------------------------------------------------------------------


def test_lemma_8_by_mpmath(made):
    """KL of Beta(60, 90) from Beta(50, 100) by its closed form, and the Hessian's norm by derivatives of ln Γ."""
    row = rows(made["family_lemmas"], family.SEGMENT, "Beta, η = (50, 150)").query("at == 10").iloc[0]
    kl = mpmath.log(mpmath.beta(50, 100) / mpmath.beta(60, 90)) + 10 * (mpmath.digamma(60) - mpmath.digamma(90))
    assert row["exact"] == pytest.approx(float(kl), rel=1e-10)

    def norm(t):
        one, other, both = (mpmath.diff(mpmath.digamma, x) for x in (50 + t, 100 - t, 150))
        trace, minor = one + 2 * other - both, (one + other) * (other - both) - other**2
        return float((trace + mpmath.sqrt(trace**2 - 4 * minor)) / 2)

    assert row["printed"] == pytest.approx(10.0 * max(norm(t) for t in np.linspace(0.0, 10.0, 41)), rel=1e-6)
    assert row["printed"] < row["exact"] < row["right"]


def test_eq_4_31_in_exact_binomials(made):
    """|k − 5000| ≥ ν/4 of ten thousand flips as printed, |k − 5000| ≥ 50 √ν with the square, ν = 10."""
    table = made["family_lemmas"]
    for statement, least in ((family.NORM, 3), (family.NORM_SQUARED, math.ceil(50 * math.sqrt(10)))):
        inside = sum(math.comb(10_000, k) for k in range(5000 - least + 1, 5000 + least))
        exact = float(1 - Fraction(inside, 2**10_000))
        assert rows(table, statement, "a coin").query("at == 10")["exact"].item() == pytest.approx(exact, rel=1e-8)


def test_definition_7_lets_in_a_family_without_a_normalizer(made):
    """With S = (x, 1 − x) the conjugate density does not change along (1, 1), where its integral is without end."""
    row = rows(made["family_lemmas"], family.LINEAR, "(x, 1 − x) of {0, 1}").iloc[0]
    assert (row["exact"], row["printed"], row["right"]) == (0.0, 1.0, 0.0)
    log = [6.0 * (1.0 + t) + 12.0 * (0.5 + t) - 18.0 * np.logaddexp(1.0 + t, 0.5 + t) for t in (0.0, 10.0, 1000.0)]
    assert np.ptp(log) < 1e-9


def test_the_chance_of_a_projection_by_simulation(made):
    rng = np.random.default_rng(6)
    drawn = rng.binomial(10, 0.3, 400_000) + rng.laplace(0.0, 2.0, 400_000) < 0
    row = rows(made["family_lemmas"], family.PROJECTED).query("at == 10").iloc[0]
    assert abs(drawn.mean() - row["exact"]) < 4.0 * drawn.std() / math.sqrt(drawn.size)


# -- Laplace's method --------------------------------------------------------------------------------------------------


def test_the_first_correction_of_the_beta_function_is_that_of_stirling():
    """(1/a + 1/b − 1/(a + b))/12, and of every Dirichlet likewise."""
    for y in terms.SYSTEMS.values():
        a = terms.counts(np.array(y))
        stirling = (np.sum(1.0 / a) - 1.0 / a.sum()) / 12.0
        assert terms.first_order(*terms.cumulants(np.array(y))) == pytest.approx(stirling, rel=1e-12)
    assert [len(list(terms.pairings("abcdef"[:order]))) for order in (2, 4, 6)] == [1, 3, 15]


def test_the_derivatives_of_z_are_differences_of_mpmath():
    psi = np.array([1.0, 3.0])

    def z(one, two):
        a, b, n = one, two - one, two
        main = mpmath.sqrt(2 * mpmath.pi * n / (a * b)) * mpmath.e ** (a * mpmath.log(a / n) + b * mpmath.log(b / n))
        return mpmath.beta(a, b) / main

    value, gradient, hessian = terms.derivatives_of_z(psi)
    assert value == pytest.approx(float(z(*psi)), rel=1e-12)
    for i, j in itertools.product(range(2), repeat=2):
        orders = [(i == axis) + (j == axis) for axis in range(2)]
        assert hessian[i, j] == pytest.approx(float(mpmath.diff(z, tuple(psi), tuple(orders))), rel=1e-6)
        assert gradient[i] == pytest.approx(float(mpmath.diff(z, tuple(psi), (int(i == 0), int(i == 1)))), rel=1e-8)


def test_the_laplace_approximation_by_quadrature(made):
    """∫ e^(k(θ − 3 ln(1 + e^θ))) dθ at k = 10, and its logarithm's slope in ψ¹."""

    def f(psi):
        return quad(lambda t: math.exp(psi * t - 30.0 * np.logaddexp(0.0, t)), -30.0, 30.0, epsabs=0, epsrel=1e-12)[0]

    table = made["laplace_approximation"]
    row = rows(table, laplace.EXPONENT, "Bernoulli").query("k == 10").iloc[0]
    assert row["exact"] == pytest.approx(math.log(f(10.0)), rel=1e-10)
    slope = (math.log(f(10.01)) - math.log(f(9.99))) / 0.02
    assert rows(table, laplace.SLOPE, "∂1").query("k == 10")["exact"].item() == pytest.approx(slope, abs=1e-5)


@pytest.mark.parametrize("name", ["laplace_approximation", "posterior_limits"])
def test_without_large_sizes_no_limit_is_judged(name):
    assert tables.verdicts(name, tables.made(name, sizes=[1, 10])) == {"limits": UNTESTABLE}


# -- limits of posteriors ----------------------------------------------------------------------------------------------


def test_limits_of_posteriors_by_simulation(made):
    """Variances and draws of 4000 data sets of 100 records, by scipy's laws alone."""
    rng, n, p, a0 = np.random.default_rng(8), 100, 0.3, 0.05
    t = 2.0 * math.log(19.0)
    k = rng.binomial(n, p, 4000)
    unit = n / (p * (1.0 - p))
    cold = stats.beta(k + 1.0, n - k + 1.0)
    hot = stats.beta(k / t + 1.0, (n - k) / t + 1.0)
    low, high = hot.cdf(a0), hot.cdf(1.0 - a0)
    draws = hot.ppf(low + rng.uniform(size=(200, 4000)) * (high - low))
    table = made["posterior_limits"].query("n == 100")
    for case, variances in ((limits.POSTERIOR, cold.var()), (limits.TEMPERED, draws.var(axis=0, ddof=1))):
        error = unit * variances.std() / math.sqrt(len(k))
        assert abs(unit * variances.mean() - rows(table, limits.SPREAD, case)["exact"].item()) < 5.0 * error
    squares = unit * (draws[0] - p) ** 2
    found = rows(table, limits.DRAW, limits.TEMPERED)["exact"].item()
    assert abs(squares.mean() - found) < 5.0 * squares.std() / math.sqrt(len(k))


def test_the_divergence_at_the_edge_has_the_limit_of_gamma_laws(made):
    """At p = 0 the count is 0: KL → E[ln Γ(1) − ln Γ(a) + (a − 1)ψ(a)], a = 1 + max(Y, 0)."""

    def gap(y):
        a = 1.0 + y
        return float(mpmath.digamma(a) * y - mpmath.loggamma(a)) * math.exp(-y / 2.0) / 4.0

    limit = quad(gap, 0.0, 150.0, epsrel=1e-9)[0]
    found = rows(made["posterior_limits"], limits.DIVERGENCE, "p = 0").query("n == 10000")["exact"].item()
    assert found == pytest.approx(limit, rel=1e-3)


def test_distances_by_quadrature(made):
    """E of the total variation from the normal law that is right, at n = 1, of both data sets."""
    expected = 0.0
    for k, mass in ((0, 0.7), (1, 0.3)):
        law = stats.norm(float(k), math.sqrt(0.21))
        inside = quad(lambda x, k=k, law=law: abs(2.0 * (x if k else 1.0 - x) - law.pdf(x)), 0.0, 1.0, limit=200)[0]
        expected += mass * 0.5 * (inside + law.cdf(0.0) + law.sf(1.0))
    found = rows(made["posterior_limits"], limits.DISTANCE_RIGHT, limits.POSTERIOR).query("n == 1")["exact"].item()
    assert found == pytest.approx(expected, abs=1e-3)


# -- tempering ---------------------------------------------------------------------------------------------------------


def test_theorem_3_by_brute_force():
    """All data sets of 5 records and a grid of p; the level of the experiment is the largest over more."""
    a0, n = 0.2, 5
    p = np.linspace(a0, 1.0 - a0, 2001)
    logs = []
    for k in range(n + 1):
        density = p**k * (1.0 - p) ** (n - k)
        logs.append(np.log(density / np.trapezoid(density, p)))
    worst = max(float(np.abs(logs[k] - logs[k + 1]).max()) for k in range(n))
    assert worst < tempered.coin_level(a0) < 2.0 * math.log(4.0)
    assert tempered.densities_level(1.0) == pytest.approx(4.0, rel=1e-9)
    share = (1.0 - math.exp(-1.0)) / (math.e - math.exp(-1.0))
    assert share < 0.5  # two parts of this measure do not meet
    assert share * math.e + (1.0 - share) * math.exp(-1.0) == pytest.approx(1.0)


def test_kernels_leave_their_laws_and_relax_as_their_powers():
    for t in (1.0, 5.0):
        log = -np.array([0.0, tempered.COMMON, tempered.COMMON, tempered.RARE]) / t
        kernel, law = tempered.gibbs(log), tempered.softmax(log)
        np.testing.assert_allclose(law @ kernel, law, rtol=1e-12)
        steps = 400
        away = np.linalg.matrix_power(kernel, steps)[0] - law
        later = np.linalg.matrix_power(kernel, steps + 1)[0] - law
        values = np.sort(np.abs(np.linalg.eigvals(kernel)))
        assert tempered.relaxation(kernel, law) == pytest.approx(1.0 / (1.0 - values[-2]), rel=1e-8)
        assert np.abs(later).max() <= np.abs(away).max() + 1e-15
    log = 30.0 * np.log((np.arange(40) + 0.5) / 40)
    kernel, law = tempered.metropolis(log), tempered.softmax(log)
    np.testing.assert_allclose(law @ kernel, law, atol=1e-15)
    np.testing.assert_allclose(kernel.sum(axis=1), 1.0, rtol=1e-12)


# -- approximate samplers ----------------------------------------------------------------------------------------------


def test_proposition_3_by_linear_programming(made):
    """The most that laws within L1 distance δ of randomized response differ by on its first output."""
    p, q = mechanisms(1.0)["randomized response"]
    n, delta, growth = len(p), 0.1, math.e
    # Variables: p̃, q̃ and the absolute changes of each.
    gain = np.zeros(4 * n)
    gain[0], gain[n] = -1.0, growth
    above, limits_above = [], []
    for start, law in ((0, p), (n, q)):
        for j in range(n):
            for sign in (1.0, -1.0):
                row = np.zeros(4 * n)
                row[start + j], row[2 * n + start + j] = sign, -1.0
                above.append(row)
                limits_above.append(sign * law[j])
        total = np.zeros(4 * n)
        total[2 * n + start : 3 * n + start] = 1.0
        above.append(total)
        limits_above.append(delta)
    sums = np.zeros((2, 4 * n))
    sums[0, :n], sums[1, n : 2 * n] = 1.0, 1.0
    found = linprog(gain, A_ub=np.array(above), b_ub=limits_above, A_eq=sums, b_eq=[1.0, 1.0])
    row = rows(made["approximate_samplers"], near.NEAR, "randomized response, ε = 1").query("at == 0.1").iloc[0]
    assert -found.fun == pytest.approx(row["exact"], rel=1e-7)


def test_langevin_dynamics_by_simulation(made):
    """Four thousand chains of 100 steps with batches of ten, of records of mean ½ and variance 1."""
    rng, n, batch, chains = np.random.default_rng(3), 1000, 10, 4000
    precision = n + 1.0
    theta = rng.normal(0.0, 1.0, chains)
    for t in range(1, 101):
        h = 0.5 / precision * (1.0 + t / 10.0) ** -0.75
        centre = 0.5 * precision / n + rng.normal(0.0, 1.0, (chains, batch)).mean(axis=1)
        theta += 0.5 * h * (-theta + n * (centre - theta)) + math.sqrt(h) * rng.normal(size=chains)
    bias, spread = theta.mean() - 0.5, math.sqrt(precision) * theta.std()
    measured = math.hypot(math.sqrt(precision) * bias, spread - 1.0)
    found = rows(made["approximate_samplers"], near.LANGEVIN, near.DECREASING).query("at == 100")["exact"].item()
    assert abs(measured - found) < 5.0 * spread / math.sqrt(chains)


# -- chapters 1 and 3 --------------------------------------------------------------------------------------------------


def test_all_events_and_positive_parts_give_the_same_delta():
    rng = np.random.default_rng(1)
    for epsilon in (0.0, 0.4, 2.0):
        p, q = rng.dirichlet(np.ones(5), 2)
        one, other = enumerated.positive_parts(p, q, epsilon), enumerated.positive_parts(q, p, epsilon)
        assert enumerated.hockey_stick(p, q, epsilon) == pytest.approx(max(one, other), abs=1e-14)


def test_publishing_a_record_over_all_data_sets():
    """Every pair of neighbours of four bits, in fractions: δ is ¼ with the number and at most ¼ without."""
    n, worst, named = 4, Fraction(0), Fraction(0)
    for data in itertools.product((0, 1), repeat=n):
        for changed in range(n):
            other = [*data[:changed], 1 - data[changed], *data[changed + 1 :]]
            alone = [[Fraction(list(d).count(v), n) for v in (0, 1)] for d in (data, other)]
            worst = max(worst, sum(max(Fraction(0), a - b) for a, b in zip(*alone, strict=True)))
            laws = [{(i, x): Fraction(1, n) for i, x in enumerate(d)} for d in (data, other)]
            named = max(named, sum(max(Fraction(0), v - laws[1].get(o, Fraction(0))) for o, v in laws[0].items()))
    assert worst == named == Fraction(1, n)


def test_renyi_curves_by_quadrature():
    curves = enumerated.curves()
    for order in (1.5, 4.0, 16.0):
        p, q = stats.beta(37, 69), stats.beta(36, 70)
        total = quad(lambda x, o=order, p=p, q=q: math.exp(o * p.logpdf(x) + (1 - o) * q.logpdf(x)), 0.0, 1.0)[0]
        found = float(curves["Beta posteriors"](np.array([order]))[0])
        assert found == pytest.approx(math.log(total) / (order - 1.0), rel=1e-8)

        def ratio(x, o=order):
            return math.exp(-o * abs(x - 1.0) / 2.0 - (1.0 - o) * abs(x) / 2.0) / 4.0

        pieces = sum(quad(ratio, *part)[0] for part in ((-80.0, 0.0), (0.0, 1.0), (1.0, 80.0)))
        found = float(curves["Laplace"](np.array([order]))[0])
        assert found == pytest.approx(math.log(pieces) / (order - 1.0), rel=1e-7)


def test_the_worst_pairs_of_two_releases_compose_as_told(made):
    """1 − (1 − δ)² of two that leak with probability δ, at the sum of their levels."""
    for row in rows(made["preliminaries"], general.ADAPTIVE).itertuples():
        if row.case.startswith("leaking"):
            assert row.exact == pytest.approx(1.0 - 0.99**2, rel=1e-9)
