"""Means of few repeats: how often equal ones are told apart."""

import numpy as np
import pytest
from scipy import stats

from reproduction.experiments.learners.accuracies import margins

PAIRS = 40_000
SEED = 20260


def apart(m: int, n: int, spread: float, margin) -> int:
    """How many of so many pairs of equal means, of m and n normal repeats, are told apart upwards."""
    rng = np.random.default_rng([SEED, m, n])
    first, second = rng.standard_normal((PAIRS, m)), spread * rng.standard_normal((PAIRS, n))
    errors = [(x.std(axis=1, ddof=1) / np.sqrt(x.shape[1]), x.shape[1]) for x in (first, second)]
    return int((first.mean(axis=1) - second.mean(axis=1) > margin(*errors)).sum())


def law(first, second):
    return margins(first[0], first[1], second[0], second[1], sure=2.0)


def plain(first, second):
    """As if so few repeats told their own spread."""
    return 2.0 * np.hypot(first[0], second[0])


@pytest.mark.parametrize(("m", "n", "spread"), [(6, 6, 1.0), (6, 50, 0.5), (10, 12, 3.0), (6, 6, 4.0)])
def test_equal_means_are_told_apart_as_seldom_as_it_is_said(m, n, spread):
    """Two standard deviations: 2.3% of pairs. More than a tenth above it is seen; fails by chance once in 10^6."""
    most = stats.binom.isf(1e-6, PAIRS, 1.1 * stats.norm.sf(2.0))
    assert apart(m, n, spread, law) <= most
    assert m * n > 100 or apart(m, n, spread, plain) > most  # which the test would see


def test_means_without_spread_have_no_margin_and_many_repeats_have_the_normal_one():
    assert margins(0.0, 6, 0.0, 6) == 0.0
    assert margins(3.0, 10**7, 4.0, 10**7) == pytest.approx(20.0, rel=1e-5)
    assert margins(0.1, 6, 0.1, 6) > margins(0.1, 20, 0.1, 20) > 4 * np.hypot(0.1, 0.1)
