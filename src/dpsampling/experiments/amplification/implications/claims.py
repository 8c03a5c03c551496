"""What Lemma 1 and Figure 6.1 say of the four mixing conditions."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pandas as pd

from dpsampling.amplification.names import CONDITIONS, DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from dpsampling.claims import EXACT, Claim, at_least, corrected, never
from dpsampling.experiments.amplification.implications import CHAIN, IMPLIED, RATIO, ROUNDING

EVIDENCE = EXACT

FIGURE = "thesis Figure 6.1"
SHORT = {DOBRUSHIN: "dobrushin", LEVEL_DOBRUSHIN: "level", DOEBLIN: "doeblin", ULTRA_MIXING: "ultra"}

Counts = dict[tuple[str, str], tuple[int, int]]
Coefficients = dict[tuple[str, str], tuple[Fraction, Fraction]]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The chain, its converses, and the direction of the first implication of Lemma 1."""
    del params  # all of it is in the table
    rows = {(row["premise"], row["conclusion"]): row for row in table.to_dict("records")}
    counts = {pair: (int(row["kernels"]), int(row["violations"])) for pair, row in rows.items()}
    exact = {
        pair: (Fraction(str(row["premise_coefficient"])), Fraction(str(row["conclusion_coefficient"])))
        for pair, row in rows.items()
        if pair not in IMPLIED
    }
    chain = [
        never(
            f"{SHORT[premise]}-{SHORT[conclusion]}",
            FIGURE,
            f"γ-{premise} implies γ-{conclusion}" if "(" not in conclusion else f"γ-{premise} implies {conclusion}",
            violations=counts[premise, conclusion][1],
            cases=counts[premise, conclusion][0],
        )
        for premise, conclusion in pairwise(CHAIN)
    ]
    return [*chain, _direction(exact), _strict(exact), _agreement(counts)]


def _direction(exact: Coefficients) -> Claim:
    level, total = exact[LEVEL_DOBRUSHIN, DOBRUSHIN]
    return corrected(
        "direction",
        "thesis proof of Lemma 1",
        "(γ, ε)-Dobrushin implies γ-Dobrushin, from D_{e^ε} ≤ TV",
        correction="D_{e^ε} ≤ TV gives the reverse, and makes (γ, ε)-Dobrushin the weakest condition: randomized "
        f"response with e^ε = {RATIO} is ({level}, ε)-Dobrushin, and its TV is {total} (errors are by how much a "
        "coefficient is exceeded)",
        error_as_printed=max(0.0, float(total - level)),
        error_as_corrected=max(0.0, float(level - total)),
        tolerance=0.0,
        slip=True,
    )


def _strict(exact: Coefficients) -> Claim:
    return at_least(
        "strict",
        FIGURE,
        f"none of the {len(exact)} other implications holds (least excess over their exact counterexamples)",
        limit=0.25,
        measured=min(float(conclusion - premise) for premise, conclusion in exact.values()),
    )


def _agreement(counts: Counts) -> Claim:
    implied = [pair for pair in counts if pair in IMPLIED]
    return never(
        "all",
        FIGURE,
        f"all {len(implied)} implications of the chain of {len(CONDITIONS)} conditions hold on every random kernel "
        f"(up to {ROUNDING:g})",
        violations=sum(counts[pair][1] for pair in implied),
        cases=sum(counts[pair][0] for pair in implied),
    )
