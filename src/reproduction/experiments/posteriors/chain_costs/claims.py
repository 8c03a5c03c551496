"""What section 4.4.1 and the supplement's appendix C say of the costs of Markov chains."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, REFUTED, Claim, Marks, agrees, at_least, at_most, untestable
from reproduction.experiments.mended import mended
from reproduction.experiments.posteriors.chain_costs import (
    ANNEALED,
    ANNEALED_SUM,
    EXAMPLE,
    METROPOLIS,
    PRINTED,
    SCAN,
    UPDATE,
)
from reproduction.experiments.posteriors.closed_form import sensitivity, temperature

EVIDENCE = EXACT

SECTION, APPENDIX = "thesis section 4.4.1", "UAI 2016 supplement appendix C"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """The price of an update, of the scans, of Metropolis and of annealing."""
    methods = [str(method) for method in table["method"]]
    epsilon, delta, exact = (
        dict(zip(methods, table[column].to_numpy(dtype=float).tolist(), strict=True))
        for column in ("epsilon", "delta", "exact")
    )
    update = 2.0 * sensitivity(params["truncation"]) / temperature(params["truncation"], params["epsilon"])
    cold = math.isclose(update, 2.0 * exact[EXAMPLE], rel_tol=1e-9)
    slack, marks = 1e-9 * update, Marks(of_privacy=True)
    # Of an update, a scan and a sample, both the price and what is lost by enumeration must be as they should.
    text = "a Gibbs update at temperature T is 2Δ/T-private"
    of_example = f"{text} (exact loss of a binary example)"
    yield _all(
        agrees("gibbs", SECTION, text, expected=update, measured=epsilon[UPDATE], tolerance=slack, **marks),
        at_most("gibbs", SECTION, of_example, limit=epsilon[UPDATE], measured=exact[UPDATE], **marks),
    )
    text = (
        "a sequential scan whose updates each read their own record costs as much as one update "
        "(exact losses of a binary example)"
    )
    yield _all(
        at_most("sequential", SECTION, text, limit=epsilon[SCAN], measured=exact[SCAN], **marks),
        agrees("sequential", SECTION, text, expected=exact[UPDATE], measured=exact[SCAN], tolerance=slack, **marks),
    )
    yield _random_scan(epsilon, update, cold=cold)
    yield _metropolis(delta[METROPOLIS], params, cold=cold)
    text = (
        "an annealed sample costs the sum of its temperatures' ε (45), without the factor D of (44), where each update "
        "reads its own record"
    )
    of_prices, of_example = f"{text} (ratio of the prices)", f"{text} (exact loss of a binary example, three variables)"
    n, saved = float(params["n"]), epsilon[ANNEALED_SUM] / epsilon[ANNEALED]
    yield _all(
        agrees("annealing", APPENDIX, of_prices, expected=n, measured=saved, tolerance=1e-9 * params["n"]),
        at_most("annealing", APPENDIX, of_example, limit=epsilon[ANNEALED], measured=exact[ANNEALED], **marks),
    )


def _all(*claims: Claim) -> Claim:
    """The first that is refuted, or else the last: one claim about several numbers."""
    return next((claim for claim in claims if claim.verdict == REFUTED), claims[-1])


def _metropolis(delta: float, params: Mapping[str, Any], *, cold: bool) -> Claim:
    """At a high temperature nothing is rejected, at the price of hardly drawing from the posterior."""
    text = (
        "a chain of Metropolis updates, whose δ is their rejection rate, may not be practical: δ is at least 1/N (δ "
        "times N)"
    )
    if params["n"] < 10 or params["steps"] < 10 or params["width"] < 1e-5:
        return untestable("metropolis", APPENDIX, text, "the chain is short, or its proposals hardly move", ours=True)
    if not cold:
        reason = "the chain is hotter than T = 1, where little is rejected"
        return untestable("metropolis", APPENDIX, text, reason, ours=True)
    return at_least("metropolis", APPENDIX, text, limit=1.0, measured=delta * params["n"], ours=True)


def _random_scan(epsilon: dict[str, float], update: float, *, cold: bool) -> Claim:
    """The example is at temperature 1; a hotter chain has no printed number to compare."""
    text = "a random scan of Q among N variables, each with its own record, is 4ΔQ/N-private by amplification"
    exact, printed = epsilon[EXAMPLE], epsilon[PRINTED]
    if not cold:
        return untestable("random-scan", SECTION, text, "the exact example is for temperature 1")
    correction = (
        "a variable changes only if its record was picked, which the output shows, so nothing is amplified: "
        f"the exact loss is {exact:.4g}, as printed {printed:.4g}; the 2Δ = {update:.4g} of a sequential scan holds"
    )
    errors = max(0.0, exact - printed), max(0.0, exact - update)
    return mended("random-scan", SECTION, text, correction, errors, tolerance=1e-9, slip=False, of_privacy=True)
