r"""What floating-point noise gives away, and to whom: attacks on released numbers, and the releases they were made for.

    reachable   Mironov (2012): which floats can the sum of a count and noise be? The sampler turns one of 2⁵³ uniforms
                into a float, in steps that are coarse where the noise is small and fine where it is large.
    multiple    Haney, Desfontaines, Hartman, Shrestha, Hay (2022): s + σN is a multiple of the last place of its
                larger term. A normal draw that is nearly 0 has fine last bits, which only s = 0 leaves there.
    replay      whoever knows the seed draws the same noise for every count there could be.

An attack says of a released number which of two or more counts it cannot have been made of. Where it excludes all but
one, the count is known for certain, and no ε holds.
"""

import math

import numpy as np

FINE = 2.0**-53
LOG = np.frompyfunc(math.log, 1, 1)  # the C library's, as in the sampler; NumPy's own differs in the last place


# -- the releases, as they were ----------------------------------------------------------------------------------------


def float_laplace(counts, scale, rng, size=None):
    """Laplace noise in floats on counts."""
    shape = np.shape(counts) if size is None else (size, *np.shape(counts))
    return np.asarray(counts, dtype=float) + rng.laplace(0.0, scale, shape)


def float_gaussian(statistic, sigma, rng, size=None):
    """Normal noise in floats on a sum."""
    return statistic + sigma * rng.standard_normal(size)


# -- Mironov: which floats can a count and its noise be ----------------------------------------------------------------


def reachable(released, count, scale):
    """Whether `count` + Laplace noise in floats can be each released number.

    NumPy's noise is −b·log(2 − U − U) for U ≥ ½ and b·log(U + U) below, where U is a multiple of 2⁻⁵³. All those U are
    tried, around the one that a released number points to, whose noise might round to it.
    """
    released = np.asarray(released, dtype=float)
    noise = released - count
    share = np.exp(-np.abs(noise) / scale)  # U + U, or 2 − U − U
    # Noises within half a last place of the sum round to it; the logarithm and its product round as well.
    width = np.spacing(np.abs(released)) + 4 * np.spacing(np.abs(noise))
    steps = np.ceil(share * (width / scale + 8 * FINE) / (2 * FINE)).astype(int) + 3
    centre = np.rint(np.where(noise < 0, share / 2, 1 - share / 2) / FINE)
    found = np.zeros(released.shape, dtype=bool)
    for step in range(-int(steps.max()), int(steps.max()) + 1):
        uniform = np.clip((centre + step) * FINE, FINE, 1 - FINE)
        low = uniform < 0.5
        logarithm = scale * LOG(np.where(low, uniform + uniform, 2.0 - uniform - uniform)).astype(float)
        found |= (np.abs(step) <= steps) & (count + np.where(low, logarithm, -logarithm) == released)
    return found


def only_reached_by(released, right, wrong, scale):
    """Whether each released number can be made of `right` and not of `wrong`."""
    return reachable(released, right, scale) & ~reachable(released, wrong, scale)


def the_only_count(released, candidates, scale):
    """The one candidate that reaches each released number; −1 where there are several or none."""
    reached = np.array([reachable(released, count, scale) for count in candidates])
    return np.where(reached.sum(axis=0) == 1, np.asarray(candidates)[np.argmax(reached, axis=0)], -1)


# -- Haney et al.: how fine are its last bits --------------------------------------------------------------------------


def multiple(released, unit):
    """Whether each released number is a multiple of `unit`, a power of 2.

    s + x is one of s·2⁻⁵³ for every float x, if s is a power of 2: x is one itself from s/2 on, and below that the sum
    is above s/2 and rounds to one.
    """
    scaled = np.asarray(released, dtype=float) / unit
    return np.asarray(scaled == np.rint(scaled))


# -- replay ------------------------------------------------------------------------------------------------------------


def replayed(released, candidates, seed, release):
    """The candidates of which `release(count, generator)` makes what was released, if the seed is this one."""
    return [count for count in candidates if release(count, np.random.default_rng(seed)) == released]
