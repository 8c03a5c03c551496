"""The event logs that an experiment asks for: counted before, or made now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from dpsampling.errors import InputError
from dpsampling.event_logs import counts, schema
from dpsampling.event_logs.counts import EventCounts
from reproduction.inputs import Given, Raw, Supply, paths

EVALUATION = "an evaluation with a public seed, which protects nothing; what was counted of the rows is not told"


def supply(parameters: Mapping[str, Any], given: Given, *, seed: int, stream: str, raw: Raw) -> Supply:
    """Counts by name, in the parameters' order: counted before, else of a raw file, else published, else simulated."""
    del stream  # a simulated log has streams of its own
    counted = {found.log: found for found in map(counts.load, given["counts"])}
    wanted = paths.logs(parameters)
    strangers = sorted(set(counted) - set(wanted))
    if strangers:
        raise InputError(f"counts of '{strangers[0]}' are given, but the logs asked for are {', '.join(wanted)}.")
    others = {name: _schema(name, raw) for name in wanted if name not in counted}
    found = {
        name: counted[name] if name in counted else counts.of_log(others[name], seed=seed, rows=parameters["rows"])
        for name in wanted
    }
    return Supply(found, about(found), [path for log in others.values() for path in _files(log)])


def about(found: Mapping[str, EventCounts]) -> dict[str, Any]:
    """What is told of the logs beside a table: of a log from a file, nothing that was counted of its rows."""
    return {
        name: {
            "title": log.title,
            "origin": log.origin,
            "regions": len(log.regions),
            "months": len(log.months),
            **({"note": EVALUATION} if log.origin == "file" else _counted(log)),
        }
        for name, log in found.items()
    }


def _counted(log: EventCounts) -> dict[str, Any]:
    return {
        "note": "the numbers of entries are exact, and not protected",
        "entries": int(log.entries.sum()),
        "median": float(median(log.entries.ravel().tolist())),
    }


def _files(log: schema.LogSchema) -> Sequence[Path]:
    """What its counts were made from, if not simulated."""
    counted = log.counted()
    return log.located() if counted is None else [counted]


def _schema(name: str, raw: Raw) -> schema.LogSchema:
    return schema.load(name, {"file": raw[name]} if name in raw else {})
