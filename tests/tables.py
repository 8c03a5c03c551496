"""Tables of any experiment, with the simulated logs that it asks for."""

from __future__ import annotations

from functools import cache

from dpsampling.experiments import contract
from dpsampling.warlogs import counts, schema, supply


def make(experiment: str, parameters: dict, seed: int):
    """What `dpsampling table` computes."""
    if not contract.reads_logs(experiment):
        return contract.make_table(experiment, parameters, seed)
    logs = {log: simulated(log, seed, parameters["rows"]) for log in supply.named(parameters)}
    table = contract.make_table(experiment, parameters, seed, logs)
    table.attrs["logs"] = supply.about(logs)
    return table


@cache
def simulated(log: str, seed: int, rows: float) -> counts.EventCounts:
    """The counts of a simulated log."""
    return counts.of_log(schema.load(log), seed=seed, rows=rows)
