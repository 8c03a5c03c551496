"""Draws behind the numbers of a hidden Markov model: its chains run again from the noisy counts and from `chance`.

A release keeps means and intervals, not draws. They take the same course with the same versions, and so the means of
the draws must be those that were released: by them states are found in their public order, and by them it is seen if
the course was another one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError
from dpsampling.event_logs import posterior
from dpsampling.numerics.arrays import Array
from dpsampling.release import hmm
from dpsampling.release.contents import Release
from dpsampling.release.inference_data import Groups, Named

SAME = 2e-6  # means are released to six digits


def groups(release: Release, results: Mapping[str, Any]) -> Groups:
    """For ArviZ, with the names of states, regions, months and outcomes; chains of other modes are left out."""
    hmm.compile_chains()
    states, noisy = int(results["states"]), hmm.noisy_of(release)
    _, fit, rng = release.generator.spawn(3)  # as the results were computed
    fitted = posterior.posterior(noisy, states, fit)
    order = public_order(fitted.emissions.mean(axis=0), np.array(results["emissions"]["mean"]))
    if order is None:
        versions = ", ".join(f"{name} {version}" for name, version in release.made_with.items())
        raise InputError(
            f"chains take another course here than where the release was made, with {versions}; ask there for draws."
        )
    rows = rng.standard_gamma(fitted.transitions[:, [*order, states]][:, :, order] + posterior.Prior().alpha)
    rows /= rows.sum(axis=2, keepdims=True)
    place = np.argsort(order, kind="stable")  # of each state as the chains number them, its public number less one
    declared, chains = release.declared, int(fitted.kept.sum())

    def by_chain(drawn: NDArray[Any]) -> NDArray[Any]:
        return drawn.reshape(chains, -1, *drawn.shape[1:])

    drawn = {
        "transition": Named(by_chain(rows[:, :states]), ("from", "state")),
        "start": Named(by_chain(rows[:, states]), ("state",)),
        "state_of_cell": Named(by_chain(place[fitted.states] + 1), ("region", "month")),
    }
    observed: dict[str, Named] = {}
    labels: dict[str, list[Any]] = {"state": list(range(1, states + 1)), "from": list(range(1, states + 1))}
    labels |= {"region": list(declared["regions"]), "month": list(declared["months"])}
    cells = release.numbers.integers.astype(np.int64).reshape(len(labels["region"]), len(labels["month"]), -1)
    for d, feature in enumerate(declared["features"]):
        inside = slice(noisy.offsets[d], noisy.offsets[d + 1])
        axis = f"{feature['name']}_outcome"
        labels[axis] = list(feature["outcomes"])
        drawn[f"{feature['name']}_emission"] = Named(by_chain(fitted.emissions[:, order, inside]), ("state", axis))
        observed[f"{feature['name']}_noisy_count"] = Named(cells[:, :, inside], ("region", "month", axis))
    g = release.guarantee
    return Groups(
        posterior=drawn,
        observed=observed,
        constant={"noise_scale": Named([noisy.scale], ("count",))},
        labels={**labels, "count": ["every"]},
        attributes={
            "guarantee": str(g),
            "epsilon": g.epsilon,
            "unit": release.unit.name,
            "rows_of_a_unit": release.unit.most,
            "conditions": "; ".join(g.conditions),
            "title": release.title,
            "note": "observed are noisy counts, which may be published; the true ones are in no release",
        },
    )


def public_order(drawn: Array, released: Array) -> list[int] | None:
    """Which state of the chains each public one is, by its mean emissions; nothing if one of them is none."""
    found: list[int] = []
    for mean in released:
        gaps = np.abs(drawn - mean).max(axis=1)
        gaps[found] = np.inf
        found.append(int(gaps.argmin()))
        if gaps[found[-1]] > SAME:
            return None
    return found
