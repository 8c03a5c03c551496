"""The event logs that an experiment asks for: counted before, or made now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from dpsampling.errors import InputError
from dpsampling.warlogs import counts, schema
from dpsampling.warlogs.counts import EventCounts


def logs(
    parameters: Mapping[str, Any], seed: int, files: Mapping[str, str], counted: Sequence[Path] = ()
) -> dict[str, EventCounts]:
    """By name, in the parameters' order: from counted files, else from the raw file of `files`, else simulated."""
    given = {found.log: found for found in map(counts.load, counted)}
    wanted = named(parameters)
    strangers = sorted(set(given) - set(wanted))
    if strangers:
        raise InputError(f"counts of '{strangers[0]}' are given, but the logs asked for are {', '.join(wanted)}.")
    return {
        name: given[name] if name in given else counts.of_log(_schema(name, files), seed=seed, rows=parameters["rows"])
        for name in wanted
    }


def named(parameters: Mapping[str, Any]) -> list[str]:
    """The logs that an experiment's parameters name."""
    return [parameters["log"]] if "log" in parameters else list(parameters["logs"])


def about(found: Mapping[str, EventCounts]) -> dict[str, Any]:
    """What is told of the logs beside a table. The numbers of entries are exact: they are NOT protected."""
    return {
        name: {
            "title": log.title,
            "origin": log.origin,
            "regions": len(log.regions),
            "months": len(log.months),
            "note": "the numbers of entries are exact, and not protected",
            "entries": int(log.entries.sum()),
            "median": float(median(log.entries.ravel().tolist())),
        }
        for name, log in found.items()
    }


def _schema(name: str, files: Mapping[str, str]) -> schema.LogSchema:
    return schema.load(name, {"file": files[name]} if name in files else {})
