"""What thesis chapters 1 and 3 say in general, against enumeration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, agrees, at_least, at_most, corrected, never, untestable
from reproduction.experiments.foundations import preliminaries as said

EVIDENCE = EXACT

DP, RDP = "thesis section 3.1", "thesis section 3.2"
ROUNDING = 1e-9
DELTAS = (1e-9, 1e-4)  # for which the thirteen orders are made
ALIKE = 0.05  # relative: what "almost identical" allows
MUCH, MANY = 2.0, 10  # times that "much tighter" asks for, from so many releases on


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """In the order of the chapters."""
    return [
        _randomized(table),
        *_odds(table),
        _never(
            table,
            said.SUFFICIENT,
            "sufficient",
            DP,
            "(ε, δ) holds where Z ≤ ε with probability 1 − δ (δ(ε) against P(Z > ε) of random pairs)",
            evidence=MONTE_CARLO,
        ),
        *_published(table),
        _never(
            table,
            said.ADAPTIVE,
            "obs2",
            f"{DP}, Observation 2; section 4.2.1, Theorem 1",
            "ε and δ of two releases add, also where the second depends on the output of the first (random trees, and "
            "the worst pairs there are)",
            evidence=MONTE_CARLO,
        ),
        _never(
            table,
            said.PROCESSED,
            "obs3",
            f"{RDP}, Observation 3",
            "processing an output does not raise its Rényi divergence (random pairs and kernels)",
            evidence=MONTE_CARLO,
        ),
        *_orders(table, float(params["delta"])),
        *_releases(table),
    ]


def _rows(table: pd.DataFrame, statement: str) -> pd.DataFrame:
    return table[table["statement"] == statement]


def _error(rows: pd.DataFrame, column: str) -> float:
    return float((rows[column] - rows["exact"]).abs().max())


def _never(table: pd.DataFrame, statement: str, name: str, where: str, text: str, *, evidence: str = EXACT) -> Claim:
    """`exact` is never above what is printed."""
    rows = _rows(table, statement)
    violations = int((rows["exact"] > rows["printed"] + ROUNDING).sum())
    return never(name, where, text, violations=violations, cases=len(rows), evidence=evidence, of_privacy=True)


def _randomized(table: pd.DataFrame) -> Claim:
    rows = _rows(table, said.DETERMINISTIC)
    return corrected(
        "randomized",
        "thesis chapter 1",
        "a mechanism must be randomized to be differentially private (deterministic maps of bits to a bit that are "
        "private at some ε, which should be none)",
        correction="unless its output is always the same: the constant maps are 0-private, and no other deterministic "
        "map is private at any ε",
        error_as_printed=_error(rows, "printed"),
        error_as_corrected=_error(rows, "right"),
        tolerance=0.0,
        slip=True,
    )


def _odds(table: pd.DataFrame) -> list[Claim]:
    where = f"{DP}, eq. 3.2 to 3.5"
    return [
        agrees(
            "eq3.5",
            where,
            "posterior odds are at most prior odds times e^Z (they are equal to it: largest error of the logarithm)",
            expected=0.0,
            measured=_error(_rows(table, said.ODDS), "printed"),
            tolerance=ROUNDING,
        ),
        agrees(
            "eq3.5-zero",
            where,
            "Z = 0 leaves beliefs as they were (largest change of a probability)",
            expected=0.0,
            measured=_error(_rows(table, said.SILENT), "printed"),
            tolerance=ROUNDING,
        ),
    ]


def _published(table: pd.DataFrame) -> list[Claim]:
    delta, still, leaks = (_rows(table, s) for s in (said.PUBLISHED, said.NO_LOSS, said.LOSS))
    named, alone = still[still["case"] == said.NAMED], leaks[leaks["case"] == said.ALONE]
    bound = delta[delta["case"].str.startswith(said.ALONE)]
    return [
        _never(
            table,
            said.PUBLISHED,
            "publish-one",
            DP,
            "publishing the record of one of n at random is (ε, 1/n)-private for every ε ≥ 0",
        ),
        agrees(
            "publish-one-loss",
            DP,
            "its Z is 0 with probability (n − 1)/n (published with whose it is; largest error)",
            expected=0.0,
            measured=_error(named, "printed"),
            tolerance=ROUNDING,
        ),
        corrected(
            "publish-one-alone",
            DP,
            "also of a record that is published without whose it is, P(Z > ε) ≤ 1/n for every ε ≥ 0 (largest excess at "
            "ε = 0)",
            correction="it may be 1: of n ones a 1 is published for certain, of n − 1 with probability 1 − 1/n; its δ "
            "is 1/n at most all the same",
            error_as_printed=max(0.0, float((alone["exact"] - alone["printed"]).max())),
            error_as_corrected=max(0.0, float((bound["exact"] - bound["printed"]).max())),
            tolerance=ROUNDING,
            slip=False,
            ours=True,
        ),
    ]


def _orders(table: pd.DataFrame, delta: float) -> list[Claim]:
    rows = _rows(table, said.GRID)
    if not DELTAS[0] <= delta <= DELTAS[1]:
        text = "a Rényi curve known at a few orders gives almost the same level as all of it"
        reason = f"the thirteen orders are for δ from {DELTAS[0]:g} to {DELTAS[1]:g}"
        return [
            untestable("finite-orders", RDP, text, reason, ours=True),
            untestable("finite-orders-suited", RDP, "if the orders suit it", reason, ours=True),
        ]
    quiet = rows["case"] == said.QUIET
    share = rows["exact"] / rows["printed"]
    return [
        at_most(
            "finite-orders",
            RDP,
            "a Rényi curve known at a few orders gives almost the same level as all of it (Mironov's thirteen; largest "
            "excess over Gaussian, Laplace and Beta pairs and numbers of releases)",
            limit=ALIKE,
            measured=float(share[~quiet].max()) - 1.0,
            ours=True,
        ),
        at_least(
            "finite-orders-suited",
            RDP,
            "if the orders suit it: one release with Gaussian noise of 200 times its sensitivity, whose best order is "
            "far above the largest of them, looks this many times worse",
            limit=MUCH,
            measured=float(share[quiet].max()),
            ours=True,
        ),
    ]


def _releases(table: pd.DataFrame) -> list[Claim]:
    added, whole = (_rows(table, s).set_index("at") for s in (said.SUM, said.WHOLE))
    share = (added["printed"] / whole["printed"])[added.index >= MANY]
    text = "Rényi levels added and converted once are much tighter than (ε, δ) levels added"
    if not len(share):
        return [untestable("tighter", RDP, text, f"no row of this table has {MANY} releases", ours=True)]
    both = pd.concat([added, whole])
    return [
        at_least(
            "tighter",
            RDP,
            f"{text} (Gaussian releases: least ratio from {MANY} of them on; {share.max():.3g} at {share.idxmax():g})",
            limit=MUCH,
            measured=float(share.min()),
            ours=True,
        ),
        never(
            "tighter-sound",
            RDP,
            "neither is below the least level that holds of that many Gaussian releases",
            violations=int((both["exact"] > both["printed"] * (1.0 + ROUNDING)).sum()),
            cases=len(both),
            of_privacy=True,
        ),
    ]
