"""Table of public mechanisms: claim, price and verdict of each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from dpsampling.audit.known_mechanisms.price import Setting, Specimen
from dpsampling.audit.known_mechanisms.registry import SPECIMENS
from reproduction.experiments.auditing.public_mechanisms import COLUMNS, setting


def table(params: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """One row a specimen, in the order of the registry."""
    del rng  # nothing is drawn
    return pd.DataFrame([_row(specimen, setting(params)) for specimen in SPECIMENS], columns=list(COLUMNS))


def _row(specimen: Specimen, s: Setting) -> tuple[object, ...]:
    price, claimed = specimen.price(s), specimen.claimed(s)
    return (
        specimen.name,
        specimen.label,
        specimen.group,
        specimen.source,
        specimen.measure,
        claimed,
        *price.certified(claimed),
        price.lower,
        price.upper,
        price.on_published,
        price.witness,
        specimen.truth,
        price.verdict(claimed),
    )
