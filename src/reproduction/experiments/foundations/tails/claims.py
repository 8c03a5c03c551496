"""What section 3 of the review says of accuracy and pure privacy, proposition by proposition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, Marks, at_least, untestable
from reproduction.experiments.foundations import tails as said
from reproduction.experiments.foundations.judging import alike, none
from reproduction.experiments.foundations.rows import where

EVIDENCE = EXACT

REVIEW = "DP review 2019"
ROUNDING = 1e-9  # relative, of exact tails and levels
RISK = 1e-6  # that one of all rows of draws is this far from its law, or above its bound, by chance
MANY = 1000  # hits that the bound allows, from which on a ratio of frequencies says something
NO_ROWS = "no row of this table is of that kind"
OPEN = "left open by the review, derived here"


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Levels against promises, exact tails against bounds, draws against both."""
    del params  # all of it is in the table
    flips = where(table, mechanism=said.FLIPPED, statement=said.FLIPS)
    laplace, gaussian = (
        where(table, mechanism=names, statement=said.NOISE) for names in (said.LAPLACE, said.GAUSSIANS)
    )
    tight, loose = (where(table, mechanism=said.EXPONENTIAL, statement=name) for name in (said.DEFICIT, said.LOOSE))
    response, answers, scale, chosen = (
        where(table, mechanism=names, statement=said.LEVEL)
        for names in (said.FLIPPED, said.CHOICES, said.LAPLACE, said.EXPONENTIAL)
    )
    return [
        _equal(
            response,
            "prop3.2",
            "Proposition 3.2",
            "replaced bits cost ln max of the four ratios each, over all strings",
            of_privacy=True,
        ),
        _below(
            flips,
            "prop3.3",
            "Proposition 3.3",
            "j of k bits are flipped with probability C(k,j)max^j max^(k−j) at most",
        ),
        _below(
            pd.concat([response, flips]),
            "cor3.4",
            "Corollary 3.4",
            "the level and the bound of flips hold together",
            of_privacy=True,
        ),
        _equal(answers, "s3.1-d-ary", "section 3.1", "one of d answers costs ε", ours=True, of_privacy=True),
        _equal(
            where(table, mechanism=said.CHOICES, statement=said.ANSWERS),
            "s3.1-d-ary-law",
            "section 3.1",
            "the number of changed answers is Binomial(k, (d−1)/(e^ε+d−1))",
            ours=True,
        ),
        _equal(
            scale,
            "prop3.6",
            "Proposition 3.6",
            "Laplace noise of scale κ/ε costs ε at each step of distance",
            of_privacy=True,
        ),
        _below(
            laplace,
            "prop3.7",
            "Proposition 3.7",
            "noise of scale κ/ε is at or beyond β ln(k/δ) with probability δ at most",
        ),
        _below(
            pd.concat([scale, laplace]),
            "cor3.8",
            "Corollary 3.8",
            "the level and the bound of noise hold together",
            of_privacy=True,
        ),
        _below(
            chosen,
            "prop3.11",
            "Proposition 3.11",
            "at λ = ε/(2κ) the exponential mechanism costs ε at most",
            of_privacy=True,
        ),
        _spent(where(chosen, data=said.APART)),
        _below(
            tight,
            "prop3.12",
            "Proposition 3.12",
            "the score falls short by (ln(|Y|/|Y_X|) + t)/λ with probability e^−t at most",
        ),
        _below(
            pd.concat([chosen, tight]),
            "cor3.13",
            "Corollary 3.13",
            "the level and the bound of the score hold together",
            of_privacy=True,
        ),
        _below(
            loose,
            "cor3.13-loose",
            "Corollary 3.13",
            "the score falls short by (2κ/ε)(ln |Y| + t) with probability e^−t at most",
        ),
        _below(
            gaussian,
            "prop3.16",
            "Proposition 3.16",
            f"Gaussian noise is at or beyond σ√(2 ln(k/δ)) with probability δ at most ({OPEN})",
            ours=True,
        ),
        _scale_free(gaussian),
        _equal(
            where(laplace, dimension=1),
            "s5.2",
            "section 5.2",
            "a noisy count is off by (1/ε)ln(1/δ) or more with probability δ: an equality",
        ),
        _below(
            laplace[laplace["dimension"] > 1],
            "s5.4",
            "section 5.4",
            "one of k noisy cells is off by (1/ε)ln(k/δ) or more with probability δ at most",
        ),
        *_upper(where(table, statement=said.BOUNDED)),
        *_drawn(table[table["draws"] > 0]),
    ]


def _above(rows: pd.DataFrame) -> pd.Series[bool]:
    return rows["exact"] > rows["bound"] * (1.0 + ROUNDING)


def _below(rows: pd.DataFrame, name: str, place: str, text: str, **marks: Unpack[Marks]) -> Claim:
    """Exact at most the bound, with the largest share of it."""
    share = (rows["exact"] / rows["bound"]).max() if len(rows) else 0.0
    text = f"{text}; the largest share of the bound is {share:.3f}"
    return none(name, f"{REVIEW} {place}", text, _above(rows), rows["cases"], **marks)


def _equal(rows: pd.DataFrame, name: str, place: str, text: str, **marks: Unpack[Marks]) -> Claim:
    source = f"{REVIEW} {place}"
    if not len(rows):
        return untestable(name, source, text, NO_ROWS, **marks)
    text = f"{text} (largest relative error in {int(rows['cases'].sum())} cases)"
    return alike(name, source, text, rows["exact"] / rows["bound"] - 1.0, ROUNDING, **marks)


def _spent(apart: pd.DataFrame) -> Claim:
    """No smaller constant than 2κλ would do."""
    source, text = f"{REVIEW} Proposition 3.11", "some scores spend all of 2κλ"
    if not len(apart):
        return untestable("prop3.11-attained", source, text, NO_ROWS, ours=True)
    least = float((apart["exact"] / apart["bound"]).min())
    return at_least(
        "prop3.11-attained", source, f"{text} (least share)", limit=1.0, measured=least, tolerance=1e-6, ours=True
    )


def _scale_free(rows: pd.DataFrame) -> Claim:
    """The same probability at the same multiple of σ: for a σ(X) as for one σ."""
    source = f"{REVIEW} Proposition 3.20"
    text = "the Gaussian bound and tail are the same for every σ, and so for σ(X) of one data set"
    spread = rows.groupby(["dimension", "bound"])["exact"].agg(["min", "max", "count"])
    spread = spread[spread["count"] > 1]
    if not len(spread):
        return untestable("prop3.20", source, text, NO_ROWS, ours=True)
    text = f"{text} (largest relative difference; {OPEN})"
    return alike("prop3.20", source, text, spread["max"] / spread["min"] - 1.0, ROUNDING, ours=True)


def _upper(rows: pd.DataFrame) -> list[Claim]:
    """All bounds are upper ones; and in most rows there is something left."""
    source = f"{REVIEW} section 3.6"
    usually = "practice is usually better: the share of all tails that are below their bound by 1% or more"
    share = rows["exact"] / rows["bound"]
    medians = share.groupby(rows["mechanism"], sort=True).median()
    ratios = ", ".join(f"{name} {ratio:.2f}" for name, ratio in medians.items())
    return [
        none(
            "s3.6-upper",
            source,
            f"all bounds of accuracy are upper bounds (median share of the bound: {ratios})",
            _above(rows),
        ),
        at_least("s3.6-usually", source, usually, limit=0.5, measured=float((share < 0.99).mean()), ours=True)
        if (rows["dimension"] > 1).any() and (rows["bound"] < 1.0).any()
        else untestable("s3.6-usually", source, usually, "one number, or bounds of 1, are no usual case", ours=True),
    ]


def _drawn(rows: pd.DataFrame) -> list[Claim]:
    """Binomial, at a risk of RISK for all rows together."""
    source = f"{REVIEW} section 3"
    limit, count = RISK / max(len(rows), 1), int(rows["draws"].max()) if len(rows) else 0
    many = rows[rows["draws"] * rows["bound"] >= MANY]
    largest = (many["empirical"] / many["bound"]).max() if len(many) else 0.0
    return [
        none(
            "draws-exact",
            source,
            f"frequencies in {count} draws are those of the exact laws (risk {RISK:g} for all rows together)",
            rows["chance"] < limit,
            evidence=MONTE_CARLO,
            ours=True,
        ),
        none(
            "draws-bound",
            source,
            f"frequencies in {count} draws are not above the bounds (risk {RISK:g} for all rows together; largest "
            f"ratio, where the bound allows {MANY} hits or more: {largest:.3f})",
            rows["excess"] < limit,
            evidence=MONTE_CARLO,
        ),
    ]
