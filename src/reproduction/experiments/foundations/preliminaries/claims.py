"""What thesis chapters 1 and 3 say in general, against enumeration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, at_least, at_most, corrected, untestable
from reproduction.experiments.foundations import preliminaries as said
from reproduction.experiments.foundations.judging import alike, none
from reproduction.experiments.foundations.rows import Finder, finder, where

EVIDENCE = EXACT

DP, RDP = "thesis section 3.1", "thesis section 3.2"
EQUATIONS = f"{DP}, eq. 3.2 to 3.5"
ROUNDING = 1e-9
DELTAS = (1e-9, 1e-4)  # for which the thirteen orders are made
ALIKE = 0.05  # relative: what "almost identical" allows
MUCH, MANY = 2.0, 10  # times that "much tighter" asks for, from so many releases on


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """In the order of the chapters."""
    rows = finder(table)
    deterministic = rows(said.DETERMINISTIC)
    return [
        corrected(
            "randomized",
            "thesis chapter 1",
            "a mechanism must be randomized to be differentially private (deterministic maps of bits to a bit that are "
            "private at some ε, which should be none)",
            correction="unless its output is always the same: the constant maps are 0-private, and no other "
            "deterministic map is private at any ε",
            error_as_printed=float(_errors(deterministic).abs().max()),
            error_as_corrected=float(_errors(deterministic, "right").abs().max()),
            tolerance=0.0,
            slip=True,
        ),
        alike(
            "eq3.5",
            EQUATIONS,
            "posterior odds are at most prior odds times e^Z (they are equal to it: largest error of the logarithm)",
            _errors(rows(said.ODDS)),
            ROUNDING,
        ),
        alike(
            "eq3.5-zero",
            EQUATIONS,
            "Z = 0 leaves beliefs as they were (largest change of a probability)",
            _errors(rows(said.SILENT)),
            ROUNDING,
        ),
        _never(
            rows(said.SUFFICIENT),
            "sufficient",
            DP,
            "(ε, δ) holds where Z ≤ ε with probability 1 − δ (δ(ε) against P(Z > ε) of random pairs)",
            evidence=MONTE_CARLO,
        ),
        *_published(rows),
        _never(
            rows(said.ADAPTIVE),
            "obs2",
            f"{DP}, Observation 2; section 4.2.1, Theorem 1",
            "ε and δ of two releases add, also where the second depends on the output of the first (random trees, and "
            "the worst pairs there are)",
            evidence=MONTE_CARLO,
        ),
        _never(
            rows(said.PROCESSED),
            "obs3",
            f"{RDP}, Observation 3",
            "processing an output does not raise its Rényi divergence (random pairs and kernels)",
            evidence=MONTE_CARLO,
        ),
        *_orders(rows(said.GRID), float(params["delta"])),
        *_releases(rows),
    ]


def _errors(rows: pd.DataFrame, column: str = "printed") -> pd.Series[float]:
    return rows[column] - rows["exact"]


def _never(rows: pd.DataFrame, name: str, source: str, text: str, *, evidence: str = EXACT) -> Claim:
    """`exact` is never above what is printed."""
    above = rows["exact"] > rows["printed"] + ROUNDING
    return none(name, source, text, above, evidence=evidence, of_privacy=True)


def _published(rows: Finder) -> list[Claim]:
    delta, leaks = rows(said.PUBLISHED), where(rows(said.LOSS), case=said.ALONE)
    alone = delta[delta["case"].str.startswith(said.ALONE)]
    return [
        _never(
            delta, "publish-one", DP, "publishing the record of one of n at random is (ε, 1/n)-private for every ε ≥ 0"
        ),
        alike(
            "publish-one-loss",
            DP,
            "its Z is 0 with probability (n − 1)/n (published with whose it is; largest error)",
            _errors(where(rows(said.NO_LOSS), case=said.NAMED)),
            ROUNDING,
        ),
        corrected(
            "publish-one-alone",
            DP,
            "also of a record that is published without whose it is, P(Z > ε) ≤ 1/n for every ε ≥ 0 (largest excess at "
            "ε = 0)",
            correction="it may be 1: of n ones a 1 is published for certain, of n − 1 with probability 1 − 1/n; its δ "
            "is 1/n at most all the same",
            error_as_printed=max(0.0, float((leaks["exact"] - leaks["printed"]).max())),
            error_as_corrected=max(0.0, float((alone["exact"] - alone["printed"]).max())),
            tolerance=ROUNDING,
            slip=False,
            ours=True,
        ),
    ]


def _orders(rows: pd.DataFrame, delta: float) -> list[Claim]:
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


def _releases(rows: Finder) -> list[Claim]:
    added, whole = (rows(statement).set_index("at") for statement in (said.SUM, said.WHOLE))
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
        none(
            "tighter-sound",
            RDP,
            "neither is below the least level that holds of that many Gaussian releases",
            both["exact"] > both["printed"] * (1.0 + ROUNDING),
            of_privacy=True,
        ),
    ]
