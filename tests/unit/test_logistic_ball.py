"""Draws in a ball that binds, in floats and in bits, against quadrature and against plain rejection."""

import json

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammainc
from scipy.stats import ks_1samp, ks_2samp

from dpsampling.cli import main
from dpsampling.datasets import design
from dpsampling.errors import InputError
from dpsampling.learners.logistic import ball
from dpsampling.learners.logistic.ball_law import BallLaw
from dpsampling.learners.logistic.draws import draw
from dpsampling.learners.logistic.envelope import envelope
from dpsampling.learners.logistic.records import Records
from dpsampling.learners.logistic.target import Target
from dpsampling.numerics.exact.draws import numbers

RISK = 1e-6  # of each comparison here, where nothing is wrong
SIZE = 20_000


def radial(d, precision, radius):
    """The distribution function of ‖w‖ for the prior in the ball."""
    a, c = d / 2, precision / 2
    return lambda r: gammainc(a, c * r**2) / gammainc(a, c * radius**2)


@pytest.mark.parametrize(("d", "precision", "radius"), [(1, 0.5, 1.0), (3, 0.01, 2.0), (8, 2.0, 1.5), (8, 9.0, 1.0)])
def test_the_prior_in_the_ball_has_its_radius_and_no_direction(d, precision, radius):
    rng = np.random.default_rng(1)
    points = ball.prior(d, precision, radius, rng, SIZE)
    length = np.linalg.norm(points, axis=1)
    assert ks_1samp(length, radial(d, precision, radius)).pvalue > RISK
    assert ks_1samp(length, radial(d, precision, 1.03 * radius)).pvalue < RISK, "another ball is told apart"
    if d > 1:
        plain = rng.standard_normal((SIZE, d))
        assert ks_2samp(points[:, 0] / length, plain[:, 0] / np.linalg.norm(plain, axis=1)).pvalue > RISK


def test_in_hundreds_of_dimensions_it_lies_at_the_edge():
    """Of y = (‖w‖/R)², −ln y is nearly exponential of rate a − c."""
    points = ball.prior(784, 1e-5, 1000.0, np.random.default_rng(2), 4000)
    z = -2.0 * np.log(np.linalg.norm(points, axis=1) / 1000.0)
    a, c = 392.0, 5.0
    assert abs(z.mean() * (a - c) - 1.0) < 6.0 / np.sqrt(4000) + 2.0 * c / (a - c) ** 2
    assert z.min() >= 0.0


RECORDS = Records([[1.0, 0.0], [0.6, 0.8], [0.0, -1.0]], [1, 0, 1])


def marginal(precision, weight, radius):
    """The distribution function of w₁ by quadrature over the disc."""

    def density(x, y):
        w = np.array([x, y])
        return np.exp(-precision * (w @ w) / 2 - weight * np.logaddexp(0.0, -RECORDS.signed @ w).sum())

    xs = np.linspace(-radius, radius, 201)
    heights = [quad(lambda y, x=x: density(x, y), -(h := np.sqrt(max(radius**2 - x**2, 0.0))), h)[0] for x in xs]
    area = np.concatenate([[0.0], np.cumsum((np.array(heights[1:]) + heights[:-1]) / 2)])
    return lambda x: np.interp(x, xs, area / area[-1])


def test_posteriors_in_a_disc_agree_with_quadrature_and_with_plain_rejection():
    precision, weight, radius = 0.02, 0.7, 1.8
    rng = np.random.default_rng(3)
    drawn = ball.draw(RECORDS, precision, weight, radius, rng, SIZE)
    assert ks_1samp(drawn.points[:, 0], marginal(precision, weight, radius)).pvalue > RISK
    assert ks_1samp(drawn.points[:, 0], marginal(precision, 1.1 * weight, radius)).pvalue < RISK
    plain = draw(envelope(Target(RECORDS, precision, weight, radius)), rng, SIZE).points
    assert ks_2samp(drawn.points @ [0.6, 0.8], plain @ [0.6, 0.8]).pvalue > RISK


def test_draws_in_bits_agree_with_those_in_floats():
    """1000 draws: a distance of .08 is told apart."""
    precision, weight, radius = 0.02, 0.7, 1.8
    exact = numbers(BallLaw(RECORDS, precision, weight, radius), 1000).floats
    assert ks_1samp(exact[:, 0], marginal(precision, weight, radius)).pvalue > RISK
    assert ks_1samp(np.linalg.norm(exact, axis=1), radial(2, precision, 1.2 * radius)).pvalue < RISK
    gamma = numbers(BallLaw(RECORDS, 2.0, 1e-6, 1.5), 1000).floats  # a − c is below √a here
    assert ks_1samp(np.linalg.norm(gamma, axis=1), radial(2, 2.0, 1.5)).pvalue > RISK


def test_where_the_records_weigh_too_much_it_is_refused():
    records = Records(np.tile([[1.0, 0.0]], (100, 1)), np.ones(100, dtype=int))
    with pytest.raises(InputError, match="raise the regularity"):
        ball.draw(records, 1e-6, 1.0, 1.0, np.random.default_rng(0), 1)
    assert ball.binds(784, 1e-5, 1000.0)
    assert not ball.binds(9, 2.784, 1000.0)
    assert not ball.binds(9, 2.784, None)


def test_a_release_whose_prior_is_never_in_its_ball(tmp_path, capsys):
    """Plain rejection is hopeless there, and refused; draws in the ball are not."""
    features = np.random.default_rng(4).standard_normal((20, 120))
    features /= 1.001 * np.linalg.norm(features, axis=1, keepdims=True)
    path, out = tmp_path / "d.npz", tmp_path / "c.json"
    names = tuple(f"x{j}" for j in range(120))
    design.put(path, design.Design("d", "D", names, features, np.arange(20, dtype=np.int8) % 2, 10, own=True))
    words = ["logistic", "release", "--design", str(path), "--mechanism", "ops", "--epsilon", "0.01", "--budget", "1"]
    assert main([*words, "--out", str(out)]) == 0, capsys.readouterr().err
    weights = np.array(list(json.loads(out.read_text(encoding="utf-8"))["weights"].values()))
    assert 800.0 < np.linalg.norm(weights) <= 1000.0
