"""How the project is cited, as its CITATION.cff says; the file travels with the installed package."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from dpsampling.files.documents import read_yaml, root


@dataclass(frozen=True)
class Work:
    """Something that is reproduced: who wrote what, when."""

    title: str
    authors: tuple[str, ...]
    year: int
    url: str


@dataclass(frozen=True)
class Citation:
    """What others need to name this release."""

    title: str
    abstract: str
    version: str
    released: str  # the day, as YYYY-MM-DD
    licence: str  # by its SPDX name
    authors: tuple[str, ...]
    keywords: tuple[str, ...]
    works: tuple[Work, ...]


@cache
def citation() -> Citation:
    """Of the checkout, or of the installed package."""
    told = read_yaml(root() / "CITATION.cff")
    return Citation(
        title=told["title"],
        abstract=told["abstract"],
        version=told["version"],
        released=told["date-released"],
        licence=told["license"],
        authors=_names(told["authors"]),
        keywords=tuple(told["keywords"]),
        works=tuple(
            Work(work["title"], _names(work["authors"]), work["year"], work.get("url", ""))
            for work in told["references"]
        ),
    )


def _names(people: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(each.get("name") or f"{each['given-names']} {each['family-names']}" for each in people)
