"""What Lemma 1 and Figure 6.1 say of the four mixing conditions.

Implications are looked at on random kernels, where a false one need not show; counterexamples are exact. The figure's
picture is lost in the scanned text: the proof of Lemma 1 names the implications, and one of them the wrong way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pandas as pd

from dpsampling.amplification.names import CONDITIONS, DOBRUSHIN, DOEBLIN, LEVEL_DOBRUSHIN, ULTRA_MIXING
from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, never
from reproduction.experiments.amplification.exact_kernels import exact_coefficients
from reproduction.experiments.amplification.implications import CHAIN, IMPLIED, RATIO, ROUNDING
from reproduction.experiments.mended import mended

EVIDENCE = EXACT

FIGURE, LEMMA = "thesis Figure 6.1", "thesis Lemma 1"
SHORT = {DOBRUSHIN: "dobrushin", LEVEL_DOBRUSHIN: "level", DOEBLIN: "doeblin", ULTRA_MIXING: "ultra"}

Counts = dict[tuple[str, str], tuple[int, int]]
Coefficients = dict[tuple[str, str], tuple[Fraction, Fraction]]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """The chain, its converses, and the direction of the first implication of Lemma 1."""
    del params  # all of it is in the table
    rows = {(row["premise"], row["conclusion"]): row for row in table.to_dict("records")}
    counts = {pair: (int(row["kernels"]), int(row["violations"])) for pair, row in rows.items()}
    exact = {
        pair: (Fraction(str(row["premise_coefficient"])), Fraction(str(row["conclusion_coefficient"])))
        for pair, row in rows.items()
        if pair not in IMPLIED
    }
    known = {pair: str(rows[pair]["counterexample"]) for pair in exact}
    for premise, conclusion in pairwise(CHAIN):
        name, (cases, violations) = f"{SHORT[premise]}-{SHORT[conclusion]}", counts[premise, conclusion]
        text, marks = f"γ-{premise} implies γ-{conclusion}, on every random kernel", Marks(evidence=MONTE_CARLO)
        if "(" in conclusion:
            text = f"γ-{premise} implies {conclusion}, on every random kernel (the lemma has it the other way round)"
            marks["ours"] = True
        yield never(name, LEMMA, text, violations=violations, cases=cases, **marks)
    yield _direction(exact)
    yield _strict(exact, known)
    yield _agreement(counts)


def _direction(exact: Coefficients) -> Claim:
    level, total = exact[LEVEL_DOBRUSHIN, DOBRUSHIN]
    text = "(γ, ε)-Dobrushin implies γ-Dobrushin, which is the weakest of the four conditions"
    correction = (
        "the proof's D_{e^ε} ≤ TV gives the reverse, and makes (γ, ε)-Dobrushin the weakest condition: "
        f"randomized response with e^ε = {RATIO} is ({level}, ε)-Dobrushin, and its TV is {total}; with γ = {level} "
        f"for {total}, Theorem 15 (1) would promise too small a δ (errors are by how much a coefficient is exceeded)"
    )
    errors = max(0.0, float(total - level)), max(0.0, float(level - total))
    where = "thesis Lemma 1 and section 6.3"
    return mended("direction", where, text, correction, errors, tolerance=0.0, slip=False, of_privacy=True)


def _strict(exact: Coefficients, kernels: Mapping[tuple[str, str], str]) -> Claim:
    """Each counterexample is read again, and its coefficients must be those that stand beside it."""
    least = min(float(conclusion - premise) for premise, conclusion in exact.values())
    text = (
        f"none of the {len(exact)} other implications holds: each has an exact counterexample, on which the "
        f"conclusion's coefficient is larger (by {least:g} or more)"
    )
    violations = sum(
        conclusion <= premise or _read(kernels[pair], pair) != (premise, conclusion)
        for pair, (premise, conclusion) in exact.items()
    )
    return never("strict", FIGURE, text, violations=violations, cases=len(exact), ours=True)


def _read(kernel: str, pair: tuple[str, str]) -> tuple[Fraction, Fraction]:
    """Return the two coefficients of a kernel that is written row by row."""
    coefficients = exact_coefficients(tuple(tuple(map(Fraction, row.split())) for row in kernel.split("; ")), RATIO)
    return coefficients[pair[0]], coefficients[pair[1]]


def _agreement(counts: Counts) -> Claim:
    implied = [pair for pair in counts if pair in IMPLIED]
    text = (
        f"all {len(implied)} implications of the chain of {len(CONDITIONS)} conditions hold on every random kernel "
        f"(up to {ROUNDING:g})"
    )
    cases, violations = (sum(counts[pair][place] for pair in implied) for place in (0, 1))
    return never("all", FIGURE, text, violations=violations, cases=cases, evidence=MONTE_CARLO, ours=True)
