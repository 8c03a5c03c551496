"""The audit passes honest mechanisms and catches dishonest ones.

Its attack calls an honest mechanism broken with probability below 1e-6 (Clopper-Pearson); seeds are fixed besides.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import pytest

from dpsampling import audit
from dpsampling.families.beta_bernoulli import BetaBernoulli
from dpsampling.mechanisms.entry import Entry, Setting
from dpsampling.mechanisms.gaussian_statistic import GaussianStatistic, UnclippedStatistic
from dpsampling.mechanisms.posterior import DiffusedPosterior, DirectPosterior
from dpsampling.privacy.guarantee import Renyi

FAMILY, PRIOR, N = BetaBernoulli(), (6.0, 18.0), 100
VISITED = audit.visited()


def built(family, entry, order, epsilon):
    (mechanism,) = entry.build(Setting(family.family, family.prior, family.records), order, [epsilon])
    return mechanism


def planted(mechanism):
    return Entry("planted", "planted", "black", "test", type(mechanism), build=lambda *_: [mechanism])


@pytest.mark.parametrize(("family", "entry"), VISITED, ids=[f"{family.name}-{entry.name}" for family, entry in VISITED])
def test_every_registered_mechanism_keeps_its_promise(family, entry):
    for order, epsilon in [(1.5, 0.02), (3.0, 0.4), (12.0, 0.2)]:
        mechanism = built(family, entry, order, epsilon)
        if entry.needs_epsilon:
            assert audit.promise(mechanism.guarantee, order) <= epsilon
        row = dict(
            zip(audit.COLUMNS, audit.row(entry, order, mechanism, 1e-5, 4000, np.random.default_rng(1)), strict=False)
        )
        assert row["verdict"] == (
            "nothing promised" if order >= getattr(mechanism, "order_horizon", math.inf) else "holds"
        ), row


def test_the_price_is_the_closed_form_where_that_is_tight():
    """R_λ by quadrature against eq. (5.15), which the audit does not use."""
    for order in (1.2, 2.0, 5.0, 6.5):
        direct = DirectPosterior(FAMILY, PRIOR, N)
        assert audit.price(direct, order) == pytest.approx(direct.guarantee.epsilon(order), rel=1e-9)
    assert not math.isfinite(audit.price(DirectPosterior(FAMILY, PRIOR, N), 8.0))


@dataclass(frozen=True)
class Boastful:
    """A mechanism that promises a tenth less than its inner one does."""

    inner: DiffusedPosterior

    @property
    def guarantee(self):
        true = self.inner.guarantee
        return Renyi(lambda order: 0.9 * true.curve(order), true.horizon)

    def __getattr__(self, name):
        return getattr(self.inner, name)


@dataclass(frozen=True)
class Careless:
    """A mechanism whose sampler forgets its noise: it draws from a posterior that is 10 000 times as concentrated."""

    inner: DiffusedPosterior

    def release(self, statistic, rng, size=None):
        return FAMILY.sample(10_000.0 * self.inner.output_parameter(statistic), rng, size)

    def __getattr__(self, name):
        return getattr(self.inner, name)


def verdict(mechanism, draws=4000):
    row = audit.row(planted(mechanism), 2.0, mechanism, 1e-5, draws, np.random.default_rng(2))
    return dict(zip(audit.COLUMNS, row, strict=False))  # the family is not the row's business


def test_a_promise_that_is_too_good_is_priced():
    honest = DiffusedPosterior.calibrate(FAMILY, PRIOR, N, order=2.0, epsilon=0.1)
    assert verdict(honest)["verdict"] == "holds"
    row = verdict(Boastful(honest))
    assert row["verdict"] == "broken"
    assert row["epsilon_priced"] == pytest.approx(0.1, rel=1e-6)


def test_a_sampler_that_is_not_its_density_is_attacked():
    honest = DiffusedPosterior(FAMILY, (6.0, 18.0), 10, 0.1)
    assert verdict(honest, draws=20_000)["verdict"] == "holds"
    row = verdict(Careless(honest), draws=20_000)
    assert row["epsilon_priced"] <= row["epsilon_promised"] * (1 + audit.ROUNDING)
    assert row["epsilon_attacked"] > row["epsilon_converted"]
    assert row["verdict"] == "broken"


def test_next_to_a_pole_nothing_is_called_broken():
    """There the integral is carried by θ where the two log-densities differ by rounding alone: no price, no verdict."""
    for order, epsilon in [(7.0, 5.0), (15.0, 1.0), (15.0, 50.0), (1000.0, 0.1)]:
        mechanism = DiffusedPosterior.calibrate(FAMILY, PRIOR, N, order=order, epsilon=epsilon)
        assert verdict_at(mechanism, order) in ("attacked only", "holds")


def verdict_at(mechanism, order):
    return audit.row(planted(mechanism), order, mechanism, 1e-5, 2000, np.random.default_rng(3))[-1]


def test_noise_on_the_statistic_that_is_a_tenth_too_small_is_priced():
    honest = next(built(f, e, 15.0, 0.5) for f, e in VISITED if e.name == "gaussian-statistic")
    assert verdict_at(honest, 15.0) == "holds"
    quiet = UnclippedStatistic(GaussianStatistic(FAMILY, PRIOR, N, 0.9 * honest.inner.sigma))
    promise = honest.guarantee

    class Boaster:
        guarantee = promise
        release, log_density, worst_pair = quiet.release, quiet.log_density, quiet.worst_pair

    assert verdict_at(Boaster(), 15.0) == "broken"
