"""Truncated Beta laws against mpmath quadrature, at parameters and in tails where scipy's inverse fails silently."""

import math

import mpmath
import numpy as np
import pytest
from mpmath import mp, mpf
from scipy.special import betainc, betaincinv, betaln, logit

from dpsampling.errors import InputError
from dpsampling.numerics import truncated_beta as tb
from dpsampling.numerics.truncated_beta import Envelope, LogitBeta


def log_integral(a, b, low, high):
    """ln ∫ p^{a−1}(1−p)^{b−1}: quadrature in θ, with breaks that double from the peak and 0 < low, high < 1."""
    with mp.workdps(25):
        a, b, low, high = map(mpf, (a, b, low, high))
        start, end = mpmath.log(low / (1 - low)), mpmath.log(high / (1 - high))
        mode = min(max(a / (a + b), low), high) if a > 0 and b > 0 else (low if a <= 0 else high)
        peak, slope = mpmath.log(mode / (1 - mode)), abs(a * (1 - mode) - b * mode)
        width = min(1 / mpmath.sqrt((a + b) * mode * (1 - mode)), 1 / slope if slope else mpf("inf"))
        breaks = {start, end, *(peak + k * width * 2**j for j in range(-2, 34) for k in (-1, 1))}
        breaks = sorted(x for x in breaks if start <= x <= end)

        def density(theta):
            log_p, log_q = -mpmath.log1p(mpmath.exp(-theta)), -mpmath.log1p(mpmath.exp(theta))
            return mpmath.exp(a * (log_p - mpmath.log(mode)) + b * (log_q - mpmath.log1p(-mode)))

        return mpmath.log(mpmath.quad(density, breaks)) + a * mpmath.log(mode) + b * mpmath.log1p(-mode)


CASES = [
    (2.0, 3.0, 0.2, 0.8), (1.0, 2e5, 0.0077, 0.999), (5000.0, 2.0, 1e-5, 0.2), (3.0, 1e6, 0.05, 0.95),
    (1e6, 1e6, 0.3, 0.6), (3.0, 7.0, 0.4, 0.4 + 1e-9), (1e-3, 0.1, 1e-3, 0.999), (1e-3, 0.5, 1e-30, 0.5),
    (1e-3, 1e6, 1e-12, 0.5), (-3600.0, 3620.0, 0.2, 0.8), (40.0, -12.5, 0.01, 0.7),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=str)
def test_normalizer_and_distribution_function(case):
    a, b, low, high = case
    exact = log_integral(*case)
    # 1e-11, and the rounding of a logarithm as large as a ln p + b ln(1−p).
    assert float(tb.log_normalizer(*case)) == pytest.approx(float(exact), rel=1e-15, abs=2e-11)
    law = LogitBeta.between(*case)
    spread = math.exp(float(law.log_area(law.left, law.right)))
    for share in (0.3, 1.0):  # around the peak, where the mass is
        theta = float(law.peak) + share * spread * (1 if law.right > -law.left else -1)
        p = float(np.clip(1 / (1 + math.exp(-theta)), low, high))
        part = float(mpmath.exp(log_integral(a, b, low, p) - exact)) if p > low else 0.0
        assert float(tb.cdf(p, *case)) == pytest.approx(part, rel=1e-9, abs=1e-12)


def test_without_a_window_it_is_the_beta_distribution():
    p = np.linspace(0.001, 0.999, 57)
    for a, b in [(0.5, 0.5), (0.01, 3.0), (6.0, 18.0), (300.0, 0.2), (1e5, 2e5)]:
        assert tb.log_normalizer(a, b, 0, 1) == pytest.approx(betaln(a, b), rel=1e-14, abs=1e-12)
        assert tb.cdf(p, a, b, 0, 1) == pytest.approx(betainc(a, b, p), rel=1e-9, abs=1e-12)
    assert tb.cdf([0.0, 1.0], 2, 3, 0, 1).tolist() == [0.0, 1.0]


def test_lower_tail_keeps_its_digits():
    """F(low + h) = 1 − ((1−low−h)/(1−low))^b for a = 1."""
    low, h = 0.0077, np.array([1e-15, 1e-12, 1e-8])
    p = low + h
    exact = -np.expm1(2e5 * np.log1p(-(p - low) / (1 - low)))
    assert tb.cdf(p, 1, 2e5, low, 1) == pytest.approx(exact, rel=1e-12)


def test_density_is_the_slope_of_the_distribution_function():
    for case in [(2.0, 3.0, 0.2, 0.8), (0.3, 40.0, 0.05, 1.0), (5000.0, 2.0, 0.0, 0.2)]:
        low, high = case[2:]
        p = high - (high - low) * np.array([1e-4, 2e-4, 0.1])
        h = 1e-6 * (high - low)
        slope = (tb.cdf(p + h, *case) - tb.cdf(p - h, *case)) / (2 * h)
        assert np.exp(tb.log_density(p, *case)) == pytest.approx(slope, rel=1e-4, abs=1e-8)
        assert np.all(np.isneginf(tb.log_density([low - 1e-3, high + 1e-3], *case)))


def test_draws_stay_in_the_window_where_an_inverse_distribution_function_leaves_it():
    a, b, low = 1.0, 2e5, 0.0077
    uniform = betainc(a, b, low) + (1 - betainc(a, b, low)) * np.array([0.1, 0.9])
    assert np.all(betaincinv(a, b, uniform) == 1)  # all at the far end: this is what must not be used
    rng = np.random.default_rng(1)
    for case in ((a, b, low, 1), (5000, 2, 0, 0.2), (3, 1e6, 0.05, 0.95), (3, 7, 0.4, 0.4 + 1e-9), (0.01, 0.01, 0, 1)):
        p = tb.sample(*case, rng, 2000)
        assert np.all((p >= case[2]) & (p <= case[3]))
        assert len(np.unique(p)) > 900
    assert np.all(np.isfinite(LogitBeta(1e-6, 1e-6).sample(rng, 100)))


def test_parameters_are_broadcast_and_draws_are_their_own():
    a = np.array([[1.0], [50.0]])
    p = tb.sample(a, [2.0, 3.0, 1e5], 0.1, 0.9, np.random.default_rng(2), (500, 2, 3))
    assert p.shape == (500, 2, 3)
    assert p[:, 1, 0].min() > 0.7
    assert p[:, 0, 2].max() < 0.101
    assert tb.sample(a, [2.0, 3.0, 4.0], 0.1, 0.9, np.random.default_rng(2)).shape == (2, 3)
    assert tb.sample(2, 3, 0.1, 0.9, np.random.default_rng(2)).shape == ()


def test_tangents_lie_above_the_density_and_waste_at_most_37_percent():
    rng = np.random.default_rng(3)
    a, b = 10 ** rng.uniform(-3, 6, (2, 400))
    low = rng.uniform(0, 0.9, 400) * rng.integers(0, 2, 400)
    high = np.where(rng.integers(0, 2, 400), 1.0, low + (1 - low) * 10 ** rng.uniform(-6, 0, 400))
    law = LogitBeta.between(a, b, low, high)
    envelope = Envelope.under_tangents(law.rise, law.slope, law.left, law.right, *law._outermost(1.0))
    share = np.exp(law.log_area(law.left, law.right)) / envelope.mass.sum(axis=0)
    assert share.max() <= 1 + 1e-9
    assert share.min() >= 1 - 1 / math.e - 1e-9
    for u in np.linspace(0, 1, 21):
        reach = np.minimum(envelope.length, 50 / np.maximum(-envelope.slope, 1e-300)) * u
        sign = np.array([-1.0, -1.0, 1.0, 1.0])[:, np.newaxis]
        gap = envelope.height + envelope.slope * reach - law.rise(sign * (envelope.start + reach))
        # Two pieces of zero length stand for the side where the window has none.
        assert np.all((gap >= -1e-8) | (envelope.mass == 0))


def test_logit_difference_of_close_probabilities():
    with mp.workdps(40):
        for low, high in [(0.4, 0.4 + 1e-9), (1e-12, 1.5e-12), (0.2, 0.9)]:
            exact = mpmath.log(mpf(high) * (1 - mpf(low)) / (mpf(low) * (1 - mpf(high))))
            assert float(tb.logit_difference(low, high)) == pytest.approx(float(exact), rel=2e-15)
    assert tb.logit_difference(0.0, 0.5) == math.inf
    assert tb.logit_difference(0.5, 1.0) == logit(1.0)


@pytest.mark.parametrize(
    ("case", "words"),
    [
        ((1, 1, 0.5, 0.5), "0 ≤ low < high ≤ 1"),
        ((1, 1, -0.1, 0.5), "0 ≤ low < high ≤ 1"),
        ((math.nan, 1, 0.1, 0.5), "finite"),
        ((-2, 1, 0.1, 0.5), "sum above 0"),
        ((-2, 5, 0.0, 0.5), "keep away"),
        ((5, 0, 0.5, 1.0), "keep away"),
    ],
)
def test_bad_input_is_refused(case, words):
    with pytest.raises(InputError, match=words):
        tb.sample(*case, np.random.default_rng(1))
