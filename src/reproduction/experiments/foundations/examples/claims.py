"""The review's examples against what comes out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pandas as pd

from reproduction.claims import EXACT, MONTE_CARLO, Claim, agrees, at_least, at_most, corrected, never, untestable
from reproduction.experiments.foundations import examples as said
from reproduction.experiments.foundations.judging import alike, none
from reproduction.experiments.foundations.rows import Finder, finder, where

EVIDENCE = EXACT

REVIEW = "DP review 2019"
ROUNDING = 1e-12
SMALL_NOISE, MANY_QUERIES, NEARLY_ALL = 0.25, 4, 0.95  # guessing gets 95% of 32 records with probability below 1e-8
LARGE_NOISE, LEFT = 2.0, 0.95
DRAWN = {"1.5", "1.6", "1.7", "2.5", "2.6"}  # data sets or partitions are; each is judged in fractions, without error

NUMBERS = {
    "1.1": "{x₁, x₂, x₂} is (1, 2, 0, …)",
    "1.3": "one sample more is the difference (0, 1, 0, …)",
    "1.4": "one sample for another is the difference (1, 1, 0, …)",
    "1.5": "average scores before and after give the newcomer's",
    "1.6": "average salaries before and after give the newcomer's",
    "1.7": "a mean as the model, before and after, gives the newcomer's image",
    "2.4": "the distance is 2",
    "2.10": "the identity has κ(x) = κ = 1",
    "2.11": "κ(0) = 5/3, κ(1) = 2, κ(2) = κ(3) = κ = 3",
    "2.12": "counting has κ ≤ 1, and 1 where some sample is counted",
    "2.13": "a histogram has κ = 1",
    "2.21": "perfect privacy and accuracy of the zero function",
    "2.22": "perfect privacy and accuracy of one input of two",
    "5.1": "counting has κ = 1",
    "5.1a": "Laplace noise of scale 1 is beyond ln 10 with probability .1",
    "5.1b": "Laplace noise of scale 1 is beyond 1 with probability 1/e",
}
COUNTS = {
    "1.2": ("def1.2", "Definition 1.2", "differences are symmetric"),
    "2.2": ("s2-norm", "Definition 2.2", "the distance counts samples"),
    "2.5": ("lemma2.5", "Lemma 2.5", "the norm adds over a partition"),
    "2.6": ("lemma2.6", "Lemma 2.6", "the distance adds over a partition"),
    "2.20": ("ex2.20", "Example 2.20", "0-privacy gives equal laws"),
}


def claims(table: pd.DataFrame, params: Mapping[str, Any]) -> list[Claim]:
    """Every example of sections 1, 2, 4 and 5 that prints a number, and the reconstruction of section 1."""
    del params  # all of it is in the table
    of = finder(table, "example")
    bijection, curve = of("1 bijection").iloc[0], of("2.11").set_index("quantity")["computed"]
    return [
        *(_number(of(example), example, text) for example, text in NUMBERS.items()),
        at_least(
            "ex1.6-noisy",  # the other half of the example: averages that are published with noise
            f"{REVIEW} Example 1.6",
            "with Laplace noise at ε = 1 on both averages they do not: standard error of the newcomer's salary over "
            "the range of all salaries (least over the numbers of members)",
            limit=1.0,
            measured=float(_beginning(of("1.6"), said.NOISY)["computed"].min()),
            ours=True,
        ),
        *(_count(of(example), *words) for example, words in COUNTS.items()),
        agrees(
            "s1-bijection",
            f"{REVIEW} section 1",
            "data sets are counts: as many histograms of 4 samples of 3 kinds as combinations with repetition",
            expected=float(bijection["printed"]),
            measured=float(bijection["computed"]),
            tolerance=0.0,
        ),
        agrees(
            "def2.9",
            f"{REVIEW} Definition 2.9",
            "κ is the largest κ(x), on Example 2.11",
            expected=float(curve["κ"]),
            measured=float(curve.drop("κ").max()),
            tolerance=0.0,
        ),
        corrected(
            "ex2.3",
            f"{REVIEW} Example 2.3",
            "the distance in Example 1.3 is the norm of (1, 0, …, 0), 1",
            correction="of (0, 1, 0, …, 0), as Example 1.3 has it; its norm is the same 1 (errors are of an entry, and "
            "of the norm)",
            error_as_printed=_error(_beginning(of("2.3"), said.VECTOR)),
            error_as_corrected=_error(where(of("2.3"), quantity="distance")),
            tolerance=0.0,
            slip=True,
        ),
        *_zero(table),
        *_response(of),
        *_histogram(table),
        *_attack(of(said.ATTACK)),
    ]


def _error(rows: pd.DataFrame) -> float:
    return float((rows["computed"] - rows["printed"]).abs().max())


def _beginning(rows: pd.DataFrame, words: str) -> pd.DataFrame:
    """Return the rows whose quantity begins with these words."""
    return rows[rows["quantity"].str.startswith(words)]


def _number(rows: pd.DataFrame, example: str, text: str) -> Claim:
    source, errors = f"{REVIEW} Example {example}", rows["computed"] - rows["printed"]
    return alike(f"ex{example}", source, f"{text} (largest error)", errors, ROUNDING, evidence=_rests_on(rows))


def _rests_on(rows: pd.DataFrame) -> str:
    return MONTE_CARLO if set(rows["example"]) & DRAWN else EXACT


def _count(rows: pd.DataFrame, name: str, place: str, text: str) -> Claim:
    violations, cases = int(rows["computed"].sum()), int(rows["cases"].sum())
    return never(name, f"{REVIEW} {place}", text, violations=violations, cases=cases, evidence=_rests_on(rows))


def _zero(table: pd.DataFrame) -> list[Claim]:
    """Example 2.23, and what Example 4.1a says of it."""
    accuracy = _beginning(where(table, example="2.23"), "accuracy at")
    computed = {row["quantity"]: float(row["computed"]) for row in table.to_dict("records")}
    inside, mean, zero = (computed[quantity] for quantity in (said.INSIDE, said.PRIVATE_MEAN, said.ZERO))
    return [
        agrees(
            "ex2.23",
            f"{REVIEW} Example 2.23",
            "the constant 2 for the identity has accuracy 0 (largest error)",
            expected=0.0,
            measured=_error(accuracy),
            tolerance=0.0,
        ),
        corrected(
            "ex2.23-space",
            f"{REVIEW} Example 2.23",
            "its output lies in the stated space {0, 1}, where every 0-private law has mean accuracy "
            f"{mean:g} or more",
            correction="it lies in ℝ, as the line below has it, where the accuracy is the printed 0 (errors are the "
            "probability of an output outside, and of the accuracy)",
            error_as_printed=abs(1.0 - inside),
            error_as_corrected=_error(accuracy),
            tolerance=0.0,
            slip=True,
        ),
        corrected(
            "ex4.1-zero",
            f"{REVIEW} Example 4.1a",
            "p = q = ½ has the zero accuracy of Example 2.23",
            correction="its accuracy is ½, that of every 0-private law on {0, 1} in the mean (errors are of it)",
            error_as_printed=abs(zero - float(accuracy["computed"].max())),
            error_as_corrected=abs(zero - mean),
            tolerance=0.0,
            slip=False,
        ),
    ]


def _response(of: Finder) -> list[Claim]:
    without, with_ln = (_beginning(of("4.1"), name) for name in (said.LEVEL, said.LEAST))
    example = of("4.1a", "4.1b")
    example = example[example["quantity"] != said.ZERO]
    return [
        alike(
            "ex4.1",
            f"{REVIEW} Example 4.1",
            "p = q = ½ is 0-private with flips of ½, p = q = ¼ is ln 3-private with flips of ¼ (largest error)",
            example["computed"] - example["printed"],
            ROUNDING,
            of_privacy=True,
        ),
        none(
            "s4.1-bound",
            f"{REVIEW} section 4.1",
            "randomized response is max{(1 − p)/q, …}-private: as an upper bound, since ln x < x",
            without["computed"] > without["printed"],
            of_privacy=True,
        ),
        corrected(
            "s4.1",
            f"{REVIEW} section 4.1",
            "randomized response has the level max{(1 − p)/q, …}",
            correction="its logarithm, as in Proposition 3.2 and Example 4.1; as a bound the number printed holds too, "
            "since ln x < x, but is never the level (errors are of the level at p = q = ½ and ¼)",
            error_as_printed=_error(without),
            error_as_corrected=_error(with_ln),
            tolerance=ROUNDING,
            slip=True,
            ours=True,  # by its letter it is a bound, which `s4.1-bound` judges
        ),
    ]


def _histogram(table: pd.DataFrame) -> Iterator[Claim]:
    """Example 5.2 by the least σ: what it leaves open."""
    source = f"{REVIEW} Example 5.2"
    least, printed = (
        where(table, quantity=name).set_index("example")["computed"] for name in (said.SIGMA, said.PRINTED_SIGMA)
    )
    for example, verb, delta, judge in (("5.2a", "is not", "1/10", at_least), ("5.2b", "is", "1/e", at_most)):
        text = (
            f"(left open there) a Gaussian histogram with σ = 1 {verb} (1, {delta})-private at distance 1 (the least σ)"
        )
        yield judge(f"ex{example}", source, text, limit=1.0, measured=float(least[example]), ours=True)
    text = "σ = √(2 ln(5/(4δ))) is no less than the least σ, at ε = 1 and both δ (least ratio)"
    ratio, source = float((printed / least).min()), f"{source} by Proposition 3.15"
    yield at_least("ex5.2-printed", source, text, limit=1.0, measured=ratio, of_privacy=True)


def _attack(rows: pd.DataFrame) -> list[Claim]:
    many = rows[rows["queries"] >= MANY_QUERIES]
    plain, few = where(many, noise=0.0), many[many["noise"] <= SMALL_NOISE]
    wide = rows[rows["noise"] >= LARGE_NOISE]
    records = f", of {rows['cases'].min()} drawn records each" if len(rows) else ""
    return [
        _unless_empty(
            at_least,
            "s1-dinur",
            f"the plain answers to {MANY_QUERIES} random sums a record, of 2ⁿ there are, reveal all "
            f"(least share{records})",
            1.0,
            plain["least"],
            "no row of this table has no noise and so many answers",
        ),
        _unless_empty(
            at_least,
            "s1-dinur-nearly",
            f"answers to {MANY_QUERIES} random sums a record or more, with noise up to √n/4, reveal nearly all records "
            f"(least share{records})",
            NEARLY_ALL,
            few["least"],
            "no row of this table has so little noise",
            ours=True,
        ),
        _unless_empty(
            at_most,
            "s1-dinur-noise",
            f"noise of 2√n leaves records hidden from as many answers (largest mean share{records})",
            LEFT,
            wide["computed"],
            "no row of this table has so much noise",
            ours=True,
        ),
    ]


def _unless_empty(
    judge: Callable[..., Claim],
    name: str,
    text: str,
    limit: float,
    shares: pd.Series[float],
    empty: str,
    ours: bool = False,
) -> Claim:
    """Judge the least or the largest share; `empty` says why there is none."""
    source = f"{REVIEW} section 1"
    if not len(shares):
        return untestable(name, source, text, empty, ours=ours)
    worst = float(shares.min() if judge is at_least else shares.max())
    return judge(name, source, text, limit=limit, measured=worst, evidence=MONTE_CARLO, ours=ours)
