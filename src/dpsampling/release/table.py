"""How many rows have each combination of outcomes of some columns: noisy counts, their sums and shares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from dpsampling.errors import InputError, did_you_mean
from dpsampling.event_logs.schema import LogSchema, column_key
from dpsampling.numerics.arrays import Array
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.release import mechanisms, pictures, rows
from dpsampling.release.card import FOUND, NOISE, PUBLIC, WHAT, Sentence
from dpsampling.release.contents import Release
from dpsampling.release.intervals import NoisyCount, check_level, of_counts
from dpsampling.release.kinds import Writer, table
from dpsampling.release.mechanisms import NoisyCounts, Wanted
from dpsampling.release.noise import Noise
from dpsampling.release.proportion import entry, of_noise, percent
from dpsampling.release.publish import Prepared
from dpsampling.release.shares import TwoCounts
from dpsampling.release.wording import in_ten, listed, number, quoted

MOST_CELLS = 10**6
MOST_SHARES = 40  # outcomes of a column whose shares are computed: each is an inversion of its own
SPOKEN = 6  # outcomes of a column that the card names
REGION, MONTH = "region", "month"
TABLE, WIDE, MARGINS, PICTURE = "table.csv", "wide.csv", "margins.csv", "table.png"
OWN = ("count", "estimate", "low", "high")  # columns that every table has


@dataclass(frozen=True)
class Axis:
    """A column of the table: what rows are counted by, how it is called, and its outcomes, all public."""

    by: str
    name: str
    outcomes: tuple[str, ...]


def prepare(
    schema: LogSchema, source: Any, *, columns: Sequence[str], epsilon: float, level: float, report: Path | None = None
) -> Prepared:
    """Read the rows; the noise is drawn later."""
    check_level(level)
    found = axes(schema, columns)
    cells = math.prod(len(axis.outcomes) for axis in found)
    if cells > MOST_CELLS:
        sizes = " × ".join(str(len(axis.outcomes)) for axis in found)
        raise InputError(
            f"the table of {', '.join(axis.name for axis in found)} would have {cells} cells ({sizes}), and "
            f"{MOST_CELLS} is the most; name fewer columns, or fold outcomes together."
        )
    mechanism = mechanisms.chosen(Wanted(epsilon), schema.unit)
    assert isinstance(mechanism, NoisyCounts)
    guarantee = mechanism.guarantee(schema.unit)
    counts = rows.joint(rows.read(schema, source, report), [axis.by for axis in found])
    return Prepared(
        kind="table",
        title=schema.title,
        unit=schema.unit,
        identified=schema.unit_column is not None,
        declared=_declared(schema, found),
        mechanism=mechanisms.spec(mechanism),
        guarantee=guarantee,
        draw=lambda: mechanisms.noisy(counts, mechanism.rate),
        settings={"level": level},
        exactly=mechanism.level(schema.unit),
    )


def axes(schema: LogSchema, columns: Sequence[str]) -> list[Axis]:
    """Return what the names mean: features or their columns, the region and the month or theirs, in whatever case."""
    known: dict[str, list[Axis]] = {}

    def know(name: str, axis: Axis) -> None:
        meant = known.setdefault(column_key(name), [])
        if axis not in meant:
            meant.append(axis)

    own = [Axis(f.name, f.columns[0] if f.kind == "category" else f.name, f.outcomes) for f in schema.features]
    names = [column_key(axis.name) for axis in own]
    own = [axis if names.count(column_key(axis.name)) == 1 else Axis(axis.by, axis.by, axis.outcomes) for axis in own]
    for axis in own:
        known[column_key(axis.by)] = [axis]
    places = [(schema.region_column, REGION, schema.regions), (schema.time_column, MONTH, schema.months)]
    for column, name, outcomes in places:
        if column and column_key(name) not in known:
            know(name, Axis(name, column if name == REGION else name, outcomes))
    firm = set(known)
    for axis, feature in zip(own, schema.features, strict=True):
        for column in feature.columns:
            if column_key(column) not in firm:
                know(column, axis)
    for column, name, outcomes in places:
        if column and column_key(column) not in firm and column_key(name) in known:
            know(column, Axis(name, column if name == REGION else name, outcomes))
    return _named(schema, columns, known)


def _named(schema: LogSchema, columns: Sequence[str], known: Mapping[str, Sequence[Axis]]) -> list[Axis]:
    found: list[Axis] = []
    for column in columns:
        meant = known.get(column_key(column), ())
        if not meant:
            every = list(dict.fromkeys(axis.name for several in known.values() for axis in several))
            raise InputError(
                f"--columns has '{column}', which {schema.name} does not describe"
                f"{did_you_mean(column, every)}; it has {', '.join(every)}."
            )
        if len(meant) > 1:
            raise InputError(
                f"--columns has '{column}', a column of {' and of '.join(axis.by for axis in meant)}; name one of them."
            )
        if meant[0].by in [axis.by for axis in found]:
            raise InputError(f"--columns has '{column}' twice, if under two names; name each column once.")
        found.append(meant[0])
    if not found:
        raise InputError("--columns is empty; name a column or more.")
    return found


def promised(release: Release) -> Pure | Approximate:
    """2m times the rate: with one unit at most m rows change, each of which leaves one cell and enters another."""
    return mechanism_of(release).guarantee(release.unit)


def mechanism_of(release: Release) -> NoisyCounts:
    """Noisy counts, or an InputError."""
    found = mechanisms.build(release.mechanism)
    if not isinstance(found, NoisyCounts):
        raise InputError(f"a table is not released by {found.name}; see 'dpsampling verify'.")
    return found


def faults(release: Release) -> list[str]:
    """Numbers off their grid, and settings that no release has."""
    mechanism, shape = mechanism_of(release), tuple(len(outcomes) for outcomes in release.declared["outcomes"].values())
    said = [mechanisms.whole(release.numbers, shape)]
    if not 0 < math.prod(shape) <= MOST_CELLS:
        said.append(f"a table of {math.prod(shape)} cells is none that is made")
    elif said == [None] and max(abs(k) for k in release.numbers.integers.ravel()) > _most(mechanism):
        said = ["a noisy count is larger than rows and noise make it"]
    if mechanisms.spec(mechanism) != dict(release.mechanism):
        said.append("the mechanism says more than it has")
    if list(release.declared["outcomes"]) != list(release.declared["columns"]):
        said.append("the columns are not those whose outcomes are declared")
    try:
        check_level(release.settings["level"])
    except InputError as error:
        said.append(str(error).removesuffix("."))
    return [fault for fault in said if fault is not None]


def _most(mechanism: NoisyCounts) -> Fraction:
    """Return what rows and noise make a count at most."""
    return 10**10 + 800 / mechanism.rate


# -- what it says ------------------------------------------------------------------------------------------------------


def results(release: Release) -> dict[str, Any]:
    """Of each cell, of each outcome of each column and of all rows: how many there are, and shares of all."""
    level, noise = float(release.settings["level"]), mechanism_of(release).noise
    counts, coins = release.numbers.floats, release.generator
    outcomes = release.declared["outcomes"]
    told: dict[str, Any] = {"cells": _intervals(counts.ravel(), noise, coins, level), "columns": {}}
    whole = counts.sum()
    for place, (column, names) in enumerate(outcomes.items()):
        sums = counts.sum(axis=tuple(axis for axis in range(counts.ndim) if axis != place))
        one = counts.size // len(names)
        found: dict[str, Any] = {"count": _intervals(sums, Noise(noise.rate, one), coins, level)}
        if 1 < len(names) <= MOST_SHARES:
            rest = Noise(noise.rate, counts.size - one)
            found["share"] = [
                _share(value, whole - value, (Noise(noise.rate, one), rest), coin, level)
                for value, coin in zip(sums.tolist(), coins.random(len(sums)).tolist(), strict=True)
            ]
        told["columns"][column] = found
    told["rows"] = _intervals(np.array([whole]), Noise(noise.rate, counts.size), coins, level)
    return told


def _intervals(counts: Array, noise: Noise, coins: np.random.Generator, level: float) -> dict[str, Any]:
    """Noisy counts as lists: what is possible, with both ends, and the least level that any of them attains."""
    low, high, attained = of_counts(NoisyCount(counts, coins.random(counts.size), noise), level)
    ends = {"estimate": np.maximum(counts, 0.0), "low": low, "high": high}
    return {
        **{name: [int(value) for value in values] for name, values in ends.items()},
        "level": round(float(np.min(attained)), 6),
    }


def _share(yes: float, no: float, noises: tuple[Noise, Noise], coin: float, level: float) -> dict[str, float]:
    possible, whole = max(yes, 0.0), max(yes, 0.0) + max(no, 0.0)
    interval = TwoCounts(yes, no, *noises, coin).in_the_data(level)
    return entry(possible / whole if whole else 0.5, interval)


# -- in words, as tables and as a picture ------------------------------------------------------------------------------


def sentences(release: Release, results: Mapping[str, Any]) -> list[Sentence]:
    """Return what was released, what it says, and how noisy it is."""
    return [*_what(release), *_found(release, results), *_noise(release, results), _public(release)]


def _what(release: Release) -> list[Sentence]:
    columns = " and ".join(quoted(str(column)) for column in release.declared["columns"])
    cells = math.prod(release.numbers.shape)
    each = "each outcome" if len(release.declared["columns"]) == 1 else "each combination of outcomes"
    text = f"It was counted how many rows have {each} of {columns}, and noise was added to each of these "
    text += f"{number(cells)} counts (the cells of the table), whether there were such rows or not. The noisy counts "
    text += f"are all that was taken from the data; they stand in {TABLE}."
    return [Sentence(WHAT, text, {"cells": cells})]


def _found(release: Release, results: Mapping[str, Any]) -> Iterator[Sentence]:
    whole = results["rows"]
    low, about, high = (whole[name][0] for name in ("low", "estimate", "high"))
    level = in_ten(whole["level"])
    yield Sentence(
        FOUND,
        f"All cells together have about {number(about)} rows, and between {number(low)} and {number(high)} with "
        f"the noise of all cells taken into account: of all releases that are made in this way, {level} have the "
        "truth within such limits.",
        {"rows": about, "low": low, "high": high, "level": whole["level"]},
    )
    for column, found in results["columns"].items():
        names, count = release.declared["outcomes"][column], found["count"]
        ends = list(zip(names, *(count[name] for name in ("estimate", "low", "high")), strict=True))[:SPOKEN]
        parts = [f"{quoted(str(name))} about {number(a)} ({number(b)} to {number(c)})" for name, a, b, c in ends]
        more = "" if len(names) <= SPOKEN else f"; the other {number(len(names) - SPOKEN)} stand in {MARGINS}"
        yield Sentence(
            FOUND,
            f"By {quoted(str(column))}, so many rows have each outcome, with the limits that hold the truth in "
            f"{in_ten(count['level'])} releases: {', '.join(parts)}{more}.",
            {str(name): a for name, a, *_ in ends},
        )
        if "share" in found:
            best = max(range(len(names)), key=lambda place: found["share"][place]["estimate"])
            share = found["share"][best]
            yield Sentence(
                FOUND,
                f"Most of them, by the noisy counts, have {quoted(str(names[best]))}: about "
                f"{percent(share['estimate'])} of all rows, and between {percent(share['low'])} and "
                f"{percent(share['high'])}, within which {in_ten(share['level'])} releases have the truth.",
                {"share": share["estimate"], "low": share["low"], "high": share["high"]},
            )


def _noise(release: Release, results: Mapping[str, Any]) -> Iterator[Sentence]:
    noise, cells = mechanism_of(release).noise, math.prod(release.numbers.shape)
    yield from of_noise(noise, "the count of each cell")
    empty = sum(low == 0 for low in results["cells"]["low"])
    yield Sentence(
        NOISE,
        f"Of the {number(cells)} cells, {number(empty)} may be empty, as far as the noisy counts tell: their "
        "limits reach down to 0. Noisy counts below 0 are noise; they are kept as they are in the column “count”, "
        "so that sums come out right, and stand as 0 where an estimate is asked for.",
        {"cells": cells, "may be empty": empty},
    )
    if cells > 1:
        size = Noise(noise.rate, cells).mean_size
        yield Sentence(
            NOISE,
            f"In a sum of cells their noises add up: all {number(cells)} together are moved by "
            f"{number(size, digits=2)} rows up or down on average.",
            {"cells": cells, "on average": size},
        )


def _public(release: Release) -> Sentence:
    outcomes = "; ".join(
        f"of {quoted(str(name))}, {listed(each)}" for name, each in release.declared["outcomes"].items()
    )
    return Sentence(PUBLIC, f"These are the columns and their outcomes, with rows or without: {outcomes}.")


def files(release: Release, results: Mapping[str, Any]) -> dict[str, Writer]:
    """The cells, long and, of two columns, wide; the sums; a picture."""
    outcomes = release.declared["outcomes"]
    names = [column if column not in OWN else f"{column} (column)" for column in map(str, outcomes)]
    cells, ends = results["cells"], ("estimate", "low", "high")
    counts = [int(k) for k in release.numbers.integers.ravel()]
    long = [
        [*combination, *values]
        for combination, *values in zip(product(*outcomes.values()), counts, *(cells[end] for end in ends), strict=True)
    ]
    margins = []
    for column, found in results["columns"].items():
        for place, outcome in enumerate(outcomes[column]):
            share = found["share"][place] if "share" in found else {}
            told = [f"{share[end]:.6g}" if share else "" for end in ends]
            margins.append([column, outcome, *(found["count"][end][place] for end in ends), *told])
    margins.append(["all rows", "", *(results["rows"][end][0] for end in ends), "", "", ""])
    header = ["column", "outcome", *ends, "share", "share_low", "share_high"]
    written: dict[str, Writer] = {TABLE: table([*names, *OWN], long), MARGINS: table(header, margins)}
    if len(names) == 2:
        first, second = outcomes.values()
        width = len(second)
        estimates = [cells["estimate"][start : start + width] for start in range(0, len(counts), width)]
        wide = [[name, *line] for name, line in zip(first, estimates, strict=True)]
        written[WIDE] = table([f"{names[0]} / {names[1]}", *second], wide)
    return {**written, PICTURE: partial(pictures.draw_table, release, results)}


def _declared(schema: LogSchema, found: Sequence[Axis]) -> dict[str, Any]:
    return {
        "by": rows.declared_by(schema),
        "columns": [axis.name for axis in found],
        "outcomes": {axis.name: list(axis.outcomes) for axis in found},
    }
