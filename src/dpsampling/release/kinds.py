"""What a kind of release knows of itself: the one list of kinds, and what each of them answers.

A kind is a module of this room. All it computes is of the numbers, of what is public and of `chance` alone.
"""

from __future__ import annotations

import csv
import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from dpsampling.errors import InputError
from dpsampling.privacy.guarantee import Approximate, Pure
from dpsampling.release.card import Sentence
from dpsampling.release.contents import Release

KINDS = ("proportion", "table", "hmm")
Writer = Callable[[Path], None]


class Kind(Protocol):
    """A module with these functions.

    Where the results need a chain, whose course depends on versions, it also has `consistent(release, results)`: what
    is impossible about results that cannot be computed again, each in a sentence. Names of others go into sentences by
    `wording.quoted`, limits by `wording.at_most` and the like; headings are those of `card`.
    """

    def promised(self, release: Release) -> Pure | Approximate:
        """The guarantee that `mechanism` and `unit` give, computed without looking at what the release says it is."""

    def faults(self, release: Release) -> list[str]:
        """Return what is impossible about the numbers, the mechanism or the settings, each in a sentence."""

    def results(self, release: Release) -> dict[str, Any]:
        """Return what the release says of the data, as JSON can say it; the same whenever it is computed."""

    def sentences(self, release: Release, results: Mapping[str, Any]) -> list[Sentence]:
        """Return what was released and how noisy it is, for the card, in plain words."""

    def files(self, release: Release, results: Mapping[str, Any]) -> dict[str, Writer]:
        """Tables and pictures by name, each with what writes it to a path."""


def table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Writer:
    """Return what writes rows as CSV."""

    def write(path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(rows)

    return write


def load(name: str) -> Kind:
    """The module of a kind."""
    if name not in KINDS:
        raise InputError(f"there is no release of kind '{name}'; kinds are {', '.join(KINDS)}.")
    return cast(Kind, importlib.import_module(f"dpsampling.release.{name}"))
