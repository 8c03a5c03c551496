"""What a hidden Markov model of noisy counts says, in plain words for people who know no statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpsampling.release.card import FOUND, NOISE, PUBLIC, WHAT, Sentence
from dpsampling.release.contents import Release
from dpsampling.release.hmm_files import PARTS
from dpsampling.release.wording import called, listed, number, quoted

SAID = 6  # states of which the card speaks one by one, and features of each
LIKELIEST = 2  # outcomes of a feature
SURE = 0.9


def sentences(release: Release, results: Mapping[str, Any]) -> list[Sentence]:
    """Return what was released, what it says, and how noisy it is."""
    return [*_what(release, results), *_found(release, results), *_noise(release, results), _public(release)]


def _what(release: Release, results: Mapping[str, Any]) -> Iterator[Sentence]:
    declared = release.declared
    regions, months, features = (len(declared[name]) for name in ("regions", "months", "features"))
    cells, outcomes = release.numbers.shape
    yield Sentence(
        WHAT,
        f"Noisy counts: how many events each of {number(cells)} cells has of each outcome ({number(cells * outcomes)} "
        f"counts in all), with random noise added to every count. A cell is one of {number(regions)} "
        f"{_many(regions, 'region')} in one of {number(months)} months; an outcome is one of the answers to one of "
        f"{number(features)} {_many(features, 'question')} about an event ({number(outcomes)} answers in all). They "
        "stand in noisy_counts.csv. All else here was computed from them, without looking at the data again.",
        {"cells": cells, "outcomes": outcomes, "regions": regions, "months": months, "features": features},
    )
    states = results["states"]
    if states == 1:
        text = "The model has 1 state: it takes all cells for alike in what happens, though not in how much happens."
    else:
        text = (
            f"The model sorts the cells into {number(states)} kinds, which are called states. In all cells of a state "
            "events are alike; how many there are may differ. From one month to the next a region stays in its state "
            "or moves to another. States have numbers and no names: what a state is, its events tell."
        )
    yield Sentence(WHAT, text, {"states": states})
    if "scores" in results:
        yield _choice(results)


def _choice(results: Mapping[str, Any]) -> Sentence:
    scored, states = results["scores"], results["states"]
    best = min(scored, key=lambda score: score["below_best"])
    text = (
        f"Models of 1 to {number(len(scored))} states were compared by how well they foretell noisy counts that they "
        f"have not seen. The best has {number(best['states'])}; the model here has {number(states)}, the fewest that "
        "foretell as well as the best does, apart from luck."
    )
    if states == 1:
        text += (
            " So one state is all that the noisy counts can tell of. The data may have more: noise this large would "
            "hide them."
        )
    return Sentence(WHAT, text, {"compared": len(scored), "best": best["states"], "states": states})


def _found(release: Release, results: Mapping[str, Any]) -> Iterator[Sentence]:
    states, level = results["states"], release.settings["level"]
    yield Sentence(
        FOUND,
        "Each figure here comes with two limits: by the model and the noisy counts, with the added noise taken into "
        f"account, the true figure is between them with a probability of {percent(level)}. The model takes all shares "
        "of outcomes to be as likely before it sees any count. So where an outcome hardly ever occurs, or nearly "
        "always, and the noise hides it, the limits are drawn towards the middle and may miss the truth far more "
        "often.",
        {"level": level},
    )
    for k in range(min(states, SAID)):
        yield from _of_state(release, results, k)
    if states > SAID:
        yield Sentence(
            FOUND,
            f"The other {number(states - SAID)} states are in emissions.csv and states.csv.",
            {"others": states - SAID},
        )
    if states > 1:
        sure = [max(p) >= SURE for region in results["probability_of_state"] for p in region]
        yield Sentence(
            FOUND,
            f"Which state a cell is in is not certain. Of the {number(len(sure))} cells, {number(sum(sure))} are in "
            f"one state with a probability of {percent(SURE)} or more; the rest could well be in another. cells.csv "
            "has the probabilities of each cell.",
            {"cells": len(sure), "sure": sum(sure)},
        )


def _of_state(release: Release, results: Mapping[str, Any], k: int) -> Iterator[Sentence]:
    name = f"state {k + 1}"
    events, cells = _of(results["events_a_month"], k), _of(results["cells_of_state"], k)
    yield Sentence(
        FOUND,
        f"About {number(round(cells[0]))} of the cells are in {name} (limits: {number(math.floor(cells[1]))} and "
        f"{number(math.ceil(cells[2]))}). Such a cell has {figure(events[0])} events a month on average (limits: "
        f"{figure(events[1])} and {figure(events[2])}).",
        {"state": k + 1, "cells": cells, "events": events},
    )
    place = 0
    for d, feature in enumerate(release.declared["features"]):
        size = len(feature["outcomes"])
        if d < SAID:
            shares = results["emissions"]["mean"][k][place : place + size]
            likeliest = sorted(range(size), key=lambda j: -shares[j])[:LIKELIEST]
            said = {
                feature["outcomes"][j]: tuple(results["emissions"][part][k][place + j] for part in PARTS)
                for j in likeliest
            }
            parts = [
                f"{quoted(outcome)} {percent(share[0])} (limits: {percent(share[1])} and {percent(share[2])})"
                for outcome, share in said.items()
            ]
            yield Sentence(
                FOUND,
                f"Of the events of an average month of {name}, so many have {called_question(feature)}: "
                f"{', '.join(parts)}.",
                {"state": k + 1, "feature": feature["name"], "shares": said},
            )
        place += size
    if results["states"] > 1:
        stays = tuple(results["transitions"][part][k][k] for part in ("mean", "low", "high"))
        lasts = _of(results["dwell_months"], k)
        yield Sentence(
            FOUND,
            f"A region in {name} is in it in the next month as well with a probability of {percent(stays[0])} (limits: "
            f"{percent(stays[1])} and {percent(stays[2])}); so it stays there for {figure(lasts[0])} months on average "
            f"(limits: {figure(lasts[1])} and {figure(lasts[2])}).",
            {"state": k + 1, "stays": stays, "lasts": lasts},
        )


def _noise(release: Release, results: Mapping[str, Any]) -> Iterator[Sentence]:
    rate = float(Fraction(release.mechanism["rate"]))
    within = math.ceil(math.log(2.0 / (1.0 + math.exp(-rate)) / 0.1) / rate) - 1 if rate < 700 else 0
    within = max(0, within)
    yield Sentence(
        NOISE,
        f"The noise on each count is a whole number, as often above 0 as below. In nine in ten counts or more it moves "
        f"the count by {number(within)} at most, up or down. So a single noisy count says little where true counts are "
        "small, and may even be below 0; many of them together say more.",
        {"rate": rate, "within": within},
    )
    chains = results["chains"]
    yield Sentence(
        NOISE,
        f"The model was computed by drawing at random many versions of it that agree with the noisy counts "
        f"({number(chains['draws'])} versions, in {number(chains['run'])} series that began at different places). "
        "Where the versions differ much, the limits are far apart.",
        {"draws": chains["draws"], "series": chains["run"]},
    )
    if chains["kept"] < chains["run"]:
        yield Sentence(
            NOISE,
            f"CAUTION: the series did not agree. {number(chains['kept'])} of {number(chains['run'])} found a model "
            "that fits the noisy counts clearly better than the others, and only these are used. There may be further "
            "ones that none has found, so that the limits may be too narrow: fewer states may help.",
            {"kept": chains["kept"], "series": chains["run"]},
        )
    elif not chains["agree"]:
        yield Sentence(
            NOISE,
            "CAUTION: the series did not agree, though they fit the noisy counts alike: the noise leaves more than "
            "one model possible, or states of which one cannot be told from another. The limits may be too narrow, and "
            "what is said of single states need not mean much: fewer states may help.",
            {"r_hat": chains["r_hat"]},
        )
    if not chains["long_enough"]:
        yield Sentence(
            NOISE,
            f"CAUTION: for the least certain figure the versions are worth {number(math.floor(chains['effective']))} "
            "independent ones, where 100 are wanted: its limits are themselves inexact.",
            {"effective": chains["effective"]},
        )


def _public(release: Release) -> Sentence:
    declared = release.declared
    months, features = declared["months"], declared["features"]
    when = (
        listed(months)
        if len(months) == 1
        else f"{number(len(months))} from {quoted(months[0])} to {quoted(months[-1])}"
    )
    outcomes = "; ".join(f"{called_question(feature)}, {listed(feature['outcomes'])}" for feature in features)
    return Sentence(
        PUBLIC,
        f"These are the regions, {listed(declared['regions'])}; the months, {when}; and the outcomes: {outcomes}.",
        {"months": len(months)},
    )


def percent(share: float) -> str:
    """A share to two digits."""
    tenth = round(100.0 * share, 1)
    return f"{tenth:.0f}%" if 10.0 <= tenth <= 90.0 or tenth == round(tenth) else f"{tenth:.1f}%"


def figure(value: float) -> str:
    """A number to two digits or to the unit."""
    if value >= 1000.0:
        return number(round(value)) if value < 1e6 else "more than a million"
    return f"{value:.0f}" if value >= 20.0 else f"{value:.1f}"


def called_question(feature: Mapping[str, Any]) -> str:
    """Return what a feature is called in a sentence."""
    return f"as {called(feature['title'] or feature['name'])}"


def _of(summary: Mapping[str, Sequence[float]], k: int) -> tuple[float, float, float]:
    return summary["mean"][k], summary["low"][k], summary["high"][k]


def _many(n: int, name: str) -> str:
    return name if n == 1 else f"{name}s"
