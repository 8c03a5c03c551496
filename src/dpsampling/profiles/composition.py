r"""What two releases together reveal of one profile, by enumeration of all pairs of outputs (thesis Figure 7.1).

Each function returns the joint laws, (k, d, d), of two releases given the profile in question; `loss` is their exact ε:

    max over edges (i, j) and outputs (y, z) of ln Pr(y, z | P_i)/Pr(y, z | P_j).
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from dpsampling.numerics.arrays import Array
from dpsampling.profiles.graph import ProfileGraph
from dpsampling.profiles.mechanism import ProfileMechanism


def independent_observations(first: ProfileMechanism, second: ProfileMechanism) -> Array:
    """X_1, X_2 ~ P_i independently, one release of each."""
    return first.laws[:, :, np.newaxis] * second.laws[:, np.newaxis, :]


def same_observation(first: ProfileMechanism, second: ProfileMechanism) -> Array:
    """One X ~ P_i, released twice."""
    return np.einsum("ix,ixy,ixz->iyz", first.graph.normalised, first.matrices, second.matrices)


def independent_selections(first: ProfileMechanism, second: ProfileMechanism, prior: ArrayLike) -> Array:
    """Q_1 = P_i, and Q_2 drawn from the prior whatever Q_1 is; one release of an observation of each."""
    return first.laws[:, :, np.newaxis] * (np.asarray(prior, dtype=float) @ second.laws)


def determined_selections(first: ProfileMechanism, second: ProfileMechanism, follower: ArrayLike) -> Array:
    """Q_1 = P_i, and Q_2 the profile that is known to follow it; one release of an observation of each."""
    return first.laws[:, :, np.newaxis] * second.laws[np.asarray(follower)][:, np.newaxis, :]


def loss(graph: ProfileGraph, joint: Array) -> float:
    """The exact ε of these joint laws over the graph's edges."""
    i, j = graph.directed.T
    possible = joint[i] > 0
    if (joint[j][possible] == 0).any():
        return math.inf
    return float(np.log(joint[i][possible] / joint[j][possible]).max())
