"""Numbers of every size that a float can have, and what it means to be rounded up at each of them."""

import math

from hypothesis import strategies as st
from mpmath import mpf

LEAST = math.ulp(0.0)
LARGEST = math.nextafter(math.inf, 0.0)
MAGNITUDES = st.floats(-323, 300).map(lambda x: 10**x)


def assert_just_above(found, exact, order=1.0, relative="1e-11"):
    """Not below the exact number, nor above it by more than a few roundings, or a few of the least floats times α."""
    assert mpf(found) >= exact
    if exact * (1 + mpf(relative)) < LARGEST:
        assert mpf(found) <= exact * (1 + mpf(relative)) + 4 * mpf(order) * mpf(LEAST) * (exact > 0)
