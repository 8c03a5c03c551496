"""A hidden Markov model of events by region and month: exact noisy counts, and what is computed of them for nothing.

    numbers   of each cell, region by region and month by month, how many events have each outcome, with noise
    results   `warlogs.posterior` and `warlogs.choose_states` of the numbers, as plain dictionaries
    words     `hmm_words`; tables and pictures: `hmm_files`, `hmm_pictures`

Any number of models may be made of the same numbers: the level is that of the noise.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpsampling.errors import InputError
from dpsampling.event_logs import archive, chains, choose_states, counts, pictures, posterior
from dpsampling.event_logs.compile import posterior_chains
from dpsampling.event_logs.described import Described
from dpsampling.event_logs.mechanisms import NoisyCounts, neighbours
from dpsampling.event_logs.names import NOISE_AWARE
from dpsampling.event_logs.posterior import Noisy, Posterior
from dpsampling.event_logs.schema import LogSchema, Unit
from dpsampling.numerics.arrays import Array
from dpsampling.numerics.enclosure import enclose_rational
from dpsampling.numerics.exact import bits
from dpsampling.numerics.exact.fixed_point import FixedPoint
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.privacy.rounding import float_above, round_up
from dpsampling.release import contents, rows
from dpsampling.release.contents import CHANCE, Answered, Release
from dpsampling.release.hmm_consistent import consistent as consistent
from dpsampling.release.hmm_files import files as files
from dpsampling.release.hmm_words import sentences as sentences
from dpsampling.release.publish import Prepared, made_with, say

NOISY_COUNTS = "noisy counts"
BEST = "best"
MOST_STATES = 100
DIGITS = 6  # of results
MONTH = re.compile(r"\d{4,}-(0[1-9]|1[0-2])")


def prepare(
    schema: LogSchema,
    source: Any,
    *,
    epsilon: float,
    level: float,
    states: int | str,
    up_to: int = 6,
    report: Path | None = None,
) -> Prepared:
    """Read the rows; the noise is drawn later."""
    features = len(schema.features)
    mechanism = NoisyCounts(epsilon, NOISE_AWARE, schema.unit)
    chains.check(chains.Model(2), mechanism, features)
    settings = asked(states, up_to, level)
    log = counts.count(rows.read(schema, source, report))
    true = log.counts.reshape(-1, sum(log.sizes))

    def draw() -> FixedPoint:
        say("drawing the noise")
        return FixedPoint(mechanism.release(true, features).astype(object), 0)

    told = {"name": NOISY_COUNTS, "rate": str(mechanism.rate(features)), "features": features}
    return Prepared(
        kind="hmm",
        title=schema.title,
        unit=schema.unit,
        identified=schema.unit_column is not None,
        declared=_declared(schema),
        mechanism=told,
        guarantee=_guarantee(told, schema.unit),
        draw=draw,
        settings=settings,
        exactly=mechanism.level,
    )


def derived(folder: Path, *, states: int | str, up_to: int = 6, level: float | None = None) -> Release:
    """Another model of the numbers in a folder."""
    release, _, digest = contents.read(folder)
    if release.kind != "hmm":
        raise InputError(f"{folder} is a release of kind '{release.kind}'; --from needs one of a hidden Markov model.")
    wrong = faults(release)
    if wrong:
        raise InputError(f"{folder} is damaged: {wrong[0]}; name another release.")
    return remodelled(release, digest, states=states, up_to=up_to, level=level)


def remodelled(
    release: Release, digest: str, *, states: int | str, up_to: int = 6, level: float | None = None
) -> Release:
    """Another model of a release's numbers: nothing is drawn of the data, and nothing charged."""
    return replace(
        release,
        on=datetime.date.today().isoformat(),
        budget=replace(release.budget, charged=0.0),
        settings=asked(states, up_to, float(release.settings["level"]) if level is None else level),
        chance=int.from_bytes(bits.fresh(CHANCE // 8), "little"),
        made_with=made_with(),
        answered=Answered(0.0),
        derived_from=digest,
    )


def asked(states: int | str, up_to: int, level: float) -> dict[str, Any]:
    """The settings of the post-processing, checked."""
    if not 0.0 < level < 1.0:
        raise InputError(f"level is {level:g}; an interval holds a share between 0 and 1, such as 0.9.")
    if states == BEST:
        if not 1 <= up_to <= MOST_STATES:
            raise InputError(f"up-to is {up_to}; a model has 1 to {MOST_STATES} states.")
        return {"level": level, "states": BEST, "up_to": up_to}
    if not isinstance(states, int) or not 1 <= states <= MOST_STATES:
        raise InputError(f"states is {states}; a model has 1 to {MOST_STATES} states, or say '{BEST}'.")
    return {"level": level, "states": states}


def promised(release: Release) -> Pure | Approximate:
    """2Dm times the rate: of each of m rows, each of D features leaves one count and enters another."""
    return _guarantee(release.mechanism, release.unit)


def faults(release: Release) -> list[str]:
    """Whole numbers of every cell and outcome, and settings that can be."""
    found = []
    declared = release.declared
    try:
        outcomes = sum(len(feature["outcomes"]) for feature in declared["features"])
        shape = (len(declared["regions"]) * len(declared["months"]), outcomes)
        if release.numbers.shape != shape or release.numbers.exponent != 0:
            found.append(f"the noisy counts are not whole numbers of {shape[0]} cells and {shape[1]} outcomes")
        if release.mechanism["features"] != len(declared["features"]):
            found.append("the mechanism is of another number of features than is declared")
        if release.mechanism["name"] != NOISY_COUNTS or not Fraction(release.mechanism["rate"]) > 0:
            found.append("the mechanism is not that of noisy counts at a rate above 0")
        for names in (declared["regions"], [feature["name"] for feature in declared["features"]]):
            archive.words(names)
        for feature in declared["features"]:
            archive.words(feature["outcomes"])
            archive.word(feature["title"])
        if not all(MONTH.fullmatch(month) for month in archive.words(declared["months"])):
            raise ValueError("a month is none")
        asked(release.settings["states"], release.settings.get("up_to", 1), release.settings["level"])
    except InputError as error:
        found.append(str(error).removesuffix("."))
    except (LookupError, TypeError, ValueError, ArithmeticError):
        found.append("the regions, months, features, settings or mechanism are not declared as they must be")
    return found


def results(release: Release) -> dict[str, Any]:
    """The model: emissions, transitions, states of cells, with intervals that the noise has widened."""
    compile_chains()
    noisy = noisy_of(release)
    choice, fit, draws = release.generator.spawn(3)
    found: dict[str, Any] = {}
    states = release.settings["states"]
    if states == BEST:
        scored = choose_states.scores(noisy, release.settings["up_to"], choice, say=say)
        states = choose_states.chosen(scored, len(noisy.counts))
        found["scores"] = [_rounded(vars(score)) for score in scored]
    fitted = posterior.posterior(noisy, states, fit, say=say)
    say("tables and pictures")
    found |= description(release, fitted, draws)
    return found


def noisy_of(release: Release) -> Noisy:
    """The numbers as the chains take them."""
    log, rate = described(release), Fraction(release.mechanism["rate"])
    return Noisy(release.numbers.integers.astype(float), round_up(float(1 / rate)), len(log.regions), log.sizes)


def described(release: Release) -> Described:
    """Return what is public about the log."""
    regions, months, features = (release.declared[part] for part in ("regions", "months", "features"))
    outcomes = tuple(tuple(feature["outcomes"]) for feature in features)
    names = tuple(feature["name"] for feature in features)
    return Described("", release.title, "", tuple(regions), tuple(months), names, outcomes)


def description(release: Release, fitted: Posterior, rng: np.random.Generator) -> dict[str, Any]:
    """Return what draws of the posterior say, states in their public order."""
    level, states = float(release.settings["level"]), fitted.emissions.shape[1]
    filled = np.stack([(fitted.states == k).sum(axis=(1, 2)) for k in range(states)], axis=1)
    order = pictures.ordered(described(release), filled.mean(axis=0), fitted.emissions.mean(axis=0))
    emissions = fitted.emissions[:, order]
    tallies = fitted.transitions[:, [*order, states]][:, :, order]
    # A row given the states is Dirichlet(α + c); its mean needs no draws, its interval has one of each sweep.
    shapes = tallies + fitted.alpha
    rows_drawn = rng.standard_gamma(shapes)
    rows_drawn /= rows_drawn.sum(axis=2, keepdims=True)
    means = (shapes / shapes.sum(axis=2, keepdims=True)).mean(axis=0)
    drawn = (fitted.states[..., None] == order).astype(np.float32)
    shares = drawn.mean(axis=0)
    cells = drawn.reshape(len(drawn), -1, states)
    inside = cells.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        monthly = np.einsum("sc,sck->sk", fitted.rates, cells) / inside
        # An event has an outcome of every feature and is one event; the model counts it once for each of them.
        once = monthly * (1.0 - 1.0 / len(release.declared["features"])) / inside
        monthly = np.maximum(monthly + np.sqrt(once) * rng.standard_normal(monthly.shape), 0.0)
    stay = np.diagonal(rows_drawn, axis1=1, axis2=2)
    dwell = 1.0 / np.maximum(1.0 - stay, 1e-9)
    return {
        "states": states,
        "emissions": _summary(emissions, level),
        "transitions": _summary(rows_drawn[:, :states], level, means[:states]),
        "start": _summary(rows_drawn[:, states], level, means[states]),
        "dwell_months": _summary(dwell, level, np.median(dwell, axis=0)),
        "events_a_month": _summary(monthly, level),
        "cells_of_state": _summary(inside.astype(float), level),
        "state_of_cell": (shares.argmax(axis=2) + 1).tolist(),
        "probability_of_state": _rounded(shares.astype(float)),
        "chains": {
            "run": len(fitted.kept),
            "kept": int(fitted.kept.sum()),
            "draws": len(fitted.states),
            "effective": round(float(fitted.effective), 1),
            "r_hat": round(float(min(fitted.r_hat, 1e6)), 4),
            "log_joint": _rounded(fitted.log_joint.mean(axis=1)),
            "agree": fitted.agree,
            "long_enough": bool(fitted.effective >= posterior.AIM),
        },
    }


def compile_chains() -> None:
    """Compile the sampler where nobody has, which takes half a minute: before anything is timed."""
    posterior_chains(say)


def _summary(draws: Array, level: float, means: Array | None = None) -> dict[str, Any]:
    """Means and equal-tailed intervals over draws, of those where the quantity exists."""
    tail = (1.0 - level) / 2.0
    exists = np.isfinite(draws)
    clean = np.where(exists, draws, np.nan)
    never = ~exists.any(axis=0)
    clean[:, never] = 0.0
    low, high = np.nanquantile(clean, [tail, 1.0 - tail], axis=0)
    middle = np.nanmean(clean, axis=0) if means is None else means
    return {"mean": _rounded(middle), "low": _rounded(low), "high": _rounded(high)}


def _rounded(values: Any) -> Any:
    """Results to so many digits, as JSON has them."""
    if isinstance(values, Mapping):
        return {name: _rounded(value) for name, value in values.items()}
    if isinstance(values, int):
        return values
    return np.round(values, DIGITS).tolist()


def _guarantee(mechanism: Mapping[str, Any], unit: Unit) -> Pure:
    exact = Fraction(mechanism["rate"]) * 2 * int(mechanism["features"]) * unit.most
    return Pure(float_above(exact), conditions=(neighbours(unit),), enclosed=partial(enclose_rational, exact))


def _declared(schema: LogSchema) -> dict[str, Any]:
    features = [{"name": f.name, "title": f.title, "outcomes": list(f.outcomes)} for f in schema.features]
    return {
        "by": rows.declared_by(schema),
        "regions": list(schema.regions),
        "months": list(schema.months),
        "features": features,
    }
