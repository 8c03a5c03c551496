"""Released observations have the law that the mechanism's file states.

Counts of n releases of one category are multinomial. By Hoeffding's inequality a relative frequency is off by more than
h with probability at most 2 e^{−2nh²}; with n = 40 000 and h = .0155 that is below 1e-8, and 24 frequencies are looked
at. A planted bug, flips smaller by a tenth, moves a frequency by more than twice that.
"""

import numpy as np
import pytest

from dpsampling.profiles.graph import categorical, chain
from dpsampling.profiles.solvers import smooth_categorical

DRAWS, HALF_WIDTH = 40_000, 0.0155
MECHANISM = smooth_categorical(categorical([[1, 0, 0], [0, 1, 0], [0.2, 0.5, 0.3]], chain(3)), 0.05)


def frequencies(profile, observation, rng):
    profiles = np.full(DRAWS, profile)
    released = MECHANISM.simulate(profiles, observation, rng) if rng else MECHANISM.release(profiles, observation)
    return np.bincount(released, minlength=3) / DRAWS


@pytest.mark.parametrize("source", ["seeded", "system"])
def test_frequencies_are_the_stored_probabilities(source):
    rng = np.random.default_rng(3) if source == "seeded" else None
    for profile, observation in ((0, 0), (1, 1), (2, 1), (2, 2)):
        stored = MECHANISM.matrices[profile, observation]
        assert np.abs(frequencies(profile, observation, rng) - stored).max() < HALF_WIDTH


def test_a_tenth_less_noise_would_be_seen():
    found = frequencies(0, 0, np.random.default_rng(4))
    bug = MECHANISM.matrices[0, 0] + 0.1 * (1 - MECHANISM.matrices[0, 0, 0]) * np.array([1, -0.5, -0.5])
    assert np.abs(found - bug).max() > HALF_WIDTH
