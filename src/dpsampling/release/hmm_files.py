"""Tables and pictures of a hidden Markov model of noisy counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dpsampling.release.contents import Release
from dpsampling.release.kinds import Writer, table

PARTS = ("mean", "low", "high")


def files(release: Release, results: Mapping[str, Any]) -> dict[str, Writer]:
    """By name, each with what writes it."""
    shares = [f"probability_{k + 1}" for k in range(results["states"])]
    found: dict[str, Writer] = {
        "noisy_counts.csv": table(["region", "month", "feature", "outcome", "count"], _counts(release)),
        "emissions.csv": table(["state", "feature", "outcome", "share", "low", "high"], _emissions(release, results)),
        "transitions.csv": table(["from", "to", "probability", "low", "high"], _transitions(results)),
        "states.csv": table(["state", "quantity", "value", "low", "high"], _states(results)),
        "cells.csv": table(["region", "month", "state", *shares], _cells(release, results)),
        "emissions.png": partial(_picture, "emissions", release, results),
        "states.png": partial(_picture, "timeline", release, results),
    }
    if results["states"] > 1:
        found["transitions.png"] = partial(_picture, "transitions", release, results)
    if "scores" in results:
        scores = [list(score.values()) for score in results["scores"]]
        found["scores.csv"] = table(["states", "nats_per_cell", "below_best", "standard_error"], scores)
        found["scores.png"] = partial(_picture, "scores", release, results)
    return found


def named(declared: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Feature and outcome of every place, as the features stand side by side."""
    return [(feature["name"], outcome) for feature in declared["features"] for outcome in feature["outcomes"]]


def _picture(name: str, release: Release, results: Mapping[str, Any], path: Path) -> None:
    from dpsampling.release import hmm_pictures  # matplotlib

    getattr(hmm_pictures, name)(release, results, path)


def _places(release: Release) -> list[tuple[str, str]]:
    return [(region, month) for region in release.declared["regions"] for month in release.declared["months"]]


def _counts(release: Release) -> Iterator[list[Any]]:
    columns = named(release.declared)
    for place, counts in zip(_places(release), release.numbers.integers, strict=True):
        for column, count in zip(columns, counts, strict=True):
            yield [*place, *column, int(count)]


def _emissions(release: Release, results: Mapping[str, Any]) -> Iterator[list[Any]]:
    for k in range(results["states"]):
        for j, column in enumerate(named(release.declared)):
            yield [k + 1, *column, *(results["emissions"][part][k][j] for part in PARTS)]


def _transitions(results: Mapping[str, Any]) -> Iterator[list[Any]]:
    states = range(results["states"])
    for to in states:
        yield ["start", to + 1, *(results["start"][part][to] for part in PARTS)]
    for k in states:
        for to in states:
            yield [k + 1, to + 1, *(results["transitions"][part][k][to] for part in PARTS)]


def _states(results: Mapping[str, Any]) -> Iterator[list[Any]]:
    for k in range(results["states"]):
        for quantity in ("cells_of_state", "events_a_month", "dwell_months"):
            yield [k + 1, quantity, *(results[quantity][part][k] for part in PARTS)]


def _cells(release: Release, results: Mapping[str, Any]) -> Iterator[list[Any]]:
    states = [k for region in results["state_of_cell"] for k in region]
    probabilities = [p for region in results["probability_of_state"] for p in region]
    for place, state, shares in zip(_places(release), states, probabilities, strict=True):
        yield [*place, state, *shares]
