"""What section 3.5 of the review says of noise fitted to the data set, by the table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, THIS_FIGURE, Claim, agrees, at_least, at_most, untestable
from reproduction.experiments.foundations import localized as said
from reproduction.experiments.foundations.judging import none, saved
from reproduction.experiments.foundations.rows import where

EVIDENCE = EXACT

PROPOSITION, OTHERS = "DP review 2019 Proposition 3.19", "DP review 2019 section 3.5"
NISSIM = "Nissim, Raskhodnikova and Smith 2007"
ROUNDING = 1e-9
FITTED = "noise fitted by the smooth sensitivity is, between neighbours"
PROVED = 1.0  # below this ε the ordinary Gaussian mechanism has a proof


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Each statement of the section, and what stands beside it."""
    del params  # all of it is in the table
    worst = where(table, view=said.MAP, convention=said.NEIGHBOURS)  # of each mechanism, in the usual definition
    localized, smooth, ordinary = (
        where(worst, mechanism=name) for name in (said.LOCALIZED, said.SMOOTH, said.ORDINARY)
    )
    by_distance = where(table, view=said.MAP, mechanism=said.LOCALIZED, convention=said.OWN)
    pairs = where(table, view=said.PAIRS, mechanism=said.LOCALIZED, convention=said.OWN)
    example = where(pairs, function=said.EXAMPLE).nlargest(1, "delta_true").iloc[0]
    return [
        _proposition("prop3.19", localized, "between neighbours, with the factor e^ε", smooth),
        _proposition(
            "prop3.19-distances", by_distance, "between data sets at any distance d, with the factor e^{dε}", smooth
        ),
        at_least(
            "prop3.19-example",
            PROPOSITION,
            f"counterexample to it: Example 2.11 at ε = {example['epsilon']:g} (true δ of {example['pair']} at dε, of "
            "at least the δ that is claimed)",
            limit=float(example["delta_claimed"]),
            measured=float(example["delta_true"]),
            ours=True,
        ),
        _any_constant(localized[localized["epsilon"] < PROVED]),
        _worst(where(table, view=said.SEARCH)),
        saved(
            "cor3.21",
            "DP review 2019 Corollary 3.21",
            # At equality in σ, pair by pair at one level.
            "privacy and accuracy together: σ(X) as printed is (ε, δ)-DP (pairs of three functions; the tail holds)",
            _fails(pairs),
            FITTED,
            _fails(smooth),
            of_privacy=True,
        ),
        _tail(where(table, view=said.TAIL, mechanism=said.LOCALIZED)),
        *_accuracy(where(worst, mechanism=(said.LOCALIZED, said.ORDINARY, said.AS_PRIVATE))),
        none(
            "smooth",
            NISSIM,
            "noise fitted by the smooth sensitivity keeps (ε, δ) between neighbours, with the least noise found here",
            _fails(smooth),
            of_privacy=True,
        ),
        *_usual(where(table, view=said.CONSTANTS, mechanism=said.USUAL)),
        none(
            "ordinary",
            "DP review 2019 Proposition 3.15",
            "ordinary noise of the global κ keeps (ε, δ) between neighbours at ε < 1",
            _fails(ordinary[ordinary["epsilon"] < PROVED]),
            of_privacy=True,
        ),
        *_others(where(table, view=said.OTHERS)),
    ]


def _fails(rows: pd.DataFrame) -> pd.Series[bool]:
    return rows["delta_true"] > rows["delta_claimed"] * (1.0 + ROUNDING)


def _proposition(name: str, rows: pd.DataFrame, what: str, smooth: pd.DataFrame) -> Claim:
    """With the smallest example."""
    text = f"noise fitted by κ(X) is (ε, δ)-DP, {what}{_description(rows)}"
    return saved(name, PROPOSITION, text, _fails(rows), FITTED, _fails(smooth), of_privacy=True)


def _description(rows: pd.DataFrame) -> str:
    """The smallest counterexample, where it is one."""
    smallest = rows[(rows["function"] == said.SMALLEST) & (rows["delta_true"] > rows["delta_claimed"])]
    if not len(smallest):
        return ""
    row = smallest.nlargest(1, "ratio").iloc[0]
    narrower = row["first_sigma"] / row["second_sigma"]
    return (
        f"; smallest counterexample: f = {row['function']} on three points, {row['pair']}: "
        f"N({row['first_centre']:g}, σ²) against N({row['second_centre']:g}, (σ/{narrower:g})²), true δ "
        f"{row['delta_true']:.3g} where {row['delta_claimed']:.0e} is claimed, at ε = {row['epsilon']:.3g}"
    )


def _any_constant(rows: pd.DataFrame) -> Claim:
    text = (
        "no other constant than √(2 ln(5/(4δ))) would keep δ for all functions: by the ratio of two neighbours' σ "
        "alone, however wide both are, the worst one has so many times δ (least over δ and ε < 1)"
    )
    if not len(rows):
        return untestable("constant", PROPOSITION, text, "no ε of this table is below 1", ours=True)
    worst = (rows["floor"] / rows["delta_claimed"]).groupby([rows["epsilon"], rows["delta_claimed"]]).max()
    return at_least("constant", PROPOSITION, text, limit=1.0, measured=float(worst.min()), ours=True)


def _worst(rows: pd.DataFrame) -> Claim:
    """A search against what Definition 2.9 allows."""
    searched, bound = rows[rows["function"] != said.BOUND], where(rows, function=said.BOUND).iloc[0]
    text = (
        f"of all functions on a few points ({int(searched['cases'].sum())} pairs of neighbours) none has a larger true "
        "δ than noise three times as wide on one of two neighbours whose values differ by κ, and one has the same"
    )
    top = searched.nlargest(1, "delta_true").iloc[0]
    if top["delta_true"] < bound["delta_true"] * (1.0 - ROUNDING):
        reason = f"none that is searched is worse, but neither is one as bad, as f = {said.WORST} would be"
        return untestable("worst", THIS_FIGURE, text, reason, ours=True)
    return agrees(
        "worst",
        THIS_FIGURE,
        f"{text}: {top['function']}",
        expected=float(bound["delta_true"]),
        measured=float(top["delta_true"]),
        tolerance=ROUNDING * float(bound["delta_true"]),
        ours=True,
    )


def _tail(rows: pd.DataFrame) -> Claim:
    share = f"; exact tail over bound from {rows['ratio'].min():.3f} to {rows['ratio'].max():.3f}" if len(rows) else ""
    text = (
        "(left open there) the accuracy is σ(X)√(2 ln(k/δ)): one of k numbers exceeds it with probability at most "
        f"δ{share}"
    )
    return none("prop3.20", "DP review 2019 Proposition 3.20", text, _fails(rows), ours=True)


def _accuracy(rows: pd.DataFrame) -> list[Claim]:
    """σ over all points, root mean square, against ordinary noise of equal claim and of equal truth."""
    keys = ["function", "epsilon", "delta_claimed"]
    wide = rows.pivot_table(index=keys, columns="mechanism", values="rms_sigma").dropna()
    by_claim, by_truth = (wide[said.LOCALIZED] / wide[name] for name in (said.ORDINARY, said.AS_PRIVATE))
    return [
        at_most(
            "more-accurate",
            OTHERS,
            "fitted noise is less than ordinary noise that claims the same (largest ratio of σ, root mean square)",
            limit=1.0,
            measured=float(by_claim.max()),
        ),
        none(
            "equally-private",
            OTHERS,
            "fitted noise is less than ordinary noise of the same true (ε, δ): equally private and more accurate "
            f"(ratio of σ, root mean square, from {by_truth.min():.3g} to {by_truth.max():.3g})",
            by_truth > 1.0,
        ),
    ]


def _usual(constants: pd.DataFrame) -> Iterator[Claim]:
    """The version that does hold, with the usual constants."""
    for kind in ("Cauchy", "Laplace", "Gaussian"):
        mine, name = where(constants, function=kind), f"usual-{kind.lower()}"
        if not len(mine):
            yield untestable(name, NISSIM, f"{kind} noise", "the table has no such row")
            continue
        above = mine["epsilon_true"] > mine["epsilon"] if kind == "Cauchy" else _fails(mine)
        spent = (mine["epsilon_true"] / mine["epsilon"] if kind == "Cauchy" else mine["ratio"]).max()
        spare = mine["first_sigma"] / mine["second_sigma"]
        text = (
            f"{kind} noise with the usual constants keeps its promise for every function; it spends {spent:.3g} of it "
            f"at most, and is {spare.min():.2f} to {spare.max():.2f} times as wide as it need be at its β"
        )
        yield none(name, NISSIM, text, above, of_privacy=True)


def _others(table: pd.DataFrame) -> list[Claim]:
    """Left open there, whether it works for them: it does not."""
    worst = where(table, mechanism=said.LAPLACE).nlargest(1, "epsilon_true").iloc[0]
    rows = where(table, mechanism=said.EXPONENTIAL)
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
