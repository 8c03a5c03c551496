"""Tables of any experiment, with the event logs that it asks for, and what the later stages make of them."""

from functools import cache

import numpy as np

from dpsampling.cli import parsing
from dpsampling.event_logs import counts, schema
from dpsampling.files.grids import expanded
from dpsampling.numerics.randomness import stream
from planted_designs import planted
from reproduction import config, project
from reproduction.inputs import counts as counted
from reproduction.inputs import designs, paths, scores, sweeps
from reproduction.stages import claims, experiment_contract, figure
from reproduction.stages import table as stage


def made(experiment: str, seed: int = 3, **changes):
    """What `dpsampling table` computes, with its parameters in `attrs["parameters"]`."""
    return make(experiment, config.resolve(project.experiment(experiment), changes), seed)


def make(experiment: str, parameters: dict, seed: int):
    """The same from parameters that are resolved already."""
    e = project.experiment(experiment)
    inputs, told = _inputs(e, parameters, seed)
    table = stage.make(e.code, parameters, stream(seed, e.stream_name), inputs)
    assert list(table.columns) == list(experiment_contract.columns(e.code, parameters))
    table.attrs.update(told)
    table.attrs["parameters"] = parameters
    return table


def smallest(experiment: str) -> list[str]:
    """The options of a run of about a second."""
    return [f"--set={option}" for option in parsing.settings(project.experiment(experiment).smallest)]


def judged(experiment: str, table, source: str | None = None):
    """The claims of a table that was made here."""
    e = project.experiment(experiment)
    return claims.judge(e.code, table, table.attrs["parameters"], source or e.source)


def verdicts(experiment: str, table) -> dict[str, str]:
    return {c.id: c.verdict for c in judged(experiment, table)}


def with_verdict(experiment: str, table, verdict: str) -> set[str]:
    """The claims that have it."""
    return {claim for claim, other in verdicts(experiment, table).items() if other == verdict}


def drawn(experiment: str, table):
    """Its figure."""
    return figure.draw(project.experiment(experiment).code, table, table.attrs["parameters"])


def where(table, **columns):
    """The rows that have these values."""
    return np.all([table[name] == value for name, value in columns.items()], axis=0)


def changed(table, rows, **columns):
    """The table with some numbers replaced."""
    assert rows.any()
    other = table.copy()
    for name, value in columns.items():
        other.loc[rows, name] = value(other.loc[rows, name]) if callable(value) else value
    other.attrs.update(table.attrs)
    return other


def falls(experiment, table, other):
    """The claims whose verdict is another one."""
    before, after = verdicts(experiment, table), verdicts(experiment, other)
    assert before.keys() == after.keys()
    return {claim for claim in before if before[claim] != after[claim]}


def _inputs(e, parameters, seed):
    if not e.needs:
        return None, {}
    if e.needs in {"designs", "sweeps"}:
        made = {name: planted(name) for name in paths.datasets(parameters)}
        told = {"inputs": designs.about(made.values())}
        if e.needs == "designs":
            return made, told
        params, rng = expanded(parameters), stream(seed, e.stream_name)
        return {name: sweeps.swept(design, params, rng) for name, design in made.items()}, told
    logs = {log: counted_log(log, seed, parameters["rows"]) for log in paths.logs(parameters)}
    if e.needs == "counts":
        return logs, {"inputs": counted.about(logs)}
    return scores.evaluated(parameters, logs, stream(seed, e.stream_name)), {"inputs": counted.about(logs)}


@cache
def counted_log(log: str, seed: int, rows: float) -> counts.EventCounts:
    """The published counts of a log, or those of a simulated one."""
    return counts.of_log(schema.load(log), seed=seed, rows=rows)
