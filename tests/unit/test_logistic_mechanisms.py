"""What private classifiers promise, against rational arithmetic, quadrature and enumeration of records."""

import itertools
import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpsampling.errors import InputError
from dpsampling.learners.logistic import audit_cases, mechanisms
from dpsampling.learners.logistic.mechanisms import DiffusedClassifier, DirectClassifier, Model
from dpsampling.learners.logistic.records import Records
from dpsampling.privacy import laws

MODELS = st.builds(Model, st.integers(1, 10**6), st.floats(1e-6, 10.0), st.floats(1e-3, 100.0))
ORDERS, EPSILONS = st.floats(1.0, 1e4), st.floats(1e-6, 1e3)


def exact_level(mechanism, order):
    """2ρ²c²λ/κ in rational numbers."""
    rho, c, kappa = (Fraction(x) for x in (mechanism.weight, mechanism.model.bound, mechanism.precision))
    return 2 * rho**2 * c**2 * Fraction(order) / kappa


@settings(deadline=None)
@given(model=MODELS, order=ORDERS, epsilon=EPSILONS)
def test_calibrated_levels_are_below_epsilon_and_next_to_it(model, order, epsilon):
    diffused = DiffusedClassifier.calibrate(model, order=order, epsilon=epsilon)
    concentrated = mechanisms.ConcentratedClassifier.calibrate(model, order=order, epsilon=epsilon)
    for mechanism in (diffused, concentrated):
        assert exact_level(mechanism, order) <= Fraction(epsilon)
        assert mechanism.level(order) >= exact_level(mechanism, order)
    undistorted = exact_level(DirectClassifier.of(model), order) <= Fraction(epsilon)
    assert (diffused.weight == 1.0) == undistorted or exact_level(diffused, order) >= Fraction(epsilon) * (1 - 2**-50)
    assert (concentrated.precision == model.precision) == undistorted
    if not undistorted:
        assert exact_level(diffused, order) >= Fraction(epsilon) * (1 - Fraction(1, 2**50))
        assert exact_level(concentrated, order) >= Fraction(epsilon) * (1 - Fraction(1, 2**50))


@settings(deadline=None)
@given(model=MODELS, epsilon=EPSILONS)
def test_ops_costs_twice_the_change_of_one_record_over_the_ball(model, epsilon):
    for printed in (False, True):
        ops = mechanisms.TruncatedClassifier.calibrate(model, epsilon=epsilon, printed=printed)
        change = Fraction(model.bound) * Fraction(ops.radius)  # ln(1 + e^{cR}) − ln(1 + e^{−cR})
        assert Fraction(ops.guarantee.epsilon) >= 2 * Fraction(ops.weight) * change
        assert ops.guarantee.epsilon <= epsilon
        assert ops.weight == 1.0 or ops.guarantee.epsilon >= epsilon / (2 if printed else 1) * (1 - 1e-12)


def test_one_record_changes_the_log_likelihood_by_less_than_that():
    """Over records on a grid of the ball of features and w on one of the ball of classifiers, all replacements."""
    bound, radius = 1.0, 3.0
    angles, lengths = np.linspace(0, 2 * np.pi, 17), (0.3, 1.0)
    features = [bound * s * np.array([np.cos(a), np.sin(a)]) for a in angles for s in lengths]
    w = [radius * s * np.array([np.cos(a), np.sin(a)]) for a in np.linspace(0, 2 * np.pi, 41) for s in (0.2, 0.7, 1.0)]
    losses = np.array([[np.logaddexp(0.0, -z @ v) for z in [*features, *[-x for x in features]]] for v in w])
    largest = float(np.max(losses.max(axis=1) - losses.min(axis=1)))
    assert largest == pytest.approx(bound * radius, rel=1e-3)
    assert largest <= bound * radius


@settings(deadline=None, max_examples=30)
@given(model=MODELS, epsilon=st.floats(0.01, 10.0), delta=st.floats(1e-10, 1e-2))
def test_calibration_by_delta_keeps_it_by_the_gaussian_reading(model, epsilon, delta):
    for kind in (DiffusedClassifier, mechanisms.ConcentratedClassifier):
        mechanism = kind.calibrate(model, epsilon=epsilon, delta=delta)
        # The promise in rational numbers: μ² = 4ρ²c²/κ is one that (ε, δ) allows.
        square = 2 * exact_level(mechanism, 1)
        assert Fraction(mechanism.gaussian.mu) ** 2 >= square
        with mpmath.workdps(40):
            m = mpmath.sqrt(mpmath.mpf(square.numerator) / square.denominator)
            spent = mpmath.ncdf(m / 2 - epsilon / m) - mpmath.exp(epsilon) * mpmath.ncdf(-m / 2 - epsilon / m)
        assert spent <= delta


def densities(kappa, rho, data, w):
    log = -kappa * w**2 / 2 - rho * sum(np.logaddexp(0.0, -z * w) for z in data)
    log -= log.max()
    return np.exp(log) / np.sum(np.exp(log)) / (w[1] - w[0])


@pytest.mark.parametrize("kind", [DirectClassifier, DiffusedClassifier, mechanisms.ConcentratedClassifier])
def test_no_pair_on_a_line_spends_more_than_the_gaussian_curve(kind):
    """δ(ε) of all neighbours of up to 3 records, both ways, by a sum over a fine grid."""
    for n in (1, 2, 3):
        model = Model(n, 0.8 / n)
        mechanism = kind.of(model) if kind is DirectClassifier else kind.calibrate(model, order=2.0, epsilon=1.0)
        w = np.linspace(-25, 25, 20_001)
        signed = (-1.0, -0.4, 0.4, 1.0)
        for rest in itertools.combinations_with_replacement(signed, n - 1):
            for a, b in itertools.permutations(signed, 2):
                p, q = (densities(mechanism.precision, mechanism.weight, (*rest, z), w) for z in (a, b))
                for epsilon in (0.0, 0.1, 0.5, 1.0):
                    spent = np.sum(np.maximum(p - math.exp(epsilon) * q, 0.0)) * (w[1] - w[0])
                    assert spent <= mechanism.gaussian.delta(epsilon) + 1e-6


def test_a_promise_of_half_the_mu_is_broken_in_a_plane():
    """Planted: with a slope of ρc instead of 2ρc, the pair of the audit cases spends more than is promised."""
    plane = audit_cases.audit_cases(DirectClassifier, 2.0, 1.0)[1]
    level = laws.renyi(plane.laws["up"], plane.laws["down"], 2.0)
    assert plane.guarantee.epsilon(2.0) / 4 < level <= plane.guarantee.epsilon(2.0)


def test_the_direct_posterior_is_refused_where_it_does_not_keep_the_promise():
    model = Model(1000)
    level = DirectClassifier.of(model).level(2.0)
    assert DirectClassifier.calibrate(model, order=2.0, epsilon=level).weight == 1.0
    with pytest.raises(InputError, match="use the diffused or concentrated"):
        DirectClassifier.calibrate(model, order=2.0, epsilon=level * 0.999)


def test_records_of_another_number_or_bound_are_refused():
    mechanism = DiffusedClassifier.calibrate(Model(3), order=2.0, epsilon=1.0)
    with pytest.raises(InputError, match="there are 2 records"):
        mechanism.target(Records(np.eye(2), np.array([0, 1])))
    with pytest.raises(InputError, match="bounded by 2"):
        mechanism.target(Records(2 * np.eye(3), np.array([0, 1, 1]), bound=2.0))


def test_a_weight_is_found_where_its_square_is_below_every_float():
    mechanism = DiffusedClassifier.calibrate(Model(1, 1e-9), order=1.0, epsilon=1e-310)
    assert 0 < mechanism.weight < 1e-150
    assert mechanism.level(1.0) <= 1e-310


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Model(0), "n is 0"),
        (lambda: Model(10, -1.0), "regularity is -1"),
        (lambda: Model(10, bound=math.inf), "bound is inf"),
        (lambda: Model(10, 1e-320), "from 1e-09 to 1e"),
        (lambda: DiffusedClassifier(Model(10), 1.0, 2.0), "weight is 2"),
        (lambda: DiffusedClassifier(Model(10), -1.0, 1.0), "precision is -1"),
        (lambda: DiffusedClassifier.calibrate(Model(10), order=0.5, epsilon=1.0), "order is 0.5"),
        (lambda: DiffusedClassifier.calibrate(Model(10), epsilon=1.0), "neither"),
    ],
)
def test_what_makes_no_sense_is_refused(call, words):
    with pytest.raises(InputError, match=words):
        call()
