"""How many say yes: noisy counts of yes and no, and the share that they tell of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpsampling.exact import draws, laws
from dpsampling.exact.fixed_point import FixedPoint
from dpsampling.numerics.enclosure import enclose_rational
from dpsampling.privacy.budget import decimal
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.rounding import float_above
from dpsampling.release import rows
from dpsampling.release.card import Sentence
from dpsampling.release.contents import Release
from dpsampling.release.desk import Prepared
from dpsampling.warlogs.mechanisms import neighbours
from dpsampling.warlogs.schema import LogSchema, Unit

NOISY_COUNTS = "noisy counts"
ANSWER = "answer"  # the one feature of its description
Writer = Callable[[Path], None]


def prepare(
    schema: LogSchema, source: Any, *, epsilon: float, level: float, identified: bool, report: Path | None = None
) -> Prepared:
    """Read the rows; the noise is drawn later."""
    counts = rows.joint(rows.read(schema, source, report), [ANSWER])[:2]  # of what is neither, nothing is released
    exactly = min(decimal(epsilon), Fraction(epsilon))
    rate = exactly / (2 * schema.unit.most)

    def draw() -> FixedPoint:
        noise = draws.integers(laws.TwoSidedGeometric(rate), counts.size)
        return FixedPoint((counts + noise).astype(object), 0)

    mechanism = {"name": NOISY_COUNTS, "rate": str(rate)}
    return Prepared(
        kind="proportion",
        title=schema.title,
        unit=schema.unit,
        identified=identified,
        declared=_declared(schema),
        mechanism=mechanism,
        guarantee=_guarantee(mechanism, schema.unit),
        draw=draw,
        settings={"level": level},
        exactly=exactly,
    )


def promised(release: Release) -> Pure | Approximate:
    """2m times the rate: with one unit at most m rows change, each of which leaves one count and enters another."""
    return _guarantee(release.mechanism, release.unit)


def faults(release: Release) -> list[str]:
    """Two whole numbers."""
    found = []
    if release.numbers.shape != (2,) or release.numbers.exponent != 0:
        found.append("the noisy counts are not two whole numbers")
    return found


def results(release: Release) -> dict[str, Any]:
    """The share of yes."""
    yes, no = np.maximum(release.numbers.floats, 0.0).tolist()
    return {"noisy_counts": {"yes": yes, "no": no}, "share": (yes + 0.5) / (yes + no + 1.0)}


def sentences(release: Release, results: Mapping[str, Any]) -> list[Sentence]:
    """What it says of the data."""
    del release, results
    return []


def files(release: Release, results: Mapping[str, Any]) -> dict[str, Writer]:
    """A table and a picture."""
    del release, results
    return {}


def _guarantee(mechanism: Mapping[str, Any], unit: Unit) -> Pure:
    exact = Fraction(mechanism["rate"]) * 2 * unit.most
    return Pure(float_above(exact), conditions=(neighbours(unit),), enclosed=partial(enclose_rational, exact))


def _declared(schema: LogSchema) -> dict[str, Any]:
    (feature,) = schema.features
    by: Sequence[str] = () if schema.public is None else (schema.public.by, schema.public.on.isoformat())
    return {"by": list(by), "column": feature.columns[0], "yes": feature.outcomes[0], "no": feature.outcomes[1]}
