"""What section 4.4.1 and the supplement's appendix C say of the costs of Markov chains."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from dpsampling.claims import EXACT, REFUTED, Claim, agrees, at_least, at_most, corrected, untestable
from dpsampling.experiments.posteriors.chain_costs import (
    ANNEALED,
    ANNEALED_SUM,
    EXAMPLE,
    METROPOLIS,
    PRINTED,
    SCAN,
    UPDATE,
)
from dpsampling.experiments.posteriors.closed_form import sensitivity, temperature

EVIDENCE = EXACT

SECTION, APPENDIX = "thesis section 4.4.1", "UAI 2016 supplement appendix C"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The price of an update, of the scans, of Metropolis and of annealing."""
    methods = [str(method) for method in table["method"]]
    epsilon = dict(zip(methods, table["epsilon"].to_numpy(dtype=float).tolist(), strict=True))
    delta = dict(zip(methods, table["delta"].to_numpy(dtype=float).tolist(), strict=True))
    exact = dict(zip(methods, table["exact"].to_numpy(dtype=float).tolist(), strict=True))
    update = 2.0 * sensitivity(params["truncation"]) / temperature(params["truncation"], params["epsilon"])
    cold = math.isclose(update, 2.0 * exact[EXAMPLE], rel_tol=1e-9)
    gibbs = "a Gibbs update at temperature T is 2Δ/T-private"
    sequential = (
        "a sequential scan whose updates each read their own record costs as much as one update "
        "(exact losses of a binary example)"
    )
    # Of an update and of a scan, both the price and what is lost by enumeration must be as they should.
    return [
        _all(
            agrees("gibbs", SECTION, gibbs, expected=update, measured=epsilon[UPDATE], tolerance=1e-9 * update),
            at_most(
                "gibbs",
                SECTION,
                f"{gibbs} (exact loss of a binary example)",
                limit=epsilon[UPDATE],
                measured=exact[UPDATE],
            ),
        ),
        _all(
            at_most("sequential", SECTION, sequential, limit=epsilon[SCAN], measured=exact[SCAN]),
            agrees(
                "sequential",
                SECTION,
                sequential,
                expected=exact[UPDATE],
                measured=exact[SCAN],
                tolerance=1e-9 * update,
            ),
        ),
        _random_scan(epsilon, update, cold=cold),
        _metropolis(delta[METROPOLIS], params, cold=cold),
        agrees(
            "annealing",
            APPENDIX,
            "parallel composition saves the factor D in the cost of an annealed sample",
            expected=float(params["n"]),
            measured=epsilon[ANNEALED_SUM] / epsilon[ANNEALED],
            tolerance=1e-9 * params["n"],
        ),
    ]


def _all(*claims: Claim) -> Claim:
    """The first that is refuted, or else the last: one claim about several numbers."""
    return next((claim for claim in claims if claim.verdict == REFUTED), claims[-1])


def _metropolis(delta: float, params: Mapping[str, Any], *, cold: bool) -> Claim:
    """At a high temperature nothing is rejected, at the price of hardly drawing from the posterior."""
    text = "a Metropolis update's δ is its rejection rate, too large to be practical (the chain's δ times N)"
    if params["n"] < 10 or params["steps"] < 10 or params["width"] < 1e-5:
        return untestable("metropolis", APPENDIX, text, "the chain is short, or its proposals hardly move")
    if not cold:
        return untestable("metropolis", APPENDIX, text, "the chain is hotter than T = 1, where little is rejected")
    return at_least("metropolis", APPENDIX, text, limit=1.0, measured=delta * params["n"])


def _random_scan(epsilon: dict[str, float], update: float, *, cold: bool) -> Claim:
    """The example is at temperature 1; a hotter chain has no printed number to compare."""
    text = "a random scan of Q among N variables, each with its own record, is 4ΔQ/N-private by amplification"
    exact, printed = epsilon[EXAMPLE], epsilon[PRINTED]
    if not cold:
        return untestable("random-scan", SECTION, text, "the exact example is for temperature 1")
    return corrected(
        "random-scan",
        SECTION,
        text,
        correction="a variable changes only if its record was picked, which the output shows, so nothing is amplified: "
        f"the exact loss is {exact:.4g}, as printed {printed:.4g}; the 2Δ = {update:.4g} of a sequential scan holds",
        error_as_printed=max(0.0, exact - printed),
        error_as_corrected=max(0.0, exact - update),
        tolerance=1e-9,
        slip=True,
    )
