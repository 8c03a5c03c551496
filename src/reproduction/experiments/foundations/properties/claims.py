"""The review's statements about divergences and properties, each by its count of violations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, at_least, corrected, never, untestable
from reproduction.experiments.counterexamples import broken
from reproduction.experiments.foundations import properties as said

EVIDENCE = MONTE_CARLO  # random mechanisms stand beside all small ones; each is judged in fractions, without error

REVIEW = "DP review 2019"
NO_LEVEL = "no case of this kind has a finite level above 0"

# Name, source, statement, and the kinds of case that it must hold in.
STATEMENTS: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    ("def2.18", "Definition 2.18", said.SUPPORT, "events within the support suffice", (said.EVERY,)),
    (
        "threshold",
        "Definition 2.18, ours",
        said.THRESHOLD,
        "events {p > tq}, with p, q the two laws and t a number, suffice for the maximum",
        (said.EVERY,),
    ),
    ("s2-iff", "section 2", said.IFF, "(ε, δ)-privacy if and only if both divergences are at most dε", (said.EVERY,)),
    (
        "def2.16",
        "Definition 2.16",
        said.PURE,
        "what is ε-private at distance 1 is dε-private at distance d",
        (said.EVERY,),
    ),
    (
        "def2.15-group",
        "Definition 2.15, ours",
        said.ONE_DELTA,
        "what is (ε, δ)-private at distance 1 is (dε, δ(e^{dε} − 1)/(e^ε − 1))-private at distance d",
        (said.GROUP,),
    ),
    ("lemma2.24-pure", "Lemma 2.24", said.LEMMA_24, "at δ = 0 divergences of independent parts add", (said.NO_DELTA,)),
    (
        "lemma2.24-upper",
        "Lemma 2.24, ours",
        said.LEMMA_24,
        "of two independent parts, D at 1 − (1 − δ₁)(1 − δ₂) of both is at most the sum of D at δ₁ and D at δ₂",
        (said.UPPER,),
    ),
    (
        "lemma2.24-lower",
        "Lemma 2.24, ours",
        said.LEMMA_24,
        "of two independent parts, D at δ₁δ₂ of both is at least the sum of D at δ₁ and D at δ₂",
        (said.LOWER,),
    ),
    ("lemma2.25", "Lemma 2.25", said.LEMMA_25, "the divergence falls as δ grows", (said.EVERY,)),
    (
        "prop2.26",
        "Proposition 2.26",
        said.BEFORE,
        "a κ-Lipschitz map before the mechanism turns ε into κε and keeps δ",
        (said.FAR,),
    ),
    (
        "prop2.26-group",
        "Proposition 2.26, ours",
        said.BEFORE,
        "where privacy is asked of neighbours only, δ becomes δ(e^{κε} − 1)/(e^ε − 1)",
        (said.GROUP,),
    ),
    (
        "prop2.27",
        "Proposition 2.27",
        said.AFTER,
        "any map or random step after the mechanism keeps (ε, δ)",
        (said.MAPS, said.KERNELS),
    ),
    (
        "prop2.28",
        "Proposition 2.28",
        said.SEQUENTIAL,
        "ε's and δ's of releases add at every distance",
        (said.INDEPENDENT,),
    ),
    (
        "prop2.28-adaptive",
        "Proposition 2.28",
        said.SEQUENTIAL,
        "ε's and δ's add also where the second mechanism depends on the first output",
        (said.ADAPTIVE,),
    ),
    (
        "prop2.28-sharper",
        "Proposition 2.28, ours",
        said.SEQUENTIAL,
        "δ's of releases give 1 − Π(1 − δ), which is at most their sum",
        (said.SOME,),
    ),
    ("cor2.29", "Corollary 2.29", said.SUM, "ε's of releases with δ = 0 add at every distance", (said.FAR,)),
    (
        "prop2.32-near",
        "Proposition 2.32",
        said.PARALLEL,
        "parallel parts cost the largest ε and δ, at distance 1",
        (said.NEAR,),
    ),
    (
        "cor2.33",
        "Corollary 2.33",
        said.PARALLEL_PURE,
        "parallel parts with δ = 0 cost the largest ε at every distance",
        (said.FAR,),
    ),
)

OURS = {"threshold", "def2.15-group", "lemma2.24-upper", "lemma2.24-lower", "prop2.26-group", "prop2.28-sharper"}
OURS |= {"lemma2.24-pure", "prop2.32-near"}  # cases of what is false in general
OF_PRIVACY = {name for name, *_ in STATEMENTS if name.startswith(("prop", "cor", "def2.15", "def2.16"))}

# Name, source, statement, correction, and the kinds of case that break the one and keep the other.
Broken = tuple[str, str, str, str, str, tuple[str, ...], tuple[str, ...], bool]
BROKEN: tuple[Broken, ...] = (
    (
        "def2.15",
        "Definition 2.15",
        said.ONE_DELTA,
        "what is (ε, δ)-private at distance 1 is (dε, δ)-private at distance d, with one δ",
        "it is (dε, δ(e^{dε} − 1)/(e^ε − 1))-private there",
        (said.USUAL,),
        (said.GROUP,),
        True,  # the review says that its definition spares the discussion of groups, not how
    ),
    (
        "lemma2.24",
        "Lemma 2.24",
        said.LEMMA_24,
        "δ-approximate divergences of independent parts add",
        "they add at δ = 0; else D of both at 1 − (1 − δ₁)(1 − δ₂) is at most, and at δ₁δ₂ at least, the sum of D at "
        "δ₁ and D at δ₂",
        (said.JOINT_ABOVE, said.JOINT_BELOW),
        (said.NO_DELTA, said.UPPER, said.LOWER),
        False,
    ),
    (
        "prop2.26-usual",
        "Proposition 2.26",
        said.BEFORE,
        "a κ-Lipschitz map before turns ε into κε and keeps δ where privacy is asked of neighbours only",
        "δ becomes δ(e^{κε} − 1)/(e^ε − 1)",
        (said.USUAL,),
        (said.GROUP,),
        True,  # the review asks for it at every distance
    ),
    (
        "prop2.32",
        "Proposition 2.32",
        said.PARALLEL,
        "parallel parts cost the largest ε and the largest δ at every distance",
        "the largest ε and 1 − Π(1 − δ), at most Σ δ",
        (said.FAR,),
        (said.FAR_SOME,),
        False,
    ),
)


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Each statement, those that a correction saves among them."""
    del params  # all of it is in the table
    rows = {(row["statement"], row["case"]): row for row in table.to_dict("records")}
    true = [_never(rows, *statement) for statement in STATEMENTS]
    return [*true, *(_broken(rows, statement) for statement in BROKEN), _dependent(rows), _logarithms(rows)]


Rows = dict[tuple[str, str], dict[Any, Any]]


def _of(rows: Rows, statement: str, kinds: tuple[str, ...]) -> tuple[int, int, str]:
    """Violations, cases, and the first witnesses; a left side that exceeds the right one is a violation that counts."""
    mine = [rows[statement, kind] for kind in kinds if (statement, kind) in rows]
    violations = sum(max(int(row["violations"]), int(row["left"] > row["right"])) for row in mine)
    witnesses = " … and of the other inequality: ".join(str(row["witness"]) for row in mine if row["violations"])
    witness = f"; first counterexample, as output laws: {witnesses}" if witnesses else ""
    return violations, sum(int(row["cases"]) for row in mine), witness


def _never(rows: Rows, name: str, place: str, statement: str, text: str, kinds: tuple[str, ...]) -> Claim:
    violations, cases, witness = _of(rows, statement, kinds)
    source, ours, of_privacy = f"{REVIEW} {place}", name in OURS, name in OF_PRIVACY
    if not cases:
        return untestable(name, source, text, NO_LEVEL, ours=ours, of_privacy=of_privacy)
    text = f"{text}{witness}"
    return never(name, source, text, violations=violations, cases=cases, ours=ours, of_privacy=of_privacy)


def _broken(rows: Rows, false: Broken) -> Claim:
    """Refute by an exact counterexample in rational arithmetic."""
    name, place, statement, text, correction, kinds, kept, ours = false
    violations, cases, witness = _of(rows, statement, kinds)
    left, beside, _ = _of(rows, statement, kept)
    return broken(
        name,
        f"{REVIEW} {place}",
        f"{text}{witness}",
        violations=violations,
        cases=cases,
        correction=correction,
        left=left,
        beside=beside,
        evidence=EXACT,
        ours=ours,
        of_privacy=True,
    )


def _dependent(rows: Rows) -> Claim:
    """Left open there, whether independence is needed; parts that are copies of each other show that it is."""
    source, text = f"{REVIEW} Lemma 2.24", "(left open there) independence of the parts is needed, even at δ = 0"
    _, cases, witness = _of(rows, said.LEMMA_24, (said.DEPENDENT,))
    if not cases:
        return untestable("lemma2.24-dependent", source, text, NO_LEVEL, ours=True)
    text = f"{text}: copies whose divergences do not add, among {cases}{witness}"
    measured = float(rows[said.LEMMA_24, said.DEPENDENT]["violations"])
    return at_least("lemma2.24-dependent", source, text, limit=1.0, measured=measured, evidence=EXACT, ours=True)


def _logarithms(rows: Rows) -> Claim:
    """The display has no value on events that have δ or less, where the definition asks for nothing."""
    above, up_to = (_of(rows, said.LOGS, (kind,)) for kind in (said.ABOVE_DELTA, said.UP_TO_DELTA))
    return corrected(
        "s2-logs",
        f"{REVIEW} section 2",
        "Definition 2.15 means that ln(P − δ) − ln P′ is at most dε on every event",
        correction=f"on events with P > δ, of which {above[1]} were compared; on the {up_to[1]} "
        "with P < δ the logarithm has no value and nothing is asked (errors are numbers of events)",
        error_as_printed=float(above[0] + up_to[0]),
        error_as_corrected=float(above[0]),
        tolerance=0.0,
        slip=True,
        evidence=EXACT,
    )
