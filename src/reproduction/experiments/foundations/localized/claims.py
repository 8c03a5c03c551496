"""What section 3.5 of the review says of noise fitted to the data set, by the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, THIS_FIGURE, Claim, agrees, at_least, at_most, never, untestable
from reproduction.experiments.counterexamples import broken
from reproduction.experiments.foundations import localized as said

EVIDENCE = EXACT

PROPOSITION, OTHERS = "DP review 2019 Proposition 3.19", "DP review 2019 section 3.5"
NISSIM = "Nissim, Raskhodnikova and Smith 2007"
ROUNDING = 1e-9
FITTED = "noise fitted by the smooth sensitivity is, between neighbours"
PROVED = 1.0  # below this ε the ordinary Gaussian mechanism has a proof


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Each statement of the section, and what stands beside it."""
    del params  # all of it is in the table
    return [
        *_proposition(table),
        _any_constant(table),
        *_worst(table),
        _corollary(table),
        _tail(table),
        *_accuracy(table),
        *_smooth(table),
        _ordinary(table),
        *_others(table),
    ]


def _rows(table: pd.DataFrame, view: str, *mechanisms: str, convention: str | None = None) -> pd.DataFrame:
    rows = table[(table["view"] == view) & table["mechanism"].isin(mechanisms)]
    return rows if convention is None else rows[rows["convention"] == convention]


def _fails(rows: pd.DataFrame) -> int:
    return int((rows["delta_true"] > rows["delta_claimed"] * (1.0 + ROUNDING)).sum())


def _proposition(table: pd.DataFrame) -> list[Claim]:
    """In the usual definition and in the review's own; the smallest example first."""
    found = []
    smooth = _rows(table, said.MAP, said.SMOOTH, convention=said.NEIGHBOURS)
    for name, convention, what in (
        ("prop3.19", said.NEIGHBOURS, "between neighbours, with the factor e^ε"),
        ("prop3.19-distances", said.OWN, "between data sets at any distance d, with the factor e^{dε}"),
    ):
        rows = _rows(table, said.MAP, said.LOCALIZED, convention=convention)
        found.append(
            broken(
                name,
                PROPOSITION,
                f"noise fitted by κ(X) is (ε, δ)-DP, {what}{_description(rows)}",
                violations=_fails(rows),
                cases=len(rows),
                correction=FITTED,
                left=_fails(smooth),
                beside=len(smooth),
                of_privacy=True,
            )
        )
    pairs = _rows(table, said.PAIRS, said.LOCALIZED, convention=said.OWN)
    pairs = pairs[pairs["function"] == said.EXAMPLE]
    worst = pairs.nlargest(1, "delta_true").iloc[0]
    found.append(
        at_least(
            "prop3.19-example",
            PROPOSITION,
            f"counterexample to it: Example 2.11 at ε = {worst['epsilon']:g} (true δ of {worst['pair']} at dε, of at "
            "least the δ that is claimed)",
            limit=float(worst["delta_claimed"]),
            measured=float(worst["delta_true"]),
            ours=True,
        )
    )
    return found


def _description(rows: pd.DataFrame) -> str:
    """The smallest counterexample, where it is one."""
    smallest = rows[(rows["function"] == said.SMALLEST) & (rows["delta_true"] > rows["delta_claimed"])]
    if not len(smallest):
        return ""
    one = smallest.nlargest(1, "ratio").iloc[0]
    narrower = one["first_sigma"] / one["second_sigma"]
    return (
        f"; smallest counterexample: f = {one['function']} on three points, {one['pair']}: "
        f"N({one['first_centre']:g}, σ²) against N({one['second_centre']:g}, (σ/{narrower:g})²), true δ "
        f"{one['delta_true']:.3g} where {one['delta_claimed']:.0e} is claimed, at ε = {one['epsilon']:.3g}"
    )


def _any_constant(table: pd.DataFrame) -> Claim:
    rows = _rows(table, said.MAP, said.LOCALIZED, convention=said.NEIGHBOURS)
    rows = rows[rows["epsilon"] < PROVED]
    text = (
        "no other constant than √(2 ln(5/(4δ))) would keep δ for all functions: by the ratio of two neighbours' σ "
        "alone, however wide both are, the worst one has so many times δ (least over δ and ε < 1)"
    )
    if not len(rows):
        return untestable("constant", PROPOSITION, text, "no ε of this table is below 1", ours=True)
    worst = (rows["floor"] / rows["delta_claimed"]).groupby([rows["epsilon"], rows["delta_claimed"]]).max()
    return at_least("constant", PROPOSITION, text, limit=1.0, measured=float(worst.min()), ours=True)


def _worst(table: pd.DataFrame) -> list[Claim]:
    """A search against what Definition 2.9 allows."""
    rows = table[table["view"] == said.SEARCH]
    found, bound = rows[rows["function"] != said.BOUND], rows[rows["function"] == said.BOUND].iloc[0]
    text = (
        f"of all functions on a few points ({int(found['cases'].sum())} pairs of neighbours) none has a larger true "
        "δ than noise three times as wide on one of two neighbours whose values differ by κ, and one has the same"
    )
    top = found.nlargest(1, "delta_true").iloc[0]
    if top["delta_true"] < bound["delta_true"] * (1.0 - ROUNDING):
        reason = f"none that is searched is worse, but neither is one as bad, as f = {said.WORST} would be"
        return [untestable("worst", THIS_FIGURE, text, reason, ours=True)]
    return [
        agrees(
            "worst",
            THIS_FIGURE,
            f"{text}: {top['function']}",
            expected=float(bound["delta_true"]),
            measured=float(top["delta_true"]),
            tolerance=ROUNDING * float(bound["delta_true"]),
            ours=True,
        )
    ]


def _corollary(table: pd.DataFrame) -> Claim:
    """At equality in σ, pair by pair at one level."""
    rows = _rows(table, said.PAIRS, said.LOCALIZED, convention=said.OWN)
    text = "privacy and accuracy together: σ(X) as printed is (ε, δ)-DP (pairs of three functions; the tail holds)"
    smooth = _rows(table, said.MAP, said.SMOOTH, convention=said.NEIGHBOURS)
    return broken(
        "cor3.21",
        "DP review 2019 Corollary 3.21",
        text,
        violations=_fails(rows),
        cases=len(rows),
        correction=FITTED,
        left=_fails(smooth),
        beside=len(smooth),
        of_privacy=True,
    )


def _tail(table: pd.DataFrame) -> Claim:
    rows = _rows(table, said.TAIL, said.LOCALIZED)
    share = f"; exact tail over bound from {rows['ratio'].min():.3f} to {rows['ratio'].max():.3f}" if len(rows) else ""
    text = (
        "(left open there) the accuracy is σ(X)√(2 ln(k/δ)): one of k numbers exceeds it with probability at most "
        f"δ{share}"
    )
    source = "DP review 2019 Proposition 3.20"
    return never("prop3.20", source, text, violations=_fails(rows), cases=len(rows), ours=True)


def _accuracy(table: pd.DataFrame) -> list[Claim]:
    """σ over all points, root mean square, against ordinary noise of equal claim and of equal truth."""
    wide = _rows(
        table, said.MAP, said.LOCALIZED, said.ORDINARY, said.AS_PRIVATE, convention=said.NEIGHBOURS
    ).pivot_table(index=["function", "epsilon", "delta_claimed"], columns="mechanism", values="rms_sigma")
    wide = wide.dropna()
    by_claim = (wide[said.LOCALIZED] / wide[said.ORDINARY]).max()
    by_truth = wide[said.LOCALIZED] / wide[said.AS_PRIVATE]
    return [
        at_most(
            "more-accurate",
            OTHERS,
            "fitted noise is less than ordinary noise that claims the same (largest ratio of σ, root mean square)",
            limit=1.0,
            measured=float(by_claim),
        ),
        never(
            "equally-private",
            OTHERS,
            "fitted noise is less than ordinary noise of the same true (ε, δ): equally private and more accurate "
            f"(ratio of σ, root mean square, from {by_truth.min():.3g} to {by_truth.max():.3g})",
            violations=int((by_truth > 1.0).sum()),
            cases=len(by_truth),
        ),
    ]


def _smooth(table: pd.DataFrame) -> list[Claim]:
    """The version that does hold, with constants of our own and with the usual ones."""
    rows = _rows(table, said.MAP, said.SMOOTH, convention=said.NEIGHBOURS)
    found = [
        never(
            "smooth",
            NISSIM,
            "noise fitted by the smooth sensitivity keeps (ε, δ) between neighbours, with the least noise found here",
            violations=_fails(rows),
            cases=len(rows),
            of_privacy=True,
        )
    ]
    constants = _rows(table, said.CONSTANTS, said.USUAL)
    for kind in ("Cauchy", "Laplace", "Gaussian"):
        mine = constants[constants["function"] == kind]
        if not len(mine):
            found.append(untestable(f"usual-{kind.lower()}", NISSIM, f"{kind} noise", "the table has no such row"))
            continue
        above = _fails(mine) if kind != "Cauchy" else int((mine["epsilon_true"] > mine["epsilon"]).sum())
        spent = (mine["epsilon_true"] / mine["epsilon"] if kind == "Cauchy" else mine["ratio"]).max()
        spare = mine["first_sigma"] / mine["second_sigma"]
        text = (
            f"{kind} noise with the usual constants keeps its promise for every function; it spends {spent:.3g} of it "
            f"at most, and is {spare.min():.2f} to {spare.max():.2f} times as wide as it need be at its β"
        )
        name = f"usual-{kind.lower()}"
        found.append(never(name, NISSIM, text, violations=above, cases=len(mine), of_privacy=True))
    return found


def _ordinary(table: pd.DataFrame) -> Claim:
    rows = _rows(table, said.MAP, said.ORDINARY, convention=said.NEIGHBOURS)
    rows = rows[rows["epsilon"] < PROVED]
    text = "ordinary noise of the global κ keeps (ε, δ) between neighbours at ε < 1"
    source = "DP review 2019 Proposition 3.15"
    return never("ordinary", source, text, violations=_fails(rows), cases=len(rows), of_privacy=True)


def _others(table: pd.DataFrame) -> list[Claim]:
    """Left open there, whether it works for them: it does not."""
    laplace = _rows(table, said.OTHERS, said.LAPLACE)
    worst = laplace.nlargest(1, "epsilon_true").iloc[0]
    rows = _rows(table, said.OTHERS, said.EXPONENTIAL)
    beyond = rows[rows["epsilon_true"] > rows["epsilon"]]
    first = f"from C = {beyond['first_centre'].min():g} on" if len(beyond) else "never"
    return [
        at_least(
            "laplace",
            OTHERS,
            f"(left open there) Laplace noise of scale κ(X)/ε is not ε-DP: f = {worst['function']}, {worst['pair']} "
            f"(true level, above ε; δ at ε is {worst['delta_true']:.3g})",
            limit=float(worst["epsilon"]) * (1.0 + ROUNDING),
            measured=float(worst["epsilon_true"]),
            ours=True,
        ),
        at_least(
            "exponential",
            OTHERS,
            "(left open there) the exponential mechanism with λ(X) = ε/(2κ(X)) is not ε-DP: scores f + C and 0 of f = "
            f"{said.SMALLEST}, C up to {rows['first_centre'].max():g} (largest true level; beyond ε {first})",
            limit=float(rows["epsilon"].max()) * (1.0 + ROUNDING),
            measured=float(rows["epsilon_true"].max()),
            ours=True,
        ),
    ]
