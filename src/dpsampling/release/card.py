"""What a release says in plain words: sentences that are made of its numbers, each number explained where it stands.

`sentences` has what is true of every kind; a kind adds what was released and how noisy it is. CARD.md and card.json
hold the same sentences, so that whoever has the numbers can make the words again and compare.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dpsampling.release.contents import Release

WORDS, DATA = "CARD.md", "card.json"


@dataclass(frozen=True)
class Sentence:
    """A paragraph under the heading `about`, and the numbers in it by name."""

    about: str
    text: str
    numbers: Mapping[str, Any] = field(default_factory=dict)


def risen(suspicion: float, epsilon: float) -> float:
    """What a suspicion of this probability can rise to: odds grow by e^ε at most."""
    odds = suspicion / (1.0 - suspicion)
    return 1.0 / (1.0 + math.exp(-epsilon) / odds)


def sentences(release: Release, own: list[Sentence]) -> list[Sentence]:
    """All of a card; `own` are those of the kind."""
    g = release.guarantee
    half = risen(0.5, g.epsilon)
    protects = (
        f"Each {release.unit.name} is protected: whoever held it for as likely as not (50%) that a {release.unit.name} "
        f"is in the data with a certain answer can be led by this release to hold it for {half:.0%} likely, at most."
    )
    return [Sentence("Who is protected", protects, {"epsilon": g.epsilon, "from 50%": half}), *own]


def text(release: Release, said: list[Sentence]) -> str:
    """CARD.md."""
    parts = [f"# {release.title}"]
    for sentence in said:
        heading = f"## {sentence.about}"
        parts += [sentence.text] if heading in parts else [heading, sentence.text]
    return "\n\n".join(parts) + "\n"
