"""What Lemma 1 and Figure 6.1 say of the four mixing conditions."""

from __future__ import annotations

import pandas as pd

from dpsampling.amplification.mixing import CONDITIONS, DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from dpsampling.claims import Claim, at_least, corrected, never
from dpsampling.experiments.chapter6.implications import COUNTEREXAMPLES, ROUNDING, TRUE, exact_coefficients

FIGURE = "thesis Figure 6.1"
CHAIN = ((ULTRA_MIXING, DOEBLIN), (DOEBLIN, DOBRUSHIN), (DOBRUSHIN, LEVEL_DOBRUSHIN))
SHORT = {DOBRUSHIN: "dobrushin", LEVEL_DOBRUSHIN: "level", DOEBLIN: "doeblin", ULTRA_MIXING: "ultra"}


def judge(table: pd.DataFrame, experiment: str) -> list[Claim]:
    """The chain, its converses, and the direction of the first implication of Lemma 1."""
    del experiment
    rows = {(p, c): (int(n), int(v)) for p, c, n, v in table.itertuples(index=False)}
    claims = [
        never(
            f"{SHORT[premise]}-{SHORT[conclusion]}",
            FIGURE,
            f"γ-{premise} implies γ-{conclusion}" if "(" not in conclusion else f"γ-{premise} implies {conclusion}",
            violations=rows[premise, conclusion][1],
            cases=rows[premise, conclusion][0],
        )
        for premise, conclusion in CHAIN
    ]
    return [*claims, _direction(), _strict(), _agreement(rows)]


def _gap(pair: tuple[str, str]) -> float:
    """How far the conclusion's coefficient is above the premise's, on the counterexample, exactly."""
    kernel, ratio = COUNTEREXAMPLES[pair]
    found = exact_coefficients(kernel, ratio)
    return float(found[pair[1]] - found[pair[0]])


def _direction() -> Claim:
    kernel, ratio = COUNTEREXAMPLES[LEVEL_DOBRUSHIN, DOBRUSHIN]
    found = exact_coefficients(kernel, ratio)
    return corrected(
        "direction",
        "thesis proof of Lemma 1",
        "(γ, ε)-Dobrushin implies γ-Dobrushin, from D_{e^ε} ≤ TV",
        correction="D_{e^ε} ≤ TV gives the reverse, and makes (γ, ε)-Dobrushin the weakest condition: randomized "
        f"response with e^ε = {ratio} is (0, ε)-Dobrushin, and its TV is {found[DOBRUSHIN]} (errors are by how much a "
        "coefficient is exceeded)",
        error_as_printed=max(0.0, float(found[DOBRUSHIN] - found[LEVEL_DOBRUSHIN])),
        error_as_corrected=max(0.0, float(found[LEVEL_DOBRUSHIN] - found[DOBRUSHIN])),
        tolerance=0.0,
    )


def _strict() -> Claim:
    return at_least(
        "strict",
        FIGURE,
        f"none of the {len(COUNTEREXAMPLES)} other implications holds (least excess over their exact counterexamples)",
        limit=0.25,
        measured=min(_gap(pair) for pair in COUNTEREXAMPLES),
    )


def _agreement(rows: dict[tuple[str, str], tuple[int, int]]) -> Claim:
    implied = [pair for pair in rows if pair in TRUE]
    return never(
        "all",
        FIGURE,
        f"all {len(implied)} implications of the chain of {len(CONDITIONS)} conditions hold on every random kernel "
        f"(up to {ROUNDING:g})",
        violations=sum(rows[pair][1] for pair in implied),
        cases=sum(rows[pair][0] for pair in implied),
    )
