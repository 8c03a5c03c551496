"""The cells of the thesis's Table 4.1."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim, Marks, agrees, untestable
from reproduction.experiments.posteriors.closed_form import beyond, sensitivity, temperature

EVIDENCE = EXACT

SOURCE = "thesis Table 4.1"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> Iterator[Claim]:
    """One claim a printed cell."""
    value = table.set_index(["mechanism", "property"])["value"]
    a0, epsilon, steps = float(params["truncation"]), float(params["epsilon"]), int(params["steps"])
    delta, t = sensitivity(a0), temperature(a0, epsilon)
    # Of a mechanism's price, a sensitivity or a number of draws that is wrong is a level that is too small.
    cells = [
        ("laplace", "sensitivity", "the sensitivity of the counts of a Bernoulli record is 2", 2.0, 0.0),
        ("laplace", "scale", "the Laplace mechanism noises S(X) and does not rescale it", 1.0, 1e-9),
        ("laplace", "draws", "the Laplace mechanism releases statistics: any number of draws is free", math.inf, 0.0),
        ("laplace", "gibbs-cost", "the Laplace mechanism pays once for a whole Gibbs chain", epsilon, 1e-9),
        ("ops", "sensitivity", "the sensitivity of OPS is ln((1−a₀)/a₀)", delta, 1e-9),
        ("ops", "scale", "OPS rescales S(X), by 1/T", 1.0 / t, 1e-9),
        ("ops", "draws", "OPS releases one sample", 1.0, 0.0),
        ("ops", "gibbs-cost", "OPS pays at each Gibbs update", steps * 2.0 * delta / t, 1e-9),
    ]
    for m, p, text, expected, rounding in cells:
        if (m, p) == ("ops", "draws") and 4.0 * delta <= epsilon:
            reason = "ε is so large that two draws of the posterior itself cost no more"
            yield untestable(f"{m}-{p}", SOURCE, text, reason)
            continue
        measured, slack = float(value[m, p]), rounding * max(1.0, expected) if rounding else 0.0
        marks: Marks = {"of_privacy": p != "scale"}
        yield agrees(f"{m}-{p}", SOURCE, text, expected=expected, measured=measured, tolerance=slack, **marks)
    for mechanism, limit in (("laplace", 1.0), ("ops", 1.0 + t)):
        name, text = f"{mechanism}-efficiency", f"the asymptotic relative efficiency of {mechanism} is {limit:.4g}"
        information = params["n"] * params["p"] * (1.0 - params["p"])
        room = min(params["p"], 1.0 - params["p"]) - a0
        enough = max(800.0 / epsilon**2, 1000.0 * t)
        if information < enough or room < 6.0 * math.sqrt((1.0 + t) / (4.0 * params["n"])):
            yield untestable(name, SOURCE, text, "n is not large enough for this ε, p and window")
            continue
        measured, text = float(value[mechanism, "efficiency"]), f"{text} (the exact one at n = {params['n']:g})"
        slack = limit * beyond(information, epsilon, t if mechanism == "ops" else 1.0)
        yield agrees(name, SOURCE, text, expected=limit, measured=measured, tolerance=slack)
