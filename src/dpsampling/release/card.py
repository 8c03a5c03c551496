"""What a release says in plain words: sentences that are made of its numbers, each number explained where it stands.

`sentences` has what is true of every kind; a kind adds what was released, how noisy it is, and what was public
beforehand. CARD.md and card.json hold the same sentences, so that whoever has the numbers can make the words again and
compare.

ε-differential privacy limits how far the release moves the odds of any suspicion about one unit, whoever holds it and
whatever else they know: from p to p e^{±ε}/(1 − p + p e^{±ε}). Noise of scale 2m/ε on counts, of which replacing a
unit's m rows moves two each, spends ε/2 where a unit is added or removed, as that moves one each.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

from dpsampling.errors import one_line
from dpsampling.numerics.exact.promise import PROMISE
from dpsampling.privacy.guarantee import Approximate
from dpsampling.release.wording import above, at_least, at_most, below, called, moved, number, quoted

if TYPE_CHECKING:
    from dpsampling.release.contents import Release

WHAT = "What was released"
FOUND = "What it says"
NOISE = "How noisy the numbers are"
WHO = "Who is protected"
NOT = "What is not protected"
PUBLIC = "What was public beforehand"
COST = "What it cost"
PROMISED = "What the promise rests on"
TIME = "When it was answered"
CHECK = "How to check it, and how to cite it"
HEADINGS = (WHAT, FOUND, NOISE, WHO, NOT, PUBLIC, COST, PROMISED, TIME, CHECK)

COUNTS = "noisy counts"  # the mechanism of which adding a unit moves half as much as replacing one
HALF, RARE = 0.5, 0.01  # suspicions
HOLLOW = 2.0 * math.log(99.0)  # ε from which 1% can become 99%
MANY = 5  # people of a group
SENTENCE = 300  # characters of a condition
HUGE = 700.0  # an exponent that a float has no power of
IN_SHORT = (
    "In short: the noise or draw behind each number was made exactly as the mathematics says, with secret random bits "
    "of the operating system, so that no rounding by the computer gives anything away. In exact words:"
)


@dataclass(frozen=True)
class Sentence:
    """A paragraph under the heading `about`, in plain text, and the numbers in it by name."""

    about: str
    text: str
    numbers: Mapping[str, Any] = field(default_factory=dict)


def sentences(release: Release, own: Sequence[Sentence], sha256: str) -> list[Sentence]:
    """All of a card, in the order of its headings; `own` are those of the kind, `sha256` that of release.json."""
    every = [
        _public(release),
        *own,
        *_protected(release),
        *_unprotected(release),
        *_cost(release),
        *_conditions(release),
        *_time(release),
        *_check(release, sha256),
    ]
    order = {heading: place for place, heading in enumerate(HEADINGS)}
    last_own = order[NOISE] + 0.5
    every.sort(key=lambda sentence: order.get(sentence.about, last_own))
    return [Sentence(one_line(s.about), _on_one_line(s.text), s.numbers) for s in every]


def text(release: Release, said: Sequence[Sentence]) -> str:
    """CARD.md."""
    parts, heading = [f"# {marked(quoted(release.title))}"], ""
    for sentence in said:
        if sentence.about != heading:
            heading = sentence.about
            parts.append(f"## {marked(heading)}")
        parts.append(marked(sentence.text))
    return "\n\n".join(parts) + "\n"


def marked(plain: str) -> str:
    """Plain text in Markdown: nothing in it is a heading, a link, a list, HTML or emphasis."""
    plain = re.sub(r"([\\`*\[\]<>&|~$])", r"\\\1", plain)
    plain = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", plain)  # inside a word it is no markup
    return re.sub(r"^(\d*)([.)#+=-])", r"\1\\\2", plain)


def _on_one_line(plain: str) -> str:
    """A paragraph without line breaks and without what cannot be printed, however long."""
    line = " ".join(plain.split())
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in line)


# -- who is protected, and who is not ---------------------------------------------------------------------------------


def _protected(release: Release) -> Iterator[Sentence]:
    unit, epsilon = called(release.unit.name), release.guarantee.epsilon
    rise, rare_rise = moved(HALF, epsilon), moved(RARE, epsilon)
    fall, rare_fall = moved(HALF, -epsilon), moved(RARE, -epsilon)
    yield Sentence(
        WHO,
        f"Each {unit} in the data is protected, whoever asks and whatever else they know. Suppose that somebody "
        f"suspects something about one {unit}, such as a certain answer. This release can raise a suspicion of 50% "
        f"(as likely as not) to {at_most(rise)} at most, and one of 1% (one in a hundred) to {at_most(rare_rise)} "
        f"at most.",
        {"from 50% up to": rise, "from 1% up to": rare_rise},
    )
    yield Sentence(
        WHO,
        f"It can also make a suspicion weaker: it can lower one of 50% to {at_least(fall)} at the lowest, and one "
        f"of 1% to {at_least(rare_fall)} at the lowest.",
        {"from 50% down to": fall, "from 1% down to": rare_fall},
    )
    yield Sentence(
        WHO,
        f"Both limits follow from one number, the level, which is called epsilon and is {above(epsilon)} here: "
        "whatever is released, the odds of a suspicion (how many times likelier it is to be true than not) are "
        f"multiplied or divided by {_factor(epsilon)}. The smaller epsilon is, the better is the protection.",
        {"epsilon": epsilon},
    )
    if epsilon >= HOLLOW:
        yield Sentence(
            WHO,
            f"This is weak: at an epsilon of {above(epsilon)} a suspicion of 1% can become a certainty of 99% or "
            "more. Do not tell anybody that they are protected by it.",
            {"epsilon": epsilon},
        )
    if isinstance(release.guarantee, Approximate):
        delta = release.guarantee.delta
        yield Sentence(
            WHO,
            "There is an exception: whatever is looked for in the release, its probability may change, when the "
            f"rows of one {unit} are exchanged, by {above(delta)} more than the limits above allow (one chance in "
            f"{below(1 / Decimal(repr(delta)))}; this number is called delta). At worst, the release tells "
            f"everything about one {unit} with this probability.",
            {"delta": delta},
        )
    yield from _relations(release, unit)
    yield _rows(release, unit)


def _relations(release: Release, unit: str) -> Iterator[Sentence]:
    """Yield what is compared: rows exchanged for others, or taken away."""
    epsilon, counts = release.guarantee.epsilon, release.mechanism.get("name") == COUNTS
    exchanged = (
        f"The limits above are for what the rows of one {unit} say: they compare the data with data in which these "
        "rows are exchanged for any others (this is called replace-one)."
    )
    if not counts:
        yield Sentence(
            WHO,
            f"{exchanged} Whether one {unit} is in the data at all (add-or-remove) is not covered: how many rows "
            "there are is taken as public.",
        )
        return
    half = epsilon / 2.0
    rise = moved(HALF, half)
    yield Sentence(
        WHO,
        f"{exchanged} For whether one {unit} is in the data at all (add-or-remove) they are tighter, as a row that "
        f"comes or goes moves half as much as one that is exchanged: epsilon is {above(half)}, half of "
        f"{above(epsilon)}, and a suspicion of 50% that one {unit} is in the data can rise to {at_most(rise)} at "
        "most.",
        {"epsilon of add-or-remove": half, "from 50% up to": rise},
    )


def _rows(release: Release, unit: str) -> Sentence:
    """Return what rows of one unit mean for it."""
    most, doubled = release.unit.most, 2.0 * release.guarantee.epsilon
    if not release.identified:
        return Sentence(
            WHO,
            f"Each row counts as one {unit}. Whoever stands in two rows is protected less: for them epsilon doubles, "
            f"to {above(doubled)}.",
            {"epsilon of two rows": doubled},
        )
    rows = "1 row" if most == 1 else f"{number(most)} rows"
    return Sentence(
        WHO,
        f"Of each {unit}, {rows} at most were used; rows beyond that were left out, by lot. Whoever stands in the data "
        f"under two names or numbers counts as two and is protected less: for them epsilon doubles, to "
        f"{above(doubled)}. A row without any name or number counts as one {unit} of its own, however many such rows "
        "are of the same one.",
        {"rows": most, "epsilon of two names": doubled},
    )


def _unprotected(release: Release) -> Iterator[Sentence]:
    unit, epsilon = called(release.unit.name), release.guarantee.epsilon
    together = MANY * epsilon
    rise = moved(HALF, together)
    yield Sentence(
        NOT,
        "It is no secret that these data exist, nor that this release was asked of them, nor what is public "
        "beforehand (below).",
    )
    yield Sentence(
        NOT,
        "What holds of people in general is not protected. If a release shows that most people of a kind share "
        "something, it tells something about everybody of that kind, also about those who are not in the data; no "
        "useful release could hide that.",
    )
    yield Sentence(
        NOT,
        f"Groups are protected less than one {unit}: epsilon is as many times as large as the group. For "
        f"{MANY} together, such as a family, it is {above(together)}, {MANY} times {above(epsilon)}, so that a "
        f"suspicion of 50% about all {MANY} can rise to {at_most(rise)} at most"
        + (", apart from an exception that grows faster." if isinstance(release.guarantee, Approximate) else "."),
        {"people": MANY, "epsilon": together, "from 50% up to": rise},
    )


# -- what was public, and what it cost --------------------------------------------------------------------------------


def _public(release: Release) -> Sentence:
    """Who answers for what the kind says under this heading."""
    by, who = release.declared.get("by", ()), ""
    if isinstance(by, Sequence) and not isinstance(by, str) and len(by) == 2:
        who = f" {quoted(str(by[0]))} declared them on {_plain(str(by[1]))}."
    fixed = "Some things were fixed without looking at the rows, are public and are not protected."
    return Sentence(PUBLIC, f"{fixed}{who}")


def _cost(release: Release) -> Iterator[Sentence]:
    paid, delta = release.budget, ""
    numbers = {"total": paid.total, "spent": paid.spent, "left": paid.left, "charged": paid.charged}
    if paid.delta:
        delta = f" Levels are added up at a delta of {above(paid.delta)}, which all these releases share."
        numbers["delta"] = paid.delta
    if release.derived_from is not None:
        yield Sentence(
            COST,
            "This release cost nothing. Its noisy numbers are those of an earlier release, and were only evaluated "
            "in another way; so its limits are that one's, not new ones beside them. The earlier one is known by "
            f"the fingerprint (SHA-256) of its release.json, which is {quoted_sha(release.derived_from)}.",
        )
    else:
        yield Sentence(
            COST,
            f"This release cost an epsilon of {above(paid.charged)}. Levels of several releases of the same data "
            "add up, so that each makes the protection weaker.",
            {"charged": paid.charged},
        )
    if not paid.total:
        yield Sentence(
            COST,
            "No account was kept: what other releases of the same data have cost is known to their maker, at best, "
            "and has to be added.",
        )
        return
    at_the_time = "When the numbers were drawn" if release.derived_from else "With this one"
    yield Sentence(
        COST,
        f"All releases of these data together may cost {above(paid.total)}, a limit that was fixed with the first "
        f"of them. {at_the_time}, {above(paid.spent)} of it was spent and {below(paid.left)} was left.{delta} The "
        "account, called the ledger, stays with the data and is not in this folder.",
        numbers,
    )


# -- what it rests on -------------------------------------------------------------------------------------------------


def _conditions(release: Release) -> Iterator[Sentence]:
    if release.guarantee.conditions:
        conditions = ", ".join(quoted(condition, SENTENCE) for condition in release.guarantee.conditions)
        yield Sentence(
            PROMISED,
            "The limits are for neighbours, which are two sets of data that differ as is said here, and on these "
            f"conditions: {conditions}.",
        )
    yield Sentence(PROMISED, f"{IN_SHORT} {PROMISE}")


def _time(release: Release) -> Iterator[Sentence]:
    quantum, at = release.answered.quantum, release.answered.at
    if release.derived_from is not None:
        yield Sentence(
            TIME,
            "No clock was kept, and none was needed: it was made of numbers that were released before, without the "
            "data. What can be told from the time at which those numbers appeared, the card of the earlier release "
            "says.",
        )
        return
    if not quantum:
        yield Sentence(
            TIME,
            "It was answered as soon as it was ready. How long that took may tell something about the data, and "
            "no limit above covers it.",
        )
        return
    seconds = number(quantum)
    fixed = f"It was answered at a time that was fixed before any row was read: a multiple of {seconds} seconds."
    if at == 1:
        told = "It was ready for the first of them, so that how long the work took tells nothing but that."
    else:
        told = (
            f"It was ready for number {number(at)} of them, {above(quantum * at)} seconds after its start, and not for "
            f"an earlier one: this much can be told from its time about the work, and so about the data, and no limit "
            "above covers it."
        )
    yield Sentence(TIME, f"{fixed} {told}", {"seconds": quantum, "number": at})


def _check(release: Release, sha256: str) -> Iterator[Sentence]:
    versions = ", ".join(f"{called(name)} {_plain(version)}" for name, version in release.made_with.items())
    version = _plain(release.made_with.get("dpsampling", ""))
    level = f"epsilon {above(release.guarantee.epsilon)}"
    if isinstance(release.guarantee, Approximate):
        level += f" and delta {above(release.guarantee.delta)}"
    yield Sentence(
        CHECK,
        "Anybody can check this folder with 'dpsampling verify FOLDER', without the data: it computes the level, "
        "the noise, the tables, the pictures and these words again from the numbers in release.json. It was made "
        f"with {versions}.",
    )
    yield Sentence(
        CHECK,
        f"Cite it as: {quoted(release.title)}, a release of {_plain(release.on)} for one "
        f"{called(release.unit.name)} at {level}, made by dpsampling {version}, release.json with the SHA-256 "
        f"{sha256}.",
    )


def quoted_sha(sha256: str) -> str:
    """A fingerprint, or what stands in its place."""
    return sha256 if re.fullmatch(r"[0-9a-f]{64}", sha256) else quoted(sha256)


def _plain(told: str) -> str:
    """A date or a version."""
    return told if re.fullmatch(r"[0-9A-Za-z.+_-]{1,40}", told) else quoted(told)


def _factor(epsilon: float) -> str:
    """e^ε in words, rounded up."""
    if epsilon > HUGE:
        return "a number so large that nothing is limited"
    return f"{above(Context(prec=30).create_decimal(Decimal(epsilon)).exp(), 3)} at most"
