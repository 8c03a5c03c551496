r"""Profile graphs: which data-generating distributions must not be told apart.

A graph G = (P, E) has k profiles P_i over the same d categories, and edges between the pairs that are sensitive
(thesis section 7.3.2). Profiles are public; what a mechanism hides is which of two joined profiles a datum came from.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from dpsampling.errors import InputError
from dpsampling.numerics.arrays import Array, Booleans, Indices
from dpsampling.profiles.checks import UNEQUAL, check_probabilities


@dataclass(frozen=True, eq=False)
class ProfileGraph:
    """Named profiles (rows of `probabilities`) over named categories, and unordered pairs of rows as edges.

    An edge given twice, in either direction, counts once.
    """

    names: tuple[str, ...]
    categories: tuple[str, ...]
    probabilities: Array
    edges: Indices

    def __post_init__(self) -> None:
        probabilities = np.array(self.probabilities, dtype=float)
        _check_names(self.names, self.categories, probabilities)
        check_probabilities(self.names, self.categories, probabilities.tolist())
        edges = np.array(self.edges).reshape(-1, 2)
        _check_edges(self.names, edges)
        edges = np.unique(np.sort(edges.astype(np.intp), axis=1), axis=0)
        for name, array in (("probabilities", probabilities), ("edges", edges)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        object.__setattr__(self, "names", tuple(self.names))
        object.__setattr__(self, "categories", tuple(self.categories))

    @cached_property
    def directed(self) -> Indices:
        """Both directions of every edge."""
        return np.concatenate([self.edges, self.edges[:, ::-1]])

    @cached_property
    def normalised(self) -> Array:
        """The profiles divided by their sums."""
        return self.probabilities / self.probabilities.sum(axis=1, keepdims=True)

    @cached_property
    def components(self) -> Indices:
        """The connected component of each profile, numbered from 0."""
        return components(len(self.names), self.edges)

    @cached_property
    def fingerprint(self) -> str:
        """Eight digits that tell this graph from others."""
        exact = [self.names, self.categories, [[p.hex() for p in row] for row in self.probabilities.tolist()]]
        return hashlib.sha256(repr([*exact, self.edges.tolist()]).encode()).hexdigest()[:8]

    def restricted(self, keep: Booleans) -> ProfileGraph:
        """The profiles that are kept, with the edges between them."""
        number = np.cumsum(keep) - 1
        inside = keep[self.edges].all(axis=1)
        names = tuple(name for name, kept in zip(self.names, keep, strict=True) if kept)
        return ProfileGraph(names, self.categories, self.probabilities[keep], number[self.edges[inside]])


def categorical(probabilities: ArrayLike, edges: Sequence[tuple[int, int]] | Indices) -> ProfileGraph:
    """Profiles and categories that are numbered from 1; edges are pairs of rows, from 0."""
    try:
        rows = np.asarray(probabilities, dtype=float)
    except ValueError:
        raise InputError(UNEQUAL) from None
    if rows.ndim != 2:
        raise InputError(
            f"probabilities have {rows.ndim} dimensions; give one row a profile and one column a category."
        )
    names, categories = (tuple(map(str, range(1, size + 1))) for size in rows.shape)
    return ProfileGraph(names, categories, rows, np.asarray(edges))


def bernoulli(parameters: ArrayLike, edges: Sequence[tuple[int, int]] | Indices) -> ProfileGraph:
    """Bernoulli profiles with Pr(1) = p_i over the categories 0 and 1."""
    p = np.asarray(parameters, dtype=float).ravel()
    names = tuple(map(str, range(1, len(p) + 1)))
    return ProfileGraph(names, ("0", "1"), np.column_stack([1.0 - p, p]), np.asarray(edges))


def chain(size: int) -> list[tuple[int, int]]:
    """The edges of a chain: successive profiles are joined."""
    return list(pairwise(range(size)))


def components(size: int, edges: Indices) -> Indices:
    """The connected component of each of `size` nodes, numbered from 0."""
    links = sparse.coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(size, size))
    return sparse.csgraph.connected_components(links, directed=False)[1].astype(np.intp)


def check_epsilon(epsilon: float) -> float:
    """A privacy level that a mechanism can be made for."""
    if not (epsilon > 0 and math.isfinite(epsilon)):
        raise InputError(f"epsilon is {epsilon:g}; it must be a number above 0.")
    return float(epsilon)


def _check_names(names: Sequence[str], categories: Sequence[str], probabilities: Array) -> None:
    if not len(names):
        raise InputError("there are no profiles; give at least two and an edge between them.")
    if len(categories) < 2:
        raise InputError(f"there are {len(categories)} categories; a profile needs two or more.")
    for kind, words in (("profile", names), ("category", categories)):
        seen: set[str] = set()
        for word in words:
            if word in seen:
                raise InputError(f"{kind} '{word}' is named twice; give every {kind} a name of its own.")
            seen.add(word)
    if probabilities.shape != (len(names), len(categories)):
        raise InputError(
            f"probabilities have the shape {probabilities.shape}; {len(names)} profiles over {len(categories)} "
            "categories need one row a profile and one column a category."
        )


def _check_edges(names: Sequence[str], edges: NDArray[np.generic]) -> None:
    if not len(edges):
        raise InputError("the graph has no edges; without a sensitive pair nothing is protected, so name one or more.")
    if not np.issubdtype(edges.dtype, np.integer):
        raise InputError("edges are not whole numbers; an edge is a pair of rows, numbered from 0.")
    outside = (edges < 0) | (edges >= len(names))  # type: ignore[operator]
    if outside.any():
        raise InputError(
            f"an edge names row {edges[outside][0]}; the {len(names)} profiles are numbered 0 to {len(names) - 1}."
        )
    loops = edges[edges[:, 0] == edges[:, 1]]
    if len(loops):
        name = names[int(loops[0, 0])]
        raise InputError(f"an edge joins profile '{name}' with itself; an edge needs two profiles.")
