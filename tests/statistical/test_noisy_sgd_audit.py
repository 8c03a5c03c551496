"""Algorithm 5 itself is attacked: what its last iterate gives away of one record stays below the claimed ε_i.

The attack calls an honest run broken with probability below 1e-6 (Clopper-Pearson); seeds are fixed besides.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest

from dpsampling.amplification.noisy_sgd import FORMS, NoisySGD, ball, iterates
from dpsampling.audit.attacks import attack
from dpsampling.mechanisms.known_laws import normal
from dpsampling.privacy.accounting import to_approximate
from dpsampling.privacy.laws import OnLine

CURVATURE, PULL, RADIUS, DELTA, DRAWS = 0.1, 1.0, 3.0, 0.01, 100_000
# ℓ(x; z) = ρx²/2 − zx on [−R, R] with |z| ≤ 1: gradient ρx − z, so C = 1 + ρR and β = ρ.
HONEST = NoisySGD(lipschitz=PULL + CURVATURE * RADIUS, smoothness=CURVATURE, convexity=CURVATURE, rate=1.0, sigma=0.6)


def gradient(x, record):
    return CURVATURE * x - record


@dataclass(frozen=True)
class LastIterate:
    """x_n from records that are alternately 1 and −1, but for record `index`, which is 1 or −1 in neighbouring data."""

    records: int
    index: int
    sigma: float

    def data(self, record):
        z = np.where(np.arange(self.records) % 2, 1.0, -1.0)
        z[self.index - 1] = record
        return z

    def release(self, record, rng, size):
        runs = iterates(np.zeros((size, 1)), self.data(record), gradient, ball(RADIUS), HONEST.rate, self.sigma, rng)
        *_, last = runs
        return last[:, 0]

    def log_density(self, x, record):
        """That of the law without the projection, and as if σ were the honest one: it only chooses the event."""
        mean, variance = 0.0, 0.0
        for z in self.data(record):
            mean = mean - HONEST.rate * (CURVATURE * mean - z)
            variance = (1.0 - HONEST.rate * CURVATURE) ** 2 * variance + (HONEST.rate * HONEST.sigma) ** 2
        return normal(mean, variance**0.5).log_density(np.asarray(x))


def attacked(mechanism, seed):
    parts = (mechanism.log_density, mechanism.release)
    p, q = (OnLine(partial(parts[0], record=record), partial(parts[1], record)) for record in (1.0, -1.0))
    return attack(p, q, DELTA, DRAWS, np.random.default_rng(seed))


@pytest.mark.parametrize(("records", "index"), [(12, 9), (12, 4), (12, 1)])
def test_the_last_iterate_keeps_the_claimed_level_and_too_little_noise_is_caught(records, index):
    """A run with a third of the noise proves more than any form of ε_i allows."""
    claims = {form: to_approximate(HONEST.guarantee(index, records, form=form), DELTA).epsilon for form in FORMS}
    honest = attacked(LastIterate(records, index, HONEST.sigma), seed=1)
    assert 0.0 < honest <= claims["optimal"] <= claims["printed"]
    assert attacked(LastIterate(records, index, HONEST.sigma / 3.0), seed=2) > claims["optimal"]


def test_public_steps_protect_the_last_record():
    """The last record is attacked behind public steps, which use any data that do not depend on it."""
    for public in (0, 5):
        bound = to_approximate(HONEST.worst(public_steps=public), DELTA).epsilon
        assert attacked(LastIterate(8 + public, 8, HONEST.sigma), seed=3) <= bound
