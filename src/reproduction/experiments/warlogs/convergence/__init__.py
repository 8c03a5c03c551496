"""Whether chains of 200 iterations converge: thesis section 4.5."""

from __future__ import annotations

from reproduction.experiments.warlogs.checks import check

__all__ = ["AGREEMENT", "COLUMNS", "CONVERGED", "ESS", "R_HAT", "check"]

COLUMNS = {
    "log": str,
    "mechanism": str,
    "variant": str,
    "epsilon": float,
    "quantity": str,
    "value": float,
    "least": float | None,  # of the pairs of chains, where the value is their mean
    "most": float | None,
}
R_HAT, ESS, AGREEMENT = "split R-hat of the log joint density", "effective samples of 100", "agreement of states"
CONVERGED = 1.1  # the largest R-hat of chains that seem to agree
