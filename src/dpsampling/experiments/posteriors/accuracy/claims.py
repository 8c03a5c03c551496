"""What the text says of Figure 4.2, measured and by exact expectations.

A mean of `repeats` runs is allowed 4 standard errors, so a true statement about K means fails with probability below
6.4e-5·K.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import MONTE_CARLO, Claim, agrees, at_least, at_most, never, untestable
from dpsampling.experiments.posteriors.closed_form import temperature

EVIDENCE = MONTE_CARLO

FIGURE, SECTION = "thesis Figure 4.2", "thesis section 4.3.2"
STANDARD_ERRORS = 4.0
FEW = 100  # repeats, below which a mean over its standard error is not close to normal
COLD = "at this ε the temperature of OPS is near 1: it hardly differs from a truncated posterior"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Agreement with exact expectations, where the curves cross, and their ends."""
    sizes = sorted(int(n) for n in table["n"].unique())
    rows, exact = {}, {}
    for mechanism, n, mean, sem, expectation in table.itertuples(index=False):
        rows[str(mechanism), int(n)], exact[str(mechanism), int(n)] = (mean, sem), expectation
    hot = temperature(params["truncation"], params["epsilon"]) >= 2.0
    deviations = [abs(mean - exact[key]) / sem for key, (mean, sem) in rows.items()]
    return [
        at_most(
            "exact",
            FIGURE,
            f"the {len(rows)} means agree with exact expectations (largest deviation in standard errors)",
            limit=STANDARD_ERRORS,
            measured=max(deviations),
        )
        if params["repeats"] >= FEW
        else untestable(
            "exact", FIGURE, "the means agree with exact expectations", f"there are fewer than {FEW} repeats"
        ),
        *_crossing(exact, sizes, hot=hot),
        *_ends(rows, sizes, params, hot=hot),
    ]


def _crossing(exact: dict[tuple[str, int], float], sizes: list[int], *, hot: bool) -> list[Claim]:
    """OPS wins at small n only; by the exact expectations, at which n last."""
    if not hot:
        text = "OPS beats the Laplace mechanism only when N is very small"
        return [untestable("crossing", SECTION, text, COLD)]
    claims = []
    for mechanism, projection in (("laplace", "counts at least 0"), ("laplace-range", "counts in [0, N]")):
        wins = [n for n in sizes if exact["ops", n] < exact[mechanism, n]]
        last = max(wins, default=0)
        claims.append(
            at_most(
                f"crossing-{mechanism}",
                SECTION,
                f"OPS beats the Laplace mechanism ({projection}) only when N is very small, approximately 10: "
                f"the largest N of this table at which it does",
                limit=10.0,
                measured=float(last),
            )
        )
        claims.append(
            never(
                f"overtaken-{mechanism}",
                SECTION,
                f"once overtaken by the Laplace mechanism ({projection}), OPS stays behind",
                violations=sum(n in wins for n in sizes if any(m < n and m not in wins for m in sizes)),
                cases=len(sizes),
            )
        )
    return claims


def _ends(
    rows: dict[tuple[str, int], tuple[float, float]], sizes: list[int], params: Mapping[str, Any], *, hot: bool
) -> list[Claim]:
    """At the largest N: Laplace meets the posterior, OPS is like a posterior of fewer records."""
    n = sizes[-1]
    texts = (
        "as N increases, the Laplace mechanism's error meets the posterior's (ratio at the largest N)",
        "OPS behaves like a posterior of fewer records (its error, less 4 standard errors, over the posterior's)",
    )
    p, a0 = params["p"], params["truncation"]
    # The noise of both counts, of variance 8/ε² each, against the data's own variance.
    quiet = n * p * (1.0 - p) >= 80.0 / params["epsilon"] ** 2
    if n < 1000 or not quiet or not a0 < p < 1.0 - a0 or params["repeats"] < FEW:
        reason = "the noise at the largest N of this table is not small, p lies outside the window, or repeats are few"
        return [untestable("converges", SECTION, texts[0], reason), untestable("flatter", SECTION, texts[1], reason)]
    posterior, laplace, ops = (rows[m, n] for m in ("posterior", "laplace", "ops"))
    spread = STANDARD_ERRORS * (laplace[1] / laplace[0] + posterior[1] / posterior[0])
    return [
        agrees(
            "converges", SECTION, texts[0], expected=1.0, measured=laplace[0] / posterior[0], tolerance=0.05 + spread
        ),
        at_least("flatter", SECTION, texts[1], limit=1.0, measured=(ops[0] - STANDARD_ERRORS * ops[1]) / posterior[0])
        if hot
        else untestable("flatter", SECTION, texts[1], COLD),
    ]
