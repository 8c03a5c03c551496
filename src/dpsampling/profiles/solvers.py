r"""The mechanisms of thesis section 7.5 and their baselines.

    two profiles   least common α with both output ratios in [e^−ε, e^ε]                     (Algorithm 6, eq. (7.5))
    cluster        its maximum over the edges of a connected component                      (Algorithm 7)
    smooth         least largest flip, each profile with its own: one bit, or d categories  (Algorithms 8 and 9)
    randomized     Warner's and the K-ary response: the same matrix for every profile, private for any graph

Connected components have nothing to do with one another, and each is served for itself. A component that needs no noise
gets none. ε is met exactly (`exact`), so flips are a few 2^-53 above the optimum in real numbers; entries of matrices
are as near to it as a linear program's solver comes: within 1e-9 from ε = 1e-4 on. At smaller ε, where coefficients
grow like 1/ε, entries of 1e-5 above the optimum have been seen.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array
from dpsampling.profiles import linear_programs
from dpsampling.profiles.exact import GRID, LARGEST_EPSILON, ExactGraph, exp_below, on_grid
from dpsampling.profiles.graph import ProfileGraph, check_epsilon
from dpsampling.profiles.mechanism import ProfileMechanism
from dpsampling.profiles.rounding import mix, one_bit, raise_common_flip, raise_flips

_ROOM = 2.0**-43  # of ε, for matrices


def two_profile_flip(p: float, q: float, epsilon: float) -> float:
    r"""The least flip for two Bernoulli profiles (Obs. 10, completed), in floats.

    For p ≤ q, with D = q − e^ε p and E = (1−p) − e^ε (1−q), and each term only where its D or E is positive,

        α = max{0, D/(2D + e^ε − 1), E/(2E + e^ε − 1)}.
    """
    epsilon = check_epsilon(epsilon)
    low, high = min(p, q), max(p, q)
    return max(_flip_for(high, low, epsilon), _flip_for(1.0 - low, 1.0 - high, epsilon))


def _flip_for(larger: float, smaller: float, epsilon: float) -> float:
    """D/(2D + e^ε − 1) for D = larger − e^ε smaller > 0, both divided by e^ε."""
    if epsilon < 1.0:
        excess = (larger - smaller) + larger * math.expm1(-epsilon)
    else:
        excess = larger * math.exp(-epsilon) - smaller
    return excess / (2.0 * excess - math.expm1(-epsilon)) if excess > 0.0 else 0.0


def cluster(graph: ProfileGraph, epsilon: float) -> ProfileMechanism:
    """One flip for all profiles of a component, the largest that an edge of it needs; for two profiles, Algorithm 6."""
    epsilon = check_epsilon(epsilon)
    _need_bits(graph, "the cluster mechanism")
    exact = ExactGraph(graph, epsilon)
    p = graph.normalised[:, 1]
    needed = np.zeros(int(graph.components.max()) + 1)
    for i, j in graph.edges.tolist():
        component = graph.components[i]
        needed[component] = max(needed[component], two_profile_flip(p[i], p[j], epsilon))
    flips = np.zeros(len(graph.names))
    for component in np.unique(graph.components[graph.edges]):
        members = np.flatnonzero(graph.components == component)
        # The float is off by rounding: start below it, and let exact arithmetic have the last word.
        start = max(0.0, needed[component] - 2.0**-40 / epsilon)
        flips[members] = raise_common_flip(exact, members, start)
    return ProfileMechanism(graph, epsilon, "cluster", one_bit(flips))


def smooth_one_bit(graph: ProfileGraph, epsilon: float, *, lexicographic: bool = False) -> ProfileMechanism:
    """Least largest flip, a flip a profile; or, lexicographically, each as small as the larger ones allow."""
    epsilon = check_epsilon(epsilon)
    _need_bits(graph, "the smooth one-bit mechanism")

    def finish(exact: ExactGraph, entries: Array) -> Array:
        return one_bit(raise_flips(exact, entries[:, 0, 1], response_flip(2, epsilon)))

    matrices = _smooth(graph, epsilon, finish, bits=True, lexicographic=lexicographic)
    return ProfileMechanism(graph, epsilon, _named("smooth one-bit", lexicographic), matrices)


def smooth_categorical(graph: ProfileGraph, epsilon: float, *, lexicographic: bool = False) -> ProfileMechanism:
    """Least largest off-diagonal entry, a matrix a profile; or lexicographically so over the profiles."""
    epsilon = check_epsilon(epsilon)
    matrices = _smooth(graph, epsilon, mix, bits=False, lexicographic=lexicographic)
    return ProfileMechanism(graph, epsilon, _named("smooth categorical", lexicographic), matrices)


def randomized_response(graph: ProfileGraph, epsilon: float) -> ProfileMechanism:
    """The same matrix for every profile: keep with e^ε/(e^ε + d − 1), else each other category alike."""
    epsilon = check_epsilon(epsilon)
    size, d = graph.probabilities.shape
    flips = np.full((size, d, d), response_flip(d, epsilon))
    return ProfileMechanism(graph, epsilon, "randomized response", mix(ExactGraph(graph, epsilon), flips))


def response_flip(categories: int, epsilon: float) -> float:
    """1/(e^ε + d − 1), rounded up to the grid: each wrong answer's probability in randomized response."""
    bound = exp_below(min(check_epsilon(epsilon), LARGEST_EPSILON))
    return min(math.ceil(GRID / (bound + categories - 1)), GRID // categories) / GRID


def _smooth(
    graph: ProfileGraph,
    epsilon: float,
    finish: Callable[[ExactGraph, Array], Array],
    *,
    bits: bool,
    lexicographic: bool,
) -> Array:
    """The identity where it is private, and the program's solution made exact elsewhere."""
    size, d = graph.probabilities.shape
    matrices = on_grid(np.zeros((size, d, d)))
    broken = ExactGraph(graph, epsilon).violated(matrices)
    noisy = np.isin(graph.components, graph.components[[i for i, _, _ in broken]])
    if noisy.any():
        part = graph.restricted(noisy)
        # Rounding to the grid needs a little room, and where it has it no matrix need be mixed.
        level = epsilon if bits else epsilon - min(_ROOM, epsilon * 2.0**-20)
        entries = linear_programs.solve(part, level, one_bit=bits, lexicographic=lexicographic)
        matrices[noisy] = finish(ExactGraph(part, epsilon), entries)
    return matrices


def _need_bits(graph: ProfileGraph, what: str) -> None:
    if len(graph.categories) != 2:
        raise InputError(f"{what} needs two categories, and these profiles have {len(graph.categories)}.")


def _named(kind: str, lexicographic: bool) -> str:
    return f"{kind}, lexicographic" if lexicographic else kind


MECHANISMS: dict[str, Callable[[ProfileGraph, float], ProfileMechanism]] = {
    "smooth": smooth_categorical,
    "smooth-one-bit": smooth_one_bit,
    "cluster": cluster,
    "randomized-response": randomized_response,
}
