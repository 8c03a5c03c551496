"""What a private hidden Markov model costs in ε: thesis sections 4.4.1 and 4.5."""

from __future__ import annotations

from reproduction.experiments.warlogs.checks import check

__all__ = ["ANY", "COLUMNS", "CONVERGED", "SAME", "UNSURE", "UNTEMPERED", "WHOLE", "check"]

COLUMNS = {
    "log": str,
    "mechanism": str,
    "setting": str,
    "updates": int,
    "per_update": float,
    "epsilon": float,
    "temperature": float,
    "searched": float,
}
# Settings.
ANY, CONVERGED, UNSURE = "whatever the chain does", "if the chain has converged", "if it may not have converged"
WHOLE, SAME, UNTEMPERED = "every sample released, same temperature", "every sample released at ε", "not tempered"
