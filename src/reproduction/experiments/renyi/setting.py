"""The family, the prior and the records that an experiment of this room is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpsampling.errors import InputError, did_you_mean
from dpsampling.mechanisms.base import Mechanism
from dpsampling.mechanisms.calibration import check_order
from dpsampling.mechanisms.entry import Entry, Setting
from dpsampling.mechanisms.families.registry import FAMILIES
from dpsampling.mechanisms.registry import ENTRIES

Array = NDArray[np.float64]


def setting_of(params: Mapping[str, Any]) -> Setting:
    """The family by its name, with a prior and a number of records that it accepts."""
    name = params["family"]
    if name not in FAMILIES or not FAMILIES[name].scalar:
        known = [entry.name for entry in FAMILIES.values() if entry.scalar]
        raise InputError(f"family is '{name}'{did_you_mean(name, known)}; it must be {' or '.join(known)}.")
    family = FAMILIES[name].family
    return Setting(family, family.check_prior(params["prior"]), family.check_records(params["n"]))


def compared(params: Mapping[str, Any]) -> list[Entry]:
    """The mechanisms of the registry that the figures of this family compare."""
    return [entry for entry in ENTRIES if entry.compared and entry.serves(params["family"])]


def levels_of(params: Mapping[str, Any]) -> tuple[float, list[float]]:
    """The order λ, and the ε's in increasing order."""
    return check_order(params["order"]), np.sort(np.asarray(params["epsilons"], dtype=float)).tolist()


def built(entry: Entry, setting: Setting, order: float, epsilons: Sequence[float]) -> Sequence[Mechanism]:
    """One mechanism for each ε."""
    assert entry.build is not None
    return entry.build(setting, order, epsilons)
