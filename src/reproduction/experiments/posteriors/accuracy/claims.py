"""What the text says of Figure 4.2, measured and by exact expectations.

A mean of `repeats` runs is allowed 4 standard errors, so a true statement about K means fails with probability below
6.4e-5·K. All else is judged by the expectations, which no draw decides.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, agrees, at_most, never, untestable
from reproduction.experiments.posteriors.closed_form import temperature

EVIDENCE = EXACT

FIGURE, SECTION = "thesis Figure 4.2", "thesis section 4.3.2"
STANDARD_ERRORS = 4.0
FEW = 100  # repeats, below which a mean over its standard error is not close to normal
PRINTED, ABOUT = 10.0, 0.2  # "approximately N = 10", read as within 20%
SLOPE = 0.1  # of ln(ratio − 1) against ln N: the next term of the ratio is of relative size (ratio − 1)
COLD = "at this ε the temperature of OPS is near 1: it hardly differs from a truncated posterior"
FAR = "the noise at the largest N of this table is not small, or p lies outside the window"
PROJECTIONS = (("laplace", "counts at least 0, as in the text"), ("laplace-range", "counts in [0, N]"))

Expectations = dict[tuple[str, int], float]


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """Agreement with exact expectations, where the curves cross, and their ends."""
    sizes = sorted(int(n) for n in table["n"].unique())
    exact = {(str(m), int(n)): float(e) for m, n, e in zip(table["mechanism"], table["n"], table["exact"], strict=True)}
    t = temperature(params["truncation"], params["epsilon"])
    yield _exact(table, int(params["repeats"]))
    for mechanism, projection in PROJECTIONS:
        yield from _crossing(exact, sizes, mechanism, projection, hot=t >= 2.0)
    yield from _ends(exact, sizes, params, t)


def _exact(table: pd.DataFrame, repeats: int) -> Claim:
    marks: Marks = {"evidence": MONTE_CARLO, "ours": True}
    text = f"the {len(table)} means of {repeats} draws each agree with exact expectations"
    if repeats < FEW:
        return untestable("exact", FIGURE, text, f"there are fewer than {FEW} repeats", **marks)
    worst = float(((table["mean"] - table["exact"]).abs() / table["sem"]).max())
    text = f"{text} (largest deviation in standard errors)"
    return at_most("exact", FIGURE, text, limit=STANDARD_ERRORS, measured=worst, **marks)


def _crossing(exact: Expectations, sizes: list[int], mechanism: str, projection: str, *, hot: bool) -> Iterator[Claim]:
    """At which N OPS wins, by the expectations; the text's projection is of counts at 0, the other one is ours."""
    ours = mechanism != "laplace"
    texts = {
        "crossing": f"OPS beats the Laplace mechanism ({projection}) up to approximately N = {PRINTED:g} (read as "
        f"within {ABOUT:.0%}): the last N of this table at which it does",
        "only-few": f"OPS beats the Laplace mechanism ({projection}) at some N, and at no N that is larger than that",
        "overtaken": f"once overtaken by the Laplace mechanism ({projection}), OPS stays behind",
    }
    small = [n for n in sizes if n <= (1.0 + ABOUT) * PRINTED]
    wins = [n for n in sizes if exact["ops", n] < exact[mechanism, n]]
    reason = COLD if not hot else "" if len(small) >= 3 else "too few N of this table are about 10 or smaller"
    if reason:
        for name, text in texts.items():
            yield untestable(f"{name}-{mechanism}", SECTION, text, reason, ours=ours)
        return
    late = sum(n not in small for n in wins)
    behind = sum(n in wins for n in sizes if any(m < n and m not in wins for m in sizes))
    name, text, last = f"crossing-{mechanism}", texts["crossing"], float(max(wins, default=0))
    yield agrees(name, SECTION, text, expected=PRINTED, measured=last, tolerance=ABOUT * PRINTED, ours=ours)
    name, text, cases = f"only-few-{mechanism}", texts["only-few"], len(sizes)
    yield never(name, SECTION, text, violations=late + (not wins), cases=cases, ours=ours)
    yield never(f"overtaken-{mechanism}", SECTION, texts["overtaken"], violations=behind, cases=cases, ours=ours)


def _ends(exact: Expectations, sizes: list[int], params: Mapping[str, Any], t: float) -> Iterator[Claim]:
    """Towards the largest N: Laplace meets the posterior, OPS is like a posterior of fewer records."""
    n, p, a0 = sizes[-1], params["p"], params["truncation"]
    ratio = {k: exact["laplace", k] / exact["posterior", k] for k in sizes}
    # The noise of both counts, of variance 8/ε² each, against the data's own variance.
    quiet = n * p * (1.0 - p) >= 80.0 / params["epsilon"] ** 2 and len(sizes) > 1
    spread = math.sqrt((1.0 + t) * p * (1.0 - p) / n)
    text = (
        "as N increases, the Laplace mechanism's error converges to the posterior's: the slope of ln(ratio − 1) "
        "against ln N over its last step is −1, at which the excess vanishes"
    )
    if n < 1000 or not quiet or min(ratio[n], ratio[sizes[-2]]) <= 1.0 + 1e-6 or ratio[sizes[-2]] > 1.1:
        yield untestable("converges", SECTION, text, FAR)
    else:
        before = sizes[-2]
        slope = math.log((ratio[n] - 1.0) / (ratio[before] - 1.0)) / math.log(n / before)
        yield agrees("converges", SECTION, text, expected=-1.0, measured=slope, tolerance=SLOPE)
    text = (
        "as N increases, OPS behaves like a posterior of fewer records (read as (1 + T)/2 of its squared error, the "
        "ratio of the efficiencies 1 + T and 2: the square of its error over the posterior's, at the largest N, over "
        "that)"
    )
    if n < 1000 or t < 2.0 or not a0 + 6.0 * spread < p < 1.0 - a0 - 6.0 * spread:
        yield untestable("flatter", SECTION, text, FAR if t >= 2.0 else COLD, ours=True)
    else:
        # OPS's law is a Beta whose shapes are T times smaller: what is left of the expansion is of their order.
        slack = 2.0 * t / (n * p * (1.0 - p))
        share = (exact["ops", n] / exact["posterior", n]) ** 2 / ((1.0 + t) / 2.0)
        yield agrees("flatter", SECTION, text, expected=1.0, measured=share, tolerance=slack, ours=True)
