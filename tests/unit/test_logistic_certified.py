"""Exact draws of logistic posteriors in bits: the certificate, the bounds on floats, the law, and what stays the same.

The distribution functions are compared as in test_logistic_draws: so many draws are further off than `far` with
probability 10⁻⁸ at most (Massart), and planted bugs must be.
"""

import dataclasses
import math
from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from scipy.integrate import cumulative_simpson

from dpsampling.errors import InputError
from dpsampling.learners.logistic import certificate as certificates
from dpsampling.learners.logistic import enclosed_loss
from dpsampling.learners.logistic.certificate import SCALE, certify
from dpsampling.learners.logistic.certified import LogisticLaw, beyond
from dpsampling.learners.logistic.envelope import envelope
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.logistic.target import Target
from dpsampling.numerics.exact.draws import numbers
from dpsampling.numerics.exact.replay import FrozenBits, findings
from dpsampling.numerics.exact.tape import Tape, UndecidedError, floor
from logistic import apart, distance, exact_height, exactly, far, records

ONE = Target(Records(np.linspace(-1, 1, 12)[:, None], [0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 0]), 0.2)
TARGETS = {
    "one": ONE,
    "two": Target(records(20, 2), 0.3),
    "tempered": Target(records(40, 2), 0.1, 0.3),
    "separable": Target(records(30, 2, separable=True), 0.2),
    "in a ball": Target(records(20, 2), 0.3, 1.0, 4.0),
    "nine": Target(records(60, 9), 2.0),
    "prior": Target(Records(np.zeros((2, 3)), [0, 1]), 1.0),
    "records far apart": Target(Records(np.diag([1.0, 1e-3, 1e-9]), [1, 1, 0]), 1e-2),
}


# -- the certificate ---------------------------------------------------------------------------------------------------


def margins(certificate, rng, tries=20):
    """f(ŵ + Vy) − C − ½ Σ p y² at points of each shell, its outer edge among them, as balls."""
    target, d = certificate.target, certificate.target.records.d
    axes = np.eye(d) if certificate.axes is None else certificate.axes
    with flint.ctx.workprec(200):
        for component in certificate.components:
            for _ in range(tries):
                y = rng.standard_normal(d) / np.sqrt(component.precisions)
                reach = np.abs(target.records.signed @ (axes @ y)).max()
                if rng.random() < 0.3:
                    y *= rng.random() ** 3
                elif math.isfinite(component.outer) and (reach > component.outer or rng.random() < 0.5):
                    y *= component.outer / reach * (1 - 1e-12)
                w = [
                    exactly(c) + sum((exactly(v) * exactly(x) for v, x in zip(row, y, strict=True)), arb(0))
                    for c, row in zip(certificate.centre, axes, strict=True)
                ]
                squares = [exactly(p) * exactly(x) ** 2 for p, x in zip(component.precisions, y, strict=True)]
                below = sum(squares, arb(0))
                yield exact_height(target, w) - exactly(certificate.level) - below / 2


def holds(certificate, seed=1):
    return all(margin >= 0 for margin in margins(certificate, np.random.default_rng(seed)))


@pytest.mark.parametrize("name", TARGETS)
def test_the_inequality_holds_for_the_rationals(name):
    made = certify(envelope(TARGETS[name]))
    assert holds(made)
    assert all(np.all(component.precisions > 0) for component in made.components)


def moved_centre(made):
    centre = made.centre + 1e-3
    return dataclasses.replace(made, centre=centre, offsets=made.target.records.signed @ centre, remainder=0.0)


def inflated(made):
    return dataclasses.replace(made, spectrum=1.15 * made.spectrum)


def sheared(made):
    axes = made.axes @ np.array([[1.0, 0.1], [0.05, 1.04]])
    return dataclasses.replace(made, axes=axes, rows=made.target.records.signed @ axes)


CLOSE = Target(records(60, 2, scale=0.0), 3.5)  # so much prior that the certificate bends before it falls back
PLANTED = {
    moved_centre: ("_level", lambda made, error: made.target.value(made.centre)),
    inflated: ("_spectral_gap", lambda *_: 0.0),
    sheared: ("_axes", lambda made, error: (made.axes, made.spectrum, made.precision)),
}


@pytest.mark.parametrize("tamper", PLANTED)
def test_it_holds_whatever_floats_it_is_made_from(tamper):
    assert holds(certify(tamper(envelope(CLOSE))))


@pytest.mark.parametrize("tamper", PLANTED)
def test_without_its_slack_it_would_not_hold(tamper, monkeypatch):
    monkeypatch.setattr(certificates, *PLANTED[tamper])
    assert not holds(certify(tamper(envelope(CLOSE))))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [("_curvature_factor", lambda r, s: 1.0), ("_curvature_bounds", lambda m, e: np.full(m.target.records.n, 0.125))],
)
def test_a_wrong_curvature_would_be_seen(name, wrong, monkeypatch):
    target = Target(Records(np.tile([[0.6, 0.8]], (30, 1)), np.ones(30)), 0.3)
    assert holds(certify(envelope(target)))
    made = envelope(target)
    if name == "_curvature_bounds":  # the spectrum that such bounds would have
        rows = made.target.records.signed
        spectrum, axes = np.linalg.eigh(0.125 * rows.T @ rows)
        made = dataclasses.replace(made, spectrum=spectrum, axes=axes, rows=rows @ axes)
    monkeypatch.setattr(certificates, name, wrong)
    assert not holds(certify(made))


def test_coarse_rounding_leaves_the_prior_alone():
    """Where κ is lost in the rounding of the curvature."""
    made = certify(envelope(Target(records(400, 3), 1e-12)))
    assert made.axes is None
    assert len(made.components) == 1
    assert certify(envelope(Target(records(400, 3), 1e-6))).axes is not None


@pytest.mark.parametrize("name", ["two", "nine", "records far apart"])
def test_weights_are_no_less_than_the_masses(name):
    made = certify(envelope(TARGETS[name]))
    axes = np.eye(made.target.records.d) if made.axes is None else made.axes
    top = made.components[made.top]
    holed = 0
    with mpmath.workdps(50):
        best = sum(mpmath.log(mpmath.mpf(p)) for p in top.precisions) / 2
        for component in made.components:
            log_mass = best - sum(mpmath.log(mpmath.mpf(p)) for p in component.precisions) / 2
            if not component.holed:
                assert component.weights.item() >= mpmath.exp(log_mass) * 2**SCALE
                continue
            holed += 1
            for row, weight in zip(made.target.records.signed, component.weights.tolist(), strict=True):
                turned = [mpmath.fdot(map(mpmath.mpf, row), map(mpmath.mpf, column)) for column in axes.T]
                width = mpmath.sqrt(sum(x**2 / p for x, p in zip(turned, component.precisions.tolist(), strict=True)))
                tail = mpmath.erfc(mpmath.mpf(component.inner) / width / mpmath.sqrt(2))
                exact = mpmath.exp(log_mass) * tail * 2**SCALE
                assert weight >= exact
                assert weight <= 1.3 * exact + 1
    assert holed


# -- bounds on floats --------------------------------------------------------------------------------------------------


def worst(loss):
    """The largest error of ℓ, as a share of the bound."""
    rng = np.random.default_rng(1)
    t = [rng.uniform(-70, 70, 800), rng.standard_normal(1500), [0.0, -0.0, 5e-324, 60.0, -60.0, 1e5, -1e5]]
    t = np.concatenate([*t, (np.arange(-40, 40) + 0.5) * math.log(2)])  # where k changes
    found = 0.0
    with mpmath.workdps(60):
        for x, value in zip(t, loss(t), strict=True):
            exact = mpmath.log1p(mpmath.exp(-mpmath.mpf(x)))
            allowed = mpmath.mpf(enclosed_loss.ERROR) + mpmath.mpf(2) ** -52 * exact
            found = max(found, float(abs(mpmath.mpf(value) - exact) / allowed))
    return found


def test_the_loss_is_within_its_bound_and_a_wrong_loss_would_be_seen(monkeypatch):
    assert worst(enclosed_loss.loss) < 0.5
    monkeypatch.setattr(enclosed_loss, "LN2_LOW", 0.0)
    assert worst(enclosed_loss.loss) > 1


@pytest.mark.parametrize("name", ["two", "nine", "prior"])
def test_floats_and_balls_measure_the_same(name):
    """Balls of the same proposals lie in the floats' intervals, and these are narrow."""
    law, rng = LogisticLaw(TARGETS[name]), np.random.default_rng(2)
    measured = 0
    for component in law._certificate.components:
        for _ in range(20):
            point = rng.standard_normal(len(component.precisions)) / np.sqrt(component.precisions)
            if math.isfinite(component.outer):  # into the shell, or a little beside it
                reach = np.abs(law._certificate.rows @ point).max()
                point *= (component.inner + rng.uniform(-0.2, 1.2) * (component.outer - component.inner)) / reach
            y = [arb(x) for x in point]
            one, other = law._in_floats(y, component), law._in_balls(y, component)
            assert (one is None) is (other is None or other.beyond == 0)
            if one is not None:
                measured += 1
                assert one.beyond == other.beyond
                assert one.height.overlaps(other.height)
                assert other.height.rad() < one.height.rad() < 1e-9
    assert measured > (19 if name == "prior" else 60)


# -- the law -----------------------------------------------------------------------------------------------------------


def draws(target, size, seed=3):
    return numbers(LogisticLaw(target), size, source=FrozenBits(seed)).floats


def one_dimensional(target):
    w = np.linspace(-30, 30, 20001)
    height = 0.5 * target.precision * w**2
    for z in target.records.signed[:, 0]:
        height += target.weight * np.logaddexp(0.0, -z * w)
    mass = cumulative_simpson(np.exp(height.min() - height), x=w, initial=0.0)
    return lambda x: np.interp(x, w, mass / mass[-1])


DRAWS = 1500


def test_law_in_one_dimension():
    """A prior half as precise is further off than the noise."""
    points = draws(ONE, DRAWS)[:, 0]
    assert apart(points, one_dimensional(ONE)) < far(DRAWS)
    assert apart(points, one_dimensional(Target(ONE.records, 0.05))) > far(DRAWS)


@pytest.mark.parametrize("name", ["two", "in a ball"])
def test_law_in_two_dimensions(name):
    points = draws(TARGETS[name], DRAWS)
    for direction in (np.array([1.0, 0.0]), np.array([0.6, 0.8])):
        assert distance(TARGETS[name], points, direction) < far(DRAWS)
    assert distance(dataclasses.replace(TARGETS[name], weight=0.3), points, direction) > far(DRAWS)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two", "tempered", "separable", "in a ball"])
def test_law_in_two_dimensions_of_many_draws(name):
    points = draws(TARGETS[name], 40_000)
    for direction in (np.array([1.0, 0.0]), np.array([0.6, 0.8])):
        assert distance(TARGETS[name], points, direction) < far(40_000)
    other = dataclasses.replace(TARGETS[name], precision=1.5 * TARGETS[name].precision)
    assert distance(other, points, direction) > far(40_000)


@pytest.mark.parametrize("tau", [Fraction(0), Fraction(1, 3), Fraction(3), Fraction(12)])
def test_normal_variables_beyond_a_threshold(tau):
    """Against erfc; the planted law begins 5% later."""
    tape = Tape(FrozenBits(4))
    ball = fmpq(tau.numerator, tau.denominator)
    drawn = np.array([tape.draw(lambda t: floor(beyond(t, arb(ball)), 40)) for _ in range(4000)]) / 2.0**40
    assert drawn.min() >= float(tau)
    with mpmath.workdps(30):
        root = mpmath.sqrt(2)

        def cdf(x):
            return np.array([float(1 - mpmath.erfc(v / root) / mpmath.erfc(tau / root)) for v in x])

        places = np.quantile(drawn, np.linspace(0.01, 1, 60))
        share = np.searchsorted(np.sort(drawn), places, side="right") / 4000
        assert np.max(np.abs(share - cdf(places))) < far(4000)
        assert np.max(np.abs(share - cdf(places * 0.85 + 0.15 * float(tau)))) > far(4000)


# -- what stays the same -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", TARGETS)
def test_the_draw_is_the_same_from_every_precision(name):
    law = LogisticLaw(TARGETS[name])
    size = 4 if name == "nine" else 10

    def drawn(precision):
        tape = Tape(FrozenBits(5), precision)
        return [tape.draw(lambda t: [floor(x, 53) for x in law(t)]) for _ in range(size)]

    first = drawn(128)
    assert all(drawn(precision) == first for precision in (16, 24, 64, 256, 512))


def test_middles_of_balls_would_be_seen():
    """The planted bug: numbers that are the middles of balls, of 64 bits or of 128."""
    law = LogisticLaw(TARGETS["two"])

    def drawn(precision):
        tape = Tape(FrozenBits(5), precision)
        return [tape.draw(lambda t: [floor(arb(x.mid()), 56) for x in law(t)]) for _ in range(200)]

    assert drawn(64) != drawn(128)


@pytest.mark.parametrize("name", ["two", "separable", "in a ball", "nine", "prior"])
def test_the_draw_is_the_same_without_the_floats(name, monkeypatch):
    law = LogisticLaw(TARGETS[name])
    with_floats = numbers(law, 12, source=FrozenBits(6)).integers.tolist()

    def none(*_):
        raise UndecidedError

    monkeypatch.setattr(law, "_in_floats", none)
    assert numbers(law, 12, source=FrozenBits(6)).integers.tolist() == with_floats


def test_neighbours_are_told_apart_by_numbers_alone():
    rows = np.array([[0.3, 0.4], [0.1, -0.9], [-0.5, 0.5], [0.6, 0.0]])
    other = np.array([[0.3, 0.4], [0.1, -0.9], [-0.5, 0.5], [-0.6, 0.8]])

    def released(features, labels):
        return lambda: numbers(LogisticLaw(Target(Records(features, labels), 0.5)), 3)

    assert findings(released(rows, [0, 1, 1, 0]), released(other, [0, 1, 1, 1])) == []


def test_draws_have_a_number_for_each_feature():
    assert numbers(LogisticLaw(TARGETS["nine"])).shape == (9,)
    assert numbers(LogisticLaw(TARGETS["two"]), 3).shape == (3, 2)
    with pytest.raises(InputError, match="size"):
        numbers(LogisticLaw(TARGETS["two"]), 0)
