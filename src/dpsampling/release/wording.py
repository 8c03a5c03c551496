"""How a card says numbers and names: limits rounded to the safe side, and texts from outside kept to their place.

A name may be anything that somebody typed. It is said without an article and never in the plural, as one line, and in
quotation marks unless it is a plain word or two, so that no name can pass for a sentence of the card.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal

from dpsampling.errors import one_line

LONGEST = 60  # characters of a name
LARGEST, LEAST = 1e15, 1e-9  # between them a number is written out
FINEST = 6  # decimals of a percentage
LISTED = 12  # names that are said one by one
SMALL = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
WORD = re.compile(r"[^\W\d_]+(?:[ -][^\W\d_]+){0,3}")


def quoted(name: str, longest: int = LONGEST) -> str:
    """A name as somebody else's words."""
    line = one_line(name).replace("“", "'").replace("”", "'").replace('"', "'")
    return f"“{line if len(line) <= longest else line[: longest - 1] + '…'}”"


def called(name: str) -> str:
    """A name as a word of a sentence, if it can be one."""
    return name if len(name) <= LONGEST // 2 and WORD.fullmatch(name) else quoted(name)


def listed(names: Iterable[object]) -> str:
    """Names in quotation marks, the first of them if they are many."""
    every = list(names)
    more = f" and {number(len(every) - LISTED)} more" if len(every) > LISTED else ""
    return ", ".join(quoted(str(name)) for name in every[:LISTED]) + more


def in_ten(level: float) -> str:
    """How often, of ten, a hundred or a thousand: nine in ten."""
    for many, called_so in ((10, "ten"), (100, "a hundred"), (1000, "a thousand")):
        whole = round(level * many)
        if abs(level * many - whole) < 1e-6 and 0 < whole < many:
            return f"{SMALL[whole - 1] if many == 10 else whole} in {called_so}"
    return f"more than {min(int(level * 1000), 999)} in a thousand"


def number(value: float | int | Decimal, rounding: str = ROUND_HALF_EVEN, digits: int = 6) -> str:
    """A number to some digits, written out where that is not too long: 0.000001, 2.5, 1,000,000."""
    if isinstance(value, int):
        return f"{value:,}"
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    rounded = Context(prec=digits, rounding=rounding).create_decimal(exact).normalize(Context(prec=digits))
    if rounded and not LEAST <= abs(rounded) < LARGEST:
        return f"{rounded:E}".replace("E+", " times ten to the power ").replace("E-", " times ten to the power minus ")
    return f"{rounded:,f}"


def above(value: float | Decimal, digits: int = 6) -> str:
    """A number that is not below this one."""
    return number(value, ROUND_CEILING, digits)


def below(value: float | Decimal, digits: int = 6) -> str:
    """A number that is not above this one."""
    return number(value, ROUND_FLOOR, digits)


def at_most(probability: float) -> str:
    """A percentage that is not below this probability."""
    return _percentage(probability, ROUND_CEILING)


def at_least(probability: float) -> str:
    """A percentage that is not above it."""
    return _percentage(probability, ROUND_FLOOR)


def moved(suspicion: float, epsilon: float) -> float:
    """Return what a suspicion of this probability becomes when its odds grow by e^ε, or shrink where ε is negative."""
    logit = math.log(suspicion) - math.log1p(-suspicion) + epsilon
    if logit >= 0:
        return 1.0 / (1.0 + math.exp(-logit))
    return math.exp(logit) / (1.0 + math.exp(logit))


def _percentage(probability: float, rounding: str) -> str:
    """So many decimals that two digits stand of what it is away from 0% and from 100%, one at least."""
    percent = Decimal(probability) * 100
    away = min(percent, 100 - percent)
    decimals = FINEST if away <= 0 else min(FINEST, max(1, 1 - away.adjusted()))
    rounded = percent.quantize(Decimal(1).scaleb(-decimals), rounding=rounding)
    return f"{rounded.normalize():f}%"
