"""What thesis chapters 1 and 3 say of differential privacy in general, on finite mechanisms, exactly."""

from collections.abc import Mapping
from typing import Any

from dpsampling.errors import InputError

COLUMNS = {
    "statement": str,  # one of those below
    "case": str,
    "at": float,  # records, prior probability, ε, order or releases, whichever the statement is about
    "exact": float,
    "printed": float | None,  # what the source says, or bounds it by
    "right": float | None,  # what should stand there
}

DETERMINISTIC = "deterministic maps that are private"
ODDS, SILENT = "posterior odds", "posterior after an output with Z = 0"
SUFFICIENT = "δ of a pair against P(Z > ε)"
PUBLISHED, NO_LOSS, LOSS = "δ of publishing a record", "least P(Z = 0) of publishing a record", "largest P(Z > 0) of it"
ADAPTIVE = "δ of two releases"
PROCESSED = "Rényi divergence after processing"
GRID = "level from thirteen orders, from all orders"
SUM, WHOLE = "releases, converted and added", "releases, added and converted"
NAMED, ALONE = "with whose it is", "alone"
CONSTANT, VARYING = "constant maps", "maps that are not constant"
QUIET = "Gaussian, much noise"  # whose best order is far above 64
LARGEST = 10.0  # ε beyond which a posterior probability in floats has lost its odds


def check(params: Mapping[str, Any]) -> None:
    """Levels whose odds floats can hold."""
    if max(params["epsilons"]) > LARGEST:
        raise InputError(f"epsilons has {max(params['epsilons']):g}; here levels go up to {LARGEST:g}.")
