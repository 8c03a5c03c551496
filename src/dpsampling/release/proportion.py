"""How many say yes: what was drawn of it, and the share that this tells of, in the data and where they are from."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from dpsampling.errors import InputError
from dpsampling.event_logs.reader import CURATOR
from dpsampling.event_logs.schema import LogSchema
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.release import mechanisms, pictures, rows
from dpsampling.release.card import FOUND, NOISE, PUBLIC, WHAT, Sentence
from dpsampling.release.contents import Release
from dpsampling.release.intervals import (
    Heard,
    Interval,
    NoisyCount,
    check_level,
    in_the_data,
    in_the_population,
    of_counts,
)
from dpsampling.release.kinds import Writer, table
from dpsampling.release.mechanisms import Mechanism, NoisyCountOfYes, NoisyCounts, NoisySumOfYes, Wanted, WholeNoise
from dpsampling.release.noise import Noise
from dpsampling.release.publish import Prepared
from dpsampling.release.shares import TwoCounts
from dpsampling.release.wording import called, in_ten, listed, number, quoted

ANSWER = "answer"  # the one feature of its description
YES, NO = "yes", "no"
SHARES, DATA, POPULATION = "share.csv", "in_the_data", "in_the_population"
DECIMALS = 6  # of results
LARGEST = 10**10  # a noisy count that rows and noise can make


def prepare(
    schema: LogSchema,
    source: Any,
    *,
    epsilon: float,
    level: float,
    report: Path | None = None,
    mechanism: str | None = None,
    records: int | None = None,
    prior: tuple[float, float] = (1.0, 1.0),
    delta: float | None = None,
    truncation: float | None = None,
) -> Prepared:
    """Read the rows; what is released of them is drawn later.

    `prior` is (a, b) of Beta(a, b). With `records`, the public number of rows, whoever says neither counts as no.
    """
    wanted = Wanted(epsilon, delta, records, prior, mechanism, truncation)
    check_level(level)
    found = mechanisms.chosen(wanted, schema.unit)
    guarantee = found.guarantee(schema.unit)
    *counts, neither = (int(count) for count in rows.joint(rows.read(schema, source, report), [ANSWER]))

    def draw() -> FixedPoint:
        _tell_of(neither, among=neither + sum(counts), fixed=records is not None)  # once nothing is refused any more
        return found.draw(counts)

    return Prepared(
        kind="proportion",
        title=schema.title,
        unit=schema.unit,
        identified=schema.unit_column is not None,
        declared=_declared(schema, records),
        mechanism=mechanisms.spec(found),
        guarantee=guarantee,
        draw=draw,
        settings={"level": level, "prior": [float(part) for part in prior]},
        exactly=found.level(schema.unit) if isinstance(found, WholeNoise) else None,
    )


def _tell_of(neither: int, *, among: int, fixed: bool) -> None:
    """Tell the curator of rows that say neither, for a text may be misspelt."""
    if neither:
        rest = "which count as no" if fixed else "which are not counted"
        sys.stderr.write(
            f"dpsampling: {neither} of {among} rows say no text of yes and none of no, {rest} ({CURATOR}).\n"
        )


def promised(release: Release) -> Pure | Approximate:
    """Return what the mechanism promises of the unit."""
    return mechanisms.build(release.mechanism).guarantee(release.unit)


def faults(release: Release) -> list[str]:
    """Numbers off their grid, and settings that no release has."""
    found = mechanisms.build(release.mechanism)
    said = [found.off_grid(release.numbers)]
    if said == [None] and any(abs(x) > LARGEST + _far(found) for x in release.numbers.fractions):
        said = ["a number is larger than rows and noise make it"]
    if mechanisms.spec(found) != dict(release.mechanism):
        said.append("the mechanism says more than it has")
    if found.name in mechanisms.OF_ROWS and release.unit.most > 1:
        said.append(f"{found.name} protects one row, and {release.unit.most} are kept of each unit")
    try:
        check_level(release.settings["level"])
        prior = mechanisms.check_prior(release.settings["prior"])
        if list(prior) != list(release.mechanism.get("prior", prior)):
            said.append("the prior of the settings is not the mechanism's")
    except InputError as error:
        said.append(str(error).removesuffix("."))
    return [fault for fault in said if fault is not None]


def _far(found: Mechanism) -> Fraction:
    """How far noise reaches."""
    return 800 / found.rate if isinstance(found, WholeNoise) else Fraction(800 * getattr(found, "sigma", 1.0))


# -- what it says ------------------------------------------------------------------------------------------------------


def results(release: Release) -> dict[str, Any]:
    """The share of yes in the data, and, where each row is a unit, among all that they were drawn from; the counts."""
    found, level = mechanisms.build(release.mechanism), float(release.settings["level"])
    prior, coins = release.settings["prior"], release.generator.random(4).tolist()
    sampled = release.unit.most == 1
    if isinstance(found, NoisyCounts):
        return _of_two(release, found.noise, prior, coins, level, sampled=sampled)
    heard = found.heard(release.numbers, coins[0])
    count, share = found.estimates(release.numbers, prior)
    inside = of_count(heard, level)
    n = found.records
    told: dict[str, Any] = {
        "counts": {YES: entry(count, inside)},
        DATA: entry(count / n, Interval(inside.low / n, inside.high / n, inside.level)),
        POPULATION: entry(share, in_the_population(heard, level)) if sampled else None,
    }
    return told


def of_count(heard: Heard, level: float) -> Interval:
    """Of a number in the data."""
    if not isinstance(heard, NoisyCount):
        return in_the_data(heard, level)
    low, high, attained = of_counts(heard, level)
    return Interval(float(low), float(high), float(attained))


def _of_two(
    release: Release, noise: Noise, prior: Sequence[float], coins: Sequence[float], level: float, *, sampled: bool
) -> dict[str, Any]:
    """Of noisy counts of yes and of no."""
    yes, no = release.numbers.floats.tolist()
    both = TwoCounts(yes, no, noise, noise, coins[0])
    possible = [max(yes, 0.0), max(no, 0.0)]
    total = sum(possible)
    share, whole = (prior[0] + possible[0]) / (sum(prior) + total), prior[0] / sum(prior)
    inner = [of_count(NoisyCount(value, coin, noise), level) for value, coin in zip((yes, no), coins[1:], strict=False)]
    return {
        "counts": {name: entry(value, inside) for name, value, inside in zip((YES, NO), possible, inner, strict=True)},
        DATA: entry(possible[0] / total if total else whole, both.in_the_data(level)),
        POPULATION: entry(share, both.in_the_population(level)) if sampled else None,
    }


def entry(estimate: float, interval: Interval) -> dict[str, float]:
    """An estimate with its interval."""
    found = {"estimate": estimate, "low": interval.low, "high": interval.high, "level": interval.level}
    return {name: round(value, DECIMALS) for name, value in found.items()}


# -- in words, as a table and as a picture -----------------------------------------------------------------------------


def sentences(release: Release, results: Mapping[str, Any]) -> list[Sentence]:
    """Return what was released, what it says, and how noisy it is."""
    return [*_what(release), *_found(release, results), *_noise(release), _public(release)]


def percent(share: float) -> str:
    """A share in plain words."""
    return f"{number(100.0 * share, digits=3 if share < 0.1 or share > 0.9 else 4)}%"


def _what(release: Release) -> list[Sentence]:
    found, declared = mechanisms.build(release.mechanism), release.declared
    yes, no, column = (quoted(str(declared[name])) for name in ("yes", "no", "column"))
    if isinstance(found, NoisyCounts):
        text = f"It was counted how many rows have {yes}, and how many have {no}, in the column {column}; noise was "
        text += "added to both counts, and these two noisy counts are all that was taken from the data."
        return [Sentence(WHAT, text)]
    if isinstance(found, NoisyCountOfYes | NoisySumOfYes):
        text = f"It was counted how many rows have {yes} in the column {column}, and noise was added to this count; "
    else:
        text = f"One random share was drawn, which is likely to be near the share of rows that have {yes} in the "
        text += f"column {column}; "
    text += f"this one number is all that was taken from the data. That there are {found.records:,} rows is public."
    return [Sentence(WHAT, text, {"rows": found.records})]


def _found(release: Release, results: Mapping[str, Any]) -> Iterator[Sentence]:
    yes = quoted(str(release.declared["yes"]))
    data, people = results[DATA], results[POPULATION]
    yield Sentence(
        FOUND,
        f"In the data the share of {yes} is about {percent(data['estimate'])}, and between {percent(data['low'])} "
        f"and {percent(data['high'])} with the noise taken into account: {_times(data['level'])}",
        {DATA: data["estimate"], "low": data["low"], "high": data["high"], "level": data["level"]},
    )
    for name, count in results["counts"].items():
        which = yes if name == YES else quoted(str(release.declared["no"]))
        yield Sentence(
            FOUND,
            f"The number of rows with {which} is about {number(count['estimate'])}, and between "
            f"{number(count['low'])} and {number(count['high'])} in the same sense, which holds for "
            f"{in_ten(count['level'])} releases.",
            {name: count["estimate"], "low": count["low"], "high": count["high"], "level": count["level"]},
        )
    if people is None:
        yield Sentence(
            FOUND,
            "Nothing is said here about people outside the data, for several rows of one "
            f"{called(release.unit.name)} are not drawn one by one.",
        )
    else:
        yield Sentence(
            FOUND,
            f"If the rows were drawn by chance, one by one, from a larger group of people, the share of {yes} in "
            f"that group is about {percent(people['estimate'])}, and between {percent(people['low'])} and "
            f"{percent(people['high'])} with noise and chance taken into account: {_times(people['level'])} If the "
            "rows came together in any other way, this sentence says nothing.",
            {POPULATION: people["estimate"], "low": people["low"], "high": people["high"]},
        )


def _times(level: float) -> str:
    return f"of all releases that are made in this way, {in_ten(level)} have the truth within such limits."


def _noise(release: Release) -> list[Sentence]:
    found = mechanisms.build(release.mechanism)
    if isinstance(found, WholeNoise):
        return of_noise(found.noise, "each count" if found.name == mechanisms.NOISY_COUNTS else "the count")
    if isinstance(found, NoisySumOfYes):
        size, far = 0.7978845608028654 * found.sigma, 1.6448536269514722 * found.sigma
        text = f"The noise moves the count by {number(size, digits=3)} rows up or down on average, and by more than "
        text += f"{number(far, digits=3)} in one release in ten."
        return [Sentence(NOISE, text, {"on average": size, "one in ten": far})]
    spread = found.heard(release.numbers, 0.0).spread
    text = "A draw is not the share itself: if the same were drawn again and again, two thirds of the draws would lie "
    text += f"within about {number(100.0 * spread, digits=2)} percentage points of their middle."
    return [Sentence(NOISE, text, {"percentage points": 100.0 * spread})]


def of_noise(noise: Noise, what: str) -> list[Sentence]:
    """How far whole noise moves a count."""
    size, far = noise.mean_size, noise.quantile(0.9)
    beyond = 2.0 * float(noise.cdf(-far - 1))
    if far == 0:
        text = f"The noise left {what} as it is in all but {number(100.0 * beyond, digits=2)}% of such releases."
        return [Sentence(NOISE, text, {"percent moved": 100.0 * beyond})]
    text = f"The noise moves {what} by {number(size, digits=2)} rows up or down on average, and by more than "
    text += f"{number(far)} in one release in ten at most. It is drawn anew for every release, without regard to how "
    text += "many rows there are: it matters less, the more rows there are."
    return [Sentence(NOISE, text, {"on average": size, "one in ten": far})]


def _public(release: Release) -> Sentence:
    declared = release.declared
    column, yes, no = (quoted(str(declared[name])) for name in ("column", "yes", "no"))
    text = f"These are the name of the column, {column}, and the answers, {yes} and {no}"
    for answer, called_so in (("yes", yes), ("no", no)):
        if declared.get(f"also_{answer}"):
            text += f"; what counts as {called_so} too, {listed(declared[f'also_{answer}'])}"
    records = declared.get("records")
    if records is None:
        return Sentence(PUBLIC, f"{text}. A row that says neither is not counted; how many do is not told.")
    rest = "A row that says neither counts as no; how many do is not told."
    return Sentence(PUBLIC, f"{text}; and that there are {records:,} rows. {rest}", {"rows": records})


def files(release: Release, results: Mapping[str, Any]) -> dict[str, Writer]:
    """Both shares and the counts as a table, and the shares as a picture."""
    told = {f"count of {name}": count for name, count in results["counts"].items()}
    told |= {f"share {name.replace('_', ' ')}": results[name] for name in (DATA, POPULATION) if results[name]}
    parts = ("estimate", "low", "high", "level")
    rows = [[name, *(f"{values[part]:.10g}" for part in parts)] for name, values in told.items()]
    return {SHARES: table(["what", *parts], rows), "share.png": partial(pictures.draw_share, release, results)}


def _declared(schema: LogSchema, records: int | None) -> dict[str, Any]:
    (feature,) = schema.features
    told: dict[str, Any] = {"by": rows.declared_by(schema), "column": feature.columns[0]}
    for answer, outcome in zip(("yes", "no"), feature.outcomes, strict=False):
        told[answer] = outcome
        also = [text for text, meant in feature.fold.items() if meant == outcome]
        told |= {f"also_{answer}": also} if also else {}
    return told if records is None else {**told, "records": records}
