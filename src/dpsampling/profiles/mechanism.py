r"""What a profile mechanism is: one transition matrix a profile, and what follows from it.

A datum x of profile P_i is released as y with probability A^i(x, y). All entries are multiples of 2^-53 with rows that
sum to exactly 1, and a draw compares 53 random bits with their partial sums: what is sampled is what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array, Indices, Integers
from dpsampling.numerics.exact import bits
from dpsampling.privacy.guarantee import ProfileBased
from dpsampling.profiles.exact import GRID, ExactGraph
from dpsampling.profiles.graph import ProfileGraph


@dataclass(frozen=True, eq=False)
class ProfileMechanism:
    """A mechanism for one graph at one level; `kind` says how its matrices (k, d, d) were found.

    Made only if every constraint holds exactly.
    """

    graph: ProfileGraph
    epsilon: float
    kind: str
    matrices: Array

    def __post_init__(self) -> None:
        size, d = self.graph.probabilities.shape
        matrices = np.array(self.matrices, dtype=float)
        if matrices.shape != (size, d, d):
            raise InputError(f"the matrices have the shape {matrices.shape}; this graph needs {(size, d, d)}.")
        units = matrices * GRID
        if not ((units == np.rint(units)) & (matrices >= 0) & (matrices <= 1)).all():
            raise InputError("a transition probability is not a multiple of 2^-53 between 0 and 1.")
        if (units.astype(np.int64).sum(axis=2) != GRID).any():
            raise InputError("a row of transition probabilities does not sum to exactly 1.")
        broken = ExactGraph(self.graph, self.epsilon).violated(matrices)
        if broken:
            i, j, y = broken[0]
            names = self.graph.names
            raise InputError(
                f"profiles '{names[i]}' and '{names[j]}' are more than epsilon = {self.epsilon:g} apart "
                f"in the output '{self.graph.categories[y]}'."
            )
        matrices.setflags(write=False)
        object.__setattr__(self, "matrices", matrices)

    @cached_property
    def verified_epsilon(self) -> float:
        """The level that the matrices really have, in exact arithmetic and rounded up."""
        return ExactGraph(self.graph, self.epsilon).achieved(self.matrices)

    @property
    def guarantee(self) -> ProfileBased:
        """Return what releasing one observation promises."""
        return ProfileBased(self.epsilon, self.graph.fingerprint)

    @cached_property
    def laws(self) -> Array:
        """Pr(output = y | P_i), a row a profile."""
        return np.einsum("ix,ixy->iy", self.graph.normalised, self.matrices)

    @property
    def flips(self) -> Array:
        """The off-diagonal entries."""
        flips = self.matrices.copy()
        diagonal = np.arange(flips.shape[1])
        flips[:, diagonal, diagonal] = 0.0
        return flips

    @property
    def largest_flips(self) -> Array:
        """max over x ≠ y of A^i(x, y), for each profile."""
        return np.asarray(self.flips.max(axis=(1, 2)))

    @property
    def expected_corruption(self) -> Array:
        """Σ_x P_i(x) Pr(output ≠ x), for each profile."""
        return np.einsum("ix,ixy->i", self.graph.normalised, self.flips)

    @property
    def costs(self) -> Array:
        """max_i |P_i(y) − Pr(output = y | P_i)|, for each category (thesis eq. (7.9))."""
        return np.asarray(np.abs(self.graph.normalised - self.laws).max(axis=0))

    def release(self, profiles: ArrayLike, observations: ArrayLike) -> Indices:
        """One output for each pair of a profile's row and a category's column, by the operating system's bits."""
        count = np.broadcast(np.asarray(profiles), np.asarray(observations)).size
        words = np.frombuffer(bits.fresh(8 * count), dtype=np.uint64)
        return self._outputs(profiles, observations, (words >> np.uint64(11)).astype(np.int64))

    def simulate(self, profiles: ArrayLike, observations: ArrayLike, rng: np.random.Generator) -> Indices:
        """The same by a generator's bits: for experiments, it protects nothing."""
        count = np.broadcast(np.asarray(profiles), np.asarray(observations)).size
        return self._outputs(profiles, observations, rng.integers(0, GRID, count, dtype=np.int64))

    def _outputs(self, profiles: ArrayLike, observations: ArrayLike, uniforms: Integers) -> Indices:
        """Where whole numbers uniform below 2^53 come among the partial sums."""
        profiles, observations = np.broadcast_arrays(np.asarray(profiles), np.asarray(observations))
        reached = self._partial_sums[profiles, observations]
        drawn = uniforms.reshape(profiles.shape)[..., np.newaxis] >= reached[..., :-1]
        return np.asarray(drawn.sum(axis=-1), dtype=np.intp)

    @cached_property
    def _partial_sums(self) -> Integers:
        return np.cumsum((self.matrices * GRID).astype(np.int64), axis=2)
