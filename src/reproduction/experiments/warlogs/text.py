"""What the figures on event logs say of the log they were made from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.numerics.randomness import EVALUATION
from reproduction.claims import REAL_DATA, SIMULATED_LOG

ALL_OF = {
    "simulated": ("simulated log", ""),
    "published": ("real log", ", aggregates"),
    "file": ("real log", f": {EVALUATION}"),
}
EACH_OF = {
    "simulated": "simulated",
    "published": "real aggregates",
    "file": f"real, {EVALUATION}",
    "unknown": "of unknown origin",
}


def origin(table: pd.DataFrame, *logs: str) -> str:
    """`simulated log`, `real log`, or of each log which, as the table's provenance has it.

    A real log is fitted with the public seed as a simulated one is, so that whoever is in it is not protected. Of one
    whose aggregates are published nobody expects that.
    """
    origins = [_of_log(table, log).get("origin", "unknown") for log in logs]
    if len(set(origins)) == 1 and origins[0] in ALL_OF:
        kind, more = ALL_OF[origins[0]]
        return f"{kind}{'' if len(logs) == 1 else 's'}{more}"
    return ", ".join(f"{title(table, log)}: {EACH_OF[kind]}" for log, kind in zip(logs, origins, strict=True))


def evidence(table: pd.DataFrame, log: str) -> str:
    """Return what a claim about a log rests on; a table that does not tell of its log shows nothing of a real one."""
    return SIMULATED_LOG if simulated(table, log) else REAL_DATA


def simulated(table: pd.DataFrame, log: str) -> bool:
    """Tell whether a log is simulated, or of unknown origin."""
    return bool(_of_log(table, log).get("origin", "simulated") == "simulated")


def title(table: pd.DataFrame, log: str) -> str:
    """Return a log's short name."""
    return str(_of_log(table, log).get("title", log))


def _of_log(table: pd.DataFrame, log: str) -> Mapping[str, Any]:
    """Return what the table's provenance says of a log."""
    known: Mapping[str, Any] = table.attrs.get("inputs", {}).get(log, {})
    return known


def described(params: Mapping[str, Any]) -> str:
    """Name the one mechanism of the parameters, for a title."""
    if "multiplier" in params:
        return rf"OPS, $\varepsilon={params['epsilon']:g}$, $M={params['multiplier']:g}$"
    return rf"Laplace mechanism ({params['variant']}), $\varepsilon={params['epsilon']:g}$"
