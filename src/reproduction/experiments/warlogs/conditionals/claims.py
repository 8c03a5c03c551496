"""The errata of the supplement's appendix E.

The conditionals are no slips: the samplers of section 4.5 are made of them. A wrong (48) costs no more privacy than
the right one in any case (its transitions do not depend on the entries, so that an update still costs 2Δ/T); draws one
after another do, if it is these that the supplement means.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, Claim, corrected
from reproduction.experiments.warlogs.conditionals import BAYES, CORRECTED, JOINT, LOSS, PRINTED, STATES, TRUNCATED

EVIDENCE = EXACT

SOURCE = "UAI 2016 supplement appendix E"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """The largest errors of the table."""
    del params  # the table says it all
    worst = table.groupby(["quantity", "method"])["value"].max()
    return [
        corrected(
            "eq48",
            f"{SOURCE}, eq. (48)",
            "(48) is the conditional of a state given all others (error: stationary total variation)",
            correction="the second denominator is n_{z_t} + 1[z_{t−1} = z_t] + Kα; printed is that of z_{t−1}",
            error_as_printed=float(worst[(STATES, PRINTED)]),
            error_as_corrected=float(worst[(STATES, CORRECTED)]),
            tolerance=1e-9,
            slip=False,
        ),
        corrected(
            "truncated-dirichlet",
            f"{SOURCE}.2",
            "a truncated Dirichlet is drawn one coordinate after another, as truncated betas (error: of a mean)",
            correction="the conditional of a coordinate also holds the probability that the rest clears the floor",
            error_as_printed=float(worst[(TRUNCATED, PRINTED)]),
            error_as_corrected=float(worst[(TRUNCATED, CORRECTED)]),
            tolerance=1e-6,
            slip=False,
            ours=True,
        ),
        corrected(
            "truncated-dirichlet-price",
            f"{SOURCE}.2",
            "drawn one coordinate after another, as truncated betas, emissions cost no more than 2Δ/T, on which the "
            "ε of OPS rests (error: by what share more, at the counts that were tried)",
            correction="drawn from the truncated Dirichlet law they cost 2Δ/T at most; one after another, of three "
            "outcomes, up to (2Δ + ln (1 − a₀)/2a₀)/T",
            error_as_printed=max(float(worst[(LOSS, PRINTED)]) - 1.0, 0.0),
            error_as_corrected=max(float(worst[(LOSS, CORRECTED)]) - 1.0, 0.0),
            tolerance=1e-9,
            slip=False,
            ours=True,
            of_privacy=True,
        ),
        corrected(
            "eq47",
            f"{SOURCE}, eq. (47)",
            "(47) is the joint probability (error: of its sum over states and entries, of up to three binary features)",
            correction="its last line lacks the product over the features d of an entry",
            error_as_printed=float(worst[(JOINT, PRINTED)]),
            error_as_corrected=float(worst[(JOINT, CORRECTED)]),
            tolerance=1e-9,
            slip=True,
        ),
        corrected(
            "naive-bayes",
            "UAI 2016 supplement, Figure 2",
            "naive Bayes is the hidden Markov model with one step (error: of the log-likelihood of three cells)",
            correction="with one state, as the paper has it; with one step a cell it is a mixture",
            error_as_printed=float(worst[(BAYES, PRINTED)]),
            error_as_corrected=float(worst[(BAYES, CORRECTED)]),
            tolerance=1e-9,
            slip=True,
        ),
    ]
