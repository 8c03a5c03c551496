"""The review's mechanisms of noise: exact levels by enumeration and quadrature, tails by other routes, exact releases.

Statistical tests say with which probability each fails by chance; the seeds of floats are fixed, and releases, which
have none, are judged at 1e-9.
"""

import math
from fractions import Fraction
from itertools import pairwise, product

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpsampling.errors import InputError
from dpsampling.foundations import tails
from dpsampling.foundations.noise import GaussianMechanism, LaplaceMechanism, classical_limit, classical_sigma
from dpsampling.foundations.randomized_response import RandomizedChoice, RandomizedResponse
from dpsampling.mechanisms.exponential import ExponentialMechanism
from dpsampling.mechanisms.known_laws import normal
from dpsampling.privacy.guarantee import Relation
from dpsampling.privacy.laws import delta as by_quadrature

CHANCE = 1e-9  # that a test of a release fails though all is right


# -- randomized response -----------------------------------------------------------------------------------------------


def report_probability(p, q, bits, reports):
    """Definition 3.1, bit by bit."""
    table = {(0, 0): 1 - p, (0, 1): p, (1, 0): q, (1, 1): 1 - q}
    return math.prod(table[pair] for pair in zip(bits, reports, strict=True))


@pytest.mark.parametrize(("p", "q"), [("1/4", "1/4"), ("1/2", "1/5"), ("9/10", "2/3"), ("1/2", "1/2"), ("1/7", "6/7")])
def test_the_level_is_the_largest_ratio_of_all_strings_and_reports(p, q):
    """Exactly, in rationals, at every distance that three bits have."""
    p, q = Fraction(p), Fraction(q)
    mechanism = RandomizedResponse(p, q)
    strings = list(product((0, 1), repeat=3))
    most = {}
    for one, other in product(strings, strings):
        d = sum(a != b for a, b in zip(one, other, strict=True))
        ratio = max(report_probability(p, q, one, y) / report_probability(p, q, other, y) for y in strings)
        most[d] = max(most.get(d, 0), ratio)
    assert most == {d: mechanism.ratio**d for d in range(4)}
    enclosure = mechanism.guarantee.enclosure
    with mpmath.workdps(40):
        exact = mpmath.log(mpmath.mpf(most[1].numerator) / most[1].denominator)
        assert enclosure.lower <= exact <= enclosure.upper <= mechanism.guarantee.epsilon
    assert mechanism.guarantee.relation is Relation.REPLACE_ONE


@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 1.0, 5.0, 30.0])
def test_calibrated_flips_keep_their_level_and_waste_nothing(epsilon):
    for mechanism in (RandomizedResponse.symmetric(epsilon), RandomizedResponse.asymmetric(epsilon)):
        assert mechanism.guarantee.epsilon <= epsilon
        assert mechanism.guarantee.epsilon == pytest.approx(epsilon, rel=1e-6 if epsilon < 1e-6 else 1e-12)


@pytest.mark.parametrize("outcomes", [2, 3, 5])
def test_a_choice_costs_epsilon_by_enumeration(outcomes):
    mechanism = RandomizedChoice(0.7, outcomes)
    law = np.exp([[mechanism.log_density([y], [x]) for y in range(outcomes)] for x in range(outcomes)])
    assert law.sum(axis=1) == pytest.approx(1.0)
    assert law[0, 0] == pytest.approx(math.exp(0.7) / (math.exp(0.7) + outcomes - 1))
    assert max(np.log(law[a] / law[b]).max() for a in range(outcomes) for b in range(outcomes)) == pytest.approx(0.7)
    assert mechanism.lie == pytest.approx(1 - law[0, 0])


def test_two_answers_of_a_choice_are_symmetric_bits():
    bits, choice = RandomizedResponse.symmetric(1.3), RandomizedChoice(1.3, 2)
    for x, y in product(product((0, 1), repeat=2), repeat=2):
        assert bits.log_density(y, x) == pytest.approx(choice.log_density(y, x), abs=1e-12)


def right_frequencies(counts, probabilities):
    """No count is further out than a chance of CHANCE among all of them."""
    total = sum(counts)
    below = stats.binom.cdf(counts, total, probabilities)
    return 2 * min(*below, *stats.binom.sf(np.subtract(counts, 1), total, probabilities)) * len(counts) > CHANCE


def test_released_bits_have_their_law_and_a_flip_the_wrong_way_would_be_seen():
    ones = np.asarray(RandomizedResponse(0.1, Fraction(1, 3)).release([0, 1], 3_000)).sum(axis=0)
    for count, chance in zip(ones, (0.1, 2 / 3), strict=True):
        assert right_frequencies([count, 3_000 - count], [chance, 1 - chance])
    assert not right_frequencies([ones[0], 3_000 - ones[0]], [1 / 3, 2 / 3])


def test_released_choices_have_their_law():
    mechanism = RandomizedChoice(1.0, 3)
    reports = np.asarray(mechanism.release([2, 0], 3_000))
    assert reports.shape == (3_000, 2)
    for column, truth in zip(reports.T, (2, 0), strict=True):
        law = [math.exp(mechanism.log_density([y], [truth])) for y in range(3)]
        assert right_frequencies(np.bincount(column.astype(int), minlength=3), law)
        assert not right_frequencies(np.bincount(column.astype(int), minlength=3), np.roll(law, 1))


def test_simulated_reports_have_the_law_of_released_ones():
    """20 000 draws of two answers: by chance this fails with probability 1e-9; the seed is fixed besides."""
    rng = np.random.default_rng(5)
    bits, choice = (RandomizedResponse(0.2, 0.4), (0, 1), 2), (RandomizedChoice(0.5, 4), (3, 1), 4)
    for mechanism, truth, outcomes in (bits, choice):
        drawn = mechanism.simulate(np.array(truth), rng, 20_000)
        pairs = list(product(range(outcomes), repeat=2))
        law = [math.exp(mechanism.log_density(pair, truth)) for pair in pairs]
        assert math.fsum(law) == pytest.approx(1.0)
        assert right_frequencies([int((drawn == pair).all(axis=1).sum()) for pair in pairs], law)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RandomizedResponse(0.0, 0.5), "p is 0"),
        (lambda: RandomizedResponse(0.5, 1.0), "q is 1"),
        (lambda: RandomizedResponse.symmetric(0.0), "epsilon is 0"),
        (lambda: RandomizedChoice(1.0, 1), "outcomes is 1"),
        (lambda: RandomizedChoice(math.inf, 2), "epsilon is inf"),
        (lambda: RandomizedResponse(0.1, 0.1).release([0, 2]), "bits holds 2"),
        (lambda: RandomizedResponse(0.1, 0.1).release([[0, 1]]), "bits has shape"),
        (lambda: RandomizedResponse(0.1, 0.1).release([]), "bits has shape"),
        (lambda: RandomizedChoice(1.0, 3).release([0.5]), "answers holds 0.5"),
        (lambda: RandomizedResponse(0.1, 0.1).release([0], np.random.default_rng(1)), "no generator"),
        (lambda: LaplaceMechanism(0.0, 1.0), "sensitivity is 0"),
        (lambda: LaplaceMechanism(1.0, math.inf), "epsilon is inf"),
        (lambda: LaplaceMechanism(1e300, 1e-300), "beyond all floats"),
        (lambda: LaplaceMechanism(1.0, 1.0, 0), "dimension is 0"),
        (lambda: LaplaceMechanism(1.0, 1.0, 2).release([1.0]), "give 2 numbers"),
        (lambda: GaussianMechanism(1.0, 1.0).release([math.nan]), "holds nan"),
        (lambda: GaussianMechanism(1.0, math.inf), "sigma is inf"),
        (lambda: GaussianMechanism.classical(1.0, 9.0, 1e-5), "use the analytic one"),
        (lambda: GaussianMechanism.classical(1.0, 1.0, 0.0), "delta is 0"),
        (lambda: GaussianMechanism.analytic(1.0, 1.0, 1.5), "delta is 1.5"),
        (lambda: GaussianMechanism.concentrated(1.0, 0.0), "rho is 0"),
    ],
)
def test_what_cannot_be_is_one_clear_sentence(make, words):
    with pytest.raises(InputError, match=words):
        make()


# -- noise -------------------------------------------------------------------------------------------------------------


def test_laplace_noise_costs_epsilon_times_distance_and_no_less():
    """Over a grid of outputs and of values up to L1 distance 3κ, in two dimensions."""
    mechanism = LaplaceMechanism(2.0, 0.3, 2)
    outputs = np.array(list(product(np.linspace(-9, 9, 37), repeat=2)))
    origin = mechanism.log_density(outputs, np.zeros(2))
    for shift in ([2.0, 0.0], [1.0, -1.0], [4.0, 0.0], [-1.5, 4.5]):
        loss = np.abs(origin - mechanism.log_density(outputs, shift)).max()
        assert loss == pytest.approx(0.3 * np.abs(shift).sum() / 2.0, rel=1e-12)
    assert mechanism.guarantee.epsilon == 0.3
    assert mechanism.guarantee.relation is Relation.ADD_OR_REMOVE_ONE


@pytest.mark.parametrize(("sensitivity", "epsilon"), [(1.0, 0.1), (3.0, 0.7), (1.0, 3.0)])
def test_the_scale_of_floats_is_not_below_that_of_the_release(sensitivity, epsilon):
    scale = LaplaceMechanism(sensitivity, epsilon).scale
    assert Fraction(scale) * Fraction(epsilon) >= Fraction(sensitivity)
    assert scale == pytest.approx(sensitivity / epsilon, rel=1e-15)


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 1e-5), (1.0, 0.1), (8.0, 1e-5), (0.0, 0.01)])
def test_the_analytic_sigma_keeps_its_promise_and_none_below_does(epsilon, delta):
    """By quadrature of two Gaussians, which knows no closed form of δ."""
    sigma = GaussianMechanism.analytic(1.0, epsilon, delta).sigma
    assert by_quadrature(normal(0.0, sigma), normal(1.0, sigma), epsilon) == pytest.approx(delta, rel=1e-7)
    less = sigma / (1 + 1e-6)
    assert by_quadrature(normal(0.0, less), normal(1.0, less), epsilon) > delta
    assert GaussianMechanism.analytic(1.0, epsilon, delta).gaussian.delta(epsilon) <= delta


@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 0.1), (3.7, 0.89), (5.74, 0.1), (8.41, 1e-5)])
def test_the_classical_sigma_is_the_formula_and_keeps_its_promise_up_to_its_limit(epsilon, delta):
    mechanism = GaussianMechanism.classical(2.0, epsilon, delta)
    with mpmath.workdps(40):
        formula = mpmath.sqrt(2 * mpmath.log(mpmath.mpf(5) / (4 * mpmath.mpf(delta)))) * 2 / mpmath.mpf(epsilon)
        assert formula <= mechanism.sigma <= formula * (1 + mpmath.mpf(2) ** -50)
    assert mechanism.sigma >= GaussianMechanism.analytic(2.0, epsilon, delta).sigma


@pytest.mark.parametrize(("delta", "limit"), [(0.1, 5.7425949), (1e-5, 8.4197713), (1e-10, 9.849874), (0.9, 3.787104)])
def test_where_the_classical_promise_ends(delta, limit):
    """Known from mpmath at 40 digits; next to it the exact δ is on either side, by quadrature."""
    found = classical_limit(delta)
    assert found == pytest.approx(limit, rel=1e-7)
    for epsilon, kept in ((found * (1 - 1e-5), True), (found * (1 + 1e-5), False)):
        sigma = classical_sigma(1.0, epsilon, delta)
        assert (by_quadrature(normal(0.0, sigma), normal(1.0, sigma), epsilon) <= delta) is kept
    with pytest.raises(InputError, match="use the analytic one"):
        GaussianMechanism.classical(1.0, found * (1 + 1e-5), delta)


@pytest.mark.parametrize("delta", [1e-10, 1e-5, 0.1, 0.5, 0.9, 0.999])
def test_the_classical_delta_rises_with_epsilon(delta):
    """As its derivative φ(A)(1/c − Φ(B)/φ(B)) is above 0; so the limit is one number."""
    with mpmath.workdps(30):
        c = mpmath.sqrt(2 * mpmath.log(mpmath.mpf(5) / (4 * mpmath.mpf(delta))))

        def spent(epsilon):
            return mpmath.ncdf(epsilon / (2 * c) - c) - mpmath.exp(epsilon) * mpmath.ncdf(-epsilon / (2 * c) - c)

        assert all(b > a for a, b in pairwise(spent(mpmath.mpf(e) / 10) for e in range(100)))
        e = mpmath.mpf(3)
        a, b = e / (2 * c) - c, -e / (2 * c) - c
        assert mpmath.almosteq(mpmath.diff(spent, e), mpmath.npdf(a) * (1 / c - mpmath.ncdf(b) / mpmath.npdf(b)), 1e-12)


@pytest.mark.parametrize("rho", [0.005, 0.5, 3.0])
def test_concentrated_noise_has_its_line(rho):
    mechanism = GaussianMechanism.concentrated(2.0, rho, 3)
    for order in (1.5, 2.0, 30.0):
        assert mechanism.guarantee.epsilon(order) == pytest.approx(order * rho, rel=1e-14)
        assert Fraction(order) * (Fraction(2) / Fraction(mechanism.sigma)) ** 2 / 2 <= Fraction(order) * Fraction(rho)


def test_a_gaussian_count_keeps_no_promise_at_every_distance():
    """Definition 2.15 asks for (dε, δ) at distance d: δ(dε) of μ = dκ/σ tends to 1, whatever σ is."""
    for sigma in (1.0, 10.0, 100.0):
        pairs = [(normal(0.0, sigma), normal(d, sigma), 0.001 * d) for d in (sigma, 4.0 * sigma, 12.0 * sigma)]
        far = [by_quadrature(*pair) for pair in pairs]
        assert far == sorted(far)
        assert far[-1] > 0.99


@pytest.mark.parametrize(
    ("mechanism", "law"),
    [(LaplaceMechanism(1.0, 0.5, 2), stats.laplace(0, 2.0)), (GaussianMechanism(1.0, 2.0, 2), stats.norm(0, 2.0))],
)
def test_releases_and_simulations_have_their_law_and_other_noise_would_be_seen(mechanism, law):
    """Kolmogorov-Smirnov at CHANCE; of noise a third too small 3000 draws tell."""
    values = np.array([7.0, -2.5])
    released = np.asarray(mechanism.release(values, 3_000)) - values
    simulated = mechanism.simulate(values, np.random.default_rng(11), 30_000) - values
    for noise in (*released.T, *simulated.T):
        assert stats.kstest(noise, law.cdf).pvalue > CHANCE
        assert stats.kstest(noise * 0.7, law.cdf).pvalue < CHANCE
    assert abs(np.corrcoef(simulated.T)[0, 1]) < 6.2 / math.sqrt(30_000)  # 6.2 standard errors: 6e-10
    assert mechanism.release(values).shape == (2,)


def test_densities_are_those_of_the_laws():
    z, values = np.array([[1.0, 2.0], [-3.0, 0.5]]), np.array([0.5, -1.0])
    laplace = stats.laplace(values, 2.0).logpdf(z).sum(axis=-1)
    np.testing.assert_allclose(LaplaceMechanism(1.0, 0.5, 2).log_density(z, values), laplace, rtol=1e-12)
    gaussian = stats.norm(values, 3.0).logpdf(z).sum(axis=-1)
    np.testing.assert_allclose(GaussianMechanism(1.0, 3.0, 2).log_density(z, values), gaussian, rtol=1e-12)


# -- tails -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("zeros", "ones"), [(0, 1), (3, 0), (2, 3), (4, 4)])
def test_the_law_of_flips_is_the_enumeration_of_all_reports(zeros, ones):
    p, q = Fraction(1, 2), Fraction(2, 11)
    bits = (0,) * zeros + (1,) * ones
    counted = [Fraction(0)] * (zeros + ones + 1)
    for reports in product((0, 1), repeat=zeros + ones):
        flips = sum(a != b for a, b in zip(bits, reports, strict=True))
        counted[flips] += report_probability(p, q, bits, reports)
    assert tails.flip_law(zeros, ones, p, q) == counted
    assert sum(counted) == 1
    assert all(tails.flip_bound(zeros + ones, j, p, q) >= counted[j] for j in range(zeros + ones + 1))
    fifth = Fraction(1, 5)  # the bound is attained where both chances are alike
    bounds = [tails.flip_bound(zeros + ones, j, fifth, fifth) for j in range(zeros + ones + 1)]
    assert tails.flip_law(zeros, ones, fifth, fifth) == bounds


@pytest.mark.parametrize("dimension", [1, 2, 8])
@pytest.mark.parametrize("delta", [1.0, 0.1, 1e-6])
def test_tails_of_noise_by_their_distribution_functions(dimension, delta):
    """One minus the power of the central probability, in 30 digits; and the bound is one."""
    with mpmath.workdps(30):
        t = mpmath.mpf(tails.laplace_threshold(2.0, dimension, delta))
        exact = 1 - (1 - mpmath.exp(-t / 2)) ** dimension
        assert tails.laplace_tail(float(t), 2.0, dimension) == pytest.approx(float(exact), rel=1e-12)
        assert exact <= delta * (1 + 1e-12)
        t = mpmath.mpf(tails.gaussian_threshold(3.0, dimension, delta))
        exact = 1 - (mpmath.erf(t / (3 * mpmath.sqrt(2)))) ** dimension
        assert tails.gaussian_tail(float(t), 3.0, dimension) == pytest.approx(float(exact), rel=1e-12)
        assert exact <= delta * (1 + 1e-12)


def test_a_gaussian_bound_without_its_logarithm_of_the_dimension_would_fail():
    """The union over k coordinates is needed: σ√(2 ln(1/δ)) alone is exceeded more often than δ for k = 8."""
    assert tails.gaussian_tail(tails.gaussian_threshold(1.0, 1, 0.01), 1.0, 8) > 0.01


@pytest.mark.parametrize("best", [1, 3])
def test_the_exponential_tail_at_its_worst(best):
    """All others at the threshold: (1−a)e^{−t}/(1 + (1−a)e^{−t}) with a = |Y_X|/|Y|, below e^{−t}."""
    alternatives, t, epsilon = 9, 1.7, 0.4
    mechanism = ExponentialMechanism(1.0, epsilon)
    threshold = tails.exponential_threshold(epsilon / 2.0, alternatives, best, t)
    scores = np.array([threshold] * best + [0.0] * (alternatives - best))
    worst = (1 - best / alternatives) * math.exp(-t)
    assert tails.exponential_tail(mechanism, scores, threshold) == pytest.approx(worst / (1 + worst), rel=1e-9)
    assert worst / (1 + worst) < math.exp(-t)


def test_bits_by_the_exponential_mechanism_are_randomized_response():
    """Scores −‖b − y‖₁ over all strings flip each bit with probability 1/(1 + e^{ε/2}): two routes to one tail."""
    bits, epsilon = (0, 1, 1, 0), 1.4
    strings = list(product((0, 1), repeat=4))
    scores = [-float(sum(a != b for a, b in zip(bits, y, strict=True))) for y in strings]
    mechanism = ExponentialMechanism(1.0, epsilon)
    flip = 1 / (1 + math.exp(epsilon / 2))
    for j in range(5):
        binomial = stats.binom.sf(j - 1, 4, flip)
        assert tails.exponential_tail(mechanism, scores, float(j)) == pytest.approx(binomial, rel=1e-9)
